// Wind and current from CF netCDF files: small files are written with libnetcdf and read back, good ones and bad ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "force/forcing.h"
#include "io/netcdf.h"
#include "io/scene_files.h"
#include "model/model.h"
#include <math.h>
#include <moraine/scene.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PI 3.14159265358979323846

static void calendars_count_days_as_they_should(void **unused) {
    (void)unused;
    const struct {
        const char *calendar, *date, *reference;
        double days;
    } rows[] = {{"standard", "2000-03-01", "2000-02-28", 2},
                {"standard", "1582-10-15", "1582-10-04", 1},
                {"gregorian", "1970-01-01", "1900-01-01", 25567},
                {"standard", "2008-02-10 06:00:00", "2008-02-10", 0.25},
                {"standard", "2008-02-10T06:00:00Z", "2008-2-10 0:0:0.0", 0.25},
                {"standard", "2008-02-10 06:00:00 +06:00", "2008-02-10", 0},
                {"proleptic_gregorian", "1582-10-15", "1582-10-04", 11},
                {"proleptic_gregorian", "0001-01-01", "2000-01-01", -730119},
                {"julian", "1900-03-01", "1900-02-28", 2},
                {"noleap", "2000-03-01", "2000-02-28", 1},
                {"365_day", "2001-01-01", "1900-01-01", 365 * 101},
                {"all_leap", "2001-03-01", "2001-02-28", 2},
                {"360_day", "2000-03-01", "2000-02-30", 1},
                {"360_day", "2001-01-01", "1999-01-01", 720},
                {"", "2000-01-01", "1999-12-31", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_float_equal(mrn_calendar_seconds(rows[i].calendar, rows[i].date, rows[i].reference) / 86400,
                           rows[i].days, 1e-9);
    static const char *const wrong[][2] = {
        {"standard", "2001-02-29"},          {"standard", "1582-10-10"}, {"noleap", "2000-02-29"},
        {"360_day", "2000-01-31"},           {"standard", "2000-13-01"}, {"standard", "yesterday"},
        {"standard", "2000-01-01 25:00:00"}, {"martian", "2000-01-01"},  {"standard", "2000-01-01 00:00:00 or so"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_true(isnan(mrn_calendar_seconds(wrong[i][0], wrong[i][1], "2000-01-01")));
}

#ifdef MORAINE_HAS_NETCDF
#include <netcdf.h>

enum { NT = 5, NY = 4, NX = 3 };

/// What a file is like; zero: a plain wind file in doubles, hourly, on longitudes and latitudes.
typedef struct Kind {
    const char *u, *v; ///< names of the variables
    const char *units, *time_units, *calendar;
    bool falling;           ///< latitudes from north to south
    bool east_of_greenwich; ///< longitudes 0..360 across the origin
    bool plane;             ///< x and y in km instead
    bool packed;            ///< shorts with scale and offset
    bool transposed;        ///< order x, y, time
    bool level;             ///< an axis depth of length 2; the second level holds twice the values
    bool classic;           ///< not netCDF-4
    bool no_time;
    int missing;  ///< 1: one point at all times, 2: one whole time, 3: everything
    int hole;     ///< times jump
    bool stalled; ///< a time twice
    bool zigzag;  ///< latitudes go up and down
    bool unequal; ///< v has no time axis
    bool text;    ///< u holds characters
    bool curved;  ///< axes without coordinates
} Kind;

static char path[200];

/// u = 3 + 0.5 x + t, v = 2 - 0.25 y, with x, y numbers of the column and row counted from the south west, t in hours.
static double value_of(int component, int t, int y, int x) {
    return component == 0 ? 3 + 0.5 * x + t : 2 - 0.25 * y;
}

#define CHECK(call) assert_int_equal(call, NC_NOERR)

static void write_file(const Kind *kind) {
    int file, dims[4], time_dim = -1, level_dim = -1, y_dim, x_dim, vars[2], time_var = -1, y_var = -1, x_var = -1;
    CHECK(nc_create(path, NC_CLOBBER | (kind->classic ? 0 : NC_NETCDF4), &file));
    if (!kind->no_time) CHECK(nc_def_dim(file, "time", NT, &time_dim));
    if (kind->level) CHECK(nc_def_dim(file, "depth", 2, &level_dim));
    CHECK(nc_def_dim(file, kind->plane ? "y" : "latitude", NY, &y_dim));
    CHECK(nc_def_dim(file, kind->plane ? "x" : "longitude", NX, &x_dim));
    int rank = 0;
    if (kind->transposed) {
        dims[rank++] = x_dim, dims[rank++] = y_dim;
        if (kind->level) dims[rank++] = level_dim;
        if (!kind->no_time) dims[rank++] = time_dim;
    } else {
        if (!kind->no_time) dims[rank++] = time_dim;
        if (kind->level) dims[rank++] = level_dim;
        dims[rank++] = y_dim, dims[rank++] = x_dim;
    }
    if (!kind->no_time) {
        CHECK(nc_def_var(file, "time", NC_DOUBLE, 1, &time_dim, &time_var));
        const char *units = kind->time_units ? kind->time_units : "hours since 2008-02-10 00:00:00";
        CHECK(nc_put_att_text(file, time_var, "units", strlen(units), units));
        if (kind->calendar) CHECK(nc_put_att_text(file, time_var, "calendar", strlen(kind->calendar), kind->calendar));
    }
    if (!kind->curved) {
        CHECK(nc_def_var(file, kind->plane ? "y" : "latitude", NC_FLOAT, 1, &y_dim, &y_var));
        CHECK(nc_def_var(file, kind->plane ? "x" : "longitude", NC_FLOAT, 1, &x_dim, &x_var));
        const char *north = kind->plane ? "km" : "degrees_north", *east = kind->plane ? "km" : "degrees_east";
        CHECK(nc_put_att_text(file, y_var, "units", strlen(north), north));
        CHECK(nc_put_att_text(file, x_var, "units", strlen(east), east));
    }
    for (int k = 0; k < 2; k++) {
        const char *name = k ? (kind->v ? kind->v : "v10") : kind->u ? kind->u : "u10";
        bool shorter = kind->unequal && k == 1;
        CHECK(nc_def_var(file, name,
                         kind->text && k == 0 ? NC_CHAR
                         : kind->packed       ? NC_SHORT
                                              : NC_DOUBLE,
                         shorter ? rank - 1 : rank, shorter ? dims + 1 : dims, &vars[k]));
        const char *units = kind->units ? kind->units : "m s-1";
        CHECK(nc_put_att_text(file, vars[k], "units", strlen(units), units));
        if (kind->packed) {
            const double scale = 0.01, offset = 1.5;
            const short fill = -9999;
            CHECK(nc_put_att_double(file, vars[k], "scale_factor", NC_DOUBLE, 1, &scale));
            CHECK(nc_put_att_double(file, vars[k], "add_offset", NC_DOUBLE, 1, &offset));
            CHECK(nc_put_att_short(file, vars[k], "_FillValue", NC_SHORT, 1, &fill));
        } else {
            const double missing = 1e20;
            CHECK(nc_put_att_double(file, vars[k], "missing_value", NC_DOUBLE, 1, &missing));
        }
    }
    CHECK(nc_enddef(file));
    double times[NT];
    float ys[NY], xs[NX];
    for (int t = 0; t < NT; t++) times[t] = t + (t > kind->hole && kind->hole ? 10 : 0) - (kind->stalled && t == 3);
    for (int y = 0; y < NY; y++) {
        int row = kind->falling ? NY - 1 - y : y;
        ys[y] = kind->plane ? (float)(20 * row - 30) : (float)(79 + row * 0.5);
        if (kind->zigzag && y == 2) ys[y] = 78;
    }
    for (int x = 0; x < NX; x++)
        xs[x] = kind->plane ? (float)(10 * x - 10) : (float)(kind->east_of_greenwich ? fmod(359 + x, 360) : 36 + x);
    if (!kind->no_time) CHECK(nc_put_var_double(file, time_var, times));
    if (!kind->curved) CHECK(nc_put_var_float(file, y_var, ys));
    if (!kind->curved) CHECK(nc_put_var_float(file, x_var, xs));
    for (int k = 0; k < 2 && !kind->unequal && !kind->text; k++)
        for (int t = 0; t < (kind->no_time ? 1 : NT); t++)
            for (int l = 0; l < (kind->level ? 2 : 1); l++)
                for (int y = 0; y < NY; y++)
                    for (int x = 0; x < NX; x++) {
                        int row = kind->falling ? NY - 1 - y : y;
                        size_t at[4];
                        int i = 0;
                        if (kind->transposed) {
                            at[i++] = (size_t)x, at[i++] = (size_t)y;
                            if (kind->level) at[i++] = (size_t)l;
                            if (!kind->no_time) at[i++] = (size_t)t;
                        } else {
                            if (!kind->no_time) at[i++] = (size_t)t;
                            if (kind->level) at[i++] = (size_t)l;
                            at[i++] = (size_t)y, at[i++] = (size_t)x;
                        }
                        double value = (1 + l) * value_of(k, t, row, x);
                        bool missing = (kind->missing == 1 && row == 0 && x == 0) || (kind->missing == 2 && t == 2) ||
                                       kind->missing == 3;
                        if (missing) value = 1e20;
                        if (kind->packed) {
                            short raw = missing ? -9999 : (short)lround((value - 1.5) / 0.01);
                            CHECK(nc_put_var1_short(file, vars[k], at, &raw));
                        } else
                            CHECK(nc_put_var1_double(file, vars[k], at, &value));
                    }
    CHECK(nc_close(file));
}

static bool read_file(const MrnGridRequest *wanted, MrnForcing *forcing, MrnError *error) {
    size_t size;
    char *data = mrn_file_contents(path, &size, error);
    assert_non_null(data);
    MrnGridRequest request = *wanted;
    request.name = "wind.nc";
    bool good = mrn_forcing_read_netcdf(&request, data, size, forcing, error);
    free(data);
    return good;
}

static MrnGridRequest request_at(double longitude, double latitude) {
    return (MrnGridRequest){
        .longitude = longitude * PI / 180, .latitude = latitude * PI / 180, .earth_radius = 6.371e6, .level = 1};
}

/// The file gives the values that were written, at grid points and times.
static void expect_values(const Kind *kind, MrnGridRequest request, double factor) {
    write_file(kind);
    MrnForcing forcing = {0};
    MrnError error = {0};
    if (!read_file(&request, &forcing, &error)) fail_msg("%s", error.message);
    assert_int_equal(forcing.x_count, NX);
    assert_int_equal(forcing.y_count, NY);
    for (size_t i = 1; i < NX; i++) assert_true(forcing.x[i] > forcing.x[i - 1]);
    for (size_t j = 1; j < NY; j++) assert_true(forcing.y[j] > forcing.y[j - 1]);
    for (int t = 0; t < (kind->no_time ? 1 : NT); t++)
        for (size_t j = 0; j < NY; j++)
            for (size_t i = 0; i < NX; i++) {
                const double place[2] = {forcing.x[i], forcing.y[j]};
                double value[2];
                mrn_forcing_at(&forcing, 3600.0 * t, place, value);
                assert_float_equal(value[0], factor * value_of(0, t, (int)j, (int)i), 1e-9);
                assert_float_equal(value[1], factor * value_of(1, t, (int)j, (int)i), 1e-9);
            }
    mrn_forcing_free(&forcing);
}

static void values_come_back_whatever_the_layout(void **unused) {
    (void)unused;
    MrnGridRequest here = request_at(37, 79.6);
    expect_values(&(Kind){0}, here, 1);
    expect_values(&(Kind){.classic = true}, here, 1);
    expect_values(&(Kind){.falling = true}, here, 1);
    expect_values(&(Kind){.packed = true}, here, 1);
    expect_values(&(Kind){.transposed = true, .falling = true}, here, 1);
    expect_values(&(Kind){.u = "uo", .v = "vo"}, here, 1);
    expect_values(&(Kind){.u = "uwnd", .v = "vwnd", .units = "m/s"}, here, 1);
    expect_values(&(Kind){.units = "cm/s"}, here, 0.01);
    expect_values(&(Kind){.no_time = true}, here, 1);
    expect_values(&(Kind){.plane = true}, here, 1);
    expect_values(&(Kind){.east_of_greenwich = true}, request_at(0.3, 79.6), 1);
    expect_values(&(Kind){.calendar = "360_day"}, here, 1);
    expect_values(&(Kind){.calendar = "noleap"}, here, 1);
    expect_values(&(Kind){.calendar = "proleptic_gregorian", .packed = true}, here, 1);
    MrnGridRequest deep = here;
    deep.level = 2;
    expect_values(&(Kind){.level = true}, deep, 2);
    expect_values(&(Kind){.level = true, .transposed = true}, here, 1);
    MrnGridRequest named = here;
    named.variables[0] = "east", named.variables[1] = "north";
    expect_values(&(Kind){.u = "east", .v = "north"}, named, 1);
}

static void places_are_metres_from_the_origin(void **unused) {
    (void)unused;
    write_file(&(Kind){0});
    MrnForcing forcing = {0};
    MrnError error = {0};
    MrnGridRequest request = request_at(37, 80);
    assert_true(read_file(&request, &forcing, &error));
    double degree = 6.371e6 * PI / 180;
    assert_float_equal(forcing.x[0], -degree * cos(80 * PI / 180), 1e-6 * degree);
    assert_float_equal(forcing.y[NY - 1], 0.5 * degree, 1e-6 * degree);
    mrn_forcing_free(&forcing);
    write_file(&(Kind){.plane = true, .falling = true});
    assert_true(read_file(&request, &forcing, &error));
    assert_float_equal(forcing.x[0], -10e3, 1e-9);
    assert_float_equal(forcing.y[0], -30e3, 1e-9);
    mrn_forcing_free(&forcing);
}

static void interpolation_is_polar_in_time_and_then_in_space(void **unused) {
    (void)unused;
    write_file(&(Kind){.plane = true});
    MrnForcing forcing = {0};
    MrnError error = {0};
    MrnGridRequest request = request_at(0, 0);
    assert_true(read_file(&request, &forcing, &error));
    // Quarter of an hour after time 1, a third of the way between columns 0 and 1, half way between rows 1 and 2.
    MrnPolar rows[2];
    for (int j = 0; j < 2; j++) {
        MrnPolar columns[2];
        for (int i = 0; i < 2; i++) {
            MrnPolar ends[2];
            for (int t = 0; t < 2; t++) {
                double u = value_of(0, 1 + t, 1 + j, i), v = value_of(1, 1 + t, 1 + j, i);
                ends[t] = (MrnPolar){hypot(u, v), atan2(v, u)};
            }
            columns[i] = mrn_polar_between(ends[0], ends[1], 0.25);
        }
        rows[j] = mrn_polar_between(columns[0], columns[1], 1.0 / 3);
    }
    MrnPolar expected = mrn_polar_between(rows[0], rows[1], 0.5);
    double value[2];
    mrn_forcing_at(&forcing, 3600 * 1.25, (double[2]){-10e3 + 10e3 / 3, 0}, value);
    assert_float_equal(value[0], expected.magnitude * cos(expected.angle), 1e-12);
    assert_float_equal(value[1], expected.magnitude * sin(expected.angle), 1e-12);
    mrn_forcing_free(&forcing);
}

static void a_start_date_chooses_time_zero(void **unused) {
    (void)unused;
    write_file(&(Kind){.plane = true, .time_units = "hours since 2008-02-10 00:00:00"});
    MrnForcing forcing = {0};
    MrnError error = {0};
    MrnGridRequest request = request_at(0, 0);
    request.start = "2008-02-10 03:00:00";
    assert_true(read_file(&request, &forcing, &error));
    double value[2];
    mrn_forcing_at(&forcing, 0, (double[2]){-10e3, -30e3}, value);
    assert_float_equal(value[0], value_of(0, 3, 0, 0), 1e-12);
    assert_true(mrn_forcing_covers(&forcing, 3600, "wind", &error));
    assert_false(mrn_forcing_covers(&forcing, 3601, "wind", &error));
    assert_string_equal(error.message,
                        "wind: the scene needs times 0 s to 3601 s of the data, which hold -10800 s to 3600 s");
    mrn_forcing_free(&forcing);
}

static void files_that_cannot_serve_are_refused_with_the_reason(void **unused) {
    (void)unused;
    const struct {
        Kind kind;
        const char *message;
    } bad[] = {
        {{.u = "a", .v = "b"},
         "wind.nc: no variables with the usual names of wind or current; the file has time, latitude, "
         "longitude, a, b; name two with \"variables\""},
        {{.units = "furlongs"}, "wind.nc: variable \"u10\" has the units \"furlongs\", wanted m s-1"},
        {{.time_units = "hours after lunch"},
         "wind.nc: times have the units \"hours after lunch\", wanted for example \"hours since 2008-02-01 00:00:00\""},
        {{.time_units = "hours since 2008-02-30"},
         "wind.nc: times are counted from \"2008-02-30\" in the calendar \"standard\", which cannot be understood"},
        {{.calendar = "lunar"},
         "wind.nc: times are counted from \"2008-02-10 00:00:00\" in the calendar \"lunar\", which cannot be "
         "understood"},
        {{.hole = 2},
         "wind.nc: times have a gap: 2 h after the first time nothing comes for 11 h, where the usual interval is 1 h"},
        {{.stalled = true}, "wind.nc: times do not increase"},
        {{.zigzag = true}, "wind.nc: coordinates along y neither increase nor decrease"},
        {{.missing = 2}, "wind.nc: all values of \"u10\" are missing at time number 3"},
        {{.missing = 3, .packed = true}, "wind.nc: all values of \"u10\" are missing at time number 1"},
        {{.unequal = true}, "wind.nc: variables \"u10\" and \"v10\" have different axes"},
        {{.text = true}, "wind.nc: variable \"u10\" does not hold numbers"},
        {{.curved = true}, "wind.nc: axis \"latitude\" has no coordinates"}};
    MrnGridRequest request = request_at(37, 80);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        write_file(&bad[i].kind);
        MrnForcing forcing = {0};
        MrnError error = {0};
        assert_false(read_file(&request, &forcing, &error));
        assert_string_equal(error.message, bad[i].message);
    }
    write_file(&(Kind){0});
    MrnForcing forcing = {0};
    MrnError error = {0};
    MrnGridRequest nowhere = request_at(NAN, NAN);
    assert_false(read_file(&nowhere, &forcing, &error));
    assert_string_equal(error.message, "wind.nc: the file has longitudes and latitudes: give the \"longitude\" and "
                                       "\"latitude\" of the origin of the scene");
    MrnGridRequest unnamed = request;
    unnamed.variables[0] = "u10", unnamed.variables[1] = "w10";
    assert_false(read_file(&unnamed, &forcing, &error));
    assert_string_equal(error.message,
                        "wind.nc: no variable \"w10\"; the file has time, latitude, longitude, u10, v10");
    MrnGridRequest undated = request;
    undated.start = "tomorrow";
    assert_false(read_file(&undated, &forcing, &error));
    assert_string_equal(
        error.message,
        "wind.nc: start \"tomorrow\" is not a date of the calendar \"standard\", such as 2008-02-10 06:00:00");
}

static void damaged_files_are_refused_and_never_crash(void **unused) {
    (void)unused;
    for (int classic = 0; classic < 2; classic++) {
        write_file(&(Kind){.classic = classic, .packed = true});
        size_t size;
        MrnError error = {0};
        char *data = mrn_file_contents(path, &size, &error);
        MrnGridRequest request = request_at(37, 80);
        request.name = "wind.nc";
        int refused = 0;
        for (size_t cut = 0; cut < size; cut += 1 + size / 60) {
            MrnForcing forcing = {0};
            char *copy = malloc(cut + 1);
            memcpy(copy, data, cut);
            bool good = mrn_forcing_read_netcdf(&request, copy, cut, &forcing, &error);
            refused += !good;
            mrn_forcing_free(&forcing);
            free(copy);
        }
        assert_true(refused > 30);
        free(data);
    }
}

static void a_scene_reads_its_wind_from_a_file_and_drifts_with_it(void **unused) {
    (void)unused;
    write_file(&(Kind){.plane = true, .packed = true});
    char text[1200];
    snprintf(text, sizeof text,
             "dimension: 2\ntime: {step: 60 s, end: 4 h}\nmaterials: [{name: ice, volume_density: 917 kg/m3}]\n"
             "bodies: [{name: floe, thickness: 1 m, shape: {disc: 100 m}, position: [-10 km, 10 km]}]\n"
             "environment: {wind: {netcdf: %s}}\n",
             path);
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error);
    while (mrn_world_time(world) < scene->duration - 1) assert_true(mrn_world_step(world, NULL, &error));
    // Free drift under the wind at the end: 7 m/s east, 1.5 m/s north, at 2.11 %.
    const double *v = mrn_world_velocity(world, 0);
    assert_float_equal(v[0], 0.0211 * 7, 0.005);
    assert_float_equal(v[1], 0.0211 * 1.5, 0.005);
    mrn_world_free(world);
    mrn_scene_free(scene);

    // One missing corner of the grid: a floe that comes near it is refused, one far away is not.
    write_file(&(Kind){.plane = true, .missing = 1});
    for (int near = 0; near < 2; near++) {
        char *at = strstr(text, "position");
        snprintf(at, sizeof text - (size_t)(at - text),
                 "position: [-9 km, %s km]}]\nenvironment: {wind: {netcdf: %s}}\n", near ? "-29" : "10", path);
        scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
        assert_true((scene == NULL) == (near == 1));
        mrn_scene_free(scene);
    }
    assert_non_null(strstr(error.message, "the wind has a gap (missing values) at floe, (-9000, -29000) m, time 0 s"));
}

static void a_floe_that_leaves_the_grid_stops_the_run_with_a_message(void **unused) {
    (void)unused;
    write_file(&(Kind){.plane = true});
    char text[1200];
    snprintf(text, sizeof text,
             "dimension: 2\ntime: {step: 60 s, end: 4 h}\nmaterials: [{name: ice, volume_density: 917 kg/m3}]\n"
             "bodies: [{name: floe, thickness: 1 m, shape: {disc: 100 m}, position: [9.9 km, 0], velocity: 1 0 m/s}]\n"
             "environment: {wind: {netcdf: %s}}\n",
             path);
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error);
    int steps = 0;
    while (steps < 100 && mrn_world_step(world, NULL, &error)) steps++;
    assert_in_range(steps, 1, 20);
    assert_non_null(strstr(error.message, "floe is outside the grid of the wind, at ("));
    mrn_world_free(world);
    mrn_scene_free(scene);
}
#endif

static void a_series_is_read_by_the_names_of_its_columns(void **unused) {
    (void)unused;
    static const char text[] = "# hourly\nhour,uwind,vwind,uocean\n0, 1, 2, 3\n1, 4, 5, 6\r\n\n2,7,8,9\n";
    static const char *const columns[3] = {"hour", "vwind", "uocean"};
    MrnForcing forcing = {0};
    MrnError error = {0};
    assert_true(mrn_forcing_read_csv("wind.csv", text, columns, 0, 3600, 0.5, &forcing, &error));
    assert_int_equal(forcing.time_count, 3);
    double value[2];
    mrn_forcing_at(&forcing, 3600, (double[2]){0, 0}, value);
    assert_float_equal(value[0], 2.5, 1e-12);
    assert_float_equal(value[1], 3, 1e-12);
    mrn_forcing_free(&forcing);
    // No names, an hour of the day that starts again: columns by number, a line for each hour.
    static const char *const numbers[3] = {NULL, "4", "3"};
    assert_true(
        mrn_forcing_read_csv("wind.csv", "# series\n23,1,2,3\n0,4,5,6\n", numbers, 3600, 1, 1, &forcing, &error));
    mrn_forcing_at(&forcing, 3600, (double[2]){0, 0}, value);
    assert_float_equal(value[0], 6, 1e-12);
    assert_float_equal(value[1], 5, 1e-12);
    mrn_forcing_free(&forcing);
    const struct {
        const char *text, *message;
    } bad[] = {{"t,u\n0,1\n", "wind.csv line 2: found 2 columns, wanted at least 3"},
               {"t,u,v\n0,1,x\n", "wind.csv line 2, column 3: found \"x\", wanted a number"},
               {"t,u,v\n1,1,1\n0,1,1\n", "wind.csv: row 2: times must increase (found 0 s after 1 s)"},
               {"t,u,v\n", "wind.csv: the table has no rows"},
               {"", "wind.csv: the table has no rows"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_false(mrn_forcing_read_csv("wind.csv", bad[i].text, NULL, 0, 1, 1, &forcing, &error));
        assert_string_equal(error.message, bad[i].message);
    }
    assert_false(mrn_forcing_read_csv("wind.csv", "t,u,v\n0,1,1\n", columns, 0, 1, 1, &forcing, &error));
    assert_string_equal(error.message, "wind.csv: no column \"hour\" in the line of names");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calendars_count_days_as_they_should),
        cmocka_unit_test(a_series_is_read_by_the_names_of_its_columns),
#ifdef MORAINE_HAS_NETCDF
        cmocka_unit_test(values_come_back_whatever_the_layout),
        cmocka_unit_test(places_are_metres_from_the_origin),
        cmocka_unit_test(interpolation_is_polar_in_time_and_then_in_space),
        cmocka_unit_test(a_start_date_chooses_time_zero),
        cmocka_unit_test(files_that_cannot_serve_are_refused_with_the_reason),
        cmocka_unit_test(damaged_files_are_refused_and_never_crash),
        cmocka_unit_test(a_scene_reads_its_wind_from_a_file_and_drifts_with_it),
        cmocka_unit_test(a_floe_that_leaves_the_grid_stops_the_run_with_a_message),
#endif
    };
#ifdef MORAINE_HAS_NETCDF
    char directory[] = "/tmp/moraine-netcdf-XXXXXX";
    if (!mkdtemp(directory)) return 1;
    snprintf(path, sizeof path, "%s/wind.nc", directory);
#endif
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
#ifdef MORAINE_HAS_NETCDF
    unlink(path);
    rmdir(directory);
#endif
    return failed;
}
