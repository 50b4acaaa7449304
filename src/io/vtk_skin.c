// Surfaces of many bodies for VTK. See vtk_skin.h.
#include "io/vtk_skin.h"

#include "base/error.h"
#include "base/simd.h"
#include "model/model.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

void mrn_skin_moulds_free(MrnSkinMoulds *moulds) {
    for (size_t m = 0; m < moulds->count; m++) mrn_surface_free(&moulds->data[m].surface);
    mrn_array_free(moulds);
}

void mrn_skin_free(MrnSkin *skin) {
    for (int kind = 0; kind < MRN_SKIN_CELL_KINDS; kind++) {
        mrn_array_free(&skin->cells[kind].points);
        mrn_array_free(&skin->cells[kind].ends);
        mrn_vtk_packed_free(&skin->cells[kind].packed_points);
        mrn_vtk_packed_free(&skin->cells[kind].packed_ends);
    }
    mrn_array_free(&skin->body);
    mrn_array_free(&skin->material);
    mrn_array_free(&skin->birth);
    mrn_array_free(&skin->velocity);
    mrn_array_free(&skin->spin);
    mrn_vtk_packed_free(&skin->packed_body);
    mrn_vtk_packed_free(&skin->packed_material);
    mrn_vtk_packed_free(&skin->packed_birth);
    free(skin->shown);
    free(skin->place);
    *skin = (MrnSkin){0};
}

MrnPose mrn_skin_pose(const MrnFrame *frame, int dimension, size_t b) {
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

bool mrn_skin_shows(const MrnFrame *frame, int dimension, size_t b) {
    if (!frame->active[b]) return false;
    double sum = 0;
    for (int k = 0; k < dimension; k++) sum += fabs(frame->position[(size_t)dimension * b + (size_t)k]);
    for (int k = 0; k < (dimension == 2 ? 1 : 4); k++)
        sum += fabs(frame->rotation[(size_t)(dimension == 2 ? 1 : 4) * b + (size_t)k]);
    return isfinite(sum);
}

/// The cells of one kind of a mould.
static void mould_cells(const MrnSurface *surface, int kind, const int32_t **points, size_t *point_count,
                        const int32_t **ends, size_t *count) {
#define TAKE(list, list_ends)                                                                                          \
    (*points = surface->list.data, *point_count = surface->list.count, *ends = surface->list_ends.data,                \
     *count = surface->list_ends.count)
    if (kind == MRN_SKIN_LINES)
        TAKE(lines, line_ends);
    else if (kind == MRN_SKIN_POLYGONS)
        TAKE(polygons, polygon_ends);
    else
        TAKE(strips, strip_ends);
#undef TAKE
}

/// Which bodies are shown now; *same if they are those that the arrays are for.
static bool look(MrnSkin *skin, const MrnSkinMoulds *moulds, int dimension, const MrnFrame *frame, bool *same) {
    size_t corners = 0;
    *same = skin->filled;
    if (!skin->shown) skin->shown = mrn_alloc_zero(moulds->count + 1, 1);
    for (size_t m = 0; m < moulds->count; m++) {
        uint8_t shown = mrn_skin_shows(frame, dimension, (size_t)moulds->data[m].body);
        *same &= shown == skin->shown[m];
        skin->shown[m] = shown;
        const MrnSurface *s = &moulds->data[m].surface;
        if (shown) corners += s->points.count + s->polygons.count + s->strips.count + s->lines.count;
    }
    return corners <= INT32_MAX;
}

/// The cells of one kind, and what is constant on them.
static void fill_cells(MrnSkin *skin, int kind, const MrnSkinMoulds *moulds, const MrnModel *model) {
    MrnSkinCells *cells = &skin->cells[kind];
    cells->points.count = cells->ends.count = 0;
    int32_t first = 0;
    for (size_t m = 0; m < moulds->count; m++) {
        if (!skin->shown[m]) continue;
        const MrnSkinMould *mould = &moulds->data[m];
        const MrnBody *body = &model->bodies.data[mould->body];
        const int32_t *points, *ends, before = (int32_t)cells->points.count;
        size_t point_count, count;
        mould_cells(&mould->surface, kind, &points, &point_count, &ends, &count);
        mrn_array_resize(&cells->points, (size_t)before + point_count);
        for (size_t i = 0; i < point_count; i++) cells->points.data[(size_t)before + i] = first + points[i];
        for (size_t i = 0; i < count; i++) {
            mrn_array_push(&cells->ends, before + ends[i]);
            mrn_array_push(&skin->body, (int32_t)mould->body);
            mrn_array_push(&skin->material, body->shape_count ? model->shapes.data[body->first_shape].material : -1);
            mrn_array_push(&skin->birth, (float)body->birth);
        }
        first += (int32_t)(mould->surface.points.count / 3);
    }
    skin->points = (size_t)first;
}

static void fill(MrnSkin *skin, const MrnSkinMoulds *moulds, const MrnModel *model) {
    skin->body.count = skin->material.count = skin->birth.count = 0;
    for (int kind = 0; kind < MRN_SKIN_CELL_KINDS; kind++) {
        fill_cells(skin, kind, moulds, model);
        mrn_vtk_packed_free(&skin->cells[kind].packed_points);
        mrn_vtk_packed_free(&skin->cells[kind].packed_ends);
    }
    mrn_vtk_packed_free(&skin->packed_body);
    mrn_vtk_packed_free(&skin->packed_material);
    mrn_vtk_packed_free(&skin->packed_birth);
    mrn_array_resize(&skin->velocity, 3 * skin->body.count);
    mrn_array_resize(&skin->spin, 3 * skin->body.count);
}

#define PLACE(name, type)                                                                                              \
    static MRN_KERNEL void name(const MrnPose *pose, const double *restrict points, size_t count,                      \
                                type *restrict out) {                                                                  \
        const MrnMat3 R = pose->rotation;                                                                              \
        const MrnVec3 x = pose->position;                                                                              \
        for (size_t i = 0; i < count; i += 3) {                                                                        \
            MrnVec3 at = mrn_add3(x, mrn_mat3_times(&R, mrn_load3(points + i)));                                       \
            out[i] = (type)at.x, out[i + 1] = (type)at.y, out[i + 2] = (type)at.z;                                     \
        }                                                                                                              \
    }
PLACE(place_single, float)
PLACE(place_double, double)
#undef PLACE

static void place_points(MrnSkin *skin, const MrnSkinMoulds *moulds, const MrnFrame *frame, int dimension,
                         bool single) {
    size_t bytes = 3 * skin->points * (single ? sizeof(float) : sizeof(double)), at = 0;
    if (bytes > skin->place_room) {
        free(skin->place);
        skin->place = mrn_alloc(bytes, 1);
        skin->place_room = bytes;
    }
    for (size_t m = 0; m < moulds->count; m++) {
        if (!skin->shown[m]) continue;
        const MrnSurface *s = &moulds->data[m].surface;
        MrnPose pose = mrn_skin_pose(frame, dimension, (size_t)moulds->data[m].body);
        if (single)
            place_single(&pose, s->points.data, s->points.count, (float *)skin->place + at);
        else
            place_double(&pose, s->points.data, s->points.count, (double *)skin->place + at);
        at += s->points.count;
    }
}

/// Spread a vector per body over its cells.
static void spread(const MrnSkin *skin, const double *values, float *out) {
    for (size_t c = 0; c < skin->body.count; c++) {
        const double *v = values + 3 * (size_t)skin->body.data[c];
        out[3 * c] = (float)v[0], out[3 * c + 1] = (float)v[1], out[3 * c + 2] = (float)v[2];
    }
}

bool mrn_skin_piece(MrnSkin *skin, const MrnSkinMoulds *moulds, const MrnModel *model, const MrnFrame *frame,
                    const double *velocity, const double *spin, bool single, bool steady, MrnVtkPiece *piece,
                    MrnError *error) {
    bool same;
    if (!look(skin, moulds, model->dimension, frame, &same))
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "the surfaces of all bodies have more than 2^31 corners; lower the detail or leave them out");
    if (!same) fill(skin, moulds, model);
    skin->filled = true;
    size_t cells = skin->body.count;
    place_points(skin, moulds, frame, model->dimension, single);
    spread(skin, velocity, skin->velocity.data);
    spread(skin, spin, skin->spin.data);
    *piece = (MrnVtkPiece){.compressed = true,
                           .points = skin->points,
                           .lines = skin->cells[MRN_SKIN_LINES].ends.count,
                           .polys = skin->cells[MRN_SKIN_POLYGONS].ends.count,
                           .strips = skin->cells[MRN_SKIN_STRIPS].ends.count};
#define CONSTANT(place, name, type, count, data, packed)                                                               \
    mrn_vtk_add_constant(piece, place, name, type, 1, count, data, steady ? &(packed) : NULL)
    CONSTANT(MRN_VTK_CELL_DATA, "body", MRN_VTK_INT32, cells, skin->body.data, skin->packed_body);
    CONSTANT(MRN_VTK_CELL_DATA, "material", MRN_VTK_INT32, cells, skin->material.data, skin->packed_material);
    CONSTANT(MRN_VTK_CELL_DATA, "birth", MRN_VTK_FLOAT32, cells, skin->birth.data, skin->packed_birth);
    mrn_vtk_add(piece, MRN_VTK_CELL_DATA, "velocity", MRN_VTK_FLOAT32, 3, cells, skin->velocity.data);
    mrn_vtk_add(piece, MRN_VTK_CELL_DATA, "spin", MRN_VTK_FLOAT32, 3, cells, skin->spin.data);
    mrn_vtk_add(piece, MRN_VTK_POINTS, "points", single ? MRN_VTK_FLOAT32 : MRN_VTK_FLOAT64, 3, skin->points,
                skin->place);
    static const MrnVtkPlace place[MRN_SKIN_CELL_KINDS] = {
        [MRN_SKIN_LINES] = MRN_VTK_LINES, [MRN_SKIN_POLYGONS] = MRN_VTK_POLYS, [MRN_SKIN_STRIPS] = MRN_VTK_STRIPS};
    for (int kind = 0; kind < MRN_SKIN_CELL_KINDS; kind++) {
        MrnSkinCells *list = &skin->cells[kind];
        CONSTANT(place[kind], "connectivity", MRN_VTK_INT32, list->points.count, list->points.data,
                 list->packed_points);
        CONSTANT(place[kind], "offsets", MRN_VTK_INT32, list->ends.count, list->ends.data, list->packed_ends);
    }
#undef CONSTANT
    return true;
}
