// Reduction of global problems: W = H^T M^-1 H and q = H^T M^-1 f + w (Acary, Bremond, Huber 2014), with bilateral
// constraints G eliminated.
//
// Where M couples only components of one body (3 in 2D, 6 in 3D, numbered body by body) and a contact touches at most
// two bodies, the factored form is made: M_b = L L^T, H~ = H^T L^-T. Otherwise M is factored by CHOLMOD, or densely by
// LU where it is not positive definite.
#include "problem/reduce.h"

#include "base/error.h"
#include "base/memory.h"
#include "problem/problem.h"

#include <cholmod.h>
#include <lapacke.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/// Dense fallbacks are refused beyond this many unknowns (1.2 GB).
#define DENSE_LIMIT 12000

void mrn_triplets_free(MrnTriplets *matrix) {
    free(matrix->row);
    free(matrix->column);
    free(matrix->value);
    *matrix = (MrnTriplets){0};
}

static int compare_keys(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

MrnBlockMatrix *mrn_blocks_from_triplets(const MrnTriplets *matrix, int dimension, size_t contacts) {
    size_t count = matrix->count + contacts, d = (size_t)dimension;
    uint64_t *key = mrn_alloc(count + 1, sizeof *key); // block row and column
    for (size_t k = 0; k < matrix->count; k++)
        key[k] = (uint64_t)(matrix->row[k] / dimension) << 32 | (uint64_t)(matrix->column[k] / dimension);
    for (size_t i = 0; i < contacts; i++) key[matrix->count + i] = (uint64_t)i << 32 | i;
    qsort(key, count, sizeof *key, compare_keys);
    size_t blocks = 0;
    for (size_t k = 0; k < count; k++)
        if (k == 0 || key[k] != key[k - 1]) key[blocks++] = key[k];
    MrnBlockMatrix *result = mrn_block_matrix_new(contacts, dimension, blocks);
    memset(result->value, 0, blocks * d * d * sizeof *result->value);
    for (size_t k = 0; k < blocks; k++) {
        result->column[k] = (int)(key[k] & 0xffffffffu);
        result->start[(key[k] >> 32) + 1]++;
    }
    for (size_t i = 0; i < contacts; i++) result->start[i + 1] += result->start[i];
    for (size_t k = 0; k < matrix->count; k++) {
        uint64_t wanted = (uint64_t)(matrix->row[k] / dimension) << 32 | (uint64_t)(matrix->column[k] / dimension);
        uint64_t *found = bsearch(&wanted, key, blocks, sizeof *key, compare_keys);
        size_t place = (size_t)(found - key);
        result->value[place * d * d + (size_t)(matrix->row[k] % dimension) * d +
                      (size_t)(matrix->column[k] % dimension)] += matrix->value[k];
    }
    free(key);
    return result;
}

static double *dense_of(const MrnTriplets *matrix) { // column-major
    double *A = mrn_alloc_zero(matrix->rows * matrix->columns + 1, sizeof *A);
    for (size_t k = 0; k < matrix->count; k++)
        A[(size_t)matrix->row[k] + (size_t)matrix->column[k] * matrix->rows] += matrix->value[k];
    return A;
}

bool mrn_eliminate_multipliers(MrnTriplets *W, double *q, const MrnTriplets *V, const MrnTriplets *R, const double *s,
                               const char *path, MrnError *error) {
    size_t n = V->rows, m = R->rows;
    if (m > DENSE_LIMIT || n > DENSE_LIMIT)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "%s: %zu multipliers and %zu unknowns are too many to eliminate",
                        path, m, n);
    double *A = dense_of(R), *X = mrn_alloc_zero(m * (n + 1) + 1, sizeof *X); // X = R^-1 [V^T, s]
    for (size_t k = 0; k < V->count; k++) X[(size_t)V->column[k] + (size_t)V->row[k] * m] += V->value[k];
    memcpy(X + m * n, s, m * sizeof *s);
    int *pivot = mrn_alloc(m + 1, sizeof *pivot);
    int status = m ? LAPACKE_dgesv(LAPACK_COL_MAJOR, (int)m, (int)n + 1, A, (int)m, pivot, X, (int)m) : 0;
    if (status == 0) {
        double *dense = dense_of(W);
        for (size_t k = 0; k < V->count; k++) {
            size_t row = (size_t)V->row[k], c = (size_t)V->column[k];
            for (size_t j = 0; j < n; j++) dense[row + j * n] -= V->value[k] * X[c + j * m];
            q[row] -= V->value[k] * X[c + n * m];
        }
        size_t count = 0;
        for (size_t k = 0; k < n * n; k++) count += dense[k] != 0;
        W->row = mrn_realloc(W->row, count + 1, sizeof *W->row);
        W->column = mrn_realloc(W->column, count + 1, sizeof *W->column);
        W->value = mrn_realloc(W->value, count + 1, sizeof *W->value);
        W->count = 0;
        for (size_t j = 0; j < n; j++)
            for (size_t i = 0; i < n; i++)
                if (dense[i + j * n] != 0)
                    W->row[W->count] = (int)i, W->column[W->count] = (int)j, W->value[W->count++] = dense[i + j * n];
        free(dense);
    }
    free(A);
    free(X);
    free(pivot);
    return status == 0 || mrn_fail(error, MRN_ERROR_UNSUPPORTED, "%s: the multiplier matrix R is singular", path);
}

// LMGC90 stores one half of M only.
static bool is_half(const MrnTriplets *M) {
    bool lower = false, upper = false;
    for (size_t k = 0; k < M->count; k++)
        if (M->value[k] != 0) lower |= M->row[k] > M->column[k], upper |= M->row[k] < M->column[k];
    return lower != upper;
}

// The factored form; NULL where M or H do not fit it.
static MrnProblem *factored(const MrnGlobalProblem *global, bool half) {
    int d = global->dimension, dof = d == 2 ? 3 : 6;
    size_t n = global->M.rows, bodies = n / (size_t)dof, contacts = global->contacts, block = (size_t)(dof * dof);
    if (n == 0 || n % (size_t)dof || global->G.columns || global->H.columns == 0) return NULL;
    for (size_t k = 0; k < global->M.count; k++)
        if (global->M.value[k] != 0 && global->M.row[k] / dof != global->M.column[k] / dof) return NULL;
    int *pair = mrn_alloc(2 * contacts + 1, sizeof *pair);
    for (size_t s = 0; s < 2 * contacts; s++) pair[s] = -1;
    for (size_t k = 0; k < global->H.count; k++) {
        if (global->H.value[k] == 0) continue;
        int body = global->H.row[k] / dof, *own = pair + 2 * (global->H.column[k] / d);
        if (own[0] == body || own[1] == body) continue;
        if (own[0] < 0)
            own[0] = body;
        else if (own[1] < 0)
            own[1] = body;
        else {
            free(pair);
            return NULL;
        }
    }
    double *L = mrn_alloc_zero(bodies * block + 1, sizeof *L); // column-major blocks
    for (size_t k = 0; k < global->M.count; k++) {
        int r = global->M.row[k] % dof, c = global->M.column[k] % dof;
        double *own = L + (size_t)(global->M.row[k] / dof) * block;
        own[r + c * dof] += global->M.value[k];
        if (half && r != c) own[c + r * dof] += global->M.value[k];
    }
    for (size_t b = 0; b < bodies; b++)
        if (LAPACKE_dpotrf(LAPACK_COL_MAJOR, 'L', dof, L + b * block, dof) != 0) {
            free(L);
            free(pair);
            return NULL;
        }
    MrnProblem *problem = mrn_problem_new(d, contacts);
    size_t side = (size_t)(d * dof);
    problem->body_count = bodies;
    problem->dof = dof;
    problem->bodies = pair;
    problem->jacobian = mrn_alloc_zero(2 * contacts * side + 1, sizeof(double));
    for (size_t k = 0; k < global->H.count; k++) {
        if (global->H.value[k] == 0) continue;
        size_t contact = (size_t)(global->H.column[k] / d), which = pair[2 * contact] == global->H.row[k] / dof ? 0 : 1;
        problem->jacobian[(2 * contact + which) * side +
                          (size_t)(global->H.column[k] % d * dof + global->H.row[k] % dof)] += global->H.value[k];
    }
    // Rows of H~: h~ = L^-1 h. Free velocity: q = H~ (L^-1 f) + w.
    double *free_scaled = mrn_alloc(n + 1, sizeof *free_scaled);
    memcpy(free_scaled, global->f, n * sizeof *free_scaled);
    for (size_t b = 0; b < bodies; b++)
        LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', dof, 1, L + b * block, dof, free_scaled + b * (size_t)dof, dof);
    for (size_t s = 0; s < 2 * contacts; s++)
        if (pair[s] >= 0)
            LAPACKE_dtrtrs(LAPACK_COL_MAJOR, 'L', 'N', 'N', dof, d, L + (size_t)pair[s] * block, dof,
                           problem->jacobian + s * side, dof);
    mrn_problem_contact_velocity(problem, free_scaled, global->w, problem->free_velocity, NULL);
    free(free_scaled);
    free(L);
    return problem;
}

// X = M^-1 B for the columns B = [H, G, f], column-major n x columns; dense LU where CHOLMOD finds M not positive
// definite.
static bool solve_mass(const MrnGlobalProblem *global, bool half, double *X, size_t columns) {
    size_t n = global->M.rows;
    cholmod_common common;
    cholmod_start(&common);
    common.print = 0;
    // Only the lower half is used: entries of the upper half are dropped, or mirrored where it is the stored one.
    cholmod_triplet *T = cholmod_allocate_triplet(n, n, global->M.count + 1, -1, CHOLMOD_REAL, &common);
    int *row = T->i, *column = T->j;
    double *value = T->x;
    for (size_t k = 0; k < global->M.count; k++) {
        int i = global->M.row[k], j = global->M.column[k];
        if (i < j && !half) continue;
        row[T->nnz] = i > j ? i : j, column[T->nnz] = i > j ? j : i, value[T->nnz++] = global->M.value[k];
    }
    cholmod_sparse *A = cholmod_triplet_to_sparse(T, 0, &common);
    cholmod_factor *L = cholmod_analyze(A, &common);
    bool good = L && cholmod_factorize(A, L, &common) && common.status == CHOLMOD_OK && L->minor >= n;
    if (good) {
        const size_t chunk = 64; // right sides at a time
        cholmod_dense *B = cholmod_allocate_dense(n, chunk, n, CHOLMOD_REAL, &common);
        for (size_t first = 0; good && first < columns; first += chunk) {
            size_t width = columns - first < chunk ? columns - first : chunk;
            B->ncol = width;
            memcpy(B->x, X + first * n, n * width * sizeof(double));
            cholmod_dense *Y = cholmod_solve(CHOLMOD_A, L, B, &common);
            good = Y != NULL;
            if (good) memcpy(X + first * n, Y->x, n * width * sizeof(double));
            cholmod_free_dense(&Y, &common);
        }
        B->ncol = chunk;
        cholmod_free_dense(&B, &common);
    }
    cholmod_free_factor(&L, &common);
    cholmod_free_sparse(&A, &common);
    cholmod_free_triplet(&T, &common);
    cholmod_finish(&common);
    if (good || n > DENSE_LIMIT) return good;
    double *dense = dense_of(&global->M);
    if (half)
        for (size_t k = 0; k < global->M.count; k++)
            if (global->M.row[k] != global->M.column[k])
                dense[(size_t)global->M.column[k] + (size_t)global->M.row[k] * n] += global->M.value[k];
    int *pivot = mrn_alloc(n + 1, sizeof *pivot);
    good = LAPACKE_dgesv(LAPACK_COL_MAJOR, (int)n, (int)columns, dense, (int)n, pivot, X, (int)n) == 0;
    free(dense);
    free(pivot);
    return good;
}

MrnProblem *mrn_reduce_global(const MrnGlobalProblem *global, const char *path, MrnError *error) {
    bool half = is_half(&global->M);
    MrnProblem *problem = factored(global, half);
    if (problem) {
        memcpy(problem->friction, global->friction, global->contacts * sizeof(double));
        return problem;
    }
    size_t n = global->M.rows, m = global->H.columns, g = global->G.columns, columns = m + g + 1;
    if ((double)n * (double)columns > 4e8) {
        mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                 "%s: the global problem (%zu velocities, %zu impulses) is too large to reduce", path, n, m);
        return NULL;
    }
    double *X = mrn_alloc_zero(n * columns + 1, sizeof *X);
    for (size_t k = 0; k < global->H.count; k++)
        X[(size_t)global->H.row[k] + (size_t)global->H.column[k] * n] += global->H.value[k];
    for (size_t k = 0; k < global->G.count; k++)
        X[(size_t)global->G.row[k] + (m + (size_t)global->G.column[k]) * n] += global->G.value[k];
    memcpy(X + (m + g) * n, global->f, n * sizeof *X);
    if (n && !solve_mass(global, half, X, columns)) {
        mrn_fail(error, MRN_ERROR_INPUT, "%s: the mass matrix M is singular", path);
        free(X);
        return NULL;
    }
    if (g) {
        // l = -(G^T M^-1 G)^-1 (b + G^T M^-1 (H r + f)): project every column of X on the constraints.
        double *S = mrn_alloc_zero(g * g + 1, sizeof *S), *Y = mrn_alloc_zero(g * (m + 1) + 1, sizeof *Y);
        int *pivot = mrn_alloc(g + 1, sizeof *pivot);
        for (size_t k = 0; k < global->G.count; k++) {
            size_t i = (size_t)global->G.row[k], c = (size_t)global->G.column[k];
            for (size_t j = 0; j < g; j++) S[c + j * g] += global->G.value[k] * X[i + (m + j) * n];
            for (size_t j = 0; j <= m; j++) Y[c + j * g] += global->G.value[k] * X[i + (j < m ? j : m + g) * n];
        }
        for (size_t c = 0; c < g; c++) Y[c + m * g] += global->b[c];
        bool good = LAPACKE_dgesv(LAPACK_COL_MAJOR, (int)g, (int)m + 1, S, (int)g, pivot, Y, (int)g) == 0;
        for (size_t j = 0; good && j <= m; j++)
            for (size_t c = 0; c < g; c++)
                for (size_t i = 0; i < n; i++) X[i + (j < m ? j : m + g) * n] -= X[i + (m + c) * n] * Y[c + j * g];
        free(S);
        free(Y);
        free(pivot);
        if (!good) {
            mrn_fail(error, MRN_ERROR_INPUT, "%s: the bilateral constraints G are not independent", path);
            free(X);
            return NULL;
        }
    }
    problem = mrn_problem_new(global->dimension, global->contacts);
    memcpy(problem->friction, global->friction, global->contacts * sizeof(double));
    memcpy(problem->free_velocity, global->w, m * sizeof(double));
    // W = H^T X, column by column; exact zeros mean that two contacts share nothing.
    MrnTriplets W = {.rows = m, .columns = m};
    double *column = mrn_alloc(m + 1, sizeof *column);
    size_t capacity = 0;
    for (size_t j = 0; j <= m; j++) {
        const double *x = X + (j < m ? j : m + g) * n;
        memset(column, 0, m * sizeof *column);
        for (size_t k = 0; k < global->H.count; k++)
            column[global->H.column[k]] += global->H.value[k] * x[global->H.row[k]];
        if (j == m) {
            for (size_t i = 0; i < m; i++) problem->free_velocity[i] += column[i];
            break;
        }
        if (W.count + m > capacity) {
            capacity = 2 * capacity + m;
            W.row = mrn_realloc(W.row, capacity, sizeof *W.row);
            W.column = mrn_realloc(W.column, capacity, sizeof *W.column);
            W.value = mrn_realloc(W.value, capacity, sizeof *W.value);
        }
        for (size_t i = 0; i < m; i++)
            if (column[i] != 0) W.row[W.count] = (int)i, W.column[W.count] = (int)j, W.value[W.count++] = column[i];
    }
    problem->delassus = mrn_blocks_from_triplets(&W, global->dimension, global->contacts);
    mrn_triplets_free(&W);
    free(column);
    free(X);
    return problem;
}
