// Semi-smooth Newton steps on the Alart-Curnier equations of an assembled problem with Coulomb contacts.
#ifndef MRN_SOLVE_NEWTON_H
#define MRN_SOLVE_NEWTON_H

#include "base/memory.h"
#include "solve/friction/block_lu.h"
#include <moraine/solver.h>

typedef struct MrnNewton {
    const MrnProblem *problem; ///< assembled, all Coulomb
    double *mean;              ///< mean diagonal of each W_ii: 1 / rho
    MrnBlockLu lu;
    // The system of the contacts that are not open, in their order.
    size_t active_count;
    int *active, *slot; ///< contact of a row; row of a contact or -1
    size_t *start;
    int *column;
    double *value;
    size_t analysed; ///< rows of the pattern that `lu` was analysed for
    int *analysed_active;
    double *right; ///< right side, then the step, by rows
    double *step, *trial, *trial_velocity, *work, *best;
    double products; ///< block products spent so far: the measure of cost
} MrnNewton;

void mrn_newton_init(MrnNewton *newton, const MrnProblem *problem, MrnArena *arena);
void mrn_newton_free(MrnNewton *newton);

/// Block products of one factorisation with all contacts; 0 when it takes more than `limit`.
double mrn_newton_cost(MrnNewton *newton, double limit);
/// Euclidean norm of the Alart-Curnier function in units of velocity.
double mrn_newton_merit(const MrnNewton *newton, const double *impulse, const double *velocity);

typedef struct MrnNewtonSettings {
    double shift;    ///< proximal term added to W, relative to the diagonal of each contact, > 0
    bool full_steps; ///< no line search
    int max_steps;   ///< > 0
    int patience;    ///< give up after this many steps without a merit below 0.7 of the best, > 0
    double target;   ///< stop when the merit is below this, m/s
    double deadline; ///< mrn_wall_seconds() at which to stop
} MrnNewtonSettings;

/// One full step from p and u = W p + q into newton->step.
void mrn_newton_step(MrnNewton *newton, double shift, const double *impulse, const double *velocity);
/// Newton steps with a line search. Returns their number; `impulse` ends at the iterate of lowest merit, `merit`
/// receives it.
int mrn_newton_run(MrnNewton *newton, const MrnNewtonSettings *settings, double *impulse, double *merit);
#endif
