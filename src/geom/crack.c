// Cracks. See crack.h.
#include "geom/crack.h"
#include "base/memory.h"
#include "geom/floe_shape.h"
#include "geom/polygon.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define AT_VERTEX 1e-9 ///< over the length of the edge: a point this close to its end is the vertex
#define GRAZING   1e-6 ///< sine of the angle below which a crack would run along the edge it starts from

static MrnVec2 vertex(size_t count, const double *vertices, size_t i) {
    return mrn_vertex2(vertices, i % count);
}

MrnVec2 mrn_crack_start(size_t count, const double *vertices, MrnVec2 point, size_t *edge) {
    double nearest = INFINITY;
    MrnVec2 best = {0, 0};
    for (size_t i = 0; i < count; i++) {
        MrnVec2 a = vertex(count, vertices, i), along = mrn_sub2(vertex(count, vertices, i + 1), a);
        double square = mrn_dot2(along, along), s = mrn_dot2(mrn_sub2(point, a), along) / square;
        size_t at = i;
        MrnVec2 foot = mrn_add2(a, mrn_scale2(s, along));
        if (s < AT_VERTEX) foot = a;
        if (s > 1 - AT_VERTEX) foot = vertex(count, vertices, i + 1), at = (i + 1) % count;
        MrnVec2 away = mrn_sub2(point, foot);
        if (mrn_dot2(away, away) >= nearest) continue;
        nearest = mrn_dot2(away, away);
        best = foot;
        *edge = at;
    }
    return best;
}

bool mrn_crack_along(size_t count, const double *vertices, MrnVec2 start, size_t edge, MrnVec2 direction,
                     MrnCrack *crack) {
    double size = mrn_norm2(direction);
    if (!(size > 0)) return false;
    MrnVec2 d = mrn_scale2(1 / size, direction), corner = vertex(count, vertices, edge);
    bool at_corner = start.x == corner.x && start.y == corner.y;
    size_t before = (edge + count - 1) % count;
    MrnVec2 ahead = mrn_sub2(vertex(count, vertices, edge + 1), corner),
            behind = mrn_sub2(corner, vertex(count, vertices, before));
    // Inside is to the left of the edge; of both edges at a convex corner, of one at a reflex one.
    bool left_ahead = mrn_cross2(ahead, d) > GRAZING * mrn_norm2(ahead),
         left_behind = mrn_cross2(behind, d) > GRAZING * mrn_norm2(behind);
    if (!at_corner && !left_ahead) return false;
    if (at_corner && mrn_cross2(behind, ahead) >= 0 && !(left_ahead && left_behind)) return false;
    if (at_corner && mrn_cross2(behind, ahead) < 0 && !(left_ahead || left_behind)) return false;
    double nearest = INFINITY;
    for (size_t i = 0; i < count; i++) {
        if (i == edge || (at_corner && i == before)) continue;
        MrnVec2 a = vertex(count, vertices, i), along = mrn_sub2(vertex(count, vertices, i + 1), a),
                to = mrn_sub2(a, start);
        double turn = mrn_cross2(d, along);
        if (turn == 0) continue; // parallel: its neighbours are met at their ends
        double t = mrn_cross2(to, along) / turn, s = mrn_cross2(to, d) / turn;
        if (!(s >= 0 && s <= 1) || !(t > 0) || t >= nearest) continue;
        nearest = t;
        MrnVec2 end = mrn_add2(a, mrn_scale2(s, along));
        size_t at = i;
        if (s < AT_VERTEX) end = a;
        if (s > 1 - AT_VERTEX) end = vertex(count, vertices, i + 1), at = (i + 1) % count;
        *crack = (MrnCrack){start, end, edge, at, 0};
    }
    if (!isfinite(nearest)) return false;
    crack->length = mrn_norm2(mrn_sub2(crack->to, crack->from));
    return crack->length > 0;
}

typedef struct Line {
    size_t count;
    double *points;
} Line;

static void put(Line *line, MrnVec2 p) {
    if (line->count) {
        const double *last = line->points + 2 * (line->count - 1);
        if (last[0] == p.x && last[1] == p.y) return;
    }
    line->points[2 * line->count] = p.x;
    line->points[2 * line->count + 1] = p.y;
    line->count++;
}

/// Outline from `from` along the polygon to `to`; the chord closes it.
static Line side_of(size_t count, const double *vertices, MrnVec2 from, size_t from_edge, MrnVec2 to, size_t to_edge) {
    Line line = {0, mrn_alloc(2 * (count + 2), sizeof(double))};
    put(&line, from);
    for (size_t i = (from_edge + 1) % count;; i = (i + 1) % count) {
        put(&line, mrn_vertex2(vertices, i));
        if (i == to_edge) break;
    }
    put(&line, to);
    return line;
}

/// The side without the strip of this width along its chord: both ends of the line are cut where it leaves the strip.
/// Count 0 if it does not, or leaves it to the wrong side.
static Line draw_back(const Line *side, double width) {
    Line line = {0, mrn_alloc(2 * (side->count + 2), sizeof(double))};
    size_t n = side->count;
    MrnVec2 first = mrn_vertex2(side->points, 0), last = mrn_vertex2(side->points, n - 1);
    MrnVec2 chord = mrn_sub2(first, last), inward = mrn_scale2(1 / mrn_norm2(chord), mrn_perp2(chord));
    MrnVec2 ends[2];
    size_t stop[2]; // the first vertex behind either end that is kept
    for (int end = 0; end < 2; end++) {
        size_t k = 0;
        double height = 0;
        for (;; k++) {
            if (k + 1 >= n) return line;
            MrnVec2 a = mrn_vertex2(side->points, end ? n - 1 - k : k),
                    b = mrn_vertex2(side->points, end ? n - 2 - k : k + 1);
            double next = mrn_dot2(inward, mrn_sub2(b, first));
            if (next < height - 1e-12 * mrn_norm2(chord)) return line; // turns back: the strip is not free
            if (next > width) {
                ends[end] = mrn_add2(a, mrn_scale2((width - height) / (next - height), mrn_sub2(b, a)));
                break;
            }
            height = next;
        }
        stop[end] = end ? n - 2 - k : k + 1;
    }
    if (stop[0] > stop[1]) return line;
    put(&line, ends[0]);
    for (size_t i = stop[0]; i <= stop[1]; i++) put(&line, mrn_vertex2(side->points, i));
    put(&line, ends[1]);
    return line;
}

static double distance_to_edge(MrnVec2 p, MrnVec2 a, MrnVec2 b) {
    MrnVec2 along = mrn_sub2(b, a);
    double s = mrn_dot2(mrn_sub2(p, a), along) / mrn_dot2(along, along);
    s = s < 0 ? 0 : s > 1 ? 1 : s;
    return mrn_norm2(mrn_sub2(p, mrn_add2(a, mrn_scale2(s, along))));
}

/// Distance of two polygons that do not cross.
static double distance_of(const Line *p, const Line *q) {
    double nearest = INFINITY;
    for (int turn = 0; turn < 2; turn++) {
        const Line *a = turn ? q : p, *b = turn ? p : q;
        for (size_t i = 0; i < a->count; i++)
            for (size_t k = 0; k < b->count; k++)
                nearest = fmin(nearest, distance_to_edge(mrn_vertex2(a->points, i), mrn_vertex2(b->points, k),
                                                         vertex(b->count, b->points, k + 1)));
    }
    return nearest;
}

/// Angle of a counter-clockwise outline at vertex i, between 0 and 2 pi.
static double corner_angle(const Line *line, size_t i) {
    MrnVec2 at = mrn_vertex2(line->points, i), ahead = mrn_sub2(vertex(line->count, line->points, i + 1), at),
            back = mrn_sub2(vertex(line->count, line->points, i + line->count - 1), at);
    double angle = atan2(mrn_cross2(ahead, back), mrn_dot2(ahead, back));
    return angle < 0 ? angle + 2 * 3.14159265358979323846 : angle;
}

/// No sliver: neither sharp where the crack ends nor too long for its width.
static bool is_stout(const Line *side, const MrnCrackRules *rules, double roundness) {
    return corner_angle(side, 0) >= rules->corner && corner_angle(side, side->count - 1) >= rules->corner &&
           mrn_roundness(side->count, side->points) <= roundness;
}

bool mrn_crack_cut(size_t count, const double *vertices, const MrnCrack *crack, const MrnCrackRules *rules,
                   MrnCrackPiece pieces[2]) {
    memset(pieces, 0, 2 * sizeof *pieces);
    if (crack->from_edge == crack->to_edge) return false;
    Line whole[2] = {side_of(count, vertices, crack->from, crack->from_edge, crack->to, crack->to_edge),
                     side_of(count, vertices, crack->to, crack->to_edge, crack->from, crack->from_edge)};
    double smaller = INFINITY;
    bool good = true;
    for (int k = 0; k < 2; k++) {
        good = good && whole[k].count >= 3;
        if (good) smaller = fmin(smaller, mrn_polygon_area(whole[k].count, whole[k].points));
    }
    good = good && smaller >= rules->smallest && smaller > 0;
    double roundness = good ? fmax(rules->roundness, mrn_roundness(count, vertices)) : 0;
    for (int k = 0; k < 2 && good; k++) good = is_stout(&whole[k], rules, roundness);
    double gap = rules->gap_share > 0 ? rules->gap_share * sqrt(smaller) : rules->gap;
    Line back[2] = {{0}};
    for (int k = 0; k < 2 && good; k++) {
        size_t edges[2];
        back[k] = draw_back(&whole[k], 0.5 * gap);
        good = back[k].count >= 3 && mrn_polygon_area(back[k].count, back[k].points) >= rules->smallest &&
               mrn_polygon_is_simple(back[k].count, back[k].points, edges) &&
               mrn_polygon_is_simple(whole[k].count, whole[k].points, edges);
    }
    // The two may also face each other across a bay at whose head the crack ends.
    good = good && distance_of(&back[0], &back[1]) >= 0.5 * gap;
    for (int k = 0; k < 2; k++)
        pieces[k] = (MrnCrackPiece){whole[k].count, back[k].count, whole[k].points, back[k].points};
    if (!good) mrn_crack_free(pieces);
    return good;
}

bool mrn_crack_shortest(size_t count, const double *vertices, MrnVec2 point, MrnVec2 direction,
                        const MrnCrackRules *rules, MrnCrack *crack, MrnCrackPiece pieces[2]) {
    size_t edge = 0;
    MrnVec2 start = mrn_crack_start(count, vertices, point, &edge);
    int most = rules->angle > 0 ? rules->directions : 0, found = 0;
    MrnCrack *cracks = mrn_alloc(2 * (size_t)most + 1, sizeof *cracks);
    for (int i = 0; i <= 2 * most; i++) {
        int turn = i % 2 ? (i + 1) / 2 : -(i / 2); // 0, 1, -1, 2, -2 ...
        double angle = most ? rules->angle * turn / most : 0;
        MrnCrack other;
        if (!mrn_crack_along(count, vertices, start, edge, mrn_rotate2(cos(angle), sin(angle), direction), &other) ||
            other.length > rules->longest)
            continue;
        // In the order of their lengths; rounding must not decide between mirror images.
        int at = found++;
        for (; at > 0 && other.length < cracks[at - 1].length * (1 - 1e-12); at--) cracks[at] = cracks[at - 1];
        cracks[at] = other;
    }
    bool cut = false;
    for (int i = 0; i < found && !cut; i++) {
        *crack = cracks[i];
        cut = mrn_crack_cut(count, vertices, crack, rules, pieces);
    }
    free(cracks);
    return cut;
}

void mrn_crack_free(MrnCrackPiece pieces[2]) {
    for (int k = 0; k < 2; k++) {
        free(pieces[k].whole);
        free(pieces[k].vertices);
        pieces[k] = (MrnCrackPiece){0};
    }
}
