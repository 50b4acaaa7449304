// The LCP library: unit problems with known answers, agreement of all solvers, right statuses on bad, infeasible and
// hard problems.
#include "base/random.h"
#include "solve/lcp/dense.h"
#include <moraine/lcp.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

/// |a - b| <= tolerance; a NaN fails.
#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

static bool try_solver(const MrnLcp *lcp, const char *solver, double tolerance, double *z, double *w,
                       MrnLcpInfo *info) {
    MrnLcpSettings settings = mrn_lcp_defaults();
    MrnError error = {0};
    settings.solver = solver;
    settings.tolerance = tolerance;
    settings.time_limit = 20;
    for (size_t i = 0; i < lcp->size; i++) z[i] = 0;
    MrnLcpSolution solution = {z, w};
    return mrn_lcp_solve(lcp, &settings, &solution, info, &error);
}

static void assert_solves(const MrnLcp *lcp, const char *solver, double tolerance, double *z, double *w) {
    MrnLcpInfo info;
    assert_true(try_solver(lcp, solver, tolerance, z, w, &info));
    if (info.status != MRN_SOLVED)
        print_message("%s: %s, residual %g\n", solver, mrn_solve_status_name(info.status), info.residual);
    assert_int_equal(info.status, MRN_SOLVED);
    assert_true(info.residual <= tolerance);
}

static MrnLcp *small(size_t n, const double *M, const double *q) {
    MrnLcp *lcp = mrn_lcp_new_dense(n);
    memcpy(lcp->dense, M, n * n * sizeof *M);
    memcpy(lcp->vector, q, n * sizeof *q);
    return lcp;
}

static void every_default_has_its_documented_value(void **state) {
    (void)state;
    MrnLcpSettings s = mrn_lcp_defaults();
    assert_string_equal(s.solver, "lemke");
    assert_true(s.tolerance == 1e-8 && s.max_iterations == 0 && s.time_limit == 0 && s.relaxation == 1);
    assert_true(s.search_direction == 0 && s.perturbations == 20 && s.perturbed == 0 && s.variants == 3 && s.seed == 1);
}

static void every_solver_finds_the_two_by_two_solution(void **state) {
    (void)state;
    MrnLcp *lcp = small(2, (double[]){2, 1, 1, 2}, (double[]){-5, -6});
    for (size_t s = 0; s < mrn_lcp_solver_count(); s++) {
        double z[2], w[2];
        assert_solves(lcp, mrn_lcp_solver_at(s)->name, 1e-12, z, w);
        assert_near(z[0], 4.0 / 3, 1e-10);
        assert_near(z[1], 7.0 / 3, 1e-10);
        assert_near(fabs(w[0]) + fabs(w[1]), 0, 1e-10);
    }
    mrn_lcp_free(lcp);
}

static void a_nonnegative_vector_needs_no_impulse(void **state) {
    (void)state;
    MrnLcp *lcp = mrn_lcp_random_p(30, 5);
    for (size_t i = 0; i < 30; i++) lcp->vector[i] = fabs(lcp->vector[i]);
    for (size_t s = 0; s < mrn_lcp_solver_count(); s++) {
        double z[30], w[30];
        MrnLcpInfo info;
        if (!try_solver(lcp, mrn_lcp_solver_at(s)->name, 1e-8, z, w, &info)) continue;
        assert_int_equal(info.status, MRN_SOLVED);
        for (size_t i = 0; i < 30; i++) assert_true(z[i] == 0 && w[i] == lcp->vector[i]);
    }
    mrn_lcp_free(lcp);
}

static void all_solvers_agree_on_symmetric_positive_definite_problems(void **state) {
    (void)state;
    static const size_t SIZES[] = {50, 200};
    for (size_t k = 0; k < 2; k++) {
        size_t n = SIZES[k];
        double *exact = calloc(n, sizeof *exact), *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w);
        MrnLcp *lcp = mrn_lcp_random_psd(n, n, 0.1, 11 + k, exact, NULL), *sparse = mrn_lcp_to_sparse(lcp);
        for (size_t s = 0; s + 1 < mrn_lcp_solver_count(); s++)
            for (int storage = 0; storage < 2; storage++) {
                assert_solves(storage ? sparse : lcp, mrn_lcp_solver_at(s)->name, 1e-11, z, w);
                for (size_t i = 0; i < n; i++) assert_near(z[i], exact[i], 1e-8);
            }
        mrn_lcp_free(lcp);
        mrn_lcp_free(sparse);
        free(exact);
        free(z);
        free(w);
    }
}

static void semi_definite_problems_have_one_w_and_many_z(void **state) {
    (void)state;
    enum { N = 60 };
    double z_made[N], w_made[N], z[N], w[N], spread = 0;
    MrnLcp *lcp = mrn_lcp_random_psd(N, N / 2, 0, 3, z_made, w_made);
    // The pair that made q, plus a kernel vector, is a solution too; every solver must find the same w.
    static const char *const SOLVERS[] = {"lemke", "gsnl", "psor", "gcp", "latin", "active_set"};
    for (size_t s = 0; s < 6; s++) {
        assert_solves(lcp, SOLVERS[s], 1e-9, z, w);
        for (size_t i = 0; i < N; i++) {
            assert_near(w[i], w_made[i], 1e-6);
            spread = fmax(spread, fabs(z[i] - z_made[i]));
        }
    }
    // Vertices have at most rank many positive z: Lemke cannot have returned the pair itself if that has more.
    size_t positive = 0;
    for (size_t i = 0; i < N; i++) positive += z_made[i] > 0;
    if (positive > N / 2) assert_true(spread > 1e-3);
    mrn_lcp_free(lcp);
}

static void nonsymmetric_p_matrices_have_one_solution(void **state) {
    (void)state;
    enum { N = 80 };
    double first[N], z[N], w[N];
    MrnLcp *lcp = mrn_lcp_random_p(N, 17);
    assert_solves(lcp, "lemke", 1e-12, first, w);
    static const char *const SOLVERS[] = {"latin", "newton_min", "newton_fischer"};
    for (size_t s = 0; s < 3; s++) {
        assert_solves(lcp, SOLVERS[s], 1e-11, z, w);
        for (size_t i = 0; i < N; i++) assert_near(z[i], first[i], 1e-8);
    }
    // What cannot take a non-symmetric matrix says so.
    MrnLcpInfo info;
    assert_false(try_solver(lcp, "gcp", 1e-8, z, w, &info));
    assert_false(try_solver(lcp, "active_set", 1e-8, z, w, &info));
    mrn_lcp_free(lcp);
}

static void enumeration_confirms_lemke_on_small_random_problems(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        size_t n = 1 + seed % 8;
        double z[8], w[8], judge[8];
        MrnLcp *lcp = mrn_lcp_random_p(n, seed);
        assert_solves(lcp, "lemke", 1e-12, z, w);
        assert_solves(lcp, "enumeration", 1e-12, judge, w);
        for (size_t i = 0; i < n; i++) assert_near(z[i], judge[i], 1e-10);
        mrn_lcp_free(lcp);
    }
}

static void lemke_solves_the_hard_cases_of_murty_and_fathi(void **state) {
    (void)state;
    double z[100], w[100];
    for (size_t n = 4; n <= 100; n += 24) {
        MrnLcp *cases[] = {mrn_lcp_murty(n), mrn_lcp_fathi(n)};
        for (size_t c = 0; c < 2; c++) {
            assert_solves(cases[c], "lemke", 1e-12, z, w);
            assert_near(z[0], 1, 1e-10);
            for (size_t i = 1; i < n; i++) assert_near(z[i], 0, 1e-10);
            mrn_lcp_free(cases[c]);
        }
    }
}

static void a_single_path_of_lemke_is_exponential_on_murtys_case(void **state) {
    (void)state;
    MrnLcpSettings settings = mrn_lcp_defaults();
    MrnLcpInfo info;
    MrnError error = {0};
    settings.variants = 1;
    settings.perturbations = 0;
    for (size_t n = 2; n <= 6; n++) {
        MrnLcp *lcp = mrn_lcp_murty(n);
        double z[6] = {0};
        MrnLcpSolution solution = {z, NULL};
        assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
        assert_int_equal(info.status, MRN_SOLVED);
        assert_int_equal(info.iterations, (1 << n) - 1);
        mrn_lcp_free(lcp);
    }
    // Beyond that the limit ends it, with the right status.
    MrnLcp *lcp = mrn_lcp_murty(40);
    double z[40] = {0};
    MrnLcpSolution solution = {z, NULL};
    settings.max_iterations = 300;
    assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
    assert_int_equal(info.status, MRN_MAX_ITERATIONS);
    assert_true(info.iterations <= 300);
    mrn_lcp_free(lcp);
}

static void the_cycling_example_does_not_cycle(void **state) {
    (void)state;
    // Full exchanges of all wrong signs go round in circles on this P-matrix (Murty 1988), and every ratio test is
    // tied.
    MrnLcp *lcp = small(3, (double[]){1, 2, 0, 0, 1, 2, 2, 0, 1}, (double[]){-1, -1, -1});
    static const char *const SOLVERS[] = {"lemke", "newton_min", "newton_fischer", "enumeration"};
    for (size_t s = 0; s < 4; s++) {
        double z[3], w[3];
        assert_solves(lcp, SOLVERS[s], 1e-12, z, w);
        for (size_t i = 0; i < 3; i++) assert_near(z[i], 1.0 / 3, 1e-10);
    }
    mrn_lcp_free(lcp);
}

static void lemke_changes_only_the_coefficients_it_may(void **state) {
    (void)state;
    // The plain path ends on a ray, and only a change in the singular block of the last two unknowns leads around it.
    MrnLcp *lcp = small(3, (double[]){1, 0, 0, 0, 1, -1, 0, 1, -1}, (double[]){-1, -2, -2});
    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.variants = 1;
    MrnLcpInfo info[4];
    for (size_t perturbed = 0; perturbed < 4; perturbed++) {
        double z[3] = {0};
        MrnLcpSolution solution = {z, NULL};
        MrnError error = {0};
        settings.perturbed = perturbed;
        assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info[perturbed], &error));
    }
    assert_int_equal(info[0].status, MRN_SOLVED);
    assert_true(info[0].tries > 1);
    assert_int_equal(info[3].tries, info[0].tries); // all three unknowns: the same as no limit
    assert_int_equal(info[3].iterations, info[0].iterations);
    // Changes to the first unknown alone repeat the plain path in all 21 rounds.
    assert_int_equal(info[1].status, MRN_STALLED);
    assert_int_equal(info[1].tries, 21);
    assert_int_equal(info[1].iterations, 21);
    double z[3] = {0};
    MrnLcpSolution solution = {z, NULL};
    MrnError error = {0};
    settings.perturbed = 4;
    assert_false(mrn_lcp_solve(lcp, &settings, &solution, &info[0], &error));
    assert_string_equal(error.message, "LCP settings: perturbed 4 is more than the 3 unknowns");
    mrn_lcp_free(lcp);
}

static void infeasible_problems_are_proven_so(void **state) {
    (void)state;
    double z[40], w[40];
    MrnLcpInfo info;
    // A zero matrix with negative q: Lemke ends on a ray at once; no solver may call it solved.
    MrnLcp *zero = small(2, (double[]){0, 0, 0, 0}, (double[]){-1, 1});
    for (size_t s = 0; s < mrn_lcp_solver_count(); s++)
        if (try_solver(zero, mrn_lcp_solver_at(s)->name, 1e-8, z, w, &info))
            assert_int_equal(info.status, MRN_INFEASIBLE);
    mrn_lcp_free(zero);
    // Singular positive semi-definite: w1 + w2 = -2 for every z.
    MrnLcp *singular = small(2, (double[]){1, -1, -1, 1}, (double[]){-1, -1});
    static const char *const SOLVERS[] = {"lemke", "active_set", "gsnl", "gcp"};
    for (size_t s = 0; s < 4; s++) {
        assert_true(try_solver(singular, SOLVERS[s], 1e-8, z, w, &info));
        assert_int_equal(info.status, MRN_INFEASIBLE);
        assert_true(isfinite(z[0]) && isfinite(z[1]));
    }
    assert_true(mrn_lcp_is_infeasible(singular, (double[]){1, 1}));
    assert_false(mrn_lcp_is_infeasible(singular, (double[]){1, 0}));
    mrn_lcp_free(singular);
    // Random: M = A'A with a positive kernel vector, q against it.
    for (uint64_t seed = 1; seed <= 20; seed++) {
        enum { N = 40 };
        MrnLcp *lcp = mrn_lcp_new_dense(N);
        for (size_t k = 0; k < N / 2; k++) {
            double row[N], sum = 0;
            for (size_t j = 0; j < N; j++) row[j] = mrn_random_between(seed, k, j, -1, 1), sum += row[j];
            for (size_t j = 0; j < N; j++) row[j] -= sum / N;
            for (size_t i = 0; i < N; i++)
                for (size_t j = 0; j < N; j++) lcp->dense[i * N + j] += row[i] * row[j];
        }
        for (size_t i = 0; i < N; i++) lcp->vector[i] = mrn_random_between(seed, 100, i, -1, 0.5);
        static const char *const EXACT[] = {"lemke", "active_set"};
        for (size_t s = 0; s < 2; s++) {
            assert_true(try_solver(lcp, EXACT[s], 1e-8, z, w, &info));
            assert_int_equal(info.status, MRN_INFEASIBLE);
        }
        mrn_lcp_free(lcp);
    }
}

static void feasible_problems_without_solution_are_not_called_infeasible_by_a_ray(void **state) {
    (void)state;
    // z2 = 2 gives z, w >= 0, but complementarity fails for every choice: all four systems are regular.
    MrnLcp *lcp = small(2, (double[]){-1, 1, 0, 1}, (double[]){-1, 1});
    double z[2], w[2];
    MrnLcpInfo info;
    assert_true(try_solver(lcp, "lemke", 1e-8, z, w, &info));
    assert_int_equal(info.status, MRN_STALLED);
    assert_true(try_solver(lcp, "newton_fischer", 1e-8, z, w, &info));
    assert_true(info.status == MRN_STALLED || info.status == MRN_MAX_ITERATIONS);
    assert_true(try_solver(lcp, "enumeration", 1e-8, z, w, &info));
    assert_int_equal(info.status, MRN_INFEASIBLE);
    mrn_lcp_free(lcp);
}

static void numbers_that_are_not_finite_are_a_bad_problem(void **state) {
    (void)state;
    const double bad[] = {NAN, INFINITY, -INFINITY};
    for (size_t b = 0; b < 3; b++)
        for (int place = 0; place < 3; place++)
            for (size_t s = 0; s < mrn_lcp_solver_count(); s++) {
                MrnLcp *lcp = small(2, (double[]){2, 1, 1, 2}, (double[]){-5, -6});
                double z[2] = {0, place == 2 ? bad[b] : 0}, w[2];
                if (place == 0) lcp->dense[2] = bad[b];
                if (place == 1) lcp->vector[1] = bad[b];
                MrnLcpSettings settings = mrn_lcp_defaults();
                MrnLcpSolution solution = {z, w};
                MrnLcpInfo info;
                MrnError error = {0};
                settings.solver = mrn_lcp_solver_at(s)->name;
                assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
                assert_int_equal(info.status, MRN_BAD_PROBLEM);
                assert_true(isfinite(z[0]) && isfinite(z[1]));
                mrn_lcp_free(lcp);
            }
}

static void malformed_rows_are_a_bad_problem(void **state) {
    (void)state;
    MrnLcp *lcp = mrn_lcp_new_sparse(2, 2);
    double z[2], w[2];
    MrnLcpInfo info;
    lcp->start[1] = lcp->start[2] = 2;
    lcp->column[0] = 1, lcp->column[1] = 0; // not ascending
    lcp->value[0] = lcp->value[1] = 1;
    assert_true(try_solver(lcp, "lemke", 1e-8, z, w, &info));
    assert_int_equal(info.status, MRN_BAD_PROBLEM);
    lcp->column[0] = 0, lcp->column[1] = 7; // out of range
    assert_true(try_solver(lcp, "gsnl", 1e-8, z, w, &info));
    assert_int_equal(info.status, MRN_BAD_PROBLEM);
    mrn_lcp_free(lcp);
}

static void empty_and_one_row_problems_work_everywhere(void **state) {
    (void)state;
    MrnLcp *empty = mrn_lcp_new_dense(0), *empty_sparse = mrn_lcp_new_sparse(0, 0);
    MrnLcp *one = small(1, (double[]){4}, (double[]){-2});
    for (size_t s = 0; s < mrn_lcp_solver_count(); s++) {
        double z[1], w[1];
        MrnLcpInfo info;
        assert_true(try_solver(empty, mrn_lcp_solver_at(s)->name, 1e-8, z, w, &info));
        assert_int_equal(info.status, MRN_SOLVED);
        assert_true(try_solver(empty_sparse, mrn_lcp_solver_at(s)->name, 1e-8, z, w, &info));
        assert_int_equal(info.status, MRN_SOLVED);
        assert_solves(one, mrn_lcp_solver_at(s)->name, 1e-12, z, w);
        assert_near(z[0], 0.5, 1e-10);
    }
    mrn_lcp_free(empty);
    mrn_lcp_free(empty_sparse);
    mrn_lcp_free(one);
}

static void units_change_nothing(void **state) {
    (void)state;
    enum { N = 40 };
    static const double SCALES[] = {1e-9, 1e-3, 1e9};
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++)
            for (size_t s = 0; s + 1 < mrn_lcp_solver_count(); s++) {
                double z[N], w[N], scaled[N];
                MrnLcp *lcp = mrn_lcp_random_psd(N, N, 0.2, 23, NULL, NULL);
                MrnLcpInfo info, other;
                assert_true(try_solver(lcp, mrn_lcp_solver_at(s)->name, 1e-9, z, w, &info));
                for (size_t k = 0; k < N * N; k++) lcp->dense[k] *= SCALES[a];
                for (size_t k = 0; k < N; k++) lcp->vector[k] *= SCALES[b];
                assert_true(try_solver(lcp, mrn_lcp_solver_at(s)->name, 1e-9, scaled, w, &other));
                assert_int_equal(other.status, MRN_SOLVED);
                for (size_t i = 0; i < N; i++) assert_near(scaled[i] * SCALES[a] / SCALES[b], z[i], 1e-6);
                mrn_lcp_free(lcp);
            }
}

static void rows_of_very_different_scale_are_solved(void **state) {
    (void)state;
    enum { N = 40 };
    // z -> S^-1 z, w -> S w with S over eighteen decades: the certificate must not change.
    double exact[N], z[N], w[N], S[N];
    MrnLcp *lcp = mrn_lcp_random_psd(N, N, 0.2, 29, exact, NULL);
    MrnLcpInfo plain, other;
    for (size_t i = 0; i < N; i++) S[i] = pow(10, mrn_random_between(3, 0, i, -9, 9));
    for (size_t i = 0; i < N; i++) z[i] = exact[i] + 0.01 * mrn_random_unit(3, 1, i);
    mrn_lcp_certify(lcp, z, &plain);
    for (size_t i = 0; i < N; i++) {
        z[i] /= S[i];
        lcp->vector[i] *= S[i];
        for (size_t j = 0; j < N; j++) lcp->dense[i * N + j] *= S[i] * S[j];
    }
    mrn_lcp_certify(lcp, z, &other);
    assert_near(other.residual / plain.residual, 1, 1e-10);
    for (size_t s = 0; s + 1 < mrn_lcp_solver_count(); s++) {
        assert_solves(lcp, mrn_lcp_solver_at(s)->name, 1e-9, z, w);
        for (size_t i = 0; i < N; i++) assert_near(z[i] * S[i], exact[i], 1e-6);
    }
    mrn_lcp_free(lcp);
}

static void the_time_limit_holds(void **state) {
    (void)state;
    // A long chain: relaxation needs millions of sweeps, Newton and the pivots need big factors.
    enum { N = 700 };
    MrnLcp *lcp = mrn_lcp_new_dense(N);
    double *z = calloc(N, sizeof *z);
    for (size_t i = 0; i < N; i++) {
        lcp->dense[i * N + i] = i + 1 == N ? 1 : 2;
        if (i) lcp->dense[i * N + i - 1] = lcp->dense[(i - 1) * N + i] = -1;
        lcp->vector[i] = -1;
    }
    for (size_t s = 0; s + 1 < mrn_lcp_solver_count(); s++) {
        double best = INFINITY;
        MrnLcpSettings settings = mrn_lcp_defaults();
        MrnLcpSolution solution = {z, NULL};
        MrnLcpInfo info;
        MrnError error = {0};
        settings.solver = mrn_lcp_solver_at(s)->name;
        settings.time_limit = 0.3;
        // Other programs may hold the processor: one of six runs must keep the limit.
        for (int run = 0; run < 6 && best > 0.33; run++) {
            memset(z, 0, N * sizeof *z);
            assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
            best = fmin(best, info.seconds);
            assert_true(info.status == MRN_SOLVED || info.status == MRN_TIME_LIMIT);
        }
        if (best > 0.33) print_message("%s took %g s\n", settings.solver, best);
        assert_true(best <= 0.33);
    }
    free(z);
    mrn_lcp_free(lcp);
}

static void wrong_settings_name_the_setting(void **state) {
    (void)state;
    MrnLcp *lcp = small(1, (double[]){1}, (double[]){-1});
    double z[1] = {0};
    MrnLcpSolution solution = {z, NULL};
    MrnLcpInfo info;
    MrnError error = {0};
    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.solver = "lemkey";
    assert_false(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
    assert_int_equal(error.code, MRN_ERROR_INPUT);
    assert_string_equal(error.message,
                        "no LCP solver 'lemkey'; there are: lemke, psor, gsnl, gcp, latin, active_set, newton_min, "
                        "newton_fischer, enumeration");
    settings = mrn_lcp_defaults();
    settings.tolerance = -1;
    assert_false(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
    assert_string_equal(error.message, "LCP settings: tolerance -1 is not positive");
    settings = mrn_lcp_defaults();
    settings.relaxation = 2.5;
    assert_false(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
    assert_string_equal(error.message, "LCP settings: relaxation 2.5 is not between 0 and 2");
    mrn_lcp_free(lcp);
}

static void the_same_problem_gives_the_same_bits(void **state) {
    (void)state;
    enum { N = 120 };
    MrnLcp *lcp = mrn_lcp_random_psd(N, N, 0.1, 31, NULL, NULL);
    for (size_t s = 0; s + 1 < mrn_lcp_solver_count(); s++) {
        double first[N], second[N], w[N];
        assert_solves(lcp, mrn_lcp_solver_at(s)->name, 1e-9, first, w);
        assert_solves(lcp, mrn_lcp_solver_at(s)->name, 1e-9, second, w);
        assert_memory_equal(first, second, sizeof first);
    }
    mrn_lcp_free(lcp);
}

static void automatic_search_direction_is_near_the_best(void **state) {
    (void)state;
    // A stiff chain, the model of a condensed elastic body: the number of iterations has a clear minimum over k (Nineb,
    // table 2.4).
    enum { N = 26 };
    MrnLcp *lcp = mrn_lcp_new_dense(N);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++)
            lcp->dense[i * N + j] = -0.5 / (1 + fabs((double)i - (double)j) * fabs((double)i - (double)j));
        lcp->dense[i * N + i] = 2.2;
        lcp->vector[i] = -1 + 2 * fabs(2.0 * (double)i / (N - 1) - 1);
    }
    static const double K[] = {0.02, 0.05, 0.09, 0.2, 0.3, 0.5, 0.7, 1, 2};
    int best = 1000000, worst = 0, automatic = 0;
    for (size_t k = 0; k < sizeof K / sizeof *K + 1; k++) {
        double z[N] = {0};
        MrnLcpSolution solution = {z, NULL};
        MrnLcpInfo info;
        MrnError error = {0};
        MrnLcpSettings settings = mrn_lcp_defaults();
        settings.solver = "latin";
        settings.search_direction = k < sizeof K / sizeof *K ? K[k] : 0;
        assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
        assert_int_equal(info.status, MRN_SOLVED);
        if (k == sizeof K / sizeof *K)
            automatic = info.iterations;
        else {
            best = info.iterations < best ? info.iterations : best;
            worst = info.iterations > worst ? info.iterations : worst;
        }
    }
    assert_true(worst > 4 * best);
    if (automatic > 3 * best) print_message("automatic %d, best %d, worst %d\n", automatic, best, worst);
    assert_true(automatic <= 3 * best);
    mrn_lcp_free(lcp);
}

/// Matrices without any good property: zeros, repeated rows, negative diagonals, entries over many decades.
static MrnLcp *wild(size_t n, uint64_t seed) {
    MrnLcp *lcp = mrn_lcp_new_dense(n);
    for (size_t i = 0; i < n; i++) {
        lcp->vector[i] = (double)(int)mrn_random_between(seed, 0, i, -3, 3);
        for (size_t j = 0; j < n; j++) {
            double x = (double)(int)mrn_random_between(seed, 1 + i, j, -3, 4);
            if (seed % 4 == 1) x *= pow(10, (int)mrn_random_between(seed, 100 + i, j, -9, 9));
            if (seed % 4 == 2 && i > 0 && i % 2) x = lcp->dense[(i - 1) * n + j];
            lcp->dense[i * n + j] = x;
        }
    }
    if (seed % 4 == 3) // symmetric, indefinite as often as not
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < i; j++) lcp->dense[j * n + i] = lcp->dense[i * n + j];
    return lcp;
}

static void wild_matrices_get_an_honest_status(void **state) {
    (void)state;
    int solved = 0, infeasible = 0;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        size_t n = 1 + seed % 7;
        MrnLcp *lcp = wild(n, seed);
        double z[8], w[8], judge[8];
        MrnLcpInfo truth, info, again;
        assert_true(try_solver(lcp, "enumeration", 1e-9, judge, w, &truth));
        infeasible += truth.status == MRN_INFEASIBLE;
        for (size_t s = 0; s + 1 < mrn_lcp_solver_count(); s++) {
            const char *name = mrn_lcp_solver_at(s)->name;
            if (!try_solver(lcp, name, 1e-9, z, w, &info)) continue;
            for (size_t i = 0; i < n; i++) assert_true(isfinite(z[i]) && isfinite(w[i]));
            mrn_lcp_certify(lcp, z, &again);
            assert_true(again.residual == info.residual);
            assert_true((info.status == MRN_SOLVED) == (info.residual <= 1e-9));
            // A proof of infeasibility and a solution exclude each other.
            if (truth.status == MRN_SOLVED && info.status == MRN_INFEASIBLE)
                print_message("%s, seed %d\n", name, (int)seed);
            assert_false(truth.status == MRN_SOLVED && info.status == MRN_INFEASIBLE);
            // (Entries over eighteen decades: a residual of 1e-9 may then be reached where no exact solution is.)
            if (seed % 4 != 1) assert_false(truth.status == MRN_INFEASIBLE && info.status == MRN_SOLVED);
            solved += info.status == MRN_SOLVED;
        }
        mrn_lcp_free(lcp);
    }
    assert_true(solved > 1000 && infeasible > 20);
}

/// A cylinder of radius 1 on an elastic half-plane of modulus 1, n strips of constant pressure on [-1, 1]: z pressure,
/// w gap. A strip [s, s + h] lowers the surface by -(2 / pi) times the integral of ln(|x - y| / 4), which is positive
/// definite on this length.
static MrnLcp *cylinder(size_t n, double approach) {
    MrnLcp *lcp = mrn_lcp_new_dense(n);
    double h = 2.0 / (double)n;
    for (size_t i = 0; i < n; i++) {
        double x = -1 + h * ((double)i + 0.5);
        lcp->vector[i] = 0.5 * x * x - approach;
        for (size_t j = 0; j < n; j++) {
            double a = -1 + h * (double)j - x, b = a + h;
            lcp->dense[i * n + j] = -2 / M_PI * (b * log(fabs(b) / 4) - b - a * log(fabs(a) / 4) + a);
        }
    }
    return lcp;
}

static void the_pressure_under_a_cylinder_is_hertzian(void **state) {
    (void)state;
    // Sizes around those where round-off was once reported to defeat Lemke (201 and 301 contact nodes; Nineb,
    // table 2.5).
    static const size_t SIZES[] = {51, 101, 201, 301};
    for (size_t k = 0; k < 4; k++) {
        size_t n = SIZES[k];
        double *z = calloc(n, sizeof *z), *w = calloc(n, sizeof *w), *exact = calloc(n, sizeof *exact),
               h = 2.0 / (double)n;
        MrnLcp *lcp = cylinder(n, 0.2);
        MrnLcpInfo info;
        assert_true(try_solver(lcp, "lemke", 1e-13, exact, w, &info));
        assert_int_equal(info.status, MRN_SOLVED);
        assert_int_equal(info.tries, 1);
        double load = 0, largest = 0;
        for (size_t i = 0; i < n; i++) load += h * exact[i], largest = fmax(largest, exact[i]);
        double half_width = sqrt(4 * load / M_PI),
               pressure = 0.5 * half_width; // Hertz: a^2 = 4 P R / (pi E), p0 = E a / (2 R)
        assert_near(largest / pressure, 1, 1.5 / (double)n);
        for (size_t i = 0; i < n; i++) {
            double x = -1 + h * ((double)i + 0.5), inside = 1 - x * x / (half_width * half_width);
            if (fabs(fabs(x) - half_width) > 2 * h)
                assert_near(exact[i], inside > 0 ? pressure * sqrt(inside) : 0, 0.02 * pressure);
        }
        // The iterative solvers reach the same pressures.
        static const char *const SOLVERS[] = {"gcp", "gsnl", "latin", "active_set", "newton_min", "newton_fischer"};
        for (size_t s = 0; s < 6; s++) {
            assert_solves(lcp, SOLVERS[s], 1e-9, z, w);
            for (size_t i = 0; i < n; i++) assert_near(z[i], exact[i], 1e-4 * pressure);
        }
        mrn_lcp_free(lcp);
        free(z);
        free(w);
        free(exact);
    }
}

/// The same contact with the roles exchanged, z gap and w pressure: M is the stiffness condensed on the surface, as
/// finite elements give it.
static MrnLcp *stiff_cylinder(size_t n, double approach) {
    MrnLcp *flexible = cylinder(n, approach), *lcp = mrn_lcp_new_dense(n);
    double *scratch = calloc(8 * n, sizeof *scratch), *column = calloc(n, sizeof *column);
    int *pivot = calloc(n, sizeof *pivot);
    assert_true(mrn_dense_factorise(flexible->dense, n, pivot, scratch, INFINITY));
    for (size_t j = 0; j < n; j++) {
        memset(column, 0, n * sizeof *column);
        column[j] = 1;
        mrn_dense_solve(flexible->dense, n, pivot, column);
        for (size_t i = 0; i < n; i++) { // the matrix is symmetric: average out the rounding
            lcp->dense[i * n + j] += 0.5 * column[i];
            lcp->dense[j * n + i] += 0.5 * column[i];
        }
    }
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++) lcp->vector[i] -= lcp->dense[i * n + j] * flexible->vector[j];
    mrn_lcp_free(flexible);
    free(scratch);
    free(column);
    free(pivot);
    return lcp;
}

static int iterations_of(const MrnLcp *lcp, const char *solver, double k) {
    MrnLcpSettings settings = mrn_lcp_defaults();
    double *z = calloc(lcp->size, sizeof *z);
    MrnLcpSolution solution = {z, NULL};
    MrnLcpInfo info;
    MrnError error = {0};
    settings.solver = solver;
    settings.search_direction = k;
    settings.tolerance = 1e-6;
    assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
    assert_int_equal(info.status, MRN_SOLVED);
    free(z);
    return info.iterations;
}

static void conjugate_gradients_beat_gauss_seidel_on_elastic_contact(void **state) {
    (void)state;
    // Nineb, tables 2.4 to 2.6 and conclusions: GCP and LATIN with the best k need fewer iterations than GSNL; LATIN
    // has an optimum in k; the count of GCP grows least with the number of contacts.
    MrnLcp *coarse = stiff_cylinder(26, 0.2), *fine = stiff_cylinder(201, 0.2);
    int gsnl = iterations_of(coarse, "gsnl", 0), gcp = iterations_of(coarse, "gcp", 0);
    int gsnl_fine = iterations_of(fine, "gsnl", 0), gcp_fine = iterations_of(fine, "gcp", 0);
    static const double K[] = {0.02, 0.05, 0.09, 0.2, 0.3, 0.5, 0.7, 2};
    int best = 1000000;
    for (size_t k = 0; k < sizeof K / sizeof *K; k++) {
        int latin = iterations_of(coarse, "latin", K[k]);
        best = latin < best ? latin : best;
    }
    assert_true(gcp < gsnl && best < gsnl);
    assert_true((double)gcp_fine / gcp < (double)gsnl_fine / gsnl);
    assert_true(iterations_of(coarse, "latin", 0.005) > 2 * best && iterations_of(coarse, "latin", 10) > 2 * best);
    mrn_lcp_free(coarse);
    mrn_lcp_free(fine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_default_has_its_documented_value),
        cmocka_unit_test(every_solver_finds_the_two_by_two_solution),
        cmocka_unit_test(a_nonnegative_vector_needs_no_impulse),
        cmocka_unit_test(all_solvers_agree_on_symmetric_positive_definite_problems),
        cmocka_unit_test(semi_definite_problems_have_one_w_and_many_z),
        cmocka_unit_test(nonsymmetric_p_matrices_have_one_solution),
        cmocka_unit_test(enumeration_confirms_lemke_on_small_random_problems),
        cmocka_unit_test(lemke_solves_the_hard_cases_of_murty_and_fathi),
        cmocka_unit_test(a_single_path_of_lemke_is_exponential_on_murtys_case),
        cmocka_unit_test(the_cycling_example_does_not_cycle),
        cmocka_unit_test(lemke_changes_only_the_coefficients_it_may),
        cmocka_unit_test(infeasible_problems_are_proven_so),
        cmocka_unit_test(feasible_problems_without_solution_are_not_called_infeasible_by_a_ray),
        cmocka_unit_test(numbers_that_are_not_finite_are_a_bad_problem),
        cmocka_unit_test(malformed_rows_are_a_bad_problem),
        cmocka_unit_test(empty_and_one_row_problems_work_everywhere),
        cmocka_unit_test(units_change_nothing),
        cmocka_unit_test(rows_of_very_different_scale_are_solved),
        cmocka_unit_test(the_time_limit_holds),
        cmocka_unit_test(wrong_settings_name_the_setting),
        cmocka_unit_test(the_same_problem_gives_the_same_bits),
        cmocka_unit_test(automatic_search_direction_is_near_the_best),
        cmocka_unit_test(wild_matrices_get_an_honest_status),
        cmocka_unit_test(the_pressure_under_a_cylinder_is_hertzian),
        cmocka_unit_test(conjugate_gradients_beat_gauss_seidel_on_elastic_contact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
