// How long two bodies that move at constant velocity and spin stay apart (Rabatel 2015, 2.1.5; specification of floes
// 2.5).
//
// Of a point P of body a, seen in the frame of body b, the acceleration is at most
//     |w_b| (|w_b D + 2 J dv| + |w_b| |dv| S) + (w_a - w_b)^2 R_a
// over a time S, with D from the centre of b to that of a, dv = v_a - v_b and J the turn by 90 degrees: then a distance
// f with rate r stays above f + r s - A s^2 / 2. The bounds of `features` and the level-0 one use that and are proven.
#ifndef MRN_COLLIDE_FLOE_BOUND_H
#define MRN_COLLIDE_FLOE_BOUND_H

#include "collide/floe_pair.h"

/// Two bodies in motion.
typedef struct MrnFloeFlight {
    const MrnFloe *a, *b;
    MrnFloePose pose_a, pose_b;
    MrnFloeMotion motion_a, motion_b;
    double horizon;          ///< S: bounds longer than this are not looked for
    double bend_a, bend_b;   ///< A, in the frame of a (points of b move) and of b; see mrn_floe_flight
    double speed_a, speed_b; ///< Gamma now: of points of b in the frame of a, and of points of a in the frame of b
} MrnFloeFlight;

/// Fills bends and speeds.
void mrn_floe_flight(MrnFloeFlight *flight);

/// Gamma of one body's belt in the frame of the other, now (2.5.2, closed form): exact maximum over the belt.
double mrn_floe_belt_speed(const MrnFloe *floe, const MrnFloePose *pose, const MrnFloeMotion *motion,
                           const MrnFloePose *other_pose, const MrnFloeMotion *other_motion);
/// The same over a finite number of directions (2.5.3): an estimate from below.
double mrn_floe_belt_speed_sampled(const MrnFloe *floe, const MrnFloePose *pose, const MrnFloeMotion *motion,
                                   const MrnFloePose *other_pose, const MrnFloeMotion *other_motion, int directions);

/// Time until the level-0 discs, less their margins, come within `least`; INFINITY beyond the horizon.
double mrn_floe_outer_time(const MrnFloeFlight *flight, double least);
/// The thesis' form of it: no rotation of the centres (2.5.1).
double mrn_floe_outer_time_plain(const MrnFloeFlight *flight, double separation, double least);
/// Time for which every pair of edges stays farther apart than `least`, from a probe of the present positions.
double mrn_floe_feature_time(const MrnFloeFlight *flight, const MrnFloeProbe *probe, double least);
/// Reach that a probe needs so that edges it leaves out cannot come within `least` before the horizon.
double mrn_floe_reach(const MrnFloeFlight *flight, double least);

#endif
