// Drag, Coriolis, ocean layer and forcing of floes: the limits of explicit steps (specification of floes 4.3), V-12 to
// V-14, and the properties PT-11 and PT-12. Both steppers take the same cases.
#include "base/random.h"
#include "force/environment.h"
#include "force/forcing.h"
#include "geom/polygon.h"
#include "verify/cases.h"
#include "verify/floes.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

static const char *const steppers[] = {"event-driven", "moreau-jean"};

static MrnScheme scheme_of(const char *stepper, double time_step) {
    MrnScheme scheme = mrn_floe_scheme(time_step, MRN_CONTACTS_ACTIVE);
    scheme.stepper = stepper;
    return scheme;
}

/// One floe: a 32-gon of a thickness, or of a mass per area that gives `mass`.
static MrnModel *one_floe(double radius, double thickness, double mass) {
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
    double area = 16 * radius * radius * sin(2 * PI / 32);
    mrn_add_regular(model, 32, radius, 0, mass > 0 ? mass : 917 * area * thickness, 0, 0);
    return model;
}

static bool start(MrnVerifyReport *report, MrnModel *model, MrnEnvironment *environment, const MrnScheme *scheme,
                  MrnSmall *small) {
    MrnError error = {0};
    if (!mrn_environment_attach(model, environment, &error)) {
        mrn_check_failed(report, error.message);
        mrn_model_free(model);
        return false;
    }
    *small = mrn_small_start(report, model, scheme);
    if (small->world) return true;
    mrn_small_free(small);
    return false;
}

void mrn_case_floe_stability(MrnVerifyReport *report) {
    MrnEnvironment e = mrn_environment_defaults();
    static const double rows[][4] = {{10, 1, 424.376, 87.93},   {5, 0.3, 848.75, 285.42},   {-4, -0.1, 1060.94, 750.49},
                                     {6, -0.3, 707.29, 258.64}, {-4, 0.5, 1060.94, 176.07}, {-2, 0.3, 2121.88, 295.08},
                                     {8, 0.7, 530.47, 124.99},  {10, 1.5, 424.38, 59.18},   {10, 2, 424.38, 44.55}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        mrn_check(report, rows[i][2], mrn_drag_limit_monotone(&e, 917, rows[i][0]), 0.0051,
                  "monotone limit, wind %g m/s [s]", rows[i][0]);
        mrn_check(report, rows[i][3], mrn_drag_limit_bounded(&e, 917, rows[i][0], rows[i][1]), 0.0051,
                  "bounded limit, wind %g m/s, current %g m/s [s]", rows[i][0], rows[i][1]);
    }
    double fast = mrn_nansen(&e) * 10 + 5;
    mrn_check(report, 51.5, 0.75 * mrn_drag_limit_falling(&e, 917, 0, 0, fast), 0.06,
              "limit when wind and current fall to 0 [s]");
    mrn_check(report, 2.6, fabs(mrn_drag_map(&e, 917, 0.75 * mrn_drag_limit_falling(&e, 917, 0, 0, fast), 0, 0, fast)),
              0.02, "speed after that step, from 5.2 m/s [m/s]");
    // Steps beyond the limits (figure 2.6).
    static const struct {
        double wind, current, first, step;
        int count;
        double values[6], tolerance;
    } runs[] = {{8, 0.7, 0.8, 1500, 6, {0.955, 0.649, 0.909, 0.781, 0.965, 0.616}, 6e-4},
                {8, 0.7, -0.6, 300, 4, {2.28, -1.85, 9.08, -109}, 0.006},
                {10, 1.5, -3.42, 75, 5, {6.74, -4.73, 11.5, -30.6, 400}, 0.006}};
    for (size_t r = 0; r < sizeof runs / sizeof *runs; r++) {
        double x = runs[r].first;
        for (int k = 0; k < runs[r].count; k++) {
            x = mrn_drag_map(&e, 917, runs[r].step, runs[r].wind, runs[r].current, x);
            mrn_check(report, runs[r].values[k], x, fmax(runs[r].tolerance, 0.006 * fabs(x)),
                      "velocity %d with steps of %g s [m/s]", k + 1, runs[r].step);
        }
    }
    // The safe step of a run over the extreme range of the thesis.
    MrnModel *model = one_floe(100, 1, 0);
    MrnEnvironment range = mrn_environment_defaults();
    range.wind.value[0] = 10, range.current.value[0] = 2;
    MrnError error = {0};
    if (mrn_environment_attach(model, &range, &error))
        mrn_check(report, 33.4, mrn_environment_stable_step(model), 0.05,
                  "safe step, winds to 10 m/s, currents to 2 m/s [s]");
    mrn_model_free(model);
}

void mrn_case_floe_free_drift(MrnVerifyReport *report) {
    static const double at[6][2] = {{60, 0.15574},  {120, 0.21070}, {180, 0.24737},
                                    {300, 0.30500}, {600, 0.33378}, {700, 0.33424}};
    for (int s = 0; s < 2; s++) {
        // The thesis takes 0.5 ms; 20 ms leave an error of 1e-5 m/s for explicit Euler.
        MrnScheme scheme = scheme_of(steppers[s], 0.02);
        MrnEnvironment environment = mrn_environment_defaults();
        environment.wind.value[0] = 4, environment.current.value[0] = 0.25;
        MrnSmall small;
        if (!start(report, one_floe(0.1, 0, 2), &environment, &scheme, &small)) return;
        MrnStepInfo info;
        double before = 0;
        bool monotone = true;
        for (int k = 0; k < 6;) {
            double speed = mrn_world_velocity(small.world, 0)[0];
            monotone = monotone && speed >= before;
            before = speed;
            if (fabs(mrn_world_time(small.world) - at[k][0]) < 0.01) {
                mrn_check(report, at[k][1], speed, 3e-5, "%s: speed after %g s [m/s]", steppers[s], at[k][0]);
                k++;
            }
            if (!mrn_small_step(report, &small, &info)) break;
        }
        mrn_check_true(report, monotone, "%s: the speed grows to that of free drift", steppers[s]);
        mrn_check(report, 0.33440, before, 5e-4, "%s: characteristic velocity [m/s]", steppers[s]);
        mrn_small_free(&small);
    }
    MrnEnvironment e = mrn_environment_defaults();
    mrn_check(report, 0.0211, mrn_nansen(&e), 5e-5, "Nansen number");
}

/// Displacement over two days under a wind of 4 m/s; the ice covers `fraction` of the ocean cell, 0: no layer.
static bool two_days(MrnVerifyReport *report, const char *stepper, double fraction, double place[2],
                     double velocity[2]) {
    MrnScheme scheme = scheme_of(stepper, 10);
    MrnModel *model = one_floe(100, 1, 0);
    MrnEnvironment environment = mrn_environment_defaults();
    environment.wind.value[0] = 4;
    environment.latitude = 81 * PI / 180;
    environment.ocean = fraction > 0;
    if (environment.ocean) environment.ocean_area = model->bodies.data[0].mass / 917 / fraction;
    MrnSmall small;
    if (!start(report, model, &environment, &scheme, &small)) return false;
    MrnStepInfo info;
    while (mrn_world_time(small.world) < 2 * 86400 - 5 && mrn_small_step(report, &small, &info))
        ;
    for (int k = 0; k < 2; k++) {
        place[k] = mrn_world_position(small.world, 0)[k];
        velocity[k] = mrn_world_velocity(small.world, 0)[k];
    }
    mrn_small_free(&small);
    return true;
}

void mrn_case_floe_turning(MrnVerifyReport *report) {
    static const double with_layer[][2] = {{0.05, 28.28}, {0.2, 28.13}, {0.5, 27.84}, {0.8, 27.56}, {1, 27.38}};
    double degree = PI / 180, x[2], v[2];
    for (int s = 0; s < 2; s++) {
        if (!two_days(report, steppers[s], 0, x, v)) return;
        mrn_check(report, 0.082454, hypot(v[0], v[1]), 1e-6, "%s: steady speed without layer [m/s]", steppers[s]);
        mrn_check(report, 17.373, -atan2(v[1], v[0]) / degree, 1e-3, "%s: steady angle right of the wind [degree]",
                  steppers[s]);
        mrn_check(report, 13.500, x[0] / 1000, 0.005, "%s: east after two days [km]", steppers[s]);
        mrn_check(report, -4.175, x[1] / 1000, 0.005, "%s: north after two days [km]", steppers[s]);
        for (size_t k = 0; k < sizeof with_layer / sizeof *with_layer; k++) {
            if (!two_days(report, steppers[s], with_layer[k][0], x, v)) return;
            mrn_check(report, with_layer[k][1], -atan2(x[1], x[0]) / degree, 0.02,
                      "%s: mean angle with the layer, ice on %g of it [degree]", steppers[s], with_layer[k][0]);
        }
    }
}

void mrn_case_floe_inertial(MrnVerifyReport *report) {
    static const double hours[7][3] = {{0, 0, 0},  {12, -5, -2}, {45, -5, -2}, {46, -2, 5},
                                       {47, 4, 3}, {48, 1, -6},  {200, 1, -6}};
    static const double published[4][6][2] = {
        {{-7.40, 0.65}, {-16.24, 2.40}, {-19.80, -8.69}, {-23.46, -19.80}, {-27.12, -30.92}, {-30.77, -42.04}},
        {{-7.28, 0.61}, {-15.97, 2.29}, {-19.43, -8.61}, {-22.99, -19.54}, {-26.55, -30.47}, {-30.10, -41.41}},
        {{-7.16, 0.57}, {-15.70, 2.19}, {-19.07, -8.53}, {-22.54, -19.29}, {-26.00, -30.04}, {-29.46, -40.80}},
        {{-6.89, -0.86}, {-15.36, -1.68}, {-15.62, -12.62}, {-16.00, -23.59}, {-16.39, -34.56}, {-16.78, -45.54}}};
    static const double fractions[4] = {0.2, 0.5, 0.8, 0},
                        peaks[8] = {52.2, 64.3, 76.4, 88.5, 100.6, 112.8, 124.9, 137.0};
    double rows[21], last[4][2];
    for (int i = 0; i < 7; i++)
        rows[3 * i] = 3600 * hours[i][0], rows[3 * i + 1] = hours[i][1], rows[3 * i + 2] = hours[i][2];
    for (int run = 0; run < 4; run++) {
        MrnScheme scheme = scheme_of("event-driven", 10);
        MrnModel *model = one_floe(100, 1, 0);
        MrnEnvironment environment = mrn_environment_defaults();
        MrnError error = {0};
        mrn_forcing_table(&environment.wind, rows, 7, &error);
        environment.latitude = 81 * PI / 180;
        environment.ocean = fractions[run] > 0;
        if (environment.ocean) environment.ocean_area = model->bodies.data[0].mass / 917 / fractions[run];
        MrnSmall small;
        if (!start(report, model, &environment, &scheme, &small)) return;
        MrnStepInfo info;
        double before = 0, low = INFINITY, high = 0, when = 0;
        int maxima = 0;
        for (int step = 1; step <= 6 * 8640 && mrn_small_step(report, &small, &info); step++) {
            const double *v = mrn_world_velocity(small.world, 0);
            double speed = hypot(v[0], v[1]), time = mrn_world_time(small.world);
            if (time > 49 * 3600) { // a maximum counts when the speed rose and then falls by 5 mm/s
                if (speed > before && speed > low + 5e-3 && speed > high) high = speed, when = time;
                if (speed < high - 5e-3) {
                    if (run == 1 && maxima < 8)
                        mrn_check(report, peaks[maxima], when / 3600, 0.06, "maximum %d of the speed, ice on 0.5 [h]",
                                  maxima + 1);
                    maxima++, high = 0, low = speed;
                }
                low = fmin(low, speed);
            }
            before = speed;
            if (step % 8640 == 0)
                for (int k = 0; k < 2; k++) {
                    last[run][k] = mrn_world_position(small.world, 0)[k] / 1000;
                    mrn_check(report, published[run][step / 8640 - 1][k], last[run][k], 0.006,
                              "%s on day %d, ice on %g [km]", k ? "north" : "east", step / 8640, fractions[run]);
                }
        }
        mrn_check(report, environment.ocean ? 8 : 0, maxima, 0, "oscillations in four days, ice on %g", fractions[run]);
        mrn_small_free(&small);
    }
    mrn_check(report, 0.92, hypot(last[0][0] - last[1][0], last[0][1] - last[1][1]), 0.01,
              "apart on day 6, 0.2 and 0.5 [km]");
    mrn_check(report, 0.89, hypot(last[1][0] - last[2][0], last[1][1] - last[2][1]), 0.01,
              "apart on day 6, 0.5 and 0.8 [km]");
    mrn_check(report, 13.9, hypot(last[1][0] - last[3][0], last[1][1] - last[3][1]), 0.06,
              "apart on day 6, 0.5 and no layer [km]");
}

void mrn_case_floe_quadrature(MrnVerifyReport *report) {
    double worst_area = 0, worst_moment = 0;
    size_t fewest = SIZE_MAX, most = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        double vertices[2 * 25];
        for (size_t i = 0; i < 25; i++) {
            double angle = 2 * PI * ((double)i + 0.6 * mrn_random_unit(seed, i, 0)) / 25,
                   r = 50 * (1 - 0.5 * mrn_random_unit(seed, i, 1));
            vertices[2 * i] = r * cos(angle), vertices[2 * i + 1] = r * sin(angle);
        }
        MrnAreaMoments exact = mrn_polygon_moments(25, vertices);
        for (size_t i = 0; i < 25; i++) vertices[2 * i] -= exact.centre.x, vertices[2 * i + 1] -= exact.centre.y;
        MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
        mrn_add_polygon(model, vertices, 25, 1, 1, 0, 0, 0);
        MrnEnvironment environment = mrn_environment_defaults();
        MrnError error = {0};
        if (mrn_environment_attach(model, &environment, &error)) {
            const MrnFloeMesh *mesh = model->bodies.data[0].mesh;
            double area = 0, polar = 0;
            for (size_t i = 0; i < mesh->point_count; i++) {
                area += mesh->weight[i];
                polar += mesh->weight[i] * (mesh->x[i] * mesh->x[i] + mesh->y[i] * mesh->y[i]);
            }
            worst_area = fmax(worst_area, fabs(area / exact.area - 1));
            worst_moment = fmax(worst_moment, fabs(polar / exact.polar - 1));
            if (mesh->triangle_count < fewest) fewest = mesh->triangle_count;
            if (mesh->triangle_count > most) most = mesh->triangle_count;
        } else
            mrn_check_failed(report, error.message);
        mrn_model_free(model);
    }
    mrn_check_at_most(report, 1e-13, worst_area, "error of the summed weights, 50 outlines");
    mrn_check_at_most(report, 1e-13, worst_moment, "error of the polar moment, 50 outlines");
    mrn_check_at_least(report, 25, (double)fewest, "triangles of a floe, fewest");
    mrn_check_at_most(report, 50, (double)most, "triangles of a floe, most");
    double degree = PI / 180;
    MrnPolar half = mrn_polar_between((MrnPolar){1, 170 * degree}, (MrnPolar){3, -170 * degree}, 0.5);
    mrn_check(report, 180, fmod(half.angle / degree + 360, 360), 1e-9, "half way from 170 to -170 degrees [degree]");
    mrn_check(report, 2, half.magnitude, 1e-15, "strength half way from 1 to 3 m/s [m/s]");
}
