// Generators of obstacles: containers, drums, hoppers. Each makes one body.
#include "io/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A half-plane or plane through `point` whose outward normal is `side` times axis `axis`.
static MrnShape flat_wall(int dimension, int material, int axis, int side, double coordinate) {
    MrnShape shape = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
    shape.material = material;
    shape.position[axis] = coordinate;
    if (dimension == 2) {
        double normal[2] = {axis == 0 ? side : 0, axis == 1 ? side : 0};
        shape.rotation[0] = atan2(normal[1], normal[0]) - atan2(1, 0);
        return shape;
    }
    double h = sqrt(0.5);
    MrnQuat turn = axis == 0   ? (MrnQuat){h, 0, side * h, 0}
                   : axis == 1 ? (MrnQuat){h, -side * h, 0, 0}
                   : side > 0  ? (MrnQuat){1, 0, 0, 0}
                               : (MrnQuat){0, 1, 0, 0};
    mrn_quat_store(shape.rotation, turn);
    return shape;
}

static bool add_shapes(MrnGenerator *generator, MrnBodyDef *def, MrnShape *shapes, size_t count) {
    def->shapes = shapes;
    def->shape_count = count;
    bool good = mrn_generator_expect(generator, 1) && mrn_generator_add(generator, def, "");
    for (size_t i = 0; i < count; i++) mrn_shape_free(&shapes[i]);
    return good;
}

bool mrn_generate_container(MrnGenerator *generator, const MrnContainerSpec *spec) {
    int n = generator->builder->dimension, up = n - 1;
    MrnShape shapes[6];
    size_t count = 0;
    for (int k = 0; k < n; k++) {
        if (!(spec->low[k] < spec->high[k])) {
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "high"), NULL, generator->builder->error,
                                 "found %.6g m along %c, wanted more than \"low\", which is %.6g m", spec->high[k],
                                 "xyz"[k], spec -> low[k]);
        }
        shapes[count++] = flat_wall(n, generator->material, k, +1, spec->low[k]);
        if (k != up || spec->lid) shapes[count++] = flat_wall(n, generator->material, k, -1, spec->high[k]);
    }
    MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FIXED);
    return add_shapes(generator, &def, shapes, count);
}

bool mrn_generate_drum(MrnGenerator *generator, const MrnDrumSpec *spec) {
    int n = generator->builder->dimension;
    MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_DRIVEN);
    memcpy(def.position, spec->position, sizeof def.position);
    def.driver.kind = MRN_DRIVER_CONSTANT;
    def.driver.angular_velocity = spec->angular_velocity;
    MrnShape shapes[3] = {mrn_shape_defaults(n == 2 ? MRN_SHAPE_RING : MRN_SHAPE_TUBE)};
    shapes[0].material = generator->material;
    shapes[0].radius = spec->radius;
    if (n == 2) return add_shapes(generator, &def, shapes, 1);
    if (isnan(spec->length))
        return mrn_yaml_fail(spec->node, NULL, generator->builder->error,
                             "missing key \"length\", wanted a length > 0, such as 0.2 m");
    const double axis[3] = {0, 1, 0};
    memcpy(def.driver.axis, axis, sizeof axis);
    shapes[0].half[2] = 0.5 * spec->length;
    mrn_quat_store(shapes[0].rotation, (MrnQuat){sqrt(0.5), -sqrt(0.5), 0, 0}); // z of the tube along y
    shapes[1] = flat_wall(3, generator->material, 1, +1, -0.5 * spec->length);
    shapes[2] = flat_wall(3, generator->material, 1, -1, 0.5 * spec->length);
    return add_shapes(generator, &def, shapes, 3);
}

/// One side of a flat hopper: down the upright wall, then the slope to the outlet.
static MrnShape hopper_side(const MrnHopperSpec *spec, int material, double side) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_CHAIN);
    shape.material = material;
    shape.radius = spec->wall_radius;
    const double line[] = {side * 0.5 * spec->top, spec->height + spec->wall_height, side * 0.5 * spec->top,
                           spec->height,           side * 0.5 * spec->outlet,        0};
    size_t skip = spec->wall_height > 0 ? 0 : 1;
    shape.vertex_count = 3 - skip;
    shape.vertices = memcpy(mrn_alloc(6, sizeof(double)), line + 2 * skip, (6 - 2 * skip) * sizeof(double));
    return shape;
}

bool mrn_generate_hopper(MrnGenerator *generator, const MrnHopperSpec *spec) {
    if (!(spec->top > spec->outlet)) {
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "top"), NULL, generator->builder->error,
                             "found %.6g m, wanted more than \"outlet\", which is %.6g m", spec->top, spec->outlet);
    }
    MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FIXED);
    memcpy(def.position, spec->position, sizeof def.position);
    MrnShape shapes[2];
    if (generator->builder->dimension == 2) {
        shapes[0] = hopper_side(spec, generator->material, -1);
        shapes[1] = hopper_side(spec, generator->material, +1);
        return add_shapes(generator, &def, shapes, 2);
    }
    shapes[0] = mrn_shape_defaults(MRN_SHAPE_FUNNEL);
    shapes[0].radius = 0.5 * spec->outlet;
    shapes[0].top_radius = 0.5 * spec->top;
    shapes[0].half[2] = 0.5 * spec->height;
    shapes[0].position[2] = 0.5 * spec->height;
    shapes[1] = mrn_shape_defaults(MRN_SHAPE_TUBE);
    shapes[1].radius = 0.5 * spec->top;
    shapes[1].half[2] = 0.5 * spec->wall_height;
    shapes[1].position[2] = spec->height + 0.5 * spec->wall_height;
    shapes[0].material = shapes[1].material = generator->material;
    return add_shapes(generator, &def, shapes, spec->wall_height > 0 ? 2 : 1);
}

/// Is the origin of a body inside the drum?
static bool is_in_drum(const MrnDrumSpec *spec, int dimension, const double *x) {
    double square = 0;
    for (int k = 0; k < dimension; k++) {
        double from = x[k] - spec->position[k];
        if (dimension == 3 && k == 1) { // the axis
            if (fabs(from) > 0.5 * spec->length) return false;
        } else
            square += from * from;
    }
    return square < spec->radius * spec->radius;
}

bool mrn_check_drums(MrnSceneBuilder *builder) {
    const MrnModel *model = builder->model;
    for (size_t i = 0; i < builder->root->generate.count; i++) {
        const MrnDrumSpec *spec = builder->root->generate.items[i].drum;
        bool found = !spec;
        for (size_t b = 0; b < model->bodies.count && !found; b++)
            found = model->bodies.data[b].kind == MRN_BODY_FREE &&
                    is_in_drum(spec, model->dimension, model->bodies.data[b].position);
        if (found) continue;
        if (model->dimension == 2)
            return mrn_yaml_fail(spec->node, NULL, builder->error,
                                 "the drum is empty: no free body is inside; generate some, for example with fill: "
                                 "{count: 100, radius: %.3g m, region: {ball: {radius: %g m}}}",
                                 0.05 * spec->radius, spec->radius);
        return mrn_yaml_fail(spec->node, NULL, builder->error,
                             "the drum is empty: no free body is inside; generate some, for example with fill: {count: "
                             "100, radius: %.3g m, region: {tube: {radius: %g m, length: %g m}}}",
                             0.05 * spec->radius, spec->radius, spec->length);
    }
    return true;
}
