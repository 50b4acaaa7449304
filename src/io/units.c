// Quantities with units: a table of units, one of prefixes, and a parser of products, quotients and powers.
#define _GNU_SOURCE
#include "io/units.h"

#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

typedef struct Unit {
    const char *symbol;
    double above, below; ///< value in SI units is above / below
    MrnDimension dimension;
    bool prefixes; ///< takes SI prefixes
} Unit;

// Symbols are compared whole before prefixes are tried: "min" is a minute, "ft" a foot.
static const Unit units[] = {
    {"m", 1, 1, {1, 0, 0, 0, 0}, true},           {"g", 1, 1000, {0, 1, 0, 0, 0}, true},
    {"s", 1, 1, {0, 0, 1, 0, 0}, true},           {"rad", 1, 1, {0, 0, 0, 1, 0}, true},
    {"K", 1, 1, {0, 0, 0, 0, 1}, true},           {"N", 1, 1, {1, 1, -2, 0, 0}, true},
    {"Pa", 1, 1, {-1, 1, -2, 0, 0}, true},        {"J", 1, 1, {2, 1, -2, 0, 0}, true},
    {"W", 1, 1, {2, 1, -3, 0, 0}, true},          {"Hz", 1, 1, {0, 0, -1, 0, 0}, true},
    {"t", 1000, 1, {0, 1, 0, 0, 0}, false},       {"min", 60, 1, {0, 0, 1, 0, 0}, false},
    {"h", 3600, 1, {0, 0, 1, 0, 0}, false},       {"d", 86400, 1, {0, 0, 1, 0, 0}, false},
    {"deg", PI, 180, {0, 0, 0, 1, 0}, false},     {"\xc2\xb0", PI, 180, {0, 0, 0, 1, 0}, false},
    {"rev", 2 * PI, 1, {0, 0, 0, 1, 0}, false},   {"rpm", PI, 30, {0, 0, -1, 1, 0}, false},
    {"kn", 1852, 3600, {1, 0, -1, 0, 0}, false},  {"nmi", 1852, 1, {1, 0, 0, 0, 0}, false},
    {"in", 254, 10000, {1, 0, 0, 0, 0}, false},   {"ft", 3048, 10000, {1, 0, 0, 0, 0}, false},
    {"bar", 100000, 1, {-1, 1, -2, 0, 0}, false}, {"L", 1, 1000, {3, 0, 0, 0, 0}, false},
    {"%", 1, 100, {0, 0, 0, 0, 0}, false},
};
enum { UNIT_COUNT = sizeof units / sizeof *units };

static const struct {
    const char *symbol;
    double above, below;
} prefixes[] = {{"G", 1e9, 1}, {"M", 1e6, 1}, {"k", 1e3, 1},        {"h", 1e2, 1},        {"d", 1, 10}, {"c", 1, 1e2},
                {"m", 1, 1e3}, {"u", 1, 1e6}, {"\xc2\xb5", 1, 1e6}, {"\xce\xbc", 1, 1e6}, {"n", 1, 1e9}};
enum { PREFIX_COUNT = sizeof prefixes / sizeof *prefixes };

// What people write instead of a symbol, for the hint in the message.
static const char *const long_names[][2] = {
    {"metre", "m"},     {"metres", "m"},    {"meter", "m"},      {"meters", "m"},    {"second", "s"},
    {"seconds", "s"},   {"sec", "s"},       {"degree", "deg"},   {"degrees", "deg"}, {"radian", "rad"},
    {"radians", "rad"}, {"kilogram", "kg"}, {"kilograms", "kg"}, {"Kg", "kg"},       {"KG", "kg"},
    {"hour", "h"},      {"hours", "h"},     {"minute", "min"},   {"minutes", "min"}, {"day", "d"},
    {"days", "d"},      {"hz", "Hz"},       {"HZ", "Hz"},        {"newton", "N"},    {"newtons", "N"},
    {"tonne", "t"},     {"tonnes", "t"},    {"knot", "kn"},      {"knots", "kn"},    {"RPM", "rpm"},
    {"Km", "km"},       {"KM", "km"},
};

static const struct {
    MrnDimension dimension;
    const char *text, *example;
} dimension_rows[] = {
#define X(name, text, m, kg, s, rad, kelvin, example) {{m, kg, s, rad, kelvin}, text, example},
    MRN_DIMENSION_LIST(X)
#undef X
};

MrnDimension mrn_dimension_of(MrnDimensionName name) {
    return dimension_rows[name < MRN_DIMENSION_COUNT ? name : MRN_DIMENSION_NUMBER].dimension;
}

const char *mrn_dimension_text(MrnDimensionName name) {
    if (name == MRN_DIMENSION_DENSITY) return "a density";
    return name < MRN_DIMENSION_COUNT ? dimension_rows[name].text : "a quantity";
}

const char *mrn_dimension_example(MrnDimensionName name) {
    if (name == MRN_DIMENSION_DENSITY) return "2500 kg/m3";
    return name < MRN_DIMENSION_COUNT ? dimension_rows[name].example : "0.3 m/s";
}

bool mrn_dimension_equal(MrnDimension a, MrnDimension b) {
    return a.length == b.length && a.mass == b.mass && a.time == b.time && a.angle == b.angle &&
           a.temperature == b.temperature;
}

void mrn_dimension_unit(MrnDimension dimension, char *out, size_t size) {
    const struct {
        const char *symbol;
        int power;
    } parts[] = {{"kg", dimension.mass},
                 {"m", dimension.length},
                 {"s", dimension.time},
                 {"rad", dimension.angle},
                 {"K", dimension.temperature}};
    size_t used = 0;
    bool above = false;
    out[0] = 0;
    for (int side = 1; side >= -1; side -= 2)
        for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
            int power = side * parts[i].power;
            if (power <= 0 || used >= size) continue;
            const char *separator = side < 0 ? (above ? "/" : "1/") : above ? " " : "";
            used += (size_t)snprintf(out + used, size - used, power > 1 ? "%s%s%d" : "%s%s", separator, parts[i].symbol,
                                     power);
            above = true;
        }
}

void mrn_dimension_describe(MrnDimension dimension, char *out, size_t size) {
    for (size_t i = 0; i < MRN_DIMENSION_COUNT; i++)
        if (mrn_dimension_equal(dimension, dimension_rows[i].dimension)) {
            snprintf(out, size, "%s", dimension_rows[i].text);
            return;
        }
    char unit[64];
    mrn_dimension_unit(dimension, unit, sizeof unit);
    snprintf(out, size, "a quantity in %s", unit);
}

static locale_t plain_locale;
static pthread_once_t plain_locale_once = PTHREAD_ONCE_INIT;
static void make_plain_locale(void) {
    plain_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}
static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

const char *mrn_number_parse(const char *text, double *value) {
    const char *p = text;
    if (*p == '+' || *p == '-') p++;
    static const char *const words[] = {".nan", "nan", ".inf", "infinity", "inf"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if (strncasecmp(p, words[i], length) == 0 && !is_letter(p[length])) {
            *value = i < 2 ? (double)NAN : *text == '-' ? -(double)INFINITY : (double)INFINITY;
            return p + length;
        }
    }
    bool digits = false;
    while (is_digit(*p)) p++, digits = true;
    if (*p == '.') {
        p++;
        while (is_digit(*p)) p++, digits = true;
    }
    if (!digits) return NULL;
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1;
        if (*q == '+' || *q == '-') q++;
        if (is_digit(*q)) {
            while (is_digit(*q)) q++;
            p = q;
        }
    }
    // "0x10" must not be read as a hexadecimal number: strtod stops where the scan above did only for decimal text.
    pthread_once(&plain_locale_once, make_plain_locale);
    char *end;
    double number = strtod_l(text, &end, plain_locale);
    if (end != p) return NULL;
    *value = number;
    return p;
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') p++;
    return p;
}

typedef struct Scale {
    double above, below;
    MrnDimension dimension;
} Scale;

static bool find_unit(const char *symbol, size_t length, Scale *out) {
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (strlen(units[i].symbol) == length && memcmp(units[i].symbol, symbol, length) == 0) {
            *out = (Scale){units[i].above, units[i].below, units[i].dimension};
            return true;
        }
    for (size_t k = 0; k < PREFIX_COUNT; k++) {
        size_t prefix = strlen(prefixes[k].symbol);
        if (prefix >= length || memcmp(prefixes[k].symbol, symbol, prefix) != 0) continue;
        for (size_t i = 0; i < UNIT_COUNT; i++)
            if (units[i].prefixes && strlen(units[i].symbol) == length - prefix &&
                memcmp(units[i].symbol, symbol + prefix, length - prefix) == 0) {
                *out =
                    (Scale){units[i].above * prefixes[k].above, units[i].below * prefixes[k].below, units[i].dimension};
                return true;
            }
    }
    return false;
}

// Divide both sides of a fraction of whole numbers by their common factor, so that kg (1000/1000) is exactly 1.
static void reduce(Scale *scale) {
    double a = scale->above, b = scale->below;
    if (a > 0x1p53 || b > 0x1p53 || a != floor(a) || b != floor(b)) return;
    while (b > 0) {
        double rest = fmod(a, b);
        a = b, b = rest;
    }
    scale->above /= a, scale->below /= a;
}

static bool unit_fail(char *reason, size_t size, const char *symbol, size_t length) {
    int shown = length > 40 ? 40 : (int)length;
    for (size_t i = 0; i < sizeof long_names / sizeof *long_names; i++)
        if (strlen(long_names[i][0]) == length && memcmp(long_names[i][0], symbol, length) == 0) {
            snprintf(reason, size, "unknown unit \"%.*s\"; did you mean \"%s\"?", shown, symbol, long_names[i][1]);
            return false;
        }
    snprintf(reason, size, "unknown unit \"%.*s\"", shown, symbol);
    return false;
}

static bool parse_unit(const char *p, Scale *scale, char *reason, size_t size) {
    *scale = (Scale){1, 1, {0, 0, 0, 0, 0}};
    int powers[5] = {0};
    bool divide = false, expect_factor = true, at_start = true;
    for (p = skip_blanks(p); *p; p = skip_blanks(p)) {
        if (*p == '/' || *p == '*' || (unsigned char)*p == 0xC2) {
            bool dot = strncmp(p, "\xc2\xb7", 2) == 0; // the middle dot
            if (*p == '/' || *p == '*' || dot) {
                if (expect_factor && !(at_start && *p == '/')) { // "5/s" is 5 per second
                    snprintf(reason, size, "a unit is missing before \"%.*s\"", dot ? 2 : 1, p);
                    return false;
                }
                divide = *p == '/';
                expect_factor = true;
                at_start = false;
                p += dot ? 2 : 1;
                continue;
            }
        }
        if (*p == '1' && !is_digit(p[1]) && p[1] != '.' && expect_factor) { // the 1 of "1/s"
            p++;
            expect_factor = false;
            divide = false;
            at_start = false;
            continue;
        }
        const char *symbol = p;
        while (*p && !strchr(" \t\r\n/*^0123456789+-", *p) && strncmp(p, "\xc2\xb7", 2) != 0 &&
               strncmp(p, "\xc2\xb2", 2) != 0 && strncmp(p, "\xc2\xb3", 2) != 0)
            p++;
        if (p == symbol) {
            snprintf(reason, size, "\"%.20s\" is not a unit", p);
            return false;
        }
        Scale unit;
        if (!find_unit(symbol, (size_t)(p - symbol), &unit))
            return unit_fail(reason, size, symbol, (size_t)(p - symbol));
        int power = 1;
        if (strncmp(p, "\xc2\xb2", 2) == 0 || strncmp(p, "\xc2\xb3", 2) == 0) {
            power = (unsigned char)p[1] == 0xB2 ? 2 : 3;
            p += 2;
        } else if (*p == '^' || *p == '-' || *p == '+' || is_digit(*p)) {
            if (*p == '^') p++;
            bool negative = *p == '-';
            if (*p == '-' || *p == '+') p++;
            if (!is_digit(*p) || is_digit(p[1])) {
                snprintf(reason, size, "the power of a unit must be a whole number from -9 to 9");
                return false;
            }
            power = *p++ - '0';
            if (negative) power = -power;
        }
        if (divide) power = -power;
        for (int i = 0; i < abs(power); i++) {
            scale->above *= power > 0 ? unit.above : unit.below;
            scale->below *= power > 0 ? unit.below : unit.above;
        }
        const int8_t own[5] = {unit.dimension.length, unit.dimension.mass, unit.dimension.time, unit.dimension.angle,
                               unit.dimension.temperature};
        for (int i = 0; i < 5; i++) {
            powers[i] += power * own[i];
            if (powers[i] > 99 || powers[i] < -99) {
                snprintf(reason, size, "the powers of the unit are too high");
                return false;
            }
        }
        if (scale->above > 1e200 || scale->below > 1e200) {
            snprintf(reason, size, "the unit is too large or too small");
            return false;
        }
        divide = false;
        expect_factor = false;
        at_start = false;
    }
    if (expect_factor && !at_start) {
        snprintf(reason, size, "a unit is missing at the end");
        return false;
    }
    scale->dimension =
        (MrnDimension){(int8_t)powers[0], (int8_t)powers[1], (int8_t)powers[2], (int8_t)powers[3], (int8_t)powers[4]};
    reduce(scale);
    return true;
}

bool mrn_quantities_parse(const char *text, size_t max, double *values, size_t *count, MrnDimension *dimension,
                          char *reason, size_t reason_size) {
    const char *p = skip_blanks(text);
    *count = 0;
    for (;;) {
        double value;
        if (*count && p[0] == '1' && p[1] == '/') break; // "2 1/s": the 1 belongs to the unit
        const char *end = mrn_number_parse(p, &value);
        if (!end) break;
        if (*count == max) {
            if (max == 1)
                snprintf(reason, reason_size, "there is more than one number");
            else
                snprintf(reason, reason_size, "there are more than %zu numbers", max);
            return false;
        }
        values[(*count)++] = value;
        const char *next = skip_blanks(end);
        if (next == end && (*next == '.' || *next == '+' || *next == '-' || is_digit(*next))) {
            snprintf(reason, reason_size, "\"%.20s\" is not a number", text);
            return false;
        }
        p = next;
    }
    if (*count == 0) {
        snprintf(reason, reason_size, "it does not begin with a number");
        return false;
    }
    Scale scale;
    if (!parse_unit(p, &scale, reason, reason_size)) return false;
    for (size_t i = 0; i < *count; i++) values[i] = values[i] * scale.above / scale.below;
    *dimension = scale.dimension;
    return true;
}

bool mrn_quantity_parse(const char *text, MrnQuantity *out, char *reason, size_t reason_size) {
    size_t count;
    return mrn_quantities_parse(text, 1, &out->value, &count, &out->dimension, reason, reason_size);
}

void mrn_units_describe(char *out, size_t size) {
    size_t used = (size_t)snprintf(out, size, "Units: ");
    for (size_t i = 0; i < UNIT_COUNT && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, i ? ", `%s`" : "`%s`", units[i].symbol);
    if (used < size) used += (size_t)snprintf(out + used, size - used, ". Prefixes for ");
    bool first = true;
    for (size_t i = 0; i < UNIT_COUNT && used < size; i++)
        if (units[i].prefixes) {
            used += (size_t)snprintf(out + used, size - used, first ? "`%s`" : ", `%s`", units[i].symbol);
            first = false;
        }
    if (used < size) used += (size_t)snprintf(out + used, size - used, ": ");
    for (size_t i = 0; i < PREFIX_COUNT && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, i ? ", `%s`" : "`%s`", prefixes[i].symbol);
    if (used < size) snprintf(out + used, size - used, ".");
}
