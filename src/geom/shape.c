// Shapes of both dimensions: the table of kinds, the life of a shape, and the choice between the plane and space.
#include "geom/shape.h"

#include "base/error.h"
#include "base/memory.h"
#include "geom/shape_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    int dimension;
    bool solid;
} kinds[] = {
#define X(kind, name, dimension, solid) [kind] = {name, dimension, solid},
    MRN_SHAPE_LIST(X)
#undef X
};

static bool known(MrnShapeKind kind) {
    return (unsigned)kind < MRN_SHAPE_COUNT;
}

MrnShape mrn_shape_defaults(MrnShapeKind kind) {
    assert(known(kind));
    MrnShape shape = {.kind = kind};
    // Identity: angle 0 in the plane, the unit quaternion in space.
    if (kinds[kind].dimension == 3) shape.rotation[0] = 1.0;
    return shape;
}

const char *mrn_shape_name(MrnShapeKind kind) {
    assert(known(kind));
    return kinds[kind].name;
}

int mrn_shape_dimension(MrnShapeKind kind) {
    assert(known(kind));
    return kinds[kind].dimension;
}

bool mrn_shape_is_solid(MrnShapeKind kind) {
    assert(known(kind));
    return kinds[kind].solid;
}

static bool is_2d(const MrnShape *shape) {
    return mrn_shape_dimension(shape->kind) == 2;
}

bool mrn_shape_prepare(MrnShape *shape, MrnError *error) {
    if (!known(shape->kind)) return mrn_fail(error, MRN_ERROR_INPUT, "there is no shape of kind %d", (int)shape->kind);
    return is_2d(shape) ? mrn_shape_prepare_2d(shape, error) : mrn_shape_prepare_3d(shape, error);
}

void mrn_shape_free(MrnShape *shape) {
    if (shape->tree) {
        if (is_2d(shape))
            free(shape->tree);
        else
            mrn_shape_free_tree_3d(shape);
        shape->tree = NULL;
    }
    free(shape->vertices);
    free(shape->face_start);
    free(shape->face_vertex);
    shape->vertices = NULL;
    shape->face_start = shape->face_vertex = NULL;
    shape->vertex_count = shape->face_count = 0;
}

bool mrn_shape_half_space(const MrnShape *shape, const MrnPose *body, MrnHalfSpace *half_space) {
    const double *local = shape->position;
    MrnVec3 normal, place;
    if (shape->kind == MRN_SHAPE_HALF_PLANE) {
        double c = body->rotation.m[0][0], s = body->rotation.m[1][0];
        MrnVec2 n = mrn_rotate2(c, s, mrn_vec2(-sin(shape->rotation[0]), cos(shape->rotation[0])));
        MrnVec2 at = mrn_rotate2(c, s, mrn_vec2(local[0], local[1]));
        normal = mrn_vec3(n.x, n.y, 0);
        place = mrn_vec3(body->position.x + at.x, body->position.y + at.y, 0);
    } else if (shape->kind == MRN_SHAPE_PLANE) {
        normal = mrn_mat3_times(&body->rotation, mrn_quat_rotate(mrn_quat_load(shape->rotation), mrn_vec3(0, 0, 1)));
        place = mrn_add3(body->position, mrn_mat3_times(&body->rotation, mrn_load3(local)));
    } else
        return false;
    *half_space = (MrnHalfSpace){normal, mrn_dot3(normal, place)};
    return true;
}

static void *duplicate(const void *source, size_t count, size_t size) {
    if (!source || count == 0) return NULL;
    return memcpy(mrn_alloc(count, size), source, count * size);
}

MrnShape mrn_shape_copy(const MrnShape *shape) {
    MrnShape copy = *shape;
    size_t dimension = (size_t)mrn_shape_dimension(shape->kind);
    size_t corners = 3 * shape->face_count;
    if (shape->face_start) corners = (size_t)shape->face_start[shape->face_count];
    copy.vertices = duplicate(shape->vertices, dimension * shape->vertex_count, sizeof *copy.vertices);
    copy.face_start = duplicate(shape->face_start, shape->face_count + 1, sizeof *copy.face_start);
    copy.face_vertex = duplicate(shape->face_vertex, corners, sizeof *copy.face_vertex);
    copy.tree = NULL;
    // A prepared shape passes the checks it already passed.
    if (shape->tree && !mrn_shape_prepare(&copy, NULL)) assert(!"a prepared shape was refused");
    return copy;
}

MrnMassProperties mrn_shape_mass(const MrnShape *shape, double density) {
    return is_2d(shape) ? mrn_shape_mass_2d(shape, density) : mrn_shape_mass_3d(shape, density);
}

MrnBox mrn_shape_bounds(const MrnShape *shape, const MrnPose *body) {
    return is_2d(shape) ? mrn_shape_bounds_2d(shape, body) : mrn_shape_bounds_3d(shape, body);
}

double mrn_shape_reach(const MrnShape *shape) {
    return is_2d(shape) ? mrn_shape_reach_2d(shape) : mrn_shape_reach_3d(shape);
}

double mrn_shape_size(const MrnShape *shape) {
    return is_2d(shape) ? mrn_shape_size_2d(shape) : mrn_shape_size_3d(shape);
}
