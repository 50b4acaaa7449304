// The friction solvers: closed forms, published iteration counts, agreement, hard cases and bad input.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "solve/friction/common.h"
#include "friction_problems.h"
#include "base/clock.h"
#include "solve/certify.h"
#include "solve/friction/exact.h"
#include "solve/friction/visit.h"
#include "solve/solver.h"

#include <stdio.h>

static MrnSolveInfo solve_with(const char *solver, MrnProblem *problem, double tolerance, double *p) {
    MrnSolverSettings settings = mrn_solver_defaults();
    settings.solver = solver;
    settings.tolerance = tolerance;
    settings.max_iterations = 20000;
    MrnSolveInfo info;
    MrnError error = {0};
    if (!mrn_solve(problem, &settings, p, NULL, &info, &error)) fail_msg("%s: %s", solver, error.message);
    return info;
}

static bool is_friction_solver(size_t index) {
    return strstr(mrn_solver_at(index)->problems, "3d friction") != NULL;
}

// ---------------------------------------------------------------- one contact

static void exact_contact_obeys_coulombs_law_for_random_blocks(void **state) {
    (void)state;
    for (uint64_t k = 0; k < 4000; k++) {
        double A[9], W[9] = {0}, b[3], p[3], u[3], mu = k % 7 ? mrn_random_between(1, k, 20, 0.01, 3) : 0;
        int d = k % 2 ? 3 : 2;
        for (uint64_t j = 0; j < 9; j++) A[j] = mrn_random_between(2, k, j, -1, 1);
        if (k % 5 == 0) A[6] = A[7] = A[8] = 0; // a singular block
        for (int r = 0; r < d; r++)
            for (int c = 0; c < d; c++)
                for (int e = 0; e < 3; e++) W[r * d + c] += A[r * 3 + e] * A[c * 3 + e];
        W[0] += 0.3;
        for (int r = 0; r < d; r++) b[r] = mrn_random_between(3, k, (uint64_t)r, -1, 1);
        (d == 3 ? mrn_exact_3d : mrn_exact_2d)(W, b, mu, p);
        for (int r = 0; r < d; r++) {
            u[r] = b[r];
            for (int c = 0; c < d; c++) u[r] += W[r * d + c] * p[c];
        }
        assert_true(sqrt(mrn_coulomb_residual2(d, mu, p, u)) < 1e-9);
    }
}

// Granular specification 2.5.6: one slip step, and the converged impulses of three friction coefficients.
static const double block[9] = {1.1, .1, .1, .1, 3.6, .1, .1, .1, 3.6}, approach[3] = {-1, 0.8, -0.5};

static void active_set_slip_step_gives_the_published_impulse(void **state) {
    (void)state;
    double p[3] = {0.9, -0.2, 0.1};
    MrnVisitSettings visit = {.kind = MRN_VISIT_IPDAS, .gamma_normal = 1, .gamma_tangent = 0.3};
    mrn_visit_contact(&visit, 3, block, approach, 0.3, p);
    const double expected[3] = {0.920876508592, -0.248761977493, 0.119120382978};
    for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - expected[k]) < 1e-11);
}

static void every_local_method_converges_to_the_published_one_contact_solutions(void **state) {
    (void)state;
    const struct {
        double mu, p[3];
    } cases[] = {{0.1, {0.913110643891, -0.082772102434, 0.038555019628}},
                 {0.3, {0.920897996755, -0.249181536998, 0.119303572695}},
                 {0.8, {0.920987654321, -0.251146384480, 0.120282186949}}};
    for (int kind = MRN_VISIT_EXACT; kind <= MRN_VISIT_IPDAS; kind++)
        for (size_t c = 0; c < 3; c++) {
            double p[3] = {0, 0, 0};
            MrnVisitSettings visit = {.kind = (MrnVisit)kind};
            for (int k = 0; k < 2000; k++) mrn_visit_contact(&visit, 3, block, approach, cases[c].mu, p);
            for (int k = 0; k < 3; k++) assert_true(fabs(p[k] - cases[c].p[k]) < 2e-12);
        }
}

// Steel ball on a belt (granular specification F1, Table 23), in the force form: sweeps until p changes by less than
// 1e-8 N.
static int visits_until_still(MrnVisit kind, double slip) {
    double mass = 8000 * 4.0 / 3 * M_PI * pow(2.7e-3, 3), step = 1.32430677e-5, gravity = 9.80665;
    // Restitution e = 1 in both directions: u~ = (u+ + u-)/2, so W is halved.
    double W[9] = {step / mass / 2, 0, 0, 0, 3.5 * step / mass / 2, 0, 0, 0, 3.5 * step / mass / 2},
           b[3] = {-gravity * step / 2, slip, 0}, p[3] = {0, 0, 0};
    MrnVisitSettings visit = {
        .kind = kind, .rho = mass / step, .gamma_normal = 10, .gamma_tangent = 10, .accuracy = 1e-8};
    for (int count = 1; count < 1000; count++) {
        double old[3] = {p[0], p[1], p[2]};
        mrn_visit_contact(&visit, 3, W, b, 0.22, p);
        if (fabs(p[0] - old[0]) + hypot(p[1] - old[1], p[2] - old[2]) < 1e-8) {
            assert_true(fabs(p[0] - mass * gravity) < 2e-8);
            return count;
        }
    }
    return -1;
}

static void sweep_counts_of_the_ball_on_a_belt_are_the_published_ones(void **state) {
    (void)state;
    const struct {
        MrnVisit kind;
        int slipping, rolling;
    } table[] = {{MRN_VISIT_EPDAS, 2, 3}, {MRN_VISIT_IPDAS, 2, 3}, {MRN_VISIT_SAL, 20, 20}, {MRN_VISIT_IBP, 2, 2}};
    for (size_t k = 0; k < 4; k++) {
        assert_int_equal(visits_until_still(table[k].kind, -1), table[k].slipping);
        assert_int_equal(visits_until_still(table[k].kind, -1e-15), table[k].rolling); // rolling up to rounding
    }
}

// ---------------------------------------------------------------- every solver

static void block_on_an_incline_sticks_exactly_when_the_friction_holds_it(void **state) {
    (void)state;
    for (size_t s = 0; s < mrn_solver_count(); s++) {
        if (!is_friction_solver(s)) continue;
        for (int dimension = 2; dimension <= 3; dimension++)
            for (int steep = 0; steep < 2; steep++) {
                // A block of mass 2 on three corners (two in 2D), which share a body: W is singular.
                double angle = steep ? 0.5 : 0.3, mu = tan(0.4);
                size_t d = (size_t)dimension, contacts = d, n = d * contacts;
                double W[81] = {0}, q[9], p[9] = {0}, u[9];
                for (size_t i = 0; i < n; i++)
                    for (size_t j = 0; j < n; j++) W[i * n + j] = i % d == j % d ? 0.5 : 0;
                for (size_t i = 0; i < contacts; i++) {
                    memset(q + d * i, 0, d * sizeof *q);
                    q[d * i] = -cos(angle), q[d * i + 1] = sin(angle);
                }
                MrnProblem *problem = dense_problem(dimension, contacts, W, q, mu);
                MrnSolveInfo info = solve_with(mrn_solver_at(s)->name, problem, 1e-6, p);
                if (info.status != MRN_SOLVED)
                    fail_msg("%s: %s at %g", mrn_solver_at(s)->name, mrn_solve_status_name(info.status), info.residual);
                mrn_problem_velocity(problem, p, u);
                double expected = steep ? sin(angle) - mu * cos(angle) : 0;
                assert_true(fabs(u[1] - expected) < 1e-5);
                mrn_problem_free(problem);
            }
    }
}

static void all_solvers_reach_the_same_velocity_where_the_matrix_is_regular(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnProblem *problem = random_packing(dimension, 12, 12, 0.3, 21);
        size_t n = (size_t)dimension * 12;
        double reference[36], u[36];
        for (size_t s = 0; s < mrn_solver_count(); s++) {
            if (!is_friction_solver(s)) continue;
            const char *name = mrn_solver_at(s)->name;
            if (!strcmp(name, "conjugate-gradient"))
                continue; // a quasi-optimisation: need not converge for Coulomb's law
            double p[36] = {0};
            MrnSolveInfo info = solve_with(name, problem, 1e-7, p);
            if (info.status != MRN_SOLVED)
                fail_msg("%s: %s at %g", name, mrn_solve_status_name(info.status), info.residual);
            mrn_problem_velocity(problem, p, u);
            if (s == 0) memcpy(reference, u, n * sizeof *u);
            for (size_t k = 0; k < n; k++) assert_true(fabs(u[k] - reference[k]) < 1e-4);
        }
        mrn_problem_free(problem);
    }
}

// ---------------------------------------------------------------- auto

static void auto_solves_hyperstatic_packings_to_eight_digits(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (uint64_t seed = 0; seed < 12; seed++) {
            size_t contacts = 150;
            MrnProblem *problem = random_packing(dimension, 20, contacts, 0.1 + 0.1 * (double)(seed % 6), seed);
            double *p = mrn_alloc_zero((size_t)dimension * contacts, sizeof *p);
            MrnSolveInfo info = solve_with("auto", problem, 1e-8, p);
            if (info.status != MRN_SOLVED || info.residual > 1e-8)
                fail_msg("%dD seed %d: %s, residual %g, %s", dimension, (int)seed, mrn_solve_status_name(info.status),
                         info.residual, info.method);
            free(p);
            mrn_problem_free(problem);
        }
}

static void a_contact_between_walls_that_part_does_not_disturb_the_others(void **state) {
    (void)state;
    for (uint64_t seed = 0; seed < 4; seed++) {
        size_t contacts = 240;
        MrnProblem *problem = random_packing(3, 60, contacts, 0.4, 80 + seed);
        for (size_t i = 0; i < contacts; i += 37) {
            problem->bodies[2 * i] = problem->bodies[2 * i + 1] = -1;
            memset(problem->jacobian + 2 * i * 18, 0, 36 * sizeof(double));
            problem->free_velocity[3 * i] = 0.1;
        }
        mrn_problem_assemble(problem);
        double p[720] = {0};
        MrnSolveInfo info = solve_with("auto", problem, 1e-8, p);
        assert_int_equal(info.status, MRN_SOLVED);
        for (size_t i = 0; i < contacts; i += 37) assert_true(p[3 * i] == 0);
        mrn_problem_free(problem);
    }
}

static void auto_gives_the_same_bits_twice_and_for_any_number_of_threads(void **state) {
    (void)state;
    MrnProblem *problem[3];
    double *p[3];
    MrnThreads *threads = mrn_threads_new(3);
    for (int k = 0; k < 3; k++) {
        problem[k] = random_packing(3, 400, 1500, 0.5, 31);
        p[k] = mrn_alloc_zero(4500, sizeof(double));
        MrnSolverSettings settings = mrn_solver_defaults();
        MrnSolveInfo info;
        MrnArena arena = {0};
        MrnError error = {0};
        assert_true(mrn_solve_job(problem[k], &settings, p[k], NULL, &info, k == 2 ? threads : NULL, &arena, &error));
        assert_int_equal(info.status, MRN_SOLVED);
        mrn_arena_free(&arena);
    }
    assert_memory_equal(p[0], p[1], 4500 * sizeof(double));
    assert_memory_equal(p[0], p[2], 4500 * sizeof(double));
    mrn_threads_free(threads);
    for (int k = 0; k < 3; k++) free(p[k]), mrn_problem_free(problem[k]);
}

static void auto_does_not_care_about_the_scale_of_masses_and_velocities(void **state) {
    (void)state;
    for (int mass = -9; mass <= 9; mass += 3)
        for (int speed = -9; speed <= 9; speed += 6) {
            MrnProblem *problem = random_packing(3, 15, 45, 0.5, 41);
            for (size_t k = 0; k < 2 * 45 * 18; k++) problem->jacobian[k] *= pow(10, -0.5 * mass);
            for (size_t k = 0; k < 135; k++) problem->free_velocity[k] *= pow(10, speed);
            double p[135] = {0};
            MrnSolverSettings settings = mrn_solver_defaults();
            MrnSolveInfo info;
            MrnError error = {0};
            assert_true(mrn_solve_job(problem, &settings, p, NULL, &info, NULL, NULL, &error));
            assert_int_equal(info.status, MRN_SOLVED);
            assert_true(info.scaled_residual <= 1e-6);
            mrn_problem_free(problem);
        }
}

static void auto_handles_no_friction_strong_friction_and_mixtures(void **state) {
    (void)state;
    for (int kind = 0; kind < 3; kind++)
        for (int dimension = 2; dimension <= 3; dimension++) {
            MrnProblem *problem = random_packing(dimension, 20, 90, kind == 1 ? 5 : 0, 51);
            if (kind == 2)
                for (size_t i = 0; i < 90; i++) problem->friction[i] = (double)(i % 5) * 0.4;
            double p[270] = {0};
            MrnSolveInfo info = solve_with("auto", problem, 1e-8, p);
            assert_int_equal(info.status, MRN_SOLVED);
            mrn_problem_free(problem);
        }
}

static void duplicated_contacts_share_the_load_of_one(void **state) {
    (void)state;
    double q[12] = {0}, p[12] = {0};
    double big[144];
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < 12; j++) big[i * 12 + j] = i % 3 == j % 3 ? 1 : 0;
    for (int i = 0; i < 4; i++) q[3 * i] = -2, q[3 * i + 1] = 0.4;
    MrnProblem *problem = dense_problem(3, 4, big, q, 0.5);
    MrnSolveInfo info = solve_with("auto", problem, 1e-8, p);
    assert_int_equal(info.status, MRN_SOLVED);
    assert_true(fabs(p[0] + p[3] + p[6] + p[9] - 2) < 1e-7 && fabs(p[1] + p[4] + p[7] + p[10] + 0.4) < 1e-7);
    mrn_problem_free(problem);
}

static void good_guess_is_returned_as_it_is(void **state) {
    (void)state;
    MrnProblem *problem = random_packing(3, 20, 60, 0.4, 61);
    double p[180] = {0}, again[180];
    assert_int_equal(solve_with("auto", problem, 1e-9, p).status, MRN_SOLVED);
    memcpy(again, p, sizeof p);
    MrnSolveInfo info = solve_with("auto", problem, 1e-8, again);
    assert_int_equal(info.iterations, 0);
    assert_memory_equal(p, again, sizeof p);
    mrn_problem_free(problem);
}

static void empty_single_and_resting_problems_are_solved(void **state) {
    (void)state;
    MrnProblem *empty = mrn_problem_new(3, 0);
    double none[1] = {0};
    assert_int_equal(solve_with("auto", empty, 1e-8, none).status, MRN_SOLVED);
    mrn_problem_free(empty);
    MrnProblem *rest = random_packing(3, 10, 30, 0.5, 71);
    memset(rest->free_velocity, 0, 90 * sizeof(double));
    double p[90] = {0};
    MrnSolveInfo info = solve_with("auto", rest, 1e-8, p);
    assert_int_equal(info.status, MRN_SOLVED);
    for (int k = 0; k < 90; k++) assert_true(p[k] == 0);
    mrn_problem_free(rest);
}

static void numbers_that_make_no_sense_are_a_bad_problem_for_every_solver(void **state) {
    (void)state;
    for (size_t s = 0; s < mrn_solver_count(); s++) {
        if (!is_friction_solver(s)) continue;
        for (int kind = 0; kind < 6; kind++) {
            MrnProblem *problem = random_packing(3, 5, 10, 0.5, 81);
            double p[30] = {0};
            if (kind == 0) problem->free_velocity[3] = NAN;
            if (kind == 1) problem->free_velocity[3] = INFINITY;
            if (kind == 2) problem->friction[4] = -0.1;
            if (kind == 3) problem->jacobian[7] = NAN;
            if (kind == 4) problem->bodies[2] = 99;
            if (kind == 5) { // a row without its diagonal block
                mrn_problem_assemble(problem);
                size_t own = problem->delassus->start[2];
                while (problem->delassus->column[own] != 2) own++;
                for (size_t k = own; k + 1 < problem->delassus->start[10]; k++)
                    problem->delassus->column[k] = problem->delassus->column[k + 1];
                for (size_t row = 3; row <= 10; row++) problem->delassus->start[row]--;
            }
            MrnSolveInfo info = solve_with(mrn_solver_at(s)->name, problem, 1e-6, p);
            assert_int_equal(info.status, MRN_BAD_PROBLEM);
            mrn_problem_free(problem);
        }
        // A guess that is not finite counts as no guess.
        MrnProblem *problem = random_packing(3, 12, 12, 0.5, 82);
        double p[36];
        for (int k = 0; k < 36; k++) p[k] = NAN;
        solve_with(mrn_solver_at(s)->name, problem, 1e-4, p);
        for (int k = 0; k < 36; k++) assert_true(isfinite(p[k]));
        mrn_problem_free(problem);
    }
}

static void wall_driven_into_a_wall_is_infeasible(void **state) {
    (void)state;
    // Two bodies without mass approach: no impulse can stop them.
    MrnProblem *problem = random_packing(3, 5, 10, 0.5, 91);
    problem->bodies[6] = problem->bodies[7] = -1;
    problem->free_velocity[9] = -1;
    for (size_t s = 0; s < mrn_solver_count(); s++) {
        if (!is_friction_solver(s)) continue;
        double p[30] = {0};
        MrnSolveInfo info = solve_with(mrn_solver_at(s)->name, problem, 1e-6, p);
        assert_int_equal(info.status, MRN_INFEASIBLE);
        for (int k = 0; k < 30; k++) assert_true(isfinite(p[k]));
    }
    mrn_problem_free(problem);
}

static void an_impulse_that_pulls_on_a_frictionless_contact_is_projected_to_zero(void **state) {
    (void)state;
    MrnProblem *problem = mrn_problem_new(3, 2);
    double p[6] = {-1, 0, 0, 2, 0, 0};
    problem->friction[0] = problem->friction[1] = 0;
    mrn_project_cones(problem, p);
    assert_true(p[0] == 0 && p[3] == 2);
    mrn_problem_free(problem);
}

static void time_limit_holds_and_the_best_iterate_is_returned(void **state) {
    (void)state;
    MrnProblem *problem = random_packing(3, 4000, 24000, 0.5, 101);
    double *p = mrn_alloc_zero(72000, sizeof *p);
    MrnSolverSettings settings = mrn_solver_defaults();
    settings.tolerance = 1e-15;
    settings.max_iterations = 1000000;
    settings.time_limit = 0.5;
    MrnSolveInfo info;
    MrnError error = {0};
    double start = mrn_cpu_seconds();
    assert_true(mrn_solve(problem, &settings, p, NULL, &info, &error));
    double spent = mrn_cpu_seconds() - start;
    assert_int_equal(info.status, MRN_TIME_LIMIT);
    assert_true(spent < 0.6);
    assert_true(info.residual < 1);
    free(p);
    mrn_problem_free(problem);
}

static void bilateral_elliptic_and_rolling_contacts_are_solved_by_auto_and_refused_by_others(void **state) {
    (void)state;
    MrnProblem *problem = random_packing(3, 20, 30, 0.5, 111);
    problem->law = mrn_alloc_zero(30, 1);
    problem->friction2 = mrn_alloc_zero(30, sizeof(double));
    problem->parent = mrn_alloc(30, sizeof(int));
    for (int i = 0; i < 30; i++) {
        problem->parent[i] = i - 1;
        problem->friction2[i] = 0.2;
        problem->law[i] = i % 10 == 3   ? MRN_LAW_BILATERAL
                          : i % 10 == 5 ? MRN_LAW_ELLIPTIC
                          : i % 10 == 7 ? MRN_LAW_ROLLING
                                        : MRN_LAW_COULOMB;
    }
    double p[90] = {0};
    MrnSolveInfo info = solve_with("auto", problem, 1e-8, p);
    assert_int_equal(info.status, MRN_SOLVED);
    memset(p, 0, sizeof p);
    assert_int_equal(solve_with("nlgs", problem, 1e-8, p).status, MRN_SOLVED);
    MrnSolverSettings settings = mrn_solver_defaults();
    settings.solver = "newton";
    MrnError error = {0};
    assert_false(mrn_solve(problem, &settings, p, NULL, &info, &error));
    assert_string_equal(error.message, "solver newton: contact 3 does not obey Coulomb's law; use auto or nlgs");
    mrn_problem_free(problem);
}

static void wrong_settings_are_refused_with_a_reason(void **state) {
    (void)state;
    MrnProblem *problem = random_packing(3, 5, 5, 0.5, 121);
    double p[15] = {0};
    const struct {
        const char *solver, *options;
        double tolerance;
        int iterations;
        const char *message;
    } cases[] = {
        {"gauss", NULL, 1e-6, 10, "there is no solver 'gauss'; see the list of solvers"},
        {"auto", NULL, 0, 10, "tolerance must be > 0, got 0"},
        {"auto", NULL, 1e-6, 0, "max_iterations must be > 0, got 0"},
        {"auto", "speed=3", 1e-6, 10, "solver auto: unknown option 'speed=3'; options are: none"},
        {"admm", "relaxation=2", 1e-6, 10, "admm: 0 < relaxation < 2, got 2"},
        {"nlgs-assembled", "local=magic", 1e-6, 10,
         "nlgs-assembled: local must be one of exact,projection,sal,sbp,ibp,epdas,ipdas"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        MrnSolverSettings settings = {.solver = cases[k].solver,
                                      .options = cases[k].options,
                                      .tolerance = cases[k].tolerance,
                                      .max_iterations = cases[k].iterations};
        MrnSolveInfo info;
        MrnError error = {0};
        assert_false(mrn_solve(problem, &settings, p, NULL, &info, &error));
        assert_string_equal(error.message, cases[k].message);
    }
    mrn_problem_free(problem);
}

static void defaults_name_a_solver_that_exists_and_rows_are_complete(void **state) {
    (void)state;
    MrnSolverSettings settings = mrn_solver_defaults();
    assert_non_null(mrn_solver_row(settings.solver));
    assert_string_equal(settings.solver, "auto");
    assert_true(settings.tolerance == 1e-6 && settings.max_iterations == 10000 && settings.time_limit == 0 &&
                !settings.options);
    for (size_t k = 0; k < mrn_solver_count(); k++) {
        const MrnSolverEntry *entry = mrn_solver_at(k);
        assert_true(entry->name[0] && entry->summary[0] && entry->problems[0] && entry->options[0]);
        for (size_t j = 0; j < k; j++) assert_string_not_equal(entry->name, mrn_solver_at(j)->name);
    }
    assert_null(mrn_solver_at(mrn_solver_count()));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_contact_obeys_coulombs_law_for_random_blocks),
        cmocka_unit_test(active_set_slip_step_gives_the_published_impulse),
        cmocka_unit_test(every_local_method_converges_to_the_published_one_contact_solutions),
        cmocka_unit_test(sweep_counts_of_the_ball_on_a_belt_are_the_published_ones),
        cmocka_unit_test(block_on_an_incline_sticks_exactly_when_the_friction_holds_it),
        cmocka_unit_test(all_solvers_reach_the_same_velocity_where_the_matrix_is_regular),
        cmocka_unit_test(auto_solves_hyperstatic_packings_to_eight_digits),
        cmocka_unit_test(a_contact_between_walls_that_part_does_not_disturb_the_others),
        cmocka_unit_test(auto_gives_the_same_bits_twice_and_for_any_number_of_threads),
        cmocka_unit_test(auto_does_not_care_about_the_scale_of_masses_and_velocities),
        cmocka_unit_test(auto_handles_no_friction_strong_friction_and_mixtures),
        cmocka_unit_test(duplicated_contacts_share_the_load_of_one),
        cmocka_unit_test(good_guess_is_returned_as_it_is),
        cmocka_unit_test(empty_single_and_resting_problems_are_solved),
        cmocka_unit_test(numbers_that_make_no_sense_are_a_bad_problem_for_every_solver),
        cmocka_unit_test(wall_driven_into_a_wall_is_infeasible),
        cmocka_unit_test(an_impulse_that_pulls_on_a_frictionless_contact_is_projected_to_zero),
        cmocka_unit_test(time_limit_holds_and_the_best_iterate_is_returned),
        cmocka_unit_test(bilateral_elliptic_and_rolling_contacts_are_solved_by_auto_and_refused_by_others),
        cmocka_unit_test(wrong_settings_are_refused_with_a_reason),
        cmocka_unit_test(defaults_name_a_solver_that_exists_and_rows_are_complete),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
