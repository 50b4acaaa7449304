// A phase by its statuses: Newton's method on the natural maps of Signorini's and Coulomb's laws (Alart and Curnier
// 1991, in the plane), which is exact as soon as the statuses are right.
//
// Unknown are the normal impulses of closed contacts and the tangential ones of contacts that stick; impulses that
// slide follow from beta = s (mu lambda + l). Increments are sought, with a small proximal term on the diagonal: where
// there are more contacts than freedoms the equations are singular, and the solution nearest to the present impulses is
// as good as any other; what the term takes away comes back in the next round.
#include "solve/friction/block_lu.h"
#include "step/impact_phase.h"

#include <math.h>
#include <string.h>

#define PROXIMAL   1e-9 ///< of the diagonal of the Delassus operator
#define MAX_ROUNDS 12

typedef struct Status {
    bool closed, sticks;
    double sense; ///< of friction at its bound
} Status;

/// Which statuses the present impulses and velocities ask for; `w` holds the diagonal blocks of the Delassus operator.
/// Impulses of open and sliding contacts become what these statuses say.
static void find_statuses(MrnImpactPhase *phase, const double *w, Status *status) {
    const MrnImpact *impact = phase->impact;
    for (size_t j = 0; j < impact->contact_count; j++) {
        const MrnImpactContact *contact = &impact->contacts[j];
        const double *block = w + 4 * j;
        double u[2], *p = phase->impulse + 2 * j;
        mrn_impact_relative(impact, phase->velocity, contact, u);
        double lambda = p[0] - u[0] / block[0], beta = p[1] - u[1] / block[3];
        bool closed = lambda > 0;
        if (!closed) lambda = p[0] = 0;
        bool sticks = fabs(beta) < contact->friction * lambda + phase->offset[j];
        status[j] = (Status){closed, sticks, beta > 0 ? 1 : -1};
        if (!sticks) p[1] = status[j].sense * (contact->friction * p[0] + phase->offset[j]);
    }
}

static bool share_body(const MrnImpactContact *a, const MrnImpactContact *b) {
    return (a->body[0] >= 0 && (a->body[0] == b->body[0] || a->body[0] == b->body[1])) ||
           (a->body[1] >= 0 && (a->body[1] == b->body[0] || a->body[1] == b->body[1]));
}

/// The Delassus operator by rows of 2 x 2 blocks, those that are not zero.
typedef struct Operator {
    size_t *start;
    int *column;
    double *value;
    double *diagonal; ///< 4 numbers per contact
} Operator;

static Operator make_operator(MrnImpactPhase *phase) {
    const MrnImpact *impact = phase->impact;
    size_t m = impact->contact_count, count = 0;
    Operator W = {.start = mrn_arena_take(phase->arena, m + 1, sizeof *W.start),
                  .diagonal = mrn_arena_take(phase->arena, 4 * m, sizeof *W.diagonal)};
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) count += share_body(&impact->contacts[i], &impact->contacts[j]);
    W.column = mrn_arena_take(phase->arena, count, sizeof *W.column);
    W.value = mrn_arena_take(phase->arena, 4 * count, sizeof *W.value);
    count = 0;
    for (size_t i = 0; i < m; i++) {
        W.start[i] = count;
        for (size_t j = 0; j < m; j++) {
            if (!share_body(&impact->contacts[i], &impact->contacts[j])) continue;
            mrn_impact_delassus(impact, &impact->contacts[i], &impact->contacts[j], W.value + 4 * count);
            if (i == j) memcpy(W.diagonal + 4 * i, W.value + 4 * count, 4 * sizeof(double));
            W.column[count++] = (int)j;
        }
    }
    W.start[m] = count;
    return W;
}

/// The equations of the statuses for the increments of lambda and beta: velocities that closed and sticking contacts
/// must lose; impulses of the others do not change, or follow lambda.
static void set_equations(const MrnImpactPhase *phase, const Operator *W, const Status *status, double *A,
                          double *right) {
    const MrnImpact *impact = phase->impact;
    for (size_t i = 0; i < impact->contact_count; i++) {
        double u[2];
        mrn_impact_relative(impact, phase->velocity, &impact->contacts[i], u);
        for (int r = 0; r < 2; r++) right[2 * i + (size_t)r] = (r ? status[i].sticks : status[i].closed) ? -u[r] : 0;
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
            bool own = W->column[k] == (int)i;
            const double *w = W->value + 4 * k;
            double *a = A + 4 * k;
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++) {
                    bool bears = r ? status[i].sticks : status[i].closed;
                    a[2 * r + c] = bears ? w[2 * r + c] * (own && r == c ? 1 + PROXIMAL : 1) : own && r == c;
                }
            if (own && !status[i].sticks && status[i].closed) a[2] = -status[i].sense * impact->contacts[i].friction;
        }
    }
}

bool mrn_phase_solve_statuses(MrnImpactPhase *phase, double tolerance) {
    const MrnImpact *impact = phase->impact;
    size_t m = impact->contact_count;
    Operator W = make_operator(phase);
    double *begin = mrn_arena_take(phase->arena, 2 * m, sizeof *begin);
    double *change = mrn_arena_take(phase->arena, 2 * m, sizeof *change);
    double *work = mrn_arena_take(phase->arena, 2 * m, sizeof *work);
    double *A = mrn_arena_take(phase->arena, 4 * W.start[m], sizeof *A);
    Status *status = mrn_arena_take(phase->arena, m, sizeof *status);
    memcpy(begin, phase->impulse, 2 * m * sizeof *begin);
    mrn_phase_set_velocity(phase);
    MrnBlockLu lu;
    mrn_block_lu_init(&lu);
    mrn_block_lu_analyse(&lu, m, 2, W.start, W.column, INFINITY);
    bool solved = false;
    for (int round = 0; round < MAX_ROUNDS && !solved; round++) {
        find_statuses(phase, W.diagonal, status);
        mrn_phase_set_velocity(phase);
        set_equations(phase, &W, status, A, change);
        mrn_block_lu_factor(&lu, W.start, W.column, A, 1e-14 * W.diagonal[0]);
        mrn_block_lu_solve(&lu, change, work);
        for (size_t j = 0; j < m; j++) {
            double *p = phase->impulse + 2 * j;
            if (status[j].closed) p[0] += change[2 * j];
            if (status[j].sticks)
                p[1] += change[2 * j + 1];
            else
                p[1] = status[j].sense * (impact->contacts[j].friction * p[0] + phase->offset[j]);
        }
        mrn_phase_set_velocity(phase);
        solved = mrn_phase_violation(phase) <= tolerance;
    }
    mrn_block_lu_free(&lu);
    phase->count->statuses += solved;
    if (solved) return true;
    memcpy(phase->impulse, begin, 2 * m * sizeof *begin);
    mrn_phase_set_velocity(phase);
    return false;
}
