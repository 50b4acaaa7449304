// Pairs with a cylinder: the direction of contact, then the feature pairs around it.
//
// Apart, the closest points give the direction. In an overlap the axes that a face, a cap, a side against an edge or
// against a vertex can give are tried in turn; rims against edges and rims have no closed form, and are found by
// expanding a polytope when the overlap is deeper than a touch.
#include "geom/narrow_3d.h"

/// Largest separation over the directions tried.
typedef struct Best {
    double separation, highest; ///< of this direction, and the largest of all: equal to within a tie
    double weight;              ///< breaks ties
    MrnVec3 normal;
} Best;

static double separation_along(const MrnCore *a, const MrnCore *b, MrnVec3 n) {
    int index;
    return mrn_dot3(n, mrn_core_support(a, mrn_scale3(-1, n), &index)) - mrn_dot3(n, mrn_core_support(b, n, &index));
}

static void try_direction(const MrnCore *a, const MrnCore *b, double tie, MrnVec3 n, bool both, Best *best) {
    double length = mrn_norm3(n);
    if (!(length > 1e-9)) return;
    for (int sign = 1; sign >= (both ? -1 : 1); sign -= 2) {
        MrnVec3 unit = mrn_scale3(sign / length, n);
        double s = separation_along(a, b, unit);
        double highest = fmax(best->highest, s), weight = mrn_tie_weight(unit);
        if (s >= highest - tie && (best->separation < highest - tie || weight > best->weight))
            *best = (Best){s, highest, weight, unit};
        best->highest = highest;
    }
}

static MrnVec3 axis_of(const MrnCore *cylinder) {
    return mrn_vec3(cylinder->turn.m[0][2], cylinder->turn.m[1][2], cylinder->turn.m[2][2]);
}

/// Directions that the features of `other` give against a cylinder (body 0: the cylinder is A).
static void try_features(const MrnCore *cylinder, const MrnCore *other, int body, double tie, Best *best) {
    const MrnCore *a = body == 0 ? cylinder : other, *b = body == 0 ? other : cylinder;
    MrnVec3 axis = axis_of(cylinder);
    for (int f = 0; f < other->face_count; f++) {
        MrnVec3 n = mrn_core_normal(other, f);
        try_direction(a, b, tie, body == 0 ? n : mrn_scale3(-1, n), false, best);
    }
    try_direction(a, b, tie, axis, true, best);
    for (int e = 0; e < other->edge_count; e++) {
        const MrnEdge *edge = &other->facets->edges[e];
        MrnVec3 u = mrn_normalize3(mrn_sub3(mrn_core_vertex(other, edge->to), mrn_core_vertex(other, edge->from)));
        try_direction(a, b, tie, mrn_cross3(axis, u), true, best);
    }
    for (int v = 0; v < other->vertex_count; v++) {
        MrnVec3 w = mrn_sub3(mrn_core_vertex(other, v), cylinder->at);
        w = mrn_axpy3(w, -mrn_dot3(w, axis), axis);
        double length = mrn_norm3(w);
        if (length > 1e-6 * cylinder->cylinder_radius)
            try_direction(a, b, tie, mrn_scale3((body == 0 ? -1 : 1) / length, w), false, best);
    }
    if (other->height > 0) { // another cylinder
        MrnVec3 second = axis_of(other), apart = mrn_sub3(a->at, b->at);
        try_direction(a, b, tie, second, true, best);
        try_direction(a, b, tie, mrn_cross3(axis, second), true, best);
        double size = mrn_norm3(apart);
        if (size > 0) {
            try_direction(a, b, tie, mrn_scale3(1 / size, mrn_axpy3(apart, -mrn_dot3(apart, axis), axis)), false, best);
            try_direction(a, b, tie, mrn_scale3(1 / size, mrn_axpy3(apart, -mrn_dot3(apart, second), second)), false,
                          best);
        }
    }
}

static double gather(const MrnPair *pair, const MrnCore *a, const MrnCore *b, MrnVec3 normal, bool corners) {
    if (a->height > 0 && b->height > 0) return mrn_gather_cylinders(pair, a, b, normal);
    return a->height > 0 ? mrn_gather_cylinder(pair, a, b, 0, normal, corners)
                         : mrn_gather_cylinder(pair, b, a, 1, normal, corners);
}

void mrn_touch_cylinder_core(const MrnPair *pair, const MrnCore *a, const MrnCore *b) {
    double radii = a->radius + b->radius, limit = pair->margin + radii, tie = 0.01 * pair->tolerance,
           close = 0.05 * pair->tolerance;
    MrnClosest closest;
    mrn_closest(a, b, limit, &closest);
    if (closest.distance >= limit) return;
    if (closest.distance > 0.1 * pair->tolerance) {
        double smallest = gather(pair, a, b, closest.normal, true);
        if (smallest > closest.distance - radii + close) mrn_emit_closest(pair, a, b, &closest);
        return;
    }
    Best best = {-INFINITY, -INFINITY, 0, {0, 0, 1}};
    size_t begin = pair->out->count;
    if (a->height > 0)
        try_features(a, b, 0, tie, &best);
    else
        try_features(b, a, 1, tie, &best);
    double smallest = INFINITY;
    bool deep = best.separation < -10 * pair->tolerance;
    if (!deep) {
        smallest = gather(pair, a, b, best.normal, false);
        if (smallest <= best.highest - radii + close) return;
        pair->out->count = begin;
    }
    MrnVec3 normal;
    double depth = mrn_deepest(a, b, &normal);
    if (-depth > best.highest + tie) best = (Best){-depth, -depth, 0, normal};
    smallest = gather(pair, a, b, best.normal, false);
    if (smallest <= best.separation - radii + 10 * close + 1e-6 * depth) return;
    int index_a, index_b;
    MrnVec3 n = best.normal, pa = mrn_core_support(a, mrn_scale3(-1, n), &index_a),
            pb = mrn_core_support(b, n, &index_b);
    double gap = best.separation - radii;
    if (gap >= pair->margin) return;
    mrn_emit(pair, mrn_axpy3(mrn_scale3(0.5, mrn_add3(pa, pb)), (b->radius - a->radius) / 2, n), n, gap,
             mrn_feature(MRN_FEATURE_SUPPORT, index_a, MRN_FEATURE_SUPPORT, index_b));
}
