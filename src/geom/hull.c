// Convex hull by adding the farthest outside point (quickhull, Barber, Dobkin, Huhdanpaa 1996).
//
// Signs of volumes that rounding could turn are taken in quadruple precision, so that the surface stays closed and
// convex at every stage. Triangles whose corners lie within a tolerance of one plane are merged into one face
// afterwards; a point that is left with fewer than three faces lies on an edge or inside a face and is dropped.
#include "geom/hull.h"

#include "base/error.h"
#include "base/memory.h"
#include <float.h>
#include <stdlib.h>
#include <string.h>

typedef struct Triangle {
    int vertex[3];
    int neighbour[3]; ///< across the side vertex[i] -> vertex[i + 1]
    int first;        ///< of its outside points, -1 if none
    int cluster;      ///< face after merging, -1 before
    bool alive, visible;
    MrnVec3 normal; ///< not unit: twice the area
} Triangle;

typedef struct Builder {
    const MrnVec3 *point;
    MRN_ARRAY(Triangle) triangle;
    int *next; ///< list of outside points of a triangle
    MRN_ARRAY(int) visible;
    MRN_ARRAY(int) horizon; ///< pairs: triangle beyond, its side
} Builder;

/// Sign and size of the volume of (a, b, c, d): positive when d is on the outer side of the counter-clockwise triangle
/// a b c.
static double volume(const Builder *build, int a, int b, int c, int d) {
    const MrnVec3 *p = build->point;
    MrnVec3 u = mrn_sub3(p[b], p[a]), v = mrn_sub3(p[c], p[a]), w = mrn_sub3(p[d], p[a]);
    double value = mrn_dot3(mrn_cross3(u, v), w);
    double bound =
        (fabs(u.x) + fabs(u.y) + fabs(u.z)) * (fabs(v.x) + fabs(v.y) + fabs(v.z)) * (fabs(w.x) + fabs(w.y) + fabs(w.z));
    if (fabs(value) > 16 * DBL_EPSILON * bound) return value;
    typedef __float128 Quad;
    Quad ux = (Quad)p[b].x - p[a].x, uy = (Quad)p[b].y - p[a].y, uz = (Quad)p[b].z - p[a].z;
    Quad vx = (Quad)p[c].x - p[a].x, vy = (Quad)p[c].y - p[a].y, vz = (Quad)p[c].z - p[a].z;
    Quad wx = (Quad)p[d].x - p[a].x, wy = (Quad)p[d].y - p[a].y, wz = (Quad)p[d].z - p[a].z;
    Quad exact = (uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy + (ux * vy - uy * vx) * wz;
    return exact > 0 ? fmax((double)exact, DBL_MIN) : exact < 0 ? fmin((double)exact, -DBL_MIN) : 0;
}

static double above(const Builder *build, const Triangle *t, int point) {
    return volume(build, t->vertex[0], t->vertex[1], t->vertex[2], point);
}

static int add_triangle(Builder *build, int a, int b, int c) {
    const MrnVec3 *p = build->point;
    Triangle t = {.vertex = {a, b, c}, .neighbour = {-1, -1, -1}, .first = -1, .cluster = -1, .alive = true};
    t.normal = mrn_cross3(mrn_sub3(p[b], p[a]), mrn_sub3(p[c], p[a]));
    mrn_array_push(&build->triangle, t);
    return (int)build->triangle.count - 1;
}

/// Give `point` to the first of the triangles [begin, count) that it is above.
static void place_point(Builder *build, int point, size_t begin) {
    for (size_t i = begin; i < build->triangle.count; i++) {
        Triangle *t = &build->triangle.data[i];
        if (t->alive && above(build, t, point) > 0) {
            build->next[point] = t->first;
            t->first = point;
            return;
        }
    }
}

/// Mark what `point` sees from triangle `seed` on, and list the sides of its boundary.
static void find_horizon(Builder *build, int point, int seed) {
    build->visible.count = build->horizon.count = 0;
    mrn_array_push(&build->visible, seed);
    build->triangle.data[seed].visible = true;
    for (size_t i = 0; i < build->visible.count; i++) {
        int current = build->visible.data[i];
        for (int side = 0; side < 3; side++) {
            int other = build->triangle.data[current].neighbour[side];
            Triangle *beyond = &build->triangle.data[other];
            if (beyond->visible) continue;
            if (above(build, beyond, point) > 0) {
                beyond->visible = true;
                mrn_array_push(&build->visible, other);
            }
        }
    }
    for (size_t i = 0; i < build->visible.count; i++) {
        int current = build->visible.data[i];
        for (int side = 0; side < 3; side++) {
            int other = build->triangle.data[current].neighbour[side];
            if (build->triangle.data[other].visible) continue;
            for (int k = 0; k < 3; k++)
                if (build->triangle.data[other].neighbour[k] == current &&
                    build->triangle.data[other].vertex[(k + 1) % 3] == build->triangle.data[current].vertex[side]) {
                    mrn_array_push(&build->horizon, other);
                    mrn_array_push(&build->horizon, k);
                }
        }
    }
}

static void add_point(Builder *build, int seed) {
    // The farthest point of the list, by volume over area: it is surely a vertex of the hull.
    int point = -1;
    double best = 0;
    for (int i = build->triangle.data[seed].first; i >= 0; i = build->next[i]) {
        double value = above(build, &build->triangle.data[seed], i);
        if (point < 0 || value > best) point = i, best = value;
    }
    find_horizon(build, point, seed);
    size_t begin = build->triangle.count;
    for (size_t i = 0; i < build->horizon.count; i += 2) {
        int beyond = build->horizon.data[i], side = build->horizon.data[i + 1];
        const Triangle *t = &build->triangle.data[beyond];
        int created = add_triangle(build, t->vertex[(side + 1) % 3], build->triangle.data[beyond].vertex[side], point);
        build->triangle.data[created].neighbour[0] = beyond;
        build->triangle.data[beyond].neighbour[side] = created;
    }
    for (size_t i = begin; i < build->triangle.count; i++)
        for (size_t j = begin; j < build->triangle.count; j++)
            if (build->triangle.data[i].vertex[1] == build->triangle.data[j].vertex[0]) {
                build->triangle.data[i].neighbour[1] = (int)j;
                build->triangle.data[j].neighbour[2] = (int)i;
            }
    for (size_t i = 0; i < build->visible.count; i++) {
        Triangle *t = &build->triangle.data[build->visible.data[i]];
        t->alive = false;
        int next;
        for (int p = t->first; p >= 0; p = next) {
            next = build->next[p];
            if (p != point) place_point(build, p, begin);
            t = &build->triangle.data[build->visible.data[i]];
        }
        t->first = -1;
    }
}

/// Four points far apart; `*flatness` is the distance of the last from the plane of the others, `*extent` the largest
/// distance found.
static void first_points(const MrnVec3 *p, int count, int chosen[4], double *extent, double *flatness) {
    int low = 0, high = 0;
    for (int axis = 0; axis < 3; axis++) {
        int l = 0, h = 0;
        for (int i = 1; i < count; i++) {
            const double *x = &p[i].x;
            if (x[axis] < (&p[l].x)[axis]) l = i;
            if (x[axis] > (&p[h].x)[axis]) h = i;
        }
        if (mrn_norm3(mrn_sub3(p[h], p[l])) > mrn_norm3(mrn_sub3(p[high], p[low]))) low = l, high = h;
    }
    MrnVec3 u = mrn_sub3(p[high], p[low]);
    *extent = mrn_norm3(u);
    chosen[0] = low, chosen[1] = high, chosen[2] = chosen[3] = low;
    double best = -1;
    for (int i = 0; i < count; i++) {
        double size = mrn_norm3(mrn_cross3(u, mrn_sub3(p[i], p[low])));
        if (size > best) best = size, chosen[2] = i;
    }
    MrnVec3 normal = mrn_cross3(u, mrn_sub3(p[chosen[2]], p[low]));
    double length = mrn_norm3(normal);
    best = -1;
    for (int i = 0; i < count; i++) {
        double size = fabs(mrn_dot3(normal, mrn_sub3(p[i], p[low])));
        if (size > best) best = size, chosen[3] = i;
    }
    *flatness = length > 0 && *extent > 0 ? best / length : 0;
    if (*extent > 0 && length / *extent < *flatness) *flatness = length / *extent;
}

/// Merge triangles into faces: from the largest triangle on, take every connected triangle whose corners lie in its
/// plane.
static int merge_triangles(Builder *build, double tolerance) {
    size_t count = build->triangle.count;
    int clusters = 0;
    for (;;) {
        int seed = -1;
        double largest = -1;
        for (size_t i = 0; i < count; i++) {
            const Triangle *t = &build->triangle.data[i];
            double area = mrn_norm3(t->normal);
            if (t->alive && t->cluster < 0 && area > largest) largest = area, seed = (int)i;
        }
        if (seed < 0) return clusters;
        MrnVec3 normal = largest > 0 ? mrn_scale3(1 / largest, build->triangle.data[seed].normal) : mrn_vec3(0, 0, 0);
        MrnVec3 origin = build->point[build->triangle.data[seed].vertex[0]];
        build->visible.count = 0;
        mrn_array_push(&build->visible, seed);
        build->triangle.data[seed].cluster = clusters;
        for (size_t i = 0; i < build->visible.count; i++)
            for (int side = 0; side < 3; side++) {
                int other = build->triangle.data[build->visible.data[i]].neighbour[side];
                Triangle *t = &build->triangle.data[other];
                bool joins = t->cluster < 0;
                for (int k = 0; k < 3 && joins; k++)
                    joins = fabs(mrn_dot3(normal, mrn_sub3(build->point[t->vertex[k]], origin))) <= tolerance;
                // The thin side wall of a thin plate also lies near the plane, but does not look the same way.
                double area = mrn_norm3(t->normal);
                if (joins && area > 1e-3 * largest) joins = mrn_dot3(normal, t->normal) > 0.9 * area;
                if (joins) {
                    t->cluster = clusters;
                    mrn_array_push(&build->visible, other);
                }
            }
        clusters++;
    }
}

static int compare_faces(const void *left, const void *right) {
    const int *a = *(int *const *)left, *b = *(int *const *)right;
    for (int i = 1; i <= a[0] && i <= b[0]; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return (a[0] > b[0]) - (a[0] < b[0]);
}

/// Walk around the boundary of each cluster. Returns false when a boundary is not one simple loop (the tolerance was
/// too large for this hull).
static bool collect_faces(const Builder *build, int count, int clusters, MrnHull *hull) {
    size_t triangles = build->triangle.count;
    int *next = mrn_alloc((size_t)count, sizeof *next), *degree = mrn_alloc_zero((size_t)count, sizeof *degree);
    int **faces = mrn_alloc_zero((size_t)clusters, sizeof *faces);
    bool good = true;
    for (int pass = 0; pass < 2 && good;
         pass++) // first count the faces of each point, then keep those with three or more
        for (int cluster = 0; cluster < clusters && good; cluster++) {
            int start = -1, sides = 0;
            for (int i = 0; i < count; i++) next[i] = -1;
            for (size_t i = 0; i < triangles; i++) {
                const Triangle *t = &build->triangle.data[i];
                if (!t->alive || t->cluster != cluster) continue;
                for (int side = 0; side < 3; side++) {
                    if (build->triangle.data[t->neighbour[side]].cluster == cluster) continue;
                    if (next[t->vertex[side]] >= 0) good = false;
                    next[t->vertex[side]] = t->vertex[(side + 1) % 3];
                    start = t->vertex[side];
                    sides++;
                }
            }
            if (start < 0) good = false;
            if (!good) break;
            if (pass == 0) {
                for (int i = 0; i < count; i++) degree[i] += next[i] >= 0;
                continue;
            }
            int *face = faces[cluster] = mrn_alloc((size_t)sides + 1, sizeof *face);
            face[0] = 0;
            int at = start, walked = 0;
            do {
                if (degree[at] >= 3) face[++face[0]] = at;
                at = next[at];
                walked++;
            } while (at != start && at >= 0 && walked <= sides);
            good = walked == sides && at == start && face[0] >= 3;
            int lowest = 1;
            for (int i = 1; i <= face[0]; i++)
                if (face[i] < face[lowest]) lowest = i;
            int *turned = mrn_alloc((size_t)sides + 1, sizeof *turned);
            turned[0] = face[0];
            for (int i = 0; i < face[0]; i++) turned[i + 1] = face[1 + (lowest - 1 + i) % face[0]];
            free(face);
            faces[cluster] = turned;
        }
    int corners = 0, vertices = 0;
    if (good) {
        for (int f = 0; f < clusters; f++) corners += faces[f][0];
        for (int i = 0; i < count; i++) vertices += degree[i] >= 3;
        good = vertices - corners / 2 + clusters == 2 && corners % 2 == 0;
    }
    if (good) {
        qsort(faces, (size_t)clusters, sizeof *faces, compare_faces);
        hull->vertex_count = vertices;
        hull->face_count = clusters;
        hull->vertex = mrn_alloc((size_t)vertices, sizeof *hull->vertex);
        hull->face_start = mrn_alloc((size_t)clusters + 1, sizeof *hull->face_start);
        hull->face_vertex = mrn_alloc((size_t)corners, sizeof *hull->face_vertex);
        for (int i = 0, k = 0; i < count; i++) {
            next[i] = k; // new number of the point
            if (degree[i] >= 3) hull->vertex[k++] = i;
        }
        hull->face_start[0] = 0;
        for (int f = 0; f < clusters; f++) {
            int at = hull->face_start[f];
            for (int i = 1; i <= faces[f][0]; i++) hull->face_vertex[at++] = next[faces[f][i]];
            hull->face_start[f + 1] = at;
        }
    }
    for (int f = 0; f < clusters; f++) free(faces[f]);
    free(faces);
    free(next);
    free(degree);
    return good;
}

typedef struct Ordered {
    double x;
    int index;
} Ordered;

static int compare_ordered(const void *left, const void *right) {
    const Ordered *a = left, *b = right;
    if (a->x != b->x) return a->x < b->x ? -1 : 1;
    return a->index - b->index;
}

/// List in `kept` one point of each group closer than `tolerance`: the one of lowest number. Returns how many.
static int drop_repeated(const MrnVec3 *p, int count, double tolerance, int *kept) {
    Ordered *order = mrn_alloc((size_t)count, sizeof *order);
    bool *dropped = mrn_alloc_zero((size_t)count, sizeof *dropped);
    for (int i = 0; i < count; i++) order[i] = (Ordered){p[i].x, i};
    qsort(order, (size_t)count, sizeof *order, compare_ordered);
    for (int i = 0; i < count; i++)
        for (int j = i + 1; j < count && order[j].x - order[i].x <= tolerance; j++) {
            int a = order[i].index, b = order[j].index;
            if (mrn_norm3(mrn_sub3(p[a], p[b])) <= tolerance) dropped[a > b ? a : b] = true;
        }
    int n = 0;
    for (int i = 0; i < count; i++)
        if (!dropped[i]) kept[n++] = i;
    free(order);
    free(dropped);
    return n;
}

bool mrn_hull_make(const double *points, size_t count, MrnHull *hull, MrnError *error) {
    memset(hull, 0, sizeof *hull);
    if (count < 4) return mrn_fail(error, MRN_ERROR_INPUT, "a polyhedron needs at least 4 vertices, got %zu", count);
    if (count > 1000000)
        return mrn_fail(error, MRN_ERROR_INPUT, "a polyhedron may have at most 1000000 vertices, got %zu", count);
    for (size_t i = 0; i < 3 * count; i++)
        if (!isfinite(points[i]))
            return mrn_fail(error, MRN_ERROR_INPUT, "vertex %zu of the polyhedron is not finite: %g", i / 3, points[i]);
    int n = (int)count, chosen[4];
    MrnVec3 *p = mrn_alloc(count, sizeof *p);
    for (int i = 0; i < n; i++) p[i] = mrn_load3(points + 3 * i);
    double extent, flatness;
    first_points(p, n, chosen, &extent, &flatness);
    if (!(flatness > 1e-8 * extent)) {
        free(p);
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "the polyhedron is flat: its vertices span %g m but lie within %g m of one plane", extent,
                        flatness);
    }
    int *kept = mrn_alloc(count, sizeof *kept);
    n = drop_repeated(p, n, 1e-9 * extent, kept);
    for (int i = 0; i < n; i++) p[i] = p[kept[i]];
    first_points(p, n, chosen, &extent, &flatness);
    Builder build = {.point = p, .next = mrn_alloc(count, sizeof(int))};
    if (volume(&build, chosen[0], chosen[1], chosen[2], chosen[3]) > 0) {
        int swap = chosen[1];
        chosen[1] = chosen[2], chosen[2] = swap;
    }
    static const int side[4][3] = {{0, 1, 2}, {0, 3, 1}, {1, 3, 2}, {2, 3, 0}};
    for (int f = 0; f < 4; f++) add_triangle(&build, chosen[side[f][0]], chosen[side[f][1]], chosen[side[f][2]]);
    for (int f = 0; f < 4; f++)
        for (int g = 0; g < 4; g++)
            for (int i = 0; i < 3; i++)
                for (int k = 0; k < 3; k++)
                    if (f != g && side[f][i] == side[g][(k + 1) % 3] && side[f][(i + 1) % 3] == side[g][k])
                        build.triangle.data[f].neighbour[i] = g;
    for (int i = 0; i < n; i++)
        if (i != chosen[0] && i != chosen[1] && i != chosen[2] && i != chosen[3]) place_point(&build, i, 0);
    for (size_t i = 0; i < build.triangle.count; i++)
        while (build.triangle.data[i].alive && build.triangle.data[i].first >= 0) add_point(&build, (int)i);
    bool good = false;
    // A tolerance that joins faces of a nearly flat corner wrongly is seen by the count of collect_faces; then a
    // smaller one is taken.
    for (double tolerance = 1e-9 * extent; !good && tolerance > 1e-18 * extent; tolerance *= 1e-3) {
        for (size_t i = 0; i < build.triangle.count; i++) build.triangle.data[i].cluster = -1;
        int clusters = merge_triangles(&build, tolerance);
        good = collect_faces(&build, n, clusters, hull);
    }
    for (int i = 0; i < hull->vertex_count; i++) hull->vertex[i] = kept[hull->vertex[i]];
    free(kept);
    mrn_array_free(&build.triangle);
    mrn_array_free(&build.visible);
    mrn_array_free(&build.horizon);
    free(build.next);
    free(p);
    if (!good)
        return mrn_fail(error, MRN_ERROR_INPUT, "the polyhedron has faces too thin to tell apart (extent %g m)",
                        extent);
    return true;
}

void mrn_hull_free(MrnHull *hull) {
    free(hull->vertex);
    free(hull->face_start);
    free(hull->face_vertex);
    memset(hull, 0, sizeof *hull);
}

/// Half the smallest width: reached on a face against a vertex or on two edges.
static double half_width(const MrnFacets *facets, const double *vertices) {
    double smallest = INFINITY;
    int e = facets->edge_count;
    // Pairs of edges cost e^2 v; beyond some hundred edges the faces are so many that they alone give the width to a
    // few per cent.
    int pairs = e <= 150 ? e : 0;
    for (int i = 0; i < facets->face_count + pairs * (pairs - 1) / 2; i++) {
        MrnVec3 n;
        if (i < facets->face_count)
            n = facets->normals[i];
        else {
            int k = i - facets->face_count, a = 1;
            while (k >= a) k -= a++;
            const MrnEdge *s = &facets->edges[a], *t = &facets->edges[k];
            MrnVec3 u = mrn_sub3(mrn_load3(vertices + 3 * s->to), mrn_load3(vertices + 3 * s->from));
            MrnVec3 w = mrn_sub3(mrn_load3(vertices + 3 * t->to), mrn_load3(vertices + 3 * t->from));
            n = mrn_cross3(u, w);
            double length = mrn_norm3(n);
            if (length <= 1e-6 * mrn_norm3(u) * mrn_norm3(w)) continue;
            n = mrn_scale3(1 / length, n);
        }
        double low = INFINITY, high = -INFINITY;
        for (int v = 0; v < facets->vertex_count && high - low < smallest; v++) {
            double h = mrn_dot3(n, mrn_load3(vertices + 3 * v));
            low = fmin(low, h), high = fmax(high, h);
        }
        smallest = fmin(smallest, high - low);
    }
    return smallest / 2;
}

static int compare_sides(const void *left, const void *right) {
    const int *a = left, *b = right;
    for (int i = 0; i < 3; i++)
        if (a[i] != b[i]) return a[i] < b[i] ? -1 : 1;
    return 0;
}

MrnFacets *mrn_facets_new(const double *vertices, int vertex_count, int face_count, const int *face_start,
                          const int *face_vertex) {
    int corners = face_start[face_count];
    size_t bytes = sizeof(MrnFacets) + (size_t)face_count * sizeof(MrnVec3) + (size_t)(corners / 2) * sizeof(MrnEdge);
    MrnFacets *facets = mrn_alloc_zero(1, bytes);
    facets->vertex_count = vertex_count;
    facets->face_count = face_count;
    facets->face_start = face_start;
    facets->face_vertex = face_vertex;
    facets->normals = (MrnVec3 *)(facets + 1);
    facets->edges = (MrnEdge *)(facets->normals + face_count);
    int(*side)[4] = mrn_alloc((size_t)corners, sizeof *side); // lower vertex, higher vertex, 0 if it runs upwards, face
    for (int f = 0; f < face_count; f++) {
        int begin = face_start[f], size = face_start[f + 1] - begin;
        MrnVec3 normal = {0, 0, 0}, first = mrn_load3(vertices + 3 * face_vertex[begin]);
        for (int i = 0; i < size; i++) {
            int v = face_vertex[begin + i], w = face_vertex[begin + (i + 1) % size];
            MrnVec3 a = mrn_sub3(mrn_load3(vertices + 3 * v), first), b = mrn_sub3(mrn_load3(vertices + 3 * w), first);
            normal = mrn_add3(normal, mrn_cross3(a, b));
            int *s = side[begin + i];
            s[0] = v < w ? v : w, s[1] = v < w ? w : v, s[2] = v > w, s[3] = f;
        }
        facets->normals[f] = mrn_normalize3(normal);
    }
    qsort(side, (size_t)corners, sizeof *side, compare_sides);
    for (int i = 0; i + 1 < corners; i += 2)
        facets->edges[facets->edge_count++] = (MrnEdge){side[i][0], side[i][1], side[i][3], side[i + 1][3]};
    free(side);
    facets->half_width = half_width(facets, vertices);
    return facets;
}
