// Cracks through a floe: a straight cut from a point of the outline to the next point where it leaves the polygon.
//
// A chord whose inside lies in a simple polygon divides it into two simple polygons that share the chord. What always
// holds: areas, first and second moments of the two add up to those of the whole, to rounding; the outlines handed out
// for motion are drawn back from the chord by half the gap on either side, lie inside the polygon and are nowhere
// closer to each other than half the gap.
#ifndef MRN_GEOM_CRACK_H
#define MRN_GEOM_CRACK_H

#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>

typedef struct MrnCrack {
    MrnVec2 from, to;
    size_t from_edge, to_edge; ///< edge i goes from vertex i to the next; `from` may be its first vertex
    double length;             ///< m
} MrnCrack;

/// One side of a crack.
typedef struct MrnCrackPiece {
    size_t whole_count, count;
    double *whole;    ///< outline up to the chord
    double *vertices; ///< outline drawn back from it
} MrnCrackPiece;

/// Which cracks are allowed.
typedef struct MrnCrackRules {
    double smallest;  ///< m2, least area of a piece
    double angle;     ///< rad, a crack may turn away this much from the wanted direction
    int directions;   ///< tried on either side of it within that angle, 0..100
    double longest;   ///< m, longer ones are not looked for
    double corner;    ///< rad, least angle of a piece at either end of the crack
    double roundness; ///< most roundness of a piece, or that of the whole if it is less round; see geom/floe_shape.h
    double gap;       ///< m, between the outlines drawn back; or, where `gap_share` > 0,
    double gap_share; ///< over the square root of the area of the smaller piece
} MrnCrackRules;

/// Point of the outline nearest to `point`; its edge. A point within rounding of a vertex becomes that vertex.
MrnVec2 mrn_crack_start(size_t count, const double *vertices, MrnVec2 point, size_t *edge);
/// The chord that starts at a point of the outline into a direction (any length but 0). False if it does not go inside.
bool mrn_crack_along(size_t count, const double *vertices, MrnVec2 start, size_t edge, MrnVec2 direction,
                     MrnCrack *crack);
/// Cut; free the pieces. False, with nothing to free, if there is no room for the gap or a piece is not simple.
bool mrn_crack_cut(size_t count, const double *vertices, const MrnCrack *crack, const MrnCrackRules *rules,
                   MrnCrackPiece pieces[2]);
/// The shortest allowed crack from the outline near `point` about `direction`, and its pieces. Of equally long ones,
/// the one that turns less. False if there is none.
bool mrn_crack_shortest(size_t count, const double *vertices, MrnVec2 point, MrnVec2 direction,
                        const MrnCrackRules *rules, MrnCrack *crack, MrnCrackPiece pieces[2]);
void mrn_crack_free(MrnCrackPiece pieces[2]);

#endif
