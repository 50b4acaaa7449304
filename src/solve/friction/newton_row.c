// Two rows of the solver table on Newton's equations: `newton`, the semi-smooth Newton method of Alart and Curnier with
// a line search, and `active-set`, full steps with all contacts at once as in the primal-dual active set method
// (granular specification 2.5.7).
#include "solve/friction/common.h"
#include "solve/friction/newton.h"
#include "solve/friction/sweep.h"

#include "problem/problem.h"

#include <math.h>
#include <string.h>

static bool solve(MrnSolveJob *job, const char *name, bool line_search) {
    const MrnSolverSettings *settings = job->settings;
    if (!mrn_options_check(settings->options, "shift,sweeps", name, job->error) ||
        !mrn_coulomb_only(job->problem, name, job->error))
        return false;
    double shift = mrn_option_number(settings->options, "shift", 1e-8);
    int sweeps = (int)mrn_option_number(settings->options, "sweeps", 10);
    if (!(shift > 0)) return mrn_fail(job->error, MRN_ERROR_INPUT, "%s: shift must be > 0, got %g", name, shift);
    MrnIteration iteration;
    mrn_iteration_begin(&iteration, job, 60);
    size_t numbers = (size_t)job->problem->dimension * job->problem->contacts;
    double *point = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *trial = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *projected = mrn_arena_take(job->arena, numbers, sizeof(double));
    memcpy(point, job->impulse, numbers * sizeof(double));
    MrnSweep sweep;
    mrn_sweep_init(&sweep, job->problem, job->arena);
    MrnNewton newton;
    mrn_newton_init(&newton, job->problem, job->arena);
    for (int k = 0; k < sweeps; k++) mrn_sweep_forward(&sweep, 1, point);
    for (;;) {
        memcpy(projected, point, numbers * sizeof(double));
        mrn_project_cones(job->problem, projected);
        if (!mrn_iteration_next(&iteration, projected)) break;
        mrn_block_matrix_times(job->problem->delassus, point, job->problem->free_velocity, job->velocity);
        double merit = mrn_newton_merit(&newton, point, job->velocity), length = 1, best = INFINITY, chosen = 1;
        mrn_newton_step(&newton, shift, point, job->velocity);
        for (int turn = 0; line_search && turn < 7; turn++, length *= 0.5) {
            for (size_t k = 0; k < numbers; k++) trial[k] = point[k] + length * newton.step[k];
            mrn_block_matrix_times(job->problem->delassus, trial, job->problem->free_velocity, newton.velocity);
            double value = mrn_newton_merit(&newton, trial, newton.velocity);
            if (value < best) best = value, chosen = length;
            if (value <= (1 - 0.1 * length) * merit) break;
        }
        for (size_t k = 0; k < numbers; k++) point[k] += chosen * newton.step[k];
    }
    mrn_iteration_end(&iteration);
    mrn_newton_free(&newton);
    return true;
}

static bool solve_newton(MrnSolveJob *job) {
    return solve(job, "newton", true);
}
static bool solve_active_set(MrnSolveJob *job) {
    return solve(job, "active-set", false);
}

const MrnSolverRow mrn_solver_newton = {
    .entry =
        {.name = "newton",
         .summary = "semi-smooth Newton on the Alart-Curnier equations with a line search; quadratic near a solution, "
                    "may fail far from it",
         .problems = "2d 3d friction",
         .options =
             "shift=1e-8 (> 0, proximal term relative to the diagonal of W), sweeps=10 (Gauss-Seidel sweeps before)"},
    .solve = solve_newton};

const MrnSolverRow mrn_solver_active_set = {
    .entry =
        {.name = "active-set",
         .summary = "primal-dual active set, all contacts at once, full steps; few steps where it converges",
         .problems = "2d 3d friction",
         .options =
             "shift=1e-8 (> 0, proximal term relative to the diagonal of W), sweeps=10 (Gauss-Seidel sweeps before)"},
    .solve = solve_active_set};
