// Impulses of contacts, kept from step to step.
#ifndef MRN_STEP_CONTACT_MEMORY_H
#define MRN_STEP_CONTACT_MEMORY_H

#include "step/world.h"

/// Contacts and memory are sorted by their bodies and feature.
static inline int mrn_compare_contacts(int32_t a1, int32_t b1, uint64_t f1, int32_t a2, int32_t b2, uint64_t f2) {
    if (a1 != a2) return a1 < a2 ? -1 : 1;
    if (b1 != b2) return b1 < b2 ? -1 : 1;
    return f1 < f2 ? -1 : f1 > f2;
}

/// First guess of the impulses in world->impulse, which are zero, from the memory of the last step, carried to the new
/// frames (specification 9.2). Returns how many contacts were there in the last step.
int64_t mrn_recall_impulses_2d(MrnWorld *world);
int64_t mrn_recall_impulses_3d(MrnWorld *world);
/// Store the impulses for the next step; a lost contact may keep its place for one step (scheme.keep_memory).
void mrn_remember_impulses_2d(MrnWorld *world);
void mrn_remember_impulses_3d(MrnWorld *world);
#endif
