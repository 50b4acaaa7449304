// Reading wind and current from CF netCDF files held in memory.
//
// What always holds afterwards: axes increase, values are unpacked, missing values are NAN, times are seconds from the
// start. A time at which everything is missing, a hole in the times, an axis that is not monotone are refused here; a
// body that meets a missing value is refused when it does.
#include "io/netcdf.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#ifndef MORAINE_HAS_NETCDF

bool mrn_forcing_read_netcdf(const MrnGridRequest *request, const char *data, size_t size, MrnForcing *forcing,
                             MrnError *error) {
    (void)data, (void)size, (void)forcing;
    return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                    "%.200s: this build cannot read netCDF files; it was made without libnetcdf", request->name);
}

#else
#include <netcdf.h>
#include <netcdf_mem.h>

#define PI 3.14159265358979323846

enum { MAX_DIMENSIONS = 8 };

/// A file at work.
typedef struct Reader {
    const MrnGridRequest *request;
    int file;
    MrnError *error;
} Reader;

/// An axis of a variable.
typedef struct Axis {
    enum { AXIS_TIME, AXIS_LEVEL, AXIS_Y, AXIS_X } kind;
    bool angular; ///< longitude or latitude in degrees
    int dimension, variable;
    size_t length;
    double *values; ///< as in the file
} Axis;

typedef struct Field {
    int variable;
    char name[NC_MAX_NAME + 1];
    int axis_count;
    int dimensions[MAX_DIMENSIONS];
} Field;

static bool refuse(const Reader *reader, const char *format, const char *a, const char *b) {
    char message[700];
    snprintf(message, sizeof message, format, a, b);
    return mrn_fail(reader->error, MRN_ERROR_INPUT, "%.200s: %s", reader->request->name, message);
}

/// Text attribute, cut to `size`; false when there is none.
static bool text_attribute(const Reader *reader, int variable, const char *name, char *out, size_t size) {
    nc_type type;
    size_t length;
    out[0] = 0;
    if (nc_inq_att(reader->file, variable, name, &type, &length) != NC_NOERR) return false;
    if (type == NC_STRING && length == 1) {
        char *text = NULL;
        if (nc_get_att_string(reader->file, variable, name, &text) != NC_NOERR || !text) return false;
        snprintf(out, size, "%s", text);
        nc_free_string(1, &text);
        return true;
    }
    if (type != NC_CHAR) return false;
    char *text = mrn_alloc_zero(length + 1, 1);
    bool good = nc_get_att_text(reader->file, variable, name, text) == NC_NOERR;
    if (good) snprintf(out, size, "%s", text);
    free(text);
    return good;
}

/// A single number, or `fallback`.
static double number_attribute(const Reader *reader, int variable, const char *name, double fallback) {
    nc_type type;
    size_t length;
    double value;
    if (nc_inq_att(reader->file, variable, name, &type, &length) != NC_NOERR || length != 1 || type == NC_CHAR ||
        nc_get_att_double(reader->file, variable, name, &value) != NC_NOERR)
        return fallback;
    return value;
}

/// Names of the variables of the file, for messages.
static void list_variables(const Reader *reader, char *out, size_t size) {
    int count = 0;
    size_t used = 0;
    out[0] = 0;
    nc_inq_nvars(reader->file, &count);
    for (int v = 0; v < count && used + 1 < size; v++) {
        char name[NC_MAX_NAME + 1];
        if (nc_inq_varname(reader->file, v, name) != NC_NOERR) continue;
        used += (size_t)snprintf(out + used, size - used, v ? ", %.60s" : "%.60s", name);
    }
}

/// Variable whose standard_name is one of two, or -1.
static int by_standard_name(const Reader *reader, const char *const names[], size_t name_count) {
    int count = 0;
    nc_inq_nvars(reader->file, &count);
    for (int v = 0; v < count; v++) {
        char standard[200];
        if (!text_attribute(reader, v, "standard_name", standard, sizeof standard)) continue;
        for (size_t i = 0; i < name_count; i++)
            if (strcmp(standard, names[i]) == 0) return v;
    }
    return -1;
}

static bool find_fields(const Reader *reader, Field fields[2]) {
    static const char *const usual[][2] = {{"uwnd", "vwnd"},     {"u10", "v10"},
                                           {"U10", "V10"},       {"u10m", "v10m"},
                                           {"10u", "10v"},       {"uas", "vas"},
                                           {"uwind", "vwind"},   {"U10M", "V10M"},
                                           {"uo", "vo"},         {"uos", "vos"},
                                           {"ucur", "vcur"},     {"water_u", "water_v"},
                                           {"uocean", "vocean"}, {"vozocrtx", "vomecrty"},
                                           {"ssu", "ssv"},       {"u", "v"},
                                           {"U", "V"},           {"ua", "va"}};
    static const char *const standard_x[] = {"eastward_wind", "x_wind", "eastward_sea_water_velocity",
                                             "sea_water_x_velocity", "surface_eastward_sea_water_velocity"};
    static const char *const standard_y[] = {"northward_wind", "y_wind", "northward_sea_water_velocity",
                                             "sea_water_y_velocity", "surface_northward_sea_water_velocity"};
    int found[2] = {-1, -1};
    char known[400];
    list_variables(reader, known, sizeof known);
    if (reader->request->variables[0]) {
        for (int k = 0; k < 2; k++)
            if (nc_inq_varid(reader->file, reader->request->variables[k], &found[k]) != NC_NOERR)
                return refuse(reader, "no variable \"%.60s\"; the file has %s", reader->request->variables[k], known);
    } else {
        for (size_t i = 0; i < sizeof usual / sizeof *usual && found[0] < 0; i++) {
            int u, v;
            if (nc_inq_varid(reader->file, usual[i][0], &u) == NC_NOERR &&
                nc_inq_varid(reader->file, usual[i][1], &v) == NC_NOERR)
                found[0] = u, found[1] = v;
        }
        if (found[0] < 0) {
            found[0] = by_standard_name(reader, standard_x, sizeof standard_x / sizeof *standard_x);
            found[1] = by_standard_name(reader, standard_y, sizeof standard_y / sizeof *standard_y);
        }
        if (found[0] < 0 || found[1] < 0)
            return refuse(
                reader,
                "no variables with the usual names of wind or current; the file has %s%s; name two with \"variables\"",
                known, "");
    }
    for (int k = 0; k < 2; k++) {
        fields[k].variable = found[k];
        nc_type type;
        if (nc_inq_var(reader->file, found[k], fields[k].name, &type, &fields[k].axis_count, NULL, NULL) != NC_NOERR ||
            fields[k].axis_count > MAX_DIMENSIONS)
            return refuse(reader, "variable \"%.60s\" cannot be read%s", fields[k].name, "");
        if (type == NC_CHAR || type == NC_STRING || type > NC_STRING)
            return refuse(reader, "variable \"%.60s\" does not hold numbers%s", fields[k].name, "");
        nc_inq_vardimid(reader->file, found[k], fields[k].dimensions);
    }
    bool same = fields[0].axis_count == fields[1].axis_count;
    for (int i = 0; same && i < fields[0].axis_count; i++) same = fields[0].dimensions[i] == fields[1].dimensions[i];
    if (!same)
        return refuse(reader, "variables \"%.60s\" and \"%.60s\" have different axes", fields[0].name, fields[1].name);
    return true;
}

static bool starts_with(const char *text, const char *word) {
    return strncasecmp(text, word, strlen(word)) == 0;
}

/// Metres in the unit of a projection coordinate, 0 when it is not a length. Some products count in "100 km".
static double length_unit(const char *units) {
    char *end;
    double factor = strtod(units, &end);
    if (end == units) factor = 1;
    while (*end == ' ') end++;
    if (strcmp(end, "km") == 0 || starts_with(end, "kilomet")) return 1000 * factor;
    if (strcmp(end, "m") == 0 || starts_with(end, "met")) return factor;
    return 0;
}

static bool classify(const Reader *reader, int dimension, Axis *axis) {
    char name[NC_MAX_NAME + 1], units[200] = "", standard[200] = "", letter[20] = "";
    *axis = (Axis){.dimension = dimension, .variable = -1};
    nc_inq_dim(reader->file, dimension, name, &axis->length);
    if (nc_inq_varid(reader->file, name, &axis->variable) == NC_NOERR) {
        text_attribute(reader, axis->variable, "units", units, sizeof units);
        text_attribute(reader, axis->variable, "standard_name", standard, sizeof standard);
        text_attribute(reader, axis->variable, "axis", letter, sizeof letter);
    } else
        axis->variable = -1;
    static const char *const levels[] = {"depth",  "lev",    "level",  "height",  "z",
                                         "deptht", "expver", "number", "isobaric"};
    if (strstr(units, " since ") || starts_with(name, "time"))
        axis->kind = AXIS_TIME;
    else if (starts_with(units, "degrees_e") || starts_with(units, "degree_e") || strcmp(standard, "longitude") == 0 ||
             starts_with(name, "lon"))
        axis->kind = AXIS_X, axis->angular = true;
    else if (starts_with(units, "degrees_n") || starts_with(units, "degree_n") || strcmp(standard, "latitude") == 0 ||
             starts_with(name, "lat"))
        axis->kind = AXIS_Y, axis->angular = true;
    else if (strcmp(letter, "X") == 0 || strcmp(standard, "projection_x_coordinate") == 0 || strcmp(name, "x") == 0 ||
             strcmp(name, "xc") == 0)
        axis->kind = AXIS_X;
    else if (strcmp(letter, "Y") == 0 || strcmp(standard, "projection_y_coordinate") == 0 || strcmp(name, "y") == 0 ||
             strcmp(name, "yc") == 0)
        axis->kind = AXIS_Y;
    else {
        bool known = strcmp(letter, "Z") == 0 || axis->length == 1;
        for (size_t i = 0; i < sizeof levels / sizeof *levels; i++) known = known || strcasecmp(name, levels[i]) == 0;
        if (!known) return refuse(reader, "axis \"%.60s\" is neither time, depth, x nor y%s", name, "");
        axis->kind = AXIS_LEVEL;
    }
    if (!axis->length) return refuse(reader, "axis \"%.60s\" is empty%s", name, "");
    if (axis->kind == AXIS_LEVEL) return true;
    if (axis->variable < 0) return refuse(reader, "axis \"%.60s\" has no coordinates%s", name, "");
    int rank = 0;
    nc_type type;
    nc_inq_var(reader->file, axis->variable, NULL, &type, &rank, NULL, NULL);
    if (rank != 1 || type == NC_CHAR || type >= NC_STRING)
        return refuse(reader, "coordinates of axis \"%.60s\" are not one number each%s", name, "");
    axis->values = mrn_alloc(axis->length, sizeof(double));
    if (nc_get_var_double(reader->file, axis->variable, axis->values) != NC_NOERR)
        return refuse(reader, "coordinates of axis \"%.60s\" cannot be read%s", name, "");
    double scale = number_attribute(reader, axis->variable, "scale_factor", 1),
           offset = number_attribute(reader, axis->variable, "add_offset", 0);
    if (axis->kind != AXIS_TIME && !axis->angular) {
        double unit = length_unit(units);
        if (unit == 0)
            return refuse(reader, "axis \"%.60s\" has the units \"%.60s\", wanted m, km or degrees", name, units);
        scale *= unit, offset *= unit;
    }
    for (size_t i = 0; i < axis->length; i++) {
        axis->values[i] = scale * axis->values[i] + offset;
        if (!isfinite(axis->values[i]))
            return refuse(reader, "axis \"%.60s\" has a coordinate that is not finite%s", name, "");
    }
    return true;
}

/// Seconds of the unit "hours" in "hours since ..."; 0: unknown.
static double time_unit(const char *word, size_t length) {
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1},       {"sec", 1},      {"secs", 1},     {"second", 1},  {"seconds", 1}, {"min", 60},
                 {"mins", 60},   {"minute", 60},  {"minutes", 60}, {"h", 3600},    {"hr", 3600},   {"hrs", 3600},
                 {"hour", 3600}, {"hours", 3600}, {"d", 86400},    {"day", 86400}, {"days", 86400}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == length && strncasecmp(word, units[i].name, length) == 0) return units[i].seconds;
    return 0;
}

/// Times of the axis in seconds; `origin` becomes that of time 0 of the scene.
static bool read_times(const Reader *reader, Axis *axis, double *origin) {
    char units[200] = "", calendar[60] = "";
    text_attribute(reader, axis->variable, "units", units, sizeof units);
    text_attribute(reader, axis->variable, "calendar", calendar, sizeof calendar);
    const char *since = strstr(units, " since ");
    double unit = since ? time_unit(units, (size_t)(since - units)) : 0;
    if (unit == 0)
        return refuse(reader,
                      "times have the units \"%.80s\", wanted for example \"hours since 2008-02-01 00:00:00\"%s", units,
                      "");
    const char *reference = since + strlen(" since ");
    if (isnan(mrn_calendar_seconds(calendar, reference, reference)))
        return refuse(reader, "times are counted from \"%.80s\" in the calendar \"%.40s\", which cannot be understood",
                      reference, calendar[0] ? calendar : "standard");
    for (size_t i = 0; i < axis->length; i++) axis->values[i] *= unit;
    *origin = axis->values[0];
    if (reader->request->start) {
        *origin = mrn_calendar_seconds(calendar, reader->request->start, reference);
        if (isnan(*origin))
            return refuse(reader,
                          "start \"%.60s\" is not a date of the calendar \"%.40s\", such as 2008-02-10 06:00:00",
                          reader->request->start, calendar[0] ? calendar : "standard");
    }
    for (size_t i = 1; i < axis->length; i++)
        if (!(axis->values[i] > axis->values[i - 1])) return refuse(reader, "times do not increase%s%s", "", "");
    return true;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

/// A hole in the times: an interval of more than 2.5 times the usual one. Months differ in length by less.
static bool check_holes(const Reader *reader, const Axis *axis) {
    if (axis->length < 4) return true;
    size_t count = axis->length - 1;
    double *intervals = mrn_alloc(count, sizeof *intervals);
    for (size_t i = 0; i < count; i++) intervals[i] = axis->values[i + 1] - axis->values[i];
    qsort(intervals, count, sizeof *intervals, by_value);
    double usual = intervals[count / 2];
    free(intervals);
    for (size_t i = 0; i < count; i++)
        if (axis->values[i + 1] - axis->values[i] > 2.5 * usual) {
            char where[100], length[100];
            snprintf(where, sizeof where, "%.6g h after the first time", (axis->values[i] - axis->values[0]) / 3600);
            snprintf(length, sizeof length, "%.6g h, where the usual interval is %.6g h",
                     (axis->values[i + 1] - axis->values[i]) / 3600, usual / 3600);
            return refuse(reader, "times have a gap: %s nothing comes for %s", where, length);
        }
    return true;
}

/// A coordinate with its place in the file.
typedef struct Place {
    double value;
    size_t index;
} Place;

static int compare_places(const void *a, const void *b) {
    const Place *x = a, *y = b;
    if (x->value != y->value) return x->value < y->value ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/// Coordinates in the plane, increasing, with their places in the file.
static Place *plane_axis(const Reader *reader, const Axis *axis) {
    const MrnGridRequest *request = reader->request;
    Place *places = mrn_alloc(axis->length, sizeof *places);
    bool east = axis->kind == AXIS_X, rising = true, falling = true;
    double origin = east ? request->longitude : request->latitude, degree = PI / 180;
    double factor = request->earth_radius * (east ? cos(request->latitude) : 1);
    if (axis->angular && (isnan(request->longitude) || isnan(request->latitude))) {
        refuse(reader,
               "the file has longitudes and latitudes: give the \"longitude\" and \"latitude\" of the origin of the "
               "scene%s%s",
               "", "");
        goto failed;
    }
    for (size_t i = 0; i < axis->length; i++) {
        places[i] = (Place){axis->values[i], i};
        if (i)
            rising = rising && places[i].value > places[i - 1].value,
            falling = falling && places[i].value < places[i - 1].value;
    }
    if (!rising && !falling && !(axis->angular && east)) {
        refuse(reader, "coordinates along %s neither increase nor decrease%s", east ? "x" : "y", "");
        goto failed;
    }
    if (axis->angular)
        for (size_t i = 0; i < axis->length; i++) {
            double turn = axis->values[i] * degree - origin;
            if (east) turn = remainder(turn, 2 * PI);
            places[i].value = factor * turn;
        }
    qsort(places, axis->length, sizeof *places, compare_places);
    for (size_t i = 1; i < axis->length; i++)
        if (!(places[i].value > places[i - 1].value)) {
            refuse(reader, "two coordinates along %s are the same%s", east ? "x" : "y", "");
            goto failed;
        }
    return places;
failed:
    free(places);
    return NULL;
}

/// Raw values of one component, as one block in the order of the file, with missing values as NAN.
static double *read_values(const Reader *reader, const Field *field, const size_t *start, const size_t *count,
                           size_t total) {
    double *values = mrn_alloc(total, sizeof *values);
    if (nc_get_vara_double(reader->file, field->variable, start, count, values) != NC_NOERR) {
        refuse(reader, "variable \"%.60s\" cannot be read: the file is damaged%s", field->name, "");
        free(values);
        return NULL;
    }
    nc_type type;
    nc_inq_vartype(reader->file, field->variable, &type);
    double scale = number_attribute(reader, field->variable, "scale_factor", 1),
           offset = number_attribute(reader, field->variable, "add_offset", 0),
           fill = number_attribute(reader, field->variable, "_FillValue", NAN),
           missing = number_attribute(reader, field->variable, "missing_value", NAN),
           low = number_attribute(reader, field->variable, "valid_min", -INFINITY),
           high = number_attribute(reader, field->variable, "valid_max", INFINITY), range[2];
    size_t length;
    nc_type range_type;
    if (nc_inq_att(reader->file, field->variable, "valid_range", &range_type, &length) == NC_NOERR && length == 2 &&
        range_type != NC_CHAR && nc_get_att_double(reader->file, field->variable, "valid_range", range) == NC_NOERR)
        low = range[0], high = range[1];
    if (isnan(fill)) // values never written
        fill = type == NC_SHORT    ? NC_FILL_SHORT
               : type == NC_INT    ? NC_FILL_INT
               : type == NC_FLOAT  ? (double)NC_FILL_FLOAT
               : type == NC_DOUBLE ? NC_FILL_DOUBLE
                                   : NAN;
    for (size_t i = 0; i < total; i++) {
        double v = values[i];
        values[i] = v == fill || v == missing || v < low || v > high || !isfinite(v) ? NAN : scale * v + offset;
    }
    return values;
}

static double speed_unit(const Reader *reader, const Field *field) {
    char units[100];
    if (!text_attribute(reader, field->variable, "units", units, sizeof units)) return 1;
    static const char *const metres[] = {
        "m/s",           "m s-1",   "m s**-1", "m s^-1", "m.s-1", "meter second-1", "metre second-1",
        "meters/second", "m sec-1", "ms-1"};
    for (size_t i = 0; i < sizeof metres / sizeof *metres; i++)
        if (strcasecmp(units, metres[i]) == 0) return 1;
    if (strcasecmp(units, "cm/s") == 0 || strcasecmp(units, "cm s-1") == 0) return 0.01;
    if (strcasecmp(units, "km/h") == 0 || strcasecmp(units, "km h-1") == 0) return 1 / 3.6;
    if (strcasecmp(units, "knots") == 0 || strcasecmp(units, "knot") == 0 || strcasecmp(units, "kt") == 0)
        return 1852.0 / 3600;
    return 0;
}

/// The axes of the fields, by kind; a kind that is not there has length 1.
typedef struct Axes {
    Axis axis[MAX_DIMENSIONS];
    int of[4]; ///< number of the axis of each kind, or -1
} Axes;

static bool read_axes(const Reader *reader, const Field *field, Axes *axes) {
    for (int k = 0; k < 4; k++) axes->of[k] = -1;
    for (int i = 0; i < field->axis_count; i++) {
        Axis *axis = &axes->axis[i];
        if (!classify(reader, field->dimensions[i], axis)) return false;
        if (axis->kind == AXIS_LEVEL && axis->length == 1 && axes->of[AXIS_LEVEL] >= 0)
            continue; // ensemble members and the like
        if (axes->of[axis->kind] >= 0)
            return refuse(reader, "variable \"%.60s\" has two axes of the same kind%s", field->name, "");
        axes->of[axis->kind] = i;
    }
    if (axes->of[AXIS_X] < 0 || axes->of[AXIS_Y] < 0)
        return refuse(
            reader,
            "variable \"%.60s\" has no axes x and y (longitudes and latitudes of a curved grid are not understood)%s",
            field->name, "");
    return true;
}

static bool fill_forcing(const Reader *reader, const Field fields[2], Axes *axes, MrnForcing *forcing) {
    const Axis *x = &axes->axis[axes->of[AXIS_X]], *y = &axes->axis[axes->of[AXIS_Y]],
               *times = axes->of[AXIS_TIME] >= 0 ? &axes->axis[axes->of[AXIS_TIME]] : NULL;
    size_t start[MAX_DIMENSIONS] = {0}, count[MAX_DIMENSIONS], stride[MAX_DIMENSIONS], total = 1;
    for (int i = fields[0].axis_count - 1; i >= 0; i--) {
        const Axis *axis = &axes->axis[i];
        count[i] = axis->length;
        if (axis->kind == AXIS_LEVEL) {
            if (axis->length > 1 && reader->request->level > axis->length) {
                char levels[60];
                snprintf(levels, sizeof levels, "%zu", axis->length);
                return refuse(reader, "the file has %s levels, fewer than wanted%s", levels, "");
            }
            start[i] = axis->length > 1 ? reader->request->level - 1 : 0;
            count[i] = 1;
        }
        stride[i] = total;
        if (count[i] > (size_t)500000000 / total)
            return refuse(reader, "variable \"%.60s\" has more than 5e8 values; cut out the region and time you need%s",
                          fields[0].name, "");
        total *= count[i];
    }
    double origin = 0;
    if (times && (!read_times(reader, &axes->axis[axes->of[AXIS_TIME]], &origin) || !check_holes(reader, times)))
        return false;
    Place *places[2] = {plane_axis(reader, x), NULL};
    if (places[0]) places[1] = plane_axis(reader, y);
    double *values[2] = {NULL, NULL}, unit[2] = {0, 0};
    bool good = places[1] != NULL;
    for (int k = 0; good && k < 2; k++) {
        unit[k] = speed_unit(reader, &fields[k]);
        if (unit[k] == 0) {
            char units[100];
            text_attribute(reader, fields[k].variable, "units", units, sizeof units);
            good = refuse(reader, "variable \"%.60s\" has the units \"%.60s\", wanted m s-1", fields[k].name, units);
        } else
            good = (values[k] = read_values(reader, &fields[k], start, count, total)) != NULL;
    }
    if (good) {
        size_t nt = times ? times->length : 1, nx = x->length, ny = y->length;
        *forcing = (MrnForcing){
            .kind = MRN_FORCING_GRID, .time_count = nt, .x_count = nx, .y_count = ny, .start = times ? origin : 0};
        forcing->times = mrn_alloc_zero(nt, sizeof(double));
        if (times) memcpy(forcing->times, times->values, nt * sizeof(double));
        forcing->x = mrn_alloc(nx, sizeof(double));
        forcing->y = mrn_alloc(ny, sizeof(double));
        forcing->magnitude = mrn_alloc(nt * nx * ny, sizeof(double));
        forcing->angle = mrn_alloc(nt * nx * ny, sizeof(double));
        for (size_t i = 0; i < nx; i++) forcing->x[i] = places[0][i].value;
        for (size_t j = 0; j < ny; j++) forcing->y[j] = places[1][j].value;
        size_t step_t = times ? stride[axes->of[AXIS_TIME]] : 0, step_y = stride[axes->of[AXIS_Y]],
               step_x = stride[axes->of[AXIS_X]];
        for (size_t t = 0, n = 0; good && t < nt; t++) {
            size_t known = 0;
            for (size_t j = 0; j < ny; j++)
                for (size_t i = 0; i < nx; i++, n++) {
                    size_t from = t * step_t + places[1][j].index * step_y + places[0][i].index * step_x;
                    double u = unit[0] * values[0][from], v = unit[1] * values[1][from];
                    known += isfinite(u) && isfinite(v);
                    forcing->magnitude[n] = isfinite(u) && isfinite(v) ? hypot(u, v) : NAN;
                    forcing->angle[n] = isfinite(u) && isfinite(v) ? atan2(v, u) : NAN;
                }
            if (!known) {
                char which[60];
                snprintf(which, sizeof which, "%zu", t + 1);
                good = refuse(reader, "all values of \"%.60s\" are missing at time number %s", fields[0].name, which);
            }
        }
        // Times count from the start of the scene, so that messages about them can be understood.
        for (size_t t = 0; t < nt; t++) forcing->times[t] -= forcing->start;
        forcing->start = 0;
        if (!good) mrn_forcing_free(forcing);
    }
    free(places[0]);
    free(places[1]);
    free(values[0]);
    free(values[1]);
    return good;
}

bool mrn_forcing_read_netcdf(const MrnGridRequest *request, const char *data, size_t size, MrnForcing *forcing,
                             MrnError *error) {
    Reader reader = {.request = request, .error = error};
    int status = nc_open_mem(request->name, NC_NOWRITE, size, (void *)data, &reader.file);
    if (status != NC_NOERR)
        return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: not a netCDF file that can be read: %.200s", request->name,
                        nc_strerror(status));
    Field fields[2];
    Axes axes = {0};
    bool good = find_fields(&reader, fields) && read_axes(&reader, &fields[0], &axes) &&
                fill_forcing(&reader, fields, &axes, forcing);
    for (int i = 0; i < MAX_DIMENSIONS; i++) free(axes.axis[i].values);
    nc_close(reader.file);
    return good;
}
#endif
