// Generators of piles: grains that a source lays one by one during the run, and a rough ground of fixed grains
// (Moreau 2003, 9.2).
//
// Where a poured grain appears is decided during the run (model/source.c); here are its size and the time it comes.
#include "io/generate.h"
#include "base/hash.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static MrnShape ball(const MrnGenerator *generator, double radius) {
    MrnShape shape = mrn_shape_defaults(generator->builder->dimension == 2 ? MRN_SHAPE_DISC : MRN_SHAPE_SPHERE);
    shape.radius = radius;
    shape.material = generator->material;
    return shape;
}

static double draw_radius(const MrnGenerator *generator, const MrnSizeSpec *spec, uint64_t entity) {
    return mrn_size_at(spec, mrn_random_unit(generator->seed, entity, MRN_DRAW_SIZE));
}

static bool add_ball(MrnGenerator *generator, MrnBodyDef *def, double radius) {
    MrnShape shape = ball(generator, radius);
    def->shapes = &shape;
    def->shape_count = 1;
    bool good = mrn_generator_add(generator, def, NULL);
    mrn_shape_free(&shape);
    return good;
}

bool mrn_generate_pour(MrnGenerator *generator, const MrnPourSpec *spec) {
    MrnSceneBuilder *builder = generator->builder;
    double low, high;
    if (!mrn_generator_expect(generator, (double)spec->count) || !mrn_size_limits(builder, spec->radius, &low, &high))
        return false;
    MrnSource source = mrn_source_defaults();
    source.first = mrn_model_body_count(builder->model);
    source.count = (size_t)spec->count;
    memcpy(source.position, spec->position, sizeof source.position);
    source.spread = spec->spread;
    source.verticals = (int)spec->verticals;
    source.drop = spec->drop;
    if (!isnan(spec->highest)) source.highest = spec->highest;
    if (!isnan(spec->lost_beyond)) source.lost_beyond = spec->lost_beyond;
    source.seed = generator->seed;
    if (source.lost_beyond <= source.spread)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "lost_beyond"), NULL, builder->error,
                             "found %.6g m, wanted more than \"spread\", which is %.6g m", source.lost_beyond,
                             source.spread);
    for (size_t i = 0; i < source.count; i++) {
        MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FREE);
        memcpy(def.position, spec->position, sizeof def.position);
        def.birth = spec->start + (double)(i + 1) / spec->rate;
        if (!add_ball(generator, &def, draw_radius(generator, spec->radius, i))) return false;
    }
    MrnError why = {0};
    if (mrn_model_add_source(builder->model, &source, &why) >= 0) return true;
    return mrn_yaml_fail(spec->node, NULL, builder->error, "%s", why.message);
}

typedef struct Stone {
    double place[2], radius;
} Stone;

/// Stones in square cells, so that a new one meets only those near it.
typedef struct Cells {
    double width;
    size_t mask;
    int *first, *next; ///< hash slot to stone, stone to stone; -1 ends
} Cells;

static size_t slot_of(const Cells *cells, int64_t x, int64_t y) {
    const int64_t key[2] = {x, y};
    return (size_t)mrn_hash_bytes(11, key, sizeof key) & cells->mask;
}

static bool is_free(const Cells *cells, const Stone *stones, const Stone *stone, double closeness) {
    int64_t cx = (int64_t)floor(stone->place[0] / cells->width), cy = (int64_t)floor(stone->place[1] / cells->width);
    for (int64_t y = cy - 1; y <= cy + 1; y++)
        for (int64_t x = cx - 1; x <= cx + 1; x++)
            for (int i = cells->first[slot_of(cells, x, y)]; i >= 0; i = cells->next[i]) {
                double dx = stone->place[0] - stones[i].place[0], dy = stone->place[1] - stones[i].place[1];
                double least = closeness * (stone->radius + stones[i].radius);
                if (dx * dx + dy * dy < least * least) return false;
            }
    return true;
}

/// Darts that a stone may miss in a row before the ground counts as full.
#define MISSES 200000

/// Throw stones at a disc (2D: a segment) until there is no room for the next. A stone keeps its size until it finds
/// room, so that the sizes have the distribution they were drawn from.
static size_t throw_stones(const MrnGenerator *generator, const MrnPavingSpec *spec, double largest, Stone *stones,
                           size_t limit) {
    int across = generator->builder->dimension - 1;
    size_t slots = 64, count = 0;
    while (slots < 2 * limit) slots *= 2;
    Cells cells = {.width = 2 * spec->closeness * largest, .mask = slots - 1};
    cells.first = mrn_alloc(slots, sizeof *cells.first);
    cells.next = mrn_alloc(limit, sizeof *cells.next);
    memset(cells.first, -1, slots * sizeof *cells.first);
    for (; count < limit; count++) {
        Stone stone = {{0, 0}, draw_radius(generator, spec->radius, count)};
        uint64_t miss = 0;
        for (; miss < MISSES; miss++) {
            double u = mrn_random_unit(generator->seed, count, MRN_DRAW_PLACE + 2 * miss),
                   v = mrn_random_unit(generator->seed, count, MRN_DRAW_PLACE + 2 * miss + 1);
            double distance = spec->extent * (across == 1 ? 2 * u - 1 : sqrt(u)), angle = 2 * PI * v;
            stone.place[0] = across == 1 ? distance : distance * cos(angle);
            stone.place[1] = across == 1 ? 0 : distance * sin(angle);
            if (is_free(&cells, stones, &stone, spec->closeness)) break;
        }
        if (miss == MISSES) break;
        size_t slot =
            slot_of(&cells, (int64_t)floor(stone.place[0] / cells.width), (int64_t)floor(stone.place[1] / cells.width));
        stones[count] = stone;
        cells.next[count] = cells.first[slot];
        cells.first[slot] = (int)count;
    }
    free(cells.first);
    free(cells.next);
    return count;
}

bool mrn_generate_paving(MrnGenerator *generator, const MrnPavingSpec *spec) {
    MrnSceneBuilder *builder = generator->builder;
    double low, high;
    if (!mrn_size_limits(builder, spec->radius, &low, &high)) return false;
    // Discs of half the least distance do not overlap, so no more than this fit.
    double ratio = (spec->extent + spec->closeness * high) / (spec->closeness * low);
    double limit = builder->dimension == 2 ? ceil(ratio) + 1 : ceil(ratio * ratio) + 1;
    if (!(limit <= (double)mrn_scene_max_bodies))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "radius"), NULL, builder->error,
                             "the grains are too small for so large a paving");
    Stone *stones = mrn_alloc((size_t)limit, sizeof *stones);
    size_t count = throw_stones(generator, spec, high, stones, (size_t)limit);
    bool good = mrn_generator_expect(generator, (double)count);
    generator->total = 2; // numbered even if there is only one
    for (size_t i = 0; i < count && good; i++) {
        MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FIXED);
        memcpy(def.position, spec->position, sizeof def.position);
        def.position[0] += stones[i].place[0];
        if (builder->dimension == 3) def.position[1] += stones[i].place[1];
        good = add_ball(generator, &def, stones[i].radius);
    }
    free(stones);
    return good;
}
