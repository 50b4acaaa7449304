// Convex solids on a triangle mesh.
//
// The triangles near the solid are found through the tree of boxes; each is a thin convex body of its own. A contact on
// an edge or a vertex of a triangle is kept only when its normal lies in the region of that feature in the whole mesh:
// outside both neighbouring triangles of an edge, outside all edges of a vertex. So a solid that slides over the joint
// of two triangles in one plane, or over a valley, never meets the joint itself.
#include "geom/mesh.h"
#include "geom/narrow_3d.h"

#include <assert.h>

typedef struct Near {
    const MrnPair *pair;
    const MrnShape *mesh;
    const MrnMeshTree *tree;
    MrnCore core;           ///< of the solid
    MrnVec3 middle;         ///< a point inside the solid
    double low[3], high[3]; ///< its box in the frame of the mesh, with the margin
} Near;

static MrnVec3 mesh_vertex(const Near *near, int v) {
    return mrn_load3(near->mesh->vertices + 3 * v);
}

/// Is a direction (in the frame of the mesh) one in which this edge of the mesh, and no triangle, is nearest?
static bool in_edge_region(const Near *near, int edge, MrnVec3 d) {
    const MrnMeshEdge *e = &near->tree->edges[edge];
    MrnVec3 along = mrn_normalize3(mrn_sub3(mesh_vertex(near, e->to), mesh_vertex(near, e->from)));
    if (mrn_dot3(d, mrn_cross3(near->tree->normals[e->left], along)) > 1e-6) return false;
    if (e->right < 0) return mrn_dot3(d, near->tree->normals[e->left]) > -1e-6;
    MrnVec3 right = near->tree->normals[e->right];
    // Flat or hollow joints have no region of their own.
    if (mrn_dot3(mrn_cross3(near->tree->normals[e->left], right), along) <= 1e-6) return false;
    return mrn_dot3(d, mrn_cross3(along, right)) <= 1e-6;
}

static bool in_vertex_region(const Near *near, int vertex, MrnVec3 d) {
    const MrnMeshTree *tree = near->tree;
    if (!tree->vertex_pointed[vertex]) return false;
    MrnVec3 p = mesh_vertex(near, vertex);
    for (int i = tree->vertex_start[vertex]; i < tree->vertex_start[vertex + 1]; i++) {
        MrnVec3 e = mrn_sub3(mesh_vertex(near, tree->vertex_neighbour[i]), p);
        if (mrn_dot3(d, e) > 1e-6 * mrn_norm3(e)) return false;
    }
    return true;
}

/// Keep the contacts from `begin` on that belong to triangle `triangle`, under the numbers of the mesh.
static void filter(const Near *near, size_t begin, int triangle) {
    MrnTouches *out = near->pair->out;
    size_t kept = begin;
    for (size_t i = begin; i < out->count; i++) {
        MrnTouch t = out->data[i];
        int kind = (int)(t.feature >> 28 & 0xf), index = (int)(t.feature & 0xfffffff);
        MrnVec3 d = mrn_mat3_transpose_times(&near->pair->turn_b, t.normal);
        bool keep = false;
        if (kind == MRN_FEATURE_FACE)
            keep = mrn_dot3(d, near->tree->normals[triangle]) > 0, index = triangle;
        else if (kind == MRN_FEATURE_EDGE)
            index = near->tree->triangle_edge[3 * triangle + index], keep = in_edge_region(near, index, d);
        else if (kind == MRN_FEATURE_VERTEX)
            index = near->mesh->face_vertex[3 * triangle + index], keep = in_vertex_region(near, index, d);
        if (!keep) continue;
        t.feature = (t.feature & 0xffffffff00000000u) | ((uint64_t)kind << 28 | (uint64_t)index);
        out->data[kept++] = t;
    }
    out->count = kept;
}

static double gather(const MrnPair *pair, const MrnCore *a, const MrnCore *b, MrnVec3 normal, bool corners) {
    return a->height > 0 ? mrn_gather_cylinder(pair, a, b, 0, normal, corners)
                         : mrn_gather_cores(pair, a, b, normal, corners);
}

/// A way out of an overlap with one triangle.
typedef struct Way {
    double separation;
    MrnVec3 normal;
} Way;

/// Take direction n if it separates more, and if the part of the triangle that leads in that direction has n in its
/// region of the mesh.
static void try_way(const Near *near, const MrnCore *b, int triangle, MrnVec3 n, Way *best) {
    int index;
    double height[3], top = -INFINITY;
    for (int k = 0; k < 3; k++) height[k] = mrn_dot3(n, b->cached[k]), top = fmax(top, height[k]);
    double separation = mrn_dot3(n, mrn_core_support(&near->core, mrn_scale3(-1, n), &index)) - top;
    if (!(separation > best->separation + 0.01 * near->pair->tolerance)) return;
    int count = 0, which[3];
    for (int k = 0; k < 3; k++)
        if (height[k] > top - near->pair->tolerance) which[count++] = k;
    MrnVec3 d = mrn_mat3_transpose_times(&near->pair->turn_b, n);
    if (count == 3 && mrn_dot3(d, near->tree->normals[triangle]) < MRN_NEAR_COSINE) return;
    // Vertices 0 1, 1 2, 0 2 span sides 0, 1, 2.
    if (count == 2 &&
        !in_edge_region(near, near->tree->triangle_edge[3 * triangle + (which[0] == 0 ? (which[1] == 1 ? 0 : 2) : 1)],
                        d))
        return;
    if (count == 1 && !in_vertex_region(near, near->mesh->face_vertex[3 * triangle + which[0]], d)) return;
    *best = (Way){separation, n};
}

/// Does the triangle have a side or a corner that stands out of the mesh? In the middle of a flat or hollow part there
/// is none.
static bool stands_out(const Near *near, int triangle) {
    for (int k = 0; k < 3; k++) {
        const MrnMeshEdge *e = &near->tree->edges[near->tree->triangle_edge[3 * triangle + k]];
        if (e->right < 0 || near->tree->vertex_pointed[near->mesh->face_vertex[3 * triangle + k]]) return true;
        MrnVec3 along = mrn_sub3(mesh_vertex(near, e->to), mesh_vertex(near, e->from));
        if (mrn_dot3(mrn_cross3(near->tree->normals[e->left], near->tree->normals[e->right]), along) > 0) return true;
    }
    return false;
}

/// Through the surface: straight out of the triangle, unless a ridge or a peak of the mesh pokes into the solid less
/// deeply.
static Way way_out(const Near *near, const MrnCore *b, int triangle, MrnVec3 normal) {
    const MrnCore *a = &near->core;
    int index;
    Way best = {mrn_dot3(normal, mrn_sub3(mrn_core_support(a, mrn_scale3(-1, normal), &index), b->cached[0])), normal};
    if (!stands_out(near, triangle)) return best;
    for (int f = 0; f < a->face_count; f++) try_way(near, b, triangle, mrn_scale3(-1, mrn_core_normal(a, f)), &best);
    for (int k = 0; k < 3; k++) {
        MrnVec3 u = mrn_normalize3(mrn_sub3(b->cached[(k + 1) % 3], b->cached[k]));
        for (int e = 0; e < a->edge_count + (a->height > 0); e++) {
            MrnVec3 w = {a->turn.m[0][2], a->turn.m[1][2], a->turn.m[2][2]}; // the axis of a cylinder
            if (a->height == 0)
                w = mrn_normalize3(
                    mrn_sub3(mrn_core_vertex(a, a->facets->edges[e].to), mrn_core_vertex(a, a->facets->edges[e].from)));
            MrnVec3 n = mrn_cross3(u, w);
            double length = mrn_norm3(n);
            if (length < 1e-6) continue;
            n = mrn_scale3((mrn_dot3(n, normal) < 0 ? -1 : 1) / length, n);
            try_way(near, b, triangle, n, &best);
        }
    }
    if (a->height > 0) {
        MrnVec3 n, axis = {a->turn.m[0][2], a->turn.m[1][2], a->turn.m[2][2]};
        try_way(near, b, triangle, axis, &best);
        try_way(near, b, triangle, mrn_scale3(-1, axis), &best);
        mrn_deepest(a, b, &n);
        try_way(near, b, triangle, n, &best);
    }
    return best;
}

/// Closest point of a triangle to p: *kind and *index are its feature (side k runs from corner k to k + 1).
static MrnVec3 closest_on_triangle(const MrnVec3 c[3], MrnVec3 p, int *kind, int *index) {
    bool inside = true;
    MrnVec3 normal = mrn_cross3(mrn_sub3(c[1], c[0]), mrn_sub3(c[2], c[0])), best = c[0];
    double least = INFINITY;
    *kind = MRN_FEATURE_VERTEX, *index = 0;
    for (int k = 0; k < 3; k++) {
        MrnVec3 e = mrn_sub3(c[(k + 1) % 3], c[k]), w = mrn_sub3(p, c[k]);
        if (mrn_dot3(w, mrn_cross3(normal, e)) >= 0) continue; // on the inner side of this side
        inside = false;
        double t = mrn_dot3(w, e) / mrn_dot3(e, e);
        MrnVec3 foot = t <= 0 ? c[k] : t >= 1 ? c[(k + 1) % 3] : mrn_axpy3(c[k], t, e), d = mrn_sub3(p, foot);
        if (mrn_dot3(d, d) >= least) continue;
        least = mrn_dot3(d, d), best = foot;
        *kind = t <= 0 || t >= 1 ? MRN_FEATURE_VERTEX : MRN_FEATURE_EDGE;
        *index = t >= 1 ? (k + 1) % 3 : k;
    }
    if (!inside) return best;
    *kind = MRN_FEATURE_FACE, *index = 0;
    return mrn_axpy3(p, -mrn_dot3(normal, mrn_sub3(p, c[0])) / mrn_dot3(normal, normal), normal);
}

static void ball_on_triangle(const Near *near, const MrnVec3 corner[3], MrnVec3 normal, double height) {
    const MrnPair *pair = near->pair;
    double radius = near->core.radius;
    int kind, index;
    MrnVec3 p = near->core.at, foot = closest_on_triangle(corner, p, &kind, &index), d = mrn_sub3(p, foot), n = normal;
    double distance = mrn_norm3(d), gap = distance - radius;
    if (kind == MRN_FEATURE_FACE)
        gap = height - radius; // keeps its sign when the centre is below the surface
    else if (distance > 1e-9 * radius)
        n = mrn_scale3(1 / distance, d);
    if (gap < pair->margin)
        mrn_emit(pair, mrn_axpy3(p, -radius - gap / 2, n), n, gap, mrn_feature(MRN_FEATURE_VERTEX, 0, kind, index));
}

static void touch_triangle(const Near *near, int triangle) {
    const MrnPair *pair = near->pair;
    const MrnCore *a = &near->core;
    MrnVec3 corner[3], normal = mrn_mat3_times(&pair->turn_b, near->tree->normals[triangle]);
    for (int k = 0; k < 3; k++) {
        MrnVec3 p = mesh_vertex(near, near->mesh->face_vertex[3 * triangle + k]);
        corner[k] = mrn_add3(pair->at_b, mrn_mat3_times(&pair->turn_b, p));
    }
    int index;
    double level = mrn_dot3(normal, corner[0]), height = mrn_dot3(normal, near->middle) - level;
    double lowest = mrn_dot3(normal, mrn_core_support(a, mrn_scale3(-1, normal), &index)) - level - a->radius;
    // Too high above, or with its middle well below the surface: then another triangle holds it.
    if (lowest >= pair->margin || height < -0.5e5 * pair->tolerance) return;
    size_t begin = pair->out->count;
    if (a->vertex_count == 1)
        ball_on_triangle(near, corner, normal, height);
    else {
        MrnCore b;
        mrn_core_triangle(corner, normal, &b);
        MrnClosest closest;
        double limit = pair->margin + a->radius;
        mrn_closest(a, &b, limit, &closest);
        if (closest.distance >= limit) return;
        // Closest points behind the triangle say only that its back is near.
        if (closest.distance > 0.1 * pair->tolerance && (a->radius == 0 || mrn_dot3(closest.normal, normal) > -0.5)) {
            double smallest = gather(pair, a, &b, closest.normal, true);
            if (smallest > closest.distance - a->radius + 0.05 * pair->tolerance)
                mrn_emit_closest(pair, a, &b, &closest);
        } else
            gather(pair, a, &b, way_out(near, &b, triangle, normal).normal, false);
    }
    filter(near, begin, triangle);
}

static void visit(const Near *near, int node) {
    const MrnMeshNode *n = &near->tree->nodes[node];
    for (int k = 0; k < 3; k++)
        if (n->low[k] > near->high[k] || n->high[k] < near->low[k]) return;
    if (n->count == 0) {
        visit(near, n->first);
        visit(near, n->first + 1);
        return;
    }
    for (int i = n->first; i < n->first + n->count; i++) touch_triangle(near, near->tree->order[i]);
}

/// One feature of the solid over the joint of two triangles in one plane is found on both: keep the one of lower
/// number.
static void drop_repeated(const MrnPair *pair, size_t begin) {
    MrnTouches *out = pair->out;
    mrn_put_in_order(out, begin);
    double close = 2 * pair->tolerance;
    size_t kept = begin;
    for (size_t i = begin; i < out->count; i++) {
        const MrnTouch *t = &out->data[i];
        bool repeated = false;
        for (size_t k = kept; k > begin && out->data[k - 1].feature >> 32 == t->feature >> 32 && !repeated; k--) {
            MrnVec3 d = mrn_sub3(out->data[k - 1].position, t->position);
            repeated = mrn_dot3(d, d) <= close * close && mrn_dot3(out->data[k - 1].normal, t->normal) > 0.9999;
        }
        if (!repeated) out->data[kept++] = *t;
    }
    out->count = kept;
}

void mrn_touch_mesh(const MrnPair *pair) {
    Near near = {.pair = pair, .mesh = pair->b, .tree = pair->b->tree};
    assert(near.tree);
    mrn_core_make(pair->a, pair->at_a, &pair->turn_a, &near.core);
    near.middle = mrn_core_middle(&near.core);
    for (int k = 0; k < 3; k++) {
        int index;
        MrnVec3 axis = {pair->turn_b.m[0][k], pair->turn_b.m[1][k], pair->turn_b.m[2][k]};
        double grow = near.core.radius + pair->margin, origin = mrn_dot3(axis, pair->at_b);
        near.high[k] = mrn_dot3(axis, mrn_core_support(&near.core, axis, &index)) - origin + grow;
        near.low[k] = mrn_dot3(axis, mrn_core_support(&near.core, mrn_scale3(-1, axis), &index)) - origin - grow;
    }
    size_t begin = pair->out->count;
    visit(&near, 0);
    if (pair->out->count > begin + 1) drop_repeated(pair, begin);
}
