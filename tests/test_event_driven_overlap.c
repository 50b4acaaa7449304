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
#include <geos_c.h>

/// Outline of a body at its present place, moved into the cell and then by (dx, dy).
static GEOSGeometry *outline(GEOSContextHandle_t geos, const MrnModel *model, MrnWorld *world, int b, double dx,
                             double dy) {
    const MrnShape *shape = &model->shapes.data[model->bodies.data[b].first_shape];
    const double *x = mrn_world_position(world, b);
    double angle = mrn_world_rotation(world, b)[0], side = model->period_high[0] - model->period_low[0];
    double home[2] = {x[0] - side * floor(x[0] / side) + dx, x[1] - side * floor(x[1] / side) + dy};
    unsigned count = (unsigned)shape->vertex_count;
    GEOSCoordSequence *points = GEOSCoordSeq_create_r(geos, count + 1, 2);
    for (unsigned k = 0; k <= count; k++) {
        const double *v = shape->vertices + 2 * (k % count);
        double px = shape->position[0] + v[0], py = shape->position[1] + v[1];
        GEOSCoordSeq_setXY_r(geos, points, k, home[0] + cos(angle) * px - sin(angle) * py,
                             home[1] + sin(angle) * px + cos(angle) * py);
    }
    return GEOSGeom_createPolygon_r(geos, GEOSGeom_createLinearRing_r(geos, points), NULL, 0);
}

/// Pairs that meet, and the least distance of the others.
static int meeting_pairs(GEOSContextHandle_t geos, const MrnModel *model, MrnWorld *world, double *least) {
    int n = (int)mrn_model_body_count(model), meeting = 0;
    double side = model->period_high[0] - model->period_low[0];
    GEOSGeometry **here = calloc((size_t)n, sizeof *here);
    for (int b = 0; b < n; b++) here[b] = outline(geos, model, world, b, 0, 0);
    for (int b = 0; b < n; b++)
        for (int image = 0; image < 9; image++) {
            GEOSGeometry *other = outline(geos, model, world, b, (image % 3 - 1) * side, (image / 3 - 1) * side);
            for (int a = 0; a < n; a++) {
                if (a == b || (image == 4 && a > b)) continue;
                double distance = 0;
                if (GEOSIntersects_r(geos, here[a], other)) meeting++;
                GEOSDistance_r(geos, here[a], other, &distance);
                *least = fmin(*least, distance);
            }
            GEOSGeom_destroy_r(geos, other);
        }
    for (int b = 0; b < n; b++) GEOSGeom_destroy_r(geos, here[b]);
    free(here);
    return meeting;
}

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
