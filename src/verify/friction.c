// Cases of friction: inclines, moving walls, frictional paroxysm. Their motions are scenes of the gallery; here is what
// a scene cannot say.
#include "verify/cases.h"
#include "verify/check.h"

#include "io/units.h"

#include <math.h>
#include <stdio.h>

void mrn_case_incline(MrnVerifyReport *report) {
    MrnExpect wanted[] = {{.quantity = "speed", .of = "ball", .reduce = MRN_REDUCE_FINAL, .from = NAN, .to = NAN},
                          {.quantity = "touching", .of = "ball", .reduce = MRN_REDUCE_MIN, .from = 2e-3, .to = NAN}};
    double values[2];
    if (!mrn_measure_scene(report, "ball_on_incline", NULL, wanted, 2, values)) return;
    mrn_check(report, 5.0 / 7 * 9.81 * 0.5, values[0], 1e-12,
              "ball, friction 0.3: speed after 1 s, (5/7) g t sin 30 deg [m/s]");
    // Below the threshold tan 30 deg <= 7/2 mu, mu = 0.165 > 0.16496, the ball still rolls; just under it slips.
    static const double friction[] = {0.1650, 0.1640};
    for (int i = 0; i < 2; i++) {
        char change[60];
        snprintf(change, sizeof change, "laws.0.friction=%g", friction[i]);
        if (!mrn_measure_scene(report, "ball_on_incline", (const char *const[]){change, NULL}, wanted, 2, values))
            return;
        double rolling = 5.0 / 7 * 9.81 * 0.5, slipping = 9.81 * (0.5 - friction[i] * cos(M_PI / 6));
        mrn_check(report, i == 0 ? rolling : slipping, values[0], 1e-12,
                  "ball, friction %g: speed after 1 s (%s) [m/s]", friction[i], i == 0 ? "rolls" : "slips");
    }
}

void mrn_case_sliding_block(MrnVerifyReport *report) {
    static const double steps[] = {1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 3; i++) {
        char change[60];
        snprintf(change, sizeof change, "time.step=%g s", steps[i]);
        MrnExpect wanted[] = {{.quantity = "|velocity.x|",
                               .of = "block",
                               .reduce = MRN_REDUCE_FIRST_TIME_BELOW,
                               .level = {1e-12, mrn_dimension_of(MRN_DIMENSION_SPEED)},
                               .from = NAN,
                               .to = NAN}};
        double value, exact = 2 / (0.4 * 9.81);
        if (!mrn_measure_scene(report, "sliding_block", (const char *const[]){change, NULL}, wanted, 1, &value)) return;
        mrn_check(report, exact, value, steps[i], "h = %g s: time of the stop, within one step [s]", steps[i]);
    }
}

void mrn_case_conveyor(MrnVerifyReport *report) {
    MrnExpect wanted[] = {{.quantity = "velocity.x",
                           .of = "ball",
                           .reduce = MRN_REDUCE_FIRST_TIME_ABOVE,
                           .level = {2.0 / 7 - 1e-9, mrn_dimension_of(MRN_DIMENSION_SPEED)},
                           .from = NAN,
                           .to = NAN},
                          {.quantity = "velocity.x", .of = "ball", .reduce = MRN_REDUCE_FINAL, .from = NAN, .to = NAN}};
    double values[2];
    if (!mrn_measure_scene(report, "ball_on_conveyor", NULL, wanted, 2, values)) return;
    mrn_check(report, 2 / (7 * 0.3 * 9.81), values[0], 1e-4, "ball: slip ends at 2 V / (7 mu g), within one step [s]");
    mrn_check(report, 2.0 / 7, values[1], 1e-12, "ball: speed after slip, 2 V / 7 [m/s]");
}

/// A ball stuck to the wall of a turning tube: the same as the 2D scene, in space.
void mrn_case_drum(MrnVerifyReport *report) {
    double h = 1e-3, turn = 5, r = 0.1, R = 1;
    MrnScheme scheme = mrn_strict_scheme(h);
    MrnModel *model = mrn_small_model(3, 0, mrn_law(0.5, 0, 0));
    int ball = mrn_add_ball(model, r, 1, R - r, 0, 0);
    MrnBodyDef def = mrn_body_defaults(3);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_TUBE);
    shape.radius = R, shape.half[2] = 2;
    def.kind = MRN_BODY_DRIVEN, def.shapes = &shape, def.shape_count = 1;
    def.driver.kind = MRN_DRIVER_CONSTANT, def.driver.angular_velocity = turn;
    def.driver.axis[0] = def.driver.axis[1] = 0, def.driver.axis[2] = 1;
    mrn_model_add_body(model, &def, NULL);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return;
    mrn_world_set_velocity(small.world, ball, (double[]){0, turn * (R - r), 0}, (double[]){0, 0, turn});
    double worst = 0, contacts = INFINITY;
    for (int k = 0; k < 1000; k++) {
        mrn_small_step(report, &small, NULL);
        double touching = 0;
        for (size_t c = 0; c < mrn_world_contact_count(small.world); c++) {
            MrnContactView view = mrn_world_contact(small.world, c);
            touching += view.normal_impulse > 0;
            worst = fmax(worst, sqrt(view.velocity[0] * view.velocity[0] + view.velocity[1] * view.velocity[1] +
                                     view.velocity[2] * view.velocity[2]));
        }
        contacts = fmin(contacts, touching);
    }
    mrn_check(report, 1, contacts, 0, "ball in a turning tube: it touches in every step");
    mrn_check_at_most(report, 1e-12, worst,
                      "ball in a turning tube: largest relative velocity of the stuck contact in 1000 steps [m/s]");
    mrn_small_free(&small);
}

void mrn_case_vibrated_plate(MrnVerifyReport *report) {
    // Before take-off the scheme leaves the plate by up to 0.021 h (m/s): the tolerance is somewhat larger.
    static const struct {
        const char *step, *tolerance;
        double h, landing, digit;
    } table[] = {{"time.step=1 ms", "time.gap_tolerance=3e-3", 1e-3, 84.0e-3, 0.05e-3},
                 {"time.step=0.1 ms", "time.gap_tolerance=3e-4", 1e-4, 82.6e-3, 0.05e-3},
                 {"time.step=0.01 ms", "time.gap_tolerance=3e-5", 1e-5, 82.49e-3, 0.005e-3}};
    MrnQuantity half = {0.5, mrn_dimension_of(MRN_DIMENSION_NUMBER)};
    for (int i = 0; i < 3; i++) {
        double values[2], h = table[i].h;
        MrnExpect wanted[] = {{.quantity = "touching",
                               .of = "ball",
                               .reduce = MRN_REDUCE_FIRST_TIME_BELOW,
                               .level = half,
                               .from = 2 * h,
                               .to = NAN},
                              {.quantity = "touching",
                               .of = "ball",
                               .reduce = MRN_REDUCE_FIRST_TIME_ABOVE,
                               .level = half,
                               .from = 0.02,
                               .to = NAN}};
        if (!mrn_measure_scene(report, "vibrated_plate", (const char *const[]){table[i].step, table[i].tolerance, NULL},
                               wanted, 2, values))
            return;
        // The scheme lets go when the mean deceleration of the plate from one mid-step to the next exceeds g: between h
        // and 2 h late.
        mrn_check(report, 1.0 / 120 + 1.5 * h, values[0], 0.5 * h + 1e-12,
                  "h = %g s: end of the first step without contact, 1/(12 f) + h to + 2 h [s]", h);
        mrn_check(report, 82.483e-3, values[1], 2 * h, "h = %g s: landing, exact, within two steps [s]", h);
        // The reference numbers are those of the strict rule, gap <= 0.
        if (!mrn_measure_scene(report, "vibrated_plate",
                               (const char *const[]){table[i].step, "time.gap_tolerance=0", NULL}, wanted + 1, 1,
                               values))
            return;
        mrn_check(report, table[i].landing, values[0], table[i].digit,
                  "h = %g s, gap tolerance 0: landing, reference scheme [s]", h);
    }
    // Without a tolerance the contact flickers before take-off.
    double values[1];
    MrnExpect wanted[] = {{.quantity = "touching",
                           .of = "ball",
                           .reduce = MRN_REDUCE_FIRST_TIME_BELOW,
                           .level = {0.5, mrn_dimension_of(MRN_DIMENSION_NUMBER)},
                           .from = 2e-4,
                           .to = NAN}};
    if (!mrn_measure_scene(report, "vibrated_plate", (const char *const[]){"time.gap_tolerance=0", NULL}, wanted, 1,
                           values))
        return;
    mrn_check_at_most(report, 1.0 / 120 - 1e-4, values[0],
                      "gap tolerance 0: the contact is first lost before take-off [s]");
}

void mrn_case_painleve(MrnVerifyReport *report) {
    static const struct {
        double h, P[2], digit;
    } table[] = {{1e-2, {0.383385, 0.429430}, 5e-7},
                 {1e-4, {0.30083385, 0.4002943}, 5e-8},
                 {1e-6, {0.3000083, 0.4000029}, 5e-8}};
    double angle = atan(2);
    for (int i = 0; i < 3; i++) {
        MrnScheme scheme = mrn_strict_scheme(table[i].h);
        scheme.gap_tolerance = 1e-6;
        MrnModel *model = mrn_small_model(2, 9.81, mrn_law(2, 0, 0));
        int rod = mrn_add_rod(model, 1, 1, 0, sin(angle), angle);
        mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        mrn_world_set_velocity(small.world, rod, (double[]){-1, 0}, (double[]){0});
        MrnStepInfo info;
        mrn_small_step(report, &small, &info);
        double impulse[3], moment[3];
        mrn_world_contact_resultant(small.world, rod, impulse, moment);
        mrn_check(report, table[i].P[0], impulse[1], i == 1 ? 5e-9 : table[i].digit, "h = %g s: normal impulse [N s]",
                  table[i].h);
        mrn_check(report, table[i].P[1], fabs(impulse[0]), table[i].digit, "h = %g s: tangential impulse [N s]",
                  table[i].h);
        if (i == 2) {
            mrn_check(report, -0.6, mrn_world_velocity(small.world, rod)[0], 2e-5,
                      "h = 1e-6 s: velocity after the jump, x [m/s]");
            mrn_check(report, 0.3, mrn_world_velocity(small.world, rod)[1], 2e-5,
                      "h = 1e-6 s: velocity after the jump, y [m/s]");
            mrn_check(report, 0.67082, fabs(mrn_world_spin(small.world, rod)[0]), 2e-5,
                      "h = 1e-6 s: spin after the jump [rad/s]");
        }
        mrn_small_free(&small);
    }
    mrn_check(report, 4.0 / 3, (tan(angle) + 4 / tan(angle)) / 3, 1e-15, "critical friction at tan = 2");
}
