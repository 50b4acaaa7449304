// The generator `outlines`: one body per polygon of a file, or per bright part of a picture (Rabatel 2015, 2.3: packs
// from aerial images).
#include "base/error.h"
#include "base/random.h"
#include "geom/polygon.h"
#include "io/generate.h"
#include "io/outline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// An outline ready to become a body, and its box.
typedef struct Candidate {
    size_t count;
    double *vertices;
    double area, low[2], high[2];
} Candidate;

static void measure(Candidate *candidate) {
    candidate->area = fabs(mrn_polygon_area(candidate->count, candidate->vertices));
    for (int k = 0; k < 2; k++) candidate->low[k] = INFINITY, candidate->high[k] = -INFINITY;
    for (size_t i = 0; i < 2 * candidate->count; i++) {
        candidate->low[i % 2] = fmin(candidate->low[i % 2], candidate->vertices[i]);
        candidate->high[i % 2] = fmax(candidate->high[i % 2], candidate->vertices[i]);
    }
}

/// A floe in a lake of another one: lakes are filled.
static bool is_in_lake(const Candidate *all, size_t count, size_t which) {
    const Candidate *own = &all[which];
    for (size_t i = 0; i < count; i++) {
        const Candidate *other = &all[i];
        if (i == which || other->area <= own->area) continue;
        bool within = true;
        for (int k = 0; k < 2; k++) within = within && other->low[k] <= own->low[k] && other->high[k] >= own->high[k];
        if (within && mrn_polygon_contains(other->count, other->vertices, mrn_vertex2(own->vertices, 0))) return true;
    }
    return false;
}

enum { DRAW_THICKNESS = 1 << 19 };

static bool add_outline(MrnGenerator *generator, const MrnOutlinesSpec *spec, Candidate *candidate, size_t number) {
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.material = generator->material;
    MrnAreaMoments moments = mrn_polygon_moments(candidate->count, candidate->vertices);
    shape.vertex_count = candidate->count;
    shape.vertices = candidate->vertices;
    for (size_t i = 0; i < candidate->count; i++) {
        shape.vertices[2 * i] = spec->scale * (shape.vertices[2 * i] - moments.centre.x);
        shape.vertices[2 * i + 1] = spec->scale * (shape.vertices[2 * i + 1] - moments.centre.y);
    }
    MrnBodyDef def = mrn_generator_body(generator, (MrnBodyKind)spec->kind);
    def.position[0] = spec->position[0] + moments.centre.x;
    def.position[1] = spec->position[1] + moments.centre.y;
    def.shapes = &shape;
    def.shape_count = 1;
    if (spec->thickness)
        def.thickness = mrn_size_at(spec->thickness, mrn_random_unit(generator->seed, number, DRAW_THICKNESS));
    return mrn_generator_add(generator, &def, NULL);
}

bool mrn_generate_outlines(MrnGenerator *generator, const MrnOutlinesSpec *spec) {
    MrnSceneBuilder *builder = generator->builder;
    double low, high;
    if (spec->kind == MRN_BODY_DRIVEN)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "kind"), NULL, builder->error,
                             "found \"driven\", wanted free or fixed");
    if (spec->thickness && spec->kind != MRN_BODY_FREE)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "thickness"), NULL, builder->error,
                             "only free bodies have a thickness");
    if (spec->thickness && !mrn_size_limits(builder, spec->thickness, &low, &high)) return false;
    const MrnSceneFile *file = mrn_build_file(builder, spec->node, "file", spec->file);
    if (!file) return false;
    MrnTraceSettings trace = {spec->threshold, spec->dark};
    MrnOutlineSet set;
    MrnError why = {0};
    if (!mrn_outline_set_read(spec->file, file->data, file->size, &trace, &set, &why))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "file"), NULL, builder->error, "%.800s", why.message);
    double tolerance = isnan(spec->simplify) ? (set.picture ? 0.3 : 0) : spec->simplify;
    Candidate *candidates = mrn_alloc(set.count, sizeof *candidates);
    for (size_t i = 0; i < set.count; i++) {
        Candidate *candidate = &candidates[i];
        candidate->vertices = set.vertices + 2 * set.start[i];
        candidate->count = mrn_outline_smooth(set.start[i + 1] - set.start[i], candidate->vertices, tolerance);
        for (size_t k = 0; k < 2 * candidate->count; k++) candidate->vertices[k] *= spec->unit;
        measure(candidate);
    }
    size_t wanted = 0, small = 0, lakes = 0;
    for (size_t i = 0; i < set.count; i++) {
        if (candidates[i].area < spec->smallest || !(candidates[i].area > 0))
            small++, candidates[i].count = 0;
        else if (set.picture && is_in_lake(candidates, set.count, i))
            lakes++, candidates[i].count = 0;
        wanted += candidates[i].count > 0;
    }
    bool good =
        wanted > 0 ||
        mrn_yaml_fail(mrn_yaml_at(spec->node, "smallest"), NULL, builder->error,
                      spec->smallest > 0 ? "all %zu outlines of %.100s are smaller"
                                         : "none of the %zu outlines of %.100s encloses an area: they are lines, "
                                           "or cross themselves",
                      set.count, spec->file);
    good = good && mrn_generator_expect(generator, (double)wanted);
    for (size_t i = 0; good && i < set.count; i++)
        if (candidates[i].count) good = add_outline(generator, spec, &candidates[i], i);
    if (good)
        mrn_generator_remark(generator, "%s: %zu outlines, %zu smaller ones and %zu in lakes left out", spec->file,
                             wanted, small, lakes);
    free(candidates);
    mrn_outline_set_free(&set);
    return good;
}
