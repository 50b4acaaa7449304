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
    double position[3], normal[3]; ///< in space, where A is; normal from B to A
    double gap;                    ///< m
    uint8_t carrier;               ///< which bodies turn the normal, as in MrnTouch
    int16_t edge_a, edge_b;        ///< where edges cross: their angles in the tangent plane, pi / 32768
} MrnContact;

/// How much the gap changes over time h beyond h times its rate, when both bodies go on with their velocities and
/// spins: half of h^2 times its second derivative. A flat side or an edge that turns under a point that slides comes
/// towards it or leaves it, and points of turning bodies move on circles. 0 for contacts of other kinds, above all of
/// round bodies. Velocities and spins in space.
double mrn_contact_bend(const MrnContact *contact, const MrnPose *pose_a, MrnVec3 velocity_a, MrnVec3 spin_a,
                        const MrnPose *pose_b, MrnVec3 velocity_b, MrnVec3 spin_b, double h);

/// Pose of body A (side 0) or B of a contact. In a periodic plane that of B is the pose of the image that touches, made
/// in `image`.
static inline const MrnPose *mrn_contact_pose(const MrnModel *model, bool periodic, const MrnContact *contact, int side,
                                              const MrnPose *poses, MrnPose *image) {
    const MrnPose *pose = &poses[side == 0 ? contact->body_a : contact->body_b];
    if (!periodic || side == 0) return pose;
    double centre[2] = {pose->position.x, pose->position.y}, shift[2];
    mrn_model_image(model, contact->position, centre, shift);
    *image = *pose;
    image->position.x += shift[0], image->position.y += shift[1];
    return image;
}

/// Finds contacts; keeps its memory from step to step.
typedef struct MrnCollider MrnCollider;

MrnCollider *mrn_collider_new(const MrnModel *model);
void mrn_collider_free(MrnCollider *collider);
/// Before the first search, in 2D: bodies meet images of others too, where the plane of the model is periodic. Then all
/// must be known of every body, and mass centre, shapes and margin of each must lie within less than half a period.
void mrn_collider_repeat(MrnCollider *collider);
const double *mrn_collider_sizes(const MrnCollider *collider); ///< m, per body: MrnBody.size, close together

/// What must be known of a body before contacts are sought. The less, the less memory a step touches.
typedef enum MrnNeed {
    MRN_NEED_ALL,    ///< pose and margin
    MRN_NEED_NONE,   ///< it is alone: in no pair, inside its fat box
    MRN_NEED_MARGIN, ///< margin and place: most pairs of this configuration are of bodies that are apart
} MrnNeed;

/// Poses of all bodies and how close counts as contact.
typedef struct MrnConfiguration {
    const MrnPose *poses;
    const double *margins; ///< per body, m: contacts with gap < sum of the two margins are found
    const uint8_t *active;
    bool checked; ///< mrn_collider_check has seen all bodies
    /// Per body: MrnNeed as mrn_collider_need found it; what is not needed need not be there until the collider asks
    /// for it. NULL: all is there.
    const uint8_t *needs;
    const double *positions;                      ///< with `needs`: mass centres of all bodies, 2 or 3 numbers each
    void (*complete)(void *context, size_t body); ///< make pose and margin of a body that is needed after all
    void *context;
} MrnConfiguration;

/// What is needed of a free active body at this place, with this margin.
MrnNeed mrn_collider_need(const MrnCollider *collider, size_t body, MrnVec3 position, double margin);

/// Begin to check bodies, then check some: a stepper does that while it has just placed them. Each thread must check
/// ascending bodies, all of them larger than those of the threads before it.
void mrn_collider_begin(MrnCollider *collider);
void mrn_collider_check(MrnCollider *collider, const MrnConfiguration *configuration, size_t begin, size_t end,
                        int thread);

/// Contacts of this configuration, sorted by (body_a, body_b, feature). They stay valid until the next call.
const MrnContact *mrn_collider_find(MrnCollider *collider, const MrnConfiguration *configuration, MrnThreads *threads,
                                    size_t *count);

#endif
