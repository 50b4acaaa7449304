// What the files of the plane's narrow phase share: the pair at work and how a contact is reported.
#ifndef MRN_GEOM_NARROW_2D_H
#define MRN_GEOM_NARROW_2D_H

#include "geom/narrow.h"
#include "geom/outline.h"

/// A vertex faces an edge when the edges of the vertex do not go behind it by more than this sine: the second corner of
/// a block that rocks on its face is a contact before it lands.
#define FACING 0.1

typedef enum FeatureKind { VERTEX_EDGE, EDGE_VERTEX, VERTEX_VERTEX } FeatureKind;

/// A rigid placement: turn, then shift.
typedef struct MrnPlacement2 {
    double c, s;
    MrnVec2 origin;
} MrnPlacement2;

/// Two shapes, A against B. Computed in the frame of shape B.
typedef struct MrnPair2 {
    MrnPlacement2 space;     ///< frame of B to space
    MrnPlacement2 turn;      ///< frame of A to frame of B
    const MrnOutline *a, *b; ///< NULL where the shape has none
    double radius_a, radius_b;
    double margin, reach; ///< reach: margin plus both radii
    double touching, same_corner;
    bool sharp;          ///< two outlines without radius
    bool flip;           ///< the caller's A is B here
    bool doubtful;       ///< some contacts are marked
    bool overlap, apart; ///< an overlap was reported; the outlines were proved to be apart
    MrnTouches *touches;
    size_t first; ///< of this pair in touches
} MrnPair2;

static inline uint64_t mrn_feature_2d(FeatureKind kind, int32_t in_a, int32_t in_b) {
    return (uint64_t)kind << 48 | (uint64_t)in_a << 24 | (uint64_t)in_b;
}

static inline MrnVec2 mrn_to_space_2d(const MrnPlacement2 *place, MrnVec2 local) {
    return mrn_add2(place->origin, mrn_rotate2(place->c, place->s, local));
}

static inline MrnVec2 mrn_to_local_2d(const MrnPlacement2 *place, MrnVec2 point) {
    return mrn_rotate2(place->c, -place->s, mrn_sub2(point, place->origin));
}

/// Box around a box of one frame in another one, grown by `reach`.
static inline MrnBox2 mrn_box_in_2d(const MrnBox2 *box, double c, double s, MrnVec2 origin, double reach) {
    MrnVec2 half = mrn_scale2(0.5, mrn_sub2(box->high, box->low)),
            middle = mrn_scale2(0.5, mrn_add2(box->high, box->low));
    MrnVec2 centre = mrn_add2(origin, mrn_rotate2(c, s, middle));
    double x = fabs(c) * half.x + fabs(s) * half.y + reach, y = fabs(s) * half.x + fabs(c) * half.y + reach;
    return (MrnBox2){{centre.x - x, centre.y - y}, {centre.x + x, centre.y + y}};
}

/// Report a contact with gap < margin: `point` on A without its radius, `normal` from B to A and `distance` without
/// radii, all in the frame of B.
void mrn_emit_touch_2d(MrnPair2 *pair, MrnVec2 point, MrnVec2 normal, double distance, uint64_t feature);
/// The last contact is a sharp vertex of A (or B) over a flat side of the other.
void mrn_mark_face_2d(MrnPair2 *pair, bool of_a);
/// Mark the last contact: its vertex (of A or B) is deep behind the edge but only `close` to another one that it does
/// not face. It is dropped in the end if a much shallower contact is near.
void mrn_mark_doubtful_2d(MrnPair2 *pair, double close, bool of_a);

void mrn_touch_outlines_2d(MrnPair2 *pair);     ///< polygon with polygon or chain
void mrn_touch_disc_outline_2d(MrnPair2 *pair); ///< disc A with polygon or chain B

#endif
