// Nonlinear Gauss-Seidel on the assembled Delassus matrix: contact after contact is solved exactly with the others held (Jean 1999).
//
// Reference: Contact Dynamics specification section 8. It takes any law and any matrix, also one that did not come from rigid bodies.
#include "solve/solver.h"

#include "base/clock.h"
#include "problem/problem.h"
#include "solve/certify.h"
#include "solve/friction/sweep.h"

#include <math.h>
#include <string.h>

static bool solve(MrnSolveJob *job) {
    const MrnSolverSettings *settings = job->settings;
    if (!mrn_options_check(settings->options, "relaxation,check", "nlgs-assembled", job->error)) return false;
    double relaxation = mrn_option_number(settings->options, "relaxation", 1);
    int check = (int)mrn_option_number(settings->options, "check", 10);
    if (!(relaxation > 0 && relaxation < 2)) return mrn_fail(job->error, MRN_ERROR_INPUT, "nlgs-assembled: 0 < relaxation < 2, got %g", relaxation);
    if (check < 1) return mrn_fail(job->error, MRN_ERROR_INPUT, "nlgs-assembled: check >= 1, got %d", check);
    mrn_problem_assemble(job->problem);
    MrnSweep sweep;
    mrn_sweep_init(&sweep, job->problem, job->arena);
    int done = 0;
    job->info->status = MRN_MAX_ITERATIONS;
    for (;;) {
        double residual = mrn_residual(job->problem, sweep.scale, job->impulse, (mrn_problem_velocity(job->problem, job->impulse, job->velocity), job->velocity));
        if (residual <= settings->tolerance) {
            job->info->status = MRN_SOLVED;
            break;
        }
        if (done >= settings->max_iterations) break;
        if (mrn_wall_seconds() > job->deadline) {
            job->info->status = MRN_TIME_LIMIT;
            break;
        }
        for (int k = 0; k < check && done < settings->max_iterations; k++, done++) mrn_sweep_forward(&sweep, relaxation, job->impulse);
    }
    job->info->iterations = done;
    return true;
}

const MrnSolverRow mrn_solver_nlgs_assembled = {
    .entry = {.name = "nlgs-assembled",
              .summary = "nonlinear Gauss-Seidel with exact contact solves on the assembled matrix; simple, slow on stiff packings",
              .problems = "2d 3d friction, all laws",
              .options = "relaxation=1 (0..2), check=10 (sweeps between residuals)"},
    .solve = solve};
