// The generator `floes` of scenes: from its fields to a pack, and from the pack to bodies.
#include "base/error.h"
#include "base/random.h"
#include "geom/polygon.h"
#include "io/generate.h"
#include "io/generate_pack.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

/// Outlines in the catalogue that a random process makes: as many as in that of Rabatel 2015.
enum { CATALOGUE_OUTLINES = 100, BALL_SIDES = 128 };

/// Vertices of the zone; free them.
static double *zone_outline(MrnSceneBuilder *builder, const MrnPackZoneSpec *spec, size_t *count) {
    if (spec->box) {
        const double *low = spec->box->low, *high = spec->box->high;
        for (int k = 0; k < 2; k++)
            if (!(low[k] < high[k])) {
                mrn_yaml_fail(mrn_yaml_at(spec->box->node, "high"), NULL, builder->error,
                              "found %.6g m along %c, wanted more than \"low\", which is %.6g m", high[k], "xy"[k],
                              low[k]);
                return NULL;
            }
        const double corners[] = {low[0], low[1], high[0], low[1], high[0], high[1], low[0], high[1]};
        *count = 4;
        return memcpy(mrn_alloc(8, sizeof(double)), corners, sizeof corners);
    }
    if (spec->ball) {
        *count = BALL_SIDES;
        double *corners = mrn_alloc(2 * *count, sizeof(double));
        for (size_t i = 0; i < *count; i++) {
            double angle = 2 * PI * (double)i / (double)*count;
            corners[2 * i] = spec->ball->centre[0] + spec->ball->radius * cos(angle);
            corners[2 * i + 1] = spec->ball->centre[1] + spec->ball->radius * sin(angle);
        }
        return corners;
    }
    // The polygon goes through the same checks as that of a body.
    MrnShapeSpec shape_spec = {.node = spec->polygon->node, .polygon = spec->polygon};
    MrnShape shape = {0};
    MrnError why = {0};
    if (!mrn_build_shape(builder, &shape_spec, 0, NULL, &shape)) {
        mrn_shape_free(&shape);
        return NULL;
    }
    if (!mrn_shape_prepare(&shape, &why)) {
        mrn_yaml_fail(spec->polygon->node, NULL, builder->error, "%.600s", why.message);
        mrn_shape_free(&shape);
        return NULL;
    }
    *count = shape.vertex_count;
    double *corners = memcpy(mrn_alloc(2 * *count, sizeof(double)), shape.vertices, 2 * *count * sizeof(double));
    mrn_shape_free(&shape);
    return corners;
}

static bool make_catalogue(MrnGenerator *generator, const MrnPackSpec *spec, MrnCatalogue *catalogue) {
    size_t corners = (size_t)spec->corners;
    if (!spec->catalogue) {
        *catalogue = spec->outline == 1 ? mrn_catalogue_round(corners)
                                        : mrn_catalogue_generate(generator->seed, CATALOGUE_OUTLINES, corners);
        return true;
    }
    const MrnSceneFile *file = mrn_build_file(generator->builder, spec->node, "catalogue", spec->catalogue);
    if (!file) return false;
    MrnError why = {0};
    if (!mrn_catalogue_read(spec->catalogue, file->data, corners, catalogue, &why))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "catalogue"), NULL, generator->builder->error, "%.800s",
                             why.message);
    if (catalogue->refused)
        mrn_generator_remark(generator, "%s: %zu outlines used, %zu left out (not simple, or less round than 1.5)",
                             spec->catalogue, catalogue->count, catalogue->refused);
    return true;
}

/// Numbers of random draws of a floe, beside those of the pack.
enum { DRAW_THICKNESS = 1 << 19 };

static bool add_floe(MrnGenerator *generator, const MrnPackSpec *spec, const MrnPack *pack, size_t i) {
    size_t count = pack->start[i + 1] - pack->start[i];
    MrnAreaMoments moments = mrn_polygon_moments(count, pack->vertices + 2 * pack->start[i]);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.material = generator->material;
    shape.vertex_count = count;
    shape.vertices = mrn_alloc(2 * count, sizeof(double));
    for (size_t k = 0; k < count; k++) {
        shape.vertices[2 * k] = pack->vertices[2 * (pack->start[i] + k)] - moments.centre.x;
        shape.vertices[2 * k + 1] = pack->vertices[2 * (pack->start[i] + k) + 1] - moments.centre.y;
    }
    MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FREE);
    def.position[0] = moments.centre.x, def.position[1] = moments.centre.y;
    def.shapes = &shape;
    def.shape_count = 1;
    if (spec->thickness)
        def.thickness = mrn_size_at(spec->thickness, mrn_random_unit(generator->seed, i, DRAW_THICKNESS));
    bool good = mrn_generator_add(generator, &def, NULL);
    mrn_shape_free(&shape);
    return good;
}

bool mrn_generate_floes(MrnGenerator *generator, const MrnPackSpec *spec) {
    MrnSceneBuilder *builder = generator->builder;
    double thin, thick;
    if (spec->thickness && !mrn_size_limits(builder, spec->thickness, &thin, &thick)) return false;
    size_t corner_count;
    double *corners = zone_outline(builder, spec->zone, &corner_count);
    MrnCatalogue catalogue = {0};
    if (!corners) return false;
    if (!make_catalogue(generator, spec, &catalogue)) {
        free(corners);
        return false;
    }
    MrnZone zone = mrn_zone_new(corner_count, corners);
    free(corners);
    MrnPackRequest request = {.zone = &zone,
                              .catalogue = &catalogue,
                              .concentration = spec->concentration,
                              .tolerance = spec->tolerance,
                              .count = (size_t)spec->count,
                              .largest = spec->largest,
                              .smallest = spec->smallest,
                              .exponent = spec->exponent,
                              .gap = spec->gap,
                              .seed = generator->seed,
                              .threads =
                                  builder->root->threads > 1 ? mrn_threads_new((int)builder->root->threads) : NULL};
    MrnPack pack = {0};
    MrnError why = {0};
    bool good = mrn_pack_make(&request, &pack, &why);
    if (!good) mrn_yaml_fail(spec->node, NULL, builder->error, "%.800s", why.message);
    good = good && mrn_generator_expect(generator, (double)pack.count);
    for (size_t i = 0; good && i < pack.count; i++) good = add_floe(generator, spec, &pack, i);
    if (good)
        mrn_generator_remark(
            generator,
            "%s: %zu floes, concentration %.4f, mean caliper diameters %.4g m to %.4g m, exponent %.3f, sizes "
            "multiplied by %.4f, roundness at most %.3f%s",
            generator->spec->name ? generator->spec->name : "floes", pack.count, pack.concentration, pack.largest,
            pack.smallest, pack.exponent, pack.scale, pack.roundness,
            pack.cells ? ", grown in cells" : ", placed in discs");
    mrn_pack_free(&pack);
    mrn_catalogue_free(&catalogue);
    mrn_zone_free(&zone);
    mrn_threads_free(request.threads);
    return good;
}
