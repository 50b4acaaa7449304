// Paths of exact solutions in the plane, from status to status.
#ifndef MRN_SOLVE_PATH_H
#define MRN_SOLVE_PATH_H

#include "base/memory.h"
#include "solve/friction/newton.h"

typedef struct MrnPath {
    const MrnProblem *problem; ///< in the plane, assembled, all Coulomb
    MrnNewton *newton;         ///< lends its rows and factors
    double mean;               ///< mean diagonal of W
    uint8_t *status;           ///< per contact
    double *impulse, *velocity;
    double *impulse_rate, *velocity_rate; ///< along the path
    double *excess;                       ///< what q lacks for the start to be a solution
} MrnPath;

/// `newton` is one of the same problem, or of the same with other diagonal blocks.
void mrn_path_init(MrnPath *path, const MrnProblem *problem, MrnNewton *newton, MrnArena *arena);
/// Go from `impulse`, on its cones, to a solution through at most `most` changes of status. Returns their number,
/// negative and with `impulse` untouched when none was found by then or mrn_wall_seconds() passed `deadline`.
int mrn_path_run(MrnPath *path, int most, double deadline, double *impulse);
#endif
