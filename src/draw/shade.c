// Light on a finished depth buffer: one key light with soft shadow, light from the eye, light from the sky dimmed in
// crevices, and ink on outlines.
//
// Every pixel uses the same set of sampling directions, spread over its samples: pictures are free of noise.
#include "draw/raster.h"
#include "draw/palette.h"

#include <stdlib.h>
#include <string.h>

/// Radius of the blur of shadows, over the width of the map.
#define SHADOW_SOFTNESS 0.003

enum { OCCLUSION_TAPS = 6, SHADOW_TAPS = 4 };

typedef struct Tap {
    float x, y;
} Tap; ///< in a disc of radius 1

/// A spiral of `count` points that covers the disc evenly.
static void spiral(Tap *taps, int count) {
    for (int i = 0; i < count; i++) {
        double radius = sqrt((i + 0.5) / count), angle = 2.399963229728653 * i;
        taps[i] = (Tap){(float)(radius * cos(angle)), (float)(radius * sin(angle))};
    }
}

// fmin and fmax are calls because of NaN, which does not occur here.
static inline double least(double a, double b) {
    return a < b ? a : b;
}
static inline double most(double a, double b) {
    return a > b ? a : b;
}

static MrnVec3 normal_at(const MrnRaster *raster, size_t at) {
    const int16_t *n = raster->normal + 3 * at;
    return (MrnVec3){n[0] * (1 / 32767.0), n[1] * (1 / 32767.0), n[2] * (1 / 32767.0)};
}

/// Share of the sky that neighbours within the radius hide.
static double occlusion(const MrnRaster *raster, const MrnCamera *camera, double radius, const Tap *taps, int x, int y,
                        MrnVec3 p, MrnVec3 n) {
    double pixels = radius * camera->focal / (camera->perspective ? p.z : 1), hidden = 0;
    pixels = least(most(pixels, 3), 0.12 * raster->width);
    double reach = pixels * (camera->perspective ? p.z : 1) / camera->focal;
    for (int k = 0; k < OCCLUSION_TAPS; k++) {
        int qx = x + (int)lrint(pixels * taps[k].x), qy = y + (int)lrint(pixels * taps[k].y);
        if (qx < 0 || qy < 0 || qx >= raster->width || qy >= raster->height) continue;
        float z = raster->depth[(size_t)qy * (size_t)raster->width + (size_t)qx];
        if (!(z < INFINITY)) continue;
        MrnVec3 v = mrn_sub3(mrn_camera_unproject(camera, qx, qy, z), p);
        double square = mrn_dot3(v, v), along = mrn_dot3(v, n);
        if (along <= 0) continue;
        double cosine = along / sqrt(square) - 0.08;
        if (cosine > 0) hidden += cosine / (1 + square / (reach * reach));
    }
    return least(1, 2.1 * hidden / OCCLUSION_TAPS);
}

/// Share of the key light that arrives.
static double lit(const MrnCamera *camera, const MrnShading *shading, const Tap *taps, MrnVec3 p, MrnVec3 n) {
    double soft = SHADOW_SOFTNESS * shading->shadow->width;
    // Away from the surface by the width of the filter, or it would shade itself where the light grazes it.
    p = mrn_axpy3(p, 1.2 * soft / shading->lamp->focal, n);
    MrnVec3 space = camera->eye;
    space = mrn_axpy3(space, p.x, camera->right);
    space = mrn_axpy3(space, p.y, camera->up);
    space = mrn_axpy3(space, p.z, camera->forward);
    MrnVec3 q = mrn_camera_see(shading->lamp, space);
    const MrnRaster *map = shading->shadow;
    double mx = shading->lamp->middle_x + shading->lamp->focal * q.x,
           my = shading->lamp->middle_y - shading->lamp->focal * q.y;
    int open = 0;
    for (int k = 0; k < SHADOW_TAPS; k++) {
        int x = (int)floor(mx + soft * taps[k].x), y = (int)floor(my + soft * taps[k].y);
        bool outside = x < 0 || y < 0 || x >= map->width || y >= map->height;
        open += outside || !(map->depth[(size_t)y * (size_t)map->width + (size_t)x] < q.z - shading->shadow_bias);
    }
    return (double)open / SHADOW_TAPS;
}

/// How dark ink makes a sample: borders between bodies, and sharp edges of one body.
static double ink_at(const MrnRaster *raster, int x, int y, MrnVec3 n, double strength) {
    size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
    uint32_t owner = raster->owner[at];
    double dark = 0;
    const int step[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    for (int k = 0; k < 4; k++) {
        int qx = x + step[k][0], qy = y + step[k][1];
        if (qx < 0 || qy < 0 || qx >= raster->width || qy >= raster->height) continue;
        size_t q = (size_t)qy * (size_t)raster->width + (size_t)qx;
        if (raster->owner[q] != owner) {
            // Only the nearer side is inked, so that lines keep their width.
            if (raster->depth[at] <= raster->depth[q]) dark = most(dark, 0.75);
        } else if (mrn_dot3(normal_at(raster, q), n) < 0.75) {
            dark = most(dark, 0.35);
        }
    }
    return strength * dark;
}

void mrn_raster_shade(const MrnRaster *raster, const MrnCamera *camera, const MrnShading *shading, float *out) {
    int ss = shading->supersample, width = raster->width / ss, height = raster->height / ss, cells = ss * ss;
    double linear[256];
    for (int i = 0; i < 256; i++) linear[i] = mrn_color_linear(i / 255.0);
    // Dealt out like cards, so that each sample of a pixel sees the whole disc.
    Tap spread[16 * OCCLUSION_TAPS], taps[16][OCCLUSION_TAPS];
    spiral(spread, cells * OCCLUSION_TAPS);
    for (int i = 0; i < cells * OCCLUSION_TAPS; i++) taps[i % cells][i / cells] = spread[i];
    Tap soft[16][SHADOW_TAPS];
    spiral(spread, cells * SHADOW_TAPS);
    for (int i = 0; i < cells * SHADOW_TAPS; i++) soft[i % cells][i / cells] = spread[i];
    for (int py = 0; py < height; py++)
        for (int px = 0; px < width; px++) {
            double sum[4] = {0, 0, 0, 0};
            for (int cell = 0; cell < cells; cell++) {
                int x = px * ss + cell % ss, y = py * ss + cell / ss;
                size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
                double color[3] = {shading->paper[0], shading->paper[1], shading->paper[2]}, share = 0;
                if (raster->owner[at]) {
                    uint32_t paint = raster->color[at];
                    share = (paint >> 24) / 255.0;
                    MrnVec3 p = mrn_camera_unproject(camera, x, y, raster->depth[at]), n = normal_at(raster, at);
                    MrnVec3 eye = camera->perspective ? mrn_scale3(-1 / mrn_norm3(p), p) : (MrnVec3){0, 0, -1};
                    double facing = most(0, mrn_dot3(n, eye)), key = most(0, mrn_dot3(n, shading->light));
                    if (key > 0 && shading->shadow) key *= lit(camera, shading, soft[cell], p, n);
                    double sky = 0.75 + 0.25 * mrn_dot3(n, shading->up), closed = 0;
                    if (shading->occlusion_radius > 0)
                        closed = occlusion(raster, camera, shading->occlusion_radius, taps[cell], x, y, p, n);
                    double light = 0.36 * sky * (1 - closed) + 0.16 * facing * (1 - 0.6 * closed) +
                                   0.66 * key * (1 - 0.25 * closed);
                    MrnVec3 half = mrn_normalize3(mrn_add3(eye, shading->light));
                    double gloss = most(0, mrn_dot3(n, half)), shine = key > 0 ? gloss * gloss : 0;
                    shine *= shine, shine *= shine, shine *= shine * shine; // 24th power
                    double ink = shading->ink > 0 && share == 1 ? 1 - ink_at(raster, x, y, n, shading->ink) : 1;
                    for (int k = 0; k < 3; k++) {
                        double shaded =
                            ink * (light * linear[(paint >> (16 - 8 * k)) & 0xff] + (share == 1 ? 0.05 * shine : 0));
                        color[k] += share * (shaded - color[k]);
                    }
                }
                if (raster->veil)
                    for (int k = 0; k < 3; k++)
                        color[k] = shading->veil[k] + raster->veil[at] * (color[k] - shading->veil[k]);
                for (int k = 0; k < 3; k++) sum[k] += least(1, color[k]);
                sum[3] += share;
            }
            float *pixel = out + 4 * ((size_t)py * (size_t)width + (size_t)px);
            for (int k = 0; k < 4; k++) pixel[k] = (float)(sum[k] / cells);
        }
}
