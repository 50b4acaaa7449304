// Two outlines that come close: their separation, the contact frames of the four cases and the edges that face each
// other (Rabatel 2015, 2.1.3; specification of floes 2.3.3 to 2.3.6).
//
// What always holds: the normal points from body a to body b; a contact point is a vertex of one of them (moved by its
// rounding radius), and its gap is the distance of that vertex to a local minimum on the other outline; the separation
// is the true distance of the outlines where it is at most `reach`, and a lower bound of it above.
#ifndef MRN_COLLIDE_FLOE_PAIR_H
#define MRN_COLLIDE_FLOE_PAIR_H

#include "collide/floe.h"

/// Where a body is and how it moves.
typedef struct MrnFloePose {
    MrnVec2 position;
    double c, s; ///< cosine and sine of the angle
} MrnFloePose;

typedef struct MrnFloeMotion {
    MrnVec2 velocity;
    double spin;
} MrnFloeMotion;

/// A contact frame. Points are seen from the mass centre of a, on the axes of space.
typedef struct MrnFloeTouch {
    MrnVec2 point;
    MrnVec2 normal;   ///< N, unit, from a to b; T = (N_y, -N_x)
    double gap;       ///< m
    uint64_t feature; ///< kind of contact, corner of a, corner of b
    int32_t material_a, material_b;
} MrnFloeTouch;

/// Two edges that face each other, seen from the mass centre of a, on the axes of space.
typedef struct MrnFloeFacing {
    MrnVec2 a0, a1, b0, b1;
    MrnVec2 foot_a, foot_b; ///< closest points, without rounding
    MrnVec2 normal;         ///< unit, from foot_a to foot_b
    double distance;        ///< m, without rounding
    double round;           ///< m, sum of both rounding radii
} MrnFloeFacing;

/// Where the edge of a contact is: 0 on body a, 1 on body b, -1: corner to corner.
int mrn_floe_touch_edge(const MrnFloeTouch *touch);

/// What is asked of a pair.
typedef struct MrnFloeQuery {
    int a, b;
    MrnFloePose pose_a, pose_b; ///< of an image: the translated position
    double distance_a;          ///< a vertex of a is a contact point within this distance of b
    double distance_b;          ///< and a vertex of b within this distance of a
    double reach;               ///< edges closer than this are wanted, >= both distances
    double cone_tolerance;      ///< sine
    bool cone_filter;
} MrnFloeQuery;

/// An edge in the frame of the pair: seen from the mass centre of a, on the axes of space.
typedef struct MrnFloeEdge {
    MrnVec2 start, end, along;
    MrnVec2 back; ///< unit vector to the corner before the start
    double length, round;
    int32_t corner, material;
    bool reflex;
} MrnFloeEdge;

/// What is known of a pair; keeps its memory from query to query.
typedef struct MrnFloeProbe {
    double separation;               ///< m; see above; < 0: the outlines cross
    double beyond;                   ///< m, >= reach: edges that are not in `facing` are at least this far apart
    MRN_ARRAY(MrnFloeTouch) touches; ///< in the order of their features
    MRN_ARRAY(MrnFloeFacing) facing;
    MRN_ARRAY(MrnFloeEdge) edges; ///< scratch
    MRN_ARRAY(int32_t) list;      ///< scratch
} MrnFloeProbe;

void mrn_floe_examine(const MrnFloeSet *set, const MrnFloeQuery *query, MrnFloeProbe *probe);
void mrn_floe_probe_free(MrnFloeProbe *probe);

static inline MrnFloePose mrn_floe_pose(MrnVec2 position, double angle) {
    return (MrnFloePose){position, cos(angle), sin(angle)};
}

/// Distance of the level-0 discs less their margins kappa: a lower bound of the separation (2.1.7).
double mrn_floe_outer_gap(const MrnFloe *a, const MrnFloePose *pose_a, const MrnFloe *b, const MrnFloePose *pose_b);

#endif
