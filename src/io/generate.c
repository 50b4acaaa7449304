// Generators of regular arrangements: grids, stacks, pyramids, brick walls, arches. Up is y in 2D and z in 3D.
#include "io/generate.h"
#include "base/random.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

bool mrn_generator_expect(MrnGenerator *generator, double total) {
    double all = total + (double)mrn_model_body_count(generator->builder->model);
    if (all > (double)mrn_scene_max_bodies)
        return mrn_yaml_fail(generator->node, NULL, generator->builder->error,
                             "found %.10g bodies in the scene, wanted at most %zu", all, mrn_scene_max_bodies);
    generator->total = (size_t)total;
    return true;
}

MrnBodyDef mrn_generator_body(const MrnGenerator *generator, MrnBodyKind kind) {
    MrnBodyDef def = mrn_body_defaults(generator->builder->dimension);
    def.kind = kind;
    if (kind == MRN_BODY_FREE) memcpy(def.velocity, generator->spec->velocity, sizeof def.velocity);
    def.group = (int)generator->spec->group;
    return def;
}

bool mrn_generator_add(MrnGenerator *generator, MrnBodyDef *def, const char *suffix) {
    const char *name = generator->spec->name;
    if (!suffix) generator->made++;
    if (!name) return mrn_build_add_body(generator->builder, generator->spec->node, def, NULL);
    size_t length = strlen(name) + (suffix ? strlen(suffix) : 0) + 24;
    char *full = mrn_alloc(length, 1);
    if (suffix)
        snprintf(full, length, suffix[0] ? "%s-%s" : "%s%s", name, suffix);
    else if (generator->total == 1)
        snprintf(full, length, "%s", name);
    else
        snprintf(full, length, "%s-%zu", name, generator->made);
    bool good = mrn_build_add_body(generator->builder, generator->spec->node, def, full);
    free(full);
    return good;
}

void mrn_generator_remark(MrnGenerator *generator, const char *format, ...) {
    MrnScene *scene = generator->builder->scene;
    char line[600];
    va_list list;
    va_start(list, format);
    vsnprintf(line, sizeof line, format, list);
    va_end(list);
    size_t old = scene->remarks ? strlen(scene->remarks) : 0, length = strlen(line);
    scene->remarks = mrn_realloc(scene->remarks, old + length + 2, 1);
    memcpy(scene->remarks + old, line, length);
    strcpy(scene->remarks + old + length, "\n");
}

void mrn_random_rotation(int dimension, MrnDraw draw, double rotation[4]) {
    double u = mrn_random_unit(draw.seed, draw.entity, MRN_DRAW_TURN);
    if (dimension == 2) {
        rotation[0] = 2 * PI * u;
        return;
    }
    // Uniform over all orientations (Shoemake 1992).
    double v = 2 * PI * mrn_random_unit(draw.seed, draw.entity, MRN_DRAW_TURN + 1),
           w = 2 * PI * mrn_random_unit(draw.seed, draw.entity, MRN_DRAW_TURN + 2);
    mrn_quat_store(rotation, (MrnQuat){sqrt(1 - u) * sin(v), sqrt(1 - u) * cos(v), sqrt(u) * sin(w), sqrt(u) * cos(w)});
}

/// The shape that a generator repeats, with the room it takes: its bounding box, and the radius of the ball that holds
/// it in any orientation.
typedef struct Pattern {
    MrnShape shape;
    double low[3], high[3];
    double reach;
    bool redraw; ///< an irregular shape: each body gets its own
} Pattern;

static bool is_irregular(const MrnSceneBuilder *builder, const MrnShapeSpec *spec) {
    if (spec->irregular) return true;
    for (size_t i = 0; spec->named && i < builder->root->shapes.count; i++) {
        const MrnShapeSpec *other = &builder->root->shapes.items[i];
        if (other != spec && strcmp(other->name, spec->named) == 0) return is_irregular(builder, other);
    }
    return false;
}

static bool make_pattern(MrnGenerator *generator, const MrnShapeSpec *spec, Pattern *pattern) {
    MrnSceneBuilder *builder = generator->builder;
    memset(pattern, 0, sizeof *pattern);
    if (!mrn_build_shape(builder, spec, generator->material, NULL, &pattern->shape)) {
        mrn_shape_free(&pattern->shape);
        return false;
    }
    if (!mrn_shape_is_solid(pattern->shape.kind)) {
        mrn_yaml_fail(spec->node, NULL, builder->error, "found the shape \"%s\", wanted one with mass",
                      mrn_shape_name(pattern->shape.kind));
        mrn_shape_free(&pattern->shape);
        return false;
    }
    MrnShape ready = mrn_shape_copy(&pattern->shape);
    MrnError ignored = {0}; // mrn_build_shape has tried it already
    mrn_shape_prepare(&ready, &ignored);
    MrnPose origin = {.rotation = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}};
    MrnBox box = mrn_shape_bounds(&ready, &origin);
    mrn_store3(pattern->low, box.low);
    mrn_store3(pattern->high, box.high);
    pattern->reach = mrn_shape_reach(&ready);
    mrn_shape_free(&ready);
    pattern->redraw = is_irregular(builder, spec);
    if (pattern->redraw) { // any outline fits in the circle about the place of the shape
        double offset = mrn_norm3(mrn_load3(pattern->shape.position)), radius = 0;
        int n = builder->dimension;
        for (size_t i = 0; i < pattern->shape.vertex_count; i++) {
            double square = 0;
            for (int k = 0; k < n; k++)
                square += pattern->shape.vertices[i * (size_t)n + (size_t)k] *
                          pattern->shape.vertices[i * (size_t)n + (size_t)k];
            radius = fmax(radius, sqrt(square));
        }
        const MrnShapeSpec *source = spec;
        while (!source->irregular) {
            size_t i = 0;
            while (strcmp(builder->root->shapes.items[i].name, source->named) != 0) i++;
            source = &builder->root->shapes.items[i];
        }
        radius = fmax(radius, source->irregular->radius);
        for (int k = 0; k < 3; k++)
            pattern->low[k] = pattern->shape.position[k] - radius,
            pattern->high[k] = pattern->shape.position[k] + radius;
        pattern->reach = offset + radius;
    }
    return true;
}

/// Add one body of the pattern; `entity` numbers its random draws.
static bool add_pattern(MrnGenerator *generator, const MrnShapeSpec *spec, const Pattern *pattern, uint64_t entity,
                        double scale, MrnBodyDef *def) {
    MrnDraw draw = {generator->seed, entity};
    MrnShape shape = {0};
    if (pattern->redraw) {
        if (!mrn_build_shape(generator->builder, spec, generator->material, &draw, &shape)) {
            mrn_shape_free(&shape);
            return false;
        }
    } else
        shape = mrn_shape_copy(&pattern->shape);
    if (scale != 1) mrn_scale_shape(&shape, scale);
    def->shapes = &shape;
    def->shape_count = 1;
    bool good = mrn_generator_add(generator, def, NULL);
    mrn_shape_free(&shape);
    return good;
}

static bool generate_grid(MrnGenerator *generator, const MrnGridSpec *spec) {
    MrnSceneBuilder *builder = generator->builder;
    int n = builder->dimension;
    double total = 1;
    for (int k = 0; k < n; k++) {
        if (spec->count[k] != floor(spec->count[k]))
            return mrn_yaml_fail(mrn_yaml_at(spec->node, "count"), NULL, builder->error, "wanted whole numbers");
        total *= spec->count[k];
    }
    if (!mrn_generator_expect(generator, total)) return false;
    Pattern pattern;
    if (!make_pattern(generator, spec->shape, &pattern)) return false;
    bool good = true;
    for (int k = 0; k < n && good; k++) {
        double extent = spec->random_rotation ? 2 * pattern.reach : pattern.high[k] - pattern.low[k];
        double needed = extent * (1 + spec->size_spread) + 2 * spec->jitter;
        if (spec->count[k] > 1 && spec->spacing[k] < needed * (1 - 1e-12))
            good =
                mrn_yaml_fail(mrn_yaml_at(spec->node, "spacing"), NULL, builder->error,
                              "found %.6g m along %c, wanted at least %.6g m: the largest size plus twice the jitter",
                              spec->spacing[k], "xyz"[k], needed);
    }
    size_t count[3] = {(size_t)spec->count[0], (size_t)spec->count[1], n == 3 ? (size_t)spec->count[2] : 1}, entity = 0;
    for (size_t z = 0; z < count[2] && good; z++)
        for (size_t y = 0; y < count[1] && good; y++)
            for (size_t x = 0; x < count[0] && good; x++, entity++) {
                const double step[3] = {(double)x, (double)y, (double)z};
                MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FREE);
                for (int k = 0; k < n; k++)
                    def.position[k] = spec->position[k] + step[k] * spec->spacing[k] +
                                      spec->jitter * mrn_random_between(generator->seed, entity,
                                                                        MRN_DRAW_JITTER + (uint64_t)k, -1, 1);
                double scale =
                    1 + spec->size_spread * mrn_random_between(generator->seed, entity, MRN_DRAW_SIZE, -1, 1);
                if (spec->random_rotation) mrn_random_rotation(n, (MrnDraw){generator->seed, entity}, def.rotation);
                good = add_pattern(generator, spec->shape, &pattern, entity, scale, &def);
            }
    mrn_shape_free(&pattern.shape);
    return good;
}

static bool generate_stack(MrnGenerator *generator, const MrnStackSpec *spec) {
    Pattern pattern;
    int up = generator->builder->dimension - 1;
    if (!mrn_generator_expect(generator, (double)spec->count) || !make_pattern(generator, spec->shape, &pattern))
        return false;
    bool good = true;
    for (int64_t i = 0; i < spec->count && good; i++) {
        MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FREE);
        memcpy(def.position, spec->position, sizeof def.position);
        def.position[up] += (double)i * (pattern.high[up] - pattern.low[up] + spec->gap) - pattern.low[up];
        good = add_pattern(generator, spec->shape, &pattern, (uint64_t)i, 1, &def);
    }
    mrn_shape_free(&pattern.shape);
    return good;
}

static bool generate_pyramid(MrnGenerator *generator, const MrnPyramidSpec *spec) {
    Pattern pattern;
    int n = generator->builder->dimension, up = n - 1;
    double base = (double)spec->base, total = n == 2 ? base * (base + 1) / 2 : base * (base + 1) * (2 * base + 1) / 6;
    if (!mrn_generator_expect(generator, total) || !make_pattern(generator, spec->shape, &pattern)) return false;
    bool good = true;
    uint64_t entity = 0;
    for (int64_t row = 0; row < spec->base && good; row++) {
        int64_t wide = spec->base - row, deep = n == 3 ? wide : 1;
        for (int64_t j = 0; j < deep && good; j++)
            for (int64_t i = 0; i < wide && good; i++, entity++) {
                MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FREE);
                const double step[2] = {(double)i - 0.5 * (double)(wide - 1), (double)j - 0.5 * (double)(deep - 1)};
                for (int k = 0; k < up; k++)
                    def.position[k] = spec->position[k] + step[k] * (pattern.high[k] - pattern.low[k] + spec->gap) -
                                      0.5 * (pattern.low[k] + pattern.high[k]);
                def.position[up] =
                    spec->position[up] + (double)row * (pattern.high[up] - pattern.low[up]) - pattern.low[up];
                good = add_pattern(generator, spec->shape, &pattern, entity, 1, &def);
            }
    }
    mrn_shape_free(&pattern.shape);
    return good;
}

/// A rectangle or box with its centre at the origin.
static MrnShape brick_shape(int dimension, int material, double length, const double size[3]) {
    MrnShape shape = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_POLYGON : MRN_SHAPE_BOX);
    shape.material = material;
    if (dimension == 3) {
        shape.half[0] = 0.5 * length, shape.half[1] = 0.5 * size[1], shape.half[2] = 0.5 * size[2];
        return shape;
    }
    double x = 0.5 * length, y = 0.5 * size[1];
    const double corners[] = {-x, -y, x, -y, x, y, -x, y};
    shape.vertex_count = 4;
    shape.vertices = memcpy(mrn_alloc(8, sizeof(double)), corners, sizeof corners);
    return shape;
}

static bool generate_wall(MrnGenerator *generator, const MrnWallSpec *spec) {
    int n = generator->builder->dimension, up = n - 1;
    double length = spec->brick[0], half = 0.5 * (length - spec->gap);
    if (!(half > 0))
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "gap"), NULL, generator->builder->error,
                             "wanted a gap smaller than the brick");
    double full_courses = ceil(0.5 * (double)spec->courses), split_courses = floor(0.5 * (double)spec->courses);
    if (!mrn_generator_expect(generator,
                              full_courses * (double)spec->bricks + split_courses * (double)(spec->bricks + 1)))
        return false;
    bool good = true;
    for (int64_t course = 0; course < spec->courses && good; course++) {
        bool split = course % 2 == 1;
        int64_t count = spec->bricks + (split ? 1 : 0);
        for (int64_t i = 0; i < count && good; i++) {
            bool is_half = split && (i == 0 || i == count - 1);
            double own = is_half ? half : length;
            double left = !split   ? (double)i * (length + spec->gap)
                          : i == 0 ? 0
                                   : half + spec->gap + (double)(i - 1) * (length + spec->gap);
            MrnShape shape = brick_shape(n, generator->material, own, spec->brick);
            MrnBodyDef def = mrn_generator_body(generator, MRN_BODY_FREE);
            def.position[0] = spec->position[0] + left + 0.5 * own;
            if (n == 3) def.position[1] = spec->position[1] + 0.5 * spec->brick[1];
            def.position[up] = spec->position[up] + ((double)course + 0.5) * spec->brick[up];
            def.shapes = &shape;
            def.shape_count = 1;
            good = mrn_generator_add(generator, &def, NULL);
            mrn_shape_free(&shape);
        }
    }
    return good;
}

/// The wedge of an arch between two rays; straight chords on both faces.
static bool add_voussoir(MrnGenerator *generator, const MrnArchSpec *spec, double from, double to, MrnBodyKind kind,
                         const char *suffix) {
    int n = generator->builder->dimension, up = n - 1;
    double inner = spec->inner_radius, outer = inner + spec->thickness, middle = 0.5 * (from + to),
           mean = 0.5 * (inner + outer);
    double centre[2] = {mean * cos(middle), mean * sin(middle)};
    const double corners[4][2] = {{inner * cos(from), inner * sin(from)},
                                  {outer * cos(from), outer * sin(from)},
                                  {outer * cos(to), outer * sin(to)},
                                  {inner * cos(to), inner * sin(to)}};
    MrnShape shape = mrn_shape_defaults(n == 2 ? MRN_SHAPE_POLYGON : MRN_SHAPE_POLYHEDRON);
    shape.material = generator->material;
    shape.vertex_count = n == 2 ? 4 : 8;
    shape.vertices = mrn_alloc(shape.vertex_count * (size_t)n, sizeof(double));
    for (size_t i = 0; i < shape.vertex_count; i++) {
        double *vertex = shape.vertices + i * (size_t)n;
        if (n == 3) vertex[1] = (i < 4 ? -0.5 : 0.5) * spec->depth;
        vertex[0] = corners[i % 4][0] - centre[0];
        vertex[up] = corners[i % 4][1] - centre[1];
    }
    MrnBodyDef def = mrn_generator_body(generator, kind);
    memcpy(def.position, spec->position, sizeof def.position);
    def.position[0] += centre[0];
    def.position[up] += centre[1];
    def.shapes = &shape;
    def.shape_count = 1;
    bool good = mrn_generator_add(generator, &def, suffix);
    mrn_shape_free(&shape);
    return good;
}

static bool generate_arch(MrnGenerator *generator, const MrnArchSpec *spec) {
    if (generator->builder->dimension == 3 && isnan(spec->depth))
        return mrn_yaml_fail(spec->node, NULL, generator->builder->error,
                             "missing key \"depth\", wanted a length > 0, such as 0.2 m");
    if (spec->voussoirs == 1 && spec->springing == 0)
        return mrn_yaml_fail(mrn_yaml_at(spec->node, "voussoirs"), NULL, generator->builder->error,
                             "found 1, wanted at least 2 for a semicircle");
    if (!mrn_generator_expect(generator, (double)spec->voussoirs)) return false;
    double first = spec->springing, count = (double)spec->voussoirs, step = (PI - 2 * first) / count;
    for (int64_t i = 0; i < spec->voussoirs; i++)
        if (!add_voussoir(generator, spec, first + (double)i * step, first + (double)(i + 1) * step, MRN_BODY_FREE,
                          NULL))
            return false;
    if (!spec->abutments) return true;
    double below = fmin(step, 0.5);
    return add_voussoir(generator, spec, first - below, first, MRN_BODY_FIXED, "right") &&
           add_voussoir(generator, spec, first + count * step, first + count * step + below, MRN_BODY_FIXED, "left");
}

bool mrn_generate(MrnSceneBuilder *builder, const MrnGeneratorSpec *spec) {
    MrnGenerator generator = {.builder = builder, .spec = spec, .node = spec->node, .seed = (uint64_t)spec->seed};
    generator.material = mrn_build_material(builder, spec->node, spec->material);
    if (generator.material < 0) return false;
#define CASE(name) (spec->name && (generator.node = spec->name->node))
    if (CASE(grid)) return generate_grid(&generator, spec->grid);
    if (CASE(fill)) return mrn_generate_fill(&generator, spec->fill);
    if (CASE(lattice)) return mrn_generate_lattice(&generator, spec->lattice);
    if (CASE(wall)) return generate_wall(&generator, spec->wall);
    if (CASE(arch)) return generate_arch(&generator, spec->arch);
    if (CASE(stack)) return generate_stack(&generator, spec->stack);
    if (CASE(pyramid)) return generate_pyramid(&generator, spec->pyramid);
    if (CASE(container)) return mrn_generate_container(&generator, spec->container);
    if (CASE(pour)) return mrn_generate_pour(&generator, spec->pour);
    if (CASE(paving)) return mrn_generate_paving(&generator, spec->paving);
    if (CASE(drum)) return mrn_generate_drum(&generator, spec->drum);
    if (CASE(floes)) return mrn_generate_floes(&generator, spec->floes);
    if (CASE(outlines)) return mrn_generate_outlines(&generator, spec->outlines);
    if (CASE(hopper)) return mrn_generate_hopper(&generator, spec->hopper);
#undef CASE
    return mrn_yaml_fail(spec->node, NULL, builder->error, "nothing to generate");
}
