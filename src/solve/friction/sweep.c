// Gauss-Seidel sweeps over an assembled problem with exact one-contact solves.
//
// Contact i sees b = q_i + sum over j != i of W_ij p_j, and takes the p_i that its law gives. Every p_i left behind
// lies on its cone. Prepared sweeps keep, for each contact, the inverse of its diagonal block and where it slid last,
// so that sticking needs no division and sliding begins next to its solution.
#include "solve/friction/sweep.h"

#include "base/simd.h"
#include "problem/problem.h"
#include "solve/friction/common.h"
#include "solve/friction/exact.h"
#include "solve/friction/local.h"

#include <math.h>
#include <string.h>

void mrn_sweep_init(MrnSweep *sweep, const MrnProblem *problem, MrnArena *arena) {
    const MrnBlockMatrix *W = problem->delassus;
    sweep->problem = problem;
    sweep->local = sweep->room = NULL;
    sweep->scale = mrn_problem_mean_diagonal(problem, NULL);
    sweep->diagonal = mrn_arena_take(arena, problem->contacts + 1, sizeof *sweep->diagonal);
    for (size_t i = 0; i < W->rows; i++)
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
            if (W->column[k] == (int)i) sweep->diagonal[i] = k;
}

// Solve W p = -b for a symmetric 3x3 or 2x2 block; a singular direction is left out.
static void solve_block(int d, const double *W, const double *b, double *p) {
    double A[9], y[3] = {0, 0, 0}, trace = 0;
    memcpy(A, W, (size_t)(d * d) * sizeof *A);
    for (int k = 0; k < d; k++) trace += A[k * (d + 1)];
    // LDL^T with the small pivots dropped
    for (int k = 0; k < d; k++) {
        y[k] = -b[k];
        for (int j = 0; j < k; j++) y[k] -= A[k * d + j] * y[j];
        double pivot = A[k * (d + 1)];
        bool dropped = !(pivot > 1e-13 * trace);
        for (int i = k + 1; i < d; i++) {
            double factor = dropped ? 0 : A[i * d + k] / pivot;
            for (int j = k + 1; j < d; j++) A[i * d + j] -= factor * A[k * d + j];
            A[i * d + k] = factor;
        }
        if (dropped) A[k * (d + 1)] = 0;
    }
    for (int k = d - 1; k >= 0; k--) {
        p[k] = A[k * (d + 1)] > 0 ? y[k] / A[k * (d + 1)] : 0;
        for (int i = k + 1; i < d; i++) p[k] -= A[i * d + k] * p[i];
    }
}

// A rolling couple: minimise p.Wp/2 + b.p over the disc |p| <= radius.
static void solve_rolling(int d, const double *W, const double *b, double radius, double *p) {
    solve_block(d, W, b, p);
    double norm = 0;
    for (int k = 0; k < d; k++) norm += p[k] * p[k];
    if (norm <= radius * radius) return;
    // p = -(W + s I)^-1 b with |p| = radius: |p| falls with s, so bisect between 0 and |b|/radius.
    double b2 = 0;
    for (int k = 0; k < d; k++) b2 += b[k] * b[k];
    if (radius <= 0) {
        for (int k = 0; k < d; k++) p[k] = 0;
        return;
    }
    double low = 0, high = sqrt(b2) / radius;
    for (int turn = 0; turn < 200; turn++) {
        double s = 0.5 * (low + high), A[9];
        if (s <= low || s >= high) break;
        memcpy(A, W, (size_t)(d * d) * sizeof *A);
        for (int k = 0; k < d; k++) A[k * (d + 1)] += s;
        solve_block(d, A, b, p);
        norm = 0;
        for (int k = 0; k < d; k++) norm += p[k] * p[k];
        if (norm > radius * radius)
            low = s;
        else
            high = s;
    }
    norm = sqrt(norm);
    if (norm > radius)
        for (int k = 0; k < d; k++) p[k] *= radius / norm;
}

static inline void update(const MrnSweep *sweep, size_t i, double relaxation, double *impulse) {
    const MrnProblem *problem = sweep->problem;
    const MrnBlockMatrix *W = problem->delassus;
    int d = W->block;
    size_t own = sweep->diagonal[i];
    double b[3] = {0, 0, 0}, fresh[3] = {0, 0, 0};
    const double *D = W->value + own * (size_t)(d * d), *block = W->value + W->start[i] * (size_t)(d * d);
    for (int k = 0; k < d; k++) b[k] = problem->free_velocity[(size_t)d * i + (size_t)k];
    if (d == 3) {
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++, block += 9) {
            if (k == own) continue;
            const double *z = impulse + 3 * (size_t)W->column[k];
            b[0] += block[0] * z[0] + block[1] * z[1] + block[2] * z[2];
            b[1] += block[3] * z[0] + block[4] * z[1] + block[5] * z[2];
            b[2] += block[6] * z[0] + block[7] * z[1] + block[8] * z[2];
        }
    } else {
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++, block += 4) {
            if (k == own) continue;
            const double *z = impulse + 2 * (size_t)W->column[k];
            b[0] += block[0] * z[0] + block[1] * z[1];
            b[1] += block[2] * z[0] + block[3] * z[1];
        }
    }
    double mu = problem->friction[i], *p = impulse + (size_t)d * i;
    int law = problem->law ? problem->law[i] : MRN_LAW_COULOMB;
    if (law == MRN_LAW_ELLIPTIC && d == 2) law = MRN_LAW_COULOMB;
    if (law == MRN_LAW_BILATERAL) {
        solve_block(d, D, b, fresh);
    } else if (law == MRN_LAW_ROLLING) {
        solve_rolling(d, D, b, mu * fmax(impulse[(size_t)d * (size_t)problem->parent[i]], 0), fresh);
    } else if (!(D[0] > 0)) {
        // nothing can push this contact apart
    } else if (law == MRN_LAW_ELLIPTIC) {
        // With tangential components divided by their coefficients the ellipse is a circle with mu = 1.
        double T[3] = {1, mu, problem->friction2[i]}, scaled[9], c[3];
        for (int r = 0; r < 3; r++) {
            c[r] = T[r] * b[r];
            for (int k = 0; k < 3; k++) scaled[3 * r + k] = T[r] * T[k] * D[3 * r + k];
        }
        mrn_exact_3d(scaled, c, 1, fresh);
        for (int r = 0; r < 3; r++) fresh[r] *= T[r];
    } else if (d == 3) {
        mrn_exact_3d(D, b, mu, fresh);
    } else {
        mrn_exact_2d(D, b, mu, fresh);
    }
    if (relaxation != 1) {
        for (int k = 0; k < d; k++) fresh[k] = p[k] + relaxation * (fresh[k] - p[k]);
        if (law == MRN_LAW_COULOMB) mrn_project_cone(d, mu, fresh);
    }
    for (int k = 0; k < d; k++) p[k] = fresh[k];
}

void mrn_sweep_forward(const MrnSweep *sweep, double relaxation, double *impulse) {
    for (size_t i = 0; i < sweep->problem->contacts; i++) update(sweep, i, relaxation, impulse);
}

// Kept for a contact: the inverse of its block (zeros where that is singular), then in space the s of its last slip.
#define KEPT_2D 4
#define KEPT_3D 10
#define ROOM_3D 4 ///< numbers for an impulse in space while a sweep runs: one vector, written and read as such

void mrn_sweep_prepare(MrnSweep *sweep, MrnArena *arena) {
    const MrnProblem *problem = sweep->problem;
    size_t d = (size_t)problem->dimension, kept = d == 3 ? KEPT_3D : KEPT_2D;
    if (!sweep->local) {
        sweep->local = mrn_arena_take(arena, kept * problem->contacts + 1, sizeof(double));
        sweep->room = mrn_arena_take(arena, ROOM_3D * problem->contacts + 1, sizeof(double));
    }
    for (size_t i = 0; i < problem->contacts; i++) {
        const double *D = problem->delassus->value + sweep->diagonal[i] * d * d;
        double *inverse = sweep->local + kept * i, trace = 0, columns[9];
        for (size_t k = 0; k < d; k++) trace += D[k * (d + 1)];
        for (size_t c = 0; c < d; c++) {
            double unit[3] = {0, 0, 0};
            unit[c] = -1;
            solve_block((int)d, D, unit, columns + d * c);
        }
        bool regular = trace > 0;
        for (size_t k = 0; k < d; k++) regular &= columns[k * (d + 1)] > 0 && columns[k * (d + 1)] < 1e13 / trace;
        for (size_t k = 0; k < d * d; k++) inverse[k] = regular ? columns[k % d * d + k / d] : 0;
        if (d == 3) inverse[9] = 0;
    }
}

// Row i of W without its diagonal block times p, plus q. Rows of blocks are read four numbers at a time, and the one
// that is no part of the row is dropped.
MRN_INLINE void others_3d(const MrnBlockMatrix *W, size_t i, size_t own, const double *q, const double *impulse,
                          double *b) {
    MrnHalf row[3] = {{0}, {0}, {0}};
    const size_t part[2] = {W->start[i], own + 1}, end[2] = {own, W->start[i + 1]};
    for (int side = 0; side < 2; side++)
        for (size_t k = part[side]; k < end[side]; k++) {
            const double *block = W->value + 9 * k;
            MrnHalf z = mrn_half_load(impulse + ROOM_3D * (size_t)W->column[k]);
            row[0] += mrn_half_load(block) * z;
            row[1] += mrn_half_load(block + 3) * z;
            row[2] += mrn_half_load(block + 5) * __builtin_shufflevector(z, z, 3, 0, 1, 2);
        }
    for (int r = 0; r < 2; r++) b[r] = q[r] + ((row[r][0] + row[r][1]) + row[r][2]);
    b[2] = q[2] + ((row[2][1] + row[2][2]) + row[2][3]);
}

MRN_INLINE void others_2d(const MrnBlockMatrix *W, size_t i, size_t own, const double *q, const double *impulse,
                          double *b) {
    MrnHalf rows = {0};
    const size_t part[2] = {W->start[i], own + 1}, end[2] = {own, W->start[i + 1]};
    for (int side = 0; side < 2; side++)
        for (size_t k = part[side]; k < end[side]; k++) {
            const double *z = impulse + 2 * (size_t)W->column[k];
            rows += mrn_half_load(W->value + 4 * k) * (MrnHalf){z[0], z[1], z[0], z[1]};
        }
    b[0] = q[0] + (rows[0] + rows[1]), b[1] = q[1] + (rows[2] + rows[3]);
}

MRN_INLINE void contact_3d(const double *D, const double *b, double mu, double *kept, double *p) {
    if (b[0] >= 0 || !(D[0] > 0)) {
        p[0] = p[1] = p[2] = 0;
        return;
    }
    double n = -(kept[0] * b[0] + kept[1] * b[1] + kept[2] * b[2]);
    double t1 = -(kept[3] * b[0] + kept[4] * b[1] + kept[5] * b[2]);
    double t2 = -(kept[6] * b[0] + kept[7] * b[1] + kept[8] * b[2]);
    if (n > 0 && t1 * t1 + t2 * t2 <= mu * mu * n * n) {
        p[0] = n, p[1] = t1, p[2] = t2;
        return;
    }
    MrnSliding sliding = mrn_sliding(D, b);
    p[0] = -b[0] * sliding.inverse, p[1] = p[2] = 0;
    if (mu > 0) kept[9] = mrn_slide_3d(&sliding, b[0], mu, kept[9], p);
}

MRN_INLINE void contact_2d(const double *D, const double *b, double mu, const double *kept, double *p) {
    double n = -(kept[0] * b[0] + kept[1] * b[1]), t = -(kept[2] * b[0] + kept[3] * b[1]);
    if (b[0] >= 0 || !(D[0] > 0))
        p[0] = p[1] = 0;
    else if (n > 0 && fabs(t) <= mu * n)
        p[0] = n, p[1] = t;
    else
        mrn_exact_2d(D, b, mu, p);
}

// A number stored alone and loaded as part of a vector would wait for the cache: contacts often follow their
// neighbours, so impulses have rooms of their own here.
MRN_KERNEL static double sweep_3d(const MrnSweep *sweep, const double *previous, double *impulse, double *along) {
    const MrnProblem *problem = sweep->problem;
    const MrnBlockMatrix *W = problem->delassus;
    MrnHalf change = {0}, turned = {0};
    double *room = sweep->room;
    for (size_t i = 0; i < problem->contacts; i++)
        mrn_half_store(room + ROOM_3D * i, (MrnHalf){impulse[3 * i], impulse[3 * i + 1], impulse[3 * i + 2], 0});
    for (size_t i = 0; i < problem->contacts; i++) {
        size_t own = sweep->diagonal[i];
        const double *before = previous + 3 * i;
        double b[3], p[3];
        others_3d(W, i, own, problem->free_velocity + 3 * i, room, b);
        contact_3d(W->value + 9 * own, b, problem->friction[i], sweep->local + KEPT_3D * i, p);
        MrnHalf fresh = {p[0], p[1], p[2], 0}, step = fresh - mrn_half_load(room + ROOM_3D * i);
        change += step * step, turned += step * (fresh - (MrnHalf){before[0], before[1], before[2], 0});
        mrn_half_store(room + ROOM_3D * i, fresh);
    }
    for (size_t i = 0; i < problem->contacts; i++)
        for (size_t k = 0; k < 3; k++) impulse[3 * i + k] = room[ROOM_3D * i + k];
    *along = turned[0] + turned[1] + turned[2];
    return change[0] + change[1] + change[2];
}

MRN_KERNEL static double sweep_2d(const MrnSweep *sweep, const double *previous, double *impulse, double *along) {
    const MrnProblem *problem = sweep->problem;
    const MrnBlockMatrix *W = problem->delassus;
    double change = 0, turned = 0;
    for (size_t i = 0; i < problem->contacts; i++) {
        size_t own = sweep->diagonal[i];
        double b[2], fresh[2], *p = impulse + 2 * i;
        others_2d(W, i, own, problem->free_velocity + 2 * i, impulse, b);
        contact_2d(W->value + 4 * own, b, problem->friction[i], sweep->local + KEPT_2D * i, fresh);
        for (size_t k = 0; k < 2; k++) {
            double step = fresh[k] - p[k];
            change += step * step, turned += step * (fresh[k] - previous[2 * i + k]);
            p[k] = fresh[k];
        }
    }
    *along = turned;
    return change;
}

double mrn_sweep_measured(const MrnSweep *sweep, const double *previous, double *impulse, double *along) {
    size_t d = (size_t)sweep->problem->dimension;
    double change = 0;
    if (sweep->local) return (d == 3 ? sweep_3d : sweep_2d)(sweep, previous, impulse, along);
    *along = 0;
    for (size_t i = 0; i < sweep->problem->contacts; i++) {
        double *p = impulse + d * i, old[3] = {p[0], p[1], p[d - 1]};
        update(sweep, i, 1, impulse);
        for (size_t k = 0; k < d; k++) {
            double step = p[k] - old[k];
            change += step * step, *along += step * (p[k] - previous[d * i + k]);
        }
    }
    return change;
}

#define PLAIN_FIRST 5   ///< sweeps without momentum until their change shows their speed
#define PLAIN_SPAN  60  ///< sweeps over which that is measured
#define PLAIN_QUICK 0.6 ///< fall of the change over them that is worth going on without momentum
#define LITTLE_GAIN 0.8 ///< fall of the least change from growth to growth: momentum may do more harm than good
#define PATIENCE    3   ///< growths with so little gain before sweeps without momentum are tried
#define FULL_ROWS   12  ///< blocks in a row of W, on average, above which they are: balls and discs have fewer

void mrn_momentum_restart(MrnMomentum *momentum) {
    *momentum = (MrnMomentum){.theta = 1, .least_change = INFINITY, .past_least = INFINITY, .patience = PATIENCE};
}

// A sweep without momentum has been done: are there to be more?
static void judge_plain(MrnMomentum *momentum, double change) {
    momentum->plain_sweeps++;
    if (momentum->plain_sweeps == PLAIN_FIRST) momentum->plain_change = change;
    if (momentum->plain_sweeps < PLAIN_FIRST + PLAIN_SPAN) return;
    bool quick = change < PLAIN_QUICK * momentum->plain_change;
    int patience = quick ? PATIENCE : 2 * momentum->patience;
    if (!quick) mrn_momentum_restart(momentum);
    momentum->patience = patience;
    momentum->plain_change = change;
    momentum->plain_sweeps = quick ? PLAIN_FIRST : 0;
}

// The factor of the motion that the next sweep begins ahead by.
static double extrapolation(MrnMomentum *momentum, const MrnBlockMatrix *W, double change, double along) {
    if (momentum->plain_sweeps > 0) judge_plain(momentum, change);
    if (momentum->plain_sweeps > 0) return 0;
    bool growth = change > 1.5 * momentum->least_change;
    if (growth) {
        momentum->losses += momentum->least_change > LITTLE_GAIN * momentum->past_least;
        momentum->past_least = momentum->least_change;
        if (momentum->losses >= momentum->patience && W->start[W->rows] > FULL_ROWS * W->rows) {
            momentum->plain_sweeps = 1;
            return 0;
        }
    }
    if (growth || along < 0) momentum->theta = 1, momentum->least_change = change;
    momentum->least_change = fmin(momentum->least_change, change);
    double theta = 0.5 * (1 + sqrt(1 + 4 * momentum->theta * momentum->theta)), factor = (momentum->theta - 1) / theta;
    momentum->theta = theta;
    return factor;
}

void mrn_momentum_extrapolate(MrnMomentum *momentum, const MrnProblem *problem, double change, double along,
                              double *previous, double *point) {
    double factor = extrapolation(momentum, problem->delassus, change, along);
    for (size_t k = 0; k < (size_t)problem->dimension * problem->contacts; k++) {
        double s = point[k];
        point[k] = s + factor * (s - previous[k]);
        previous[k] = s;
    }
    if (factor > 0) mrn_project_cones(problem, point);
}
