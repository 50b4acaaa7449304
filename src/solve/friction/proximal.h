// Proximal point iterations with exact inner solutions: a walk along the soft modes of a packing.
#ifndef MRN_SOLVE_PROXIMAL_H
#define MRN_SOLVE_PROXIMAL_H

#include "base/memory.h"
#include "solve/friction/newton.h"
#include "solve/friction/pivots.h"
#include "solve/friction/sweep.h"

typedef struct MrnProximal {
    const MrnProblem *problem; ///< assembled, all Coulomb
    MrnProblem shifted;        ///< the same with W + s w I and q - s w p_k, w the mean diagonal of W
    MrnBlockMatrix matrix;     ///< W + s w I
    MrnNewton newton;          ///< on the shifted problem
    bool by_pivots;            ///< in the plane, and in space where Newton's steps are dear:
    MrnPivots pivots;          ///< on the problem
    MrnSweep sweep;            ///< on the shifted problem
    double *trial, *previous;
    MrnArena *arena;
    double shift;  ///< s of the next step
    double failed; ///< shifts below this one failed lately; forgotten little by little
} MrnProximal;

void mrn_proximal_init(MrnProximal *proximal, const MrnProblem *problem, MrnArena *arena);
void mrn_proximal_free(MrnProximal *proximal);

/// What a small step from `impulse` costs, in block products and in passes over W; false when it takes more products
/// than `limit`.
bool mrn_proximal_cost(MrnProximal *proximal, const double *impulse, double limit, double *products, double *passes);
/// What all steps have cost so far.
void mrn_proximal_spent(const MrnProximal *proximal, double *products, double *passes);

/// Begin a walk with a shift of some times `stiffness`, a residual in m/s over the norm of the impulses.
void mrn_proximal_begin(MrnProximal *proximal, double stiffness);
/// One step: the solution of the shifted problem around `impulse`, to a merit of `target` (m/s), replaces it, or in the
/// plane a point on the way to it. The shift follows success. Returns the number of Newton steps or pivots, negative or
/// zero and with `impulse` untouched when nothing was found.
int mrn_proximal_step(MrnProximal *proximal, double target, double deadline, double *impulse);
/// The same with this shift and by sweeps with momentum, at most `most`: a few dozen do for shifts of a hundredth of
/// the diagonal. Returns their number, negative when they were not enough.
int mrn_proximal_sweep(MrnProximal *proximal, double shift, double target, int most, double deadline, double *impulse);
#endif
