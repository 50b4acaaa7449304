// Contact problems as LCPs: the forms of three and four unknowns per contact obey Coulomb's law, their matrices have
// the properties the existence theorem rests on, and Lemke solves them.
#include "base/random.h"
#include "problem/lcp_assembly.h"
#include "problem/problem.h"
#include "solve/solver.h"
#include <moraine/lcp.h>

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#define assert_near(a, b, tolerance) assert_true(fabs((a) - (b)) <= (tolerance))

/// Worst violation of Coulomb's law, written out in words rather than as a projection: no penetration, no adhesion,
/// complementarity, inside the cone, and sliding contacts at its edge opposed to the motion. p is scaled by the
/// diagonal to a velocity.
static double law_violation(const MrnProblem *problem, const double *p, const double *u) {
    double worst = 0, scale = 0;
    for (size_t c = 0; c < 2 * problem->contacts; c++) scale = fmax(scale, fabs(problem->free_velocity[c]));
    for (size_t c = 0; c < problem->contacts; c++) {
        double W[4], mu = problem->friction[c];
        mrn_problem_diagonal(problem, c, W);
        double p_n = W[0] * p[2 * c], p_t = W[0] * p[2 * c + 1], u_n = u[2 * c], u_t = u[2 * c + 1];
        worst = fmax(worst, fmax(-u_n, -p_n));
        worst = fmax(worst, fmin(fabs(u_n), fabs(p_n)));
        worst = fmax(worst, fabs(p_t) - mu * p_n);
        // Sliding: p_t = -mu p_n sign(u_t).
        if (fabs(u_t) > 1e-7 * scale) worst = fmax(worst, fabs(p_t + (u_t > 0 ? 1 : -1) * mu * p_n));
    }
    return worst / scale;
}

static MrnLcpInfo solve_lcp(const MrnLcp *lcp, const char *solver, double *z, double *w) {
    MrnLcpSettings settings = mrn_lcp_defaults();
    MrnLcpSolution solution = {z, w};
    MrnLcpInfo info;
    MrnError error = {0};
    settings.solver = solver;
    settings.tolerance = 1e-11;
    memset(z, 0, lcp->size * sizeof *z);
    assert_true(mrn_lcp_solve(lcp, &settings, &solution, &info, &error));
    return info;
}

static MrnAssembly draw(uint64_t seed) {
    return (MrnAssembly){.kind = (MrnAssemblyKind)(seed % 3),
                         .bodies = 2 + (int)(seed % 7),
                         .contacts = 2 + (int)(seed % 7) + (int)(seed % 5),
                         .friction = seed % 4 == 0 ? 0 : 1.5 * mrn_random_unit(7, seed, 0),
                         .mass_ratio = pow(10, 4 * mrn_random_unit(7, seed, 1)),
                         .seed = seed};
}

static void four_unknowns_per_contact_give_coulombs_law(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        MrnAssembly assembly = draw(seed);
        MrnProblem *problem = mrn_assembly_problem(&assembly);
        MrnError error = {0};
        MrnLcp *lcp = mrn_lcp_friction4(problem, &error);
        double *z = calloc(lcp->size, sizeof *z), *w = calloc(lcp->size, sizeof *w);
        double *p = calloc(2 * problem->contacts, sizeof *p), *u = calloc(2 * problem->contacts, sizeof *u);
        MrnLcpInfo info = solve_lcp(lcp, "lemke", z, w);
        assert_int_equal(info.status, MRN_SOLVED);
        mrn_lcp_friction4_impulse(problem, z, p);
        mrn_problem_velocity(problem, p, u);
        assert_true(law_violation(problem, p, u) < 1e-9);
        MrnSolveInfo certificate = {0};
        mrn_certify(problem, p, u, &certificate);
        assert_true(certificate.scaled_residual < 1e-9);
        free(z);
        free(w);
        free(p);
        free(u);
        mrn_lcp_free(lcp);
        mrn_problem_free(problem);
    }
}

static void three_unknowns_per_contact_give_coulombs_law(void **state) {
    (void)state;
    // This matrix is not copositive: Lemke has no guarantee on it, and fails now and then. What it calls solved must be
    // right.
    int regular = 0, singular = 0, solved = 0;
    for (uint64_t seed = 1; seed <= 600; seed++) {
        MrnAssembly assembly = draw(seed);
        // Fewer contacts than velocities: W is regular more often.
        assembly.contacts = assembly.bodies - 1 + (int)(seed % 2);
        MrnProblem *problem = mrn_assembly_problem(&assembly);
        MrnError error = {0};
        MrnLcp *lcp = mrn_lcp_friction3(problem, &error);
        if (!lcp) {
            assert_int_equal(error.code, MRN_ERROR_UNSUPPORTED);
            singular++;
            mrn_problem_free(problem);
            continue;
        }
        regular++;
        double *z = calloc(lcp->size, sizeof *z), *w = calloc(lcp->size, sizeof *w);
        double *p = calloc(2 * problem->contacts, sizeof *p), *u = calloc(2 * problem->contacts, sizeof *u);
        MrnLcpInfo info = solve_lcp(lcp, "lemke", z, w);
        assert_true(info.status == MRN_SOLVED || info.status == MRN_STALLED || info.status == MRN_MAX_ITERATIONS);
        solved += info.status == MRN_SOLVED;
        mrn_lcp_friction3_impulse(problem, w, p);
        mrn_problem_velocity(problem, p, u);
        if (info.status == MRN_SOLVED) assert_true(law_violation(problem, p, u) < 1e-7);
        for (size_t c = 0; c < problem->contacts && info.status == MRN_SOLVED; c++) {
            // z holds the velocities: u_n, and u_t = b2 - b1.
            assert_near(u[2 * c], z[c], 1e-7);
            assert_near(u[2 * c + 1], z[2 * problem->contacts + c] - z[problem->contacts + c], 1e-7);
        }
        free(z);
        free(w);
        free(p);
        free(u);
        mrn_lcp_free(lcp);
        mrn_problem_free(problem);
    }
    assert_true(regular > 100 && singular > 100);
    assert_true(solved >= 0.98 * regular);
}

static void a_solution_of_the_form_of_four_solves_the_form_of_three(void **state) {
    (void)state;
    int checked = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        MrnAssembly assembly = draw(seed);
        assembly.kind = MRN_ASSEMBLY_CLOUD;
        assembly.contacts = assembly.bodies - 1;
        MrnProblem *problem = mrn_assembly_problem(&assembly);
        MrnError error = {0};
        MrnLcp *four = mrn_lcp_friction4(problem, &error), *three = mrn_lcp_friction3(problem, &error);
        size_t m = problem->contacts;
        double *z = calloc(4 * m, sizeof *z), *w = calloc(4 * m, sizeof *w), *p = calloc(2 * m, sizeof *p),
               *u = calloc(2 * m, sizeof *u);
        if (three) {
            assert_int_equal(solve_lcp(four, "lemke", z, w).status, MRN_SOLVED);
            mrn_lcp_friction4_impulse(problem, z, p);
            mrn_problem_velocity(problem, p, u);
            for (size_t c = 0; c < m; c++) {
                z[c] = fmax(0, u[2 * c]);
                z[m + c] = fmax(0, -u[2 * c + 1]);
                z[2 * m + c] = fmax(0, u[2 * c + 1]);
            }
            MrnLcpInfo info;
            mrn_lcp_certify(three, z, &info);
            assert_true(info.residual < 1e-7);
            checked++;
        }
        free(z);
        free(w);
        free(p);
        free(u);
        mrn_lcp_free(four);
        mrn_lcp_free(three);
        mrn_problem_free(problem);
    }
    assert_true(checked > 200);
}

static void one_contact_has_one_solution_below_the_critical_friction(void **state) {
    (void)state;
    // One contact has one solution below the critical friction, so both forms must find it.
    for (uint64_t seed = 1; seed <= 200; seed++) {
        MrnAssembly assembly = {
            .kind = MRN_ASSEMBLY_CLOUD, .bodies = 2, .contacts = 1, .friction = 0.4, .mass_ratio = 10, .seed = seed};
        MrnProblem *problem = mrn_assembly_problem(&assembly);
        MrnError error = {0};
        MrnLcp *four = mrn_lcp_friction4(problem, &error), *three = mrn_lcp_friction3(problem, &error);
        double z[4], w[4], p4[2], p3[2];
        const double *W = problem->delassus->value;
        assert_int_equal(solve_lcp(four, "lemke", z, w).status, MRN_SOLVED);
        mrn_lcp_friction4_impulse(problem, z, p4);
        assert_int_equal(solve_lcp(three, "lemke", z, w).status, MRN_SOLVED);
        mrn_lcp_friction3_impulse(problem, w, p3);
        if (problem->friction[0] * fabs(W[1]) < W[0]) {
            assert_near(p4[0], p3[0], 1e-9);
            assert_near(p4[1], p3[1], 1e-9);
        }
        mrn_lcp_free(four);
        mrn_lcp_free(three);
        mrn_problem_free(problem);
    }
}

static void the_matrix_of_four_unknowns_is_copositive(void **state) {
    (void)state;
    // x'(G + N)x = |B x|^2 + sum of mu lambda alpha >= 0 for x >= 0, and the second part is exactly that sum.
    for (uint64_t seed = 1; seed <= 100; seed++) {
        MrnAssembly assembly = draw(seed);
        MrnProblem *problem = mrn_assembly_problem(&assembly);
        MrnError error = {0};
        MrnLcp *lcp = mrn_lcp_friction4(problem, &error);
        size_t m = problem->contacts, n = lcp->size;
        double *x = calloc(n, sizeof *x), *y = calloc(n, sizeof *y), *p = calloc(2 * m, sizeof *p),
               *u = calloc(2 * m, sizeof *u);
        memset(lcp->vector, 0, n * sizeof *lcp->vector);
        memset(problem->free_velocity, 0, 2 * m * sizeof(double));
        for (size_t i = 0; i < n; i++) x[i] = mrn_random_unit(seed, 77, i);
        mrn_lcp_slack(lcp, x, y);
        double form = 0, friction = 0, energy = 0;
        for (size_t i = 0; i < n; i++) form += x[i] * y[i];
        for (size_t c = 0; c < m; c++) friction += problem->friction[c] * x[c] * x[3 * m + c];
        mrn_lcp_friction4_impulse(problem, x, p);
        mrn_problem_velocity(problem, p, u);
        for (size_t i = 0; i < 2 * m; i++) energy += p[i] * u[i];
        assert_true(energy >= -1e-12);
        assert_near(form, energy + friction, 1e-10 * (1 + energy));
        free(x);
        free(y);
        free(p);
        free(u);
        mrn_lcp_free(lcp);
        mrn_problem_free(problem);
    }
}

static void compression_never_gains_energy(void **state) {
    (void)state;
    // E+ - E- = p'(u + q) / 2, and the work at the contacts is -sum of alpha mu lambda: Rabatel, theorem 1.1.8.
    for (uint64_t seed = 1; seed <= 200; seed++) {
        MrnAssembly assembly = draw(seed);
        MrnProblem *problem = mrn_assembly_problem(&assembly);
        MrnError error = {0};
        MrnLcp *lcp = mrn_lcp_friction4(problem, &error);
        size_t m = problem->contacts;
        double *z = calloc(4 * m, sizeof *z), *w = calloc(4 * m, sizeof *w), *p = calloc(2 * m, sizeof *p),
               *u = calloc(2 * m, sizeof *u);
        assert_int_equal(solve_lcp(lcp, "lemke", z, w).status, MRN_SOLVED);
        mrn_lcp_friction4_impulse(problem, z, p);
        mrn_problem_velocity(problem, p, u);
        double gain = 0, work = 0, dissipated = 0, scale = 1;
        for (size_t i = 0; i < 2 * m; i++)
            gain += 0.5 * p[i] * (u[i] + problem->free_velocity[i]), work += p[i] * u[i], scale += fabs(p[i]);
        for (size_t c = 0; c < m; c++) dissipated += problem->friction[c] * z[c] * z[3 * m + c];
        assert_true(gain <= 1e-9 * scale);
        assert_near(work, -dissipated, 1e-9 * scale);
        free(z);
        free(w);
        free(p);
        free(u);
        mrn_lcp_free(lcp);
        mrn_problem_free(problem);
    }
}

static void a_block_on_an_incline_sticks_when_the_slope_is_below_friction(void **state) {
    (void)state;
    // One contact, mass 1: the free velocity of a step is gravity turned by the slope.
    for (int degrees = 0; degrees < 90; degrees += 3) {
        double mu = 0.5, slope = degrees * M_PI / 180;
        MrnProblem *problem = mrn_problem_new(2, 1);
        problem->body_count = 1;
        problem->dof = 3;
        problem->bodies = calloc(2, sizeof(int));
        problem->jacobian = calloc(12, sizeof(double));
        problem->bodies[1] = -1;
        problem->jacobian[0] = problem->jacobian[4] = 1;
        problem->friction[0] = mu;
        problem->free_velocity[0] = -9.81 * cos(slope);
        problem->free_velocity[1] = -9.81 * sin(slope);
        MrnError error = {0};
        double z[4], w[4], p[2], u[2];
        MrnLcp *forms[] = {mrn_lcp_friction4(problem, &error), mrn_lcp_friction3(problem, &error)};
        for (int form = 0; form < 2; form++) {
            assert_int_equal(solve_lcp(forms[form], "lemke", z, w).status, MRN_SOLVED);
            if (form == 0)
                mrn_lcp_friction4_impulse(problem, z, p);
            else
                mrn_lcp_friction3_impulse(problem, w, p);
            mrn_problem_velocity(problem, p, u);
            assert_near(p[0], 9.81 * cos(slope), 1e-12);
            if (tan(slope) <= mu)
                assert_near(u[1], 0, 1e-12);
            else
                assert_near(u[1], -9.81 * (sin(slope) - mu * cos(slope)), 1e-12);
            mrn_lcp_free(forms[form]);
        }
        mrn_problem_free(problem);
    }
}

static void iterative_solvers_agree_on_frictionless_packings(void **state) {
    (void)state;
    static const char *const SOLVERS[] = {"gsnl", "psor", "gcp", "latin", "active_set", "newton_fischer"};
    for (int bodies = 4; bodies <= 64; bodies *= 4) {
        MrnAssembly assembly = {
            .kind = MRN_ASSEMBLY_DISCS, .bodies = bodies, .contacts = 1, .friction = 0.3, .mass_ratio = 1, .seed = 5};
        MrnProblem *problem = mrn_assembly_problem(&assembly);
        MrnError error = {0};
        MrnLcp *lcp = mrn_lcp_frictionless(problem, &error);
        size_t m = problem->contacts;
        double *z = calloc(m, sizeof *z), *w = calloc(m, sizeof *w), *first = calloc(m, sizeof *first),
               *p = calloc(2 * m, sizeof *p);
        assert_int_equal(solve_lcp(lcp, "lemke", z, first).status, MRN_SOLVED);
        for (size_t s = 0; s < 6; s++) {
            assert_int_equal(solve_lcp(lcp, SOLVERS[s], z, w).status, MRN_SOLVED);
            for (size_t i = 0; i < m; i++)
                assert_near(w[i], first[i], 1e-8); // velocities are unique, impulses need not be
        }
        // The impulses are normal, and solve the problem with mu = 0.
        mrn_lcp_frictionless_impulse(problem, z, p);
        double *u = calloc(2 * m, sizeof *u);
        memset(problem->friction, 0, m * sizeof(double));
        mrn_problem_velocity(problem, p, u);
        MrnSolveInfo certificate = {0};
        mrn_certify(problem, p, u, &certificate);
        assert_true(certificate.scaled_residual < 1e-9);
        free(u);
        free(z);
        free(w);
        free(first);
        free(p);
        mrn_lcp_free(lcp);
        mrn_problem_free(problem);
    }
}

static bool solve_row(MrnProblem *problem, const char *options, double *p, double *u, MrnSolveInfo *info,
                      MrnError *error) {
    MrnSolverSettings settings = mrn_solver_defaults();
    MrnArena arena = {0};
    settings.solver = "lemke";
    settings.options = options;
    MrnSolveJob job = {.problem = problem,
                       .settings = &settings,
                       .impulse = p,
                       .velocity = u,
                       .info = info,
                       .arena = &arena,
                       .deadline = INFINITY,
                       .error = error};
    bool done = mrn_solver_lemke.solve(&job);
    mrn_arena_free(&arena);
    if (done) mrn_certify(problem, p, u, info);
    return done;
}

static void the_friction_solver_splits_groups_and_solves_them(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        // Two assemblies side by side in one problem: the second one's bodies are numbered after the first's.
        MrnAssembly assembly = draw(seed);
        MrnProblem *one = mrn_assembly_problem(&assembly), *both = mrn_problem_new(2, 2 * one->contacts);
        size_t m = one->contacts;
        both->body_count = 2 * one->body_count;
        both->dof = 3;
        both->bodies = calloc(4 * m, sizeof(int));
        both->jacobian = calloc(24 * m, sizeof(double));
        for (size_t c = 0; c < 2 * m; c++) {
            // Interleaved, so that groups are not contiguous.
            size_t from = c / 2, shift = c % 2 ? one->body_count : 0;
            for (size_t side = 0; side < 2; side++) {
                int body = one->bodies[2 * from + side];
                both->bodies[2 * c + side] = body < 0 ? -1 : body + (int)shift;
            }
            memcpy(both->jacobian + 12 * c, one->jacobian + 12 * from, 12 * sizeof(double));
            memcpy(both->free_velocity + 2 * c, one->free_velocity + 2 * from, 2 * sizeof(double));
            both->friction[c] = one->friction[from];
        }
        double *p = calloc(4 * m, sizeof *p), *u = calloc(4 * m, sizeof *u);
        MrnSolveInfo info = {0};
        MrnError error = {0};
        assert_true(solve_row(both, NULL, p, u, &info, &error));
        assert_int_equal(info.status, MRN_SOLVED);
        assert_true(info.scaled_residual < 1e-9);
        assert_true(law_violation(both, p, u) < 1e-9);
        for (size_t c = 0; c < m; c++) // twins get the same impulses
            for (size_t k = 0; k < 2; k++) assert_true(p[4 * c + k] == p[4 * c + 2 + k]);
        free(p);
        free(u);
        mrn_problem_free(one);
        mrn_problem_free(both);
    }
}

static void the_friction_solver_refuses_what_it_cannot_do(void **state) {
    (void)state;
    MrnProblem *spatial = mrn_problem_new(3, 0), *planar = mrn_problem_new(2, 0);
    MrnSolveInfo info = {0};
    MrnError error = {0};
    assert_false(solve_row(spatial, NULL, NULL, NULL, &info, &error));
    assert_int_equal(error.code, MRN_ERROR_UNSUPPORTED);
    assert_string_equal(error.message, "friction is an LCP in 2D only; this problem has dimension 3");
    assert_false(solve_row(planar, "sweeps=3", NULL, NULL, &info, &error));
    mrn_problem_free(spatial);
    mrn_problem_free(planar);

    MrnAssembly assembly = {
        .kind = MRN_ASSEMBLY_CLOUD, .bodies = 2, .contacts = 2, .friction = 0.3, .mass_ratio = 1, .seed = 1};
    MrnProblem *problem = mrn_assembly_problem(&assembly);
    double p[4] = {0}, u[4];
    problem->friction[1] = -0.1;
    assert_true(solve_row(problem, NULL, p, u, &info, &error));
    assert_int_equal(info.status, MRN_BAD_PROBLEM);
    problem->friction[1] = 0.1;
    problem->free_velocity[2] = NAN;
    assert_true(solve_row(problem, NULL, p, u, &info, &error));
    assert_int_equal(info.status, MRN_BAD_PROBLEM);
    mrn_problem_free(problem);
}

static void friction_forms_do_not_depend_on_units(void **state) {
    (void)state;
    static const double SCALES[] = {1e-9, 1, 1e9};
    for (size_t a = 0; a < 3; a++)
        for (size_t b = 0; b < 3; b++)
            for (uint64_t seed = 1; seed <= 30; seed++) {
                MrnAssembly assembly = draw(seed);
                MrnProblem *problem = mrn_assembly_problem(&assembly);
                size_t m = problem->contacts;
                for (size_t k = 0; k < 12 * m; k++) problem->jacobian[k] *= sqrt(SCALES[a]);
                for (size_t k = 0; k < 4 * problem->delassus->start[m]; k++) problem->delassus->value[k] *= SCALES[a];
                for (size_t k = 0; k < 2 * m; k++) problem->free_velocity[k] *= SCALES[b];
                double *p = calloc(2 * m, sizeof *p), *u = calloc(2 * m, sizeof *u);
                MrnSolveInfo info = {0};
                MrnError error = {0};
                assert_true(solve_row(problem, NULL, p, u, &info, &error));
                assert_int_equal(info.status, MRN_SOLVED);
                assert_true(law_violation(problem, p, u) < 1e-8);
                free(p);
                free(u);
                mrn_problem_free(problem);
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(four_unknowns_per_contact_give_coulombs_law),
        cmocka_unit_test(three_unknowns_per_contact_give_coulombs_law),
        cmocka_unit_test(a_solution_of_the_form_of_four_solves_the_form_of_three),
        cmocka_unit_test(one_contact_has_one_solution_below_the_critical_friction),
        cmocka_unit_test(the_matrix_of_four_unknowns_is_copositive),
        cmocka_unit_test(compression_never_gains_energy),
        cmocka_unit_test(a_block_on_an_incline_sticks_when_the_slope_is_below_friction),
        cmocka_unit_test(iterative_solvers_agree_on_frictionless_packings),
        cmocka_unit_test(the_friction_solver_splits_groups_and_solves_them),
        cmocka_unit_test(the_friction_solver_refuses_what_it_cannot_do),
        cmocka_unit_test(friction_forms_do_not_depend_on_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
