// Convex hull of points in space, and the table of faces and edges of a convex polyhedron.
//
// What always holds: every face is a convex polygon, counter-clockwise from outside, with at least three vertices;
// coplanar triangles are merged; every vertex belongs to at least three faces; V - E + F = 2. Vertices keep the order
// in which they were given; each face starts at its lowest vertex and faces are sorted, so that the hull of the
// vertices of a hull is the same hull.
#ifndef MRN_GEOM_HULL_H
#define MRN_GEOM_HULL_H

#include "base/vec.h"
#include <moraine/error.h>
#include <stddef.h>

typedef struct MrnHull {
    int vertex_count, face_count;
    int *vertex;      ///< index of each kept point among the points given, increasing
    int *face_start;  ///< face_count + 1 entries
    int *face_vertex; ///< indices of kept vertices
} MrnHull;

/// Hull of `count` points (3 numbers each). Points closer to the hull of the others than 1e-9 of the extent are
/// dropped.
bool mrn_hull_make(const double *points, size_t count, MrnHull *hull, MrnError *error);
void mrn_hull_free(MrnHull *hull);

/// An edge runs from `from` to `to` counter-clockwise around face `left`; `right` is the face on its other side (-1:
/// none).
typedef struct MrnEdge {
    int from, to, left, right;
} MrnEdge;

/// Faces, edges and normals of a convex polyhedron, in its own frame.
typedef struct MrnFacets {
    int vertex_count, face_count, edge_count;
    const int *face_start, *face_vertex; ///< belong to the shape
    MrnEdge *edges;
    MrnVec3 *normals;  ///< unit, outwards, one per face
    double half_width; ///< m, half the smallest distance between two parallel supporting planes
} MrnFacets;

/// The table for a hull whose vertices are `vertices` (3 numbers each). The result is one block: free() it.
MrnFacets *mrn_facets_new(const double *vertices, int vertex_count, int face_count, const int *face_start,
                          const int *face_vertex);

#endif
