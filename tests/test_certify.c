// The certificate against closed forms.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "friction_problems.h"
#include "solve/certify.h"
#include "solve/solver.h"

static const double identity3[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};

static void residual_is_zero_at_the_stick_slip_and_open_solutions_of_a_ball_on_a_plane(void **state) {
    (void)state;
    struct {
        double mu, q[3], p[3];
    } cases[] = {
        {0.5, {-2, 0.6, 0}, {2, -0.6, 0}},        // sticks: |0.6| <= 0.5 * 2
        {0.2, {-2, 0.6, 0.8}, {2, -0.24, -0.32}}, // slides against the motion with 0.2 * 2
        {0.5, {1, 3, 0}, {0, 0, 0}},              // leaves
        {0, {-2, 0.6, 0.8}, {2, 0, 0}},           // no friction
    };
    for (size_t k = 0; k < 4; k++) {
        MrnProblem *problem = dense_problem(3, 1, identity3, cases[k].q, cases[k].mu);
        double u[3];
        MrnSolveInfo info = {0};
        mrn_problem_velocity(problem, cases[k].p, u);
        mrn_certify(problem, cases[k].p, u, &info);
        assert_true(info.residual < 1e-15 && info.scaled_residual < 1e-15 && info.cone_violation < 1e-15);
        mrn_problem_free(problem);
    }
}

static void residual_of_no_impulse_is_the_approach_velocity_over_q(void **state) {
    (void)state;
    double q[3] = {-3, 0, 4}, p[3] = {0, 0, 0};
    MrnProblem *problem = dense_problem(3, 1, identity3, q, 0);
    MrnSolveInfo info = {0};
    mrn_certify(problem, p, q, &info);
    assert_true(fabs(info.residual - 3.0 / 5) < 1e-15);
    mrn_problem_free(problem);
}

static void residual_divides_by_one_when_nothing_moves(void **state) {
    (void)state;
    double q[3] = {0, 0, 0}, p[3] = {-0.25, 0, 0}, u[3];
    MrnProblem *problem = dense_problem(3, 1, identity3, q, 0);
    MrnSolveInfo info = {0};
    mrn_problem_velocity(problem, p, u);
    mrn_certify(problem, p, u, &info);
    assert_true(fabs(info.residual - 0.25) < 1e-15); // p = -0.25 is pulled back to 0
    assert_true(fabs(info.cone_violation - 1) < 1e-15);
    mrn_problem_free(problem);
}

static void scaled_residual_does_not_depend_on_the_unit_of_mass(void **state) {
    (void)state;
    double q[3] = {-2, 0.6, 0.8}, p[3] = {1, 0.3, -0.1}, expected = 0;
    for (int k = -9; k <= 9; k++) {
        double mass = pow(10, k), W[9], scaled[3], u[3];
        for (int j = 0; j < 9; j++) W[j] = identity3[j] / mass;
        for (int j = 0; j < 3; j++) scaled[j] = p[j] * mass;
        MrnProblem *problem = dense_problem(3, 1, W, q, 0.3);
        MrnSolveInfo info = {0};
        mrn_problem_velocity(problem, scaled, u);
        mrn_certify(problem, scaled, u, &info);
        if (k == -9) expected = info.scaled_residual;
        assert_true(fabs(info.scaled_residual - expected) < 1e-12 * expected);
        mrn_problem_free(problem);
    }
}

static void natural_map_vanishes_only_where_coulombs_law_holds(void **state) {
    (void)state;
    // Perturb a sliding solution in every direction: the map must grow in proportion.
    double p[3] = {2, -0.24, -0.32}, u[3] = {0, 0.36, 0.48};
    assert_true(mrn_coulomb_residual2(3, 0.2, p, u) < 1e-30);
    for (int k = 0; k < 6; k++)
        for (int sign = -1; sign <= 1; sign += 2) {
            double pp[3] = {p[0], p[1], p[2]}, uu[3] = {u[0], u[1], u[2]};
            (k < 3 ? pp : uu)[k % 3] += sign * 1e-3;
            double residual = sqrt(mrn_coulomb_residual2(3, 0.2, pp, uu));
            // Along the ray of u_t nothing is violated: sliding faster in the same direction obeys the law.
            assert_true(residual > 1e-5 && residual < 1e-2);
        }
}

static void an_impulse_that_swallows_the_velocity_does_not_hide_it(void **state) {
    (void)state;
    for (int d = 2; d <= 3; d++) {
        const double p[3] = {1e20, 0, 0}, u[3] = {-1, 0.5, 0};
        double opening = -1 + 0.3 * 0.5;
        assert_true(fabs(mrn_coulomb_residual2(d, 0.3, p, u) - (opening * opening + 0.25)) < 1e-12);
    }
}

static void elliptic_cone_with_equal_axes_gives_the_circular_residual(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 200; k++) {
        double q[3], p[3], u[3];
        for (uint64_t j = 0; j < 3; j++)
            q[j] = mrn_random_between(1, k, j, -1, 1), p[j] = mrn_random_between(2, k, j, -1, 1);
        double mu = mrn_random_between(3, k, 0, 0.05, 2);
        MrnProblem *circle = dense_problem(3, 1, identity3, q, mu), *ellipse = dense_problem(3, 1, identity3, q, mu);
        ellipse->law = mrn_alloc_zero(1, 1);
        ellipse->law[0] = MRN_LAW_ELLIPTIC;
        ellipse->friction2 = mrn_alloc(1, sizeof(double));
        ellipse->friction2[0] = mu;
        mrn_problem_velocity(circle, p, u);
        double a = mrn_residual(circle, 1, p, u, NULL), b = mrn_residual(ellipse, 1, p, u, NULL);
        assert_true(fabs(a - b) < 1e-10 * (1 + a));
        mrn_problem_free(circle);
        mrn_problem_free(ellipse);
    }
}

static void bilateral_residual_is_the_velocity_left(void **state) {
    (void)state;
    double q[3] = {1, -2, 2}, p[3] = {0, 0, 0};
    MrnProblem *problem = dense_problem(3, 1, identity3, q, 0);
    problem->law = mrn_alloc_zero(1, 1);
    problem->law[0] = MRN_LAW_BILATERAL;
    assert_true(fabs(mrn_residual(problem, 1, p, q, NULL) - 1) < 1e-15);
    mrn_problem_free(problem);
}

static void factored_and_assembled_forms_give_the_same_velocity(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnProblem *problem = random_packing(dimension, 10, 40, 0.5, 5);
        size_t n = (size_t)dimension * 40;
        double p[120], a[120], b[120], trace = mrn_problem_mean_diagonal(problem, NULL);
        for (size_t k = 0; k < n; k++) p[k] = mrn_random_between(6, k, 0, -1, 1);
        mrn_problem_velocity(problem, p, a);
        mrn_problem_assemble(problem);
        mrn_problem_velocity(problem, p, b);
        for (size_t k = 0; k < n; k++) assert_true(fabs(a[k] - b[k]) < 1e-12);
        assert_true(fabs(trace - mrn_problem_mean_diagonal(problem, NULL)) < 1e-12 * trace);
        const MrnBlockMatrix *W = problem->delassus;
        for (size_t i = 0; i < W->rows; i++)
            for (size_t k = W->start[i] + 1; k < W->start[i + 1]; k++) assert_true(W->column[k] > W->column[k - 1]);
        mrn_problem_free(problem);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(residual_is_zero_at_the_stick_slip_and_open_solutions_of_a_ball_on_a_plane),
        cmocka_unit_test(residual_of_no_impulse_is_the_approach_velocity_over_q),
        cmocka_unit_test(residual_divides_by_one_when_nothing_moves),
        cmocka_unit_test(scaled_residual_does_not_depend_on_the_unit_of_mass),
        cmocka_unit_test(natural_map_vanishes_only_where_coulombs_law_holds),
        cmocka_unit_test(an_impulse_that_swallows_the_velocity_does_not_hide_it),
        cmocka_unit_test(elliptic_cone_with_equal_axes_gives_the_circular_residual),
        cmocka_unit_test(bilateral_residual_is_the_velocity_left),
        cmocka_unit_test(factored_and_assembled_forms_give_the_same_velocity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
