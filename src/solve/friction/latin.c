// LATIN for contact dynamics with friction (solver specification 2.12; Ladeveze 1999, Nineb 2006).
//
// Linear stage: u = W p + q along u - u^ = -(p - p^)/k, that is (W + 1/k) p = p^/k + u^ - q, factored once. Local stage
// along the conjugate direction: with v = u - p/k, p^_n = k max(0, -v_n), p^_t = P_disc(mu p^_n)(-k v_t), u^ = v +
// p^/k. The linear iterate satisfies the dynamics exactly, the local one the laws.
#include "solve/friction/block_lu.h"
#include "solve/friction/common.h"

#include <math.h>
#include <string.h>

static bool solve(MrnSolveJob *job) {
    const char *options = job->settings->options;
    if (!mrn_options_check(options, "k", "latin", job->error) || !mrn_coulomb_only(job->problem, "latin", job->error))
        return false;
    double relative = mrn_option_number(options, "k", 3);
    if (!(relative > 0)) return mrn_fail(job->error, MRN_ERROR_INPUT, "latin: k must be > 0, got %g", relative);
    MrnIteration iteration;
    mrn_iteration_begin(&iteration, job, 3000);
    const MrnProblem *problem = job->problem;
    const MrnBlockMatrix *W = problem->delassus;
    size_t d = (size_t)problem->dimension, size = d * d, numbers = d * problem->contacts;
    double k = relative / (iteration.scale > 0 ? iteration.scale : 1), inverse = 1 / k;
    double *value = mrn_arena_take(job->arena, W->start[W->rows] * size, sizeof(double));
    double *p = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *local = mrn_arena_take(job->arena, numbers, sizeof(double));
    double *velocity = mrn_arena_take(job->arena, numbers, sizeof(double));
    memcpy(local, job->impulse, numbers * sizeof(double));
    mrn_project_cones(problem, local);
    memcpy(value, W->value, W->start[W->rows] * size * sizeof *value);
    for (size_t i = 0; i < W->rows; i++)
        for (size_t e = W->start[i]; e < W->start[i + 1]; e++)
            if (W->column[e] == (int)i)
                for (size_t r = 0; r < d; r++) value[e * size + r * (d + 1)] += inverse;
    MrnBlockLu lu;
    mrn_block_lu_init(&lu);
    mrn_block_lu_analyse(&lu, W->rows, W->block, W->start, W->column, NULL, INFINITY);
    mrn_block_lu_factor(&lu, W->start, W->column, value, 1e-14 * inverse);
    bool first = true;
    while (mrn_iteration_next(&iteration, local)) {
        if (first) memcpy(velocity, job->velocity, numbers * sizeof(double)); // u^ of the guess
        first = false;
        for (size_t j = 0; j < numbers; j++) p[j] = inverse * local[j] + velocity[j] - problem->free_velocity[j];
        mrn_block_lu_solve(&lu, p);
        for (size_t i = 0; i < problem->contacts; i++) {
            double v[3] = {0, 0, 0}, *own = local + d * i;
            for (size_t r = 0; r < d; r++) {
                size_t j = d * i + r;
                v[r] = velocity[j] + inverse * local[j] - 2 * inverse * p[j]; // u - p/k with u = u^ + (p^ - p)/k
            }
            own[0] = k * fmax(0, -v[0]);
            for (size_t r = 1; r < d; r++) own[r] = -k * v[r];
            mrn_project_disc((int)d, problem->friction[i] * own[0], own + 1);
            for (size_t r = 0; r < d; r++) velocity[d * i + r] = v[r] + inverse * own[r];
        }
    }
    mrn_iteration_end(&iteration);
    mrn_block_lu_free(&lu);
    return true;
}

const MrnSolverRow mrn_solver_latin = {
    .entry = {.name = "latin",
              .summary = "LATIN: one sparse factor, linear and local stages along conjugate search directions",
              .problems = "2d 3d friction",
              .options = "k=3 (> 0, search direction times the mean diagonal of W)"},
    .solve = solve};
