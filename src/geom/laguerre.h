// Cells of a weighted Voronoi (Laguerre, power) diagram within a zone of any shape: the room that each floe of a pack
// has to itself.
//
// What always holds: cells are convex, do not overlap, lie in the zone, and a disc of radius sqrt(weight) about a site
// that overlaps no other such disc nor the edge of the zone lies in the cell of its site. Near hollows of a zone that
// is not convex the cells leave some room unused.
#ifndef MRN_GEOM_LAGUERRE_H
#define MRN_GEOM_LAGUERRE_H

#include "base/vec.h"
#include <stdbool.h>
#include <stddef.h>

/// A polygonal zone with an index of its edges. Free with mrn_zone_free.
typedef struct MrnZone {
    size_t count;
    double *vertices; ///< counter-clockwise
    double area;
    MrnVec2 low, high;
    int columns;                ///< of the index, and rows
    int *bucket_start, *bucket; ///< edges by bucket
} MrnZone;

MrnZone mrn_zone_new(size_t count, const double *vertices); ///< a simple polygon, either way round; copied
void mrn_zone_free(MrnZone *zone);
bool mrn_zone_contains(const MrnZone *zone, MrnVec2 point);
/// Distance from a point to the edge of the zone, cut at `limit`.
double mrn_zone_distance(const MrnZone *zone, MrnVec2 point, double limit);

/// Sites in classes of size: class k holds sites with `size` (a length given once) between largest / 2^(k+1) and
/// largest / 2^k.
typedef struct MrnSiteIndex MrnSiteIndex;
/// Index of all sites. `size` > 0 need not be the square root of the weights, but neighbours are found fastest when it
/// is near.
MrnSiteIndex *mrn_site_index_new(size_t count, const MrnVec2 *sites, const double *weights, const double *sizes,
                                 const MrnZone *zone);
void mrn_site_index_free(MrnSiteIndex *index);

/// A convex cell: corners counter-clockwise. Work space is kept between calls.
typedef struct MrnCell {
    size_t count, capacity;
    MrnVec2 *corners;
    int *neighbour;         ///< of the edge that leaves a corner: the site on its other side, -1: the edge of the zone
    MrnVec2 *other_corners; ///< work space
    int *other_neighbour;   ///< work space
} MrnCell;

/// The cell of one site; empty (count 0) where other sites leave it no room.
void mrn_laguerre_cell(const MrnSiteIndex *index, const MrnZone *zone, size_t site, MrnCell *cell);
void mrn_cell_free(MrnCell *cell);
/// Area and centroid of a cell with at least 3 corners.
double mrn_cell_area(const MrnCell *cell, MrnVec2 *centroid);
/// Distance from a point inside to the nearest edge.
double mrn_cell_inner_radius(const MrnCell *cell, MrnVec2 point);
/// Rate of change of the area with the weight of the site: sum over neighbours of edge length over twice the distance.
double mrn_cell_growth(const MrnCell *cell, const MrnVec2 *sites, size_t site);

#endif
