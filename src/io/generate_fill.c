// Generators of packings: random grains in a region, none overlapping, and regular lattices.
//
// Random placing throws grains one after the other, the largest first, and keeps those that touch no other. Neighbours
// are found in levels of cells: level l holds grains with radii between R/2^(l+1) and R/2^l in cells as wide as its
// largest grain, so that a grain looks at 3^dimension cells of each level of grains at least as large, whatever the
// ratio of sizes.
#include "io/generate.h"
#include "base/hash.h"
#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

static double normal_share(double z) {
    return 0.5 * erfc(-z / sqrt(2));
}

bool mrn_size_limits(MrnSceneBuilder *builder, const MrnSizeSpec *spec, double *low, double *high) {
    const MrnYaml *node = spec->node;
    if (spec->uniform)
        *low = spec->uniform->low, *high = spec->uniform->high, node = spec->uniform->node;
    else if (spec->power_law)
        *low = spec->power_law->low, *high = spec->power_law->high, node = spec->power_law->node;
    else if (spec->lognormal)
        *low = spec->lognormal->low, *high = spec->lognormal->high, node = spec->lognormal->node;
    else
        *low = *high = spec->value;
    if (*low > *high)
        return mrn_yaml_fail(mrn_yaml_at(node, "high"), NULL, builder->error,
                             "found %.6g m, wanted at least \"low\", which is %.6g m", *high, *low);
    return true;
}

double mrn_size_at(const MrnSizeSpec *spec, double u) {
    if (spec->uniform) return spec->uniform->low + u * (spec->uniform->high - spec->uniform->low);
    if (spec->power_law) {
        const MrnSizePowerSpec *law = spec->power_law;
        double ratio = pow(law->low / law->high, law->exponent);
        return fmin(law->high, law->low * pow(1 - u * (1 - ratio), -1 / law->exponent));
    }
    if (spec->lognormal) {
        const MrnSizeLognormalSpec *law = spec->lognormal;
        if (law->deviation == 0) return fmin(fmax(law->median, law->low), law->high);
        double a = log(law->low / law->median) / law->deviation, b = log(law->high / law->median) / law->deviation;
        double share = normal_share(a) + u * (normal_share(b) - normal_share(a));
        for (int i = 0; i < 60; i++) { // bisection: the quantile of the normal law cut at a and b
            double middle = 0.5 * (a + b);
            if (normal_share(middle) < share)
                a = middle;
            else
                b = middle;
        }
        return fmin(fmax(law->median * exp(law->deviation * 0.5 * (a + b)), law->low), law->high);
    }
    return spec->value;
}

/// Where grains may be.
typedef struct Region {
    int dimension;
    enum { REGION_BOX, REGION_BALL, REGION_TUBE } kind;
    double low[3], high[3]; ///< bounding box
    MrnVec3 centre, axis;
    double radius, half_length;
} Region;

static bool make_region(MrnSceneBuilder *builder, const MrnRegionSpec *spec, Region *region) {
    *region = (Region){.dimension = builder->dimension};
    if (spec->box) {
        memcpy(region->low, spec->box->low, sizeof region->low);
        memcpy(region->high, spec->box->high, sizeof region->high);
        for (int k = 0; k < builder->dimension; k++)
            if (!(region->low[k] < region->high[k]))
                return mrn_yaml_fail(mrn_yaml_at(spec->box->node, "high"), NULL, builder->error,
                                     "found %.6g m along %c, wanted more than \"low\", which is %.6g m",
                                     region->high[k], "xyz"[k], region -> low[k]);
        return true;
    }
    region->kind = spec->ball ? REGION_BALL : REGION_TUBE;
    region->radius = spec->ball ? spec->ball->radius : spec->tube->radius;
    region->centre = mrn_load3(spec->ball ? spec->ball->centre : spec->tube->centre);
    double reach[3] = {region->radius, region->radius, region->radius};
    if (spec->tube) {
        MrnVec3 axis = mrn_load3(spec->tube->axis);
        if (!(mrn_norm3(axis) > 0))
            return mrn_yaml_fail(mrn_yaml_at(spec->tube->node, "axis"), NULL, builder->error,
                                 "the axis has no direction");
        region->axis = mrn_normalize3(axis);
        region->half_length = 0.5 * spec->tube->length;
        double a[3];
        mrn_store3(a, region->axis);
        for (int k = 0; k < 3; k++)
            reach[k] = region->half_length * fabs(a[k]) + region->radius * sqrt(fmax(0, 1 - a[k] * a[k]));
    }
    const double centre[3] = {region->centre.x, region->centre.y, region->centre.z};
    for (int k = 0; k < builder->dimension; k++)
        region->low[k] = centre[k] - reach[k], region->high[k] = centre[k] + reach[k];
    return true;
}

/// A ball about p with this radius lies inside, up to rounding.
static bool inside(const Region *region, const double p[3], double radius) {
    double slack = 1e-12 * radius;
    for (int k = 0; k < region->dimension; k++)
        if (p[k] - radius < region->low[k] - slack || p[k] + radius > region->high[k] + slack) return false;
    if (region->kind == REGION_BOX) return true;
    MrnVec3 d = mrn_sub3(mrn_vec3(p[0], p[1], region->dimension == 3 ? p[2] : 0), region->centre);
    if (region->kind == REGION_BALL) return mrn_norm3(d) + radius <= region->radius + slack;
    double along = mrn_dot3(d, region->axis);
    return fabs(along) + radius <= region->half_length + slack &&
           mrn_norm3(mrn_axpy3(d, -along, region->axis)) + radius <= region->radius + slack;
}

typedef struct Grain {
    double radius, position[3];
    uint64_t number; ///< of its random draws
} Grain;

static int larger_first(const void *a, const void *b) {
    const Grain *x = a, *y = b;
    if (x->radius != y->radius) return x->radius > y->radius ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

/// Grains placed so far, in cells.
typedef struct Cells {
    int dimension, level_count;
    double largest, gap;
    size_t mask;
    int *first, *next; ///< hash slot to grain, grain to grain; -1 ends
} Cells;

static double level_radius(const Cells *cells, int level) {
    return ldexp(cells->largest, -level);
}

static int level_of(const Cells *cells, double radius) {
    int level = 0;
    while (level + 1 < cells->level_count && radius <= level_radius(cells, level + 1)) level++;
    return level;
}

static void cell_of(const Cells *cells, int level, const double p[3], int64_t cell[3]) {
    double width = 2 * level_radius(cells, level) + cells->gap;
    for (int k = 0; k < 3; k++) cell[k] = k < cells->dimension ? (int64_t)floor(p[k] / width) : 0;
}

static size_t cell_slot(const Cells *cells, int level, int64_t x, int64_t y, int64_t z) {
    const int64_t key[4] = {level, x, y, z};
    return (size_t)mrn_hash_bytes(7, key, sizeof key) & cells->mask;
}

static bool collides(const Cells *cells, const Grain *grains, const Grain *grain) {
    int own = level_of(cells, grain->radius), depth = cells->dimension == 3 ? 1 : 0;
    for (int level = 0; level <= own; level++) {
        int64_t c[3];
        cell_of(cells, level, grain->position, c);
        for (int64_t z = c[2] - depth; z <= c[2] + depth; z++)
            for (int64_t y = c[1] - 1; y <= c[1] + 1; y++)
                for (int64_t x = c[0] - 1; x <= c[0] + 1; x++)
                    for (int i = cells->first[cell_slot(cells, level, x, y, z)]; i >= 0; i = cells->next[i]) {
                        double square = 0, reach = grain->radius + grains[i].radius + cells->gap;
                        for (int k = 0; k < cells->dimension; k++) {
                            double d = grain->position[k] - grains[i].position[k];
                            square += d * d;
                        }
                        if (square < reach * reach) return true;
                    }
    }
    return false;
}

static void insert_grain(Cells *cells, const Grain *grains, int index) {
    int64_t c[3];
    int level = level_of(cells, grains[index].radius);
    cell_of(cells, level, grains[index].position, c);
    size_t slot = cell_slot(cells, level, c[0], c[1], c[2]);
    cells->next[index] = cells->first[slot];
    cells->first[slot] = index;
}

/// Throw every grain until it finds room. Returns the number of grains placed.
static size_t throw_grains(const Region *region, uint64_t seed, double gap, Grain *grains, size_t count) {
    enum { TRIES = 20000 };
    qsort(grains, count, sizeof *grains, larger_first);
    Cells cells = {.dimension = region->dimension, .largest = grains[0].radius, .gap = gap, .level_count = 1};
    while (cells.level_count < 60 && level_radius(&cells, cells.level_count) >= grains[count - 1].radius)
        cells.level_count++;
    size_t slots = 64;
    while (slots < 2 * count) slots *= 2;
    cells.mask = slots - 1;
    cells.first = mrn_alloc(slots, sizeof *cells.first);
    cells.next = mrn_alloc(count, sizeof *cells.next);
    memset(cells.first, -1, slots * sizeof *cells.first);
    size_t placed = 0;
    for (; placed < count; placed++) {
        Grain *grain = &grains[placed];
        int tries = 0;
        for (; tries < TRIES; tries++) {
            for (int k = 0; k < region->dimension; k++) {
                uint64_t draw = MRN_DRAW_PLACE + 3 * (uint64_t)tries + (uint64_t)k;
                grain->position[k] = mrn_random_between(seed, grain->number, draw, region->low[k] + grain->radius,
                                                        region->high[k] - grain->radius);
            }
            if (inside(region, grain->position, grain->radius) && !collides(&cells, grains, grain)) break;
        }
        if (tries == TRIES) break;
        insert_grain(&cells, grains, (int)placed);
    }
    free(cells.first);
    free(cells.next);
    return placed;
}

/// Rows from the bottom up, each grain moved at random within its cell. Returns the number of grains placed.
static size_t lay_grains(const Region *region, uint64_t seed, double gap, double largest, Grain *grains, size_t count) {
    double pitch = 2 * largest + gap;
    int n = region->dimension, up = n - 1;
    double cells[3] = {1, 1, 1};
    for (int k = 0; k < n; k++) cells[k] = floor((region->high[k] - region->low[k] + gap) / pitch + 1e-9);
    size_t placed = 0;
    double left = 1e7 + 1000.0 * (double)count; // a thin slanted tube could have almost all of its cells outside
    for (double row = 0; row < cells[up] && placed < count && left > 0; row++)
        for (double j = 0; j < (n == 3 ? cells[1] : 1) && placed < count && left > 0; j++)
            for (double i = 0; i < cells[0] && placed < count && left-- > 0; i++) {
                Grain *grain = &grains[placed];
                const double step[3] = {i, n == 3 ? j : row, row};
                double room = largest - grain->radius;
                for (int k = 0; k < n; k++)
                    grain->position[k] =
                        region->low[k] + largest + step[k] * pitch +
                        room * mrn_random_between(seed, grain->number, MRN_DRAW_JITTER + (uint64_t)k, -1, 1);
                if (inside(region, grain->position, grain->radius)) placed++;
            }
    return placed;
}

static MrnShape grain_shape(const MrnGenerator *generator, const MrnFillSpec *spec, const Grain *grain) {
    int n = generator->builder->dimension;
    MrnShape shape;
    if (spec->grain == 0) {
        shape = mrn_shape_defaults(n == 2 ? MRN_SHAPE_DISC : MRN_SHAPE_SPHERE);
        shape.radius = grain->radius;
    } else
        shape = mrn_irregular_shape(n, grain->radius, (size_t)spec->corners, spec->irregularity, spec->grain == 2,
                                    (MrnDraw){generator->seed, grain->number});
    shape.material = generator->material;
    return shape;
}

bool mrn_generate_fill(MrnGenerator *generator, const MrnFillSpec *spec) {
    MrnSceneBuilder *builder = generator->builder;
    Region region;
    double low, high;
    if (spec->grain == 2 && builder->dimension == 3)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "grain"), NULL, builder->error,
                             "found \"star\", wanted round or convex: polyhedra are convex");
    if (!mrn_generator_expect(generator, (double)spec->count) || !make_region(builder, spec->region, &region) ||
        !mrn_size_limits(builder, spec->radius, &low, &high))
        return false;
    for (int k = 0; k < builder->dimension; k++)
        if (!(fmax(fabs(region.low[k]), fabs(region.high[k])) < 1e12 * low))
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "radius"), NULL, builder->error,
                                 "the grains are too small for coordinates as large as those of the region");
    size_t count = (size_t)spec->count, placed;
    Grain *grains = mrn_alloc_zero(count, sizeof *grains);
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        grains[i].number = i;
        grains[i].radius = mrn_size_at(spec->radius, mrn_random_unit(generator->seed, i, MRN_DRAW_SIZE));
        largest = fmax(largest, grains[i].radius);
    }
    if (spec->placing == 0)
        placed = throw_grains(&region, generator->seed, spec->gap, grains, count);
    else
        placed = lay_grains(&region, generator->seed, spec->gap, largest, grains, count);
    bool good = placed == count;
    if (!good)
        mrn_yaml_fail(mrn_yaml_at(spec->node, "count"), NULL, builder->error,
                      "found room for %zu grains, wanted %zu: enlarge the region%s", placed, count,
                      spec->placing == 0 ? " or use placing: lattice" : "");
    for (size_t i = 0; i < count && good; i++) {
        MrnShape shape = grain_shape(generator, spec, &grains[i]);
        MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FREE);
        memcpy(def.position, grains[i].position, sizeof def.position);
        if (builder->dimension == 3 && spec->grain)
            mrn_random_rotation(3, (MrnDraw){generator->seed, grains[i].number}, def.rotation);
        def.shapes = &shape;
        def.shape_count = 1;
        good = mrn_generator_add(generator, &def, NULL);
        mrn_shape_free(&shape);
    }
    free(grains);
    return good;
}

enum { SQUARE, HEXAGONAL, CUBIC, FCC }; // the choices of lattice.arrangement

bool mrn_generate_lattice(MrnGenerator *generator, const MrnLatticeSpec *spec) {
    MrnSceneBuilder *builder = generator->builder;
    int n = builder->dimension;
    Region region;
    if (!make_region(builder, spec->region, &region)) return false;
    int arrangement = spec->arrangement >= 0 ? spec->arrangement : n == 2 ? HEXAGONAL : FCC;
    if ((arrangement >= CUBIC) != (n == 3))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "arrangement"), NULL, builder->error,
                             n == 2 ? "wanted square or hexagonal in 2D" : "wanted cubic or fcc in 3D");
    double pitch = 2 * spec->radius + spec->gap;
    // Steps of the three indices, and the shift of odd rows: all lattices are sub-lattices of a rectangular one.
    double step[3] = {pitch, pitch, pitch};
    if (arrangement == HEXAGONAL) step[0] = 0.5 * pitch, step[1] = sqrt(0.75) * pitch;
    if (arrangement == FCC) step[0] = step[1] = step[2] = pitch * sqrt(0.5);
    bool even_only = arrangement == HEXAGONAL || arrangement == FCC;
    double cells[3] = {1, 1, 1}, total = 1;
    for (int k = 0; k < n; k++) {
        cells[k] = fmin(1e15, fmax(0, floor((region.high[k] - region.low[k] - 2 * spec->radius) / step[k] + 1e-9) + 1));
        total *= cells[k];
    }
    if (!mrn_generator_expect(generator, floor(even_only ? 0.5 * total : total))) return false;
    generator->total = 2; // numbered even if only one fits
    for (double z = 0; z < cells[2]; z++)
        for (double y = 0; y < cells[1]; y++)
            for (double x = 0; x < cells[0]; x++) {
                if (even_only && fmod(x + y + (n == 3 ? z : 0), 2) != 0) continue;
                const double index[3] = {x, y, z};
                MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FREE);
                for (int k = 0; k < n; k++) def.position[k] = region.low[k] + spec->radius + index[k] * step[k];
                if (!inside(&region, def.position, spec->radius)) continue;
                MrnShape shape = mrn_shape_defaults(n == 2 ? MRN_SHAPE_DISC : MRN_SHAPE_SPHERE);
                shape.radius = spec->radius;
                shape.material = generator->material;
                def.shapes = &shape;
                def.shape_count = 1;
                if (!mrn_generator_add(generator, &def, NULL)) return false;
            }
    if (!generator->made)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "radius"), NULL, builder->error,
                             "no grain of this size fits in the region");
    return true;
}
