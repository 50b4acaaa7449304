// D1 and D2: one grain under smooth contacts and under Contact Dynamics (Cherkaoui 2021, 4.3.1).
//
// Grains have the mass and inertia of spheres, as the printed time steps show (specification 0.4).
#include "verify/cases.h"
#include "verify/check.h"

#include "verify/dem_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS  4e-3
#define DENSITY 2700.0
#define GRAVITY 9.80665

enum { REBOUND_STEPS = 14000, IMPACTS = 4, FINE = 500 };
#define REBOUND_STEP 5e-5

double mrn_ball_mass(double radius) {
    return 4.0 / 3 * M_PI * radius * radius * radius * DENSITY;
}

MrnScheme mrn_dem_scheme(double time_step, double stiffness) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = time_step;
    scheme.stepper = "dem";
    scheme.dem.normal_stiffness = stiffness;
    return scheme;
}

int mrn_add_flat_ball(MrnModel *model, double radius, double x, double y) {
    MrnBodyDef def = mrn_body_defaults(2);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_DISC);
    shape.radius = radius;
    def.mass = mrn_ball_mass(radius);
    def.inertia[2] = 0.4 * def.mass * radius * radius;
    def.position[0] = x, def.position[1] = y;
    def.shapes = &shape, def.shape_count = 1;
    return mrn_model_add_body(model, &def, NULL);
}

int mrn_add_drum(MrnModel *model, double radius, double angular_velocity) {
    MrnBodyDef def = mrn_body_defaults(2);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_RING);
    shape.radius = radius;
    def.kind = MRN_BODY_DRIVEN;
    def.driver.kind = MRN_DRIVER_CONSTANT;
    def.driver.angular_velocity = angular_velocity;
    def.shapes = &shape, def.shape_count = 1;
    return mrn_model_add_body(model, &def, NULL);
}

/// Speed after an impact on a plane over the speed before, without gravity.
static double measured_restitution(MrnVerifyReport *report, double e, const MrnDemSettings *settings, double speed) {
    MrnModel *model = mrn_small_model(3, 0, mrn_law(0, e, 0));
    int floor = mrn_add_wall(model, (double[]){0, 0, 0}, (double[]){0, 0, 1});
    int ball = mrn_add_ball(model, RADIUS, mrn_ball_mass(RADIUS), 0, 0, RADIUS);
    MrnScheme scheme = mrn_dem_scheme(1e-4, 0);
    scheme.dem = *settings;
    MrnSmall small = mrn_small_start(report, model, &scheme);
    (void)floor;
    if (!small.world) return NAN;
    mrn_world_set_velocity(small.world, ball, (double[]){0, 0, -speed}, NULL);
    MrnStepInfo info = {.contacts = 1};
    for (int k = 0; k < 1000 && info.contacts; k++) mrn_small_step(report, &small, &info);
    double out = mrn_world_velocity(small.world, ball)[2] / speed;
    mrn_small_free(&small);
    return out;
}

/// Length of the sub-steps that the program chooses.
static double chosen_step(MrnVerifyReport *report, double e, double stiffness) {
    MrnModel *model = mrn_small_model(3, GRAVITY, mrn_law(0, e, 0));
    mrn_add_ball(model, RADIUS, mrn_ball_mass(RADIUS), 0, 0, 1);
    MrnScheme scheme = mrn_dem_scheme(0.1, stiffness);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    MrnStepInfo info = {0};
    if (!mrn_small_step(report, &small, &info)) return NAN;
    mrn_small_free(&small);
    return 0.1 / (double)info.substeps;
}

/// Kinetic energy after every step of 50 us, and the times when touching begins.
static bool rebound(MrnVerifyReport *report, const MrnScheme *scheme, double e, double *kinetic, double *impact,
                    double *rest) {
    MrnModel *model = mrn_small_model(3, GRAVITY, mrn_law(0, e, 0));
    mrn_add_wall(model, (double[]){0, 0, 0}, (double[]){0, 0, 1});
    int ball = mrn_add_ball(model, RADIUS, mrn_ball_mass(RADIUS), 0, 0, 0.225);
    MrnSmall small = mrn_small_start(report, model, scheme);
    int impacts = 0;
    bool touched = false, good = small.world != NULL;
    double last = 0;
    *rest = NAN;
    for (int k = 0; k < REBOUND_STEPS && good; k++) {
        MrnStepInfo info;
        good = mrn_small_step(report, &small, &info);
        double v = mrn_world_velocity(small.world, ball)[2];
        bool touches = scheme->stepper[0] == 'd' ? info.new_contacts > 0 || info.contacts > 0 : v > last + 0.01;
        if (touches && !touched && impacts < IMPACTS) impact[impacts++] = info.time - 0.5 * scheme->time_step;
        touched = touches, last = v;
        kinetic[k] = info.kinetic_energy;
        if (info.kinetic_energy > 1e-4 * mrn_ball_mass(RADIUS) * GRAVITY * RADIUS) *rest = info.time;
    }
    mrn_small_free(&small);
    return good;
}

void mrn_case_dem_rebound(MrnVerifyReport *report) {
    static const double stiffness[] = {1e4, 1e5, 1e6}, printed_step[] = {12.3e-6, 3.89e-6, 1.23e-6},
                        exact_impact[IMPACTS] = {0.21230, 0.40762, 0.49746, 0.53878};
    double speed = sqrt(2 * GRAVITY * (0.225 - RADIUS));
    for (int i = 0; i < 3; i++) {
        mrn_check(report, printed_step[i], chosen_step(report, 0.46, stiffness[i]), 0.005 * printed_step[i],
                  "sub-step chosen, a fiftieth of the collision time, restitution 0.46, k_n = %g N/m (Table 31) [s]",
                  stiffness[i]);
        mrn_measure(report, chosen_step(report, 0.59, stiffness[i]),
                    "sub-step chosen with the restitution 0.59 of Table 31, k_n = %g N/m [s]", stiffness[i]);
    }
    static const double inputs[] = {1, 0.59, 0.46, 0.1};
    static const char *const forces[] = {"linear", "hertz", "hertz-mindlin"};
    static const char *const integrators[] = {"symplectic Euler", "velocity Verlet", "Adams-Bashforth"};
    for (int model = 0; model < 3; model++)
        for (int integrator = 0; integrator < 3; integrator++)
            for (int i = 0; i < 4; i++) {
                if (model == 2 && i != 1) continue; // differs in the tangential stiffness only
                MrnDemSettings settings = mrn_scheme_defaults().dem;
                settings.model = (MrnDemModel)model;
                settings.integrator = (MrnDemIntegrator)integrator;
                settings.impact_speed = speed;
                if (model == 0)
                    settings.normal_stiffness = 1e5;
                else
                    settings.young_modulus = 1e8, settings.poisson_ratio = 0.3;
                // A contact begins and ends somewhere within a sub-step: at 50 to a collision that is worth about 1 %.
                settings.substeps_per_collision = FINE;
                mrn_check(report, inputs[i], measured_restitution(report, inputs[i], &settings, speed),
                          0.01 * inputs[i], "restitution returned, %s, %s, input %g, %d sub-steps in a collision",
                          forces[model], integrators[integrator], inputs[i], FINE);
                settings.substeps_per_collision = 50;
                if (model == 0)
                    mrn_measure(report, measured_restitution(report, inputs[i], &settings, speed),
                                "restitution returned, %s, %s, input %g, 50 sub-steps in a collision", forces[model],
                                integrators[integrator], inputs[i]);
            }

    double *kinetic = mrn_alloc(4 * (size_t)REBOUND_STEPS, sizeof *kinetic), impact[4][IMPACTS], rest[4],
           error[3] = {0};
    MrnScheme rigid = mrn_scheme_defaults();
    rigid.time_step = REBOUND_STEP;
    bool good = rebound(report, &rigid, 0.46, kinetic + 3 * REBOUND_STEPS, impact[3], &rest[3]);
    for (int i = 0; i < 3 && good; i++) {
        MrnScheme smooth = mrn_dem_scheme(REBOUND_STEP, stiffness[i]);
        smooth.dem.substeps_per_collision = FINE;
        good = rebound(report, &smooth, 0.46, kinetic + i * REBOUND_STEPS, impact[i], &rest[i]);
        for (int k = 0; k < REBOUND_STEPS; k++)
            error[i] += fabs(kinetic[i * REBOUND_STEPS + k] - kinetic[3 * REBOUND_STEPS + k]) / REBOUND_STEPS /
                        (mrn_ball_mass(RADIUS) * speed * speed / 2);
    }
    for (int n = 0; n < IMPACTS && good; n++) {
        // An impact is found up to a step h off, with a speed up to g h off: 2 e h in the flight after it.
        mrn_check(report, exact_impact[n], impact[3][n], REBOUND_STEP * (1 + n * (1 + 2 * 0.46)),
                  "Contact Dynamics, restitution 0.46: impact %d, within one step and what those before add [s]",
                  n + 1);
        // A smooth impact lasts the collision time T; its dashpot begins and ends within a sub-step h', worth a share
        // eta h' / m = 2 |ln e| h' / T of the restitution, and so of the flights after it.
        double lasts = M_PI * sqrt(mrn_ball_mass(RADIUS) / 1e6) / 0.97, share = 2 * fabs(log(0.46)) / FINE;
        mrn_check(report, exact_impact[n], impact[2][n],
                  REBOUND_STEP + n * lasts + share * (exact_impact[n] - exact_impact[0]),
                  "springs, k_n = 1e6 N/m: impact %d, within one step and what the length of those before adds [s]",
                  n + 1);
    }
    if (good) {
        mrn_check(report, 0.5740, rest[3], 0.02, "Contact Dynamics: rest [s]");
        mrn_check_at_most(
            report, 0.7 * error[0], error[1],
            "kinetic energy, mean distance to Contact Dynamics over the energy at the first impact, k_n = "
            "1e5 against 0.7 of 1e4 N/m");
        mrn_check_at_most(report, error[1], error[2], "the same, k_n = 1e6 against 1e5 N/m");
        for (int i = 0; i < 3; i++)
            mrn_measure(report, error[i], "distance of the kinetic energy to Contact Dynamics, k_n = %g N/m",
                        stiffness[i]);
    }
    free(kinetic);
}

/// Rotation and angle of the grain in the drum, over two seconds.
static void roll(MrnVerifyReport *report, const MrnScheme *scheme, const char *engine) {
    const double R = 0.225, drum_rate = 6 * 2 * M_PI / 60;
    MrnModel *model = mrn_small_model(2, GRAVITY, mrn_law(0.2, 0.59, 0));
    mrn_add_drum(model, R, drum_rate);
    int ball = mrn_add_flat_ball(model, RADIUS, 0, -(R - RADIUS));
    MrnSmall small = mrn_small_start(report, model, scheme);
    double slip_end = NAN, spin_end = NAN, speed_end = NAN, low = INFINITY, high = -INFINITY, left = INFINITY,
           right = -INFINITY, crossing[4];
    int crossings = 0;
    double before = 0, wall = drum_rate * R;
    for (int k = 0; (double)k * scheme->time_step < 2 && small.world; k++) {
        MrnStepInfo info;
        if (!mrn_small_step(report, &small, &info)) break;
        const double *x = mrn_world_position(small.world, ball), *v = mrn_world_velocity(small.world, ball);
        double spin = *mrn_world_spin(small.world, ball), angle = atan2(x[0], -x[1]);
        double along = v[0] * cos(angle) + v[1] * sin(angle); // along the wall, counter-clockwise
        // Slip ends when centre and spin give the speed of the wall.
        if (isnan(slip_end) && along + RADIUS * spin > (1 - 2e-3) * wall)
            slip_end = info.time, spin_end = spin, speed_end = along;
        if (isnan(slip_end)) continue;
        low = fmin(low, spin), high = fmax(high, spin);
        if (info.time > 0.1) left = fmin(left, angle), right = fmax(right, angle);
        double offset = spin - wall / RADIUS;
        if (before < 0 && offset >= 0 && crossings < 4) crossing[crossings++] = info.time;
        before = offset;
    }
    mrn_small_free(&small);
    mrn_check(report, 0.0206, slip_end, 0.01 * 0.0206, "%s: slip ends [s]", engine);
    mrn_check(report, 0.0403, speed_end, 0.01 * 0.0403, "%s: speed when slip ends, 2/7 of the wall's [m/s]", engine);
    mrn_check(report, 25.27, spin_end, 0.01 * 25.27, "%s: spin when slip ends [rad/s]", engine);
    mrn_check(report, 25.2, low, 0.01 * 25.2, "%s: least spin while rolling [rad/s]", engine);
    mrn_check(report, 45.4, high, 0.01 * 45.4, "%s: largest spin while rolling [rad/s]", engine);
    mrn_check(report, 0.0324, 0.5 * (right - left), 0.01 * 0.0324, "%s: amplitude of the angle [rad]", engine);
    mrn_check(report, 1.116, crossings > 1 ? crossing[1] - crossing[0] : NAN, 0.01 * 1.116, "%s: period [s]", engine);
}

void mrn_case_dem_roll(MrnVerifyReport *report) {
    MrnScheme rigid = mrn_scheme_defaults();
    rigid.time_step = 5e-5;
    roll(report, &rigid, "Contact Dynamics");
    MrnScheme smooth = mrn_dem_scheme(5e-5, 1e4);
    roll(report, &smooth, "springs");
}
