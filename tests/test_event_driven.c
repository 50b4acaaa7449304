// The event-driven stepper on collisions whose outcome is known.
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
        run_until(world, 3);
        const double *va = mrn_world_velocity(world, a), *vb = mrn_world_velocity(world, b);
        assert_near(va[0] + vb[0], 1, 1e-14);
        assert_near(va[0], 0, 1e-12);
        assert_near(vb[0], 1, 1e-12);
        assert_near(mrn_world_spin(world, a)[0], 0, 1e-12);
        mrn_world_free(world);
        mrn_model_free(model);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_squares_exchange_their_velocities),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
