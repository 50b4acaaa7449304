// Outlines of all bodies with their two-level hierarchy of discs (Rabatel 2015, 2.1.3; specification of floes 2.3).
//
// A body is one or more closed outlines, open lines or points, each with a radius that rounds it. Level 1: discs about
// some corners that cover the outline and its collision zone; level 0: one disc that holds all of level 1, about the
// centre of the smallest enclosing circle. What always holds: every edge belongs to exactly one level-1 disc, lies in
// it and stays `collision distance` away from its border; level 1 is inside level 0; kappa is the gap between the
// level-0 disc and the outline.
#ifndef MRN_COLLIDE_FLOE_H
#define MRN_COLLIDE_FLOE_H

#include "base/memory.h"
#include "base/vec.h"
#include "model/model.h"

/// The larger and the smaller of two numbers in inner loops: fmax and fmin, which look for NaN, are calls.
static inline double mrn_larger(double a, double b) {
    return a > b ? a : b;
}

static inline double mrn_smaller(double a, double b) {
    return a < b ? a : b;
}

/// A corner and the edge that leaves it; in the frame of the body, whose origin is the mass centre of free bodies. The
/// last corner of an open line, and a disc, have an edge of length 0.
typedef struct MrnFloeCorner {
    MrnVec2 point;
    MrnVec2 end;     ///< where the edge ends
    MrnVec2 forward; ///< unit vector to the next corner; 0 where there is none
    MrnVec2 back;    ///< unit vector to the corner before; 0 where there is none
    double length;   ///< of the edge
    bool reflex;     ///< the solid is not convex here
} MrnFloeCorner;

/// A disc of level 1 about a corner, for a run of edges.
typedef struct MrnFloeDisc {
    MrnVec2 centre;
    double reach;         ///< m, holds the edges
    double round;         ///< m, radius that rounds them
    int32_t first, count; ///< edges, by their first corner
    int32_t material;
} MrnFloeDisc;

typedef struct MrnFloe {
    int32_t first_corner, corner_count, first_disc, disc_count;
    double distance;     ///< eta, collision distance; INFINITY for bodies without area: then the other body's counts
    MrnVec2 centre;      ///< of the level-0 disc, body frame
    double inner_radius; ///< R_min: holds the body
    double kappa;        ///< 6/5 of the largest level-1 radius
    double belt;         ///< radius about the origin that holds the body
} MrnFloe;

typedef struct MrnFloeSet {
    MRN_ARRAY(MrnFloe) floes; ///< one per body of the model
    MRN_ARRAY(MrnFloeCorner) corners;
    MRN_ARRAY(MrnFloeDisc) discs;
} MrnFloeSet;

/// How outlines are made.
typedef struct MrnFloeRules {
    double collision_distance; ///< over the square root of the area
    int span;                  ///< n_p: a level-1 disc stands for 2 n_p edges; 0: by the number of corners
} MrnFloeRules;

#define MRN_FLOE_MARGIN 1.2 ///< kappa over the largest level-1 radius

/// Outlines of all bodies of a 2D model. NULL with an error that names a body whose shape has none (ring).
MrnFloeSet *mrn_floe_set_new(const MrnModel *model, const MrnFloeRules *rules, MrnError *error);
void mrn_floe_set_free(MrnFloeSet *set);
/// eta of one body: given, or `rule` times the square root of its area; INFINITY for a body without area.
double mrn_floe_collision_distance(const MrnModel *model, size_t body, double rule);

/// Radius of a level-1 disc as the thesis gives it: edges and collision zone.
static inline double mrn_floe_disc_radius(const MrnFloe *floe, const MrnFloeDisc *disc) {
    return disc->reach + (isfinite(floe->distance) ? floe->distance : 0);
}
/// R_0
static inline double mrn_floe_outer_radius(const MrnFloe *floe) {
    return floe->inner_radius + floe->kappa;
}

#endif
