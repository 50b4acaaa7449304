// 3D shapes into a raster.
#ifndef MRN_DRAW_SOLID_H
#define MRN_DRAW_SOLID_H

#include "draw/raster.h"
#include "geom/shape.h"

/// What of a shape is drawn: its opaque surfaces, or the translucent ones (near sides of tubes, funnels and meshes that
/// are seen from outside).
typedef enum MrnSolidPass { MRN_PASS_OPAQUE, MRN_PASS_VEIL } MrnSolidPass;

/// Draw a shape whose frame has the pose `pose` (planes are not drawn here). Round surfaces are cut finely enough for
/// this camera.
void mrn_solid_draw(MrnRaster *raster, const MrnCamera *camera, const MrnShape *shape, const MrnPose *pose,
                    MrnPaint paint, MrnSolidPass pass);
/// A straight round bar from a to b.
void mrn_solid_bar(MrnRaster *raster, const MrnCamera *camera, MrnVec3 a, MrnVec3 b, double radius, MrnPaint paint);

#endif
