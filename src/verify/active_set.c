// Primal-dual active sets as local solvers of Gauss-Seidel, against the augmented Lagrangian and the bipotential:
// cases A1 to A4 without friction and F1, F2 with friction of the granular specification (Cherkaoui, chapter 3).
//
// The thesis works with forces and velocities divided by 1 + e; here the unknowns are impulses and u+ + e u-. So its
// parameters become rho h / (1 + e), gamma h / (1 + e), and its tolerance h times as large.
#include "verify/campaign.h"
#include "verify/cases.h"
#include "verify/check.h"

#include "base/random.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GRAVITY 9.80665

/// One local method with the thesis' parameters for a body of this mass, in force form.
static MrnScheme scheme_of(const char *local, double time_step, double restitution, double mass, double gamma,
                           double accuracy, char *options, size_t size) {
    double scale = time_step / (1 + restitution);
    snprintf(options, size, "local=%s,still=%.17g,rho=%.17g,gamma_normal=%.17g,gamma_tangent=%.17g", local,
             accuracy * time_step, mass / (1 + restitution), gamma * scale, gamma * scale);
    MrnScheme scheme = mrn_strict_scheme(time_step);
    scheme.solver.solver = "nlgs-assembled";
    scheme.solver.options = options;
    scheme.solver.tolerance = 1; // stop by `still`; the certificate is recorded
    scheme.warm_start = false;
    return scheme;
}

static const char *const methods[] = {"epdas", "ipdas", "sal", "ibp"};

// ------------------------------------------------------------------------------------------------ A1

static const struct HeadOn {
    const char *name;
    double radius[2], velocity[2], position[2], restitution, after[2];
} head_on[] = {
    {"config 1, e = 1",
     {0.02, 0.02},
     {0.149200765298, -0.149200765298},
     {0.237839412318, 0.762160587682},
     1,
     {-0.149200765298, 0.149200765298}},
    {"config 1, e = 0.5",
     {0.02, 0.02},
     {0.149200765298, -0.149200765298},
     {0.237839412318, 0.762160587682},
     0.5,
     {-0.074600382649, 0.074600382649}},
    {"config 2, e = 1",
     {0.02, 0.02},
     {0.209767707544, -0.723377058311},
     {0.000944293168, 0.999055706832},
     1,
     {-0.723377058311, 0.209767707544}},
    {"config 3, e = 1",
     {0.04, 0.1},
     {0.691781605465, -0.997709447376},
     {0.119426416013, 0.880573583987},
     1,
     {-2.2211340028815516, -0.5316429500405517}},
    {"config 3, e = 0.5",
     {0.04, 0.1},
     {0.691781605465, -0.997709447376},
     {0.119426416013, 0.880573583987},
     0.5,
     {-1.4929051007949137, -0.6481595743744137}},
};

void mrn_case_head_on(MrnVerifyReport *report) {
    static const double steps[] = {1e-4, 2.5e-4, 5e-4, 1e-3, 5e-3};
    for (size_t c = 0; c < sizeof head_on / sizeof *head_on; c++) {
        double worst = 0, momentum_error = 0, energy[2] = {0, 0}, unused;
        int sweeps[4] = {0};
        for (int m = 0; m < 4; m++)
            for (size_t s = 0; s < 5; s++) {
                const struct HeadOn *set = &head_on[c];
                char options[300];
                double mass[2];
                for (int k = 0; k < 2; k++) mass[k] = 2600 * M_PI * set->radius[k] * set->radius[k];
                MrnScheme scheme =
                    scheme_of(methods[m], steps[s], set->restitution, mass[0], 10, 1e-8, options, sizeof options);
                MrnModel *model = mrn_small_model(2, 0, mrn_law(0, set->restitution, 0));
                for (int k = 0; k < 2; k++) mrn_add_disc(model, set->radius[k], mass[k], set->position[k], 0.5);
                MrnSmall small = mrn_small_start(report, model, &scheme);
                if (!small.world) return;
                for (int k = 0; k < 2; k++)
                    mrn_world_set_velocity(small.world, k, (double[]){set->velocity[k], 0}, NULL);
                mrn_world_energy(small.world, &energy[0], &unused);
                MrnStepInfo info;
                while (mrn_world_time(small.world) < 1.7 && mrn_small_step(report, &small, &info))
                    if (info.touching && info.sweeps > sweeps[m]) sweeps[m] = (int)info.sweeps;
                mrn_world_energy(small.world, &energy[1], &unused);
                double momentum = 0;
                for (int k = 0; k < 2; k++) {
                    double v = mrn_world_velocity(small.world, k)[0];
                    worst = fmax(worst, fabs(v - set->after[k]));
                    momentum += mass[k] * (v - set->velocity[k]);
                }
                momentum_error = fmax(momentum_error, fabs(momentum));
                mrn_small_free(&small);
            }
        mrn_check_at_most(report, 1e-11, worst, "%s: error of the velocities, four methods and five time steps [m/s]",
                          head_on[c].name);
        mrn_check_at_most(report, 1e-13, momentum_error, "%s: error of the momentum [N s]", head_on[c].name);
        if (c == 3) mrn_check(report, 43.7809913086674, energy[1], 1e-10, "%s: energy after [J]", head_on[c].name);
        if (c == 4) mrn_check(report, 43.7809913086674, energy[0], 1e-10, "%s: energy before [J]", head_on[c].name);
        if (c == 4) mrn_check(report, 31.7215198444011, energy[1], 1e-10, "%s: energy after [J]", head_on[c].name);
        mrn_check(report, 1, sweeps[0] - 1, 0, "%s: sweeps that change something, active set", head_on[c].name);
    }
}

// ------------------------------------------------------------------------------------------------ A2

void mrn_case_rebounds(MrnVerifyReport *report) {
    static const struct {
        double restitution;
        int count;
        double time[4], speed[4], apex[4];
    } table[] = {
        {1, 2, {0.31288, 0.93863}, {3.06829, 3.06829}, {0.5, 0.5}},
        {0.9, 3, {0.31288, 0.87606, 1.38292}, {2.76146, 2.48531, 2.23678}, {0.40880, 0.33493, 0.27509}},
        {0.8,
         4,
         {0.31288, 0.81348, 1.21397, 1.53435},
         {2.45463, 1.96370, 1.57096, 1.25677},
         {0.32720, 0.21661, 0.14583, 0.10053}},
    };
    double h = 1.55e-4, radius = 0.02, mass = 2600 * M_PI * radius * radius;
    for (size_t t = 0; t < 3; t++) {
        int sweeps[4] = {0};
        for (int m = 0; m < 4; m++) {
            char options[300];
            MrnScheme scheme = scheme_of(methods[m], h, table[t].restitution, mass, 10, 1e-8, options, sizeof options);
            MrnModel *model = mrn_small_model(2, GRAVITY, mrn_law(0, table[t].restitution, 0));
            mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
            int ball = mrn_add_disc(model, radius, mass, 0, 0.5);
            MrnSmall small = mrn_small_start(report, model, &scheme);
            if (!small.world) return;
            MrnStepInfo info;
            int bounces = 0;
            double apex = 0, error_time = 0, error_speed = 0, error_apex = 0, before = 0, jump = 0;
            for (int s = 0; s < 10000 && mrn_small_step(report, &small, &info); s++) {
                double v = mrn_world_velocity(small.world, ball)[1];
                if (info.touching) {
                    if (bounces > 0 && bounces <= table[t].count)
                        error_apex = fmax(error_apex, fabs(apex - table[t].apex[bounces - 1]));
                    if (bounces < table[t].count) {
                        error_time = fmax(error_time, fabs(mrn_world_time(small.world) - table[t].time[bounces]));
                        error_speed = fmax(error_speed, fabs(v - table[t].speed[bounces]));
                    }
                    jump = fmax(jump, fabs(v + table[t].restitution * before));
                    bounces++, apex = 0;
                    if (info.sweeps > sweeps[m]) sweeps[m] = (int)info.sweeps;
                }
                apex = fmax(apex, mrn_world_position(small.world, ball)[1]);
                before = v;
            }
            if (m == 0) {
                const double e = table[t].restitution;
                mrn_check_at_least(report, table[t].count, bounces, "e = %g: bounces within 1.55 s", e);
                mrn_check_at_most(report, 4 * h, error_time, "e = %g: error of the times of impact [s]", e);
                mrn_check_at_most(report, 4 * GRAVITY * h, error_speed,
                                  "e = %g: error of the speeds after impact [m/s]", e);
                mrn_check_at_most(report, (table[t].count - 1) * 3.07 * h, error_apex,
                                  "e = %g: error of the heights reached [m]", e);
                mrn_check_at_most(report, 1e-12, jump, "e = %g: error of the jump v+ = -e v- [m/s]", e);
            }
            mrn_small_free(&small);
        }
        mrn_check(report, 1, sweeps[0] - 1, 0, "e = %g: sweeps that change something, active set",
                  table[t].restitution);
        mrn_check(report, 1, sweeps[3] - 1, 0, "e = %g: sweeps that change something, bipotential",
                  table[t].restitution);
        mrn_measure(report, sweeps[2], "e = %g: sweeps of the augmented Lagrangian (published 68 to 78)",
                    table[t].restitution);
    }
}

// ------------------------------------------------------------------------------------------------ A3

void mrn_case_column(MrnVerifyReport *report) {
    double h = 1e-3, radius = 0.02, mass = 2600 * M_PI * radius * radius;
    for (int m = 0; m < 4; m++) {
        char options[300];
        MrnScheme scheme = scheme_of(methods[m], h, 1, mass, 10, 1e-8, options, sizeof options);
        scheme.solver.max_iterations = 100000;
        MrnModel *model = mrn_small_model(2, GRAVITY, mrn_law(0, 1, 0));
        mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
        for (int k = 0; k < 5; k++) mrn_add_disc(model, radius, mass, 0, radius * (2 * k + 1));
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        MrnStepInfo info;
        double worst = 0, kinetic = 0;
        int64_t sweeps = 0;
        for (int s = 0; s < 1000 && mrn_small_step(report, &small, &info); s++) {
            for (size_t c = 0; c < mrn_world_contact_count(small.world); c++) {
                MrnContactView view = mrn_world_contact(small.world, c);
                int above = view.body_a > view.body_b ? view.body_a : view.body_b; // 1 is the lowest disc
                double weight = (6 - above) * mass * GRAVITY;
                worst = fmax(worst, fabs(view.normal_impulse / h - weight) / weight);
            }
            kinetic = fmax(kinetic, info.kinetic_energy);
            sweeps += info.sweeps;
        }
        mrn_check_at_most(report, 3e-9, worst, "%s: relative error of the forces", methods[m]);
        mrn_check_at_most(report, 1e-15, kinetic, "%s: kinetic energy, largest [J]", methods[m]);
        mrn_measure(report, (double)sweeps / 1000, "%s: sweeps per step", methods[m]);
        mrn_small_free(&small);
    }
}

// ------------------------------------------------------------------------------------------------ A4

void mrn_case_box_of_discs(MrnVerifyReport *report) {
    static const int marks[] = {1, 4, 16, 32, 64};
    static const double energy = 150.61798555315164;
    double radius = 0.08, mass = 2600 * M_PI * radius * radius;
    static const double restitution[] = {1, 0.9};
    int64_t total[4] = {0};
    for (int r = 0; r < 2; r++)
        for (int m = 0; m < 4; m++) {
            char options[300];
            MrnScheme scheme = scheme_of(methods[m], 1e-4, restitution[r], mass, 10, 1e-8, options, sizeof options);
            MrnModel *model = mrn_small_model(2, 0, mrn_law(0, restitution[r], 0));
            const double walls[4][4] = {{0, 0, 0, 1}, {0, 0, 1, 0}, {2, 2, 0, -1}, {2, 2, -1, 0}};
            for (int k = 0; k < 4; k++) mrn_add_wall(model, walls[k], walls[k] + 2);
            double velocity[81][2], sum = 0;
            for (int k = 0; k < 81; k++) {
                mrn_add_disc(model, radius, mass, (k % 9 + 0.5) * 2 / 9, (k / 9 + 0.5) * 2 / 9);
                for (int i = 0; i < 2; i++) { // Box and Muller
                    double u = mrn_random_unit(81, (uint64_t)k, (uint64_t)(2 * i)),
                           v = mrn_random_unit(81, (uint64_t)k, (uint64_t)(2 * i + 1));
                    velocity[k][i] = sqrt(-2 * log(1 - u)) * cos(2 * M_PI * v);
                    sum += 0.5 * mass * velocity[k][i] * velocity[k][i];
                }
            }
            MrnSmall small = mrn_small_start(report, model, &scheme);
            if (!small.world) return;
            for (int k = 0; k < 81; k++) {
                for (int i = 0; i < 2; i++) velocity[k][i] *= sqrt(energy / sum);
                mrn_world_set_velocity(small.world, k + 4, velocity[k], NULL);
            }
            MrnStepInfo info;
            int64_t shocks = 0;
            double last = energy, rise = 0;
            size_t mark = 0;
            for (int s = 0; s < 10000 && mrn_small_step(report, &small, &info); s++) {
                shocks += info.touching;
                if (r == 0) total[m] += info.sweeps;
                rise = fmax(rise, info.kinetic_energy - last), last = info.kinetic_energy;
                for (; r == 0 && m == 0 && mark < 5 && shocks >= marks[mark]; mark++)
                    mrn_check(report, energy, info.kinetic_energy, 1e-14 * energy,
                              "e = 1: energy after %d shocks, active set [J]", marks[mark]);
            }
            if (r == 0)
                mrn_check(report, energy, last, 1e-11, "e = 1, %s: energy after %d shocks [J]", methods[m],
                          (int)shocks);
            else {
                mrn_check_at_most(report, 1e-11, rise, "e = 0.9, %s: largest rise of the energy in a step [J]",
                                  methods[m]);
                mrn_check_at_most(report, 0.9 * energy, last, "e = 0.9, %s: energy at the end [J]", methods[m]);
            }
            mrn_small_free(&small);
        }
    for (int m = 0; m < 4; m++) mrn_measure(report, (double)total[m], "e = 1, %s: sweeps in all", methods[m]);
    mrn_check_at_least(report, 4, (double)total[2] / (double)total[0],
                       "e = 1: sweeps of the augmented Lagrangian over those of the active set");
}

// ------------------------------------------------------------------------------------------------ F1

static const double ball_radius = 2.7e-3;

static double ball_mass(void) {
    return 8000 * 4.0 / 3 * M_PI * pow(ball_radius, 3);
}

/// A steel ball in the plane: mass and inertia of a sphere.
static int add_steel_ball(MrnModel *model, double x, double y) {
    int ball = mrn_add_disc(model, ball_radius, ball_mass(), x, y);
    MrnBody *body = &model->bodies.data[ball];
    body->inertia[2] = 0.4 * ball_mass() * ball_radius * ball_radius;
    return ball;
}

static MrnSmall start_belt(MrnVerifyReport *report, const MrnScheme *scheme) {
    MrnModel *model = mrn_small_model(2, GRAVITY, mrn_law(0.22, 1, 1));
    MrnBodyDef belt = mrn_body_defaults(2);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    belt.kind = MRN_BODY_DRIVEN;
    belt.driver.kind = MRN_DRIVER_CONSTANT;
    belt.driver.velocity[0] = 2;
    belt.shapes = &shape, belt.shape_count = 1;
    mrn_model_add_body(model, &belt, NULL);
    int ball = add_steel_ball(model, 0, ball_radius);
    MrnSmall small = mrn_small_start(report, model, scheme);
    if (small.world) mrn_world_set_velocity(small.world, ball, (double[]){1, 0}, (double[]){0});
    return small;
}

void mrn_case_belt(MrnVerifyReport *report) {
    static const int published[4][2] = {{2, 3}, {2, 3}, {20, 20}, {2, 2}};
    const double roll = 1 / (0.22 * GRAVITY * 3.5), until = 1;
    mrn_check(report, 0.132430677, roll, 5e-10, "time when rolling begins [s]");
    for (int m = 0; m < 4; m++) {
        char options[300];
        double h = roll / 1e4;
        MrnScheme scheme = scheme_of(methods[m], h, 1, ball_mass(), 10, 1e-8, options, sizeof options);
        MrnSmall small = start_belt(report, &scheme);
        if (!small.world) return;
        MrnStepInfo info;
        int sweeps[2][2] = {{1 << 30, 0}, {1 << 30, 0}};
        int64_t steps = (int64_t)(until / h);
        for (int64_t s = 0; s < steps && mrn_small_step(report, &small, &info); s++) {
            int phase = s >= 10000 + 1; // the step that ends the slip is neither
            if (s == 10000 || s == 9999) continue;
            if (info.sweeps < sweeps[phase][0]) sweeps[phase][0] = (int)info.sweeps;
            if (info.sweeps > sweeps[phase][1]) sweeps[phase][1] = (int)info.sweeps;
        }
        for (int phase = 0; phase < 2; phase++)
            for (int end = 0; end < 2; end++)
                mrn_check(report, published[m][phase], sweeps[phase][end], 0, "%s: sweeps per step, %s, %s", methods[m],
                          phase ? "rolling" : "slipping", end ? "most" : "least");
        mrn_small_free(&small);
    }
    static const double parts[] = {1e4, 5e4};
    for (int i = 0; i < 2; i++) {
        char options[300];
        double h = roll / parts[i];
        MrnScheme scheme = scheme_of("ipdas", h, 1, ball_mass(), 10, 1e-8, options, sizeof options);
        MrnSmall small = start_belt(report, &scheme);
        if (!small.world) return;
        while (mrn_world_time(small.world) < until && mrn_small_step(report, &small, NULL)) {}
        double t = mrn_world_time(small.world), x = roll + 0.5 * 0.22 * GRAVITY * roll * roll + 9.0 / 7 * (t - roll);
        mrn_check(report, x, mrn_world_position(small.world, 1)[0], 1e-10, "step %.3g s: position at the end [m]", h);
        mrn_check(report, 9.0 / 7, mrn_world_velocity(small.world, 1)[0], 1e-10, "step %.3g s: rolling velocity [m/s]",
                  h);
        mrn_check(report, 264.5502645503, mrn_world_spin(small.world, 1)[0], 5e-9,
                  "step %.3g s: angular velocity [rad/s]", h);
        mrn_small_free(&small);
    }
}

// ------------------------------------------------------------------------------------------------ F2

void mrn_case_fixed_drum(MrnVerifyReport *report) {
    double R = 0.05, path = R - ball_radius, drifts[2] = {0, 0};
    for (int m = 0; m < 5; m++) { // the last: ipdas again with half the step
        double h = m == 4 ? 1.25e-5 : 2.5e-5;
        const char *local = methods[m == 4 ? 1 : m];
        char options[300];
        MrnScheme scheme = scheme_of(local, h, 1, ball_mass(), 10, 1e-8, options, sizeof options);
        MrnModel *model = mrn_small_model(2, GRAVITY, mrn_law(0.22, 1, 1));
        MrnBodyDef drum = mrn_body_defaults(2);
        MrnShape shape = mrn_shape_defaults(MRN_SHAPE_RING);
        shape.radius = R;
        drum.kind = MRN_BODY_FIXED;
        drum.shapes = &shape, drum.shape_count = 1;
        mrn_model_add_body(model, &drum, NULL);
        int ball = add_steel_ball(model, 0, -path);
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        mrn_world_set_velocity(small.world, ball, (double[]){0.5, 0}, (double[]){0});
        MrnStepInfo info;
        double transition = NAN, spin = NAN, angle = NAN, speed = NAN, fastest = 0, amplitude = 0, energy = NAN,
               drift = 0, early = 0, late = 0, early_count = 0, late_count = 0;
        int histogram[64] = {0};
        for (double end = m == 1 || m == 4 ? 5 : 0.6;
             mrn_world_time(small.world) < end && mrn_small_step(report, &small, &info);) {
            const double *x = mrn_world_position(small.world, ball), *v = mrn_world_velocity(small.world, ball);
            double w = mrn_world_spin(small.world, ball)[0], t = mrn_world_time(small.world);
            double a = atan2(x[0], -x[1]), along = v[0] * cos(a) + v[1] * sin(a);
            double total = (info.kinetic_energy + ball_mass() * GRAVITY * (x[1] + path)) / ball_mass();
            if (info.touching) histogram[info.sweeps < 63 ? info.sweeps : 63]++;
            // On the wall the ball rolls when its lowest point stands still: along + r w = 0.
            if (isnan(transition) && along + ball_radius * w < 1e-3) transition = t, spin = w, angle = a, speed = along;
            if (isnan(transition)) continue;
            if (t > transition + 0.01) {
                if (isnan(energy)) energy = total;
                drift = fmax(drift, fabs(total - energy) / energy);
                if (t < transition + 0.51) early += total, early_count++;
                if (t > 4.5) late += total, late_count++;
                fastest = fmax(fastest, fabs(w)), amplitude = fmax(amplitude, fabs(a));
            }
        }
        int mode = 0;
        for (int k = 0; k < 64; k++)
            if (histogram[k] > histogram[mode]) mode = k;
        if (m == 1) {
            mrn_check(report, -111.6, spin, 1, "angular velocity when rolling begins [rad/s]");
            mrn_check(report, 0.0415, transition, 5e-4, "time when rolling begins [s]");
            mrn_check(report, 0.3596, angle, 5e-3, "angle when rolling begins [rad]");
            mrn_check(report, 0.3012, speed, 3e-3, "speed when rolling begins [m/s]");
            mrn_check(report, 0.0932, energy, 2e-4, "energy per mass while rolling [J/kg]");
            mrn_check(report, 135.1, fastest, 0.5, "largest angular velocity while rolling [rad/s]");
            mrn_check(report, 0.6450, amplitude, 2e-3, "amplitude while rolling [rad]");
            mrn_measure(report, drift, "relative fluctuation of the energy while rolling");
        }
        if (m == 1 || m == 4) drifts[m == 4] = fabs(late / late_count / (early / early_count) - 1);
        if (m == 2)
            mrn_measure(report, mode, "sal: sweeps per step, most frequent (published 30 to 40)");
        else
            mrn_check(report, m == 3 ? 2 : 3, mode, 0, "%s, step %g s: sweeps per step, most frequent", local, h);
        mrn_small_free(&small);
    }
    mrn_measure(report, drifts[0], "step 2.5e-5 s: relative drift of the energy while rolling, over 4.5 s");
    mrn_check_at_most(report, 1e-6, drifts[1],
                      "step 1.25e-5 s: relative drift of the energy while rolling, over 4.5 s");
    mrn_check_at_least(report, 3.5, drifts[0] / drifts[1], "fall of that drift when the step is halved");
}

// ------------------------------------------------------------------------------------------------ F3, F4

/// Run a campaign of 100 grains with the four methods; false after mrn_check_failed.
static bool run_methods(MrnVerifyReport *report, const MrnCampaign *campaign, double duration,
                        MrnCampaignOutcome outcome[MRN_CAMPAIGN_METHODS]) {
    for (int m = 0; m < MRN_CAMPAIGN_METHODS; m++) {
        MrnError error = {0};
        if (!mrn_campaign_run(campaign, 0, m, 0, duration, NULL, &outcome[m], &error)) {
            mrn_check_failed(report, error.message);
            return false;
        }
        mrn_measure(report, outcome[m].iterations, "%s: sweeps in all (published, 1 s: %.0f)", mrn_campaign_methods[m],
                    campaign->iterations[m][0]);
        mrn_measure(report, outcome[m].final_penetration, "%s: largest penetration in the last tenth [m]",
                    mrn_campaign_methods[m]);
        mrn_check(report, 0, outcome[m].escaped, 0, "%s: grains that escaped", mrn_campaign_methods[m]);
    }
    return true;
}

void mrn_case_sedimentation(MrnVerifyReport *report) {
    MrnCampaignOutcome outcome[MRN_CAMPAIGN_METHODS];
    if (!run_methods(report, &mrn_campaigns[0], 1, outcome)) return;
    mrn_check_at_most(report, 0.01, outcome[1].kinetic / outcome[1].largest_kinetic,
                      "ipdas: kinetic energy at the end over its maximum");
    mrn_check_at_least(report, 1, outcome[2].iterations / outcome[1].iterations,
                       "sweeps of the augmented Lagrangian over those of ipdas");
}

void mrn_case_steel_drum(MrnVerifyReport *report) {
    MrnCampaignOutcome outcome[MRN_CAMPAIGN_METHODS];
    if (!run_methods(report, &mrn_campaigns[1], 1, outcome)) return;
    mrn_check(report, 26, outcome[1].slope * 180 / M_PI, 3, "ipdas: slope of the bed, mean of the second half [deg]");
    mrn_check_at_least(report, 3, outcome[2].iterations / outcome[1].iterations,
                       "sweeps of the augmented Lagrangian over those of ipdas");
    mrn_check(report, 1, outcome[0].iterations / outcome[1].iterations, 0.1, "sweeps of epdas over those of ipdas");
}
