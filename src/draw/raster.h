// A small software renderer: a camera, and a buffer that keeps for each sample the nearest surface (depth, normal,
// colour, owner).
//
// Camera coordinates: x to the right, y up, z forward, in metres from the eye.
#ifndef MRN_DRAW_RASTER_H
#define MRN_DRAW_RASTER_H

#include "base/vec.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct MrnCamera {
    MrnVec3 eye, right, up, forward;
    bool perspective;
    double focal;              ///< samples per unit of slope; parallel projection: samples per metre
    double middle_x, middle_y; ///< samples, where the optical axis meets the raster
    double near;               ///< m; what is closer is cut off (perspective)
} MrnCamera;

typedef struct MrnRaster {
    int width, height;
    float *depth;    ///< camera z, INFINITY: nothing
    uint32_t *color; ///< opacity, red, green, blue from the highest byte; NULL: depth only
    int16_t *normal; ///< 3 per sample, camera coordinates, times 32767
    uint32_t *owner; ///< 0: nothing
    float *veil;     ///< share of light that translucent surfaces in front let through, or NULL
} MrnRaster;

MrnRaster mrn_raster_new(int width, int height, bool depth_only);
void mrn_raster_free(MrnRaster *raster);
void mrn_raster_add_veil(MrnRaster *raster); ///< all 1

typedef struct MrnPaint {
    uint32_t color;      ///< as in MrnRaster
    uint32_t owner;      ///< > 0
    const MrnVec3 *band; ///< unit axis in space: a darker band around it shows rotation (spheres); or NULL
} MrnPaint;

static inline MrnVec3 mrn_camera_turn(const MrnCamera *camera, MrnVec3 v) {
    return (MrnVec3){mrn_dot3(camera->right, v), mrn_dot3(camera->up, v), mrn_dot3(camera->forward, v)};
}
static inline MrnVec3 mrn_camera_see(const MrnCamera *camera, MrnVec3 p) {
    return mrn_camera_turn(camera, mrn_sub3(p, camera->eye));
}
/// The point at camera depth z behind the middle of a sample.
static inline MrnVec3 mrn_camera_unproject(const MrnCamera *camera, int x, int y, double z) {
    double s = (camera->perspective ? z : 1) / camera->focal;
    return (MrnVec3){s * (x + 0.5 - camera->middle_x), s * (camera->middle_y - y - 0.5), z};
}

void mrn_raster_sphere(MrnRaster *raster, const MrnCamera *camera, MrnVec3 centre, double radius, MrnPaint paint);

/// Which sides of triangles are drawn. The front is where the corners turn counter-clockwise.
typedef enum MrnSides { MRN_SIDES_FRONT, MRN_SIDES_BOTH, MRN_SIDES_VEIL_BACK } MrnSides;
/// A triangle with corners and unit normals in space. With MRN_SIDES_VEIL_BACK only the back is drawn, as a veil: call
/// it after all opaque surfaces.
void mrn_raster_triangle(MrnRaster *raster, const MrnCamera *camera, const MrnVec3 corner[3], const MrnVec3 normal[3],
                         MrnPaint paint, MrnSides sides);

/// A plane through `origin` with unit normal, seen from its front only, with grid lines; fades between two distances
/// from `centre`.
typedef struct MrnGround {
    MrnVec3 origin, normal, along; ///< `along`: direction of one family of grid lines
    MrnVec3 centre;
    double fade_from, fade_to; ///< m
    double spacing;            ///< m, of grid lines
    double line;               ///< samples, width of a grid line
    uint32_t line_color;
} MrnGround;
/// Parts behind any of the `others` (grounds that bound the same room) are left out.
void mrn_raster_ground(MrnRaster *raster, const MrnCamera *camera, const MrnGround *ground, const MrnGround *others,
                       int other_count, MrnPaint paint);

/// Light and ink, in linear light.
typedef struct MrnShading {
    MrnVec3 light;           ///< unit, towards the light, camera coordinates
    MrnVec3 up;              ///< unit, camera coordinates
    double paper[3];         ///< background, linear
    double veil[3];          ///< colour of translucent surfaces, linear
    double occlusion_radius; ///< m; 0: none
    double ink;              ///< strength of outlines, 0..1
    int supersample;
    const MrnRaster *shadow; ///< depth seen from the light, or NULL
    const MrnCamera *lamp;   ///< its camera
    double shadow_bias;      ///< m
} MrnShading;
/// Shade all samples and average them: `out` gets 3 linear components per pixel, and coverage (4 floats).
void mrn_raster_shade(const MrnRaster *raster, const MrnCamera *camera, const MrnShading *shading, float *out);

#endif
