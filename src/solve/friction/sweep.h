// Gauss-Seidel sweeps over the contacts of an assembled problem: the step that several solvers share.
#ifndef MRN_SOLVE_SWEEP_H
#define MRN_SOLVE_SWEEP_H

#include "base/memory.h"
#include <moraine/solver.h>

typedef struct MrnSweep {
    const MrnProblem *problem; ///< assembled
    size_t *diagonal;          ///< index of the diagonal block of each row
    double scale;              ///< mean diagonal of W
    double *local;             ///< what the contacts keep from sweep to sweep, NULL if they do not
    double *room;              ///< for their impulses during a sweep
} MrnSweep;

/// Needs problem->delassus.
void mrn_sweep_init(MrnSweep *sweep, const MrnProblem *problem, MrnArena *arena);
/// Measured sweeps of a problem in which all contacts obey Coulomb's law take half the time after this. To be called
/// again when diagonal blocks have changed.
void mrn_sweep_prepare(MrnSweep *sweep, MrnArena *arena);
/// One pass in ascending order; p_i becomes p_i + relaxation (solution - p_i), put back on its cone.
void mrn_sweep_forward(const MrnSweep *sweep, double relaxation, double *impulse);
/// The same without relaxation, measured: returns the square of the change, and in *along its product with the new
/// impulses less `previous`.
double mrn_sweep_measured(const MrnSweep *sweep, const double *previous, double *impulse, double *along);

/// Nesterov's momentum between sweeps, restarted when a sweep turns against the motion or its change grows (O'Donoghue
/// and Candes 2015). Contacts of deformable bodies can make it grow again and again, where sweeps without momentum
/// would converge: after growth with little gain those are tried, and kept as long as they are quick.
typedef struct MrnMomentum {
    double theta, least_change; ///< least change of a sweep since the last restart
    double past_least;          ///< the same at the last growth
    double plain_change;        ///< change where the present stretch of sweeps without momentum began
    int plain_sweeps;           ///< sweeps in that stretch, 0 when there is momentum
    int losses, patience;       ///< growths with little gain, and how many of them are borne
} MrnMomentum;

void mrn_momentum_restart(MrnMomentum *momentum);
/// Start the next sweep ahead of the last one, which changed `point` by `change` and went `along` the motion:
/// `previous` becomes the point after the sweep, `point` where the next one begins.
void mrn_momentum_extrapolate(MrnMomentum *momentum, const MrnProblem *problem, double change, double along,
                              double *previous, double *point);
#endif
