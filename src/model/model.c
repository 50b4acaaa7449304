// Building a model: materials, laws, bodies.
#include "model/model.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/vec.h"
#include "model/inertia.h"
#include "model/life.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SHAPES_BACK 8 ///< so many shapes are looked at for one that can be shared

MrnPairLaw mrn_pair_law_defaults(void) {
    return (MrnPairLaw){.cross_friction = -1, .friction_axis = {1, 0, 0}};
}

MrnBodyDef mrn_body_defaults(int dimension) {
    MrnBodyDef def = {.kind = MRN_BODY_FREE, .driver = {.axis = {0, 0, 1}}};
    if (dimension == 3) def.rotation[0] = 1;
    return def;
}

MrnModel *mrn_model_new(int dimension) {
    assert(dimension == 2 || dimension == 3);
    MrnModel *model = mrn_alloc_zero(1, sizeof *model);
    model->dimension = dimension;
    model->default_law = mrn_pair_law_defaults();
    return model;
}

static const MrnStart at_rest[2] = {{.rotation = {0}}, {.rotation = {1, 0, 0, 0}}}; ///< in the plane, in space
static const MrnLoad no_load;

static bool is_shared(const void *part) {
    return !part || part == &at_rest[0] || part == &at_rest[1] || part == &no_load;
}

void mrn_body_set_start(MrnBody *body, int dimension, const MrnStart *start) {
    const MrnStart *old = body->start, *common = &at_rest[dimension - 2];
    body->start =
        memcmp(start, common, sizeof *start) == 0 ? common : memcpy(mrn_alloc(1, sizeof *start), start, sizeof *start);
    if (!is_shared(old)) free((void *)(uintptr_t)old);
}

void mrn_body_set_load(MrnBody *body, const MrnLoad *load) {
    const MrnLoad *old = body->load;
    body->load =
        memcmp(load, &no_load, sizeof *load) == 0 ? &no_load : memcpy(mrn_alloc(1, sizeof *load), load, sizeof *load);
    if (!is_shared(old)) free((void *)(uintptr_t)old);
}

void mrn_body_free(MrnBody *body) {
    free(body->name);
    mrn_floe_mesh_free(body->mesh);
    if (!is_shared(body->start)) free((void *)(uintptr_t)body->start);
    if (!is_shared(body->load)) free((void *)(uintptr_t)body->load);
}

void mrn_model_free(MrnModel *model) {
    if (!model) return;
    for (size_t i = 0; i < model->materials.count; i++) free(model->materials.data[i].name);
    for (size_t i = 0; i < model->bodies.count; i++) mrn_body_free(&model->bodies.data[i]);
    if (!model->shares_environment) mrn_environment_free(model->environment);
    for (size_t i = 0; i < model->shapes.count; i++) mrn_shape_free(&model->shapes.data[i]);
    for (size_t i = 0; i < model->drivers.count; i++) free(model->drivers.data[i].table);
    mrn_array_free(&model->materials);
    mrn_array_free(&model->laws);
    mrn_array_free(&model->bodies);
    mrn_array_free(&model->shapes);
    mrn_array_free(&model->drivers);
    mrn_array_free(&model->pushes);
    mrn_array_free(&model->sources);
    mrn_array_free(&model->late);
    mrn_array_free(&model->events);
    mrn_array_free(&model->ended);
    free(model);
}

int mrn_model_dimension(const MrnModel *model) {
    return model->dimension;
}

void mrn_model_set_gravity(MrnModel *model, const double gravity[3]) {
    for (int k = 0; k < 3; k++) model->gravity[k] = k < model->dimension ? gravity[k] : 0;
}

void mrn_model_set_period(MrnModel *model, const double low[2], const double high[2]) {
    assert(model->dimension == 2 && high[0] > low[0] && high[1] > low[1]);
    model->periodic = true;
    for (int k = 0; k < 2; k++) model->period_low[k] = low[k], model->period_high[k] = high[k];
}

int mrn_model_add_material(MrnModel *model, const char *name, double density) {
    MrnMaterial material = {mrn_strdup(name), density, 0};
    mrn_array_push(&model->materials, material);
    return (int)model->materials.count - 1;
}

void mrn_model_set_volume_density(MrnModel *model, int material, double density) {
    model->materials.data[material].volume_density = density;
}

void mrn_model_set_law(MrnModel *model, int a, int b, MrnPairLaw law) {
    if (a < 0 || b < 0) {
        model->default_law = law;
        return;
    }
    for (size_t i = 0; i < model->laws.count; i++) {
        MrnLawEntry *entry = &model->laws.data[i];
        if ((entry->material_a == a && entry->material_b == b) || (entry->material_a == b && entry->material_b == a)) {
            entry->law = law;
            return;
        }
    }
    MrnLawEntry entry = {a, b, law};
    mrn_array_push(&model->laws, entry);
}

double mrn_model_ball_radius(const MrnModel *model, int index) {
    const MrnBody *body = &model->bodies.data[index];
    const MrnShape *shape = &model->shapes.data[body->first_shape];
    bool round = shape->kind == MRN_SHAPE_DISC || shape->kind == MRN_SHAPE_SPHERE;
    bool centred = shape->position[0] == 0 && shape->position[1] == 0 && shape->position[2] == 0;
    return body->shape_count == 1 && round && centred ? shape->radius : 0;
}

MrnPairLaw mrn_model_law(const MrnModel *model, int a, int b) {
    for (size_t i = 0; i < model->laws.count; i++) {
        const MrnLawEntry *entry = &model->laws.data[i];
        if ((entry->material_a == a && entry->material_b == b) || (entry->material_a == b && entry->material_b == a))
            return entry->law;
    }
    return model->default_law;
}

/// Mass per area of a shape: that of its material, or mass per volume times thickness.
static double area_density(const MrnModel *model, const MrnBodyDef *def, const MrnShape *shape) {
    const MrnMaterial *material = &model->materials.data[shape->material];
    return model->dimension == 2 && def->thickness > 0 ? material->volume_density * def->thickness : material->density;
}

/// Mass of a body whose thickness varies, over the triangles of its mesh.
static bool mesh_mass(const MrnModel *model, const MrnBodyDef *def, const MrnShape *shapes, MrnBody *body,
                      MrnMassProperties *sum, const char *label, MrnError *error) {
    for (size_t i = 0; i < def->shape_count; i++)
        if (shapes[i].material != shapes[0].material)
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: a body whose thickness varies has one material only", label);
    for (size_t i = 0; i < 3 * def->thickness_sample_count; i++)
        if (!isfinite(def->thickness_samples[i]) || (i % 3 == 2 && !(def->thickness_samples[i] > 0)))
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: thickness sample %zu has %g m, must be finite, thickness > 0",
                            label, i / 3 + 1, def->thickness_samples[i]);
    const MrnMaterial *material = &model->materials.data[shapes[0].material];
    if (!(material->volume_density > 0) && !(def->mass > 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: no mass: material '%s' has no volume density", label,
                        material->name);
    body->mesh = mrn_floe_mesh_new(shapes, def->shape_count, MRN_FLOE_ELEMENTS);
    if (!body->mesh) return mrn_fail(error, MRN_ERROR_INPUT, "%s: the outline cannot be cut into triangles", label);
    mrn_floe_mesh_set_thickness(body->mesh, def->thickness_samples, def->thickness_sample_count);
    *sum = mrn_floe_mesh_mass(body->mesh, material->volume_density > 0 ? material->volume_density : 1);
    mrn_floe_mesh_settle(body->mesh, sum->centre);
    body->thickness = sum->mass / ((material->volume_density > 0 ? material->volume_density : 1) * body->mesh->area);
    return true;
}

/// Place the shapes in the principal frame and set mass, inertia and initial state of a free body.
static bool settle_free_body(const MrnModel *model, const MrnBodyDef *def, MrnShape *shapes, MrnBody *body,
                             const char *label, MrnError *error) {
    MrnMassProperties sum = {0};
    for (size_t s = 0; s < def->shape_count; s++) {
        if (!mrn_shape_is_solid(shapes[s].kind))
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: a free body cannot have the shape '%s', which has no mass",
                            label, mrn_shape_name(shapes[s].kind));
        double density = area_density(model, def, &shapes[s]);
        MrnMassProperties part = mrn_shape_mass(&shapes[s], density > 0 ? density : 1);
        if (!(density > 0) && !(def->mass > 0) && !def->thickness_sample_count)
            return mrn_fail(error, MRN_ERROR_INPUT,
                            "%s: no mass: material '%s' has no %sdensity and the body gives no mass", label,
                            model->materials.data[shapes[s].material].name, def->thickness > 0 ? "volume " : "");
        mrn_mass_add(&sum, &part);
    }
    body->thickness = def->thickness;
    if (def->thickness_sample_count && !mesh_mass(model, def, shapes, body, &sum, label, error)) return false;
    if (!(sum.mass > 0)) return mrn_fail(error, MRN_ERROR_INPUT, "%s: a free body needs a shape with mass", label);
    body->mass = def->mass > 0 ? def->mass : sum.mass;
    double scale = body->mass / sum.mass;
    MrnVec3 centre = mrn_load3(sum.centre);
    MrnStart start = {0};
    if (model->dimension == 2) {
        body->inertia[2] = def->inertia[2] > 0 ? def->inertia[2] : scale * sum.inertia[2][2];
        double c = cos(def->rotation[0]), s = sin(def->rotation[0]);
        MrnVec2 offset = mrn_rotate2(c, s, mrn_vec2(centre.x, centre.y));
        body->position[0] = def->position[0] + offset.x;
        body->position[1] = def->position[1] + offset.y;
        start.rotation[0] = def->rotation[0];
        start.spin[2] = def->angular_velocity[2];
        for (size_t i = 0; i < def->shape_count; i++)
            shapes[i].position[0] -= centre.x, shapes[i].position[1] -= centre.y;
    } else {
        MrnQuat axes = mrn_principal_axes(sum.inertia, body->inertia);
        for (int k = 0; k < 3; k++) body->inertia[k] = def->inertia[k] > 0 ? def->inertia[k] : scale * body->inertia[k];
        MrnQuat given = mrn_quat_normalize(mrn_quat_load(def->rotation));
        mrn_store3(body->position, mrn_add3(mrn_load3(def->position), mrn_quat_rotate(given, centre)));
        MrnQuat rotation = mrn_quat_normalize(mrn_quat_multiply(given, axes));
        mrn_quat_store(start.rotation, rotation);
        mrn_store3(start.spin, mrn_quat_rotate(mrn_quat_conjugate(rotation), mrn_load3(def->angular_velocity)));
        MrnQuat back = mrn_quat_conjugate(axes);
        for (size_t i = 0; i < def->shape_count; i++) {
            MrnVec3 place = mrn_sub3(mrn_load3(shapes[i].position), centre);
            mrn_store3(shapes[i].position, mrn_quat_rotate(back, place));
            mrn_quat_store(shapes[i].rotation,
                           mrn_quat_normalize(mrn_quat_multiply(back, mrn_quat_load(shapes[i].rotation))));
        }
    }
    memcpy(start.velocity, def->velocity, sizeof start.velocity);
    mrn_body_set_start(body, model->dimension, &start);
    for (int k = model->dimension == 2 ? 2 : 0; k < 3; k++)
        if (!(body->inertia[k] > 0))
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: moment of inertia is %g kg m2, must be > 0", label,
                            body->inertia[k]);
    return true;
}

static bool all_finite(const double *x, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!isfinite(x[i])) return false;
    return true;
}

static bool check_def(const MrnModel *model, const MrnBodyDef *def, const char *label, MrnError *error) {
    if (def->shape_count == 0) return mrn_fail(error, MRN_ERROR_INPUT, "%s: no shape", label);
    if (!(def->thickness >= 0) || !isfinite(def->thickness))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: thickness is %g m, must be > 0", label, def->thickness);
    if (model->dimension == 3 && (def->thickness > 0 || def->thickness_sample_count))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: only plane bodies have a thickness", label);
    if (def->thickness > 0 && def->thickness_sample_count)
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: found both a thickness and samples of it", label);
    if (!all_finite(def->position, 3) || !all_finite(def->rotation, 4) || !all_finite(def->velocity, 3) ||
        !all_finite(def->angular_velocity, 3) || !all_finite(def->force, 3) || !all_finite(def->torque, 3) ||
        !isfinite(def->mass) || !isfinite(def->collision_distance) || !all_finite(def->inertia, 3) ||
        !isfinite(def->birth))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: a number is not finite", label);
    if (model->dimension == 3 && !(def->rotation[0] * def->rotation[0] + def->rotation[1] * def->rotation[1] +
                                       def->rotation[2] * def->rotation[2] + def->rotation[3] * def->rotation[3] >
                                   0))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: rotation: the quaternion is zero", label);
    for (size_t s = 0; s < def->shape_count; s++) {
        const MrnShape *shape = &def->shapes[s];
        if (mrn_shape_dimension(shape->kind) != model->dimension)
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: shape '%s' is for %d dimensions, the model has %d", label,
                            mrn_shape_name(shape->kind), mrn_shape_dimension(shape->kind), model->dimension);
        if (shape->material < 0 || (size_t)shape->material >= model->materials.count)
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: shape %zu has material %d, the model has %zu", label, s + 1,
                            shape->material, model->materials.count);
    }
    if (def->name && mrn_model_find_body(model, def->name) >= 0)
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: two bodies have this name", label);
    if (def->kind == MRN_BODY_DRIVEN) {
        const MrnDriver *driver = &def->driver;
        if (!all_finite(driver->velocity, 3) || !isfinite(driver->angular_velocity) ||
            !all_finite(driver->amplitude, 3) || !isfinite(driver->angular_amplitude) || !isfinite(driver->frequency) ||
            !isfinite(driver->phase) || !all_finite(driver->axis, 3))
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: motion: a number is not finite", label);
    }
    if (def->kind == MRN_BODY_DRIVEN && def->driver.kind == MRN_DRIVER_TABLE) {
        if (def->driver.table_count < 2)
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: motion: a table needs at least two rows", label);
        if (!all_finite(def->driver.table, 5 * def->driver.table_count))
            return mrn_fail(error, MRN_ERROR_INPUT, "%s: motion: a number is not finite", label);
        for (size_t i = 1; i < def->driver.table_count; i++)
            if (!(def->driver.table[5 * i] > def->driver.table[5 * (i - 1)]))
                return mrn_fail(error, MRN_ERROR_INPUT, "%s: motion: times of the table must increase (row %zu)", label,
                                i + 1);
    }
    if (model->dimension == 3 && def->kind == MRN_BODY_DRIVEN && !(mrn_norm3(mrn_load3(def->driver.axis)) > 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "%s: motion: the axis has no direction", label);
    return true;
}

/// A body whose only shape is the same as that of a body shortly before it takes that one: many scenes have few kinds
/// of grains.
static void share_shape(MrnModel *model, MrnBody *body) {
    size_t own = model->shapes.count - 1;
    const MrnShape *shape = &model->shapes.data[own];
    if (body->shape_count != 1 || shape->vertices || shape->face_start || shape->face_vertex || shape->tree) return;
    for (size_t s = own; s-- > 0 && own - s <= SHAPES_BACK;)
        if (memcmp(&model->shapes.data[s], shape, sizeof *shape) == 0) {
            body->first_shape = (int)s;
            model->shapes.count--;
            return;
        }
}

int mrn_model_add_body(MrnModel *model, const MrnBodyDef *def, MrnError *error) {
    char label[160];
    if (def->name)
        snprintf(label, sizeof label, "body '%.120s'", def->name);
    else
        snprintf(label, sizeof label, "body %zu", model->bodies.count + 1);
    if (!check_def(model, def, label, error)) return -1;

    size_t first = model->shapes.count;
    for (size_t s = 0; s < def->shape_count; s++) {
        MrnShape shape = mrn_shape_copy(&def->shapes[s]);
        MrnError why = {0};
        mrn_array_push(&model->shapes, shape);
        if (!mrn_shape_prepare(&model->shapes.data[model->shapes.count - 1], &why)) {
            mrn_fail(error, MRN_ERROR_INPUT, "%s: %.800s", label, why.message);
            goto refused;
        }
    }
    MrnShape *shapes = model->shapes.data + first;
    MrnBody body = {.kind = def->kind,
                    .group = def->group,
                    .first_shape = (int)first,
                    .shape_count = (int)def->shape_count,
                    .driver = -1,
                    .birth = def->birth,
                    .collision_distance = def->collision_distance,
                    .size = INFINITY};
    MrnLoad load;
    memcpy(load.force, def->force, sizeof load.force);
    memcpy(load.torque, def->torque, sizeof load.torque);
    mrn_body_set_load(&body, &load);
    if (def->kind == MRN_BODY_FREE) {
        if (!settle_free_body(model, def, shapes, &body, label, error)) {
            mrn_body_free(&body);
            goto refused;
        }
    } else {
        memcpy(body.position, def->position, sizeof body.position);
        MrnStart start = {0};
        memcpy(start.rotation, def->rotation, sizeof start.rotation);
        if (model->dimension == 3) mrn_quat_store(start.rotation, mrn_quat_normalize(mrn_quat_load(start.rotation)));
        mrn_body_set_start(&body, model->dimension, &start);
    }
    for (size_t s = 0; s < def->shape_count; s++) {
        double reach = mrn_shape_reach(&shapes[s]), size = mrn_shape_size(&shapes[s]);
        if (reach > body.reach) body.reach = reach;
        if (size < body.size) body.size = size;
    }
    if (def->kind == MRN_BODY_DRIVEN) {
        MrnDriver driver = def->driver;
        if (driver.kind == MRN_DRIVER_TABLE) {
            size_t count = 5 * driver.table_count;
            driver.table = memcpy(mrn_alloc(count, sizeof(double)), driver.table, count * sizeof(double));
        } else
            driver.table = NULL;
        if (model->dimension == 3) mrn_store3(driver.axis, mrn_normalize3(mrn_load3(driver.axis)));
        mrn_array_push(&model->drivers, driver);
        body.driver = (int)model->drivers.count - 1;
    }
    body.name = mrn_strdup(def->name);
    share_shape(model, &body);
    mrn_array_push(&model->bodies, body);
    if (body.birth > 0) mrn_array_push(&model->late, (int)model->bodies.count - 1);
    return (int)model->bodies.count - 1;

refused:
    while (model->shapes.count > first) mrn_shape_free(&model->shapes.data[--model->shapes.count]);
    return -1;
}

bool mrn_model_add_push(MrnModel *model, const MrnPush *push, MrnError *error) {
    if (push->body < 0 || (size_t)push->body >= model->bodies.count)
        return mrn_fail(error, MRN_ERROR_INPUT, "a push acts on body %d, which the model does not have", push->body);
    const char *name = mrn_model_body_name(model, push->body);
    if (model->bodies.data[push->body].kind != MRN_BODY_FREE)
        return mrn_fail(error, MRN_ERROR_INPUT, "a push acts on '%s', which is not free", name);
    if (!all_finite(push->force, 3) || !all_finite(push->torque, 3) || !isfinite(push->from))
        return mrn_fail(error, MRN_ERROR_INPUT, "a push on '%s' is not finite", name);
    if (!(push->until > push->from))
        return mrn_fail(error, MRN_ERROR_INPUT, "a push on '%s' begins at %g s and ends at %g s", name, push->from,
                        push->until);
    mrn_array_push(&model->pushes, *push);
    MrnPush *list = model->pushes.data;
    for (size_t i = model->pushes.count - 1; i > 0 && list[i - 1].body > list[i].body; i--) {
        MrnPush later = list[i - 1];
        list[i - 1] = list[i], list[i] = later;
    }
    return true;
}

size_t mrn_model_body_count(const MrnModel *model) {
    return model->bodies.count;
}

const char *mrn_model_body_name(const MrnModel *model, int index) {
    MrnBody *body = &model->bodies.data[index];
    if (!body->name) { // bodies of generators get their names when somebody asks
        char name[32];
        snprintf(name, sizeof name, "body %d", index + 1);
        body->name = mrn_strdup(name);
    }
    return body->name;
}

int mrn_model_find_body(const MrnModel *model, const char *name) {
    for (size_t b = 0; b < model->bodies.count; b++)
        if (model->bodies.data[b].name && strcmp(model->bodies.data[b].name, name) == 0) return (int)b;
    return -1;
}

double mrn_model_body_mass(const MrnModel *model, int body) {
    return model->bodies.data[body].mass;
}

static uint64_t hash_shape(uint64_t hash, const MrnShape *shape, int dimension) {
    hash = mrn_hash_bytes(hash, &shape->kind, sizeof shape->kind);
    hash = mrn_hash_bytes(hash, &shape->material, sizeof shape->material);
    hash = mrn_hash_bytes(hash, &shape->radius, 2 * sizeof(double));
    hash = mrn_hash_bytes(hash, shape->half, sizeof shape->half);
    hash = mrn_hash_bytes(hash, shape->position, sizeof shape->position);
    hash = mrn_hash_bytes(hash, shape->rotation, sizeof shape->rotation);
    // The faces of a polyhedron follow from its vertices; the triangles of a mesh do not.
    if (shape->kind == MRN_SHAPE_MESH)
        hash = mrn_hash_bytes(hash, shape->face_vertex, 3 * shape->face_count * sizeof *shape->face_vertex);
    return mrn_hash_bytes(hash, shape->vertices, shape->vertex_count * (size_t)dimension * sizeof(double));
}

uint64_t mrn_model_hash(const MrnModel *model) {
    uint64_t hash = mrn_hash_bytes((uint64_t)model->dimension, model->gravity, sizeof model->gravity);
    for (size_t i = 0; i < model->materials.count; i++)
        hash = mrn_hash_bytes(hash, &model->materials.data[i].density, sizeof(double));
    hash = mrn_hash_bytes(hash, &model->default_law, sizeof model->default_law);
    for (size_t i = 0; i < model->laws.count; i++) {
        hash = mrn_hash_bytes(hash, &model->laws.data[i].material_a, 2 * sizeof(int));
        hash = mrn_hash_bytes(hash, &model->laws.data[i].law, sizeof(MrnPairLaw));
    }
    // As if every body had shapes of its own: whether they are shared changes nothing.
    size_t bodies = mrn_model_first_born(model);
    for (size_t i = 0; i < bodies; i++)
        for (int s = 0; s < model->bodies.data[i].shape_count; s++)
            hash = hash_shape(hash, &model->shapes.data[model->bodies.data[i].first_shape + s], model->dimension);
    int first_shape = 0;
    for (size_t i = 0; i < bodies; i++) {
        const MrnBody *body = &model->bodies.data[i];
        int head[5] = {body->kind, body->group, first_shape, body->shape_count, body->driver};
        first_shape += body->shape_count;
        double numbers[] = {body->mass, body->birth};
        hash = mrn_hash_bytes(hash, head, sizeof head);
        hash = mrn_hash_bytes(hash, numbers, sizeof numbers);
        hash = mrn_hash_bytes(hash, body->inertia, sizeof body->inertia);
        hash = mrn_hash_bytes(hash, body->position, sizeof body->position);
        hash = mrn_hash_bytes(hash, body->start->rotation, sizeof body->start->rotation);
        hash = mrn_hash_bytes(hash, body->start->velocity, sizeof body->start->velocity);
        hash = mrn_hash_bytes(hash, body->start->spin, sizeof body->start->spin);
        hash = mrn_hash_bytes(hash, body->load->force, sizeof body->load->force);
        hash = mrn_hash_bytes(hash, body->load->torque, sizeof body->load->torque);
        if (body->collision_distance > 0) hash = mrn_hash_bytes(hash, &body->collision_distance, sizeof(double));
    }
    for (size_t i = 0; i < model->drivers.count; i++) {
        const MrnDriver *d = &model->drivers.data[i];
        double numbers[] = {(double)d->kind,      d->velocity[0],  d->velocity[1],  d->velocity[2],
                            d->angular_velocity,  d->amplitude[0], d->amplitude[1], d->amplitude[2],
                            d->angular_amplitude, d->frequency,    d->phase,        d->axis[0],
                            d->axis[1],           d->axis[2]};
        hash = mrn_hash_bytes(hash, numbers, sizeof numbers);
        if (d->table) hash = mrn_hash_bytes(hash, d->table, 5 * d->table_count * sizeof(double));
    }
    for (size_t i = 0; i < model->pushes.count; i++) {
        const MrnPush *p = &model->pushes.data[i];
        double numbers[] = {(double)p->body, p->force[0],  p->force[1], p->force[2], p->torque[0],
                            p->torque[1],    p->torque[2], p->from,     p->until};
        hash = mrn_hash_bytes(hash, numbers, sizeof numbers);
    }
    if (model->periodic) {
        hash = mrn_hash_bytes(hash, model->period_low, sizeof model->period_low);
        hash = mrn_hash_bytes(hash, model->period_high, sizeof model->period_high);
    }
    if (model->environment) hash = mrn_environment_hash(hash, model->environment);
    for (size_t i = 0; i < model->sources.count; i++) {
        const MrnSource *s = &model->sources.data[i];
        double numbers[] = {(double)s->first, (double)s->count,     s->position[0], s->position[1], s->position[2],
                            s->spread,        (double)s->verticals, s->drop,        s->highest,     s->lost_beyond};
        hash = mrn_hash_bytes(hash, numbers, sizeof numbers);
        hash = mrn_hash_bytes(hash, &s->seed, sizeof s->seed);
    }
    return hash;
}
