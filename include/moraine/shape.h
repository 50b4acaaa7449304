// Shapes: what a body is made of. 2D shapes live in the plane of x and y.
//
// A shape is given in its own frame and placed in the body by `position` and `rotation`. Solid shapes have mass; the
// others (half-plane, chain, plane, tube, funnel, mesh...) are obstacles and belong to fixed or driven bodies.
#ifndef MORAINE_SHAPE_H
#define MORAINE_SHAPE_H

#include <moraine/error.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// The shapes, each with the fields it uses:
//   disc        radius
//   polygon     vertices counter-clockwise, any simple polygon; radius rounds it outwards
//   chain       open line through the vertices, both sides solid; radius thickens it; a segment is a chain of 2
//   ring        the outside of a circle of `radius`: a 2D drum, bodies are inside
//   half-plane  solid below the line through the origin with normal +y (turned by rotation)
//   sphere      radius
//   box         half[3]
//   capsule     axis z, half[2] = half length of the axis, radius
//   cylinder    axis z, half[2] = half height, radius
//   polyhedron  convex hull of the vertices
//   plane       solid below the plane through the origin with normal +z (turned by rotation)
//   tube        inner side of a hollow cylinder: axis z, radius, half[2]; open ends: a drum
//   funnel      inner side of a hollow cone frustum: axis z, radius at z = -half[2], top_radius at z = +half[2]
//   mesh        triangles, outside given by the winding

/// The list of shapes: enum, name in scene files, dimension, has mass.
#define MRN_SHAPE_LIST(X)                                                                                              \
    X(MRN_SHAPE_DISC, "disc", 2, true)                                                                                 \
    X(MRN_SHAPE_POLYGON, "polygon", 2, true)                                                                           \
    X(MRN_SHAPE_CHAIN, "chain", 2, false)                                                                              \
    X(MRN_SHAPE_RING, "ring", 2, false)                                                                                \
    X(MRN_SHAPE_HALF_PLANE, "half-plane", 2, false)                                                                    \
    X(MRN_SHAPE_SPHERE, "sphere", 3, true)                                                                             \
    X(MRN_SHAPE_BOX, "box", 3, true)                                                                                   \
    X(MRN_SHAPE_CAPSULE, "capsule", 3, true)                                                                           \
    X(MRN_SHAPE_CYLINDER, "cylinder", 3, true)                                                                         \
    X(MRN_SHAPE_POLYHEDRON, "polyhedron", 3, true)                                                                     \
    X(MRN_SHAPE_PLANE, "plane", 3, false)                                                                              \
    X(MRN_SHAPE_TUBE, "tube", 3, false)                                                                                \
    X(MRN_SHAPE_FUNNEL, "funnel", 3, false)                                                                            \
    X(MRN_SHAPE_MESH, "mesh", 3, false)

typedef enum MrnShapeKind {
#define X(kind, name, dimension, solid) kind,
    MRN_SHAPE_LIST(X)
#undef X
        MRN_SHAPE_COUNT
} MrnShapeKind;

/// One shape. Start from mrn_shape_defaults(). Unused fields are zero.
typedef struct MrnShape {
    MrnShapeKind kind;
    int material;       ///< index of a material of the model, default 0
    double radius;      ///< m; see the list above; 0 for a sharp polygon
    double top_radius;  ///< m; funnel only
    double half[3];     ///< m; half sides of a box; half[2] of capsule, cylinder, tube, funnel
    double position[3]; ///< m; origin of the shape in the body frame; 2D uses x, y
    double rotation[4]; ///< shape to body: unit quaternion w, x, y, z; 2D uses rotation[0] as an angle in rad
    size_t vertex_count;
    double *vertices;  ///< 2 or 3 numbers per vertex, in the shape frame; owned by the model once added
    size_t face_count; ///< triangles of a mesh, faces of a polyhedron (made by the model from the hull)
    int *face_start;   ///< polyhedron: face f has vertices face_vertex[face_start[f] .. face_start[f+1]), outside
                       ///< counter-clockwise
    int *face_vertex;  ///< mesh: 3 per triangle
    void *tree;        ///< mesh and large polygon: bounding-volume tree made when the shape enters a model
} MrnShape;

/// A shape of this kind at the body origin, with zero sizes.
MrnShape mrn_shape_defaults(MrnShapeKind kind);
const char *mrn_shape_name(MrnShapeKind kind);
int mrn_shape_dimension(MrnShapeKind kind);
bool mrn_shape_is_solid(MrnShapeKind kind);

/// Mass, centre and inertia of a homogeneous solid shape in the body frame, for a given density.
typedef struct MrnMassProperties {
    double mass;          ///< kg (2D: density is kg/m2)
    double centre[3];     ///< m
    double inertia[3][3]; ///< kg m2 about the centre; 2D uses [2][2]
} MrnMassProperties;

MrnMassProperties mrn_shape_mass(const MrnShape *shape, double density);

#ifdef __cplusplus
}
#endif
#endif
