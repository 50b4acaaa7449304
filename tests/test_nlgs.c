// The coloured and vectorised Gauss-Seidel kernel against a plain one that is written here on the dense matrix.
#include "core_support.h"

#include "base/clock.h"
#include "problem/problem.h"
#include "solve/friction/local.h"
#include "solve/friction/nlgs.h"

/// Contacts between random bodies: Jacobians with random entries, so W is positive definite where there are few enough
/// contacts. hub > 0: that many bodies take part in all contacts, one each.
static MrnProblem *random_problem(int dimension, size_t bodies, size_t contacts, size_t hub, double mu_low,
                                  double mu_high, uint64_t seed) {
    Draws draws = {seed, 0};
    MrnProblem *problem = mrn_problem_new(dimension, contacts);
    int dof = dimension == 2 ? 3 : 6;
    problem->body_count = bodies;
    problem->dof = dof;
    problem->bodies = mrn_alloc(2 * contacts + 1, sizeof(int));
    problem->jacobian = mrn_alloc_zero(contacts * 2 * (size_t)(dimension * dof) + 1, sizeof(double));
    for (size_t c = 0; c < contacts; c++) {
        int a = (int)draw(&draws, 0, (double)bodies), b = (int)draw(&draws, 0, (double)bodies);
        if (hub)
            a = (int)(c % hub), b = (int)(hub + c); // each contact has a body of its own on the other side
        else if (draw(&draws, 0, 1) < 0.15)
            b = -1;
        else if (draw(&draws, 0, 1) < 0.15)
            b = a, a = -1;
        if (a == b) b = -1;
        problem->bodies[2 * c] = a, problem->bodies[2 * c + 1] = b;
        for (int side = 0; side < 2; side++) {
            if (problem->bodies[2 * c + (size_t)side] < 0) continue;
            double mass = 1 + 0.5 * (double)(problem->bodies[2 * c + (size_t)side] % 3);
            for (int k = 0; k < dimension * dof; k++)
                problem->jacobian[(2 * c + (size_t)side) * (size_t)(dimension * dof) + (size_t)k] =
                    draw(&draws, -1, 1) / mass;
        }
        for (int k = 0; k < dimension; k++)
            problem->free_velocity[c * (size_t)dimension + (size_t)k] = draw(&draws, -1, k ? 1 : 0.2);
        problem->friction[c] = draw(&draws, mu_low, mu_high);
        if (mu_high > 0 && c % 7 == 3) problem->friction[c] = 0;
    }
    return problem;
}

/// W, dense.
static double *dense(const MrnProblem *problem) {
    size_t d = (size_t)problem->dimension, n = problem->contacts * d, dof = (size_t)problem->dof;
    double *W = mrn_alloc_zero(n * n + 1, sizeof(double));
    for (size_t r = 0; r < n; r++)
        for (size_t s = 0; s < n; s++)
            for (size_t i = 0; i < 2; i++)
                for (size_t j = 0; j < 2; j++) {
                    int a = problem->bodies[2 * (r / d) + i], b = problem->bodies[2 * (s / d) + j];
                    if (a < 0 || a != b) continue;
                    const double *x = problem->jacobian + ((2 * (r / d) + i) * d + r % d) * dof,
                                 *y = problem->jacobian + ((2 * (s / d) + j) * d + s % d) * dof;
                    for (size_t k = 0; k < dof; k++) W[r * n + s] += x[k] * y[k];
                }
    return W;
}

static void velocity_of(const MrnProblem *problem, const double *W, const double *p, double *u) {
    size_t n = problem->contacts * (size_t)problem->dimension;
    for (size_t r = 0; r < n; r++) {
        u[r] = problem->free_velocity[r];
        for (size_t s = 0; s < n; s++) u[r] += W[r * n + s] * p[s];
    }
}

/// Worst violation of Signorini's and Coulomb's laws, in units of velocity.
static double law_violation(const MrnProblem *problem, const double *W, const double *p) {
    size_t d = (size_t)problem->dimension, n = problem->contacts * d;
    double *u = mrn_alloc(n + 1, sizeof(double)), worst = 0;
    velocity_of(problem, W, p, u);
    for (size_t c = 0; c < problem->contacts; c++) {
        const double *pc = p + c * d, *uc = u + c * d;
        double mu = problem->friction[c], w = W[c * d * (n + 1)], t = d == 3 ? hypot(pc[1], pc[2]) : fabs(pc[1]);
        double slide = d == 3 ? hypot(uc[1], uc[2]) : fabs(uc[1]), power = slide * mu * pc[0];
        for (size_t k = 1; k < d; k++) power += uc[k] * pc[k]; // 0 if sliding opposes friction on the rim
        worst = fmax(worst, fmax(-uc[0], -w * pc[0]));
        worst = fmax(worst, fmin(fabs(uc[0]), w * fabs(pc[0])));
        worst = fmax(worst, w * (t - mu * pc[0]));
        if (mu * pc[0] > 0) worst = fmax(worst, fmin(power / (mu * pc[0]), w * mu * pc[0]));
    }
    free(u);
    return worst;
}

static void plain_gauss_seidel(const MrnProblem *problem, const double *W, int sweeps, double *p) {
    size_t d = (size_t)problem->dimension, n = problem->contacts * d;
    memset(p, 0, n * sizeof *p);
    double change = 1;
    for (int s = 0; s < sweeps && change > 1e-13; s++) {
        change = 0;
        for (size_t c = 0; c < problem->contacts; c++) {
            double b[3], block[9] = {0};
            for (size_t i = 0; i < d; i++) {
                const double *row = W + (c * d + i) * n;
                b[i] = problem->free_velocity[c * d + i];
                for (size_t k = 0; k < n; k++)
                    if (k / d != c) b[i] += row[k] * p[k];
                for (size_t j = 0; j < d; j++) block[i * d + j] = row[c * d + j];
            }
            double packed[3] = {block[0], block[1], block[3]}, old[3] = {0};
            memcpy(old, p + c * d, d * sizeof *old);
            if (d == 2)
                mrn_local_2d(packed, b, problem->friction[c], p + c * d);
            else
                mrn_local_3d(block, b, problem->friction[c], p + c * d);
            for (size_t k = 0; k < d; k++) change = fmax(change, fabs(p[c * d + k] - old[k]));
        }
    }
}

static void run_kernel(MrnProblem *problem, const MrnNlgsSettings *settings, double *p, MrnSolveInfo *info,
                       int thread_count) {
    MrnArena arena = {0};
    MrnThreads *threads = thread_count > 1 ? mrn_threads_new(thread_count) : NULL;
    MrnSolverSettings outer = mrn_solver_defaults();
    MrnSolveJob job = {
        .problem = problem, .settings = &outer, .impulse = p, .info = info, .threads = threads, .arena = &arena};
    job.scale = mrn_problem_mean_diagonal(problem, NULL);
    *info = (MrnSolveInfo){0};
    mrn_nlgs_solve(&job, settings);
    mrn_threads_free(threads);
    mrn_arena_free(&arena);
}

/// Solve with the kernel and by hand; the law must hold, and where the solution is unique both must agree.
static void solves(MrnProblem *problem, double tolerance, bool unique, bool accelerate) {
    size_t n = problem->contacts * (size_t)problem->dimension;
    double *W = dense(problem), *p = mrn_alloc_zero(n + 1, sizeof(double)), *r = mrn_alloc_zero(n + 1, sizeof(double));
    MrnNlgsSettings settings = mrn_nlgs_defaults();
    settings.tolerance = 1e-12;
    settings.max_sweeps = 50000;
    settings.accelerate = accelerate;
    MrnSolveInfo info;
    run_kernel(problem, &settings, p, &info, 1);
    if (info.status != MRN_SOLVED)
        fail_msg("%s after %d sweeps, residual %g", mrn_solve_status_name(info.status), info.iterations,
                 info.scaled_residual);
    below(law_violation(problem, W, p), tolerance, "law violation of the kernel's solution");
    if (unique) {
        plain_gauss_seidel(problem, W, 4000, r);
        below(law_violation(problem, W, r), tolerance, "law violation of the plain solution");
        for (size_t k = 0; k < n; k++) close_to(p[k], r[k], 1e-7, "impulse");
    }
    free(W), free(p), free(r);
}

static void few_contacts_have_the_solution_of_plain_gauss_seidel(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 0; seed < 20; seed++)
            for (int accelerate = 0; accelerate < 2; accelerate++) {
                MrnProblem *problem = random_problem(d, 40, 30, 0, 0.05, 0.2, seed);
                solves(problem, 1e-10, true, accelerate);
                mrn_problem_free(problem);
            }
}

static void frictionless_contacts_have_the_solution_of_plain_gauss_seidel(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 0; seed < 20; seed++) {
            MrnProblem *problem = random_problem(d, 30, 28, 0, 0, 0, 100 + seed);
            solves(problem, 1e-10, true, true);
            mrn_problem_free(problem);
        }
}

static void a_body_with_hundreds_of_contacts_is_solved_when_colours_run_over(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (size_t hub = 1; hub <= 3; hub += 2)
            for (int accelerate = 0; accelerate < 2; accelerate++) {
                MrnProblem *problem = random_problem(d, 71 * hub + 10, 70 * hub, hub, 0.05, 0.2, 7 + hub);
                solves(problem, 1e-10, true, accelerate);
                mrn_problem_free(problem);
            }
}

static void one_contact_needs_one_sweep_and_another_to_see_that_it_is_done(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 0; seed < 200; seed++) {
            MrnProblem *problem = random_problem(d, 2, 1, 0, 0, 2, 500 + seed);
            size_t n = (size_t)d;
            double p[3] = {0}, *W = dense(problem), wanted[3] = {0};
            MrnNlgsSettings settings = mrn_nlgs_defaults();
            settings.tolerance = 1e-10; // the slip equation itself is solved to 1e-11
            MrnSolveInfo info;
            run_kernel(problem, &settings, p, &info, 1);
            assert_int_equal(info.status, MRN_SOLVED);
            below(info.iterations, 2, "sweeps"); // the second changes nothing
            plain_gauss_seidel(problem, W, 1, wanted);
            double size = fabs(wanted[0]) + 1e-9;
            for (size_t k = 0; k < n; k++) close_to(p[k], wanted[k], 1e-9 * size, "impulse of one contact");
            free(W);
            mrn_problem_free(problem);
        }
}

static void no_contact_needs_no_sweep(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        MrnProblem *problem = random_problem(d, 5, 0, 0, 0, 0, 1);
        MrnSolveInfo info;
        MrnNlgsSettings settings = mrn_nlgs_defaults();
        double p[1];
        run_kernel(problem, &settings, p, &info, 1);
        assert_int_equal(info.status, MRN_SOLVED);
        assert_int_equal(info.iterations, 0);
        MrnError error = {0};
        MrnSolverSettings outer = mrn_solver_defaults();
        outer.solver = "nlgs";
        assert_true(mrn_solve(problem, &outer, p, NULL, &info, &error));
        assert_int_equal(info.status, MRN_SOLVED);
        mrn_problem_free(problem);
    }
}

/// Contacts as numerous as bodies allow and more: impulses are not unique, the law is still the law.
static void loaded_assemblies_obey_the_law(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 0; seed < 5; seed++) {
            // q in the range of H: a motion of the bodies, so that a solution exists for any friction.
            MrnProblem *problem = random_problem(d, 30, 45, 0, 0, 0.3, 900 + seed);
            Draws draws = {seed, 0};
            size_t dof = (size_t)problem->dof, dim = (size_t)d;
            double *v = mrn_alloc(30 * dof, sizeof(double));
            for (size_t k = 0; k < 30 * dof; k++) v[k] = draw(&draws, -1, 1);
            for (size_t r = 0; r < problem->contacts * dim; r++) {
                problem->free_velocity[r] = 0;
                for (size_t side = 0; side < 2; side++) {
                    int b = problem->bodies[2 * (r / dim) + side];
                    for (size_t k = 0; b >= 0 && k < dof; k++)
                        problem->free_velocity[r] +=
                            problem->jacobian[((2 * (r / dim) + side) * dim + r % dim) * dof + k] *
                            v[(size_t)b * dof + k];
                }
            }
            size_t n = problem->contacts * dim;
            double *W = dense(problem), *p = mrn_alloc_zero(n, sizeof(double));
            MrnNlgsSettings settings = mrn_nlgs_defaults();
            settings.tolerance = 1e-10;
            settings.max_sweeps = 200000;
            settings.stall_sweeps = 100000;
            MrnSolveInfo info;
            run_kernel(problem, &settings, p, &info, 1);
            if (info.status == MRN_SOLVED)
                below(law_violation(problem, W, p), 1e-8, "law violation");
            else
                fail_msg("%dD seed %d: %s after %d sweeps, residual %g", d, (int)seed,
                         mrn_solve_status_name(info.status), info.iterations, info.scaled_residual);
            free(W), free(p), free(v);
            mrn_problem_free(problem);
        }
}

static void very_rough_contacts_obey_the_law(void **unused) {
    (void)unused;
    int stuck = 0;
    for (int d = 2; d <= 3; d++)
        for (uint64_t seed = 0; seed < 300; seed++) {
            double mu = seed % 2 ? 10 : 1e3;
            MrnProblem *problem = random_problem(d, 2, 1, 0, mu, mu, 300 + seed);
            double p[3] = {0}, u[3], *W = dense(problem), speed = 0;
            MrnSolveInfo info;
            MrnNlgsSettings settings = mrn_nlgs_defaults();
            settings.tolerance = 1e-10;
            run_kernel(problem, &settings, p, &info, 1);
            assert_int_equal(info.status, MRN_SOLVED);
            below(law_violation(problem, W, p), 1e-7, "law violation of a very rough contact");
            velocity_of(problem, W, p, u);
            for (int k = 0; k < d; k++) speed = fmax(speed, fabs(u[k]));
            stuck += speed < 1e-9;
            free(W);
            mrn_problem_free(problem);
        }
    assert_true(stuck > 50);
}

static void the_residual_of_the_kernel_is_the_certificate_of_its_impulses(void **unused) {
    (void)unused;
    // The kernel updates body velocities along with impulses; after any number of sweeps they must still be H~^T p.
    for (int d = 2; d <= 3; d++)
        for (int sweeps = 1; sweeps < 400; sweeps = 2 * sweeps + 1)
            for (int accelerate = 0; accelerate < 2; accelerate++) {
                MrnProblem *problem = random_problem(d, 60, 90, 0, 0.1, 0.9, 40);
                size_t n = problem->contacts * (size_t)d;
                double *p = mrn_alloc_zero(n, sizeof(double)), *u = mrn_alloc(n, sizeof(double));
                for (size_t k = 0; k < n; k++) p[k] = 0.1 * (double)(k % 5); // a guess outside the cones too
                MrnNlgsSettings settings = mrn_nlgs_defaults();
                settings.tolerance = 1e-300;
                settings.max_sweeps = sweeps;
                settings.accelerate = accelerate;
                MrnSolveInfo info, fresh = {0};
                run_kernel(problem, &settings, p, &info, 1);
                assert_int_equal(info.iterations, sweeps);
                assert_int_equal(info.status, MRN_MAX_ITERATIONS);
                mrn_problem_velocity(problem, p, u);
                mrn_certify(problem, p, u, &fresh);
                close_to(info.scaled_residual, fresh.scaled_residual, 1e-12, "residual");
                below(fresh.cone_violation, 1e-12, "cone violation");
                free(p), free(u);
                mrn_problem_free(problem);
            }
}

static void a_solve_that_ends_early_says_why(void **unused) {
    (void)unused;
    MrnProblem *problem = random_problem(3, 60, 90, 0, 0.1, 0.9, 41);
    double *p = mrn_alloc_zero(270, sizeof(double));
    MrnSolveInfo info;
    MrnNlgsSettings settings = mrn_nlgs_defaults();
    settings.tolerance = 1e-300;
    settings.max_sweeps = 1000000;
    settings.stall_sweeps = 300;
    run_kernel(problem, &settings, p, &info, 1);
    assert_int_equal(info.status, MRN_STALLED);
    memset(p, 0, 270 * sizeof *p);
    settings.stall_sweeps = 1000000;
    settings.deadline = mrn_wall_seconds() + 0.02;
    run_kernel(problem, &settings, p, &info, 1);
    assert_int_equal(info.status, MRN_TIME_LIMIT);
    below(mrn_wall_seconds() - settings.deadline, 1, "s past the deadline");
    settings.deadline = INFINITY;
    settings.max_sweeps = 7;
    memset(p, 0, 270 * sizeof *p);
    run_kernel(problem, &settings, p, &info, 1);
    assert_int_equal(info.status, MRN_MAX_ITERATIONS);
    assert_int_equal(info.iterations, 7);
    free(p);
    mrn_problem_free(problem);
}

static void a_solution_given_as_the_guess_needs_no_sweep(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        MrnProblem *problem = random_problem(d, 60, 50, 0, 0.05, 0.2, 43);
        double *p = mrn_alloc_zero(50 * (size_t)d, sizeof(double));
        MrnSolveInfo info;
        MrnNlgsSettings settings = mrn_nlgs_defaults();
        settings.tolerance = 1e-10;
        run_kernel(problem, &settings, p, &info, 1);
        assert_true(info.iterations > 1);
        settings.tolerance = 1e-9;
        run_kernel(problem, &settings, p, &info, 1);
        assert_int_equal(info.iterations, 0);
        free(p);
        mrn_problem_free(problem);
    }
}

static void any_number_of_threads_gives_the_same_impulses(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        size_t n = 3000 * (size_t)d;
        MrnProblem *problem = random_problem(d, 2500, 3000, 0, 0.05, 0.5, 44);
        double *alone = mrn_alloc_zero(n, sizeof(double)), *shared = mrn_alloc(n, sizeof(double));
        MrnSolveInfo one, many;
        MrnNlgsSettings settings = mrn_nlgs_defaults();
        settings.max_sweeps = 60;
        settings.tolerance = 1e-12;
        run_kernel(problem, &settings, alone, &one, 1);
        for (int threads = 2; threads <= 4; threads++) {
            memset(shared, 0, n * sizeof *shared);
            run_kernel(problem, &settings, shared, &many, threads);
            assert_int_equal(one.iterations, many.iterations);
            assert_memory_equal(alone, shared, n * sizeof *alone);
        }
        free(alone), free(shared);
        mrn_problem_free(problem);
    }
}

static void a_contact_between_two_bodies_without_mass_does_nothing(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        MrnProblem *problem = random_problem(d, 10, 12, 0, 0.1, 0.3, 45);
        problem->bodies[8] = problem->bodies[9] = -1;
        memset(problem->jacobian + 8 * (size_t)(d * problem->dof), 0, 2 * (size_t)(d * problem->dof) * sizeof(double));
        problem->free_velocity[4 * d] = 0.5; // parting
        double *p = mrn_alloc_zero(12 * (size_t)d, sizeof(double));
        MrnSolveInfo info;
        MrnNlgsSettings settings = mrn_nlgs_defaults();
        run_kernel(problem, &settings, p, &info, 1);
        assert_int_equal(info.status, MRN_SOLVED);
        for (int k = 0; k < d; k++) assert_true(p[4 * d + k] == 0);
        // Approaching, a shift is no body either.
        problem->free_velocity[4 * d] = -0.5;
        settings.shift = 0.1;
        settings.max_sweeps = 30;
        memset(p, 0, 12 * (size_t)d * sizeof *p);
        run_kernel(problem, &settings, p, &info, 1);
        for (int k = 0; k < d; k++) assert_true(p[4 * d + k] == 0);
        // No impulse can stop them: the solve must say so instead of claiming success.
        MrnError error = {0};
        MrnSolverSettings outer = mrn_solver_defaults();
        outer.solver = "nlgs";
        memset(p, 0, 12 * (size_t)d * sizeof *p);
        assert_true(mrn_solve(problem, &outer, p, NULL, &info, &error));
        assert_int_equal(info.status, MRN_INFEASIBLE);
        for (int k = 0; k < 12 * d; k++) assert_true(isfinite(p[k]));
        free(p);
        mrn_problem_free(problem);
    }
}

static void relaxed_sweeps_reach_the_same_solution(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        MrnProblem *problem = random_problem(d, 60, 50, 0, 0.05, 0.2, 46);
        size_t n = 50 * (size_t)d;
        double *p = mrn_alloc_zero(3 * n, sizeof(double));
        MrnNlgsSettings settings = mrn_nlgs_defaults();
        settings.tolerance = 1e-12;
        for (int turn = 0; turn < 3; turn++) {
            MrnSolveInfo info;
            settings.relaxation = 0.8 + 0.2 * turn;
            settings.accelerate = turn == 1;
            run_kernel(problem, &settings, p + (size_t)turn * n, &info, 1);
            assert_int_equal(info.status, MRN_SOLVED);
        }
        for (size_t k = 0; k < n; k++) {
            close_to(p[k], p[n + k], 1e-8, "relaxation 0.8 and 1");
            close_to(p[2 * n + k], p[n + k], 1e-8, "relaxation 1.2 and 1");
        }
        free(p);
        mrn_problem_free(problem);
    }
}

static void an_over_relaxed_contact_that_opens_has_no_impulse(void **unused) {
    (void)unused;
    // One contact without tangential motion, from a guess that pushes, parting: p_n would be extrapolated below zero
    // with p_t = 0.
    for (int d = 2; d <= 3; d++)
        for (int rough = 0; rough < 2; rough++) {
            MrnProblem *problem = random_problem(d, 2, 1, 0, 0.5 * rough, 0.5 * rough, 47);
            memset(problem->free_velocity, 0, (size_t)d * sizeof(double));
            problem->free_velocity[0] = 1;
            for (int which = 0; which < 2; which++) {
                double p[3] = {1, 0, 0};
                MrnSolverSettings settings = mrn_solver_defaults();
                settings.solver = which ? "nlgs-assembled" : "nlgs";
                settings.options = "relaxation=1.5";
                MrnSolveInfo info;
                MrnError error = {0};
                assert_true(mrn_solve(problem, &settings, p, NULL, &info, &error));
                assert_int_equal(info.status, MRN_SOLVED);
                for (int k = 0; k < d; k++) close_to(p[k], 0, 1e-6, "impulse of an open contact");
            }
            mrn_problem_free(problem);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(few_contacts_have_the_solution_of_plain_gauss_seidel),
        cmocka_unit_test(frictionless_contacts_have_the_solution_of_plain_gauss_seidel),
        cmocka_unit_test(a_body_with_hundreds_of_contacts_is_solved_when_colours_run_over),
        cmocka_unit_test(one_contact_needs_one_sweep_and_another_to_see_that_it_is_done),
        cmocka_unit_test(no_contact_needs_no_sweep),
        cmocka_unit_test(loaded_assemblies_obey_the_law),
        cmocka_unit_test(very_rough_contacts_obey_the_law),
        cmocka_unit_test(the_residual_of_the_kernel_is_the_certificate_of_its_impulses),
        cmocka_unit_test(a_solve_that_ends_early_says_why),
        cmocka_unit_test(a_solution_given_as_the_guess_needs_no_sweep),
        cmocka_unit_test(any_number_of_threads_gives_the_same_impulses),
        cmocka_unit_test(a_contact_between_two_bodies_without_mass_does_nothing),
        cmocka_unit_test(relaxed_sweeps_reach_the_same_solution),
        cmocka_unit_test(an_over_relaxed_contact_that_opens_has_no_impulse),
    };
    return cmocka_run_group_tests_name("nlgs", tests, NULL, NULL);
}
