// Second looks for contacts, where the new velocities lead.
#ifndef MRN_STEP_SECOND_LOOK_H
#define MRN_STEP_SECOND_LOOK_H

#include "step/moreau_jean_bodies.h"

/// After a solution, with the new velocities in world->free: are there contacts that were missed? If so they are in
/// world->contacts, free velocities are as before the impulses, and the step must be solved again. Else nothing
/// changes.
bool mrn_look_again_2d(MrnPass *pass, MrnConfiguration *configuration);
bool mrn_look_again_3d(MrnPass *pass, MrnConfiguration *configuration);
#endif
