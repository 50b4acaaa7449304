// The friction solvers: closed forms, published iteration counts, agreement, hard cases and bad input.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "solve/friction/common.h"
#include "friction_problems.h"
#include "base/clock.h"
#include "solve/certify.h"
#include "solve/friction/block_lu.h"
#include "solve/friction/exact.h"
#include "solve/friction/path.h"
#include "solve/friction/proximal.h"
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

// ---------------------------------------------------------------- factors

static void block_factors_solve_random_systems_with_and_without_symmetry(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnProblem *problem = random_packing(dimension, 30, 60, 0.5, 11);
        mrn_problem_assemble(problem);
        MrnBlockMatrix *W = problem->delassus;
        size_t d = (size_t)dimension, n = d * 60;
        for (size_t i = 0; i < 60; i++)
            for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
                if (W->column[k] == (int)i)
                    for (size_t r = 0; r < d; r++) W->value[k * d * d + r * (d + 1)] += 0.1;
        double x[180], b[180];
        MrnBlockLu lu;
        mrn_block_lu_init(&lu);
        assert_false(mrn_block_lu_analyse(&lu, 60, dimension, W->start, W->column, NULL, 1));
        assert_true(mrn_block_lu_analyse(&lu, 60, dimension, W->start, W->column, NULL, INFINITY));
        for (int symmetric = 1; symmetric >= 0; symmetric--) {
            if (!symmetric)
                for (size_t k = 0; k < W->start[60] * d * d; k++)
                    W->value[k] += mrn_random_between(12, k, 0, -0.01, 0.01);
            for (size_t k = 0; k < n; k++) x[k] = mrn_random_between(13, k, 0, -1, 1);
            mrn_block_matrix_times(W, x, NULL, b);
            (symmetric ? mrn_block_lu_factor_symmetric : mrn_block_lu_factor)(&lu, W->start, W->column, W->value,
                                                                              1e-14);
            (symmetric ? mrn_block_lu_solve_symmetric : mrn_block_lu_solve)(&lu, b);
            for (size_t k = 0; k < n; k++) assert_true(fabs(b[k] - x[k]) < 1e-9);
        }
        // The determinant is positive, and changes its sign with an equation.
        assert_int_equal(lu.sign, 1);
        for (size_t k = W->start[7]; k < W->start[8]; k++)
            for (size_t c = 0; c < d; c++) W->value[k * d * d + d + c] *= -1;
        mrn_block_lu_factor(&lu, W->start, W->column, W->value, 1e-14);
        assert_int_equal(lu.sign, -1);
        mrn_block_lu_free(&lu);
        mrn_problem_free(problem);
    }
}

// A lattice in space: nested dissection is no worse, its factors solve, the order is the same each time, and it leaves
// the numbers of rand() alone.
static void dissected_factors_solve_a_lattice(void **state) {
    (void)state;
    enum { SIDE = 14, ROWS = SIDE * SIDE * SIDE };
    size_t *start = mrn_alloc(ROWS + 1, sizeof *start), blocks = 0;
    int *column = mrn_alloc(7 * ROWS, sizeof *column);
    double *value = mrn_alloc_zero(7 * ROWS * 4, sizeof *value);
    for (int i = 0; i < ROWS; i++) {
        int at[3] = {i % SIDE, i / SIDE % SIDE, i / SIDE / SIDE}, step[3] = {1, SIDE, SIDE * SIDE};
        start[i] = blocks;
        for (int k = -3; k <= 3; k++) { // columns ascend
            int axis = abs(k) - 1, to = k < 0 ? -1 : 1;
            if (k && (at[axis] + to < 0 || at[axis] + to >= SIDE)) continue;
            column[blocks] = k ? i + to * step[axis] : i;
            value[4 * blocks] = value[4 * blocks + 3] = k ? -1 : 6.5;
            blocks++;
        }
    }
    start[ROWS] = blocks;
    MrnBlockMatrix W = {.rows = ROWS, .block = 2, .start = start, .column = column, .value = value};
    MrnBlockLu plain, dissected, again;
    mrn_block_lu_init(&plain), mrn_block_lu_init(&dissected), mrn_block_lu_init(&again);
    dissected.dissect = again.dissect = true;
    assert_true(mrn_block_lu_analyse(&plain, ROWS, 2, start, column, NULL, INFINITY));
    srand(5);
    int first = rand();
    srand(5);
    assert_true(mrn_block_lu_analyse(&dissected, ROWS, 2, start, column, NULL, INFINITY));
    assert_int_equal(rand(), first);
    assert_true(mrn_block_lu_analyse(&again, ROWS, 2, start, column, NULL, INFINITY));
    assert_memory_equal(again.order, dissected.order, ROWS * sizeof *again.order);
    assert_true(plain.operations > 1e6 && dissected.operations <= plain.operations);
    double *x = mrn_alloc(2 * ROWS, sizeof *x), *b = mrn_alloc(2 * ROWS, sizeof *b);
    for (size_t k = 0; k < 2 * ROWS; k++) x[k] = mrn_random_between(14, k, 0, -1, 1);
    mrn_block_matrix_times(&W, x, NULL, b);
    mrn_block_lu_factor(&dissected, start, column, value, 1e-14);
    mrn_block_lu_solve(&dissected, b);
    for (size_t k = 0; k < 2 * ROWS; k++) assert_true(fabs(b[k] - x[k]) < 1e-12);
    mrn_block_lu_free(&plain), mrn_block_lu_free(&dissected), mrn_block_lu_free(&again);
    free(start), free(column), free(value), free(x), free(b);
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

// Solved by sweeps or by Newton, a proximal step with a shift of the size of the diagonal has the same end.
// A tower of six elastic blocks, 4 x 4 points in each joint: compliance 1 / (1 + distance) on a face, and the same for
// all points of a block that moves as a whole.
static MrnProblem *elastic_tower(void) {
    enum { SIDE = 4, FACE = SIDE * SIDE, JOINTS = 6, CONTACTS = JOINTS * FACE, NUMBERS = 3 * CONTACTS };
    const double whole = 3;
    double *W = mrn_alloc_zero((size_t)NUMBERS * NUMBERS, sizeof *W), *q = mrn_alloc_zero(NUMBERS, sizeof *q);
    for (int i = 0; i < CONTACTS; i++)
        for (int j = 0; j < CONTACTS; j++) {
            int a = i % FACE, b = j % FACE, apart = abs(i / FACE - j / FACE), blocks = i / FACE == 0 ? 1 : 2;
            double distance = hypot(a % SIDE - b % SIDE, a / SIDE - b / SIDE), w = 0;
            if (apart == 0) w = blocks * (1 / (1 + distance) + whole); // the lowest joint has the ground on one side
            if (apart == 1) w = -whole;
            for (int k = 0; k < 3; k++) W[(size_t)(3 * i + k) * NUMBERS + (size_t)(3 * j + k)] = (k ? 0.8 : 1) * w;
        }
    for (int i = 0; i < FACE; i++) q[3 * i] = -1, q[3 * i + 1] = 0.2;
    MrnProblem *problem = dense_problem(3, CONTACTS, W, q, 0.5);
    free(W), free(q);
    return problem;
}

static void momentum_gives_way_where_it_makes_sweeps_of_elastic_blocks_grow(void **state) {
    (void)state;
    MrnProblem *problem = elastic_tower();
    size_t numbers = 3 * problem->contacts;
    MrnArena arena = {0};
    MrnSweep sweep;
    mrn_sweep_init(&sweep, problem, &arena);
    double *p = mrn_alloc_zero(numbers, sizeof *p), *before = mrn_alloc_zero(numbers, sizeof *before),
           *u = mrn_alloc(numbers, sizeof *u);
    MrnMomentum momentum;
    mrn_momentum_restart(&momentum);
    int sweeps = 0, plain = 0;
    for (double residual = 1; residual > 1e-6 && sweeps < 2000; sweeps++) {
        double along, change = sqrt(mrn_sweep_measured(&sweep, before, p, &along));
        mrn_momentum_extrapolate(&momentum, problem, change, along, before, p);
        plain += momentum.plain_sweeps > 0;
        mrn_block_matrix_times(problem->delassus, before, problem->free_velocity, u);
        residual = mrn_residual(problem, sweep.scale, before, u, NULL);
    }
    // Without momentum: about 390 sweeps; with momentum and no way out more than 2000.
    assert_true(sweeps < 500);
    assert_true(plain > 300 && plain < sweeps);
    free(p), free(before), free(u);
    mrn_arena_free(&arena);
    mrn_problem_free(problem);
}

static void proximal_steps_by_sweeps_end_where_those_by_newton_do(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (uint64_t seed = 0; seed < 10; seed++) {
            size_t numbers = (size_t)dimension * 60;
            MrnProblem *problem = random_packing(dimension, 30, 60, 0.4, 160 + seed);
            mrn_problem_assemble(problem);
            MrnArena arena = {0};
            MrnProximal proximal;
            mrn_proximal_init(&proximal, problem, &arena);
            double *newton = mrn_alloc_zero(numbers, sizeof *newton), *swept = mrn_alloc_zero(numbers, sizeof *swept);
            double speed = 0;
            for (size_t k = 0; k < numbers; k++) speed += fabs(problem->free_velocity[k]);
            proximal.shift = 0.5;
            assert_true(mrn_proximal_step(&proximal, 1e-13 * speed, INFINITY, newton) > 0);
            int sweeps = mrn_proximal_sweep(&proximal, 0.5, 1e-13 * speed, 2000, INFINITY, swept);
            assert_true(sweeps > 0 && sweeps < 400);
            for (size_t k = 0; k < numbers; k++)
                assert_true(fabs(newton[k] - swept[k]) * proximal.sweep.scale < 1e-10 * speed);
            // Too few sweeps leave the impulses as they were.
            memset(swept, 0, numbers * sizeof *swept);
            assert_int_equal(mrn_proximal_sweep(&proximal, 1e-4, 1e-13 * speed, 20, INFINITY, swept), -20);
            for (size_t k = 0; k < numbers; k++) assert_true(swept[k] == 0);
            free(newton), free(swept);
            mrn_proximal_free(&proximal);
            mrn_arena_free(&arena);
            mrn_problem_free(problem);
        }
}

// A path leads to a solution from anywhere, also where the shift must rise on the way; from a solution it does so at
// once. Contacts without friction and duplicated ones are no obstacle.
static void paths_lead_to_solutions(void **state) {
    (void)state;
    int turned = 0;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (uint64_t seed = 0; seed < 24; seed++) {
            size_t contacts = 60 + 4 * seed, numbers = (size_t)dimension * contacts;
            MrnProblem *problem =
                random_packing(dimension, 7 * contacts / 8, contacts, 0.1 + 0.1 * (double)(seed % 8), 300 + seed);
            for (size_t i = 0; i < contacts; i += 7) problem->friction[i] = 0;
            mrn_problem_assemble(problem);
            MrnArena arena = {0};
            MrnNewton newton;
            MrnPath path;
            MrnSweep sweep;
            MrnSolveJob job = {.problem = problem, .deadline = INFINITY};
            mrn_newton_init(&newton, problem, &arena);
            mrn_sweep_init(&sweep, problem, &arena);
            mrn_path_init(&path, &job, sweep.scale, &newton, &arena);
            path.factor_work = path.pass_work = 1;
            double *p = mrn_alloc_zero(numbers, sizeof *p), *start = mrn_alloc(numbers, sizeof *p),
                   *u = mrn_alloc(numbers, sizeof *u);
            for (int k = 0; k < 5; k++) mrn_sweep_forward(&sweep, 1, p);
            memcpy(start, p, numbers * sizeof *p);
            job.deadline = 0; // has passed
            assert_true(mrn_path_run(&path, 1e-8, 20000, p) < 0);
            assert_memory_equal(p, start, numbers * sizeof *p);
            job.deadline = INFINITY;
            assert_true(mrn_path_run(&path, 1e-8, 0, p) < 0); // so has the work
            assert_memory_equal(p, start, numbers * sizeof *p);
            assert_true(mrn_path_run(&path, 1e-8, 20000, p) > 0);
            turned += path.turns > 1;
            mrn_block_matrix_times(problem->delassus, p, problem->free_velocity, u);
            assert_true(mrn_residual(problem, sweep.scale, p, u, NULL) <= 2e-8);
            assert_true(mrn_path_run(&path, 1e-7, 10, p) == 0);
            free(p), free(start), free(u);
            mrn_newton_free(&newton);
            mrn_arena_free(&arena);
            mrn_problem_free(problem);
        }
    assert_true(turned > 0);
}

// Where sliding makes a contact unstable (W_nn < mu W_nt: the friction pushes it closed) it has three solutions, open,
// stick and slide. Paths end in one of the first two, wherever they are anchored.
static void paths_end_where_it_is_stable(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        size_t d = (size_t)dimension;
        MrnProblem *problem = mrn_problem_new(dimension, 1);
        MrnBlockMatrix *W = mrn_alloc_zero(1, sizeof *W);
        *W = (MrnBlockMatrix){.rows = 1, .block = dimension};
        W->start = mrn_alloc_zero(2, sizeof *W->start), W->start[1] = 1;
        W->column = mrn_alloc_zero(1, sizeof *W->column);
        W->value = mrn_alloc_zero(d * d, sizeof *W->value);
        for (size_t k = 0; k < d; k++) W->value[k * (d + 1)] = k ? 5 : 1;
        W->value[1] = W->value[d] = 2;
        problem->delassus = W;
        problem->friction[0] = 0.8;
        problem->free_velocity[0] = 0.1, problem->free_velocity[1] = 1;
        MrnArena arena = {0};
        MrnNewton newton;
        MrnPath path;
        MrnSolveJob job = {.problem = problem, .deadline = INFINITY};
        mrn_newton_init(&newton, problem, &arena);
        double scale = mrn_problem_mean_diagonal(problem, NULL);
        mrn_path_init(&path, &job, scale, &newton, &arena);
        int ended[3] = {0};
        for (int row = 0; row <= 20; row++)
            for (int column = -4; column <= 4; column++) {
                double p[3] = {0.1 * row, 0.02 * row * column, 0};
                assert_true(mrn_path_run(&path, 1e-9, 200, p) >= 0);
                // p_n = 0, 3/2 where it sticks and 1/6 where it slides
                double at[] = {0, 1.5, 1.0 / 6};
                int k = 0;
                while (k < 3 && fabs(p[0] - at[k]) > 1e-6) k++;
                assert_true(k < 3);
                ended[k]++;
            }
        assert_true(ended[0] > 10 && ended[1] > 10 && ended[2] == 0);
        mrn_newton_free(&newton);
        mrn_arena_free(&arena);
        mrn_problem_free(problem);
    }
}

// What contacts keep from sweep to sweep saves time and changes nothing, also where a block is singular or zero, and
// after blocks have changed.
static void prepared_sweeps_do_what_plain_ones_do(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        size_t d = (size_t)dimension, contacts = 90, numbers = d * contacts;
        MrnProblem *problem = random_packing(dimension, 30, contacts, 0.4, 71);
        mrn_problem_assemble(problem);
        MrnBlockMatrix *W = problem->delassus;
        MrnArena arena = {0};
        MrnSweep plain, prepared;
        mrn_sweep_init(&plain, problem, &arena);
        mrn_sweep_init(&prepared, problem, &arena);
        for (size_t i = 0; i < contacts; i += 3) problem->friction[i] = i % 2 ? 0 : 2;
        for (size_t r = 0; r < d; r++)
            for (size_t c = 0; c < d; c++) {
                W->value[plain.diagonal[7] * d * d + r * d + c] = 0;
                if (r == d - 1 || c == d - 1) W->value[plain.diagonal[13] * d * d + r * d + c] = 0;
            }
        mrn_sweep_prepare(&prepared, &arena);
        double p[271] = {0}, kept[271] = {0}, before[270] = {0}, most = 0;
        int slides = 0;
        for (int turn = 0; turn < 60; turn++) {
            if (turn == 30) {
                for (size_t i = 20; i < 40; i++)
                    for (size_t k = 0; k < d * d; k++) W->value[plain.diagonal[i] * d * d + k] *= 1.5;
                mrn_sweep_prepare(&prepared, &arena);
            }
            double along, kept_along, change = mrn_sweep_measured(&plain, before, p, &along),
                                      kept_change = mrn_sweep_measured(&prepared, before, kept, &kept_along);
            assert_true(fabs(change - kept_change) <= 1e-9 * change && fabs(along - kept_along) <= 1e-9 * change);
            for (size_t k = 0; k < numbers; k++) most = fmax(most, fabs(p[k]));
            for (size_t k = 0; k < numbers; k++) assert_true(fabs(p[k] - kept[k]) <= 1e-11 * most);
        }
        for (size_t i = 0; i < contacts; i++) {
            double tangent = dimension == 3 ? hypot(p[d * i + 1], p[d * i + 2]) : fabs(p[d * i + 1]);
            slides += p[d * i] > 0 && tangent > 0.999 * problem->friction[i] * p[d * i];
        }
        assert_true(slides > 10);
        mrn_arena_free(&arena);
        mrn_problem_free(problem);
    }
}

// A proximal step ends on a solution of the problem shifted around its start, and a walk of such steps on one of the
// problem itself.
static void proximal_steps_solve_shifted_problems_and_walk_to_a_solution(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            size_t contacts = 90, numbers = (size_t)dimension * contacts;
            MrnProblem *problem = random_packing(dimension, 30, contacts, 0.4, 60 + seed);
            mrn_problem_assemble(problem);
            MrnArena arena = {0};
            MrnProximal walk;
            MrnSweep sweep;
            mrn_proximal_init(&walk, problem, &arena);
            mrn_sweep_init(&sweep, problem, &arena);
            double *p = mrn_alloc_zero(numbers, sizeof *p), *before = mrn_alloc(numbers, sizeof *p),
                   *u = mrn_alloc(numbers, sizeof *u), residual = INFINITY;
            for (int k = 0; k < 30; k++) mrn_sweep_forward(&sweep, 1, p);
            mrn_proximal_begin(&walk, 1e-3 * sweep.scale);
            int taken = 0;
            for (int k = 0; k < 200 && residual > 1e-9; k++) {
                double shift = walk.shift * sweep.scale, error = 0;
                memcpy(before, p, numbers * sizeof *p);
                bool solved = mrn_proximal_step(&walk, 1e-11, INFINITY, p) > 0;
                mrn_block_matrix_times(problem->delassus, p, problem->free_velocity, u);
                residual = mrn_residual(problem, sweep.scale, p, u, NULL);
                if (!solved) {
                    assert_memory_equal(p, before, numbers * sizeof *p);
                    continue;
                }
                taken++;
                for (size_t i = 0; i < numbers; i++) u[i] += shift * (p[i] - before[i]);
                for (size_t i = 0; i < contacts; i++)
                    error +=
                        mrn_coulomb_residual2(dimension, 0.4, p + (size_t)dimension * i, u + (size_t)dimension * i);
                assert_true(sqrt(error) < 1e-9);
            }
            assert_true(taken > 0 && residual <= 1e-9);
            free(p), free(before), free(u);
            mrn_proximal_free(&walk);
            mrn_arena_free(&arena);
            mrn_problem_free(problem);
        }
}

// Statuses of all kinds: some contacts open, with impulses that they lose, some stick, some slip.
static void newton_steps_through_bodies_are_those_through_contacts(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++)
        for (uint64_t seed = 0; seed < 7; seed++) {
            const double shift = pow(10, -1 - (double)seed); // 0.1 to 1e-7 of the diagonal
            size_t contacts = seed % 2 ? 90 : 400, numbers = (size_t)dimension * contacts;
            MrnProblem *problem = random_packing(dimension, 30, contacts, 0.4, 80 + seed);
            mrn_problem_assemble(problem);
            MrnArena arena = {0};
            MrnNewton through, matrix;
            mrn_newton_init(&through, problem, &arena);
            mrn_newton_init(&matrix, problem, &arena);
            assert_int_equal(through.through_bodies, dimension == 2); // in space few of these share their bodies
            if (dimension == 3) mrn_body_system_init(&through.bodies, problem, &arena);
            through.through_bodies = true;
            matrix.through_bodies = false;
            double *p = mrn_alloc(numbers, sizeof *p), *u = mrn_alloc(numbers, sizeof *u), error = 0, size = 0;
            for (size_t k = 0; k < numbers; k++)
                p[k] = mrn_random_between(seed, k, 7, -0.1, k % (size_t)dimension ? 0.1 : 0.3);
            mrn_block_matrix_times(problem->delassus, p, problem->free_velocity, u);
            mrn_newton_step(&through, shift, p, u);
            mrn_newton_step(&matrix, shift, p, u);
            assert_true(through.through_bodies);
            assert_true(matrix.active_count > 10 && matrix.active_count < contacts);
            // Small shifts leave impulses that cancel each other almost free: those are compared by the motion they
            // give.
            double *moved[2] = {mrn_alloc(numbers, sizeof(double)), mrn_alloc(numbers, sizeof(double))};
            mrn_block_matrix_times(problem->delassus, through.step, NULL, moved[0]);
            mrn_block_matrix_times(problem->delassus, matrix.step, NULL, moved[1]);
            double *steps[2] = {through.step, matrix.step}, **compared = shift > 1e-6 ? steps : moved;
            for (size_t k = 0; k < numbers; k++) {
                error = fmax(error, fabs(compared[0][k] - compared[1][k]));
                size = fmax(size, fabs(compared[1][k]));
            }
            assert_true(error < 1e-6 * size);
            free(moved[0]), free(moved[1]);
            free(p), free(u);
            mrn_newton_free(&through), mrn_newton_free(&matrix);
            mrn_arena_free(&arena);
            mrn_problem_free(problem);
        }
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
        cmocka_unit_test(block_factors_solve_random_systems_with_and_without_symmetry),
        cmocka_unit_test(dissected_factors_solve_a_lattice),
        cmocka_unit_test(block_on_an_incline_sticks_exactly_when_the_friction_holds_it),
        cmocka_unit_test(all_solvers_reach_the_same_velocity_where_the_matrix_is_regular),
        cmocka_unit_test(auto_solves_hyperstatic_packings_to_eight_digits),
        cmocka_unit_test(a_contact_between_walls_that_part_does_not_disturb_the_others),
        cmocka_unit_test(auto_gives_the_same_bits_twice_and_for_any_number_of_threads),
        cmocka_unit_test(paths_lead_to_solutions),
        cmocka_unit_test(paths_end_where_it_is_stable),
        cmocka_unit_test(prepared_sweeps_do_what_plain_ones_do),
        cmocka_unit_test(momentum_gives_way_where_it_makes_sweeps_of_elastic_blocks_grow),
        cmocka_unit_test(proximal_steps_by_sweeps_end_where_those_by_newton_do),
        cmocka_unit_test(proximal_steps_solve_shifted_problems_and_walk_to_a_solution),
        cmocka_unit_test(newton_steps_through_bodies_are_those_through_contacts),
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
