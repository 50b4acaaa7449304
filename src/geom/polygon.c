// Polygon tools. Signs of areas are exact: a floating-point filter first, then expansions (Shewchuk 1997), so that the
// simplicity test never contradicts itself.
#include "geom/polygon.h"

#include "base/memory.h"

#include <float.h>
#include <stdlib.h>

// Add b to the expansion e of n non-overlapping terms, smallest first (Shewchuk's Grow-Expansion). Returns the new
// length.
static int grow(double *e, int n, double b) {
    double q = b;
    int kept = 0;
    for (int i = 0; i < n; i++) {
        double sum = q + e[i], part = sum - q;
        double rest = (q - (sum - part)) + (e[i] - part);
        q = sum;
        if (rest != 0.0) e[kept++] = rest;
    }
    if (q != 0.0) e[kept++] = q;
    return kept;
}

static int exact_orientation(MrnVec2 a, MrnVec2 b, MrnVec2 c) {
    const double factors[6][2] = {{a.x, b.y}, {-a.y, b.x}, {b.x, c.y}, {-b.y, c.x}, {c.x, a.y}, {-c.y, a.x}};
    double e[12];
    int n = 0;
    for (int i = 0; i < 6; i++) {
        double product = factors[i][0] * factors[i][1];
        n = grow(e, n, fma(factors[i][0], factors[i][1], -product));
        n = grow(e, n, product);
    }
    return n == 0 ? 0 : e[n - 1] > 0.0 ? 1 : -1;
}

int mrn_orientation(MrnVec2 a, MrnVec2 b, MrnVec2 c) {
    double left = (a.x - c.x) * (b.y - c.y), right = (a.y - c.y) * (b.x - c.x);
    double turn = left - right;
    // Shewchuk's first bound: (3 + 16 eps) eps with eps half of DBL_EPSILON.
    double bound = 3.3306690738754716e-16 * (fabs(left) + fabs(right));
    if (turn > bound) return 1;
    if (turn < -bound) return -1;
    return exact_orientation(a, b, c);
}

// c on the line of a and b: is it between them?
static bool between(MrnVec2 a, MrnVec2 b, MrnVec2 c) {
    return fmin(a.x, b.x) <= c.x && c.x <= fmax(a.x, b.x) && fmin(a.y, b.y) <= c.y && c.y <= fmax(a.y, b.y);
}

bool mrn_segments_meet(MrnVec2 a, MrnVec2 b, MrnVec2 c, MrnVec2 d) {
    int abc = mrn_orientation(a, b, c), abd = mrn_orientation(a, b, d);
    int cda = mrn_orientation(c, d, a), cdb = mrn_orientation(c, d, b);
    if (abc * abd < 0 && cda * cdb < 0) return true;
    return (abc == 0 && between(a, b, c)) || (abd == 0 && between(a, b, d)) || (cda == 0 && between(c, d, a)) ||
           (cdb == 0 && between(c, d, b));
}

// Sums are taken about the first vertex, so that a small polygon far from the origin loses no digits.
MrnAreaMoments mrn_polygon_moments(size_t count, const double *vertices) {
    MrnVec2 origin = mrn_vertex2(vertices, 0), first = {0, 0};
    double twice_area = 0.0, second = 0.0;
    for (size_t i = 1; i + 1 < count; i++) {
        MrnVec2 p = mrn_sub2(mrn_vertex2(vertices, i), origin), q = mrn_sub2(mrn_vertex2(vertices, i + 1), origin);
        double cross = mrn_cross2(p, q);
        twice_area += cross;
        first = mrn_add2(first, mrn_scale2(cross, mrn_add2(p, q)));
        second += cross * (mrn_dot2(p, p) + mrn_dot2(p, q) + mrn_dot2(q, q));
    }
    MrnAreaMoments moments = {.area = 0.5 * twice_area};
    if (twice_area != 0.0) {
        MrnVec2 centre = mrn_scale2(1.0 / (3.0 * twice_area), first);
        moments.centre = mrn_add2(origin, centre);
        moments.polar = second / 12.0 - moments.area * mrn_dot2(centre, centre);
    }
    return moments;
}

double mrn_polygon_area(size_t count, const double *vertices) {
    return mrn_polygon_moments(count, vertices).area;
}

// The union of disjoint parts: moments about `origin`, then carried to the common centre.
typedef struct Sum {
    MrnVec2 origin, first;
    double area, second;
} Sum;

static void sum_part(Sum *sum, double area, MrnVec2 centre, double polar) {
    MrnVec2 r = mrn_sub2(centre, sum->origin);
    sum->area += area;
    sum->first = mrn_add2(sum->first, mrn_scale2(area, r));
    sum->second += polar + area * mrn_dot2(r, r);
}

MrnAreaMoments mrn_rounded_polygon_moments(size_t count, const double *vertices, double radius) {
    MrnAreaMoments core = mrn_polygon_moments(count, vertices);
    if (radius <= 0.0) return core;
    Sum sum = {.origin = core.centre, .area = core.area, .second = core.polar};
    for (size_t i = 0; i < count; i++) {
        MrnVec2 before = mrn_vertex2(vertices, (i + count - 1) % count), here = mrn_vertex2(vertices, i);
        MrnVec2 edge_in = mrn_sub2(here, before), edge = mrn_sub2(mrn_vertex2(vertices, (i + 1) % count), here);
        double length = mrn_norm2(edge), length_in = mrn_norm2(edge_in);
        MrnVec2 normal = {edge.y / length, -edge.x / length},
                normal_in = {edge_in.y / length_in, -edge_in.x / length_in};
        // The strip on the edge that starts here.
        MrnVec2 middle = mrn_add2(mrn_add2(here, mrn_scale2(0.5, edge)), mrn_scale2(0.5 * radius, normal));
        sum_part(&sum, length * radius, middle, length * radius * (length * length + radius * radius) / 12.0);
        // The sector that closes the corner: its angle is the turn of the normal.
        double half = 0.5 * atan2(mrn_cross2(normal_in, normal), mrn_dot2(normal_in, normal));
        if (half <= 0.0) continue;
        MrnVec2 axis = mrn_add2(normal_in, normal);
        axis = mrn_scale2(1.0 / mrn_norm2(axis), axis);
        double area = half * radius * radius, offset = 2.0 / 3.0 * radius * sin(half) / half;
        sum_part(&sum, area, mrn_add2(here, mrn_scale2(offset, axis)),
                 area * (0.5 * radius * radius - offset * offset));
    }
    MrnVec2 centre = mrn_scale2(1.0 / sum.area, sum.first);
    return (MrnAreaMoments){sum.area, mrn_add2(sum.origin, centre), sum.second - sum.area * mrn_dot2(centre, centre)};
}

typedef struct Interval {
    double low, high;
    size_t edge;
} Interval;

static int by_low(const void *left, const void *right) {
    const Interval *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    return a->edge < b->edge ? -1 : 1;
}

bool mrn_polygon_is_simple(size_t count, const double *vertices, size_t edges[2]) {
    Interval *spans = mrn_alloc(count, sizeof *spans);
    for (size_t i = 0; i < count; i++) {
        double x = vertices[2 * i], next = vertices[2 * ((i + 1) % count)];
        spans[i] = (Interval){fmin(x, next), fmax(x, next), i};
    }
    qsort(spans, count, sizeof *spans, by_low);
    bool simple = true;
    for (size_t s = 0; s < count && simple; s++) {
        size_t i = spans[s].edge;
        MrnVec2 a = mrn_vertex2(vertices, i), b = mrn_vertex2(vertices, (i + 1) % count);
        for (size_t t = s + 1; t < count && spans[t].low <= spans[s].high && simple; t++) {
            size_t j = spans[t].edge;
            MrnVec2 c = mrn_vertex2(vertices, j), d = mrn_vertex2(vertices, (j + 1) % count);
            if (fmax(c.y, d.y) < fmin(a.y, b.y) || fmin(c.y, d.y) > fmax(a.y, b.y)) continue;
            // Neighbours share a vertex; they may only not fold back onto each other.
            if (j == (i + 1) % count)
                simple = mrn_orientation(a, b, d) != 0 || mrn_dot2(mrn_sub2(a, b), mrn_sub2(d, b)) <= 0.0;
            else if (i == (j + 1) % count)
                simple = mrn_orientation(c, d, b) != 0 || mrn_dot2(mrn_sub2(c, d), mrn_sub2(b, d)) <= 0.0;
            else
                simple = !mrn_segments_meet(a, b, c, d);
            if (!simple) edges[0] = i < j ? i : j, edges[1] = i < j ? j : i;
        }
    }
    free(spans);
    return simple;
}

bool mrn_polygon_is_convex(size_t count, const double *vertices) {
    for (size_t i = 0; i < count; i++)
        if (mrn_orientation(mrn_vertex2(vertices, i), mrn_vertex2(vertices, (i + 1) % count),
                            mrn_vertex2(vertices, (i + 2) % count)) < 0)
            return false;
    return mrn_polygon_area(count, vertices) > 0.0;
}

bool mrn_polygon_contains(size_t count, const double *vertices, MrnVec2 point) {
    bool inside = false;
    MrnVec2 a = mrn_vertex2(vertices, count - 1);
    for (size_t i = 0; i < count; i++) {
        MrnVec2 b = mrn_vertex2(vertices, i);
        if ((a.y > point.y) != (b.y > point.y)) {
            double turn = mrn_cross2(mrn_sub2(b, a), mrn_sub2(point, a));
            if ((turn > 0.0) == (b.y > a.y)) inside = !inside;
        }
        a = b;
    }
    return inside;
}

static int by_x_then_y(const void *left, const void *right) {
    const double *a = left, *b = right;
    if (a[0] != b[0]) return a[0] < b[0] ? -1 : 1;
    return a[1] < b[1] ? -1 : a[1] > b[1];
}

size_t mrn_convex_hull(size_t count, const double *points, double *hull) {
    // Andrew's monotone chain: lower side, then upper side; twice the room for the work.
    MrnVec2 *sorted = mrn_alloc(count, sizeof *sorted), *chain = mrn_alloc(2 * count + 1, sizeof *chain);
    for (size_t i = 0; i < count; i++) sorted[i] = mrn_vertex2(points, i);
    qsort(sorted, count, sizeof *sorted, by_x_then_y);
    size_t length = 0;
    for (size_t i = 0; i < count; i++) {
        while (length >= 2 && mrn_orientation(chain[length - 2], chain[length - 1], sorted[i]) <= 0) length--;
        chain[length++] = sorted[i];
    }
    for (size_t i = count - 1, lower = length + 1; i-- > 0;) {
        while (length >= lower && mrn_orientation(chain[length - 2], chain[length - 1], sorted[i]) <= 0) length--;
        chain[length++] = sorted[i];
    }
    if (length > 1) length--; // the last point is the first one again
    for (size_t i = 0; i < length && i < count; i++) hull[2 * i] = chain[i].x, hull[2 * i + 1] = chain[i].y;
    free(sorted);
    free(chain);
    return length < count ? length : count;
}

double mrn_smallest_width(size_t count, const double *points) {
    double *hull = mrn_alloc(2 * count, sizeof *hull), smallest = INFINITY;
    size_t length = mrn_convex_hull(count, points, hull);
    // Rotating calipers: the farthest vertex only moves forward as the edge does.
    for (size_t i = 0, far = 1; i < length && length > 2; i++) {
        MrnVec2 a = mrn_vertex2(hull, i), edge = mrn_sub2(mrn_vertex2(hull, (i + 1) % length), a);
        double height = mrn_cross2(edge, mrn_sub2(mrn_vertex2(hull, far % length), a));
        for (;;) {
            double next = mrn_cross2(edge, mrn_sub2(mrn_vertex2(hull, (far + 1) % length), a));
            if (next <= height) break;
            height = next;
            far++;
        }
        smallest = fmin(smallest, height / mrn_norm2(edge));
    }
    free(hull);
    return length > 2 ? smallest : 0.0;
}
