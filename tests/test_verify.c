// The quick cases of `moraine verify` pass, and the machinery that judges them can fail.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "verify/check.h"
#include "verify/history.h"

#include <math.h>
#include <string.h>

static void every_quick_case_gives_its_published_numbers(void **state) {
    (void)state;
    size_t count;
    const MrnVerifyCase *cases = mrn_verify_cases(&count);
    assert_true(count >= 53);
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (cases[i].slow) continue;
        MrnVerifyReport report;
        mrn_verify_run(&cases[i], &report);
        if (!mrn_verify_passed(&report)) failed++;
        for (size_t r = 0; r < report.rows.count; r++) {
            const MrnVerifyRow *row = &report.rows.data[r];
            if (!row->pass)
                print_error("%s: %s: published %.12g, computed %.12g, tolerance %g\n", row->name, row->quantity,
                            row->published, row->computed, row->tolerance);
        }
        mrn_verify_report_free(&report);
    }
    assert_int_equal(failed, 0);
}

static void every_entry_of_the_catalogue_is_a_case(void **state) {
    (void)state;
    static const char *const catalogue[] = {
        "T-K1", "T-K2", "T-K3", "T-K4", "T-K5", "T-K6", "T-D1", "T-D2", "T-D3", "T-D4", "T-D5", "T-D6", "T-L1",
        "T-L2", "T-L3", "T-L4", "T-F1", "T-F2", "T-W1", "T-W2", "T-W3", "T-F5", "T-C1", "T-C2", "T-C3", "T-C4",
        "T-C5", "T-C6", "T-C7", "T-I1", "T-I2", "T-I3", "T-I4", "T-P0", "T-B1", "T-B2", "T-B3", "T-B4", "T-B5",
        "T-B6", "T-B7", "T-X1", "T-X2", "T-N1", "T-N2", "T-N3", "T-N4", "T-N5", "T-N6", "T-N7", "T-N8", "T-N9"};
    char hint[100];
    for (size_t i = 0; i < sizeof catalogue / sizeof *catalogue; i++) {
        assert_true(mrn_verify_find(catalogue[i], hint, sizeof hint) >= 0);
        size_t count;
        const MrnVerifyCase *about = &mrn_verify_cases(&count)[mrn_verify_find(catalogue[i], hint, sizeof hint)];
        assert_string_equal(about->name, catalogue[i]);
        assert_true(about->title[0] && about->source[0]);
    }
}

static void cases_are_found_by_name_in_any_case_and_by_scene(void **state) {
    (void)state;
    char hint[100];
    int rocking = mrn_verify_find("t-c5", hint, sizeof hint);
    assert_true(rocking >= 0);
    assert_int_equal(mrn_verify_find("rocking_block", hint, sizeof hint), rocking);
    assert_int_equal(mrn_verify_find("gallery:rocking_block", hint, sizeof hint), rocking);
    assert_int_equal(mrn_verify_find("rocking_blok", hint, sizeof hint), -1);
    assert_string_equal(hint, "rocking_block");
}

static void wrong_numbers_and_missing_numbers_fail(void **state) {
    (void)state;
    MrnVerifyReport report = {0};
    assert_false(mrn_verify_passed(&report)); // nothing compared is not a success
    mrn_check(&report, 1, 1.1, 0.2, "close enough [m]");
    assert_true(mrn_verify_passed(&report));
    assert_string_equal(report.rows.data[0].unit, "m");
    assert_string_equal(report.rows.data[0].quantity, "close enough");
    mrn_check(&report, 1, 1.3, 0.2, "too far");
    mrn_check(&report, 1, NAN, 0.2, "no number");
    mrn_check_at_most(&report, 1, 1 + 1e-15, "above the bound");
    mrn_check_at_least(&report, 1, NAN, "no number");
    mrn_check_true(&report, false, "not so");
    for (size_t i = 1; i < report.rows.count; i++) assert_false(report.rows.data[i].pass);
    mrn_verify_report_free(&report);
}

static void assert_near(double computed, double wanted, double tolerance) {
    if (!(fabs(computed - wanted) <= tolerance)) fail_msg("%.17g is not %.17g", computed, wanted);
}

static const char falling[] = "dimension: 2\n"
                              "gravity: [0, -10 m/s2]\n"
                              "time: {step: 10 ms, end: 1 s}\n"
                              "materials: [{name: stone, density: 1 kg/m2}]\n"
                              "bodies:\n"
                              "  - {name: stone, shape: {disc: 1 m}, velocity: [1 m/s, 5 m/s]}\n";

/// Reduce one history of the falling stone. NAN with the message in `error` when it cannot.
static double reduce(MrnExpect wanted, MrnError *error) {
    MrnScene *scene = mrn_scene_parse(falling, "falling", NULL, 0, NULL, 0, error);
    assert_non_null(scene);
    double value = NAN;
    if (!mrn_reduce_histories(scene, &wanted, 1, &value, error)) value = NAN;
    mrn_scene_free(scene);
    return value;
}

static void histories_of_a_thrown_stone_reduce_to_what_the_parabola_gives(void **state) {
    (void)state;
    MrnError error = {0};
    MrnExpect height = {.quantity = "position.y", .of = "stone", .from = NAN, .to = NAN, .at = NAN};
    MrnExpect e = height;
    e.reduce = MRN_REDUCE_MAX;
    assert_near(reduce(e, &error), 1.25, 1e-12);
    e.reduce = MRN_REDUCE_PEAK, e.peak = 1;
    assert_near(reduce(e, &error), 1.25, 1e-12);
    e.peak = 2;
    assert_true(isnan(reduce(e, &error)));
    e = height, e.reduce = MRN_REDUCE_FINAL;
    assert_near(reduce(e, &error), 0, 1e-12);
    e.reduce = MRN_REDUCE_AT, e.at = 0.25;
    assert_near(reduce(e, &error), 1.25 - 5 * 0.0625, 1e-12);
    e.at = 0.255; // between two steps: on the chord
    assert_near(reduce(e, &error), 0.5 * (1.25 - 5 * 0.0625 + 1.25 - 5 * 0.0576), 1e-12);
    e.reduce = MRN_REDUCE_MIN, e.from = 0.4, e.to = 0.6;
    assert_near(reduce(e, &error), 1.25 - 0.05, 1e-12);
    e.reduce = MRN_REDUCE_FIRST_TIME_ABOVE, e.from = e.to = NAN, e.level.value = 1.19,
    e.level.dimension = mrn_dimension_of(MRN_DIMENSION_LENGTH);
    assert_near(reduce(e, &error), 0.4, 1e-12);
    e = height, e.quantity = "|velocity.y|", e.reduce = MRN_REDUCE_FINAL;
    assert_near(reduce(e, &error), 5, 1e-12);
    e = height, e.quantity = "energy", e.of = NULL, e.reduce = MRN_REDUCE_MEAN;
    assert_near(reduce(e, &error), 0.5 * 26 * M_PI, 1e-10);
}

static void measures_of_a_thrown_stone_reduce_like_histories(void **state) {
    (void)state;
    MrnError error = {0};
    // Frames are 10 ms apart, a hundredth of the end.
    MrnExpect e = {.quantity = "mass_centre:y", .reduce = MRN_REDUCE_MAX, .from = NAN, .to = NAN, .at = NAN};
    assert_near(reduce(e, &error), 1.25, 1e-12);
    e.reduce = MRN_REDUCE_AT, e.at = 0.25;
    assert_near(reduce(e, &error), 1.25 - 5 * 0.0625, 1e-12);
    e.quantity = "displacement:mean_x", e.reduce = MRN_REDUCE_FINAL, e.from = 0.4; // from the start of the window
    assert_near(reduce(e, &error), 0.6, 1e-12);
    // Degrees of a measure become the radians of the scene.
    e.quantity = "mass_centre:inclination", e.from = NAN;
    assert_near(reduce(e, &error), M_PI / 2, 1e-12);
    e.value.value = 1, e.value.dimension = mrn_dimension_of(MRN_DIMENSION_TIME);
    assert_true(isnan(reduce(e, &error)));
    assert_string_equal(error.message, "quantity 'mass_centre:inclination' is in deg, the value is not");
    e.quantity = "mass_centre:colour";
    assert_true(isnan(reduce(e, &error)));
    assert_string_equal(error.message, "quantity 'mass_centre:colour': there is no such column");
    e.of = "stone";
    assert_true(isnan(reduce(e, &error)));
    assert_string_equal(error.message, "quantity 'mass_centre:colour' belongs to the whole scene: leave out `of`");
}

static void quantities_that_make_no_sense_are_refused_with_their_name(void **state) {
    (void)state;
    static const struct {
        const char *quantity, *of, *message;
    } wrong[] = {
        {"colour", "stone",
         "there is no quantity 'colour'; there are: position.xyz, velocity.xyz, speed, angle, quaternion.wxyz, spin, "
         "spin.xyz, contact_impulse.xyz, contact_force.xyz, normal_impulse, touching, contact_speed, overlap, energy, "
         "kinetic_energy, potential_energy, contacts, new_contacts, sweeps, residual, scaled_residual, cone_violation, "
         "penetration, dissipated_energy, driver_work, energy_defect, max_speed"},
        {"position.z", "stone", "quantity 'position.z': a scene in 2D has no z"},
        {"position.w", "stone", "quantity 'position.w': a component is one of xyz"},
        {"position.y", NULL, "quantity 'position.y' belongs to a body: say which with `of`"},
        {"energy", "stone", "quantity 'energy' belongs to the whole scene: leave out `of`"},
        {"spin.x", "stone", "quantity 'spin.x': wanted angle or spin in 2D"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        MrnError error = {0};
        MrnExpect e = {
            .quantity = (char *)wrong[i].quantity, .of = (char *)wrong[i].of, .from = NAN, .to = NAN, .at = NAN};
        assert_true(isnan(reduce(e, &error)));
        assert_string_equal(error.message, wrong[i].message);
    }
    MrnError error = {0};
    MrnExpect e = {.quantity = "position.y",
                   .of = "stone",
                   .from = NAN,
                   .to = NAN,
                   .at = NAN,
                   .value = {1, mrn_dimension_of(MRN_DIMENSION_TIME)}};
    assert_true(isnan(reduce(e, &error)));
    assert_string_equal(error.message, "quantity 'position.y' is a length, the value is not");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_of_the_catalogue_is_a_case),
        cmocka_unit_test(cases_are_found_by_name_in_any_case_and_by_scene),
        cmocka_unit_test(wrong_numbers_and_missing_numbers_fail),
        cmocka_unit_test(histories_of_a_thrown_stone_reduce_to_what_the_parabola_gives),
        cmocka_unit_test(measures_of_a_thrown_stone_reduce_like_histories),
        cmocka_unit_test(quantities_that_make_no_sense_are_refused_with_their_name),
        cmocka_unit_test(every_quick_case_gives_its_published_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
