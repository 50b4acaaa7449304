// Moreau-Jean time stepping (Moreau 2003, 7.1-7.2; theta = 1/2 is Moreau's mid-point scheme).
//
//   q_m = q_i + (1-theta) h u_i;  contacts, frames and mass at q_m;  u_free = u_i + h A^-1 F(t_m, q_m, u_i);
//   solve for p;  u_f = u_free + A^-1 G^T p;  q_f = q_m + theta h u_f.
//
// What always holds: free flight under constant force is exact for theta = 1/2; linear and angular momentum change only
// by applied forces and obstacles; the discrete energy identity holds to rounding (energy_defect).
#include "base/dim.h"
#include "base/clock.h"
#include "problem/problem.h"
#include "step/breaking.h"
#include "step/contact_memory.h"
#include "step/contact_space.h"
#include "step/second_look.h"

#include <math.h>
#include <string.h>

#define LOOKS 4 ///< a step may take, each as far as the last solution goes

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

static size_t blocks_of(size_t count) {
    return (count + BLOCK - 1) / BLOCK;
}

/// What does the collider need of a free body that is at `position` at mid-step? If it meets nobody, only its state is
/// touched in this step.
static inline MrnNeed need_of(const MrnPass *pass, size_t b, MrnVec3 position, double *margin) {
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
    MrnPass *pass = context;
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
static inline void add_energies(const MrnPass *pass, size_t b, const double *free, const double *end, BodySums *sums) {
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
    MrnPass *pass = context;
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
    MrnPass *pass = context;
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
static void sum_blocks(const MrnPass *pass, MrnStepInfo *info) {
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

/// Contacts that the look before has solved begin with these impulses.
static void take_over_impulses(const MrnPass *pass) {
    const MrnWorld *world = pass->world;
    const MrnContact *old = pass->solved, *contact = world->contacts;
    for (size_t k = 0, c = 0; k < pass->solved_count && c < world->contact_count;) {
        int order = mrn_compare_contacts(old[k].body_a, old[k].body_b, old[k].feature, contact[c].body_a,
                                         contact[c].body_b, contact[c].feature);
        if (order == 0)
            memcpy(world->impulse + c * MRN_DIM, pass->solved_impulse + k * MRN_DIM, MRN_DIM * sizeof(double));
        k += order <= 0, c += order >= 0;
    }
}

/// The problem of the contacts, with a first guess of the impulses.
static void pose_problem(MrnPass *pass) {
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
    mrn_block_matrix_free(world->problem.delassus); // where the last solver assembled it
    world->problem.delassus = NULL;
    MRN_NAMED(mrn_rigid_problem)(&input, &world->arena, &world->problem, &world->rolling);
    size_t numbers = world->problem.contacts * MRN_DIM;
    world->impulse = mrn_arena_take(&world->arena, numbers, sizeof(double));
    world->velocity = mrn_arena_take(&world->arena, numbers, sizeof(double));
    memset(world->impulse, 0, numbers * sizeof(double));
    pass->contacts = mrn_arena_take(&world->scratch, blocks_of(world->contact_count), sizeof *pass->contacts);
    pass->known = MRN_NAMED(mrn_recall_impulses)(world);
    if (pass->solved) take_over_impulses(pass);
    world->guess = NULL;
    if (!world->keeps_guess) return;
    world->guess = mrn_arena_take(&world->arena, numbers, sizeof(double));
    memcpy(world->guess, world->impulse, numbers * sizeof(double));
}

bool MRN_NAMED(mrn_moreau_jean_step)(MrnWorld *world, MrnStepInfo *info, MrnError *error) {
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    size_t n = model->bodies.count;
    double clock = mrn_wall_seconds();
    mrn_arena_reset(&world->arena);
    mrn_arena_reset(&world->scratch);
    MrnPass pass = {.world = world};
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
    // Gaps of places that are looked at later are along normals of then.
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
        if (look + 1 == LOOKS || !MRN_NAMED(mrn_look_again)(&pass, &configuration)) break;
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
