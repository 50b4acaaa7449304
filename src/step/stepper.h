// A world, for those who record, resume and check it. The interface of steppers is in world.h.
#ifndef MRN_STEP_STEPPER_H
#define MRN_STEP_STEPPER_H

#include "model/model.h"
#include "model/state.h"
#include <moraine/world.h>

/// The state of a world, for recording and resuming. After writing into it call mrn_world_state_changed.
MrnState *mrn_world_state(MrnWorld *world);
void mrn_world_state_changed(MrnWorld *world);
const MrnModel *mrn_world_model(const MrnWorld *world);
const MrnScheme *mrn_world_scheme(const MrnWorld *world);
/// Hash of every setting that changes results.
uint64_t mrn_scheme_hash(const MrnScheme *scheme);
/// Kinetic and potential energy of the present state, J.
void mrn_world_energy(const MrnWorld *world, double *kinetic, double *potential);
/// The last one-step problem and its solution (for dumps); NULL before the first step. Belongs to the world.
MrnProblem *mrn_world_problem(MrnWorld *world, const double **impulse, const double **velocity);
/// From the next step on, keep the impulses that a solve begins with, or not (at first they are not kept).
void mrn_world_keep_guess(MrnWorld *world, bool keep);
/// The impulses that the solve of the last step began with; NULL before the first step and where they are not kept.
const double *mrn_world_guess(const MrnWorld *world);

#endif
