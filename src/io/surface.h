// The surface of shapes as points, polygons and lines, for programs that draw or measure them.
#ifndef MRN_IO_SURFACE_H
#define MRN_IO_SURFACE_H

#include "base/memory.h"
#include "geom/shape.h"

/// Points in the frame of the body; cells are lists of point numbers, one after the other.
typedef struct MrnSurface {
    MRN_ARRAY(double) points;        ///< 3 per point
    MRN_ARRAY(int32_t) polygons;     ///< outside counter-clockwise
    MRN_ARRAY(int32_t) polygon_ends; ///< per polygon: where it ends in `polygons`
    MRN_ARRAY(int32_t) strips;       ///< strips of triangles, the first of each counter-clockwise from outside
    MRN_ARRAY(int32_t) strip_ends;
    MRN_ARRAY(int32_t) lines;
    MRN_ARRAY(int32_t) line_ends;
} MrnSurface;

/// The part of an unbounded shape that is shown: near `centre` (in the frame of the body), as far as `reach`.
typedef struct MrnPatch {
    MrnVec3 centre;
    double reach;
} MrnPatch;

/// Append a shape; a full circle becomes `detail` pieces.
void mrn_surface_add(MrnSurface *surface, const MrnShape *shape, int detail, const MrnPatch *patch);
void mrn_surface_free(MrnSurface *surface);

typedef MRN_ARRAY(double) MrnRing; ///< 2 numbers per point, in the frame of the body
/// The outline of a bounded 2D shape, appended to `ring`: counter-clockwise, the last point is not the first again.
/// Round corners touch the true arcs with their points. Returns false where the shape is a line without thickness: then
/// `ring` holds its points in order (closed for the shape "ring").
bool mrn_surface_outline(const MrnShape *shape, int detail, MrnRing *ring);

#endif
