// Gauss-Seidel sweeps over the contacts of an assembled problem: the step that several solvers share.
#ifndef MRN_SOLVE_SWEEP_H
#define MRN_SOLVE_SWEEP_H

#include "base/memory.h"
#include <moraine/solver.h>

typedef struct MrnSweep {
    const MrnProblem *problem; ///< assembled
    size_t *diagonal;          ///< index of the diagonal block of each row
    double scale;              ///< mean diagonal of W
} MrnSweep;

/// Needs problem->delassus.
void mrn_sweep_init(MrnSweep *sweep, const MrnProblem *problem, MrnArena *arena);
/// One pass in ascending order; p_i becomes p_i + relaxation (solution - p_i), put back on its cone.
void mrn_sweep_forward(const MrnSweep *sweep, double relaxation, double *impulse);
/// The same without relaxation, measured: returns the square of the change, and in *along its product with the new
/// impulses less `previous`.
double mrn_sweep_measured(const MrnSweep *sweep, const double *previous, double *impulse, double *along);
#endif
