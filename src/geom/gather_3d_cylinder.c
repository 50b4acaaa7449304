// The contacts of a cylinder near a common direction, as pairs of features with exact curved geometry.
//
// A cylinder has two caps (flat), a side (a segment, its axis, rounded by the radius) and two rims (circles). Against a
// flat face a rim bears with its extreme point, which moves round the rim as the cylinder rolls, and, when it stands
// nearly upright, with four points fixed on the rim, because the extreme point has no place then. Each gap is
// stationary in the points of the two features, so it changes at the rate of the normal velocity (Moreau 2003, M23).
#include "geom/narrow_3d.h"

typedef struct Cylinder {
    MrnVec3 centre, axis, x, y;
    double height, radius;
} Cylinder;

static Cylinder cylinder_of(const MrnCore *core) {
    const double(*m)[3] = core->turn.m;
    return (Cylinder){
        core->at,     {m[0][2], m[1][2], m[2][2]}, {m[0][0], m[1][0], m[2][0]}, {m[0][1], m[1][1], m[2][1]},
        core->height, core->cylinder_radius};
}

static MrnVec3 rim_centre(const Cylinder *c, int rim) {
    return mrn_axpy3(c->centre, rim ? c->height : -c->height, c->axis);
}
static MrnVec3 radial(const Cylinder *c, double angle) {
    return mrn_axpy3(mrn_scale3(cos(angle), c->x), sin(angle), c->y);
}
static MrnVec3 fixed_point(const Cylinder *c, int i) {
    MrnVec3 out = i & 1 ? c->y : c->x;
    return mrn_axpy3(rim_centre(c, i / 4), i & 2 ? -c->radius : c->radius, out);
}
/// Unit radial direction of the rim point farthest along d; false where the axis is along d.
static bool extreme(const Cylinder *c, MrnVec3 d, MrnVec3 *out) {
    double x = mrn_dot3(d, c->x), y = mrn_dot3(d, c->y), length = sqrt(x * x + y * y);
    if (length < 1e-6) return false;
    *out = mrn_axpy3(mrn_scale3(x / length, c->x), y / length, c->y);
    return true;
}

/// Append a contact: q on the surface of body `body`, d unit from that body to the other.
static void emit(const MrnPair *pair, int body, MrnVec3 q, MrnVec3 d, double gap, int kind, int index, int other_kind,
                 int other_index) {
    uint64_t feature = body == 0 ? mrn_feature(kind, index, other_kind, other_index)
                                 : mrn_feature(other_kind, other_index, kind, index);
    mrn_emit(pair, mrn_axpy3(q, gap / 2, d), body == 0 ? mrn_scale3(-1, d) : d, gap, feature);
}

/// A flat piece on which rims may bear: a face of a core, the cap of a cylinder, or a plane without end.
typedef struct Floor {
    MrnVec3 normal; ///< out of the piece, towards the cylinder
    double level;
    const MrnCore *core; ///< and its face, or
    int face;
    const Cylinder *disc; ///< the cap of a cylinder
    int kind, index;      ///< its feature
} Floor;

static bool over_floor(const Floor *floor, MrnVec3 p, double tolerance) {
    if (floor->core) return mrn_over_face(floor->core, floor->face, p, tolerance);
    if (!floor->disc) return true;
    MrnVec3 d = mrn_sub3(p, floor->disc->centre);
    d = mrn_axpy3(d, -mrn_dot3(d, floor->disc->axis), floor->disc->axis);
    double limit = floor->disc->radius + tolerance;
    return mrn_dot3(d, d) <= limit * limit;
}

static void rims_on_floor(const MrnPair *pair, const Cylinder *c, int body, const Floor *floor) {
    MrnVec3 d = mrn_scale3(-1, floor->normal), out = {0, 0, 0};
    double along = mrn_dot3(c->axis, d);
    int lower = along > 0;
    bool leaning = extreme(c, d, &out);
    for (int rim = 0; rim < 2; rim++) {
        if (rim != lower && fabs(along) > 0.8) continue; // the far rim of an upright cylinder
        if (leaning) {
            MrnVec3 q = mrn_axpy3(rim_centre(c, rim), c->radius, out);
            double gap = mrn_dot3(floor->normal, q) - floor->level;
            if (gap < pair->margin && over_floor(floor, q, pair->tolerance))
                emit(pair, body, q, d, gap, MRN_FEATURE_RIM, rim, floor->kind, floor->index);
        }
        if (fabs(along) < MRN_NEAR_COSINE) continue;
        for (int i = 4 * rim; i < 4 * rim + 4; i++) {
            MrnVec3 q = fixed_point(c, i);
            double gap = mrn_dot3(floor->normal, q) - floor->level;
            if (gap < pair->margin && over_floor(floor, q, pair->tolerance))
                emit(pair, body, q, d, gap, MRN_FEATURE_RIM_POINT, i, floor->kind, floor->index);
        }
    }
}

void mrn_cylinder_on_plane(const MrnPair *pair, const MrnCore *a, MrnVec3 normal, double level) {
    Cylinder c = cylinder_of(a);
    Floor floor = {.normal = normal, .level = level, .kind = MRN_FEATURE_FACE};
    rims_on_floor(pair, &c, 0, &floor);
}

/// The nearest place of rim `rim` to the line through p along u: angles where the distance is stationary, found by
/// Newton steps from the extreme point along d and from the two crossings of the line with the rim seen along d (or,
/// for a rounded line that does not cross, from its foot). Returns how many.
static int rim_near_line(const Cylinder *c, int rim, MrnVec3 p, MrnVec3 u, bool rounded, MrnVec3 d, double tolerance,
                         double found[3]) {
    MrnVec3 centre = rim_centre(c, rim), out;
    double start[3];
    int starts = 0, count = 0;
    double along = mrn_dot3(d, c->axis);
    if (extreme(c, d, &out)) start[starts++] = atan2(mrn_dot3(out, c->y), mrn_dot3(out, c->x));
    if (fabs(along) > 0.05) {
        // Shadow of the line on the plane of the rim, cast along d.
        MrnVec3 from = mrn_sub3(p, centre);
        from = mrn_axpy3(from, -mrn_dot3(from, c->axis) / along, d);
        MrnVec3 way = mrn_axpy3(u, -mrn_dot3(u, c->axis) / along, d);
        double ww = mrn_dot3(way, way), wf = mrn_dot3(way, from), ff = mrn_dot3(from, from), r = c->radius;
        double root = ww > 1e-12 ? wf * wf - ww * (ff - r * r) : -1;
        if (root > 2 * ww * r * tolerance) { // a chord less deep than the tolerance is no crossing
            for (int k = 0; k < 2; k++) {
                MrnVec3 q = mrn_axpy3(from, (-wf + (k ? sqrt(root) : -sqrt(root))) / ww, way);
                start[starts++] = atan2(mrn_dot3(q, c->y), mrn_dot3(q, c->x));
            }
        } else if (rounded && ww > 1e-12) { // it passes beside the rim, or touches it
            MrnVec3 q = mrn_axpy3(from, -wf / ww, way);
            if (mrn_norm3(q) > 1e-6 * r) start[starts++] = atan2(mrn_dot3(q, c->y), mrn_dot3(q, c->x));
        }
    }
    for (int i = 0; i < starts; i++) {
        double angle = start[i], residual = INFINITY, scale = 0;
        for (int step = 0; step < 30; step++) {
            MrnVec3 R = radial(c, angle), T = mrn_cross3(c->axis, R);
            MrnVec3 w = mrn_sub3(p, mrn_axpy3(centre, c->radius, R));
            double wu = mrn_dot3(w, u), Tu = mrn_dot3(T, u), Ru = mrn_dot3(R, u);
            residual = mrn_dot3(w, T) - wu * Tu;
            scale = c->radius + mrn_norm3(mrn_axpy3(w, -wu, u));
            double slope = -c->radius * (1 - Tu * Tu) - (mrn_dot3(w, R) - wu * Ru);
            if (fabs(residual) <= 1e-15 * scale) break;
            double change = fabs(slope) > 1e-12 * scale ? -residual / slope : 0.1;
            if (fabs(change) > 0.3) change = change > 0 ? 0.3 : -0.3;
            angle += change;
            if (fabs(change) < 1e-15) break;
        }
        if (!(fabs(residual) <= 1e-11 * scale)) continue;
        bool known = false;
        for (int k = 0; k < count; k++) known |= fabs(remainder(angle - found[k], 6.283185307179586)) < 1e-7;
        if (!known) found[count++] = angle;
    }
    return count;
}

/// A line crosses a rim twice: once on either side of the middle. Where it only passes beside the rim there is one
/// place, in the middle.
static int crossing_name(int rim, double along) {
    return fabs(along) < 0.02 ? rim : 2 + 2 * rim + (along > 0);
}

/// Rims of cylinder `body` against an edge of the other body, or against its axis rounded by `radius`. Contacts from
/// `begin` on are not repeated.
static void rims_on_line(const MrnPair *pair, size_t begin, const Cylinder *c, int body, const MrnSide *side,
                         double radius, MrnVec3 d0, int kind, int index) {
    for (int rim = 0; rim < 2; rim++) {
        double angle[3];
        int count = rim_near_line(c, rim, side->from, side->along, radius > 0, d0, pair->tolerance, angle);
        for (int i = 0; i < count; i++) {
            MrnVec3 R = radial(c, angle[i]), T = mrn_cross3(c->axis, R),
                    q = mrn_axpy3(rim_centre(c, rim), c->radius, R);
            MrnVec3 w = mrn_sub3(side->from, q), cross = mrn_cross3(side->along, T);
            double t = -mrn_dot3(w, side->along);
            // An end of an edge is a vertex and bears as such; the end of a rounded axis lies inside the other
            // cylinder.
            double inset = radius > 0 ? -pair->tolerance : pair->tolerance;
            if (t <= inset || t >= side->length - inset) continue;
            w = mrn_axpy3(w, t, side->along);
            double distance = mrn_norm3(w), crossing = mrn_norm3(cross);
            MrnVec3 d;
            if (distance > 1e-7 * c->radius)
                d = mrn_scale3(1 / distance, w);
            else if (crossing > 1e-6)
                d = mrn_scale3(1 / crossing, cross);
            else
                continue;
            if (mrn_dot3(d, d0) < 0) d = mrn_scale3(-1, d);
            double gap = mrn_dot3(w, d) - radius;
            if (gap >= pair->margin || mrn_dot3(d, d0) < MRN_NEAR_COSINE) continue;
            if (mrn_dot3(d, R) < -MRN_NEAR_SINE || mrn_dot3(d, c->axis) * (rim ? 1 : -1) < -MRN_NEAR_SINE) continue;
            bool beside = true;
            for (int k = 0; k < 2; k++) beside = beside && -mrn_dot3(d, side->inner[k]) <= 1.05 * MRN_NEAR_SINE;
            if (!beside) continue;
            if (mrn_is_known(pair, begin, mrn_axpy3(q, gap / 2, d), body == 0 ? mrn_scale3(-1, d) : d)) continue;
            emit(pair, body, q, d, gap, MRN_FEATURE_RIM, crossing_name(rim, mrn_dot3(R, side->along)), kind, index);
        }
    }
}

/// The line of the side of cylinder `body` that looks along d, crossing an edge of the other body (or its axis, rounded
/// by `radius`).
static void side_across_line(const MrnPair *pair, const Cylinder *c, int body, const MrnSide *side, double radius,
                             MrnVec3 d0, int kind, int index) {
    MrnVec3 d = mrn_cross3(c->axis, side->along);
    double length = mrn_norm3(d), tolerance = pair->tolerance;
    if (length < 1e-6) return;
    d = mrn_scale3(mrn_dot3(d, d0) < 0 ? -1 / length : 1 / length, d);
    if (mrn_dot3(d, d0) < MRN_NEAR_COSINE) return;
    MrnVec3 foot = mrn_axpy3(c->centre, c->radius, d), w = mrn_sub3(side->from, foot);
    double gap = mrn_dot3(d, w) - radius;
    if (gap >= pair->margin) return;
    MrnVec3 across = mrn_cross3(d, c->axis); // an edge must pass clearly from one side of the line to the other
    double e0 = mrn_dot3(across, w), e1 = mrn_dot3(across, mrn_sub3(side->to, foot));
    if (e0 * e1 >= 0 || fabs(e0) <= tolerance || fabs(e1) <= tolerance) return;
    across = mrn_cross3(d, side->along);
    double s0 = -mrn_dot3(across, mrn_axpy3(w, c->height, c->axis)),
           s1 = -mrn_dot3(across, mrn_axpy3(w, -c->height, c->axis));
    if (s0 * s1 >= 0 || fabs(s0) <= tolerance || fabs(s1) <= tolerance) return;
    for (int k = 0; k < 2; k++)
        if (-mrn_dot3(d, side->inner[k]) > 1.05 * MRN_NEAR_SINE) return;
    MrnVec3 p = mrn_axpy3(side->from, e0 / (e0 - e1), mrn_sub3(side->to, side->from)); // on the edge
    emit(pair, body, mrn_axpy3(p, -gap - radius, d), d, gap, MRN_FEATURE_SIDE, 0, kind, index);
}

/// Vertices of the other body on the cap that looks along d0, on the side, and (apart) beside the rims.
static void vertices_on_cylinder(const MrnPair *pair, const Cylinder *c, const MrnCore *other, int body, MrnVec3 d0,
                                 bool corners) {
    double upright = mrn_dot3(c->axis, d0), tolerance = pair->tolerance;
    MrnVec3 cap = mrn_scale3(upright < 0 ? -1 : 1, c->axis);
    for (int v = 0; v < other->vertex_count; v++) {
        MrnVec3 p = mrn_core_vertex(other, v), w = mrn_sub3(p, c->centre);
        double along = mrn_dot3(w, c->axis), above = (upright < 0 ? -along : along) - c->height;
        MrnVec3 across = mrn_axpy3(w, -along, c->axis);
        double distance = mrn_norm3(across), gap = above - other->radius;
        if (fabs(upright) >= MRN_NEAR_COSINE && gap < pair->margin && distance <= c->radius + tolerance &&
            mrn_is_summit(other, v, mrn_scale3(-1, cap), 0.8))
            emit(pair, body, mrn_axpy3(p, -gap - other->radius, cap), cap, gap, MRN_FEATURE_FACE, upright > 0,
                 MRN_FEATURE_VERTEX, v);
        gap = distance - c->radius - other->radius;
        if (distance > tolerance && gap < pair->margin && fabs(along) <= c->height + tolerance) {
            MrnVec3 d = mrn_scale3(1 / distance, across);
            if (mrn_dot3(d, d0) >= MRN_NEAR_COSINE && mrn_is_summit(other, v, mrn_scale3(-1, d), MRN_NEAR_SINE))
                emit(pair, body, mrn_axpy3(p, -gap - other->radius, d), d, gap, MRN_FEATURE_SIDE, 0, MRN_FEATURE_VERTEX,
                     v);
        }
        if (!corners || fabs(along) <= c->height + tolerance || distance <= c->radius + tolerance) continue;
        MrnVec3 q = mrn_axpy3(rim_centre(c, along > 0), c->radius / distance, across), d = mrn_sub3(p, q);
        distance = mrn_norm3(d), gap = distance - other->radius;
        d = mrn_scale3(1 / distance, d);
        if (gap < pair->margin && mrn_dot3(d, d0) >= MRN_NEAR_COSINE &&
            mrn_is_summit(other, v, mrn_scale3(-1, d), MRN_NEAR_SINE))
            emit(pair, body, q, d, gap, MRN_FEATURE_RIM, along > 0, MRN_FEATURE_VERTEX, v);
    }
}

static double smallest_from(const MrnPair *pair, size_t begin) {
    double smallest = INFINITY;
    for (size_t i = begin; i < pair->out->count; i++) smallest = fmin(smallest, pair->out->data[i].gap);
    return smallest;
}

double mrn_gather_cylinder(const MrnPair *pair, const MrnCore *cylinder, const MrnCore *other, int body, MrnVec3 normal,
                           bool corners) {
    Cylinder c = cylinder_of(cylinder);
    size_t begin = pair->out->count, middle = begin;
    MrnVec3 d = body == 0 ? mrn_scale3(-1, normal) : normal, back = mrn_scale3(-1, d);
    double cosine, reach = pair->margin + other->radius;
    int index, face = mrn_facing(other, back, &cosine);
    // First the points of B on A, then those of A on B, so that equal places can be joined.
    for (int part = 0; part < 2; part++) {
        if (part == 1) middle = pair->out->count;
        if ((part == 0) == (body == 0))
            vertices_on_cylinder(pair, &c, other, body, d, corners);
        else if (face >= 0 && cosine > MRN_NEAR_COSINE) {
            Floor floor = {.normal = mrn_core_normal(other, face),
                           .core = other,
                           .face = face,
                           .kind = MRN_FEATURE_FACE,
                           .index = face};
            floor.level = mrn_dot3(floor.normal,
                                   mrn_core_vertex(other, other->facets->face_vertex[other->facets->face_start[face]]));
            rims_on_floor(pair, &c, body, &floor);
        }
    }
    mrn_join_points(pair, begin, middle);
    MrnSide sides[MRN_SIDE_BLOCK];
    double limit = -mrn_dot3(d, mrn_core_support(cylinder, d, &index)) - reach;
    for (int next = 0; next < other->edge_count;) {
        int count = mrn_list_sides(other, back, limit, &next, sides);
        for (int i = 0; i < count; i++) {
            side_across_line(pair, &c, body, &sides[i], other->radius, d, MRN_FEATURE_EDGE, sides[i].index);
            rims_on_line(pair, begin, &c, body, &sides[i], other->radius, d, MRN_FEATURE_EDGE, sides[i].index);
        }
    }
    return smallest_from(pair, begin);
}

static void cap_floor(const Cylinder *c, MrnVec3 towards, Floor *floor) {
    int top = mrn_dot3(c->axis, towards) > 0;
    *floor = (Floor){.normal = mrn_scale3(top ? 1 : -1, c->axis), .disc = c, .kind = MRN_FEATURE_FACE, .index = top};
    floor->level = mrn_dot3(floor->normal, rim_centre(c, top));
}

/// The axis of a cylinder as an edge without faces.
static MrnSide axis_side(const Cylinder *c) {
    return (MrnSide){.from = rim_centre(c, 0), .to = rim_centre(c, 1), .along = c->axis, .length = 2 * c->height};
}

/// Rim i of A against rim k of B: stationary pairs by Newton steps, from the crossings of the two circles seen along d
/// and from their extreme points.
static void rim_on_rim(const MrnPair *pair, size_t begin, const Cylinder *a, int i, const Cylinder *b, int k,
                       MrnVec3 d0) {
    MrnVec3 ca = rim_centre(a, i), cb = rim_centre(b, k), out_a, out_b;
    double start[3][2], found[3][2];
    int starts = 0, count = 0;
    if (extreme(a, d0, &out_a) && extreme(b, mrn_scale3(-1, d0), &out_b)) {
        start[starts][0] = atan2(mrn_dot3(out_a, a->y), mrn_dot3(out_a, a->x));
        start[starts++][1] = atan2(mrn_dot3(out_b, b->y), mrn_dot3(out_b, b->x));
    }
    MrnVec3 apart = mrn_sub3(cb, ca);
    apart = mrn_axpy3(apart, -mrn_dot3(apart, a->axis), a->axis);
    double distance = mrn_norm3(apart),
           chord = distance > 0 ? (distance * distance + a->radius * a->radius - b->radius * b->radius) / (2 * distance)
                                : INFINITY;
    double square = a->radius * a->radius - chord * chord;
    // Nearly parallel caps whose rims cross; circles that touch or nearly coincide (within the tolerance) do not.
    if (fabs(mrn_dot3(a->axis, b->axis)) >= MRN_NEAR_COSINE && fabs(mrn_dot3(a->axis, d0)) > 0.9 &&
        distance > 2 * pair->tolerance && square > 4 * a->radius * pair->tolerance) {
        MrnVec3 e = mrn_scale3(1 / distance, apart), f = mrn_cross3(a->axis, e);
        for (int sign = -1; sign <= 1; sign += 2) {
            MrnVec3 q = mrn_axpy3(mrn_scale3(chord, e), sign * sqrt(square), f), p = mrn_sub3(mrn_add3(ca, q), cb);
            start[starts][0] = atan2(mrn_dot3(q, a->y), mrn_dot3(q, a->x));
            start[starts++][1] = atan2(mrn_dot3(p, b->y), mrn_dot3(p, b->x));
        }
    }
    for (int s = 0; s < starts; s++) {
        double f = start[s][0], g = start[s][1], worst = INFINITY;
        MrnVec3 Ra, Rb, Ta, Tb, w;
        for (int step = 0; step < 40; step++) {
            Ra = radial(a, f), Rb = radial(b, g), Ta = mrn_cross3(a->axis, Ra), Tb = mrn_cross3(b->axis, Rb);
            w = mrn_sub3(mrn_axpy3(cb, b->radius, Rb), mrn_axpy3(ca, a->radius, Ra));
            double r0 = mrn_dot3(w, Ta), r1 = mrn_dot3(w, Tb), c = mrn_dot3(Ta, Tb);
            worst = fmax(fabs(r0), fabs(r1)) / (a->radius + b->radius);
            double j00 = -a->radius - mrn_dot3(w, Ra), j01 = b->radius * c, j10 = -a->radius * c,
                   j11 = b->radius - mrn_dot3(w, Rb);
            double determinant = j00 * j11 - j01 * j10;
            if (worst <= 1e-15 || fabs(determinant) < 1e-14 * a->radius * b->radius) break;
            double df = -(r0 * j11 - r1 * j01) / determinant, dg = -(r1 * j00 - r0 * j10) / determinant;
            double cut = fmax(fabs(df), fabs(dg));
            if (cut > 0.3) df *= 0.3 / cut, dg *= 0.3 / cut;
            f += df, g += dg;
        }
        if (!(worst <= 1e-11)) continue;
        bool known = false;
        for (int m = 0; m < count; m++)
            known |= fabs(remainder(f - found[m][0], 6.283185307179586)) < 1e-7 &&
                     fabs(remainder(g - found[m][1], 6.283185307179586)) < 1e-7;
        if (known) continue;
        found[count][0] = f, found[count++][1] = g;
        MrnVec3 cross = mrn_cross3(Ta, Tb), d;
        double length = mrn_norm3(w), crossing = mrn_norm3(cross);
        if (length > 1e-7 * a->radius)
            d = mrn_scale3(1 / length, w);
        else if (crossing > 1e-6)
            d = mrn_scale3(1 / crossing, cross);
        else
            continue;
        if (mrn_dot3(d, d0) < 0) d = mrn_scale3(-1, d);
        double gap = mrn_dot3(w, d);
        if (gap >= pair->margin || mrn_dot3(d, d0) < MRN_NEAR_COSINE) continue;
        if (mrn_dot3(d, Ra) < -MRN_NEAR_SINE || mrn_dot3(d, a->axis) * (i ? 1 : -1) < -MRN_NEAR_SINE) continue;
        if (mrn_dot3(d, Rb) > MRN_NEAR_SINE || mrn_dot3(d, b->axis) * (k ? 1 : -1) > MRN_NEAR_SINE) continue;
        if (mrn_is_known(pair, begin, mrn_axpy3(mrn_axpy3(ca, a->radius, Ra), gap / 2, d), mrn_scale3(-1, d))) continue;
        int which = mrn_dot3(cross, d) > 0;
        emit(pair, 0, mrn_axpy3(ca, a->radius, Ra), d, gap, MRN_FEATURE_RIM, 2 + 2 * i + which, MRN_FEATURE_RIM,
             2 + 2 * k + which);
    }
}

double mrn_gather_cylinders(const MrnPair *pair, const MrnCore *core_a, const MrnCore *core_b, MrnVec3 normal) {
    Cylinder a = cylinder_of(core_a), b = cylinder_of(core_b);
    MrnVec3 d = mrn_scale3(-1, normal); // from A to B
    size_t begin = pair->out->count, middle;
    Floor floor;
    MrnSide side_a = axis_side(&a), side_b = axis_side(&b);
    // Points of B on A, then points of A on B.
    if (fabs(mrn_dot3(a.axis, d)) >= MRN_NEAR_COSINE) {
        cap_floor(&a, d, &floor);
        rims_on_floor(pair, &b, 1, &floor);
    }
    rims_on_line(pair, begin, &b, 1, &side_a, a.radius, normal, MRN_FEATURE_SIDE, 0);
    middle = pair->out->count;
    if (fabs(mrn_dot3(b.axis, d)) >= MRN_NEAR_COSINE) {
        cap_floor(&b, normal, &floor);
        rims_on_floor(pair, &a, 0, &floor);
    }
    rims_on_line(pair, middle, &a, 0, &side_b, b.radius, d, MRN_FEATURE_SIDE, 0);
    mrn_join_points(pair, begin, middle);
    side_across_line(pair, &a, 0, &side_b, b.radius, d, MRN_FEATURE_SIDE, 0);
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) rim_on_rim(pair, begin, &a, i, &b, k, d);
    return smallest_from(pair, begin);
}
