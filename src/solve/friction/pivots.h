// Proximal steps by pivots: a path of solutions, one change of status after the other.
#ifndef MRN_SOLVE_PIVOTS_H
#define MRN_SOLVE_PIVOTS_H

#include "base/memory.h"
#include "solve/friction/block_lu.h"
#include "solve/friction/sweep.h"
#include <moraine/solver.h>
#include <stdbool.h>

/// What the equations of a contact follow from.
typedef struct MrnPivotsStatus {
    unsigned char *kind;     ///< open, slips, sticks
    unsigned char *straight; ///< slips with its tangent held: the impulse across it stays zero
    double *tangent;         ///< dimension - 1 per contact, unit: where the cone is touched
} MrnPivotsStatus;

typedef struct MrnPivots {
    const MrnProblem *problem; ///< assembled, all Coulomb
    double scale;              ///< mean diagonal of W
    // The equations that are factored. Contacts that are open and stay so have no part in the pattern.
    MrnBlockLu lu;
    bool ordered;
    unsigned char *inside; ///< contact has a part in it
    size_t *start;
    int *column;
    double *value;
    int factors; ///< made so far
    // Statuses now, and those that were factored.
    MrnPivotsStatus now, base;
    int *loose; ///< contacts that do not stick, in no order
    size_t loose_count;
    int *loose_place; ///< of such a contact in `loose`
    // In space: a sliding contact turns with the velocity. Stiffness of that, and the tangent across.
    double *bend, *across;
    // The path: u' = (W + shift) p + q - (1 - way) defect - shift anchor obeys Coulomb's law, way from 0 to 1.
    double shift, way;
    double *anchor, *defect;
    double *impulse;
    double *slack;             ///< of open contacts u'_n, of sliding ones the speed, of sticking ones 0
    double *rate, *slack_rate; ///< derivatives of the impulses and slacks with `way`
    // Solutions with the factors for the equations that have changed since: J rate = right becomes rate = base_rate +
    // columns times `weight`. A column belongs to a direction among the equations of a contact.
    double *base_rate, *columns, *weight, *matrix, *right;
    int *changed;      ///< contact of each column
    double *direction; ///< dimension numbers per column
    int *column_of;    ///< dimension per contact: columns of the normal and of tangential directions, or -1
    size_t column_count;
    double *lengths; ///< to the two borders of every contact
    double *best;    ///< impulses of the smallest defect on the way
    double products; ///< of blocks, spent so far
} MrnPivots;

typedef enum MrnPivotsEnd {
    MRN_PIVOTS_SOLVED, ///< the shifted problem is solved; in space but for the bends of the sliding directions
    MRN_PIVOTS_CLOSER, ///< it is not, but a point was found on the way that is closer to the solution
    MRN_PIVOTS_LOST,   ///< neither; the impulses are untouched
} MrnPivotsEnd;

/// The functions below, for one dimension.
typedef struct MrnPivotsKind {
    /// `sweep` knows the scale of the problem.
    void (*init)(MrnPivots *pivots, const MrnProblem *problem, const MrnSweep *sweep, MrnArena *arena);
    /// Block products of a step with so many pivots from `impulse`; 0 when more than `limit`. The first time finds the
    /// order.
    double (*cost)(MrnPivots *pivots, const double *impulse, int count, double limit);
    /// Go from `impulse` towards the solution of the problem with W + shift and q - shift anchor, at most `most`
    /// changes of status; the anchor is `impulse` with contacts that are about to slide on the edges of their cones.
    /// The number of changes goes to `count`.
    MrnPivotsEnd (*step)(MrnPivots *pivots, double shift, int most, double deadline, double *impulse, int *count);
} MrnPivotsKind;
extern const MrnPivotsKind mrn_pivots_2d, mrn_pivots_3d;

/// The kind for the dimension of a problem.
static inline const MrnPivotsKind *mrn_pivots_kind(int dimension) {
    return dimension == 2 ? &mrn_pivots_2d : &mrn_pivots_3d;
}

void mrn_pivots_free(MrnPivots *pivots);
#endif
