// Moreau-Jean stepping in a periodic plane: what happens across a border is what happens anywhere else.
#include "floe_scenes.h"
#include "model/model.h"
#include "model/state.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

/// cmocka compares numbers as float.
static void assert_near(double computed, double expected, double tolerance) {
    if (!(fabs(computed - expected) <= tolerance))
        fail_msg("computed %.17g, expected %.17g, tolerance %g", computed, expected, tolerance);
}

static MrnScheme scheme_of(double time_step) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = time_step;
    scheme.solver.tolerance = 1e-12;
    return scheme;
}

static void set_cell(MrnModel *model, double width, double height) {
    mrn_model_set_period(model, (double[2]){0, 0}, (double[2]){width, height});
}

static int add_disc(MrnModel *model, double radius, double mass, double x, double y) {
    MrnShape disc = mrn_shape_defaults(MRN_SHAPE_DISC);
    disc.radius = radius;
    MrnBodyDef def = mrn_body_defaults(2);
    def.mass = mass, def.shape_count = 1, def.shapes = &disc;
    def.position[0] = x, def.position[1] = y;
    return mrn_model_add_body(model, &def, NULL);
}

/// A force along x.
static void push(MrnModel *model, int body, double force) {
    MrnPush force_along_x = {.body = body, .force = {force, 0, 0}, .until = 100};
    assert_true(mrn_model_add_push(model, &force_along_x, NULL));
}

static double uniform(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) * 0x1p-53;
}

/// Floes of several kinds about a grid of 4 x 3 places in a cell of 8 m by 6 m, moved by (x, y); of body b also by
/// whole cells if `scattered`.
static MrnModel *pack_at(double x, double y, bool scattered) {
    MrnModel *model = floe_model(0.4, 0.5, 0);
    uint64_t seed = 7;
    for (int i = 0; i < 12; i++) {
        double at_x = 2 * (i % 4) + 1 + 0.3 * uniform(&seed) + x, at_y = 2 * (i / 4) + 1 + 0.3 * uniform(&seed) + y;
        if (scattered) at_x += 8 * (i % 5 - 2), at_y += 6 * (i % 3 - 1);
        if (i % 4 == 3)
            add_disc(model, 0.8, 2, at_x, at_y);
        else
            add_regular(model, 3 + i % 5, 0.82, i, 1 + 0.1 * i, at_x, at_y);
    }
    set_cell(model, 8, 6);
    return model;
}

static MrnWorld *moving_pack(const MrnModel *model, const MrnScheme *scheme) {
    MrnWorld *world = floe_world(model, scheme);
    assert_non_null(world);
    uint64_t seed = 11;
    for (int b = 0; b < 12; b++) {
        double u = 2 * uniform(&seed) - 1, v = 2 * uniform(&seed) - 1, w = 2 * uniform(&seed) - 1;
        set_velocity(world, b, u, v, w);
    }
    return world;
}

static void a_pair_collides_across_a_border_as_in_the_middle(void **state) {
    (void)state;
    const double corner[][2] = {{0, 0}, {5, 0}, {-5, 0}, {0, 5}, {0, -5}, {5, 5}, {-5, 5}, {4.3, -5.2}, {25, -45}};
    for (size_t k = 0; k < sizeof corner / sizeof *corner; k++)
        for (int round = 0; round < 2; round++) {
            MrnWorld *world[2];
            MrnModel *model[2];
            int64_t touched = 0;
            // Where the numbers are larger, so is the rounding of each step.
            double tolerance = 1e-13 * fmax(10, 2 * fmax(fabs(corner[k][0]), fabs(corner[k][1])));
            for (int moved = 0; moved < 2; moved++) {
                double x = 5 + moved * corner[k][0], y = 5 + moved * corner[k][1];
                MrnModel *m = model[moved] = floe_model(0.3, 0.6, 0);
                if (round)
                    add_disc(m, 0.7, 1, x - 1, y - 0.6), add_disc(m, 0.9, 2, x + 0.9, y + 0.7);
                else
                    add_regular(m, 5, 1, 0.2, 1, x - 1.2, y - 0.9), add_regular(m, 6, 1, 0.4, 2, x + 0.9, y + 1.1);
                // The second body is an image of the one that meets the first.
                set_cell(m, 10, 10);
                if (moved) m->bodies.data[1].position[0] += 10, m->bodies.data[1].position[1] -= 10;
                MrnScheme scheme = scheme_of(0.01);
                world[moved] = floe_world(m, &scheme);
                assert_non_null(world[moved]);
                set_velocity(world[moved], 0, 1, 0.7, 0.5);
                set_velocity(world[moved], 1, -0.5, -0.8, -0.3);
            }
            for (int step = 0; step < 300; step++) {
                MrnStepInfo info[2];
                for (int moved = 0; moved < 2; moved++) assert_true(mrn_world_step(world[moved], &info[moved], NULL));
                assert_int_equal(info[0].touching, info[1].touching);
                assert_int_equal(info[0].contacts, info[1].contacts);
                touched += info[0].touching;
                for (int b = 0; b < 2; b++) {
                    const double *x = mrn_world_position(world[0], b), *y = mrn_world_position(world[1], b);
                    assert_near(y[0] - x[0], corner[k][0] + 10 * b, tolerance);
                    assert_near(y[1] - x[1], corner[k][1] - 10 * b, tolerance);
                    assert_near(mrn_world_rotation(world[1], b)[0], mrn_world_rotation(world[0], b)[0], tolerance);
                }
            }
            assert_true(touched > 0);
            for (int moved = 0; moved < 2; moved++) mrn_world_free(world[moved]), mrn_model_free(model[moved]);
        }
}

static void a_pack_does_not_care_where_its_cell_is(void **state) {
    (void)state;
    const double moves[][2] = {{0, 0}, {0.5, 0}, {3.7, 5.1}, {-4, 3}, {801.25, -600.5}};
    double expected[12][3] = {{0}};
    int64_t touching = 0;
    for (size_t k = 0; k < 2 * sizeof moves / sizeof *moves; k++) {
        const double *by = moves[k / 2];
        MrnModel *model = pack_at(by[0], by[1], k % 2);
        MrnScheme scheme = scheme_of(0.01);
        MrnWorld *world = moving_pack(model, &scheme);
        double start[12][2];
        int64_t sum = 0;
        for (int b = 0; b < 12; b++) memcpy(start[b], mrn_world_position(world, b), sizeof start[b]);
        for (int step = 0; step < 400; step++) {
            MrnStepInfo info;
            assert_true(mrn_world_step(world, &info, NULL));
            sum += info.touching;
        }
        if (k == 0) touching = sum;
        assert_int_equal(sum, touching);
        for (int b = 0; b < 12; b++) {
            const double *x = mrn_world_position(world, b);
            double now[3] = {x[0] - start[b][0], x[1] - start[b][1], mrn_world_rotation(world, b)[0]};
            for (int i = 0; i < 3; i++)
                if (k == 0)
                    expected[b][i] = now[i];
                else
                    assert_near(now[i], expected[b][i], 1e-9);
        }
        mrn_world_free(world);
        mrn_model_free(model);
    }
    assert_true(touching > 20);
}

/// Also the impulses and their arms, as readers get them, are those that change the motion of each body.
static void momentum_changes_by_the_impulses_of_contacts_and_is_kept(void **state) {
    (void)state;
    MrnModel *model = pack_at(0, 0, true);
    MrnScheme scheme = scheme_of(0.01);
    MrnWorld *world = moving_pack(model, &scheme);
    double whole[2] = {0, 0}, energy = INFINITY;
    int across = 0;
    for (int step = 0; step <= 400; step++) {
        double before[12][3], sum[2] = {0, 0};
        for (int b = 0; b < 12; b++) {
            memcpy(before[b], mrn_world_velocity(world, b), 2 * sizeof(double));
            before[b][2] = mrn_world_spin(world, b)[0];
            for (int i = 0; i < 2; i++) sum[i] += model->bodies.data[b].mass * before[b][i];
        }
        for (int i = 0; i < 2; i++) {
            if (step == 0) whole[i] = sum[i];
            assert_near(sum[i], whole[i], 1e-12);
        }
        MrnStepInfo info;
        assert_true(mrn_world_step(world, &info, NULL));
        assert_near(info.energy_defect, 0, 1e-12);
        assert_true(info.kinetic_energy <= energy + 1e-9);
        energy = info.kinetic_energy;
        for (int b = 0; b < 12; b++) {
            double impulse[3], moment[3];
            mrn_world_contact_resultant(world, b, impulse, moment);
            const MrnBody *body = &model->bodies.data[b];
            for (int i = 0; i < 2; i++)
                assert_near(body->mass * (mrn_world_velocity(world, b)[i] - before[b][i]), impulse[i], 1e-12);
            assert_near(body->inertia[2] * (mrn_world_spin(world, b)[0] - before[b][2]), moment[2], 1e-12);
        }
        for (size_t c = 0; c < mrn_world_contact_count(world); c++) {
            MrnContactView view = mrn_world_contact(world, c);
            const double *x = mrn_world_position(world, view.body_b);
            across += view.normal_impulse > 0 && hypot(view.position[0] - x[0], view.position[1] - x[1]) > 1;
        }
    }
    assert_true(across > 5);
    mrn_world_free(world);
    mrn_model_free(model);
}

/// Bodies that fill the width of the cell, one of which is pushed: its push comes back to it from behind.
static void a_chain_that_closes_through_the_border_moves_as_one(void **state) {
    (void)state;
    for (int count = 2; count <= 5; count++) {
        MrnModel *model = floe_model(0.5, 0, 0);
        double width = 10.0 / count;
        for (int k = 0; k < count; k++) add_disc(model, width / 2, 1, k * width, 5);
        push(model, 1, 3);
        set_cell(model, 10, 10);
        MrnScheme scheme = scheme_of(0.01);
        MrnWorld *world = floe_world(model, &scheme);
        assert_non_null(world);
        for (int step = 1; step <= 700; step++) {
            MrnStepInfo info;
            assert_true(mrn_world_step(world, &info, NULL));
            assert_int_equal(mrn_world_contact_count(world), count);
            assert_int_equal(info.new_contacts, step == 1 ? count : 0);
            assert_true(info.touching >= count - 1);
            for (int k = 0; k < count; k++) {
                assert_near(mrn_world_velocity(world, k)[0], 3 * 0.01 * step / count, 1e-8);
                assert_near(mrn_world_velocity(world, k)[1], 0, 1e-12);
            }
        }
        assert_true(mrn_world_position(world, 0)[0] > 10); // all have crossed the border
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void a_contact_keeps_its_name_and_memory_where_its_pair_crosses_a_border(void **state) {
    (void)state;
    MrnModel *model = floe_model(0.5, 0, 0);
    int a = add_box(model, 1, 1, 1, 7, 8, MRN_BODY_FREE), b = add_box(model, 1, 0.6, 1, 8, 8, MRN_BODY_FREE);
    push(model, a, 1);
    push(model, b, -1);
    set_cell(model, 10, 10);
    MrnScheme scheme = scheme_of(0.01);
    MrnWorld *world = floe_world(model, &scheme);
    assert_non_null(world);
    set_velocity(world, a, 2, 1.5, 0);
    set_velocity(world, b, 2, 1.5, 0);
    uint64_t name = 0;
    for (int step = 0; step < 300; step++) {
        MrnStepInfo info;
        assert_true(mrn_world_step(world, &info, NULL));
        assert_int_equal(info.contacts, 2);
        assert_int_equal(info.new_contacts, step == 0 ? 2 : 0);
        if (step == 0) name = mrn_world_contact(world, 0).feature;
        assert_true(mrn_world_contact(world, 0).feature == name);
        assert_near(mrn_world_contact(world, 0).normal_impulse + mrn_world_contact(world, 1).normal_impulse, 0.01,
                    1e-9);
    }
    assert_true(mrn_world_position(world, a)[0] > 12.9 && mrn_world_position(world, b)[1] > 12.4);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_resumed_world_goes_on_bit_for_bit_whatever_its_threads(void **state) {
    (void)state;
    MrnModel *model = pack_at(0, 0, false);
    MrnScheme scheme = scheme_of(0.01);
    MrnWorld *whole = moving_pack(model, &scheme);
    for (int step = 0; step < 150; step++) assert_true(mrn_world_step(whole, NULL, NULL));
    scheme.threads = 3;
    MrnWorld *resumed = floe_world(model, &scheme);
    mrn_state_copy(mrn_world_state(resumed), mrn_world_state(whole));
    mrn_world_state_changed(resumed);
    for (int step = 0; step < 150; step++) {
        assert_true(mrn_world_step(whole, NULL, NULL) && mrn_world_step(resumed, NULL, NULL));
        assert_true(mrn_world_hash(whole) == mrn_world_hash(resumed));
    }
    mrn_world_free(whole);
    mrn_world_free(resumed);
    mrn_model_free(model);
}

static void contacts_do_not_depend_on_when_the_list_of_pairs_was_made(void **state) {
    (void)state;
    MrnModel *model = pack_of_floes(60, 0.6, 3);
    assert_non_null(model);
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = 10;
    MrnWorld *whole = floe_world(model, &scheme);
    assert_non_null(whole);
    for (int b = 0; b < 60; b++) set_velocity(whole, b, 0.3 * sin(b), 0.3 * cos(3 * b), 0);
    int64_t touching = 0;
    for (int round = 0; round < 20; round++) {
        MrnWorld *fresh = floe_world(model, &scheme);
        mrn_state_copy(mrn_world_state(fresh), mrn_world_state(whole));
        mrn_world_state_changed(fresh);
        MrnStepInfo info;
        assert_true(mrn_world_step(fresh, NULL, NULL) && mrn_world_step(whole, &info, NULL));
        assert_true(mrn_world_hash(whole) == mrn_world_hash(fresh));
        touching += info.touching;
        mrn_world_free(fresh);
        for (int step = 0; step < 7; step++) assert_true(mrn_world_step(whole, NULL, NULL));
    }
    assert_true(touching > 20);
    mrn_world_free(whole);
    mrn_model_free(model);
}

/// The wind drives the pack, and collisions, which depend on the stepper, keep its momentum.
static void both_steppers_let_a_pack_drift_alike(void **state) {
    (void)state;
    MrnModel *model = pack_of_floes(60, 0.6, 3);
    assert_non_null(model);
    double centre[2][2] = {{0, 0}, {0, 0}}, mass = 0;
    int64_t touching = 0;
    for (int k = 0; k < 2; k++) {
        MrnScheme scheme = mrn_scheme_defaults();
        scheme.stepper = k ? "moreau-jean" : "event-driven";
        scheme.time_step = 10;
        MrnWorld *world = floe_world(model, &scheme);
        assert_non_null(world);
        for (int step = 0; step < 1080; step++) {
            MrnStepInfo info;
            assert_true(mrn_world_step(world, &info, NULL));
            if (k) touching += info.touching;
        }
        mass = 0;
        for (size_t b = 0; b < model->bodies.count; b++) {
            const double *x = mrn_world_position(world, (int)b), *start = model->bodies.data[b].position;
            double m = model->bodies.data[b].mass;
            mass += m;
            for (int i = 0; i < 2; i++) centre[k][i] += m * (x[i] - start[i]);
        }
        mrn_world_free(world);
    }
    double length = hypot(centre[0][0], centre[0][1]) / mass;
    double apart = hypot(centre[1][0] - centre[0][0], centre[1][1] - centre[0][1]) / mass;
    assert_true(touching > 0 && length > 100);
    assert_near(apart / length, 0, 2e-3);
    mrn_model_free(model);
}

static void assert_refused(MrnModel *model, const MrnScheme *scheme, const char *message) {
    MrnError error = {0};
    assert_null(mrn_world_new(model, scheme, &error));
    assert_string_equal(error.message, message);
    mrn_model_free(model);
}

static void cells_that_do_not_fit_are_refused(void **state) {
    (void)state;
    MrnScheme scheme = scheme_of(0.01);
    MrnModel *model = floe_model(0, 0, 0);
    add_box(model, 6, 8, 1, 5, 5, MRN_BODY_FREE);
    set_cell(model, 9, 12);
    assert_refused(
        model, &scheme,
        "'body 1' may be 10 m wide, which is too large for a periodic cell of 9 m by 12 m: it would meet its "
        "own image");

    model = floe_model(0, 0, 0);
    add_box(model, 2, 2, 1, 0.5, 5, MRN_BODY_FREE);
    add_box(model, 2, 2, 1, 9.5, 5, MRN_BODY_FREE);
    set_cell(model, 10, 10);
    assert_refused(model, &scheme,
                   "'body 1' overlaps the image of 'body 2' that the periodic cell puts -10 m, 0 m away by 1 m");

    model = floe_model(0, 0, 0);
    MrnShape plane = mrn_shape_defaults(MRN_SHAPE_HALF_PLANE);
    MrnBodyDef def = mrn_body_defaults(2);
    def.name = "ground", def.kind = MRN_BODY_FIXED, def.shape_count = 1, def.shapes = &plane;
    mrn_model_add_body(model, &def, NULL);
    set_cell(model, 10, 10);
    assert_refused(model, &scheme, "'ground' has no end: a periodic plane has no room for it");

    model = floe_model(0, 0, 0);
    add_disc(model, 1, 1, 5, 5);
    set_cell(model, 10, 10);
    scheme.stepper = "dem";
    assert_refused(model, &scheme, "a periodic plane is for the moreau-jean and event-driven steppers, not for dem");

    model = floe_model(0, 0, 0);
    int body = add_disc(model, 1, 1, 5, 5);
    set_cell(model, 10, 10);
    scheme.stepper = "moreau-jean";
    MrnWorld *world = floe_world(model, &scheme);
    assert_non_null(world);
    MrnError error = {0};
    set_velocity(world, body, 380, 0, 0);
    assert_true(mrn_world_step(world, NULL, &error));
    set_velocity(world, body, 400, 0, 0);
    assert_false(mrn_world_step(world, NULL, &error));
    assert_string_equal(error.message,
                        "'body 1' may move 4.01 m in a step of 0.01 s, which is too far for a periodic cell whose "
                        "shorter side is 10 m and bodies up to 2 m wide; take a shorter time step");
    mrn_world_free(world);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pair_collides_across_a_border_as_in_the_middle),
        cmocka_unit_test(a_pack_does_not_care_where_its_cell_is),
        cmocka_unit_test(momentum_changes_by_the_impulses_of_contacts_and_is_kept),
        cmocka_unit_test(a_chain_that_closes_through_the_border_moves_as_one),
        cmocka_unit_test(a_contact_keeps_its_name_and_memory_where_its_pair_crosses_a_border),
        cmocka_unit_test(a_resumed_world_goes_on_bit_for_bit_whatever_its_threads),
        cmocka_unit_test(contacts_do_not_depend_on_when_the_list_of_pairs_was_made),
        cmocka_unit_test(both_steppers_let_a_pack_drift_alike),
        cmocka_unit_test(cells_that_do_not_fit_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
