// Paths of solutions from a problem that is easy to the one that is asked for, through turns.
#ifndef MRN_SOLVE_PATH_H
#define MRN_SOLVE_PATH_H

#include "base/memory.h"
#include "solve/friction/newton.h"
#include "solve/solver.h"

/// Impulses, shift and what follows from them.
typedef struct MrnPathPoint {
    double shift;     ///< s
    double *impulse;  ///< p
    double *velocity; ///< u = W p + q + s w (p - anchor)
    double *reach;    ///< x = p / rho - u, which decides on the statuses
} MrnPathPoint;

/// What lies between two statuses.
typedef enum MrnBorder {
    MRN_BORDER_NONE,
    MRN_BORDER_GAP, ///< between open and sliding
    MRN_BORDER_CONE ///< between sliding and sticking
} MrnBorder;

/// A border that a point lies on.
typedef struct MrnPathEvent {
    size_t contact; ///< the number of contacts: there is none
    MrnBorder border;
} MrnPathEvent;

typedef struct MrnPath {
    const MrnSolveJob *job; ///< its problem is assembled, all Coulomb
    MrnNewton *newton;      ///< lends its rows and factors
    double scale;           ///< w, the mean diagonal of W
    double *anchor;         ///< impulses that the shift draws to
    MrnPathPoint here, next;
    uint8_t *status, *next_status;
    MrnPathEvent left;  ///< border that was crossed here
    int sense;          ///< of s: 1 rising, -1 falling
    int turns;          ///< changes of that
    double *rate;       ///< of p with s
    double *reach_rate; ///< of x
    double *right, *correction;
    // Factors of an earlier point, and what has changed since.
    double factored_shift;
    bool fresh;      ///< nothing has
    size_t changed;  ///< equations of contacts that took other statuses
    int *equation;   ///< which: dimension times the row of the contact, and the component
    double *columns; ///< for each, the solution on the old factors with 1 on its right side and 0 elsewhere
    double *small;   ///< factors of these equations times the columns
    int *small_pivot;
    double *small_scratch;
    double factor_work; ///< of one factorisation, in any unit; set by the caller
    double pass_work;   ///< of one solution with the factors and one pass over W; likewise
    double work;        ///< done so far
} MrnPath;

/// `newton` is one of the same problem, or of the same with other diagonal blocks.
void mrn_path_init(MrnPath *path, const MrnSolveJob *job, double scale, MrnNewton *newton, MrnArena *arena);
/// Follow the path that is anchored at `impulse` until the residual is at most `target`, and put the end there. Returns
/// the number of steps; negative, with `impulse` untouched, when more than `most` work was done, mrn_wall_seconds() has
/// passed the deadline of the job or the path could not be followed.
int mrn_path_run(MrnPath *path, double target, double most, double *impulse);
#endif
