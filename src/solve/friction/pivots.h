// Proximal steps of problems in the plane by pivots: a path of solutions, one change of status after the other.
#ifndef MRN_SOLVE_PIVOTS_H
#define MRN_SOLVE_PIVOTS_H

#include "base/memory.h"
#include "solve/friction/block_lu.h"
#include "solve/friction/sweep.h"
#include <moraine/solver.h>
#include <stdbool.h>

typedef struct MrnPivots {
    const MrnProblem *problem; ///< assembled, in the plane, all Coulomb
    double scale;              ///< mean diagonal of W
    MrnBlockLu lu;             ///< of the equations that `base_*` stand for
    bool ordered;
    double *value;          ///< their blocks
    const size_t *diagonal; ///< block of W on the diagonal
    // Statuses now, and those that were factored.
    unsigned char *status, *base_status;
    double *side, *base_side; ///< +1 or -1: where the cone is touched
    int *loose;               ///< contacts that do not stick, in no order
    size_t loose_count;
    int *loose_place; ///< of such a contact in `loose`
    // The path: u' = (W + shift) p + q - (1 - way) defect - shift anchor obeys Coulomb's law, way from 0 to 1.
    double shift, way;
    double *anchor, *defect;
    double *impulse;
    double *slack;             ///< of open contacts u'_n, of sliding ones the speed, of sticking ones 0
    double *rate, *slack_rate; ///< derivatives of the impulses and slacks with `way`
    // Solutions with the factors for the equations that have changed since: J rate = right becomes rate = base_rate +
    // columns times `weight`.
    double *base_rate, *columns, *weight, *matrix, *right;
    int *changed;   ///< equation of each column
    int *column_of; ///< column of an equation, or -1
    size_t column_count;
    double *lengths; ///< to the two borders of every contact
    double *best;    ///< impulses of the smallest defect on the way
    double products; ///< of blocks, spent so far
} MrnPivots;

/// `sweep` knows the scale of the problem and where its diagonal is; it lives as long.
void mrn_pivots_init(MrnPivots *pivots, const MrnProblem *problem, const MrnSweep *sweep, MrnArena *arena);
void mrn_pivots_free(MrnPivots *pivots);
/// Block products of a step with so many pivots; 0 when more than `limit`. The first time finds the order.
double mrn_pivots_cost(MrnPivots *pivots, int count, double limit);

typedef enum MrnPivotsEnd {
    MRN_PIVOTS_SOLVED, ///< the shifted problem is solved
    MRN_PIVOTS_CLOSER, ///< it is not, but a point was found on the way that is closer to the solution
    MRN_PIVOTS_LOST,   ///< neither; the impulses are untouched
} MrnPivotsEnd;

/// Go from `impulse` towards the solution of the problem with W + shift and q - shift anchor, at most `most` changes of
/// status; the anchor is `impulse` with contacts that are about to slide on the edges of their cones. The number of
/// changes goes to `count`.
MrnPivotsEnd mrn_pivots_step(MrnPivots *pivots, double shift, int most, double deadline, double *impulse, int *count);
#endif
