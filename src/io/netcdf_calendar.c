// Dates of the calendars of the CF conventions (section 4.4.1), as seconds from a reference date.
#include "io/netcdf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum Calendar { STANDARD, PROLEPTIC, JULIAN, NOLEAP, ALL_LEAP, DAYS_360, UNKNOWN } Calendar;

static Calendar calendar_of(const char *name) {
    static const struct {
        const char *name;
        Calendar calendar;
    } names[] = {{"standard", STANDARD},   {"gregorian", STANDARD}, {"proleptic_gregorian", PROLEPTIC},
                 {"julian", JULIAN},       {"noleap", NOLEAP},      {"365_day", NOLEAP},
                 {"all_leap", ALL_LEAP},   {"366_day", ALL_LEAP},   {"360_day", DAYS_360},
                 {"proleptic", PROLEPTIC}, {"no_leap", NOLEAP}};
    if (!name || !name[0]) return STANDARD;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcasecmp(name, names[i].name) == 0) return names[i].calendar;
    return UNKNOWN;
}

typedef struct Date {
    long year;
    int month, day;
    double seconds; ///< since midnight, less the time zone
} Date;

static bool is_gregorian(Calendar calendar, const Date *date) {
    if (calendar != STANDARD) return calendar == PROLEPTIC;
    if (date->year != 1582) return date->year > 1582;
    return date->month > 10 || (date->month == 10 && date->day >= 15);
}

static bool is_leap(Calendar calendar, const Date *date) {
    if (calendar == ALL_LEAP) return true;
    if (calendar == NOLEAP) return false;
    long y = date->year;
    return is_gregorian(calendar, date) ? (y % 4 == 0 && y % 100 != 0) || y % 400 == 0 : y % 4 == 0;
}

static bool exists(Calendar calendar, const Date *date) {
    static const int lengths[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    if (date->month < 1 || date->month > 12 || date->day < 1) return false;
    if (calendar == DAYS_360) return date->day <= 30;
    if (calendar == STANDARD && date->year == 1582 && date->month == 10 && date->day > 4 && date->day < 15)
        return false;
    return date->day <= lengths[date->month - 1] + (date->month == 2 && is_leap(calendar, date));
}

/// Days from some day of the calendar, the same for all dates.
static double day_number(Calendar calendar, const Date *date) {
    static const int before[12] = {0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334};
    long y = date->year;
    if (calendar == DAYS_360) return 360.0 * (double)y + 30 * (date->month - 1) + date->day - 1;
    double within = before[date->month - 1] + date->day - 1;
    if (calendar == NOLEAP) return 365.0 * (double)y + within;
    if (calendar == ALL_LEAP) return 366.0 * (double)y + within + (date->month > 2);
    // Julian day number (Fliegel and Van Flandern 1968); both branches count the same days.
    long a = (14 - date->month) / 12, year = y + 4800 - a, month = date->month + 12 * a - 3;
    long floor4 = year >= 0 ? year / 4 : -((-year + 3) / 4), floor100 = year >= 0 ? year / 100 : -((-year + 99) / 100),
         floor400 = year >= 0 ? year / 400 : -((-year + 399) / 400);
    long days = date->day + (153 * month + 2) / 5 + 365 * year + floor4;
    return (double)(is_gregorian(calendar, date) ? days - floor100 + floor400 - 32045 : days - 32083);
}

static bool read_date(const char *text, Date *date) {
    *date = (Date){.month = 1, .day = 1};
    while (*text == ' ') text++;
    char *end;
    date->year = strtol(text, &end, 10);
    if (end == text || *end != '-' || labs(date->year) > 1000000) return false;
    text = end + 1;
    date->month = (int)strtol(text, &end, 10);
    if (end == text || *end != '-') return false;
    text = end + 1;
    date->day = (int)strtol(text, &end, 10);
    if (end == text) return false;
    text = end;
    if (*text == 'T' || *text == 't' || *text == ' ') text++;
    while (*text == ' ') text++;
    double scale = 3600;
    while (*text >= '0' && *text <= '9' && scale >= 1) {
        double value = strtod(text, &end);
        if (!(value >= 0) || value >= (scale == 3600 ? 24.0000001 : 60.0000001)) return false;
        date->seconds += scale * value;
        scale /= 60;
        text = *end == ':' ? end + 1 : end;
        if (*end != ':') break;
    }
    while (*text == ' ') text++;
    if (strncasecmp(text, "UTC", 3) == 0 || strncasecmp(text, "GMT", 3) == 0) text += 3;
    if (*text == 'Z' || *text == 'z') text++;
    if (*text == '+' || *text == '-') { // time zone: +hh:mm or +hh
        double sign = *text == '-' ? -1 : 1, hours = strtod(text + 1, &end), minutes = 0;
        if (end == text + 1) return false;
        if (*end == ':') minutes = strtod(end + 1, &end);
        date->seconds -= sign * (3600 * hours + 60 * minutes);
        text = end;
    }
    while (*text == ' ') text++;
    return *text == 0;
}

double mrn_calendar_seconds(const char *name, const char *date_text, const char *reference_text) {
    Calendar calendar = calendar_of(name);
    Date date, reference;
    if (calendar == UNKNOWN || !read_date(date_text, &date) || !read_date(reference_text, &reference) ||
        !exists(calendar, &date) || !exists(calendar, &reference))
        return NAN;
    return 86400 * (day_number(calendar, &date) - day_number(calendar, &reference)) +
           (date.seconds - reference.seconds);
}
