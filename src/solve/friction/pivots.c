// Proximal steps by pivots.
//
// The problem around the anchor a, with W + s and q - s a in place of W and q, is solved along a path of problems of
// which the first has the solution a: with ũ the velocity closest to u = W a + q that obeys Coulomb's law together with
// a, and the defect r = u - ũ, u' = (W + s) p + q - s a - (1 - m) r obeys it for p = a where m = 0, and is that of the
// proximal step where m = 1. Between two changes of status the impulses are linear in m:
//   stick: (W + s) dp + r dm = 0 in all rows,   slip: the same in the normal row, dp_t = mu t dp_n,   open: dp = 0.
// At a change one equation is exchanged for another; the direction in which m goes on is the one in which the contact
// moves into its new status, so that paths turn where friction has given some mode a negative stiffness (Lemke 1965 for
// one covering vector; here the shift, and a new anchor for every step, keep paths short). Newton's method takes
// several changes at once, fails where they depend on each other, and pays a factorisation for each attempt; a pivot
// pays one solution with the factors: with x = J0^-1 b0 + sum c_k J0^-1 e_k over the exchanged equations k, the c_k
// follow from these equations alone.
//
// In space a sliding contact turns: with t = p_t/|p_t|, t' across it and u_t = -v t, dp_t = mu t dp_n + t' dy and
//   t'.((W + s) dp + r dm)_t + (v / mu p_n) dy = 0,
// its direction as seen from the anchor. What paths are off by, since they are straight, is second order in the angle:
// it is part of the defect of the next step. A contact that has just closed keeps the direction in which it closed.
#include "base/dim.h"
#include "solve/friction/pivots.h"

#include "base/clock.h"
#include "base/simd.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

#define COLUMNS    (MRN_DIM == 2 ? 32 : 64) ///< exchanged equations before the factors are renewed
#define CLOSER     0.9    ///< defect over that of the anchor that makes a point on the way worth while
#define FAR_BACK   (-0.1) ///< a path that goes back so far is lost
#define TURNS_BACK 10     ///< in space, one that begins backwards: so far
#define STIFFEST   1e4    ///< bend, of the mean diagonal
#define SAME_WAY   0.9    ///< cosine of the angle up to which a contact that closes keeps its tangent
#define NEARLY     0.02   ///< of the mean slack of open contacts: those below may close soon
#define DISSECT    5      ///< factorisations after which nested dissection is worth trying, in space

#define TANGENTS (MRN_DIM - 1)
#define SIZE     (MRN_DIM * MRN_DIM)

enum { OPEN, SLIP, STICK };

#if MRN_DIM == 2
void mrn_pivots_free(MrnPivots *pivots) {
    mrn_block_lu_free(&pivots->lu);
}
#endif

static void init(MrnPivots *pivots, const MrnProblem *problem, const MrnSweep *sweep, MrnArena *arena) {
    size_t n = problem->contacts, numbers = MRN_DIM * n, blocks = problem->delassus->start[n];
    *pivots = (MrnPivots){.problem = problem, .scale = sweep->scale};
    mrn_block_lu_init(&pivots->lu);
    double **vectors[] = {&pivots->anchor,    &pivots->defect, &pivots->impulse, &pivots->rate,
                          &pivots->base_rate, &pivots->best,   &pivots->lengths};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(arena, numbers + 1, sizeof(double));
    double **scalars[] = {&pivots->slack, &pivots->slack_rate, &pivots->bend};
    for (size_t k = 0; k < sizeof scalars / sizeof *scalars; k++)
        *scalars[k] = mrn_arena_take(arena, n + 1, sizeof(double));
    double **tangents[] = {&pivots->now.tangent, &pivots->base.tangent, &pivots->across};
    for (size_t k = 0; k < sizeof tangents / sizeof *tangents; k++)
        *tangents[k] = mrn_arena_take(arena, TANGENTS * n + 1, sizeof(double));
    memset(pivots->across, 0, TANGENTS * n * sizeof(double)); // of contacts that do not bend
    unsigned char **bytes[] = {&pivots->now.kind, &pivots->now.straight, &pivots->base.kind, &pivots->base.straight,
                               &pivots->inside};
    for (size_t k = 0; k < sizeof bytes / sizeof *bytes; k++) *bytes[k] = mrn_arena_take(arena, n + 1, 1);
    pivots->start = mrn_arena_take(arena, n + 1, sizeof(size_t));
    pivots->column = mrn_arena_take(arena, blocks + 1, sizeof(int));
    pivots->value = mrn_arena_take(arena, SIZE * blocks + 1, sizeof(double));
    pivots->columns = mrn_arena_take(arena, numbers * COLUMNS + 1, sizeof(double));
    pivots->matrix = mrn_arena_take(arena, COLUMNS * COLUMNS, sizeof(double));
    pivots->weight = mrn_arena_take(arena, COLUMNS, sizeof(double));
    pivots->right = mrn_arena_take(arena, COLUMNS, sizeof(double));
    pivots->changed = mrn_arena_take(arena, COLUMNS, sizeof(int));
    pivots->direction = mrn_arena_take(arena, COLUMNS * MRN_DIM, sizeof(double));
    pivots->column_of = mrn_arena_take(arena, numbers + 1, sizeof(int));
    pivots->loose = mrn_arena_take(arena, n + 1, sizeof(int));
    pivots->loose_place = mrn_arena_take(arena, n + 1, sizeof(int));
}

// ---- vectors of one contact

MRN_INLINE double dot(const double *a, const double *b, int count) {
    double sum = a[0] * b[0];
    for (int k = 1; k < count; k++) sum += a[k] * b[k];
    return sum;
}

MRN_INLINE double length_of(const double *x) {
    return TANGENTS == 1 ? fabs(x[0]) : sqrt(dot(x, x, TANGENTS));
}

// The unit vector along x; false, and t stays, where there is none.
MRN_INLINE bool unit(const double *x, double *t) {
    double length = length_of(x);
    if (!(length > 0)) return false;
    for (int k = 0; k < TANGENTS; k++) t[k] = x[k] / length;
    return true;
}

// The tangent across t, in space.
MRN_INLINE void find_across(const double *t, double *b) {
    b[0] = -t[TANGENTS - 1], b[TANGENTS - 1] = t[0];
}

static bool same_tangent(const double *a, const double *b) {
    return a[0] == b[0] && a[TANGENTS - 1] == b[TANGENTS - 1];
}

// ---- equations

// Are the tangential equations of contact i all of impulses? Else, when it slips, only the one along the tangent.
static bool by_impulse(const MrnPivotsStatus *status, size_t i) {
    return status->kind[i] == OPEN || (status->kind[i] == SLIP && (MRN_DIM == 2 || status->straight[i]));
}

// A row of (W + shift) x: component r of contact i. Sums by columns need not wait for each other.
MRN_INLINE double velocity_row(const MrnPivots *pivots, size_t i, int r, const double *x) {
    const MrnBlockMatrix *W = pivots->problem->delassus;
    double sum[MRN_DIM] = {pivots->shift * x[MRN_DIM * i + (size_t)r]}, all = 0;
    for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
        const double *row = W->value + SIZE * k + MRN_DIM * r, *y = x + MRN_DIM * (size_t)W->column[k];
        for (int c = 0; c < MRN_DIM; c++) sum[c] += row[c] * y[c];
    }
    for (int c = 0; c < MRN_DIM; c++) all += sum[c];
    return all;
}

// What the bend of contact i adds to a vector of velocities.
MRN_INLINE void add_bend(const MrnPivots *pivots, size_t i, const double *x, double *u) {
    if (MRN_DIM == 2 || pivots->bend[i] == 0) return;
    const double *b = pivots->across + TANGENTS * i;
    double along = pivots->bend[i] * dot(b, x + MRN_DIM * i + 1, TANGENTS);
    for (int k = 0; k < TANGENTS; k++) u[1 + k] += along * b[k];
}

static void velocity(const MrnPivots *pivots, size_t i, const double *x, double *u) {
    for (int r = 0; r < MRN_DIM; r++) u[r] = velocity_row(pivots, i, r, x);
    add_bend(pivots, i, x, u);
}

// The left sides of the equations of contact i.
static void left_side(const MrnPivots *pivots, size_t i, const double *x, double *out) {
    const MrnPivotsStatus *now = &pivots->now;
    const double *own = x + MRN_DIM * i, *t = now->tangent + TANGENTS * i;
    double mu = pivots->problem->friction[i], scale = pivots->scale;
    if (now->kind[i] == OPEN)
        out[0] = scale * own[0];
    else
        velocity(pivots, i, x, out);
    if (by_impulse(now, i)) {
        for (int k = 0; k < TANGENTS; k++) out[1 + k] = scale * (own[1 + k] - mu * t[k] * own[0]);
    } else if (now->kind[i] == SLIP) {
        double b[2];
        find_across(t, b);
        double across = dot(b, out + 1, TANGENTS), along = scale * (dot(t, own + 1, TANGENTS) - mu * own[0]);
        for (int k = 0; k < TANGENTS; k++) out[1 + k] = b[k] * across + t[k] * along;
    }
}

// Of a vector or a row of blocks with velocities in its rows, what the equations of contact i take: `width` numbers per
// row.
MRN_INLINE void take_velocities(const MrnPivotsStatus *status, size_t i, int width, const double *from, double *out) {
    for (int k = 0; k < width; k++) out[k] = status->kind[i] == OPEN ? 0 : from[k];
    if (status->kind[i] == STICK) {
        for (int k = width; k < MRN_DIM * width; k++) out[k] = from[k];
        return;
    }
    for (int k = width; k < MRN_DIM * width; k++) out[k] = 0;
    if (by_impulse(status, i)) return;
    double b[2];
    find_across(status->tangent + TANGENTS * i, b);
    for (int c = 0; c < width; c++) {
        double across = 0;
        for (int k = 0; k < TANGENTS; k++) across += b[k] * from[(1 + k) * width + c];
        for (int k = 0; k < TANGENTS; k++) out[(1 + k) * width + c] = b[k] * across;
    }
}

// The right sides of the equations of contact i.
MRN_INLINE void right_side(const MrnPivots *pivots, size_t i, double *out) {
    take_velocities(&pivots->now, i, 1, pivots->defect + MRN_DIM * i, out);
    for (int k = 0; k < MRN_DIM; k++) out[k] = -out[k];
}

// ---- factors

// The order of the contacts that are closed or may close soon.
static bool find_order(MrnPivots *pivots, double limit) {
    const MrnBlockMatrix *W = pivots->problem->delassus;
    size_t n = W->rows, blocks = 0, open = 0;
    double slack = 0;
    for (size_t i = 0; i < n; i++)
        if (pivots->now.kind[i] == OPEN) slack += pivots->slack[i], open++;
    for (size_t i = 0; i < n; i++)
        pivots->inside[i] = pivots->now.kind[i] != OPEN || pivots->slack[i] * (double)open < NEARLY * slack;
    for (size_t i = 0; i < n; i++) {
        pivots->start[i] = blocks;
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
            if ((size_t)W->column[k] == i || (pivots->inside[i] && pivots->inside[W->column[k]]))
                pivots->column[blocks++] = W->column[k];
    }
    pivots->start[n] = blocks;
    return pivots->ordered = mrn_block_lu_analyse(&pivots->lu, n, MRN_DIM, pivots->start, pivots->column, NULL, limit);
}

// The block of contact i on the diagonal: shift and bend, and the equations of impulses.
MRN_INLINE void complete_diagonal(const MrnPivots *pivots, size_t i, const double *block, double *out) {
    const double *t = pivots->now.tangent + TANGENTS * i, *b = pivots->across + TANGENTS * i;
    double own[SIZE], mu = pivots->problem->friction[i], scale = pivots->scale;
    memcpy(own, block, sizeof own);
    for (int r = 0; r < MRN_DIM; r++) own[(MRN_DIM + 1) * r] += pivots->shift;
    for (int r = 0; MRN_DIM == 3 && r < TANGENTS; r++)
        for (int c = 0; c < TANGENTS; c++) own[MRN_DIM * (1 + r) + 1 + c] += pivots->bend[i] * b[r] * b[c];
    take_velocities(&pivots->now, i, MRN_DIM, own, out);
    if (pivots->now.kind[i] == STICK) return;
    if (pivots->now.kind[i] == OPEN) out[0] = scale;
    for (int r = 0; r < TANGENTS; r++) {
        double *row = out + MRN_DIM * (1 + r);
        row[0] -= scale * mu * t[r];
        for (int c = 0; c < TANGENTS; c++) row[1 + c] += scale * (by_impulse(&pivots->now, i) ? r == c : t[r] * t[c]);
    }
}

// Factor the equations of the statuses as they are.
static void factor(MrnPivots *pivots) {
    const MrnBlockMatrix *W = pivots->problem->delassus;
    size_t n = W->rows, place = 0;
    if (MRN_DIM == 3 && pivots->factors == DISSECT) pivots->lu.dissect = true, pivots->ordered = false;
    for (size_t i = 0; i < n && pivots->ordered; i++)
        pivots->ordered = pivots->inside[i] || pivots->now.kind[i] == OPEN;
    if (!pivots->ordered) find_order(pivots, INFINITY);
    for (size_t i = 0; i < n; i++)
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
            bool own = (size_t)W->column[k] == i;
            if (!own && !(pivots->inside[i] && pivots->inside[W->column[k]])) continue;
            const double *block = W->value + SIZE * k;
            double *out = pivots->value + SIZE * place++;
            if (own)
                complete_diagonal(pivots, i, block, out);
            else
                take_velocities(&pivots->now, i, MRN_DIM, block, out);
        }
    mrn_block_lu_factor(&pivots->lu, pivots->start, pivots->column, pivots->value, 1e-14 * pivots->scale);
    pivots->products += pivots->lu.operations;
    pivots->factors++;
    memcpy(pivots->base.kind, pivots->now.kind, n);
    memcpy(pivots->base.straight, pivots->now.straight, n);
    memcpy(pivots->base.tangent, pivots->now.tangent, TANGENTS * n * sizeof(double));
    for (size_t c = 0; c < pivots->column_count; c++)
        for (int k = 0; k < MRN_DIM; k++) pivots->column_of[MRN_DIM * pivots->changed[c] + k] = -1;
    pivots->column_count = 0;
    for (size_t i = 0; i < n; i++) right_side(pivots, i, pivots->base_rate + MRN_DIM * i);
    mrn_block_lu_solve(&pivots->lu, pivots->base_rate);
}

// Products of blocks that take as long as a pivot.
static double pivot_products(const MrnPivots *pivots) {
    size_t n = pivots->problem->contacts;
    return 2 * (double)pivots->lu.lower_start[n] + 2 * (double)pivots->problem->delassus->start[n];
}

// ---- exchanged equations

// What the equations of contact i ask of the weights.
static void find_rows_of_weights(MrnPivots *pivots, size_t i) {
    size_t numbers = MRN_DIM * pivots->problem->contacts;
    const int *own = pivots->column_of + MRN_DIM * i;
    double left[MRN_DIM], right[MRN_DIM];
    for (size_t k = 0; k < pivots->column_count; k++) {
        left_side(pivots, i, pivots->columns + numbers * k, left);
        for (int r = 0; r < MRN_DIM; r++)
            if (own[r] >= 0)
                pivots->matrix[COLUMNS * own[r] + (int)k] = dot(pivots->direction + MRN_DIM * own[r], left, MRN_DIM);
    }
    left_side(pivots, i, pivots->base_rate, left);
    right_side(pivots, i, right);
    for (int r = 0; r < MRN_DIM; r++) right[r] -= left[r];
    for (int r = 0; r < MRN_DIM; r++)
        if (own[r] >= 0) pivots->right[own[r]] = dot(pivots->direction + MRN_DIM * own[r], right, MRN_DIM);
}

// The column of a contact that is outside: its impulse, and what the others do about the velocity that it gives them.
static void solve_outside(MrnPivots *pivots, size_t i, const double *direction, double *column) {
    const MrnBlockMatrix *W = pivots->problem->delassus;
    const double *t = pivots->base.tangent + TANGENTS * i;
    double own[MRN_DIM];
    own[0] = direction[0] / pivots->scale;
    for (int k = 0; k < TANGENTS; k++)
        own[1 + k] = direction[1 + k] / pivots->scale + pivots->problem->friction[i] * t[k] * own[0];
    memset(column, 0, MRN_DIM * W->rows * sizeof *column);
    for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
        size_t j = (size_t)W->column[k], back = W->start[j];
        if (!pivots->inside[j]) continue;
        while ((size_t)W->column[back] != i) back++;
        double push[MRN_DIM];
        for (int r = 0; r < MRN_DIM; r++) push[r] = -dot(W->value + SIZE * back + MRN_DIM * r, own, MRN_DIM);
        take_velocities(&pivots->base, j, 1, push, column + MRN_DIM * j);
    }
    mrn_block_lu_solve(&pivots->lu, column);
    memcpy(column + MRN_DIM * i, own, sizeof own);
}

// A column for a direction among the equations of contact i; `which` is 0 for the normal.
static void add_column(MrnPivots *pivots, size_t i, int which, const double *direction) {
    size_t c = pivots->column_count++;
    double *column = pivots->columns + MRN_DIM * pivots->problem->contacts * c, left[MRN_DIM];
    memcpy(pivots->direction + MRN_DIM * c, direction, MRN_DIM * sizeof *direction);
    pivots->changed[c] = (int)i;
    pivots->column_of[MRN_DIM * i + (size_t)which] = (int)c;
    if (pivots->inside[i])
        mrn_block_lu_solve_block(&pivots->lu, i, direction, column);
    else
        solve_outside(pivots, i, direction, column);
    for (size_t k = 0; k < c; k++) {
        left_side(pivots, (size_t)pivots->changed[k], column, left);
        pivots->matrix[COLUMNS * k + c] = dot(pivots->direction + MRN_DIM * k, left, MRN_DIM);
    }
}

// In how many directions do the tangential equations of contact i differ from the factored ones? One goes to
// `direction`.
static int tangential_differences(const MrnPivots *pivots, size_t i, double *direction) {
    const MrnPivotsStatus *now = &pivots->now, *base = &pivots->base;
    const double *t = now->tangent + TANGENTS * i, *t0 = base->tangent + TANGENTS * i;
    bool sticks = now->kind[i] == STICK, stuck = base->kind[i] == STICK, same = same_tangent(t, t0);
    bool impulse = by_impulse(now, i), before = by_impulse(base, i);
    memcpy(direction, t, TANGENTS * sizeof *t);
    if (sticks && stuck) return 0;
    if (!sticks && !stuck && impulse == before) return same ? 0 : TANGENTS;
    if (impulse && before) return same ? 0 : TANGENTS;
    if (MRN_DIM == 2) return 1;
    if (sticks || stuck) {
        if (impulse || before) return TANGENTS;
        if (sticks) memcpy(direction, t0, TANGENTS * sizeof *t);
        return 1;
    }
    if (!same) return TANGENTS;
    find_across(t, direction);
    return 1;
}

// Contact i has changed its status: columns for those of its equations that differ from the factored ones.
static void exchange(MrnPivots *pivots, size_t i) {
    int *own = pivots->column_of + MRN_DIM * i;
    double direction[3] = {0, 0, 0}, normal[3] = {1, 0, 0};
    int tangential = tangential_differences(pivots, i, direction + 1);
    bool add_normal = own[0] < 0 && (pivots->now.kind[i] == OPEN) != (pivots->base.kind[i] == OPEN);
    if (MRN_DIM == 3 && tangential == 1 && own[1] >= 0) { // along another direction than before?
        const double *first = pivots->direction + MRN_DIM * own[1];
        tangential = fabs(fabs(dot(first + 1, direction + 1, TANGENTS)) - 1) < 1e-15 ? 1 : TANGENTS;
    }
    int has = own[1] < 0 ? 0 : own[TANGENTS] < 0 ? 1 : TANGENTS, added = tangential > has ? tangential - has : 0;
    if (pivots->column_count + add_normal + (size_t)added > COLUMNS) {
        factor(pivots);
        return;
    }
    if (add_normal) add_column(pivots, i, 0, normal);
    if (added > 0 && has == 0) add_column(pivots, i, 1, direction);
    if (added > 0 && has + added == 2) {
        double other[3] = {0, 0, 0};
        find_across(pivots->direction + MRN_DIM * own[1] + 1, other + 1);
        add_column(pivots, i, 2, other);
    }
    find_rows_of_weights(pivots, i);
}

// Weights of the columns by elimination with row pivots.
static void find_weights(MrnPivots *pivots) {
    size_t count = pivots->column_count;
    double M[COLUMNS][COLUMNS + 1];
    for (size_t r = 0; r < count; r++) {
        memcpy(M[r], pivots->matrix + COLUMNS * r, count * sizeof(double));
        M[r][count] = pivots->right[r];
    }
    for (size_t k = 0; k < count; k++) {
        size_t best = k;
        for (size_t r = k + 1; r < count; r++)
            if (fabs(M[r][k]) > fabs(M[best][k])) best = r;
        if (best != k)
            for (size_t c = k; c <= count; c++) {
                double t = M[k][c];
                M[k][c] = M[best][c], M[best][c] = t;
            }
        double over = M[k][k] != 0 ? 1 / M[k][k] : 0;
        for (size_t r = k + 1; r < count; r++) {
            double factor = M[r][k] * over;
            if (factor == 0) continue;
            for (size_t c = k + 1; c <= count; c++) M[r][c] -= factor * M[k][c];
        }
    }
    for (size_t k = count; k-- > 0;) {
        double sum = M[k][count];
        for (size_t c = k + 1; c < count; c++) sum -= M[k][c] * pivots->weight[c];
        pivots->weight[k] = M[k][k] != 0 ? sum / M[k][k] : 0;
    }
}

// rate = base_rate + columns times weight, four columns at a time.
MRN_KERNEL static void combine(size_t numbers, size_t count, const double *restrict base_rate,
                               const double *restrict columns, const double *restrict weight, double *restrict rate) {
    memcpy(rate, base_rate, numbers * sizeof(double));
    for (size_t c = 0; c < count; c += 4) {
        double w[4] = {0};
        const double *column[4];
        for (size_t k = 0; k < 4; k++) {
            w[k] = c + k < count ? weight[c + k] : 0;
            column[k] = columns + numbers * (c + k < count ? c + k : c);
        }
        for (size_t k = 0; k < numbers; k++)
            rate[k] += (w[0] * column[0][k] + w[1] * column[1][k]) + (w[2] * column[2][k] + w[3] * column[3][k]);
    }
}

// ---- the path

// Rates of the slacks of contacts that do not stick; their impulses are made exact where the equations say so.
MRN_KERNEL static void find_slack_rates(MrnPivots *pivots) {
    const MrnProblem *problem = pivots->problem;
    const MrnPivotsStatus *now = &pivots->now;
    double *rate = pivots->rate;
    for (size_t k = 0; k < pivots->loose_count; k++) {
        size_t i = (size_t)pivots->loose[k];
        double *x = rate + MRN_DIM * i, mu = problem->friction[i];
        const double *t = now->tangent + TANGENTS * i;
        if (now->kind[i] == OPEN) x[0] = 0;
        double off = by_impulse(now, i) ? 0 : mu * x[0] - dot(t, x + 1, TANGENTS);
        for (int c = 0; c < TANGENTS; c++) x[1 + c] = by_impulse(now, i) ? mu * t[c] * x[0] : x[1 + c] + off * t[c];
    }
    for (size_t k = 0; k < pivots->loose_count; k++) {
        size_t i = (size_t)pivots->loose[k];
        const double *t = now->tangent + TANGENTS * i, *r = pivots->defect + MRN_DIM * i;
        if (now->kind[i] == OPEN) {
            pivots->slack_rate[i] = velocity_row(pivots, i, 0, rate) + r[0];
        } else {
            double u[MRN_DIM];
            for (int c = 0; c < TANGENTS; c++) u[1 + c] = velocity_row(pivots, i, 1 + c, rate) + r[1 + c];
            add_bend(pivots, i, rate, u);
            pivots->slack_rate[i] = -dot(t, u + 1, TANGENTS);
        }
    }
}

// Rates of the impulses and slacks on the piece of the path that the statuses stand for.
static void find_rates(MrnPivots *pivots) {
    find_weights(pivots);
    combine(MRN_DIM * pivots->problem->contacts, pivots->column_count, pivots->base_rate, pivots->columns,
            pivots->weight, pivots->rate);
    find_slack_rates(pivots);
    pivots->products += pivot_products(pivots);
}

// The first change of status ahead.
typedef struct Change {
    double length; ///< from here, in units of `way`
    size_t contact;
    int kind;
} Change;

#if MRN_DIM == 3
// The first length >= 0 at which p + length x is on the edge of the cone. `on_edge`: p is, whatever its digits say, and
// goes inside.
MRN_INLINE double length_in_cone(double mu, double p_n, double p_1, double p_2, double x_n, double x_1, double x_2,
                                 bool on_edge) {
    double a = mu * mu * x_n * x_n - (x_1 * x_1 + x_2 * x_2), b = mu * mu * p_n * x_n - (p_1 * x_1 + p_2 * x_2),
           c = on_edge ? 0 : mu * mu * p_n * p_n - (p_1 * p_1 + p_2 * p_2);
    c = c > 0 ? c : 0;
    double square = b * b - a * c, root = sqrt(square > 0 ? square : 0);
    double toward = c / (root - b), away = a < 0 ? (root + b) / -a : INFINITY;
    return b >= 0 ? away : square < 0 ? INFINITY : toward;
}
#endif

// When the two borders of each contact are reached: those of a sticking one are the edge of its cone, in the plane at
// +mu p_n and at -mu p_n, of a sliding one p_n = 0 and the end of its slack, of an open one only that.
MRN_KERNEL static void find_lengths(size_t contacts, double sense, const unsigned char *restrict kind,
                                    const double *restrict friction, const double *restrict impulse,
                                    const double *restrict rate, const double *restrict slack,
                                    const double *restrict slack_rate, double *restrict first,
                                    double *restrict second) {
    for (size_t i = 0; i < contacts; i++) {
        double mu = friction[i], p_n = impulse[MRN_DIM * i], x_n = sense * rate[MRN_DIM * i], y = sense * slack_rate[i];
        bool sticks = kind[i] == STICK, open = kind[i] == OPEN;
#if MRN_DIM == 2
        double p_t = impulse[2 * i + 1], x_t = sense * rate[2 * i + 1];
        double room1 = sticks ? mu * p_n - p_t : p_n, rate1 = sticks ? mu * x_n - x_t : open ? 0 : x_n;
        double room2 = sticks ? mu * p_n + p_t : slack[i], rate2 = sticks ? mu * x_n + x_t : y;
        double length1 = -room1 / rate1, length2 = -room2 / rate2;
        first[i] = rate1 < 0 ? (length1 > 0 ? length1 : 0) : INFINITY;
        second[i] = rate2 < 0 ? (length2 > 0 ? length2 : 0) : INFINITY;
#else
        double x1 = sense * rate[3 * i + 1], x2 = sense * rate[3 * i + 2];
        double edge = length_in_cone(mu, p_n, impulse[3 * i + 1], impulse[3 * i + 2], x_n, x1, x2, false);
        double lift = -p_n / x_n, stop = -slack[i] / y;
        first[i] = sticks ? edge : open || !(x_n < 0) ? INFINITY : lift > 0 ? lift : 0;
        second[i] = sticks || !(y < 0) ? INFINITY : stop > 0 ? stop : 0;
#endif
    }
}

// The first of the smallest numbers, if it is below *least.
MRN_KERNEL static size_t find_least(size_t count, const double *numbers, double *least) {
    double lanes[8];
    for (size_t lane = 0; lane < 8; lane++) lanes[lane] = *least;
    for (size_t k = 0; k + 8 <= count; k += 8)
        for (size_t lane = 0; lane < 8; lane++)
            lanes[lane] = numbers[k + lane] < lanes[lane] ? numbers[k + lane] : lanes[lane];
    double smallest = lanes[0];
    for (size_t lane = 1; lane < 8; lane++) smallest = fmin(smallest, lanes[lane]);
    for (size_t k = count - count % 8; k < count; k++) smallest = fmin(smallest, numbers[k]);
    if (smallest >= *least) return count;
    *least = smallest;
    size_t k = 0;
    while (numbers[k] != smallest) k++;
    return k;
}

// `from` is the status that `last` has left: it cannot go back at once.
static Change find_change(MrnPivots *pivots, int sense, size_t last, int from) {
    const MrnProblem *problem = pivots->problem;
    const MrnPivotsStatus *now = &pivots->now;
    size_t n = problem->contacts;
    double *first = pivots->lengths, *second = first + n, length = sense > 0 ? 1 - pivots->way : INFINITY;
    find_lengths(n, sense, now->kind, problem->friction, pivots->impulse, pivots->rate, pivots->slack,
                 pivots->slack_rate, first, second);
    if (last < n) {
#if MRN_DIM == 3
        const double *p = pivots->impulse + 3 * last, *x = pivots->rate + 3 * last;
        if (now->kind[last] == STICK)
            first[last] = length_in_cone(problem->friction[last], p[0], p[1], p[2], sense * x[0], sense * x[1],
                                         sense * x[2], true);
        else
#endif
            ((now->kind[last] == STICK ? now->tangent[TANGENTS * last] > 0 : from == OPEN) ? first : second)[last] =
                INFINITY;
    }
    size_t at = find_least(2 * n, first, &length), i = at % n;
    if (at == 2 * n) return (Change){.length = length, .contact = n};
    if (now->kind[i] == STICK) {
        if (MRN_DIM == 2) now->tangent[i] = at < n ? 1 : -1;
        return (Change){length, i, SLIP};
    }
    if (now->kind[i] == SLIP) return (Change){length, i, at < n ? OPEN : STICK};
    return (Change){length, i, SLIP};
}

// The velocity of the path at contact i.
static void path_velocity(const MrnPivots *pivots, size_t i, double *u) {
    const double *a = pivots->anchor + MRN_DIM * i, *r = pivots->defect + MRN_DIM * i,
                 *q = pivots->problem->free_velocity + MRN_DIM * i;
    velocity(pivots, i, pivots->impulse, u);
    for (int k = 0; k < MRN_DIM; k++) u[k] += q[k] - (1 - pivots->way) * r[k] - pivots->shift * a[k];
}

// The status of a contact with this velocity, as the natural map sees it: where the impulse is nearer to the border of
// its status than the velocity is to zero, the contact is beyond it. The impulse is put where its status has it.
static void find_status(MrnPivots *pivots, size_t i, const double *u) {
    double *p = pivots->impulse + MRN_DIM * i, *t = pivots->now.tangent + TANGENTS * i;
    double mu = pivots->problem->friction[i], over = 1 / pivots->scale, x[3];
    unsigned char *kind = pivots->now.kind + i;
    for (int k = 0; k < MRN_DIM; k++) x[k] = p[k] - over * u[k];
    for (int k = 0; k < TANGENTS; k++) t[k] = k == 0;
    unit(x + 1, t);
    *kind = p[0] <= 0 || x[0] <= 0 ? OPEN : length_of(x + 1) >= mu * x[0] ? SLIP : STICK;
    if (*kind == STICK && length_of(p + 1) >= mu * p[0]) {
        *kind = SLIP;
        unit(p + 1, t);
    }
    pivots->now.straight[i] = mu == 0;
    if (*kind == OPEN) memset(p, 0, MRN_DIM * sizeof *p);
    if (*kind == SLIP)
        for (int k = 0; k < TANGENTS; k++) p[1 + k] = t[k] * mu * p[0];
}

// Contact i leaves the contacts that stick, or comes to them.
static void loosen(MrnPivots *pivots, size_t i) {
    pivots->loose_place[i] = (int)pivots->loose_count;
    pivots->loose[pivots->loose_count++] = (int)i;
}

static void fasten(MrnPivots *pivots, size_t i) {
    int place = pivots->loose_place[i], other = pivots->loose[--pivots->loose_count];
    pivots->loose[place] = other;
    pivots->loose_place[other] = place;
    pivots->slack[i] = pivots->slack_rate[i] = 0;
}

// Give contact i so much more slack: the defect, of which the velocity of the law is what was taken away, changes too.
static void add_slack(MrnPivots *pivots, size_t i, double slack) {
    double *r = pivots->defect + MRN_DIM * i;
    const double *t = pivots->now.tangent + TANGENTS * i;
    pivots->slack[i] += slack;
    if (pivots->now.kind[i] == OPEN)
        r[0] -= slack;
    else
        for (int k = 0; k < TANGENTS; k++) r[1 + k] += t[k] * slack;
}

// How a sliding contact turns, as seen from the anchor.
static void find_bend(MrnPivots *pivots, size_t i) {
    double radius = pivots->problem->friction[i] * pivots->impulse[MRN_DIM * i];
    pivots->bend[i] = 0;
    if (pivots->now.kind[i] != SLIP || pivots->now.straight[i]) return;
    pivots->bend[i] = fmin(pivots->slack[i] / radius, STIFFEST * pivots->scale);
    find_across(pivots->now.tangent + TANGENTS * i, pivots->across + TANGENTS * i);
}

// Begin at the anchor. Contacts on the border between two statuses are given some slack, so that the path begins in the
// middle of a piece. Returns the square of the defect.
static double begin(MrnPivots *pivots, const double *impulse) {
    const MrnProblem *problem = pivots->problem;
    size_t n = problem->contacts, numbers = MRN_DIM * n;
    double *u = pivots->defect, square = 0;
    memcpy(pivots->impulse, impulse, numbers * sizeof(double));
    mrn_block_matrix_times(problem->delassus, impulse, problem->free_velocity, u);
    for (size_t i = 0; i < n; i++) find_status(pivots, i, u + MRN_DIM * i);
    memcpy(pivots->anchor, pivots->impulse, numbers * sizeof(double));
    mrn_block_matrix_times(problem->delassus, pivots->anchor, problem->free_velocity, u);
    pivots->loose_count = 0;
    for (size_t i = 0; i < n; i++) {
        double *own = u + MRN_DIM * i, *t = pivots->now.tangent + TANGENTS * i, against[2];
        int kind = pivots->now.kind[i];
        pivots->slack[i] = pivots->slack_rate[i] = 0;
        if (kind != STICK) loosen(pivots, i);
        for (int k = 0; k < TANGENTS; k++) against[k] = -own[1 + k];
        if (kind == OPEN) {
            unit(against, t);
            add_slack(pivots, i, fmax(own[0], 0));
            for (int k = 0; k < TANGENTS; k++) own[1 + k] = 0;
        } else if (kind == SLIP && problem->friction[i] > 0) {
            add_slack(pivots, i, fmax(dot(t, against, TANGENTS), 0));
        } else if (kind == SLIP) { // without friction it never sticks
            pivots->slack[i] = INFINITY;
            for (int k = 0; k < TANGENTS; k++) own[1 + k] = 0;
        }
        square += dot(own, own, MRN_DIM);
    }
    double least = sqrt(square / (double)n);
    for (size_t i = 0; i < n; i++) {
        if (pivots->now.kind[i] != STICK && pivots->slack[i] < least) add_slack(pivots, i, least - pivots->slack[i]);
        if (MRN_DIM == 3) find_bend(pivots, i);
    }
    for (size_t k = 0; k < numbers; k++) pivots->column_of[k] = -1;
    pivots->column_count = 0;
    pivots->way = 0;
    return square;
}

// Go so far along the piece. Returns how far the velocity of the problem itself is there from the one that obeys
// Coulomb's law, squared.
MRN_KERNEL static double advance(MrnPivots *pivots, double length) {
    size_t n = pivots->problem->contacts, numbers = MRN_DIM * n;
    const double *restrict defect = pivots->defect, *restrict anchor = pivots->anchor, *restrict rate = pivots->rate,
                           *restrict slack_rate = pivots->slack_rate;
    double *restrict impulse = pivots->impulse, *restrict slack = pivots->slack;
    pivots->way += length;
    double squares[8] = {0}, square = 0, left = 1 - pivots->way, shift = pivots->shift;
    for (size_t i = 0; i < n; i++) slack[i] += length * slack_rate[i];
    size_t k = 0;
    for (; k + 8 <= numbers; k += 8)
        for (size_t lane = 0; lane < 8; lane++) {
            impulse[k + lane] += length * rate[k + lane];
            double e = left * defect[k + lane] - shift * (impulse[k + lane] - anchor[k + lane]);
            squares[lane] += e * e;
        }
    for (; k < numbers; k++) {
        impulse[k] += length * rate[k];
        double e = left * defect[k] - shift * (impulse[k] - anchor[k]);
        square += e * e;
    }
    for (size_t lane = 0; lane < 8; lane++) square += squares[lane];
    return square;
}

// An impulse whose tangential part is as long as the cone is wide, in the same direction.
static void put_on_edge(double mu, double *p) {
    double length = length_of(p + 1);
    for (int k = 0; length > 0 && k < TANGENTS; k++) p[1 + k] *= mu * p[0] / length;
}

// Contact i takes its new status. Returns the one before.
static int change_status(MrnPivots *pivots, const Change *change) {
    size_t i = change->contact;
    int before = pivots->now.kind[i];
    double *p = pivots->impulse + MRN_DIM * i, *t = pivots->now.tangent + TANGENTS * i,
           mu = pivots->problem->friction[i];
    pivots->slack[i] = pivots->bend[i] = 0;
    if (change->kind == STICK) {
        fasten(pivots, i);
        if (MRN_DIM == 3) put_on_edge(mu, p);
    } else if (change->kind == OPEN) {
        memset(p, 0, MRN_DIM * sizeof *p);
    } else if (before == OPEN) {
        double u[MRN_DIM], other[2] = {0};
        path_velocity(pivots, i, u);
        for (int k = 0; k < TANGENTS; k++) u[1 + k] = -u[1 + k];
        if (unit(u + 1, other) && dot(other, t, TANGENTS) < SAME_WAY) memcpy(t, other, TANGENTS * sizeof *t);
        pivots->slack[i] = mu > 0 ? dot(t, u + 1, TANGENTS) : INFINITY;
        pivots->now.straight[i] = 1;
    } else {
        if (MRN_DIM == 3) unit(p + 1, t);
        for (int k = 0; k < TANGENTS; k++) p[1 + k] = t[k] * mu * p[0];
        pivots->now.straight[i] = 0;
    }
    if (before == STICK) loosen(pivots, i);
    pivots->now.kind[i] = (unsigned char)change->kind;
    return before;
}

// The direction in which a contact moves into the status that it has just taken.
static int sense_of(const MrnPivots *pivots, size_t i, int before) {
    const double *x = pivots->rate + MRN_DIM * i;
    double into = pivots->now.kind[i] == STICK
                      ? pivots->problem->friction[i] * x[0] - dot(pivots->now.tangent + TANGENTS * i, x + 1, TANGENTS)
                  : pivots->now.kind[i] == SLIP && before == OPEN ? x[0]
                                                                  : pivots->slack_rate[i];
    return into >= 0 ? 1 : -1;
}

// The impulses of a point on the path; in space those of sliding contacts come back to their cones.
static void leave(const MrnPivots *pivots, const double *from, double *impulse) {
    size_t n = pivots->problem->contacts;
    memcpy(impulse, from, MRN_DIM * n * sizeof(double));
    for (size_t i = 0; MRN_DIM == 3 && i < n; i++) {
        double *p = impulse + MRN_DIM * i, mu = pivots->problem->friction[i];
        if (p[0] < 0) memset(p, 0, MRN_DIM * sizeof *p);
        if (pivots->now.kind[i] == SLIP || length_of(p + 1) > mu * p[0]) put_on_edge(mu, p);
    }
}

static double cost(MrnPivots *pivots, const double *impulse, int count, double limit) {
    if (!pivots->ordered) {
        begin(pivots, impulse);
        if (!find_order(pivots, limit)) return 0;
    }
    double products = pivots->lu.operations + count * pivot_products(pivots);
    return products <= limit ? products : 0;
}

static MrnPivotsEnd step(MrnPivots *pivots, double shift, int most, double deadline, double *impulse, int *count) {
    size_t n = pivots->problem->contacts, numbers = MRN_DIM * n, last = n;
    int sense = 1, from = OPEN;
    double farthest_back = FAR_BACK;
    *count = 0;
    pivots->shift = shift;
    double least = CLOSER * CLOSER * begin(pivots, impulse), first = least;
    factor(pivots);
    // With a negative determinant some mode is unstable for this shift. Such a path leads to the end only after it has
    // turned: backwards first, since forwards it would turn and come back. In the plane three of four are lost.
    if (pivots->lu.sign < 0) {
        if (MRN_DIM == 2) return MRN_PIVOTS_LOST;
        sense = -1, farthest_back = -TURNS_BACK;
    }
    while (*count < most && mrn_wall_seconds() <= deadline) {
        find_rates(pivots);
        if (last < n) sense = sense_of(pivots, last, from);
        Change next = find_change(pivots, sense, last, from);
        if (!isfinite(next.length) || pivots->way < farthest_back) break;
        double here = advance(pivots, sense * next.length);
        (*count)++;
        if (next.contact == n) {
            leave(pivots, pivots->impulse, impulse);
            return MRN_PIVOTS_SOLVED;
        }
        if (here < least) {
            least = here;
            memcpy(pivots->best, pivots->impulse, numbers * sizeof(double));
        }
        from = change_status(pivots, &next);
        last = next.contact;
        exchange(pivots, last);
    }
    if (!(least < first)) return MRN_PIVOTS_LOST;
    leave(pivots, pivots->best, impulse);
    return MRN_PIVOTS_CLOSER;
}

const MrnPivotsKind MRN_NAMED(mrn_pivots) = {init, cost, step};
