// Surfaces of shapes. See surface.h.
//
// Cylinders and funnels are lathed: a profile of radius over height is turned about z, each band of it a strip of
// triangles, and ends are closed by flat lids. Spheres and the ends of capsules are octahedra whose faces are divided
// evenly, all in one strip: half as many points as circles of latitude with the same detail, and one cell per body.
// Points lie on the true surface.
#include "io/surface.h"

#include <math.h>
#include <stdlib.h>

void mrn_surface_free(MrnSurface *surface) {
    mrn_array_free(&surface->points);
    mrn_array_free(&surface->polygons);
    mrn_array_free(&surface->polygon_ends);
    mrn_array_free(&surface->strips);
    mrn_array_free(&surface->strip_ends);
    mrn_array_free(&surface->lines);
    mrn_array_free(&surface->line_ends);
}

// ---- outlines in the plane

static void ring_push(MrnRing *ring, MrnVec2 p) {
    mrn_array_push(ring, p.x);
    mrn_array_push(ring, p.y);
}

/// Points of an arc about `centre` from angle `from` over `sweep` > 0, both ends included.
static void ring_arc(MrnRing *ring, MrnVec2 centre, double radius, double from, double sweep, int detail) {
    int pieces = (int)ceil(sweep / (2 * M_PI) * detail - 1e-9);
    if (pieces < 1) pieces = 1;
    for (int i = 0; i <= pieces; i++) {
        double a = from + sweep * i / pieces;
        ring_push(ring, (MrnVec2){centre.x + radius * cos(a), centre.y + radius * sin(a)});
    }
}

/// Vertex `i` of the closed walk around a polygon, or along a chain and back.
static MrnVec2 walk_vertex(const MrnShape *shape, bool closed, size_t i) {
    size_t n = shape->vertex_count, k = closed ? i % n : i % (2 * n - 2);
    if (!closed && k >= n) k = 2 * n - 2 - k;
    return (MrnVec2){shape->vertices[2 * k], shape->vertices[2 * k + 1]};
}

/// The walk moved outwards by the radius: arcs about convex corners, crossing offset edges at reflex ones.
static void ring_rounded(const MrnShape *shape, bool closed, int detail, MrnRing *ring) {
    size_t count = closed ? shape->vertex_count : 2 * shape->vertex_count - 2;
    double r = shape->radius;
    for (size_t i = 0; i < count; i++) {
        MrnVec2 before = walk_vertex(shape, closed, i + count - 1), p = walk_vertex(shape, closed, i),
                after = walk_vertex(shape, closed, i + 1);
        MrnVec2 in = mrn_sub2(p, before), out = mrn_sub2(after, p);
        double length_in = mrn_norm2(in), length_out = mrn_norm2(out);
        double turn = atan2(mrn_cross2(in, out), mrn_dot2(in, out));
        // The end of a chain turns by half a circle, to the left.
        if (!closed && (i == 0 || i == shape->vertex_count - 1)) turn = M_PI;
        if (turn > 0) {
            ring_arc(ring, p, r, atan2(-in.x, in.y), turn, detail); // from the outward normal of the edge that arrives
        } else {
            // At most as far back as the shorter edge is long, so that the outline does not run backwards.
            double back = fmin(r * tan(-0.5 * turn), fmin(length_in, length_out));
            MrnVec2 normal = {in.y / length_in, -in.x / length_in};
            ring_push(ring, (MrnVec2){p.x + r * normal.x - back * in.x / length_in,
                                      p.y + r * normal.y - back * in.y / length_in});
        }
    }
}

bool mrn_surface_outline(const MrnShape *shape, int detail, MrnRing *ring) {
    size_t start = ring->count;
    bool closed = shape->kind == MRN_SHAPE_POLYGON, area = true;
    if (shape->kind == MRN_SHAPE_DISC || shape->kind == MRN_SHAPE_RING) {
        ring_arc(ring, (MrnVec2){0, 0}, shape->radius, 0, 2 * M_PI, detail);
        ring->count -= 2;
        area = shape->kind == MRN_SHAPE_DISC;
    } else if (shape->radius > 0 && shape->vertex_count > 1) {
        ring_rounded(shape, closed, detail, ring);
    } else {
        for (size_t i = 0; i < shape->vertex_count; i++)
            ring_push(ring, (MrnVec2){shape->vertices[2 * i], shape->vertices[2 * i + 1]});
        area = closed;
    }
    double c = cos(shape->rotation[0]), s = sin(shape->rotation[0]);
    for (size_t i = start; i < ring->count; i += 2) {
        MrnVec2 p = mrn_rotate2(c, s, (MrnVec2){ring->data[i], ring->data[i + 1]});
        ring->data[i] = p.x + shape->position[0];
        ring->data[i + 1] = p.y + shape->position[1];
    }
    return area;
}

// ---- surfaces

static int32_t push_point(MrnSurface *surface, MrnVec3 p) {
    int32_t number = (int32_t)(surface->points.count / 3);
    mrn_array_reserve(&surface->points, surface->points.count + 3);
    mrn_store3(surface->points.data + surface->points.count, p);
    surface->points.count += 3;
    return number;
}

static void push_polygon(MrnSurface *surface, int count, const int32_t *points) {
    for (int i = 0; i < count; i++) mrn_array_push(&surface->polygons, points[i]);
    mrn_array_push(&surface->polygon_ends, (int32_t)surface->polygons.count);
}

static void add_flat(MrnSurface *surface, const MrnShape *shape, int detail, const MrnPatch *patch) {
    MrnRing ring = {0};
    int32_t first = (int32_t)(surface->points.count / 3);
    bool area = true, closed = false;
    if (shape->kind == MRN_SHAPE_HALF_PLANE) {
        // A bar along the line, below it.
        double c = cos(shape->rotation[0]), s = sin(shape->rotation[0]), reach = patch->reach, depth = 0.05 * reach;
        MrnVec2 foot =
            mrn_rotate2(c, -s, (MrnVec2){patch->centre.x - shape->position[0], patch->centre.y - shape->position[1]});
        double corner[4][2] = {
            {foot.x - reach, -depth}, {foot.x + reach, -depth}, {foot.x + reach, 0}, {foot.x - reach, 0}};
        for (int i = 0; i < 4; i++) {
            MrnVec2 p = mrn_rotate2(c, s, (MrnVec2){corner[i][0], corner[i][1]});
            ring_push(&ring, (MrnVec2){p.x + shape->position[0], p.y + shape->position[1]});
        }
    } else {
        area = mrn_surface_outline(shape, detail, &ring);
        closed = shape->kind == MRN_SHAPE_RING;
    }
    size_t count = ring.count / 2;
    for (size_t i = 0; i < count; i++) push_point(surface, (MrnVec3){ring.data[2 * i], ring.data[2 * i + 1], 0});
    if (area) {
        for (size_t i = 0; i < count; i++) mrn_array_push(&surface->polygons, first + (int32_t)i);
        mrn_array_push(&surface->polygon_ends, (int32_t)surface->polygons.count);
    } else {
        for (size_t i = 0; i < count; i++) mrn_array_push(&surface->lines, first + (int32_t)i);
        if (closed) mrn_array_push(&surface->lines, first);
        mrn_array_push(&surface->line_ends, (int32_t)surface->lines.count);
    }
    mrn_array_free(&ring);
}

static void add_box(MrnSurface *surface, const double half[3]) {
    int32_t first = (int32_t)(surface->points.count / 3);
    for (int i = 0; i < 8; i++)
        push_point(surface,
                   (MrnVec3){i & 1 ? half[0] : -half[0], i & 2 ? half[1] : -half[1], i & 4 ? half[2] : -half[2]});
    static const int face[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int f = 0; f < 6; f++) {
        int32_t points[4];
        for (int i = 0; i < 4; i++) points[i] = first + face[f][i];
        push_polygon(surface, 4, points);
    }
}

/// Turn the profile (radius > 0, height) about z, from the lowest point to the highest.
static void lathe(MrnSurface *surface, int count, const double (*profile)[2], int detail, bool lids, bool inward) {
    int32_t first = (int32_t)(surface->points.count / 3);
    for (int k = 0; k < count; k++)
        for (int i = 0; i < detail; i++) {
            double a = 2 * M_PI * i / detail;
            push_point(surface, (MrnVec3){profile[k][0] * cos(a), profile[k][0] * sin(a), profile[k][1]});
        }
    for (int k = 0; k + 1 < count; k++) {
        int32_t low = first + k * detail, high = low + detail;
        for (int i = 0; i <= detail; i++) {
            mrn_array_push(&surface->strips, (inward ? low : high) + i % detail);
            mrn_array_push(&surface->strips, (inward ? high : low) + i % detail);
        }
        mrn_array_push(&surface->strip_ends, (int32_t)surface->strips.count);
    }
    for (int end = 0; lids && end < 2; end++) {
        int32_t ring = first + (end ? (count - 1) * detail : 0);
        for (int i = 0; i < detail; i++) mrn_array_push(&surface->polygons, ring + (end ? i : detail - 1 - i));
        mrn_array_push(&surface->polygon_ends, (int32_t)surface->polygons.count);
    }
}

static void strip_add(MrnSurface *surface, int32_t point) {
    mrn_array_push(&surface->strips, point);
}

/// Go on in the strip that begins at `start` with triangles from point `a` on. Those at even places are
/// counter-clockwise as they are written, those at odd places the other way round. Repeated points make triangles
/// without area.
static void strip_begin(MrnSurface *surface, size_t start, int32_t a, bool odd) {
    size_t count = surface->strips.count - start;
    int32_t last = count ? surface->strips.data[start + count - 1] : a;
    if (count && last == a && (count - 1) % 2 == odd) return;
    if (last != a) {
        strip_add(surface, last);
        strip_add(surface, a);
    }
    do strip_add(surface, a);
    while ((surface->strips.count - start - 1) % 2 != odd);
}

/// Point `i` of ring `k` of an octahedron with `n` rings per half; ring 0 is the north pole, ring 2 n the south pole.
static MrnVec3 octahedron_point(int n, int k, int i) {
    int row = k <= n ? k : 2 * n - k, quarter = row ? i / row % 4 : 0, at = row ? i % row : 0;
    double x = row ? (double)(row - at) / n : 0, y = (double)at / n, z = (double)(n - k) / n;
    static const double turn[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    double c = turn[quarter][0], s = turn[quarter][1];
    // Faces are bent so that sides along great circles have equal angles: sines of the shares instead of the shares.
    MrnVec3 p = {c * x - s * y, s * x + c * y, z};
    MrnVec3 bent = {copysign(sin(0.5 * M_PI * fabs(p.x)), p.x), copysign(sin(0.5 * M_PI * fabs(p.y)), p.y),
                    copysign(sin(0.5 * M_PI * fabs(p.z)), p.z)};
    return mrn_scale3(1 / mrn_norm3(bent), bent);
}

/// Sphere, or capsule where half > 0: then the ring at the equator is there twice, half a length up and down.
static void add_capsule(MrnSurface *surface, double radius, double half, int detail) {
    int n = (detail + 3) / 4, rings = 2 * n + 1 + (half > 0);
    int32_t *first = mrn_alloc((size_t)rings, sizeof *first);
    int *length = mrn_alloc((size_t)rings, sizeof *length);
    for (int r = 0; r < rings; r++) {
        bool low = half > 0 && r > n;
        int k = low ? r - 1 : r, row = k <= n ? k : 2 * n - k;
        length[r] = row;
        first[r] = (int32_t)(surface->points.count / 3);
        for (int i = 0; i < (row ? 4 * row : 1); i++) {
            MrnVec3 p = mrn_scale3(radius, octahedron_point(n, k, i));
            p.z += half > 0 ? (low ? -half : half) : 0;
            push_point(surface, p);
        }
    }
    size_t start = surface->strips.count;
#define AT(r, q, i) (first[r] + (length[r] ? ((q)*length[r] + (i)) % (4 * length[r]) : 0))
    for (int r = 0; r + 1 < rings; r++) {
        int upper = length[r], lower = length[r + 1];
        // From west to east, to and fro between the rings, in each quarter from the longer one.
        bool lower_first = lower > upper;
        int longer = lower_first ? lower : upper, shorter = lower_first ? upper : lower;
        for (int q = 0; q < 4; q++) {
            if (q == 0 || lower != upper) {
                strip_begin(surface, start, lower_first ? AT(r + 1, q, 0) : AT(r, q, 0), lower_first);
                strip_add(surface, lower_first ? AT(r, q, 0) : AT(r + 1, q, 0));
            }
            for (int i = 1; i <= longer; i++) {
                strip_add(surface, lower_first ? AT(r + 1, q, i) : AT(r, q, i));
                if (i <= shorter) strip_add(surface, lower_first ? AT(r, q, i) : AT(r + 1, q, i));
            }
        }
    }
#undef AT
    mrn_array_push(&surface->strip_ends, (int32_t)surface->strips.count);
    free(first);
    free(length);
}

static void add_faces(MrnSurface *surface, const MrnShape *shape) {
    int32_t first = (int32_t)(surface->points.count / 3);
    for (size_t i = 0; i < shape->vertex_count; i++) push_point(surface, mrn_load3(shape->vertices + 3 * i));
    for (size_t f = 0; f < shape->face_count; f++) {
        bool triangle = shape->kind == MRN_SHAPE_MESH;
        size_t begin = triangle ? 3 * f : (size_t)shape->face_start[f],
               end = triangle ? 3 * f + 3 : (size_t)shape->face_start[f + 1];
        for (size_t i = begin; i < end; i++) mrn_array_push(&surface->polygons, first + (int32_t)shape->face_vertex[i]);
        mrn_array_push(&surface->polygon_ends, (int32_t)surface->polygons.count);
    }
}

static void add_plane(MrnSurface *surface, const MrnShape *shape, const MrnPatch *patch) {
    MrnMat3 turn = mrn_quat_matrix(mrn_quat_load(shape->rotation));
    MrnVec3 foot = mrn_mat3_transpose_times(&turn, mrn_sub3(patch->centre, mrn_load3(shape->position)));
    double r = patch->reach;
    int32_t corner[4];
    for (int i = 0; i < 4; i++)
        corner[i] = push_point(surface, (MrnVec3){foot.x + (i == 1 || i == 2 ? r : -r), foot.y + (i >= 2 ? r : -r), 0});
    push_polygon(surface, 4, corner);
}

void mrn_surface_add(MrnSurface *surface, const MrnShape *shape, int detail, const MrnPatch *patch) {
    if (mrn_shape_dimension(shape->kind) == 2) {
        add_flat(surface, shape, detail, patch);
        return;
    }
    size_t start = surface->points.count;
    double r = shape->radius, h = shape->half[2];
    switch (shape->kind) {
    case MRN_SHAPE_SPHERE: add_capsule(surface, r, 0, detail); break;
    case MRN_SHAPE_CAPSULE: add_capsule(surface, r, h, detail); break;
    case MRN_SHAPE_BOX: add_box(surface, shape->half); break;
    case MRN_SHAPE_CYLINDER: lathe(surface, 2, (const double[2][2]){{r, -h}, {r, h}}, detail, true, false); break;
    case MRN_SHAPE_TUBE: lathe(surface, 2, (const double[2][2]){{r, -h}, {r, h}}, detail, false, true); break;
    case MRN_SHAPE_FUNNEL:
        lathe(surface, 2, (const double[2][2]){{r, -h}, {shape->top_radius, h}}, detail, false, true);
        break;
    case MRN_SHAPE_POLYHEDRON:
    case MRN_SHAPE_MESH: add_faces(surface, shape); break;
    case MRN_SHAPE_PLANE: add_plane(surface, shape, patch); break;
    default: break;
    }
    MrnMat3 turn = mrn_quat_matrix(mrn_quat_load(shape->rotation));
    for (size_t i = start; i < surface->points.count; i += 3) {
        MrnVec3 p = mrn_mat3_times(&turn, mrn_load3(surface->points.data + i));
        mrn_store3(surface->points.data + i, mrn_add3(p, mrn_load3(shape->position)));
    }
}
