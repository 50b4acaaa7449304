// Shapes cut into triangles, with exact normals on round surfaces.
#include "draw/solid.h"

#include <stddef.h>

typedef struct Brush {
    MrnRaster *raster;
    const MrnCamera *camera;
    const MrnPose *pose;
    MrnPaint paint;
    MrnSides sides;
} Brush;

static MrnVec3 in_space(const MrnPose *pose, MrnVec3 p) {
    return mrn_add3(pose->position, mrn_mat3_times(&pose->rotation, p));
}

/// A triangle in the frame of the shape with its own normals.
static void curved(const Brush *brush, const MrnVec3 p[3], const MrnVec3 n[3]) {
    MrnVec3 corner[3], normal[3];
    for (int i = 0; i < 3; i++)
        corner[i] = in_space(brush->pose, p[i]), normal[i] = mrn_mat3_times(&brush->pose->rotation, n[i]);
    mrn_raster_triangle(brush->raster, brush->camera, corner, normal, brush->paint, brush->sides);
}

static void flat(const Brush *brush, MrnVec3 a, MrnVec3 b, MrnVec3 c) {
    MrnVec3 n = mrn_cross3(mrn_sub3(b, a), mrn_sub3(c, a));
    double norm = mrn_norm3(n);
    if (!(norm > 0)) return;
    n = mrn_scale3(1 / norm, n);
    curved(brush, (MrnVec3[3]){a, b, c}, (MrnVec3[3]){n, n, n});
}

static void curved_quad(const Brush *brush, const MrnVec3 p[4], const MrnVec3 n[4]) {
    curved(brush, p, n);
    curved(brush, (MrnVec3[3]){p[0], p[2], p[3]}, (MrnVec3[3]){n[0], n[2], n[3]});
}

/// Number of pieces of a full turn so that corners do not show.
static int pieces(const Brush *brush, double radius) {
    MrnVec3 c = mrn_camera_see(brush->camera, brush->pose->position);
    double samples = radius * brush->camera->focal / (brush->camera->perspective ? fmax(c.z, brush->camera->near) : 1);
    double wanted = 6 + 2.2 * sqrt(samples);
    return 4 * (int)(0.25 * fmin(fmax(wanted, 8), 96));
}

/// A surface of revolution about z between two circles; inward: the inner side is the front.
static void frustum(const Brush *brush, double low_radius, double high_radius, double half, bool inward) {
    int n = pieces(brush, fmax(low_radius, high_radius));
    double slope = (low_radius - high_radius) / (2 * half), norm = sqrt(1 + slope * slope);
    for (int i = 0; i < n; i++) {
        double a0 = 2 * M_PI * i / n, a1 = 2 * M_PI * (i + 1) / n, c0 = cos(a0), s0 = sin(a0), c1 = cos(a1),
               s1 = sin(a1);
        MrnVec3 p[4] = {{low_radius * c0, low_radius * s0, -half},
                        {low_radius * c1, low_radius * s1, -half},
                        {high_radius * c1, high_radius * s1, half},
                        {high_radius * c0, high_radius * s0, half}};
        MrnVec3 m0 = {c0 / norm, s0 / norm, slope / norm}, m1 = {c1 / norm, s1 / norm, slope / norm};
        if (!inward) {
            curved_quad(brush, p, (MrnVec3[4]){m0, m1, m1, m0});
        } else {
            m0 = mrn_scale3(-1, m0), m1 = mrn_scale3(-1, m1);
            curved_quad(brush, (MrnVec3[4]){p[3], p[2], p[1], p[0]}, (MrnVec3[4]){m0, m1, m1, m0});
        }
    }
}

static void lid(const Brush *brush, double radius, double z) {
    int n = pieces(brush, radius);
    MrnVec3 up = {0, 0, z > 0 ? 1 : -1}, normal[3] = {up, up, up};
    for (int i = 0; i < n; i++) {
        double a0 = 2 * M_PI * i / n * up.z, a1 = 2 * M_PI * (i + 1) / n * up.z;
        curved(
            brush,
            (MrnVec3[3]){{0, 0, z}, {radius * cos(a0), radius * sin(a0), z}, {radius * cos(a1), radius * sin(a1), z}},
            normal);
    }
}

static void box(const Brush *brush, const double half[3]) {
    for (int axis = 0; axis < 3; axis++)
        for (int side = -1; side <= 1; side += 2) {
            double p[4][3];
            int u = (axis + 1) % 3, v = (axis + 2) % 3;
            static const int turn[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
            for (int i = 0; i < 4; i++) {
                const int *corner = turn[side > 0 ? i : 3 - i];
                p[i][axis] = side * half[axis], p[i][u] = corner[0] * half[u], p[i][v] = corner[1] * half[v];
            }
            flat(brush, mrn_load3(p[0]), mrn_load3(p[1]), mrn_load3(p[2]));
            flat(brush, mrn_load3(p[0]), mrn_load3(p[2]), mrn_load3(p[3]));
        }
}

static void polyhedron(const Brush *brush, const MrnShape *shape) {
    for (size_t f = 0; shape->face_start && f < shape->face_count; f++) {
        const int *v = shape->face_vertex + shape->face_start[f];
        int count = shape->face_start[f + 1] - shape->face_start[f];
        for (int i = 2; i < count; i++)
            flat(brush, mrn_load3(shape->vertices + 3 * v[0]), mrn_load3(shape->vertices + 3 * v[i - 1]),
                 mrn_load3(shape->vertices + 3 * v[i]));
    }
}

static void mesh(const Brush *brush, const MrnShape *shape) {
    for (size_t f = 0; f < shape->face_count; f++) {
        const int *v = shape->face_vertex + 3 * f;
        flat(brush, mrn_load3(shape->vertices + 3 * v[0]), mrn_load3(shape->vertices + 3 * v[1]),
             mrn_load3(shape->vertices + 3 * v[2]));
    }
}

void mrn_solid_draw(MrnRaster *raster, const MrnCamera *camera, const MrnShape *shape, const MrnPose *pose,
                    MrnPaint paint, MrnSolidPass pass) {
    Brush brush = {raster, camera, pose, paint, pass == MRN_PASS_VEIL ? MRN_SIDES_VEIL_BACK : MRN_SIDES_FRONT};
    bool hollow = shape->kind == MRN_SHAPE_TUBE || shape->kind == MRN_SHAPE_FUNNEL || shape->kind == MRN_SHAPE_MESH;
    if (pass == MRN_PASS_VEIL && !hollow) return;
    MrnVec3 end = {0, 0, shape->half[2]};
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE: mrn_raster_sphere(raster, camera, pose->position, shape->radius, paint); break;
    case MRN_SHAPE_BOX: box(&brush, shape->half); break;
    case MRN_SHAPE_CAPSULE:
        frustum(&brush, shape->radius, shape->radius, shape->half[2], false);
        brush.paint.band = NULL;
        mrn_raster_sphere(raster, camera, in_space(pose, end), shape->radius, brush.paint);
        mrn_raster_sphere(raster, camera, in_space(pose, mrn_scale3(-1, end)), shape->radius, brush.paint);
        break;
    case MRN_SHAPE_CYLINDER:
        frustum(&brush, shape->radius, shape->radius, shape->half[2], false);
        lid(&brush, shape->radius, shape->half[2]);
        lid(&brush, shape->radius, -shape->half[2]);
        break;
    case MRN_SHAPE_POLYHEDRON: polyhedron(&brush, shape); break;
    case MRN_SHAPE_TUBE: frustum(&brush, shape->radius, shape->radius, shape->half[2], true); break;
    case MRN_SHAPE_FUNNEL: frustum(&brush, shape->radius, shape->top_radius, shape->half[2], true); break;
    case MRN_SHAPE_MESH: mesh(&brush, shape); break;
    default: break;
    }
}

void mrn_solid_bar(MrnRaster *raster, const MrnCamera *camera, MrnVec3 a, MrnVec3 b, double radius, MrnPaint paint) {
    MrnVec3 along = mrn_sub3(b, a);
    double length = mrn_norm3(along);
    if (!(length > 0) || !(radius > 0)) return;
    MrnVec3 n = mrn_scale3(1 / length, along), t1, t2;
    mrn_tangents3(n, &t1, &t2);
    MrnPose pose = {.position = mrn_axpy3(a, 0.5, along),
                    .rotation = {{{t1.x, t2.x, n.x}, {t1.y, t2.y, n.y}, {t1.z, t2.z, n.z}}}};
    Brush brush = {raster, camera, &pose, paint, MRN_SIDES_FRONT};
    frustum(&brush, radius, radius, 0.5 * length, false);
    mrn_raster_sphere(raster, camera, a, radius, paint);
    mrn_raster_sphere(raster, camera, b, radius, paint);
}
