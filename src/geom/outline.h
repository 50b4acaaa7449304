// The outline of a prepared polygon or chain: what the narrow phase reads, kept in MrnShape.tree.
//
// An outline is one or more closed loops of edges with the solid on their left. A chain is walked along one side and
// back along the other, so both of its sides are edges and each of its inner vertices is a convex corner on one side
// and a reflex one on the other. Boxes over runs of 8, 64, 512... consecutive edges let a search skip what is far.
#ifndef MRN_GEOM_OUTLINE_H
#define MRN_GEOM_OUTLINE_H

#include "geom/shape.h"
#include <stdint.h>

/// A vertex and the edge that leaves it.
typedef struct MrnCorner {
    MrnVec2 point;
    MrnVec2 end;           ///< where the edge ends
    MrnVec2 along;         ///< unit vector of the edge that leaves; its outward normal is (along.y, -along.x)
    MrnVec2 along_before;  ///< unit vector of the edge that arrives
    MrnVec2 along_after;   ///< unit vector of the edge that leaves the end
    double length;         ///< of the edge that leaves
    double length_before;  ///< of the edge that arrives
    double length_after;   ///< of the edge that leaves the end
    int32_t before, after; ///< the edge that arrives; the vertex where the edge ends
    bool convex;           ///< the solid is convex at the vertex
    bool end_convex;       ///< and at the end of the edge
    bool thin;             ///< edge of a chain: there is nothing behind it
} MrnCorner;

typedef struct MrnBox2 {
    MrnVec2 low, high;
} MrnBox2;

typedef struct MrnOutline {
    int32_t count;      ///< corners
    bool solid;         ///< encloses an area (false for a chain)
    bool convex;        ///< no reflex corner
    double extent;      ///< largest side of the box
    MrnBox2 box;        ///< of all corners
    int level_count;    ///< of boxes over runs of 8^1, 8^2... edges
    MrnBox2 *level[10]; ///< level[k][i] holds edges [i 8^(k+1), (i+1) 8^(k+1))
    MrnCorner corner[];
} MrnOutline;

/// The outline of the vertices of a checked polygon or chain, in one block: free() it.
MrnOutline *mrn_outline_new(const MrnShape *shape);
/// Point strictly inside a solid outline; either answer within rounding of the boundary.
bool mrn_outline_contains(const MrnOutline *outline, MrnVec2 point);

#endif
