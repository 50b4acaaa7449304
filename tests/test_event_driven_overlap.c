// No two floes overlap: an independent geometry library (GEOS) measures the common area of every pair, images included,
// on sampled frames of a dense periodic pack that collides. Without the library the test says so and does nothing.
#include "floe_scenes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#ifdef MORAINE_HAS_GEOS
#include "geos_overlap.h"

static void no_pair_of_a_dense_pack_has_a_common_point(void **state) {
    (void)state;
    GEOSContextHandle_t geos = GEOS_init_r();
    MrnError error = {0};
    MrnModel *model = pack_of_floes(30, 0.75, 2);
    assert_non_null(model);
    MrnScheme scheme = floe_scheme(10, MRN_CONTACTS_ACTIVE);
    scheme.event_driven.approach_rate = 1e-4;
    MrnWorld *world = floe_world(model, &scheme);
    for (int b = 0; b < 30; b++) set_velocity(world, b, 0.3 * cos(2.4 * b), 0.3 * sin(2.4 * b), 0);
    double seen = INFINITY, least = INFINITY;
    int64_t collisions = 0;
    for (int frame = 0; frame < 10; frame++) {
        for (int step = 0; step < 20; step++) {
            MrnStepInfo info;
            assert_true(mrn_world_step(world, &info, &error));
            seen = fmin(seen, info.smallest_gap), collisions += info.collisions;
        }
        assert_int_equal(meeting_pairs(geos, model, world, &least), 0);
    }
    assert_true(collisions > 1000);
    assert_true(least > 0);
    assert_true(seen > 0);
    mrn_world_free(world);
    mrn_model_free(model);
    GEOS_finish_r(geos);
}

static void an_overlap_would_be_seen(void **state) {
    (void)state;
    GEOSContextHandle_t geos = GEOS_init_r();
    MrnModel *model = floe_model(0, 0, 0);
    add_box(model, 2, 2, 1, 5, 5, MRN_BODY_FREE);
    add_box(model, 2, 2, 1, 8, 5, MRN_BODY_FREE);
    mrn_model_set_period(model, (double[2]){0, 0}, (double[2]){10, 10});
    MrnScheme scheme = floe_scheme(0.1, MRN_CONTACTS_ACTIVE);
    MrnWorld *world = floe_world(model, &scheme);
    double least = INFINITY;
    assert_int_equal(meeting_pairs(geos, model, world, &least), 0);
    mrn_world_state(world)->position[0] = 6.01; // by hand, where no stepper goes
    assert_int_equal(meeting_pairs(geos, model, world, &least), 1);
    mrn_world_free(world);
    mrn_model_free(model);
    GEOS_finish_r(geos);
}
#endif

int main(void) {
#ifdef MORAINE_HAS_GEOS
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_pair_of_a_dense_pack_has_a_common_point),
        cmocka_unit_test(an_overlap_would_be_seen),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
#else
    puts("not built with GEOS: overlaps are not checked by another library");
    return 0;
#endif
}
