// A floe pack for tests, cases and benchmarks, made from a seed.
//
// Discs of power-law sizes are thrown into a periodic cell, the largest first; their Laguerre cells tile the plane;
// each cell is shrunk about its centroid to the wanted concentration and given about 25 corners, some pushed in. So no
// two floes overlap, whatever the concentration below 1.
#include "verify/floe_pack.h"
#include "base/error.h"
#include "base/random.h"
#include "force/environment.h"
#include "force/forcing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static double nearest_image(double d, double side) {
    return d - side * round(d / side);
}

/// Keep the part of a convex polygon where n . p <= level.
static int clip(double *p, int count, double nx, double ny, double level) {
    double out[256];
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const double *a = p + 2 * i, *b = p + 2 * ((i + 1) % count);
        double da = nx * a[0] + ny * a[1] - level, db = nx * b[0] + ny * b[1] - level;
        if (da <= 0) out[2 * kept] = a[0], out[2 * kept + 1] = a[1], kept++;
        if ((da < 0 && db > 0) || (da > 0 && db < 0)) {
            double t = da / (da - db);
            out[2 * kept] = a[0] + t * (b[0] - a[0]), out[2 * kept + 1] = a[1] + t * (b[1] - a[1]), kept++;
        }
    }
    memcpy(p, out, 2 * (size_t)kept * sizeof(double));
    return kept;
}

/// Outline with about 25 corners from a convex cell: points along its edges, every third pushed in a little.
static void roughen(MrnPackedFloe *floe, const double *cell, int count, double shrink, uint64_t seed) {
    double length = 0, cx = 0, cy = 0, area = 0;
    for (int i = 0; i < count; i++) {
        const double *a = cell + 2 * i, *b = cell + 2 * ((i + 1) % count);
        double c = a[0] * b[1] - a[1] * b[0];
        length += hypot(b[0] - a[0], b[1] - a[1]);
        area += c / 2, cx += c * (a[0] + b[0]) / 6, cy += c * (a[1] + b[1]) / 6;
    }
    cx /= area, cy /= area;
    floe->count = 0;
    for (int i = 0; i < count; i++) {
        const double *a = cell + 2 * i, *b = cell + 2 * ((i + 1) % count);
        int parts = (int)ceil(25 * hypot(b[0] - a[0], b[1] - a[1]) / length);
        for (int k = 0; k < parts && floe->count < 60; k++) {
            double t = (double)k / parts, x = a[0] + t * (b[0] - a[0]), y = a[1] + t * (b[1] - a[1]);
            double in = shrink * (1 - 0.05 * mrn_random_unit(seed, (uint64_t)i, (uint64_t)k));
            floe->vertices[2 * floe->count] = cx + in * (x - cx);
            floe->vertices[2 * floe->count + 1] = cy + in * (y - cy);
            floe->count++;
        }
    }
}

MrnFloePack mrn_floe_pack_new(int count, double largest, double smallest, double concentration, uint64_t seed) {
    MrnFloePack pack = {.count = count, .floes = mrn_alloc_zero((size_t)count, sizeof(MrnPackedFloe))};
    double exponent = log((double)count) / log(largest / smallest), area = 0;
    for (int i = 0; i < count; i++) {
        pack.floes[i].radius = 0.5 * largest * pow(i + 1, -1 / exponent);
        area += PI * pack.floes[i].radius * pack.floes[i].radius;
    }
    pack.side = sqrt(area / 0.55); // discs thrown at random, the largest first, reach that
    if (pack.side < 1.35 * largest) pack.side = 1.35 * largest;
    uint64_t draw = 0;
    for (int i = 0; i < count; i++) {
        MrnPackedFloe *floe = &pack.floes[i];
        floe->thickness = mrn_random_between(seed, 2, (uint64_t)i, 0.25, 0.38);
        for (long tries = 0;; tries++) {
            floe->x = mrn_random_between(seed, 1, draw++, -0.5, 0.5) * pack.side;
            floe->y = mrn_random_between(seed, 1, draw++, -0.5, 0.5) * pack.side;
            bool free = true;
            for (int k = 0; k < i && free; k++) {
                double dx = nearest_image(floe->x - pack.floes[k].x, pack.side),
                       dy = nearest_image(floe->y - pack.floes[k].y, pack.side),
                       r = floe->radius + pack.floes[k].radius;
                free = dx * dx + dy * dy > r * r;
            }
            if (free) break;
            if (tries % 10000 == 9999) floe->radius *= 0.95;
        }
    }
    for (int i = 0; i < count; i++) {
        MrnPackedFloe *floe = &pack.floes[i];
        double cell[256] = {-pack.side, -pack.side, pack.side, -pack.side, pack.side, pack.side, -pack.side, pack.side};
        int corners = 4;
        for (int k = 0; k < count; k++)
            for (int image = 0; image < 9; image++) {
                double dx = pack.floes[k].x - floe->x + (image % 3 - 1) * pack.side,
                       dy = pack.floes[k].y - floe->y + (image / 3 - 1) * pack.side, d2 = dx * dx + dy * dy;
                if (d2 == 0) continue;
                double level = 0.5 * (d2 + floe->radius * floe->radius - pack.floes[k].radius * pack.floes[k].radius);
                corners = clip(cell, corners, dx, dy, level);
            }
        roughen(floe, cell, corners, sqrt(concentration / 0.95), seed + 1000 + (uint64_t)i);
    }
    return pack;
}

MrnModel *mrn_ice_model(void) {
    MrnModel *model = mrn_model_new(2);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = 0.7, law.normal_restitution = 0.4;
    mrn_model_add_material(model, "ice", 917);
    mrn_model_set_law(model, -1, -1, law);
    return model;
}

bool mrn_add_ice(MrnModel *model, const double *vertices, int count, double x, double y, double angle, double thickness,
                 MrnError *error) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = (size_t)count;
    shape.vertices = (double *)vertices;
    MrnBodyDef def = mrn_body_defaults(2);
    def.position[0] = x, def.position[1] = y, def.rotation[0] = angle;
    def.shape_count = 1, def.shapes = &shape;
    def.mass = 917 * thickness * mrn_shape_mass(&shape, 1).mass;
    return mrn_model_add_body(model, &def, error) >= 0;
}

bool mrn_add_drift(MrnModel *model, double area, MrnError *error) {
    static const double wind[] = {0, 0, 0, 12, -10, -4, 45, -10, -4, 46, -4, 10, 47, 8, 6, 48, 2, -12, 300, 2, -12};
    static const double current[] = {0, 0, 0, 12, -0.08, 0.03, 45, -0.08, 0.05, 48, 0.04, -0.09, 300, 0.04, -0.09};
    double rows[2][21];
    MrnEnvironment environment = mrn_environment_defaults();
    for (int k = 0; k < 21; k++) rows[0][k] = k % 3 ? wind[k] : 3600 * wind[k];
    for (int k = 0; k < 15; k++) rows[1][k] = k % 3 ? current[k] : 3600 * current[k];
    environment.latitude = 80.2 * PI / 180;
    environment.ocean = true;
    environment.ocean_area = area;
    return mrn_forcing_table(&environment.wind, rows[0], 7, error) &&
           mrn_forcing_table(&environment.current, rows[1], 5, error) &&
           mrn_environment_attach(model, &environment, error);
}

MrnModel *mrn_floe_pack_model(const MrnFloePack *pack, int tiles, MrnError *error) {
    MrnModel *model = mrn_ice_model();
    bool good = true;
    double side = tiles * pack->side;
    for (int i = 0; i < tiles; i++)
        for (int j = 0; j < tiles; j++)
            for (int k = 0; k < pack->count && good; k++) {
                const MrnPackedFloe *floe = &pack->floes[k];
                uint64_t tile = (uint64_t)(i * tiles + j);
                double thickness = tile ? mrn_random_between(77, tile, (uint64_t)k, 0.25, 0.38) : floe->thickness;
                good = mrn_add_ice(model, floe->vertices, floe->count, floe->x + (i + 0.5) * pack->side,
                                   floe->y + (j + 0.5) * pack->side, 0, thickness, error);
            }
    mrn_model_set_period(model, (double[2]){0, 0}, (double[2]){side, side});
    if (good && mrn_add_drift(model, side * side, error)) return model;
    mrn_model_free(model);
    return NULL;
}
