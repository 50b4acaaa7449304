// The event-driven stepper: collisions whose outcome is known, obstacles, periodic planes, what it refuses, and that
// nothing ever overlaps. The published cases are in `moraine verify`.
#include "collide/floe_pair.h"
#include "floe_scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double computed, double expected, double tolerance) {
    if (!(fabs(computed - expected) <= tolerance))
        fail_msg("computed %.17g, expected %.17g, tolerance %g", computed, expected, tolerance);
}

static void equal_squares_exchange_their_velocities(void **state) {
    (void)state;
    for (int stepping = 0; stepping < 2; stepping++) {
        MrnModel *model = floe_model(0, 1, 0);
        int a = add_box(model, 1, 1, 1, 0, 0, MRN_BODY_FREE), b = add_box(model, 1, 1, 1, 2, 0, MRN_BODY_FREE);
        MrnScheme scheme = floe_scheme(0.1, MRN_CONTACTS_ACTIVE);
        scheme.event_driven.stepping = (MrnStepping)stepping;
        MrnWorld *world = floe_world(model, &scheme);
        assert_non_null(world);
        set_velocity(world, a, 1, 0, 0);
        double impulse = 0;
        MrnCollisionCount count = {0};
        for (int step = 0; step < 30; step++) {
            MrnStepInfo info;
            assert_true(mrn_world_step(world, &info, NULL));
            impulse += info.normal_impulse;
            mrn_collision_count_add(&count, &info);
        }
        assert_near(impulse, 1, 1e-12);
        assert_int_equal(count.components, 1);
        assert_int_equal(count.collisions, 2); // both corners of the flush faces
        assert_int_equal(count.lcp_solves, 2); // compression and decompression
        assert_int_equal(count.lcp_failures, 0);
        assert_near(mrn_world_velocity(world, a)[0], 0, 1e-12);
        assert_near(mrn_world_velocity(world, b)[0], 1, 1e-12);
        assert_near(mrn_world_spin(world, a)[0], 0, 1e-12);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void discs_collide_like_their_closed_form(void **state) {
    (void)state;
    MrnModel *model = floe_model(0, 0.5, 0);
    MrnShape disc = mrn_shape_defaults(MRN_SHAPE_DISC);
    disc.radius = 1;
    MrnBodyDef def = mrn_body_defaults(2);
    def.mass = 2, def.shape_count = 1, def.shapes = &disc;
    int a = mrn_model_add_body(model, &def, NULL);
    def.mass = 1, def.position[0] = 3, def.position[1] = 1;
    int b = mrn_model_add_body(model, &def, NULL);
    MrnScheme scheme = floe_scheme(0.05, MRN_CONTACTS_ACTIVE);
    MrnWorld *world = floe_world(model, &scheme);
    set_velocity(world, a, 1, 0, 0);
    MrnStepInfo info = {0};
    while (info.collisions == 0 && mrn_world_time(world) < 3) assert_true(mrn_world_step(world, &info, NULL));
    // The normal is that of the moment of the impact; along it the relative velocity is reversed and halved.
    MrnContactView contact = mrn_world_contact(world, 0);
    const double *va = mrn_world_velocity(world, a), *vb = mrn_world_velocity(world, b), *n = contact.normal;
    assert_near((va[0] - vb[0]) * n[0] + (va[1] - vb[1]) * n[1], -0.5 * n[0], 1e-12);
    assert_near(-(va[0] - vb[0]) * n[1] + (va[1] - vb[1]) * n[0], -n[1], 1e-12);
    assert_near(2 * va[0] + vb[0], 2, 1e-13);
    assert_near(2 * va[1] + vb[1], 0, 1e-13);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_moving_obstacle_carries_a_floe_and_feels_its_momentum(void **state) {
    (void)state;
    MrnModel *model = floe_model(0.3, 0, 0);
    double bow[8] = {-2, -1, 2, -1, 2, 1, -2, 1};
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = 4, shape.vertices = bow;
    MrnBodyDef def = mrn_body_defaults(2);
    def.kind = MRN_BODY_DRIVEN;
    def.driver.kind = MRN_DRIVER_CONSTANT;
    def.driver.velocity[0] = 2;
    def.shape_count = 1, def.shapes = &shape;
    int ship = mrn_model_add_body(model, &def, NULL);
    int floe = add_box(model, 1, 1, 5, 4, 0, MRN_BODY_FREE);
    MrnScheme scheme = floe_scheme(0.1, MRN_CONTACTS_ACTIVE);
    MrnWorld *world = floe_world(model, &scheme);
    double impulse[3], moment[3], total = 0, work = 0;
    for (int k = 0; k < 20; k++) {
        MrnStepInfo info;
        assert_true(mrn_world_step(world, &info, NULL));
        mrn_world_contact_resultant(world, ship, impulse, moment);
        assert_near(info.obstacle_x * 0.1, impulse[0], 1e-12); // the record of the step table
        total += impulse[0], work += info.driver_work - info.dissipated_energy;
        assert_near(info.energy_defect, 0, 1e-12);
    }
    assert_near(mrn_world_velocity(world, floe)[0], 2, 1e-12);
    assert_near(total, -10, 1e-11);                            // what the floe gained
    assert_near(work, 10, 1e-11);                              // its energy: half of what the ship put in
    assert_near(mrn_world_position(world, ship)[0], 4, 1e-12); // on its course
    mrn_world_free(world);
    mrn_model_free(model);
}

// ---- packs ----

static void stir(MrnWorld *world, size_t count, double speed) {
    for (size_t b = 0; b < count; b++) {
        double angle = 2.399963 * (double)b;
        set_velocity(world, (int)b, speed * cos(angle), speed * sin(angle), 0.002 * sin(5.0 * (double)b));
    }
}

static void a_resumed_run_goes_on_bit_for_bit(void **state) {
    (void)state;
    MrnModel *model = pack_of_floes(40, 0.6, 3);
    assert_non_null(model);
    MrnScheme scheme = floe_scheme(10, MRN_CONTACTS_ACTIVE);
    scheme.event_driven.approach_rate = 1e-4;
    MrnWorld *whole = floe_world(model, &scheme), *first = floe_world(model, &scheme),
             *second = floe_world(model, &scheme);
    stir(whole, mrn_model_body_count(model), 0.3);
    stir(first, mrn_model_body_count(model), 0.3);
    run_until(whole, 600);
    run_until(first, 300);
    mrn_state_copy(mrn_world_state(second), mrn_world_state(first));
    mrn_world_state_changed(second);
    run_until(second, 600);
    assert_true(mrn_world_hash(whole) == mrn_world_hash(second));
    mrn_world_free(whole), mrn_world_free(first), mrn_world_free(second);
    mrn_model_free(model);
}

static void what_is_remembered_of_far_pairs_does_not_change_a_bit(void **state) {
    (void)state;
    MrnModel *model = pack_of_floes(60, 0.6, 13);
    uint64_t hash[2];
    double gap[2] = {INFINITY, INFINITY};
    int64_t substeps[2] = {0, 0};
    for (int k = 0; k < 2; k++) {
        MrnScheme scheme = floe_scheme(10, MRN_CONTACTS_ACTIVE);
        scheme.event_driven.approach_rate = 1e-4;
        MrnWorld *world = floe_world(model, &scheme);
        stir(world, mrn_model_body_count(model), 0.3);
        for (int step = 0; step < 100; step++) {
            MrnStepInfo info;
            assert_true(mrn_world_step(world, &info, NULL));
            gap[k] = fmin(gap[k], info.smallest_gap), substeps[k] += info.substeps;
            if (k) mrn_world_state_changed(world); // forgets
        }
        hash[k] = mrn_world_hash(world);
        mrn_world_free(world);
    }
    assert_true(hash[0] == hash[1]);
    assert_true(gap[0] == gap[1] && gap[0] > 0);
    assert_true(substeps[0] == substeps[1] && substeps[0] > 100);
    mrn_model_free(model);
}

static void threads_do_not_change_a_bit(void **state) {
    (void)state;
    MrnModel *model = pack_of_floes(30, 0.6, 5);
    uint64_t hash[2];
    for (int k = 0; k < 2; k++) {
        MrnScheme scheme = floe_scheme(10, MRN_CONTACTS_ACTIVE);
        scheme.threads = 1 + 2 * k;
        MrnWorld *world = floe_world(model, &scheme);
        stir(world, mrn_model_body_count(model), 0.3);
        run_until(world, 200);
        hash[k] = mrn_world_hash(world);
        mrn_world_free(world);
    }
    assert_true(hash[0] == hash[1]);
    mrn_model_free(model);
}

static void a_dense_pack_never_overlaps_under_any_bound_or_mode(void **state) {
    (void)state;
    for (int k = 0; k < 8; k++) {
        MrnModel *model = pack_of_floes(25, 0.7, 7);
        MrnScheme scheme = floe_scheme(10, k % 2 ? MRN_CONTACTS_SIMULTANEOUS : MRN_CONTACTS_ACTIVE);
        scheme.event_driven.approach_rate = 1e-4;
        scheme.event_driven.stepping = k < 2 ? MRN_STEPPING_LOCAL : MRN_STEPPING_GLOBAL;
        scheme.event_driven.bound = k < 4 ? MRN_BOUND_FEATURES : (MrnStepBound)(k / 2 - 1);
        MrnWorld *world = floe_world(model, &scheme);
        assert_non_null(world);
        size_t count = mrn_model_body_count(model);
        stir(world, count, 0.3);
        double energy, potential, least = INFINITY;
        mrn_world_energy(world, &energy, &potential);
        int64_t collisions = 0, failures = 0;
        for (int step = 0; step < 40; step++) {
            MrnStepInfo info;
            MrnError error = {0};
            assert_true(mrn_world_step(world, &info, &error));
            least = fmin(least, info.smallest_gap);
            collisions += info.collisions, failures += info.lcp_failures;
            assert_true(info.dissipated_energy >= -1e-9 * energy);
        }
        if (!(least > 0)) fail_msg("variant %d: smallest gap %g m", k, least);
        assert_true(collisions > 20);
        assert_int_equal(failures, 0);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void energy_balance_closes_in_a_pack(void **state) {
    (void)state;
    MrnModel *model = pack_of_floes(30, 0.7, 11);
    MrnScheme scheme = floe_scheme(10, MRN_CONTACTS_ACTIVE);
    scheme.event_driven.approach_rate = 1e-4;
    MrnWorld *world = floe_world(model, &scheme);
    stir(world, mrn_model_body_count(model), 0.3);
    double energy, potential;
    mrn_world_energy(world, &energy, &potential);
    for (int step = 0; step < 50; step++) {
        MrnStepInfo info;
        assert_true(mrn_world_step(world, &info, NULL));
        assert_near(info.energy_defect, 0, 1e-10 * energy);
    }
    mrn_world_free(world);
    mrn_model_free(model);
}

// ---- refusals ----

static void assert_refused(MrnModel *model, const MrnScheme *scheme, const char *message) {
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, scheme, &error);
    assert_null(world);
    assert_string_equal(error.message, message);
    mrn_model_free(model);
}

static void what_it_cannot_do_is_refused_with_a_reason(void **state) {
    (void)state;
    MrnScheme scheme = floe_scheme(0.1, MRN_CONTACTS_ACTIVE);
    MrnModel *model = mrn_model_new(3);
    mrn_model_add_material(model, "ice", 1);
    assert_refused(model, &scheme, "the event-driven stepper is for two dimensions");

    model = floe_model(0, 0, 0);
    add_box(model, 1, 1, 1, 0, 0, MRN_BODY_FREE);
    MrnPairLaw law = mrn_pair_law_defaults();
    law.tangential_restitution = 0.5;
    mrn_model_set_law(model, -1, -1, law);
    assert_refused(model, &scheme, "the event-driven stepper knows no tangential restitution (0.5)");

    model = floe_model(0, 0, 0);
    add_box(model, 1, 1, 1, 0, 0, MRN_BODY_FREE);
    MrnScheme touching = scheme;
    touching.event_driven.clearance = 0;
    assert_refused(model, &touching,
                   "event_driven: clearance is 0, must be above 0 and below 1: without it a corner that slides along a "
                   "floe which turns uses up its gap, and they overlap");

    model = floe_model(0, 0, 0);
    MrnShape ring = mrn_shape_defaults(MRN_SHAPE_RING);
    ring.radius = 5;
    MrnBodyDef def = mrn_body_defaults(2);
    def.name = "drum", def.kind = MRN_BODY_FIXED, def.shape_count = 1, def.shapes = &ring;
    mrn_model_add_body(model, &def, NULL);
    assert_refused(model, &scheme,
                   "'drum': a ring has no outline of edges, which the event-driven stepper needs; make it a chain");

    model = floe_model(0, 0, 0);
    add_box(model, 6, 6, 1, 5, 5, MRN_BODY_FREE);
    mrn_model_set_period(model, (double[2]){0, 0}, (double[2]){8, 10});
    assert_refused(model, &scheme,
                   "'body 1' may be 8.72528 m wide, which is too large for a periodic cell of 8 m by 10 m: it would "
                   "meet its own image");

    model = floe_model(0, 0, 0);
    add_box(model, 2, 2, 1, 0.5, 5, MRN_BODY_FREE);
    add_box(model, 2, 2, 1, 9.5, 5, MRN_BODY_FREE);
    mrn_model_set_period(model, (double[2]){0, 0}, (double[2]){10, 10});
    assert_refused(model, &scheme,
                   "'body 1' overlaps the image of 'body 2' that the periodic cell puts -10 m, 0 m away");

    model = floe_model(0, 0, 0);
    add_box(model, 1, 1, 1, 0, 0, MRN_BODY_FREE);
    mrn_model_set_period(model, (double[2]){-5, -5}, (double[2]){5, 5});
    scheme.stepper = "dem";
    assert_refused(model, &scheme, "a periodic plane is for the moreau-jean and event-driven steppers, not for dem");
    scheme.stepper = "event-driven";
    scheme.event_driven.collision_distance = 0;
    model = floe_model(0, 0, 0);
    add_box(model, 1, 1, 1, 0, 0, MRN_BODY_FREE);
    assert_refused(model, &scheme, "event_driven: collision distance is 0, must be > 0");
}

static void a_floe_leaves_the_cell_and_meets_its_neighbour_on_the_other_side(void **state) {
    (void)state;
    MrnModel *model = floe_model(0, 1, 0);
    int a = add_box(model, 1, 1, 1, 9, 5, MRN_BODY_FREE), b = add_box(model, 1, 1, 1, 3, 5, MRN_BODY_FREE);
    mrn_model_set_period(model, (double[2]){0, 0}, (double[2]){10, 10});
    MrnScheme scheme = floe_scheme(0.25, MRN_CONTACTS_ACTIVE);
    MrnWorld *world = floe_world(model, &scheme);
    set_velocity(world, a, 1, 0, 0);
    run_until(world, 6);
    assert_near(mrn_world_velocity(world, a)[0], 0, 1e-12);
    assert_near(mrn_world_velocity(world, b)[0], 1, 1e-12);
    // The whole trajectory is kept: a is beyond the cell, next to the image of where b was.
    assert_near(mrn_world_position(world, a)[0], 12, 0.01);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_block_that_slides_along_a_turning_plate_stays_off_it(void **state) {
    (void)state;
    // No force acts, yet the contact lasts: the plate turns into the path of the block.
    for (int stepping = MRN_STEPPING_LOCAL; stepping <= MRN_STEPPING_GLOBAL; stepping++)
        for (int elastic = 0; elastic < 2; elastic++) {
            MrnModel *model = floe_model(0, elastic ? 0.5 : 0, 0);
            int plate = add_box(model, 200, 20, 4e6, 0, 0, MRN_BODY_FREE),
                block = add_box(model, 4, 4, 16e3, 20, 12.02, MRN_BODY_FREE);
            MrnScheme scheme = floe_scheme(10, MRN_CONTACTS_ACTIVE);
            scheme.event_driven.stepping = (MrnStepping)stepping;
            MrnWorld *world = floe_world(model, &scheme);
            set_velocity(world, plate, 0, 0, 0.01);
            set_velocity(world, block, 0.3, 0.2, 0.01);
            double kinetic = INFINITY;
            for (int step = 0; step < 12; step++) {
                MrnStepInfo info;
                assert_true(mrn_world_step(world, &info, NULL));
                assert_true(info.penetration <= 0);
                assert_true(!(info.smallest_gap < 1e-4)); // the collision distance is 4 cm
                assert_true(info.substeps < 400);
                assert_true(info.kinetic_energy <= kinetic * (1 + 1e-9));
                kinetic = info.kinetic_energy;
            }
            mrn_world_free(world);
            mrn_model_free(model);
        }
}

/// In this pack a corner slides on an edge that turns towards it; every impact stops it, ever sooner.
static void a_corner_that_slides_into_an_edge_does_not_use_up_its_gap(void **state) {
    (void)state;
    MrnError error = {0};
    MrnScene *scene = mrn_scene_read(
        "gallery:floe_drift", (const char *const[]){"generate.floe.seed=287", "generate.floe.floes.concentration=0.7"},
        2, &error);
    assert_non_null(scene);
    MrnWorld *world = floe_world(scene->model, &scene->scheme);
    for (int b = 0; b < 350; b++) set_velocity(world, b, 0.1 * cos(2.399963 * b), 0.1 * sin(2.399963 * b), 0);
    for (int step = 0; step < 3; step++) {
        MrnStepInfo info;
        assert_true(mrn_world_step(world, &info, &error));
        assert_true(info.smallest_gap > 1e-6);
        assert_true(fabs(info.energy_defect) < 1e-9 * info.kinetic_energy);
    }
    mrn_world_free(world);
    mrn_scene_free(scene);
}

static void edges_on_one_line_do_not_cross_for_rounding(void **state) {
    (void)state;
    MrnError error = {0};
    MrnModel *model = floe_model(0, 0, 0);
    add_box(model, 2, 2, 1, 0, 0, MRN_BODY_FREE);
    add_box(model, 2, 2, 1, 8, 0, MRN_BODY_FREE);
    MrnFloeSet *floes = mrn_floe_set_new(model, &(MrnFloeRules){.collision_distance = 0.01}, &error);
    assert_non_null(floes);
    MrnFloeProbe probe = {0};
    for (int k = 0; k < 2000; k++) { // side by side, turned together: four edges lie on two lines
        double angle = 0.01 * k;
        MrnFloeQuery query = {.a = 0,
                              .b = 1,
                              .pose_a = mrn_floe_pose(mrn_vec2(100, 30), angle),
                              .pose_b = mrn_floe_pose(mrn_vec2(100 + 8 * cos(angle), 30 + 8 * sin(angle)), angle),
                              .distance_a = 0.02,
                              .distance_b = 0.02,
                              .reach = 10,
                              .cone_filter = true};
        mrn_floe_examine(floes, &query, &probe);
        assert_near(probe.separation, 6, 1e-12);
    }
    mrn_floe_probe_free(&probe);
    mrn_floe_set_free(floes);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_squares_exchange_their_velocities),
        cmocka_unit_test(discs_collide_like_their_closed_form),
        cmocka_unit_test(a_moving_obstacle_carries_a_floe_and_feels_its_momentum),
        cmocka_unit_test(a_resumed_run_goes_on_bit_for_bit),
        cmocka_unit_test(what_is_remembered_of_far_pairs_does_not_change_a_bit),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(a_dense_pack_never_overlaps_under_any_bound_or_mode),
        cmocka_unit_test(energy_balance_closes_in_a_pack),
        cmocka_unit_test(what_it_cannot_do_is_refused_with_a_reason),
        cmocka_unit_test(a_block_that_slides_along_a_turning_plate_stays_off_it),
        cmocka_unit_test(a_corner_that_slides_into_an_edge_does_not_use_up_its_gap),
        cmocka_unit_test(edges_on_one_line_do_not_cross_for_rounding),
        cmocka_unit_test(a_floe_leaves_the_cell_and_meets_its_neighbour_on_the_other_side),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
