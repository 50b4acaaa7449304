// Smooth contacts: closed forms of a contact, properties of many, and what is refused.
#include "model/model.h"
#include "step/stepper.h"
#include <moraine/moraine.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// cmocka compares in single precision.
static void assert_close(double a, double b, double tolerance, int line) {
    if (!(fabs(a - b) <= tolerance)) fail_msg("line %d: %.12g and %.12g differ by more than %g", line, a, b, tolerance);
}
#define assert_near(a, b, tolerance) assert_close(a, b, tolerance, __LINE__)

static MrnModel *new_model(int dimension, double gravity, double friction, double restitution) {
    MrnModel *model = mrn_model_new(dimension);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.friction = friction, law.normal_restitution = restitution;
    mrn_model_set_gravity(model, dimension == 2 ? (double[]){0, -gravity, 0} : (double[]){0, 0, -gravity});
    mrn_model_add_material(model, "stone", 2500);
    mrn_model_set_law(model, -1, -1, law);
    return model;
}

static int add_shape(MrnModel *model, MrnBodyKind kind, MrnShape shape, const double position[3]) {
    MrnBodyDef def = mrn_body_defaults(mrn_model_dimension(model));
    def.kind = kind;
    def.shapes = &shape, def.shape_count = 1;
    memcpy(def.position, position, sizeof def.position);
    MrnError error = {0};
    int body = mrn_model_add_body(model, &def, &error);
    if (body < 0) fail_msg("%s", error.message);
    return body;
}

static int add_ball(MrnModel *model, double radius, double x, double y, double z) {
    MrnShape shape = mrn_shape_defaults(mrn_model_dimension(model) == 2 ? MRN_SHAPE_DISC : MRN_SHAPE_SPHERE);
    shape.radius = radius;
    return add_shape(model, MRN_BODY_FREE, shape, (double[]){x, y, z});
}

static int add_floor(MrnModel *model) {
    int dimension = mrn_model_dimension(model);
    return add_shape(model, MRN_BODY_FIXED, mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE),
                     (double[3]){0});
}

static MrnScheme dem_scheme(double time_step, double stiffness) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.stepper = "dem";
    scheme.time_step = time_step;
    scheme.dem.normal_stiffness = stiffness;
    return scheme;
}

static MrnWorld *new_world(const MrnModel *model, const MrnScheme *scheme) {
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, scheme, &error);
    if (!world) fail_msg("%s", error.message);
    return world;
}

static MrnStepInfo step(MrnWorld *world, int count) {
    MrnStepInfo info = {0};
    MrnError error = {0};
    for (int k = 0; k < count; k++)
        if (!mrn_world_step(world, &info, &error)) fail_msg("%s", error.message);
    return info;
}

/// A heap of grains of two sizes over a floor between walls, with something of everything.
static MrnModel *heap_model(int dimension, int count) {
    MrnModel *model = new_model(dimension, 9.81, 0.4, 0.3);
    add_floor(model);
    for (int side = 0; side < 2 * (dimension - 1); side++) {
        MrnShape wall = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
        double sign = side % 2 ? 1 : -1, at[3] = {0};
        if (dimension == 2)
            wall.rotation[0] = sign * M_PI / 2; // +: normal along -x
        else {                                  // a quarter turn about y (normal along x) or x (normal along -y)
            wall.rotation[0] = sqrt(0.5);
            wall.rotation[side < 2 ? 2 : 1] = (side < 2 ? -sign : sign) * sqrt(0.5);
        }
        at[side < 2 ? 0 : 1] = side % 2 ? 0.9 : -0.15;
        add_shape(model, MRN_BODY_FIXED, wall, at);
    }
    MrnShape disc = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_DISC : MRN_SHAPE_SPHERE);
    disc.radius = 0.2;
    add_shape(model, MRN_BODY_FIXED, disc, (double[]){0.3, dimension == 2 ? 0.1 : 0.2, dimension == 2 ? 0 : 0.1});
    for (int i = 0; i < count; i++) {
        double r = i % 3 ? 0.05 : 0.08, layer = 0.4 + 0.18 * (i / 9), x = 0.18 * (i % 3) + 0.002 * (i % 7),
               y = 0.18 * (i / 3 % 3) + 0.003 * (i % 5);
        if (dimension == 2)
            add_ball(model, r, 0.18 * (i % 5) + 0.002 * (i % 7), 0.4 + 0.17 * (i / 5), 0);
        else
            add_ball(model, r, x, y, layer);
    }
    return model;
}

static void momentum_of_colliding_balls_is_kept(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 3; integrator++)
        for (int force = 0; force < 3; force++) {
            MrnModel *model = new_model(3, 0, 0.5, 0.7);
            int a = add_ball(model, 0.1, 0, 0, 0), b = add_ball(model, 0.06, 0.16, 0.05, 0.02);
            MrnScheme scheme = dem_scheme(1e-3, force ? 0 : 1e6);
            scheme.dem.model = (MrnDemModel)force;
            scheme.dem.integrator = (MrnDemIntegrator)integrator;
            if (force) scheme.dem.young_modulus = 1e8, scheme.dem.impact_speed = 3;
            MrnWorld *world = new_world(model, &scheme);
            mrn_world_set_velocity(world, a, (double[]){1, 0.2, 0}, (double[]){0, 3, 5});
            mrn_world_set_velocity(world, b, (double[]){-1, 0, 0.1}, (double[]){2, 0, -7});
            double momentum[2][6];
            for (int when = 0; when < 2; when++) {
                memset(momentum[when], 0, sizeof momentum[when]);
                for (int i = 0; i < 2; i++) {
                    int body = i ? b : a;
                    const double *x = mrn_world_position(world, body), *v = mrn_world_velocity(world, body);
                    const double *I = model->bodies.data[body].inertia;
                    MrnVec3 w = mrn_quat_rotate(mrn_quat_load(mrn_world_rotation(world, body)),
                                                mrn_load3(mrn_world_spin(world, body)));
                    double m = mrn_model_body_mass(model, body);
                    MrnVec3 orbital = mrn_scale3(m, mrn_cross3(mrn_load3(x), mrn_load3(v)));
                    for (int k = 0; k < 3; k++) momentum[when][k] += m * v[k];
                    momentum[when][3] += orbital.x + I[0] * w.x;
                    momentum[when][4] += orbital.y + I[0] * w.y;
                    momentum[when][5] += orbital.z + I[0] * w.z;
                }
                if (!when) {
                    double deepest = 0;
                    for (int k = 0; k < 60; k++) {
                        MrnStepInfo info = step(world, 1);
                        assert_true(info.substeps > 1);
                        deepest = fmax(deepest, info.penetration);
                    }
                    assert_true(deepest > 0);
                }
            }
            for (int k = 0; k < 6; k++)
                if (!(fabs(momentum[1][k] - momentum[0][k]) < (integrator == 2 && k >= 3 ? 1e-5 : 1e-9)))
                    fail_msg("integrator %d, force %d: component %d of momentum %.15g became %.15g", integrator, force,
                             k, momentum[0][k], momentum[1][k]);
            mrn_world_free(world);
            mrn_model_free(model);
        }
}

static void a_grain_at_rest_sinks_by_its_weight_over_the_stiffness(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = new_model(dimension, 9.81, 0.5, 0.1);
        int floor = add_floor(model);
        int ball = add_ball(model, 0.1, 0, dimension == 2 ? 0.1 : 0, dimension == 3 ? 0.1 : 0);
        MrnScheme scheme = dem_scheme(1e-2, 1e6);
        MrnWorld *world = new_world(model, &scheme);
        MrnStepInfo info = step(world, 100);
        double weight = 9.81 * mrn_model_body_mass(model, ball);
        assert_near(0.1 - mrn_world_position(world, ball)[dimension - 1], weight / 1e6, 1e-10);
        assert_near(info.penetration, weight / 1e6, 1e-10);
        assert_near(info.elastic_energy, 0.5 * weight * weight / 1e6, 1e-8 * weight);
        assert_int_equal(mrn_world_contact_count(world), 1);
        double impulse[3], moment[3];
        mrn_world_contact_resultant(world, floor, impulse, moment);
        assert_near(impulse[dimension - 1] / scheme.time_step, -weight, 1e-6 * weight);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void hertz_contact_carries_the_force_of_elastic_spheres(void **state) {
    (void)state;
    MrnModel *model = new_model(3, 9.81, 0.5, 0.1);
    add_floor(model);
    int ball = add_ball(model, 0.1, 0, 0, 0.1);
    MrnScheme scheme = dem_scheme(1e-2, 0);
    scheme.dem.model = MRN_DEM_HERTZ;
    scheme.dem.young_modulus = 1e7, scheme.dem.poisson_ratio = 0.3;
    MrnWorld *world = new_world(model, &scheme);
    step(world, 300);
    // Equal materials: E* = E / (2 (1 - nu^2)); the floor is flat: r* = r.
    double effective = 1e7 / (2 * (1 - 0.09)), weight = 9.81 * mrn_model_body_mass(model, ball);
    double overlap = pow(3 * weight / (4 * effective * sqrt(0.1)), 2.0 / 3);
    assert_near(0.1 - mrn_world_position(world, ball)[2], overlap, 1e-6 * overlap);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_ball_on_a_slope_sticks_rolls_or_slides_as_coulomb_says(void **state) {
    (void)state;
    const double slope = 0.5, g = 9.81;
    for (int slides = 0; slides < 2; slides++) { // a ball rolls if mu >= 2/7 tan(slope)
        double mu = slides ? 0.1 : 0.3;
        MrnModel *model = new_model(3, 0, mu, 0);
        mrn_model_set_gravity(model, (double[]){g * sin(slope), 0, -g * cos(slope)});
        add_floor(model);
        int ball = add_ball(model, 0.1, 0, 0, 0.1);
        MrnScheme scheme = dem_scheme(1e-3, 1e7);
        MrnWorld *world = new_world(model, &scheme);
        step(world, 1000);
        double exact = slides ? g * (sin(slope) - mu * cos(slope)) : 5.0 / 7 * g * sin(slope);
        assert_near(mrn_world_velocity(world, ball)[0], exact, 2e-3 * exact);
        double spin = mrn_world_spin(world, ball)[1];
        assert_near(spin, slides ? 2.5 * mu * g * cos(slope) / 0.1 : exact / 0.1, 3e-3 * fabs(spin));
        assert_int_equal(mrn_world_contact(world, 0).status, slides ? 2 : 1);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void a_block_of_springs_holds_a_tilted_ball_by_static_friction(void **state) {
    (void)state;
    // Between two walls a ball cannot roll: below the Coulomb limit it stays for good, held by its springs.
    MrnModel *model = new_model(2, 9.81, 0.6, 0);
    MrnShape wall = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    for (int side = -1; side <= 1; side += 2) {
        MrnShape shape = wall;
        shape.rotation[0] = side * 1.0; // a groove
        add_shape(model, MRN_BODY_FIXED, shape, (double[3]){0});
    }
    int ball = add_ball(model, 0.1, 0, 0.1 / cos(1.0), 0);
    MrnScheme scheme = dem_scheme(1e-3, 1e6);
    MrnWorld *world = new_world(model, &scheme);
    step(world, 500);
    double height = mrn_world_position(world, ball)[1];
    step(world, 2000);
    assert_near(mrn_world_position(world, ball)[1], height, 1e-12);
    assert_near(mrn_world_velocity(world, ball)[1], 0, 1e-10);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void energy_is_accounted_for(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 3; integrator++) {
        MrnModel *model = heap_model(2, 20);
        MrnScheme scheme = dem_scheme(1e-3, 1e6);
        scheme.dem.integrator = (MrnDemIntegrator)integrator;
        MrnWorld *world = new_world(model, &scheme);
        double start, kinetic, potential, lost = 0;
        mrn_world_energy(world, &kinetic, &potential);
        start = kinetic + potential;
        MrnStepInfo info = {0};
        for (int k = 0; k < 800; k++) {
            info = step(world, 1);
            lost += info.dissipated_energy;
        }
        double now = info.kinetic_energy + info.potential_energy + info.elastic_energy;
        assert_true(lost > 0.1 * fabs(start - info.potential_energy));
        // Euler steps are off by half a sub-step of gravity on what still moves, the others by the second order.
        assert_near(now + lost, start, (integrator == 0 ? 2e-4 : integrator == 1 ? 5e-3 : 3e-2) * lost);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static uint64_t hash_after(int dimension, int threads, int force, int integrator, int steps) {
    MrnModel *model = heap_model(dimension, 60);
    MrnScheme scheme = dem_scheme(1e-3, force ? 0 : 1e5);
    scheme.threads = threads;
    scheme.dem.model = (MrnDemModel)force;
    scheme.dem.integrator = (MrnDemIntegrator)integrator;
    if (force) scheme.dem.young_modulus = 1e7;
    MrnWorld *world = new_world(model, &scheme);
    MrnStepInfo info = step(world, steps);
    assert_true(info.contacts > 10);
    uint64_t hash = mrn_world_hash(world) ^ (uint64_t)(info.dissipated_energy * 1e12);
    mrn_world_free(world);
    mrn_model_free(model);
    return hash;
}

static void results_do_not_depend_on_the_number_of_threads(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int force = 0; force < 2; force++)
            assert_int_equal(hash_after(dimension, 1, force, force, 300), hash_after(dimension, 3, force, force, 300));
}

static void a_copied_state_goes_on_bit_for_bit(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 3; integrator++)
        for (int dimension = 2; dimension <= 3; dimension++) {
            MrnModel *model = heap_model(dimension, 60);
            MrnScheme scheme = dem_scheme(1e-3, 1e5);
            scheme.dem.integrator = (MrnDemIntegrator)integrator;
            MrnWorld *world = new_world(model, &scheme), *again = new_world(model, &scheme);
            MrnStepInfo first = {0}, second = {0};
            for (int round = 0; round < 5; round++) {
                step(world, 57);
                mrn_state_copy(mrn_world_state(again), mrn_world_state(world));
                mrn_world_state_changed(again);
                first = step(world, 1), second = step(again, 1);
                assert_int_equal(mrn_world_hash(world), mrn_world_hash(again));
                assert_int_equal(memcmp(&first, &second, offsetof(MrnStepInfo, seconds_detect)), 0);
                assert_int_equal(mrn_world_contact_count(world), mrn_world_contact_count(again));
            }
            assert_true(first.contacts > 10);
            mrn_world_free(world);
            mrn_world_free(again);
            mrn_model_free(model);
        }
}

static void every_solid_obstacle_holds_a_ball(void **state) {
    (void)state;
    for (int kind = 0; kind < MRN_SHAPE_COUNT; kind++) {
        int dimension = mrn_shape_dimension((MrnShapeKind)kind);
        MrnShape shape = mrn_shape_defaults((MrnShapeKind)kind);
        double square[] = {-1, -1, 1, -1, 1, 0, -1, 0}, line[] = {-1, 0, 1, 0};
        double corners[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 0, -1};
        int faces[] = {0, 1, 2, 0, 2, 3};
        double top = 0; // height on which the ball stands
        switch (kind) {
        case MRN_SHAPE_POLYGON: shape.vertices = square, shape.vertex_count = 4; break;
        case MRN_SHAPE_CHAIN: shape.vertices = line, shape.vertex_count = 2; break;
        case MRN_SHAPE_DISC:
        case MRN_SHAPE_SPHERE: shape.radius = 0.7, top = 0.7; break;
        case MRN_SHAPE_RING: shape.radius = 1, top = -1; break;
        case MRN_SHAPE_BOX: shape.half[0] = shape.half[1] = 1, shape.half[2] = top = 0.5; break;
        case MRN_SHAPE_CAPSULE: shape.half[2] = 0.5, shape.radius = 0.5, top = 1; break;
        case MRN_SHAPE_CYLINDER: shape.half[2] = top = 0.5, shape.radius = 1; break;
        case MRN_SHAPE_POLYHEDRON: shape.vertices = corners, shape.vertex_count = 5; break;
        case MRN_SHAPE_TUBE: // lying
            shape.radius = 1, shape.half[2] = 2, top = -1;
            shape.rotation[0] = shape.rotation[1] = sqrt(0.5);
            break;
        case MRN_SHAPE_FUNNEL: shape.radius = 0.05, shape.top_radius = 1.05, shape.half[2] = 0.5; break;
        case MRN_SHAPE_MESH:
            shape.vertices = corners, shape.vertex_count = 4;
            shape.face_vertex = faces, shape.face_count = 2;
            break;
        default: break;
        }
        MrnModel *model = new_model(dimension, 9.81, 0.5, 0.1);
        add_shape(model, MRN_BODY_FIXED, shape, (double[3]){0});
        double r = 0.1, height = top + r;
        if (kind == MRN_SHAPE_FUNNEL)
            height = -0.5 + (r - 0.05 * sqrt(0.5)) * sqrt(2) + 0.01; // on the slope, all around
        double x = kind == MRN_SHAPE_FUNNEL || kind == MRN_SHAPE_RING || kind == MRN_SHAPE_TUBE ? 0 : 1e-9;
        int ball = add_ball(model, r, x, dimension == 2 ? height : 0, dimension == 3 ? height : 0);
        MrnScheme scheme = dem_scheme(1e-3, 1e6);
        MrnWorld *world = new_world(model, &scheme);
        MrnStepInfo info = step(world, 400);
        if (!(info.contacts >= 1)) fail_msg("%s does not hold a ball", mrn_shape_name((MrnShapeKind)kind));
        double now = mrn_world_position(world, ball)[dimension - 1];
        if (!(fabs(now - height) < 0.03))
            fail_msg("%s: ball at %g m, began at %g m", mrn_shape_name((MrnShapeKind)kind), now, height);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void a_ball_that_crosses_an_edge_of_a_mesh_keeps_its_spring(void **state) {
    (void)state;
    // Two coplanar triangles are like a plane for a ball that rolls across their common edge.
    double corners[] = {-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0}, velocity[2][3];
    int faces[] = {0, 1, 2, 0, 2, 3};
    for (int mesh = 0; mesh < 2; mesh++) {
        MrnShape shape = mrn_shape_defaults(mesh ? MRN_SHAPE_MESH : MRN_SHAPE_PLANE);
        if (mesh) shape.vertices = corners, shape.vertex_count = 4, shape.face_vertex = faces, shape.face_count = 2;
        MrnModel *model = new_model(3, 9.81, 0.5, 0.2);
        mrn_model_set_gravity(model, (double[]){1, 0.5, -9.81});
        add_shape(model, MRN_BODY_FIXED, shape, (double[3]){0});
        int ball = add_ball(model, 0.1, -0.3, 0.1, 0.1);
        MrnScheme scheme = dem_scheme(1e-3, 1e6);
        MrnWorld *world = new_world(model, &scheme);
        mrn_world_set_velocity(world, ball, (double[]){1, 0, 0}, (double[]){0, 10, 0});
        step(world, 700);
        memcpy(velocity[mesh], mrn_world_velocity(world, ball), sizeof velocity[mesh]);
        mrn_world_free(world);
        mrn_model_free(model);
    }
    for (int k = 0; k < 3; k++) assert_near(velocity[0][k], velocity[1][k], 1e-9);
}

static void a_turning_drum_drags_a_ball_along(void **state) {
    (void)state;
    // The same drum as a ring in the plane and as a tube in space: a ball with the same mass and inertia does the same.
    double height[2];
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = new_model(dimension, 9.81, 0.3, 0.2);
        MrnShape shape = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_RING : MRN_SHAPE_TUBE);
        shape.radius = 1, shape.half[2] = 1;
        if (dimension == 3) shape.rotation[0] = sqrt(0.5), shape.rotation[1] = -sqrt(0.5); // axis along y
        MrnBodyDef def = mrn_body_defaults(dimension);
        def.kind = MRN_BODY_DRIVEN;
        def.shapes = &shape, def.shape_count = 1;
        def.driver.kind = MRN_DRIVER_CONSTANT;
        def.driver.angular_velocity = dimension == 2 ? 2 : -2;
        if (dimension == 3) def.driver.axis[1] = 1, def.driver.axis[2] = 0;
        mrn_model_add_body(model, &def, NULL);
        MrnShape grain = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_DISC : MRN_SHAPE_SPHERE);
        grain.radius = 0.1;
        MrnBodyDef ball = mrn_body_defaults(dimension);
        ball.shapes = &grain, ball.shape_count = 1;
        ball.mass = 1, ball.inertia[0] = ball.inertia[1] = ball.inertia[2] = 0.004;
        ball.position[dimension - 1] = -0.9;
        int body = mrn_model_add_body(model, &ball, NULL);
        MrnScheme scheme = dem_scheme(1e-3, 1e5);
        MrnWorld *world = new_world(model, &scheme);
        double work = 0;
        for (int k = 0; k < 400; k++) work += step(world, 1).driver_work;
        height[dimension - 2] = mrn_world_position(world, body)[dimension - 1];
        assert_true(work > 0);
        mrn_world_free(world);
        mrn_model_free(model);
    }
    assert_true(height[0] > -0.899);
    assert_near(height[0], height[1], 1e-9);
}

static void a_dense_packing_at_the_largest_step_stays_calm(void **state) {
    (void)state;
    MrnModel *model = heap_model(3, 120);
    MrnScheme scheme = dem_scheme(1e-3, 1e5);
    scheme.dem.step = 1;
    MrnError error = {0};
    assert_null(mrn_world_new(model, &scheme, &error));
    double limit = 0, usual = 0;
    const char *text = strstr(error.message, "stability limit of ");
    assert_non_null(text);
    assert_int_equal(sscanf(text, "stability limit of %lf s", &limit), 1);
    assert_int_equal(sscanf(strstr(error.message, "nothing for "), "nothing for %lf s", &usual), 1);
    assert_true(usual < limit && limit < 1);
    scheme.dem.step = 0.999 * limit;
    MrnWorld *world = new_world(model, &scheme);
    MrnStepInfo info = step(world, 3000);
    assert_true(info.contacts > 100);
    // A few grains roll and spin on, which nothing here stops; no oscillation may feed on the step.
    double kinetic = info.kinetic_energy;
    assert_true(kinetic < 1e-4 * fabs(info.potential_energy));
    info = step(world, 1000);
    assert_true(info.kinetic_energy <= kinetic);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_step_above_the_stability_limit_is_refused_with_the_limit_and_the_usual_step(void **state) {
    (void)state;
    MrnModel *model = new_model(2, 0, 0, 1);
    add_ball(model, 0.1, 0, 0, 0);
    // Two such discs on a spring without damping swing at 1000 rad/s: a collision takes pi ms; a third of 2 ms is
    // stable.
    double mass = 0.5 * 2500 * M_PI * 0.1 * 0.1;
    MrnScheme scheme = dem_scheme(1e-3, 1e6 * mass);
    scheme.dem.step = 1e-3;
    MrnError error = {0};
    assert_null(mrn_world_new(model, &scheme, &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message,
                        "dem: a step of 0.001 s is above the stability limit of 0.0006667 s: the shortest "
                        "collision (material 'stone' with 'stone') takes 0.003142 s; give at most the "
                        "limit, or nothing for 6.283e-05 s");
    scheme.dem.step = 2.0 / 3 * 1e-3;
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    assert_non_null(world);
    mrn_world_free(world);
    scheme.dem.step = 0;
    scheme.dem.restitution = 1.5;
    assert_null(mrn_world_new(model, &scheme, &error));
    assert_string_equal(error.message, "dem: restitution is 1.5, must be in [0, 1]");
    mrn_model_free(model);
}

static void bodies_and_settings_that_cannot_be_are_refused(void **state) {
    (void)state;
    MrnModel *model = new_model(2, 9.81, 0.5, 0.1);
    int ball = add_ball(model, 0.1, 0, 1, 0);
    assert_int_equal(ball, 0);
    const struct {
        MrnDemSettings change;
        const char *message;
    } rows[] = {
        {{.normal_stiffness = -1}, "normal stiffness is -1 N/m"},
        {{.restitution = 1.5}, "restitution is 1.5, must be in [0, 1]"},
        {{.substeps_per_collision = 2}, "2 sub-steps per collision, must be at least 5"},
        {{.model = MRN_DEM_HERTZ}, "no Young modulus for material 'stone'"},
        {{.model = MRN_DEM_HERTZ, .normal_stiffness = 1, .young_modulus = 1e9}, "found both a normal stiffness"},
        {{.young_modulus = 1e9}, "found a Young modulus with the linear model"},
        {{.poisson_ratio = 0.7}, "Poisson ratio is 0.7"},
        {{.step = -1}, "step is -1 s"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MrnScheme scheme = dem_scheme(1e-3, 0);
        const MrnDemSettings *change = &rows[i].change;
        scheme.dem.model = change->model;
        if (change->normal_stiffness) scheme.dem.normal_stiffness = change->normal_stiffness;
        if (change->restitution) scheme.dem.restitution = change->restitution;
        if (change->substeps_per_collision) scheme.dem.substeps_per_collision = change->substeps_per_collision;
        if (change->young_modulus) scheme.dem.young_modulus = change->young_modulus;
        if (change->poisson_ratio) scheme.dem.poisson_ratio = change->poisson_ratio;
        scheme.dem.step = change->step;
        MrnError error = {0};
        assert_null(mrn_world_new(model, &scheme, &error));
        if (!strstr(error.message, rows[i].message)) fail_msg("'%s' does not say '%s'", error.message, rows[i].message);
    }
    MrnShape polygon = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    double square[] = {-1, -1, 1, -1, 1, 1, -1, 1};
    polygon.vertices = square, polygon.vertex_count = 4;
    add_shape(model, MRN_BODY_FREE, polygon, (double[]){5, 5, 0});
    MrnScheme scheme = dem_scheme(1e-3, 1e5);
    MrnError error = {0};
    assert_null(mrn_world_new(model, &scheme, &error));
    assert_non_null(strstr(error.message, "free bodies must be single discs or spheres, 'body 2' is a polygon"));
    mrn_model_free(model);
}

static void bodies_born_later_join_and_stay(void **state) {
    (void)state;
    MrnModel *model = new_model(3, 9.81, 0.5, 0.1);
    add_floor(model);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
    shape.radius = 0.1;
    MrnBodyDef def = mrn_body_defaults(3);
    def.shapes = &shape, def.shape_count = 1;
    def.position[2] = 0.3, def.birth = 0.1;
    int late = mrn_model_add_body(model, &def, NULL);
    MrnScheme scheme = dem_scheme(1e-3, 1e5);
    MrnWorld *world = new_world(model, &scheme);
    step(world, 100);
    assert_near(mrn_world_position(world, late)[2], 0.3, 0);
    MrnStepInfo info = step(world, 900);
    assert_int_equal(info.contacts, 1);
    assert_near(mrn_world_position(world, late)[2], 0.1, 1e-2);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void free_flight_is_exact_to_first_order_and_better_with_verlet(void **state) {
    (void)state;
    for (int integrator = 0; integrator < 3; integrator++) {
        MrnModel *model = new_model(3, 10, 0, 0);
        int ball = add_ball(model, 0.1, 0, 0, 0);
        MrnScheme scheme = dem_scheme(1e-2, 1e4);
        scheme.dem.integrator = (MrnDemIntegrator)integrator;
        MrnWorld *world = new_world(model, &scheme);
        MrnStepInfo info = step(world, 100);
        double h = 1e-2 / (double)info.substeps, fall = -mrn_world_position(world, ball)[2];
        assert_near(fall, 5, integrator == 0 ? 10 * h : 1e-9);
        assert_near(mrn_world_velocity(world, ball)[2], -10, 1e-9);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_of_colliding_balls_is_kept),
        cmocka_unit_test(a_grain_at_rest_sinks_by_its_weight_over_the_stiffness),
        cmocka_unit_test(hertz_contact_carries_the_force_of_elastic_spheres),
        cmocka_unit_test(a_ball_on_a_slope_sticks_rolls_or_slides_as_coulomb_says),
        cmocka_unit_test(a_block_of_springs_holds_a_tilted_ball_by_static_friction),
        cmocka_unit_test(energy_is_accounted_for),
        cmocka_unit_test(results_do_not_depend_on_the_number_of_threads),
        cmocka_unit_test(a_copied_state_goes_on_bit_for_bit),
        cmocka_unit_test(every_solid_obstacle_holds_a_ball),
        cmocka_unit_test(a_ball_that_crosses_an_edge_of_a_mesh_keeps_its_spring),
        cmocka_unit_test(a_turning_drum_drags_a_ball_along),
        cmocka_unit_test(a_dense_packing_at_the_largest_step_stays_calm),
        cmocka_unit_test(a_step_above_the_stability_limit_is_refused_with_the_limit_and_the_usual_step),
        cmocka_unit_test(bodies_and_settings_that_cannot_be_are_refused),
        cmocka_unit_test(bodies_born_later_join_and_stay),
        cmocka_unit_test(free_flight_is_exact_to_first_order_and_better_with_verlet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
