// A phase by its statuses: Newton's method on the natural maps of Signorini's and Coulomb's laws (Alart and Curnier
// 1991, in the plane), which is exact as soon as the statuses are right.
//
// Unknown are the increments of the impulses. Closed contacts lose their normal velocity, sticking ones the tangential
// one; friction at its bound follows the normal impulse, beta = s (mu lambda + l). Where there are more contacts than
// freedoms the equations are singular; a small term on the diagonal takes the solution nearest to the present impulses,
// and what it takes away comes back in the next round.
//
// Coulomb's law is not associated: along its slip a contact may have a negative stiffness, and then it turns from stick
// to slip and back. The problem with the velocities u + s D (p - p_k), D the diagonal of the Delassus operator, has no
// such modes for a large enough s. Its solution is the next p_k (proximal point iterations, Rockafellar 1976); s falls
// with success, and where the p_k stand still the law holds for u itself.
#include "collide/floe.h"
#include "solve/friction/block_lu.h"
#include "step/impact_phase.h"

#include <math.h>
#include <string.h>

#define SINGULAR    1e-9 ///< of the diagonal, the small term
#define MAX_STEPS   40   ///< proximal steps
#define MAX_ROUNDS  6    ///< of Newton's method in each
#define FIRST_SHIFT 0.1  ///< s after a failure without it
#define MOST_SHIFT  30

typedef struct Status {
    bool closed, sticks;
    double sense; ///< of friction at its bound
} Status;

typedef struct Search {
    MrnImpactPhase *phase;
    // The Delassus operator by rows of 2 x 2 blocks, those that are not zero.
    size_t *start;
    int *column;
    double *value;
    double *diagonal; ///< 4 numbers per contact
    double *equations;
    double *change;
    double *anchor; ///< p_k
    double shift;   ///< s
    Status *status;
    MrnBlockLu lu;
} Search;

static bool share_body(const MrnImpactContact *a, const MrnImpactContact *b) {
    return (a->body[0] >= 0 && (a->body[0] == b->body[0] || a->body[0] == b->body[1])) ||
           (a->body[1] >= 0 && (a->body[1] == b->body[0] || a->body[1] == b->body[1]));
}

static void begin_search(Search *search, MrnImpactPhase *phase) {
    const MrnImpact *impact = phase->impact;
    MrnArena *arena = phase->arena;
    size_t m = impact->contact_count, count = 0;
    *search = (Search){.phase = phase};
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) count += share_body(&impact->contacts[i], &impact->contacts[j]);
    search->start = mrn_arena_take(arena, m + 1, sizeof *search->start);
    search->column = mrn_arena_take(arena, count, sizeof *search->column);
    search->status = mrn_arena_take(arena, m, sizeof *search->status);
    double **const by_block[] = {&search->value, &search->equations};
    for (size_t k = 0; k < sizeof by_block / sizeof *by_block; k++)
        *by_block[k] = mrn_arena_take(arena, 4 * count, sizeof(double));
    double **const by_contact[] = {&search->diagonal, &search->change, &search->anchor};
    for (size_t k = 0; k < sizeof by_contact / sizeof *by_contact; k++)
        *by_contact[k] = mrn_arena_take(arena, (k ? 2 : 4) * m, sizeof(double));
    count = 0;
    for (size_t i = 0; i < m; i++) {
        search->start[i] = count;
        for (size_t j = 0; j < m; j++) {
            if (!share_body(&impact->contacts[i], &impact->contacts[j])) continue;
            double *block = search->value + 4 * count;
            mrn_impact_delassus(impact, &impact->contacts[i], &impact->contacts[j], block);
            if (i == j) memcpy(search->diagonal + 4 * i, block, 4 * sizeof *block);
            search->column[count++] = (int)j;
        }
    }
    search->start[m] = count;
    mrn_block_lu_init(&search->lu);
    mrn_block_lu_analyse(&search->lu, m, 2, search->start, search->column, NULL, INFINITY);
}

/// u + s D (p - p_k) of a contact.
static void shifted_velocity(const Search *search, size_t j, double u[2]) {
    const MrnImpactPhase *phase = search->phase;
    const double *p = phase->impulse + 2 * j, *anchor = search->anchor + 2 * j, *w = search->diagonal + 4 * j;
    mrn_impact_relative(phase->impact, phase->velocity, &phase->impact->contacts[j], u);
    u[0] += search->shift * w[0] * (p[0] - anchor[0]);
    u[1] += search->shift * w[3] * (p[1] - anchor[1]);
}

/// By how much the shifted law is missed, m/s.
static double shifted_violation(const Search *search) {
    const MrnImpactPhase *phase = search->phase;
    double worst = 0;
    for (size_t j = 0; j < phase->impact->contact_count; j++) {
        const double *w = search->diagonal + 4 * j, *p = phase->impulse + 2 * j;
        double u[2], bound = phase->impact->contacts[j].friction * p[0] + phase->offset[j];
        shifted_velocity(search, j, u);
        double wanted = mrn_larger(-bound, mrn_smaller(bound, p[1] - u[1] / w[3]));
        worst = mrn_larger(worst, mrn_larger(fabs(mrn_smaller(u[0], w[0] * p[0])), w[3] * fabs(p[1] - wanted)));
    }
    return worst;
}

/// Impulses of friction at its bound, and of open contacts, become what their statuses say.
static void obey_statuses(Search *search) {
    MrnImpactPhase *phase = search->phase;
    for (size_t j = 0; j < phase->impact->contact_count; j++) {
        const Status *status = &search->status[j];
        double *p = phase->impulse + 2 * j;
        if (!status->closed) p[0] = 0;
        if (!status->sticks) p[1] = status->sense * (phase->impact->contacts[j].friction * p[0] + phase->offset[j]);
    }
    mrn_phase_set_velocity(phase);
}

/// Which statuses the present impulses and velocities ask for.
static void find_statuses(Search *search) {
    const MrnImpactPhase *phase = search->phase;
    for (size_t j = 0; j < phase->impact->contact_count; j++) {
        const double *w = search->diagonal + 4 * j, *p = phase->impulse + 2 * j;
        double u[2];
        shifted_velocity(search, j, u);
        double lambda = p[0] - u[0] / w[0], beta = p[1] - u[1] / w[3];
        double bound = phase->impact->contacts[j].friction * mrn_larger(0, lambda) + phase->offset[j];
        search->status[j] = (Status){lambda > 0, fabs(beta) < bound, beta > 0 ? 1 : -1};
    }
}

static void set_equations(Search *search) {
    const MrnImpact *impact = search->phase->impact;
    for (size_t i = 0; i < impact->contact_count; i++) {
        const Status *status = &search->status[i];
        const bool bears[2] = {status->closed, status->sticks};
        double u[2];
        shifted_velocity(search, i, u);
        for (size_t r = 0; r < 2; r++) search->change[2 * i + r] = bears[r] ? -u[r] : 0;
        for (size_t k = search->start[i]; k < search->start[i + 1]; k++) {
            bool own = search->column[k] == (int)i;
            const double *w = search->value + 4 * k;
            double *row = search->equations + 4 * k;
            for (size_t r = 0; r < 2; r++)
                for (size_t c = 0; c < 2; c++) {
                    bool diagonal = own && r == c;
                    row[2 * r + c] = bears[r] ? w[2 * r + c] * (diagonal ? 1 + SINGULAR + search->shift : 1) : diagonal;
                }
            if (own && status->closed && !status->sticks) row[2] = -status->sense * impact->contacts[i].friction;
        }
    }
}

/// Solve the shifted problem, to a violation of `target` over the largest velocity at the start. False if the statuses
/// do not settle.
static bool settle(Search *search, double target, double speed) {
    MrnImpactPhase *phase = search->phase;
    for (int round = 0; round < MAX_ROUNDS; round++) {
        find_statuses(search);
        obey_statuses(search);
        set_equations(search);
        mrn_block_lu_factor(&search->lu, search->start, search->column, search->equations, 1e-14 * search->diagonal[0]);
        mrn_block_lu_solve(&search->lu, search->change);
        bool finite = true;
        for (size_t k = 0; k < 2 * phase->impact->contact_count; k++) {
            phase->impulse[k] += search->change[k];
            finite = finite && isfinite(phase->impulse[k]);
        }
        if (!finite) return false;
        obey_statuses(search);
        if (search->shift > 0 ? shifted_violation(search) <= target * speed : mrn_phase_violation(phase) <= target)
            return true;
    }
    return false;
}

bool mrn_phase_solve_statuses(MrnImpactPhase *phase, double tolerance) {
    size_t bytes = 2 * phase->impact->contact_count * sizeof(double);
    double speed = mrn_impact_speed(phase->impact, phase->start), *begin = mrn_arena_take(phase->arena, bytes, 1);
    Search search;
    begin_search(&search, phase);
    memcpy(begin, phase->impulse, bytes);
    mrn_phase_set_velocity(phase);
    bool solved = false;
    for (int step = 0; step < MAX_STEPS && search.shift <= MOST_SHIFT && !solved; step++) {
        memcpy(search.anchor, phase->impulse, bytes);
        double target = search.shift > 0 ? mrn_larger(tolerance, 0.01 * mrn_phase_violation(phase)) : tolerance;
        if (settle(&search, target, speed)) {
            search.shift /= 4;
            solved = mrn_phase_violation(phase) <= tolerance;
            continue;
        }
        memcpy(phase->impulse, search.anchor, bytes);
        mrn_phase_set_velocity(phase);
        search.shift = search.shift > 0 ? 6 * search.shift : FIRST_SHIFT;
    }
    mrn_block_lu_free(&search.lu);
    phase->count->statuses += solved;
    if (solved) return true;
    memcpy(phase->impulse, begin, bytes);
    mrn_phase_set_velocity(phase);
    return false;
}
