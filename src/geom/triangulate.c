// Triangulation of a simple polygon: ears are cut off (Meisters 1975), edges flipped until the triangulation is
// constrained Delaunay (Lawson 1977), then the largest triangle is halved at its longest edge (Rivara 1984) and edges
// are flipped again, until the triangles are many and small enough.
//
// What always holds: the triangles cover the polygon exactly once, every triangle is counter-clockwise, and edges of
// the polygon are edges of triangles, possibly in several pieces.
#include "geom/triangulate.h"
#include "base/memory.h"
#include "geom/polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// The triangulation at work. Edge k of triangle t goes from corner k to corner k + 1; `across[3 t + k]` is 3 u + j for
/// the edge j of the triangle u on its other side, or -1 on the boundary.
typedef struct Work {
    MRN_ARRAY(double) points;
    MRN_ARRAY(int) corners;
    MRN_ARRAY(int) across;
    MRN_ARRAY(int) stack; ///< edges to look at
} Work;

static MrnVec2 point(const Work *work, int index) {
    return mrn_vertex2(work->points.data, (size_t)index);
}

static int next_edge(int edge) {
    return edge % 3 == 2 ? edge - 2 : edge + 1;
}

static int previous_edge(int edge) {
    return edge % 3 == 0 ? edge + 2 : edge - 1;
}

static void join(Work *work, int edge, int other) {
    work->across.data[edge] = other;
    if (other >= 0) work->across.data[other] = edge;
}

static double triangle_area(const Work *work, size_t t) {
    const int *corner = work->corners.data + 3 * t;
    MrnVec2 a = point(work, corner[0]);
    return 0.5 * mrn_cross2(mrn_sub2(point(work, corner[1]), a), mrn_sub2(point(work, corner[2]), a));
}

/// No reflex vertex that is still there lies in the closed triangle of an ear.
static bool is_ear(const double *vertices, const int *before, const int *after, const bool *reflex, int i) {
    MrnVec2 a = mrn_vertex2(vertices, (size_t)before[i]), b = mrn_vertex2(vertices, (size_t)i),
            c = mrn_vertex2(vertices, (size_t)after[i]);
    if (mrn_orientation(a, b, c) <= 0) return false;
    for (int k = after[after[i]]; k != before[i]; k = after[k]) {
        if (!reflex[k]) continue;
        MrnVec2 p = mrn_vertex2(vertices, (size_t)k);
        if (mrn_orientation(a, b, p) >= 0 && mrn_orientation(b, c, p) >= 0 && mrn_orientation(c, a, p) >= 0)
            return false;
    }
    return true;
}

/// How round the triangle of an ear is: area over the longest squared side.
static double ear_quality(const double *vertices, const int *before, const int *after, int i) {
    MrnVec2 a = mrn_vertex2(vertices, (size_t)before[i]), b = mrn_vertex2(vertices, (size_t)i),
            c = mrn_vertex2(vertices, (size_t)after[i]);
    MrnVec2 ab = mrn_sub2(b, a), bc = mrn_sub2(c, b), ca = mrn_sub2(a, c);
    return mrn_cross2(ab, bc) / fmax(mrn_dot2(ab, ab), fmax(mrn_dot2(bc, bc), mrn_dot2(ca, ca)));
}

static bool clip_ears(Work *work, size_t count, const double *vertices) {
    int n = (int)count;
    int *before = mrn_alloc(count, sizeof *before), *after = mrn_alloc(count, sizeof *after);
    bool *reflex = mrn_alloc(count, sizeof *reflex);
    // For every edge that bounds what is left, the triangle edge on its other side, or -1: edge i leaves vertex i.
    int *outside = mrn_alloc(count, sizeof *outside);
    for (int i = 0; i < n; i++) before[i] = (i + n - 1) % n, after[i] = (i + 1) % n, outside[i] = -1;
    for (int i = 0; i < n; i++)
        reflex[i] = mrn_orientation(mrn_vertex2(vertices, (size_t)before[i]), mrn_vertex2(vertices, (size_t)i),
                                    mrn_vertex2(vertices, (size_t)after[i])) < 0;
    int left = n, start = 0;
    bool good = n >= 3;
    while (good && left > 3) {
        // The roundest of the first few ears: a good start for the flips, and linear time per ear.
        int best = -1, seen = 0;
        double quality = 0;
        for (int i = start, k = 0; k < left && seen < 8; k++, i = after[i]) {
            if (!is_ear(vertices, before, after, reflex, i)) continue;
            double q = ear_quality(vertices, before, after, i);
            if (best < 0 || q > quality) best = i, quality = q;
            seen++;
        }
        if (best < 0) {
            good = false;
            break;
        }
        int a = before[best], b = best, c = after[best], t = (int)work->corners.count;
        mrn_array_push(&work->corners, a);
        mrn_array_push(&work->corners, b);
        mrn_array_push(&work->corners, c);
        mrn_array_resize(&work->across, t + 3);
        join(work, t, outside[a]);
        join(work, t + 1, outside[b]);
        work->across.data[t + 2] = -1;
        outside[a] = t + 2;
        after[a] = c, before[c] = a;
        for (int k = 0; k < 2; k++) {
            int v = k ? c : a;
            reflex[v] = mrn_orientation(mrn_vertex2(vertices, (size_t)before[v]), mrn_vertex2(vertices, (size_t)v),
                                        mrn_vertex2(vertices, (size_t)after[v])) < 0;
        }
        start = c;
        left--;
    }
    if (good) {
        int a = start, b = after[a], c = after[b], t = (int)work->corners.count;
        good = mrn_orientation(mrn_vertex2(vertices, (size_t)a), mrn_vertex2(vertices, (size_t)b),
                               mrn_vertex2(vertices, (size_t)c)) > 0;
        mrn_array_push(&work->corners, a);
        mrn_array_push(&work->corners, b);
        mrn_array_push(&work->corners, c);
        mrn_array_resize(&work->across, t + 3);
        join(work, t, outside[a]);
        join(work, t + 1, outside[b]);
        join(work, t + 2, outside[c]);
    }
    free(before);
    free(after);
    free(reflex);
    free(outside);
    return good;
}

/// The edge should be flipped: the opposite angles add up to more than a half turn, by more than rounding.
static bool should_flip(const Work *work, int edge) {
    int other = work->across.data[edge];
    if (other < 0) return false;
    const int *corner = work->corners.data;
    MrnVec2 a = point(work, corner[edge]), b = point(work, corner[next_edge(edge)]),
            c = point(work, corner[previous_edge(edge)]), d = point(work, corner[previous_edge(other)]);
    MrnVec2 ca = mrn_sub2(a, c), cb = mrn_sub2(b, c), da = mrn_sub2(a, d), db = mrn_sub2(b, d);
    double cos_c = mrn_dot2(ca, cb), sin_c = mrn_cross2(ca, cb), cos_d = mrn_dot2(db, da), sin_d = mrn_cross2(db, da);
    double scale = sqrt(mrn_dot2(ca, ca) * mrn_dot2(cb, cb) * mrn_dot2(da, da) * mrn_dot2(db, db));
    if (!(sin_c * cos_d + cos_c * sin_d < -1e-9 * scale)) return false;
    // Both new triangles must be counter-clockwise.
    return mrn_orientation(a, d, c) > 0 && mrn_orientation(d, b, c) > 0;
}

/// Replace the edge a-b of the triangles (a, b, c) and (b, a, d) by c-d.
static void flip(Work *work, int edge) {
    int other = work->across.data[edge], e1 = next_edge(edge), e2 = previous_edge(edge), o1 = next_edge(other),
        o2 = previous_edge(other);
    int *corner = work->corners.data, *across = work->across.data;
    int c = corner[e2], d = corner[o2], beside_e1 = across[e1], beside_o1 = across[o1];
    // (a, d, c) keeps e2 = c-a; (b, c, d) keeps o2 = d-b.
    corner[e1] = d;
    corner[o1] = c;
    join(work, edge, beside_o1);  // a-d
    join(work, other, beside_e1); // b-c
    join(work, e1, o1);           // d-c and c-d
    const int touched[4] = {edge, e2, other, o2};
    for (int k = 0; k < 4; k++) mrn_array_push(&work->stack, touched[k]);
}

static void flip_all(Work *work) {
    // Every flip makes the sorted list of angles better, so this ends; the bound is for rounding.
    size_t limit = 50 * work->corners.count + 1000;
    while (work->stack.count && limit--) {
        int edge = work->stack.data[--work->stack.count];
        if (should_flip(work, edge)) flip(work, edge);
    }
    work->stack.count = 0;
}

static int longest_edge(const Work *work, size_t t) {
    int best = (int)(3 * t);
    double length = -1;
    for (int k = 0; k < 3; k++) {
        int edge = (int)(3 * t) + k;
        MrnVec2 along =
            mrn_sub2(point(work, work->corners.data[next_edge(edge)]), point(work, work->corners.data[edge]));
        if (mrn_dot2(along, along) > length) length = mrn_dot2(along, along), best = edge;
    }
    return best;
}

/// Cut the triangle of `edge` in two at vertex m of that edge. Returns the edge from m to the end of `edge`, which
/// belongs to the new triangle.
static int cut(Work *work, int edge, int m) {
    int e1 = next_edge(edge), e2 = previous_edge(edge), t = (int)work->corners.count;
    int b = work->corners.data[e1], c = work->corners.data[e2], beside = work->across.data[e1];
    mrn_array_push(&work->corners, m);
    mrn_array_push(&work->corners, b);
    mrn_array_push(&work->corners, c);
    mrn_array_resize(&work->across, t + 3);
    work->across.data[t] = -1;
    work->corners.data[e1] = m; // (a, m, c)
    join(work, t + 1, beside);
    join(work, e1, t + 2);
    const int touched[2] = {e2, t + 1};
    for (int k = 0; k < 2; k++) mrn_array_push(&work->stack, touched[k]);
    return t;
}

static void halve(Work *work, size_t t) {
    int edge = longest_edge(work, t), other = work->across.data[edge], m = (int)(work->points.count / 2);
    MrnVec2 a = point(work, work->corners.data[edge]), b = point(work, work->corners.data[next_edge(edge)]);
    mrn_array_push(&work->points, 0.5 * (a.x + b.x));
    mrn_array_push(&work->points, 0.5 * (a.y + b.y));
    int half = cut(work, edge, m);
    if (other >= 0) {
        int other_half = cut(work, other, m); // a-b seen from there is b-m, m-a
        join(work, edge, other_half);
        join(work, half, other);
    }
    flip_all(work);
}

static void refine(Work *work, double area, size_t elements) {
    double mean = area / (double)elements;
    for (size_t round = 0; round < 8 * elements; round++) {
        size_t largest = 0, count = work->corners.count / 3;
        double size = -1;
        for (size_t t = 0; t < count; t++) {
            double own = triangle_area(work, t);
            if (own > size * (1 + 1e-9)) size = own, largest = t;
        }
        if (count >= elements && size <= 2 * mean) return;
        halve(work, largest);
    }
}

bool mrn_triangulate(size_t count, const double *vertices, size_t elements, MrnTriangulation *out) {
    *out = (MrnTriangulation){0};
    double area = mrn_polygon_area(count, vertices);
    if (count < 3 || !(area > 0)) return false;
    Work work = {0};
    mrn_array_resize(&work.points, 2 * count);
    memcpy(work.points.data, vertices, 2 * count * sizeof(double));
    bool good = clip_ears(&work, count, vertices);
    if (good) {
        for (size_t e = 0; e < work.corners.count; e++) mrn_array_push(&work.stack, (int)e);
        flip_all(&work);
        if (elements) refine(&work, area, elements);
        *out = (MrnTriangulation){.vertex_count = work.points.count / 2,
                                  .boundary_count = count,
                                  .vertices = work.points.data,
                                  .triangle_count = work.corners.count / 3,
                                  .triangles = work.corners.data};
    } else {
        mrn_array_free(&work.points);
        mrn_array_free(&work.corners);
    }
    mrn_array_free(&work.across);
    mrn_array_free(&work.stack);
    return good;
}

void mrn_triangulation_free(MrnTriangulation *mesh) {
    free(mesh->vertices);
    free(mesh->triangles);
    *mesh = (MrnTriangulation){0};
}
