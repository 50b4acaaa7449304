// The event-driven method in generalised coordinates: what it refuses, and two contacts that stick and slip together.
#include "core_support.h"

#include "step/episodes.h"

static void unit_inertia(const void *context, const double *q, double *A) {
    (void)context, (void)q;
    A[0] = A[3] = 1, A[1] = A[2] = 0;
}

/// Gravity, and a pull along x that grows with time.
static void growing_pull(const void *context, double t, const double *q, const double *v, double *F) {
    (void)context, (void)q, (void)v;
    F[0] = t, F[1] = -9.81;
}

/// A floor with friction 0.5, and a wall at x = 1 without.
static void floor_and_wall(const void *context, int c, double t, const double *q, const double *v,
                           MrnEpisodeContact *out) {
    (void)context, (void)t, (void)v;
    out->gap = c ? 1 - q[0] : q[1];
    out->row[0][c ? 0 : 1] = c ? -1 : 1;
    out->row[1][c ? 1 : 0] = 1;
    out->friction = c ? 0 : 0.5;
}

static void a_pulled_block_slips_at_the_threshold_hits_the_wall_and_leans_on_it(void **unused) {
    (void)unused;
    MrnEpisodeSystem system = {2, 2, unit_inertia, growing_pull, floor_and_wall, NULL};
    MrnEpisodes e;
    MrnError error = {0};
    assert_true(mrn_episodes_start(&e, &system, (double[]){0, 0}, (double[]){0, 0}, &error));
    assert_int_equal(e.status[0], MRN_EPISODE_STICK);
    assert_int_equal(e.status[1], MRN_EPISODE_OPEN);
    assert_true(mrn_episodes_advance(&e, 20, 1e-2, &error));
    double threshold = 0.5 * 9.81;
    assert_int_equal(e.event, MRN_EVENT_SLIP);
    close_to(e.time, threshold, 1e-8, "time at which the pull is mu m g");
    assert_true(mrn_episodes_advance(&e, 20, 1e-2, &error));
    assert_int_equal(e.event, MRN_EVENT_IMPACT);
    close_to(e.time, threshold + cbrt(6), 1e-8, "time at which x = (t - t0)^3/6 is 1 m");
    close_to(e.percussion[1][0], 0.5 * pow(6, 2.0 / 3), 1e-7, "percussion of the wall, the whole momentum");
    assert_true(mrn_episodes_advance(&e, 10, 1e-2, &error));
    close_to(e.v[0], 0, 1e-10, "speed at the wall");
    close_to(e.reaction[0][0], 9.81, 1e-9, "floor");
    // Friction and the wall share the pull in any way; together they carry it.
    close_to(e.reaction[1][0] - e.reaction[0][1], 10, 1e-9, "wall and friction");
}

static void too_large_systems_are_refused(void **unused) {
    (void)unused;
    MrnEpisodeSystem system = {13, 2, unit_inertia, growing_pull, floor_and_wall, NULL};
    MrnEpisodes e;
    MrnError error = {0};
    double zero[13] = {0};
    assert_false(mrn_episodes_start(&e, &system, zero, zero, &error));
    assert_string_equal(error.message,
                        "the event-driven method takes 1 to 12 coordinates and at most 12 contacts, not 13 and 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pulled_block_slips_at_the_threshold_hits_the_wall_and_leans_on_it),
        cmocka_unit_test(too_large_systems_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
