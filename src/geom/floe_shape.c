// Size and shape of floes, and outlines by a random process.
//
// The process: sides at distances h_j with outward directions b_j, made round by a norm of high power,
//   r(a) = (sum_j max(0, cos(a - b_j) / h_j)^p)^(-1/p),
// stretched along one axis, times 1 + sum_m c_m cos(m a + f_m) with c_m falling as m^-1.2. What always holds: the
// outline depends on seed and number alone.
#include "geom/floe_shape.h"
#include "base/random.h"
#include "geom/polygon.h"

#include <assert.h>
#include <math.h>

#define PI 3.14159265358979323846

static double perimeter(size_t count, const double *vertices) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += mrn_norm2(mrn_sub2(mrn_vertex2(vertices, (i + 1) % count), mrn_vertex2(vertices, i)));
    return sum;
}

double mrn_roundness(size_t count, const double *vertices) {
    double length = perimeter(count, vertices);
    return length * length / (4 * PI * fabs(mrn_polygon_area(count, vertices)));
}

double mrn_caliper_diameter(size_t count, const double *vertices, double *work) {
    size_t corners = mrn_convex_hull(count, vertices, work);
    return perimeter(corners, work) / PI;
}

enum { SIDES = 9, WAVES = 8 };

/// One draw; `roughness` scales what makes the outline less round.
static void draw(uint64_t seed, uint64_t entity, uint64_t attempt, double roughness, size_t corners, double *vertices) {
    uint64_t key = entity * 64 + attempt, n = 0;
#define UNIT() mrn_random_unit(seed, key, n++)
    int sides = 5 + (int)(5 * UNIT());
    double distance[SIDES], direction[SIDES], power = 6 + 10 * UNIT();
    double stretch = 1 + 0.6 * roughness * UNIT(), axis = PI * UNIT();
    for (int j = 0; j < sides; j++) {
        direction[j] = 2 * PI * (j + roughness * (UNIT() - 0.5)) / sides;
        distance[j] = 1 + 0.4 * roughness * (UNIT() - 0.5);
    }
    double size[WAVES], phase[WAVES];
    for (int m = 0; m < WAVES; m++) {
        size[m] = 0.36 * roughness * (2 * UNIT() - 1) * pow(m + 2, -1.2);
        phase[m] = 2 * PI * UNIT();
    }
    for (size_t i = 0; i < corners; i++) {
        double angle = 2 * PI * ((double)i + 0.5 * (UNIT() - 0.5)) / (double)corners, sum = 0, wave = 1;
        for (int j = 0; j < sides; j++) sum += pow(fmax(0, cos(angle - direction[j]) / distance[j]), power);
        for (int m = 0; m < WAVES; m++) wave += size[m] * cos((m + 2) * angle + phase[m]);
        double r = pow(sum, -1 / power) * wave;
        // Stretching along an axis keeps the outline star-shaped.
        double along = r * cos(angle - axis) * stretch, across = r * sin(angle - axis);
        vertices[2 * i] = along * cos(axis) - across * sin(axis);
        vertices[2 * i + 1] = along * sin(axis) + across * cos(axis);
    }
#undef UNIT
}

/// Every edge turns counter-clockwise about the origin.
static int is_star(size_t count, const double *vertices) {
    for (size_t i = 0; i < count; i++)
        if (!(mrn_cross2(mrn_vertex2(vertices, i), mrn_vertex2(vertices, (i + 1) % count)) > 0)) return 0;
    return 1;
}

void mrn_floe_outline(uint64_t seed, uint64_t entity, size_t corners, double *vertices) {
    assert(corners >= 8);
    for (uint64_t attempt = 0; attempt < 64; attempt++) {
        // Later attempts are smoother: the last are nearly regular, so that one of them is round enough.
        draw(seed, entity, attempt, 1 - (double)attempt / 64, corners, vertices);
        MrnAreaMoments moments = mrn_polygon_moments(corners, vertices);
        double scale = 1 / sqrt(moments.area);
        for (size_t i = 0; i < corners; i++) {
            vertices[2 * i] = scale * (vertices[2 * i] - moments.centre.x);
            vertices[2 * i + 1] = scale * (vertices[2 * i + 1] - moments.centre.y);
        }
        if (is_star(corners, vertices) && mrn_roundness(corners, vertices) <= MRN_FLOE_ROUNDNESS) return;
    }
    for (size_t i = 0; i < corners; i++) {
        double angle = 2 * PI * (double)i / (double)corners,
               r = sqrt(2 / ((double)corners * sin(2 * PI / (double)corners)));
        vertices[2 * i] = r * cos(angle), vertices[2 * i + 1] = r * sin(angle);
    }
}
