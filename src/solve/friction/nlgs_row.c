// The row `nlgs` of the solver table: picks the kind of packs by dimension and form of the problem.
#include "solve/friction/nlgs.h"

#include <math.h>

bool mrn_nlgs_fits(const MrnProblem *problem) {
    if (!problem->bodies) return false;
    for (size_t i = 0; problem->law && i < problem->contacts; i++)
        if (problem->law[i] != MRN_LAW_COULOMB) return false;
    return true;
}

MrnNlgsSettings mrn_nlgs_defaults(void) {
    return (MrnNlgsSettings){.tolerance = 1e-6,
                             .max_sweeps = 10000,
                             .relaxation = 1,
                             .stall_sweeps = 2000,
                             .accelerate = true,
                             .single = true,
                             .first_sweeps = 40,
                             .deadline = INFINITY};
}

struct MrnNlgs {
    const MrnNlgsKind *kind;
    void *packed;
};

static const MrnNlgsKind *kind_of(const MrnProblem *problem) {
    if (problem->jacobian) return problem->dimension == 2 ? &mrn_nlgs_2d : &mrn_nlgs_3d;
    return problem->dimension == 2 ? &mrn_nlgs_round_2d : &mrn_nlgs_round_3d;
}

MrnNlgs *mrn_nlgs_new(const MrnProblem *problem, double scale, double *velocity, MrnArena *arena, MrnThreads *threads) {
    MrnNlgs *nlgs = mrn_arena_take(arena, 1, sizeof *nlgs);
    nlgs->kind = kind_of(problem);
    nlgs->packed = nlgs->kind->create(problem, scale, velocity, arena, threads);
    return nlgs;
}

void mrn_nlgs_load(MrnNlgs *nlgs, double *impulse) {
    nlgs->kind->load(nlgs->packed, impulse);
}

void mrn_nlgs_run(MrnNlgs *nlgs, const MrnNlgsSettings *settings, MrnSolveInfo *info) {
    nlgs->kind->run(nlgs->packed, settings, info);
}

size_t mrn_nlgs_bytes(const MrnProblem *problem, bool single) {
    return single ? kind_of(problem)->single_bytes() : kind_of(problem)->bytes;
}

void mrn_nlgs_solve(MrnSolveJob *job, const MrnNlgsSettings *settings) {
    size_t numbers = (size_t)job->problem->dimension * job->problem->contacts;
    double *velocity = job->velocity ? job->velocity : mrn_arena_take(job->arena, numbers, sizeof *velocity);
    MrnNlgs *nlgs = mrn_nlgs_new(job->problem, job->scale, velocity, job->arena, job->threads);
    mrn_nlgs_load(nlgs, job->impulse);
    mrn_nlgs_run(nlgs, settings, job->info);
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
