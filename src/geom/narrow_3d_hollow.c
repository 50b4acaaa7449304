// Solids inside a tube or a funnel: a wall that is hollow seen from within.
//
// The inside is convex, so the points of a convex solid that come nearest to the wall are its extreme points: centres
// of balls, vertices, and the points of a rim that reach farthest outwards. In a half-plane through the axis the wall
// is a straight line with inner normal m and direction t; a ball beyond the end of the line bears on the end circle. A
// solid that fits so tightly that the wall is within the margin all around has no single nearest point: then the
// tangent planes of the wall in four fixed directions bear too.
#include "geom/narrow_3d.h"

typedef struct Wall {
    const MrnPair *pair;
    double bottom, top, half; ///< radii at -half and +half
    double m[2], t[2];        ///< inner normal and direction in (distance from the axis, z)
    double length;            ///< of the wall along t
} Wall;

static Wall wall_of(const MrnPair *pair) {
    const MrnShape *b = pair->b;
    Wall w = {.pair = pair,
              .bottom = b->radius,
              .top = b->kind == MRN_SHAPE_TUBE ? b->radius : b->top_radius,
              .half = b->half[2]};
    double rise = 2 * w.half, out = w.top - w.bottom;
    w.length = sqrt(rise * rise + out * out);
    w.t[0] = out / w.length, w.t[1] = rise / w.length;
    w.m[0] = -w.t[1], w.m[1] = w.t[0];
    return w;
}

static MrnVec3 to_wall(const MrnPair *pair, MrnVec3 p) {
    return mrn_mat3_transpose_times(&pair->turn_b, mrn_sub3(p, pair->at_b));
}

/// Height over the wall and place along it of a point at distance rho from the axis.
static double wall_height(const Wall *w, double rho, double z, double *along) {
    double x = rho - w->bottom, y = z + w->half;
    *along = x * w->t[0] + y * w->t[1];
    return x * w->m[0] + y * w->m[1];
}

/// `p` in the frame of the wall, `out` the unit direction from the axis, `normal` in (distance, z).
static void emit_wall(const Wall *w, MrnVec3 p, double radius, const double out[2], const double normal[2], double gap,
                      uint64_t feature) {
    MrnVec3 n = {normal[0] * out[0], normal[0] * out[1], normal[1]};
    MrnVec3 position = mrn_axpy3(p, -radius - gap / 2, n);
    const MrnPair *pair = w->pair;
    mrn_emit(pair, mrn_add3(pair->at_b, mrn_mat3_times(&pair->turn_b, position)), mrn_mat3_times(&pair->turn_b, n), gap,
             feature);
}

/// The wall around a point in four fixed directions.
static void touch_all_around(const Wall *w, MrnVec3 p, double radius, int kind, int index) {
    for (int k = 0; k < 4; k++) {
        double out[2] = {k == 0 ? 1 : k == 2 ? -1 : 0, k == 1 ? 1 : k == 3 ? -1 : 0}, along;
        double gap = wall_height(w, p.x * out[0] + p.y * out[1], p.z, &along) - radius;
        if (gap < w->pair->margin && along >= 0 && along <= w->length)
            emit_wall(w, p, radius, out, w->m, gap, mrn_feature(kind, index, MRN_FEATURE_SIDE, 1 + k));
    }
}

/// A ball (a vertex when radius is 0) of the solid.
static void touch_ball(const Wall *w, MrnVec3 point, double radius, int kind, int index) {
    const MrnPair *pair = w->pair;
    MrnVec3 p = to_wall(pair, point);
    double rho = sqrt(p.x * p.x + p.y * p.y), along, height = wall_height(w, rho, p.z, &along);
    double out[2] = {rho > 0 ? p.x / rho : 1, rho > 0 ? p.y / rho : 0};
    if (along >= 0 && along <= w->length) {
        double gap = height - radius;
        if (gap >= pair->margin) return;
        bool tight = gap - 2 * rho * w->m[0] < pair->margin;
        if (!tight || rho > 1e-6 * (w->bottom + w->top))
            emit_wall(w, p, radius, out, w->m, gap, mrn_feature(kind, index, MRN_FEATURE_SIDE, 0));
        if (tight) touch_all_around(w, p, radius, kind, index);
        return;
    }
    if (!(radius > 0)) return; // a point meets a circle nowhere
    int end = along > 0;
    double n[2] = {rho - (end ? w->top : w->bottom), p.z - (end ? w->half : -w->half)},
           distance = sqrt(n[0] * n[0] + n[1] * n[1]);
    double gap = distance - radius;
    if (gap >= pair->margin) return;
    if (distance > 1e-12 * radius)
        n[0] /= distance, n[1] /= distance;
    else
        n[0] = w->m[0], n[1] = w->m[1];
    emit_wall(w, p, radius, out, n, gap, mrn_feature(kind, index, MRN_FEATURE_RIM, end));
}

typedef struct RimPoint {
    MrnVec3 p;    ///< in the frame of the wall
    double slope; ///< of the height over the wall, by the angle
    double height, along;
} RimPoint;

static RimPoint rim_point(const Wall *w, MrnVec3 centre, MrnVec3 x, MrnVec3 y, double angle) {
    RimPoint r;
    double c = cos(angle), s = sin(angle);
    r.p = mrn_add3(centre, mrn_axpy3(mrn_scale3(c, x), s, y));
    MrnVec3 d = mrn_axpy3(mrn_scale3(-s, x), c, y);
    double rho = sqrt(r.p.x * r.p.x + r.p.y * r.p.y);
    r.height = wall_height(w, rho, r.p.z, &r.along);
    r.slope = (rho > 0 ? (r.p.x * d.x + r.p.y * d.y) / rho : 0) * w->m[0] + d.z * w->m[1];
    return r;
}

/// The points of a rim of a cylinder that come nearest to the wall: lows of the height around the rim.
static void touch_rim(const Wall *w, int rim) {
    enum { PARTS = 16 };
    const MrnPair *pair = w->pair;
    const MrnShape *a = pair->a;
    const double(*m)[3] = pair->turn_a.m;
    double h = rim ? a->half[2] : -a->half[2], low = INFINITY, high = -INFINITY;
    MrnVec3 centre = to_wall(pair, mrn_axpy3(pair->at_a, h, mrn_vec3(m[0][2], m[1][2], m[2][2])));
    MrnVec3 x = mrn_scale3(a->radius, mrn_mat3_transpose_times(&pair->turn_b, mrn_vec3(m[0][0], m[1][0], m[2][0])));
    MrnVec3 y = mrn_scale3(a->radius, mrn_mat3_transpose_times(&pair->turn_b, mrn_vec3(m[0][1], m[1][1], m[2][1])));
    MrnVec3 axis = mrn_mat3_transpose_times(&pair->turn_b, mrn_vec3(m[0][2], m[1][2], m[2][2]));
    RimPoint part[PARTS];
    const double step = 6.283185307179586 / PARTS;
    for (int i = 0; i < PARTS; i++) {
        part[i] = rim_point(w, centre, x, y, i * step);
        low = fmin(low, part[i].height), high = fmax(high, part[i].height);
    }
    if (high - low > 1e-6 * a->radius)
        for (int i = 0; i < PARTS; i++) {
            const RimPoint *next = &part[(i + 1) % PARTS];
            if (!(part[i].slope <= 0 && next->slope > 0)) continue;
            double from = i * step,
                   to = from + step; // the slope changes sign in between: secant steps kept inside by halving
            RimPoint q = part[i];
            double slope_from = part[i].slope, slope_to = next->slope;
            for (int k = 0; k < 60 && to - from > 1e-15; k++) {
                double angle =
                    k % 3 == 2 ? (from + to) / 2 : (from * slope_to - to * slope_from) / (slope_to - slope_from);
                q = rim_point(w, centre, x, y, angle);
                if (q.slope == 0) break;
                if (q.slope < 0)
                    from = angle, slope_from = q.slope;
                else
                    to = angle, slope_to = q.slope;
            }
            double rho = sqrt(q.p.x * q.p.x + q.p.y * q.p.y),
                   out[2] = {rho > 0 ? q.p.x / rho : 1, rho > 0 ? q.p.y / rho : 0};
            if (!(q.height < pair->margin) || q.along < 0 || q.along > w->length) continue;
            // Two lows lie on the two sides of the plane through both axes.
            MrnVec3 arm = mrn_sub3(q.p, centre);
            int which = arm.y * axis.x - arm.x * axis.y > 0;
            emit_wall(w, q.p, 0, out, w->m, q.height,
                      mrn_feature(MRN_FEATURE_RIM, rim + 2 * which, MRN_FEATURE_SIDE, 0));
        }
    if (high >= pair->margin) return; // the rim touches on one side only; otherwise four fixed points hold it
    for (int i = 0; i < 4; i++) {
        const RimPoint *q = &part[i * PARTS / 4];
        double rho = sqrt(q->p.x * q->p.x + q->p.y * q->p.y),
               out[2] = {rho > 0 ? q->p.x / rho : 1, rho > 0 ? q->p.y / rho : 0};
        if (q->along >= 0 && q->along <= w->length)
            emit_wall(w, q->p, 0, out, w->m, q->height,
                      mrn_feature(MRN_FEATURE_RIM_POINT, 4 * rim + i, MRN_FEATURE_SIDE, 0));
    }
}

void mrn_touch_hollow(const MrnPair *pair) {
    Wall w = wall_of(pair);
    MrnCore core;
    mrn_core_make(pair->a, pair->at_a, &pair->turn_a, &core);
    MrnVec3 centre = to_wall(pair, mrn_core_middle(&core));
    double along, height = wall_height(&w, sqrt(centre.x * centre.x + centre.y * centre.y), centre.z, &along);
    // Only the inner side bears. A solid whose middle is beyond the wall by more than its size is outside.
    if (height < -1e5 * pair->tolerance && along >= 0 && along <= w.length) return;
    if (pair->a->kind == MRN_SHAPE_CYLINDER) {
        touch_rim(&w, 0);
        touch_rim(&w, 1);
        return;
    }
    for (int v = 0; v < core.vertex_count; v++)
        touch_ball(&w, mrn_core_vertex(&core, v), core.radius, MRN_FEATURE_VERTEX, v);
}
