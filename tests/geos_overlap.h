// Do floes of a periodic pack overlap? Asked of an independent geometry library (GEOS), images included.
#ifndef GEOS_OVERLAP_H
#define GEOS_OVERLAP_H

#include "step/stepper.h"
#include <geos_c.h>
#include <math.h>
#include <moraine/moraine.h>
#include <stdlib.h>

/// Outline of a body at its present place, moved into the cell and then by (dx, dy).
static inline GEOSGeometry *outline(GEOSContextHandle_t geos, const MrnModel *model, MrnWorld *world, int b, double dx,
                                    double dy) {
    const MrnShape *shape = &model->shapes.data[model->bodies.data[b].first_shape];
    const double *x = mrn_world_position(world, b);
    double angle = mrn_world_rotation(world, b)[0], side = model->period_high[0] - model->period_low[0];
    double home[2] = {x[0] - side * floor(x[0] / side) + dx, x[1] - side * floor(x[1] / side) + dy};
    unsigned count = (unsigned)shape->vertex_count;
    GEOSCoordSequence *points = GEOSCoordSeq_create_r(geos, count + 1, 2);
    for (unsigned k = 0; k <= count; k++) {
        const double *v = shape->vertices + 2 * (k % count);
        double px = shape->position[0] + v[0], py = shape->position[1] + v[1];
        GEOSCoordSeq_setXY_r(geos, points, k, home[0] + cos(angle) * px - sin(angle) * py,
                             home[1] + sin(angle) * px + cos(angle) * py);
    }
    return GEOSGeom_createPolygon_r(geos, GEOSGeom_createLinearRing_r(geos, points), NULL, 0);
}

/// The envelopes are not farther apart than `distance`.
static inline bool may_be_close(GEOSContextHandle_t geos, const GEOSGeometry *a, const GEOSGeometry *b,
                                double distance) {
    double low[2][2], high[2][2];
    const GEOSGeometry *both[2] = {a, b};
    for (int k = 0; k < 2; k++) {
        GEOSGeom_getXMin_r(geos, both[k], &low[k][0]), GEOSGeom_getXMax_r(geos, both[k], &high[k][0]);
        GEOSGeom_getYMin_r(geos, both[k], &low[k][1]), GEOSGeom_getYMax_r(geos, both[k], &high[k][1]);
    }
    for (int k = 0; k < 2; k++)
        if (low[0][k] > high[1][k] + distance || low[1][k] > high[0][k] + distance) return false;
    return true;
}

/// Number of pairs that have a common point; `least` becomes the least distance of two floes where that is smaller.
static inline int meeting_pairs(GEOSContextHandle_t geos, const MrnModel *model, MrnWorld *world, double *least) {
    int n = (int)mrn_model_body_count(model), meeting = 0;
    double side = model->period_high[0] - model->period_low[0];
    GEOSGeometry **here = calloc((size_t)n, sizeof *here);
    for (int b = 0; b < n; b++) here[b] = outline(geos, model, world, b, 0, 0);
    for (int b = 0; b < n; b++)
        for (int image = 0; image < 9; image++) {
            GEOSGeometry *other = outline(geos, model, world, b, (image % 3 - 1) * side, (image / 3 - 1) * side);
            for (int a = 0; a < n; a++) {
                if (a == b || (image == 4 && a > b)) continue;
                if (!may_be_close(geos, here[a], other, *least)) continue;
                double distance = 0;
                if (GEOSIntersects_r(geos, here[a], other)) meeting++;
                GEOSDistance_r(geos, here[a], other, &distance);
                *least = fmin(*least, distance);
            }
            GEOSGeom_destroy_r(geos, other);
        }
    for (int b = 0; b < n; b++) GEOSGeom_destroy_r(geos, here[b]);
    free(here);
    return meeting;
}

#endif
