// Regions of space that measures look at, and how much of a body lies in one.
#ifndef MRN_MEASURE_REGION_H
#define MRN_MEASURE_REGION_H

#include "model/model.h"
#include <moraine/run.h>

typedef enum MrnRegionKind {
    MRN_REGION_ALL, ///< everywhere
    MRN_REGION_BOX,
    MRN_REGION_BALL
} MrnRegionKind;

typedef struct MrnRegion {
    MrnRegionKind kind;
    double low[3], high[3];   ///< m; box
    double centre[3], radius; ///< m; ball (2D: disc)
} MrnRegion;

bool mrn_region_holds(const MrnRegion *region, int dimension, const double *point);
double mrn_region_volume(const MrnRegion *region, int dimension); ///< m3 (2D: m2); INFINITY everywhere

/// Area of the common part of a disc and a region, or volume of that of a ball, to rounding.
double mrn_region_of_disc(const MrnRegion *region, const double centre[2], double radius);
double mrn_region_of_ball(const MrnRegion *region, const double centre[3], double radius);

/// Volume (2D: area) of a body: the sum over its solid shapes.
double mrn_body_volume(const MrnModel *model, int body);
/// The part of that volume in the region. Exact for discs, balls and (in boxes) sharp polygons; any other shape counts
/// whole when its centre is inside. `exact` is set to false in the latter case, unless the shape is clearly inside or
/// outside.
double mrn_body_volume_in(const MrnModel *model, const MrnFrame *frame, int body, const MrnRegion *region, bool *exact);
/// Smallest box around the bounded shapes of the free bodies of a frame; false if there is none.
bool mrn_frame_box(const MrnModel *model, const MrnFrame *frame, MrnRegion *box);
/// Pose of a body of a frame.
MrnPose mrn_frame_pose(const MrnModel *model, const MrnFrame *frame, int body);
/// Farthest point of a body along a unit vector. Discs and balls are met; other shapes give that of their box.
double mrn_body_reach_along(const MrnModel *model, const MrnFrame *frame, int body, const double *direction);
/// A free body that is there.
bool mrn_frame_has(const MrnModel *model, const MrnFrame *frame, int body);

#endif
