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
#include "step/world.h"

#include <math.h>
#include <string.h>

/// Contacts closer than this share of the smaller body are looked at even if their bodies are slow: they may be pushed.
#define REACH_AHEAD 0.01

#if MRN_DIM == 2
static void turn(double *rotation, const double *spin, double time) {
    rotation[0] += time * spin[0];
}
static void set_pose(MrnPose *pose, const double *position, const double *rotation) {
    pose->position = mrn_vec3(position[0], position[1], 0);
    pose->rotation.m[0][0] = cos(rotation[0]);
    pose->rotation.m[1][0] = sin(rotation[0]);
}
#else
static void turn(double *rotation, const double *spin, double time) {
    MrnQuat step = mrn_quat_exp(mrn_scale3(0.5 * time, mrn_load3(spin)));
    mrn_quat_store(rotation, mrn_quat_normalize(mrn_quat_multiply(mrn_quat_load(rotation), step)));
}
static void set_pose(MrnPose *pose, const double *position, const double *rotation) {
    pose->position = mrn_load3(position);
    pose->rotation = mrn_quat_matrix(mrn_quat_load(rotation));
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
    double dissipated, driver, penetration, normal_impulse;
    int64_t touching, known;
} ContactSums;

/// What the loops of one step share.
typedef struct Pass {
    MrnWorld *world;
    double *change;        ///< u_free - u_i, dof per body
    BodySums *bodies;      ///< per block
    ContactSums *contacts; ///< per block
    MrnWeather weather;    ///< of mid-step, where there is an environment
} Pass;

static size_t blocks_of(size_t count) {
    return (count + BLOCK - 1) / BLOCK;
}

/// To mid-step: positions in the state become q_m; start and free velocities, margins.
static void advance_to_middle(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Pass *pass = context;
    MrnWorld *world = pass->world;
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    double h = world->scheme.time_step, before = (1 - world->scheme.theta) * h;
    for (size_t b = begin; b < end; b++) {
        const MrnBody *body = &model->bodies.data[b];
        double *position = state->position + b * MRN_DIM, *rotation = state->rotation + b * MRN_ROTATION;
        double *velocity = state->velocity + b * MRN_DIM, *spin = state->spin + b * MRN_SPIN;
        double *start = world->start + b * MRN_DOF, *free = world->free + b * MRN_DOF;
        if (!state->active[b] || (world->fixed_placed && world->kinds[b] == MRN_BODY_FIXED)) continue;
        if (body->kind == MRN_BODY_FREE) {
            for (int k = 0; k < MRN_DIM; k++) position[k] += before * velocity[k];
            turn(rotation, spin, before);
        } else if (body->kind == MRN_BODY_DRIVEN)
            place_driven(model, b, state->time[0] + before, position, rotation, velocity, spin);
        set_pose(&world->poses[b], position, rotation);
        memcpy(start, velocity, MRN_DIM * sizeof(double));
        memcpy(start + MRN_DIM, spin, MRN_SPIN * sizeof(double));
        if (body->kind == MRN_BODY_FREE) {
            mrn_free_velocity(model, body, &world->poses[b], h, velocity, spin, free, free + MRN_DIM);
            if (MRN_DIM == 2 && model->environment)
                mrn_environment_free_velocity(model, state, b, &pass->weather, h, world->scheme.theta, free,
                                              free + MRN_DIM);
        } else
            memcpy(free, start, MRN_DOF * sizeof(double));
        double *change = pass->change + b * MRN_DOF;
        for (int k = 0; k < MRN_DOF; k++) change[k] = free[k] - start[k];
        // Never zero: contacts that touch exactly must be found.
        world->margins[b] = 0.5 * world->gap_tolerance + 1e-7 * world->smallest;
        if (world->scheme.activation == MRN_ACTIVATION_GAP) {
            double spinning = squared(free + MRN_DIM, MRN_SPIN), reach = isfinite(body->reach) ? body->reach : 0;
            double ahead = body->kind == MRN_BODY_FREE ? 0.5 * REACH_AHEAD * body->size : 0;
            world->margins[b] += h * (sqrt(squared(free, MRN_DIM)) + reach * sqrt(spinning)) + ahead;
        }
    }
}

static void add_energies(const Pass *pass, const MrnBody *body, size_t b, BodySums *sums) {
    const MrnWorld *world = pass->world;
    const double *start = world->start + b * MRN_DOF, *end = world->free + b * MRN_DOF,
                 *change = pass->change + b * MRN_DOF;
    for (int k = 0; k < MRN_DOF; k++) {
        double inertia = k < MRN_DIM ? body->mass : body->inertia[MRN_DIM == 2 ? 2 : k - MRN_DIM];
        sums->kinetic_start += 0.5 * inertia * start[k] * start[k];
        sums->kinetic_end += 0.5 * inertia * end[k] * end[k];
        sums->applied_work +=
            0.5 * inertia * change[k] * (start[k] + end[k]); // h F . (u_i + u_f) / 2 with h F = A (u_free - u_i)
    }
    sums->potential_end += mrn_potential_energy(world->model, body, world->state->position + b * MRN_DIM);
    sums->fastest2 = fmax(sums->fastest2, squared(end, MRN_DIM));
}

/// From mid-step to the end with the new velocities, which stand in world->free; energies of blocks [begin, end).
static void advance_to_end(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Pass *pass = context;
    MrnWorld *world = pass->world;
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    double h = world->scheme.time_step, after = world->scheme.theta * h;
    for (size_t block = begin; block < end; block++) {
        BodySums *sums = &pass->bodies[block];
        *sums = (BodySums){0};
        for (size_t b = block * BLOCK; b < (block + 1) * BLOCK && b < model->bodies.count; b++) {
            const MrnBody *body = &model->bodies.data[b];
            double *position = state->position + b * MRN_DIM, *rotation = state->rotation + b * MRN_ROTATION;
            double *velocity = state->velocity + b * MRN_DIM, *spin = state->spin + b * MRN_SPIN;
            if (!state->active[b] || world->kinds[b] == MRN_BODY_FIXED) continue;
            if (body->kind == MRN_BODY_DRIVEN)
                place_driven(model, b, state->time[0] + h, position, rotation, velocity, spin);
            if (body->kind != MRN_BODY_FREE) continue;
            memcpy(velocity, world->free + b * MRN_DOF, MRN_DIM * sizeof(double));
            memcpy(spin, world->free + b * MRN_DOF + MRN_DIM, MRN_SPIN * sizeof(double));
            for (int k = 0; k < MRN_DIM; k++) position[k] += after * velocity[k];
            turn(rotation, spin, after);
            add_energies(pass, body, b, sums);
        }
    }
}

/// Moreau's activation: keep the contacts that touch at mid-step, in order.
static size_t touching_only(const MrnWorld *world, const MrnContact *found, size_t count, MrnContact *kept) {
    size_t n = 0;
    for (size_t c = 0; c < count; c++)
        if (found[c].gap <= world->gap_tolerance) kept[n++] = found[c];
    return n;
}

static int compare_keys(int32_t a1, int32_t b1, uint64_t f1, int32_t a2, int32_t b2, uint64_t f2) {
    if (a1 != a2) return a1 < a2 ? -1 : 1;
    if (b1 != b2) return b1 < b2 ? -1 : 1;
    return f1 < f2 ? -1 : f1 > f2;
}

/// First entry of the memory that does not come before a contact.
static size_t find_memory(const MrnState *state, const MrnContact *contact) {
    size_t low = 0, high = state->memory_count;
    while (low < high) {
        size_t m = (low + high) / 2;
        if (compare_keys(state->memory_body[2 * m], state->memory_body[2 * m + 1], state->memory_feature[m],
                         contact->body_a, contact->body_b, contact->feature) < 0)
            low = m + 1;
        else
            high = m;
    }
    return low;
}

/// First guess of the impulses from the memory of the last step, carried to the new frames (specification 9.2), for
/// blocks [begin, end).
static void recall(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Pass *pass = context;
    MrnWorld *world = pass->world;
    const MrnState *state = world->state;
    double ratio = world->scheme.time_step / state->last_time_step[0];
    size_t m = find_memory(state, &world->contacts[begin * BLOCK]);
    for (size_t c = begin * BLOCK; c < end * BLOCK && c < world->contact_count; c++) {
        if (c % BLOCK == 0) pass->contacts[c / BLOCK].known = 0;
        const MrnContact *contact = &world->contacts[c];
        int order = 1;
        while (m < state->memory_count &&
               (order = compare_keys(state->memory_body[2 * m], state->memory_body[2 * m + 1], state->memory_feature[m],
                                     contact->body_a, contact->body_b, contact->feature)) < 0)
            m++;
        if (m >= state->memory_count || order != 0) continue;
        pass->contacts[c / BLOCK].known += state->memory_age[m] == 0;
        if (!world->scheme.warm_start) continue;
        const MrnRigidContact *detail = &world->details[c];
        double *p = world->impulse + c * MRN_DIM;
        const double *tangent = state->memory_tangent_impulse + m * MRN_DIM;
        p[0] = ratio * state->memory_normal_impulse[m];
        for (int i = 1; i < MRN_DIM; i++)
            for (int k = 0; k < MRN_DIM; k++) p[i] += ratio * tangent[k] * detail->frame[i][k];
        if (detail->rolling >= 0) {
            double *couple = world->impulse + (size_t)detail->rolling * MRN_DIM;
            const double *old = state->memory_couple + m * MRN_SPIN;
            if (MRN_DIM == 2)
                couple[0] = ratio * old[0];
            else
                for (int i = 0; i < MRN_DIM; i++)
                    for (int k = 0; k < MRN_SPIN; k++) couple[i] += ratio * old[k] * detail->frame[i][k];
        }
    }
}

/// Entry n of the memory becomes contact c.
static void store_contact(MrnWorld *world, size_t c, size_t n) {
    MrnState *state = world->state;
    const MrnContact *contact = &world->contacts[c];
    const MrnRigidContact *detail = &world->details[c];
    const double *p = world->impulse + c * MRN_DIM;
    state->memory_body[2 * n] = contact->body_a;
    state->memory_body[2 * n + 1] = contact->body_b;
    state->memory_feature[n] = contact->feature;
    state->memory_normal_impulse[n] = p[0];
    for (int k = 0; k < MRN_DIM; k++) {
        double sum = 0;
        for (int i = 1; i < MRN_DIM; i++) sum += p[i] * detail->frame[i][k];
        state->memory_tangent_impulse[n * MRN_DIM + (size_t)k] = sum;
    }
    for (int k = 0; k < MRN_SPIN; k++) {
        double sum = 0;
        if (detail->rolling >= 0) {
            const double *couple = world->impulse + (size_t)detail->rolling * MRN_DIM;
            if (MRN_DIM == 2)
                sum = couple[0];
            else
                for (int i = 0; i < MRN_DIM; i++) sum += couple[i] * detail->frame[i][k];
        }
        state->memory_couple[n * MRN_SPIN + (size_t)k] = sum;
    }
    state->memory_age[n] = 0;
}

static void store_contacts(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    for (size_t c = begin; c < end; c++) store_contact(context, c, c);
}

/// Store the impulses for the next step; a lost contact may keep its place for one step (scheme.keep_memory).
static void remember(MrnWorld *world) {
    MrnState *state = world->state;
    size_t old_count = state->memory_count;
    MrnState old = *state;
    if (world->scheme.keep_memory && old_count) { // the old entries are read while new ones are written
#define KEEP(field, width)                                                                                             \
    old.field = memcpy(mrn_arena_take(&world->scratch, old_count * (width), sizeof *old.field), state->field,          \
                       old_count * (width) * sizeof *old.field)
        KEEP(memory_body, 2);
        KEEP(memory_feature, 1);
        KEEP(memory_normal_impulse, 1);
        KEEP(memory_tangent_impulse, MRN_DIM);
        KEEP(memory_couple, MRN_SPIN);
        KEEP(memory_age, 1);
#undef KEEP
    } else
        old_count = 0;
    mrn_state_reserve_memory(state, world->contact_count + old_count);
    state->last_time_step[0] = world->scheme.time_step;
    if (old_count == 0) {
        mrn_threads_for(world->threads, world->contact_count, 2 * BLOCK, store_contacts, world);
        state->memory_count = world->contact_count;
        return;
    }
    size_t n = 0, m = 0;
    for (size_t c = 0; c <= world->contact_count; c++) {
        const MrnContact *contact = c < world->contact_count ? &world->contacts[c] : NULL;
        for (; m < old_count; m++) {
            int order = contact
                            ? compare_keys(old.memory_body[2 * m], old.memory_body[2 * m + 1], old.memory_feature[m],
                                           contact->body_a, contact->body_b, contact->feature)
                            : -1;
            if (order > 0) break;
            if (order == 0 || old.memory_age[m] > 0) continue;
            memcpy(state->memory_body + 2 * n, old.memory_body + 2 * m, 2 * sizeof(int32_t));
            state->memory_feature[n] = old.memory_feature[m];
            state->memory_normal_impulse[n] = old.memory_normal_impulse[m];
            memcpy(state->memory_tangent_impulse + n * MRN_DIM, old.memory_tangent_impulse + m * MRN_DIM,
                   MRN_DIM * sizeof(double));
            memcpy(state->memory_couple + n * MRN_SPIN, old.memory_couple + m * MRN_SPIN, MRN_SPIN * sizeof(double));
            state->memory_age[n++] = old.memory_age[m] + 1;
        }
        if (!contact) break;
        store_contact(world, c, n++);
    }
    state->memory_count = n;
}

/// u_f = u_free + A^-1 G^T p, into world->free, for bodies [begin, end). Every thread walks over all contacts and
/// serves its own bodies, so that a body's impulses are added in the order of its contacts.
static void apply_impulses(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    MrnWorld *world = context;
    const MrnProblem *problem = &world->problem;
    for (size_t c = 0; c < problem->contacts; c++) {
        const double *p = world->impulse + c * MRN_DIM;
        const MrnContact *contact = &world->contacts[c < world->contact_count ? c : (size_t)problem->parent[c]];
        for (int side = 0; side < 2; side++) {
            if (problem->bodies[2 * c + (size_t)side] < 0) continue;
            size_t b = (size_t)(side == 0 ? contact->body_a : contact->body_b);
            if (b < begin || b >= end) continue;
            const double *rows = problem->jacobian + (2 * c + (size_t)side) * MRN_DIM * MRN_DOF;
            for (int k = 0; k < MRN_DOF; k++) {
                double sum = 0;
                for (int i = 0; i < MRN_DIM; i++) sum += rows[i * MRN_DOF + k] * p[i];
                world->free[b * MRN_DOF + (size_t)k] += world->scaling[b * MRN_DOF + (size_t)k] * sum;
            }
        }
    }
}

/// Work of a contact on the bodies and the part that obstacles put in, over the step.
static void contact_work(const MrnWorld *world, size_t c, double *dissipated, double *driver) {
    const MrnContact *contact = &world->contacts[c];
    const MrnRigidContact *detail = &world->details[c];
    const double *p = world->impulse + c * MRN_DIM;
    if (p[0] == 0) return;
    for (int i = 0; i < MRN_DIM; i++) {
        double end = detail->obstacle[i]; // U(u_f) = G u_f + W
        for (int side = 0; side < 2; side++) {
            if (world->problem.bodies[2 * c + (size_t)side] < 0) continue;
            size_t b = (size_t)(side == 0 ? contact->body_a : contact->body_b);
            const double *row = world->problem.jacobian + ((2 * c + (size_t)side) * MRN_DIM + (size_t)i) * MRN_DOF;
            for (int k = 0; k < MRN_DOF; k++)
                end += row[k] / world->scaling[b * MRN_DOF + (size_t)k] * world->free[b * MRN_DOF + (size_t)k];
        }
        *dissipated -= 0.5 * p[i] * (detail->start[i] + end);
        *driver -= p[i] * detail->obstacle[i];
    }
    if (detail->rolling >= 0) { // couples of resistance act on the bodies' rotations
        const double *couple = world->impulse + (size_t)detail->rolling * MRN_DIM;
        for (int i = 0; i < MRN_DIM; i++)
            for (int side = 0; side < 2; side++) {
                size_t row_index = 2 * (size_t)detail->rolling + (size_t)side,
                       b = (size_t)(side == 0 ? contact->body_a : contact->body_b);
                if (world->problem.bodies[row_index] < 0) continue;
                const double *row = world->problem.jacobian + (row_index * MRN_DIM + (size_t)i) * MRN_DOF;
                for (int k = MRN_DIM; k < MRN_DOF; k++)
                    *dissipated -= 0.5 * couple[i] * row[k] / world->scaling[b * MRN_DOF + (size_t)k] *
                                   (world->start[b * MRN_DOF + (size_t)k] + world->free[b * MRN_DOF + (size_t)k]);
            }
    }
}

static void sum_contacts(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Pass *pass = context;
    const MrnWorld *world = pass->world;
    for (size_t block = begin; block < end; block++) {
        ContactSums *sums = &pass->contacts[block];
        sums->dissipated = sums->driver = sums->penetration = 0;
        sums->touching = 0, sums->normal_impulse = 0;
        for (size_t c = block * BLOCK; c < (block + 1) * BLOCK && c < world->contact_count; c++) {
            contact_work(world, c, &sums->dissipated, &sums->driver);
            sums->touching += world->impulse[c * MRN_DIM] > 0;
            sums->normal_impulse += world->impulse[c * MRN_DIM];
            sums->penetration = fmax(sums->penetration, -world->contacts[c].gap);
        }
    }
}

/// Free active bodies get their numbers.
static void number_free_bodies(MrnWorld *world) {
    world->free_count = 0;
    for (size_t b = 0; b < world->model->bodies.count; b++)
        world->rank[b] = world->kinds[b] == MRN_BODY_FREE && world->state->active[b] ? (int)world->free_count++ : -1;
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
    int64_t known = 0;
    for (size_t k = 0; k < blocks_of(world->contact_count); k++) {
        const ContactSums *block = &pass->contacts[k];
        info->dissipated_energy += block->dissipated;
        info->driver_work += block->driver;
        info->penetration = fmax(info->penetration, block->penetration);
        info->touching += block->touching;
        info->normal_impulse += block->normal_impulse;
        known += block->known;
    }
    info->contacts = (int64_t)world->contact_count;
    info->new_contacts = info->contacts - known;
    info->kinetic_energy = sum.kinetic_end;
    info->potential_energy = sum.potential_end;
    info->energy_defect =
        sum.kinetic_end - sum.kinetic_start - sum.applied_work + info->dissipated_energy - info->driver_work;
    info->max_speed = sqrt(sum.fastest2);
}

bool MRN_NAMED(mrn_moreau_jean_step)(MrnWorld *world, MrnStepInfo *info, MrnError *error) {
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    size_t n = model->bodies.count;
    double clock = mrn_wall_seconds();
    number_free_bodies(world);
    mrn_arena_reset(&world->arena);
    mrn_arena_reset(&world->scratch);
    Pass pass = {.world = world};
    pass.change = mrn_arena_take(&world->scratch, n * MRN_DOF, sizeof(double));
    pass.bodies = mrn_arena_take(&world->scratch, blocks_of(n), sizeof *pass.bodies);
    if (MRN_DIM == 2 && model->environment)
        pass.weather =
            mrn_weather_at(model, state, state->time[0] + (1 - world->scheme.theta) * world->scheme.time_step);
    mrn_threads_for(world->threads, n, 2 * BLOCK, advance_to_middle, &pass);
    world->fixed_placed = model->late.count == 0; // a fixed body may be born yet

    MrnConfiguration configuration = {world->poses, world->margins, state->active};
    size_t found_count;
    const MrnContact *found = mrn_collider_find(world->collider, &configuration, world->threads, &found_count);
    world->contacts = found;
    world->contact_count = found_count;
    if (world->scheme.activation == MRN_ACTIVATION_MOREAU) {
        MrnContact *kept = mrn_arena_take(&world->arena, found_count, sizeof *kept);
        world->contact_count = touching_only(world, found, found_count, kept);
        world->contacts = kept;
    }
    info->seconds_detect = mrn_wall_seconds() - clock;

    clock = mrn_wall_seconds();
    world->details = mrn_arena_take(&world->arena, world->contact_count, sizeof *world->details);
    MrnRigidInput input = {.model = model,
                           .scheme = &world->scheme,
                           .laws = world->laws,
                           .poses = world->poses,
                           .rank = world->rank,
                           .free_count = world->free_count,
                           .start = world->start,
                           .free = world->free,
                           .scaling = world->scaling,
                           .contacts = world->contacts,
                           .contact_count = world->contact_count,
                           .gap_tolerance = world->gap_tolerance,
                           .recovery_speed = world->recovery_speed,
                           .threads = world->threads};
    MRN_NAMED(mrn_rigid_problem)(&input, &world->arena, &world->problem, world->details);
    size_t blocks = world->problem.contacts;
    world->impulse = mrn_arena_take(&world->arena, blocks * MRN_DIM, sizeof(double));
    world->velocity = mrn_arena_take(&world->arena, blocks * MRN_DIM, sizeof(double));
    memset(world->impulse, 0, blocks * MRN_DIM * sizeof(double));
    pass.contacts = mrn_arena_take(&world->scratch, blocks_of(world->contact_count), sizeof *pass.contacts);
    mrn_threads_for(world->threads, blocks_of(world->contact_count), 1, recall, &pass);
    world->guess = mrn_arena_take(&world->arena, blocks * MRN_DIM, sizeof(double));
    memcpy(world->guess, world->impulse, blocks * MRN_DIM * sizeof(double));
    info->seconds_assemble = mrn_wall_seconds() - clock;

    clock = mrn_wall_seconds();
    MrnSolveInfo solve = {0};
    bool solved = mrn_solve_job(&world->problem, &world->scheme.solver, world->impulse, world->velocity, &solve,
                                world->threads, &world->scratch, error);
    info->seconds_solve = mrn_wall_seconds() - clock;
    if (!solved) return false;

    mrn_threads_for(world->threads, n, 2 * BLOCK, apply_impulses, world);
    mrn_threads_for(world->threads, blocks_of(world->contact_count), 1, sum_contacts, &pass);
    mrn_threads_for(world->threads, blocks_of(n), 1, advance_to_end, &pass);
    if (MRN_DIM == 2 && model->environment) mrn_environment_step(model, state, world->scheme.time_step);
    remember(world);
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
