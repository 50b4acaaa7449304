// FCLIB files: what is written is read back, and the global form reduces to the local one.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "friction_problems.h"
#include "problem/fclib.h"
#include "problem/reduce.h"

#include <hdf5.h>
#include <stdio.h>
#include <unistd.h>

static const char *file_name(const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", MORAINE_BINARY_DIR, name);
    remove(path);
    return path;
}

static void local_problem_with_guess_and_solution_is_read_back_exactly(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnProblem *problem = random_packing(dimension, 6, 15, 0.4, 1), *again;
        const char *path = file_name("test_fclib_local.hdf5");
        size_t n = (size_t)dimension * 15;
        double guess[45], *read_guess, *read_solution;
        MrnError error = {0};
        for (size_t k = 0; k < n; k++) guess[k] = (double)k / 7;
        assert_true(mrn_fclib_write(path, problem, guess, "test", &error));
        assert_true(mrn_fclib_write_solution(path, problem, guess, guess, &error));
        assert_true(mrn_fclib_write_solution(path, problem, guess, guess, &error)); // in place of the first
        assert_true(mrn_fclib_read(path, &again, &read_guess, &error));
        assert_true(mrn_fclib_read_solution(path, again, &read_solution, &error));
        assert_int_equal(again->dimension, dimension);
        assert_int_equal(again->contacts, 15);
        assert_memory_equal(again->free_velocity, problem->free_velocity, n * sizeof(double));
        assert_memory_equal(again->friction, problem->friction, 15 * sizeof(double));
        assert_memory_equal(read_guess, guess, n * sizeof(double));
        assert_memory_equal(read_solution, guess, n * sizeof(double));
        assert_int_equal(again->delassus->start[15], problem->delassus->start[15]);
        assert_memory_equal(again->delassus->value, problem->delassus->value,
                            problem->delassus->start[15] * (size_t)(dimension * dimension) * sizeof(double));
        free(read_guess);
        free(read_solution);
        mrn_problem_free(again);
        mrn_problem_free(problem);
    }
}

static void global_problem_is_read_back_in_factored_form(void **state) {
    (void)state;
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnProblem *problem = random_packing(dimension, 6, 15, 0.4, 2), *again;
        const char *path = file_name("test_fclib_global.hdf5");
        size_t n = (size_t)dimension * 15;
        MrnError error = {0};
        double p[45], a[45], b[45];
        assert_true(mrn_fclib_write_global(path, problem, NULL, "test", &error));
        assert_true(mrn_fclib_read(path, &again, NULL, &error));
        assert_non_null(again->bodies);
        assert_null(again->delassus);
        for (size_t k = 0; k < n; k++) p[k] = mrn_random_between(3, k, 0, -1, 1);
        mrn_problem_velocity(problem, p, a);
        mrn_problem_velocity(again, p, b);
        for (size_t k = 0; k < n; k++) assert_true(fabs(a[k] - b[k]) < 1e-13);
        mrn_problem_free(again);
        mrn_problem_free(problem);
    }
}

static void other_laws_survive_a_file(void **state) {
    (void)state;
    MrnProblem *problem = random_packing(3, 4, 6, 0.4, 4), *again;
    problem->law = mrn_alloc_zero(6, 1);
    problem->friction2 = mrn_alloc_zero(6, sizeof(double));
    problem->parent = mrn_alloc(6, sizeof(int));
    for (int i = 0; i < 6; i++) problem->parent[i] = -1;
    problem->law[1] = MRN_LAW_BILATERAL, problem->law[2] = MRN_LAW_ELLIPTIC, problem->law[3] = MRN_LAW_ROLLING;
    problem->friction2[2] = 0.9, problem->parent[3] = 0;
    const char *path = file_name("test_fclib_laws.hdf5");
    MrnError error = {0};
    assert_true(mrn_fclib_write(path, problem, NULL, "laws", &error));
    assert_true(mrn_fclib_read(path, &again, NULL, &error));
    assert_memory_equal(again->law, problem->law, 6);
    assert_memory_equal(again->friction2, problem->friction2, 6 * sizeof(double));
    assert_memory_equal(again->parent, problem->parent, 6 * sizeof(int));
    mrn_problem_free(again);
    mrn_problem_free(problem);
}

// Two masses and a spring between them: M is not block-diagonal, W = H^T M^-1 H by hand.
static void coupled_mass_matrix_is_reduced_like_by_hand(void **state) {
    (void)state;
    double m[4] = {2, -1, -1, 3}, f[2] = {1, 2}, w[2] = {0.5, 0}, mu[1] = {0.3}, h[2] = {1, 1};
    int row[4] = {0, 0, 1, 1}, column[4] = {0, 1, 0, 1}, hrow[2] = {0, 1}, hcolumn[2] = {0, 1};
    MrnGlobalProblem global = {.dimension = 2,
                               .contacts = 1,
                               .M = {2, 2, 4, row, column, m},
                               .H = {2, 2, 2, hrow, hcolumn, h},
                               .f = f,
                               .w = w,
                               .friction = mu};
    MrnError error = {0};
    MrnProblem *problem = mrn_reduce_global(&global, "test", &error);
    assert_non_null(problem);
    double inverse[4] = {3.0 / 5, 1.0 / 5, 1.0 / 5, 2.0 / 5};
    for (int k = 0; k < 4; k++) assert_true(fabs(problem->delassus->value[k] - inverse[k]) < 1e-15);
    assert_true(fabs(problem->free_velocity[0] - (0.6 + 0.4 + 0.5)) < 1e-15);
    assert_true(fabs(problem->free_velocity[1] - (0.2 + 0.8)) < 1e-15);
    mrn_problem_free(problem);
}

// The same two masses tied together by G: v1 = v2, so the pair moves as one of mass 2 - 1 - 1 + 3 = 3.
static void bilateral_constraints_tie_masses_together(void **state) {
    (void)state;
    double m[4] = {2, -1, -1, 3}, f[2] = {1, 2}, w[2] = {0, 0}, mu[1] = {0.3}, h[2] = {1, 1}, g[2] = {1, -1},
           b[1] = {0};
    int row[4] = {0, 0, 1, 1}, column[4] = {0, 1, 0, 1}, hrow[2] = {0, 1}, hcolumn[2] = {0, 1}, grow[2] = {0, 1},
        gcolumn[2] = {0, 0};
    MrnGlobalProblem global = {.dimension = 2,
                               .contacts = 1,
                               .M = {2, 2, 4, row, column, m},
                               .H = {2, 2, 2, hrow, hcolumn, h},
                               .G = {2, 1, 2, grow, gcolumn, g},
                               .f = f,
                               .w = w,
                               .b = b,
                               .friction = mu};
    MrnError error = {0};
    MrnProblem *problem = mrn_reduce_global(&global, "test", &error);
    assert_non_null(problem);
    for (int k = 0; k < 4; k++) assert_true(fabs(problem->delassus->value[k] - 1.0 / 3) < 1e-15);
    assert_true(fabs(problem->free_velocity[0] - 1) < 1e-15 && fabs(problem->free_velocity[1] - 1) < 1e-15);
    mrn_problem_free(problem);
}

static void bad_files_are_refused_with_a_reason(void **state) {
    (void)state;
    MrnProblem *problem;
    MrnError error = {0};
    assert_false(mrn_fclib_read("no/such/file.hdf5", &problem, NULL, &error));
    assert_string_equal(error.message, "no/such/file.hdf5: cannot open the file");
    assert_null(problem);

    const char *path = file_name("test_fclib_bad.hdf5");
    FILE *file = fopen(path, "w");
    fputs("not HDF5", file);
    fclose(file);
    assert_false(mrn_fclib_read(path, &problem, NULL, &error));
    assert_non_null(strstr(error.message, "not an HDF5 file"));

    hid_t h5 = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    H5Fclose(h5);
    assert_false(mrn_fclib_read(path, &problem, NULL, &error));
    assert_non_null(strstr(error.message, "neither fclib_local nor fclib_global"));

    // A matrix whose row pointers lead outside.
    MrnProblem *good = random_packing(2, 3, 4, 0.3, 3);
    assert_true(mrn_fclib_write(path, good, NULL, "", &error));
    h5 = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t set = H5Dopen2(h5, "fclib_local/W/i", H5P_DEFAULT);
    int *columns = mrn_alloc(good->delassus->start[4] * 4, sizeof *columns);
    for (size_t k = 0; k < good->delassus->start[4] * 4; k++) columns[k] = 1000;
    H5Dwrite(set, H5T_NATIVE_INT, H5S_ALL, H5S_ALL, H5P_DEFAULT, columns);
    H5Dclose(set);
    H5Fclose(h5);
    assert_false(mrn_fclib_read(path, &problem, NULL, &error));
    assert_non_null(strstr(error.message, "outside 8 x 8"));
    free(columns);
    mrn_problem_free(good);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(local_problem_with_guess_and_solution_is_read_back_exactly),
        cmocka_unit_test(global_problem_is_read_back_in_factored_form),
        cmocka_unit_test(other_laws_survive_a_file),
        cmocka_unit_test(coupled_mass_matrix_is_reduced_like_by_hand),
        cmocka_unit_test(bilateral_constraints_tie_masses_together),
        cmocka_unit_test(bad_files_are_refused_with_a_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
