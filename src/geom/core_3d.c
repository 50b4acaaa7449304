// Convex shapes as vertices, edges, faces and a rounding radius, placed in space.
#include "geom/narrow_3d.h"

#include <assert.h>

static const int box_start[7] = {0, 4, 8, 12, 16, 20, 24};
// Vertex v has the signs of bits 0, 1, 2 of v. Faces -x, +x, -y, +y, -z, +z, counter-clockwise from outside.
static const int box_vertex[24] = {0, 4, 6, 2, 1, 3, 7, 5, 0, 1, 5, 4, 2, 6, 7, 3, 0, 2, 3, 1, 4, 5, 7, 6};
static MrnVec3 box_normal[6] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}};
static MrnEdge box_edge[12] = {{0, 1, 2, 4}, {2, 3, 4, 3}, {4, 5, 5, 2}, {6, 7, 3, 5}, {0, 2, 4, 0}, {1, 3, 1, 4},
                               {4, 6, 0, 5}, {5, 7, 5, 1}, {0, 4, 0, 2}, {1, 5, 2, 1}, {2, 6, 3, 0}, {3, 7, 1, 3}};
static const MrnFacets box_facets = {8, 6, 12, box_start, box_vertex, box_edge, box_normal, 1};
static MrnEdge segment_edge[1] = {{0, 1, -1, -1}};
static const MrnFacets segment_facets = {2, 0, 1, NULL, NULL, segment_edge, NULL, 0};
static const MrnFacets point_facets = {1, 0, 0, NULL, NULL, NULL, NULL, 0};
static const int triangle_start[2] = {0, 3};
static const int triangle_vertex[3] = {0, 1, 2};
static MrnEdge triangle_edge[3] = {{0, 1, 0, -1}, {1, 2, 0, -1}, {2, 0, 0, -1}};
static MrnVec3 triangle_normal[1] = {{0, 0, 1}};
static const MrnFacets triangle_facets = {3, 1, 3, triangle_start, triangle_vertex, triangle_edge, triangle_normal, 0};

static void set_facets(MrnCore *core, const MrnFacets *facets) {
    core->facets = facets;
    core->vertex_count = facets->vertex_count;
    core->edge_count = facets->edge_count;
    core->face_count = facets->face_count;
}

void mrn_core_make(const MrnShape *shape, MrnVec3 at, const MrnMat3 *turn, MrnCore *core) {
    core->at = at;
    core->turn = *turn;
    core->radius = 0;
    core->height = core->cylinder_radius = 0;
    core->vertices = core->half = NULL;
    MrnVec3 axis = {turn->m[0][2], turn->m[1][2], turn->m[2][2]};
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE:
        set_facets(core, &point_facets);
        core->cached[0] = at;
        core->radius = shape->radius;
        core->size = 0;
        break;
    case MRN_SHAPE_CAPSULE:
        set_facets(core, &segment_facets);
        core->cached[0] = mrn_axpy3(at, -shape->half[2], axis);
        core->cached[1] = mrn_axpy3(at, shape->half[2], axis);
        core->radius = shape->radius;
        core->size = 0;
        break;
    case MRN_SHAPE_BOX: {
        set_facets(core, &box_facets);
        const double *h = core->half = shape->half;
        MrnVec3 x = {h[0] * turn->m[0][0], h[0] * turn->m[1][0], h[0] * turn->m[2][0]};
        MrnVec3 y = {h[1] * turn->m[0][1], h[1] * turn->m[1][1], h[1] * turn->m[2][1]};
        MrnVec3 z = mrn_scale3(h[2], axis);
        for (int i = 0; i < 8; i++) {
            MrnVec3 p = i & 1 ? mrn_add3(at, x) : mrn_sub3(at, x);
            p = i & 2 ? mrn_add3(p, y) : mrn_sub3(p, y);
            core->cached[i] = i & 4 ? mrn_add3(p, z) : mrn_sub3(p, z);
        }
        core->size = fmin(h[0], fmin(h[1], h[2]));
        break;
    }
    case MRN_SHAPE_POLYHEDRON:
        assert(shape->tree);
        set_facets(core, shape->tree);
        core->vertices = shape->vertices;
        if (core->vertex_count <= MRN_CORE_CACHED)
            for (int i = 0; i < core->vertex_count; i++)
                core->cached[i] = mrn_add3(at, mrn_mat3_times(turn, mrn_load3(shape->vertices + 3 * i)));
        core->size = core->facets->half_width;
        break;
    case MRN_SHAPE_CYLINDER:
        core->facets = NULL;
        core->vertex_count = core->edge_count = core->face_count = 0;
        core->height = shape->half[2];
        core->cylinder_radius = shape->radius;
        core->size = fmin(shape->half[2], shape->radius);
        break;
    default: assert(!"not a convex solid");
    }
}

MrnVec3 mrn_core_middle(const MrnCore *core) {
    if (!core->vertices) return core->at;
    MrnVec3 sum = {0, 0, 0};
    for (int v = 0; v < core->vertex_count; v++) sum = mrn_add3(sum, mrn_core_vertex(core, v));
    return mrn_scale3(1.0 / core->vertex_count, sum);
}

void mrn_core_triangle(const MrnVec3 corner[3], MrnVec3 normal, MrnCore *core) {
    set_facets(core, &triangle_facets);
    core->vertices = core->half = NULL;
    for (int i = 0; i < 3; i++) core->cached[i] = corner[i];
    core->at = corner[0];
    // Only the last column is used: it carries the normal.
    core->turn = (MrnMat3){{{0, 0, normal.x}, {0, 0, normal.y}, {0, 0, normal.z}}};
    core->radius = core->size = core->height = core->cylinder_radius = 0;
}

MrnVec3 mrn_core_support(const MrnCore *core, MrnVec3 direction, int *index) {
    *index = 0;
    if (core->half) {
        MrnVec3 d = mrn_mat3_transpose_times(&core->turn, direction);
        *index = (d.x > 0) | (d.y > 0) << 1 | (d.z > 0) << 2;
        return core->cached[*index];
    }
    if (core->height > 0) {
        // In the frame of the cylinder, so that a direction almost along the axis still gives a point in the plane of
        // the rim.
        MrnVec3 d = mrn_mat3_transpose_times(&core->turn, direction);
        double across = sqrt(d.x * d.x + d.y * d.y);
        // Along the axis every point of the cap supports; its centre is the one that depends on nothing.
        double scale = across > 1e-14 * fabs(d.z) ? core->cylinder_radius / across : 0;
        MrnVec3 p = {scale * d.x, scale * d.y, d.z > 0 ? core->height : -core->height};
        return mrn_add3(core->at, mrn_mat3_times(&core->turn, p));
    }
    MrnVec3 best = mrn_core_vertex(core, 0);
    double highest = mrn_dot3(best, direction);
    for (int i = 1; i < core->vertex_count; i++) {
        MrnVec3 v = mrn_core_vertex(core, i);
        double h = mrn_dot3(v, direction);
        if (h > highest) highest = h, best = v, *index = i;
    }
    return best;
}
