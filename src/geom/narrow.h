// Narrow phase: the points where two placed shapes touch or are closer than a margin.
//
// For each point: position, unit normal from B to A, signed gap (negative = overlap), and a feature number that names
// the pair of features (vertex, edge, face...) so that the same touching place has the same number from step to step.
//
// What always holds: gap is a differentiable function of the two poses whose derivative is the normal relative velocity
// at `position` (G* n = grad g, Moreau 2003 M23); position lies halfway between the two surfaces along the normal; two
// shapes that rest face on face give the corners of the common face, the same ones at every step; at most one point per
// feature number; order of points is by feature number; results do not depend on anything but the arguments; swapping A
// and B gives the same points with opposite normals. No limit on the number of points.
#ifndef MRN_GEOM_NARROW_H
#define MRN_GEOM_NARROW_H

#include "base/memory.h"
#include "geom/shape.h"

typedef struct MrnTouch {
    MrnVec3 position; ///< m, in space
    MrnVec3 normal;   ///< unit, from B to A
    double gap;       ///< m
    uint64_t feature; ///< names the pair of features
    /// Which bodies turn the normal: MRN_NORMAL_OF_A or _B, a sharp vertex of the other over a flat side;
    /// MRN_NORMAL_OF_EDGES, sharp edges that cross; otherwise 0.
    uint8_t carrier;
    MrnVec3 edge_a, edge_b; ///< unit, where edges cross
} MrnTouch;

enum { MRN_NORMAL_OF_A = 1, MRN_NORMAL_OF_B = 2, MRN_NORMAL_OF_EDGES = 3 };

typedef MRN_ARRAY(MrnTouch) MrnTouches;

/// Append to `touches` every touching place of shape a (in body pose pose_a) and shape b with gap < margin.
void mrn_touch_2d(const MrnShape *a, const MrnPose *pose_a, const MrnShape *b, const MrnPose *pose_b, double margin,
                  MrnTouches *touches);
void mrn_touch_3d(const MrnShape *a, const MrnPose *pose_a, const MrnShape *b, const MrnPose *pose_b, double margin,
                  MrnTouches *touches);

/// Where two balls (discs in 2D) touch. False if the gap is not below the margin.
bool mrn_touch_balls_2d(MrnVec3 centre_a, double radius_a, MrnVec3 centre_b, double radius_b, double margin,
                        MrnTouch *touch);
bool mrn_touch_balls_3d(MrnVec3 centre_a, double radius_a, MrnVec3 centre_b, double radius_b, double margin,
                        MrnTouch *touch);

#endif
