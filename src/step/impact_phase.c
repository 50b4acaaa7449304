// A phase by the cases of one contact, by sweeps, by its statuses, by Lemke's method, in this order.
#include "step/impact_phase.h"
#include "collide/floe.h"
#include "solve/lcp/lcp.h"

#include <stdlib.h>
#include <string.h>

#define SWEEP_TOLERANCE  1e-12 ///< change of relative velocities in a sweep, over the largest one
#define LARGE_TOLERANCE  1e-9  ///< that, of large groups, where the law may be violated by at most
#define LARGE_VIOLATION  1e-8  ///< this much of the largest relative velocity
#define MAX_SWEEPS       2000
#define STATUS_TOLERANCE 1e-11 ///< of the law, over the largest relative velocity
#define DENSE_MOST       400   ///< contacts of a group beyond which sweeps alone are tried
#define OUTLOOK          12    ///< sweeps between two looks at how fast they converge
#define RELAXED_RESIDUAL 1e-7  ///< of a complementarity problem whose rounding is too large for the tolerance

/// The law at one contact with Delassus block w and velocity u without its own impulse. False if no case fits.
static bool one_contact(const double w[4], const double u[2], double mu, double offset, double p[2]) {
    double slack = 1e-14 * (fabs(u[0]) + fabs(u[1]));
    // Open; friction of the normal impulse that was there already may still act.
    double beta = offset > 0 ? mrn_larger(-offset, mrn_smaller(offset, -u[1] / w[3])) : 0;
    if (u[0] + w[1] * beta >= -slack) {
        p[0] = 0, p[1] = beta;
        return true;
    }
    double det = w[0] * w[3] - w[1] * w[2];
    if (det > 0) {
        double lambda = (-w[3] * u[0] + w[1] * u[1]) / det;
        beta = (w[2] * u[0] - w[0] * u[1]) / det;
        if (lambda >= 0 && fabs(beta) <= mu * lambda + offset) {
            p[0] = lambda, p[1] = beta;
            return true;
        }
    }
    for (int k = 0; k < 2; k++) {
        double sign = u[1] > 0 ? (k ? 1 : -1) : (k ? -1 : 1); // against the sliding first
        double a = w[0] + sign * mu * w[1], lambda = -(u[0] + sign * offset * w[1]) / a;
        if (!(a > 0) || !(lambda >= 0)) continue;
        beta = sign * (mu * lambda + offset);
        if (sign * (u[1] + w[2] * lambda + w[3] * beta) > slack) continue;
        p[0] = lambda, p[1] = beta;
        return true;
    }
    return false;
}

void mrn_phase_set_velocity(MrnImpactPhase *phase) {
    const MrnImpact *impact = phase->impact;
    memcpy(phase->velocity, phase->start, 3 * impact->body_count * sizeof(double));
    for (size_t j = 0; j < impact->contact_count; j++)
        mrn_impact_apply(impact, &impact->contacts[j], phase->impulse[2 * j], phase->impulse[2 * j + 1],
                         phase->velocity);
}

/// What rounding does to the relative velocity at a contact, m/s: that of bodies that move fast together is known no
/// better.
static double rounding_at(const MrnImpactContact *contact, const double *velocity) {
    double speed = fabs(contact->obstacle.x) + fabs(contact->obstacle.y);
    for (int side = 0; side < 2; side++) {
        if (contact->body[side] < 0) continue;
        const double *w = velocity + 3 * contact->body[side];
        speed += fabs(w[0]) + fabs(w[1]) + fabs(w[2]) * (fabs(contact->arm[side].x) + fabs(contact->arm[side].y));
    }
    return 2.3e-16 * speed;
}

// Natural maps of Signorini's and Coulomb's conditions, scaled by the diagonal of the Delassus operator. (The distance
// from the solution of each contact for itself is no measure, because with much friction there may be several.)
double mrn_phase_violation(const MrnImpactPhase *phase) {
    const MrnImpact *impact = phase->impact;
    double worst = 0, scale = 0;
    for (size_t j = 0; j < impact->contact_count; j++) {
        const MrnImpactContact *contact = &impact->contacts[j];
        double u[2], start[2], w[4], rounding = 4 * rounding_at(contact, phase->velocity);
        mrn_impact_relative(impact, phase->velocity, contact, u);
        mrn_impact_relative(impact, phase->start, contact, start);
        scale = mrn_larger(scale, mrn_larger(fabs(start[0]), fabs(start[1])));
        mrn_impact_delassus(impact, contact, contact, w);
        const double *p = phase->impulse + 2 * j;
        double bound = contact->friction * p[0] + phase->offset[j];
        double wanted = mrn_larger(-bound, mrn_smaller(bound, p[1] - u[1] / w[3]));
        worst = mrn_larger(worst, fabs(mrn_smaller(u[0], w[0] * p[0])) - rounding);
        worst = mrn_larger(worst, w[3] * fabs(p[1] - wanted) - rounding);
    }
    return scale > 0 ? worst / scale : 0;
}

/// Sweeps of one-contact solutions from the present impulses (Jean's Gauss-Seidel process). `left` (may be NULL): how
/// far velocities still moved in the last of them, over the largest one at the start; then another method waits, and
/// sweeps that would not end in time are not begun.
static bool sweep(MrnImpactPhase *phase, int max_sweeps, double tolerance, double *left) {
    const MrnImpact *impact = phase->impact;
    size_t m = impact->contact_count;
    double *w = mrn_arena_take(phase->arena, 4 * m, sizeof *w), scale = 0, rounding = 0;
    for (size_t j = 0; j < m; j++) {
        double u[2];
        mrn_impact_delassus(impact, &impact->contacts[j], &impact->contacts[j], w + 4 * j);
        mrn_impact_relative(impact, phase->start, &impact->contacts[j], u);
        scale = mrn_larger(scale, mrn_larger(fabs(u[0]), fabs(u[1])));
        rounding = mrn_larger(rounding, rounding_at(&impact->contacts[j], phase->start));
    }
    double target = mrn_larger(mrn_larger(tolerance * scale, rounding), impact->slack);
    mrn_phase_set_velocity(phase);
    double earlier = INFINITY;
    for (int round = 1; round <= max_sweeps; round++) {
        double change = 0;
        bool lawful = true;
        phase->count->sweeps++;
        for (size_t k = 0; k < m; k++) {
            size_t j = round % 2 ? k : m - 1 - k; // to and fro: no direction is preferred
            const MrnImpactContact *contact = &impact->contacts[j];
            double u[2], p[2], *own = phase->impulse + 2 * j;
            const double *block = w + 4 * j;
            mrn_impact_relative(impact, phase->velocity, contact, u);
            for (int r = 0; r < 2; r++) u[r] -= block[2 * r] * own[0] + block[2 * r + 1] * own[1];
            if (!one_contact(block, u, contact->friction, phase->offset[j], p)) {
                p[0] = mrn_larger(0, -u[0] / block[0]), p[1] = 0;
                lawful = false;
            }
            double dn = p[0] - own[0], dt = p[1] - own[1];
            if (dn == 0 && dt == 0) continue;
            change = mrn_larger(change,
                                mrn_larger(fabs(block[0] * dn + block[1] * dt), fabs(block[2] * dn + block[3] * dt)));
            mrn_impact_apply(impact, contact, dn, dt, phase->velocity);
            own[0] = p[0], own[1] = p[1];
        }
        if (left) *left = change > rounding ? change / scale : 0;
        if (change <= target) {
            mrn_phase_set_velocity(phase);
            return lawful;
        }
        if (left && round % OUTLOOK == 0) { // another method waits: go on only if this one will be done in time
            double rate = log(earlier / change) / OUTLOOK;
            if (round > OUTLOOK && !(log(change / target) < rate * (max_sweeps - round))) break;
            earlier = change;
        }
    }
    mrn_phase_set_velocity(phase);
    return false;
}

/// Remember how far a phase is from its law. Returns true.
static bool note_residual(MrnImpactPhase *phase, double residual) {
    phase->count->worst_residual = mrn_larger(phase->count->worst_residual, residual);
    return true;
}

/// Criteria 2 and 3 of an accepted solve: energy, and velocities that do not approach (over the largest speed).
static bool acceptable(const MrnImpactPhase *phase, double energy_tolerance, double slack) {
    const MrnImpact *impact = phase->impact;
    double absorbed = 0;
    for (size_t j = 0; j < impact->contact_count; j++) {
        double u[2];
        mrn_impact_relative(impact, phase->start, &impact->contacts[j], u);
        absorbed += fabs(0.5 * phase->impulse[2 * j] * u[0]) + fabs(0.5 * phase->impulse[2 * j + 1] * u[1]);
    }
    return mrn_impact_work(impact, phase->impulse, phase->start, phase->velocity) <= energy_tolerance * absorbed &&
           mrn_impact_is_admissible(impact, phase->velocity, slack * mrn_impact_speed(impact, phase->start));
}

static bool lemke(MrnImpactPhase *phase) {
    const MrnImpact *impact = phase->impact;
    size_t m = impact->contact_count, n = 4 * m;
    MrnLcp *lcp = mrn_lcp_new_dense(n);
    mrn_impact_matrix(impact, lcp->dense);
    for (size_t j = 0; j < m; j++) {
        double u[2];
        mrn_impact_relative(impact, phase->start, &impact->contacts[j], u);
        lcp->vector[j] = u[0];
        lcp->vector[m + 2 * j] = u[1];
        lcp->vector[m + 2 * j + 1] = -u[1];
        lcp->vector[3 * m + j] = phase->offset[j];
    }
    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.solver = "lemke";
    settings.tolerance = phase->settings->lcp_tolerance;
    settings.variants = phase->settings->variants;
    settings.perturbations = phase->settings->perturbations;
    settings.perturbed = 3 * m; // the last m rows and columns are ones and coefficients of friction: exact
    double *z = mrn_arena_take(phase->arena, n, sizeof *z);
    memset(z, 0, n * sizeof *z);
    MrnLcpSolution solution = {.z = z};
    MrnLcpInfo info = {0};
    // Where rounding keeps the residual above the tolerance, energy and admissible velocities decide.
    bool solved = mrn_lcp_solve(lcp, &settings, &solution, &info, NULL) && info.residual <= RELAXED_RESIDUAL;
    for (size_t j = 0; j < m; j++) {
        phase->impulse[2 * j] = z[j];
        phase->impulse[2 * j + 1] = z[m + 2 * j] - z[m + 2 * j + 1];
    }
    mrn_phase_set_velocity(phase);
    mrn_lcp_free(lcp);
    bool relaxed = info.residual > settings.tolerance || !acceptable(phase, phase->settings->energy_tolerance, 1e-9);
    solved = solved && (!relaxed || acceptable(phase, phase->settings->relaxed_energy_tolerance, 1e-6));
    phase->count->lemke += solved;
    phase->count->retries += solved && info.tries > 1;
    phase->count->perturbed += solved && info.tries > settings.variants;
    phase->count->relaxed += solved && relaxed;
    if (solved) note_residual(phase, mrn_larger(info.residual, mrn_phase_violation(phase)));
    return solved;
}

/// The last resort: no friction, no restitution; always admissible and dissipative.
static void frictionless(MrnImpactPhase *phase) {
    const MrnImpact *impact = phase->impact;
    size_t m = impact->contact_count;
    MrnImpact smooth = *impact;
    smooth.contacts = mrn_arena_take(phase->arena, m, sizeof *smooth.contacts);
    memcpy(smooth.contacts, impact->contacts, m * sizeof *smooth.contacts);
    for (size_t j = 0; j < m; j++) smooth.contacts[j].friction = 0;
    double *offset = mrn_arena_take(phase->arena, m, sizeof *offset);
    memset(offset, 0, m * sizeof *offset);
    memset(phase->impulse, 0, 2 * m * sizeof *phase->impulse);
    MrnImpactPhase plain = *phase;
    plain.impact = &smooth;
    plain.offset = offset;
    sweep(&plain, 50 * MAX_SWEEPS, SWEEP_TOLERANCE, NULL);
}

bool mrn_phase_solve(MrnImpactPhase *phase) {
    const MrnImpact *impact = phase->impact;
    const MrnEventDrivenSettings *settings = phase->settings;
    size_t m = impact->contact_count;
    int quick = settings->quick_sweeps;
    phase->count->solves++;
    memset(phase->impulse, 0, 2 * m * sizeof *phase->impulse);
    if (m == 1) {
        double w[4], u[2];
        mrn_impact_relative(impact, phase->start, &impact->contacts[0], u);
        mrn_impact_delassus(impact, &impact->contacts[0], &impact->contacts[0], w);
        bool solved = one_contact(w, u, impact->contacts[0].friction, phase->offset[0], phase->impulse);
        mrn_phase_set_velocity(phase);
        if (solved) return true;
    }
    // Most groups are nearly chains, which a few sweeps solve to rounding. The others have mostly found their statuses
    // by then. Of groups that stop at a slack, and of large ones, the certificate is taken at the end; small ones stop
    // at rounding, and how far the last sweep went says it.
    double left = 0;
    if (quick && sweep(phase, quick, m > 8 ? LARGE_TOLERANCE : SWEEP_TOLERANCE, &left)) {
        double residual = m > 8 || impact->slack > 0 ? mrn_phase_violation(phase) : left;
        if (m <= 8 || impact->slack > 0 || residual <= LARGE_VIOLATION) return note_residual(phase, residual);
    }
    if (quick && m <= DENSE_MOST && mrn_phase_solve_statuses(phase, STATUS_TOLERANCE))
        return note_residual(phase, mrn_phase_violation(phase));
    bool dense = m <= (size_t)settings->dense_limit;
    if (dense) {
        memset(phase->impulse, 0, 2 * m * sizeof *phase->impulse);
        if (lemke(phase)) return true;
        phase->count->replaced++;
        memset(phase->impulse, 0, 2 * m * sizeof *phase->impulse);
    }
    if (sweep(phase, MAX_SWEEPS, LARGE_TOLERANCE, NULL)) {
        double residual = mrn_phase_violation(phase);
        if (residual <= LARGE_VIOLATION) return note_residual(phase, residual);
    }
    if (!dense && m <= DENSE_MOST) { // exact, but its cost grows with the cube of m
        phase->count->unswept++;
        if (lemke(phase)) return true;
        memset(phase->impulse, 0, 2 * m * sizeof *phase->impulse);
        sweep(phase, MAX_SWEEPS, SWEEP_TOLERANCE, NULL);
    }
    // tol1 -> infinity: energy and admissible velocities alone decide.
    sweep(phase, 10 * MAX_SWEEPS, SWEEP_TOLERANCE, NULL);
    if (acceptable(phase, settings->relaxed_energy_tolerance, 1e-4)) {
        phase->count->relaxed++;
        return note_residual(phase, mrn_phase_violation(phase));
    }
    phase->count->failures++;
    frictionless(phase);
    note_residual(phase, mrn_phase_violation(phase));
    return false;
}
