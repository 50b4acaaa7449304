// Files of many outlines, and Douglas-Peucker.
#include "base/error.h"
#include "base/memory.h"
#include "geom/polygon.h"
#include "io/outline.h"
#include "io/units.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

void mrn_outline_set_free(MrnOutlineSet *set) {
    free(set->start);
    free(set->vertices);
    *set = (MrnOutlineSet){0};
}

/// Mark the vertices between `from` and `to` (going up, not cyclic) that are needed.
static void keep(const double *v, size_t from, size_t to, double tolerance, bool *kept) {
    MRN_ARRAY(size_t) stack = {0};
    mrn_array_push(&stack, from);
    mrn_array_push(&stack, to);
    while (stack.count) {
        to = stack.data[--stack.count], from = stack.data[--stack.count];
        MrnVec2 a = mrn_vertex2(v, from), ab = mrn_sub2(mrn_vertex2(v, to), a);
        double farthest = tolerance, square = mrn_dot2(ab, ab);
        size_t which = 0;
        for (size_t i = from + 1; i < to; i++) {
            MrnVec2 p = mrn_sub2(mrn_vertex2(v, i), a);
            double share = square > 0 ? fmin(fmax(mrn_dot2(p, ab) / square, 0), 1) : 0;
            double away = mrn_norm2(mrn_sub2(p, mrn_scale2(share, ab)));
            if (away > farthest) farthest = away, which = i;
        }
        if (!which) continue;
        kept[which] = true;
        const size_t pieces[4] = {from, which, which, to};
        for (int k = 0; k < 4; k++) mrn_array_push(&stack, pieces[k]);
    }
    mrn_array_free(&stack);
}

size_t mrn_outline_smooth(size_t count, double *vertices, double tolerance) {
    if (count <= 3 || !(tolerance > 0)) return count;
    // Two ends far apart: the first vertex and the one farthest from it.
    size_t opposite = 0;
    double farthest = 0;
    for (size_t i = 1; i < count; i++) {
        double away = mrn_norm2(mrn_sub2(mrn_vertex2(vertices, i), mrn_vertex2(vertices, 0)));
        if (away > farthest) farthest = away, opposite = i;
    }
    double *twice = mrn_alloc(2 * (count + 1), sizeof(double));
    memcpy(twice, vertices, 2 * count * sizeof(double));
    memcpy(twice + 2 * count, vertices, 2 * sizeof(double));
    bool *kept = mrn_alloc_zero(count + 1, sizeof *kept);
    kept[0] = kept[opposite] = true;
    keep(twice, 0, opposite, tolerance, kept);
    keep(twice, opposite, count, tolerance, kept);
    size_t left = 0;
    for (size_t i = 0; i < count; i++) left += kept[i];
    if (left >= 3) {
        left = 0;
        for (size_t i = 0; i < count; i++) {
            if (!kept[i]) continue;
            vertices[2 * left] = vertices[2 * i], vertices[2 * left + 1] = vertices[2 * i + 1];
            left++;
        }
    } else
        left = mrn_outline_simplify(count, vertices, 3);
    free(twice);
    free(kept);
    return left;
}

typedef struct Collector {
    const char *name;
    MrnError *error;
    MRN_ARRAY(double) vertices;
    MRN_ARRAY(size_t) starts;
} Collector;

/// An outline is complete: drop the repeated last point, check.
static bool finish_outline(Collector *to) {
    size_t start = to->starts.data[to->starts.count - 1], count = to->vertices.count / 2 - start;
    double *v = to->vertices.data + 2 * start;
    if (count > 1 && v[0] == v[2 * count - 2] && v[1] == v[2 * count - 1]) count--, to->vertices.count -= 2;
    if (count < 3)
        return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: outline %zu has %zu points, wanted at least 3", to->name,
                        to->starts.count, count);
    for (size_t i = 0; i < 2 * count; i++)
        if (!isfinite(v[i]))
            return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: outline %zu has a coordinate that is not finite",
                            to->name, to->starts.count);
    mrn_array_push(&to->starts, to->vertices.count / 2);
    return true;
}

static bool collect_ring(Collector *to, const json_t *rings) {
    if (json_array_size(rings) > 1)
        return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: outline %zu has holes; a body cannot have any", to->name,
                        to->starts.count);
    const json_t *ring = json_array_get(rings, 0);
    for (size_t i = 0; i < json_array_size(ring); i++)
        for (size_t k = 0; k < 2; k++) {
            const json_t *number = json_array_get(json_array_get(ring, i), k);
            if (!json_is_number(number))
                return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: outline %zu, point %zu is not two numbers",
                                to->name, to->starts.count, i + 1);
            mrn_array_push(&to->vertices, json_number_value(number));
        }
    return finish_outline(to);
}

static bool collect_geojson(Collector *to, const json_t *value, int depth) {
    const char *type = json_string_value(json_object_get(value, "type"));
    if (!type || depth > 8) return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: found no GeoJSON geometry", to->name);
    bool good = true;
    const json_t *list = NULL;
    if (strcmp(type, "FeatureCollection") == 0) list = json_object_get(value, "features");
    if (strcmp(type, "GeometryCollection") == 0) list = json_object_get(value, "geometries");
    if (list) {
        for (size_t i = 0; good && i < json_array_size(list); i++)
            good = collect_geojson(to, json_array_get(list, i), depth + 1);
        return good;
    }
    if (strcmp(type, "Feature") == 0) return collect_geojson(to, json_object_get(value, "geometry"), depth + 1);
    const json_t *coordinates = json_object_get(value, "coordinates");
    if (strcmp(type, "Polygon") == 0) return collect_ring(to, coordinates);
    if (strcmp(type, "MultiPolygon") == 0) {
        for (size_t i = 0; good && i < json_array_size(coordinates); i++)
            good = collect_ring(to, json_array_get(coordinates, i));
        return good;
    }
    return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: found %.60s, wanted polygons", to->name, type);
}

static const char *skip_blanks(const char *p) {
    while (*p == ' ' || *p == '\t' || *p == '\n' || *p == '\r' || *p == ';') p++;
    return p;
}

/// One "((x y, x y, ...))" after POLYGON or inside MULTIPOLYGON; NULL after a message.
static const char *collect_wkt_ring(Collector *to, const char *p) {
    for (int i = 0; i < 2; i++, p = skip_blanks(p + 1))
        if (*p != '(') goto wrong;
    for (;;) {
        for (int k = 0; k < 2; k++) {
            double value;
            const char *end = mrn_number_parse(p, &value);
            if (!end) goto wrong;
            mrn_array_push(&to->vertices, value);
            p = skip_blanks(end);
        }
        if (*p != ',') break;
        p = skip_blanks(p + 1);
    }
    if (*p != ')') goto wrong;
    p = skip_blanks(p + 1);
    if (*p == ',') {
        mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: outline %zu has holes; a body cannot have any", to->name,
                 to->starts.count);
        return NULL;
    }
    if (*p != ')') goto wrong;
    return finish_outline(to) ? skip_blanks(p + 1) : NULL;
wrong:
    mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: outline %zu: found \"%.20s\", wanted ((x y, x y, ...))", to->name,
             to->starts.count, p);
    return NULL;
}

static bool collect_wkt(Collector *to, const char *p) {
    for (p = skip_blanks(p); *p;) {
        bool many = strncasecmp(p, "MULTIPOLYGON", 12) == 0;
        if (!many && strncasecmp(p, "POLYGON", 7) != 0)
            return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: found \"%.20s\", wanted POLYGON or MULTIPOLYGON",
                            to->name, p);
        p = skip_blanks(p + (many ? 12 : 7));
        if (!many) {
            if (!(p = collect_wkt_ring(to, p))) return false;
            continue;
        }
        do {
            if (*p != '(' && *p != ',')
                return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: found \"%.20s\" in a MULTIPOLYGON", to->name, p);
            p = skip_blanks(p + 1);
            if (!(p = collect_wkt_ring(to, p))) return false;
        } while (*p == ',');
        if (*p != ')') return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s: a MULTIPOLYGON does not end", to->name);
        p = skip_blanks(p + 1);
    }
    return true;
}

static bool collect_lines(Collector *to, const char *p) {
    int line = 1;
    for (; *p; line++) {
        double declared = -1;
        size_t numbers = 0;
        while (*p && *p != '\n' && *p != '#') {
            double value;
            if (*p == ' ' || *p == '\t' || *p == ',' || *p == '\r') {
                p++;
                continue;
            }
            const char *end = mrn_number_parse(p, &value);
            if (!end)
                return mrn_fail(to->error, MRN_ERROR_INPUT, "%.200s line %d: found \"%.20s\", wanted n x1 y1 ... xn yn",
                                to->name, line, p);
            if (declared < 0)
                declared = value;
            else {
                mrn_array_push(&to->vertices, value);
                numbers++;
            }
            p = end;
        }
        while (*p && *p != '\n') p++;
        if (*p) p++;
        if (declared < 0) continue;
        if ((double)numbers != 2 * declared)
            return mrn_fail(to->error, MRN_ERROR_INPUT,
                            "%.200s line %d: found %zu numbers after %g, wanted twice as many", to->name, line, numbers,
                            declared);
        if (!finish_outline(to)) return false;
    }
    return true;
}

bool mrn_outline_set_read(const char *name, const char *data, size_t size, const MrnTraceSettings *trace,
                          MrnOutlineSet *out, MrnError *error) {
    *out = (MrnOutlineSet){0};
    bool png = size > 4 && memcmp(data, "\x89PNG", 4) == 0,
         pnm = size > 2 && data[0] == 'P' && data[1] >= '1' && data[1] <= '6';
    if (png || pnm) {
        int width, height;
        float *grey = mrn_picture_read(name, data, size, &width, &height, error);
        if (!grey) return false;
        mrn_trace_picture(width, height, grey, trace, out);
        free(grey);
    } else {
        Collector to = {.name = name, .error = error};
        mrn_array_push(&to.starts, 0);
        const char *p = skip_blanks(data);
        bool good;
        if (*p == '{') {
            json_error_t where;
            json_t *document = json_loadb(data, size, 0, &where);
            good = document ? collect_geojson(&to, document, 0)
                            : mrn_fail(error, MRN_ERROR_INPUT, "%.200s line %d: not valid JSON: %.200s", name,
                                       where.line, where.text);
            json_decref(document);
        } else if (strncasecmp(p, "POLYGON", 7) == 0 || strncasecmp(p, "MULTIPOLYGON", 12) == 0)
            good = collect_wkt(&to, p);
        else
            good = collect_lines(&to, p);
        out->count = to.starts.count - 1;
        out->start = to.starts.data;
        out->vertices = to.vertices.data;
        if (!good) {
            mrn_outline_set_free(out);
            return false;
        }
    }
    if (out->count) return true;
    mrn_outline_set_free(out);
    return mrn_fail(error, MRN_ERROR_INPUT, "%.200s: no outline in it", name);
}
