// Nonlinear Gauss-Seidel over coloured packs of contacts: the data and the kernels, for each dimension.
#ifndef MRN_SOLVE_NLGS_H
#define MRN_SOLVE_NLGS_H

#include "solve/solver.h"

/// Settings of the nonlinear Gauss-Seidel sweep. Start from mrn_nlgs_defaults().
typedef struct MrnNlgsSettings {
    double tolerance;  ///< stop below this scaled residual, > 0, default 1e-6
    int max_sweeps;    ///< give up after this many sweeps, > 0, default 10000
    double relaxation; ///< 0 < w < 2, default 1
    int stall_sweeps;  ///< report MRN_STALLED after this many sweeps without progress, default 2000
    bool accelerate;   ///< momentum between sweeps (Nesterov, restarted), default true
    bool single;       ///< long solves go on in single precision between looks in double, default true
    int first_sweeps;  ///< in double precision before that, >= 0, default 40: most solves with a good guess end here
    double deadline;   ///< mrn_wall_seconds() at which to stop, default INFINITY
} MrnNlgsSettings;

MrnNlgsSettings mrn_nlgs_defaults(void);

/// The packed problem. Velocities here are the scaled changes v~ = H~^T p that impulses make.
typedef struct MrnNlgs MrnNlgs;

/// Pack the factored form of a problem whose contacts all obey Coulomb's law. Everything comes from the arena.
MrnNlgs *mrn_nlgs_new_2d(const MrnProblem *problem, MrnArena *arena, MrnThreads *threads);
MrnNlgs *mrn_nlgs_new_3d(const MrnProblem *problem, MrnArena *arena, MrnThreads *threads);
void mrn_nlgs_load_2d(MrnNlgs *nlgs, const double *impulse); ///< set p and v~ = H~^T p
void mrn_nlgs_load_3d(MrnNlgs *nlgs, const double *impulse);
void mrn_nlgs_store_2d(const MrnNlgs *nlgs, double *impulse); ///< copy p out
void mrn_nlgs_store_3d(const MrnNlgs *nlgs, double *impulse);
/// Run sweeps until the tolerance, the limits or a stall.
void mrn_nlgs_run_2d(MrnNlgs *nlgs, const MrnNlgsSettings *settings, MrnSolveInfo *info);
void mrn_nlgs_run_3d(MrnNlgs *nlgs, const MrnNlgsSettings *settings, MrnSolveInfo *info);
/// Bytes of packed data that a sweep reads per contact.
size_t mrn_nlgs_bytes_2d(void);
size_t mrn_nlgs_bytes_3d(void);
/// The kernels want bodies, and Coulomb's law at every contact.
bool mrn_nlgs_fits(const MrnProblem *problem);
/// Pack, load the guess, sweep, and leave the result in job->impulse.
void mrn_nlgs_solve(MrnSolveJob *job, const MrnNlgsSettings *settings);
#endif
