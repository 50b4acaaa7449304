// Triangles that fill a simple polygon, for integrals over a floe (Rabatel 2015, 2.1.1: about 25 per floe, whatever its
// size) and for drawing.
#ifndef MRN_GEOM_TRIANGULATE_H
#define MRN_GEOM_TRIANGULATE_H

#include <stdbool.h>
#include <stddef.h>

/// A conforming triangulation. The first `boundary_count` vertices are those of the polygon, in order; the others were
/// added on edges or inside.
typedef struct MrnTriangulation {
    size_t vertex_count, boundary_count;
    double *vertices; ///< x, y
    size_t triangle_count;
    int *triangles; ///< 3 vertices each, counter-clockwise
} MrnTriangulation;

/// Triangulate a simple counter-clockwise polygon: constrained Delaunay, refined until there are at least `elements`
/// triangles and none is larger than twice their mean wanted area. `elements` = 0: no refinement. False when the
/// polygon cannot be cut into triangles (it is not simple, or degenerate within rounding); then nothing is allocated.
bool mrn_triangulate(size_t count, const double *vertices, size_t elements, MrnTriangulation *out);
void mrn_triangulation_free(MrnTriangulation *mesh);

#endif
