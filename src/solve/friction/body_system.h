// Newton's equations of a problem with bodies, solved for the velocities of the bodies.
#ifndef MRN_SOLVE_BODY_SYSTEM_H
#define MRN_SOLVE_BODY_SYSTEM_H

#include "base/memory.h"
#include "solve/friction/block_lu.h"
#include <moraine/solver.h>
#include <stdbool.h>

/// The equations of one contact that is not open: F and its derivatives with p and u, all in units of velocity.
typedef struct MrnNewtonRows {
    double F[3], A[9], B[9];
} MrnNewtonRows;

typedef struct MrnBodySystem {
    const MrnProblem *problem; ///< in the factored form
    MrnArena *arena;
    double diagonal; ///< mean of that of W
    MrnBlockLu lu;   ///< of K
    bool ordered;    ///< its rows are
    // K in 3 x 3 blocks, one or two rows of them for a body.
    size_t *start;
    int *column;
    double *value;
    int *spot; ///< 4 per contact: place of the blocks of sides (A, A), (A, B), (B, A), (B, B) in their rows, over width
    // The equations, filled by the caller before factoring.
    MrnNewtonRows *rows;
    bool *open;
    double *shift; ///< of the diagonal of W
    // Of the contacts: (A + shift B)^-1 and that times B; right side and velocities.
    double *inverse, *gain;
    double *change, *velocity;
    double *body_velocity;
} MrnBodySystem;

/// Has the problem bodies that move and turn, and are steps through them faster than through W? They are in the
/// plane, and in space where bodies share several contacts; balls do not.
bool mrn_body_system_fits(const MrnProblem *problem);
void mrn_body_system_init(MrnBodySystem *system, const MrnProblem *problem, MrnArena *arena);
void mrn_body_system_free(MrnBodySystem *system);
/// What factoring and solving cost, in products of blocks of the contacts; 0 when more than `limit`. The first time
/// finds the order of the bodies.
double mrn_body_system_cost(MrnBodySystem *system, double limit);
/// Make room for the equations.
void mrn_body_system_prepare(MrnBodySystem *system);
void mrn_body_system_factor(MrnBodySystem *system);
/// The step of all impulses: those of open contacts end at zero. False if rounding has spoiled it.
bool mrn_body_system_solve(MrnBodySystem *system, const double *impulse, double *step);
/// u = (W + shift) p + q.
void mrn_body_system_velocity(MrnBodySystem *system, double shift, const double *impulse, double *velocity);
#endif
