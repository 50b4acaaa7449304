// Problems of balls alone: the round form against the form for any bodies, and sweeps in single precision.
#include "core_support.h"

#include "problem/problem.h"
#include "solve/certify.h"
#include "solve/friction/nlgs.h"

/// Balls at random with contacts between them and with obstacles, in the round form. Radii span a factor `spread`,
/// masses its cube. q is that of a motion of the bodies, so that a solution exists.
static MrnProblem *balls(int dimension, size_t bodies, size_t contacts, double spread, uint64_t seed) {
    Draws draws = {seed, 0};
    size_t d = (size_t)dimension;
    MrnProblem *problem = mrn_problem_new(dimension, contacts);
    problem->body_count = bodies;
    problem->bodies = mrn_alloc(2 * contacts, sizeof *problem->bodies);
    problem->normal = mrn_alloc(d * contacts, sizeof(double));
    problem->lever = mrn_alloc_zero(2 * contacts, sizeof(double));
    problem->inverse_root_mass = mrn_alloc(bodies, sizeof(double));
    double *radius = mrn_alloc(bodies, sizeof(double)), *v = mrn_alloc(bodies * (size_t)problem->dof, sizeof(double));
    for (size_t b = 0; b < bodies; b++) {
        radius[b] = pow(spread, draw(&draws, 0, 1));
        problem->inverse_root_mass[b] = pow(radius[b], -1.5);
        for (size_t k = 0; k < (size_t)problem->dof; k++)
            v[b * (size_t)problem->dof + k] = draw(&draws, -1, 1) / problem->inverse_root_mass[b];
    }
    for (size_t c = 0; c < contacts; c++) {
        int a = (int)draw(&draws, 0, (double)bodies), b = (int)draw(&draws, 0, (double)bodies);
        if (a == b || c % 5 == 0) b = -1;
        if (c % 10 == 5) b = a, a = -1;
        problem->bodies[2 * c] = a, problem->bodies[2 * c + 1] = b;
        double n[3], length = 0;
        for (size_t k = 0; k < d; k++) n[k] = draw(&draws, -1, 1), length += n[k] * n[k];
        for (size_t k = 0; k < d; k++) problem->normal[d * c + k] = n[k] / sqrt(length);
        for (size_t side = 0; side < 2; side++) {
            int body = problem->bodies[2 * c + side];
            if (body < 0) continue;
            double inertia = (d == 2 ? 0.5 : 0.4) * radius[body] * radius[body]; // over the mass
            problem->lever[2 * c + side] =
                draw(&draws, 0.9, 1) * radius[body] / sqrt(inertia) * problem->inverse_root_mass[body];
        }
        problem->friction[c] = c % 7 == 3 ? 0 : draw(&draws, 0.1, 0.6);
    }
    mrn_problem_contact_velocity(problem, v, NULL, problem->free_velocity, NULL);
    free(radius);
    free(v);
    return problem;
}

/// The same problem with its Jacobians written out.
static MrnProblem *general_form(const MrnProblem *round) {
    size_t d = (size_t)round->dimension, half = d * (size_t)round->dof, sides = 2 * round->contacts;
    MrnProblem *problem = mrn_problem_new(round->dimension, round->contacts);
    problem->body_count = round->body_count;
    problem->bodies = memcpy(mrn_alloc(sides, sizeof(int)), round->bodies, sides * sizeof(int));
    problem->jacobian = mrn_alloc_zero(sides * half, sizeof(double));
    memcpy(problem->free_velocity, round->free_velocity, d * round->contacts * sizeof(double));
    memcpy(problem->friction, round->friction, round->contacts * sizeof(double));
    for (size_t s = 0; s < sides; s++)
        if (round->bodies[s] >= 0) {
            double buffer[18];
            memcpy(problem->jacobian + s * half, mrn_problem_rows(round, s, buffer), half * sizeof(double));
        }
    return problem;
}

static void run(MrnProblem *problem, const MrnNlgsSettings *settings, int thread_count, double *p, MrnSolveInfo *info) {
    MrnArena arena = {0};
    MrnThreads *threads = mrn_threads_new(thread_count);
    MrnSolverSettings outer = mrn_solver_defaults();
    MrnSolveJob job = {.problem = problem,
                       .settings = &outer,
                       .impulse = p,
                       .info = info,
                       .threads = threads,
                       .arena = &arena,
                       .scale = mrn_problem_mean_diagonal(problem, NULL)};
    *info = (MrnSolveInfo){0};
    mrn_nlgs_solve(&job, settings);
    mrn_threads_free(threads);
    mrn_arena_free(&arena);
}

static double certificate(MrnProblem *problem, const double *p) {
    double *u = mrn_alloc((size_t)problem->dimension * problem->contacts, sizeof *u);
    MrnSolveInfo info = {0};
    mrn_problem_velocity(problem, p, u);
    mrn_certify(problem, p, u, &info);
    below(info.cone_violation, 1e-12, "cone violation");
    free(u);
    return info.scaled_residual;
}

static void both_forms_are_the_same_operator(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        MrnProblem *round = balls(d, 50, 120, 100, 1), *general = general_form(round);
        size_t n = (size_t)d * 120;
        double *p = mrn_alloc(n, sizeof *p), *a = mrn_alloc(n, sizeof *a), *b = mrn_alloc(n, sizeof *b), size = 0;
        Draws draws = {2, 0};
        for (size_t k = 0; k < n; k++) p[k] = draw(&draws, -1, 1);
        mrn_problem_velocity(round, p, a);
        mrn_problem_velocity(general, p, b);
        for (size_t k = 0; k < n; k++) size = fmax(size, fabs(b[k]));
        for (size_t k = 0; k < n; k++) close_to(a[k], b[k], 1e-13 * size, "velocity from the round form");
        double mean = mrn_problem_mean_diagonal(general, NULL);
        close_to(mrn_problem_mean_diagonal(round, NULL), mean, 1e-13 * mean, "mean diagonal");
        mrn_problem_assemble(round);
        mrn_problem_velocity(round, p, a);
        for (size_t k = 0; k < n; k++) close_to(a[k], b[k], 1e-13 * size, "velocity from the assembled matrix");
        free(p), free(a), free(b);
        mrn_problem_free(round);
        mrn_problem_free(general);
    }
}

/// Radius ratios of 100 are mass ratios of 1e6.
static void the_solution_in_one_form_is_certified_in_the_other(void **unused) {
    (void)unused;
    const double spreads[] = {1, 100};
    for (int d = 2; d <= 3; d++)
        for (int s = 0; s < 2; s++)
            for (int single = 0; single < 2; single++) {
                MrnProblem *round = balls(d, 150, 120, spreads[s], 10 + (uint64_t)s), *general = general_form(round);
                double *p = mrn_alloc_zero((size_t)d * 120, sizeof *p);
                MrnNlgsSettings settings = mrn_nlgs_defaults();
                MrnSolveInfo info;
                settings.tolerance = 1e-9;
                settings.max_sweeps = 100000;
                settings.stall_sweeps = 100000;
                settings.single = single;
                settings.first_sweeps = 0;
                run(round, &settings, 1, p, &info);
                if (info.status != MRN_SOLVED)
                    fail_msg("%dD, radii 1 to %g: %s after %d sweeps, residual %g", d, spreads[s],
                             mrn_solve_status_name(info.status), info.iterations, info.scaled_residual);
                assert_true(info.iterations > 3);
                below(certificate(general, p), 1.001e-9, "certificate of the round solution in the general form");
                memset(p, 0, (size_t)d * 120 * sizeof *p);
                run(general, &settings, 1, p, &info);
                assert_int_equal(info.status, MRN_SOLVED);
                below(certificate(round, p), 1.001e-9, "certificate of the general solution in the round form");
                free(p);
                mrn_problem_free(round);
                mrn_problem_free(general);
            }
}

/// A proximal step: W + shift I and q - shift p of the guess stand for W and q.
static void shifted_problems_are_solved_in_both_forms(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (int form = 0; form < 2; form++) {
            MrnProblem *round = balls(d, 100, 120, 3, 30), *problem = form ? general_form(round) : round;
            size_t n = (size_t)d * 120;
            double *guess = mrn_alloc(n, sizeof *guess), *p = mrn_alloc(n, sizeof *p), *u = mrn_alloc(n, sizeof *u);
            Draws draws = {31, 0};
            for (size_t k = 0; k < n; k++) {
                size_t contact = k / (size_t)d;
                guess[k] = k % (size_t)d == 0
                               ? draw(&draws, 0, 1)
                               : guess[contact * (size_t)d] * problem->friction[contact] * draw(&draws, -0.7, 0.7);
            }
            MrnNlgsSettings settings = mrn_nlgs_defaults();
            settings.tolerance = 1e-10;
            for (int power = -2; power <= 0; power++) {
                MrnSolveInfo info;
                settings.shift = pow(10, power) * mrn_problem_mean_diagonal(problem, NULL);
                memcpy(p, guess, n * sizeof *p);
                run(problem, &settings, 1, p, &info);
                if (info.status != MRN_SOLVED)
                    fail_msg("%dD, shift 1e%d: %s after %d sweeps, residual %g", d, power,
                             mrn_solve_status_name(info.status), info.iterations, info.scaled_residual);
                assert_true(info.iterations > 3);
                mrn_problem_velocity(problem, p, u);
                for (size_t k = 0; k < n; k++) u[k] += settings.shift * (p[k] - guess[k]);
                mrn_certify(problem, p, u, &info);
                below(info.scaled_residual, 1.001e-10, "residual of the shifted problem");
            }
            free(guess), free(p), free(u);
            if (form) mrn_problem_free(problem);
            mrn_problem_free(round);
        }
}

/// A shift is no body: what nothing can push keeps its impulse.
static void a_shift_does_not_push_walls_apart(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        MrnProblem *problem = balls(d, 100, 120, 3, 32);
        double *p = mrn_alloc_zero((size_t)d * 120, sizeof *p);
        problem->bodies[8] = problem->bodies[9] = -1;
        problem->free_velocity[4 * d] = -0.5;
        MrnNlgsSettings settings = mrn_nlgs_defaults();
        MrnSolveInfo info;
        settings.shift = 0.1 * mrn_problem_mean_diagonal(problem, NULL);
        settings.max_sweeps = 30;
        run(problem, &settings, 1, p, &info);
        for (int k = 0; k < d; k++) assert_true(p[4 * d + k] == 0);
        free(p);
        mrn_problem_free(problem);
    }
}

static void a_tower_of_contacts_has_one_solution_in_both_precisions(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        MrnProblem *round = balls(d, 200, 90, 3, 20); // fewer contacts than bodies: W is positive definite
        size_t n = (size_t)d * 90;
        double *p[2];
        for (int single = 0; single < 2; single++) {
            p[single] = mrn_alloc_zero(n, sizeof(double));
            MrnNlgsSettings settings = mrn_nlgs_defaults();
            MrnSolveInfo info;
            settings.tolerance = 1e-12;
            settings.max_sweeps = 100000;
            settings.stall_sweeps = 100000;
            settings.single = single;
            settings.first_sweeps = 0;
            run(round, &settings, 1, p[single], &info);
            assert_int_equal(info.status, MRN_SOLVED);
        }
        for (size_t k = 0; k < n; k++) close_to(p[1][k], p[0][k], 1e-9, "impulse from single precision");
        free(p[0]), free(p[1]);
        mrn_problem_free(round);
    }
}

static void any_number_of_threads_gives_the_same_impulses(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (int single = 0; single < 2; single++) {
            size_t n = 4000 * (size_t)d;
            MrnProblem *problem = balls(d, 2500, 4000, 10, 30);
            double *alone = mrn_alloc_zero(n, sizeof(double)), *shared = mrn_alloc(n, sizeof(double));
            MrnSolveInfo one, many;
            MrnNlgsSettings settings = mrn_nlgs_defaults();
            settings.max_sweeps = 150;
            settings.tolerance = 1e-14;
            settings.single = single;
            run(problem, &settings, 1, alone, &one);
            for (int threads = 2; threads <= 4; threads += 2) {
                memset(shared, 0, n * sizeof *shared);
                run(problem, &settings, threads, shared, &many);
                assert_int_equal(one.iterations, many.iterations);
                assert_true(one.scaled_residual == many.scaled_residual);
                assert_memory_equal(alone, shared, n * sizeof *alone);
            }
            free(alone), free(shared);
            mrn_problem_free(problem);
        }
}

static void the_certificate_does_not_depend_on_the_number_of_threads(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++)
        for (int form = 0; form < 2; form++) {
            MrnProblem *problem = balls(d, 2500, 4000, 10, 31);
            if (form) {
                MrnProblem *general = general_form(problem);
                mrn_problem_free(problem);
                problem = general;
            }
            size_t n = 4000 * (size_t)d;
            double *p = mrn_alloc(n, sizeof *p), *u = mrn_alloc(n, sizeof *u), *v = mrn_alloc(n, sizeof *v);
            for (size_t k = 0; k < n; k++) p[k] = sin((double)k);
            mrn_problem_velocity(problem, p, u);
            MrnSolveInfo one = {0}, many = {0};
            mrn_certify(problem, p, u, &one);
            for (int count = 2; count <= 4; count++) {
                MrnThreads *threads = mrn_threads_new(count);
                MrnArena arena = {0};
                double scale = mrn_problem_mean_diagonal(problem, threads);
                mrn_problem_velocity_on(problem, p, v, threads, &arena);
                mrn_certify_on(problem, scale, p, v, &many, threads);
                mrn_threads_free(threads);
                mrn_arena_free(&arena);
                assert_memory_equal(u, v, n * sizeof *u);
                assert_memory_equal(&one, &many, sizeof one);
            }
            free(p), free(u), free(v);
            mrn_problem_free(problem);
        }
}

/// Balls of radii 0.02 to 2 above a shaken plate between planes; with `boxed`, a box far away that falls alone makes
/// the problem take the form for any bodies.
static MrnModel *shaken_balls(int dimension, bool boxed) {
    MrnModel *model = model_with(dimension, 0.4, 0, 9.81);
    Draws draws = {40, 0};
    MrnShape half = mrn_shape_defaults(dimension == 2 ? MRN_SHAPE_HALF_PLANE : MRN_SHAPE_PLANE);
    MrnBodyDef plate = body_at(model, &half, 0, 0, 0);
    plate.kind = MRN_BODY_DRIVEN;
    plate.driver.kind = MRN_DRIVER_SINE;
    plate.driver.amplitude[0] = 0.05;
    plate.driver.frequency = 2;
    plate.driver.axis[2] = 1;
    add(model, &plate);
    for (int i = 0; i < 9; i++) {
        double r = i == 4 ? 2 : i % 2 ? 0.02 : 0.3, x = 3 * (i % 3) + draw(&draws, 0, 0.1), y = 3 * (i / 3);
        MrnShape shape = dimension == 2 ? disc(r) : sphere(r);
        MrnBodyDef def =
            dimension == 2 ? body_at(model, &shape, 4.5 * i, r + 0.01, 0) : body_at(model, &shape, x, y, r + 0.01);
        def.velocity[0] = draw(&draws, -1, 1);
        add(model, &def);
        if (dimension == 3 && i != 4) continue;
        def.position[dimension - 1] += 2 * r + 0.01; // one on top of it
        def.position[0] += 0.1 * r;
        add(model, &def);
    }
    if (boxed) {
        Corners corners = rectangle(1, 1);
        MrnShape shape = dimension == 2 ? polygon(4, corners.at) : box(1, 1, 1);
        MrnBodyDef def = dimension == 2 ? body_at(model, &shape, 1000, 1000, 0) : body_at(model, &shape, 1000, 0, 1000);
        add(model, &def);
    }
    return model;
}

static void balls_on_a_shaken_plate_move_alike_in_both_forms(void **unused) {
    (void)unused;
    for (int d = 2; d <= 3; d++) {
        MrnModel *model[2];
        MrnWorld *world[2];
        MrnScheme scheme = scheme_of(2e-3, 1e-12);
        double worst = 0;
        int touching = 0;
        for (int k = 0; k < 2; k++) {
            model[k] = shaken_balls(d, k == 1);
            world[k] = start(model[k], &scheme);
        }
        for (int i = 0; i < 100; i++) {
            MrnStepInfo info[2] = {step(world[0]), step(world[1])};
            touching += (int)info[0].touching;
            assert_int_equal(info[0].contacts, info[1].contacts);
            below(fabs(info[0].energy_defect), 1e-9, "defect of the energy identity, J");
            close_to(info[0].dissipated_energy, info[1].dissipated_energy, 1e-8, "dissipated energy, J");
            close_to(info[0].driver_work, info[1].driver_work, 1e-8, "work of the plate, J");
            if (!info[0].contacts) continue;
            assert_null(mrn_world_problem(world[0], NULL, NULL)->jacobian);
            assert_non_null(mrn_world_problem(world[1], NULL, NULL)->jacobian);
        }
        assert_true(touching > 500);
        for (size_t b = 0; b < mrn_model_body_count(model[0]); b++)
            for (int k = 0; k < d; k++)
                worst = fmax(worst,
                             fabs(mrn_world_position(world[0], (int)b)[k] - mrn_world_position(world[1], (int)b)[k]));
        below(worst, 1e-8, "distance between the balls of both worlds, m");
        for (int k = 0; k < 2; k++) {
            mrn_world_free(world[k]);
            mrn_model_free(model[k]);
        }
    }
}

static void a_ball_with_unequal_moments_of_inertia_is_no_ball(void **unused) {
    (void)unused;
    MrnModel *model = model_with(3, 0.4, 0, 9.81);
    add_ground(model, 0);
    MrnShape shape = sphere(1);
    MrnBodyDef def = body_at(model, &shape, 0, 0, 1);
    def.inertia[0] = 1, def.inertia[1] = 1, def.inertia[2] = 1.5;
    add(model, &def);
    MrnScheme scheme = scheme_of(1e-3, 1e-10);
    MrnWorld *world = start(model, &scheme);
    assert_true(step(world).contacts == 1);
    assert_non_null(mrn_world_problem(world, NULL, NULL)->jacobian);
    mrn_world_free(world);
    mrn_model_free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_forms_are_the_same_operator),
        cmocka_unit_test(the_solution_in_one_form_is_certified_in_the_other),
        cmocka_unit_test(shifted_problems_are_solved_in_both_forms),
        cmocka_unit_test(a_shift_does_not_push_walls_apart),
        cmocka_unit_test(a_tower_of_contacts_has_one_solution_in_both_precisions),
        cmocka_unit_test(any_number_of_threads_gives_the_same_impulses),
        cmocka_unit_test(the_certificate_does_not_depend_on_the_number_of_threads),
        cmocka_unit_test(balls_on_a_shaken_plate_move_alike_in_both_forms),
        cmocka_unit_test(a_ball_with_unequal_moments_of_inertia_is_no_ball),
    };
    return cmocka_run_group_tests_name("round", tests, NULL, NULL);
}
