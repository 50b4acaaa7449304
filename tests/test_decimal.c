// Decimals: the shortest text that reads back as the same number.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/decimal.h"
#include "base/random.h"
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *written(double value) {
    static char text[MRN_DECIMAL_ROOM + 1];
    memset(text, '#', sizeof text);
    char *end = mrn_decimal_write(text, value);
    assert_true(end - text <= 25);
    assert_int_equal(text[MRN_DECIMAL_ROOM], '#'); // nothing behind the room
    *end = 0;
    return text;
}

static void well_known_numbers_have_their_texts(void **state) {
    (void)state;
    static const struct {
        double value;
        const char *text;
    } cases[] = {{0, "0"},
                 {-0.0, "-0"},
                 {1, "1"},
                 {-1.5, "-1.5"},
                 {0.1, "0.1"},
                 {0.30000000000000004, "0.30000000000000004"},
                 {1e15, "1000000000000000"},
                 {1e22, "1e22"},
                 {123456.789, "123456.789"},
                 {0.00001234, "0.00001234"},
                 {1.234e-6, "1.234e-6"},
                 {9007199254740993.0, "9007199254740992"},
                 {DBL_MAX, "1.7976931348623157e308"},
                 {DBL_MIN, "2.2250738585072014e-308"},
                 {4.9406564584124654e-324, "5e-324"},
                 {2e-323, "2e-323"},
                 {9.5e-323, "9.4e-323"},
                 {INFINITY, "inf"},
                 {-INFINITY, "-inf"},
                 {NAN, "nan"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(written(cases[i].value), cases[i].text);
}

/// Digits without the zeros at both ends.
static int digits_of(const char *text) {
    int count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (!count && *text == '0')) continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

static void any_number_reads_back_and_no_shorter_text_does(void **state) {
    (void)state;
    for (uint64_t i = 0; i < 400000; i++) {
        uint64_t bits = mrn_mix64(i);
        double value;
        if (i % 4 == 0)
            memcpy(&value, &bits, sizeof value);
        else if (i % 4 == 1)
            value = ldexp(1, (int)(i / 4 % 2098) - 1074);
        else if (i % 4 == 2)
            value = (double)(bits >> 40) / 1000.0;
        else
            value = (double)(int64_t)bits * 0x1p-62;
        if (!isfinite(value)) continue;
        const char *text = written(value);
        double back = strtod(text, NULL);
        if (memcmp(&back, &value, sizeof back) != 0) fail_msg("%a becomes %s", value, text);
        if (i % 16 > 3 || value == 0) continue;
        char other[40];
        int precision = 1;
        do snprintf(other, sizeof other, "%.*e", precision - 1, value);
        while (strtod(other, NULL) != value && ++precision <= 17);
        // Rounding to fewer digits may miss a shorter text on the side of a power of two; it never finds a better one.
        if (digits_of(text) > digits_of(other)) fail_msg("%s could be %s", text, other);
    }
}

static void whole_numbers_are_exact(void **state) {
    (void)state;
    static const int64_t cases[] = {0, 1, -1, 9, 10, 99, 100, 12345, -1000000, INT64_MAX, INT64_MIN};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MRN_DECIMAL_ROOM], wanted[32];
        *mrn_decimal_write_integer(text, cases[i]) = 0;
        snprintf(wanted, sizeof wanted, "%lld", (long long)cases[i]);
        assert_string_equal(text, wanted);
    }
}

static void fixed_numbers_lose_only_zeros(void **state) {
    (void)state;
    static const struct {
        int64_t value;
        int decimals;
        const char *text;
    } cases[] = {{0, 6, "0"},
                 {5, 0, "5"},
                 {-5, 1, "-0.5"},
                 {1234567, 3, "1234.567"},
                 {1200, 4, "0.12"},
                 {-1000, 3, "-1"},
                 {7, 18, "0.000000000000000007"},
                 {10, 1, "1"},
                 {105, 2, "1.05"},
                 {INT64_MAX, 18, "9.223372036854775807"},
                 {INT64_MIN, 0, "-9223372036854775808"},
                 {-1, 12, "-0.000000000001"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[MRN_DECIMAL_ROOM];
        *mrn_decimal_write_fixed(text, cases[i].value, cases[i].decimals) = 0;
        assert_string_equal(text, cases[i].text);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(well_known_numbers_have_their_texts),
        cmocka_unit_test(any_number_reads_back_and_no_shorter_text_does),
        cmocka_unit_test(whole_numbers_are_exact),
        cmocka_unit_test(fixed_numbers_lose_only_zeros),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
