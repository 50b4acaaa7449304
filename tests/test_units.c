// Units: values in SI, exact where decimal arithmetic is exact, and dimensions that cannot be confused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/units.h"
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

static MrnQuantity read_quantity(const char *text) {
    MrnQuantity quantity;
    char reason[200] = "";
    if (!mrn_quantity_parse(text, &quantity, reason, sizeof reason)) fail_msg("%s: %s", text, reason);
    return quantity;
}

static void check(const char *text, double value, MrnDimensionName dimension) {
    MrnQuantity quantity = read_quantity(text);
    if (quantity.value != value) fail_msg("%s is %.17g, wanted %.17g", text, quantity.value, value);
    if (!mrn_dimension_equal(quantity.dimension, mrn_dimension_of(dimension)))
        fail_msg("%s has the wrong dimension", text);
}

static void values_are_the_same_double_in_every_unit(void **state) {
    (void)state;
    check("12 km", 12000, MRN_DIMENSION_LENGTH);
    check("7 cm", 0.07, MRN_DIMENSION_LENGTH);
    check("0.07 m", 0.07, MRN_DIMENSION_LENGTH);
    check("3 mm", 0.003, MRN_DIMENSION_LENGTH);
    check("0.3 um", 0.3e-6, MRN_DIMENSION_LENGTH);
    check("5 \xc2\xb5m", 5e-6, MRN_DIMENSION_LENGTH);
    check("1 ms", 0.001, MRN_DIMENSION_TIME);
    check("2 min", 120, MRN_DIMENSION_TIME);
    check("1.5 h", 5400, MRN_DIMENSION_TIME);
    check("0.1 kg", 0.1, MRN_DIMENSION_MASS);
    check("2500 kg/m3", 2500, MRN_DIMENSION_VOLUME_DENSITY);
    check("2.5 t/m3", 2500, MRN_DIMENSION_VOLUME_DENSITY);
    check("1 g/cm3", 1000, MRN_DIMENSION_VOLUME_DENSITY);
    check("5 kg/m2", 5, MRN_DIMENSION_AREA_DENSITY);
    check("36 km/h", 10, MRN_DIMENSION_SPEED);
    check("9.81 m/s2", 9.81, MRN_DIMENSION_ACCELERATION);
    check("9.81 m/s^2", 9.81, MRN_DIMENSION_ACCELERATION);
    check("9.81 m/s\xc2\xb2", 9.81, MRN_DIMENSION_ACCELERATION);
    check("9.81 m s-2", 9.81, MRN_DIMENSION_ACCELERATION);
    check("9.81 m*s^-2", 9.81, MRN_DIMENSION_ACCELERATION);
    check("9.81m/s/s", 9.81, MRN_DIMENSION_ACCELERATION);
    check("180 deg", PI, MRN_DIMENSION_ANGLE);
    check("1 rev", 2 * PI, MRN_DIMENSION_ANGLE);
    check("1 rpm", PI / 30, MRN_DIMENSION_ANGULAR_VELOCITY);
    check("60 Hz", 60, MRN_DIMENSION_FREQUENCY);
    check("2 1/s", 2, MRN_DIMENSION_FREQUENCY);
    check("2/s", 2, MRN_DIMENSION_FREQUENCY);
    check("2 kN", 2000, MRN_DIMENSION_FORCE);
    check("2 kg m/s2", 2, MRN_DIMENSION_FORCE);
    check("3 N m", 3, MRN_DIMENSION_TORQUE);
    check("3 J", 3, MRN_DIMENSION_TORQUE);
    check("1 MPa", 1e6, MRN_DIMENSION_PRESSURE);
    check("1 kn", 1852.0 / 3600, MRN_DIMENSION_SPEED);
    check("1 ft", 0.3048, MRN_DIMENSION_LENGTH);
    check("30 %", 0.3, MRN_DIMENSION_NUMBER);
    check("-1.5e-3", -1.5e-3, MRN_DIMENSION_NUMBER);
    check("  +4.  ", 4, MRN_DIMENSION_NUMBER);
    check(".5 N s", 0.5, MRN_DIMENSION_IMPULSE);
    check("0.1 kg m2", 0.1, MRN_DIMENSION_INERTIA);
    check("250 K", 250, MRN_DIMENSION_TEMPERATURE);
}

static void angle_angular_velocity_and_frequency_are_different_things(void **state) {
    (void)state;
    MrnDimension hertz = read_quantity("1 Hz").dimension, spin = read_quantity("1 rad/s").dimension,
                 angle = read_quantity("1 rad").dimension;
    assert_false(mrn_dimension_equal(hertz, spin));
    assert_false(mrn_dimension_equal(angle, mrn_dimension_of(MRN_DIMENSION_NUMBER)));
    assert_true(mrn_dimension_equal(spin, read_quantity("3 deg/s").dimension));
}

static void one_unit_holds_for_all_numbers_before_it(void **state) {
    (void)state;
    double values[3];
    size_t count;
    MrnDimension dimension;
    char reason[200];
    assert_true(mrn_quantities_parse("1 -2.5 3e1 cm", 3, values, &count, &dimension, reason, sizeof reason));
    assert_int_equal(count, 3);
    assert_true(values[0] == 0.01 && values[1] == -0.025 && values[2] == 0.3);
    assert_true(mrn_dimension_equal(dimension, mrn_dimension_of(MRN_DIMENSION_LENGTH)));
    assert_true(mrn_quantities_parse("3 4 1/s", 2, values, &count, &dimension, reason, sizeof reason));
    assert_int_equal(count, 2);
    assert_false(mrn_quantities_parse("1 2 3 m", 2, values, &count, &dimension, reason, sizeof reason));
    assert_string_equal(reason, "there are more than 2 numbers");
}

static void nonsense_is_refused_with_a_reason(void **state) {
    (void)state;
    static const char *const rows[][2] = {
        {"", "it does not begin with a number"},
        {"abc", "it does not begin with a number"},
        {"m 5", "it does not begin with a number"},
        {"1.2.3 m", "\"1.2.3 m\" is not a number"},
        {"1 2", "there is more than one number"},
        {"5 metres", "unknown unit \"metres\"; did you mean \"m\"?"},
        {"5 Kg", "unknown unit \"Kg\"; did you mean \"kg\"?"},
        {"5 foo/s", "unknown unit \"foo\""},
        {"5 kmin", "unknown unit \"kmin\""},
        {"5 m//s", "a unit is missing before \"/\""},
        {"5 *m", "a unit is missing before \"*\""},
        {"5 m/", "a unit is missing at the end"},
        {"5 m^x", "the power of a unit must be a whole number from -9 to 9"},
        {"5 m^10", "the power of a unit must be a whole number from -9 to 9"},
        {"5 m^", "the power of a unit must be a whole number from -9 to 9"},
        {"5 m9 m9 m9 m9 m9 m9 m9 m9 m9 m9 m9 m9", "the powers of the unit are too high"},
        {"5 Gm9 Gm9 Gm9", "the unit is too large or too small"},
        {"5 ^2", "\"^2\" is not a unit"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        MrnQuantity quantity;
        char reason[200] = "accepted";
        if (mrn_quantity_parse(rows[i][0], &quantity, reason, sizeof reason) || strcmp(reason, rows[i][1]) != 0)
            fail_msg("\"%s\": found \"%s\", wanted \"%s\"", rows[i][0], reason, rows[i][1]);
    }
}

static void hexadecimal_and_octal_numbers_do_not_exist(void **state) {
    (void)state;
    MrnQuantity quantity;
    char reason[200];
    assert_false(mrn_quantity_parse("0x10 m", &quantity, reason, sizeof reason));
    check("010 m", 10, MRN_DIMENSION_LENGTH);
}

static void not_a_number_and_infinity_are_numbers_that_the_caller_refuses(void **state) {
    (void)state;
    double value;
    assert_non_null(mrn_number_parse(".nan", &value));
    assert_true(isnan(value));
    assert_non_null(mrn_number_parse("-Inf", &value));
    assert_true(isinf(value) && value < 0);
    assert_null(mrn_number_parse("nanometre", &value));
    assert_non_null(mrn_number_parse("1e999", &value));
    assert_true(isinf(value));
}

static void numbers_do_not_depend_on_the_locale(void **state) {
    (void)state;
    static const char *const comma[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < sizeof comma / sizeof *comma; i++)
        if (setlocale(LC_NUMERIC, comma[i])) break;
    check("0.25 m", 0.25, MRN_DIMENSION_LENGTH);
    setlocale(LC_NUMERIC, "C");
}

static void dimensions_are_described_in_words_or_units(void **state) {
    (void)state;
    char text[100];
    mrn_dimension_describe(read_quantity("3 N").dimension, text, sizeof text);
    assert_string_equal(text, "a force");
    mrn_dimension_describe(read_quantity("3 kg m2/s").dimension, text, sizeof text);
    assert_string_equal(text, "a quantity in kg m2/s");
    mrn_dimension_unit(read_quantity("3 s-2").dimension, text, sizeof text);
    assert_string_equal(text, "1/s2");
    mrn_dimension_unit(read_quantity("3").dimension, text, sizeof text);
    assert_string_equal(text, "");
}

static void every_example_has_the_dimension_it_stands_for(void **state) {
    (void)state;
    for (int i = 0; i < MRN_DIMENSION_COUNT; i++) {
        MrnQuantity quantity = read_quantity(mrn_dimension_example((MrnDimensionName)i));
        assert_true(mrn_dimension_equal(quantity.dimension, mrn_dimension_of((MrnDimensionName)i)));
        char unit[64], text[100];
        mrn_dimension_unit(quantity.dimension, unit, sizeof unit);
        snprintf(text, sizeof text, "2.5 %s", unit);
        check(text, 2.5, (MrnDimensionName)i);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_the_same_double_in_every_unit),
        cmocka_unit_test(angle_angular_velocity_and_frequency_are_different_things),
        cmocka_unit_test(one_unit_holds_for_all_numbers_before_it),
        cmocka_unit_test(nonsense_is_refused_with_a_reason),
        cmocka_unit_test(hexadecimal_and_octal_numbers_do_not_exist),
        cmocka_unit_test(not_a_number_and_infinity_are_numbers_that_the_caller_refuses),
        cmocka_unit_test(numbers_do_not_depend_on_the_locale),
        cmocka_unit_test(dimensions_are_described_in_words_or_units),
        cmocka_unit_test(every_example_has_the_dimension_it_stands_for),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
