// Drag, Coriolis, the ocean layer and the forcing of floes, against closed forms and the numbers of the floe
// specification (sections 2.1, 2.6, 4.3, 4.4).
#include "base/random.h"
#include "force/environment.h"
#include "force/forcing.h"
#include "geom/polygon.h"
#include "geom/triangulate.h"
#include "step/stepper.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PI 3.14159265358979323846

static MrnShape regular_polygon(size_t sides, double radius) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = sides;
    shape.vertices = malloc(2 * sides * sizeof(double));
    for (size_t i = 0; i < sides; i++) {
        shape.vertices[2 * i] = radius * cos(2 * PI * (double)i / (double)sides);
        shape.vertices[2 * i + 1] = radius * sin(2 * PI * (double)i / (double)sides);
    }
    return shape;
}

/// A model with one floe: a regular polygon of ice with a thickness, or of a given mass.
static MrnModel *one_floe(size_t sides, double radius, double thickness, double mass) {
    MrnModel *model = mrn_model_new(2);
    mrn_model_add_material(model, "ice", 1);
    mrn_model_set_volume_density(model, 0, 917);
    MrnShape shape = regular_polygon(sides, radius);
    MrnBodyDef def = mrn_body_defaults(2);
    def.shapes = &shape, def.shape_count = 1, def.thickness = thickness, def.mass = mass;
    MrnError error = {0};
    assert_int_equal(mrn_model_add_body(model, &def, &error), 0);
    free(shape.vertices);
    return model;
}

static void attach(MrnModel *model, MrnEnvironment environment) {
    MrnError error = {0};
    if (!mrn_environment_attach(model, &environment, &error)) fail_msg("%s", error.message);
}

/// Explicit Euler of specification 2.2.1 and 2.6.3 for models without contacts: positions move with the old velocity.
static void euler_step(const MrnModel *model, MrnState *state, double h) {
    size_t n = model->bodies.count;
    double(*change)[3] = malloc(n * sizeof *change);
    for (size_t b = 0; b < n; b++) {
        double force[2], moment;
        mrn_environment_force(model, state, b, state->time[0], force, &moment);
        const MrnBody *body = &model->bodies.data[b];
        change[b][0] = h * force[0] * mrn_body_inverse_mass(body);
        change[b][1] = h * force[1] * mrn_body_inverse_mass(body);
        change[b][2] = h * moment * mrn_body_inverse_inertia(body, 2);
    }
    for (size_t b = 0; b < n; b++) {
        for (size_t k = 0; k < 2; k++) {
            state->position[2 * b + k] += h * state->velocity[2 * b + k];
            state->velocity[2 * b + k] += change[b][k];
        }
        state->rotation[b] += h * state->spin[b];
        state->spin[b] += change[b][2];
    }
    mrn_environment_step(model, state, h);
    state->time[0] += h;
    free(change);
}

/// A random simple polygon: a star with up to half of its radius cut away.
static void random_star(uint64_t seed, size_t count, double *vertices) {
    for (size_t i = 0; i < count; i++) {
        double angle = 2 * PI * ((double)i + 0.8 * mrn_random_unit(seed, i, 0)) / (double)count;
        double r = 1 - 0.7 * mrn_random_unit(seed, i, 1);
        vertices[2 * i] = r * cos(angle), vertices[2 * i + 1] = r * sin(angle);
    }
}

static void triangles_cover_any_simple_polygon_once(void **unused) {
    (void)unused;
    double worst = 1;
    for (uint64_t seed = 0; seed < 300; seed++) {
        size_t count = 3 + seed % 60;
        double vertices[2 * 63];
        random_star(seed, count, vertices);
        size_t edges[2];
        if (!mrn_polygon_is_simple(count, vertices, edges) || !(mrn_polygon_area(count, vertices) > 0)) continue;
        MrnTriangulation mesh;
        assert_true(mrn_triangulate(count, vertices, 25, &mesh));
        double area = 0, whole = mrn_polygon_area(count, vertices), largest = 0;
        assert_true(mesh.triangle_count >= 25);
        for (size_t t = 0; t < mesh.triangle_count; t++) {
            const int *c = mesh.triangles + 3 * t;
            MrnVec2 a = mrn_vertex2(mesh.vertices, (size_t)c[0]), b = mrn_vertex2(mesh.vertices, (size_t)c[1]),
                    d = mrn_vertex2(mesh.vertices, (size_t)c[2]);
            double own = 0.5 * mrn_cross2(mrn_sub2(b, a), mrn_sub2(d, a));
            assert_true(own >= 0);
            area += own;
            largest = fmax(largest, own);
            // Triangles that overlapped could still add up to the area: the centroid of one lies in no other.
            MrnVec2 centre = mrn_vec2((a.x + b.x + d.x) / 3, (a.y + b.y + d.y) / 3);
            if (own > 1e-9 * whole) assert_true(mrn_polygon_contains(count, vertices, centre));
            for (size_t u = 0; u < mesh.triangle_count; u++) {
                if (u == t || own < 1e-9 * whole) continue;
                const int *e = mesh.triangles + 3 * u;
                bool inside = true;
                for (int k = 0; k < 3; k++) {
                    MrnVec2 p = mrn_vertex2(mesh.vertices, (size_t)e[k]),
                            q = mrn_vertex2(mesh.vertices, (size_t)e[(k + 1) % 3]);
                    inside = inside && mrn_cross2(mrn_sub2(q, p), mrn_sub2(centre, p)) > 1e-12;
                }
                assert_false(inside);
            }
        }
        worst = fmin(worst, area / whole);
        assert_true(fabs(area - whole) < 1e-13 * whole);
        assert_true(largest <= 2 * whole / 25 * (1 + 1e-9));
        mrn_triangulation_free(&mesh);
    }
}

static void a_floe_outline_of_25_vertices_gets_about_25_good_triangles(void **unused) {
    (void)unused;
    double vertices[50];
    for (int i = 0; i < 25; i++) {
        double angle = 2 * PI * i / 25, r = 1 + 0.15 * sin(3 * angle) + 0.1 * cos(5 * angle);
        vertices[2 * i] = 100 * r * cos(angle), vertices[2 * i + 1] = 100 * r * sin(angle);
    }
    MrnTriangulation mesh;
    assert_true(mrn_triangulate(25, vertices, 25, &mesh));
    assert_in_range(mesh.triangle_count, 25, 45);
    assert_int_equal(mesh.boundary_count, 25);
    assert_memory_equal(mesh.vertices, vertices, sizeof vertices);
    mrn_triangulation_free(&mesh);
}

static void the_three_point_rule_is_exact_for_quadratics(void **unused) {
    (void)unused;
    // PT-11: area, first and second moments of a polygon against their boundary formulas.
    MrnModel *model = one_floe(7, 30, 0.5, 0);
    attach(model, mrn_environment_defaults());
    const MrnBody *body = &model->bodies.data[0];
    const MrnFloeMesh *mesh = body->mesh;
    double sum[4] = {0};
    for (size_t i = 0; i < mesh->point_count; i++) {
        sum[0] += mesh->weight[i];
        sum[1] += mesh->weight[i] * mesh->x[i];
        sum[2] += mesh->weight[i] * mesh->y[i];
        sum[3] += mesh->weight[i] * (mesh->x[i] * mesh->x[i] + mesh->y[i] * mesh->y[i]);
    }
    double area = body->mass / (917 * 0.5);
    assert_float_equal(sum[0], area, 1e-10 * area);
    assert_float_equal(sum[1], 0, 1e-10 * area * 30);
    assert_float_equal(sum[2], 0, 1e-10 * area * 30);
    assert_float_equal(sum[3], body->inertia[2] / (917 * 0.5), 1e-10 * sum[3]);
    mrn_model_free(model);
}

static void polar_interpolation_takes_the_short_arc(void **unused) {
    (void)unused; // PT-12
    double degree = PI / 180;
    MrnPolar half = mrn_polar_between((MrnPolar){1, 170 * degree}, (MrnPolar){3, -170 * degree}, 0.5);
    assert_float_equal(half.magnitude, 2, 1e-15);
    assert_float_equal(cos(half.angle), -1, 1e-15);
    MrnPolar back = mrn_polar_between((MrnPolar){1, -170 * degree}, (MrnPolar){1, 170 * degree}, 0.25);
    assert_float_equal(remainder(back.angle + 175 * degree, 2 * PI), 0, 1e-14);
    MrnPolar from_rest = mrn_polar_between((MrnPolar){0, 0}, (MrnPolar){4, 1.2}, 0.25);
    assert_true(from_rest.magnitude == 1 && from_rest.angle == 1.2);
}

static void a_floe_reaches_the_characteristic_velocity_of_wind_and_current(void **unused) {
    (void)unused; // V-12, with the exact solution of the specification
    MrnModel *model = one_floe(32, 0.1, 0, 2);
    MrnEnvironment environment = mrn_environment_defaults();
    environment.wind.value[0] = 4, environment.current.value[0] = 0.25;
    attach(model, environment);
    MrnState *state = mrn_state_new(model);
    static const double at[6][2] = {{60, 0.15574},  {120, 0.21070}, {180, 0.24737},
                                    {300, 0.30500}, {600, 0.33378}, {700, 0.33424}};
    double h = 0.01, before = 0;
    for (int i = 0, k = 0; k < 6; i++) {
        if (fabs(state->time[0] - at[k][0]) < 0.5 * h) assert_float_equal(state->velocity[0], at[k++][1], 2e-5);
        assert_true(state->velocity[0] >= before);
        before = state->velocity[0];
        euler_step(model, state, h);
    }
    assert_float_equal(state->velocity[1], 0, 1e-15);
    assert_float_equal(state->spin[0], 0, 1e-12);
    assert_float_equal(mrn_nansen(model->environment), 0.021100, 5e-7);
    mrn_state_free(state);
    mrn_model_free(model);
}

static double drift_angle(double fraction) {
    MrnModel *model = one_floe(32, 100, 1, 0);
    MrnEnvironment environment = mrn_environment_defaults();
    environment.wind.value[0] = 4;
    environment.latitude = 81 * PI / 180;
    environment.ocean = fraction > 0;
    environment.ocean_area = fraction > 0 ? model->bodies.data[0].mass / 917 / fraction : 0;
    attach(model, environment);
    MrnState *state = mrn_state_new(model);
    while (state->time[0] < 2 * 86400 - 1) euler_step(model, state, 10);
    double angle = -atan2(state->position[1], state->position[0]) * 180 / PI;
    if (fraction == 0) {
        assert_float_equal(state->position[0], 13500, 1);
        assert_float_equal(state->position[1], -4175, 1);
        assert_float_equal(hypot(state->velocity[0], state->velocity[1]), 0.082454, 1e-6);
        assert_float_equal(-atan2(state->velocity[1], state->velocity[0]) * 180 / PI, 17.373, 1e-3);
    }
    mrn_state_free(state);
    mrn_model_free(model);
    return angle;
}

static void drift_turns_right_of_the_wind_more_with_the_ocean_layer(void **unused) {
    (void)unused; // V-13
    assert_float_equal(drift_angle(0), 17.19, 0.006);
    assert_float_equal(drift_angle(0.05), 28.28, 0.006);
    assert_float_equal(drift_angle(0.5), 27.84, 0.006);
    assert_float_equal(drift_angle(1), 27.38, 0.006);
}

static void the_ocean_layer_oscillates_with_the_inertial_period(void **unused) {
    (void)unused; // V-14
    static const double hours[7][3] = {{0, 0, 0},  {12, -5, -2}, {45, -5, -2}, {46, -2, 5},
                                       {47, 4, 3}, {48, 1, -6},  {200, 1, -6}};
    static const double published[4][6][2] = {
        {{-7.40, 0.65}, {-16.24, 2.40}, {-19.80, -8.69}, {-23.46, -19.80}, {-27.12, -30.92}, {-30.77, -42.04}},
        {{-7.28, 0.61}, {-15.97, 2.29}, {-19.43, -8.61}, {-22.99, -19.54}, {-26.55, -30.47}, {-30.10, -41.41}},
        {{-7.16, 0.57}, {-15.70, 2.19}, {-19.07, -8.53}, {-22.54, -19.29}, {-26.00, -30.04}, {-29.46, -40.80}},
        {{-6.89, -0.86}, {-15.36, -1.68}, {-15.62, -12.62}, {-16.00, -23.59}, {-16.39, -34.56}, {-16.78, -45.54}}};
    static const double fractions[4] = {0.2, 0.5, 0.8, 0};
    double rows[21];
    for (int i = 0; i < 7; i++)
        rows[3 * i] = 3600 * hours[i][0], rows[3 * i + 1] = hours[i][1], rows[3 * i + 2] = hours[i][2];
    for (int run = 0; run < 4; run++) {
        MrnModel *model = one_floe(32, 100, 1, 0);
        MrnEnvironment environment = mrn_environment_defaults();
        MrnError error = {0};
        assert_true(mrn_forcing_table(&environment.wind, rows, 7, &error));
        environment.latitude = 81 * PI / 180;
        environment.ocean = fractions[run] > 0;
        if (environment.ocean) environment.ocean_area = model->bodies.data[0].mass / 917 / fractions[run];
        attach(model, environment);
        MrnState *state = mrn_state_new(model);
        double last = 0, low = INFINITY,
               high = 0; // a maximum counts when the speed falls by 5 mm/s and had risen by as much
        int maxima = 0;
        for (int step = 0; step < 6 * 8640; step++) {
            euler_step(model, state, 10);
            double speed = hypot(state->velocity[0], state->velocity[1]);
            if (state->time[0] > 49 * 3600) {
                if (speed > last) high = speed > low + 5e-3 ? speed : high;
                if (speed < high - 5e-3) maxima++, high = 0, low = speed;
                low = fmin(low, speed);
            }
            last = speed;
            if ((step + 1) % 8640 == 0)
                for (int k = 0; k < 2; k++)
                    assert_float_equal(state->position[k] / 1000, published[run][(step + 1) / 8640 - 1][k], 0.0151);
        }
        assert_int_equal(maxima, environment.ocean ? 8 : 0);
        mrn_state_free(state);
        mrn_model_free(model);
    }
}

static void derivative_of_the_force_is_its_slope(void **unused) {
    (void)unused;
    MrnModel *model = one_floe(5, 20, 0.7, 0);
    MrnEnvironment environment = mrn_environment_defaults();
    environment.latitude = 1.2, environment.relative_wind = true, environment.linear_drag = 1e-3;
    environment.wind.value[0] = 5, environment.wind.value[1] = -2;
    environment.current = (MrnForcing){.kind = MRN_FORCING_VORTEX, .centre = {30, 10}, .speed = 0.4, .length = 25};
    attach(model, environment);
    MrnState *state = mrn_state_new(model);
    state->velocity[0] = 0.1, state->velocity[1] = -0.2, state->spin[0] = 0.01, state->rotation[0] = 0.3;
    MrnWeather weather = mrn_weather_at(model, state, 0);
    double force[3], derivative[9];
    mrn_weather_force(model, state, 0, &weather, force, force + 2, derivative);
    double *unknown[3] = {&state->velocity[0], &state->velocity[1], &state->spin[0]};
    for (int k = 0; k < 3; k++) {
        double h = k < 2 ? 1e-5 : 1e-6, plus[3], minus[3], old = *unknown[k];
        *unknown[k] = old + h;
        mrn_weather_force(model, state, 0, &weather, plus, plus + 2, NULL);
        *unknown[k] = old - h;
        mrn_weather_force(model, state, 0, &weather, minus, minus + 2, NULL);
        *unknown[k] = old;
        for (int i = 0; i < 3; i++) {
            double slope = (plus[i] - minus[i]) / (2 * h),
                   scale = fabs(derivative[3 * i + i]) + fabs(derivative[4 * k]);
            assert_float_equal(derivative[3 * i + k], slope, 1e-5 * scale);
        }
    }
    mrn_state_free(state);
    mrn_model_free(model);
}

static void the_vector_kernel_agrees_with_the_sum_point_by_point(void **unused) {
    (void)unused;
    MrnModel *model = one_floe(9, 12, 0.7, 0);
    MrnEnvironment environment = mrn_environment_defaults();
    environment.current.value[0] = 0.3, environment.current.value[1] = -0.1, environment.linear_drag = 1e-3;
    attach(model, environment);
    MrnState *state = mrn_state_new(model);
    state->velocity[0] = 0.1, state->velocity[1] = -0.2, state->spin[0] = 0.02, state->rotation[0] = 0.8;
    MrnWeather weather = mrn_weather_at(model, state, 0);
    double fast[3], slow[3], derivative[9];
    mrn_weather_force(model, state, 0, &weather, fast, fast + 2, NULL);
    mrn_weather_force(model, state, 0, &weather, slow, slow + 2, derivative);
    for (int k = 0; k < 3; k++) assert_float_equal(fast[k], slow[k], 1e-13 * fabs(slow[k]) + 1e-12);
    mrn_state_free(state);
    mrn_model_free(model);
}

static void thickness_by_element_moves_the_mass_centre_towards_the_thick_side(void **unused) {
    (void)unused;
    // A 2 x 1 rectangle, twice as thick on its right half: mass, centre and inertia of two squares.
    MrnModel *model = mrn_model_new(2);
    mrn_model_add_material(model, "ice", 1);
    mrn_model_set_volume_density(model, 0, 900);
    double corners[] = {0, 0, 1, 0, 2, 0, 2, 1, 1, 1, 0, 1};
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertices = corners, shape.vertex_count = 6;
    const double samples[] = {0.5, 0.5, 0.2, 1.5, 0.5, 0.4};
    MrnBodyDef def = mrn_body_defaults(2);
    def.shapes = &shape, def.shape_count = 1;
    def.thickness_samples = samples, def.thickness_sample_count = 2;
    MrnError error = {0};
    assert_int_equal(mrn_model_add_body(model, &def, &error), 0);
    const MrnBody *body = &model->bodies.data[0];
    double left = 0, right = 0;
    for (size_t t = 0; t < body->mesh->triangle_count; t++) {
        double thickness = body->mesh->thickness[t];
        assert_true(thickness == 0.2 || thickness == 0.4);
        const int *c = body->mesh->triangles + 3 * t;
        double x =
            (body->mesh->vertices[2 * c[0]] + body->mesh->vertices[2 * c[1]] + body->mesh->vertices[2 * c[2]]) / 3;
        if (thickness == 0.2)
            left += x + body->position[0] > 1;
        else
            right += x + body->position[0] < 1;
    }
    assert_true(left == 0 && right == 0);
    // Elements need not end at x = 1: compare with the elements' own sums, and the whole with bounds.
    assert_true(body->mass > 900 * 0.25 * 2 && body->mass < 900 * 0.35 * 2);
    assert_true(body->position[0] > 1.05 && body->position[0] < 1.25);
    assert_float_equal(body->position[1], 0.5, 0.05);
    mrn_model_free(model);
}

/// Speed of the disc of V-12 after `end` under moreau-jean.
static double moreau_jean_speed(double time_step, double end) {
    MrnModel *model = one_floe(32, 0.1, 0, 2);
    MrnEnvironment environment = mrn_environment_defaults();
    environment.wind.value[0] = 4, environment.current.value[0] = 0.25;
    attach(model, environment);
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = time_step;
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    assert_non_null(world);
    while (mrn_world_time(world) < end - 0.5 * time_step) {
        MrnStepInfo info;
        assert_true(mrn_world_step(world, &info, &error));
        assert_float_equal(info.energy_defect, 0, 1e-12);
    }
    double speed = mrn_world_velocity(world, 0)[0];
    mrn_world_free(world);
    mrn_model_free(model);
    return speed;
}

static void time_stepping_of_drag_is_second_order_and_stable_for_any_step(void **unused) {
    (void)unused;
    // Exact solution of V-12 at 120 s, before the speed passes that of the water.
    double area = 16 * 0.01 * sin(2 * PI / 32), b = sqrt(1.341 * 1.7e-3 / (1024.071 * 5e-3)) * 4,
           c = 1024.071 * 5e-3 * area / 2;
    double exact = 0.25 - b * tan(atan(0.25 / b) - c * b * 120);
    double coarse = fabs(moreau_jean_speed(10, 120) - exact), fine = fabs(moreau_jean_speed(5, 120) - exact);
    assert_true(fine < 2e-4);
    assert_float_equal(log2(coarse / fine), 2, 0.2);
    // A hundred times the limit of explicit steps: still no faster than free drift.
    MrnEnvironment environment = mrn_environment_defaults();
    double limit = mrn_drag_limit_bounded(&environment, 2 / area, 4, 0.25);
    assert_float_equal(moreau_jean_speed(100 * limit, 3000 * limit), 0.25 + b, 0.02 * (0.25 + b));
}

static void limits_of_explicit_steps_are_those_of_the_table(void **unused) {
    (void)unused; // specification 4.3
    MrnEnvironment e = mrn_environment_defaults();
    static const double rows[][4] = {{10, 1, 424.376, 87.93},   {5, 0.3, 848.75, 285.42},   {-4, -0.1, 1060.94, 750.49},
                                     {6, -0.3, 707.29, 258.64}, {-4, 0.5, 1060.94, 176.07}, {-2, 0.3, 2121.88, 295.08},
                                     {8, 0.7, 530.47, 124.99},  {10, 1.5, 424.38, 59.18},   {10, 2, 424.38, 44.55}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_float_equal(mrn_drag_limit_monotone(&e, 917, rows[i][0]), rows[i][2], 0.0051);
        assert_float_equal(mrn_drag_limit_bounded(&e, 917, rows[i][0], rows[i][1]), rows[i][3], 0.0051);
    }
    double fast = mrn_nansen(&e) * 10 + 5;
    assert_float_equal(0.75 * mrn_drag_limit_falling(&e, 917, 0, 0, fast), 51.5, 0.06);
    assert_float_equal(mrn_drag_map(&e, 917, 51.5, 0, 0, fast), -2.6, 0.05);
}

static void a_floe_in_a_vortex_turns_with_it(void **unused) {
    (void)unused;
    // In a solid rotation Omega a floe at the centre gains spin as I d omega / dt = k (Omega - omega)^2 with k = rho_w
    // C_w times the integral of r^3, which for a disc is 2 pi R^5 / 5. (Later it leaves the centre.)
    MrnModel *model = one_floe(48, 20, 0.5, 0);
    MrnEnvironment environment = mrn_environment_defaults();
    environment.current = (MrnForcing){.kind = MRN_FORCING_VORTEX, .speed = 1, .length = 100};
    environment.elements = 100;
    attach(model, environment);
    MrnState *state = mrn_state_new(model);
    double rate = 1024.071 * 5e-3 * 2 * PI * pow(20, 5) / 5 / model->bodies.data[0].inertia[2];
    while (state->time[0] < 999.5) {
        euler_step(model, state, 1);
        assert_float_equal(0.01 - state->spin[0], 0.01 / (1 + 0.01 * rate * state->time[0]), 1e-4);
    }
    assert_true(hypot(state->position[0], state->position[1]) < 0.02);
    mrn_state_free(state);
    mrn_model_free(model);
}

static void closed_forms_have_the_values_their_names_say(void **unused) {
    (void)unused;
    double value[2];
    MrnForcing channel = {.kind = MRN_FORCING_CHANNEL, .centre = {0, 5}, .speed = 2, .length = 10, .direction = PI / 2};
    mrn_forcing_at(&channel, 0, (double[2]){5, 77}, value);
    assert_float_equal(value[1], 2 * (1 - 0.25), 1e-14);
    assert_float_equal(value[0], 0, 1e-14);
    mrn_forcing_at(&channel, 0, (double[2]){-11, 0}, value);
    assert_float_equal(value[1], 0, 0);
    MrnForcing vortex = {.kind = MRN_FORCING_VORTEX, .centre = {1, 1}, .speed = 3, .length = 2};
    mrn_forcing_at(&vortex, 0, (double[2]){5, 1}, value);
    assert_float_equal(value[1], 1.5, 1e-14);
    mrn_forcing_at(&vortex, 0, (double[2]){1, 2}, value);
    assert_float_equal(value[0], -1.5, 1e-14);
    MrnForcing radial = {.kind = MRN_FORCING_RADIAL, .speed = -3, .length = 2, .ramp = 10};
    mrn_forcing_at(&radial, 5, (double[2]){0, 8}, value);
    assert_float_equal(value[1], -1.5, 1e-14);
    mrn_forcing_at(&radial, 50, (double[2]){0, 1}, value);
    assert_float_equal(value[1], -1.5, 1e-14);
}

static void without_ice_drag_the_layer_follows_its_data(void **unused) {
    (void)unused;
    // Specification 2.6.3: no ice drag, no wind, no Coriolis, no friction: the layer has the acceleration of the data,
    // after the ramp as before it.
    MrnModel *model = one_floe(8, 10, 1, 0);
    MrnEnvironment environment = mrn_environment_defaults();
    const double rows[] = {0, 0.2, 0, 1000, 0.2, 0.3, 3000, -0.1, 0.1};
    MrnError error = {0};
    assert_true(mrn_forcing_table(&environment.current, rows, 3, &error));
    environment.current.ramp = 500;
    environment.water_drag = 0, environment.ocean_friction = 0;
    environment.ocean = true, environment.ocean_area = 1e6;
    attach(model, environment);
    MrnState *state = mrn_state_new(model);
    assert_true(state->ocean_velocity[0] == 0);
    while (state->time[0] < 3400) {
        euler_step(model, state, 10);
        double data[2];
        mrn_forcing_at(&model->environment->current, state->time[0], (double[2]){0, 0}, data);
        for (int k = 0; k < 2; k++) assert_float_equal(state->ocean_velocity[k], data[k], 1e-13);
        if (state->time[0] == 250) assert_float_equal(data[0], 0.1, 1e-14);
    }
    mrn_state_free(state);
    mrn_model_free(model);
}

static void momentum_that_water_takes_from_ice_goes_into_the_layer(void **unused) {
    (void)unused;
    MrnModel *model = one_floe(8, 50, 1, 0);
    MrnEnvironment environment = mrn_environment_defaults();
    environment.ocean = true, environment.ocean_area = 4e4, environment.ocean_friction = 0;
    attach(model, environment);
    MrnState *state = mrn_state_new(model);
    state->velocity[0] = 0.5;
    double layer = 1024.071 * 15 * 4e4, mass = model->bodies.data[0].mass, first = mass * 0.5;
    for (int i = 0; i < 8000; i++) euler_step(model, state, 0.25);
    // The layer feels the new velocity of the ice, the ice the old one: equal but for the order of the step.
    assert_float_equal(mass * state->velocity[0] + layer * state->ocean_velocity[0], first, 1e-3 * first);
    assert_true(state->velocity[0] < 0.3);
    mrn_state_free(state);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(triangles_cover_any_simple_polygon_once),
        cmocka_unit_test(a_floe_outline_of_25_vertices_gets_about_25_good_triangles),
        cmocka_unit_test(the_three_point_rule_is_exact_for_quadratics),
        cmocka_unit_test(polar_interpolation_takes_the_short_arc),
        cmocka_unit_test(a_floe_reaches_the_characteristic_velocity_of_wind_and_current),
        cmocka_unit_test(drift_turns_right_of_the_wind_more_with_the_ocean_layer),
        cmocka_unit_test(the_ocean_layer_oscillates_with_the_inertial_period),
        cmocka_unit_test(derivative_of_the_force_is_its_slope),
        cmocka_unit_test(time_stepping_of_drag_is_second_order_and_stable_for_any_step),
        cmocka_unit_test(limits_of_explicit_steps_are_those_of_the_table),
        cmocka_unit_test(a_floe_in_a_vortex_turns_with_it),
        cmocka_unit_test(without_ice_drag_the_layer_follows_its_data),
        cmocka_unit_test(momentum_that_water_takes_from_ice_goes_into_the_layer),
        cmocka_unit_test(closed_forms_have_the_values_their_names_say),
        cmocka_unit_test(the_vector_kernel_agrees_with_the_sum_point_by_point),
        cmocka_unit_test(thickness_by_element_moves_the_mass_centre_towards_the_thick_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
