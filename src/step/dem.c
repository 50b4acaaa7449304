// The stepper "dem": smooth discrete elements with equal sub-steps within a step (specification 3.1, 3.5, 3.6).
//
//   symplectic Euler   v+ = v + h a(x, v);  x+ = x + h v+
//   velocity Verlet    x+ = x + h v + h^2/2 a;  v+ = v + h/2 (a + a+), a+ with the velocity v + h a
//   Adams-Bashforth 2  v+ = v + h/2 (3 a - a-);  x+ = x + h/2 (3 v - v-)
//
// A step needs nothing of the one before but positions, velocities and springs: Verlet evaluates the forces anew at its
// start, and Adams-Bashforth takes its first sub-step with Verlet, which is of second order too. So a resumed run goes
// on bit for bit.
#include "step/dem.h"
#include "base/clock.h"
#include "base/error.h"
#include "force/force.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_round(MrnShapeKind kind) {
    return kind == MRN_SHAPE_DISC || kind == MRN_SHAPE_SPHERE;
}

/// Is the only shape of the body a disc or ball about the origin?
static bool round_body(const MrnModel *model, const MrnBody *body) {
    const MrnShape *shape = &model->shapes.data[body->first_shape];
    if (body->shape_count != 1 || !is_round(shape->kind)) return false;
    return mrn_norm3(mrn_load3(shape->position)) <= 1e-12 * shape->radius;
}

static bool check_bodies(const MrnWorld *world, MrnError *error) {
    const MrnModel *model = world->model;
    if (model->environment)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "dem: no wind, current or Coriolis force in this stepper; use event-driven");
    if (model->pushes.count)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "dem: '%s' has pushes, which this stepper does not know",
                        mrn_model_body_name(model, model->pushes.data[0].body));
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE) continue;
        if (!round_body(model, body))
            return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                            "dem: free bodies must be single discs or spheres, '%s' is %s%s; it can be an obstacle, or "
                            "use the stepper moreau-jean",
                            mrn_model_body_name(model, (int)b), body->shape_count > 1 ? "made of several shapes" : "a ",
                            body->shape_count > 1 ? "" : mrn_shape_name(model->shapes.data[body->first_shape].kind));
        const double *I = body->inertia;
        if (model->dimension == 3 && !(fabs(I[0] - I[1]) <= 1e-9 * I[0] && fabs(I[0] - I[2]) <= 1e-9 * I[0]))
            return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                            "dem: the inertia of '%s' is not the same about all axes (%g, %g, %g kg m2)",
                            mrn_model_body_name(model, (int)b), I[0], I[1], I[2]);
    }
    return true;
}

/// Does turning about the axis of its motion leave the surface of this shape where it is?
static bool turns_in_place(const MrnModel *model, const MrnBody *body, const MrnDriver *driver) {
    MrnVec3 axis = mrn_load3(driver->axis);
    for (int s = 0; s < body->shape_count; s++) {
        const MrnShape *shape = &model->shapes.data[body->first_shape + s];
        MrnVec3 at = mrn_load3(shape->position);
        if (model->dimension == 2) {
            if ((shape->kind != MRN_SHAPE_RING && shape->kind != MRN_SHAPE_DISC) || mrn_norm3(at) > 0) return false;
            continue;
        }
        if (shape->kind != MRN_SHAPE_TUBE && shape->kind != MRN_SHAPE_FUNNEL && shape->kind != MRN_SHAPE_PLANE &&
            shape->kind != MRN_SHAPE_CYLINDER)
            return false;
        MrnQuat turn = mrn_quat_load(body->start->rotation);
        MrnVec3 z = mrn_quat_rotate(turn, mrn_quat_rotate(mrn_quat_load(shape->rotation), mrn_vec3(0, 0, 1)));
        MrnVec3 off = mrn_cross3(axis, mrn_quat_rotate(turn, at));
        if (mrn_norm3(mrn_cross3(axis, z)) > 1e-12) return false;
        if (shape->kind != MRN_SHAPE_PLANE && mrn_norm3(off) > 1e-12 * shape->radius) return false;
    }
    return true;
}

static MrnRow *new_rows(size_t count) {
    MrnRow *rows = mrn_alloc_aligned(count, sizeof *rows);
    memset(rows, 0, count * sizeof *rows);
    return rows;
}

static void number_bodies(MrnWorld *world, MrnDem *dem) {
    const MrnModel *model = world->model;
    size_t n = model->bodies.count;
    dem->grain_of = mrn_alloc(n + 1, sizeof *dem->grain_of);
    dem->obstacle_of = mrn_alloc(n + 1, sizeof *dem->obstacle_of);
    dem->body = mrn_alloc_zero(n + 1, sizeof *dem->body);
    dem->material = mrn_alloc_zero(n + 1, sizeof *dem->material);
    dem->obstacles = mrn_alloc_zero(n + 1, sizeof *dem->obstacles);
    dem->proxies = mrn_alloc_zero(n + 1, sizeof *dem->proxies);
    for (size_t b = 0; b < n; b++) {
        const MrnBody *body = &model->bodies.data[b];
        dem->grain_of[b] = dem->obstacle_of[b] = -1;
        if (round_body(model, body)) {
            dem->body[dem->count] = (int32_t)b;
            dem->material[dem->count] = model->shapes.data[body->first_shape].material;
            if (body->kind == MRN_BODY_DRIVEN) mrn_array_push(&dem->driven, (int32_t)dem->count);
            dem->grain_of[b] = (int32_t)dem->count++;
        } else {
            MrnDemObstacle *obstacle = &dem->obstacles[dem->obstacle_count];
            obstacle->body = (int32_t)b;
            obstacle->moves = body->kind == MRN_BODY_DRIVEN;
            obstacle->turns_in_place =
                obstacle->moves && turns_in_place(model, body, &model->drivers.data[body->driver]);
            dem->obstacle_of[b] = (int32_t)dem->obstacle_count++;
        }
    }
}

static void make_rows(MrnWorld *world, MrnDem *dem) {
    const MrnModel *model = world->model;
    size_t rows = dem->count + 1;
    MrnRow **all[] = {&dem->x,       &dem->v,       &dem->w,       &dem->f,       &dem->t,      &dem->kept[0],
                      &dem->kept[1], &dem->kept[2], &dem->kept[3], &dem->kept[4], &dem->turned, &dem->reference};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) *all[i] = new_rows(rows);
    bool loaded = false;
    dem->v[dem->count][3] = 1; // the padding has a mass, so that nothing becomes infinite there
    for (size_t g = 0; g < dem->count; g++) {
        const MrnBody *body = &model->bodies.data[dem->body[g]];
        dem->x[g][3] = model->shapes.data[body->first_shape].radius;
        dem->v[g][3] = mrn_body_inverse_mass(body);
        dem->w[g][3] = mrn_body_inverse_inertia(body, 2);
        for (int k = 0; k < 3; k++) loaded |= body->load->force[k] != 0 || body->load->torque[k] != 0;
    }
    if (!loaded) return;
    dem->load = new_rows(2 * rows);
    for (size_t g = 0; g < dem->count; g++) {
        const MrnBody *body = &model->bodies.data[dem->body[g]];
        const double *f = body->load->force, *t = body->load->torque;
        bool space = model->dimension == 3;
        dem->load[2 * g] = (MrnRow){f[0], f[1], space ? f[2] : 0, 0};
        dem->load[2 * g + 1] = (MrnRow){space ? t[0] : 0, space ? t[1] : 0, t[2], 0};
    }
}

bool mrn_dem_open(MrnWorld *world, MrnError *error) {
    MrnDem *dem = world->own = mrn_alloc_zero(1, sizeof *dem);
    if (!check_bodies(world, error) || !mrn_dem_parameters(world, dem, error)) return false;
    number_bodies(world, dem);
    make_rows(world, dem);
    dem->broad = mrn_broad_new(world->model->bodies.count);
    return true;
}

void mrn_dem_close(MrnWorld *world) {
    MrnDem *dem = world->own;
    if (!dem) return;
    mrn_broad_free(dem->broad);
    void *blocks[] = {dem->laws,
                      dem->grain_of,
                      dem->obstacle_of,
                      dem->body,
                      dem->material,
                      dem->obstacles,
                      dem->proxies,
                      dem->x,
                      dem->v,
                      dem->w,
                      dem->f,
                      dem->t,
                      dem->kept[0],
                      dem->kept[1],
                      dem->kept[2],
                      dem->kept[3],
                      dem->kept[4],
                      dem->turned,
                      dem->load,
                      dem->reference,
                      dem->pair_a,
                      dem->pair_b,
                      dem->slot_contact,
                      dem->springs,
                      dem->touch_block,
                      dem->contact_slot,
                      dem->contact_force,
                      dem};
    mrn_array_free(&dem->driven);
    mrn_array_free(&dem->adjacent_start);
    mrn_array_free(&dem->adjacent);
    mrn_array_free(&dem->candidates);
    mrn_array_free(&dem->block_count);
    mrn_array_free(&dem->sums);
    mrn_array_free(&dem->walls);
    mrn_array_free(&dem->old_walls);
    mrn_array_free(&dem->touches);
    mrn_array_free(&dem->views);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) free(blocks[i]);
    world->own = NULL;
}

void mrn_dem_state_changed(MrnWorld *world) {
    MrnDem *dem = world->own;
    dem->listed = dem->started = false;
    dem->views.count = 0;
}

size_t mrn_dem_contact_count(const MrnWorld *world) {
    const MrnDem *dem = world->own;
    return world->has_step ? dem->views.count : 0;
}

MrnContactView mrn_dem_contact(const MrnWorld *world, size_t index) {
    return ((const MrnDem *)world->own)->views.data[index];
}

/// Rows and obstacles from the state; true if bodies were born.
static bool load_state(MrnWorld *world, MrnDem *dem) {
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    size_t dim = (size_t)model->dimension;
    bool born = false;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        double t = state->time[0];
        if (body->birth > 0 && !state->active[b] && body->birth <= t && body->birth > t - 1.5 * world->scheme.time_step)
            state->active[b] = 1, born = true;
        const double *x = state->position + b * dim, *v = state->velocity + b * dim;
        double still = state->active[b] ? 1 : 0;
        int32_t g = dem->grain_of[b];
        if (g < 0) {
            MrnDemObstacle *obstacle = &dem->obstacles[dem->obstacle_of[b]];
            MrnPose pose = {.position = {x[0], x[1], dim == 3 ? x[2] : 0}};
            if (dim == 3)
                pose.rotation = mrn_quat_matrix(mrn_quat_load(state->rotation + 4 * b));
            else
                pose.rotation.m[0][0] = cos(state->rotation[b]), pose.rotation.m[1][0] = sin(state->rotation[b]);
            obstacle->pose = pose;
            continue;
        }
        dem->x[g] = (MrnRow){x[0], x[1], dim == 3 ? x[2] : 0, dem->x[g][3]};
        dem->v[g] =
            (MrnRow){still * v[0], still * v[1], dim == 3 ? still * v[2] : 0, still * mrn_body_inverse_mass(body)};
        MrnVec3 w = {0, 0, 0};
        if (dim == 2)
            w.z = still * state->spin[b];
        else if (state->active[b])
            w = mrn_quat_rotate(mrn_quat_load(state->rotation + 4 * b), mrn_load3(state->spin + 3 * b));
        dem->w[g] = (MrnRow){w.x, w.y, w.z, still * mrn_body_inverse_inertia(body, 2)};
        dem->turned[g] = (MrnRow){0, 0, 0, 0};
    }
    return born;
}

static void store_state(MrnWorld *world, const MrnDem *dem) {
    const MrnModel *model = world->model;
    MrnState *state = world->state;
    size_t dim = (size_t)model->dimension;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (!state->active[b]) continue;
        double *x = state->position + b * dim, *v = state->velocity + b * dim, *q = state->rotation;
        if (body->kind == MRN_BODY_DRIVEN) {
            double place[3], turn[4], velocity[3], spin[3];
            mrn_driver_state(model, (int)b, state->time[0], place, turn, velocity, spin);
            memcpy(x, place, dim * sizeof(double));
            memcpy(v, velocity, dim * sizeof(double));
            if (dim == 2)
                q[b] = turn[0], state->spin[b] = spin[2];
            else {
                memcpy(q + 4 * b, turn, sizeof turn);
                mrn_store3(state->spin + 3 * b,
                           mrn_quat_rotate(mrn_quat_conjugate(mrn_quat_load(turn)), mrn_load3(spin)));
            }
        } else if (body->kind == MRN_BODY_FREE) {
            int32_t g = dem->grain_of[b];
            for (size_t k = 0; k < dim; k++) x[k] = dem->x[g][k], v[k] = dem->v[g][k];
            if (dim == 2)
                q[b] += dem->turned[g][2], state->spin[b] = dem->w[g][2];
            else {
                MrnVec3 half = mrn_scale3(0.5, mrn_vec3(dem->turned[g][0], dem->turned[g][1], dem->turned[g][2]));
                MrnQuat turned = mrn_quat_normalize(mrn_quat_multiply(mrn_quat_exp(half), mrn_quat_load(q + 4 * b)));
                mrn_quat_store(q + 4 * b, turned);
                MrnVec3 w = {dem->w[g][0], dem->w[g][1], dem->w[g][2]};
                mrn_store3(state->spin + 3 * b, mrn_quat_rotate(mrn_quat_conjugate(turned), w));
            }
        }
        MrnPose *pose = &world->poses[b];
        pose->position = mrn_vec3(x[0], x[1], dim == 3 ? x[2] : 0);
    }
}

/// One move of all grains.
typedef enum Move { EULER, VERLET_FIRST, VERLET_SECOND, REMEMBER, ADAMS } Move;

/// Of a block of grains.
typedef struct MoveSums {
    double fastest2;
    double work; ///< J, of contact forces on the change of velocity: half of h F . h a
} MoveSums;

typedef struct Motion {
    MrnDem *dem;
    MrnRow gravity;
    double h;
    Move move;
    MoveSums *blocks; ///< sums are added in the order of blocks
} Motion;

MRN_INLINE void move_block(MrnDem *dem, Move move, MrnRow gravity, double h, size_t begin, size_t end, MoveSums *sums) {
    const MrnRow zero = {0, 0, 0, 0}, only_vector = {1, 1, 1, 0};
    MrnRow *const *kept = dem->kept;
    MrnRow work = zero;
    double most = 0;
    for (size_t g = begin; g < end; g++) {
        MrnRow v = dem->v[g], w = dem->w[g];
        if (v[3] > 0) {
            MrnRow a = gravity + v[3] * dem->f[g], b = w[3] * dem->t[g], way = zero; // [3] of f, t and gravity is 0
            MrnRow turn = zero;
            switch (move) {
            case EULER:
                work += dem->f[g] * a + dem->t[g] * b;
                v += h * a, w += h * b;
                way = h * v, turn = h * w;
                break;
            case VERLET_FIRST: // the predicted velocity is for the dashpots
                kept[0][g] = v + 0.5 * h * a, kept[1][g] = w + 0.5 * h * b;
                way = h * kept[0][g], turn = h * kept[1][g];
                v += h * a, w += h * b;
                break;
            case VERLET_SECOND: v = kept[0][g] + 0.5 * h * a, w = kept[1][g] + 0.5 * h * b; break;
            case REMEMBER: kept[2][g] = v, kept[3][g] = a, kept[4][g] = b; break;
            case ADAMS:
                way = 0.5 * h * (3 * v - kept[2][g]), turn = h * w;
                kept[2][g] = v;
                v += 0.5 * h * (3 * a - kept[3][g]), w += 0.5 * h * (3 * b - kept[4][g]);
                kept[3][g] = a, kept[4][g] = b;
                break;
            }
            dem->x[g] += way * only_vector;
            dem->turned[g] += turn;
            dem->v[g] = v, dem->w[g] = w;
        }
        MrnRow square = v * v;
        double speed2 = square[0] + square[1] + square[2];
        most = speed2 > most ? speed2 : most;
    }
    *sums = (MoveSums){most, 0.5 * h * h * (work[0] + work[1] + work[2])};
}

MRN_KERNEL static void move_euler(Motion *m, size_t begin, size_t end, MoveSums *sums) {
    move_block(m->dem, EULER, m->gravity, m->h, begin, end, sums);
}

MRN_KERNEL static void move_other(Motion *m, size_t begin, size_t end, MoveSums *sums) {
    move_block(m->dem, m->move, m->gravity, m->h, begin, end, sums);
}

static void move_task(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    Motion *m = context;
    for (size_t block = begin; block < end; block++) {
        size_t first = block * MRN_DEM_BLOCK, last = first + MRN_DEM_BLOCK;
        if (last > m->dem->count) last = m->dem->count;
        (m->move == EULER ? move_euler : move_other)(m, first, last, &m->blocks[block]);
    }
}

/// Returns the work that contacts did beyond that at the velocities of the evaluation.
static double move_grains(MrnWorld *world, Motion *motion, Move move) {
    MrnDem *dem = motion->dem;
    size_t blocks = (dem->count + MRN_DEM_BLOCK - 1) / MRN_DEM_BLOCK;
    motion->move = move;
    mrn_threads_for(world->threads, blocks, 8, move_task, motion);
    double most = 0, work = 0;
    for (size_t block = 0; block < blocks; block++) {
        most = fmax(most, motion->blocks[block].fastest2);
        work += motion->blocks[block].work;
    }
    double fastest = sqrt(most);
    // The velocity that moved a grain lies between the old and the new one, or less than their difference beyond.
    double bound = move == EULER ? fastest : 2 * fmax(fastest, dem->fastest) + fastest;
    dem->fastest = fastest;
    if (move == EULER || move == VERLET_FIRST || move == ADAMS) dem->travel += motion->h * bound;
    return work;
}

/// What the sub-steps of a step add up.
typedef struct Totals {
    double loss, driver, overlap;
    int64_t fresh;
    double seconds_lists;
} Totals;

/// Forces at `time`; springs grow by `step`.
static void evaluate(MrnWorld *world, MrnDem *dem, double time, double step, bool last, Totals *totals) {
    mrn_dem_place_obstacles(world, dem, time);
    if (mrn_dem_lists_are_old(world, dem)) {
        double clock = mrn_wall_seconds();
        mrn_dem_build_lists(world, dem);
        totals->seconds_lists += mrn_wall_seconds() - clock;
    }
    dem->keep_forces = last;
    MrnDemPass pass = {.world = world, .dem = dem, .step = step};
    mrn_dem_forces(&pass);
    totals->loss += step * pass.sums.loss;
    totals->driver += step * pass.sums.driver;
    totals->overlap = fmax(totals->overlap, pass.sums.overlap);
    totals->fresh += pass.sums.fresh;
}

static void sub_steps(MrnWorld *world, MrnDem *dem, double h, int64_t count, Totals *totals) {
    const MrnModel *model = world->model;
    MrnDemIntegrator integrator = world->scheme.dem.integrator;
    const double *g = model->gravity;
    Motion motion = {.dem = dem, .h = h, .gravity = {g[0], g[1], model->dimension == 3 ? g[2] : 0, 0}};
    double start = world->state->time[0];
    motion.blocks = mrn_arena_take(&world->scratch, dem->count / MRN_DEM_BLOCK + 1, sizeof *motion.blocks);
    if (integrator == MRN_DEM_SYMPLECTIC_EULER) {
        for (int64_t k = 0; k < count; k++) {
            evaluate(world, dem, start + (double)k * h, h, k == count - 1, totals);
            totals->loss -= move_grains(world, &motion, EULER); // the work is that of the mean of both velocities
        }
        return;
    }
    bool adams = integrator == MRN_DEM_ADAMS_BASHFORTH;
    // Springs of Verlet have grown up to the start; those of Adams-Bashforth have not since its last evaluation.
    evaluate(world, dem, start, adams ? h : 0, false, totals);
    if (adams) move_grains(world, &motion, REMEMBER);
    for (int64_t k = 0; k < count; k++) {
        if (adams && k > 0) {
            move_grains(world, &motion, ADAMS);
            if (k < count - 1) evaluate(world, dem, start + (double)(k + 1) * h, h, k == count - 2, totals);
            continue;
        }
        move_grains(world, &motion, VERLET_FIRST);
        evaluate(world, dem, start + (double)(k + 1) * h, h, k == count - 1 || (adams && count == 2), totals);
        move_grains(world, &motion, VERLET_SECOND);
    }
}

static void energies(const MrnWorld *world, MrnStepInfo *info) {
    double speed2 = 0;
    size_t dim = (size_t)world->model->dimension;
    mrn_world_energy(world, &info->kinetic_energy, &info->potential_energy);
    for (size_t b = 0; b < world->model->bodies.count; b++) {
        if (world->model->bodies.data[b].kind != MRN_BODY_FREE || !world->state->active[b]) continue;
        double square = 0;
        for (size_t k = 0; k < dim; k++)
            square += world->state->velocity[b * dim + k] * world->state->velocity[b * dim + k];
        speed2 = fmax(speed2, square);
    }
    info->max_speed = sqrt(speed2);
}

bool mrn_dem_step(MrnWorld *world, MrnStepInfo *info, MrnError *error) {
    MrnDem *dem = world->own;
    MrnState *state = world->state;
    double clock = mrn_wall_seconds(), kinetic, potential;
    mrn_arena_reset(&world->scratch);
    if (load_state(world, dem)) dem->listed = false;
    mrn_world_energy(world, &kinetic, &potential);
    mrn_dem_place_obstacles(world, dem, state->time[0]);
    if (!dem->started) { // the first step, or the state was read from a checkpoint
        mrn_dem_build_lists(world, dem);
        mrn_dem_recall_memory(world, dem);
        dem->elastic = mrn_dem_elastic_energy(world, dem);
        dem->started = true;
    }
    double count = ceil(world->scheme.time_step / dem->step * (1 - 1e-12));
    if (!(count < 1e9))
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "dem: a step of %g s would take %.3g sub-steps of %.3g s; the contacts are too stiff for it",
                        world->scheme.time_step, count, dem->step);
    int64_t steps = count < 1 ? 1 : (int64_t)count;
    Totals totals = {0};
    sub_steps(world, dem, world->scheme.time_step / (double)steps, steps, &totals);

    state->step[0]++;
    state->time[0] += world->scheme.time_step;
    store_state(world, dem);
    mrn_dem_store_memory(world, dem);
    mrn_dem_make_views(world, dem);
    world->has_step = true;
    mrn_dem_place_obstacles(world, dem, state->time[0]);
    double elastic = mrn_dem_elastic_energy(world, dem);
    energies(world, info);
    info->step = state->step[0];
    info->time = state->time[0];
    info->substeps = steps;
    info->contacts = info->touching = (int64_t)(dem->contact_count + dem->walls.count);
    info->new_contacts = totals.fresh;
    info->penetration = totals.overlap;
    info->elastic_energy = elastic;
    info->dissipated_energy = totals.loss - (elastic - dem->elastic);
    info->driver_work = totals.driver;
    info->energy_defect =
        info->kinetic_energy + info->potential_energy - kinetic - potential + totals.loss - totals.driver;
    info->seconds_detect = totals.seconds_lists;
    info->seconds_solve = mrn_wall_seconds() - clock - totals.seconds_lists;
    dem->elastic = elastic;
    if (!isfinite(info->kinetic_energy) || !isfinite(info->potential_energy))
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "dem: the motion became infinite at %g s: the step of %g s is too long for the stiffness, or "
                        "bodies started inside each other",
                        state->time[0], dem->step);
    if (totals.overlap > dem->overlap_limit)
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "dem: an overlap of %.3g m at %g s makes a Hertz contact too stiff for the step of %.3g s "
                        "(limit %.3g m); give the largest impact speed, or a shorter step",
                        totals.overlap, state->time[0], dem->step, dem->overlap_limit);
    return true;
}
