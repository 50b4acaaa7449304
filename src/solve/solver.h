// The inside of the solver table: a solver is one .c file with one row.
#ifndef MRN_SOLVE_SOLVER_H
#define MRN_SOLVE_SOLVER_H

#include "base/error.h"
#include "base/memory.h"
#include "base/threads.h"
#include <moraine/solver.h>

/// One solve: the problem, what is wanted, where results go, and scratch. Kernels never call malloc inside a loop: take
/// from the arena.
typedef struct MrnSolveJob {
    MrnProblem *problem;
    const MrnSolverSettings *settings;
    double *impulse;     ///< in: guess; out: p
    double *velocity;    ///< out: u = W p + q, never NULL here
    MrnSolveInfo *info;  ///< status, iterations and method are the solver's to fill; the caller certifies afterwards
    MrnThreads *threads; ///< may be NULL
    MrnArena *arena;     ///< scratch, reset by the caller
    double scale;        ///< mean diagonal of W
    bool fresh;          ///< out: velocity is u = W p + q of the impulse, computed afresh after its last change
    bool plain;          ///< the residual without scaling must reach the tolerance too, as far as rounding lets it
    double deadline;     ///< mrn_wall_seconds() at which to stop, INFINITY if there is no limit
    MrnError *error;
} MrnSolveJob;

typedef struct MrnSolverRow {
    MrnSolverEntry entry;
    bool (*solve)(MrnSolveJob *job); ///< false with job->error when it cannot handle the problem or an option is wrong
} MrnSolverRow;

/// Solve with an existing pool and arena (the steppers' way in). Otherwise as mrn_solve.
bool mrn_solve_job(MrnProblem *problem, const MrnSolverSettings *settings, double *impulse, double *velocity,
                   MrnSolveInfo *info, MrnThreads *threads, MrnArena *arena, MrnError *error);

/// What is held against the tolerance: the scaled residual, or the larger of both where job->plain is set. `scale` is
/// the mean diagonal of W.
double mrn_job_residual(const MrnSolveJob *job, double scale, const double *impulse, const double *velocity);

/// Value of option `name` in "a=1,b=2", or `fallback` if it is absent.
double mrn_option_number(const char *options, const char *name, double fallback);
/// Index in the comma-separated `choices` of the value of option `name`; `fallback` if it is absent, -1 if it is none
/// of them.
int mrn_option_choice(const char *options, const char *name, const char *choices, int fallback);
/// False with an error naming the first option that is not in `known` (comma-separated names).
bool mrn_options_check(const char *options, const char *known, const char *solver, MrnError *error);

/// |p - P_K(p - u^)|^2 of one Coulomb contact, p already scaled; dimension 2 or 3.
double mrn_coulomb_residual2(int dimension, double mu, const double *p, const double *u);

/// The row of a solver, or NULL.
const MrnSolverRow *mrn_solver_row(const char *name);

extern const MrnSolverRow mrn_solver_nlgs;               ///< friction/nlgs.c
extern const MrnSolverRow mrn_solver_lemke;              ///< friction/lemke_friction.c
extern const MrnSolverRow mrn_solver_nlgs_assembled;     ///< friction/nlgs_assembled.c
extern const MrnSolverRow mrn_solver_auto;               ///< friction/auto.c
extern const MrnSolverRow mrn_solver_newton;             ///< friction/newton_row.c
extern const MrnSolverRow mrn_solver_active_set;         ///< friction/newton_row.c
extern const MrnSolverRow mrn_solver_interior_point;     ///< friction/interior_point.c
extern const MrnSolverRow mrn_solver_admm;               ///< friction/admm.c
extern const MrnSolverRow mrn_solver_gradient;           ///< friction/gradient.c
extern const MrnSolverRow mrn_solver_conjugate_gradient; ///< friction/conjugate_gradient.c
extern const MrnSolverRow mrn_solver_latin;              ///< friction/latin.c
#endif
