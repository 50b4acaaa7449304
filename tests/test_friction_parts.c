// The parts that `auto` is made of: factors, sweeps, Newton and proximal steps, paths.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "friction_problems.h"
#include "solve/certify.h"
#include "solve/friction/block_lu.h"
#include "solve/friction/common.h"
#include "solve/friction/path.h"
#include "solve/friction/proximal.h"
#include "solve/solver.h"

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
        // Columns of the inverse.
        for (size_t block = 0; block < 60; block += 3) {
            const double right[3] = {0.3, -1.7, 0.9};
            for (size_t k = 0; k < n; k++) b[k] = k / d == block ? right[k % d] : 0;
            mrn_block_lu_solve(&lu, b);
            mrn_block_lu_solve_block(&lu, block, right, x);
            for (size_t k = 0; k < n; k++) assert_true(fabs(b[k] - x[k]) < 1e-12);
        }
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

// A proximal step by Newton's method ends on a solution of the problem shifted around its start, and a walk of steps,
// by pivots too, on one of the problem itself.
static void proximal_steps_solve_shifted_problems_and_walk_to_a_solution(void **state) {
    (void)state;
    for (int way = 0; way < 3; way++)
        for (uint64_t seed = 0; seed < 6; seed++) {
            int dimension = way == 0 ? 2 : 3;
            size_t contacts = 90, numbers = (size_t)dimension * contacts;
            MrnProblem *problem = random_packing(dimension, 30, contacts, 0.4, 60 + seed);
            mrn_problem_assemble(problem);
            MrnArena arena = {0};
            MrnProximal walk;
            MrnSweep sweep;
            mrn_proximal_init(&walk, problem, &arena);
            assert_true(walk.by_pivots);
            walk.by_pivots = way < 2;
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
                if (walk.by_pivots) continue; // they may stop on the way: below
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
            proximal.by_pivots = dimension == 2;
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

// Whatever the shift, pivots end on a solution of the shifted problem, or closer to one of the problem itself, or leave
// the impulses alone. With few allowed they stop in the middle, with enough and a large shift they do not. In space
// solutions are off where sliding turns: below.
static void pivots_solve_shifted_problems_with_and_without_friction(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        int ends[3] = {0}, outside = 0;
        size_t d = (size_t)dimension, contacts = 200, numbers = d * contacts;
        const MrnPivotsKind *kind = mrn_pivots_kind(dimension);
        for (uint64_t seed = 0; seed < 60; seed++) {
            MrnProblem *problem = random_packing(dimension, 60, contacts, 0.6, 400 + seed);
            for (size_t i = 0; i < contacts; i += 5) problem->friction[i] = 0;
            mrn_problem_assemble(problem);
            MrnArena arena = {0};
            MrnSweep sweep;
            MrnPivots pivots;
            mrn_sweep_init(&sweep, problem, &arena);
            kind->init(&pivots, problem, &sweep, &arena);
            double *p = mrn_alloc_zero(numbers, sizeof *p), *before = mrn_alloc(numbers, sizeof *p),
                   *u = mrn_alloc(numbers, sizeof *u), relative = pow(10, -(double)(seed % 6));
            for (int k = 0; k < 3; k++) mrn_sweep_forward(&sweep, 1, p);
            mrn_block_matrix_times(problem->delassus, p, problem->free_velocity, u);
            double first = mrn_residual(problem, sweep.scale, p, u, NULL);
            memcpy(before, p, numbers * sizeof *p);
            int count, most = seed % 4 == 3 ? 3 : 2000;
            MrnPivotsEnd end = kind->step(&pivots, relative * sweep.scale, most, INFINITY, p, &count);
            ends[end]++;
            assert_true(count <= most);
            for (size_t i = 0; i < contacts; i++) outside += !pivots.inside[i];
            for (size_t i = 0; i < contacts && d == 3; i++) // a contact that sticks has no slack, and does not turn
                assert_true(pivots.slack[i] > 0 || pivots.bend[i] == 0);
            mrn_block_matrix_times(problem->delassus, p, problem->free_velocity, u);
            if (end == MRN_PIVOTS_LOST) assert_memory_equal(p, before, numbers * sizeof *p);
            if (end == MRN_PIVOTS_CLOSER && dimension == 2)
                assert_true(mrn_residual(problem, sweep.scale, p, u, NULL) < first);
            double error = 0;
            for (size_t k = 0; k < numbers; k++) u[k] += relative * sweep.scale * (p[k] - pivots.anchor[k]);
            for (size_t i = 0; i < contacts; i++) {
                double tangent = d == 3 ? hypot(p[d * i + 1], p[d * i + 2]) : fabs(p[d * i + 1]);
                assert_true(p[d * i] >= 0 || dimension == 2);
                assert_true(tangent <= problem->friction[i] * p[d * i] + 1e-9);
                error += mrn_coulomb_residual2(dimension, problem->friction[i], p + d * i, u + d * i);
            }
            if (end == MRN_PIVOTS_SOLVED && dimension == 2) assert_true(sqrt(error) < 1e-8);
            if (most > 3 && relative == 1) assert_int_equal(end, MRN_PIVOTS_SOLVED);
            free(p), free(before), free(u);
            mrn_pivots_free(&pivots);
            mrn_arena_free(&arena);
            mrn_problem_free(problem);
        }
        print_message("in %dD solved %d, closer %d, lost %d\n", dimension, ends[0], ends[1], ends[2]);
        assert_true(ends[MRN_PIVOTS_SOLVED] > 20 && ends[MRN_PIVOTS_CLOSER] > 0);
        assert_true(outside > 0);
    }
}

// In space paths are straight where sliding turns. From an anchor ten times nearer to a solution the step is off by a
// hundredth.
static void pivots_in_space_are_off_by_second_order(void **state) {
    (void)state;
    double errors[2] = {0}, moves[2] = {0};
    for (uint64_t seed = 0; seed < 20; seed++) {
        size_t contacts = 150, numbers = 3 * contacts, slides = 0;
        MrnProblem *problem = random_packing(3, 60, contacts, 0.5, 900 + seed);
        double *solution = mrn_alloc_zero(numbers, sizeof *solution), *p = mrn_alloc(numbers, sizeof *p),
               *u = mrn_alloc(numbers, sizeof *u);
        MrnSolverSettings settings = mrn_solver_defaults();
        settings.tolerance = 1e-13;
        MrnSolveInfo info;
        assert_true(mrn_solve(problem, &settings, solution, u, &info, NULL) && info.residual < 1e-12);
        mrn_problem_assemble(problem);
        for (size_t i = 0; i < contacts; i++) slides += solution[3 * i] > 0 && hypot(u[3 * i + 1], u[3 * i + 2]) > 1e-6;
        assert_true(slides > 5);
        for (int nearer = 0; nearer < 2; nearer++) {
            MrnArena arena = {0};
            MrnSweep sweep;
            MrnPivots pivots;
            mrn_sweep_init(&sweep, problem, &arena);
            mrn_pivots_3d.init(&pivots, problem, &sweep, &arena);
            // Sliding impulses turned by a hundredth or a thousandth, those of contacts that stick scaled.
            for (size_t i = 0; i < contacts; i++) {
                double angle = (nearer ? 1e-3 : 1e-2) * mrn_random_between(77, seed, (uint64_t)i, -1, 1);
                const double *x = solution + 3 * i;
                p[3 * i] = x[0];
                p[3 * i + 1] = x[1] * cos(angle) - x[2] * sin(angle);
                p[3 * i + 2] = x[1] * sin(angle) + x[2] * cos(angle);
            }
            int count;
            double shift = 0.1 * sweep.scale, error = 0;
            assert_int_equal(mrn_pivots_3d.step(&pivots, shift, 500, INFINITY, p, &count), MRN_PIVOTS_SOLVED);
            mrn_block_matrix_times(problem->delassus, p, problem->free_velocity, u);
            for (size_t k = 0; k < numbers; k++) {
                double move = shift * (p[k] - pivots.anchor[k]);
                u[k] += move, moves[nearer] += move * move;
            }
            for (size_t i = 0; i < contacts; i++)
                error += mrn_coulomb_residual2(3, problem->friction[i], p + 3 * i, u + 3 * i);
            errors[nearer] += error;
            mrn_pivots_free(&pivots);
            mrn_arena_free(&arena);
        }
        free(solution), free(p), free(u);
        mrn_problem_free(problem);
    }
    double far = sqrt(errors[0]), near = sqrt(errors[1]);
    print_message("errors %.2e and %.2e of steps of %.2e and %.2e\n", far, near, sqrt(moves[0]), sqrt(moves[1]));
    assert_true(near < 0.05 * far && sqrt(moves[1]) > 0.05 * sqrt(moves[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(block_factors_solve_random_systems_with_and_without_symmetry),
        cmocka_unit_test(dissected_factors_solve_a_lattice),
        cmocka_unit_test(prepared_sweeps_do_what_plain_ones_do),
        cmocka_unit_test(momentum_gives_way_where_it_makes_sweeps_of_elastic_blocks_grow),
        cmocka_unit_test(newton_steps_through_bodies_are_those_through_contacts),
        cmocka_unit_test(proximal_steps_solve_shifted_problems_and_walk_to_a_solution),
        cmocka_unit_test(pivots_solve_shifted_problems_with_and_without_friction),
        cmocka_unit_test(pivots_in_space_are_off_by_second_order),
        cmocka_unit_test(proximal_steps_by_sweeps_end_where_those_by_newton_do),
        cmocka_unit_test(paths_lead_to_solutions),
        cmocka_unit_test(paths_end_where_it_is_stable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
