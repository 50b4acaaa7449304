// Proximal steps in the plane by pivots.
//
// The problem around the anchor a, with W + s and q - s a in place of W and q, is solved along a path of problems of
// which the first has the solution a: with ũ the velocity closest to u = W a + q that obeys Coulomb's law together with
// a, and the defect r = u - ũ, u' = (W + s) p + q - s a - (1 - m) r obeys it for p = a where m = 0, and is that of the
// proximal step where m = 1. In the plane the impulses between two changes of status are linear in m:
//   stick: (W + s) dp + r dm = 0 in both rows,   slip: the same in the normal row, dp_t = mu t dp_n,   open: dp = 0.
// At a change one equation is exchanged for another; the direction in which m goes on is the one in which the contact
// moves into its new status, so that paths turn where friction has given some mode a negative stiffness (Lemke 1965 for
// one covering vector; here the shift, and a new anchor for every step, keep paths short). Newton's method takes
// several changes at once, fails where they depend on each other, and pays a factorisation for each attempt; a pivot
// pays one solution with the factors: with x = J0^-1 b0 + sum c_k J0^-1 e_k over the exchanged equations k, the c_k
// follow from these equations alone.
#include "solve/friction/pivots.h"

#include "base/clock.h"
#include "base/simd.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

#define COLUMNS  32     ///< exchanged equations before the factors are renewed
#define CLOSER   0.9    ///< defect over that of the anchor that makes a point on the way worth while
#define FAR_BACK (-0.1) ///< a path that goes back so far is lost

enum { OPEN, SLIP, STICK };

/// The two numbers of a contact.
typedef double Pair __attribute__((vector_size(16), aligned(8)));

void mrn_pivots_init(MrnPivots *pivots, const MrnProblem *problem, const MrnSweep *sweep, MrnArena *arena) {
    size_t n = problem->contacts, numbers = 2 * n;
    *pivots = (MrnPivots){.problem = problem, .scale = sweep->scale, .diagonal = sweep->diagonal};
    mrn_block_lu_init(&pivots->lu);
    double **vectors[] = {&pivots->anchor,    &pivots->defect, &pivots->impulse, &pivots->rate,
                          &pivots->base_rate, &pivots->best,   &pivots->lengths};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(arena, numbers + 1, sizeof(double));
    double **scalars[] = {&pivots->side, &pivots->base_side, &pivots->slack, &pivots->slack_rate};
    for (size_t k = 0; k < sizeof scalars / sizeof *scalars; k++)
        *scalars[k] = mrn_arena_take(arena, n + 1, sizeof(double));
    pivots->value = mrn_arena_take(arena, 4 * problem->delassus->start[n] + 1, sizeof(double));
    pivots->columns = mrn_arena_take(arena, numbers * COLUMNS + 1, sizeof(double));
    pivots->matrix = mrn_arena_take(arena, COLUMNS * COLUMNS, sizeof(double));
    pivots->weight = mrn_arena_take(arena, COLUMNS, sizeof(double));
    pivots->right = mrn_arena_take(arena, COLUMNS, sizeof(double));
    pivots->changed = mrn_arena_take(arena, COLUMNS, sizeof(int));
    pivots->column_of = mrn_arena_take(arena, numbers + 1, sizeof(int));
    pivots->loose = mrn_arena_take(arena, n + 1, sizeof(int));
    pivots->loose_place = mrn_arena_take(arena, n + 1, sizeof(int));
    pivots->status = mrn_arena_take(arena, n + 1, 1);
    pivots->base_status = mrn_arena_take(arena, n + 1, 1);
}

void mrn_pivots_free(MrnPivots *pivots) {
    mrn_block_lu_free(&pivots->lu);
}

// Products of blocks that take as long as a pivot.
static double pivot_products(const MrnPivots *pivots) {
    size_t n = pivots->problem->contacts;
    return 2 * (double)pivots->lu.lower_start[n] + 2 * (double)pivots->problem->delassus->start[n];
}

double mrn_pivots_cost(MrnPivots *pivots, int count, double limit) {
    const MrnBlockMatrix *W = pivots->problem->delassus;
    if (!pivots->ordered)
        pivots->ordered = mrn_block_lu_analyse(&pivots->lu, W->rows, 2, W->start, W->column, NULL, limit);
    if (!pivots->ordered) return 0;
    double products = pivots->lu.operations + count * pivot_products(pivots);
    return products <= limit ? products : 0;
}

// Is the equation of this row (2 contact + component) one of velocities? Else it is dp_n = 0, or that the impulse stays
// on the edge of its cone.
static bool of_velocity(int status, size_t component) {
    return component == 0 ? status != OPEN : status == STICK;
}

static bool same_equation(const MrnPivots *pivots, size_t row) {
    size_t i = row / 2, component = row % 2;
    bool velocity = of_velocity(pivots->status[i], component);
    if (velocity != of_velocity(pivots->base_status[i], component)) return false;
    return velocity || component == 0 || pivots->side[i] == pivots->base_side[i];
}

static double velocity_row(const MrnPivots *pivots, size_t row, const double *x) {
    const MrnBlockMatrix *W = pivots->problem->delassus;
    size_t i = row / 2, component = row % 2;
    const double *block = W->value + 2 * component;
    Pair sum = {pivots->shift * x[row], 0};
    for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
        sum += *(const Pair *)(block + 4 * k) * *(const Pair *)(x + 2 * (size_t)W->column[k]);
    return sum[0] + sum[1];
}

// The left side of the equation that this row has now.
static double left_side(const MrnPivots *pivots, size_t row, const double *x) {
    size_t i = row / 2;
    if (of_velocity(pivots->status[i], row % 2)) return velocity_row(pivots, row, x);
    if (row % 2 == 0) return pivots->scale * x[row];
    return pivots->scale * (x[row] - pivots->problem->friction[i] * pivots->side[i] * x[row - 1]);
}

static double right_side(const MrnPivots *pivots, size_t row) {
    return of_velocity(pivots->status[row / 2], row % 2) ? -pivots->defect[row] : 0;
}

// Factor the equations of the statuses as they are.
static void factor(MrnPivots *pivots) {
    const MrnBlockMatrix *W = pivots->problem->delassus;
    size_t n = W->rows;
    for (size_t i = 0; i < n; i++) {
        bool normal = of_velocity(pivots->status[i], 0), tangential = of_velocity(pivots->status[i], 1);
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
            const double *from = W->value + 4 * k;
            double *to = pivots->value + 4 * k;
            to[0] = normal ? from[0] : 0, to[1] = normal ? from[1] : 0;
            to[2] = tangential ? from[2] : 0, to[3] = tangential ? from[3] : 0;
        }
        double *own = pivots->value + 4 * pivots->diagonal[i];
        own[0] += normal ? pivots->shift : pivots->scale;
        own[3] += tangential ? pivots->shift : pivots->scale;
        if (!tangential) own[2] = -pivots->scale * pivots->problem->friction[i] * pivots->side[i];
    }
    mrn_block_lu_factor(&pivots->lu, W->start, W->column, pivots->value, 1e-14 * pivots->scale);
    pivots->products += pivots->lu.operations;
    memcpy(pivots->base_status, pivots->status, n);
    memcpy(pivots->base_side, pivots->side, n * sizeof(double));
    for (size_t c = 0; c < pivots->column_count; c++) pivots->column_of[pivots->changed[c]] = -1;
    pivots->column_count = 0;
    for (size_t row = 0; row < 2 * n; row++) pivots->base_rate[row] = right_side(pivots, row);
    mrn_block_lu_solve(&pivots->lu, pivots->base_rate);
}

// What the equation of column c asks of the weights.
static void find_row_of_weights(MrnPivots *pivots, size_t c) {
    size_t row = (size_t)pivots->changed[c], numbers = 2 * pivots->problem->contacts;
    for (size_t k = 0; k < pivots->column_count; k++)
        pivots->matrix[COLUMNS * c + k] = left_side(pivots, row, pivots->columns + numbers * k);
    pivots->right[c] = right_side(pivots, row) - left_side(pivots, row, pivots->base_rate);
}

// The equations of contact i have changed.
static void exchange(MrnPivots *pivots, size_t i) {
    size_t numbers = 2 * pivots->problem->contacts;
    for (size_t row = 2 * i; row < 2 * i + 2; row++) {
        if (pivots->column_of[row] < 0) {
            if (same_equation(pivots, row)) continue;
            if (pivots->column_count == COLUMNS) {
                factor(pivots);
                return;
            }
            size_t c = pivots->column_count++;
            double *column = pivots->columns + numbers * c;
            mrn_block_lu_solve_unit(&pivots->lu, row, column);
            pivots->changed[c] = (int)row;
            pivots->column_of[row] = (int)c;
            for (size_t k = 0; k < c; k++)
                pivots->matrix[COLUMNS * k + c] = left_side(pivots, (size_t)pivots->changed[k], column);
        }
    }
    for (size_t row = 2 * i; row < 2 * i + 2; row++)
        if (pivots->column_of[row] >= 0) find_row_of_weights(pivots, (size_t)pivots->column_of[row]);
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

// Rates of the impulses and slacks on the piece of the path that the statuses stand for.
static void find_rates(MrnPivots *pivots) {
    const MrnProblem *problem = pivots->problem;
    double *rate = pivots->rate;
    find_weights(pivots);
    combine(2 * problem->contacts, pivots->column_count, pivots->base_rate, pivots->columns, pivots->weight, rate);
    for (size_t k = 0; k < pivots->loose_count; k++) { // exact where the equations say so
        size_t i = (size_t)pivots->loose[k];
        if (pivots->status[i] == OPEN) rate[2 * i] = 0;
        rate[2 * i + 1] = problem->friction[i] * pivots->side[i] * rate[2 * i];
    }
    for (size_t k = 0; k < pivots->loose_count; k++) {
        size_t i = (size_t)pivots->loose[k], row = 2 * i + (pivots->status[i] == SLIP);
        double sign = pivots->status[i] == SLIP ? -pivots->side[i] : 1;
        pivots->slack_rate[i] = sign * (velocity_row(pivots, row, rate) + pivots->defect[row]);
    }
    pivots->products += pivot_products(pivots);
}

// The first change of status ahead.
typedef struct Change {
    double length; ///< from here, in units of `way`
    size_t contact;
    int status;
    double side;
} Change;

// When the two borders of each contact are reached: those of a sticking one are the edges of its cone at +mu p_n and at
// -mu p_n, of a sliding one p_n = 0 and the end of its slack, of an open one only that.
MRN_KERNEL static void find_lengths(size_t contacts, double sense, const unsigned char *restrict status,
                                    const double *restrict friction, const double *restrict impulse,
                                    const double *restrict rate, const double *restrict slack,
                                    const double *restrict slack_rate, double *restrict first,
                                    double *restrict second) {
    for (size_t i = 0; i < contacts; i++) {
        double p_n = impulse[2 * i], p_t = impulse[2 * i + 1], x_n = sense * rate[2 * i], x_t = sense * rate[2 * i + 1];
        double mu = friction[i], y = sense * slack_rate[i];
        bool sticks = status[i] == STICK, open = status[i] == OPEN;
        double room1 = sticks ? mu * p_n - p_t : p_n, rate1 = sticks ? mu * x_n - x_t : open ? 0 : x_n;
        double room2 = sticks ? mu * p_n + p_t : slack[i], rate2 = sticks ? mu * x_n + x_t : y;
        double length1 = -room1 / rate1, length2 = -room2 / rate2;
        first[i] = rate1 < 0 ? (length1 > 0 ? length1 : 0) : INFINITY;
        second[i] = rate2 < 0 ? (length2 > 0 ? length2 : 0) : INFINITY;
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
    size_t n = problem->contacts;
    double *first = pivots->lengths, *second = first + n, length = sense > 0 ? 1 - pivots->way : INFINITY;
    find_lengths(n, sense, pivots->status, problem->friction, pivots->impulse, pivots->rate, pivots->slack,
                 pivots->slack_rate, first, second);
    if (last < n) {
        int status = pivots->status[last];
        bool back_first = status == STICK ? pivots->side[last] > 0 : from == OPEN;
        (back_first ? first : second)[last] = INFINITY;
    }
    size_t at = find_least(2 * n, first, &length), i = at % n;
    if (at == 2 * n) return (Change){.length = length, .contact = n};
    if (pivots->status[i] == STICK) return (Change){length, i, SLIP, at < n ? 1 : -1};
    if (pivots->status[i] == SLIP) return (Change){length, i, at < n ? OPEN : STICK, pivots->side[i]};
    return (Change){length, i, SLIP, 0};
}

// The velocity of the path at a row.
static double path_velocity(const MrnPivots *pivots, size_t row) {
    return velocity_row(pivots, row, pivots->impulse) + pivots->problem->free_velocity[row] -
           (1 - pivots->way) * pivots->defect[row] - pivots->shift * pivots->anchor[row];
}

// The status of a contact with this velocity, as the natural map sees it: where the impulse is nearer to the border of
// its status than the velocity is to zero, the contact is beyond it. The impulse is put where its status has it.
static void find_status(MrnPivots *pivots, size_t i, const double *u) {
    double *p = pivots->impulse + 2 * i, mu = pivots->problem->friction[i], over = 1 / pivots->scale;
    double x_n = p[0] - over * u[0], x_t = p[1] - over * u[1];
    pivots->side[i] = x_t < 0 ? -1 : 1;
    pivots->status[i] = p[0] <= 0 || x_n <= 0 ? OPEN : fabs(x_t) >= mu * x_n ? SLIP : STICK;
    if (pivots->status[i] == STICK && fabs(p[1]) >= mu * p[0])
        pivots->status[i] = SLIP, pivots->side[i] = p[1] < 0 ? -1 : 1;
    if (pivots->status[i] == OPEN) p[0] = p[1] = 0;
    if (pivots->status[i] == SLIP) p[1] = pivots->side[i] * mu * p[0];
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
    double *r = pivots->defect + 2 * i;
    pivots->slack[i] += slack;
    if (pivots->status[i] == OPEN)
        r[0] -= slack;
    else
        r[1] += pivots->side[i] * slack;
}

// Begin at the anchor. Contacts on the border between two statuses are given some slack, so that the path begins in the
// middle of a piece. Returns the square of the defect.
static double begin(MrnPivots *pivots, const double *impulse) {
    const MrnProblem *problem = pivots->problem;
    size_t n = problem->contacts;
    double *u = pivots->defect, square = 0;
    memcpy(pivots->impulse, impulse, 2 * n * sizeof(double));
    mrn_block_matrix_times(problem->delassus, impulse, problem->free_velocity, u);
    for (size_t i = 0; i < n; i++) find_status(pivots, i, u + 2 * i);
    memcpy(pivots->anchor, pivots->impulse, 2 * n * sizeof(double));
    mrn_block_matrix_times(problem->delassus, pivots->anchor, problem->free_velocity, u);
    pivots->loose_count = 0;
    for (size_t i = 0; i < n; i++) {
        pivots->slack[i] = pivots->slack_rate[i] = 0;
        if (pivots->status[i] != STICK) loosen(pivots, i);
        if (pivots->status[i] == OPEN) {
            add_slack(pivots, i, fmax(u[2 * i], 0));
            u[2 * i + 1] = 0;
        } else if (pivots->status[i] == SLIP && problem->friction[i] > 0) {
            add_slack(pivots, i, fmax(-pivots->side[i] * u[2 * i + 1], 0));
        } else if (pivots->status[i] == SLIP) { // without friction it never sticks
            pivots->slack[i] = INFINITY;
            u[2 * i + 1] = 0;
        }
        square += u[2 * i] * u[2 * i] + u[2 * i + 1] * u[2 * i + 1];
    }
    double least = sqrt(square / (double)n);
    for (size_t i = 0; i < n; i++)
        if (pivots->status[i] != STICK && pivots->slack[i] < least) add_slack(pivots, i, least - pivots->slack[i]);
    for (size_t row = 0; row < 2 * n; row++) pivots->column_of[row] = -1;
    pivots->column_count = 0;
    pivots->way = 0;
    return square;
}

// Go so far along the piece. Returns how far the velocity of the problem itself is there from the one that obeys
// Coulomb's law, squared.
MRN_KERNEL static double advance(MrnPivots *pivots, double length) {
    size_t n = pivots->problem->contacts, numbers = 2 * n;
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

// Contact i takes its new status. Returns the one before.
static int change_status(MrnPivots *pivots, const Change *change) {
    size_t i = change->contact;
    int before = pivots->status[i];
    double *p = pivots->impulse + 2 * i;
    pivots->status[i] = (unsigned char)change->status;
    pivots->side[i] = before == OPEN ? (path_velocity(pivots, 2 * i + 1) > 0 ? -1 : 1) : change->side;
    pivots->slack[i] = 0;
    if (before == STICK) loosen(pivots, i);
    if (change->status == STICK) fasten(pivots, i);
    if (change->status == OPEN) p[0] = p[1] = 0;
    if (change->status == SLIP && before == OPEN)
        pivots->slack[i] = pivots->problem->friction[i] > 0 ? fabs(path_velocity(pivots, 2 * i + 1)) : INFINITY;
    else if (change->status == SLIP)
        p[1] = pivots->problem->friction[i] * pivots->side[i] * p[0];
    return before;
}

// The direction in which a contact moves into the status that it has just taken.
static int sense_of(const MrnPivots *pivots, size_t i, int before) {
    const double *x = pivots->rate + 2 * i;
    double into = pivots->status[i] == STICK ? pivots->problem->friction[i] * x[0] - pivots->side[i] * x[1]
                  : pivots->status[i] == SLIP && before == OPEN ? x[0]
                                                                : pivots->slack_rate[i];
    return into >= 0 ? 1 : -1;
}

MrnPivotsEnd mrn_pivots_step(MrnPivots *pivots, double shift, int most, double deadline, double *impulse, int *count) {
    size_t n = pivots->problem->contacts, numbers = 2 * n, last = n;
    int sense = 1, from = OPEN;
    *count = 0;
    pivots->shift = shift;
    double least = CLOSER * CLOSER * begin(pivots, impulse), first = least;
    mrn_pivots_cost(pivots, 0, INFINITY);
    factor(pivots);
    // With a negative determinant some mode is unstable for this shift: three of four such paths turn back and are
    // lost.
    if (pivots->lu.sign < 0) return MRN_PIVOTS_LOST;
    while (*count < most && mrn_wall_seconds() <= deadline) {
        find_rates(pivots);
        if (last < n) sense = sense_of(pivots, last, from);
        Change next = find_change(pivots, sense, last, from);
        if (!isfinite(next.length) || pivots->way < FAR_BACK) break;
        double here = advance(pivots, sense * next.length);
        (*count)++;
        if (next.contact == n) {
            memcpy(impulse, pivots->impulse, numbers * sizeof(double));
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
    memcpy(impulse, pivots->best, numbers * sizeof(double));
    return MRN_PIVOTS_CLOSER;
}
