// Dense kernels: rank-eight updates and right-looking LU factors made of them (Golub, Van Loan 2013, section 3.4).
#include "solve/lcp/dense.h"
#include "base/clock.h"

#include <math.h>
#include <string.h>

// The same arithmetic in wider registers: no contraction, no reassociation, hence the same bits everywhere.
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__SANITIZE_ADDRESS__) &&               \
    !defined(__SANITIZE_THREAD__)
#define WIDE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDE
#endif

WIDE void mrn_dense_add_rows(double *restrict row, const double *restrict factor, const double *restrict right,
                             size_t right_stride, size_t count, size_t columns) {
    for (size_t k = 0; k < count; k++) {
        double f = factor[k];
        const double *restrict r = right + k * right_stride;
        for (size_t j = 0; j < columns; j++) row[j] += f * r[j];
    }
}

// Two rows of base at a time: 32 operations for 12 memory accesses.
WIDE void mrn_dense_add_eight(double *restrict base, size_t base_stride, const double *restrict left,
                              size_t left_stride, const double *restrict right, size_t s, size_t rows, size_t columns) {
    const double *restrict r0 = right, *restrict r1 = r0 + s, *restrict r2 = r1 + s, *restrict r3 = r2 + s,
                           *restrict r4 = r3 + s, *restrict r5 = r4 + s, *restrict r6 = r5 + s, *restrict r7 = r6 + s;
    size_t i = 0;
    for (; i + 2 <= rows; i += 2) {
        double *restrict a = base + i * base_stride, *restrict b = a + base_stride;
        const double *f = left + i * left_stride, *g = f + left_stride;
        double f0 = f[0], f1 = f[1], f2 = f[2], f3 = f[3], f4 = f[4], f5 = f[5], f6 = f[6], f7 = f[7];
        double g0 = g[0], g1 = g[1], g2 = g[2], g3 = g[3], g4 = g[4], g5 = g[5], g6 = g[6], g7 = g[7];
        for (size_t j = 0; j < columns; j++) {
            a[j] += ((f0 * r0[j] + f1 * r1[j]) + (f2 * r2[j] + f3 * r3[j])) +
                    ((f4 * r4[j] + f5 * r5[j]) + (f6 * r6[j] + f7 * r7[j]));
            b[j] += ((g0 * r0[j] + g1 * r1[j]) + (g2 * r2[j] + g3 * r3[j])) +
                    ((g4 * r4[j] + g5 * r5[j]) + (g6 * r6[j] + g7 * r7[j]));
        }
    }
    if (i < rows) {
        double *restrict a = base + i * base_stride;
        const double *f = left + i * left_stride;
        for (size_t j = 0; j < columns; j++)
            a[j] += ((f[0] * r0[j] + f[1] * r1[j]) + (f[2] * r2[j] + f[3] * r3[j])) +
                    ((f[4] * r4[j] + f[5] * r5[j]) + (f[6] * r6[j] + f[7] * r7[j]));
    }
}

WIDE double mrn_dense_dot(const double *restrict a, const double *restrict b, size_t count) {
    double part[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    size_t j = 0;
    for (; j + 8 <= count; j += 8)
        for (size_t k = 0; k < 8; k++) part[k] += a[j + k] * b[j + k];
    for (; j < count; j++) part[0] += a[j] * b[j];
    return ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
}

/// Columns begin to end of the factors: choose pivots, exchange whole rows, eliminate inside the panel.
static bool factorise_panel(double *A, size_t n, size_t begin, size_t end, int *pivot) {
    for (size_t k = begin; k < end; k++) {
        size_t best = k;
        for (size_t i = k + 1; i < n; i++)
            if (fabs(A[i * n + k]) > fabs(A[best * n + k])) best = i;
        double value = A[best * n + k];
        pivot[k] = (int)best;
        if (value == 0 || !isfinite(value)) return false;
        if (best != k)
            for (size_t j = 0; j < n; j++) {
                double keep = A[k * n + j];
                A[k * n + j] = A[best * n + j];
                A[best * n + j] = keep;
            }
        double inverse = 1 / value;
        for (size_t i = k + 1; i < n; i++) {
            double f = A[i * n + k] * inverse;
            A[i * n + k] = f;
            for (size_t j = k + 1; j < end; j++) A[i * n + j] -= f * A[k * n + j];
        }
    }
    return true;
}

bool mrn_dense_factorise(double *A, size_t n, int *pivot, double *scratch, double deadline) {
    for (size_t begin = 0; begin < n; begin += 8) {
        size_t end = begin + 8 < n ? begin + 8 : n, width = end - begin, rest = n - end;
        if (isfinite(deadline) && mrn_wall_seconds() >= deadline) return false;
        if (!factorise_panel(A, n, begin, end, pivot)) return false;
        if (rest == 0) break;
        double factor[8];
        for (size_t k = begin + 1; k < end; k++) {
            for (size_t m = begin; m < k; m++) factor[m - begin] = -A[k * n + m];
            mrn_dense_add_rows(A + k * n + end, factor, A + begin * n + end, n, k - begin, rest);
        }
        for (size_t i = 0; i < rest; i++)
            for (size_t m = 0; m < 8; m++) scratch[i * 8 + m] = m < width ? -A[(end + i) * n + begin + m] : 0;
        mrn_dense_add_eight(A + end * n + end, n, scratch, 8, A + begin * n + end, n, rest, rest);
    }
    return true;
}

void mrn_dense_solve(const double *A, size_t n, const int *pivot, double *x) {
    for (size_t k = 0; k < n; k++) {
        double keep = x[k];
        x[k] = x[pivot[k]];
        x[pivot[k]] = keep;
    }
    for (size_t i = 1; i < n; i++) x[i] -= mrn_dense_dot(A + i * n, x, i);
    for (size_t i = n; i-- > 0;) x[i] = (x[i] - mrn_dense_dot(A + i * n + i + 1, x + i + 1, n - i - 1)) / A[i * n + i];
}
