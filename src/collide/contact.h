// Contacts: the touching places of all bodies in one configuration.
#ifndef MRN_COLLIDE_CONTACT_H
#define MRN_COLLIDE_CONTACT_H

#include "collide/broad.h"
#include "geom/narrow.h"
#include "model/model.h"

typedef struct MrnContact {
    int32_t body_a, body_b; ///< body_a < body_b
    int32_t material_a, material_b;
    uint64_t feature;              ///< the same touching place has the same number at every step
    double position[3], normal[3]; ///< in space; normal from B to A
    double gap;                    ///< m
} MrnContact;

/// Finds contacts; keeps its memory from step to step.
typedef struct MrnCollider MrnCollider;

MrnCollider *mrn_collider_new(const MrnModel *model);
void mrn_collider_free(MrnCollider *collider);

/// Poses of all bodies and how close counts as contact.
typedef struct MrnConfiguration {
    const MrnPose *poses;
    const double *margins; ///< per body, m: contacts with gap < sum of the two margins are found
    const uint8_t *active;
} MrnConfiguration;

/// Contacts of this configuration, sorted by (body_a, body_b, feature). They stay valid until the next call.
const MrnContact *mrn_collider_find(MrnCollider *collider, const MrnConfiguration *configuration, MrnThreads *threads,
                                    size_t *count);

#endif
