// Bodies in a Moreau-Jean step: where they are at mid-step, how fast they would be without contacts, how far they may
// come, and the contacts found there. Shared by the step and its second looks.
#ifndef MRN_STEP_MOREAU_JEAN_BODIES_H
#define MRN_STEP_MOREAU_JEAN_BODIES_H

#include "base/dim.h"
#include "force/environment.h"
#include "force/force.h"
#include "step/world.h"

#include <math.h>
#include <string.h>

/// Contacts closer than this share of the smaller body are looked at even if their bodies are slow: they may be pushed.
#define MRN_REACH_AHEAD 0.01

/// What the loops of one step share.
typedef struct MrnPass {
    MrnWorld *world;
    struct BodySums *bodies;      ///< per block
    struct ContactSums *contacts; ///< per block
    int64_t known;                ///< contacts that were there in the last step
    MrnWeather weather;           ///< of mid-step, where there is an environment
    double fall[MRN_DIM];         ///< m/s, what gravity adds to a velocity
    const double *sizes;          ///< m, per body
    bool sparing;                 ///< what the collider does not need of a body is not made
    const MrnConfiguration *configuration;
    // Of the look before, if there was one.
    const MrnContact *solved;
    size_t solved_count;
    const double *solved_impulse;
} MrnPass;

#if MRN_DIM == 2
static inline bool turns(const double *spin) {
    return spin[0] != 0;
}
static inline void turn(double *rotation, const double *spin, double time) {
    if (turns(spin)) rotation[0] += time * spin[0];
}
/// Nobody asks how a disc is turned.
static inline void set_pose(MrnPose *pose, const double *position, const double *rotation, bool round) {
    pose->position = mrn_vec3(position[0], position[1], 0);
    if (!rotation) return;
    pose->rotation.m[0][0] = round ? 1 : cos(rotation[0]);
    pose->rotation.m[1][0] = round ? 0 : sin(rotation[0]);
}
#else
static inline bool turns(const double *spin) {
    return spin[0] != 0 || spin[1] != 0 || spin[2] != 0;
}
static inline void turn(double *rotation, const double *spin, double time) {
    if (!turns(spin)) return;
    MrnQuat step = mrn_quat_exp(mrn_scale3(0.5 * time, mrn_load3(spin)));
    mrn_quat_store(rotation, mrn_quat_normalize(mrn_quat_multiply(mrn_quat_load(rotation), step)));
}
static inline void set_pose(MrnPose *pose, const double *position, const double *rotation, bool round) {
    (void)round; // spins count on body axes
    pose->position = mrn_load3(position);
    if (rotation) pose->rotation = mrn_quat_matrix(mrn_quat_load(rotation));
}
#endif

/// Move an obstacle to time t: state, and velocity on its own axes.
static inline void place_driven(const MrnModel *model, size_t b, double t, double *position, double *rotation,
                                double *velocity, double *spin) {
    double x[3], turned[4], v[3], w[3];
    mrn_driver_state(model, (int)b, t, x, turned, v, w);
    memcpy(position, x, MRN_DIM * sizeof(double));
    memcpy(rotation, turned, MRN_ROTATION * sizeof(double));
    memcpy(velocity, v, MRN_DIM * sizeof(double));
#if MRN_DIM == 2
    spin[0] = w[2];
#else
    mrn_store3(spin, mrn_quat_rotate(mrn_quat_conjugate(mrn_quat_load(turned)), mrn_load3(w)));
#endif
}

static inline double squared(const double *x, int count) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += x[k] * x[k];
    return sum;
}

static inline bool is_free_kind(uint8_t kind) {
    return (kind & ~MRN_LOADED) == MRN_BODY_FREE;
}

/// Spin of a body on which no couple acts.
static inline void add_gyroscopic(const MrnWorld *world, size_t b, const double *spin, double *free) {
    double moment[MRN_SPIN], couple[3];
    for (size_t k = 0; k < MRN_SPIN; k++)
        moment[k] = world->inertia[b * world->scales + (k + 1 < world->scales ? k + 1 : world->scales - 1)];
    MrnVec3 w = mrn_vec3(spin[0], spin[MRN_SPIN / 2], spin[MRN_SPIN - 1]),
            momentum = mrn_vec3(moment[0] * w.x, moment[MRN_SPIN / 2] * w.y, moment[MRN_SPIN - 1] * w.z);
    mrn_store3(couple, mrn_sub3(mrn_vec3(0, 0, 0), mrn_cross3(w, momentum)));
    for (size_t k = 0; k < MRN_SPIN; k++) free[k] = spin[k] + world->scheme.time_step * couple[k] * (1 / moment[k]);
}

/// Velocity of a body at the end of the step if there were no contact, from its position at mid-step and its velocity
/// at the start.
static inline void free_velocity(const MrnPass *pass, size_t b, const double *velocity, const double *spin,
                                 double *free) {
    const MrnWorld *world = pass->world;
    const MrnModel *model = world->model;
    if (world->kinds[b] == MRN_BODY_FREE) { // gravity and the gyroscopic couple, as mrn_free_velocity has them
        for (int k = 0; k < MRN_DIM; k++) free[k] = velocity[k] + pass->fall[k];
        for (int k = 0; k < MRN_SPIN; k++) free[MRN_DIM + k] = spin[k] + 0.0;
        if (MRN_DIM == 3 && turns(spin)) add_gyroscopic(world, b, spin, free + MRN_DIM);
    } else if (is_free_kind(world->kinds[b]))
        mrn_free_velocity(model, &model->bodies.data[b], &world->poses[b], world->scheme.time_step, velocity, spin,
                          free, free + MRN_DIM);
    else {
        memcpy(free, velocity, MRN_DIM * sizeof(double));
        memcpy(free + MRN_DIM, spin, MRN_SPIN * sizeof(double));
        return;
    }
    if (model->pushes.count)
        mrn_add_pushes(model, b, &world->poses[b], world->state->time[0], world->scheme.time_step, free,
                       free + MRN_DIM);
    if (MRN_DIM == 2 && model->environment)
        mrn_environment_free_velocity(model, world->state, b, &pass->weather, world->scheme.time_step,
                                      world->scheme.theta, free, free + MRN_DIM);
}

/// How far a body may come in this step, and how close others are looked at.
static inline double margin_of(const MrnPass *pass, size_t b, const double *free) {
    const MrnWorld *world = pass->world;
    // Never zero: contacts that touch exactly must be found.
    double margin = 0.5 * world->gap_tolerance + 1e-7 * world->smallest;
    if (world->scheme.activation != MRN_ACTIVATION_GAP) return margin;
    bool mobile = is_free_kind(world->kinds[b]);
    double reach = pass->sizes[b]; // of a ball
    if (!mobile || !world->round) reach = world->model->bodies.data[b].reach;
    double swing = (isfinite(reach) ? reach : 0) * sqrt(squared(free + MRN_DIM, MRN_SPIN));
    double ahead = mobile ? 0.5 * MRN_REACH_AHEAD * pass->sizes[b] : 0;
    return margin + (world->scheme.time_step * (sqrt(squared(free, MRN_DIM)) + swing) + ahead);
}

/// Pose, free velocity and margin of a body whose place of mid-step is in the state.
static inline void set_body(const MrnPass *pass, size_t b, double margin) {
    MrnWorld *world = pass->world;
    const MrnState *state = world->state;
    const double *spin = state->spin + b * MRN_SPIN;
    bool free = is_free_kind(world->kinds[b]), round = world->round && free && !world->model->environment;
    // A body that does not turn now did not turn in the second half of the last step either.
    bool turned = !free || (MRN_DIM == 2 && round) || !world->posed[b] || turns(spin);
    set_pose(&world->poses[b], state->position + b * MRN_DIM, turned ? state->rotation + b * MRN_ROTATION : NULL,
             round);
    world->posed[b] = 1;
    free_velocity(pass, b, state->velocity + b * MRN_DIM, spin, world->free + b * MRN_DOF);
    world->margins[b] = margin > 0 ? margin : margin_of(pass, b, world->free + b * MRN_DOF);
}

/// A free body from the start of a step to its middle.
static inline void move_to_middle(MrnWorld *world, size_t b) {
    MrnState *state = world->state;
    double *position = state->position + b * MRN_DIM, before = (1 - world->scheme.theta) * world->scheme.time_step;
    const double *velocity = state->velocity + b * MRN_DIM;
    for (int k = 0; k < MRN_DIM; k++) position[k] += before * velocity[k];
    turn(state->rotation + b * MRN_ROTATION, state->spin + b * MRN_SPIN, before);
}

static inline void complete(void *context, size_t b) {
    MrnPass *pass = context;
    if (pass->world->needs[b] == MRN_NEED_NONE) move_to_middle(pass->world, b);
    pass->world->needs[b] = MRN_NEED_ALL;
    set_body(pass, b, 0);
}

static inline bool is_free(const MrnWorld *world, size_t b) {
    return is_free_kind(world->kinds[b]) && world->state->active[b];
}

/// Pose of body A (side 0) or B of a contact, of B where it touches.
static inline const MrnPose *pose_of(const MrnWorld *world, const MrnContact *contact, int side, MrnPose *image) {
    return mrn_contact_pose(world->model, MRN_DIM == 2 && world->model->periodic, contact, side, world->poses, image);
}

/// Moreau's activation: keep the contacts that touch at mid-step, in order.
static inline size_t touching_only(const MrnWorld *world, const MrnContact *found, size_t count, MrnContact *kept) {
    size_t n = 0;
    for (size_t c = 0; c < count; c++)
        if (found[c].gap <= world->gap_tolerance) kept[n++] = found[c];
    return n;
}

/// The contacts of the configuration, in world->contacts.
static inline void find_contacts(MrnPass *pass, MrnConfiguration *configuration) {
    MrnWorld *world = pass->world;
    world->contacts = mrn_collider_find(world->collider, configuration, world->threads, &world->contact_count);
    if (world->scheme.activation != MRN_ACTIVATION_MOREAU) return;
    MrnContact *kept = mrn_arena_take(&world->arena, world->contact_count, sizeof *kept);
    world->contact_count = touching_only(world, world->contacts, world->contact_count, kept);
    world->contacts = kept;
}

#endif
