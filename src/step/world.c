// Making a world from a model, checking it, and reading it.
#include "step/world.h"
#include "step/dem.h"
#include "base/clock.h"
#include "base/error.h"
#include "force/environment.h"
#include "force/force.h"
#include "model/source.h"
#include "problem/problem.h"
#include "model/life.h"
#include "step/breaking.h"
#include "step/event_driven.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool moreau_jean_step(MrnWorld *world, MrnStepInfo *info, MrnError *error) {
    return world->model->dimension == 2 ? mrn_moreau_jean_step_2d(world, info, error)
                                        : mrn_moreau_jean_step_3d(world, info, error);
}

static const MrnStepper steppers[] = {
    {.name = "moreau-jean",
     .summary = "time stepping of Moreau and Jean: contacts at mid-step, velocities and impulses over the whole step",
     .step = moreau_jean_step},
    {.name = "event-driven",
     .summary = "Rabatel's event-driven dynamics of rigid floes: no overlap, two-phase impacts (2D)",
     .open = mrn_event_driven_open,
     .close = mrn_event_driven_close,
     .state_changed = mrn_event_driven_state_changed,
     .step = mrn_event_driven_step,
     .contact_count = mrn_event_driven_contact_count,
     .contact = mrn_event_driven_contact},
    {.name = "dem",
     .summary = "smooth discrete elements: round grains on springs and dashpots, many short steps within a step",
     .open = mrn_dem_open,
     .close = mrn_dem_close,
     .state_changed = mrn_dem_state_changed,
     .step = mrn_dem_step,
     .contact_count = mrn_dem_contact_count,
     .contact = mrn_dem_contact},
};

size_t mrn_stepper_count(void) {
    return sizeof steppers / sizeof *steppers;
}

void mrn_collision_count_add(MrnCollisionCount *count, const MrnStepInfo *step) {
#define X(type, name, text) count->name += step->name;
    MRN_COLLISION_COUNTERS(X)
#undef X
}

MrnStepperEntry mrn_stepper_at(size_t index) {
    return (MrnStepperEntry){steppers[index].name, steppers[index].summary};
}

MrnScheme mrn_scheme_defaults(void) {
    MrnSolverSettings solver = mrn_solver_defaults();
    solver.tolerance = 1e-5; // dense packings on the move take ten times longer to 1e-6
    return (MrnScheme){.stepper = "moreau-jean",
                       .time_step = 1e-3,
                       .theta = 0.5,
                       .activation = MRN_ACTIVATION_GAP,
                       .gap_tolerance = 1e-6,
                       .recovery = 0.2,
                       .warm_start = true,
                       .solver = solver,
                       .threads = 1,
                       .event_driven = mrn_event_driven_defaults(),
                       .dem = {.stiffness_ratio = 2.0 / 7,
                               .damping_ratio = 0.5,
                               .poisson_ratio = 0.25,
                               .restitution = -1,
                               .substeps_per_collision = 50},
                       .breaking = mrn_breaking_defaults()};
}

static bool check_scheme(const MrnScheme *scheme, MrnError *error) {
    if (!(scheme->time_step > 0) || !isfinite(scheme->time_step))
        return mrn_fail(error, MRN_ERROR_INPUT, "time step is %g s, must be > 0", scheme->time_step);
    if (!(scheme->theta >= 0.5 && scheme->theta <= 1))
        return mrn_fail(error, MRN_ERROR_INPUT, "theta is %g, must be between 0.5 and 1", scheme->theta);
    if (!(scheme->gap_tolerance >= 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "gap tolerance is %g, must be >= 0", scheme->gap_tolerance);
    if (!(scheme->recovery >= 0 && scheme->recovery <= 1))
        return mrn_fail(error, MRN_ERROR_INPUT, "recovery is %g, must be between 0 and 1", scheme->recovery);
    if (!(scheme->recovery_speed >= 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "recovery speed is %g m/s, must be >= 0", scheme->recovery_speed);
    if (scheme->threads < 1)
        return mrn_fail(error, MRN_ERROR_INPUT, "number of threads is %d, must be at least 1", scheme->threads);
    return true;
}

/// Pose of a body from the state.
static MrnPose pose_of(const MrnState *state, size_t body) {
    MrnPose pose = {0};
    if (state->dimension == 2) {
        pose.position = mrn_vec3(state->position[2 * body], state->position[2 * body + 1], 0);
        pose.rotation.m[0][0] = cos(state->rotation[body]);
        pose.rotation.m[1][0] = sin(state->rotation[body]);
    } else {
        pose.position = mrn_load3(state->position + 3 * body);
        pose.rotation = mrn_quat_matrix(mrn_quat_load(state->rotation + 4 * body));
    }
    return pose;
}

/// Overlaps deeper than this share of the smaller body are refused at the start.
#define START_OVERLAP 1e-6

static bool check_overlap(MrnWorld *world, MrnError *error) {
    const MrnModel *model = world->model;
    for (size_t b = 0; b < model->bodies.count; b++) {
        world->poses[b] = pose_of(world->state, b);
        // Faces that touch exactly are found only with a margin; without one their corners count as deep inside.
        const MrnBody *body = &model->bodies.data[b];
        world->margins[b] = body->kind == MRN_BODY_FREE && isfinite(body->size) ? 1e-9 * body->size : 0;
    }
    MrnConfiguration configuration = {.poses = world->poses, .margins = world->margins, .active = world->state->active};
    size_t count;
    const MrnContact *contacts = mrn_collider_find(world->collider, &configuration, world->threads, &count),
                     *worst = NULL;
    for (size_t c = 0; c < count; c++) {
        double size = fmin(model->bodies.data[contacts[c].body_a].size, model->bodies.data[contacts[c].body_b].size);
        if (contacts[c].gap < -START_OVERLAP * size && (!worst || contacts[c].gap < worst->gap)) worst = &contacts[c];
    }
    if (!worst) return true;
    double shift[2];
    MrnVec3 b = world->poses[worst->body_b].position;
    mrn_model_image(model, worst->position, (double[2]){b.x, b.y}, shift);
    if (shift[0] != 0 || shift[1] != 0)
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "'%s' overlaps the image of '%s' that the periodic cell puts %.6g m, %.6g m away by %.3g m",
                        mrn_model_body_name(model, worst->body_a), mrn_model_body_name(model, worst->body_b), shift[0],
                        shift[1], -worst->gap);
    char where[80];
    if (model->dimension == 2)
        snprintf(where, sizeof where, "(%.6g, %.6g) m", worst->position[0], worst->position[1]);
    else
        snprintf(where, sizeof where, "(%.6g, %.6g, %.6g) m", worst->position[0], worst->position[1],
                 worst->position[2]);
    return mrn_fail(
        error, MRN_ERROR_INPUT, "'%s' and '%s' overlap by %.3g m at the start, near %s; move one by at least that",
        mrn_model_body_name(model, worst->body_a), mrn_model_body_name(model, worst->body_b), -worst->gap, where);
}

/// A free ball; one that was given different moments of inertia about its axes is none.
static bool is_ball(const MrnModel *model, int index) {
    const double *inertia = model->bodies.data[index].inertia;
    bool even = model->dimension == 2 || (fabs(inertia[0] - inertia[2]) <= 1e-12 * inertia[2] &&
                                          fabs(inertia[1] - inertia[2]) <= 1e-12 * inertia[2]);
    return even && mrn_model_ball_radius(model, index) > 0;
}

static void make_constants(MrnWorld *world) {
    const MrnModel *model = world->model;
    size_t materials = model->materials.count, dim = (size_t)model->dimension;
    free(world->laws);
    world->laws = mrn_alloc(materials * materials + 1, sizeof *world->laws);
    for (size_t a = 0; a < materials; a++)
        for (size_t b = 0; b < materials; b++) {
            world->laws[a * materials + b] = mrn_model_law(model, (int)a, (int)b);
            world->may_roll |= world->laws[a * materials + b].rolling_length > 0;
        }
    double smallest_free = INFINITY, smallest = INFINITY;
    world->round = true;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        double *scaling = world->scaling + b * world->scales, *inertia = world->inertia + b * world->scales;
        scaling[0] = sqrt(mrn_body_inverse_mass(body)), inertia[0] = body->mass;
        for (size_t k = 0; k + 1 < world->scales; k++)
            scaling[1 + k] = sqrt(mrn_body_inverse_inertia(body, dim == 2 ? 2 : (int)k)),
                        inertia[1 + k] = body->inertia[dim == 2 ? 2 : k];
        if (body->kind == MRN_BODY_FREE) world->round &= is_ball(model, (int)b);
        smallest = fmin(smallest, body->size);
        if (body->kind == MRN_BODY_FREE) smallest_free = fmin(smallest_free, body->size);
    }
    world->smallest = isfinite(smallest_free) ? smallest_free : isfinite(smallest) ? smallest : 1;
    world->gap_tolerance = world->scheme.gap_tolerance * world->smallest;
    world->recovery_speed = world->scheme.recovery_speed > 0 ? world->scheme.recovery_speed
                                                             : world->smallest / (100 * world->scheme.time_step);
    if (world->scheme.activation == MRN_ACTIVATION_MOREAU) world->scheme.recovery = 0;
}

static void free_room(MrnWorld *world) {
    mrn_collider_free(world->collider);
    free(world->rank);
    free(world->kinds);
    free(world->posed);
    free(world->needs);
    free(world->poses);
    free(world->free);
    free(world->scaling);
    free(world->inertia);
    free(world->margins);
    mrn_array_free(&world->ranked);
}

/// What is kept per body, for the bodies that the model has now.
static void make_room(MrnWorld *world) {
    const MrnModel *model = world->model;
    size_t n = model->bodies.count, dof = model->dimension == 2 ? 3 : 6;
    free_room(world);
    world->collider = mrn_collider_new(model);
    if (!world->stepper->open) mrn_collider_repeat(world->collider); // others look for images themselves
    world->rank = mrn_alloc(n + 1, sizeof *world->rank);
    memset(world->rank, -1, (n + 1) * sizeof *world->rank);
    world->kinds = mrn_alloc(n + 1, sizeof *world->kinds);
    bool alike = model->dimension == 3;
    for (size_t b = 0; b < n; b++) {
        const MrnBody *body = &model->bodies.data[b];
        bool loaded = false;
        for (int k = 0; k < 3; k++) loaded |= body->load->force[k] != 0 || body->load->torque[k] != 0;
        world->kinds[b] = (uint8_t)((unsigned)body->kind | (loaded ? MRN_LOADED : 0));
        alike &= body->inertia[0] == body->inertia[1] && body->inertia[1] == body->inertia[2];
    }
    world->scales = model->dimension == 2 || alike ? 2 : 4;
    world->poses = mrn_alloc_zero(n + 1, sizeof *world->poses);
    world->free = mrn_alloc_zero(n * dof + 1, sizeof(double));
    world->scaling = mrn_alloc_zero(n * world->scales + 1, sizeof(double));
    world->inertia = mrn_alloc_zero(n * world->scales + 1, sizeof(double));
    world->margins = mrn_alloc_zero(n + 1, sizeof(double));
    world->posed = mrn_alloc_zero(n + 1, sizeof *world->posed);
    world->needs = mrn_alloc_zero(n + 1, sizeof *world->needs);
    world->fixed_placed = false;
    world->known = n;
    make_constants(world);
}

/// Bodies have come since the last step: everything that is made from the model is made anew.
static bool meet_new_bodies(MrnWorld *world, MrnError *error) {
    if (world->stepper->close) world->stepper->close(world);
    make_room(world);
    return !world->stepper->open || world->stepper->open(world, error);
}

/// Can the stepper do a periodic plane, and do bodies fit into its cell? The event-driven one has its own rule for
/// that.
static bool check_period(const MrnModel *model, const MrnStepper *stepper, MrnError *error) {
    if (!model->periodic || stepper->open == mrn_event_driven_open) return true;
    if (stepper->step != moreau_jean_step)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "a periodic plane is for the moreau-jean and event-driven steppers, not for %s", stepper->name);
    double width = model->period_high[0] - model->period_low[0], height = model->period_high[1] - model->period_low[1];
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (2 * body->reach < fmin(width, height)) continue;
        if (!isfinite(body->reach))
            return mrn_fail(error, MRN_ERROR_INPUT, "'%s' has no end: a periodic plane has no room for it",
                            mrn_model_body_name(model, (int)b));
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "'%s' may be %.6g m wide, which is too large for a periodic cell of %.6g m by %.6g m: it would "
                        "meet its own image",
                        mrn_model_body_name(model, (int)b), 2 * body->reach, width, height);
    }
    return true;
}

MrnWorld *mrn_world_new(const MrnModel *model, const MrnScheme *scheme, MrnError *error) {
    if (!check_scheme(scheme, error)) return NULL;
    const MrnStepper *stepper = NULL;
    for (size_t i = 0; i < sizeof steppers / sizeof *steppers; i++)
        if (strcmp(steppers[i].name, scheme->stepper) == 0) stepper = &steppers[i];
    if (!stepper) {
        char names[400] = "";
        for (size_t i = 0; i < sizeof steppers / sizeof *steppers; i++) {
            size_t used = strlen(names);
            snprintf(names + used, sizeof names - used, "%s%s", i ? ", " : "", steppers[i].name);
        }
        mrn_fail(error, MRN_ERROR_UNSUPPORTED, "no stepper '%.100s'; there are: %s", scheme->stepper, names);
        return NULL;
    }
    if (!check_period(model, stepper, error)) return NULL;
    if (!mrn_breaking_check(&scheme->breaking, model, stepper->name, error)) return NULL;
    MrnWorld *world = mrn_alloc_zero(1, sizeof *world);
    if (scheme->breaking.energy > 0) world->grown = mrn_model_copy(model, model->events.count);
    world->model = world->grown ? world->grown : model;
    world->scheme = *scheme;
    world->stepper = stepper;
    world->threads = mrn_threads_new(scheme->threads < 64 ? scheme->threads : 64);
    world->state = mrn_state_new(model);
    world->state->last_time_step[0] = scheme->time_step;
    make_room(world);
    if (!check_overlap(world, error) || (stepper->open && !stepper->open(world, error))) {
        mrn_world_free(world);
        return NULL;
    }
    return world;
}

void mrn_world_free(MrnWorld *world) {
    if (!world) return;
    if (world->stepper->close) world->stepper->close(world); // also after an open that failed
    mrn_state_free(world->state);
    mrn_threads_free(world->threads);
    mrn_block_matrix_free(world->problem.delassus);
    free_room(world);
    mrn_arena_free(&world->arena);
    mrn_arena_free(&world->scratch);
    mrn_array_free(&world->blows);
    free(world->laws);
    mrn_model_free(world->grown);
    free(world);
}

/// Mean force on all obstacles in the last step, from the impulses of its contacts.
static void sum_obstacles(const MrnWorld *world, MrnStepInfo *info) {
    double sum[3] = {0, 0, 0};
    bool any = false;
    for (size_t b = 0; b < world->model->bodies.count && !any; b++)
        any = world->model->bodies.data[b].kind != MRN_BODY_FREE;
    for (size_t c = 0; any && c < mrn_world_contact_count(world); c++) {
        if (!world->stepper->contact && // a view costs more than to see that it is not wanted
            world->model->bodies.data[world->contacts[c].body_a].kind == MRN_BODY_FREE &&
            world->model->bodies.data[world->contacts[c].body_b].kind == MRN_BODY_FREE)
            continue;
        MrnContactView view = mrn_world_contact(world, c);
        bool on_a = world->model->bodies.data[view.body_a].kind != MRN_BODY_FREE;
        if (!on_a && world->model->bodies.data[view.body_b].kind == MRN_BODY_FREE) continue;
        for (int k = 0; k < 3; k++) sum[k] += on_a ? view.impulse[k] : -view.impulse[k];
    }
    double h = world->scheme.time_step;
    info->obstacle_x = sum[0] / h, info->obstacle_y = sum[1] / h, info->obstacle_z = sum[2] / h;
}

bool mrn_world_step(MrnWorld *world, MrnStepInfo *info, MrnError *error) {
    MrnStepInfo unused;
    MrnStepInfo *out = info ? info : &unused;
    memset(out, 0, sizeof *out);
    out->limiting_a = out->limiting_b = -1;
    double begin = mrn_wall_seconds();
    if (world->known != world->model->bodies.count && !meet_new_bodies(world, error)) return false;
    mrn_bodies_come_and_go(world->model, world->state);
    world->blows.count = 0;
    bool done = world->stepper->step(world, out, error) && mrn_environment_check(world->model, world->state, error);
    if (done && strcmp(world->stepper->name, "dem") != 0) sum_obstacles(world, out);
    if (done && world->model->environment) {
        out->free_drift_energy = mrn_free_drift_energy(world->model, world->state, out->time);
        if (world->model->environment->ocean)
            out->ocean_x = world->state->ocean_velocity[0], out->ocean_y = world->state->ocean_velocity[1];
    }
    if (done) mrn_breaking_apply(world, out);
    out->seconds_total = mrn_wall_seconds() - begin;
    if (done && !isfinite(out->kinetic_energy))
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "step %lld at t = %g s: the kinetic energy is %g J, beyond what numbers can hold; are masses, "
                        "forces, speeds and the time step what they should be?",
                        (long long)out->step, out->time, out->kinetic_energy);
    return done;
}

double mrn_world_time(const MrnWorld *world) {
    return world->state->time[0];
}

const double *mrn_world_position(const MrnWorld *world, int body) {
    return world->state->position + (size_t)body * (size_t)world->model->dimension;
}

const double *mrn_world_rotation(const MrnWorld *world, int body) {
    return world->state->rotation + (size_t)body * (world->model->dimension == 2 ? 1 : 4);
}

const double *mrn_world_velocity(const MrnWorld *world, int body) {
    return world->state->velocity + (size_t)body * (size_t)world->model->dimension;
}

const double *mrn_world_spin(const MrnWorld *world, int body) {
    return world->state->spin + (size_t)body * (world->model->dimension == 2 ? 1 : 3);
}

void mrn_world_set_velocity(MrnWorld *world, int body, const double *velocity, const double *spin) {
    size_t dim = (size_t)world->model->dimension, width = dim == 2 ? 1 : 3;
    world->fixed_placed = false;
    world->posed[body] = 0;
    if (velocity) memcpy(world->state->velocity + (size_t)body * dim, velocity, dim * sizeof(double));
    if (spin) memcpy(world->state->spin + (size_t)body * width, spin, width * sizeof(double));
}

size_t mrn_world_contact_count(const MrnWorld *world) {
    if (world->stepper->contact_count) return world->stepper->contact_count(world);
    return world->has_step ? world->contact_count : 0;
}

/// Tangential speeds below this share of the largest relative speed count as sticking.
#define STICK_SPEED 1e-9

MrnContactView mrn_world_contact(const MrnWorld *world, size_t index) {
    if (world->stepper->contact) return world->stepper->contact(world, index);
    const MrnContact *contact = &world->contacts[index];
    size_t dim = (size_t)world->model->dimension;
    const double *p = world->impulse + index * dim, *u = world->velocity + index * dim;
    MrnContactView view = {.body_a = contact->body_a,
                           .body_b = contact->body_b,
                           .feature = contact->feature,
                           .gap = contact->gap,
                           .normal_impulse = p[0]};
    memcpy(view.position, contact->position, sizeof view.position);
    memcpy(view.normal, contact->normal, sizeof view.normal);
    const double *q = world->problem.free_velocity + index * dim;
    size_t materials = world->model->materials.count, dof = dim == 2 ? 3 : 6;
    const MrnPairLaw *law = &world->laws[(size_t)contact->material_a * materials + (size_t)contact->material_b];
    double frame[3][3], tangent = 0, slide = 0, speed = 0;
    (dim == 2 ? mrn_contact_frame_2d : mrn_contact_frame_3d)(contact, law, frame);
    for (size_t i = 0; i < dim; i++)
        for (size_t k = 0; k < dim; k++) view.impulse[k] += p[i] * frame[i][k];
    for (size_t i = 1; i < dim; i++) tangent += p[i] * p[i], slide += u[i] * u[i];
    for (size_t i = 0; i < dim; i++) speed += q[i] * q[i];
    // u of the law is weighted by the restitutions; this is the relative velocity itself.
    MrnVec3 relative = {0, 0, 0};
    for (int side = 0; side < 2; side++) {
        size_t b = (size_t)(side == 0 ? contact->body_a : contact->body_b);
        const double *end = world->free + b * dof;
        MrnPose image;
        const MrnPose *pose =
            mrn_contact_pose(world->model, world->model->periodic, contact, side, world->poses, &image);
        relative = mrn_axpy3(
            relative, side == 0 ? 1 : -1,
            (dim == 2 ? mrn_point_velocity_2d : mrn_point_velocity_3d)(pose, end, end + dim, contact->position));
    }
    mrn_store3(view.velocity, relative);
    double mu = world->problem.friction[index];
    bool on_cone = sqrt(tangent) >= (1 - 1e-9) * mu * p[0];
    view.status = p[0] <= 0 ? 0 : on_cone && sqrt(slide) > STICK_SPEED * sqrt(speed) ? 2 : 1;
    return view;
}

void mrn_world_contact_resultant(const MrnWorld *world, int body, double impulse[3], double moment[3]) {
    memset(impulse, 0, 3 * sizeof(double));
    memset(moment, 0, 3 * sizeof(double));
    for (size_t c = 0; c < mrn_world_contact_count(world); c++) {
        MrnContactView view = mrn_world_contact(world, c);
        if (view.body_a != body && view.body_b != body) continue;
        double sign = view.body_a == body ? 1 : -1;
        MrnVec3 x = world->poses[body].position;
        double shift[2];
        mrn_model_image(world->model, view.position, (double[2]){x.x, x.y}, shift);
        x.x += shift[0], x.y += shift[1];
        MrnVec3 p = mrn_scale3(sign, mrn_load3(view.impulse)), r = mrn_sub3(mrn_load3(view.position), x);
        MrnVec3 m = mrn_cross3(r, p);
        impulse[0] += p.x, impulse[1] += p.y, impulse[2] += p.z;
        moment[0] += m.x, moment[1] += m.y, moment[2] += m.z;
    }
}

uint64_t mrn_world_hash(const MrnWorld *world) {
    return mrn_state_hash(world->state);
}

MrnState *mrn_world_state(MrnWorld *world) {
    return world->state;
}

void mrn_world_state_changed(MrnWorld *world) {
    world->fixed_placed = false;
    memset(world->posed, 0, world->known);
    world->has_step = false; // contacts of the last step belong to another state
    if (world->stepper->state_changed) world->stepper->state_changed(world);
}

const MrnModel *mrn_world_model(const MrnWorld *world) {
    return world->model;
}

const MrnScheme *mrn_world_scheme(const MrnWorld *world) {
    return &world->scheme;
}

void mrn_world_energy(const MrnWorld *world, double *kinetic, double *potential) {
    size_t dim = (size_t)world->model->dimension, width = dim == 2 ? 1 : 3;
    *kinetic = *potential = 0;
    for (size_t b = 0; b < world->model->bodies.count; b++) {
        const MrnBody *body = &world->model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE || !world->state->active[b]) continue;
        const double *v = world->state->velocity + b * dim, *w = world->state->spin + b * width;
        double energy = 0;
        for (size_t k = 0; k < dim; k++) energy += body->mass * v[k] * v[k];
        for (size_t k = 0; k < width; k++) energy += body->inertia[dim == 2 ? 2 : k] * w[k] * w[k];
        *kinetic += 0.5 * energy;
        *potential += mrn_potential_energy(world->model, body, world->state->position + b * dim);
    }
}

MrnProblem *mrn_world_problem(MrnWorld *world, const double **impulse, const double **velocity) {
    if (!world->has_step) return NULL;
    if (impulse) *impulse = world->impulse;
    if (velocity) *velocity = world->velocity;
    return &world->problem;
}

void mrn_world_keep_guess(MrnWorld *world, bool keep) {
    world->keeps_guess = keep;
}

const double *mrn_world_guess(const MrnWorld *world) {
    return world->has_step ? world->guess : NULL;
}
