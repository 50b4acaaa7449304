// Rules of floe dynamics that published cases do not look at by themselves: pushes, notions of collision, the least
// step, pivotal equivalence, the conditions of the existence theorem, and the certificate of impacts.
#include "base/random.h"
#include "collide/floe.h"
#include "floe_scenes.h"
#include "force/environment.h"
#include "solve/lcp/lcp.h"
#include "step/impact.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double computed, double expected, double tolerance) {
    if (!(fabs(computed - expected) <= tolerance))
        fail_msg("computed %.17g, expected %.17g, tolerance %g", computed, expected, tolerance);
}

static void a_push_gives_the_impulse_of_its_time_under_both_steppers(void **state) {
    (void)state;
    static const char *const steppers[] = {"event-driven", "moreau-jean"};
    for (int s = 0; s < 2; s++)
        for (int stepping = 0; stepping < 2 - s; stepping++) {
            MrnModel *model = floe_model(0, 0, 0);
            int a = add_box(model, 1, 1, 2, 0, 0, MRN_BODY_FREE), b = add_box(model, 1, 1, 1, 5, 0, MRN_BODY_FREE);
            // Neither beginning nor end is on a step; two pushes on one body, given after that on the other.
            MrnError error = {0};
            assert_true(
                mrn_model_add_push(model, &(MrnPush){.body = b, .force = {0, 1}, .from = 0, .until = 0.35}, &error));
            assert_true(mrn_model_add_push(
                model, &(MrnPush){.body = a, .force = {3, 0}, .torque = {0, 0, 0.6}, .from = 0.25, .until = 0.95},
                &error));
            assert_true(mrn_model_add_push(
                model, &(MrnPush){.body = a, .force = {0, -1}, .from = 0.5, .until = INFINITY}, &error));
            MrnScheme scheme = floe_scheme(0.1, MRN_CONTACTS_ACTIVE);
            scheme.stepper = steppers[s];
            scheme.event_driven.stepping = (MrnStepping)stepping;
            MrnWorld *world = floe_world(model, &scheme);
            assert_non_null(world);
            for (int k = 0; k < 20; k++) {
                MrnStepInfo info;
                assert_true(mrn_world_step(world, &info, &error));
                assert_near(info.energy_defect, 0, 1e-12);
            }
            double inertia = 2.0 * (1 + 1) / 12;
            assert_near(mrn_world_velocity(world, a)[0], 3 * 0.7 / 2, 1e-12);
            assert_near(mrn_world_velocity(world, a)[1], -1.5 / 2, 1e-12);
            assert_near(mrn_world_spin(world, a)[0], 0.6 * 0.7 / inertia, 1e-12);
            assert_near(mrn_world_velocity(world, b)[1], 0.35, 1e-12);
            mrn_world_free(world);
            mrn_model_free(model);
        }
}

static void a_push_that_cannot_be_is_refused(void **state) {
    (void)state;
    MrnModel *model = floe_model(0, 0, 0);
    int wall = add_box(model, 1, 1, 1, 0, 0, MRN_BODY_FIXED), floe = add_box(model, 1, 1, 1, 3, 0, MRN_BODY_FREE);
    MrnError error = {0};
    assert_false(mrn_model_add_push(model, &(MrnPush){.body = wall, .force = {1, 0}, .until = 1}, &error));
    assert_non_null(strstr(error.message, "not free"));
    assert_false(mrn_model_add_push(model, &(MrnPush){.body = floe, .force = {1, 0}, .from = 2, .until = 1}, &error));
    assert_non_null(strstr(error.message, "begins at 2 s and ends at 1 s"));
    assert_false(mrn_model_add_push(model, &(MrnPush){.body = floe, .force = {NAN, 0}, .until = 1}, &error));
    assert_false(mrn_model_add_push(model, &(MrnPush){.body = 7, .force = {1, 0}, .until = 1}, &error));
    assert_int_equal(model->pushes.count, 0);
    mrn_model_free(model);
}

/// A small square flies corner first against a large plate: the gap of the first collision.
static double gap_of_collision(MrnPairDistance notion) {
    MrnModel *model = floe_model(0, 1, 0);
    add_box(model, 40, 40, 1, 0, 0, MRN_BODY_FIXED); // collision distance 0.4 m
    double vertices[8] = {0.5, 0, 0, 0.5, -0.5, 0, 0, -0.5};
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = 4, shape.vertices = vertices;
    MrnBodyDef def = mrn_body_defaults(2);
    def.mass = 1, def.shape_count = 1, def.shapes = &shape, def.position[0] = 22; // 0.00707 m
    int diamond = mrn_model_add_body(model, &def, NULL);
    MrnScheme scheme = floe_scheme(0.01, MRN_CONTACTS_ACTIVE);
    scheme.event_driven.pair_distance = notion;
    MrnWorld *world = floe_world(model, &scheme);
    assert_non_null(world);
    set_velocity(world, diamond, -1, 0, 0);
    MrnStepInfo info = {0};
    for (int k = 0; k < 200 && !info.collisions; k++) assert_true(mrn_world_step(world, &info, NULL));
    assert_int_equal(info.collisions, 1);
    double gap = mrn_world_contact(world, 0).gap;
    mrn_world_free(world);
    mrn_model_free(model);
    return gap;
}

static void each_notion_of_collision_has_its_distance(void **state) {
    (void)state;
    double large = 0.4, small = 0.01 * sqrt(0.5);
    double with_min = gap_of_collision(MRN_PAIR_MIN), with_max = gap_of_collision(MRN_PAIR_MAX),
           with_other = gap_of_collision(MRN_PAIR_OTHER);
    assert_true(with_min > 0 && with_min <= small);
    assert_true(with_max > small && with_max <= large);
    assert_true(with_other > small && with_other <= large); // a corner of the small one, in the zone of the large one
}

static void sub_steps_are_not_below_half_the_least_distance_over_the_drift(void **state) {
    (void)state;
    // (2.1.9): a pack that drifts no faster than K, under the paper's rule, whose steps are what the bound is made of.
    MrnModel *model = floe_model(0.7, 0.4, 0);
    double vertices[8] = {-1, -1, 1, -1, 1, 1, -1, 1};
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = 4, shape.vertices = vertices;
    double least = INFINITY;
    for (int k = 0; k < 16; k++) {
        MrnBodyDef def = mrn_body_defaults(2);
        def.shape_count = 1, def.shapes = &shape, def.mass = 4 * 917;
        def.position[0] = 2.3 * (k % 4) + 0.1 * (k / 4), def.position[1] = 2.2 * (k / 4);
        int body = mrn_model_add_body(model, &def, NULL);
        least = fmin(least, mrn_floe_collision_distance(model, (size_t)body, 0.01));
    }
    MrnEnvironment environment = mrn_environment_defaults();
    environment.wind.value[0] = 6, environment.current.value[1] = 0.1;
    MrnError error = {0};
    assert_true(mrn_environment_attach(model, &environment, &error));
    double fastest = mrn_environment_fastest(model);
    assert_near(fastest, mrn_nansen(&environment) * 6 + 0.1, 1e-12);
    assert_near(least, 0.02, 1e-12);
    MrnScheme scheme = floe_scheme(1, MRN_CONTACTS_ACTIVE);
    scheme.event_driven.stepping = MRN_STEPPING_GLOBAL;
    scheme.event_driven.bound = MRN_BOUND_HALF;
    MrnWorld *world = floe_world(model, &scheme);
    assert_non_null(world);
    double shortest = INFINITY, speed = 0;
    int64_t named = 0;
    for (int k = 0; k < 1500; k++) {
        MrnStepInfo info;
        assert_true(mrn_world_step(world, &info, &error));
        if (info.limiting_a >= 0) shortest = fmin(shortest, info.smallest_substep), named++;
        speed = fmax(speed, info.max_speed);
    }
    assert_true(named > 0);
    assert_true(speed <= fastest * (1 + 1e-9));
    assert_true(shortest >= 0.5 * least / fastest * 0.9); // spin adds a little to the speed of a corner
    mrn_world_free(world);
    mrn_model_free(model);
}

// ---- Complementarity ----

static double draw(uint64_t *k, double low, double high) {
    return mrn_random_between(17, 3, (*k)++, low, high);
}

static void solve(size_t n, const double *matrix, const double *vector, double *z) {
    MrnLcp *lcp = mrn_lcp_new_dense(n);
    memcpy(lcp->dense, matrix, n * n * sizeof(double));
    memcpy(lcp->vector, vector, n * sizeof(double));
    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.solver = "lemke";
    MrnLcpSolution solution = {.z = z};
    MrnLcpInfo info = {0};
    memset(z, 0, n * sizeof(double));
    assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info, NULL));
    assert_int_equal(info.status, MRN_SOLVED);
    assert_true(info.error_sum <= 1e-9); // Err_LCP of the thesis (2.1.8)
    mrn_lcp_free(lcp);
}

static void a_principal_pivot_gives_an_equivalent_problem(void **state) {
    (void)state;
    enum { N = 6, M = 2 }; // the leading M unknowns change their roles
    uint64_t k = 0;
    for (int round = 0; round < 50; round++) {
        double L[N * N], A[N * N] = {0}, v[N], z[N], w[N], P[N * N], q[N], y[N];
        for (int i = 0; i < N * N; i++) L[i] = draw(&k, -1, 1);
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) { // positive definite, not symmetric: one solution
                for (int m = 0; m < N; m++) A[i * N + j] += L[i * N + m] * L[j * N + m];
                A[i * N + j] += (i == j) + (i < j ? 0.5 : -0.5) * (i != j);
            }
        for (int i = 0; i < N; i++) v[i] = draw(&k, -1, 1);
        double a = A[0], b = A[1], c = A[N], d = A[N + 1], det = a * d - b * c;
        double inverse[4] = {d / det, -b / det, -c / det, a / det};
        for (int i = 0; i < N; i++)
            for (int j = 0; j < N; j++) {
                double sum = 0;
                if (i < M && j < M)
                    sum = inverse[i * M + j];
                else if (i < M)
                    for (int m = 0; m < M; m++) sum -= inverse[i * M + m] * A[m * N + j];
                else if (j < M)
                    for (int m = 0; m < M; m++) sum += A[i * N + m] * inverse[m * M + j];
                else {
                    sum = A[i * N + j];
                    for (int m = 0; m < M; m++)
                        for (int l = 0; l < M; l++) sum -= A[i * N + m] * inverse[m * M + l] * A[l * N + j];
                }
                P[i * N + j] = sum;
            }
        for (int i = 0; i < N; i++) {
            q[i] = i < M ? 0 : v[i];
            for (int m = 0; m < M; m++) q[i] -= i < M ? inverse[i * M + m] * v[m] : P[i * N + m] * v[m];
        }
        solve(N, A, v, z);
        solve(N, P, q, y);
        for (int i = 0; i < N; i++) {
            w[i] = v[i];
            for (int j = 0; j < N; j++) w[i] += A[i * N + j] * z[j];
            assert_near(y[i], i < M ? w[i] : z[i], 1e-9);
        }
    }
}

static void solutions_without_data_are_self_stresses_that_do_no_work(void **state) {
    (void)state;
    // Condition (c) of the existence theorem: a solution of LCP(G + N, 0) has B z = 0, and so z'g = 0 for every
    // velocity. A body between two walls has such solutions: equal impulses from both sides, friction within the cones.
    double inverse[2] = {0.5, 3}, velocity[3] = {0.3, -0.7, 0.2}, A[64];
    MrnImpactContact contacts[2] = {{.body = {-1, 0}, .normal = {1, 0}, .arm = {{0, 0}, {-1, 0.2}}, .friction = 0.5},
                                    {.body = {-1, 0}, .normal = {-1, 0}, .arm = {{0, 0}, {1, 0.2}}, .friction = 0.5}};
    MrnImpact impact = {1, inverse, velocity, 2, contacts, 0};
    mrn_impact_matrix(&impact, A);
    // lambda1, lambda2, then friction up and down at each: none here, and no sliding.
    double z[8] = {2, 2, 0, 0, 0, 0, 0, 0}, s[8], work = 0;
    for (int i = 0; i < 8; i++) {
        s[i] = 0;
        for (int j = 0; j < 8; j++) s[i] += A[i * 8 + j] * z[j];
        assert_true(s[i] >= -1e-15);
        assert_near(s[i] * z[i], 0, 1e-15);
    }
    double moved[3] = {0, 0, 0};
    for (int j = 0; j < 2; j++) {
        double u[2];
        mrn_impact_apply(&impact, &contacts[j], z[j], 0, moved);
        mrn_impact_relative(&impact, velocity, &contacts[j], u);
        work += z[j] * u[0];
    }
    for (int i = 0; i < 3; i++) assert_near(moved[i], 0, 1e-15);
    assert_near(work, 0, 1e-15);
}

enum { PLATES = 12 };

/// A row of plates that is thrown against a wall.
typedef struct Row {
    double inverse[2 * PLATES], velocity[3 * PLATES];
    MrnImpactContact contacts[PLATES];
} Row;

static MrnImpactCount throw_row(Row *row, int plates, int quick_sweeps, double restitution, double slack) {
    for (int k = 0; k < plates; k++) {
        row->inverse[2 * k] = 1.0 / (1 + k % 3), row->inverse[2 * k + 1] = 1;
        row->velocity[3 * k] = -1 - 0.1 * k, row->velocity[3 * k + 1] = 0.2 * (k % 2), row->velocity[3 * k + 2] = 0.1;
        row->contacts[k] =
            (MrnImpactContact){.body = {k - 1, k}, .normal = {1, 0}, .friction = 0.4, .restitution = restitution};
        row->contacts[k].arm[0] = mrn_vec2(0.5, 0.1 * (k % 3));
        row->contacts[k].arm[1] = mrn_vec2(-0.5, -0.1 * (k % 2));
    }
    MrnImpact impact = {(size_t)plates, row->inverse, row->velocity, (size_t)plates, row->contacts, slack};
    MrnEventDrivenSettings settings = mrn_event_driven_defaults();
    settings.quick_sweeps = quick_sweeps;
    MrnImpactCount count = {0};
    MrnArena arena = {0};
    mrn_impact_solve(&impact, &settings, &arena, &count, NULL);
    mrn_arena_free(&arena);
    return count;
}

static void the_certificate_of_a_group_that_stops_at_a_slack_says_so(void **state) {
    (void)state;
    Row row;
    MrnImpactCount exact = throw_row(&row, 4, 40, 0, 0), rough = throw_row(&row, 4, 40, 0, 0.6);
    assert_int_equal(exact.lemke + exact.failures + rough.lemke + rough.failures, 0);
    assert_true(exact.worst_residual < 1e-8);
    assert_true(rough.worst_residual > 1e-5 && rough.worst_residual < 0.6);
}

static void the_equations_of_the_statuses_and_lemkes_method_find_the_same_velocities(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        Row by_statuses, by_lemke;
        MrnImpactCount count = throw_row(&by_statuses, PLATES, 10, 0.5 * k, 0),
                       lemke = throw_row(&by_lemke, PLATES, 0, 0.5 * k, 0);
        assert_int_equal(count.statuses, 1 + k);
        assert_int_equal(count.lemke, 0);
        assert_int_equal(lemke.lemke, 1 + k);
        assert_true(count.worst_residual < 1e-11);
        for (int i = 0; i < 3 * PLATES; i++) assert_near(by_statuses.velocity[i], by_lemke.velocity[i], 1e-10);
    }
}

static void groups_with_much_friction_are_solved_by_their_statuses_and_obey_the_law(void **state) {
    (void)state;
    // Plates at random in a cluster, each touching two others: with so much friction contacts turn from stick to slip
    // and back, and full Newton steps alone would run in circles.
    enum { GROUPS = 300 };
    MrnEventDrivenSettings settings = mrn_event_driven_defaults();
    settings.quick_sweeps = 2;
    MrnImpactCount count = {0};
    MrnArena arena = {0};
    uint64_t draw = 0;
    for (int group = 0; group < GROUPS; group++) {
        double inverse[2 * PLATES], velocity[3 * PLATES];
        MrnImpactContact contacts[2 * PLATES];
        for (int k = 0; k < PLATES; k++) {
            inverse[2 * k] = mrn_random_between(7, 0, draw++, 0.2, 2);
            inverse[2 * k + 1] = mrn_random_between(7, 0, draw++, 0.2, 4);
            for (int c = 0; c < 3; c++) velocity[3 * k + c] = mrn_random_between(7, 0, draw++, -1, 1);
        }
        for (int j = 0; j < 2 * PLATES; j++) {
            double angle = mrn_random_between(7, 0, draw++, 0, 6.28);
            int a = j % PLATES, b = (a + 1 + j / PLATES * 4) % PLATES;
            contacts[j] = (MrnImpactContact){.body = {a, b}, .normal = {cos(angle), sin(angle)}, .friction = 0.7};
            for (int side = 0; side < 2; side++) {
                contacts[j].arm[side].x = mrn_random_between(7, 0, draw++, -1, 1);
                contacts[j].arm[side].y = mrn_random_between(7, 0, draw++, -1, 1);
            }
        }
        MrnImpact impact = {PLATES, inverse, velocity, 2 * PLATES, contacts, 0};
        mrn_arena_reset(&arena);
        mrn_impact_solve(&impact, &settings, &arena, &count, NULL);
    }
    mrn_arena_free(&arena);
    assert_true(count.statuses > 0.95 * GROUPS);
    assert_int_equal(count.failures, 0);
    assert_true(count.worst_residual < 1e-10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_push_gives_the_impulse_of_its_time_under_both_steppers),
        cmocka_unit_test(a_push_that_cannot_be_is_refused),
        cmocka_unit_test(each_notion_of_collision_has_its_distance),
        cmocka_unit_test(sub_steps_are_not_below_half_the_least_distance_over_the_drift),
        cmocka_unit_test(a_principal_pivot_gives_an_equivalent_problem),
        cmocka_unit_test(solutions_without_data_are_self_stresses_that_do_no_work),
        cmocka_unit_test(the_certificate_of_a_group_that_stops_at_a_slack_says_so),
        cmocka_unit_test(the_equations_of_the_statuses_and_lemkes_method_find_the_same_velocities),
        cmocka_unit_test(groups_with_much_friction_are_solved_by_their_statuses_and_obey_the_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
