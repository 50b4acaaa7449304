// Nice tick steps, SI prefixes and short texts of numbers.
#include "draw/number.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double mrn_number_nice_below(double x) {
    double power = pow(10, floor(log10(x) + 1e-9));
    double lead = x / power * (1 + 1e-9);
    return (lead >= 5 ? 5 : lead >= 2 ? 2 : 1) * power;
}

/// Power of ten with three-digit steps: 1 <= x / 10^result < 1000.
static int thousand_exponent(double x) {
    return 3 * (int)floor((log10(x) + 1e-9) / 3);
}

MrnScaledUnit mrn_number_unit(const char *unit, double largest) {
    MrnScaledUnit scaled = {1, ""};
    bool none = !unit || !*unit || strcmp(unit, "1") == 0;
    if (!none) snprintf(scaled.text, sizeof scaled.text, "%.24s", unit);
    if (!(largest > 0) || !isfinite(largest)) return scaled;
    if (!none && strcmp(unit, "s") == 0 && largest >= 600) {
        static const struct {
            double seconds;
            const char *name;
        } times[] = {{31557600 * 2.0, "a"}, {86400 * 3.0, "d"}, {3600 * 2.0, "h"}, {600, "min"}};
        static const double unit_seconds[] = {31557600, 86400, 3600, 60};
        for (int i = 0; i < 4; i++)
            if (largest >= times[i].seconds) {
                snprintf(scaled.text, sizeof scaled.text, "%s", times[i].name);
                scaled.factor = unit_seconds[i];
                return scaled;
            }
    }
    // 0.5 m reads better than 500 mm.
    int exponent = largest >= 0.1 * (1 - 1e-9) && largest < 1 ? 0 : thousand_exponent(largest);
    if (none) {
        if (exponent >= 6 || exponent <= -6) {
            scaled.factor = pow(10, exponent);
            snprintf(scaled.text, sizeof scaled.text, "10^{%d}", exponent);
        }
        return scaled;
    }
    static const char *const prefixes[] = {"a", "f", "p", "n", "µ", "m", "", "k", "M", "G", "T", "P", "E"};
    int index = exponent / 3 + 6;
    // A prefix goes with the power of what it stands before: mm2 is not a thousandth of m2. Angles and 1/s take none.
    size_t symbol = strspn(unit, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    bool bare = symbol == 0 || (unit[symbol] >= '2' && unit[symbol] <= '9') || unit[symbol] == '^' ||
                strncmp(unit, "deg", 3) == 0;
    if (bare && exponent >= -3 && exponent <= 3) return scaled;
    if (bare || index < 0 || index > 12) {
        scaled.factor = pow(10, exponent);
        snprintf(scaled.text, sizeof scaled.text, "10^{%d} %.16s", exponent, unit);
        return scaled;
    }
    scaled.factor = pow(10, exponent);
    // kg already has its prefix: count from the gram.
    if (strncmp(unit, "kg", 2) == 0) {
        scaled.factor = 1;
        return scaled;
    }
    snprintf(scaled.text, sizeof scaled.text, "%s%.24s", prefixes[index], unit);
    return scaled;
}

/// The ASCII hyphen of printf becomes a minus sign of the width of a plus.
static void put_minus(const char *plain, char *text, size_t size) {
    if (plain[0] == '-')
        snprintf(text, size, "−%s", plain + 1);
    else
        snprintf(text, size, "%s", plain);
}

void mrn_number_tick(double value, double step, char *text, size_t size) {
    char plain[64];
    if (fabs(value) < 1e-9 * step) value = 0;
    double largest = fmax(fabs(value), step);
    if (largest >= 1e7 || step < 1e-6) {
        snprintf(plain, sizeof plain, "%.6g", value);
    } else {
        int decimals = step >= 1 ? 0 : (int)ceil(-log10(step) - 1e-9);
        // 2.5 needs one decimal more than its power of ten says.
        double scaled = step * pow(10, decimals);
        if (fabs(scaled - round(scaled)) > 1e-6) decimals++;
        snprintf(plain, sizeof plain, "%.*f", decimals, value);
    }
    put_minus(plain, text, size);
}

void mrn_number_with_unit(double value, const char *unit, char *text, size_t size) {
    MrnScaledUnit scaled = mrn_number_unit(unit, fabs(value));
    char plain[64], number[80];
    snprintf(plain, sizeof plain, "%.3g", value / scaled.factor);
    put_minus(plain, number, sizeof number);
    snprintf(text, size, scaled.text[0] ? "%s %s" : "%s%s", number, scaled.text);
}
