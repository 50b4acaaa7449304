// Nonlinear Gauss-Seidel over coloured packs of contacts.
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
    double shift;      ///< W + shift I and q - shift p of the guess stand for W and q: a proximal step; default 0
} MrnNlgsSettings;

MrnNlgsSettings mrn_nlgs_defaults(void);

/// A problem made ready for sweeps. Packs in double and in single precision take turns in the same memory.
typedef struct MrnNlgs MrnNlgs;

/// The kernels want bodies, and Coulomb's law at every contact.
bool mrn_nlgs_fits(const MrnProblem *problem);
/// Colour the factored form of a problem that fits. Memory comes from the arena, of which nobody else may take between
/// this and the last run; `scale` is the mean diagonal of W, `velocity` a work array of the size of p.
MrnNlgs *mrn_nlgs_new(const MrnProblem *problem, double scale, double *velocity, MrnArena *arena, MrnThreads *threads);
/// Where the guess is; runs go on from there and leave their result there.
void mrn_nlgs_load(MrnNlgs *nlgs, double *impulse);
/// Run sweeps until the tolerance, the limits or a stall.
void mrn_nlgs_run(MrnNlgs *nlgs, const MrnNlgsSettings *settings, MrnSolveInfo *info);
/// Bytes of packed data that a sweep reads per contact, in double or in single precision.
size_t mrn_nlgs_bytes(const MrnProblem *problem, bool single);
/// Colour, load the guess, sweep, and leave the result in job->impulse.
void mrn_nlgs_solve(MrnSolveJob *job, const MrnNlgsSettings *settings);

/// One kind of packs: the functions above, on what `create` gives.
typedef struct MrnNlgsKind {
    void *(*create)(const MrnProblem *problem, double scale, double *velocity, MrnArena *arena, MrnThreads *threads);
    void (*load)(void *packed, double *impulse);
    void (*run)(void *packed, const MrnNlgsSettings *settings, MrnSolveInfo *info);
    size_t bytes;                 ///< of a contact in double precision,
    size_t (*single_bytes)(void); ///< and in single
} MrnNlgsKind;
extern const MrnNlgsKind mrn_nlgs_2d, mrn_nlgs_3d;             ///< nlgs_general.h: contacts of any bodies
extern const MrnNlgsKind mrn_nlgs_round_2d, mrn_nlgs_round_3d; ///< nlgs_round.h: contacts of balls
#endif
