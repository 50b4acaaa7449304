// Semi-smooth Newton steps on the Alart-Curnier equations of an assembled problem with Coulomb contacts.
#ifndef MRN_SOLVE_NEWTON_H
#define MRN_SOLVE_NEWTON_H

#include "base/memory.h"
#include "solve/friction/block_lu.h"
#include "solve/friction/body_system.h"
#include <moraine/solver.h>
#include <stdbool.h>

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
    int *order;            ///< of all contacts, those that were open last; rows are eliminated in it
    int *active_order;     ///< the same for the rows
    double order_products; ///< block products of a factorisation when `order` was found, 0 before
    size_t analysed;       ///< rows of the pattern that `lu` was analysed for
    int *analysed_active;
    double *right; ///< right side, then the step, by rows
    double *step, *velocity;
    double products; ///< block products spent so far, and
    double passes;   ///< passes over W: the measure of cost
    // Steps are found through the bodies where there are any, as long as rounding allows.
    bool through_bodies;
    MrnBodySystem bodies;
    double included; ///< shift of the diagonal that problem->delassus has beyond W of the bodies
} MrnNewton;

void mrn_newton_init(MrnNewton *newton, const MrnProblem *problem, MrnArena *arena);
void mrn_newton_free(MrnNewton *newton);

/// Block products of one factorisation with all contacts; 0 when it takes more than `limit`.
double mrn_newton_cost(MrnNewton *newton, double limit);
/// The same for a step, through the bodies where there are any, and the passes over W that it takes beside.
double mrn_newton_step_cost(MrnNewton *newton, double limit);
double mrn_newton_step_passes(const MrnNewton *newton);
/// Euclidean norm of the Alart-Curnier function in units of velocity.
double mrn_newton_merit(const MrnNewton *newton, const double *impulse, const double *velocity);

/// `mean` is that of the contact: 1 / rho.
void mrn_newton_rows(int dimension, double mu, double mean, bool sticks, const double *p, const double *u,
                     MrnNewtonRows *rows);
/// Write A + B (W + shift) of the contact of this row behind the `blocks` that are there, for the contacts that have
/// rows. Returns how many there are then.
size_t mrn_newton_blocks(MrnNewton *newton, size_t row, size_t blocks, const MrnBlockMatrix *W, double shift,
                         const MrnNewtonRows *rows);
/// Factor the system that stands in the rows, which are some.
void mrn_newton_factor(MrnNewton *newton);
/// One full step from p and u = W p + q into newton->step.
void mrn_newton_step(MrnNewton *newton, double shift, const double *impulse, const double *velocity);
/// Full steps from `impulse` until the merit is below `target` (m/s). Returns their number, negative when they lead
/// nowhere: `most` were taken (through the bodies more, while the merit falls quickly), the merit runs away or comes
/// back after two steps, or mrn_wall_seconds() passes `deadline`. `impulse` ends where the last step led.
int mrn_newton_run(MrnNewton *newton, double shift, double target, int most, double deadline, double *impulse);
#endif
