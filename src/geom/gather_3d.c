// The contacts of two convex cores near a common direction, as pairs of features.
//
// Each contact is a pair with its own normal: a vertex over a face (normal of the face), two crossing edges (normal
// across both), a vertex beside an edge (normal from one to the other). For each of these the gap is the distance of
// the two features, stationary in the points, so its derivative is the relative velocity along the normal (Moreau 2003,
// M23), whether or not the two bodies lie flat on each other. No face is the reference of the other: swapping the
// bodies changes nothing, and there is no choice that could flip from step to step.
//
// Corners of the common area of two faces are vertices over faces or crossings of their sides. Where two features
// nearly coincide (within pair->tolerance) one of them is kept by a fixed rule: a vertex rather than a crossing, and a
// vertex on a vertex as one contact of its own name.
#include "geom/narrow_3d.h"

#include <string.h>

typedef struct Gather {
    size_t begin; ///< first contact of this gathering
    const MrnPair *pair;
    const MrnCore *core[2]; ///< A, B
    MrnVec3 out[2];         ///< direction in which each looks at the other: -n, n
    double limit[2];        ///< heights along out[] below which a feature is too far
} Gather;

bool mrn_is_known(const MrnPair *pair, size_t begin, MrnVec3 position, MrnVec3 normal) {
    double near = 3 * pair->tolerance;
    for (size_t i = begin; i < pair->out->count; i++) {
        const MrnTouch *t = &pair->out->data[i];
        MrnVec3 d = mrn_sub3(t->position, position);
        if (mrn_dot3(d, d) <= near * near && mrn_dot3(t->normal, normal) > 0.99) return true;
    }
    return false;
}

/// Contact between point `p` of body `body` (a feature of that kind and number) and a feature of the other; `n` is B to
/// A.
static void emit(const Gather *g, int body, MrnVec3 p, MrnVec3 n, double gap, int kind, int index, int other_kind,
                 int other_index) {
    double r = g->core[body]->radius + gap / 2;
    uint64_t feature = body == 0 ? mrn_feature(kind, index, other_kind, other_index)
                                 : mrn_feature(other_kind, other_index, kind, index);
    mrn_emit(g->pair, mrn_axpy3(p, body == 0 ? -r : r, n), n, gap, feature);
}

bool mrn_over_face(const MrnCore *core, int face, MrnVec3 point, double tolerance) {
    MrnVec3 normal = mrn_core_normal(core, face);
    const int *vertex = core->facets->face_vertex + core->facets->face_start[face];
    int count = core->facets->face_start[face + 1] - core->facets->face_start[face];
    MrnVec3 from = mrn_core_vertex(core, vertex[count - 1]);
    for (int i = 0; i < count; i++) {
        MrnVec3 to = mrn_core_vertex(core, vertex[i]), e = mrn_sub3(to, from);
        double outside = mrn_dot3(mrn_sub3(point, from), mrn_cross3(e, normal));
        if (outside > 0 && outside * outside > tolerance * tolerance * mrn_dot3(e, e)) return false;
        from = to;
    }
    return true;
}

int mrn_facing(const MrnCore *core, MrnVec3 direction, double *cosine) {
    int best = -1;
    *cosine = -2;
    if (core->face_count == 0) return -1;
    MrnVec3 d = mrn_mat3_transpose_times(&core->turn, direction);
    for (int f = 0; f < core->face_count; f++) {
        double c = mrn_dot3(d, core->facets->normals[f]);
        if (c > *cosine) *cosine = c, best = f;
    }
    return best;
}

bool mrn_is_summit(const MrnCore *core, int v, MrnVec3 direction, double slope) {
    MrnVec3 p = mrn_core_vertex(core, v);
    for (int i = 0; i < core->edge_count; i++) {
        const MrnEdge *edge = &core->facets->edges[i];
        if (edge->from != v && edge->to != v) continue;
        MrnVec3 e = mrn_sub3(mrn_core_vertex(core, edge->from == v ? edge->to : edge->from), p);
        double climb = mrn_dot3(e, direction);
        if (climb > 0 && climb * climb > slope * slope * mrn_dot3(e, e)) return false;
    }
    return true;
}

/// Vertices of the other body over face `face` of body `body`.
static void vertices_on_face(const Gather *g, int body, int face) {
    const MrnCore *own = g->core[body], *other = g->core[1 - body];
    MrnVec3 normal = mrn_core_normal(own, face);
    double level = mrn_dot3(normal, mrn_core_vertex(own, own->facets->face_vertex[own->facets->face_start[face]]));
    MrnVec3 down = mrn_scale3(-1, normal), n = body == 0 ? down : normal;
    for (int v = 0; v < other->vertex_count; v++) {
        MrnVec3 p = mrn_core_vertex(other, v);
        double gap = mrn_dot3(normal, p) - level - own->radius - other->radius;
        if (gap < g->pair->margin && mrn_over_face(own, face, p, g->pair->tolerance) &&
            mrn_is_summit(other, v, down, 0.8)) {
            emit(g, 1 - body, p, n, gap, MRN_FEATURE_VERTEX, v, MRN_FEATURE_FACE, face);
            if (own->radius == 0 && other->radius == 0) mrn_mark_face(g->pair, 1 - body);
        }
    }
}

void mrn_join_points(const MrnPair *pair, size_t begin, size_t middle) {
    MrnTouches *out = pair->out;
    double near = 3 * pair->tolerance;
    for (size_t i = begin; i < middle; i++)
        for (size_t j = middle; j < out->count; j++) {
            MrnTouch *s = &out->data[i], *t = &out->data[j];
            MrnVec3 d = mrn_sub3(s->position, t->position);
            if (mrn_dot3(d, d) > near * near) continue;
            // The half sum of both gaps has the half sum of both normals as derivative.
            MrnVec3 n = mrn_add3(s->normal, t->normal);
            double length = mrn_norm3(n);
            s->normal = mrn_scale3(1 / length, n);
            s->gap = (s->gap + t->gap) / length;
            s->position = mrn_scale3(0.5, mrn_add3(s->position, t->position));
            s->feature = (t->feature & 0xffffffff00000000u) | (s->feature & 0xffffffffu);
            *t = out->data[--out->count];
            break;
        }
}

int mrn_list_sides(const MrnCore *core, MrnVec3 out, double limit, int *next, MrnSide *side) {
    int count = 0;
    for (; *next < core->edge_count && count < MRN_SIDE_BLOCK; ++*next) {
        const MrnEdge *edge = &core->facets->edges[*next];
        MrnSide s = {.index = *next, .from = mrn_core_vertex(core, edge->from), .to = mrn_core_vertex(core, edge->to)};
        double low = mrn_dot3(out, s.from), high = mrn_dot3(out, s.to), climb = high - low;
        if (fmax(low, high) <= limit) continue;
        MrnVec3 e = mrn_sub3(s.to, s.from);
        double squared = mrn_dot3(e, e);
        if (climb * climb > 1.05 * MRN_NEAR_SINE * MRN_NEAR_SINE * squared) continue;
        s.length = sqrt(squared);
        s.along = mrn_scale3(1 / s.length, e);
        bool bears = true;
        for (int k = 0; k < 2; k++) {
            int face = k ? edge->right : edge->left;
            s.inner[k] = mrn_vec3(0, 0, 0);
            if (face < 0) continue;
            s.inner[k] = mrn_cross3(mrn_core_normal(core, face), s.along);
            if (k) s.inner[k] = mrn_scale3(-1, s.inner[k]);
            bears = bears && mrn_dot3(out, s.inner[k]) <= 2.05 * MRN_NEAR_SINE;
        }
        if (bears) side[count++] = s;
    }
    return count;
}

static void cross_edges(const Gather *g, const MrnSide *s, const MrnSide *t) {
    double tolerance = g->pair->tolerance;
    MrnVec3 n = mrn_cross3(s->along, t->along);
    double length = mrn_norm3(n);
    if (length < 1e-6) return;
    n = mrn_scale3(mrn_dot3(n, g->out[1]) < 0 ? -1 / length : 1 / length, n);
    if (mrn_dot3(n, g->out[1]) < MRN_NEAR_COSINE) return;
    // Each edge must pass clearly from one side of the other to the other side; otherwise its end is the contact.
    MrnVec3 across = mrn_cross3(n, s->along);
    double t0 = mrn_dot3(across, mrn_sub3(t->from, s->from)), t1 = mrn_dot3(across, mrn_sub3(t->to, s->from));
    if (t0 * t1 >= 0 || fabs(t0) <= tolerance || fabs(t1) <= tolerance) return;
    across = mrn_cross3(n, t->along);
    double s0 = mrn_dot3(across, mrn_sub3(s->from, t->from)), s1 = mrn_dot3(across, mrn_sub3(s->to, t->from));
    if (s0 * s1 >= 0 || fabs(s0) <= tolerance || fabs(s1) <= tolerance) return;
    for (int k = 0; k < 2; k++)
        if (-mrn_dot3(n, s->inner[k]) > 1.05 * MRN_NEAR_SINE || mrn_dot3(n, t->inner[k]) > 1.05 * MRN_NEAR_SINE) return;
    double gap = mrn_dot3(n, mrn_sub3(s->from, t->from)) - g->core[0]->radius - g->core[1]->radius;
    if (gap >= g->pair->margin) return;
    MrnVec3 p = mrn_axpy3(t->from, t0 / (t0 - t1), mrn_sub3(t->to, t->from));
    emit(g, 1, p, n, gap, MRN_FEATURE_EDGE, t->index, MRN_FEATURE_EDGE, s->index);
    if (g->core[0]->radius > 0 || g->core[1]->radius > 0) return;
    MrnTouch *touch = &g->pair->out->data[g->pair->out->count - 1];
    touch->carrier = MRN_NORMAL_OF_EDGES;
    touch->edge_a = s->along;
    touch->edge_b = t->along;
}

/// Vertices of the other body beside an edge of body `body`.
static void vertices_on_edge(const Gather *g, int body, const MrnSide *s) {
    const MrnCore *other = g->core[1 - body];
    for (int v = 0; v < other->vertex_count; v++) {
        MrnVec3 p = mrn_core_vertex(other, v);
        if (mrn_dot3(g->out[1 - body], p) <= g->limit[1 - body]) continue;
        MrnVec3 from = mrn_sub3(p, s->from);
        double t = mrn_dot3(from, s->along);
        if (t <= g->pair->tolerance || t >= s->length - g->pair->tolerance) continue;
        MrnVec3 d = mrn_axpy3(from, -t, s->along); // from the edge to the vertex
        double distance = mrn_norm3(d), gap = distance - g->core[0]->radius - g->core[1]->radius;
        if (gap >= g->pair->margin || distance <= 1e-6 * g->pair->tolerance) continue;
        MrnVec3 out = mrn_scale3(1 / distance, d);
        if (mrn_dot3(out, g->out[body]) < MRN_NEAR_COSINE) continue;
        if (mrn_dot3(out, s->inner[0]) > 1e-9 || mrn_dot3(out, s->inner[1]) > 1e-9) continue; // over a face
        if (!mrn_is_summit(other, v, mrn_scale3(-1, out), MRN_NEAR_SINE)) continue;
        MrnVec3 n = body == 0 ? mrn_scale3(-1, out) : out, position = mrn_axpy3(p, -other->radius - gap / 2, out);
        if (!mrn_is_known(g->pair, g->begin, position, n))
            emit(g, 1 - body, p, n, gap, MRN_FEATURE_VERTEX, v, MRN_FEATURE_EDGE, s->index);
    }
}

double mrn_gather_cores(const MrnPair *pair, const MrnCore *a, const MrnCore *b, MrnVec3 normal, bool corners) {
    MrnTouches *out = pair->out;
    Gather g = {out->count, pair, {a, b}, {mrn_scale3(-1, normal), normal}, {0, 0}};
    size_t begin = out->count, middle = begin;
    int index;
    double reach = pair->margin + a->radius + b->radius;
    // A feature of A bears only if the farthest point of B along n can come within the margin of it, and the other way
    // round.
    g.limit[0] = -mrn_dot3(normal, mrn_core_support(b, normal, &index)) - reach;
    g.limit[1] = mrn_dot3(normal, mrn_core_support(a, g.out[0], &index)) - reach;
    double cosine;
    int face = mrn_facing(a, g.out[0], &cosine);
    if (face >= 0 && cosine > MRN_NEAR_COSINE) vertices_on_face(&g, 0, face);
    middle = out->count;
    face = mrn_facing(b, g.out[1], &cosine);
    if (face >= 0 && cosine > MRN_NEAR_COSINE) vertices_on_face(&g, 1, face);
    if (middle > begin && out->count > middle) mrn_join_points(pair, begin, middle);
    MrnSide sides_a[MRN_SIDE_BLOCK], sides_b[MRN_SIDE_BLOCK];
    for (int next_b = 0; next_b < b->edge_count;) {
        int count_b = mrn_list_sides(b, g.out[1], g.limit[1], &next_b, sides_b);
        for (int next_a = 0; next_a < a->edge_count;) {
            int count_a = mrn_list_sides(a, g.out[0], g.limit[0], &next_a, sides_a);
            for (int i = 0; i < count_a; i++)
                for (int j = 0; j < count_b; j++) cross_edges(&g, &sides_a[i], &sides_b[j]);
        }
        for (int j = 0; j < count_b && corners; j++) vertices_on_edge(&g, 1, &sides_b[j]);
    }
    for (int next_a = 0; next_a < a->edge_count && corners;) {
        int count_a = mrn_list_sides(a, g.out[0], g.limit[0], &next_a, sides_a);
        for (int i = 0; i < count_a; i++) vertices_on_edge(&g, 0, &sides_a[i]);
    }
    double smallest = INFINITY;
    for (size_t i = begin; i < out->count; i++) smallest = fmin(smallest, out->data[i].gap);
    return smallest;
}

/// Name of the feature that the supporting vertices of a closest point span.
static void name_feature(const MrnCore *core, const int *index, int count, int *kind, int *number) {
    int distinct[4] = {index[0]}, n = 1;
    for (int i = 1; i < count; i++) {
        bool seen = false;
        for (int k = 0; k < n; k++) seen |= distinct[k] == index[i];
        if (!seen) distinct[n++] = index[i];
    }
    *kind = n == 1 ? MRN_FEATURE_VERTEX : MRN_FEATURE_SUPPORT;
    *number = distinct[0];
    if (n == 2)
        for (int e = 0; e < core->edge_count; e++) {
            const MrnEdge *edge = &core->facets->edges[e];
            if ((edge->from == distinct[0] && edge->to == distinct[1]) ||
                (edge->from == distinct[1] && edge->to == distinct[0])) {
                *kind = MRN_FEATURE_EDGE, *number = e;
                return;
            }
        }
    for (int f = 0; f < core->face_count && n >= 2; f++) {
        int found = 0;
        for (int i = core->facets->face_start[f]; i < core->facets->face_start[f + 1]; i++)
            for (int k = 0; k < n; k++) found += core->facets->face_vertex[i] == distinct[k];
        if (found == n) {
            *kind = MRN_FEATURE_FACE, *number = f;
            return;
        }
    }
    for (int k = 1; k < n; k++)
        if (distinct[k] < *number) *number = distinct[k];
}

void mrn_emit_closest(const MrnPair *pair, const MrnCore *a, const MrnCore *b, const MrnClosest *closest) {
    double gap = closest->distance - a->radius - b->radius;
    if (gap >= pair->margin) return;
    int kind_a = MRN_FEATURE_SUPPORT, kind_b = MRN_FEATURE_SUPPORT, number_a = 0, number_b = 0;
    if (a->facets) name_feature(a, closest->index_a, closest->count, &kind_a, &number_a);
    if (b->facets) name_feature(b, closest->index_b, closest->count, &kind_b, &number_b);
    mrn_emit(pair, mrn_axpy3(closest->b, b->radius + gap / 2, closest->normal), closest->normal, gap,
             mrn_feature(kind_a, number_a, kind_b, number_b));
}
