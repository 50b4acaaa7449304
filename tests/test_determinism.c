// Same input, same bits: for any number of threads, twice in a row, and from a copied state.
#include "core_support.h"

/// A dense packing on the ground in a box of walls: well over a thousand contacts after a few steps.
static MrnModel *packing(int dimension, int count) {
    Draws draws = {71, 0};
    MrnModel *model = model_with(dimension, 0.3, 0, 9.81);
    add_ground(model, 0);
    int side = dimension == 2 ? 40 : 10;
    for (int i = 0; i < count; i++) {
        double r = draw(&draws, 0.496, 0.4995);
        double hexagon[12];
        for (int k = 0; k < 6; k++) hexagon[2 * k] = r * cos(k * M_PI / 3), hexagon[2 * k + 1] = r * sin(k * M_PI / 3);
        MrnShape shape;
        if (dimension == 2)
            shape = i % 3 ? disc(r) : polygon(6, hexagon);
        else
            shape = i % 3 ? sphere(r) : box(0.99 * r, 0.99 * r, 0.99 * r);
        int row = i / side;
        MrnBodyDef def = body_at(model, &shape, i % side, dimension == 2 ? 0.5 + row : row % side, 0.5 + row / side);
        for (int k = 0; k < dimension; k++) def.velocity[k] = draw(&draws, -0.5, 0.5);
        add(model, &def);
    }
    return model;
}

typedef struct Outcome {
    uint64_t hash;
    int64_t contacts, sweeps;
    double residual, defect;
} Outcome;

static Outcome outcome(const MrnModel *model, int threads, int steps) {
    MrnScheme scheme = scheme_of(3e-3, 1e-5);
    scheme.solver.solver = "nlgs";
    scheme.solver.max_iterations = 60;
    scheme.threads = threads;
    MrnWorld *world = start(model, &scheme);
    Outcome end = {0};
    for (int i = 0; i < steps; i++) {
        MrnStepInfo info = step(world);
        end.contacts = info.contacts > end.contacts ? info.contacts : end.contacts;
        end.sweeps += info.sweeps;
        end.residual = info.residual;
        end.defect += info.energy_defect;
    }
    end.hash = mrn_world_hash(world);
    mrn_world_free(world);
    return end;
}

static void same_bits(int dimension, int count, int steps) {
    MrnModel *model = packing(dimension, count);
    Outcome one = outcome(model, 1, steps), again = outcome(model, 1, steps);
    assert_true(one.contacts > 1200); // more than 128 packs of eight: the sweeps really run in parallel
    assert_true(one.hash == again.hash);
    for (int threads = 2; threads <= 4; threads++) {
        Outcome many = outcome(model, threads, steps);
        if (many.hash != one.hash) fail_msg("%dD: %d threads give another state", dimension, threads);
        assert_int_equal(many.sweeps, one.sweeps);
        assert_int_equal(many.contacts, one.contacts);
        assert_memory_equal(&many.residual, &one.residual, sizeof(double));
        assert_memory_equal(&many.defect, &one.defect, sizeof(double));
    }
    mrn_model_free(model);
}

static void the_plane_is_the_same_for_any_number_of_threads(void **unused) {
    (void)unused;
    same_bits(2, 1200, 12);
}

static void space_is_the_same_for_any_number_of_threads(void **unused) {
    (void)unused;
    same_bits(3, 1300, 6);
}

static void a_state_copied_into_a_new_world_goes_on_with_the_same_bits(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = packing(dimension, 200);
        MrnScheme scheme = scheme_of(3e-3, 1e-6);
        scheme.keep_memory = dimension == 2;
        MrnWorld *whole = start(model, &scheme), *first = start(model, &scheme);
        for (int i = 0; i < 60; i++) step(whole);
        for (int i = 0; i < 23; i++) step(first);
        MrnWorld *second = start(model, &scheme);
        mrn_state_copy(mrn_world_state(second), mrn_world_state(first));
        mrn_world_state_changed(second);
        mrn_world_free(first);
        for (int i = 23; i < 60; i++) step(second);
        assert_true(mrn_world_hash(whole) == mrn_world_hash(second));
        mrn_world_free(whole);
        mrn_world_free(second);
        mrn_model_free(model);
    }
}

static void a_world_put_back_to_an_earlier_state_repeats_itself(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = packing(dimension, 100);
        for (int i = 0; i < 20; i++) { // some are born between
            MrnShape ball = dimension == 2 ? disc(0.3) : sphere(0.3);
            MrnBodyDef def = body_at(model, &ball, i, dimension == 2 ? 8 : 5, 6);
            def.birth = 0.03;
            add(model, &def);
        }
        MrnScheme scheme = scheme_of(3e-3, 1e-6);
        MrnWorld *world = start(model, &scheme), *keep = start(model, &scheme);
        for (int i = 0; i < 5; i++) step(world);
        mrn_state_copy(mrn_world_state(keep), mrn_world_state(world));
        for (int i = 0; i < 30; i++) step(world);
        uint64_t hash = mrn_world_hash(world);
        mrn_state_copy(mrn_world_state(world), mrn_world_state(keep));
        mrn_world_state_changed(world);
        for (int i = 0; i < 30; i++) step(world);
        assert_true(mrn_world_hash(world) == hash);
        mrn_world_free(world);
        mrn_world_free(keep);
        mrn_model_free(model);
    }
}

/// Spinning balls that fly through each other's neighbourhood, collide and hit the ground.
static MrnModel *gas(int dimension, int side) {
    Draws draws = {5, 0};
    MrnModel *model = model_with(dimension, 0.3, 0.8, 20);
    add_ground(model, 0);
    int count = dimension == 2 ? side * side : side * side * side;
    for (int i = 0; i < count; i++) {
        double r = draw(&draws, 0.1, 0.3);
        MrnShape shape = dimension == 2 ? disc(r) : sphere(r);
        double x = i % side, y = i / side % side, z = i / side / side;
        MrnBodyDef def = body_at(model, &shape, 1.3 * x, 1.3 * y + 0.5, 1.3 * z + 0.5);
        for (int k = 0; k < dimension; k++) def.velocity[k] = draw(&draws, -3, 3);
        for (int k = dimension == 2 ? 2 : 0; k < 3; k++) def.angular_velocity[k] = i % 4 ? draw(&draws, -5, 5) : 0;
        add(model, &def);
    }
    return model;
}

/// A world that has just been made knows everything of every body, one that goes on only what it needs.
static void a_gas_goes_on_with_the_bits_of_a_new_world(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = gas(dimension, dimension == 2 ? 16 : 6);
        MrnScheme scheme = scheme_of(3e-3, 1e-6);
        MrnWorld *world = start(model, &scheme);
        int64_t touching = 0;
        for (int i = 0; i < 300; i++) {
            MrnWorld *fresh = start(model, &scheme);
            mrn_state_copy(mrn_world_state(fresh), mrn_world_state(world));
            mrn_world_state_changed(fresh);
            step(fresh);
            touching += step(world).touching;
            if (mrn_world_hash(world) != mrn_world_hash(fresh))
                fail_msg("%dD: another state after %d steps", dimension, i + 1);
            mrn_world_free(fresh);
        }
        assert_true(touching > 100);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

static void a_body_that_has_left_is_not_met(void **unused) {
    (void)unused;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnModel *model = model_with(dimension, 0, 1, 0);
        MrnShape ball = dimension == 2 ? disc(0.1) : sphere(0.1);
        MrnBodyDef waits = body_at(model, &ball, 3, 0, 0), flies = body_at(model, &ball, 0, 0, 0);
        flies.velocity[0] = 10;
        int waiting = add(model, &waits), flying = add(model, &flies);
        MrnScheme scheme = scheme_of(1e-3, 1e-6);
        MrnWorld *world = start(model, &scheme);
        for (int i = 0; i < 100; i++) step(world);
        mrn_world_state(world)->active[waiting] = 0;
        for (int i = 100; i < 600; i++) assert_int_equal(step(world).touching, 0);
        close_to(mrn_world_state(world)->position[dimension * flying], 6, 1e-9, "where the flying ball has come");
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_plane_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(space_is_the_same_for_any_number_of_threads),
        cmocka_unit_test(a_state_copied_into_a_new_world_goes_on_with_the_same_bits),
        cmocka_unit_test(a_world_put_back_to_an_earlier_state_repeats_itself),
        cmocka_unit_test(a_gas_goes_on_with_the_bits_of_a_new_world),
        cmocka_unit_test(a_body_that_has_left_is_not_met),
    };
    return cmocka_run_group_tests_name("determinism", tests, NULL, NULL);
}
