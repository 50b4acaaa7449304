// Accelerated projected gradient (Nesterov 1983; Mazhar, Heyn, Negrut, Tasora 2015): p = P_K(y - t u^(y)), y
// extrapolated, restarted when the step turns against the motion, t adapted so that the quadratic model bounds the
// energy.
#include "solve/friction/common.h"

#include "problem/problem.h"

#include <math.h>
#include <string.h>

// g = W y + q + mu |u_t| n
static void gradient(const MrnProblem *problem, const double *point, double *g) {
    size_t d = (size_t)problem->dimension;
    mrn_block_matrix_times(problem->delassus, point, problem->free_velocity, g);
    for (size_t i = 0; i < problem->contacts; i++) {
        double slide = 0;
        for (size_t k = 1; k < d; k++) slide += g[d * i + k] * g[d * i + k];
        g[d * i] += problem->friction[i] * sqrt(slide);
    }
}

static bool solve(MrnSolveJob *job) {
    if (!mrn_options_check(job->settings->options, "", "gradient", job->error) ||
        !mrn_coulomb_only(job->problem, "gradient", job->error))
        return false;
    MrnIteration iteration;
    mrn_iteration_begin(&iteration, job, 4000);
    const MrnProblem *problem = job->problem;
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    double *x = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *next = mrn_arena_take(job->arena, numbers, sizeof(double));
    double *y = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *g = mrn_arena_take(job->arena, numbers, sizeof(double));
    double *change = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *moved = mrn_arena_take(job->arena, numbers, sizeof(double));
    memcpy(x, job->impulse, numbers * sizeof(double));
    mrn_project_cones(problem, x);
    memcpy(y, x, numbers * sizeof(double));
    double theta = 1, curvature = iteration.scale > 0 ? iteration.scale : 1;
    while (mrn_iteration_next(&iteration, x)) {
        gradient(problem, y, g);
        for (int turn = 0; turn < 60; turn++) {
            for (size_t k = 0; k < numbers; k++) next[k] = y[k] - g[k] / curvature;
            mrn_project_cones(problem, next);
            double square = 0, energy = 0;
            for (size_t k = 0; k < numbers; k++) change[k] = next[k] - y[k], square += change[k] * change[k];
            mrn_block_matrix_times(problem->delassus, change, NULL, moved);
            for (size_t k = 0; k < numbers; k++) energy += change[k] * moved[k];
            if (energy <= curvature * square * (1 + 1e-12)) break;
            curvature *= 2;
        }
        double along = 0;
        for (size_t k = 0; k < numbers; k++) along += change[k] * (next[k] - x[k]);
        if (along < 0) theta = 1;
        double larger = 0.5 * (1 + sqrt(1 + 4 * theta * theta)), momentum = (theta - 1) / larger;
        theta = larger;
        for (size_t k = 0; k < numbers; k++) y[k] = next[k] + momentum * (next[k] - x[k]), x[k] = next[k];
        curvature *= 0.95; // try longer steps now and then
    }
    mrn_iteration_end(&iteration);
    return true;
}

const MrnSolverRow mrn_solver_gradient = {
    .entry = {.name = "gradient",
              .summary =
                  "accelerated projected gradient with restart; matrix-vector products only, slow to high accuracy",
              .problems = "2d 3d friction",
              .options = "none"},
    .solve = solve};
