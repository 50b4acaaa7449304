// Events of life: see life.h.
#include "model/life.h"
#include "base/error.h"
#include "geom/polygon.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

MrnLump mrn_lump_sum(const MrnLump *parts, size_t count) {
    MrnLump sum = {0};
    for (size_t i = 0; i < count; i++) {
        sum.mass += parts[i].mass;
        sum.centre = mrn_add2(sum.centre, mrn_scale2(parts[i].mass, parts[i].centre));
    }
    if (sum.mass > 0) sum.centre = mrn_scale2(1 / sum.mass, sum.centre);
    for (size_t i = 0; i < count; i++) {
        MrnVec2 away = mrn_sub2(parts[i].centre, sum.centre);
        sum.inertia += parts[i].inertia + parts[i].mass * mrn_dot2(away, away);
    }
    return sum;
}

static bool is_near_one(double factor) {
    return factor >= 0.5 && factor <= 2;
}

bool mrn_lump_match(const MrnLump *whole, MrnLump *parts, size_t count) {
    // Twice: the second pass takes away what rounding has left of the first.
    for (int pass = 0; pass < 2; pass++) {
        MrnLump sum = mrn_lump_sum(parts, count);
        double factor = whole->mass / sum.mass, own = 0, spread = 0;
        if (!is_near_one(factor)) return false;
        MrnVec2 shift = mrn_sub2(whole->centre, sum.centre);
        for (size_t i = 0; i < count; i++) {
            parts[i].mass *= factor;
            parts[i].inertia *= factor;
            parts[i].centre = mrn_add2(parts[i].centre, shift);
            MrnVec2 away = mrn_sub2(parts[i].centre, whole->centre);
            own += parts[i].inertia;
            spread += parts[i].mass * mrn_dot2(away, away);
        }
        double turning = (whole->inertia - spread) / own;
        if (!is_near_one(turning)) return false;
        for (size_t i = 0; i < count; i++) parts[i].inertia *= turning;
    }
    return true;
}

size_t mrn_model_first_born(const MrnModel *model) {
    for (size_t i = 0; i < model->events.count; i++)
        if (model->events.data[i].born_count) return (size_t)model->events.data[i].first_born;
    return model->bodies.count;
}

/// Names of new bodies: those of the ended ones, joined by +, then the number of the new one where there are several.
static char *name_of(const MrnModel *model, const int *ended, size_t ended_count, size_t number, size_t born_count) {
    size_t length = 48;
    for (size_t i = 0; i < ended_count; i++) length += strlen(mrn_model_body_name(model, ended[i])) + 1;
    char *name = mrn_alloc_zero(length, 1);
    for (size_t i = 0; i < ended_count; i++) {
        if (i) strcat(name, "+");
        strcat(name, mrn_model_body_name(model, ended[i]));
    }
    size_t stem = strlen(name);
    // A scene may have given the name to another body.
    for (size_t k = number + 1;; k += born_count) {
        if (born_count > 1 || k > number + 1 || ended_count == 1) snprintf(name + stem, length - stem, ".%zu", k);
        if (mrn_model_find_body(model, name) < 0) return name;
    }
}

static bool check_birth(const MrnModel *model, const MrnBirth *birth, const char *name, MrnError *error) {
    double numbers[] = {birth->mass,        birth->inertia,     birth->thickness, birth->collision_distance,
                        birth->force[0],    birth->force[1],    birth->torque,    birth->position[0],
                        birth->position[1], birth->velocity[0], birth->rotation,  birth->velocity[1],
                        birth->spin};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i])) return mrn_fail(error, MRN_ERROR_INPUT, "'%s': a number is not finite", name);
    if (!(birth->mass > 0) || !(birth->inertia > 0) || !(birth->thickness >= 0) || !(birth->collision_distance >= 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "'%s': mass %g kg, inertia %g kg m2, thickness %g m", name, birth->mass,
                        birth->inertia, birth->thickness);
    if (birth->material < 0 || (size_t)birth->material >= model->materials.count)
        return mrn_fail(error, MRN_ERROR_INPUT, "'%s': material %d, the model has %zu", name, birth->material,
                        model->materials.count);
    for (size_t i = 0; i < birth->element_count; i++)
        if (!(birth->elements[i] > 0) || !isfinite(birth->elements[i]))
            return mrn_fail(error, MRN_ERROR_INPUT, "'%s': element %zu is %g m thick", name, i + 1, birth->elements[i]);
    return true;
}

size_t mrn_life_elements(const MrnModel *model) {
    return model->environment ? model->environment->elements : MRN_FLOE_ELEMENTS;
}

static bool make_mesh(const MrnModel *model, const MrnShape *shape, const MrnBirth *birth, MrnBody *body,
                      MrnError *error) {
    if (!model->environment && !birth->element_count) return true;
    const double origin[2] = {0, 0};
    body->mesh = mrn_floe_mesh_new(shape, 1, mrn_life_elements(model));
    if (!body->mesh)
        return mrn_fail(error, MRN_ERROR_INPUT, "'%s': the outline cannot be cut into triangles", body->name);
    mrn_floe_mesh_settle(body->mesh, origin);
    if (!birth->element_count) return true;
    if (birth->element_count != body->mesh->triangle_count)
        return mrn_fail(error, MRN_ERROR_INPUT, "'%s': thickness of %zu elements, its mesh has %zu", body->name,
                        birth->element_count, body->mesh->triangle_count);
    body->mesh->thickness = mrn_alloc(birth->element_count, sizeof(double));
    memcpy(body->mesh->thickness, birth->elements, birth->element_count * sizeof(double));
    return true;
}

static bool bear(MrnModel *model, const MrnBirth *birth, char *name, double time, MrnError *error) {
    MrnBody body = {.kind = MRN_BODY_FREE,
                    .group = birth->group,
                    .first_shape = (int)model->shapes.count,
                    .shape_count = 1,
                    .mass = birth->mass,
                    .inertia = {0, 0, birth->inertia},
                    .birth = time,
                    .collision_distance = birth->collision_distance,
                    .driver = -1,
                    .name = name,
                    .position = {birth->position[0], birth->position[1], 0},
                    .thickness = birth->thickness};
    MrnStart start = {.rotation = {birth->rotation},
                      .velocity = {birth->velocity[0], birth->velocity[1], 0},
                      .spin = {0, 0, birth->spin}};
    MrnLoad load = {.force = {birth->force[0], birth->force[1], 0}, .torque = {0, 0, birth->torque}};
    mrn_body_set_start(&body, 2, &start);
    mrn_body_set_load(&body, &load);
    MrnShape given = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    given.material = birth->material;
    given.vertex_count = birth->vertex_count;
    given.vertices = (double *)(uintptr_t)birth->vertices; // copied below
    MrnShape shape = mrn_shape_copy(&given);
    MrnError why = {0};
    bool good = check_birth(model, birth, name, error);
    if (good && !mrn_shape_prepare(&shape, &why))
        good = mrn_fail(error, MRN_ERROR_INPUT, "'%s': %.800s", name, why.message);
    good = good && make_mesh(model, &shape, birth, &body, error);
    if (!good) {
        mrn_shape_free(&shape);
        mrn_body_free(&body);
        return false;
    }
    body.reach = mrn_shape_reach(&shape);
    body.size = mrn_shape_size(&shape);
    mrn_array_push(&model->shapes, shape);
    mrn_array_push(&model->bodies, body);
    return true;
}

/// Take back the bodies from `first` on.
static void unbear(MrnModel *model, size_t first) {
    while (model->bodies.count > first) {
        MrnBody *body = &model->bodies.data[--model->bodies.count];
        mrn_body_free(body);
        mrn_shape_free(&model->shapes.data[--model->shapes.count]);
    }
}

bool mrn_model_add_event(MrnModel *model, const MrnLifeEvent *given, const int *ended, size_t ended_count,
                         const MrnBirth *born, size_t born_count, MrnError *error) {
    size_t first = model->bodies.count;
    if (model->dimension != 2) return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "bodies change in two dimensions only");
    if (!(given->time > 0) || !isfinite(given->time) || !isfinite(given->energy) || !isfinite(given->position[0]) ||
        !isfinite(given->position[1]))
        return mrn_fail(error, MRN_ERROR_INPUT, "an event has numbers out of range");
    for (size_t i = 0; i < ended_count; i++)
        if (ended[i] < 0 || (size_t)ended[i] >= first || model->bodies.data[ended[i]].kind != MRN_BODY_FREE)
            return mrn_fail(error, MRN_ERROR_INPUT, "an event ends body %d, which is not a free body of the model",
                            ended[i]);
    for (size_t i = 0; i < born_count; i++) {
        char *name = name_of(model, ended, ended_count, i, born_count);
        if (bear(model, &born[i], name, given->time, error)) continue;
        unbear(model, first);
        return false;
    }
    MrnLifeEvent event = *given;
    event.first_ended = (int32_t)model->ended.count;
    event.ended_count = (int32_t)ended_count;
    event.first_born = (int32_t)first;
    event.born_count = (int32_t)born_count;
    for (size_t i = 0; i < ended_count; i++) mrn_array_push(&model->ended, (int32_t)ended[i]);
    mrn_array_push(&model->events, event);
    return true;
}

MrnBirth mrn_model_birth(const MrnModel *model, int index) {
    const MrnBody *body = &model->bodies.data[index];
    const MrnShape *shape = &model->shapes.data[body->first_shape];
    bool varies = body->mesh && body->mesh->thickness;
    return (MrnBirth){.material = shape->material,
                      .group = body->group,
                      .vertex_count = shape->vertex_count,
                      .vertices = shape->vertices,
                      .mass = body->mass,
                      .inertia = body->inertia[2],
                      .thickness = body->thickness,
                      .collision_distance = body->collision_distance,
                      .force = {body->load->force[0], body->load->force[1]},
                      .torque = body->load->torque[2],
                      .position = {body->position[0], body->position[1]},
                      .rotation = body->start->rotation[0],
                      .velocity = {body->start->velocity[0], body->start->velocity[1]},
                      .spin = body->start->spin[2],
                      .element_count = varies ? body->mesh->triangle_count : 0,
                      .elements = varies ? body->mesh->thickness : NULL};
}

static MrnFloeMesh *copy_mesh(const MrnFloeMesh *mesh) {
    if (!mesh) return NULL;
    MrnFloeMesh *copy = mrn_alloc(1, sizeof *copy);
    *copy = *mesh;
#define DUPLICATE(field, count)                                                                                        \
    copy->field = memcpy(mrn_alloc((count) + 1, sizeof *copy->field), mesh->field, (count) * sizeof *copy->field)
    DUPLICATE(vertices, 2 * mesh->vertex_count);
    DUPLICATE(triangles, 3 * mesh->triangle_count);
    if (mesh->thickness) DUPLICATE(thickness, mesh->triangle_count);
#undef DUPLICATE
    if (!mesh->x) return copy;
    copy->x = mrn_alloc_aligned(3 * mesh->point_count, sizeof(double));
    memcpy(copy->x, mesh->x, 3 * mesh->point_count * sizeof(double));
    copy->y = copy->x + mesh->point_count;
    copy->weight = copy->y + mesh->point_count;
    return copy;
}

#define COPY_ARRAY(name, length)                                                                                       \
    do {                                                                                                               \
        mrn_array_resize(&copy->name, length);                                                                         \
        if (copy->name.count) memcpy(copy->name.data, model->name.data, copy->name.count * sizeof *copy->name.data);   \
    } while (0)

MrnModel *mrn_model_copy(const MrnModel *model, size_t events) {
    assert(events <= model->events.count);
    MrnModel *copy = mrn_model_new(model->dimension);
    size_t bodies = model->bodies.count, shapes = model->shapes.count, ended = model->ended.count;
    if (events < model->events.count) {
        const MrnLifeEvent *next = &model->events.data[events];
        bodies = (size_t)next->first_born;
        ended = (size_t)next->first_ended;
        if (bodies < model->bodies.count) shapes = (size_t)model->bodies.data[bodies].first_shape;
    }
    memcpy(copy->gravity, model->gravity, sizeof copy->gravity);
    copy->default_law = model->default_law;
    copy->periodic = model->periodic;
    memcpy(copy->period_low, model->period_low, sizeof copy->period_low);
    memcpy(copy->period_high, model->period_high, sizeof copy->period_high);
    copy->environment = model->environment;
    copy->shares_environment = true;
    COPY_ARRAY(materials, model->materials.count);
    COPY_ARRAY(laws, model->laws.count);
    COPY_ARRAY(bodies, bodies);
    COPY_ARRAY(shapes, shapes);
    COPY_ARRAY(drivers, model->drivers.count);
    COPY_ARRAY(pushes, model->pushes.count);
    COPY_ARRAY(sources, model->sources.count);
    COPY_ARRAY(late, model->late.count);
    COPY_ARRAY(events, events);
    COPY_ARRAY(ended, ended);
    for (size_t i = 0; i < copy->materials.count; i++)
        copy->materials.data[i].name = mrn_strdup(copy->materials.data[i].name);
    for (size_t i = 0; i < shapes; i++) copy->shapes.data[i] = mrn_shape_copy(&model->shapes.data[i]);
    for (size_t i = 0; i < copy->drivers.count; i++) {
        MrnDriver *driver = &copy->drivers.data[i];
        size_t bytes = 5 * driver->table_count * sizeof(double);
        if (driver->table) driver->table = memcpy(mrn_alloc(bytes + 1, 1), driver->table, bytes);
    }
    for (size_t b = 0; b < bodies; b++) {
        copy->bodies.data[b].name = mrn_strdup(copy->bodies.data[b].name);
        copy->bodies.data[b].mesh = copy_mesh(copy->bodies.data[b].mesh);
        const MrnBody *from = &model->bodies.data[b];
        copy->bodies.data[b].start = NULL, copy->bodies.data[b].load = NULL;
        mrn_body_set_start(&copy->bodies.data[b], model->dimension, from->start);
        mrn_body_set_load(&copy->bodies.data[b], from->load);
    }
    return copy;
}

void mrn_state_follow(MrnState *state, const MrnModel *model, const MrnLifeEvent *event) {
    assert(state->dimension == 2 && state->body_count == (size_t)event->first_born);
    mrn_state_resize(state, (size_t)event->first_born + (size_t)event->born_count);
    for (int32_t i = 0; i < event->ended_count; i++) {
        size_t b = (size_t)model->ended.data[event->first_ended + i];
        state->active[b] = 0;
        state->removed[b] = 1;
        state->velocity[2 * b] = state->velocity[2 * b + 1] = state->spin[b] = state->damage[b] = 0;
    }
    for (int32_t i = 0; i < event->born_count; i++) {
        size_t b = (size_t)(event->first_born + i);
        const MrnBody *body = &model->bodies.data[b];
        memcpy(state->position + 2 * b, body->position, 2 * sizeof(double));
        memcpy(state->velocity + 2 * b, body->start->velocity, 2 * sizeof(double));
        state->rotation[b] = body->start->rotation[0];
        state->spin[b] = body->start->spin[2];
        state->active[b] = 1;
    }
}
