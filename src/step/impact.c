// One collision: compression, decompression, energy control. Each phase is solved in impact_phase.c.
#include "step/impact.h"
#include "collide/floe.h"
#include "step/impact_phase.h"

#include <string.h>

#define ENERGY_ROUNDING 1e-9 ///< growth of the energy over what compression absorbed that counts as rounding

void mrn_impact_relative(const MrnImpact *impact, const double *velocity, const MrnImpactContact *contact,
                         double u[2]) {
    MrnVec2 v = contact->obstacle, n = contact->normal;
    for (int side = 0; side < 2; side++) {
        if (contact->body[side] < 0) continue;
        const double *w = velocity + 3 * contact->body[side];
        double sign = side ? 1 : -1;
        v.x += sign * (w[0] - w[2] * contact->arm[side].y);
        v.y += sign * (w[1] + w[2] * contact->arm[side].x);
    }
    u[0] = v.x * n.x + v.y * n.y;
    u[1] = v.x * n.y - v.y * n.x;
    (void)impact;
}

void mrn_impact_apply(const MrnImpact *impact, const MrnImpactContact *contact, double normal, double tangent,
                      double *velocity) {
    MrnVec2 n = contact->normal, p = {normal * n.x + tangent * n.y, normal * n.y - tangent * n.x};
    for (int side = 0; side < 2; side++) {
        if (contact->body[side] < 0) continue;
        double *w = velocity + 3 * contact->body[side];
        const double *inverse = impact->inverse + 2 * contact->body[side];
        double sign = side ? 1 : -1;
        w[0] += sign * inverse[0] * p.x;
        w[1] += sign * inverse[0] * p.y;
        w[2] += sign * inverse[1] * mrn_cross2(contact->arm[side], p);
    }
}

/// Block of the Delassus operator between two contacts: rows n, t of the first, columns n, t of the second.
void mrn_impact_delassus(const MrnImpact *impact, const MrnImpactContact *a, const MrnImpactContact *b, double w[4]) {
    w[0] = w[1] = w[2] = w[3] = 0;
    for (int i = 0; i < 2; i++)
        for (int k = 0; k < 2; k++) {
            if (a->body[i] < 0 || a->body[i] != b->body[k]) continue;
            const double *inverse = impact->inverse + 2 * a->body[i];
            double sign = i == k ? 1 : -1;
            MrnVec2 direction_a[2] = {a->normal, {a->normal.y, -a->normal.x}};
            MrnVec2 direction_b[2] = {b->normal, {b->normal.y, -b->normal.x}};
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++)
                    w[2 * r + c] += sign * (inverse[0] * mrn_dot2(direction_a[r], direction_b[c]) +
                                            inverse[1] * mrn_cross2(a->arm[i], direction_a[r]) *
                                                mrn_cross2(b->arm[k], direction_b[c]));
        }
}

void mrn_impact_matrix(const MrnImpact *impact, double *A) {
    size_t m = impact->contact_count, n = 4 * m;
    memset(A, 0, n * n * sizeof *A);
    for (size_t i = 0; i < m; i++)
        for (size_t j = 0; j < m; j++) {
            double w[4];
            mrn_impact_delassus(impact, &impact->contacts[i], &impact->contacts[j], w);
            A[i * n + j] = w[0];
            for (int c = 0; c < 2; c++) A[i * n + m + 2 * j + (size_t)c] = c ? -w[1] : w[1];
            for (int r = 0; r < 2; r++) A[(m + 2 * i + (size_t)r) * n + j] = r ? -w[2] : w[2];
            for (int r = 0; r < 2; r++)
                for (int c = 0; c < 2; c++)
                    A[(m + 2 * i + (size_t)r) * n + m + 2 * j + (size_t)c] = (r == c ? 1 : -1) * w[3];
        }
    for (size_t i = 0; i < m; i++) {
        for (int r = 0; r < 2; r++) {
            A[(m + 2 * i + (size_t)r) * n + 3 * m + i] = 1;
            A[(3 * m + i) * n + m + 2 * i + (size_t)r] = -1;
        }
        A[(3 * m + i) * n + i] = impact->contacts[i].friction;
    }
}

/// Work of the impulses of a phase on the relative velocities: the growth of the energy seen from the obstacles.
double mrn_impact_work(const MrnImpact *impact, const double *impulse, const double *before, const double *after) {
    double work = 0;
    for (size_t j = 0; j < impact->contact_count; j++) {
        double u[2], v[2];
        mrn_impact_relative(impact, before, &impact->contacts[j], u);
        mrn_impact_relative(impact, after, &impact->contacts[j], v);
        for (int r = 0; r < 2; r++) work += 0.5 * impulse[2 * j + (size_t)r] * (u[r] + v[r]);
    }
    return work;
}

/// Normal velocities after a phase are admissible, up to `slack` m/s.
bool mrn_impact_is_admissible(const MrnImpact *impact, const double *velocity, double slack) {
    for (size_t j = 0; j < impact->contact_count; j++) {
        double u[2];
        mrn_impact_relative(impact, velocity, &impact->contacts[j], u);
        if (!(u[0] >= -slack)) return false;
    }
    return true;
}

double mrn_impact_speed(const MrnImpact *impact, const double *velocity) {
    double scale = 0;
    for (size_t j = 0; j < impact->contact_count; j++) {
        double u[2];
        mrn_impact_relative(impact, velocity, &impact->contacts[j], u);
        scale = mrn_larger(scale, mrn_larger(fabs(u[0]), fabs(u[1])));
    }
    return scale;
}

/// Momentum in space that the bodies of an impact gained, less what obstacles gave them: rounding alone.
static void check_momentum(const MrnImpact *impact, const double *start, MrnImpactCount *count) {
    MrnVec2 gained = {0, 0};
    for (size_t b = 0; b < impact->body_count; b++) {
        const double *after = impact->velocity + 3 * b, *before = start + 3 * b;
        gained.x += (after[0] - before[0]) / impact->inverse[2 * b];
        gained.y += (after[1] - before[1]) / impact->inverse[2 * b];
    }
    for (size_t j = 0; j < impact->contact_count; j++) {
        const MrnImpactContact *contact = &impact->contacts[j];
        MrnVec2 n = contact->normal;
        const double *p = contact->impulse;
        if (contact->body[0] >= 0 && contact->body[1] >= 0) continue;
        MrnVec2 impulse = {p[0] * n.x + p[1] * n.y, p[0] * n.y - p[1] * n.x}; // on body[1]
        gained = mrn_add2(gained, mrn_scale2(contact->body[1] >= 0 ? -1 : 1, impulse));
    }
    count->momentum_defect += mrn_norm2(gained);
}

MrnImpactLaw mrn_impact_solve(MrnImpact *impact, const MrnEventDrivenSettings *settings, MrnArena *arena,
                              MrnImpactCount *count, const MrnImpactPhases *phases) {
    size_t m = impact->contact_count, n = 3 * impact->body_count;
    double *compression = mrn_arena_take(arena, 2 * m, sizeof(double)),
           *decompression = mrn_arena_take(arena, 2 * m, sizeof(double));
    double *offset = mrn_arena_take(arena, m, sizeof(double)), *start = mrn_arena_take(arena, n, sizeof(double));
    double *velocity_c = mrn_arena_take(arena, n, sizeof(double)), *pushed = mrn_arena_take(arena, n, sizeof(double));
    double *end = mrn_arena_take(arena, n, sizeof(double));
    memcpy(start, impact->velocity, n * sizeof(double));
    for (size_t j = 0; j < m; j++) {
        offset[j] = 0;
        mrn_impact_relative(impact, start, &impact->contacts[j], impact->contacts[j].before);
    }
    MrnImpactPhase phase = {.impact = impact,
                            .settings = settings,
                            .arena = arena,
                            .count = count,
                            .start = start,
                            .offset = offset,
                            .impulse = compression,
                            .velocity = velocity_c};
    bool regular = mrn_phase_solve(&phase);

    double absorbed = 0, least = 1;
    bool restitution = false;
    memcpy(pushed, velocity_c, n * sizeof(double));
    for (size_t j = 0; j < m; j++) {
        const MrnImpactContact *contact = &impact->contacts[j];
        double give = contact->restitution * compression[2 * j];
        restitution = restitution || give > 0;
        least = mrn_smaller(least, contact->restitution);
        absorbed += fabs(0.5 * compression[2 * j] * contact->before[0]);
        offset[j] = settings->friction_by_extra ? 0 : contact->friction * give;
        if (give > 0) mrn_impact_apply(impact, contact, give, 0, pushed);
    }
    MrnImpactLaw law = MRN_IMPACT_POISSON;
    memset(decompression, 0, 2 * m * sizeof(double));
    memcpy(end, velocity_c, n * sizeof(double));
    if (restitution && regular) {
        phase.start = pushed, phase.impulse = decompression, phase.velocity = end;
        regular = mrn_phase_solve(&phase);
        for (size_t j = 0; j < m; j++) decompression[2 * j] += impact->contacts[j].restitution * compression[2 * j];
        if (!regular) { // the extra impulses are not to be trusted: stay at the end of compression
            memset(decompression, 0, 2 * m * sizeof(double));
            memcpy(end, velocity_c, n * sizeof(double));
        }
    }
    if (phases) {
        memcpy(phases->compression, compression, 2 * m * sizeof(double));
        memcpy(phases->decompression, decompression, 2 * m * sizeof(double));
        memcpy(phases->velocity_c, velocity_c, n * sizeof(double));
    }
    double *total = decompression;
    for (size_t k = 0; k < 2 * m; k++) total[k] += compression[k];
    if (mrn_impact_work(impact, total, start, end) > ENERGY_ROUNDING * absorbed) {
        law = MRN_IMPACT_NEWTON;
        count->newton++;
        for (size_t k = 0; k < n; k++) end[k] = (1 + least) * velocity_c[k] - least * start[k];
        for (size_t k = 0; k < 2 * m; k++) total[k] = (1 + least) * compression[k];
        if (!mrn_impact_is_admissible(impact, end, 1e-9 * mrn_impact_speed(impact, start))) {
            law = MRN_IMPACT_PLASTIC;
            count->plastic++;
            memcpy(end, velocity_c, n * sizeof(double));
            memcpy(total, compression, 2 * m * sizeof(double));
        }
    }
    memcpy(impact->velocity, end, n * sizeof(double));
    for (size_t j = 0; j < m; j++) {
        memcpy(impact->contacts[j].impulse, total + 2 * j, sizeof impact->contacts[j].impulse);
        mrn_impact_relative(impact, end, &impact->contacts[j], impact->contacts[j].after);
    }
    check_momentum(impact, start, count);
    return law;
}
