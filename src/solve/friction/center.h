// An interior-point method for contact with associated friction: Coulomb's law whose sliding speeds are held.
#ifndef MRN_SOLVE_CENTER_H
#define MRN_SOLVE_CENTER_H

#include "base/memory.h"
#include "solve/friction/block_lu.h"
#include <moraine/solver.h>

typedef struct MrnCenter {
    const MrnProblem *problem; ///< assembled, all Coulomb
    MrnBlockLu lu;
    double matrix_scale,
        speed_scale;        ///< mean diagonal of the scaled W; |q| over the square root of the number of contacts
    double *normal_scale;   ///< friction coefficient of each contact, raised to a small minimum
    double *matrix, *value; ///< scaled W, symmetric; the same with the scaling blocks added
    size_t *diagonal;       ///< place of the diagonal block in each row
    double *x, *y, *dx, *dy, *residual, *scaling, *inverse, *lambda, *target, *right, *last, *speed;
} MrnCenter;

void mrn_center_init(MrnCenter *center, const MrnProblem *problem, MrnArena *arena);
void mrn_center_free(MrnCenter *center);

/// Find p in the cones with u + mu s n in the dual cones and both orthogonal, u = W p + q, s being the sliding speeds
/// of `velocity`. Where there are many solutions the one in the middle is found, so that contacts are clearly open,
/// sticking or sliding. Returns the number of iterations, or -1 when the numbers overflow; `impulse` gives the guess
/// (its size only) and receives p.
int mrn_center_run(MrnCenter *center, const double *velocity, double accuracy, int max_iterations, double deadline,
                   double *impulse);
#endif
