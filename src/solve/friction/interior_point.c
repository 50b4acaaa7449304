// Interior point with a fixed point on the sliding speeds (Acary, Armand, Nguyen, Shpakovych 2022): the convex problem
// with the sliding speeds held is solved, the speeds are read off, and again. Robust where friction mostly sticks; slow
// where much slides.
#include "solve/friction/center.h"
#include "solve/friction/common.h"
#include "solve/friction/sweep.h"

#include <string.h>

static bool solve(MrnSolveJob *job) {
    const MrnSolverSettings *settings = job->settings;
    if (!mrn_options_check(settings->options, "accuracy", "interior-point", job->error) ||
        !mrn_coulomb_only(job->problem, "interior-point", job->error))
        return false;
    double accuracy = mrn_option_number(settings->options, "accuracy", 1e-12);
    if (!(accuracy > 0 && accuracy < 1))
        return mrn_fail(job->error, MRN_ERROR_INPUT, "interior-point: 0 < accuracy < 1, got %g", accuracy);
    MrnIteration iteration;
    mrn_iteration_begin(&iteration, job, 40);
    size_t numbers = (size_t)job->problem->dimension * job->problem->contacts;
    double *point = mrn_arena_take(job->arena, numbers, sizeof(double));
    memcpy(point, job->impulse, numbers * sizeof(double));
    MrnSweep sweep;
    mrn_sweep_init(&sweep, job->problem, job->arena);
    MrnCenter center;
    mrn_center_init(&center, job->problem, job->arena);
    mrn_sweep_forward(&sweep, 1, point);
    while (mrn_iteration_next(&iteration, point)) {
        if (mrn_center_run(&center, job->velocity, accuracy, 60, job->deadline, point) < 0) {
            job->info->status = MRN_STALLED;
            break;
        }
        mrn_project_cones(job->problem, point);
        mrn_sweep_forward(&sweep, 1, point); // contacts on the boundary of their cones land there exactly
    }
    mrn_iteration_end(&iteration);
    mrn_center_free(&center);
    return true;
}

const MrnSolverRow mrn_solver_interior_point = {
    .entry = {.name = "interior-point",
              .summary = "interior point on the convex problem, fixed point on the sliding speeds; finds the middle of "
                         "hyperstatic solutions",
              .problems = "2d 3d friction",
              .options = "accuracy=1e-12 (0..1, complementarity of each convex problem)"},
    .solve = solve};
