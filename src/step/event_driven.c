// The event-driven stepper as the world sees it: one step and its contacts. See event_driven_open.c for how it begins.
#include "step/event_driven.h"
#include "base/clock.h"
#include "base/error.h"
#include "force/environment.h"
#include "force/force.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mrn_event_driven_state_changed(MrnWorld *world) {
    MrnEventDriven *ed = world->own;
    ed->candidates_valid = false;
    ed->records.count = 0;
}

/// Bodies whose time has come join.
static void wake(MrnWorld *world) {
    MrnEventDriven *ed = world->own;
    double t = world->state->time[0];
    for (size_t b = 0; b < world->model->bodies.count; b++) {
        const MrnBody *body = &world->model->bodies.data[b];
        uint8_t *active = &world->state->active[b];
        if (body->birth > 0 && !*active && !world->state->removed[b] && body->birth <= t &&
            body->birth > t - 1.5 * world->scheme.time_step)
            *active = 1, ed->candidates_valid = false;
    }
}

void mrn_event_load(MrnEventDriven *ed) {
    const MrnModel *model = ed->world->model;
    const MrnState *state = ed->world->state;
    double t = state->time[0], h = ed->world->scheme.time_step;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        MrnEventBody *flying = &ed->bodies[b];
        flying->position = mrn_vec2(state->position[2 * b], state->position[2 * b + 1]);
        flying->angle = state->rotation[b];
        flying->motion = (MrnFloeMotion){{state->velocity[2 * b], state->velocity[2 * b + 1]}, state->spin[b]};
        flying->clock = 0;
        flying->pose_time = -1;
        flying->inverse[0] = mrn_body_inverse_mass(body), flying->inverse[1] = mrn_body_inverse_inertia(body, 2);
        flying->active = state->active[b] != 0;
        flying->mobile = body->kind == MRN_BODY_FREE;
        if (body->kind == MRN_BODY_DRIVEN) {
            double x[3], turned[4], y[3], turned_after[4], v[3], w[3];
            mrn_driver_state(model, (int)b, t, x, turned, v, w);
            mrn_driver_state(model, (int)b, t + h, y, turned_after, v, w);
            flying->position = mrn_vec2(x[0], x[1]);
            flying->angle = turned[0];
            flying->motion = (MrnFloeMotion){{(y[0] - x[0]) / h, (y[1] - x[1]) / h}, (turned_after[0] - turned[0]) / h};
        } else if (body->kind == MRN_BODY_FIXED)
            flying->motion = (MrnFloeMotion){{0, 0}, 0};
    }
}

static void store(MrnEventDriven *ed) {
    const MrnModel *model = ed->world->model;
    MrnState *state = ed->world->state;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnEventBody *flying = &ed->bodies[b];
        if (!flying->active || model->bodies.data[b].kind == MRN_BODY_FIXED) continue;
        if (model->bodies.data[b].kind == MRN_BODY_DRIVEN) {
            double x[3], turned[4], v[3], w[3];
            mrn_driver_state(model, (int)b, state->time[0] + ed->world->scheme.time_step, x, turned, v, w);
            state->position[2 * b] = x[0], state->position[2 * b + 1] = x[1];
            state->rotation[b] = turned[0];
            state->velocity[2 * b] = v[0], state->velocity[2 * b + 1] = v[1];
            state->spin[b] = w[2];
            continue;
        }
        state->position[2 * b] = flying->position.x;
        state->position[2 * b + 1] = flying->position.y;
        state->rotation[b] = flying->angle;
        state->velocity[2 * b] = flying->motion.velocity.x;
        state->velocity[2 * b + 1] = flying->motion.velocity.y;
        state->spin[b] = flying->motion.spin;
    }
}

/// The present positions and velocities, for the forces to read.
static void show_state(MrnEventDriven *ed) {
    MrnState *state = ed->world->state;
    for (size_t b = 0; b < ed->world->model->bodies.count; b++) {
        const MrnEventBody *flying = &ed->bodies[b];
        if (!flying->active || !flying->mobile) continue;
        state->position[2 * b] = flying->position.x;
        state->position[2 * b + 1] = flying->position.y;
        state->rotation[b] = flying->angle;
        state->velocity[2 * b] = flying->motion.velocity.x;
        state->velocity[2 * b + 1] = flying->motion.velocity.y;
        state->spin[b] = flying->motion.spin;
    }
}

void mrn_event_forces(MrnEventDriven *ed, double now, double length) {
    const MrnModel *model = ed->world->model;
    const MrnState *state = ed->world->state;
    double clock = mrn_wall_seconds();
    show_state(ed);
    MrnWeather weather = {0};
    if (model->environment) weather = mrn_weather_at(model, state, state->time[0] + now);
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnEventBody *flying = &ed->bodies[b];
        if (!flying->active || !flying->mobile) continue;
        double zero[2] = {0, 0}, still = 0, *kick = ed->kick + 3 * b;
        MrnPose pose = {.position = {flying->position.x, flying->position.y, 0}};
        mrn_free_velocity(model, &model->bodies.data[b], &pose, length, zero, &still, kick, kick + 2);
        mrn_add_pushes(model, b, &pose, state->time[0] + now, length, kick, kick + 2);
        if (!model->environment) continue;
        double force[2], moment;
        mrn_weather_force(model, state, b, &weather, force, &moment, NULL);
        kick[0] += length * flying->inverse[0] * force[0];
        kick[1] += length * flying->inverse[0] * force[1];
        kick[2] += length * flying->inverse[1] * moment;
    }
    ed->info->seconds_assemble += mrn_wall_seconds() - clock;
}

void mrn_event_kick(MrnEventDriven *ed, double now, double length) {
    const MrnModel *model = ed->world->model;
    for (size_t b = 0; b < model->bodies.count; b++) {
        MrnEventBody *flying = &ed->bodies[b];
        if (!flying->active || !flying->mobile) continue;
        const double *kick = ed->kick + 3 * b;
        MrnFloeMotion *motion = &flying->motion;
        const MrnBody *body = &model->bodies.data[b];
        ed->force_work += body->mass * (kick[0] * (motion->velocity.x + 0.5 * kick[0]) +
                                        kick[1] * (motion->velocity.y + 0.5 * kick[1])) +
                          body->inertia[2] * kick[2] * (motion->spin + 0.5 * kick[2]);
        motion->velocity.x += kick[0];
        motion->velocity.y += kick[1];
        motion->spin += kick[2];
    }
    if (!model->environment) return;
    double clock = mrn_wall_seconds();
    show_state(ed);
    mrn_environment_step_from(model, ed->world->state, ed->world->state->time[0] + now, length);
    ed->info->seconds_assemble += mrn_wall_seconds() - clock;
}

static int compare_records(const void *left, const void *right) {
    const MrnEventRecord *p = left, *q = right;
    if (p->a != q->a) return p->a < q->a ? -1 : 1;
    if (p->b != q->b) return p->b < q->b ? -1 : 1;
    if (p->feature != q->feature) return p->feature < q->feature ? -1 : 1;
    return p->order < q->order ? -1 : p->order > q->order;
}

/// One record per touching place: impulses add up, the rest is that of the last collision.
static void merge_records(MrnEventDriven *ed) {
    MrnEventRecord *record = ed->records.data;
    size_t kept = 0;
    if (ed->records.count) qsort(record, ed->records.count, sizeof *record, compare_records);
    for (size_t k = 0; k < ed->records.count; k++) {
        if (kept && record[kept - 1].a == record[k].a && record[kept - 1].b == record[k].b &&
            record[kept - 1].feature == record[k].feature) {
            MrnEventRecord sum = record[k];
            sum.impulse = mrn_add2(sum.impulse, record[kept - 1].impulse);
            sum.normal_impulse += record[kept - 1].normal_impulse;
            record[kept - 1] = sum;
        } else
            record[kept++] = record[k];
    }
    ed->records.count = kept;
}

static void report(MrnEventDriven *ed, double kinetic_start, MrnStepInfo *info) {
    MrnWorld *world = ed->world;
    double kinetic, potential, fastest = 0;
    mrn_world_energy(world, &kinetic, &potential);
    for (size_t b = 0; b < world->model->bodies.count; b++)
        if (ed->bodies[b].active && ed->bodies[b].mobile)
            fastest = fmax(fastest, mrn_norm2(ed->bodies[b].motion.velocity));
    for (size_t b = 0; b < world->model->bodies.count; b++) {
        const MrnEventBody *flying = &ed->bodies[b];
        world->poses[b].position = mrn_vec3(flying->position.x, flying->position.y, 0);
    }
    info->step = world->state->step[0];
    info->time = world->state->time[0];
    info->contacts = (int64_t)ed->records.count;
    for (size_t k = 0; k < ed->records.count; k++) {
        info->touching += ed->records.data[k].normal_impulse > 0;
        info->normal_impulse += ed->records.data[k].normal_impulse;
    }
    info->kinetic_energy = kinetic;
    info->potential_energy = potential;
    info->energy_defect = kinetic - kinetic_start - ed->force_work + info->dissipated_energy - info->driver_work;
    info->max_speed = fastest;
    info->penetration = fmax(0, -info->smallest_gap);
    info->lcp_solves = ed->count.solves;
    info->lcp_lemke = ed->count.lemke;
    info->lcp_retries = ed->count.retries;
    info->lcp_perturbed = ed->count.perturbed;
    info->lcp_replaced = ed->count.replaced;
    info->lcp_unswept = ed->count.unswept;
    info->lcp_relaxed = ed->count.relaxed;
    info->lcp_failures = ed->count.failures;
    info->newton_fallbacks = ed->count.newton;
    info->plastic_fallbacks = ed->count.plastic;
    info->sweeps = ed->count.sweeps;
    info->residual = info->scaled_residual = ed->count.worst_residual;
    info->status = ed->count.failures ? MRN_STALLED : MRN_SOLVED;
    info->momentum_defect = ed->count.momentum_defect;
}

bool mrn_event_driven_step(MrnWorld *world, MrnStepInfo *info, MrnError *error) {
    MrnEventDriven *ed = world->own;
    double kinetic, potential;
    if (world->model->environment && !mrn_environment_check(world->model, world->state, error)) return false;
    wake(world);
    mrn_world_energy(world, &kinetic, &potential);
    ed->info = info;
    ed->count = (MrnImpactCount){0};
    ed->records.count = ed->dirty.count = ed->queue.count = 0;
    ed->force_work = 0;
    ed->stage = 0;
    info->smallest_gap = INFINITY;
    info->smallest_substep = world->scheme.time_step;
    double clock = mrn_wall_seconds();
    mrn_event_load(ed);
    if (world->scheme.event_driven.stepping == MRN_STEPPING_LOCAL)
        mrn_event_step_local(ed);
    else
        mrn_event_step_global(ed);
    store(ed);
    merge_records(ed);
    info->seconds_detect = mrn_wall_seconds() - clock - info->seconds_solve - info->seconds_assemble;
    world->state->step[0]++;
    world->state->time[0] += world->scheme.time_step;
    world->state->last_time_step[0] = world->scheme.time_step;
    world->has_step = false; // there is no one-step problem to read; contacts come from here
    report(ed, kinetic, info);
    return true;
}

size_t mrn_event_driven_contact_count(const MrnWorld *world) {
    const MrnEventDriven *ed = world->own;
    return ed->records.count;
}

MrnContactView mrn_event_driven_contact(const MrnWorld *world, size_t index) {
    const MrnEventDriven *ed = world->own;
    const MrnEventRecord *record = &ed->records.data[index];
    return (MrnContactView){.body_a = record->a,
                            .body_b = record->b,
                            .feature = record->feature,
                            .position = {record->position.x, record->position.y, 0},
                            .normal = {-record->normal.x, -record->normal.y, 0},
                            .gap = record->gap,
                            .impulse = {-record->impulse.x, -record->impulse.y, 0},
                            .normal_impulse = record->normal_impulse,
                            .velocity = {-record->velocity.x, -record->velocity.y, 0},
                            .status = record->normal_impulse <= 0 ? 0
                                      : record->sliding           ? 2
                                                                  : 1};
}
