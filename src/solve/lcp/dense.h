// Dense kernels of the LCP solvers: the product of a tall and a flat matrix, and LU factors with partial pivoting.
//
// Written here rather than taken from BLAS: the sums have one order, so the bits do not depend on the machine or on a
// number of threads, and a factorisation stops at a deadline.
#ifndef MRN_SOLVE_LCP_DENSE_H
#define MRN_SOLVE_LCP_DENSE_H

#include <stdbool.h>
#include <stddef.h>

/// base[i][j] += sum over k < 8 of left[i][k] right[k][j], for `rows` rows and `columns` columns; strides in numbers.
void mrn_dense_add_eight(double *base, size_t base_stride, const double *left, size_t left_stride, const double *right,
                         size_t right_stride, size_t rows, size_t columns);
/// row[j] += sum over k < count of factor[k] right[k][j]
void mrn_dense_add_rows(double *row, const double *factor, const double *right, size_t right_stride, size_t count,
                        size_t columns);
/// Sum of a[i] b[i], in a fixed order that vectorises.
double mrn_dense_dot(const double *a, const double *b, size_t count);

/// Factorise the n x n matrix A (row-major, no padding) in place: P A = L U. `pivot` holds n, `scratch` 8 n numbers.
/// False if a pivot is zero or not finite, or the deadline (mrn_wall_seconds) has passed.
bool mrn_dense_factorise(double *A, size_t n, int *pivot, double *scratch, double deadline);
/// x = A^-1 x with the factors.
void mrn_dense_solve(const double *A, size_t n, const int *pivot, double *x);
#endif
