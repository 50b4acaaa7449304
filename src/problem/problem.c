// One-step problems: creation, the operator u = W p + q, and the assembled Delassus matrix.
//
// W = H M^-1 H^T couples two contacts exactly when they share a body with mass. In the factored form the Jacobians are
// already scaled by M^(-1/2), so W_ij is the sum over shared bodies of H~_i H~_j^T. Block columns always ascend in a
// row.
//
// In the round form, with a = 1/sqrt(m), b = arm/sqrt(I) and P the impulse in space, H~^T p is (a P, -b n x P) for A
// and
// (-a P, -b n x P) for B, and H~ v~ is the frame times a_A v_A - a_B v_B + n x (b_A w_A + b_B w_B).
//
// What always holds: results do not depend on the number of threads. A body's impulses are added in the order of its
// contacts, and sums over contacts are made in blocks and added in the order of the blocks.
#include "problem/problem.h"

#include "base/memory.h"
#include "base/vec.h"

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
    free(problem->normal);
    free(problem->lever);
    free(problem->inverse_root_mass);
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

static inline __attribute__((always_inline)) void frame_of(int dimension, const MrnProblem *problem, size_t contact,
                                                           double *frame) {
    const double *n = problem->normal + (size_t)dimension * contact;
    if (dimension == 2) {
        frame[0] = n[0], frame[1] = n[1];
        frame[2] = -n[1], frame[3] = n[0];
    } else {
        MrnVec3 t1, t2;
        mrn_tangents3(mrn_load3(n), &t1, &t2);
        memcpy(frame, n, 3 * sizeof *n);
        mrn_store3(frame + 3, t1);
        mrn_store3(frame + 6, t2);
    }
}

void mrn_problem_frame(const MrnProblem *problem, size_t contact, double *frame) {
    frame_of(problem->dimension, problem, contact, frame);
}

const double *mrn_problem_rows(const MrnProblem *problem, size_t side, double *buffer) {
    size_t d = (size_t)problem->dimension, dof = (size_t)problem->dof;
    if (problem->jacobian) return problem->jacobian + side * d * dof;
    double frame[9], a = problem->inverse_root_mass[problem->bodies[side]], b = problem->lever[side];
    frame_of(problem->dimension, problem, side / 2, frame);
    memset(buffer, 0, d * dof * sizeof *buffer);
    for (size_t r = 0; r < d; r++)
        for (size_t k = 0; k < d; k++) buffer[r * dof + k] = (side % 2 == 0 ? a : -a) * frame[r * d + k];
    if (d == 2)
        buffer[dof + 2] = -b;
    else
        for (size_t k = 0; k < 3; k++) {
            buffer[dof + 3 + k] = -b * frame[6 + k];
            buffer[2 * dof + 3 + k] = b * frame[3 + k];
        }
    return buffer;
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
            double buffer[2][18];
            const double *own = mrn_problem_rows(problem, 2 * i + (size_t)side, buffer[0]);
            for (size_t k = list.start[body]; k < list.start[body + 1]; k++) {
                size_t other = (size_t)list.side[k];
                double *value = W->value + (W->start[i] + (size_t)mark[other / 2]) * (size_t)size;
                add_product(dimension, dof, own, mrn_problem_rows(problem, other, buffer[1]), value);
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
#define KERNEL static inline __attribute__((always_inline))

/// Contacts per block of a sum, and the least number that is worth a second thread.
#define BLOCK 256

typedef struct Job {
    const MrnProblem *problem;
    const double *impulse, *add;
    double *body_velocity, *velocity;
    double *sums; ///< per block
} Job;

/// out = n x s: of vectors in space; in the plane s is one number along the third axis.
KERNEL void cross_spin(int dimension, const double *n, const double *s, double *out) {
    if (dimension == 2)
        out[0] = n[1] * s[0], out[1] = -n[0] * s[0];
    else {
        out[0] = n[1] * s[2] - n[2] * s[1];
        out[1] = n[2] * s[0] - n[0] * s[2];
        out[2] = n[0] * s[1] - n[1] * s[0];
    }
}

/// The impulses of one contact on its bodies in the round form; bodies outside [begin, end) are left alone.
KERNEL void push_round(int d, int dof, const MrnProblem *problem, size_t contact, const double *impulse, int begin,
                       int end, double *body_velocity) {
    const double *n = problem->normal + (size_t)d * contact;
    double frame[9], P[3] = {0, 0, 0}, turn[3];
    frame_of(d, problem, contact, frame);
    for (int r = 0; r < d; r++)
        for (int k = 0; k < d; k++) P[k] += impulse[r] * frame[r * d + k];
    if (d == 2)
        turn[0] = n[0] * P[1] - n[1] * P[0];
    else
        cross_spin(d, n, P, turn);
    for (size_t side = 0; side < 2; side++) {
        int body = problem->bodies[2 * contact + side];
        if (body < begin || body >= end) continue;
        double a = problem->inverse_root_mass[body], b = problem->lever[2 * contact + side];
        double *v = body_velocity + (size_t)dof * (size_t)body;
        if (side) a = -a;
        for (int k = 0; k < d; k++) v[k] += a * P[k];
        for (int k = d; k < dof; k++) v[k] -= b * turn[k - d];
    }
}

/// v~ of bodies [begin, end). Every thread walks over all contacts and serves its own bodies, so that a body's impulses
/// are added in the order of its contacts.
KERNEL void push_bodies(int dimension, int dof, const Job *job, size_t begin, size_t end) {
    const MrnProblem *problem = job->problem;
    size_t half = (size_t)(dimension * dof);
    int first = (int)begin, last = (int)end;
    memset(job->body_velocity + begin * (size_t)dof, 0, (end - begin) * (size_t)dof * sizeof(double));
    for (size_t c = 0; c < problem->contacts; c++) {
        const int *body = problem->bodies + 2 * c;
        const double *p = job->impulse + (size_t)dimension * c;
        if ((body[0] < first || body[0] >= last) && (body[1] < first || body[1] >= last)) continue;
        if (!problem->jacobian) {
            push_round(dimension, dof, problem, c, p, first, last, job->body_velocity);
            continue;
        }
        for (size_t s = 2 * c; s < 2 * c + 2; s++) {
            if (problem->bodies[s] < first || problem->bodies[s] >= last) continue;
            const double *H = problem->jacobian + s * half;
            double *v = job->body_velocity + (size_t)dof * (size_t)problem->bodies[s];
            for (int r = 0; r < dimension; r++)
                for (int k = 0; k < dof; k++) v[k] += H[r * dof + k] * p[r];
        }
    }
}

static void push_range(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    const MrnProblem *problem = ((Job *)context)->problem;
    WITH_SIZES(push_bodies, context, begin, end);
}

void mrn_problem_body_velocity(const MrnProblem *problem, const double *impulse, double *body_velocity,
                               MrnThreads *threads) {
    Job job = {.problem = problem, .impulse = impulse, .body_velocity = body_velocity};
    mrn_threads_for(threads, problem->body_count, 2 * BLOCK, push_range, &job);
}

/// u += H~ v~ of one contact in the round form.
KERNEL void round_velocity(int d, int dof, const MrnProblem *problem, size_t contact, const double *body_velocity,
                           double *u) {
    double frame[9], U[3] = {0, 0, 0}, spin[3] = {0, 0, 0}, rolling[3] = {0, 0, 0};
    for (size_t side = 0; side < 2; side++) {
        int body = problem->bodies[2 * contact + side];
        if (body < 0) continue;
        double a = problem->inverse_root_mass[body], b = problem->lever[2 * contact + side];
        const double *v = body_velocity + (size_t)dof * (size_t)body;
        if (side) a = -a;
        for (int k = 0; k < d; k++) U[k] += a * v[k];
        for (int k = d; k < dof; k++) spin[k - d] += b * v[k];
    }
    cross_spin(d, problem->normal + (size_t)d * contact, spin, rolling);
    frame_of(d, problem, contact, frame);
    for (int r = 0; r < d; r++)
        for (int k = 0; k < d; k++) u[r] += frame[r * d + k] * (U[k] + rolling[k]);
}

KERNEL void contact_velocities(int dimension, int dof, const Job *job, size_t begin, size_t end) {
    const MrnProblem *problem = job->problem;
    size_t half = (size_t)(dimension * dof);
    for (size_t i = begin; i < end; i++) {
        double *u = job->velocity + (size_t)dimension * i;
        for (int r = 0; r < dimension; r++) u[r] = job->add ? job->add[(size_t)dimension * i + (size_t)r] : 0;
        if (!problem->jacobian) {
            round_velocity(dimension, dof, problem, i, job->body_velocity, u);
            continue;
        }
        for (size_t s = 2 * i; s < 2 * i + 2; s++) {
            if (problem->bodies[s] < 0) continue;
            const double *H = problem->jacobian + s * half,
                         *v = job->body_velocity + (size_t)dof * (size_t)problem->bodies[s];
            for (int r = 0; r < dimension; r++) {
                double sum = 0;
                for (int k = 0; k < dof; k++) sum += H[r * dof + k] * v[k];
                u[r] += sum;
            }
        }
    }
}

static void velocity_range(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    const MrnProblem *problem = ((Job *)context)->problem;
    WITH_SIZES(contact_velocities, context, begin, end);
}

void mrn_problem_contact_velocity(const MrnProblem *problem, const double *body_velocity, const double *add,
                                  double *velocity, MrnThreads *threads) {
    // Only read: the pointer is shared with the job that computes body velocities.
    Job job = {.problem = problem, .add = add, .body_velocity = (double *)body_velocity, .velocity = velocity};
    mrn_threads_for(threads, problem->contacts, BLOCK, velocity_range, &job);
}

void mrn_problem_velocity_on(const MrnProblem *problem, const double *impulse, double *velocity, MrnThreads *threads,
                             MrnArena *arena) {
    if (problem->delassus) {
        mrn_block_matrix_times(problem->delassus, impulse, problem->free_velocity, velocity);
    } else if (problem->bodies) {
        MrnArenaMark mark = mrn_arena_mark(arena);
        double *body_velocity = mrn_arena_take(arena, problem->body_count * (size_t)problem->dof, sizeof(double));
        mrn_problem_body_velocity(problem, impulse, body_velocity, threads);
        mrn_problem_contact_velocity(problem, body_velocity, problem->free_velocity, velocity, threads);
        mrn_arena_release(arena, mark);
    } else {
        memcpy(velocity, problem->free_velocity, (size_t)problem->dimension * problem->contacts * sizeof(double));
    }
}

void mrn_problem_velocity(MrnProblem *problem, const double *impulse, double *velocity) {
    MrnArena own = {0};
    mrn_problem_velocity_on(problem, impulse, velocity, NULL, &own);
    mrn_arena_free(&own);
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
            double buffer[18];
            const double *H = mrn_problem_rows(problem, s, buffer);
            add_product(d, dof, H, H, block);
        }
        // A contact of a body with itself couples its two sides.
        if (problem->bodies[2 * contact] >= 0 && problem->bodies[2 * contact] == problem->bodies[2 * contact + 1]) {
            double buffer[2][18];
            const double *H = mrn_problem_rows(problem, 2 * contact, buffer[0]),
                         *G = mrn_problem_rows(problem, 2 * contact + 1, buffer[1]);
            add_product(d, dof, H, G, block);
            add_product(d, dof, G, H, block);
        }
    }
}

/// Trace of the diagonal block of a contact between different bodies, as mrn_problem_diagonal gives it.
KERNEL double own_trace(int dimension, int dof, const MrnProblem *problem, size_t contact) {
    double diagonal[3] = {0, 0, 0}, trace = 0;
    for (size_t s = 2 * contact; s < 2 * contact + 2; s++) {
        int body = problem->bodies[s];
        if (body < 0) continue;
        if (!problem->jacobian) {
            double a = problem->inverse_root_mass[body], b = problem->lever[s];
            trace += dimension * a * a + (dimension - 1) * b * b;
            continue;
        }
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

static void trace_blocks(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    const Job *job = context;
    const MrnProblem *problem = job->problem;
    for (size_t block = begin; block < end; block++) {
        job->sums[block] = 0;
        for (size_t i = block * BLOCK; i < (block + 1) * BLOCK && i < problem->contacts; i++) {
            if (problem->bodies && problem->bodies[2 * i] != problem->bodies[2 * i + 1]) {
                job->sums[block] += WITH_SIZES(own_trace, problem, i);
                continue;
            }
            double own[9];
            mrn_problem_diagonal(problem, i, own);
            for (int r = 0; r < problem->dimension; r++) job->sums[block] += own[r * (problem->dimension + 1)];
        }
    }
}

double mrn_problem_mean_diagonal(const MrnProblem *problem, MrnThreads *threads) {
    if (!problem->contacts) return 0;
    int d = problem->dimension;
    double sum = 0;
    if (problem->delassus) {
        const MrnBlockMatrix *W = problem->delassus;
        for (size_t i = 0; i < W->rows; i++)
            for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
                if (W->column[k] == (int)i)
                    for (int r = 0; r < d; r++) sum += W->value[k * (size_t)(d * d) + (size_t)(r * (d + 1))];
    } else {
        size_t blocks = (problem->contacts + BLOCK - 1) / BLOCK;
        Job job = {.problem = problem, .sums = mrn_alloc(blocks, sizeof(double))};
        mrn_threads_for(threads, blocks, 2, trace_blocks, &job);
        for (size_t k = 0; k < blocks; k++) sum += job.sums[k];
        free(job.sums);
    }
    return sum / ((double)d * (double)problem->contacts);
}
