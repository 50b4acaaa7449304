// Moreau-Jean time stepping (Moreau 2003, 7.1-7.2; theta = 1/2 is Moreau's mid-point scheme).
//
//   q_m = q_i + (1-theta) h u_i;  contacts, frames and mass at q_m;  u_free = u_i + h A^-1 F(t_m, q_m, u_i);
//   solve for p;  u_f = u_free + A^-1 G^T p;  q_f = q_m + theta h u_f.
//
// What always holds: free flight under constant force is exact for theta = 1/2; linear and angular momentum change only
// by applied forces and obstacles; the discrete energy identity holds to rounding (energy_defect).
#include "base/dim.h"
#include "base/clock.h"
#include "force/environment.h"
#include "force/force.h"
#include "step/breaking.h"
#include "step/contact_memory.h"
#include "step/contact_space.h"
#include "step/world.h"

#include <math.h>
#include <string.h>

/// Contacts closer than this share of the smaller body are looked at even if their bodies are slow: they may be pushed.
#define REACH_AHEAD 0.01
/// Of the size of a body: how far it may go beyond what was looked at without a second look.
#define OVERLOOKED   1e-5
#define LOOKS        4    ///< a step may take, each as far as the last solution goes
#define FAST         1e-3 ///< of its size: a body that goes so far in a step may come where nobody looked, and
#define RAN_INTO     2e-4 ///< of the smallest: what it may overlap there
#define FEW_CONTACTS 16   ///< bodies for each: then a second look at all would cost more than the step

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
static void place_driven(const MrnModel *model, size_t b, double t, double *position, double *rotation,
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

static double squared(const double *x, int count) {
    double sum = 0;
    for (int k = 0; k < count; k++) sum += x[k] * x[k];
    return sum;
}

/// Sums over bodies and contacts are made in blocks of this many and added in the order of the blocks, whichever thread
/// made them.
#define BLOCK 256

/// Of one block of bodies.
typedef struct BodySums {
    double kinetic_start, kinetic_end, potential_end, applied_work, fastest2;
} BodySums;

/// Of one block of contacts.
typedef struct ContactSums {
    double dissipated, driver, normal_impulse;
    int64_t touching;
} ContactSums;

/// What the loops of one step share.
typedef struct Pass {
    MrnWorld *world;
    BodySums *bodies;      ///< per block
    ContactSums *contacts; ///< per block
    int64_t known;         ///< contacts that were there in the last step
    MrnWeather weather;    ///< of mid-step, where there is an environment
    double fall[MRN_DIM];  ///< m/s, what gravity adds to a velocity
    const double *sizes;   ///< m, per body
    bool sparing;          ///< what the collider does not need of a body is not made
    const MrnConfiguration *configuration;
} Pass;

static size_t blocks_of(size_t count) {
    return (count + BLOCK - 1) / BLOCK;
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
static inline void free_velocity(const Pass *pass, size_t b, const double *velocity, const double *spin, double *free) {
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
static inline double margin_of(const Pass *pass, size_t b, const double *free) {
    const MrnWorld *world = pass->world;
    // Never zero: contacts that touch exactly must be found.
    double margin = 0.5 * world->gap_tolerance + 1e-7 * world->smallest;
    if (world->scheme.activation != MRN_ACTIVATION_GAP) return margin;
    bool mobile = is_free_kind(world->kinds[b]);
    double reach = pass->sizes[b]; // of a ball
    if (!mobile || !world->round) reach = world->model->bodies.data[b].reach;
    double swing = (isfinite(reach) ? reach : 0) * sqrt(squared(free + MRN_DIM, MRN_SPIN));
    double ahead = mobile ? 0.5 * REACH_AHEAD * pass->sizes[b] : 0;
    return margin + (world->scheme.time_step * (sqrt(squared(free, MRN_DIM)) + swing) + ahead);
}

/// Pose, free velocity and margin of a body whose place of mid-step is in the state.
static void set_body(const Pass *pass, size_t b, double margin) {
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

static void complete(void *context, size_t b) {
    Pass *pass = context;
    if (pass->world->needs[b] == MRN_NEED_NONE) move_to_middle(pass->world, b);
    pass->world->needs[b] = MRN_NEED_ALL;
    set_body(pass, b, 0);
}

/// What does the collider need of a free body that is at `position` at mid-step? If it meets nobody, only its state is
/// touched in this step.
static inline MrnNeed need_of(const Pass *pass, size_t b, MrnVec3 position, double *margin) {
    MrnWorld *world = pass->world;
    const double *spin = world->state->spin + b * MRN_SPIN;
    bool turning = turns(spin);
    if (!pass->sparing || world->kinds[b] != MRN_BODY_FREE) return MRN_NEED_ALL;
    double free[MRN_DOF];
    free_velocity(pass, b, world->state->velocity + b * MRN_DIM, spin, free);
    *margin = margin_of(pass, b, free);
    MrnNeed need = mrn_collider_need(world->collider, b, position, *margin);
    if (need == MRN_NEED_MARGIN) world->margins[b] = *margin;
    world->posed[b] &= !(need != MRN_NEED_ALL && turning);
    return need;
}

/// To mid-step: positions in the state become q_m, but for bodies that meet nobody; start and free velocities, margins.
/// Blocks [begin, end): what a block has just written is in the cache when the collider looks at it.
static void advance_to_middle(void *context, size_t begin, size_t end, int thread) {
    Pass *pass = context;
    MrnWorld *world = pass->world;
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    double before = (1 - world->scheme.theta) * world->scheme.time_step;
    for (size_t block = begin; block < end; block++) {
        size_t last = (block + 1) * BLOCK < model->bodies.count ? (block + 1) * BLOCK : model->bodies.count;
        for (size_t b = block * BLOCK; b < last; b++) {
            int kind = world->kinds[b] & ~MRN_LOADED;
            world->needs[b] = MRN_NEED_ALL; // also of one that has left: the collider is to see that
            if (!state->active[b] || (world->fixed_placed && kind == MRN_BODY_FIXED)) continue;
            double *position = state->position + b * MRN_DIM, *rotation = state->rotation + b * MRN_ROTATION;
            double *velocity = state->velocity + b * MRN_DIM, *spin = state->spin + b * MRN_SPIN, margin = 0;
            if (kind == MRN_BODY_FREE) {
                // In registers: two numbers just stored and loaded as one would wait for the cache.
                MrnVec3 x = {position[0] + before * velocity[0], position[1] + before * velocity[1], 0};
                if (MRN_DIM == 3) x.z = position[MRN_DIM - 1] + before * velocity[MRN_DIM - 1];
                world->needs[b] = (uint8_t)need_of(pass, b, x, &margin);
                if (world->needs[b] == MRN_NEED_NONE) continue;
                position[0] = x.x, position[1] = x.y, position[MRN_DIM - 1] = MRN_DIM == 3 ? x.z : x.y;
                turn(rotation, spin, before);
            } else if (kind == MRN_BODY_DRIVEN)
                place_driven(model, b, state->time[0] + before, position, rotation, velocity, spin);
            if (world->needs[b] == MRN_NEED_ALL) set_body(pass, b, margin);
        }
        mrn_collider_check(world->collider, pass->configuration, block * BLOCK, last, thread);
    }
}

/// While the state is at mid-step, with the velocities of the start.
static inline void add_energies(const Pass *pass, size_t b, const double *free, const double *end, BodySums *sums) {
    const MrnWorld *world = pass->world;
    const double *velocity = world->state->velocity + b * MRN_DIM, *spin = world->state->spin + b * MRN_SPIN,
                 *inertias = world->inertia + b * world->scales;
    for (int k = 0; k < MRN_DOF; k++) {
        size_t axis = k < MRN_DIM ? 0 : (size_t)(1 + k - MRN_DIM);
        double inertia = inertias[axis < world->scales ? axis : world->scales - 1];
        double start = k < MRN_DIM ? velocity[k] : spin[k - MRN_DIM];
        sums->kinetic_start += 0.5 * inertia * start * start;
        sums->kinetic_end += 0.5 * inertia * end[k] * end[k];
        sums->applied_work +=
            0.5 * inertia * (free[k] - start) * (start + end[k]); // h F . (u_i + u_f) / 2, h F = A (u_free - u_i)
    }
    double speed2 = squared(end, MRN_DIM);
    if (speed2 > sums->fastest2) sums->fastest2 = speed2;
}

/// Potential energy of gravity and of a constant force.
static inline double potential_energy(const MrnWorld *world, size_t b, const double *position) {
    if (world->kinds[b] & MRN_LOADED)
        return mrn_potential_energy(world->model, &world->model->bodies.data[b], position);
    double energy = 0, mass = world->inertia[b * world->scales];
    for (int k = 0; k < MRN_DIM; k++) energy -= mass * world->model->gravity[k] * position[k];
    return energy;
}

/// From mid-step to the end with the new velocities, which stand in world->free; energies of blocks [begin, end).
static void advance_to_end(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Pass *pass = context;
    MrnWorld *world = pass->world;
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    double h = world->scheme.time_step, before = (1 - world->scheme.theta) * h, after = world->scheme.theta * h;
    for (size_t block = begin; block < end; block++) {
        BodySums *sums = &pass->bodies[block];
        *sums = (BodySums){0};
        for (size_t b = block * BLOCK; b < (block + 1) * BLOCK && b < model->bodies.count; b++) {
            double *position = state->position + b * MRN_DIM, *rotation = state->rotation + b * MRN_ROTATION;
            double *velocity = state->velocity + b * MRN_DIM, *spin = state->spin + b * MRN_SPIN;
            int kind = world->kinds[b] & ~MRN_LOADED;
            if (!state->active[b] || kind == MRN_BODY_FIXED) continue;
            if (kind == MRN_BODY_DRIVEN) place_driven(model, b, state->time[0] + h, position, rotation, velocity, spin);
            if (kind != MRN_BODY_FREE) continue;
            double to_middle = world->needs[b] == MRN_NEED_NONE ? before : 0, x[MRN_DIM]; // it is at the start yet
            for (int k = 0; k < MRN_DIM; k++) x[k] = position[k] + to_middle * velocity[k];
            if (to_middle > 0) turn(rotation, spin, to_middle);
            double free[MRN_DOF];
            free_velocity(pass, b, velocity, spin, free); // as at the start: keeping it costs more than computing it
            const double *final = world->needs[b] ? free : world->free + b * MRN_DOF;
            add_energies(pass, b, free, final, sums);
            memcpy(velocity, final, MRN_DIM * sizeof(double));
            if (turns(spin) || turns(final + MRN_DIM)) memcpy(spin, final + MRN_DIM, MRN_SPIN * sizeof(double));
            for (int k = 0; k < MRN_DIM; k++) position[k] = x[k] += after * final[k];
            turn(rotation, spin, after);
            sums->potential_end += potential_energy(world, b, x);
        }
    }
}

/// Pose of body A (side 0) or B of a contact, of B where it touches.
static inline const MrnPose *pose_of(const MrnWorld *world, const MrnContact *contact, int side, MrnPose *image) {
    return mrn_contact_pose(world->model, MRN_DIM == 2 && world->model->periodic, contact, side, world->poses, image);
}

/// Moreau's activation: keep the contacts that touch at mid-step, in order.
static size_t touching_only(const MrnWorld *world, const MrnContact *found, size_t count, MrnContact *kept) {
    size_t n = 0;
    for (size_t c = 0; c < count; c++)
        if (found[c].gap <= world->gap_tolerance) kept[n++] = found[c];
    return n;
}

/// u_f = u_free + A^-1 G^T p, into world->free, for bodies [begin, end). Every thread walks over all contacts and
/// serves its own bodies, so that a body's impulses are added in the order of its contacts.
static void apply_impulses(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnWorld *world = context;
    for (size_t c = 0; c < world->contact_count; c++) {
        const MrnContact *contact = &world->contacts[c];
        size_t body[2] = {(size_t)contact->body_a, (size_t)contact->body_b};
        bool mine[2];
        for (int side = 0; side < 2; side++)
            mine[side] = body[side] >= begin && body[side] < end && world->rank[body[side]] >= 0;
        if (!mine[0] && !mine[1]) continue;
        double frame[3][3];
        frame_of(world, contact, frame);
        MrnVec3 impulse = in_space(frame, world->impulse + c * MRN_DIM), couple = couple_of(world, c, frame);
        for (int side = 0; side < 2; side++) {
            if (!mine[side]) continue;
            MrnPose image;
            const MrnPose *pose = pose_of(world, contact, side, &image);
            const double *scaling = world->scaling + body[side] * world->scales;
            double *u = world->free + body[side] * MRN_DOF, sign = side == 0 ? 1 : -1, push[3], turn_by[3];
            MrnVec3 arm = mrn_sub3(mrn_load3(contact->position), pose->position);
            MrnVec3 moment = mrn_add3(mrn_cross3(arm, impulse), couple);
            mrn_store3(push, mrn_scale3(sign * scaling[0] * scaling[0], impulse));
            for (int k = 0; k < MRN_DIM; k++) u[k] += push[k];
            if (MRN_DIM == 2) {
                u[2] += sign * scaling[1] * scaling[1] * moment.z;
                continue;
            }
            mrn_store3(turn_by, mrn_mat3_transpose_times(&pose->rotation, moment));
            for (size_t k = 0; k < MRN_SPIN; k++) {
                double root = scaling[k + 1 < world->scales ? k + 1 : world->scales - 1];
                u[MRN_DIM + k] += sign * root * root * turn_by[k];
            }
        }
    }
}

/// Work of a contact on the bodies and the part that obstacles put in, over the step. The state still holds the
/// velocities of the start.
static void contact_work(const MrnWorld *world, size_t c, double *dissipated, double *driver) {
    const MrnContact *contact = &world->contacts[c];
    const MrnState *state = world->state;
    if (world->impulse[c * MRN_DIM] == 0) return;
    double frame[3][3];
    frame_of(world, contact, frame);
    MrnVec3 impulse = in_space(frame, world->impulse + c * MRN_DIM), couple = couple_of(world, c, frame);
    for (int side = 0; side < 2; side++) {
        size_t b = (size_t)(side == 0 ? contact->body_a : contact->body_b);
        double sign = side == 0 ? 1 : -1;
        MrnPose image;
        const MrnPose *pose = pose_of(world, contact, side, &image);
        const double *velocity = state->velocity + b * MRN_DIM, *spin = state->spin + b * MRN_SPIN;
        const double *end = world->free + b * MRN_DOF;
        double both[MRN_DOF]; // twice the mean: velocities of points are linear in it
        for (int k = 0; k < MRN_DIM; k++) both[k] = velocity[k] + end[k];
        for (int k = 0; k < MRN_SPIN; k++) both[MRN_DIM + k] = spin[k] + end[MRN_DIM + k];
        MrnVec3 twice = MRN_NAMED(mrn_point_velocity)(pose, both, both + MRN_DIM, contact->position);
        *dissipated -= 0.5 * sign * mrn_dot3(impulse, twice);
        if (world->rank[b] < 0) {
            MrnVec3 before = MRN_NAMED(mrn_point_velocity)(pose, velocity, spin, contact->position);
            *driver -= sign * mrn_dot3(impulse, before);
            continue;
        }
        if (!world->rolling) continue; // couples of resistance act on the bodies' rotations
        if (MRN_DIM == 2)
            *dissipated -= 0.5 * sign * couple.z * (spin[0] + end[2]);
        else
            *dissipated -= 0.5 * sign *
                           mrn_dot3(mrn_mat3_transpose_times(&pose->rotation, couple),
                                    mrn_add3(mrn_load3(spin), mrn_load3(end + MRN_DIM)));
    }
}

/// Tell of the blows that contacts have dealt, in their order.
static void report_blows(MrnWorld *world) {
    for (size_t c = 0; MRN_DIM == 2 && world->grown && c < world->contact_count; c++) {
        const MrnContact *contact = &world->contacts[c];
        const double *p = world->impulse + c * MRN_DIM;
        double frame[3][3], lost = 0, driven = 0;
        frame_of(world, contact, frame);
        contact_work(world, c, &lost, &driven);
        MrnBlowPair blow = {.body = {contact->body_b, contact->body_a}, .energy = lost};
        for (int k = 0; k < 2; k++) {
            MrnPose image;
            const MrnPose *pose = pose_of(world, contact, 1 - k, &image);
            blow.arm[k] = mrn_vec2(contact->position[0] - pose->position.x, contact->position[1] - pose->position.y);
            blow.turn[k][0] = pose->rotation.m[0][0], blow.turn[k][1] = pose->rotation.m[1][0];
        }
        blow.impulse = mrn_vec2(p[0] * frame[0][0] + p[1] * frame[1][0], p[0] * frame[0][1] + p[1] * frame[1][1]);
        mrn_breaking_report(world, &blow);
    }
}

static void sum_contacts(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Pass *pass = context;
    const MrnWorld *world = pass->world;
    for (size_t block = begin; block < end; block++) {
        ContactSums *sums = &pass->contacts[block];
        sums->dissipated = sums->driver = 0;
        sums->touching = 0, sums->normal_impulse = 0;
        for (size_t c = block * BLOCK; c < (block + 1) * BLOCK && c < world->contact_count; c++) {
            contact_work(world, c, &sums->dissipated, &sums->driver);
            sums->touching += world->impulse[c * MRN_DIM] > 0;
            sums->normal_impulse += world->impulse[c * MRN_DIM];
        }
    }
}

static bool is_free(const MrnWorld *world, size_t b) {
    return is_free_kind(world->kinds[b]) && world->state->active[b];
}

/// Free active bodies get their numbers: all, or where contacts are few only those that have one, in the order of their
/// contacts, so that the problem is no larger than its contacts.
static void number_free_bodies(MrnWorld *world) {
    size_t n = world->model->bodies.count;
    for (size_t k = 0; k < world->ranked.count; k++) world->rank[world->ranked.data[k]] = -1;
    world->ranked.count = world->free_count = 0;
    if (4 * world->contact_count >= n) {
        for (size_t b = 0; b < n; b++) world->rank[b] = is_free(world, b) ? (int)world->free_count++ : -1;
        world->all_ranked = true;
        return;
    }
    if (world->all_ranked) memset(world->rank, -1, n * sizeof *world->rank);
    world->all_ranked = false;
    for (size_t c = 0; c < world->contact_count; c++) {
        const int32_t body[2] = {world->contacts[c].body_a, world->contacts[c].body_b};
        for (int side = 0; side < 2; side++) {
            if (world->rank[body[side]] >= 0 || !is_free(world, (size_t)body[side])) continue;
            world->rank[body[side]] = (int)world->free_count++;
            mrn_array_push(&world->ranked, body[side]);
        }
    }
}

/// Add the blocks of bodies and contacts up, in their order.
static void sum_blocks(const Pass *pass, MrnStepInfo *info) {
    const MrnWorld *world = pass->world;
    BodySums sum = {0};
    for (size_t k = 0; k < blocks_of(world->model->bodies.count); k++) {
        const BodySums *block = &pass->bodies[k];
        sum.kinetic_start += block->kinetic_start;
        sum.kinetic_end += block->kinetic_end;
        sum.potential_end += block->potential_end;
        sum.applied_work += block->applied_work;
        sum.fastest2 = fmax(sum.fastest2, block->fastest2);
    }
    for (size_t k = 0; k < blocks_of(world->contact_count); k++) {
        const ContactSums *block = &pass->contacts[k];
        info->dissipated_energy += block->dissipated;
        info->driver_work += block->driver;
        info->touching += block->touching;
        info->normal_impulse += block->normal_impulse;
    }
    info->contacts = (int64_t)world->contact_count;
    info->new_contacts = info->contacts - pass->known;
    info->kinetic_energy = sum.kinetic_end;
    info->potential_energy = sum.potential_end;
    info->energy_defect =
        sum.kinetic_end - sum.kinetic_start - sum.applied_work + info->dissipated_energy - info->driver_work;
    info->max_speed = sqrt(sum.fastest2);
}

/// In a periodic plane a body must not come near half a period in a step: its images could not be told apart.
static bool check_strides(const MrnWorld *world, MrnError *error) {
    const MrnModel *model = world->model;
    double period = fmin(model->period_high[0] - model->period_low[0], model->period_high[1] - model->period_low[1]);
    double widest = 0;
    size_t fastest = 0;
    for (size_t b = 0; b < world->known; b++) {
        if (!world->state->active[b]) continue;
        widest = fmax(widest, model->bodies.data[b].reach);
        if (!world->state->active[fastest] || world->margins[b] > world->margins[fastest]) fastest = b;
    }
    if (world->known == 0 || 2 * (widest + world->margins[fastest]) < period) return true;
    return mrn_fail(
        error, MRN_ERROR_INPUT,
        "'%s' may move %.3g m in a step of %g s, which is too far for a periodic cell whose shorter side is "
        "%.6g m and bodies up to %.6g m wide; take a shorter time step",
        mrn_model_body_name(model, (int)fastest), world->margins[fastest], world->scheme.time_step, period, 2 * widest);
}

/// The contacts of the configuration, in world->contacts.
static void find_contacts(Pass *pass, MrnConfiguration *configuration) {
    MrnWorld *world = pass->world;
    world->contacts = mrn_collider_find(world->collider, configuration, world->threads, &world->contact_count);
    if (world->scheme.activation != MRN_ACTIVATION_MOREAU) return;
    MrnContact *kept = mrn_arena_take(&world->arena, world->contact_count, sizeof *kept);
    world->contact_count = touching_only(world, world->contacts, world->contact_count, kept);
    world->contacts = kept;
}

/// The problem of the contacts, with a first guess of the impulses.
static void pose_problem(Pass *pass) {
    MrnWorld *world = pass->world;
    number_free_bodies(world);
    MrnRigidInput input = {.model = world->model,
                           .scheme = &world->scheme,
                           .laws = world->laws,
                           .poses = world->poses,
                           .rank = world->rank,
                           .free_count = world->free_count,
                           .velocity = world->state->velocity,
                           .spin = world->state->spin,
                           .free = world->free,
                           .round = world->round,
                           .scaling = world->scaling,
                           .scales = world->scales,
                           .ranked = world->all_ranked ? NULL : world->ranked.data,
                           .contacts = world->contacts,
                           .contact_count = world->contact_count,
                           .gap_tolerance = world->gap_tolerance,
                           .recovery_speed = world->recovery_speed,
                           .threads = world->threads};
    MRN_NAMED(mrn_rigid_problem)(&input, &world->arena, &world->problem, &world->rolling);
    size_t numbers = world->problem.contacts * MRN_DIM;
    world->impulse = mrn_arena_take(&world->arena, numbers, sizeof(double));
    world->velocity = mrn_arena_take(&world->arena, numbers, sizeof(double));
    memset(world->impulse, 0, numbers * sizeof(double));
    pass->contacts = mrn_arena_take(&world->scratch, blocks_of(world->contact_count), sizeof *pass->contacts);
    pass->known = MRN_NAMED(mrn_recall_impulses)(world);
    world->guess = NULL;
    if (!world->keeps_guess) return;
    world->guess = mrn_arena_take(&world->arena, numbers, sizeof(double));
    memcpy(world->guess, world->impulse, numbers * sizeof(double));
}

/// Does some ball go farther with its new velocity than was looked at? Of other bodies the collider looks as far as
/// those go that may hit them. Not asked where contacts are few.
static bool overruns(const Pass *pass) {
    const MrnWorld *world = pass->world;
    size_t n = world->model->bodies.count;
    bool asked = world->round && FEW_CONTACTS * world->contact_count >= n;
    for (size_t b = 0; asked && b < n; b++)
        if (world->rank[b] >= 0 &&
            margin_of(pass, b, world->free + b * MRN_DOF) > world->margins[b] + OVERLOOKED * pass->sizes[b])
            return true;
    return false;
}

/// The rate of the gap with these velocities.
static double gap_rate(const MrnWorld *world, const MrnContact *contact, const double *end) {
    double speed = 0;
    for (int side = 0; side < 2; side++) {
        size_t b = (size_t)(side == 0 ? contact->body_a : contact->body_b);
        MrnPose image;
        const MrnPose *pose = pose_of(world, contact, side, &image);
        const double *u = end + b * MRN_DOF;
        MrnVec3 velocity = MRN_NAMED(mrn_point_velocity)(pose, u, u + MRN_DIM, contact->position);
        speed += (side == 0 ? 1 : -1) * mrn_dot3(mrn_load3(contact->normal), velocity);
    }
    return speed;
}

/// Would the bodies of a contact overlap there, by more than may be overlooked, if they went on with these velocities
/// until the middle of the next step?
static bool closes(const MrnWorld *world, const MrnContact *contact, const double *end) {
    return contact->gap + world->scheme.time_step * gap_rate(world, contact, end) < -OVERLOOKED * world->smallest;
}

/// Look again, as far as bodies go with their new velocities. If contacts were missed that close, true: they are in
/// world->contacts, and free velocities are as before the impulses. Else nothing changes.
static bool missed_contacts(Pass *pass, MrnConfiguration *configuration) {
    MrnWorld *world = pass->world;
    size_t n = world->model->bodies.count, old_count = world->contact_count, k = 0;
    if (!overruns(pass)) return false;
    MrnContact *old = mrn_arena_take(&world->arena, old_count, sizeof *old);
    double *end = mrn_arena_take(&world->scratch, n * MRN_DOF, sizeof *end);
    memcpy(old, world->contacts, old_count * sizeof *old);
    memcpy(end, world->free, n * MRN_DOF * sizeof *end);
    for (size_t b = 0; b < n; b++) {
        if (!is_free(world, b)) continue;
        if (world->needs[b] != MRN_NEED_ALL) { // it met nobody: no impulses
            complete(pass, b);
            memcpy(end + b * MRN_DOF, world->free + b * MRN_DOF, MRN_DOF * sizeof *end);
        } else
            set_body(pass, b, fmax(world->margins[b], margin_of(pass, b, end + b * MRN_DOF)));
    }
    configuration->needs = NULL;
    configuration->checked = false;
    find_contacts(pass, configuration);
    bool missed = false;
    for (size_t c = 0; c < world->contact_count && !missed; c++) {
        const MrnContact *contact = &world->contacts[c];
        int order = 1;
        while (k < old_count && (order = mrn_compare_contacts(old[k].body_a, old[k].body_b, old[k].feature,
                                                              contact->body_a, contact->body_b, contact->feature)) < 0)
            k++;
        if (k < old_count && order == 0) continue;
        missed = closes(world, contact, end);
    }
    if (missed) return true;
    world->contacts = old;
    world->contact_count = old_count;
    memcpy(world->free, end, n * MRN_DOF * sizeof *end);
    return false;
}

/// Where the body with pose `from` has x, the body with pose `to` has what is returned.
static MrnVec3 carry(const MrnPose *from, const MrnPose *to, MrnVec3 x) {
    MrnVec3 arm = mrn_sub3(x, from->position);
#if MRN_DIM == 2
    double cosine = from->rotation.m[0][0], sine = from->rotation.m[1][0];
    double along = cosine * arm.x + sine * arm.y, across = cosine * arm.y - sine * arm.x;
    cosine = to->rotation.m[0][0], sine = to->rotation.m[1][0];
    return mrn_add3(to->position, mrn_vec3(cosine * along - sine * across, sine * along + cosine * across, 0));
#else
    return mrn_add3(to->position, mrn_mat3_times(&to->rotation, mrn_mat3_transpose_times(&from->rotation, arm)));
#endif
}

/// The poses of the middle of the next step, with the new velocities. False where no body goes far.
static bool poses_ahead(const Pass *pass, MrnPose *ahead) {
    const MrnWorld *world = pass->world;
    const MrnModel *model = world->model;
    const MrnState *state = world->state;
    double h = world->scheme.time_step, next = state->time[0] + (2 - world->scheme.theta) * h;
    bool fast = false;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const double *end = world->free + b * MRN_DOF;
        double position[MRN_DIM], rotation[MRN_ROTATION], velocity[MRN_DIM], spin[MRN_SPIN];
        ahead[b] = world->poses[b];
        if (!state->active[b] || (world->kinds[b] & ~MRN_LOADED) == MRN_BODY_FIXED) continue;
        memcpy(position, state->position + b * MRN_DIM, sizeof position);
        memcpy(rotation, state->rotation + b * MRN_ROTATION, sizeof rotation);
        if (is_free(world, b)) {
            for (int k = 0; k < MRN_DIM; k++) position[k] += h * end[k];
            turn(rotation, end + MRN_DIM, h);
            double swing = model->bodies.data[b].reach * sqrt(squared(end + MRN_DIM, MRN_SPIN));
            fast |= h * (sqrt(squared(end, MRN_DIM)) + swing) > FAST * pass->sizes[b];
        } else
            place_driven(model, b, next, position, rotation, velocity, spin);
        set_pose(&ahead[b], position, rotation, false);
    }
    return fast;
}

/// A contact of the poses ahead as one of this step: its gap is such that the new velocities lead to the overlap that
/// was found there.
static MrnContact brought_back(const MrnWorld *world, const MrnContact *contact, const MrnPose *ahead,
                               const double *end) {
    MrnContact back = *contact;
    size_t body[2] = {(size_t)contact->body_a, (size_t)contact->body_b};
    MrnVec3 at = mrn_load3(contact->position), x[2];
    for (int side = 0; side < 2; side++) x[side] = carry(&ahead[body[side]], &world->poses[body[side]], at);
    mrn_store3(back.position, mrn_scale3(0.5, mrn_add3(x[0], x[1])));
    back.carrier = 0; // how its normal turns is in the gap
    back.gap -= world->scheme.time_step * gap_rate(world, &back, end);
    return back;
}

/// Blocks may come where neither had looked for the other: a corner beside a face comes over the edge and down, edges
/// that cross run along each other. Look at the poses ahead; if bodies overlap there as no contact has foreseen, true:
/// that place is in world->contacts, and free velocities are as before the impulses. Else nothing changes.
static bool ran_into_others(Pass *pass) {
    MrnWorld *world = pass->world;
    size_t n = world->model->bodies.count, old_count = world->contact_count, count, k = 0, total = 0;
    if (world->round || world->model->periodic || world->scheme.activation != MRN_ACTIVATION_GAP ||
        FEW_CONTACTS * old_count < n)
        return false;
    for (size_t b = 0; b < n; b++)
        if (is_free(world, b) && world->needs[b] != MRN_NEED_ALL) complete(pass, b); // it met nobody: no impulses
    MrnPose *ahead = mrn_arena_take(&world->scratch, n, sizeof *ahead);
    if (!poses_ahead(pass, ahead)) return false;
    MrnContact *old = mrn_arena_take(&world->arena, old_count + 1, sizeof *old);
    double *end = mrn_arena_take(&world->scratch, n * MRN_DOF, sizeof *end),
           *margins = mrn_arena_take(&world->scratch, n, sizeof *margins);
    memcpy(old, world->contacts, old_count * sizeof *old);
    memcpy(end, world->free, n * MRN_DOF * sizeof *end);
    for (size_t b = 0; b < n; b++) margins[b] = 1e-7 * world->smallest;
    MrnConfiguration there = {.poses = ahead, .margins = margins, .active = world->state->active};
    const MrnContact *found = mrn_collider_find(world->collider, &there, world->threads, &count);
    MrnContact *all = mrn_arena_take(&world->arena, old_count + count + 1, sizeof *all);
    bool missed = false;
    for (size_t c = 0; c < count; c++) {
        int order = 1;
        while (k < old_count && (order = mrn_compare_contacts(old[k].body_a, old[k].body_b, old[k].feature,
                                                              found[c].body_a, found[c].body_b, found[c].feature)) < 0)
            all[total++] = old[k++];
        bool known = k < old_count && order == 0;
        double deepest = known ? fmin(old[k].gap, 0) : 0;
        if (found[c].gap < deepest - RAN_INTO * world->smallest) {
            all[total++] = brought_back(world, &found[c], ahead, end);
            k += known;
            missed = true;
        }
    }
    while (k < old_count) all[total++] = old[k++];
    world->contacts = missed ? all : old;
    world->contact_count = total;
    for (size_t b = 0; missed && b < n; b++)
        if (is_free(world, b)) set_body(pass, b, world->margins[b]);
    return missed;
}

bool MRN_NAMED(mrn_moreau_jean_step)(MrnWorld *world, MrnStepInfo *info, MrnError *error) {
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    size_t n = model->bodies.count;
    double clock = mrn_wall_seconds();
    mrn_arena_reset(&world->arena);
    mrn_arena_reset(&world->scratch);
    Pass pass = {.world = world};
    MrnConfiguration configuration = {.poses = world->poses,
                                      .margins = world->margins,
                                      .active = state->active,
                                      .checked = true,
                                      .needs = world->needs,
                                      .positions = state->position,
                                      .complete = complete,
                                      .context = &pass};
    pass.sparing = !model->environment && !model->periodic;
    pass.bodies = mrn_arena_take(&world->scratch, blocks_of(n), sizeof *pass.bodies);
    if (MRN_DIM == 2 && model->environment)
        pass.weather =
            mrn_weather_at(model, state, state->time[0] + (1 - world->scheme.theta) * world->scheme.time_step);
    for (int k = 0; k < MRN_DIM; k++) pass.fall[k] = world->scheme.time_step * (model->gravity[k] + 0.0);
    pass.sizes = mrn_collider_sizes(world->collider);
    pass.configuration = &configuration;
    mrn_collider_begin(world->collider);
    mrn_threads_for(world->threads, blocks_of(n), 2, advance_to_middle, &pass);
    world->fixed_placed = model->late.count == 0; // a fixed body may be born yet
    if (MRN_DIM == 2 && model->periodic && !check_strides(world, error)) return false;

    find_contacts(&pass, &configuration);
    // Of places that are looked at later the gap is along a normal of then: no overlap now.
    for (size_t c = 0; c < world->contact_count; c++)
        info->penetration = fmax(info->penetration, -world->contacts[c].gap);
    MrnSolveInfo solve = {0};
    for (int look = 0, sweeps = 0;; look++) {
        info->seconds_detect += mrn_wall_seconds() - clock;
        clock = mrn_wall_seconds();
        pose_problem(&pass);
        info->seconds_assemble += mrn_wall_seconds() - clock;
        clock = mrn_wall_seconds();
        solve = (MrnSolveInfo){0};
        bool solved = mrn_solve_job(&world->problem, &world->scheme.solver, world->impulse, world->velocity, &solve,
                                    world->threads, &world->scratch, error);
        info->seconds_solve += mrn_wall_seconds() - clock;
        if (!solved) return false;
        sweeps = solve.iterations += sweeps;
        mrn_threads_for(world->threads, n, 2 * BLOCK, apply_impulses, world);
        clock = mrn_wall_seconds();
        if (look + 1 == LOOKS || !(missed_contacts(&pass, &configuration) || ran_into_others(&pass))) break;
    }
    info->seconds_detect += mrn_wall_seconds() - clock;

    mrn_threads_for(world->threads, blocks_of(world->contact_count), 1, sum_contacts, &pass);
    report_blows(world);
    mrn_threads_for(world->threads, blocks_of(n), 1, advance_to_end, &pass);
    if (MRN_DIM == 2 && model->environment) mrn_environment_step(model, state, world->scheme.time_step);
    MRN_NAMED(mrn_remember_impulses)(world);
    state->step[0]++;
    state->time[0] = state->time[0] + world->scheme.time_step;
    world->has_step = true;

    info->step = state->step[0];
    info->substeps = 1;
    info->time = state->time[0];
    sum_blocks(&pass, info);
    info->status = solve.status;
    info->sweeps = solve.iterations;
    info->residual = solve.residual;
    info->scaled_residual = solve.scaled_residual;
    info->cone_violation = solve.cone_violation;
    return true;
}
