// Tools for polygons: vertices are pairs x, y in one array, the polygon is closed from the last to the first.
#ifndef MRN_GEOM_POLYGON_H
#define MRN_GEOM_POLYGON_H

#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>

/// Area, first and second moments of a plane figure.
typedef struct MrnAreaMoments {
    double area;    ///< m2, positive when counter-clockwise
    MrnVec2 centre; ///< m
    double polar;   ///< m4: integral of the squared distance to the centre
} MrnAreaMoments;

/// Exact sign of the turn a, b, c: +1 to the left, -1 to the right, 0 when the three points are on one line.
int mrn_orientation(MrnVec2 a, MrnVec2 b, MrnVec2 c);
/// Two closed segments have a point in common (exact).
bool mrn_segments_meet(MrnVec2 a, MrnVec2 b, MrnVec2 c, MrnVec2 d);

double mrn_polygon_area(size_t count, const double *vertices); ///< m2, positive when counter-clockwise
MrnAreaMoments mrn_polygon_moments(size_t count, const double *vertices);
/// Moments of a convex counter-clockwise polygon grown by a disc of this radius (Minkowski sum, Steiner's formula).
MrnAreaMoments mrn_rounded_polygon_moments(size_t count, const double *vertices, double radius);

/// True when no two edges meet but neighbours at their common vertex; else the numbers of two edges that do (edge i
/// starts at vertex i).
bool mrn_polygon_is_simple(size_t count, const double *vertices, size_t edges[2]);
bool mrn_polygon_is_convex(size_t count, const double *vertices); ///< counter-clockwise and no reflex vertex
/// Point strictly inside, by crossings of a ray; either answer within rounding of the boundary.
bool mrn_polygon_contains(size_t count, const double *vertices, MrnVec2 point);

/// Counter-clockwise convex hull into `hull` (room for 2 count numbers), without collinear points. Returns its length.
size_t mrn_convex_hull(size_t count, const double *points, double *hull);
/// Smallest distance of two parallel lines that hold all the points.
double mrn_smallest_width(size_t count, const double *points);

static inline MrnVec2 mrn_vertex2(const double *vertices, size_t i) {
    return (MrnVec2){vertices[2 * i], vertices[2 * i + 1]};
}

#endif
