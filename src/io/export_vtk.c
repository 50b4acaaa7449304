// Export to VTK: for each frame one file of surfaces of the free bodies, of obstacles, of body centres and of contacts,
// and one collection (.pvd) of each over time, which ParaView opens.
//
// Surfaces are for the eye: single precision where that resolves a thousandth of the smallest body. Centres hold
// every body in the order of the run, with all numbers as the run has them (spins turned into space).
#include "io/export.h"

#include "base/error.h"
#include "io/surface.h"
#include "io/vtk_file.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/// A body's part of the surface.
typedef struct Mould {
    int body;
    MrnSurface surface;
} Mould;

/// The kinds of cells of a surface, in the order in which VTK numbers them.
enum { CELL_LINES, CELL_POLYGONS, CELL_STRIPS, CELL_KINDS };
typedef struct Cells {
    MRN_ARRAY(int32_t) points;
    MRN_ARRAY(int32_t) ends;
} Cells;

/// Surfaces of some of the bodies. What does not change from frame to frame is kept as long as the same bodies show.
typedef struct Skin {
    MRN_ARRAY(Mould) moulds;
    uint8_t *shown; ///< per mould, in the arrays below
    bool valid;     ///< the arrays below are filled
    size_t points;
    Cells cells[CELL_KINDS];
    MRN_ARRAY(int32_t) body, material; ///< per cell, kind by kind
    MRN_ARRAY(float) birth;
    MRN_ARRAY(float) velocity, spin; ///< per cell, of this frame
    void *place;                     ///< points of this frame
    size_t place_room;
} Skin;

typedef struct Vtk {
    int detail;
    bool single; ///< points of surfaces in single precision
    bool moving; ///< some obstacle is driven
    Skin bodies, obstacles;
    MrnVtkCollection series[4]; ///< in the order of series_names
    // Centres: what does not change
    int32_t *body, *material;
    uint8_t *kind;
    double *mass, *radius, *birth;
    char *names; ///< one after the other; NULL when no body has a name of its own
    // Room for one frame
    double *position, *velocity, *spin;
    MRN_ARRAY(int32_t) count_from_0; ///< 0, 1, 2...
    MRN_ARRAY(double) contact_numbers;
    MRN_ARRAY(int32_t) contact_bodies;
    MRN_ARRAY(uint8_t) contact_status;
} Vtk;

enum { SERIES_BODIES, SERIES_OBSTACLES, SERIES_CENTRES, SERIES_CONTACTS };
static const char *const series_names[4] = {"bodies", "obstacles", "centres", "contacts"};

static MrnPose body_pose(const MrnFrame *frame, int dimension, size_t b) {
    MrnPose pose = {0};
    const double *p = frame->position + (size_t)dimension * b;
    pose.position = (MrnVec3){p[0], p[1], dimension == 3 ? p[2] : 0};
    if (dimension == 3) {
        pose.rotation = mrn_quat_matrix(mrn_quat_load(frame->rotation + 4 * b));
    } else {
        double c = cos(frame->rotation[b]), s = sin(frame->rotation[b]);
        pose.rotation = (MrnMat3){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    }
    return pose;
}

/// A body without a finite place cannot be shown.
static bool has_place(const MrnFrame *frame, int dimension, size_t b) {
    if (!frame->active[b]) return false;
    double sum = 0;
    for (int k = 0; k < dimension; k++) sum += fabs(frame->position[(size_t)dimension * b + (size_t)k]);
    for (int k = 0; k < (dimension == 2 ? 1 : 4); k++)
        sum += fabs(frame->rotation[(size_t)(dimension == 2 ? 1 : 4) * b + (size_t)k]);
    return isfinite(sum);
}

// ---- starting

/// Box around the free bodies of a frame.
static void extend_box(const MrnModel *model, const MrnFrame *frame, MrnBox *box) {
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE || !has_place(frame, model->dimension, b)) continue;
        MrnVec3 p = body_pose(frame, model->dimension, b).position;
        double r = isfinite(body->reach) ? body->reach : 0;
        box->low = (MrnVec3){fmin(box->low.x, p.x - r), fmin(box->low.y, p.y - r), fmin(box->low.z, p.z - r)};
        box->high = (MrnVec3){fmax(box->high.x, p.x + r), fmax(box->high.y, p.y + r), fmax(box->high.z, p.z + r)};
    }
}

/// Where bodies are in the first and the last of the frames that are wanted.
static bool find_box(MrnExport *export, MrnBox *box, MrnError *error) {
    *box = (MrnBox){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < 2; i++) {
        MrnFrame frame;
        if (!mrn_run_file_frame(export->file, i ? export->last : export->first, &frame, error)) return false;
        extend_box(export->model, &frame, box);
        mrn_frame_free(&frame);
    }
    if (!(box->low.x <= box->high.x)) *box = (MrnBox){{-1, -1, -1}, {1, 1, 1}};
    return true;
}

static void add_moulds(Vtk *vtk, const MrnModel *model, const MrnFrame *frame, const MrnBox *box) {
    double reach = 0.75 * mrn_norm3(mrn_sub3(box->high, box->low));
    MrnVec3 middle = mrn_scale3(0.5, mrn_add3(box->low, box->high));
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        Skin *skin = body->kind == MRN_BODY_FREE ? &vtk->bodies : &vtk->obstacles;
        MrnPatch patch = {{0, 0, 0}, reach};
        if (has_place(frame, model->dimension, b)) {
            MrnPose pose = body_pose(frame, model->dimension, b);
            patch.centre = mrn_mat3_transpose_times(&pose.rotation, mrn_sub3(middle, pose.position));
        }
        Mould mould = {.body = (int)b};
        for (int s = 0; s < body->shape_count; s++)
            mrn_surface_add(&mould.surface, &model->shapes.data[body->first_shape + s], vtk->detail, &patch);
        mrn_array_push(&skin->moulds, mould);
        vtk->moving |= body->kind == MRN_BODY_DRIVEN;
    }
    vtk->bodies.shown = mrn_alloc_zero(vtk->bodies.moulds.count + 1, 1);
    vtk->obstacles.shown = mrn_alloc_zero(vtk->obstacles.moulds.count + 1, 1);
}

static int first_material(const MrnModel *model, const MrnBody *body) {
    return body->shape_count > 0 ? model->shapes.data[body->first_shape].material : -1;
}

static void describe_bodies(Vtk *vtk, const MrnModel *model) {
    size_t count = model->bodies.count, text = 0;
    bool named = false;
    vtk->body = mrn_alloc(count + 1, sizeof *vtk->body);
    vtk->material = mrn_alloc(count + 1, sizeof *vtk->material);
    vtk->kind = mrn_alloc(count + 1, sizeof *vtk->kind);
    vtk->mass = mrn_alloc(count + 1, sizeof *vtk->mass);
    vtk->radius = mrn_alloc(count + 1, sizeof *vtk->radius);
    vtk->birth = mrn_alloc(count + 1, sizeof *vtk->birth);
    vtk->position = mrn_alloc(count + 1, 3 * sizeof(double));
    vtk->velocity = mrn_alloc(count + 1, 3 * sizeof(double));
    vtk->spin = mrn_alloc(count + 1, 3 * sizeof(double));
    for (size_t b = 0; b < count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        vtk->body[b] = (int32_t)b;
        vtk->material[b] = first_material(model, body);
        vtk->kind[b] = (uint8_t)body->kind;
        vtk->mass[b] = body->mass;
        vtk->radius[b] = body->size;
        vtk->birth[b] = body->birth;
        named |= body->name != NULL;
        text += strlen(mrn_model_body_name(model, (int)b)) + 1;
    }
    if (!named) return;
    char *end = vtk->names = mrn_alloc(text + 1, 1);
    for (size_t b = 0; b < count; b++) {
        size_t length = strlen(mrn_model_body_name(model, (int)b)) + 1;
        memcpy(end, mrn_model_body_name(model, (int)b), length);
        end += length;
    }
}

static bool open_vtk(MrnExport *export, MrnError *error) {
    const MrnModel *model = export->model;
    Vtk *vtk = export->own = mrn_alloc_zero(1, sizeof *vtk);
    size_t bodies = model->bodies.count;
    vtk->detail = export->options.detail;
    if (!vtk->detail)
        vtk->detail = model->dimension == 2 ? (bodies < 20000 ? 32 : 16)
                      : bodies < 20000      ? 16
                      : bodies < 100000     ? 12
                                            : 8;
    MrnBox box;
    MrnFrame frame;
    if (!find_box(export, &box, error)) return false;
    double smallest = INFINITY, largest = 0;
    for (size_t b = 0; b < bodies; b++)
        if (model->bodies.data[b].kind == MRN_BODY_FREE) smallest = fmin(smallest, model->bodies.data[b].size);
    largest = fmax(fmax(fabs(box.low.x), fabs(box.high.x)), fmax(fabs(box.low.y), fabs(box.high.y)));
    largest = fmax(largest, model->dimension == 3 ? fmax(fabs(box.low.z), fabs(box.high.z)) : 0);
    vtk->single = largest < 1e4 * smallest;
    if (!mrn_run_file_frame(export->file, export->first, &frame, error)) return false;
    if (export->options.surfaces) add_moulds(vtk, model, &frame, &box);
    mrn_frame_free(&frame);
    describe_bodies(vtk, model);
    for (int i = 0; i < 4; i++) {
        if (!export->options.surfaces && i < SERIES_CENTRES) continue;
        char *folder = mrn_path_join(export->options.folder, series_names[i]);
        bool fine = mrn_folder_make(folder, error);
        free(folder);
        if (!fine) return false;
    }
    return true;
}

// ---- a frame

static bool write_piece(MrnExport *export, MrnVtkPiece *piece, int series, double time, size_t number,
                        MrnError *error) {
    Vtk *vtk = export->own;
    char name[64];
    snprintf(name, sizeof name, "%s/%06zu.vtp", series_names[series], number);
    mrn_vtk_add(piece, MRN_VTK_FIELD, "TimeValue", MRN_VTK_FLOAT64, 1, 1, &time);
    char *path = mrn_path_join(export->options.folder, name);
    uint64_t bytes = 0;
    bool fine = mrn_vtk_write(piece, path, &bytes, error);
    if (fine) {
        mrn_export_count_file(export, bytes);
        MrnVtkEntry entry = {time, mrn_strdup(name)};
        mrn_array_push(&vtk->series[series], entry);
    }
    free(path);
    mrn_vtk_piece_free(piece);
    return fine;
}

/// The cells of one kind of a mould.
static void mould_cells(const MrnSurface *surface, int kind, const int32_t **points, size_t *point_count,
                        const int32_t **ends, size_t *count) {
#define TAKE(list, list_ends)                                                                                          \
    (*points = surface->list.data, *point_count = surface->list.count, *ends = surface->list_ends.data,                \
     *count = surface->list_ends.count)
    if (kind == CELL_LINES)
        TAKE(lines, line_ends);
    else if (kind == CELL_POLYGONS)
        TAKE(polygons, polygon_ends);
    else
        TAKE(strips, strip_ends);
#undef TAKE
}

/// Lists of cells, and what is constant on them, of the bodies that are shown now. *changed: they are others than
/// before.
static bool refresh_skin(Skin *skin, const MrnModel *model, const MrnFrame *frame, bool *changed, MrnError *error) {
    bool same = skin->valid;
    size_t corners = 0;
    for (size_t m = 0; m < skin->moulds.count; m++) {
        uint8_t shown = has_place(frame, model->dimension, (size_t)skin->moulds.data[m].body);
        same &= shown == skin->shown[m];
        skin->shown[m] = shown;
        const MrnSurface *s = &skin->moulds.data[m].surface;
        if (shown) corners += s->points.count + s->polygons.count + s->strips.count + s->lines.count;
    }
    *changed = !same;
    if (same) return true;
    if (corners > INT32_MAX)
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "the surfaces of all bodies have more than 2^31 corners; lower the detail or leave them out");
    skin->valid = true;
    skin->body.count = skin->material.count = skin->birth.count = 0;
    for (int kind = 0; kind < CELL_KINDS; kind++) {
        Cells *cells = &skin->cells[kind];
        cells->points.count = cells->ends.count = 0;
        int32_t first = 0;
        for (size_t m = 0; m < skin->moulds.count; m++) {
            if (!skin->shown[m]) continue;
            const Mould *mould = &skin->moulds.data[m];
            const MrnBody *body = &model->bodies.data[mould->body];
            const int32_t *points, *ends, before = (int32_t)cells->points.count;
            size_t point_count, count;
            mould_cells(&mould->surface, kind, &points, &point_count, &ends, &count);
            for (size_t i = 0; i < point_count; i++) mrn_array_push(&cells->points, first + points[i]);
            for (size_t i = 0; i < count; i++) {
                mrn_array_push(&cells->ends, before + ends[i]);
                mrn_array_push(&skin->body, (int32_t)mould->body);
                mrn_array_push(&skin->material, first_material(model, body));
                mrn_array_push(&skin->birth, (float)body->birth);
            }
            first += (int32_t)(mould->surface.points.count / 3);
        }
        skin->points = (size_t)first;
    }
    mrn_array_resize(&skin->velocity, 3 * skin->body.count);
    mrn_array_resize(&skin->spin, 3 * skin->body.count);
    return true;
}

static void place_points(Skin *skin, const MrnFrame *frame, int dimension, bool single) {
    size_t bytes = 3 * skin->points * (single ? sizeof(float) : sizeof(double));
    if (bytes > skin->place_room) {
        free(skin->place);
        skin->place = mrn_alloc(bytes, 1);
        skin->place_room = bytes;
    }
    float *f = skin->place;
    double *d = skin->place;
    for (size_t m = 0; m < skin->moulds.count; m++) {
        if (!skin->shown[m]) continue;
        const MrnSurface *s = &skin->moulds.data[m].surface;
        MrnPose pose = body_pose(frame, dimension, (size_t)skin->moulds.data[m].body);
        const double *p = s->points.data;
        size_t count = s->points.count;
        for (size_t i = 0; i < count; i += 3) {
            MrnVec3 at = mrn_add3(pose.position, mrn_mat3_times(&pose.rotation, mrn_load3(p + i)));
            if (single)
                f[i] = (float)at.x, f[i + 1] = (float)at.y, f[i + 2] = (float)at.z;
            else
                d[i] = at.x, d[i + 1] = at.y, d[i + 2] = at.z;
        }
        if (single)
            f += count;
        else
            d += count;
    }
}

/// Spread a vector per body over its cells.
static void spread(const Skin *skin, const double *values, float *out) {
    for (size_t c = 0; c < skin->body.count; c++) {
        const double *v = values + 3 * (size_t)skin->body.data[c];
        out[3 * c] = (float)v[0], out[3 * c + 1] = (float)v[1], out[3 * c + 2] = (float)v[2];
    }
}

static bool write_skin(MrnExport *export, Skin *skin, int series, const MrnFrame *frame, size_t number,
                       MrnError *error) {
    Vtk *vtk = export->own;
    size_t cells = skin->body.count;
    place_points(skin, frame, export->model->dimension, vtk->single);
    spread(skin, vtk->velocity, skin->velocity.data);
    spread(skin, vtk->spin, skin->spin.data);
    MrnVtkPiece piece = {.points = skin->points,
                         .lines = skin->cells[CELL_LINES].ends.count,
                         .polys = skin->cells[CELL_POLYGONS].ends.count,
                         .strips = skin->cells[CELL_STRIPS].ends.count};
    mrn_vtk_add(&piece, MRN_VTK_CELL_DATA, "body", MRN_VTK_INT32, 1, cells, skin->body.data);
    mrn_vtk_add(&piece, MRN_VTK_CELL_DATA, "material", MRN_VTK_INT32, 1, cells, skin->material.data);
    mrn_vtk_add(&piece, MRN_VTK_CELL_DATA, "birth", MRN_VTK_FLOAT32, 1, cells, skin->birth.data);
    mrn_vtk_add(&piece, MRN_VTK_CELL_DATA, "velocity", MRN_VTK_FLOAT32, 3, cells, skin->velocity.data);
    mrn_vtk_add(&piece, MRN_VTK_CELL_DATA, "spin", MRN_VTK_FLOAT32, 3, cells, skin->spin.data);
    mrn_vtk_add(&piece, MRN_VTK_POINTS, "points", vtk->single ? MRN_VTK_FLOAT32 : MRN_VTK_FLOAT64, 3, skin->points,
                skin->place);
    static const MrnVtkPlace place[CELL_KINDS] = {
        [CELL_LINES] = MRN_VTK_LINES, [CELL_POLYGONS] = MRN_VTK_POLYS, [CELL_STRIPS] = MRN_VTK_STRIPS};
    for (int kind = 0; kind < CELL_KINDS; kind++) {
        const Cells *list = &skin->cells[kind];
        mrn_vtk_add(&piece, place[kind], "connectivity", MRN_VTK_INT32, 1, list->points.count, list->points.data);
        mrn_vtk_add(&piece, place[kind], "offsets", MRN_VTK_INT32, 1, list->ends.count, list->ends.data);
    }
    return write_piece(export, &piece, series, frame->time, number, error);
}

/// Positions, velocities and spins of all bodies as vectors in space.
static void fill_vectors(Vtk *vtk, const MrnModel *model, const MrnFrame *frame) {
    for (size_t b = 0; b < frame->body_count; b++) {
        double *p = vtk->position + 3 * b, *v = vtk->velocity + 3 * b, *w = vtk->spin + 3 * b;
        if (model->dimension == 3) {
            memcpy(p, frame->position + 3 * b, 3 * sizeof *p);
            memcpy(v, frame->velocity + 3 * b, 3 * sizeof *v);
            mrn_store3(w, mrn_quat_rotate(mrn_quat_load(frame->rotation + 4 * b), mrn_load3(frame->spin + 3 * b)));
        } else {
            p[0] = frame->position[2 * b], p[1] = frame->position[2 * b + 1], p[2] = 0;
            v[0] = frame->velocity[2 * b], v[1] = frame->velocity[2 * b + 1], v[2] = 0;
            w[0] = w[1] = 0, w[2] = frame->spin[b];
        }
    }
}

/// One vertex per point.
static void add_vertices(Vtk *vtk, MrnVtkPiece *piece, size_t count) {
    size_t known = vtk->count_from_0.count;
    if (known < count + 1) mrn_array_resize(&vtk->count_from_0, count + 1);
    for (size_t i = known; i < count + 1; i++) vtk->count_from_0.data[i] = (int32_t)i;
    piece->points = piece->verts = count;
    mrn_vtk_add(piece, MRN_VTK_VERTS, "connectivity", MRN_VTK_INT32, 1, count, vtk->count_from_0.data);
    mrn_vtk_add(piece, MRN_VTK_VERTS, "offsets", MRN_VTK_INT32, 1, count, vtk->count_from_0.data + 1);
}

static bool write_centres(MrnExport *export, const MrnFrame *frame, size_t number, MrnError *error) {
    Vtk *vtk = export->own;
    size_t count = frame->body_count;
    MrnVtkPiece piece = {0};
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "body", MRN_VTK_INT32, 1, count, vtk->body);
    if (vtk->names) mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "name", MRN_VTK_STRING, 1, count, vtk->names);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "kind", MRN_VTK_UINT8, 1, count, vtk->kind);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "active", MRN_VTK_UINT8, 1, count, frame->active);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "material", MRN_VTK_INT32, 1, count, vtk->material);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "mass", MRN_VTK_FLOAT64, 1, count, vtk->mass);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "radius", MRN_VTK_FLOAT64, 1, count, vtk->radius);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "birth", MRN_VTK_FLOAT64, 1, count, vtk->birth);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "rotation", MRN_VTK_FLOAT64, export->model->dimension == 2 ? 1 : 4, count,
                frame->rotation);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "velocity", MRN_VTK_FLOAT64, 3, count, vtk->velocity);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "spin", MRN_VTK_FLOAT64, 3, count, vtk->spin);
    mrn_vtk_add(&piece, MRN_VTK_POINTS, "points", MRN_VTK_FLOAT64, 3, count, vtk->position);
    add_vertices(vtk, &piece, count);
    return write_piece(export, &piece, SERIES_CENTRES, frame->time, number, error);
}

static bool write_contacts(MrnExport *export, const MrnFrame *frame, size_t number, MrnError *error) {
    Vtk *vtk = export->own;
    size_t count = frame->contact_count;
    double per_time = 1 / export->scene->scheme.time_step;
    mrn_array_resize(&vtk->contact_numbers, 17 * count);
    mrn_array_resize(&vtk->contact_bodies, 2 * count);
    mrn_array_resize(&vtk->contact_status, count);
    double *position = vtk->contact_numbers.data, *normal = position + 3 * count, *impulse = normal + 3 * count,
           *force = impulse + 3 * count, *velocity = force + 3 * count, *gap = velocity + 3 * count,
           *normal_impulse = gap + count;
    int32_t *a = vtk->contact_bodies.data, *b = a + count;
    for (size_t c = 0; c < count; c++) {
        const MrnContactView *view = &frame->contacts[c];
        for (size_t k = 0; k < 3; k++) {
            position[3 * c + k] = view->position[k];
            normal[3 * c + k] = view->normal[k];
            impulse[3 * c + k] = view->impulse[k];
            force[3 * c + k] = view->impulse[k] * per_time;
            velocity[3 * c + k] = view->velocity[k];
        }
        gap[c] = view->gap;
        normal_impulse[c] = view->normal_impulse;
        a[c] = view->body_a;
        b[c] = view->body_b;
        vtk->contact_status.data[c] = (uint8_t)view->status;
    }
    MrnVtkPiece piece = {0};
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "body_a", MRN_VTK_INT32, 1, count, a);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "body_b", MRN_VTK_INT32, 1, count, b);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "status", MRN_VTK_UINT8, 1, count, vtk->contact_status.data);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "gap", MRN_VTK_FLOAT64, 1, count, gap);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "normal_impulse", MRN_VTK_FLOAT64, 1, count, normal_impulse);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "normal", MRN_VTK_FLOAT64, 3, count, normal);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "impulse", MRN_VTK_FLOAT64, 3, count, impulse);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "force", MRN_VTK_FLOAT64, 3, count, force);
    mrn_vtk_add(&piece, MRN_VTK_POINT_DATA, "velocity", MRN_VTK_FLOAT64, 3, count, velocity);
    mrn_vtk_add(&piece, MRN_VTK_POINTS, "points", MRN_VTK_FLOAT64, 3, count, position);
    add_vertices(vtk, &piece, count);
    return write_piece(export, &piece, SERIES_CONTACTS, frame->time, number, error);
}

static bool write_frame(MrnExport *export, const MrnFrame *frame, size_t index, MrnError *error) {
    Vtk *vtk = export->own;
    size_t number = mrn_export_frame_number(export, index);
    fill_vectors(vtk, export->model, frame);
    if (export->options.surfaces) {
        bool changed;
        if (!refresh_skin(&vtk->bodies, export->model, frame, &changed, error) ||
            !write_skin(export, &vtk->bodies, SERIES_BODIES, frame, number, error) ||
            !refresh_skin(&vtk->obstacles, export->model, frame, &changed, error))
            return false;
        // Obstacles at rest are the same at all times: one file will do.
        if ((changed || vtk->moving) && !write_skin(export, &vtk->obstacles, SERIES_OBSTACLES, frame, number, error))
            return false;
    }
    return write_centres(export, frame, number, error) && write_contacts(export, frame, number, error);
}

static bool close_vtk(MrnExport *export, MrnError *error) {
    Vtk *vtk = export->own;
    for (int i = 0; i < 4; i++) {
        const MrnVtkCollection *collection = &vtk->series[i];
        if (!collection->count) continue;
        char name[32];
        snprintf(name, sizeof name, "%s.pvd", series_names[i]);
        char *path = mrn_path_join(export->options.folder, name);
        uint64_t bytes;
        bool fine = mrn_vtk_write_collection(collection, path, &bytes, error);
        if (fine) mrn_export_count_file(export, bytes);
        if (fine && !export->summary->main_file[0])
            snprintf(export->summary->main_file, sizeof export->summary->main_file, "%s", path);
        free(path);
        if (!fine) return false;
    }
    return true;
}

static void free_skin(Skin *skin) {
    for (size_t m = 0; m < skin->moulds.count; m++) mrn_surface_free(&skin->moulds.data[m].surface);
    mrn_array_free(&skin->moulds);
    for (int kind = 0; kind < CELL_KINDS; kind++) {
        mrn_array_free(&skin->cells[kind].points);
        mrn_array_free(&skin->cells[kind].ends);
    }
    mrn_array_free(&skin->body);
    mrn_array_free(&skin->material);
    mrn_array_free(&skin->birth);
    mrn_array_free(&skin->velocity);
    mrn_array_free(&skin->spin);
    free(skin->shown);
    free(skin->place);
}

static void free_vtk(MrnExport *export) {
    Vtk *vtk = export->own;
    free_skin(&vtk->bodies);
    free_skin(&vtk->obstacles);
    for (int i = 0; i < 4; i++) {
        MrnVtkCollection *collection = &vtk->series[i];
        for (size_t k = 0; k < collection->count; k++) free(collection->data[k].file);
        mrn_array_free(collection);
    }
    free(vtk->body);
    free(vtk->material);
    free(vtk->kind);
    free(vtk->mass);
    free(vtk->radius);
    free(vtk->birth);
    free(vtk->names);
    free(vtk->position);
    free(vtk->velocity);
    free(vtk->spin);
    mrn_array_free(&vtk->count_from_0);
    mrn_array_free(&vtk->contact_numbers);
    mrn_array_free(&vtk->contact_bodies);
    mrn_array_free(&vtk->contact_status);
    free(vtk);
}

const MrnExportFormat mrn_export_vtk = {
    .name = "vtk",
    .text = "VTK XML files for ParaView: shapes, obstacles, centres and contacts over time",
    .open = open_vtk,
    .frame = write_frame,
    .close = close_vtk,
    .free = free_vtk,
};
