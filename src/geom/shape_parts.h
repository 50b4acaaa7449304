// The two halves behind shape.c: each function of geom/shape.h for shapes of the plane and for shapes of space.
// shape.c picks one by mrn_shape_dimension; no one else calls these.
#ifndef MRN_GEOM_SHAPE_PARTS_H
#define MRN_GEOM_SHAPE_PARTS_H

#include "geom/shape.h"

bool mrn_shape_prepare_2d(MrnShape *shape, MrnError *error);
MrnMassProperties mrn_shape_mass_2d(const MrnShape *shape, double density);
MrnBox mrn_shape_bounds_2d(const MrnShape *shape, const MrnPose *body);
double mrn_shape_reach_2d(const MrnShape *shape);
double mrn_shape_size_2d(const MrnShape *shape);

bool mrn_shape_prepare_3d(MrnShape *shape, MrnError *error);
MrnMassProperties mrn_shape_mass_3d(const MrnShape *shape, double density);
MrnBox mrn_shape_bounds_3d(const MrnShape *shape, const MrnPose *body);
double mrn_shape_reach_3d(const MrnShape *shape);
double mrn_shape_size_3d(const MrnShape *shape);
void mrn_shape_free_tree_3d(
    MrnShape *shape); ///< frees shape->tree and sets it to NULL; the tree of a 2D shape is one block

#endif
