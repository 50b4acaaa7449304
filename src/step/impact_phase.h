// A phase of a collision: given velocities W and friction offsets l_j >= 0, find lambda, beta with
//     0 <= u_n _|_ lambda >= 0,  |beta| <= mu lambda + l,  sliding opposed to beta,
//     u = (J, B)^T (W + M^-1 (J lambda + B beta)).
// Compression has l = 0 and W = W^-; decompression starts from W^c + M^-1 J e lambda^c with l = mu e lambda^c, so that
// friction is bounded by the total normal impulse (or l = 0: the literal text).
#ifndef MRN_STEP_IMPACT_PHASE_H
#define MRN_STEP_IMPACT_PHASE_H

#include "step/impact.h"

typedef struct MrnImpactPhase {
    const MrnImpact *impact;
    const MrnEventDrivenSettings *settings;
    MrnArena *arena;
    MrnImpactCount *count;
    const double *start;  ///< velocities before the phase, 3 per body
    const double *offset; ///< l per contact
    double *impulse;      ///< lambda, beta per contact
    double *velocity;     ///< after, 3 per body
} MrnImpactPhase;

/// Solve a phase. False if only the last resort was left: no friction.
bool mrn_phase_solve(MrnImpactPhase *phase);

/// From the present impulses: guess which contacts are open, stick and slide, solve the linear equations of the guess,
/// look again, until the guess holds. False, with the impulses as they were, if it does not come to that.
bool mrn_phase_solve_statuses(MrnImpactPhase *phase, double tolerance);

/// Velocities from the start and the impulses.
void mrn_phase_set_velocity(MrnImpactPhase *phase);
/// The certificate of a phase: by how much relative velocity a contact misses its law, at most, over the largest one at
/// the start. Zero if and only if the law holds.
double mrn_phase_violation(const MrnImpactPhase *phase);

/// Block of the Delassus operator between two contacts: rows n, t of the first, columns n, t of the second.
void mrn_impact_delassus(const MrnImpact *impact, const MrnImpactContact *a, const MrnImpactContact *b, double w[4]);
/// Work of impulses on the relative velocities: the growth of the energy seen from the obstacles.
double mrn_impact_work(const MrnImpact *impact, const double *impulse, const double *before, const double *after);
/// Normal velocities do not approach by more than `slack` m/s.
bool mrn_impact_is_admissible(const MrnImpact *impact, const double *velocity, double slack);
/// The largest relative velocity, m/s.
double mrn_impact_speed(const MrnImpact *impact, const double *velocity);

#endif
