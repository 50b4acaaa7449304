// A run in the words of the page: the model once, then frames and steps as they are asked for.
//
// What always holds: one frame is in memory at a time, and the step table is read in blocks, so that the size of the
// run file does not matter.
#include "view/describe.h"
#include "force/forcing.h"
#include "io/run_file.h"
#include "model/model.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MOST_MESH_SIDES 600000 ///< more than these are too many to look at
#define STEP_BLOCK      8192   ///< rows of the step table read at once

typedef struct StepColumn {
    const char *name, *unit, *text;
    size_t offset;
    bool whole; ///< int64_t instead of double
} StepColumn;

static const StepColumn step_columns[] = {
#define X(type, name, unit, text)                                                                                      \
    {#name, unit, text, offsetof(MrnStepInfo, name), _Generic((type)0, int64_t : true, default : false)},
    MRN_STEP_FIELDS(X)
#undef X
};
enum { STEP_COLUMNS = sizeof step_columns / sizeof *step_columns };

void mrn_view_origin(const MrnScene *scene, double origin[3]) {
    const MrnModel *model = scene->model;
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (int pass = 0; pass < 2 && !(low[0] <= high[0]); pass++)
        for (size_t b = 0; b < model->bodies.count; b++) {
            if (pass == 0 && model->bodies.data[b].kind != MRN_BODY_FREE) continue;
            for (int k = 0; k < model->dimension; k++) {
                low[k] = fmin(low[k], model->bodies.data[b].position[k]);
                high[k] = fmax(high[k], model->bodies.data[b].position[k]);
            }
        }
    for (int k = 0; k < 3; k++) origin[k] = low[k] <= high[k] ? 0.5 * (low[k] + high[k]) : 0;
}

static json_t *vector(const double *v, int count) {
    json_t *array = json_array();
    for (int k = 0; k < count; k++) json_array_append_new(array, isfinite(v[k]) ? json_real(v[k]) : json_null());
    return array;
}

static json_t *text_or_null(const char *text) {
    json_t *string = text ? json_string(text) : NULL;
    return string ? string : json_null(); // not UTF-8
}

static void describe_bodies(MrnPack *pack, const MrnModel *model, const double origin[3]) {
    size_t count = model->bodies.count;
    json_t *names = json_object();
    uint8_t *kind = mrn_pack_array(pack, "body_kind", MRN_PACK_U8, count);
    for (size_t b = 0; b < count; b++) kind[b] = (uint8_t)model->bodies.data[b].kind;
    double *mass = mrn_pack_array(pack, "body_mass", MRN_PACK_F64, count);
    for (size_t b = 0; b < count; b++) mass[b] = model->bodies.data[b].mass;
    double *volume = mrn_pack_array(pack, "body_volume", MRN_PACK_F64, count);
    for (size_t b = 0; b < count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        for (int s = 0; s < body->shape_count; s++) {
            const MrnShape *shape = &model->shapes.data[body->first_shape + s];
            if (mrn_shape_is_solid(shape->kind)) volume[b] += mrn_shape_mass(shape, 1).mass;
        }
    }
    float *birth = mrn_pack_array(pack, "body_birth", MRN_PACK_F32, count);
    for (size_t b = 0; b < count; b++) birth[b] = (float)model->bodies.data[b].birth;
    float *reach = mrn_pack_array(pack, "body_reach", MRN_PACK_F32, count); // infinite where unbounded
    for (size_t b = 0; b < count; b++) reach[b] = (float)model->bodies.data[b].reach;
    float *position = mrn_pack_array(pack, "body_position", MRN_PACK_F32, 3 * count);
    for (size_t b = 0; b < count; b++)
        for (int k = 0; k < model->dimension; k++)
            position[3 * b + (size_t)k] = (float)(model->bodies.data[b].position[k] - origin[k]);
    for (size_t b = 0; b < count; b++) {
        char key[32];
        if (!model->bodies.data[b].name) continue;
        snprintf(key, sizeof key, "%zu", b);
        json_object_set_new(names, key, text_or_null(model->bodies.data[b].name));
    }
    json_object_set_new(pack->head, "body_names", names);
}

/// Triangles of a solid that is given by faces or triangles; returns how many indices. `out` may be NULL.
static size_t triangles_of(const MrnShape *shape, int32_t *out) {
    size_t n = 0;
    for (size_t f = 0; f < shape->face_count && shape->face_vertex; f++) {
        const int *v = shape->face_vertex + (shape->kind == MRN_SHAPE_MESH ? (int)(3 * f) : shape->face_start[f]);
        int corners = shape->kind == MRN_SHAPE_MESH ? 3 : shape->face_start[f + 1] - shape->face_start[f];
        for (int i = 2; i < corners; i++, n += 3)
            if (out) out[n] = v[0], out[n + 1] = v[i - 1], out[n + 2] = v[i];
    }
    return n;
}

/// Every body with shapes of its own, in the order of the bodies. Sizes in one array of 5 per shape: radius, top
/// radius, half sides. Placements are of the shape in the frame of the body.
static void describe_shapes(MrnPack *pack, const MrnModel *model) {
    size_t count = 0, vertices = 0, indices = 0;
    for (size_t b = 0; b < model->bodies.count; b++) count += (size_t)model->bodies.data[b].shape_count;
    const MrnShape **shapes = mrn_alloc(count + 1, sizeof *shapes);
    int32_t *body = mrn_pack_array(pack, "shape_body", MRN_PACK_I32, count);
    for (size_t b = 0, at = 0; b < model->bodies.count; b++)
        for (int s = 0; s < model->bodies.data[b].shape_count; s++, at++) {
            shapes[at] = &model->shapes.data[model->bodies.data[b].first_shape + s];
            body[at] = (int32_t)b;
        }
    uint8_t *kind = mrn_pack_array(pack, "shape_kind", MRN_PACK_U8, count);
    for (size_t s = 0; s < count; s++) kind[s] = (uint8_t)shapes[s]->kind;
    int32_t *material = mrn_pack_array(pack, "shape_material", MRN_PACK_I32, count);
    for (size_t s = 0; s < count; s++) material[s] = shapes[s]->material;
    float *size = mrn_pack_array(pack, "shape_size", MRN_PACK_F32, 5 * count);
    for (size_t s = 0; s < count; s++) {
        const double sizes[5] = {shapes[s]->radius, shapes[s]->top_radius, shapes[s]->half[0], shapes[s]->half[1],
                                 shapes[s]->half[2]};
        for (int k = 0; k < 5; k++) size[5 * s + (size_t)k] = (float)sizes[k];
    }
    float *position = mrn_pack_array(pack, "shape_position", MRN_PACK_F32, 3 * count);
    for (size_t s = 0; s < count; s++)
        for (int k = 0; k < model->dimension; k++) position[3 * s + (size_t)k] = (float)shapes[s]->position[k];
    float *rotation = mrn_pack_array(pack, "shape_rotation", MRN_PACK_F32, 4 * count);
    for (size_t s = 0; s < count; s++) {
        const double *r = shapes[s]->rotation;
        float *q = rotation + 4 * s; // w, x, y, z
        if (model->dimension == 2)
            q[0] = (float)cos(0.5 * r[0]), q[3] = (float)sin(0.5 * r[0]);
        else
            for (int k = 0; k < 4; k++) q[k] = (float)r[k];
    }
    int32_t *vertex_start = mrn_pack_array(pack, "vertex_start", MRN_PACK_I32, count + 1);
    for (size_t s = 0; s < count; s++) vertex_start[s + 1] = (int32_t)(vertices += shapes[s]->vertex_count);
    float *vertex = mrn_pack_array(pack, "vertices", MRN_PACK_F32, 3 * vertices);
    for (size_t s = 0, at = 0; s < count; s++)
        for (size_t v = 0; v < shapes[s]->vertex_count; v++, at++)
            for (int k = 0; k < model->dimension; k++)
                vertex[3 * at + (size_t)k] = (float)shapes[s]->vertices[(size_t)model->dimension * v + (size_t)k];
    int32_t *index_start = mrn_pack_array(pack, "index_start", MRN_PACK_I32, count + 1);
    for (size_t s = 0; s < count; s++) index_start[s + 1] = (int32_t)(indices += triangles_of(shapes[s], NULL));
    int32_t *index = mrn_pack_array(pack, "indices", MRN_PACK_I32, indices);
    for (size_t s = 0, at = 0; s < count; s++) at += triangles_of(shapes[s], index + at);
    free(shapes);
}

/// The cell with which the plane repeats, relative to the origin; null where it does not.
static json_t *describe_period(const MrnModel *model, const double origin[3]) {
    if (!model->periodic) return json_null();
    double low[2], high[2];
    for (int k = 0; k < 2; k++) low[k] = model->period_low[k] - origin[k], high[k] = model->period_high[k] - origin[k];
    return json_pack("{s:o, s:o}", "low", vector(low, 2), "high", vector(high, 2));
}

/// The fields that blow or flow at all, with their largest speed; null where there is none.
static json_t *describe_environment(const MrnModel *model) {
    if (!model->environment) return json_null();
    json_t *flows = json_array();
    double wind = mrn_forcing_largest(&model->environment->wind),
           current = mrn_forcing_largest(&model->environment->current);
    if (wind > 0) json_array_append_new(flows, json_pack("{s:s, s:f}", "name", "wind", "largest", wind));
    if (current > 0) json_array_append_new(flows, json_pack("{s:s, s:f}", "name", "current", "largest", current));
    return json_pack("{s:o}", "flows", flows);
}

/// Sides of the triangles of floes, each once: x, y of both ends in the frame of the body.
static void describe_meshes(MrnPack *pack, const MrnModel *model) {
    size_t count = 0;
    for (size_t b = 0; b < model->bodies.count; b++)
        if (model->bodies.data[b].mesh) count += 3 * model->bodies.data[b].mesh->triangle_count;
    if (count == 0 || count > MOST_MESH_SIDES) return;
    float *sides = mrn_alloc(4 * count, sizeof *sides);
    int32_t *body = mrn_alloc(count, sizeof *body);
    size_t n = 0;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnFloeMesh *mesh = model->bodies.data[b].mesh;
        for (size_t t = 0; mesh && t < mesh->triangle_count; t++)
            for (int i = 0; i < 3; i++) {
                int from = mesh->triangles[3 * t + (size_t)i], to = mesh->triangles[3 * t + (size_t)((i + 1) % 3)];
                // An inner side belongs to two triangles that run through it in opposite directions; one on the border
                // is the outline, which is drawn anyway.
                if (from > to) continue;
                for (int k = 0; k < 2; k++) {
                    sides[4 * n + (size_t)k] = (float)mesh->vertices[2 * from + k];
                    sides[4 * n + 2 + (size_t)k] = (float)mesh->vertices[2 * to + k];
                }
                body[n++] = (int32_t)b;
            }
    }
    memcpy(mrn_pack_array(pack, "mesh_sides", MRN_PACK_F32, 4 * n), sides, 4 * n * sizeof *sides);
    memcpy(mrn_pack_array(pack, "mesh_body", MRN_PACK_I32, n), body, n * sizeof *body);
    free(sides);
    free(body);
}

MrnPack mrn_view_model(const MrnScene *scene, const char *file_name, const double origin[3]) {
    static const char *const shape_names[] = {
#define X(kind, name, dimension, solid) name,
        MRN_SHAPE_LIST(X)
#undef X
    };
    const MrnModel *model = scene->model;
    MrnPack pack = mrn_pack_new();
    json_t *materials = json_array(), *columns = json_array(), *shapes = json_array();
    for (size_t m = 0; m < model->materials.count; m++)
        json_array_append_new(materials, json_pack("{s:o, s:f}", "name", text_or_null(model->materials.data[m].name),
                                                   "density", model->materials.data[m].density));
    for (size_t i = 0; i < STEP_COLUMNS; i++)
        json_array_append_new(columns, json_pack("{s:s, s:s, s:s}", "name", step_columns[i].name, "unit",
                                                 step_columns[i].unit, "text", step_columns[i].text));
    for (int s = 0; s < MRN_SHAPE_COUNT; s++) json_array_append_new(shapes, json_string(shape_names[s]));
    json_object_set_new(pack.head, "file", text_or_null(file_name));
    json_object_set_new(pack.head, "scene", text_or_null(scene->name));
    json_object_set_new(pack.head, "title", text_or_null(scene->title));
    json_object_set_new(pack.head, "dimension", json_integer(model->dimension));
    json_object_set_new(pack.head, "bodies", json_integer((json_int_t)model->bodies.count));
    json_object_set_new(pack.head, "gravity", vector(model->gravity, 3));
    json_object_set_new(pack.head, "origin", vector(origin, 3));
    json_object_set_new(pack.head, "time_step", json_real(scene->scheme.time_step));
    json_object_set_new(pack.head, "output_interval", json_real(scene->output_interval));
    json_object_set_new(pack.head, "stepper", text_or_null(scene->scheme.stepper));
    json_object_set_new(pack.head, "solver", text_or_null(scene->scheme.solver.solver));
    json_object_set_new(pack.head, "tolerance", json_real(scene->scheme.solver.tolerance));
    json_object_set_new(pack.head, "materials", materials);
    json_object_set_new(pack.head, "shape_kinds", shapes);
    json_object_set_new(pack.head, "step_columns", columns);
    json_object_set_new(pack.head, "periodic", describe_period(model, origin));
    json_object_set_new(pack.head, "environment", describe_environment(model));
    describe_bodies(&pack, model, origin);
    describe_shapes(&pack, model);
    describe_meshes(&pack, model);
    return pack;
}

bool mrn_view_flow(const MrnScene *scene, double time, const MrnViewGrid *grid, const double origin[3], MrnPack *pack) {
    const MrnEnvironment *environment = scene->model->environment;
    if (!environment) return false;
    *pack = mrn_pack_new();
    const MrnForcing *const fields[2] = {&environment->wind, &environment->current};
    static const char *const names[2] = {"wind", "current"};
    for (int f = 0; f < 2; f++) {
        float *out = mrn_pack_array(pack, names[f], MRN_PACK_F32, 2 * grid->columns * grid->rows);
        for (size_t j = 0; j < grid->rows; j++)
            for (size_t i = 0; i < grid->columns; i++, out += 2) {
                double place[2] = {origin[0] + grid->low[0] +
                                       ((double)i + 0.5) * (grid->high[0] - grid->low[0]) / (double)grid->columns,
                                   origin[1] + grid->low[1] +
                                       ((double)j + 0.5) * (grid->high[1] - grid->low[1]) / (double)grid->rows};
                double value[2] = {NAN, NAN};
                if (mrn_forcing_reaches(fields[f], place) && mrn_forcing_is_known(fields[f], time, place))
                    mrn_forcing_at(fields[f], time, place, value);
                out[0] = (float)value[0], out[1] = (float)value[1];
            }
    }
    return true;
}

static void add_numbers(MrnPack *pack, const char *name, const double *from, size_t count) {
    float *out = mrn_pack_array(pack, name, MRN_PACK_F32, count);
    for (size_t i = 0; i < count; i++) out[i] = (float)from[i];
}

/// A field of three numbers of all contacts, minus `shift`.
static void add_contact_vectors(MrnPack *pack, const char *name, const MrnFrame *frame, size_t offset,
                                const double shift[3]) {
    float *out = mrn_pack_array(pack, name, MRN_PACK_F32, 3 * frame->contact_count);
    for (size_t c = 0; c < frame->contact_count; c++) {
        const double *v = (const double *)((const char *)&frame->contacts[c] + offset);
        for (size_t k = 0; k < 3; k++) out[3 * c + k] = (float)(v[k] - shift[k]);
    }
}

static void add_contacts(MrnPack *pack, const MrnFrame *frame, const double origin[3]) {
    static const double nothing[3] = {0};
    size_t count = frame->contact_count;
    int32_t *bodies = mrn_pack_array(pack, "contact_bodies", MRN_PACK_I32, 2 * count);
    for (size_t c = 0; c < count; c++)
        bodies[2 * c] = frame->contacts[c].body_a, bodies[2 * c + 1] = frame->contacts[c].body_b;
    add_contact_vectors(pack, "contact_position", frame, offsetof(MrnContactView, position), origin);
    add_contact_vectors(pack, "contact_normal", frame, offsetof(MrnContactView, normal), nothing);
    add_contact_vectors(pack, "contact_impulse", frame, offsetof(MrnContactView, impulse), nothing);
    add_contact_vectors(pack, "contact_velocity", frame, offsetof(MrnContactView, velocity), nothing);
    float *gap = mrn_pack_array(pack, "contact_gap", MRN_PACK_F32, count);
    for (size_t c = 0; c < count; c++) gap[c] = (float)frame->contacts[c].gap;
    float *impulse = mrn_pack_array(pack, "contact_normal_impulse", MRN_PACK_F32, count);
    for (size_t c = 0; c < count; c++) impulse[c] = (float)frame->contacts[c].normal_impulse;
    uint8_t *status = mrn_pack_array(pack, "contact_status", MRN_PACK_U8, count);
    for (size_t c = 0; c < count; c++) status[c] = (uint8_t)frame->contacts[c].status;
}

bool mrn_view_frame(MrnRunFile *file, size_t index, int dimension, bool contacts, const double origin[3], MrnPack *pack,
                    size_t *bodies, MrnError *error) {
    MrnFrame frame;
    if (!mrn_run_file_frame_part(file, index, contacts, &frame, error)) return false;
    *pack = mrn_pack_new();
    json_object_set_new(pack->head, "index", json_integer((json_int_t)index));
    json_object_set_new(pack->head, "time", json_real(frame.time));
    json_object_set_new(pack->head, "step", json_integer((json_int_t)frame.step));
    json_object_set_new(pack->head, "contacts", json_integer((json_int_t)frame.contact_count));
    *bodies = frame.body_count;
    size_t count = frame.body_count, d = (size_t)dimension, turn = d == 2 ? 1 : 4, spin = d == 2 ? 1 : 3;
    float *position = mrn_pack_array(pack, "position", MRN_PACK_F32, d * count);
    for (size_t i = 0; i < d * count; i++) position[i] = (float)(frame.position[i] - origin[i % d]);
    add_numbers(pack, "rotation", frame.rotation, turn * count);
    add_numbers(pack, "velocity", frame.velocity, d * count);
    add_numbers(pack, "spin", frame.spin, spin * count);
    uint8_t *active = mrn_pack_array(pack, "active", MRN_PACK_U8, count);
    if (count) memcpy(active, frame.active, count);
    if (contacts) add_contacts(pack, &frame, origin);
    mrn_frame_free(&frame);
    return true;
}

bool mrn_view_times(MrnRunFile *file, size_t first, MrnPack *pack, MrnError *error) {
    size_t count = mrn_run_file_frame_count(file);
    if (first > count) first = count;
    double *times = malloc((count - first + 1) * sizeof *times);
    bool fine = times && mrn_run_file_times(file, first, count - first, times, error);
    if (fine) {
        *pack = mrn_pack_new();
        json_object_set_new(pack->head, "first", json_integer((json_int_t)first));
        double *out = mrn_pack_array(pack, "time", MRN_PACK_F64, count - first);
        if (count > first) memcpy(out, times, (count - first) * sizeof *out);
    }
    free(times);
    return fine;
}

static double step_value(const MrnStepInfo *info, const StepColumn *column) {
    const char *at = (const char *)info + column->offset;
    return column->whole ? (double)*(const int64_t *)at : *(const double *)at;
}

bool mrn_view_steps(MrnRunFile *file, size_t first, size_t most, MrnPack *pack, MrnError *error) {
    size_t total = mrn_run_file_step_count(file);
    if (first > total) first = total;
    if (most < 2) most = 2;
    size_t count = total - first, stride = count <= most ? 1 : (2 * count + most - 1) / most;
    size_t rows = stride == 1 ? count : 2 * ((count + stride - 1) / stride);
    double *table = mrn_alloc(rows * STEP_COLUMNS + 1, sizeof *table);
    MrnStepInfo *block = mrn_alloc(STEP_BLOCK, sizeof *block);
    bool fine = true;
    for (size_t from = 0; from < count && fine; from += STEP_BLOCK) {
        size_t length = count - from < STEP_BLOCK ? count - from : STEP_BLOCK;
        fine = mrn_run_file_steps(file, first + from, length, block, error);
        for (size_t i = 0; i < length && fine; i++)
            for (size_t c = 0; c < STEP_COLUMNS; c++) {
                double value = step_value(&block[i], &step_columns[c]), *cell;
                size_t bucket = (from + i) / stride;
                if (stride == 1) {
                    table[c * rows + bucket] = value;
                } else if (cell = &table[c * rows + 2 * bucket], (from + i) % stride == 0) {
                    cell[0] = cell[1] = value;
                } else {
                    cell[0] = fmin(cell[0], value);
                    cell[1] = fmax(cell[1], value);
                }
            }
    }
    if (fine) {
        *pack = mrn_pack_new();
        json_object_set_new(pack->head, "first", json_integer((json_int_t)first));
        json_object_set_new(pack->head, "count", json_integer((json_int_t)count));
        json_object_set_new(pack->head, "stride", json_integer((json_int_t)stride));
        for (size_t c = 0; c < STEP_COLUMNS; c++) {
            double *out = mrn_pack_array(pack, step_columns[c].name, MRN_PACK_F64, rows);
            if (rows) memcpy(out, table + c * rows, rows * sizeof *out);
        }
    }
    free(block);
    free(table);
    return fine;
}
