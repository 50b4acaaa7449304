// The world: what it refuses, how piles rest, which contacts it keeps, and what it tells of them.
#include "core_support.h"

// ---- refusals ----

static void bodies_that_overlap_at_the_start_are_refused_with_names_and_depth(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 10);
    MrnShape ball = disc(1);
    MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
    def.name = "rock";
    add(model, &def);
    def.name = "stone";
    def.position[0] = 1.75;
    add(model, &def);
    MrnScheme scheme = mrn_scheme_defaults();
    MrnError error = {0};
    assert_null(mrn_world_new(model, &scheme, &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(
        error.message,
        "'rock' and 'stone' overlap by 0.25 m at the start, near (0.875, 0) m; move one by at least that");
    mrn_model_free(model);

    model = model_with(3, 0, 0, 10);
    add_ground(model, 0);
    MrnShape cube = box(0.5, 0.5, 0.5);
    def = body_at(model, &cube, 2, 3, 0.4);
    add(model, &def);
    assert_null(mrn_world_new(model, &scheme, &error));
    char wanted[] = "'ground' and 'body 2' overlap by 0.1 m at the start, near (";
    assert_memory_equal(error.message, wanted, sizeof wanted - 1);
    mrn_model_free(model);
}

static void the_deepest_of_several_overlaps_is_named(void **unused) {
    (void)unused;
    MrnModel *model = model_with(3, 0, 0, 0);
    MrnShape ball = sphere(1);
    for (int i = 0; i < 4; i++) {
        MrnBodyDef def = body_at(model, &ball, (double[]){0, 1.9, 3.6, 7}[i], 0, 0);
        add(model, &def);
    }
    MrnScheme scheme = mrn_scheme_defaults();
    MrnError error = {0};
    assert_null(mrn_world_new(model, &scheme, &error));
    assert_string_equal(
        error.message,
        "'body 2' and 'body 3' overlap by 0.3 m at the start, near (2.75, 0, 0) m; move one by at least that");
    mrn_model_free(model);
}

static void a_moving_wall_is_checked_where_it_starts(void **unused) {
    (void)unused;
    // At its reference position the wall is free of the ball; its motion starts a quarter of a period later, inside it.
    MrnModel *model = model_with(2, 0, 0, 0);
    MrnShape ball = disc(1);
    MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
    def.name = "ball";
    add(model, &def);
    def = body_at(model, &ball, 2.5, 0, 0);
    def.name = "piston";
    def.kind = MRN_BODY_DRIVEN;
    def.driver = (MrnDriver){
        .kind = MRN_DRIVER_SINE, .amplitude = {-1, 0, 0}, .frequency = 1, .phase = M_PI / 2, .axis = {0, 0, 1}};
    add(model, &def);
    MrnScheme scheme = mrn_scheme_defaults();
    MrnError error = {0};
    assert_null(mrn_world_new(model, &scheme, &error));
    assert_string_equal(
        error.message,
        "'ball' and 'piston' overlap by 0.5 m at the start, near (0.75, 0) m; move one by at least that");
    mrn_model_free(model);
}

static void bodies_of_one_group_may_overlap(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 0);
    MrnShape ball = disc(1);
    for (int i = 0; i < 2; i++) {
        MrnBodyDef def = body_at(model, &ball, i, 0, 0);
        def.group = 3;
        add(model, &def);
    }
    MrnScheme scheme = mrn_scheme_defaults();
    MrnWorld *world = start(model, &scheme);
    assert_int_equal(step(world).contacts, 0);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void schemes_that_make_no_sense_are_refused(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 0);
    MrnShape ball = disc(1);
    MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
    add(model, &def);
    MrnScheme good = mrn_scheme_defaults();
    MrnError error = {0};
#define REFUSED(field, value, text)                                                                                    \
    do {                                                                                                               \
        MrnScheme bad = good;                                                                                          \
        bad.field = value;                                                                                             \
        assert_null(mrn_world_new(model, &bad, &error));                                                               \
        assert_string_equal(error.message, text);                                                                      \
    } while (0)
    REFUSED(time_step, 0, "time step is 0 s, must be > 0");
    REFUSED(time_step, NAN, "time step is nan s, must be > 0");
    REFUSED(theta, 0.4, "theta is 0.4, must be between 0.5 and 1");
    REFUSED(gap_tolerance, -1, "gap tolerance is -1, must be >= 0");
    REFUSED(recovery, 2, "recovery is 2, must be between 0 and 1");
    REFUSED(recovery_speed, -1, "recovery speed is -1 m/s, must be >= 0");
    REFUSED(threads, 0, "number of threads is 0, must be at least 1");
    REFUSED(stepper, "verlet", "no stepper 'verlet'; there are: moreau-jean, event-driven, dem");
#undef REFUSED
    MrnScheme bad = good;
    bad.solver.solver = "magic";
    MrnWorld *world = start(model, &bad);
    MrnStepInfo info;
    assert_false(mrn_world_step(world, &info, &error));
    assert_string_equal(error.message, "there is no solver 'magic'; see the list of solvers");
    mrn_world_free(world);
    mrn_model_free(model);
}

// ---- piles ----

/// `count` bodies dropped in rows into a box.
static MrnModel *pile(int dimension, int count, int kind) {
    Draws draws = {81, 0};
    MrnModel *model = model_with(dimension, 0.5, 0, 9.81);
    add_ground(model, 0);
    int side = dimension == 2 ? 14 : 6;
    for (int wall = 0; wall < 2 * (dimension - 1); wall++) { // walls around
        double sign = wall % 2 ? 1 : -1, far = side + 0.05;
        Corners flat = rectangle(0.5, 60);
        MrnShape shape = dimension == 2 ? polygon(4, flat.at) : wall < 2 ? box(0.5, 30, 30) : box(30, 0.5, 30);
        double at = sign < 0 ? -1.1 : far;
        MrnBodyDef def = body_at(model, &shape, wall < 2 ? at : 3, wall < 2 ? (dimension == 2 ? 60 : 3) : at, 30);
        def.kind = MRN_BODY_FIXED;
        def.group = 9;
        add(model, &def);
    }
    for (int i = 0; i < count; i++) {
        double r = draw(&draws, 0.3, 0.45), outline[14];
        int corners = 3 + i % 5;
        for (int k = 0; k < corners; k++)
            outline[2 * k] = r * cos(2 * M_PI * k / corners), outline[2 * k + 1] = r * sin(2 * M_PI * k / corners);
        MrnShape shape = dimension == 2 ? polygon((size_t)corners, outline)
                         : kind == 0    ? sphere(r)
                                        : box(0.6 * r, 0.5 * r, 0.4 * r);
        int row = i / side;
        MrnBodyDef def = body_at(model, &shape, i % side, dimension == 2 ? 0.5 + row : row % side, 0.5 + row / side);
        if (dimension == 2)
            def.rotation[0] = draw(&draws, 0, 6);
        else
            mrn_quat_store(def.rotation,
                           mrn_quat_exp(mrn_vec3(draw(&draws, -1, 1), draw(&draws, -1, 1), draw(&draws, -1, 1))));
        def.velocity[0] = draw(&draws, -0.3, 0.3);
        add(model, &def);
    }
    return model;
}

/// A world with the state of another and its own scheme.
static MrnWorld *goes_on(const MrnModel *model, MrnWorld *from, const MrnScheme *scheme) {
    MrnWorld *world = mrn_world_new(model, scheme, NULL);
    mrn_state_copy(mrn_world_state(world), mrn_world_state(from));
    mrn_world_state_changed(world);
    mrn_world_free(from);
    return world;
}

/// A pile that fell, roughly solved, and then rests.
static MrnWorld *rest(const MrnModel *model, int fall, int calm, const MrnScheme *scheme) {
    MrnScheme rough = *scheme;
    rough.solver.solver = "nlgs"; // a few hundred sweeps are enough to fall
    rough.solver.tolerance = 1e-3;
    rough.solver.max_iterations = 100;
    MrnWorld *world = start(model, &rough);
    for (int i = 0; i < fall; i++) step(world);
    world = goes_on(model, world, scheme);
    for (int i = 0; i < calm; i++) step(world);
    return world;
}

static void keeps_its_shape(int dimension, int kind, int fall, double speed) {
    MrnModel *model = pile(dimension, 200, kind);
    MrnScheme scheme = scheme_of(5e-3, 1e-6);
    scheme.solver.solver = "nlgs";
    scheme.solver.max_iterations = 1000;
    MrnWorld *world = rest(model, fall, 250, &scheme);
    double smallest = INFINITY;
    for (size_t b = 0; b < model->bodies.count; b++)
        if (model->bodies.data[b].kind == MRN_BODY_FREE) smallest = fmin(smallest, model->bodies.data[b].size);
    int64_t touching = 0;
    for (int i = 0; i < 400; i++) {
        MrnStepInfo info = step(world);
        below(info.penetration, 1e-4 * smallest, "worst penetration, m, against 1e-4 of the smallest body");
        below(info.max_speed, speed, "speed of the pile, m/s");
        touching = info.touching;
    }
    assert_true(touching > 200);
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_settled_pile_of_polygons_keeps_its_shape(void **unused) {
    (void)unused;
    keeps_its_shape(2, 0, 800, 0.01);
}

static void a_pile_of_spheres_that_still_roll_does_not_overlap(void **unused) {
    (void)unused;
    keeps_its_shape(3, 0, 300, INFINITY);
}

static void a_settled_pile_of_boxes_keeps_its_shape(void **unused) {
    (void)unused;
    keeps_its_shape(3, 1, 1200, 0.01);
}

static void a_warm_start_halves_the_sweeps_in_a_settled_pile(void **unused) {
    (void)unused;
    double sweeps[2] = {0};
    for (int warm = 0; warm < 2; warm++) {
        MrnModel *model = pile(2, 100, 0);
        MrnScheme scheme = scheme_of(4e-3, 1e-6);
        scheme.solver.solver = "nlgs";
        // The same settled state, then with and without a guess.
        MrnWorld *world = rest(model, 700, 100, &scheme);
        scheme.warm_start = warm;
        world = goes_on(model, world, &scheme);
        for (int i = 0; i < 30; i++) sweeps[warm] += (double)step(world).sweeps;
        mrn_world_free(world);
        mrn_model_free(model);
    }
    below(sweeps[1], 0.5 * sweeps[0], "sweeps with the impulses of the step before, against half of those without");
}

// ---- contacts ----

static void resting_blocks_keep_the_same_contacts_for_a_thousand_steps(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0.5, 0, 9.81);
        add_ground(model, 0);
        Corners brick = rectangle(0.5, 0.25);
        MrnShape shape = dimension == 2 ? polygon(4, brick.at) : box(0.5, 0.4, 0.25);
        int count = 0;
        for (int row = 0; row < 4; row++) // a small wall in bond
            for (int i = 0; i < 4 - row; i++, count++) {
                double height = 0.25 + 0.5 * row;
                MrnBodyDef def = body_at(model, &shape, 1.01 * i + 0.505 * row, dimension == 2 ? height : 0, height);
                add(model, &def);
            }
        MrnScheme scheme = scheme_of(2e-3, 1e-8);
        MrnWorld *world = start(model, &scheme);
        for (int i = 0; i < 20; i++) step(world);
        size_t n = mrn_world_contact_count(world);
        uint64_t *feature = mrn_alloc(n, sizeof *feature);
        for (size_t c = 0; c < n; c++) feature[c] = mrn_world_contact(world, c).feature;
        assert_true(n >= (size_t)(dimension == 2 ? 2 * 4 + 2 * 2 * 6
                                                 : 4 * 4 + 2 * 4 * 6)); // each block on the ground, or on two others
        for (int i = 0; i < 1000; i++) {
            MrnStepInfo info = step(world);
            if (info.new_contacts) fail_msg("%dD step %d: %d contacts are new", dimension, i, (int)info.new_contacts);
            if (mrn_world_contact_count(world) != n)
                fail_msg("%dD step %d: %zu contacts, had %zu", dimension, i, mrn_world_contact_count(world), n);
            for (size_t c = 0; c < n; c++) assert_true(mrn_world_contact(world, c).feature == feature[c]);
            below(info.penetration, 1e-6, "penetration, m");
            below(info.max_speed, 1e-6, "speed, m/s");
        }
        free(feature);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void a_comb_rests_on_all_its_teeth(void **unused) {
    (void)unused;
    // A non-convex comb of five teeth standing on a plate: two corners of each tooth carry.
    double outline[] = {-2.5, 1,   -2.5, 0,   -2,   0,   -2,  0.5, -1.5, 0.5, -1.5, 0,   -1,  0,
                        -1,   0.5, -0.5, 0.5, -0.5, 0,   0,   0,   0,    0.5, 0.5,  0.5, 0.5, 0,
                        1,    0,   1,    0.5, 1.5,  0.5, 1.5, 0,   2,    0,   2,    1};
    for (int plate = 0; plate < 2; plate++) { // on the half-plane, and on another polygon
        MrnModel *model = model_with(2, 0.5, 0, 10);
        if (plate) {
            Corners flat = rectangle(5, 0.5);
            MrnShape slab = polygon(4, flat.at);
            MrnBodyDef base = body_at(model, &slab, 0, -0.5, 0);
            base.kind = MRN_BODY_FIXED;
            add(model, &base);
        } else
            add_ground(model, 0);
        MrnShape comb = polygon(sizeof outline / sizeof *outline / 2, outline);
        MrnBodyDef def = body_at(model, &comb, 0, 0, 0);
        int b = add(model, &def);
        MrnScheme scheme = scheme_of(1e-3, 1e-9);
        MrnWorld *world = start(model, &scheme);
        for (int i = 0; i < 200; i++) step(world);
        assert_int_equal(mrn_world_contact_count(world), 10);
        double impulse[3], moment[3];
        mrn_world_contact_resultant(world, b, impulse, moment);
        close_to(impulse[1], mrn_model_body_mass(model, b) * 10 * 1e-3, 1e-9, "the contacts carry the weight");
        close_to(moment[2], 0, 1e-9, "without a moment");
        bool seen[10] = {false};
        for (size_t c = 0; c < 10; c++) {
            double x = mrn_world_contact(world, c).position[0];
            int at = (int)lround(2 * (x + 2.5));
            close_to(x, -2.5 + 0.5 * at, 1e-6, "a corner of a tooth");
            assert_true(at >= 0 && at < 10 && !seen[at]);
            seen[at] = true;
        }
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void two_interlocked_hooks_rest_on_each_other_in_both_places(void **unused) {
    (void)unused;
    // A U, and the same U upside down with one arm in the slot of the other: arm on the bottom of the slot, bridge on
    // the arm.
    double u[] = {-1, 0, 1, 0, 1, 2, 0.5, 2, 0.5, 0.5, -0.5, 0.5, -0.5, 2, -1, 2};
    MrnModel *model = model_with(2, 0, 0, 10);
    MrnShape shape = polygon(8, u);
    MrnBodyDef def = body_at(model, &shape, 0, 0, 0);
    def.kind = MRN_BODY_FIXED;
    add(model, &def);
    def = body_at(model, &shape, 0.75, 2.5, 0);
    def.rotation[0] = M_PI;
    int b = add(model, &def);
    MrnScheme scheme = scheme_of(1e-3, 1e-9);
    MrnWorld *world = start(model, &scheme);
    double height = mrn_world_position(world, b)[1];
    bool corner[4] = {false};
    for (int i = 0; i < 300; i++) step(world);
    const double wanted[4][2] = {{-0.25, 0.5}, {0.25, 0.5}, {0.5, 2}, {1, 2}};
    for (size_t c = 0; c < mrn_world_contact_count(world); c++) {
        MrnContactView view = mrn_world_contact(world, c);
        for (int k = 0; k < 4; k++)
            corner[k] |= hypot(view.position[0] - wanted[k][0], view.position[1] - wanted[k][1]) < 1e-5;
    }
    for (int k = 0; k < 4; k++)
        if (!corner[k]) fail_msg("no contact at (%g, %g)", wanted[k][0], wanted[k][1]);
    double impulse[3], moment[3];
    mrn_world_contact_resultant(world, b, impulse, moment);
    close_to(impulse[1], mrn_model_body_mass(model, b) * 10 * 1e-3, 1e-9, "the weight is carried");
    close_to(moment[2], 0, 1e-9, "in balance");
    close_to(mrn_world_position(world, b)[1], height, 1e-6, "height");
    mrn_world_free(world);
    mrn_model_free(model);
}

static void motion_beyond_what_numbers_hold_is_an_error(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0, 0, 0);
    mrn_model_set_gravity(model, (double[]){0, -1e200, 0});
    MrnShape ball = disc(1);
    MrnBodyDef def = body_at(model, &ball, 0, 0, 0);
    add(model, &def);
    MrnScheme scheme = mrn_scheme_defaults();
    MrnError error = {0};
    MrnWorld *world = mrn_world_new(model, &scheme, &error);
    assert_non_null(world);
    assert_false(mrn_world_step(world, NULL, &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message,
                        "step 1 at t = 0.001 s: the kinetic energy is inf J, beyond what numbers can hold; are masses, "
                        "forces, speeds and the time step what they should be?");
    mrn_world_free(world);
    mrn_model_free(model);
}

static void a_world_without_bodies_or_contacts_steps(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0, 0, 10);
        MrnScheme scheme = scheme_of(1e-3, 1e-8);
        MrnWorld *world = start(model, &scheme);
        MrnStepInfo info = step(world);
        assert_int_equal(info.contacts, 0);
        assert_int_equal(info.status, MRN_SOLVED);
        close_to(mrn_world_time(world), 1e-3, 0, "time");
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void the_step_says_what_the_state_holds(void **unused) {
    (void)unused;
    MrnModel *model = model_with(2, 0.3, 0, 10);
    add_ground(model, 0);
    MrnShape ball = disc(0.5);
    MrnBodyDef def = body_at(model, &ball, 0, 0.5, 0);
    def.velocity[0] = 2;
    int b = add(model, &def);
    MrnScheme scheme = scheme_of(1e-3, 1e-10);
    MrnWorld *world = start(model, &scheme);
    assert_int_equal(mrn_world_contact_count(world), 0);
    assert_null(mrn_world_problem(world, NULL, NULL));
    MrnStepInfo info = step(world);
    double m = mrn_model_body_mass(model, b), v = 2 - 0.3 * 10 * 1e-3, w = 0.3 * 10 * 1e-3 * m * 0.5 / (0.5 * m * 0.25);
    assert_int_equal(info.step, 1);
    assert_int_equal(info.contacts, 1);
    assert_int_equal(info.touching, 1);
    assert_int_equal(info.new_contacts, 1);
    close_to(info.max_speed, v, 1e-9, "speed");
    close_to(info.kinetic_energy, 0.5 * m * v * v + 0.25 * m * 0.25 * w * w, 1e-9, "kinetic energy");
    close_to(info.potential_energy, m * 10 * 0.5, 1e-9, "potential energy");
    MrnContactView view = mrn_world_contact(world, 0);
    double sign = view.body_a == b ? 1 : -1;
    assert_int_equal(view.status, 2);
    close_to(sign * view.normal[1], 1, 1e-12, "normal from B to A");
    close_to(view.normal_impulse, m * 10 * 1e-3, 1e-12, "normal impulse");
    close_to(sign * view.impulse[0], -0.3 * m * 10 * 1e-3, 1e-12, "friction on the disc");
    close_to(sign * view.velocity[0], v - 0.5 * w, 1e-9, "sliding speed: the disc turns clockwise");
    info = step(world);
    assert_int_equal(info.new_contacts, 0);
    mrn_world_free(world);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_that_overlap_at_the_start_are_refused_with_names_and_depth),
        cmocka_unit_test(the_deepest_of_several_overlaps_is_named),
        cmocka_unit_test(a_moving_wall_is_checked_where_it_starts),
        cmocka_unit_test(bodies_of_one_group_may_overlap),
        cmocka_unit_test(schemes_that_make_no_sense_are_refused),
        cmocka_unit_test(a_settled_pile_of_polygons_keeps_its_shape),
        cmocka_unit_test(a_pile_of_spheres_that_still_roll_does_not_overlap),
        cmocka_unit_test(a_settled_pile_of_boxes_keeps_its_shape),
        cmocka_unit_test(a_warm_start_halves_the_sweeps_in_a_settled_pile),
        cmocka_unit_test(resting_blocks_keep_the_same_contacts_for_a_thousand_steps),
        cmocka_unit_test(a_comb_rests_on_all_its_teeth),
        cmocka_unit_test(two_interlocked_hooks_rest_on_each_other_in_both_places),
        cmocka_unit_test(motion_beyond_what_numbers_hold_is_an_error),
        cmocka_unit_test(a_world_without_bodies_or_contacts_steps),
        cmocka_unit_test(the_step_says_what_the_state_holds),
    };
    return cmocka_run_group_tests_name("world", tests, NULL, NULL);
}
