// Generators: as many bodies as asked for, none overlapping (checked pair by pair), the same from the same seed, in the
// form they promise.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "geom/narrow.h"
#include "io/scene_build.h"
#include "scene_tools.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define HEAD                                                                                                           \
    "dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m2}, {name: rock, density: 2 kg/m2}]\n"
#define HEAD_3D                                                                                                        \
    "dimension: 3\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 900 kg/m3}, {name: rock, density: 2 kg/m3}]\n"

static MrnScene *generate(int dimension, const char *generator) {
    char text[2000];
    snprintf(text, sizeof text, "%sgenerate: [%s]\n", dimension == 2 ? HEAD : HEAD_3D, generator);
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
    if (!scene) fail_msg("%s: %s", generator, error.message);
    return scene;
}

static MrnPose pose_of(const MrnModel *model, const MrnBody *body) {
    MrnPose pose = {.position = mrn_load3(body->position)};
    if (model->dimension == 3) {
        pose.rotation = mrn_quat_matrix(mrn_quat_load(body->start->rotation));
        return pose;
    }
    double c = cos(body->start->rotation[0]), s = sin(body->start->rotation[0]);
    pose.position.z = 0;
    pose.rotation = (MrnMat3){{{c, -s, 0}, {s, c, 0}, {0, 0, 1}}};
    return pose;
}

/// Deepest overlap of any two bodies, over the size of the smaller one.
static double worst_overlap(const MrnModel *model, size_t *touching) {
    double worst = 0;
    MrnTouches touches = {0};
    *touching = 0;
    for (size_t i = 0; i < model->bodies.count; i++)
        for (size_t j = i + 1; j < model->bodies.count; j++) {
            const MrnBody *a = &model->bodies.data[i], *b = &model->bodies.data[j];
            if (a->kind != MRN_BODY_FREE && b->kind != MRN_BODY_FREE) continue;
            double size = fmin(a->size, b->size),
                   distance = mrn_norm3(mrn_sub3(mrn_load3(a->position), mrn_load3(b->position)));
            if (distance > a->reach + b->reach + size) continue;
            MrnPose pose_a = pose_of(model, a), pose_b = pose_of(model, b);
            touches.count = 0;
            for (int s = 0; s < a->shape_count; s++)
                for (int t = 0; t < b->shape_count; t++)
                    (model->dimension == 2 ? mrn_touch_2d : mrn_touch_3d)(
                        &model->shapes.data[a->first_shape + s], &pose_a, &model->shapes.data[b->first_shape + t],
                        &pose_b, 1e-9 * size, &touches);
            if (touches.count) ++*touching;
            for (size_t k = 0; k < touches.count; k++) worst = fmax(worst, -touches.data[k].gap / size);
        }
    mrn_array_free(&touches);
    return worst;
}

typedef struct Row {
    int dimension;
    size_t count;
    bool touching; ///< neighbours are meant to touch
    const char *text;
} Row;

// clang-format off
static const Row rows[] = {
    {2, 12, false, "{grid: {shape: {disc: 10 cm}, count: [4, 3], spacing: 0.3 0.3 m, jitter: 4 cm, size_spread: 0.1}}"},
    {2, 30, true, "{grid: {shape: {rectangle: 2 1 m}, count: [5, 6], spacing: 2 1 m}}"},
    {2, 100, false, "{grid: {shape: {irregular: {radius: 10 cm, irregularity: 0.9, outline: star}}, count: [10, 10], spacing: 0.2 0.2 m, random_rotation: true}}"},
    {2, 25, false, "{grid: {shape: {rectangle: 3 1 cm, position: 1 0 cm}, count: [5, 5], spacing: 7 7 cm, size_spread: 0.2, random_rotation: true, jitter: 1 mm}}"},
    {3, 24, false, "{grid: {shape: {box: 1 2 3 cm}, count: [2, 3, 4], spacing: 5 5 5 cm, random_rotation: true, jitter: 2 mm}}"},
    {3, 27, false, "{grid: {shape: {irregular: {radius: 1 cm, corners: 20, irregularity: 0.9}}, count: [3, 3, 3], spacing: 2 2 2 cm}}"},
    {2, 400, false, "{fill: {count: 400, radius: {uniform: {low: 2 cm, high: 5 cm}}, region: {box: {low: 0, high: 2 2 m}}}}"},
    {2, 300, false, "{fill: {count: 300, radius: {power_law: {low: 1 cm, high: 30 cm, exponent: 1.5}}, region: {ball: {radius: 2 m}}}}"},
    {2, 200, false, "{fill: {count: 200, grain: star, irregularity: 0.8, corners: 11, radius: 5 cm, gap: 1 mm, region: {box: {low: 0, high: 2 2 m}}}}"},
    {2, 500, false, "{fill: {count: 500, grain: convex, irregularity: 0.9, corners: 3, radius: {uniform: {low: 2 cm, high: 5 cm}}, placing: lattice, region: {box: {low: 0, high: 2 6 m}}}}"},
    {3, 200, false, "{fill: {count: 200, radius: {lognormal: {median: 5 cm, deviation: 0.5, low: 1 cm, high: 12 cm}}, region: {tube: {radius: 50 cm, length: 1 m, axis: [1, 2, 3]}}}}"},
    {3, 100, false, "{fill: {count: 100, grain: convex, corners: 14, irregularity: 0.6, radius: 8 cm, region: {ball: {radius: 70 cm}}}}"},
    {3, 300, true, "{fill: {count: 300, radius: 5 cm, placing: lattice, region: {box: {low: 0, high: 1 1 1 m}}}}"},
    {2, 105, true, "{lattice: {radius: 5 cm, region: {box: {low: 0, high: 1 1 m}}}}"},
    {2, 100, true, "{lattice: {radius: 5 cm, arrangement: square, region: {box: {low: 0, high: 1 1 m}}}}"},
    {3, 125, true, "{lattice: {radius: 10 cm, arrangement: cubic, region: {box: {low: 0, high: 1 1 1 m}}}}"},
    {3, 172, true, "{lattice: {radius: 10 cm, arrangement: fcc, region: {box: {low: 0, high: 1.1 1.1 1.1 m}}}}"},
    {2, 27, true, "{wall: {brick: 20 10 cm, courses: 6, bricks: 4}}"},
    {3, 27, true, "{wall: {brick: 20 10 6 cm, courses: 6, bricks: 4, gap: 5 mm}}"},
    {2, 3, true, "{wall: {brick: 20 10 cm, courses: 2, bricks: 1}}"},
    {2, 23, true, "{arch: {inner_radius: 2 m, thickness: 40 cm, voussoirs: 21}}"},
    {2, 7, true, "{arch: {inner_radius: 2 m, thickness: 1 m, voussoirs: 5, springing: 30 deg}}"},
    {3, 11, true, "{arch: {inner_radius: 2 m, thickness: 40 cm, voussoirs: 11, depth: 1 m, abutments: false}}"},
    {2, 9, true, "{stack: {shape: {rectangle: 20 10 cm}, count: 9}}"},
    {3, 9, false, "{stack: {shape: {cylinder: {radius: 10 cm, height: 5 cm}}, count: 9, gap: 1 mm}}"},
    {2, 55, true, "{pyramid: {shape: {rectangle: 20 10 cm}, base: 10, gap: 1 mm}}"},
    {3, 55, true, "{pyramid: {shape: {box: 20 20 10 cm}, base: 5}}"},
    {2, 1, false, "{container: {low: 0, high: 1 1 m}}"},
    {3, 1, false, "{container: {low: 0, high: 1 1 1 m, lid: true}}"},
    {2, 2, false, "{drum: {radius: 1 m}}, {stack: {shape: {disc: 10 cm}, count: 1}}"},
    {3, 2, false, "{drum: {radius: 1 m, length: 1 m}}, {stack: {shape: {sphere: 10 cm}, count: 1}}"},
    {2, 1, false, "{hopper: {outlet: 1 m, top: 2 m, height: 1 m}}"},
    {3, 1, false, "{hopper: {outlet: 1 m, top: 2 m, height: 1 m, wall_height: 1 m}}"},
};
// clang-format on
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static void generators_make_what_is_asked_for_without_overlap(void **state) {
    (void)state;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        MrnScene *scene = generate(rows[i].dimension, rows[i].text);
        if (mrn_model_body_count(scene->model) != rows[i].count)
            fail_msg("%s: %zu bodies, wanted %zu", rows[i].text, mrn_model_body_count(scene->model), rows[i].count);
        size_t touching;
        double overlap = worst_overlap(scene->model, &touching);
        if (!(overlap < 1e-12)) fail_msg("%s: overlap %g", rows[i].text, overlap);
        if ((touching > 0) != rows[i].touching) fail_msg("%s: %zu pairs touch", rows[i].text, touching);
        mrn_scene_free(scene);
    }
}

static void same_seed_gives_the_same_bodies_and_another_seed_others(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "fill: {count: 50, grain: convex, radius: {uniform: {low: 2 cm, high: 5 cm}}, region: {box: {low: 0, high: 2 2 "
        "m}}}",
        "fill: {count: 50, radius: {uniform: {low: 2 cm, high: 5 cm}}, placing: lattice, region: {box: {low: 0, high: "
        "2 2 m}}}",
        "grid: {shape: {disc: 10 cm}, count: [4, 3], spacing: 0.3 0.3 m, jitter: 4 cm}",
        "grid: {shape: {irregular: 10 cm}, count: [4, 3], spacing: 0.3 0.3 m}",
    };
    for (size_t i = 0; i < sizeof bodies / sizeof *bodies; i++) {
        uint64_t prints[3];
        for (int k = 0; k < 3; k++) {
            char text[500];
            snprintf(text, sizeof text, "{seed: %d, %s}", k == 2 ? 5 : 4, bodies[i]);
            MrnScene *scene = generate(2, text);
            prints[k] = scene_fingerprint(scene);
            mrn_scene_free(scene);
        }
        assert_true(prints[0] == prints[1]);
        assert_true(prints[0] != prints[2]);
    }
}

static void generated_bodies_are_numbered(void **state) {
    (void)state;
    MrnScene *scene = generate(2, "{name: brick, wall: {brick: 20 10 cm, courses: 2, bricks: 3}}, {name: arch, arch: "
                                  "{inner_radius: 9 m, thickness: 1 m, voussoirs: 2}}, "
                                  "{name: floor, container: {low: 0, high: 1 1 m}}, {name: one, stack: {shape: {disc: "
                                  "1 m}, count: 1, position: 50 0 m}}");
    static const char *const names[] = {"brick-1",   "brick-7",    "arch-1", "arch-2",
                                        "arch-left", "arch-right", "floor",  "one"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        assert_true(mrn_model_find_body(scene->model, names[i]) >= 0);
    assert_int_equal(mrn_model_find_body(scene->model, "brick-8"), -1);
    mrn_scene_free(scene);
}

/// Radii of the discs of a fill.
static double *fill_radii(const char *radius, size_t count, MrnScene **scene) {
    char text[500];
    snprintf(text, sizeof text,
             "{fill: {count: %zu, radius: %s, placing: lattice, region: {box: {low: 0, high: 1000 1000 m}}}}", count,
             radius);
    *scene = generate(2, text);
    double *radii = malloc(count * sizeof *radii);
    for (size_t i = 0; i < count; i++)
        radii[i] = (*scene)->model->shapes.data[(*scene)->model->bodies.data[i].first_shape].radius;
    return radii;
}

static void sizes_follow_their_distribution(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    MrnScene *scene;
    double *radii = fill_radii("{uniform: {low: 1 cm, high: 3 cm}}", COUNT, &scene), sum = 0;
    for (size_t i = 0; i < COUNT; i++) sum += radii[i];
    assert_true(fabs(sum / COUNT - 0.02) < 4 * 0.02 / sqrt(12.0 * COUNT)); // four standard deviations of the mean
    free(radii);
    mrn_scene_free(scene);

    // Power law: the share above r is (r^-a - high^-a) / (low^-a - high^-a).
    radii = fill_radii("{power_law: {low: 1 cm, high: 10 cm, exponent: 2}}", COUNT, &scene);
    for (double r = 0.015; r < 0.1; r += 0.01) {
        double above = 0, wanted = (pow(r, -2) - pow(0.1, -2)) / (pow(0.01, -2) - pow(0.1, -2));
        for (size_t i = 0; i < COUNT; i++) above += radii[i] > r;
        assert_true(fabs(above / COUNT - wanted) < 4 * sqrt(wanted * (1 - wanted) / COUNT));
    }
    for (size_t i = 0; i < COUNT; i++) assert_true(radii[i] >= 0.01 && radii[i] <= 0.1);
    free(radii);
    mrn_scene_free(scene);

    // Lognormal cut at one and two deviations: shares from the normal law.
    radii =
        fill_radii("{lognormal: {median: 2 cm, deviation: 0.5, low: 1.2130613194252668 cm, high: 5.43656365691809 cm}}",
                   COUNT, &scene);
    double below = 0, low = 0.5 * erfc(1 / sqrt(2)), high = 0.5 * erfc(-2 / sqrt(2)),
           wanted = (0.5 - low) / (high - low);
    for (size_t i = 0; i < COUNT; i++) {
        below += radii[i] < 0.02;
        assert_true(radii[i] >= 0.0121 && radii[i] <= 0.0544);
    }
    assert_true(fabs(below / COUNT - wanted) < 4 * sqrt(wanted * (1 - wanted) / COUNT));
    free(radii);
    mrn_scene_free(scene);
}

static void arch_has_the_mass_of_its_wedges(void **state) {
    (void)state;
    MrnScene *scene = generate(2, "{arch: {inner_radius: 2 m, thickness: 50 cm, voussoirs: 12, springing: 15 deg}}");
    // Each wedge between chords: (outer^2 - inner^2) sin(step) / 2.
    double step = PI * 150 / 180 / 12, mass = 0, height = 0;
    for (size_t i = 0; i < 12; i++) {
        const MrnBody *body = &scene->model->bodies.data[i];
        mass += body->mass;
        height += body->position[1] * body->mass;
        assert_int_equal(body->kind, MRN_BODY_FREE);
    }
    assert_true(fabs(mass - 12 * 900 * 0.5 * (2.5 * 2.5 - 4) * sin(step)) < 1e-9 * mass);
    // The mass centre of a wedge is on its middle ray at two thirds of (outer^3 - inner^3)/(outer^2 - inner^2)
    // cos(step/2).
    double radius = 2.0 / 3 * (15.625 - 8) / (6.25 - 4) * cos(step / 2), sum = 0;
    for (int i = 0; i < 12; i++) sum += sin(PI / 12 + (i + 0.5) * step);
    assert_true(fabs(height / mass - radius * sum / 12) < 1e-12);
    assert_int_equal(scene->model->bodies.data[12].kind, MRN_BODY_FIXED);
    assert_int_equal(scene->model->bodies.data[13].kind, MRN_BODY_FIXED);
    mrn_scene_free(scene);
}

static void courses_of_a_wall_are_flush_and_bonded(void **state) {
    (void)state;
    MrnScene *scene = generate(2, "{wall: {brick: 20 10 cm, courses: 5, bricks: 6, gap: 4 mm, position: 3 7 m}}");
    double left[5], right[5], joint[5];
    for (int c = 0; c < 5; c++) left[c] = INFINITY, right[c] = -INFINITY, joint[c] = INFINITY;
    for (size_t i = 0; i < scene->model->bodies.count; i++) {
        const MrnBody *body = &scene->model->bodies.data[i];
        MrnPose pose = pose_of(scene->model, body);
        MrnBox box = mrn_shape_bounds(&scene->model->shapes.data[body->first_shape], &pose);
        int course = (int)floor((box.low.y - 7) / 0.1 + 0.5);
        assert_true(course >= 0 && course < 5);
        left[course] = fmin(left[course], box.low.x);
        right[course] = fmax(right[course], box.high.x);
        if (box.high.x < 3.3) joint[course] = fmin(joint[course], box.high.x);
    }
    for (int c = 0; c < 5; c++) {
        assert_true(fabs(left[c] - 3) < 1e-12 && fabs(right[c] - (3 + 6 * 0.2 + 5 * 0.004)) < 1e-12);
        if (c) assert_true(fabs(joint[c] - joint[c - 1]) > 0.05); // upright joints do not lie above each other
    }
    mrn_scene_free(scene);
}

static void walls_of_containers_and_drums_face_inwards(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        static const char *const texts[] = {"{container: {low: -1 -2 m, high: 3 4 m, lid: true}}",
                                            "{container: {low: -1 -2 -3 m, high: 3 4 5 m, lid: true}}"};
        MrnScene *scene = generate(dimension, texts[dimension - 2]);
        const MrnModel *model = scene->model;
        assert_int_equal(model->shapes.count, 2 * dimension);
        const double low[3] = {-1, -2, -3}, high[3] = {3, 4, 5};
        for (size_t i = 0; i < model->shapes.count; i++) {
            const MrnShape *wall = &model->shapes.data[i];
            MrnVec3 normal = dimension == 2 ? mrn_vec3(-sin(wall->rotation[0]), cos(wall->rotation[0]), 0)
                                            : mrn_quat_rotate(mrn_quat_load(wall->rotation), mrn_vec3(0, 0, 1));
            double n[3];
            mrn_store3(n, normal);
            for (int k = 0; k < dimension; k++) {
                if (fabs(n[k]) < 0.5) continue;
                assert_true(fabs(fabs(n[k]) - 1) < 1e-15);
                assert_true(wall->position[k] == (n[k] > 0 ? low[k] : high[k]));
            }
        }
        mrn_scene_free(scene);
    }
    MrnScene *scene = generate(3, "{drum: {radius: 1 m, length: 2 m, angular_velocity: 1 rad/s, position: 5 6 7 m}}, "
                                  "{stack: {shape: {sphere: 10 cm}, count: 1, position: 5 6 7 m}}");
    const MrnModel *model = scene->model;
    assert_true(model->drivers.data[0].axis[1] == 1 && model->drivers.data[0].angular_velocity == 1);
    MrnVec3 axis = mrn_quat_rotate(mrn_quat_load(model->shapes.data[0].rotation), mrn_vec3(0, 0, 1));
    assert_true(fabs(axis.y - 1) < 1e-15);
    for (int side = 1; side <= 2; side++) { // end plates face each other
        const MrnShape *plate = &model->shapes.data[side];
        MrnVec3 normal = mrn_quat_rotate(mrn_quat_load(plate->rotation), mrn_vec3(0, 0, 1));
        assert_true(normal.y * plate->position[1] < 0 && fabs(plate->position[1]) == 1);
    }
    mrn_scene_free(scene);
}

static void grains_stay_in_their_region(void **state) {
    (void)state;
    MrnScene *scene = generate(3, "{fill: {count: 100, radius: {uniform: {low: 2 cm, high: 8 cm}}, region: {tube: "
                                  "{centre: 1 2 3 m, axis: [1, 1, 0], radius: 50 cm, length: 1 m}}}}");
    MrnVec3 axis = mrn_vec3(sqrt(0.5), sqrt(0.5), 0);
    for (size_t i = 0; i < 100; i++) {
        MrnVec3 d = mrn_sub3(mrn_load3(scene->model->bodies.data[i].position), mrn_vec3(1, 2, 3));
        double along = mrn_dot3(d, axis), across = mrn_norm3(mrn_axpy3(d, -along, axis)),
               radius = scene->model->shapes.data[scene->model->bodies.data[i].first_shape].radius;
        assert_true(fabs(along) + radius <= 0.5 + 1e-12 && across + radius <= 0.5 + 1e-12);
    }
    mrn_scene_free(scene);
}

static void irregular_grains_are_sound_and_stay_in_their_circle(void **state) {
    (void)state;
    static const double irregularities[] = {0, 0.3, 0.7, 0.99};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (size_t corners = 3; corners < 14; corners++)
            for (size_t k = 0; k < sizeof irregularities / sizeof *irregularities; k++)
                for (int star = 0; star <= 3 - dimension; star++)
                    for (uint64_t entity = 0; entity < 60; entity++) {
                        MrnShape shape = mrn_irregular_shape(dimension, 2, corners, irregularities[k], star == 1,
                                                             (MrnDraw){corners, entity});
                        for (size_t i = 0; i < shape.vertex_count; i++) {
                            const double *v = shape.vertices + i * (size_t)dimension;
                            assert_true(hypot(hypot(v[0], v[1]), dimension == 3 ? v[2] : 0) <= 2 * (1 + 1e-12));
                        }
                        MrnError error = {0};
                        if (!mrn_shape_prepare(&shape, &error))
                            fail_msg("%dD, %zu corners, irregularity %g, star %d: %s", dimension, corners,
                                     irregularities[k], star, error.message);
                        assert_true(mrn_shape_mass(&shape, 1).mass > 0);
                        mrn_shape_free(&shape);
                    }
}

static void many_grains_of_very_different_size_are_placed_quickly(void **state) {
    (void)state;
    MrnScene *scene = generate(2, "{fill: {count: 20000, radius: {power_law: {low: 1 cm, high: 1 m, exponent: 1.8}}, "
                                  "region: {box: {low: 0, high: 20 20 m}}}}");
    assert_int_equal(mrn_model_body_count(scene->model), 20000);
    mrn_scene_free(scene);
}

static void two_fills_of_one_region_overlap_and_are_refused_by_name_and_depth(void **state) {
    (void)state;
    // One grain each, as large as their region: they lie on each other.
    MrnScene *scene = generate(
        2, "{name: left, seed: 1, fill: {count: 1, radius: 1 m, region: {box: {low: -1 -1 m, high: 1 1 m}}}}, "
           "{name: right, seed: 2, fill: {count: 1, radius: 1 m, region: {box: {low: 0.5 -1 m, high: 2.5 1 m}}}}");
    MrnError error = {0};
    assert_null(mrn_world_new(scene->model, &scene->scheme, &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message,
                        "'left' and 'right' overlap by 0.5 m at the start, near (0.75, 0) m; move one by at "
                        "least that");
    mrn_scene_free(scene);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(generators_make_what_is_asked_for_without_overlap),
        cmocka_unit_test(same_seed_gives_the_same_bodies_and_another_seed_others),
        cmocka_unit_test(generated_bodies_are_numbered),
        cmocka_unit_test(sizes_follow_their_distribution),
        cmocka_unit_test(arch_has_the_mass_of_its_wedges),
        cmocka_unit_test(courses_of_a_wall_are_flush_and_bonded),
        cmocka_unit_test(walls_of_containers_and_drums_face_inwards),
        cmocka_unit_test(grains_stay_in_their_region),
        cmocka_unit_test(irregular_grains_are_sound_and_stay_in_their_circle),
        cmocka_unit_test(two_fills_of_one_region_overlap_and_are_refused_by_name_and_depth),
        cmocka_unit_test(many_grains_of_very_different_size_are_placed_quickly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
