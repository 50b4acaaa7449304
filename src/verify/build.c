// Small worlds for cases that no scene states.
#include "verify/check.h"

#include "base/error.h"
#include "base/vec.h"

#include <math.h>
#include <stdlib.h>

MrnScheme mrn_strict_scheme(double time_step) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = time_step;
    scheme.activation = MRN_ACTIVATION_MOREAU;
    scheme.gap_tolerance = 1e-9;
    scheme.recovery = 0;
    scheme.solver.tolerance = 1e-13;
    scheme.solver.max_iterations = 100000;
    return scheme;
}

MrnModel *mrn_small_model(int dimension, double gravity, MrnPairLaw law) {
    MrnModel *model = mrn_model_new(dimension);
    mrn_model_add_material(model, "stuff", 1);
    mrn_model_set_law(model, -1, -1, law);
    mrn_model_set_gravity(model, (double[3]){0, dimension == 2 ? -gravity : 0, dimension == 3 ? -gravity : 0});
    return model;
}

static int add(MrnModel *model, MrnBodyDef *def, const MrnShape *shape) {
    def->shapes = shape;
    def->shape_count = 1;
    MrnError error = {0};
    int body = mrn_model_add_body(model, def, &error);
    if (body < 0) { // the bodies of cases are all valid
        fprintf(stderr, "moraine: %s\n", error.message);
        abort();
    }
    return body;
}

int mrn_add_disc(MrnModel *model, double radius, double mass, double x, double y) {
    MrnBodyDef def = mrn_body_defaults(2);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_DISC);
    shape.radius = radius;
    def.mass = mass;
    def.position[0] = x, def.position[1] = y;
    return add(model, &def, &shape);
}

int mrn_add_ball(MrnModel *model, double radius, double mass, double x, double y, double z) {
    MrnBodyDef def = mrn_body_defaults(3);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
    shape.radius = radius;
    def.mass = mass;
    def.position[0] = x, def.position[1] = y, def.position[2] = z;
    return add(model, &def, &shape);
}

int mrn_add_wall(MrnModel *model, const double *point, const double *normal) {
    int dimension = mrn_model_dimension(model);
    MrnBodyDef def = mrn_body_defaults(dimension);
    MrnShape shape = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
    def.kind = MRN_BODY_FIXED;
    for (int k = 0; k < dimension; k++) def.position[k] = point[k];
    if (dimension == 2)
        def.rotation[0] = atan2(-normal[0], normal[1]);
    else { // the shortest turn from +z to the normal
        MrnVec3 n = mrn_normalize3(mrn_load3(normal));
        if (n.z < -1 + 1e-12)
            mrn_quat_store(def.rotation, (MrnQuat){0, 1, 0, 0});
        else
            mrn_quat_store(def.rotation, mrn_quat_normalize((MrnQuat){1 + n.z, -n.y, n.x, 0}));
    }
    return add(model, &def, &shape);
}

int mrn_add_polygon(MrnModel *model, const double *vertices, size_t count, double mass, double inertia, double x,
                    double y, double angle) {
    MrnBodyDef def = mrn_body_defaults(2);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    double *copy = mrn_alloc(2 * count, sizeof *copy);
    for (size_t i = 0; i < 2 * count; i++) copy[i] = vertices[i];
    shape.vertices = copy;
    shape.vertex_count = count;
    def.mass = mass;
    def.inertia[2] = inertia;
    def.position[0] = x, def.position[1] = y;
    def.rotation[0] = angle;
    int body = add(model, &def, &shape);
    free(copy);
    return body;
}

int mrn_add_rod(MrnModel *model, double half_length, double mass, double x, double y, double angle) {
    double l = half_length, w = 1e-3 * half_length;
    return mrn_add_polygon(model, (double[]){-l, 0, 0, -w, l, 0, 0, w}, 4, mass, mass * l * l / 3, x, y, angle);
}

MrnSmall mrn_small_start(MrnVerifyReport *report, MrnModel *model, const MrnScheme *scheme) {
    MrnError error = {0};
    MrnSmall small = {model, mrn_world_new(model, scheme, &error)};
    if (!small.world) mrn_check_failed(report, error.message);
    return small;
}

void mrn_small_free(MrnSmall *small) {
    mrn_world_free(small->world);
    mrn_model_free(small->model);
    *small = (MrnSmall){0};
}

bool mrn_small_step(MrnVerifyReport *report, MrnSmall *small, MrnStepInfo *info) {
    MrnError error = {0};
    if (!small->world) return false;
    if (mrn_world_step(small->world, info, &error)) return true;
    mrn_check_failed(report, error.message);
    return false;
}
