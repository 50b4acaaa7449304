// Shapes of the plane for tests: random numbers, polygons, poses.
#ifndef MRN_TESTS_PLANE_H
#define MRN_TESTS_PLANE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "geom/narrow.h"
#include "geom/outline.h"
#include "geom/polygon.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t draws;
static inline double uniform(double low, double high) {
    return mrn_random_between(2003, 1, draws++, low, high);
}

static inline void assert_close(double found, double wanted, double tolerance, const char *what) {
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s: found %.17g, wanted %.17g within %g", what, found, wanted, tolerance);
}

static inline MrnShape with_vertices(MrnShapeKind kind, size_t count, const double *vertices, double radius) {
    MrnShape shape = mrn_shape_defaults(kind);
    shape.vertex_count = count;
    shape.vertices = memcpy(mrn_alloc(2 * count, sizeof(double)), vertices, 2 * count * sizeof(double));
    shape.radius = radius;
    return shape;
}

static inline MrnShape prepared(MrnShapeKind kind, size_t count, const double *vertices, double radius) {
    MrnShape shape = with_vertices(kind, count, vertices, radius);
    MrnError error = {0};
    if (!mrn_shape_prepare(&shape, &error)) fail_msg("refused: %s", error.message);
    return shape;
}

static inline MrnShape polygon(size_t count, const double *vertices) {
    return prepared(MRN_SHAPE_POLYGON, count, vertices, 0.0);
}

static inline MrnShape rectangle(double width, double height) {
    double x = 0.5 * width, y = 0.5 * height;
    return polygon(4, (double[]){-x, -y, x, -y, x, y, -x, y});
}

static inline MrnShape disc(double radius) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_DISC);
    shape.radius = radius;
    return shape;
}

static inline MrnShape regular(int count, double radius) {
    double *v = mrn_alloc(2 * (size_t)count, sizeof *v);
    for (int i = 0; i < count; i++)
        v[2 * i] = radius * cos(2 * M_PI * i / count), v[2 * i + 1] = radius * sin(2 * M_PI * i / count);
    MrnShape shape = polygon((size_t)count, v);
    free(v);
    return shape;
}

static inline int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

// Vertices at random angles: on an ellipse (convex) or at random distances (star-shaped, mostly not convex).
static inline MrnShape random_polygon(int most, bool convex, double radius) {
    for (;;) {
        int count = 3 + (int)uniform(0, most - 2);
        double angle[256], v[512], largest = 0.0, flatness = uniform(0.4, 1.0);
        for (int i = 0; i < count; i++) angle[i] = uniform(0, 2 * M_PI);
        qsort(angle, (size_t)count, sizeof *angle, ascending);
        for (int i = 0; i < count; i++) {
            double gap = i ? angle[i] - angle[i - 1] : angle[0] + 2 * M_PI - angle[count - 1],
                   r = convex ? 1.0 : uniform(0.3, 1.0);
            largest = fmax(largest, gap);
            v[2 * i] = r * cos(angle[i]), v[2 * i + 1] = flatness * r * sin(angle[i]);
        }
        if (largest > 3.0) continue;
        MrnShape shape = with_vertices(MRN_SHAPE_POLYGON, (size_t)count, v, convex ? radius : 0.0);
        if (mrn_shape_prepare(&shape, NULL)) return shape;
        mrn_shape_free(&shape);
    }
}

static inline MrnPose pose(double x, double y, double angle) {
    MrnPose p = {.position = {x, y, 0.0}};
    p.rotation.m[0][0] = p.rotation.m[1][1] = cos(angle);
    p.rotation.m[1][0] = sin(angle), p.rotation.m[0][1] = -sin(angle);
    return p;
}

static inline MrnVec2 placed(const MrnPose *p, MrnVec2 v) {
    v = mrn_rotate2(p->rotation.m[0][0], p->rotation.m[1][0], v);
    return mrn_vec2(v.x + p->position.x, v.y + p->position.y);
}

#endif
