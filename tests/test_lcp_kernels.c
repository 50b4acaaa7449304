// Dense kernels and the tableau of the pivoting methods against their definitions.
#include "base/random.h"
#include "solve/lcp/dense.h"
#include "solve/lcp/tableau.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

static void factors_solve_linear_systems_of_every_small_size(void **state) {
    (void)state;
    for (size_t n = 1; n <= 70; n++) {
        double *A = malloc(n * n * sizeof *A), *F = malloc(n * n * sizeof *F), *x = malloc(n * sizeof *x),
               *y = malloc(n * sizeof *y);
        double *scratch = malloc(8 * n * sizeof *scratch);
        int *pivot = malloc(n * sizeof *pivot);
        for (size_t k = 0; k < n * n; k++) A[k] = mrn_random_between(n, 0, k, -1, 1);
        memcpy(F, A, n * n * sizeof *F);
        for (size_t i = 0; i < n; i++) {
            y[i] = mrn_random_between(n, 1, i, -1, 1);
            x[i] = 0;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) x[i] += A[i * n + j] * y[j];
        assert_true(mrn_dense_factorise(F, n, pivot, scratch, INFINITY));
        mrn_dense_solve(F, n, pivot, x);
        for (size_t i = 0; i < n; i++) assert_true(fabs(x[i] - y[i]) < 1e-9);
        free(A);
        free(F);
        free(x);
        free(y);
        free(scratch);
        free(pivot);
    }
}

static void singular_and_late_factorisations_are_refused(void **state) {
    (void)state;
    double A[4] = {1, 2, 2, 4}, B[4] = {1, NAN, 2, 4}, C[4] = {1, 0, 0, 1}, scratch[16];
    int pivot[2];
    assert_false(mrn_dense_factorise(A, 2, pivot, scratch, INFINITY));
    assert_false(mrn_dense_factorise(B, 2, pivot, scratch, INFINITY));
    assert_false(mrn_dense_factorise(C, 2, pivot, scratch, 0));
}

static void pivots_keep_the_equations_of_the_dictionary(void **state) {
    (void)state;
    // Whatever pivots are made, any values of the nonbasic variables must give w = M z + q + d z0. Sizes around the
    // number of waiting pivots.
    for (int n = 1; n <= 45; n += 4) {
        MrnArena arena = {0};
        MrnTableau t;
        size_t size = (size_t)n;
        double *M = malloc(size * size * sizeof *M), *q = malloc(size * sizeof *q), *d = malloc(size * sizeof *d);
        double *x = malloc((2 * size + 1) * sizeof *x);
        for (size_t k = 0; k < size * size; k++)
            M[k] = mrn_random_between((uint64_t)n, 0, k, -1, 1) + (k % (size + 1) == 0 ? 3 : 0);
        for (size_t i = 0; i < size; i++) q[i] = mrn_random_between((uint64_t)n, 1, i, -1, 1), d[i] = 1 + (double)i / n;
        mrn_tableau_take(&t, n, &arena);
        mrn_tableau_start(&t, M, q, d);
        for (uint64_t step = 0; step < 50; step++) {
            int c = (int)(mrn_random_bits(3, step, 0) % (uint64_t)(n + 1)), variable = t.nonbasic[c], r = 0;
            mrn_tableau_column(&t, variable);
            for (int i = 0; i < n; i++)
                assert_true(fabs(t.column[i] - mrn_tableau_entry(&t, i, c)) < 1e-9 * (1 + fabs(t.column[i])));
            for (int i = 1; i < n; i++)
                if (fabs(t.column[i]) > fabs(t.column[r])) r = i;
            int leaving = t.basic[r];
            assert_int_equal(mrn_tableau_pivot(&t, r, variable), leaving);
            assert_int_equal(t.place[variable], r);
            for (int j = 0; j <= n; j++) x[t.nonbasic[j]] = mrn_random_between(4, step, (uint64_t)j, -1, 1);
            for (int i = 0; i < n; i++) {
                double sum = t.value[i];
                for (int j = 0; j <= n; j++) sum += mrn_tableau_entry(&t, i, j) * x[t.nonbasic[j]];
                x[t.basic[i]] = sum;
            }
            for (int i = 0; i < n; i++) {
                double sum = q[i] + d[i] * x[2 * n], scale = 1 + fabs(x[i]) + fabs(sum);
                for (int j = 0; j < n; j++) sum += M[i * n + j] * x[n + j], scale += fabs(x[n + j]);
                assert_true(fabs(sum - x[i]) < 1e-8 * scale);
            }
        }
        free(M);
        free(q);
        free(d);
        free(x);
        mrn_arena_free(&arena);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(factors_solve_linear_systems_of_every_small_size),
        cmocka_unit_test(singular_and_late_factorisations_are_refused),
        cmocka_unit_test(pivots_keep_the_equations_of_the_dictionary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
