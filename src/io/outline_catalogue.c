// Catalogues of floe outlines: by a random process, regular, or from a file; and simplifying outlines.
#include "base/error.h"
#include "base/memory.h"
#include "geom/floe_shape.h"
#include "geom/polygon.h"
#include "io/generate_pack.h"
#include "io/outline.h"
#include "io/units.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

size_t mrn_outline_simplify(size_t count, double *vertices, size_t wanted) {
    if (wanted < 3) wanted = 3;
    if (count <= wanted) return count;
    // Visvalingam and Whyatt 1993: the vertex whose triangle with its neighbours is smallest goes first.
    size_t *before = mrn_alloc(count, sizeof *before), *after = mrn_alloc(count, sizeof *after), left = count;
    double *loss = mrn_alloc(count, sizeof *loss);
    for (size_t i = 0; i < count; i++) before[i] = (i + count - 1) % count, after[i] = (i + 1) % count;
#define LOSS(i)                                                                                                        \
    fabs(mrn_cross2(mrn_sub2(mrn_vertex2(vertices, i), mrn_vertex2(vertices, before[i])),                              \
                    mrn_sub2(mrn_vertex2(vertices, after[i]), mrn_vertex2(vertices, i))))
    for (size_t i = 0; i < count; i++) loss[i] = LOSS(i);
    while (left > wanted) {
        size_t best = 0;
        for (size_t i = 1; i < count; i++)
            if (loss[i] < loss[best]) best = i;
        size_t a = before[best], b = after[best];
        after[a] = b, before[b] = a;
        loss[best] = INFINITY;
        loss[a] = LOSS(a);
        loss[b] = LOSS(b);
        left--;
    }
#undef LOSS
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (loss[i] == INFINITY) continue;
        vertices[2 * kept] = vertices[2 * i], vertices[2 * kept + 1] = vertices[2 * i + 1];
        kept++;
    }
    free(before);
    free(after);
    free(loss);
    return kept;
}

/// Centroid to the origin, area 1, counter-clockwise. False when the outline has no area.
static bool normalise(size_t count, double *vertices) {
    if (mrn_polygon_area(count, vertices) < 0)
        for (size_t i = 0, j = count - 1; i < j; i++, j--)
            for (size_t k = 0; k < 2; k++) {
                double swap = vertices[2 * i + k];
                vertices[2 * i + k] = vertices[2 * j + k];
                vertices[2 * j + k] = swap;
            }
    MrnAreaMoments moments = mrn_polygon_moments(count, vertices);
    if (!(moments.area > 0)) return false;
    double scale = 1 / sqrt(moments.area);
    for (size_t i = 0; i < count; i++) {
        vertices[2 * i] = scale * (vertices[2 * i] - moments.centre.x);
        vertices[2 * i + 1] = scale * (vertices[2 * i + 1] - moments.centre.y);
    }
    return true;
}

MrnCatalogue mrn_catalogue_generate(uint64_t seed, size_t count, size_t corners) {
    MrnCatalogue catalogue = {.count = count};
    catalogue.start = mrn_alloc(count + 1, sizeof(size_t));
    catalogue.vertices = mrn_alloc(2 * count * corners, sizeof(double));
    for (size_t i = 0; i <= count; i++) catalogue.start[i] = i * corners;
    for (size_t i = 0; i < count; i++) mrn_floe_outline(seed, i, corners, catalogue.vertices + 2 * i * corners);
    return catalogue;
}

MrnCatalogue mrn_catalogue_round(size_t corners) {
    MrnCatalogue catalogue = {.count = 1};
    catalogue.start = mrn_alloc_zero(2, sizeof(size_t));
    catalogue.start[1] = corners;
    catalogue.vertices = mrn_alloc(2 * corners, sizeof(double));
    for (size_t i = 0; i < corners; i++) {
        double angle = 2 * PI * (double)i / (double)corners;
        catalogue.vertices[2 * i] = cos(angle), catalogue.vertices[2 * i + 1] = sin(angle);
    }
    normalise(corners, catalogue.vertices);
    return catalogue;
}

void mrn_catalogue_free(MrnCatalogue *catalogue) {
    free(catalogue->start);
    free(catalogue->vertices);
    *catalogue = (MrnCatalogue){0};
}

bool mrn_catalogue_read(const char *name, const char *text, size_t corners, MrnCatalogue *out, MrnError *error) {
    *out = (MrnCatalogue){0};
    MRN_ARRAY(double) all = {0}, one = {0};
    MRN_ARRAY(size_t) starts = {0};
    mrn_array_push(&starts, 0);
    bool good = true;
    int line = 1;
    for (const char *p = text; good && *p; line++) {
        one.count = 0;
        double declared = 0;
        bool first = true;
        while (*p && *p != '\n' && *p != '#') {
            if (*p == ' ' || *p == '\t' || *p == ',' || *p == '\r') {
                p++;
                continue;
            }
            double value;
            const char *end = mrn_number_parse(p, &value);
            if (!end || !isfinite(value)) {
                int length = (int)strcspn(p, " \t\r\n");
                good = mrn_fail(error, MRN_ERROR_INPUT,
                                "%.200s line %d: found \"%.*s\", wanted numbers: n x1 y1 ... xn yn", name, line,
                                length > 40 ? 40 : length, p);
                break;
            }
            p = end;
            if (first)
                declared = value, first = false;
            else
                mrn_array_push(&one, value);
        }
        while (good && *p && *p != '\n') p++;
        if (good && *p) p++;
        if (!good || first) continue;
        if (declared < 3 || declared != floor(declared) || (double)one.count != 2 * declared) {
            good = mrn_fail(error, MRN_ERROR_INPUT,
                            "%.200s line %d: found %zu numbers after %g, wanted twice as many (at least 3 vertices)",
                            name, line, one.count, declared);
            continue;
        }
        size_t count = mrn_outline_simplify(one.count / 2, one.data, corners), edges[2];
        if (!normalise(count, one.data) || !mrn_polygon_is_simple(count, one.data, edges) ||
            mrn_roundness(count, one.data) > MRN_FLOE_ROUNDNESS) {
            out->refused++;
            continue;
        }
        for (size_t i = 0; i < 2 * count; i++) mrn_array_push(&all, one.data[i]);
        mrn_array_push(&starts, all.count / 2);
    }
    mrn_array_free(&one);
    if (good && starts.count == 1)
        good = mrn_fail(error, MRN_ERROR_INPUT,
                        "%.200s: no outline that can be used (%zu are not simple or less round than %g)", name,
                        out->refused, MRN_FLOE_ROUNDNESS);
    out->count = starts.count - 1;
    out->start = starts.data;
    out->vertices = all.data;
    if (!good) mrn_catalogue_free(out);
    return good;
}
