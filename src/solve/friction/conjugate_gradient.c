// Conjugate projected gradient for contact with friction (Renouf and Alart 2005; solver specification 2.13).
//
// The set C(mu p_n) moves with the normal impulses: it is projected on contact by contact, normal first. Directions are
// projected on the tangent cone of C; beta keeps them conjugate while the contacts on the boundary stay the same. For
// Coulomb's law this is a quasi-optimisation.
#include "solve/friction/common.h"

#include "problem/problem.h"

#include <math.h>
#include <string.h>

static void project_set(const MrnProblem *problem, double *p) {
    size_t d = (size_t)problem->dimension;
    for (size_t i = 0; i < problem->contacts; i++, p += d) {
        p[0] = fmax(p[0], 0);
        mrn_project_disc((int)d, problem->friction[i] * p[0], p + 1);
    }
}

// Projection of `x` on the tangent cone of C at p.
static void project_tangent(const MrnProblem *problem, const double *p, const double *x, double *out) {
    size_t d = (size_t)problem->dimension;
    for (size_t i = 0; i < problem->contacts; i++, p += d, x += d, out += d) {
        double radius = problem->friction[i] * p[0], square = 0, along = 0;
        out[0] = p[0] > 0 ? x[0] : fmax(x[0], 0);
        for (size_t k = 1; k < d; k++) square += p[k] * p[k], along += x[k] * p[k];
        bool bound = square >= radius * radius * (1 - 1e-14);
        for (size_t k = 1; k < d; k++)
            out[k] = radius <= 0 ? 0 : bound && along > 0 ? x[k] - along * p[k] / square : x[k];
    }
}

static bool solve(MrnSolveJob *job) {
    if (!mrn_options_check(job->settings->options, "", "conjugate-gradient", job->error) ||
        !mrn_coulomb_only(job->problem, "conjugate-gradient", job->error))
        return false;
    MrnIteration iteration;
    mrn_iteration_begin(&iteration, job, 3000);
    const MrnProblem *problem = job->problem;
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    double *p = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *descent = mrn_arena_take(job->arena, numbers, sizeof(double));
    double *direction = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *moved = mrn_arena_take(job->arena, numbers, sizeof(double));
    double *w = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *y = mrn_arena_take(job->arena, numbers, sizeof(double));
    memcpy(p, job->impulse, numbers * sizeof(double));
    project_set(problem, p);
    bool first = true;
    while (mrn_iteration_next(&iteration, p)) {
        for (size_t k = 0; k < numbers; k++) descent[k] = -job->velocity[k];
        project_tangent(problem, p, descent, w);
        double beta = 0, curvature = 0;
        if (!first) {
            project_tangent(problem, p, direction, y);
            for (size_t k = 0; k < numbers; k++) beta += w[k] * moved[k], curvature += direction[k] * moved[k];
            beta = curvature > 0 ? -beta / curvature : 0;
        } else
            memset(y, 0, numbers * sizeof(double));
        double slope = 0;
        for (size_t k = 0; k < numbers; k++) direction[k] = w[k] + beta * y[k], slope += direction[k] * descent[k];
        if (!(slope > 0)) { // not a descent any more: along the gradient
            slope = 0;
            for (size_t k = 0; k < numbers; k++) direction[k] = w[k], slope += w[k] * descent[k];
        }
        mrn_block_matrix_times(problem->delassus, direction, NULL, moved);
        curvature = 0;
        for (size_t k = 0; k < numbers; k++) curvature += direction[k] * moved[k];
        if (!(curvature > 0)) break;
        for (size_t k = 0; k < numbers; k++) p[k] += slope / curvature * direction[k];
        project_set(problem, p);
        first = false;
    }
    if (job->info->status == MRN_SOLVED && iteration.best_residual > job->settings->tolerance)
        job->info->status = MRN_STALLED;
    mrn_iteration_end(&iteration);
    return true;
}

const MrnSolverRow mrn_solver_conjugate_gradient = {
    .entry = {.name = "conjugate-gradient",
              .summary =
                  "conjugate projected gradient; good on large loose 2D packings, not guaranteed for Coulomb's law",
              .problems = "2d 3d friction",
              .options = "none"},
    .solve = solve};
