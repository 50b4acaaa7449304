// Bodies that come into the world during a run, and those that leave it.
#ifndef MRN_MODEL_SOURCE_H
#define MRN_MODEL_SOURCE_H

#include "model/model.h"
#include "model/state.h"

/// Bodies whose time has come by state->time join, those of a source at the place that it finds for them; bodies that
/// are lost leave. Depends on nothing but the model and the state, so that a resumed run goes on alike.
void mrn_bodies_come_and_go(const MrnModel *model, MrnState *state);

#endif
