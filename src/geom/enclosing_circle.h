// The smallest circle that holds a set of points.
#ifndef MRN_GEOM_ENCLOSING_CIRCLE_H
#define MRN_GEOM_ENCLOSING_CIRCLE_H

#include "base/vec.h"
#include <stddef.h>

typedef struct MrnCircle {
    MrnVec2 centre;
    double radius;
} MrnCircle;

/// Holds every point to rounding: the radius is the largest distance from the centre. count >= 1.
MrnCircle mrn_enclosing_circle(size_t count, const MrnVec2 *points);

#endif
