// Meshes of plane bodies and their quadrature points.
#include "model/floe_mesh.h"
#include "base/memory.h"
#include "base/vec.h"
#include "geom/polygon.h"
#include "geom/triangulate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/// Corners of the polygon that stands for a disc: as many as the contours of floes usually have.
enum { DISC_CORNERS = 24 };

/// Outline of a shape in the body frame, counter-clockwise, with the area of the shape. Free it.
static double *outline_of(const MrnShape *shape, size_t *count) {
    MrnMassProperties whole = mrn_shape_mass(shape, 1);
    bool disc = shape->kind == MRN_SHAPE_DISC;
    *count = disc ? DISC_CORNERS : shape->vertex_count;
    double *points = mrn_alloc(2 * *count, sizeof(double));
    double c = cos(shape->rotation[0]), s = sin(shape->rotation[0]);
    for (size_t i = 0; i < *count; i++) {
        double angle = 2 * PI * (double)i / (double)*count;
        MrnVec2 p =
            disc ? mrn_vec2(shape->radius * cos(angle), shape->radius * sin(angle)) : mrn_vertex2(shape->vertices, i);
        p = mrn_rotate2(c, s, p);
        points[2 * i] = p.x + shape->position[0];
        points[2 * i + 1] = p.y + shape->position[1];
    }
    if (!disc && !(shape->radius > 0)) return points;
    // Discs and rounded polygons keep their area: the polygon is scaled about the centre.
    MrnAreaMoments moments = mrn_polygon_moments(*count, points);
    double factor = sqrt(whole.mass / moments.area);
    for (size_t i = 0; i < *count; i++) {
        points[2 * i] = moments.centre.x + factor * (points[2 * i] - moments.centre.x);
        points[2 * i + 1] = moments.centre.y + factor * (points[2 * i + 1] - moments.centre.y);
    }
    return points;
}

static bool append(MrnFloeMesh *mesh, const MrnShape *shape, size_t elements) {
    size_t count;
    double *points = outline_of(shape, &count);
    MrnTriangulation part;
    bool good = mrn_triangulate(count, points, elements, &part);
    free(points);
    if (!good) return false;
    size_t first = mesh->vertex_count, start = 3 * mesh->triangle_count;
    mesh->vertex_count += part.vertex_count;
    mesh->triangle_count += part.triangle_count;
    mesh->vertices = mrn_realloc(mesh->vertices, 2 * mesh->vertex_count, sizeof(double));
    mesh->triangles = mrn_realloc(mesh->triangles, 3 * mesh->triangle_count, sizeof(int));
    memcpy(mesh->vertices + 2 * first, part.vertices, 2 * part.vertex_count * sizeof(double));
    for (size_t i = 0; i < 3 * part.triangle_count; i++) mesh->triangles[start + i] = part.triangles[i] + (int)first;
    mrn_triangulation_free(&part);
    return true;
}

MrnFloeMesh *mrn_floe_mesh_new(const MrnShape *shapes, size_t shape_count, size_t elements) {
    MrnFloeMesh *mesh = mrn_alloc_zero(1, sizeof *mesh);
    size_t each = elements ? (elements + shape_count - 1) / shape_count : 0;
    for (size_t s = 0; s < shape_count; s++)
        if (!append(mesh, &shapes[s], each)) {
            mrn_floe_mesh_free(mesh);
            return NULL;
        }
    return mesh;
}

void mrn_floe_mesh_free(MrnFloeMesh *mesh) {
    if (!mesh) return;
    free(mesh->vertices);
    free(mesh->triangles);
    free(mesh->thickness);
    free(mesh->x);
    free(mesh);
}

/// Corners of a triangle and its area.
static double triangle(const MrnFloeMesh *mesh, size_t t, MrnVec2 corner[3]) {
    for (int k = 0; k < 3; k++) corner[k] = mrn_vertex2(mesh->vertices, (size_t)mesh->triangles[3 * t + (size_t)k]);
    return 0.5 * mrn_cross2(mrn_sub2(corner[1], corner[0]), mrn_sub2(corner[2], corner[0]));
}

static MrnVec2 centroid(const MrnVec2 corner[3]) {
    return mrn_vec2((corner[0].x + corner[1].x + corner[2].x) / 3, (corner[0].y + corner[1].y + corner[2].y) / 3);
}

void mrn_floe_mesh_set_thickness(MrnFloeMesh *mesh, const double *samples, size_t sample_count) {
    mesh->thickness = mrn_realloc(mesh->thickness, mesh->triangle_count, sizeof(double));
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        MrnVec2 corner[3];
        triangle(mesh, t, corner);
        MrnVec2 centre = centroid(corner);
        double nearest = INFINITY;
        for (size_t i = 0; i < sample_count; i++) {
            MrnVec2 away = mrn_sub2(mrn_vec2(samples[3 * i], samples[3 * i + 1]), centre);
            if (mrn_dot2(away, away) >= nearest) continue;
            nearest = mrn_dot2(away, away);
            mesh->thickness[t] = samples[3 * i + 2];
        }
    }
}

MrnMassProperties mrn_floe_mesh_mass(const MrnFloeMesh *mesh, double density) {
    // Specification 1.1: sums over the elements.
    MrnMassProperties sum = {0};
    for (int pass = 0; pass < 2; pass++)
        for (size_t t = 0; t < mesh->triangle_count; t++) {
            MrnVec2 corner[3];
            double mass = density * mesh->thickness[t] * triangle(mesh, t, corner);
            MrnVec2 centre = centroid(corner);
            if (pass == 0) {
                sum.mass += mass;
                sum.centre[0] += mass * centre.x;
                sum.centre[1] += mass * centre.y;
                if (t + 1 == mesh->triangle_count) sum.centre[0] /= sum.mass, sum.centre[1] /= sum.mass;
                continue;
            }
            MrnVec2 away = mrn_sub2(centre, mrn_vec2(sum.centre[0], sum.centre[1]));
            double spread = mrn_dot2(away, away);
            for (int k = 0; k < 3; k++) {
                MrnVec2 arm = mrn_sub2(corner[k], centre);
                spread += mrn_dot2(arm, arm) / 12;
            }
            sum.inertia[2][2] += mass * spread;
        }
    return sum;
}

void mrn_floe_mesh_settle(MrnFloeMesh *mesh, const double centre[2]) {
    for (size_t i = 0; i < mesh->vertex_count; i++)
        mesh->vertices[2 * i] -= centre[0], mesh->vertices[2 * i + 1] -= centre[1];
    size_t count = (3 * mesh->triangle_count + 7) / 8 * 8;
    mesh->point_count = count;
    mesh->x = mrn_alloc_aligned(3 * count, sizeof(double));
    memset(mesh->x, 0, 3 * count * sizeof(double));
    mesh->y = mesh->x + count;
    mesh->weight = mesh->y + count;
    mesh->area = mesh->centre[0] = mesh->centre[1] = 0;
    static const double nodes[3][2] = {{1.0 / 6, 1.0 / 6}, {1.0 / 6, 2.0 / 3}, {2.0 / 3, 1.0 / 6}};
    for (size_t t = 0; t < mesh->triangle_count; t++) {
        MrnVec2 corner[3];
        double area = triangle(mesh, t, corner);
        MrnVec2 middle = centroid(corner), p = mrn_sub2(corner[1], corner[0]), q = mrn_sub2(corner[2], corner[0]);
        mesh->area += area;
        mesh->centre[0] += area * middle.x;
        mesh->centre[1] += area * middle.y;
        for (size_t k = 0; k < 3; k++) {
            mesh->x[3 * t + k] = corner[0].x + nodes[k][0] * p.x + nodes[k][1] * q.x;
            mesh->y[3 * t + k] = corner[0].y + nodes[k][0] * p.y + nodes[k][1] * q.y;
            mesh->weight[3 * t + k] = area / 3;
        }
    }
    mesh->centre[0] /= mesh->area, mesh->centre[1] /= mesh->area;
}
