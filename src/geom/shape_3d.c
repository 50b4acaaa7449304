// Shapes of space: checks, mass properties, bounds.
//
// Mass, centre and inertia are exact: closed forms, and for polyhedra the sum over the tetrahedra that the faces span
// with an inner point (divergence theorem; each tetrahedron by the four-vertex formula of its second moments).
#include "base/error.h"
#include "base/memory.h"
#include "geom/hull.h"
#include "geom/mesh.h"
#include "geom/shape_parts.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;

static bool positive(double value, const char *what, const char *shape, MrnError *error) {
    if (isfinite(value) && value > 0) return true;
    return mrn_fail(error, MRN_ERROR_INPUT, "%s of a %s must be positive and finite, got %g m", what, shape, value);
}

static bool check_placement(MrnShape *shape, MrnError *error) {
    for (int i = 0; i < 3; i++)
        if (!isfinite(shape->position[i]))
            return mrn_fail(error, MRN_ERROR_INPUT, "position of the shape is not finite: %g", shape->position[i]);
    const double *q = shape->rotation;
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(fabs(length - 1) <= 1e-6))
        return mrn_fail(error, MRN_ERROR_INPUT, "rotation of the shape is not a unit quaternion: its length is %g",
                        length);
    // Left alone when it is already unit to rounding, so that preparing twice changes nothing.
    if (fabs(length - 1) > 1e-15)
        for (int i = 0; i < 4; i++) shape->rotation[i] /= length;
    return true;
}

static bool prepare_polyhedron(MrnShape *shape, MrnError *error) {
    MrnHull hull;
    if (!mrn_hull_make(shape->vertices, shape->vertices ? shape->vertex_count : 0, &hull, error)) return false;
    for (int i = 0; i < hull.vertex_count;
         i++) // kept vertices come in increasing order: the copy never overwrites one still needed
        memmove(shape->vertices + 3 * i, shape->vertices + 3 * hull.vertex[i], 3 * sizeof(double));
    shape->vertex_count = (size_t)hull.vertex_count;
    shape->face_count = (size_t)hull.face_count;
    free(shape->face_start);
    free(shape->face_vertex);
    shape->face_start = hull.face_start;
    shape->face_vertex = hull.face_vertex;
    free(hull.vertex);
    shape->tree =
        mrn_facets_new(shape->vertices, hull.vertex_count, hull.face_count, shape->face_start, shape->face_vertex);
    return true;
}

bool mrn_shape_prepare_3d(MrnShape *shape, MrnError *error) {
    if (!check_placement(shape, error)) return false;
    mrn_shape_free_tree_3d(shape);
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE: return positive(shape->radius, "radius", "sphere", error);
    case MRN_SHAPE_BOX:
        for (int i = 0; i < 3; i++)
            if (!positive(shape->half[i], "each half side", "box", error)) return false;
        return true;
    case MRN_SHAPE_CAPSULE:
        return positive(shape->radius, "radius", "capsule", error) &&
               positive(shape->half[2], "half length", "capsule", error);
    case MRN_SHAPE_CYLINDER:
        return positive(shape->radius, "radius", "cylinder", error) &&
               positive(shape->half[2], "half height", "cylinder", error);
    case MRN_SHAPE_POLYHEDRON: return prepare_polyhedron(shape, error);
    case MRN_SHAPE_PLANE: return true;
    case MRN_SHAPE_TUBE:
        return positive(shape->radius, "radius", "tube", error) &&
               positive(shape->half[2], "half length", "tube", error);
    case MRN_SHAPE_FUNNEL:
        for (int i = 0; i < 2; i++) {
            double radius = i ? shape->top_radius : shape->radius;
            if (!isfinite(radius) || radius < 0)
                return mrn_fail(error, MRN_ERROR_INPUT, "%s of a funnel must be finite and not negative, got %g m",
                                i ? "top radius" : "radius", radius);
        }
        if (shape->radius == 0 && shape->top_radius == 0)
            return mrn_fail(error, MRN_ERROR_INPUT, "both radii of a funnel are 0 m");
        return positive(shape->half[2], "half height", "funnel", error);
    case MRN_SHAPE_MESH: shape->tree = mrn_mesh_tree_new(shape, error); return shape->tree != NULL;
    default: return mrn_fail(error, MRN_ERROR_INPUT, "shape kind %d is not a shape of space", (int)shape->kind);
    }
}

void mrn_shape_free_tree_3d(MrnShape *shape) {
    if (shape->kind == MRN_SHAPE_MESH)
        mrn_mesh_tree_free(shape->tree);
    else
        free(shape->tree);
    shape->tree = NULL;
}

/// Mass, centre and inertia (about the centre) of a polyhedron in its own frame.
static MrnMassProperties polyhedron_mass(const MrnShape *shape, double density) {
    MrnVec3 origin = {0, 0, 0};
    for (size_t i = 0; i < shape->vertex_count; i++)
        origin = mrn_axpy3(origin, 1.0 / (double)shape->vertex_count, mrn_load3(shape->vertices + 3 * i));
    double volume = 0, first[3] = {0}, second[3][3] = {{0}};
    for (size_t f = 0; f < shape->face_count; f++) {
        int begin = shape->face_start[f], end = shape->face_start[f + 1];
        double corner[3][3];
        mrn_store3(corner[0], mrn_sub3(mrn_load3(shape->vertices + 3 * shape->face_vertex[begin]), origin));
        for (int i = begin + 1; i + 1 < end; i++) {
            for (int k = 0; k < 2; k++)
                mrn_store3(corner[k + 1], mrn_sub3(mrn_load3(shape->vertices + 3 * shape->face_vertex[i + k]), origin));
            double v = mrn_dot3(mrn_load3(corner[0]), mrn_cross3(mrn_load3(corner[1]), mrn_load3(corner[2]))) / 6;
            volume += v;
            double sum[3];
            for (int r = 0; r < 3; r++) sum[r] = corner[0][r] + corner[1][r] + corner[2][r];
            for (int r = 0; r < 3; r++) {
                first[r] += v * sum[r] / 4;
                for (int c = 0; c < 3; c++) {
                    double moment = sum[r] * sum[c];
                    for (int k = 0; k < 3; k++) moment += corner[k][r] * corner[k][c];
                    second[r][c] += v * moment / 20;
                }
            }
        }
    }
    MrnMassProperties mass = {.mass = density * volume};
    double centre[3];
    for (int r = 0; r < 3; r++) centre[r] = first[r] / volume;
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) second[r][c] = density * (second[r][c] - volume * centre[r] * centre[c]);
    double trace = second[0][0] + second[1][1] + second[2][2];
    for (int r = 0; r < 3; r++)
        for (int c = 0; c < 3; c++) mass.inertia[r][c] = (r == c ? trace : 0) - second[r][c];
    mrn_store3(mass.centre, mrn_add3(origin, mrn_load3(centre)));
    return mass;
}

/// In the frame of the shape.
static MrnMassProperties own_mass(const MrnShape *shape, double density) {
    MrnMassProperties mass = {0};
    double r = shape->radius, h = shape->half[2];
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE:
        mass.mass = density * 4 / 3 * pi * r * r * r;
        for (int i = 0; i < 3; i++) mass.inertia[i][i] = 0.4 * mass.mass * r * r;
        return mass;
    case MRN_SHAPE_BOX: {
        const double *s = shape->half;
        mass.mass = 8 * density * s[0] * s[1] * s[2];
        for (int i = 0; i < 3; i++) {
            double a = s[(i + 1) % 3], b = s[(i + 2) % 3];
            mass.inertia[i][i] = mass.mass / 3 * (a * a + b * b);
        }
        return mass;
    }
    case MRN_SHAPE_CYLINDER:
        mass.mass = density * 2 * pi * r * r * h;
        mass.inertia[2][2] = mass.mass * r * r / 2;
        mass.inertia[0][0] = mass.inertia[1][1] = mass.mass * (r * r / 4 + h * h / 3);
        return mass;
    case MRN_SHAPE_CAPSULE: {
        // A cylinder and two half balls, whose centres lie 3r/8 from their flat sides.
        double cylinder = density * 2 * pi * r * r * h, balls = density * 4 / 3 * pi * r * r * r;
        mass.mass = cylinder + balls;
        mass.inertia[2][2] = cylinder * r * r / 2 + balls * 0.4 * r * r;
        mass.inertia[0][0] = mass.inertia[1][1] =
            cylinder * (r * r / 4 + h * h / 3) + balls * (0.4 * r * r + h * h + 0.75 * h * r);
        return mass;
    }
    case MRN_SHAPE_POLYHEDRON: return polyhedron_mass(shape, density);
    default: return mass; // obstacles have none
    }
}

MrnMassProperties mrn_shape_mass_3d(const MrnShape *shape, double density) {
    MrnMassProperties own = own_mass(shape, density), mass = {.mass = own.mass};
    MrnMat3 R = mrn_quat_matrix(mrn_quat_load(shape->rotation));
    mrn_store3(mass.centre, mrn_add3(mrn_load3(shape->position), mrn_mat3_times(&R, mrn_load3(own.centre))));
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                for (int l = 0; l < 3; l++) mass.inertia[i][j] += R.m[i][k] * own.inertia[k][l] * R.m[j][l];
    return mass;
}

MrnBox mrn_shape_bounds_3d(const MrnShape *shape, const MrnPose *body) {
    MrnMat3 own = mrn_quat_matrix(mrn_quat_load(shape->rotation)), R;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            R.m[i][j] = body->rotation.m[i][0] * own.m[0][j] + body->rotation.m[i][1] * own.m[1][j] +
                        body->rotation.m[i][2] * own.m[2][j];
    double centre[3], low[3], high[3];
    mrn_store3(centre, mrn_add3(body->position, mrn_mat3_times(&body->rotation, mrn_load3(shape->position))));
    const double *half = shape->half;
    for (int i = 0; i < 3; i++) {
        double along = fabs(R.m[i][2]) * half[2], across = sqrt(fmax(0, 1 - R.m[i][2] * R.m[i][2])), extent = 0;
        low[i] = high[i] = centre[i];
        switch (shape->kind) {
        case MRN_SHAPE_SPHERE: extent = shape->radius; break;
        case MRN_SHAPE_BOX: extent = fabs(R.m[i][0]) * half[0] + fabs(R.m[i][1]) * half[1] + along; break;
        case MRN_SHAPE_CAPSULE: extent = along + shape->radius; break;
        case MRN_SHAPE_CYLINDER:
        case MRN_SHAPE_TUBE: extent = along + across * shape->radius; break;
        case MRN_SHAPE_FUNNEL: {
            double z = R.m[i][2] * half[2], bottom = across * shape->radius, top = across * shape->top_radius;
            low[i] += fmin(-z - bottom, z - top), high[i] += fmax(-z + bottom, z + top);
            break;
        }
        case MRN_SHAPE_PLANE: // bounded only where the normal is along an axis
            low[i] = R.m[i][2] == -1.0 ? centre[i] : -INFINITY;
            high[i] = R.m[i][2] == 1.0 ? centre[i] : INFINITY;
            break;
        default:
            low[i] = INFINITY, high[i] = -INFINITY;
            for (size_t v = 0; v < shape->vertex_count; v++) {
                const double *p = shape->vertices + 3 * v;
                double x = R.m[i][0] * p[0] + R.m[i][1] * p[1] + R.m[i][2] * p[2] + centre[i];
                low[i] = fmin(low[i], x), high[i] = fmax(high[i], x);
            }
        }
        low[i] -= extent, high[i] += extent;
    }
    return (MrnBox){mrn_load3(low), mrn_load3(high)};
}

double mrn_shape_reach_3d(const MrnShape *shape) {
    MrnMat3 R = mrn_quat_matrix(mrn_quat_load(shape->rotation));
    MrnVec3 position = mrn_load3(shape->position);
    MrnVec3 origin = mrn_mat3_transpose_times(&R, mrn_scale3(-1, position)); // of the body, seen from the shape
    double across = hypot(origin.x, origin.y), h = shape->half[2];
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE: return mrn_norm3(position) + shape->radius;
    case MRN_SHAPE_BOX:
        return mrn_norm3(
            mrn_vec3(fabs(origin.x) + shape->half[0], fabs(origin.y) + shape->half[1], fabs(origin.z) + h));
    case MRN_SHAPE_CAPSULE: return hypot(across, fabs(origin.z) + h) + shape->radius;
    case MRN_SHAPE_CYLINDER:
    case MRN_SHAPE_TUBE: return hypot(across + shape->radius, fabs(origin.z) + h);
    case MRN_SHAPE_FUNNEL:
        return fmax(hypot(across + shape->radius, origin.z + h), hypot(across + shape->top_radius, origin.z - h));
    case MRN_SHAPE_PLANE: return INFINITY;
    default: {
        double reach = 0;
        for (size_t v = 0; v < shape->vertex_count; v++)
            reach = fmax(reach, mrn_norm3(mrn_sub3(mrn_load3(shape->vertices + 3 * v), origin)));
        return reach;
    }
    }
}

double mrn_shape_size_3d(const MrnShape *shape) {
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE:
    case MRN_SHAPE_CAPSULE:
    case MRN_SHAPE_TUBE: return shape->radius;
    case MRN_SHAPE_BOX: return fmin(shape->half[0], fmin(shape->half[1], shape->half[2]));
    case MRN_SHAPE_CYLINDER: return fmin(shape->radius, shape->half[2]);
    case MRN_SHAPE_POLYHEDRON: assert(shape->tree); return ((const MrnFacets *)shape->tree)->half_width;
    case MRN_SHAPE_FUNNEL: return fmax(shape->radius, shape->top_radius);
    case MRN_SHAPE_MESH: {
        MrnPose still = {.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
        MrnBox box = mrn_shape_bounds_3d(shape, &still);
        return fmax(box.high.x - box.low.x, fmax(box.high.y - box.low.y, box.high.z - box.low.z)) / 2;
    }
    default: return INFINITY;
    }
}
