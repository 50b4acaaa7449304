// One-step problems: creation, the operator u = W p + q, and the assembled Delassus matrix.
//
// W = H M^-1 H^T couples two contacts exactly when they share a body with mass. In the factored form the Jacobians are
// already scaled by M^(-1/2), so W_ij is the sum over shared bodies of H~_i H~_j^T. Block columns always ascend in a
// row.
#include "problem/problem.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

MrnProblem *mrn_problem_new(int dimension, size_t contacts) {
    assert(dimension == 2 || dimension == 3);
    MrnProblem *problem = mrn_alloc_zero(1, sizeof *problem);
    problem->dimension = dimension;
    problem->contacts = contacts;
    problem->dof = dimension == 2 ? 3 : 6;
    problem->free_velocity = mrn_alloc_zero((size_t)dimension * contacts + 1, sizeof(double));
    problem->friction = mrn_alloc_zero(contacts + 1, sizeof(double));
    return problem;
}

MrnBlockMatrix *mrn_block_matrix_new(size_t rows, int block, size_t blocks) {
    MrnBlockMatrix *matrix = mrn_alloc_zero(1, sizeof *matrix);
    matrix->rows = rows;
    matrix->block = block;
    matrix->start = mrn_alloc_zero(rows + 1, sizeof *matrix->start);
    matrix->column = mrn_alloc(blocks + 1, sizeof *matrix->column);
    matrix->value = mrn_alloc_aligned(blocks * (size_t)(block * block) + 1, sizeof *matrix->value);
    return matrix;
}

void mrn_block_matrix_free(MrnBlockMatrix *matrix) {
    if (!matrix) return;
    free(matrix->start);
    free(matrix->column);
    free(matrix->value);
    free(matrix);
}

void mrn_problem_free(MrnProblem *problem) {
    if (!problem) return;
    free(problem->free_velocity);
    free(problem->friction);
    free(problem->law);
    free(problem->friction2);
    free(problem->parent);
    free(problem->bodies);
    free(problem->jacobian);
    mrn_block_matrix_free(problem->delassus);
    free(problem);
}

MrnBodyContacts mrn_body_contacts(const MrnProblem *problem) {
    size_t bodies = problem->body_count, sides = 2 * problem->contacts;
    MrnBodyContacts list = {mrn_alloc_zero(bodies + 1, sizeof *list.start), mrn_alloc(sides + 1, sizeof *list.side)};
    for (size_t s = 0; s < sides; s++)
        if (problem->bodies[s] >= 0) list.start[problem->bodies[s] + 1]++;
    for (size_t b = 0; b < bodies; b++) list.start[b + 1] += list.start[b];
    size_t *next = mrn_alloc(bodies + 1, sizeof *next);
    memcpy(next, list.start, bodies * sizeof *next);
    for (size_t s = 0; s < sides; s++)
        if (problem->bodies[s] >= 0) list.side[next[problem->bodies[s]]++] = (int)s;
    free(next);
    return list;
}

void mrn_body_contacts_free(MrnBodyContacts *list) {
    free(list->start);
    free(list->side);
}

// value += A B^T, A and B being dimension x dof
static void add_product(int dimension, int dof, const double *A, const double *B, double *value) {
    for (int i = 0; i < dimension; i++)
        for (int j = 0; j < dimension; j++) {
            double sum = 0;
            for (int k = 0; k < dof; k++) sum += A[i * dof + k] * B[j * dof + k];
            value[i * dimension + j] += sum;
        }
}

static int compare_ints(const void *a, const void *b) {
    int x = *(const int *)a, y = *(const int *)b;
    return (x > y) - (x < y);
}

void mrn_problem_assemble(MrnProblem *problem) {
    if (problem->delassus || !problem->bodies) return;
    size_t contacts = problem->contacts;
    int dimension = problem->dimension, dof = problem->dof, size = dimension * dimension;
    size_t half = (size_t)(dimension * dof);
    MrnBodyContacts list = mrn_body_contacts(problem);

    int *mark = mrn_alloc(contacts + 1, sizeof *mark); // position of a column in the current row, or the row's number
    for (size_t i = 0; i < contacts; i++) mark[i] = -1;
    size_t blocks = 0;
    for (size_t i = 0; i < contacts; i++) {
        mark[i] = (int)i, blocks++;
        for (int side = 0; side < 2; side++) {
            int body = problem->bodies[2 * i + (size_t)side];
            if (body < 0) continue;
            for (size_t k = list.start[body]; k < list.start[body + 1]; k++) {
                int j = list.side[k] / 2;
                if (mark[j] != (int)i) mark[j] = (int)i, blocks++;
            }
        }
    }
    MrnBlockMatrix *W = mrn_block_matrix_new(contacts, dimension, blocks);
    memset(W->value, 0, blocks * (size_t)size * sizeof *W->value);
    for (size_t i = 0; i < contacts; i++) mark[i] = -1;
    for (size_t i = 0; i < contacts; i++) {
        size_t begin = W->start[i], end = begin;
        mark[i] = (int)i, W->column[end++] = (int)i;
        for (int side = 0; side < 2; side++) {
            int body = problem->bodies[2 * i + (size_t)side];
            if (body < 0) continue;
            for (size_t k = list.start[body]; k < list.start[body + 1]; k++) {
                int j = list.side[k] / 2;
                if (mark[j] != (int)i) mark[j] = (int)i, W->column[end++] = j;
            }
        }
        qsort(W->column + begin, end - begin, sizeof *W->column, compare_ints);
        W->start[i + 1] = end;
    }
    for (size_t i = 0; i < contacts; i++) {
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++) mark[W->column[k]] = (int)(k - W->start[i]);
        for (int side = 0; side < 2; side++) {
            int body = problem->bodies[2 * i + (size_t)side];
            if (body < 0) continue;
            const double *own = problem->jacobian + (2 * i + (size_t)side) * half;
            for (size_t k = list.start[body]; k < list.start[body + 1]; k++) {
                size_t other = (size_t)list.side[k];
                double *value = W->value + (W->start[i] + (size_t)mark[other / 2]) * (size_t)size;
                add_product(dimension, dof, own, problem->jacobian + other * half, value);
            }
        }
    }
    free(mark);
    mrn_body_contacts_free(&list);
    problem->delassus = W;
}

void mrn_block_matrix_times(const MrnBlockMatrix *matrix, const double *x, const double *add, double *y) {
    int d = matrix->block;
    for (size_t i = 0; i < matrix->rows; i++) {
        const double *block = matrix->value + matrix->start[i] * (size_t)(d * d);
        double sum[3] = {0, 0, 0};
        if (d == 3) {
            for (size_t k = matrix->start[i]; k < matrix->start[i + 1]; k++, block += 9) {
                const double *z = x + 3 * (size_t)matrix->column[k];
                sum[0] += block[0] * z[0] + block[1] * z[1] + block[2] * z[2];
                sum[1] += block[3] * z[0] + block[4] * z[1] + block[5] * z[2];
                sum[2] += block[6] * z[0] + block[7] * z[1] + block[8] * z[2];
            }
        } else {
            for (size_t k = matrix->start[i]; k < matrix->start[i + 1]; k++, block += 4) {
                const double *z = x + 2 * (size_t)matrix->column[k];
                sum[0] += block[0] * z[0] + block[1] * z[1];
                sum[1] += block[2] * z[0] + block[3] * z[1];
            }
        }
        for (int r = 0; r < d; r++) y[(size_t)d * i + (size_t)r] = (add ? add[(size_t)d * i + (size_t)r] : 0) + sum[r];
    }
}

/// Call a kernel with sizes that the compiler knows, so that its short loops are unrolled.
#define WITH_SIZES(kernel, ...)                                                                                        \
    (problem->dimension == 3 && problem->dof == 6   ? kernel(3, 6, __VA_ARGS__)                                        \
     : problem->dimension == 2 && problem->dof == 3 ? kernel(2, 3, __VA_ARGS__)                                        \
                                                    : kernel(problem->dimension, problem->dof, __VA_ARGS__))

static inline __attribute__((always_inline)) void body_velocity_of(int dimension, int dof, const MrnProblem *problem,
                                                                   const double *impulse, double *body_velocity) {
    size_t half = (size_t)(dimension * dof);
    memset(body_velocity, 0, problem->body_count * (size_t)dof * sizeof(double));
    for (size_t s = 0; s < 2 * problem->contacts; s++) {
        if (problem->bodies[s] < 0) continue;
        const double *H = problem->jacobian + s * half, *p = impulse + (size_t)dimension * (s / 2);
        double *v = body_velocity + (size_t)dof * (size_t)problem->bodies[s];
        for (int r = 0; r < dimension; r++)
            for (int k = 0; k < dof; k++) v[k] += H[r * dof + k] * p[r];
    }
}

void mrn_problem_body_velocity(const MrnProblem *problem, const double *impulse, double *body_velocity) {
    WITH_SIZES(body_velocity_of, problem, impulse, body_velocity);
}

static inline __attribute__((always_inline)) void contact_velocity_of(int dimension, int dof, const MrnProblem *problem,
                                                                      const double *body_velocity, const double *add,
                                                                      double *velocity) {
    size_t half = (size_t)(dimension * dof);
    for (size_t i = 0; i < problem->contacts; i++) {
        double *u = velocity + (size_t)dimension * i;
        for (int r = 0; r < dimension; r++) u[r] = add ? add[(size_t)dimension * i + (size_t)r] : 0;
        for (size_t s = 2 * i; s < 2 * i + 2; s++) {
            if (problem->bodies[s] < 0) continue;
            const double *H = problem->jacobian + s * half,
                         *v = body_velocity + (size_t)dof * (size_t)problem->bodies[s];
            for (int r = 0; r < dimension; r++) {
                double sum = 0;
                for (int k = 0; k < dof; k++) sum += H[r * dof + k] * v[k];
                u[r] += sum;
            }
        }
    }
}

void mrn_problem_contact_velocity(const MrnProblem *problem, const double *body_velocity, const double *add,
                                  double *velocity) {
    WITH_SIZES(contact_velocity_of, problem, body_velocity, add, velocity);
}

void mrn_problem_velocity(MrnProblem *problem, const double *impulse, double *velocity) {
    if (problem->delassus) {
        mrn_block_matrix_times(problem->delassus, impulse, problem->free_velocity, velocity);
    } else if (problem->bodies) {
        double *body_velocity = mrn_alloc(problem->body_count * (size_t)problem->dof + 1, sizeof *body_velocity);
        mrn_problem_body_velocity(problem, impulse, body_velocity);
        mrn_problem_contact_velocity(problem, body_velocity, problem->free_velocity, velocity);
        free(body_velocity);
    } else {
        memcpy(velocity, problem->free_velocity, (size_t)problem->dimension * problem->contacts * sizeof(double));
    }
}

void mrn_problem_diagonal(const MrnProblem *problem, size_t contact, double *block) {
    int d = problem->dimension, dof = problem->dof;
    memset(block, 0, (size_t)(d * d) * sizeof *block);
    if (problem->delassus) {
        const MrnBlockMatrix *W = problem->delassus;
        size_t low = W->start[contact], high = W->start[contact + 1];
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (W->column[middle] < (int)contact)
                low = middle + 1;
            else
                high = middle;
        }
        if (low < W->start[contact + 1] && W->column[low] == (int)contact)
            memcpy(block, W->value + low * (size_t)(d * d), (size_t)(d * d) * sizeof *block);
    } else if (problem->bodies) {
        for (size_t s = 2 * contact; s < 2 * contact + 2; s++) {
            if (problem->bodies[s] < 0) continue;
            const double *H = problem->jacobian + s * (size_t)(d * dof);
            add_product(d, dof, H, H, block);
        }
        // A contact of a body with itself couples its two sides.
        if (problem->bodies[2 * contact] >= 0 && problem->bodies[2 * contact] == problem->bodies[2 * contact + 1]) {
            const double *H = problem->jacobian + 2 * contact * (size_t)(d * dof);
            add_product(d, dof, H, H + d * dof, block);
            add_product(d, dof, H + d * dof, H, block);
        }
    }
}

/// Trace of the diagonal block of a contact between different bodies, as mrn_problem_diagonal gives it.
static inline __attribute__((always_inline)) double own_trace(int dimension, int dof, const MrnProblem *problem,
                                                              size_t contact) {
    double diagonal[3] = {0, 0, 0}, trace = 0;
    for (size_t s = 2 * contact; s < 2 * contact + 2; s++) {
        if (problem->bodies[s] < 0) continue;
        const double *H = problem->jacobian + s * (size_t)(dimension * dof);
        for (int r = 0; r < dimension; r++) {
            double sum = 0;
            for (int k = 0; k < dof; k++) sum += H[r * dof + k] * H[r * dof + k];
            diagonal[r] += sum;
        }
    }
    for (int r = 0; r < dimension; r++) trace += diagonal[r];
    return trace;
}

double mrn_problem_mean_diagonal(const MrnProblem *problem) {
    if (!problem->contacts) return 0;
    int d = problem->dimension;
    double sum = 0, block[9];
    if (problem->delassus) {
        const MrnBlockMatrix *W = problem->delassus;
        for (size_t i = 0; i < W->rows; i++)
            for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
                if (W->column[k] == (int)i)
                    for (int r = 0; r < d; r++) sum += W->value[k * (size_t)(d * d) + (size_t)(r * (d + 1))];
    } else {
        for (size_t i = 0; i < problem->contacts; i++) {
            if (problem->bodies && problem->bodies[2 * i] != problem->bodies[2 * i + 1]) {
                sum += WITH_SIZES(own_trace, problem, i);
                continue;
            }
            mrn_problem_diagonal(problem, i, block);
            for (int r = 0; r < d; r++) sum += block[r * (d + 1)];
        }
    }
    return sum / ((double)d * (double)problem->contacts);
}
