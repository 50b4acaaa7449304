// A phase by its statuses: Newton's method on the natural maps of Signorini's and Coulomb's laws (Alart and Curnier
// 1991, in the plane), which is exact as soon as the statuses are right.
//
// Unknown are the normal impulses of closed contacts and the tangential ones of contacts that stick; impulses that
// slide follow from beta = s (mu lambda + l). Increments are sought, with a small proximal term on the diagonal: where
// there are more contacts than freedoms the equations are singular, and the solution nearest to the present impulses is
// as good as any other; what the term takes away comes back in the next round.
#include "solve/lcp/dense.h"
#include "step/impact_phase.h"

#include <math.h>
#include <string.h>

#define PROXIMAL   1e-9 ///< of the diagonal of the Delassus operator
#define MAX_ROUNDS 12

/// Of one contact: where its unknowns stand, -1 for none, and the sense of sliding friction.
typedef struct Status {
    int normal, tangent;
    double sense;
} Status;

/// Which statuses the present impulses and velocities ask for. Impulses of open and sliding contacts become what these
/// statuses say. Returns the number of unknowns.
static size_t find_statuses(MrnImpactPhase *phase, const double *w, Status *status) {
    const MrnImpact *impact = phase->impact;
    int count = 0;
    for (size_t j = 0; j < impact->contact_count; j++) {
        const MrnImpactContact *contact = &impact->contacts[j];
        const double *block = w + 4 * j;
        double u[2], *p = phase->impulse + 2 * j;
        mrn_impact_relative(impact, phase->velocity, contact, u);
        double lambda = p[0] - u[0] / block[0], beta = p[1] - u[1] / block[3];
        status[j] = (Status){-1, -1, 0};
        if (lambda > 0)
            status[j].normal = count++;
        else
            lambda = p[0] = 0;
        if (fabs(beta) < contact->friction * lambda + phase->offset[j])
            status[j].tangent = count++;
        else {
            status[j].sense = beta > 0 ? 1 : -1;
            p[1] = status[j].sense * (contact->friction * p[0] + phase->offset[j]);
        }
    }
    return (size_t)count;
}

/// A block of the Delassus operator that is not zero.
typedef struct Block {
    int row, column; ///< contacts
    double value[4];
} Block;

static bool share_body(const MrnImpactContact *a, const MrnImpactContact *b) {
    return (a->body[0] >= 0 && (a->body[0] == b->body[0] || a->body[0] == b->body[1])) ||
           (a->body[1] >= 0 && (a->body[1] == b->body[0] || a->body[1] == b->body[1]));
}

static Block *find_blocks(MrnImpactPhase *phase, size_t *count) {
    const MrnImpact *impact = phase->impact;
    size_t m = impact->contact_count;
    Block *blocks = mrn_arena_take(phase->arena, m * m, sizeof *blocks);
    *count = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            if (!share_body(&impact->contacts[i], &impact->contacts[j])) continue;
            Block *block = &blocks[(*count)++];
            block->row = (int)i, block->column = (int)j;
            mrn_impact_delassus(impact, &impact->contacts[i], &impact->contacts[j], block->value);
        }
    return blocks;
}

/// The equations of the statuses: velocities that closed and sticking contacts must lose.
static void set_equations(const MrnImpactPhase *phase, const Block *blocks, size_t block_count, const Status *status,
                          size_t n, double *A, double *right) {
    const MrnImpact *impact = phase->impact;
    memset(A, 0, n * n * sizeof *A);
    for (size_t k = 0; k < block_count; k++) {
        const Block *block = &blocks[k];
        const Status *at = &status[block->row], *of = &status[block->column];
        double friction = of->sense * impact->contacts[block->column].friction;
        const int row[2] = {at->normal, at->tangent};
        for (int r = 0; r < 2; r++) {
            if (row[r] < 0) continue;
            double *equation = A + (size_t)row[r] * n;
            const double *value = block->value + 2 * r;
            if (of->normal >= 0) equation[of->normal] = value[0] + friction * value[1];
            if (of->tangent >= 0) equation[of->tangent] = value[1];
            if (block->row == block->column) equation[row[r]] += PROXIMAL * value[r];
        }
    }
    for (size_t j = 0; j < impact->contact_count; j++) {
        double u[2];
        mrn_impact_relative(impact, phase->velocity, &impact->contacts[j], u);
        if (status[j].normal >= 0) right[status[j].normal] = -u[0];
        if (status[j].tangent >= 0) right[status[j].tangent] = -u[1];
    }
}

bool mrn_phase_solve_statuses(MrnImpactPhase *phase, double tolerance) {
    const MrnImpact *impact = phase->impact;
    size_t m = impact->contact_count;
    double *w = mrn_arena_take(phase->arena, 4 * m, sizeof *w);
    double *begin = mrn_arena_take(phase->arena, 2 * m, sizeof *begin);
    Status *status = mrn_arena_take(phase->arena, m, sizeof *status);
    double *A = mrn_arena_take(phase->arena, 4 * m * m, sizeof *A);
    double *change = mrn_arena_take(phase->arena, 2 * m, sizeof *change);
    double *scratch = mrn_arena_take(phase->arena, 16 * m, sizeof *scratch);
    int *pivot = mrn_arena_take(phase->arena, 2 * m, sizeof *pivot);
    memcpy(begin, phase->impulse, 2 * m * sizeof *begin);
    size_t block_count;
    Block *blocks = find_blocks(phase, &block_count);
    for (size_t k = 0; k < block_count; k++)
        if (blocks[k].row == blocks[k].column) memcpy(w + 4 * blocks[k].row, blocks[k].value, sizeof blocks[k].value);
    mrn_phase_set_velocity(phase);
    for (int round = 0; round < MAX_ROUNDS; round++) {
        size_t n = find_statuses(phase, w, status);
        mrn_phase_set_velocity(phase);
        set_equations(phase, blocks, block_count, status, n, A, change);
        if (!mrn_dense_factorise(A, n, pivot, scratch, INFINITY)) break;
        mrn_dense_solve(A, n, pivot, change);
        for (size_t j = 0; j < m; j++) {
            double *p = phase->impulse + 2 * j;
            if (status[j].normal >= 0) p[0] += change[status[j].normal];
            if (status[j].tangent >= 0)
                p[1] += change[status[j].tangent];
            else
                p[1] = status[j].sense * (impact->contacts[j].friction * p[0] + phase->offset[j]);
        }
        mrn_phase_set_velocity(phase);
        if (mrn_phase_violation(phase) <= tolerance) {
            phase->count->statuses++;
            return true;
        }
    }
    memcpy(phase->impulse, begin, 2 * m * sizeof *begin);
    mrn_phase_set_velocity(phase);
    return false;
}
