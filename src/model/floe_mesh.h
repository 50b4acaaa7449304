// The mesh of a plane body: triangles for integrals over it and for drawing, with the points of the 3-point rule of
// each triangle (Rabatel 2015, 2.1.1), in the frame of the body.
//
// What always holds: the weights add up to the area of the body; point arrays are padded to a multiple of 8 with points
// of weight 0.
#ifndef MRN_MODEL_FLOE_MESH_H
#define MRN_MODEL_FLOE_MESH_H

#include <moraine/shape.h>

#define MRN_FLOE_ELEMENTS 25 ///< wanted triangles per body (Rabatel 2015, 2.1.1)

typedef struct MrnFloeMesh {
    size_t vertex_count, triangle_count;
    double *vertices;  ///< x, y
    int *triangles;    ///< 3 vertices each, counter-clockwise
    double *thickness; ///< m, per triangle; NULL: uniform
    double area;       ///< m2
    double centre[2];  ///< m, centre of the area; the mass centre is the origin
    size_t point_count;
    double *x, *y, *weight; ///< quadrature points, m and m2; one block that begins at x, on a 64-byte boundary
} MrnFloeMesh;

/// Triangles of solid plane shapes, placed in the body: about `elements` in all. A disc becomes a polygon of the same
/// area. NULL when a shape cannot be cut into triangles. No quadrature points yet.
MrnFloeMesh *mrn_floe_mesh_new(const MrnShape *shapes, size_t shape_count, size_t elements);
void mrn_floe_mesh_free(MrnFloeMesh *mesh);
/// Give each triangle the thickness of the sample (rows x, y, thickness) nearest to its centroid.
void mrn_floe_mesh_set_thickness(MrnFloeMesh *mesh, const double *samples, size_t sample_count);
/// Mass, centre and inertia for a mass per volume and the thickness of the triangles.
MrnMassProperties mrn_floe_mesh_mass(const MrnFloeMesh *mesh, double density);
/// Move the origin to `centre` and make the quadrature points.
void mrn_floe_mesh_settle(MrnFloeMesh *mesh, const double centre[2]);

#endif
