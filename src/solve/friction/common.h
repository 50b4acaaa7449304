// What the friction solvers share: the cone, the best iterate so far, and when to stop.
#ifndef MRN_SOLVE_COMMON_H
#define MRN_SOLVE_COMMON_H

#include "solve/solver.h"

/// Projection of every Coulomb contact's impulse on its cone, in place.
void mrn_project_cones(const MrnProblem *problem, double *impulse);
/// Projection of one tangential vector on the disc of this radius, in place.
void mrn_project_disc(int dimension, double radius, double *tangent);

/// True when all contacts obey Coulomb's law; otherwise fills the error and returns false.
bool mrn_coulomb_only(const MrnProblem *problem, const char *solver, MrnError *error);

/// The iteration of a solver: keeps the best iterate and decides when to stop.
typedef struct MrnIteration {
    MrnSolveJob *job;
    double scale;  ///< mean diagonal of W
    double q_norm; ///< |q|, or 1
    double residual, best_residual;
    double *best; ///< iterate of lowest residual
    int count;    ///< iterations so far
    int progress; ///< iteration at which the residual last fell by a tenth
    double progress_residual;
    int patience; ///< iterations without progress that mean a stall
} MrnIteration;

/// Assembles the problem and measures the guess.
void mrn_iteration_begin(MrnIteration *iteration, MrnSolveJob *job, int patience);
/// u = W p + q into job->velocity, residual of p, then: true to go on, false when solved, out of time or iterations, or
/// stalled.
bool mrn_iteration_next(MrnIteration *iteration, const double *impulse);
/// The best iterate goes to job->impulse; status and iterations to job->info.
void mrn_iteration_end(MrnIteration *iteration);
#endif
