// Spheres, triangles and planes into a depth buffer.
//
// Spheres are met exactly along the ray of each sample, so their outline and depth are right in perspective too.
// Triangles interpolate 1/z, which is linear on the screen.
#include "draw/raster.h"
#include "base/memory.h"

#include <stdlib.h>

MrnRaster mrn_raster_new(int width, int height, bool depth_only) {
    size_t n = (size_t)width * (size_t)height;
    MrnRaster raster = {.width = width, .height = height, .depth = mrn_alloc(n, sizeof(float))};
    for (size_t i = 0; i < n; i++) raster.depth[i] = INFINITY;
    if (!depth_only) {
        raster.color = mrn_alloc_zero(n, sizeof *raster.color);
        raster.normal = mrn_alloc_zero(n, 3 * sizeof *raster.normal);
        raster.owner = mrn_alloc_zero(n, sizeof *raster.owner);
    }
    return raster;
}

void mrn_raster_free(MrnRaster *raster) {
    free(raster->depth);
    free(raster->color);
    free(raster->normal);
    free(raster->owner);
    free(raster->veil);
    *raster = (MrnRaster){0};
}

void mrn_raster_add_veil(MrnRaster *raster) {
    if (raster->veil) return;
    size_t n = (size_t)raster->width * (size_t)raster->height;
    raster->veil = mrn_alloc(n, sizeof *raster->veil);
    for (size_t i = 0; i < n; i++) raster->veil[i] = 1;
}

static inline void put(MrnRaster *raster, size_t at, double z, MrnVec3 n, uint32_t color, uint32_t owner) {
    raster->depth[at] = (float)z;
    if (!raster->color) return;
    raster->color[at] = color;
    raster->owner[at] = owner;
    int16_t *normal = raster->normal + 3 * at;
    normal[0] = (int16_t)(32767 * n.x), normal[1] = (int16_t)(32767 * n.y), normal[2] = (int16_t)(32767 * n.z);
}

static uint32_t darker(uint32_t color, double share) {
    uint32_t out = color & 0xff000000u;
    for (int shift = 0; shift < 24; shift += 8) out |= (uint32_t)(((color >> shift) & 0xff) * share) << shift;
    return out;
}

static int clamp_int(double x, int low, int high) {
    return !(x > low) ? low : x < high ? (int)x : high;
}

/// Slopes of the two tangents from the eye to a circle (u, z) of radius r, z > r.
static void tangent_slopes(double u, double z, double r, double *low, double *high) {
    double root = r * sqrt(u * u + z * z - r * r), base = z * z - r * r;
    *low = (u * z - root) / base, *high = (u * z + root) / base;
}

void mrn_raster_sphere(MrnRaster *raster, const MrnCamera *camera, MrnVec3 centre, double radius, MrnPaint paint) {
    MrnVec3 c = mrn_camera_see(camera, centre);
    double x0, x1, y0, y1, f = camera->focal;
    if (camera->perspective) {
        if (c.z - radius <= camera->near) return;
        tangent_slopes(c.x, c.z, radius, &x0, &x1);
        tangent_slopes(c.y, c.z, radius, &y0, &y1);
    } else {
        x0 = c.x - radius, x1 = c.x + radius, y0 = c.y - radius, y1 = c.y + radius;
    }
    int left = clamp_int(camera->middle_x + f * x0 - 0.5, 0, raster->width - 1),
        right = clamp_int(camera->middle_x + f * x1 + 0.5, 0, raster->width - 1);
    int top = clamp_int(camera->middle_y - f * y1 - 0.5, 0, raster->height - 1),
        bottom = clamp_int(camera->middle_y - f * y0 + 0.5, 0, raster->height - 1);
    MrnVec3 band = paint.band ? mrn_camera_turn(camera, *paint.band) : (MrnVec3){0, 0, 0};
    uint32_t banded = paint.band ? darker(paint.color, 0.78) : paint.color;
    double inverse_f = 1 / f, inverse_r = 1 / radius, outside = mrn_dot3(c, c) - radius * radius;
    for (int y = top; y <= bottom; y++) {
        double dy = (camera->middle_y - y - 0.5) * inverse_f;
        for (int x = left; x <= right; x++) {
            double dx = (x + 0.5 - camera->middle_x) * inverse_f, z;
            MrnVec3 hit;
            if (camera->perspective) {
                double a = dx * dx + dy * dy + 1, b = dx * c.x + dy * c.y + c.z, under = b * b - a * outside;
                if (under < 0) continue;
                z = (b - sqrt(under)) / a;
                hit = (MrnVec3){z * dx, z * dy, z};
            } else {
                double u = dx - c.x, v = dy - c.y, under = radius * radius - u * u - v * v;
                if (under < 0) continue;
                z = c.z - sqrt(under);
                hit = (MrnVec3){dx, dy, z};
            }
            size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
            if (!(z < raster->depth[at])) continue;
            MrnVec3 n = mrn_scale3(inverse_r, mrn_sub3(hit, c));
            put(raster, at, z, n, paint.band && fabs(mrn_dot3(n, band)) < 0.2 ? banded : paint.color, paint.owner);
        }
    }
}

typedef struct Corner {
    MrnVec3 p, n;
} Corner; ///< camera coordinates

/// How much a translucent surface hides: more where it is seen edge-on.
static double veil_share(double facing) {
    return 0.06 + 0.34 * (1 - facing) * (1 - facing);
}

static void fill_triangle(MrnRaster *raster, const MrnCamera *camera, const Corner *corner, MrnPaint paint,
                          MrnSides sides) {
    double sx[3], sy[3], w[3];
    for (int i = 0; i < 3; i++) {
        w[i] = camera->perspective ? 1 / corner[i].p.z : 1;
        sx[i] = camera->middle_x + camera->focal * corner[i].p.x * w[i];
        sy[i] = camera->middle_y - camera->focal * corner[i].p.y * w[i];
    }
    // On the screen y points down: counter-clockwise corners have negative area.
    double area = (sx[1] - sx[0]) * (sy[2] - sy[0]) - (sx[2] - sx[0]) * (sy[1] - sy[0]);
    bool front = area < 0;
    if (area == 0 || !isfinite(area)) return;
    if ((sides == MRN_SIDES_FRONT && !front) || (sides == MRN_SIDES_VEIL_BACK && front)) return;
    double sign = front ? 1 : -1, inverse = 1 / area;
    int left = clamp_int(fmin(sx[0], fmin(sx[1], sx[2])) - 0.5, 0, raster->width - 1),
        right = clamp_int(fmax(sx[0], fmax(sx[1], sx[2])), 0, raster->width - 1);
    int top = clamp_int(fmin(sy[0], fmin(sy[1], sy[2])) - 0.5, 0, raster->height - 1),
        bottom = clamp_int(fmax(sy[0], fmax(sy[1], sy[2])), 0, raster->height - 1);
    for (int y = top; y <= bottom; y++)
        for (int x = left; x <= right; x++) {
            double px = x + 0.5, py = y + 0.5;
            double b1 = ((px - sx[0]) * (sy[2] - sy[0]) - (sx[2] - sx[0]) * (py - sy[0])) * inverse;
            double b2 = ((sx[1] - sx[0]) * (py - sy[0]) - (px - sx[0]) * (sy[1] - sy[0])) * inverse;
            double b0 = 1 - b1 - b2;
            if (b0 < 0 || b1 < 0 || b2 < 0) continue;
            double z = camera->perspective ? 1 / (b0 * w[0] + b1 * w[1] + b2 * w[2])
                                           : b0 * corner[0].p.z + b1 * corner[1].p.z + b2 * corner[2].p.z;
            size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
            if (!(z < raster->depth[at])) continue;
            if (!raster->color) {
                raster->depth[at] = (float)z;
                continue;
            }
            b0 *= w[0], b1 *= w[1], b2 *= w[2];
            MrnVec3 n = mrn_axpy3(mrn_axpy3(mrn_scale3(b0, corner[0].n), b1, corner[1].n), b2, corner[2].n);
            double norm = mrn_norm3(n);
            if (!(norm > 0)) continue;
            n = mrn_scale3(sign / norm, n);
            if (sides != MRN_SIDES_VEIL_BACK) {
                put(raster, at, z, n, paint.color, paint.owner);
            } else if (raster->veil) {
                MrnVec3 ray =
                    camera->perspective ? mrn_normalize3(mrn_camera_unproject(camera, x, y, z)) : (MrnVec3){0, 0, 1};
                raster->veil[at] *= (float)(1 - veil_share(fmin(1, fabs(mrn_dot3(n, ray)))));
            }
        }
}

static Corner cut(const Corner *a, const Corner *b, double near) {
    double s = (near - a->p.z) / (b->p.z - a->p.z);
    return (Corner){mrn_axpy3(a->p, s, mrn_sub3(b->p, a->p)), mrn_axpy3(a->n, s, mrn_sub3(b->n, a->n))};
}

void mrn_raster_triangle(MrnRaster *raster, const MrnCamera *camera, const MrnVec3 corner[3], const MrnVec3 normal[3],
                         MrnPaint paint, MrnSides sides) {
    Corner in[3], out[4];
    int count = 0;
    for (int i = 0; i < 3; i++) in[i] = (Corner){mrn_camera_see(camera, corner[i]), mrn_camera_turn(camera, normal[i])};
    if (!camera->perspective) {
        fill_triangle(raster, camera, in, paint, sides);
        return;
    }
    for (int i = 0; i < 3; i++) {
        const Corner *a = &in[i], *b = &in[(i + 1) % 3];
        bool a_in = a->p.z > camera->near, b_in = b->p.z > camera->near;
        if (a_in) out[count++] = *a;
        if (a_in != b_in) out[count++] = cut(a, b, camera->near);
    }
    for (int i = 2; i < count; i++)
        fill_triangle(raster, camera, (Corner[3]){out[0], out[i - 1], out[i]}, paint, sides);
}

static double smooth_fall(double x, double from, double to) {
    double t = (x - from) / (to - from);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    return 1 - t * t * (3 - 2 * t);
}

void mrn_raster_ground(MrnRaster *raster, const MrnCamera *camera, const MrnGround *ground, const MrnGround *others,
                       int other_count, MrnPaint paint) {
    MrnVec3 o = mrn_camera_see(camera, ground->origin), n = mrn_camera_turn(camera, ground->normal),
            e = mrn_camera_turn(camera, ground->along);
    MrnVec3 across = mrn_cross3(n, e), centre = mrn_camera_see(camera, ground->centre);
    double height = mrn_dot3(o, n);
    if (camera->perspective ? height >= 0 : n.z >= 0) return; // seen from below
    // Other planes in camera coordinates: normal and distance.
    struct {
        MrnVec3 normal;
        double distance;
    } *bounds = mrn_alloc((size_t)other_count + 1, sizeof *bounds);
    int bound_count = 0;
    for (int i = 0; i < other_count; i++) {
        if (&others[i] == ground) continue;
        bounds[bound_count].normal = mrn_camera_turn(camera, others[i].normal);
        bounds[bound_count].distance = mrn_dot3(mrn_camera_see(camera, others[i].origin), bounds[bound_count].normal);
        bound_count++;
    }
    for (int y = 0; y < raster->height; y++)
        for (int x = 0; x < raster->width; x++) {
            MrnVec3 at0 = mrn_camera_unproject(camera, x, y, camera->perspective ? 1 : 0);
            double z = camera->perspective ? height / mrn_dot3(at0, n) : (height - mrn_dot3(at0, n)) / n.z;
            size_t at = (size_t)y * (size_t)raster->width + (size_t)x;
            if (!(z > camera->near) || !(z < raster->depth[at])) continue;
            MrnVec3 p = mrn_camera_unproject(camera, x, y, z);
            bool hidden = false;
            for (int i = 0; i < bound_count && !hidden; i++)
                hidden = mrn_dot3(p, bounds[i].normal) < bounds[i].distance;
            double opacity =
                hidden ? 0 : smooth_fall(mrn_norm3(mrn_sub3(p, centre)), ground->fade_from, ground->fade_to);
            if (opacity < 1.0 / 255) continue;
            // A grid line keeps its width on the screen.
            double sample = (camera->perspective ? z : 1) / camera->focal, half = 0.5 * ground->line * sample;
            MrnVec3 r = mrn_sub3(p, o);
            double u = mrn_dot3(r, e) / ground->spacing, v = mrn_dot3(r, across) / ground->spacing;
            bool line = fabs(u - round(u)) * ground->spacing < half || fabs(v - round(v)) * ground->spacing < half;
            uint32_t color = (line ? ground->line_color : paint.color) & 0xffffffu;
            put(raster, at, z, n, color | (uint32_t)(255 * opacity) << 24, paint.owner);
        }
    free(bounds);
}
