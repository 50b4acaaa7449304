// Small floe scenes for the tests of the event-driven stepper.
#ifndef FLOE_SCENES_H
#define FLOE_SCENES_H

#include "step/stepper.h"
#include <math.h>
#include <moraine/moraine.h>
#include <stdio.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

/// Scene of 30 floes that a wind drives against two pillars, where they break.
#define BREAKING_PACK(times, more)                                                                                     \
    "dimension: 2\n"                                                                                                   \
    "time: {scheme: event-driven, step: 5 s, end: 15 min, " times "}\n"                                                \
    "materials: [{name: ice, volume_density: 917 kg/m3}, {name: rock, density: 1 kg/m2}]\n"                            \
    "laws: [{friction: 0.5, restitution: 0.3}]\n"                                                                      \
    "breaking: {energy: 15 J/m2, smallest: 150 m2" more "}\n"                                                          \
    "environment: {wind: {velocity: [12 m/s, 0 m/s], ramp: 1 min}}\n"                                                  \
    "shapes: [{name: pillar, regular: {sides: 12, radius: 12 m}}]\n"                                                   \
    "bodies:\n"                                                                                                        \
    "  - {name: pillar, kind: fixed, material: rock, shape: pillar, position: [315 m, 90 m]}\n"                        \
    "  - {name: pier, kind: fixed, material: rock, shape: pillar, position: [315 m, 210 m]}\n"                         \
    "generate:\n"                                                                                                      \
    "  - {name: floe, seed: 3, floes: {zone: {box: {low: [0 m, 0 m], high: [300 m, 300 m]}}, concentration: 0.5,\n"    \
    "     count: 30, largest: 110 m, smallest: 15 m, thickness: {uniform: {low: 50 cm, high: 80 cm}}}}\n"

static inline MrnModel *floe_model(double friction, double restitution, double gravity) {
    MrnModel *model = mrn_model_new(2);
    mrn_model_add_material(model, "ice", 917);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = friction, law.normal_restitution = restitution;
    mrn_model_set_law(model, -1, -1, law);
    mrn_model_set_gravity(model, (double[3]){0, -gravity, 0});
    return model;
}

/// A polygon with vertices about (x, y).
static inline int add_floe(MrnModel *model, const double *vertices, size_t count, double mass, double x, double y,
                           MrnBodyKind kind) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = count;
    shape.vertices = (double *)vertices;
    MrnBodyDef def = mrn_body_defaults(2);
    def.kind = kind;
    def.mass = mass;
    def.position[0] = x, def.position[1] = y;
    def.shape_count = 1, def.shapes = &shape;
    MrnError error = {0};
    int body = mrn_model_add_body(model, &def, &error);
    if (body < 0) fprintf(stderr, "%s\n", error.message);
    return body;
}

/// A periodic pack from 100 m down to 5 m under a wind, by the generator of scenes. NULL after saying why.
static inline MrnModel *pack_of_floes(int count, double concentration, unsigned seed) {
    double exponent = log(count) / log(100 / 5.0), area = 0;
    for (int i = 1; i <= count; i++) area += PI / 4 * pow(100 * pow(i, -1 / exponent), 2);
    double half = 0.5 * sqrt(area / 0.55); // room for discs of these sizes thrown at random
    char text[1200];
    snprintf(
        text, sizeof text,
        "dimension: 2\n"
        "time: {scheme: event-driven, step: 10 s, end: 1 h}\n"
        "domain: {kind: periodic, low: [-%1$g m, -%1$g m], high: [%1$g m, %1$g m]}\n"
        "materials: [{name: ice, volume_density: 917 kg/m3}]\n"
        "laws: [{friction: 0.7, restitution: 0.4}]\n"
        "environment: {latitude: 80.2 deg, wind: {velocity: [-10 m/s, -4 m/s], ramp: 12 h}}\n"
        "generate: [{name: floe, seed: %2$u, floes: {zone: {box: {low: [-%3$g m, -%3$g m], high: [%3$g m, %3$g m]}}, "
        "concentration: %4$g, count: %5$d, largest: 100 m, smallest: 5 m, "
        "thickness: {uniform: {low: 25 cm, high: 38 cm}}}}]\n",
        half, seed, half - 0.2, concentration, count);
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "pack", NULL, 0, NULL, 0, &error);
    if (!scene) fprintf(stderr, "%s\n", error.message);
    MrnModel *model = scene ? scene->model : NULL;
    if (scene) scene->model = NULL; // it stays with the caller
    mrn_scene_free(scene);
    return model;
}

/// A regular polygon with a corner at `angle`.
static inline int add_regular(MrnModel *model, int sides, double radius, double angle, double mass, double x,
                              double y) {
    double vertices[2 * 128];
    for (int k = 0; k < sides; k++) {
        vertices[2 * k] = radius * cos(angle + 2 * PI * k / sides);
        vertices[2 * k + 1] = radius * sin(angle + 2 * PI * k / sides);
    }
    return add_floe(model, vertices, (size_t)sides, mass, x, y, MRN_BODY_FREE);
}

static inline int add_box(MrnModel *model, double width, double height, double mass, double x, double y,
                          MrnBodyKind kind) {
    double w = width / 2, h = height / 2, vertices[8] = {-w, -h, w, -h, w, h, -w, h};
    return add_floe(model, vertices, 4, mass, x, y, kind);
}

static inline MrnScheme floe_scheme(double time_step, MrnContactMode mode) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.stepper = "event-driven";
    scheme.time_step = time_step;
    scheme.event_driven.contacts = mode;
    scheme.event_driven.approach_rate = 0;
    return scheme;
}

static inline MrnWorld *floe_world(const MrnModel *model, const MrnScheme *scheme) {
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, scheme, &error);
    if (!world) fprintf(stderr, "%s\n", error.message);
    return world;
}

static inline void set_velocity(MrnWorld *world, int body, double x, double y, double spin) {
    mrn_world_set_velocity(world, body, (double[2]){x, y}, &spin);
}

/// Steps until `time`; the last info.
static inline MrnStepInfo run_until(MrnWorld *world, double time) {
    MrnStepInfo info = {0};
    MrnError error = {0};
    while (mrn_world_time(world) < time - 1e-9)
        if (!mrn_world_step(world, &info, &error)) {
            fprintf(stderr, "%s\n", error.message);
            exit(1);
        }
    return info;
}

#endif
