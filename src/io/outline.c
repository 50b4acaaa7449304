// Outlines from files: a polygon or a line in WKT ("POLYGON ((0 0, 1 0, 1 1, 0 0))") or GeoJSON.
#include "base/error.h"
#include "io/scene_build.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef MRN_ARRAY(double) Numbers;

/// A closed outline repeats its first point at the end in both formats: drop it.
static bool finish(const char *name, bool closed, Numbers *numbers, double **vertices, size_t *count, MrnError *error) {
    size_t points = numbers->count / 2;
    if (closed && points > 1 && numbers->data[0] == numbers->data[2 * points - 2] &&
        numbers->data[1] == numbers->data[2 * points - 1])
        points--;
    for (size_t i = 0; i < 2 * points; i++)
        if (!isfinite(numbers->data[i])) {
            mrn_array_free(numbers);
            return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: a coordinate is not finite", name);
        }
    if (points < (closed ? 3 : 2)) {
        mrn_array_free(numbers);
        return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: found %zu points, wanted at least %d", name, points,
                        closed ? 3 : 2);
    }
    *vertices = numbers->data;
    *count = points;
    return true;
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r') p++;
    return p;
}

static bool read_wkt(const char *name, const char *text, bool closed, double **vertices, size_t *count,
                     MrnError *error) {
    const char *wanted = closed ? "POLYGON" : "LINESTRING";
    const char *p = skip_blanks(text);
    if (strncasecmp(p, wanted, strlen(wanted)) != 0)
        return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: found \"%.20s\", wanted WKT that begins with %s, or GeoJSON",
                        name, p, wanted);
    p = skip_blanks(p + strlen(wanted));
    int depth = closed ? 2 : 1;
    for (int i = 0; i < depth; i++, p = skip_blanks(p + 1))
        if (*p != '(')
            return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: found \"%.20s\" after %s, wanted \"%s\"", name, p, wanted,
                            closed ? "((" : "(");
    Numbers numbers = {0};
    for (;;) {
        double point[2];
        for (int k = 0; k < 2; k++) {
            const char *end = mrn_number_parse(p, &point[k]);
            if (!end) {
                mrn_array_free(&numbers);
                return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: found \"%.20s\" at point %zu, wanted x y", name, p,
                                numbers.count / 2 + 1);
            }
            p = skip_blanks(end);
        }
        mrn_array_push(&numbers, point[0]);
        mrn_array_push(&numbers, point[1]);
        if (*p != ',') break;
        p = skip_blanks(p + 1);
    }
    if (*p != ')') {
        size_t point = numbers.count / 2;
        mrn_array_free(&numbers);
        return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: found \"%.20s\" after point %zu, wanted \",\" or \")\"", name,
                        p, point);
    }
    p = skip_blanks(p + 1);
    if (closed && *p == ',') {
        mrn_array_free(&numbers);
        return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: the polygon has holes; a body cannot have any", name);
    }
    return finish(name, closed, &numbers, vertices, count, error);
}

/// The geometry of a Feature or of a collection with one feature.
static const json_t *find_geometry(const json_t *value) {
    for (int depth = 0; depth < 4 && json_is_object(value); depth++) {
        const char *type = json_string_value(json_object_get(value, "type"));
        if (type && strcmp(type, "FeatureCollection") == 0) {
            const json_t *features = json_object_get(value, "features");
            if (json_array_size(features) != 1) return NULL;
            value = json_array_get(features, 0);
        } else if (type && strcmp(type, "Feature") == 0)
            value = json_object_get(value, "geometry");
        else
            return value;
    }
    return NULL;
}

static bool read_geojson(const char *name, const char *data, size_t size, bool closed, double **vertices, size_t *count,
                         MrnError *error) {
    json_error_t where;
    json_t *document = json_loadb(data, size, 0, &where);
    if (!document)
        return mrn_fail(error, MRN_ERROR_INPUT, "%.200s line %d: not valid JSON: %.200s", name, where.line, where.text);
    const char *wanted = closed ? "Polygon" : "LineString";
    const json_t *geometry = find_geometry(document);
    const char *type = json_string_value(json_object_get(geometry, "type"));
    Numbers numbers = {0};
    bool good = type && strcmp(type, wanted) == 0;
    if (!good)
        mrn_fail(error, MRN_ERROR_INPUT, "%.200s: found %.60s, wanted one GeoJSON %s", name,
                 type ? type : "no geometry", wanted);
    const json_t *points = json_object_get(geometry, "coordinates");
    if (good && closed && json_array_size(points) > 1)
        good = mrn_fail(error, MRN_ERROR_INPUT, "%.200s: the polygon has holes; a body cannot have any", name);
    if (closed) points = json_array_get(points, 0);
    for (size_t i = 0; good && i < json_array_size(points); i++)
        for (size_t k = 0; k < 2 && good; k++) {
            const json_t *number = json_array_get(json_array_get(points, i), k);
            good = json_is_number(number) ||
                   mrn_fail(error, MRN_ERROR_INPUT, "%.200s: point %zu is not two numbers", name, i + 1);
            double value = json_number_value(number);
            mrn_array_push(&numbers, value);
        }
    json_decref(document);
    if (good) return finish(name, closed, &numbers, vertices, count, error);
    mrn_array_free(&numbers);
    return false;
}

bool mrn_outline_read(const char *name, const char *data, size_t size, bool closed, double **vertices, size_t *count,
                      MrnError *error) {
    const char *p = skip_blanks(data);
    if (*p == '{') return read_geojson(name, data, size, closed, vertices, count, error);
    return read_wkt(name, data, closed, vertices, count, error);
}
