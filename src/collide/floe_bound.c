// Bounds in time from bounds of second derivatives.
#include "collide/floe_bound.h"

/// First time at which f + r s - bend s^2 / 2 may be 0; 0 if f <= 0.
static double time_to_zero(double f, double rate, double bend) {
    if (!(f > 0)) return 0;
    double root = sqrt(rate * rate + 2 * bend * f);
    if (rate > 0) return bend > 0 ? (rate + root) / bend : INFINITY;
    return root - rate > 0 ? 2 * f / (root - rate) : INFINITY;
}

double mrn_floe_belt_speed(const MrnFloe *floe, const MrnFloePose *pose, const MrnFloeMotion *motion,
                           const MrnFloePose *other_pose, const MrnFloeMotion *other) {
    MrnVec2 to_other = mrn_sub2(other_pose->position, pose->position);
    MrnVec2 drift = mrn_add2(mrn_sub2(motion->velocity, other->velocity), mrn_scale2(other->spin, mrn_perp2(to_other)));
    return mrn_norm2(drift) + fabs(motion->spin - other->spin) * floe->belt;
}

double mrn_floe_belt_speed_sampled(const MrnFloe *floe, const MrnFloePose *pose, const MrnFloeMotion *motion,
                                   const MrnFloePose *other_pose, const MrnFloeMotion *other, int directions) {
    MrnVec2 to_other = mrn_sub2(other_pose->position, pose->position);
    MrnVec2 drift = mrn_add2(mrn_sub2(motion->velocity, other->velocity), mrn_scale2(other->spin, mrn_perp2(to_other)));
    double largest = 0;
    for (int k = 0; k < directions; k++) {
        double angle = 2 * 3.14159265358979323846 * k / directions;
        MrnVec2 arm = {floe->belt * cos(angle), floe->belt * sin(angle)};
        MrnVec2 v = mrn_add2(drift, mrn_scale2(motion->spin - other->spin, mrn_perp2(arm)));
        largest = mrn_larger(largest, mrn_norm2(v));
    }
    return largest;
}

/// A of points of `floe` in the frame of the other.
static double bend_of(const MrnFloe *floe, const MrnFloePose *pose, const MrnFloeMotion *motion,
                      const MrnFloePose *other_pose, const MrnFloeMotion *other, double horizon) {
    MrnVec2 d = mrn_sub2(pose->position, other_pose->position), dv = mrn_sub2(motion->velocity, other->velocity);
    double w = other->spin, turn = motion->spin - w;
    MrnVec2 sum = mrn_add2(mrn_scale2(w, d), mrn_scale2(2, mrn_perp2(dv)));
    return fabs(w) * (mrn_norm2(sum) + fabs(w) * mrn_norm2(dv) * horizon) + turn * turn * floe->belt;
}

void mrn_floe_flight(MrnFloeFlight *f) {
    f->speed_b = mrn_floe_belt_speed(f->a, &f->pose_a, &f->motion_a, &f->pose_b, &f->motion_b);
    f->speed_a = mrn_floe_belt_speed(f->b, &f->pose_b, &f->motion_b, &f->pose_a, &f->motion_a);
    f->bend_b = bend_of(f->a, &f->pose_a, &f->motion_a, &f->pose_b, &f->motion_b, f->horizon);
    f->bend_a = bend_of(f->b, &f->pose_b, &f->motion_b, &f->pose_a, &f->motion_a, f->horizon);
}

/// Any points: either frame may be taken, because a distance does not depend on it.
static double far_time(const MrnFloeFlight *flight, double f) {
    return mrn_larger(time_to_zero(f, -flight->speed_a, flight->bend_a),
                      time_to_zero(f, -flight->speed_b, flight->bend_b));
}

double mrn_floe_reach(const MrnFloeFlight *flight, double least) {
    double s = flight->horizon;
    return least + mrn_smaller(flight->speed_a * s + 0.5 * flight->bend_a * s * s,
                               flight->speed_b * s + 0.5 * flight->bend_b * s * s);
}

double mrn_floe_outer_time(const MrnFloeFlight *f, double least) {
    MrnVec2 arm_a = mrn_rotate2(f->pose_a.c, f->pose_a.s, f->a->centre),
            arm_b = mrn_rotate2(f->pose_b.c, f->pose_b.s, f->b->centre);
    MrnVec2 d = mrn_add2(mrn_sub2(f->pose_b.position, f->pose_a.position), mrn_sub2(arm_b, arm_a));
    double length = mrn_norm2(d), gap = length - f->a->inner_radius - f->b->inner_radius - least;
    if (!(gap > 0)) return 0;
    MrnVec2 n = mrn_scale2(1 / length, d);
    MrnVec2 rate_a = mrn_add2(f->motion_a.velocity, mrn_scale2(f->motion_a.spin, mrn_perp2(arm_a)));
    MrnVec2 rate_b = mrn_add2(f->motion_b.velocity, mrn_scale2(f->motion_b.spin, mrn_perp2(arm_b)));
    double bend =
        f->motion_a.spin * f->motion_a.spin * mrn_norm2(arm_a) + f->motion_b.spin * f->motion_b.spin * mrn_norm2(arm_b);
    return time_to_zero(gap, mrn_dot2(n, mrn_sub2(rate_b, rate_a)), bend);
}

double mrn_floe_outer_time_plain(const MrnFloeFlight *f, double separation, double least) {
    MrnVec2 arm_a = mrn_rotate2(f->pose_a.c, f->pose_a.s, f->a->centre),
            arm_b = mrn_rotate2(f->pose_b.c, f->pose_b.s, f->b->centre);
    MrnVec2 d = mrn_add2(mrn_sub2(f->pose_b.position, f->pose_a.position), mrn_sub2(arm_b, arm_a));
    MrnVec2 dv = mrn_sub2(f->motion_b.velocity, f->motion_a.velocity);
    double closing = -mrn_dot2(d, dv) / mrn_norm2(d);
    return closing > 0 ? mrn_larger(0, separation - least) / closing : INFINITY;
}

/// Time for which the end points of the edge of one body stay `least` above the line through `foot` with normal `n`,
/// both fixed in the other body. Points of the edge move with `motion` about `arm`; see the head of the header.
static double edge_above_line(MrnVec2 p0, MrnVec2 p1, const MrnVec2 *own_centre, const MrnFloeMotion *own,
                              const MrnVec2 *other_centre, const MrnFloeMotion *other, MrnVec2 foot, MrnVec2 n,
                              double bend, double least) {
    double time = INFINITY;
    MrnVec2 dv = mrn_sub2(own->velocity, other->velocity);
    for (int k = 0; k < 2; k++) {
        MrnVec2 p = k ? p1 : p0;
        MrnVec2 v = mrn_add2(dv, mrn_sub2(mrn_scale2(own->spin, mrn_perp2(mrn_sub2(p, *own_centre))),
                                          mrn_scale2(other->spin, mrn_perp2(mrn_sub2(p, *other_centre)))));
        time = mrn_smaller(time, time_to_zero(mrn_dot2(n, mrn_sub2(p, foot)) - least, mrn_dot2(n, v), bend));
    }
    return time;
}

double mrn_floe_feature_time(const MrnFloeFlight *flight, const MrnFloeProbe *probe, double least) {
    MrnVec2 centre_a = {0, 0}, centre_b = mrn_sub2(flight->pose_b.position, flight->pose_a.position);
    double time = mrn_smaller(far_time(flight, probe->beyond - least), flight->horizon);
    if (time < flight->horizon)
        time = mrn_smaller(flight->horizon, mrn_larger(time, mrn_floe_outer_time(flight, least)));
    for (size_t k = 0; k < probe->facing.count; k++) {
        const MrnFloeFacing *f = &probe->facing.data[k];
        double above = least + f->round;
        MrnVec2 back = mrn_scale2(-1, f->normal);
        double own = edge_above_line(f->a0, f->a1, &centre_a, &flight->motion_a, &centre_b, &flight->motion_b,
                                     f->foot_b, back, flight->bend_b, above);
        if (own < time)
            own = mrn_larger(own, edge_above_line(f->b0, f->b1, &centre_b, &flight->motion_b, &centre_a,
                                                  &flight->motion_a, f->foot_a, f->normal, flight->bend_a, above));
        // Another line may separate the two edges for longer: that of a contact, as where a corner slides off an edge.
        for (size_t c = 0; c < probe->touches.count && own < time; c++) {
            MrnVec2 n = probe->touches.data[c].normal;
            double top_a = mrn_larger(mrn_dot2(n, f->a0), mrn_dot2(n, f->a1)),
                   low_b = mrn_smaller(mrn_dot2(n, f->b0), mrn_dot2(n, f->b1));
            if (!(low_b - top_a > above)) continue;
            MrnVec2 line_a = mrn_scale2(top_a, n), line_b = mrn_scale2(low_b, n);
            own = mrn_larger(own, edge_above_line(f->a0, f->a1, &centre_a, &flight->motion_a, &centre_b,
                                                  &flight->motion_b, line_b, mrn_scale2(-1, n), flight->bend_b, above));
            own = mrn_larger(own, edge_above_line(f->b0, f->b1, &centre_b, &flight->motion_b, &centre_a,
                                                  &flight->motion_a, line_a, n, flight->bend_a, above));
        }
        time = mrn_smaller(time, own);
        if (!(time > 0)) return 0;
    }
    return time;
}
