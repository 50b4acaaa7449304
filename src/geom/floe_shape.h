// Outlines of floes: measures of size and shape (Rabatel 2015, 1.3.1), and a catalogue made by a random process.
#ifndef MRN_GEOM_FLOE_SHAPE_H
#define MRN_GEOM_FLOE_SHAPE_H

#include <stddef.h>
#include <stdint.h>

/// Perimeter squared over 4 pi times the area: 1 for a circle, 1.27 for a square.
double mrn_roundness(size_t count, const double *vertices);
/// Mean caliper diameter: perimeter of the convex hull over pi. `work`: room for 2 count numbers.
double mrn_caliper_diameter(size_t count, const double *vertices, double *work);

/// Largest roundness of outlines of the catalogue, and of those taken from elsewhere (Rabatel 2015, 2.3).
#define MRN_FLOE_ROUNDNESS 1.5

/// Outline number `entity` of the catalogue `seed`: `corners` >= 8 vertices, counter-clockwise, star-shaped about its
/// centroid, which is the origin, with area 1 and roundness at most MRN_FLOE_ROUNDNESS. Broken ice: a polygon of 5 to 9
/// sides with worn corners, longer than wide, with a rough edge.
void mrn_floe_outline(uint64_t seed, uint64_t entity, size_t corners, double *vertices);

#endif
