// Small worlds for tests: bodies in one line each, keyed random numbers, and comparisons that print both numbers.
#ifndef MRN_TESTS_CORE_SUPPORT_H
#define MRN_TESTS_CORE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/memory.h"
#include "base/random.h"
#include "model/model.h"
#include "step/stepper.h"

#include <math.h>
#include <moraine/moraine.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Uniform in [low, high), the next number of a sequence that starts with seed.
typedef struct Draws {
    uint64_t seed, next;
} Draws;

static inline double draw(Draws *draws, double low, double high) {
    return mrn_random_between(draws->seed, 0, draws->next++, low, high);
}

static inline void close_to(double found, double wanted, double tolerance, const char *what) {
    if (!(fabs(found - wanted) <= tolerance))
        fail_msg("%s: found %.17g, wanted %.17g within %g, off by %g", what, found, wanted, tolerance, found - wanted);
}

static inline void below(double found, double bound, const char *what) {
    if (!(found <= bound)) fail_msg("%s: found %.17g, wanted at most %g", what, found, bound);
}

// ---- shapes; vertices belong to the caller's array ----

static inline MrnShape disc(double radius) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_DISC);
    shape.radius = radius;
    return shape;
}

static inline MrnShape sphere(double radius) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
    shape.radius = radius;
    return shape;
}

static inline MrnShape box(double x, double y, double z) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_BOX);
    shape.half[0] = x, shape.half[1] = y, shape.half[2] = z;
    return shape;
}

static inline MrnShape polygon(size_t count, double *vertices) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = count;
    shape.vertices = vertices;
    return shape;
}

/// Corners of a rectangle, for polygon().
typedef struct Corners {
    double at[8];
} Corners;

static inline Corners rectangle(double half_width, double half_height) {
    return (Corners){
        {-half_width, -half_height, half_width, -half_height, half_width, half_height, -half_width, half_height}};
}

static inline int add(MrnModel *model, const MrnBodyDef *def) {
    MrnError error = {0};
    int body = mrn_model_add_body(model, def, &error);
    if (body < 0) fail_msg("%s", error.message);
    return body;
}

/// A free body of one shape at rest at (x, y, z).
static inline MrnBodyDef body_at(const MrnModel *model, const MrnShape *shape, double x, double y, double z) {
    MrnBodyDef def = mrn_body_defaults(mrn_model_dimension(model));
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    def.shape_count = 1;
    def.shapes = shape;
    return def;
}

/// Half-space below height `level` of y (2D) or z (3D).
static inline int add_ground(MrnModel *model, double level) {
    int dimension = mrn_model_dimension(model);
    MrnShape shape = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
    MrnBodyDef def = body_at(model, &shape, 0, dimension == 2 ? level : 0, dimension == 3 ? level : 0);
    def.name = "ground";
    def.kind = MRN_BODY_FIXED;
    return add(model, &def);
}

/// A model with one material of density 1 and one law for all.
static inline MrnModel *model_with(int dimension, double friction, double restitution, double gravity) {
    MrnModel *model = mrn_model_new(dimension);
    mrn_model_add_material(model, "stone", 1);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = friction;
    law.normal_restitution = restitution;
    mrn_model_set_law(model, -1, -1, law);
    double g[3] = {0, 0, 0};
    g[dimension - 1] = -gravity;
    mrn_model_set_gravity(model, g);
    return model;
}

static inline MrnWorld *start(const MrnModel *model, const MrnScheme *scheme) {
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, scheme, &error);
    if (!world) fail_msg("%s", error.message);
    return world;
}

static inline MrnStepInfo step(MrnWorld *world) {
    MrnStepInfo info;
    MrnError error = {0};
    if (!mrn_world_step(world, &info, &error)) fail_msg("%s", error.message);
    return info;
}

static inline MrnScheme scheme_of(double time_step, double tolerance) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = time_step;
    scheme.solver.tolerance = tolerance;
    return scheme;
}

#endif
