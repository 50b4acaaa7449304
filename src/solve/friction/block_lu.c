// Sparse LU factors of a matrix of small blocks.
//
// The pattern is symmetric, so the fill of LU is that of Cholesky: the elimination tree (Liu 1990) gives the pattern of
// each row of L as the part of the tree between the row's entries and the row. Rows are factored one after the other
// (up-looking); pivots are taken inside the diagonal blocks only. The order comes from approximate minimum degree, or
// from nested dissection where that is better, so factors depend on the pattern and values alone.
#include "solve/friction/block_lu.h"

#include "base/memory.h"
#include "base/simd.h"

#include <cholmod.h>
#include <math.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define COFACTORS                                                                                                      \
    1e-9 ///< determinant of a block over its largest number to the same power: then cofactors are exact enough
#define DISSECT_FROM 1e6 ///< block products from which nested dissection is tried beside minimum degree

typedef double Row4 __attribute__((vector_size(32), aligned(8)));
typedef double Row2 __attribute__((vector_size(16), aligned(8)));

// Where the number in row r and column c of a block stands: blocks of 3 x 3 by rows, padded to four numbers, those of
// 2 x 2 by columns, so that products of them need no shuffles across the halves of a register.
MRN_INLINE int at(int d, int r, int c) {
    return d == 3 ? 4 * r + c : 2 * c + r;
}

void mrn_block_lu_init(MrnBlockLu *lu) {
    *lu = (MrnBlockLu){0};
}

void mrn_block_lu_free(MrnBlockLu *lu) {
    free(lu->order), free(lu->place), free(lu->descent), free(lu->lower_start), free(lu->lower_column),
        free(lu->upper_start), free(lu->upper_column);
    free(lu->lower), free(lu->upper), free(lu->diagonal), free(lu->row), free(lu->scratch);
    *lu = (MrnBlockLu){0};
}

// Fill-reducing orders by CHOLMOD. Nested dissection is METIS', which draws from rand(): one caller at a time, with a
// state of its own that it seeds itself, so that orders depend on the pattern alone and nobody else's numbers change.
static bool find_order(size_t rows, const size_t *start, const int *column, bool dissect, int *order) {
    static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;
    cholmod_common common;
    cholmod_start(&common);
    common.print = 0;
    cholmod_sparse *A = cholmod_allocate_sparse(rows, rows, start[rows] + 1, 1, 1, 1, CHOLMOD_PATTERN, &common);
    int *p = A->p, *i = A->i;
    size_t count = 0;
    for (size_t r = 0; r < rows; r++) {
        p[r] = (int)count;
        for (size_t k = start[r]; k < start[r + 1]; k++)
            if (column[k] < (int)r) i[count++] = column[k]; // upper half by columns
    }
    p[rows] = (int)count;
    bool good;
    if (dissect) {
        pthread_mutex_lock(&one_at_a_time);
        char state[128], *before = initstate(1, state, sizeof state);
        good = cholmod_metis(A, NULL, 0, true, order, &common);
        setstate(before);
        pthread_mutex_unlock(&one_at_a_time);
    } else {
        good = cholmod_amd(A, NULL, 0, order, &common);
    }
    cholmod_free_sparse(&A, &common);
    cholmod_finish(&common);
    return good;
}

static void reserve_entries(MrnBlockLu *lu, size_t entries) {
    if (entries <= lu->entry_capacity) return;
    lu->entry_capacity = entries + entries / 2 + 16;
    lu->lower_column = mrn_realloc(lu->lower_column, lu->entry_capacity, sizeof *lu->lower_column);
    lu->upper_column = mrn_realloc(lu->upper_column, lu->entry_capacity, sizeof *lu->upper_column);
}

// Elimination tree of the order with path compression, then the entries of every row of L, in no order, and how many
// every column of L (row of U) has. Returns the block products of a factorisation, INFINITY for more than `limit`,
// before memory is spent on them.
static double find_fill(MrnBlockLu *lu, const size_t *start, const int *column, double limit) {
    int n = (int)lu->rows, *parent = lu->scratch, *ancestor = parent + n, *mark = ancestor + n, *count = mark + n;
    for (int k = 0; k < n; k++) lu->place[lu->order[k]] = k;
    for (int i = 0; i < n; i++) {
        parent[i] = ancestor[i] = -1;
        for (size_t k = start[lu->order[i]]; k < start[lu->order[i] + 1]; k++)
            for (int j = lu->place[column[k]]; j != -1 && j < i;) {
                int next = ancestor[j];
                ancestor[j] = i;
                if (next == -1) parent[j] = i;
                j = next;
            }
    }
    size_t entries = 0;
    double operations = 0; // the sum of count (count + 1)
    for (int i = 0; i < n; i++) mark[i] = -1, count[i] = 0;
    lu->lower_start[0] = 0;
    for (int i = 0; i < n && operations <= limit; i++) {
        reserve_entries(lu, entries + (size_t)i);
        mark[i] = i;
        for (size_t k = start[lu->order[i]]; k < start[lu->order[i] + 1]; k++)
            for (int j = lu->place[column[k]]; j < i && mark[j] != i; j = parent[j])
                mark[j] = i, operations += 2 * (double)++count[j], lu->lower_column[entries++] = j;
        lu->lower_start[i + 1] = entries;
    }
    if (operations > limit) return INFINITY;
    lu->upper_start[0] = 0;
    for (int i = 0; i < n; i++) lu->upper_start[i + 1] = lu->upper_start[i] + (size_t)count[i];
    return operations;
}

// The entries of the rows of U, ascending since those of L come row by row, and from these the ones of L, ascending
// too.
static void sort_fill(MrnBlockLu *lu) {
    size_t n = lu->rows;
    int *filled = lu->scratch;
    for (size_t i = 0; i < n; i++) filled[i] = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = lu->lower_start[i]; k < lu->lower_start[i + 1]; k++) {
            int j = lu->lower_column[k];
            lu->upper_column[lu->upper_start[j] + (size_t)filled[j]++] = (int)i;
        }
    for (size_t i = 0; i < n; i++) filled[i] = 0;
    for (size_t j = 0; j < n; j++)
        for (size_t k = lu->upper_start[j]; k < lu->upper_start[j + 1]; k++) {
            int i = lu->upper_column[k];
            lu->lower_column[lu->lower_start[i] + (size_t)filled[i]++] = (int)j;
        }
}

// The parent of a row of the elimination tree is the first entry of its row of U; rows itself above the roots.
static inline size_t parent_of(const MrnBlockLu *lu, size_t i) {
    return lu->upper_start[i] < lu->upper_start[i + 1] ? (size_t)lu->upper_column[lu->upper_start[i]] : lu->rows;
}

// Rows of one level of the tree do not depend on each other, so that the processor solves several at once.
static void find_descent(MrnBlockLu *lu) {
    size_t n = lu->rows;
    int *depth = lu->scratch, *count = depth + n;
    for (size_t i = 0; i <= n; i++) count[i] = 0;
    for (size_t i = n; i-- > 0;) {
        size_t parent = parent_of(lu, i);
        depth[i] = parent < n ? depth[parent] + 1 : 0;
        count[depth[i] + 1]++;
    }
    for (size_t level = 0; level < n; level++) count[level + 1] += count[level];
    for (size_t i = n; i-- > 0;) lu->descent[count[depth[i]]++] = (int)i;
}

int mrn_block_lu_analyse(MrnBlockLu *lu, size_t rows, int block, const size_t *start, const int *column,
                         const int *order, double limit) {
    if (rows > lu->row_capacity) {
        size_t capacity = rows + rows / 4 + 16;
        lu->order = mrn_realloc(lu->order, capacity, sizeof *lu->order);
        lu->place = mrn_realloc(lu->place, capacity, sizeof *lu->place);
        lu->descent = mrn_realloc(lu->descent, capacity, sizeof *lu->descent);
        lu->scratch = mrn_realloc(lu->scratch, 4 * capacity, sizeof *lu->scratch);
        lu->lower_start = mrn_realloc(lu->lower_start, capacity + 1, sizeof *lu->lower_start);
        lu->upper_start = mrn_realloc(lu->upper_start, capacity + 1, sizeof *lu->upper_start);
        free(lu->diagonal), free(lu->row);
        lu->diagonal = mrn_alloc_aligned(12 * capacity, sizeof *lu->diagonal);
        lu->row = mrn_alloc_aligned(12 * capacity, sizeof *lu->row);
        lu->row_capacity = capacity;
    }
    lu->rows = rows;
    lu->block = block;
    lu->stride = block == 3 ? 4 : 2;
    if (order)
        memcpy(lu->order, order, rows * sizeof *order);
    else if (!find_order(rows, start, column, false, lu->order))
        for (size_t r = 0; r < rows; r++) lu->order[r] = (int)r;
    double operations = find_fill(lu, start, column, limit);
    if (!order && lu->dissect && operations > DISSECT_FROM) { // large packings in space
        int *degrees = mrn_alloc(rows, sizeof *degrees);
        memcpy(degrees, lu->order, rows * sizeof *degrees);
        double other =
            find_order(rows, start, column, true, lu->order) ? find_fill(lu, start, column, limit) : INFINITY;
        if (other >= operations) {
            memcpy(lu->order, degrees, rows * sizeof *degrees);
            other = find_fill(lu, start, column, limit);
        }
        operations = other;
        free(degrees);
    }
    lu->operations = operations;
    if (operations > limit) return false;
    sort_fill(lu);
    find_descent(lu);
    size_t numbers = lu->lower_start[rows] * (size_t)(block * lu->stride);
    if (numbers > lu->value_capacity) {
        size_t capacity = numbers + numbers / 4 + 16;
        free(lu->lower), free(lu->upper);
        lu->lower = mrn_alloc_aligned(capacity, sizeof *lu->lower);
        lu->upper = mrn_alloc_aligned(capacity, sizeof *lu->upper);
        lu->value_capacity = capacity;
    }
    return true;
}

// Inverse of a block by its cofactors. Returns the sign of its determinant, 0 where that is too small for it.
MRN_INLINE int invert_3(double *A) {
    double a = A[0], b = A[1], c = A[2], d = A[4], e = A[5], f = A[6], g = A[8], h = A[9], i = A[10];
    double C00 = e * i - f * h, C01 = f * g - d * i, C02 = d * h - e * g, determinant = a * C00 + b * C01 + c * C02;
    double largest = fmax(fmax(fabs(a), fabs(e)), fabs(i));
    largest = fmax(fmax(largest, fmax(fabs(b), fabs(c))), fmax(fmax(fabs(d), fabs(f)), fmax(fabs(g), fabs(h))));
    if (!(fabs(determinant) > COFACTORS * largest * largest * largest)) return 0;
    double over = 1 / determinant;
    A[0] = C00 * over, A[1] = (c * h - b * i) * over, A[2] = (b * f - c * e) * over;
    A[4] = C01 * over, A[5] = (a * i - c * g) * over, A[6] = (c * d - a * f) * over;
    A[8] = C02 * over, A[9] = (b * g - a * h) * over, A[10] = (a * e - b * d) * over;
    return determinant > 0 ? 1 : -1;
}

MRN_INLINE int invert_2(double *A) {
    double a = A[0], b = A[1], c = A[2], d = A[3], determinant = a * d - b * c;
    double largest = fmax(fmax(fabs(a), fabs(b)), fmax(fabs(c), fabs(d)));
    if (!(fabs(determinant) > COFACTORS * largest * largest)) return 0;
    double over = 1 / determinant;
    A[0] = d * over, A[1] = -b * over, A[2] = -c * over, A[3] = a * over;
    return determinant > 0 ? 1 : -1;
}

// Inverse of a small block by elimination with row pivots; pivots below `floor` are raised to it. Returns the sign of
// its determinant.
static int invert_by_pivots(int d, int stride, double *A, double floor) {
    double M[3][6];
    int sign = 1;
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) M[i][j] = A[i * stride + j], M[i][d + j] = i == j;
    for (int k = 0; k < d; k++) {
        int best = k;
        for (int i = k + 1; i < d; i++)
            if (fabs(M[i][k]) > fabs(M[best][k])) best = i;
        if (best != k) {
            sign = -sign;
            for (int j = 0; j < 2 * d; j++) {
                double t = M[k][j];
                M[k][j] = M[best][j], M[best][j] = t;
            }
        }
        double pivot = M[k][k];
        if (!(fabs(pivot) > floor)) pivot = pivot < 0 ? -floor : floor;
        if (pivot < 0) sign = -sign;
        double over = 1 / pivot;
        for (int j = 0; j < 2 * d; j++) M[k][j] *= over;
        for (int i = 0; i < d; i++) {
            if (i == k) continue;
            double factor = M[i][k];
            for (int j = 0; j < 2 * d; j++) M[i][j] -= factor * M[k][j];
        }
    }
    for (int i = 0; i < d; i++)
        for (int j = 0; j < d; j++) A[i * stride + j] = M[i][d + j];
    return sign;
}

MRN_INLINE int invert(int d, int stride, double *A, double floor) {
    int sign = d == 3 ? invert_3(A) : invert_2(A);
    return sign ? sign : invert_by_pivots(d, stride, A, floor);
}

MRN_INLINE void eliminate_3(const double *restrict L, const double *restrict upper, const int *restrict column,
                            size_t count, double *restrict row) {
    double l00 = L[0], l01 = L[1], l02 = L[2], l10 = L[4], l11 = L[5], l12 = L[6], l20 = L[8], l21 = L[9], l22 = L[10];
    for (size_t k = 0; k < count; k++) {
        const Row4 *U = (const Row4 *)(upper + 12 * k);
        Row4 *w = (Row4 *)(row + 12 * (size_t)column[k]);
        Row4 u0 = U[0], u1 = U[1], u2 = U[2];
        w[0] -= l00 * u0 + l01 * u1 + l02 * u2;
        w[1] -= l10 * u0 + l11 * u1 + l12 * u2;
        w[2] -= l20 * u0 + l21 * u1 + l22 * u2;
    }
}

// Blocks of 2 x 2: the columns of a, each twice, with the rows of b.
MRN_INLINE Row4 multiply_2(Row4 a, Row4 b) {
    return __builtin_shufflevector(a, a, 0, 1, 0, 1) * __builtin_shufflevector(b, b, 0, 0, 2, 2) +
           __builtin_shufflevector(a, a, 2, 3, 2, 3) * __builtin_shufflevector(b, b, 1, 1, 3, 3);
}

MRN_INLINE void eliminate_2(Row4 L, const double *restrict upper, const int *restrict column, size_t count,
                            double *restrict row) {
    L = -L;
    Row4 first = __builtin_shufflevector(L, L, 0, 1, 0, 1), second = __builtin_shufflevector(L, L, 2, 3, 2, 3);
    Row4 *w = (Row4 *)row;
    const Row4 *U = (const Row4 *)upper;
    size_t k = 0;
    for (; k + 2 <= count; k += 2) {
        Row4 a = first * __builtin_shufflevector(U[k], U[k], 0, 0, 2, 2) +
                 second * __builtin_shufflevector(U[k], U[k], 1, 1, 3, 3);
        Row4 b = first * __builtin_shufflevector(U[k + 1], U[k + 1], 0, 0, 2, 2) +
                 second * __builtin_shufflevector(U[k + 1], U[k + 1], 1, 1, 3, 3);
        w[column[k]] += a;
        w[column[k + 1]] += b;
    }
    if (k < count)
        w[column[k]] += first * __builtin_shufflevector(U[k], U[k], 0, 0, 2, 2) +
                        second * __builtin_shufflevector(U[k], U[k], 1, 1, 3, 3);
}

// out = a b for padded blocks of 3 x 3
MRN_INLINE void multiply_3(const double *restrict a, const double *restrict b, double *restrict out) {
    const Row4 *B = (const Row4 *)b;
    Row4 *C = (Row4 *)out;
    for (int i = 0; i < 3; i++) C[i] = a[4 * i] * B[0] + a[4 * i + 1] * B[1] + a[4 * i + 2] * B[2];
}

// With d a constant: the loops over the numbers of a block unroll.
MRN_INLINE void factor_blocks(MrnBlockLu *lu, int d, const size_t *start, const int *column, const double *value,
                              double floor) {
    int stride = d == 3 ? 4 : 2;
    size_t size = (size_t)(d * stride);
    double *row = lu->row;
    int sign = 1;
    for (size_t i = 0; i < lu->rows; i++) {
        const int *lower_column = lu->lower_column + lu->lower_start[i],
                  *upper_column = lu->upper_column + lu->upper_start[i];
        size_t lower_count = lu->lower_start[i + 1] - lu->lower_start[i],
               upper_count = lu->upper_start[i + 1] - lu->upper_start[i];
        for (size_t k = 0; k < lower_count; k++) memset(row + size * (size_t)lower_column[k], 0, size * sizeof *row);
        for (size_t k = 0; k < upper_count; k++) memset(row + size * (size_t)upper_column[k], 0, size * sizeof *row);
        memset(row + size * i, 0, size * sizeof *row);
        size_t source = (size_t)lu->order[i];
        for (size_t k = start[source]; k < start[source + 1]; k++) {
            double *to = row + size * (size_t)lu->place[column[k]];
            const double *from = value + k * (size_t)(d * d);
            if (d == 2)
                *(Row4 *)to = __builtin_shufflevector(*(const Row4 *)from, *(const Row4 *)from, 0, 2, 1, 3);
            else
                for (int r = 0; r < d; r++)
                    for (int c = 0; c < d; c++) to[at(d, r, c)] = from[r * d + c];
        }
        for (size_t k = 0; k < lower_count; k++) {
            size_t j = (size_t)lower_column[k], begin = lu->upper_start[j], count = lu->upper_start[j + 1] - begin;
            double *L = lu->lower + size * (lu->lower_start[i] + k);
            memcpy(L, row + size * j, size * sizeof *L);
            if (d == 3)
                eliminate_3(L, lu->upper + size * begin, lu->upper_column + begin, count, row);
            else
                eliminate_2(*(const Row4 *)L, lu->upper + size * begin, lu->upper_column + begin, count, row);
        }
        double *diagonal = lu->diagonal + size * i;
        memcpy(diagonal, row + size * i, size * sizeof *row);
        sign *= invert(d, stride, diagonal, floor);
        for (size_t k = 0; k < upper_count; k++) {
            const double *from = row + size * (size_t)upper_column[k];
            double *U = lu->upper + size * (lu->upper_start[i] + k);
            if (d == 3)
                multiply_3(diagonal, from, U);
            else
                *(Row4 *)U = multiply_2(*(const Row4 *)diagonal, *(const Row4 *)from);
        }
    }
    lu->sign = sign;
}

MRN_KERNEL static void factor_3(MrnBlockLu *lu, const size_t *start, const int *column, const double *value,
                                double floor) {
    factor_blocks(lu, 3, start, column, value, floor);
}

MRN_KERNEL static void factor_2(MrnBlockLu *lu, const size_t *start, const int *column, const double *value,
                                double floor) {
    factor_blocks(lu, 2, start, column, value, floor);
}

void mrn_block_lu_factor(MrnBlockLu *lu, const size_t *start, const int *column, const double *value, double floor) {
    (lu->block == 3 ? factor_3 : factor_2)(lu, start, column, value, floor);
}

// Vectors have four numbers per row while they are solved for: three and a zero, or two, each twice, as blocks of 2 x 2
// want them.
MRN_INLINE Row4 widen(int d, const double *x) {
    return d == 3 ? (Row4){x[0], x[1], x[2], 0} : (Row4){x[0], x[0], x[1], x[1]};
}

// The product of a block with a row of a vector.
MRN_INLINE Row4 apply(int d, const double *block, Row4 y) {
    if (d == 2) {
        Row4 products = *(const Row4 *)block * y;
        Row2 sums =
            __builtin_shufflevector(products, products, 0, 1) + __builtin_shufflevector(products, products, 2, 3);
        return __builtin_shufflevector(sums, sums, 0, 0, 1, 1);
    }
    const Row4 *B = (const Row4 *)block;
    Row4 rows[3] = {B[0] * y, B[1] * y, B[2] * y}, sums = {0};
    for (int r = 0; r < 3; r++) sums[r] = (rows[r][0] + rows[r][1]) + rows[r][2];
    return sums;
}

// The product of a row of blocks with the vector.
MRN_INLINE Row4 apply_row(int d, size_t count, const double *blocks, const int *column, const double *vector) {
    const Row4 *y = (const Row4 *)vector;
    if (d == 3) {
        Row4 rows[3] = {{0}, {0}, {0}}, sums = {0};
        for (size_t k = 0; k < count; k++) {
            const Row4 *B = (const Row4 *)(blocks + 12 * k), z = y[column[k]];
            for (int r = 0; r < 3; r++) rows[r] += B[r] * z;
        }
        for (int r = 0; r < 3; r++) sums[r] = (rows[r][0] + rows[r][1]) + rows[r][2];
        return sums;
    }
    Row4 rows = {0}, others = {0}; // two sums: an addition need not wait for the one before
    size_t k = 0;
    for (; k + 2 <= count; k += 2) {
        rows += *(const Row4 *)(blocks + 4 * k) * y[column[k]];
        others += *(const Row4 *)(blocks + 4 * k + 4) * y[column[k + 1]];
    }
    if (k < count) rows += *(const Row4 *)(blocks + 4 * k) * y[column[k]];
    rows += others;
    Row2 sums = __builtin_shufflevector(rows, rows, 0, 1) + __builtin_shufflevector(rows, rows, 2, 3);
    return __builtin_shufflevector(sums, sums, 0, 0, 1, 1);
}

// Row i of L^-1 times the vector whose earlier rows are done, in place.
MRN_INLINE void forward_row(const MrnBlockLu *lu, int d, size_t i, double *work) {
    size_t size = d == 3 ? 12 : 4, begin = lu->lower_start[i];
    Row4 *rows = (Row4 *)work, rest = rows[i] - apply_row(d, lu->lower_start[i + 1] - begin, lu->lower + size * begin,
                                                          lu->lower_column + begin, work);
    rows[i] = apply(d, lu->diagonal + size * i, rest);
}

MRN_INLINE void backward(MrnBlockLu *lu, int d, double *x) {
    size_t size = d == 3 ? 12 : 4;
    Row4 *work = (Row4 *)lu->row;
    for (size_t k = 0; k < lu->rows; k++) {
        size_t i = (size_t)lu->descent[k], begin = lu->upper_start[i];
        double *to = x + (size_t)d * (size_t)lu->order[i];
        work[i] -=
            apply_row(d, lu->upper_start[i + 1] - begin, lu->upper + size * begin, lu->upper_column + begin, lu->row);
        for (int r = 0; r < d; r++) to[r] = work[i][d == 3 ? r : 2 * r];
    }
}

MRN_INLINE void solve_blocks(MrnBlockLu *lu, int d, double *x) {
    for (size_t i = 0; i < lu->rows; i++) {
        ((Row4 *)lu->row)[i] = widen(d, x + (size_t)d * (size_t)lu->order[i]);
        forward_row(lu, d, i, lu->row);
    }
    backward(lu, d, x);
}

// Of L^-1 b, b not zero in one block, only the rows on the way from that block to the root of the elimination tree are
// not zero.
MRN_INLINE void solve_block(MrnBlockLu *lu, int d, size_t block, const double *right, double *x) {
    size_t i = (size_t)lu->place[block];
    memset(lu->row, 0, 4 * lu->rows * sizeof *lu->row);
    ((Row4 *)lu->row)[i] = apply(d, lu->diagonal + (d == 3 ? 12 : 4) * i, widen(d, right));
    while ((i = parent_of(lu, i)) < lu->rows) forward_row(lu, d, i, lu->row);
    backward(lu, d, x);
}

MRN_KERNEL static void solve_3(MrnBlockLu *lu, double *x) {
    solve_blocks(lu, 3, x);
}

MRN_KERNEL static void solve_2(MrnBlockLu *lu, double *x) {
    solve_blocks(lu, 2, x);
}

MRN_KERNEL static void solve_block_3(MrnBlockLu *lu, size_t block, const double *right, double *x) {
    solve_block(lu, 3, block, right, x);
}

MRN_KERNEL static void solve_block_2(MrnBlockLu *lu, size_t block, const double *right, double *x) {
    solve_block(lu, 2, block, right, x);
}

void mrn_block_lu_solve(MrnBlockLu *lu, double *x) {
    (lu->block == 3 ? solve_3 : solve_2)(lu, x);
}

void mrn_block_lu_solve_block(MrnBlockLu *lu, size_t block, const double *right, double *x) {
    (lu->block == 3 ? solve_block_3 : solve_block_2)(lu, block, right, x);
}

// U^T D^-1 U: the row L_ik is (U_ki)^T D_k^-1, so L is never stored, and row i needs only the part of U_k from column i
// on.
MRN_KERNEL static void factor_symmetric(MrnBlockLu *lu, const size_t *start, const int *column, const double *value,
                                        double floor) {
    int d = lu->block, stride = lu->stride;
    size_t size = (size_t)(d * stride);
    double *row = lu->row, transposed[12] = {0}, L[12];
    int *next = lu->scratch; // entries of row k of U that earlier rows have used
    for (size_t k = 0; k < lu->rows; k++) next[k] = 0;
    for (size_t i = 0; i < lu->rows; i++) {
        const int *upper_column = lu->upper_column + lu->upper_start[i];
        size_t upper_count = lu->upper_start[i + 1] - lu->upper_start[i], source = (size_t)lu->order[i];
        for (size_t k = 0; k < upper_count; k++) memset(row + size * (size_t)upper_column[k], 0, size * sizeof *row);
        memset(row + size * i, 0, size * sizeof *row);
        for (size_t k = start[source]; k < start[source + 1]; k++) {
            size_t place = (size_t)lu->place[column[k]];
            if (place < i) continue;
            double *to = row + size * place;
            const double *from = value + k * (size_t)(d * d);
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++) to[at(d, r, c)] = from[r * d + c];
        }
        for (size_t k = lu->lower_start[i]; k < lu->lower_start[i + 1]; k++) {
            size_t j = (size_t)lu->lower_column[k], begin = lu->upper_start[j] + (size_t)next[j]++;
            const double *U = lu->upper + size * begin;
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++) transposed[at(d, r, c)] = U[at(d, c, r)];
            if (d == 3) {
                multiply_3(transposed, lu->diagonal + size * j, L);
                eliminate_3(L, U, lu->upper_column + begin, lu->upper_start[j + 1] - begin, row);
            } else {
                Row4 product = multiply_2(*(const Row4 *)transposed, *(const Row4 *)(lu->diagonal + size * j));
                eliminate_2(product, U, lu->upper_column + begin, lu->upper_start[j + 1] - begin, row);
            }
        }
        for (size_t k = 0; k < upper_count; k++)
            memcpy(lu->upper + size * (lu->upper_start[i] + k), row + size * (size_t)upper_column[k],
                   size * sizeof *row);
        double *diagonal = lu->diagonal + size * i;
        memcpy(diagonal, row + size * i, size * sizeof *row);
        invert(d, stride, diagonal, floor);
    }
}

void mrn_block_lu_factor_symmetric(MrnBlockLu *lu, const size_t *start, const int *column, const double *value,
                                   double floor) {
    factor_symmetric(lu, start, column, value, floor);
}

void mrn_block_lu_solve_symmetric(MrnBlockLu *lu, double *x) {
    int b = lu->block;
    size_t d = (size_t)b, size = b == 3 ? 12 : 4;
    double *work = lu->row;
    for (size_t i = 0; i < lu->rows; i++)
        for (size_t r = 0; r < d; r++) work[d * i + r] = x[d * (size_t)lu->order[i] + r];
    for (size_t i = 0; i < lu->rows; i++) {
        const double *D = lu->diagonal + size * i;
        double z[3] = {0, 0, 0};
        for (int r = 0; r < b; r++)
            for (int c = 0; c < b; c++) z[r] += D[at(b, r, c)] * work[d * i + (size_t)c];
        for (size_t k = lu->upper_start[i]; k < lu->upper_start[i + 1]; k++) {
            const double *U = lu->upper + size * k;
            double *y = work + d * (size_t)lu->upper_column[k];
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++) y[c] -= U[at(b, r, c)] * z[r];
        }
        for (size_t r = 0; r < d; r++) work[d * i + r] = z[r];
    }
    for (size_t i = lu->rows; i-- > 0;) {
        const double *D = lu->diagonal + size * i;
        double sum[3] = {0, 0, 0};
        for (size_t k = lu->upper_start[i]; k < lu->upper_start[i + 1]; k++) {
            const double *U = lu->upper + size * k, *y = work + d * (size_t)lu->upper_column[k];
            for (int r = 0; r < b; r++)
                for (int c = 0; c < b; c++) sum[r] += U[at(b, r, c)] * y[c];
        }
        for (int r = 0; r < b; r++)
            for (int c = 0; c < b; c++) work[d * i + (size_t)r] -= D[at(b, r, c)] * sum[c];
    }
    for (size_t i = 0; i < lu->rows; i++)
        for (size_t r = 0; r < d; r++) x[d * (size_t)lu->order[i] + r] = work[d * i + r];
}
