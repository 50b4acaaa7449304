// Life of a shape: checks, derived data, bounding boxes. See moraine/shape.h for the public part.
#ifndef MRN_GEOM_SHAPE_H
#define MRN_GEOM_SHAPE_H

#include "base/vec.h"
#include <moraine/shape.h>

/// Check sizes and vertices (positive, finite, simple polygon, non-flat hull...) and make derived data in place: a
/// polygon is turned counter-clockwise, repeated and collinear vertices are dropped, a polyhedron gets its hull faces
/// (coplanar triangles merged), a mesh its tree. The message of a failure says which quantity is wrong and its value,
/// without file or body name.
bool mrn_shape_prepare(MrnShape *shape, MrnError *error);
void mrn_shape_free(MrnShape *shape);           ///< frees vertices, faces and tree
MrnShape mrn_shape_copy(const MrnShape *shape); ///< deep copy; prepared again if the source was

/// A rigid placement. 2D uses x, y of position and (cosine, sine).
typedef struct MrnPose {
    MrnVec3 position;
    MrnMat3 rotation; ///< 3D: columns are the body axes in space; 2D: m[0][0] = cosine, m[1][0] = sine
} MrnPose;

typedef struct MrnBox {
    MrnVec3 low, high;
} MrnBox; ///< axis-aligned; z unused in 2D

/// A half-space (2D: half-plane) normal . x <= offset.
typedef struct MrnHalfSpace {
    MrnVec3 normal; ///< unit
    double offset;  ///< m
} MrnHalfSpace;

/// The half-space that a plane or half-plane is; false for other shapes.
bool mrn_shape_half_space(const MrnShape *shape, const MrnPose *body, MrnHalfSpace *half_space);
/// Bounding box of a shape of a body with pose `body`. Unbounded shapes give +-INFINITY where they are unbounded.
MrnBox mrn_shape_bounds(const MrnShape *shape, const MrnPose *body);
/// Radius of the smallest centred ball (about the body origin) that holds the shape; INFINITY if unbounded.
double mrn_shape_reach(const MrnShape *shape);
/// A length that says how large the shape is: half its smallest width for solids (radius of a disc); used for
/// tolerances.
double mrn_shape_size(const MrnShape *shape);

#endif
