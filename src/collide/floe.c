// Making outlines and discs from the shapes of the bodies.
#include "collide/floe.h"
#include "base/error.h"
#include "geom/enclosing_circle.h"
#include "geom/polygon.h"

#include <stdlib.h>

#define LONG_OUTLINE 32  ///< corners above which a level-1 disc stands for six edges instead of four
#define PLANE_LENGTH 1e4 ///< half length of the line that stands for a half-plane, over the extent of the scene

static MrnVec2 place(const MrnShape *shape, MrnVec2 p) {
    MrnVec2 turned = mrn_rotate2(cos(shape->rotation[0]), sin(shape->rotation[0]), p);
    return mrn_add2(mrn_vec2(shape->position[0], shape->position[1]), turned);
}

/// Add an outline of `count` points, closed or open, with its level-1 discs.
static void add_outline(MrnFloeSet *set, const MrnVec2 *points, size_t count, bool closed, const MrnShape *shape,
                        int span) {
    size_t first = set->corners.count;
    for (size_t i = 0; i < count; i++) {
        bool has_next = count > 1 && (closed || i + 1 < count), has_before = count > 1 && (closed || i > 0);
        MrnFloeCorner corner = {.point = points[i], .end = points[i]};
        if (has_next) {
            corner.end = points[(i + 1) % count];
            MrnVec2 along = mrn_sub2(corner.end, corner.point);
            corner.length = mrn_norm2(along);
            corner.forward = mrn_scale2(1 / corner.length, along);
        }
        if (has_before) {
            MrnVec2 back = mrn_sub2(points[(i + count - 1) % count], points[i]);
            corner.back = mrn_scale2(1 / mrn_norm2(back), back);
        }
        corner.reflex = closed && has_next && mrn_cross2(corner.back, corner.forward) > 0;
        mrn_array_push(&set->corners, corner);
    }
    // At least four discs where there are so many edges; each stands for the edges between its first and last corner.
    size_t n_p = span > 0 ? (size_t)span : count > LONG_OUTLINE ? 3 : 2, run = 2 * n_p;
    if (run > count / 4) run = count / 4;
    if (run < 1) run = 1;
    for (size_t i = 0; i < count; i += run) {
        size_t edges = i + run <= count ? run : count - i;
        MrnVec2 centre = set->corners.data[first + i + edges / 2].point;
        MrnFloeDisc disc = {.centre = centre,
                            .round = shape->radius,
                            .first = (int32_t)(first + i),
                            .count = (int32_t)edges,
                            .material = shape->material};
        if (shape->kind == MRN_SHAPE_HALF_PLANE) disc.round = 0;
        for (size_t k = i; k < i + edges; k++) {
            const MrnFloeCorner *corner = &set->corners.data[first + k];
            disc.reach = fmax(disc.reach, mrn_norm2(mrn_sub2(corner->point, centre)));
            disc.reach = fmax(disc.reach, mrn_norm2(mrn_sub2(corner->end, centre)));
        }
        disc.reach += disc.round;
        mrn_array_push(&set->discs, disc);
    }
}

static void add_shape(MrnFloeSet *set, const MrnShape *shape, int span, double plane) {
    size_t count = shape->kind == MRN_SHAPE_DISC ? 1 : shape->kind == MRN_SHAPE_HALF_PLANE ? 2 : shape->vertex_count;
    MrnVec2 *points = mrn_alloc(count, sizeof *points);
    if (shape->kind == MRN_SHAPE_DISC)
        points[0] = place(shape, mrn_vec2(0, 0));
    else if (shape->kind == MRN_SHAPE_HALF_PLANE)
        points[0] = place(shape, mrn_vec2(plane, 0)), points[1] = place(shape, mrn_vec2(-plane, 0));
    else
        for (size_t i = 0; i < count; i++) points[i] = place(shape, mrn_vertex2(shape->vertices, i));
    add_outline(set, points, count, shape->kind == MRN_SHAPE_POLYGON, shape, span);
    free(points);
}

/// Area of a shape; 0 for lines.
static double area_of(const MrnShape *shape) {
    return mrn_shape_is_solid(shape->kind) ? mrn_shape_mass(shape, 1).mass : 0;
}

static void finish(MrnFloeSet *set, MrnFloe *floe) {
    MrnVec2 *points = mrn_alloc((size_t)floe->corner_count, sizeof *points);
    double round = 0, widest = 0;
    for (int i = 0; i < floe->corner_count; i++) points[i] = set->corners.data[floe->first_corner + i].point;
    for (int i = 0; i < floe->disc_count; i++) {
        const MrnFloeDisc *disc = &set->discs.data[floe->first_disc + i];
        round = fmax(round, disc->round);
        widest = fmax(widest, mrn_floe_disc_radius(floe, disc));
    }
    MrnCircle circle = mrn_enclosing_circle((size_t)floe->corner_count, points);
    floe->centre = circle.centre;
    floe->inner_radius = circle.radius * (1 + 1e-14) + round;
    floe->kappa = MRN_FLOE_MARGIN * widest;
    for (int i = 0; i < floe->corner_count; i++) floe->belt = fmax(floe->belt, mrn_norm2(points[i]) + round);
    free(points);
}

/// Largest coordinate that any bounded body reaches at the start.
static double extent_of(const MrnModel *model) {
    double extent = 0;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        double reach = isfinite(body->reach) ? body->reach : 0;
        extent = fmax(extent, fmax(fabs(body->position[0]), fabs(body->position[1])) + reach);
    }
    return extent;
}

double mrn_floe_collision_distance(const MrnModel *model, size_t body, double rule) {
    const MrnBody *about = &model->bodies.data[body];
    double area = 0;
    for (int s = 0; s < about->shape_count; s++) area += area_of(&model->shapes.data[about->first_shape + s]);
    return about->collision_distance > 0 ? about->collision_distance : area > 0 ? rule * sqrt(area) : INFINITY;
}

MrnFloeSet *mrn_floe_set_new(const MrnModel *model, const MrnFloeRules *rules, MrnError *error) {
    MrnFloeSet *set = mrn_alloc_zero(1, sizeof *set);
    double plane = PLANE_LENGTH * fmax(extent_of(model), 1e-3);
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        MrnFloe floe = {.first_corner = (int32_t)set->corners.count, .first_disc = (int32_t)set->discs.count};
        for (int s = 0; s < body->shape_count; s++) {
            const MrnShape *shape = &model->shapes.data[body->first_shape + s];
            if (shape->kind == MRN_SHAPE_RING) {
                mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                         "'%s': a ring has no outline of edges, which the event-driven stepper needs; make it a chain",
                         mrn_model_body_name(model, (int)b));
                mrn_floe_set_free(set);
                return NULL;
            }
            add_shape(set, shape, rules->span, plane);
        }
        floe.corner_count = (int32_t)set->corners.count - floe.first_corner;
        floe.disc_count = (int32_t)set->discs.count - floe.first_disc;
        floe.distance = mrn_floe_collision_distance(model, b, rules->collision_distance);
        finish(set, &floe);
        mrn_array_push(&set->floes, floe);
    }
    return set;
}

void mrn_floe_set_free(MrnFloeSet *set) {
    if (!set) return;
    mrn_array_free(&set->floes);
    mrn_array_free(&set->corners);
    mrn_array_free(&set->discs);
    free(set);
}
