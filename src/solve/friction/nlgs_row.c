// The row `nlgs` of the solver table: picks the kernel by dimension.
#include "solve/friction/nlgs.h"

bool mrn_nlgs_fits(const MrnProblem *problem) {
    if (!problem->bodies) return false;
    for (size_t i = 0; problem->law && i < problem->contacts; i++)
        if (problem->law[i] != MRN_LAW_COULOMB) return false;
    return true;
}

void mrn_nlgs_solve(MrnSolveJob *job, const MrnNlgsSettings *settings) {
    if (job->problem->dimension == 2) {
        MrnNlgs *nlgs = mrn_nlgs_new_2d(job->problem, job->arena, job->threads);
        mrn_nlgs_load_2d(nlgs, job->impulse);
        mrn_nlgs_run_2d(nlgs, settings, job->info);
        mrn_nlgs_store_2d(nlgs, job->impulse);
    } else {
        MrnNlgs *nlgs = mrn_nlgs_new_3d(job->problem, job->arena, job->threads);
        mrn_nlgs_load_3d(nlgs, job->impulse);
        mrn_nlgs_run_3d(nlgs, settings, job->info);
        mrn_nlgs_store_3d(nlgs, job->impulse);
    }
}

static bool solve(MrnSolveJob *job) {
    static const char known[] = "relaxation,stall,accelerate";
    const char *options = job->settings->options;
    if (!mrn_options_check(options, known, "nlgs", job->error)) return false;
    MrnNlgsSettings settings = mrn_nlgs_defaults();
    settings.tolerance = job->settings->tolerance;
    settings.max_sweeps = job->settings->max_iterations;
    settings.relaxation = mrn_option_number(options, "relaxation", settings.relaxation);
    settings.stall_sweeps = (int)mrn_option_number(options, "stall", settings.stall_sweeps);
    settings.accelerate = mrn_option_number(options, "accelerate", 1) != 0;
    settings.deadline = job->deadline;
    if (!(settings.relaxation > 0 && settings.relaxation < 2))
        return mrn_fail(job->error, MRN_ERROR_INPUT, "solver nlgs: relaxation is %g, must be between 0 and 2",
                        settings.relaxation);
    if (!mrn_nlgs_fits(job->problem)) return mrn_solver_nlgs_assembled.solve(job);
    mrn_nlgs_solve(job, &settings);
    return true;
}

const MrnSolverRow mrn_solver_nlgs = {
    .entry = {.name = "nlgs",
              .summary = "nonlinear Gauss-Seidel with exact one-contact solutions, coloured, vectorised and threaded",
              .problems = "2d 3d friction",
              .options = "relaxation=1 (0..2), stall=2000 (sweeps without progress before giving up), accelerate=1 (0: "
                         "plain sweeps)"},
    .solve = solve,
};
