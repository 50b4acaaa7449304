// Sources: grains come at their times, lie where geometry says, overlap nothing, and a resumed pile is the same pile.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/model.h"
#include "model/source.h"
#include "scene_tools.h"
#include "step/stepper.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static MrnScene *parse(const char *text) {
    MrnError error = {0};
    MrnScene *scene = mrn_scene_parse(text, "scene.yaml", NULL, 0, NULL, 0, &error);
    if (!scene) fail_msg("%s", error.message);
    return scene;
}

static MrnWorld *world_of(const MrnScene *scene) {
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(scene->model, &scene->scheme, &error);
    if (!world) fail_msg("%s", error.message);
    return world;
}

static void step(MrnWorld *world, int count) {
    MrnError error = {0};
    for (int i = 0; i < count; i++)
        if (!mrn_world_step(world, NULL, &error)) fail_msg("%s", error.message);
}

#define HEAD_3D                                                                                                        \
    "dimension: 3\ngravity: 0 0 -9.81 m/s2\ntime: {step: 1 ms, end: 1 s}\nmaterials: [{name: sand, density: 1 g/cm3}]" \
    "\nlaws: [{friction: 0.5}]\n"
#define SMALL_PILE                                                                                                     \
    HEAD_3D "generate:\n"                                                                                              \
            "  - {name: ground, seed: 4, paving: {extent: 3 cm, radius: {uniform: {low: 1.25 mm, high: 2.5 mm}}}}\n"   \
            "  - {name: grain, seed: 5, pour: {count: 60, rate: 200 Hz, spread: 8 mm, lost_beyond: 3 cm,\n"            \
            "      radius: {uniform: {low: 1.25 mm, high: 2.5 mm}}}}\n"

/// Smallest gap between a body and all the other active ones: all are balls.
static double smallest_gap(const MrnModel *model, const MrnState *state, size_t b) {
    double smallest = INFINITY;
    size_t dim = (size_t)model->dimension;
    for (size_t j = 0; j < state->body_count; j++) {
        if (j == b || !state->active[j]) continue;
        double square = 0;
        for (size_t k = 0; k < dim; k++) square += pow(state->position[b * dim + k] - state->position[j * dim + k], 2);
        smallest = fmin(smallest, sqrt(square) - model->bodies.data[b].reach - model->bodies.data[j].reach);
    }
    return smallest;
}

static void grains_appear_at_rest_at_their_times_and_overlap_nothing(void **unused) {
    (void)unused;
    MrnScene *scene = parse(SMALL_PILE);
    MrnWorld *world = world_of(scene);
    MrnState *state = mrn_world_state(world);
    const MrnModel *model = scene->model;
    size_t first = model->sources.data[0].first, born = 0;
    for (int i = 0; i < 320; i++) {
        mrn_bodies_come_and_go(model, state); // what the step begins with
        for (size_t k = 0; k < 60; k++) {
            size_t b = first + k;
            bool due = (double)(k + 1) / 200 <= state->time[0];
            assert_true(state->active[b] == due || state->removed[b]);
            if (k < born || !due) continue;
            born++;
            for (int c = 0; c < 3; c++) assert_true(state->velocity[3 * b + (size_t)c] == 0);
            double gap = smallest_gap(model, state, b);
            assert_true(gap >= 0 && gap < 1e-9 * model->bodies.data[b].reach); // laid on something
            assert_true(hypot(state->position[3 * b], state->position[3 * b + 1]) <= 8e-3);
            assert_true(state->position[3 * b + 2] >= 0);
        }
        step(world, 1);
    }
    assert_int_equal(born, 60);
    mrn_world_free(world);
    mrn_scene_free(scene);
}

static void a_ball_on_one_vertical_lies_where_it_touches_the_ball_below(void **unused) {
    (void)unused;
    // A fixed ball of radius 3 off the axis by 2: a ball of radius 2 on the axis touches it at height sqrt(25 - 4).
    MrnScene *scene = parse(HEAD_3D "bodies: [{kind: fixed, shape: {sphere: 3 m}, position: 2 0 0 m}]\n"
                                    "generate: [{pour: {count: 1, rate: 1 kHz, radius: 2 m, drop: 0.5 m}}]\n");
    MrnState *state = mrn_state_new(scene->model);
    mrn_bodies_come_and_go(scene->model, state);
    assert_int_equal(state->active[1], 0);
    state->time[0] = 1e-3;
    mrn_bodies_come_and_go(scene->model, state);
    assert_int_equal(state->active[1], 1);
    assert_float_equal(state->position[5], sqrt(21) + 0.5, 1e-9);
    mrn_state_free(state);
    mrn_scene_free(scene);
}

static void a_disc_is_laid_on_a_slope(void **unused) {
    (void)unused;
    // On a line inclined by 30 degrees a disc of radius 1 on the vertical through a point of the line has its centre
    // 1 / cos 30 above it.
    MrnScene *scene = parse("dimension: 2\ntime: {end: 1 s}\nmaterials: [{name: ice, density: 1 kg/m2}]\n"
                            "bodies: [{kind: fixed, rotation: 30 deg, shape: {half_plane: {}}, position: 0 5 m}]\n"
                            "generate: [{pour: {count: 1, rate: 1 kHz, radius: 1 m}}]\n");
    MrnState *state = mrn_state_new(scene->model);
    state->time[0] = 1;
    mrn_bodies_come_and_go(scene->model, state);
    assert_int_equal(state->active[1], 1);
    double place = 5 + 1 / cos(3.14159265358979323846 / 6);
    assert_true(state->position[3] >= place - 1e-12 && state->position[3] < place + 0.03); // pushed up by small steps
    mrn_state_free(state);
    mrn_scene_free(scene);
}

static void more_verticals_find_lower_places(void **unused) {
    (void)unused;
    double mean[2];
    for (int many = 0; many < 2; many++) {
        char text[2000];
        snprintf(text, sizeof text,
                 HEAD_3D "generate:\n"
                         "  - {paving: {extent: 3 cm, radius: {uniform: {low: 1.25 mm, high: 2.5 mm}}}}\n"
                         "  - {pour: {count: 40, rate: 200 Hz, spread: 8 mm, verticals: %d, radius: 2 mm}}\n",
                 many ? 20 : 1);
        MrnScene *scene = parse(text);
        MrnState *state = mrn_state_new(scene->model);
        state->time[0] = 1; // all at once: they are laid on each other
        mrn_bodies_come_and_go(scene->model, state);
        mean[many] = 0;
        for (size_t b = scene->model->sources.data[0].first; b < state->body_count; b++) {
            assert_true(smallest_gap(scene->model, state, b) >= 0);
            mean[many] += state->position[3 * b + 2] / 40;
        }
        mrn_state_free(state);
        mrn_scene_free(scene);
    }
    assert_true(mean[1] < 0.7 * mean[0]);
}

static void a_grain_whose_place_is_too_high_waits_until_there_is_room(void **unused) {
    (void)unused;
    MrnScene *scene = parse(HEAD_3D "bodies: [{kind: fixed, shape: {plane: [0, 0, 1]}}]\n"
                                    "generate: [{pour: {count: 2, rate: 1 kHz, radius: 1 m, highest: 2.5 m}}]\n");
    MrnState *state = mrn_state_new(scene->model);
    state->time[0] = 1;
    mrn_bodies_come_and_go(scene->model, state);
    assert_int_equal(state->active[1], 1);
    assert_int_equal(state->active[2], 0);
    state->position[3] = 5; // the first rolls away
    mrn_bodies_come_and_go(scene->model, state);
    assert_int_equal(state->active[2], 1);
    mrn_state_free(state);
    mrn_scene_free(scene);
}

static void lost_grains_are_removed_and_do_not_come_back(void **unused) {
    (void)unused;
    MrnScene *scene = parse(HEAD_3D "generate: [{pour: {count: 2, rate: 1 kHz, radius: 1 m, lost_beyond: 5 m}}]\n");
    MrnState *state = mrn_state_new(scene->model);
    state->time[0] = 1;
    mrn_bodies_come_and_go(scene->model, state);
    state->position[0] = 5.1;  // too far
    state->position[5] = -5.1; // too deep
    for (int i = 0; i < 3; i++) {
        mrn_bodies_come_and_go(scene->model, state);
        for (int b = 0; b < 2; b++) {
            assert_int_equal(state->active[b], 0);
            assert_int_equal(state->removed[b], 1);
        }
    }
    mrn_state_free(state);
    mrn_scene_free(scene);
}

static void a_pour_resumed_from_its_state_is_the_same_pour(void **unused) {
    (void)unused;
    MrnScene *scene = parse(SMALL_PILE);
    MrnWorld *whole = world_of(scene), *first = world_of(scene), *second = world_of(scene);
    step(whole, 120);
    step(first, 57);
    mrn_state_copy(mrn_world_state(second), mrn_world_state(first));
    mrn_world_state_changed(second);
    step(second, 63);
    assert_true(mrn_world_hash(whole) == mrn_world_hash(second));
    mrn_world_free(whole);
    mrn_world_free(first);
    mrn_world_free(second);
    mrn_scene_free(scene);
}

static void a_paving_keeps_its_distances_and_leaves_no_hole_for_a_grain(void **unused) {
    (void)unused;
    MrnScene *scene =
        parse(HEAD_3D "generate: [{paving: {extent: 2 cm, radius: {uniform: {low: 1.25 mm, high: 2.5 mm}}}}]\n");
    const MrnModel *model = scene->model;
    size_t n = model->bodies.count;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        const MrnBody *a = &model->bodies.data[i];
        assert_int_equal(a->kind, MRN_BODY_FIXED);
        assert_true(hypot(a->position[0], a->position[1]) <= 0.02);
        sum += a->reach;
        for (size_t j = i + 1; j < n; j++) {
            const MrnBody *b = &model->bodies.data[j];
            double d = hypot(a->position[0] - b->position[0], a->position[1] - b->position[1]);
            assert_true(d >= 0.6 * (a->reach + b->reach));
        }
    }
    // The sizes keep their distribution: mean 1.875 mm, standard error 0.36 mm / sqrt(n).
    assert_float_equal(sum / (double)n, 1.875e-3, 4 * 0.361e-3 / sqrt((double)n));
    // The smallest grain cannot pass anywhere within the paving.
    for (double y = -0.017; y <= 0.017; y += 2e-4)
        for (double x = -0.017; x <= 0.017; x += 2e-4) {
            if (hypot(x, y) > 0.017) continue;
            bool blocked = false;
            for (size_t i = 0; i < n && !blocked; i++) {
                const MrnBody *a = &model->bodies.data[i];
                blocked = hypot(a->position[0] - x, a->position[1] - y) < a->reach + 1.25e-3;
            }
            if (!blocked) fail_msg("a hole at (%g, %g) m", x, y);
        }
    mrn_scene_free(scene);
}

static void sources_that_cannot_work_are_refused(void **unused) {
    (void)unused;
    MrnModel *model = mrn_model_new(3);
    mrn_model_add_material(model, "sand", 1000);
    MrnShape shapes[2] = {mrn_shape_defaults(MRN_SHAPE_SPHERE), mrn_shape_defaults(MRN_SHAPE_BOX)};
    shapes[0].radius = 1;
    shapes[1].half[0] = shapes[1].half[1] = shapes[1].half[2] = 1;
    static const double births[] = {0, 2, 1, 1};
    for (int i = 0; i < 4; i++) {
        MrnBodyDef def = mrn_body_defaults(3);
        def.shapes = &shapes[i == 3];
        def.shape_count = 1;
        def.birth = births[i];
        MrnError error = {0};
        assert_true(mrn_model_add_body(model, &def, &error) >= 0);
    }
    static const struct {
        size_t first, count;
        double spread;
        int verticals;
        const char *message;
    } wrong[] = {
        {2, 3, 0, 1, "a source has bodies that the model does not have"},
        {2, 1, -1, 1, "a source has a spread that is negative or not finite"},
        {2, 1, 0, 0, "a source needs at least one vertical"},
        {0, 1, 0, 1, "bodies of a source must be born after time 0"},
        {1, 2, 0, 1, "bodies of a source must be in the order of their births"},
        {2, 2, 0, 1, "bodies of a source must be free discs or balls"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        MrnSource source = mrn_source_defaults();
        source.first = wrong[i].first, source.count = wrong[i].count;
        source.spread = wrong[i].spread, source.verticals = wrong[i].verticals;
        MrnError error = {0};
        assert_int_equal(mrn_model_add_source(model, &source, &error), -1);
        assert_string_equal(error.message, wrong[i].message);
    }
    MrnSource source = mrn_source_defaults();
    source.first = 2, source.count = 1;
    assert_int_equal(mrn_model_add_source(model, &source, NULL), 0);
    assert_int_equal(mrn_model_add_source(model, &source, NULL), -1); // a body cannot come from two sources
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(grains_appear_at_rest_at_their_times_and_overlap_nothing),
        cmocka_unit_test(a_ball_on_one_vertical_lies_where_it_touches_the_ball_below),
        cmocka_unit_test(a_disc_is_laid_on_a_slope),
        cmocka_unit_test(more_verticals_find_lower_places),
        cmocka_unit_test(a_grain_whose_place_is_too_high_waits_until_there_is_room),
        cmocka_unit_test(lost_grains_are_removed_and_do_not_come_back),
        cmocka_unit_test(a_pour_resumed_from_its_state_is_the_same_pour),
        cmocka_unit_test(a_paving_keeps_its_distances_and_leaves_no_hole_for_a_grain),
        cmocka_unit_test(sources_that_cannot_work_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
