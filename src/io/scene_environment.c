// The `environment` section of a scene: wind, current, ocean. Files of forcing are read here and in netcdf.c.
#include "base/error.h"
#include "force/environment.h"
#include "force/forcing.h"
#include "io/netcdf.h"
#include "io/scene_build.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// One field of a line of CSV: begin and length without blanks and quotes. Returns the start of the next, or NULL.
static const char *csv_field(const char *p, const char **begin, size_t *length) {
    const char *end = p + strcspn(p, ",;\n\r");
    *begin = p;
    const char *last = end;
    while (*begin < last && (**begin == ' ' || **begin == '\t' || **begin == '"')) ++*begin;
    while (last > *begin && (last[-1] == ' ' || last[-1] == '\t' || last[-1] == '"')) last--;
    *length = (size_t)(last - *begin);
    return *end == ',' || *end == ';' ? end + 1 : NULL;
}

static const char *next_line(const char *p) {
    p += strcspn(p, "\n");
    return *p ? p + 1 : p;
}

/// Number of the column called `name` in the header line, or -1.
static int find_column(const char *header, const char *name) {
    int column = 0;
    for (const char *p = header; p; column++) {
        const char *begin;
        size_t length;
        p = csv_field(p, &begin, &length);
        if (length == strlen(name) && strncmp(begin, name, length) == 0) return column;
    }
    return -1;
}

/// The first line holds names: its first field is not a number.
static bool has_names(const char *text) {
    const char *begin;
    size_t length;
    double value;
    csv_field(text, &begin, &length);
    const char *end = length ? mrn_number_parse(begin, &value) : NULL;
    return !end || end != begin + length;
}

bool mrn_forcing_read_csv(const char *name, const char *text, const char *const columns[3], double interval,
                          double time_unit, double unit, MrnForcing *forcing, MrnError *error) {
    bool regular = interval > 0;
    int wanted[3] = {regular ? -1 : 0, regular ? 0 : 1, regular ? 1 : 2}, line = 1;
    for (; *text == '#' || *text == '\n' || *text == '\r'; line++) text = next_line(text);
    bool named = has_names(text);
    for (int k = regular; columns && k < 3; k++) {
        char *end;
        long number = strtol(columns[k], &end, 10);
        wanted[k] = *columns[k] && !*end && number >= 1 && number <= 10000 ? (int)number - 1
                    : named                                                ? find_column(text, columns[k])
                                                                           : -1;
        if (wanted[k] < 0)
            return mrn_fail(error, MRN_ERROR_INPUT,
                            named ? "%.200s: no column \"%.60s\" in the line of names"
                                  : "%.200s: no line of names; give the column \"%.60s\" by its number",
                            name, columns[k]);
    }
    MRN_ARRAY(double) rows = {0};
    bool good = true;
    line += named;
    for (const char *p = named ? next_line(text) : text; good && *p; p = next_line(p), line++) {
        if (*p == '#' || *p == '\n' || *p == '\r') continue;
        double row[3] = {regular ? interval / time_unit * (double)(rows.count / 3) : NAN, NAN, NAN};
        int column = 0;
        for (const char *q = p; q && good; column++) {
            const char *begin;
            size_t length;
            q = csv_field(q, &begin, &length);
            for (int k = 0; k < 3 && good; k++) {
                if (column != wanted[k]) continue;
                const char *end = length ? mrn_number_parse(begin, &row[k]) : NULL;
                if (!end || end != begin + length || !isfinite(row[k]))
                    good =
                        mrn_fail(error, MRN_ERROR_INPUT, "%.200s line %d, column %d: found \"%.*s\", wanted a number",
                                 name, line, column + 1, length > 40 ? 40 : (int)length, begin);
            }
        }
        for (int k = 0; k < 3 && good; k++)
            if (isnan(row[k]))
                good = mrn_fail(error, MRN_ERROR_INPUT, "%.200s line %d: found %d columns, wanted at least %d", name,
                                line, column, wanted[k] + 1);
        if (!good) break;
        mrn_array_push(&rows, time_unit * row[0]);
        mrn_array_push(&rows, unit * row[1]);
        mrn_array_push(&rows, unit * row[2]);
    }
    MrnError why = {0};
    if (good && !mrn_forcing_table(forcing, rows.data, rows.count / 3, &why))
        good = mrn_fail(error, MRN_ERROR_INPUT, "%.200s: %.600s", name, why.message);
    mrn_array_free(&rows);
    return good;
}

static bool build_table(MrnSceneBuilder *builder, const MrnForcingTableSpec *spec, MrnForcing *forcing) {
    if ((spec->rows.count > 0) == (spec->file != NULL))
        return mrn_yaml_fail(spec->node, NULL, builder->error, "wanted either rows or file");
    MrnError why = {0};
    bool good;
    if (spec->file) {
        const MrnSceneFile *file = mrn_build_file(builder, spec->node, "file", spec->file);
        if (!file) return false;
        bool regular = !isnan(spec->interval);
        size_t expected = regular ? 2 : 3;
        if (spec->columns.count && spec->columns.count != expected)
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "columns"), NULL, builder->error,
                                 "found %zu, wanted %zu: %sx, y", spec->columns.count, expected,
                                 regular ? "" : "time, ");
        const char *columns[3] = {NULL};
        for (size_t k = 0; k < spec->columns.count; k++) columns[3 - expected + k] = spec->columns.items[k];
        good = mrn_forcing_read_csv(spec->file, file->data, spec->columns.count ? columns : NULL,
                                    regular ? spec->interval : 0, spec->time_unit, spec->unit, forcing, &why);
    } else {
        double *rows = mrn_alloc(3 * spec->rows.count, sizeof *rows);
        for (size_t i = 0; i < spec->rows.count; i++) {
            rows[3 * i] = spec->rows.items[i].time;
            memcpy(rows + 3 * i + 1, spec->rows.items[i].velocity, 2 * sizeof(double));
        }
        good = mrn_forcing_table(forcing, rows, spec->rows.count, &why);
        free(rows);
    }
    return good || mrn_yaml_fail(mrn_yaml_at(spec->node, spec->file ? "file" : "rows"), NULL, builder->error, "%.800s",
                                 why.message);
}

static bool build_grid(MrnSceneBuilder *builder, const MrnForcingGridSpec *spec, double earth_radius,
                       MrnForcing *forcing) {
    if (spec->variables.count && spec->variables.count != 2)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "variables"), NULL, builder->error,
                             "found %zu names, wanted 2: eastward and northward", spec->variables.count);
    const MrnSceneFile *file = mrn_build_file(builder, spec->node, "file", spec->file);
    if (!file) return false;
    MrnGridRequest request = {.name = spec->file,
                              .variables = {spec->variables.count ? spec->variables.items[0] : NULL,
                                            spec->variables.count ? spec->variables.items[1] : NULL},
                              .start = spec->start,
                              .longitude = spec->longitude,
                              .latitude = spec->latitude,
                              .earth_radius = earth_radius,
                              .level = (size_t)spec->level};
    MrnError why = {0};
    return mrn_forcing_read_netcdf(&request, file->data, file->size, forcing, &why) ||
           mrn_yaml_fail(mrn_yaml_at(spec->node, "file"), NULL, builder->error, "%.800s", why.message);
}

static bool build_forcing(MrnSceneBuilder *builder, const MrnForcingSpec *spec, const char *what, double earth_radius,
                          MrnForcing *forcing) {
    if (!spec) return true;
    int given = !isnan(spec->velocity[0]) + (spec->table != NULL) + (spec->vortex != NULL) + (spec->radial != NULL) +
                (spec->channel != NULL) + (spec->netcdf != NULL);
    if (given != 1)
        return mrn_yaml_fail(spec->node, NULL, builder->error,
                             "found %d sources, wanted one of velocity, table, vortex, radial, channel, netcdf", given);
    if (!isnan(spec->velocity[0]))
        memcpy(forcing->value, spec->velocity, sizeof forcing->value);
    else if (spec->table) {
        if (!build_table(builder, spec->table, forcing)) return false;
    } else if (spec->netcdf) {
        if (!build_grid(builder, spec->netcdf, earth_radius, forcing)) return false;
    } else {
        const double *centre = spec->vortex   ? spec->vortex->centre
                               : spec->radial ? spec->radial->centre
                                              : spec->channel->centre;
        memcpy(forcing->centre, centre, sizeof forcing->centre);
        forcing->kind = spec->vortex ? MRN_FORCING_VORTEX : spec->radial ? MRN_FORCING_RADIAL : MRN_FORCING_CHANNEL;
        forcing->speed = spec->vortex ? spec->vortex->speed : spec->radial ? spec->radial->speed : spec->channel->speed;
        forcing->length = spec->vortex   ? spec->vortex->radius
                          : spec->radial ? spec->radial->radius
                                         : spec->channel->half_width;
        if (spec->channel) forcing->direction = spec->channel->direction;
    }
    forcing->ramp = spec->ramp;
    forcing->start += spec->start;
    forcing->hold = spec->outside == 1;
    MrnError why = {0};
    return mrn_forcing_covers(forcing, builder->scene->duration, what, &why) ||
           mrn_yaml_fail(spec->node, NULL, builder->error, "%.800s", why.message);
}

bool mrn_build_environment(MrnSceneBuilder *builder) {
    const MrnEnvironmentSpec *spec = builder->root->environment;
    if (!spec) return true;
    MrnEnvironment e = mrn_environment_defaults();
    e.air_density = spec->air_density, e.air_drag = spec->air_drag;
    e.water_density = spec->water_density, e.water_drag = spec->water_drag, e.linear_drag = spec->linear_drag;
    e.relative_wind = spec->relative_wind;
    e.follow_latitude = spec->follow_latitude;
    e.elements = (size_t)spec->elements;
    if (!isnan(spec->latitude) && !isnan(spec->coriolis))
        return mrn_yaml_fail(spec->node, NULL, builder->error, "wanted only one of latitude and coriolis");
    if (!isnan(spec->latitude)) {
        if (fabs(spec->latitude) > 1.5707963267948967)
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "latitude"), NULL, builder->error,
                                 "wanted a latitude between -90 deg and 90 deg");
        e.latitude = spec->latitude;
    }
    if (!isnan(spec->coriolis)) {
        double sine = spec->coriolis / (2 * e.rotation_rate);
        if (fabs(sine) > 1)
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "coriolis"), NULL, builder->error,
                                 "wanted a Coriolis parameter of at most %.6g 1/s, that of the poles",
                                 2 * e.rotation_rate);
        e.latitude = asin(sine);
    }
    if (spec->ocean) {
        e.ocean = true;
        e.ocean_depth = spec->ocean->depth;
        e.ocean_area = spec->ocean->area;
        e.ocean_friction = spec->ocean->friction;
    }
    if (!build_forcing(builder, spec->wind, "wind", e.earth_radius, &e.wind) ||
        !build_forcing(builder, spec->current, "current", e.earth_radius, &e.current)) {
        mrn_forcing_free(&e.wind);
        mrn_forcing_free(&e.current);
        return false;
    }
    MrnError why = {0};
    return mrn_environment_attach(builder->model, &e, &why) ||
           mrn_yaml_fail(spec->node, NULL, builder->error, "%.800s", why.message);
}
