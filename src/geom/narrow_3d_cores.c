// Pairs of convex shapes with flat faces (and a rounding radius): box, polyhedron, capsule, sphere.
//
// Apart, the closest points give the direction (Gilbert, Johnson, Keerthi 1988); touching or overlapping, the
// separating axis of least overlap does: face normals and crossings of edges that are arcs of the Gauss map (Gottschalk
// 1996). mrn_gather_cores then lists the contacts around that direction.
#include "geom/narrow_3d.h"

/// The best separating axis found so far.
typedef struct Axis {
    double separation; ///< of the cores, without radii; negative in an overlap
    double highest;    ///< largest separation offered: that of this axis to within the tie
    double weight;     ///< breaks ties
    MrnVec3 normal;    ///< B to A
    int kind;          ///< 0 face of A, 1 face of B, 2 two edges, -1 none
    int index_a, index_b;
} Axis;

static const Axis no_axis = {.separation = -INFINITY, .highest = -INFINITY, .kind = -1};

static void offer(Axis *best, double tie, double separation, MrnVec3 normal, int kind, int index_a, int index_b) {
    double highest = fmax(best->highest, separation), weight = mrn_tie_weight(normal);
    if (separation >= highest - tie && (best->separation < highest - tie || weight > best->weight))
        *best = (Axis){separation, highest, weight, normal, kind, index_a, index_b};
    best->highest = highest;
}

/// The edge of a box along its axis `axis` that lies farthest in a direction. Edges are numbered by axis, then by the
/// signs of the two other coordinates.
static int supporting_edge(const MrnCore *box, MrnVec3 direction, int axis) {
    int vertex, low = axis == 0 ? 1 : 0, high = axis == 2 ? 1 : 2;
    mrn_core_support(box, direction, &vertex);
    return 4 * axis + ((vertex >> low & 1) | (vertex >> high & 1) << 1);
}

/// Separation of two boxes, or a lower bound >= limit as soon as one axis gives it.
static Axis box_axes(const MrnCore *a, const MrnCore *b, double limit, double tie) {
    const double *ha = a->half, *hb = b->half;
    MrnVec3 apart = mrn_sub3(a->at, b->at);
    double R[3][3], Q[3][3], ta[3], tb[3], separation[15];
    for (int i = 0; i < 3; i++) {
        ta[i] = apart.x * a->turn.m[0][i] + apart.y * a->turn.m[1][i] + apart.z * a->turn.m[2][i];
        tb[i] = apart.x * b->turn.m[0][i] + apart.y * b->turn.m[1][i] + apart.z * b->turn.m[2][i];
        for (int j = 0; j < 3; j++) {
            R[i][j] = a->turn.m[0][i] * b->turn.m[0][j] + a->turn.m[1][i] * b->turn.m[1][j] +
                      a->turn.m[2][i] * b->turn.m[2][j];
            Q[i][j] = fabs(R[i][j]);
        }
    }
    Axis best = no_axis;
    double highest = -INFINITY;
    for (int i = 0; i < 3; i++) {
        separation[i] = fabs(ta[i]) - ha[i] - Q[i][0] * hb[0] - Q[i][1] * hb[1] - Q[i][2] * hb[2];
        separation[3 + i] = fabs(tb[i]) - hb[i] - Q[0][i] * ha[0] - Q[1][i] * ha[1] - Q[2][i] * ha[2];
        highest = fmax(highest, fmax(separation[i], separation[3 + i]));
    }
    best.separation = highest;
    if (highest >= limit) return best;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            double squared = 1 - R[i][j] * R[i][j], *s = &separation[6 + 3 * i + j];
            *s = -INFINITY;
            if (squared < 1e-10) continue; // parallel edges span no axis
            *s = (fabs(ta[i2] * R[i1][j] - ta[i1] * R[i2][j]) - ha[i1] * Q[i2][j] - ha[i2] * Q[i1][j] -
                  hb[j1] * Q[i][j2] - hb[j2] * Q[i][j1]) /
                 sqrt(squared);
            highest = fmax(highest, *s);
        }
    best.separation = highest;
    if (highest >= limit) return best;
    best.weight = -1;
    for (int k = 0; k < 15; k++) {
        if (separation[k] < highest - tie) continue;
        MrnVec3 n;
        int i = k < 6 ? k % 3 : (k - 6) / 3, j = (k - 6) % 3;
        const MrnMat3 *turn = k < 3 || k >= 6 ? &a->turn : &b->turn;
        n = mrn_vec3(turn->m[0][i], turn->m[1][i], turn->m[2][i]);
        if (k >= 6) n = mrn_normalize3(mrn_cross3(n, mrn_vec3(b->turn.m[0][j], b->turn.m[1][j], b->turn.m[2][j])));
        double weight = mrn_tie_weight(n), side = mrn_dot3(n, apart);
        if (weight <= best.weight) continue;
        if (side < 0) n = mrn_scale3(-1, n);
        best = (Axis){separation[k], highest, weight, n, k < 3 ? 0 : k < 6 ? 1 : 2, 0, 0};
        if (k < 3)
            best.index_a = 2 * i + (side < 0); // the face that looks at B: outward normal -n
        else if (k < 6)
            best.index_b = 2 * i + (side >= 0);
        else
            best.index_a = supporting_edge(a, mrn_scale3(-1, n), i), best.index_b = supporting_edge(b, n, j);
    }
    return best;
}

static void face_axes(const MrnCore *own, const MrnCore *other, bool own_is_a, double tie, Axis *best) {
    for (int f = 0; f < own->face_count; f++) {
        int index;
        MrnVec3 normal = mrn_core_normal(own, f), down = mrn_scale3(-1, normal);
        double level = mrn_dot3(normal, mrn_core_vertex(own, own->facets->face_vertex[own->facets->face_start[f]]));
        double separation = mrn_dot3(normal, mrn_core_support(other, down, &index)) - level;
        offer(best, tie, separation, own_is_a ? down : normal, own_is_a ? 0 : 1, own_is_a ? f : index,
              own_is_a ? index : f);
    }
}

/// An edge placed in space, with the ends of its arc on the Gauss map (normals of its two faces); the arc of an edge
/// without faces is a full circle.
typedef struct Arc {
    MrnVec3 point, along, end[2];
    double length;
    bool bounded;
    int index;
} Arc;
enum { ARC_BLOCK = 64 };

static int list_arcs(const MrnCore *core, int *next, double sign, Arc *arc) {
    int count = 0;
    for (; *next < core->edge_count && count < ARC_BLOCK; ++*next) {
        const MrnEdge *e = &core->facets->edges[*next];
        Arc *a = &arc[count++];
        a->index = *next;
        a->point = mrn_core_vertex(core, e->from);
        a->along = mrn_sub3(mrn_core_vertex(core, e->to), a->point);
        a->length = mrn_norm3(a->along);
        a->bounded = e->left >= 0 && e->right >= 0;
        a->end[0] = a->end[1] = mrn_vec3(0, 0, 0);
        if (a->bounded)
            a->end[0] = mrn_scale3(sign, mrn_core_normal(core, e->left)),
            a->end[1] = mrn_scale3(sign, mrn_core_normal(core, e->right));
    }
    return count;
}

static void edge_axes(const MrnCore *a, const MrnCore *b, double tie, Axis *best) {
    Arc arcs_a[ARC_BLOCK], arcs_b[ARC_BLOCK];
    MrnVec3 apart = mrn_sub3(a->at, b->at);
    for (int next_b = 0; next_b < b->edge_count;) {
        int count_b = list_arcs(b, &next_b, -1, arcs_b);
        for (int next_a = 0; next_a < a->edge_count;) {
            int count_a = list_arcs(a, &next_a, 1, arcs_a);
            for (int i = 0; i < count_a; i++)
                for (int j = 0; j < count_b; j++) {
                    const Arc *s = &arcs_a[i], *t = &arcs_b[j];
                    // The arcs of A and of minus B must cross: each passes from one side of the other's plane to its
                    // other side ...
                    if (t->bounded && mrn_dot3(s->along, t->end[0]) * mrn_dot3(s->along, t->end[1]) >= 0) continue;
                    if (s->bounded && mrn_dot3(t->along, s->end[0]) * mrn_dot3(t->along, s->end[1]) >= 0) continue;
                    MrnVec3 n = mrn_cross3(s->along, t->along), mean_s = mrn_add3(s->end[0], s->end[1]),
                            mean_t = mrn_add3(t->end[0], t->end[1]);
                    double length = mrn_norm3(n);
                    if (length <= 1e-6 * s->length * t->length) continue;
                    double turn = s->bounded   ? -mrn_dot3(n, mean_s)
                                  : t->bounded ? -mrn_dot3(n, mean_t)
                                               : mrn_dot3(n, apart);
                    n = mrn_scale3((turn < 0 ? -1 : 1) / length, n);
                    if (s->bounded && t->bounded && mrn_dot3(n, mean_t) > 0)
                        continue; // ... on the same half of the sphere
                    offer(best, tie, mrn_dot3(n, mrn_sub3(s->point, t->point)), n, 2, s->index, t->index);
                }
        }
    }
}

static double clamp(double t) {
    return t < 0 ? 0 : t > 1 ? 1 : t;
}

/// Middle between the closest points of an edge of A and an edge of B.
static MrnVec3 between_edges(const MrnCore *a, int edge_a, const MrnCore *b, int edge_b) {
    const MrnEdge *e = &a->facets->edges[edge_a], *f = &b->facets->edges[edge_b];
    MrnVec3 p = mrn_core_vertex(a, e->from), u = mrn_sub3(mrn_core_vertex(a, e->to), p);
    MrnVec3 q = mrn_core_vertex(b, f->from), w = mrn_sub3(mrn_core_vertex(b, f->to), q), r = mrn_sub3(q, p);
    double uu = mrn_dot3(u, u), ww = mrn_dot3(w, w), uw = mrn_dot3(u, w), ur = mrn_dot3(u, r), wr = mrn_dot3(w, r);
    double determinant = uu * ww - uw * uw, s = determinant > 0 ? clamp((ur * ww - wr * uw) / determinant) : 0.5;
    double t = clamp((s * uw - wr) / ww);
    s = clamp((ur + t * uw) / uu);
    return mrn_scale3(0.5, mrn_add3(mrn_axpy3(p, s, u), mrn_axpy3(q, t, w)));
}

/// No feature pair carried the best axis of an overlap (its points lie outside the faces): the deepest points along the
/// axis are the contact.
static void emit_axis(const MrnPair *pair, const MrnCore *a, const MrnCore *b, const Axis *axis) {
    int vertex_a, vertex_b;
    MrnVec3 n = axis->normal;
    MrnVec3 pa = mrn_core_support(a, mrn_scale3(-1, n), &vertex_a), pb = mrn_core_support(b, n, &vertex_b);
    double gap = axis->separation - a->radius - b->radius, shift = (b->radius - a->radius) / 2;
    if (gap >= pair->margin) return;
    if (axis->kind == 0)
        mrn_emit(pair, mrn_axpy3(pb, b->radius + gap / 2, n), n, gap,
                 mrn_feature(MRN_FEATURE_FACE, axis->index_a, MRN_FEATURE_VERTEX, vertex_b));
    else if (axis->kind == 1)
        mrn_emit(pair, mrn_axpy3(pa, -a->radius - gap / 2, n), n, gap,
                 mrn_feature(MRN_FEATURE_VERTEX, vertex_a, MRN_FEATURE_FACE, axis->index_b));
    else if (axis->kind == 2)
        mrn_emit(pair, mrn_axpy3(between_edges(a, axis->index_a, b, axis->index_b), shift, n), n, gap,
                 mrn_feature(MRN_FEATURE_EDGE, axis->index_a, MRN_FEATURE_EDGE, axis->index_b));
    else
        mrn_emit(pair, mrn_axpy3(mrn_scale3(0.5, mrn_add3(pa, pb)), shift, n), n, gap,
                 mrn_feature(MRN_FEATURE_SUPPORT, vertex_a, MRN_FEATURE_SUPPORT, vertex_b));
}

void mrn_touch_cores(const MrnPair *pair, const MrnCore *a, const MrnCore *b) {
    double radii = a->radius + b->radius, limit = pair->margin + radii, tie = 0.01 * pair->tolerance,
           close = 0.05 * pair->tolerance;
    Axis best = no_axis;
    MrnClosest closest = {.distance = -1};
    if (a->half && b->half) {
        best = box_axes(a, b, limit, tie);
        if (best.separation >= limit) return;
    } else {
        mrn_closest(a, b, limit, &closest);
        if (closest.distance >= limit) return;
    }
    if (closest.distance <= 0.01 * pair->tolerance) {
        if (best.kind < 0) {
            face_axes(a, b, true, tie, &best);
            face_axes(b, a, false, tie, &best);
            edge_axes(a, b, tie, &best);
        }
        if (best.kind < 0) { // two points, or two segments in one line: any direction across
            best = (Axis){.separation = fmax(closest.distance, 0), .normal = {0, 0, 1}, .kind = -1};
            const MrnCore *line = a->edge_count ? a : b;
            if (line->edge_count) {
                MrnVec3 unused, along = mrn_sub3(line->cached[1], line->cached[0]);
                mrn_tangents3(mrn_normalize3(along), &best.normal, &unused);
            }
            emit_axis(pair, a, b, &best);
            return;
        }
        size_t begin = pair->out->count;
        double smallest = mrn_gather_cores(pair, a, b, best.normal, false);
        if (smallest <= best.highest - radii + close) return;
        if (best.highest <= 0) {
            emit_axis(pair, a, b, &best);
            return;
        }
        // Apart, and neither a face nor crossing edges bear: a corner does, and its direction is that of the closest
        // points.
        if (closest.distance < 0) mrn_closest(a, b, limit, &closest);
        if (closest.distance >= limit) return;
        if (!(closest.distance > 0)) {
            emit_axis(pair, a, b, &best);
            return;
        }
        pair->out->count = begin;
    }
    double smallest = mrn_gather_cores(pair, a, b, closest.normal, true);
    if (smallest > closest.distance - radii + close) mrn_emit_closest(pair, a, b, &closest);
}
