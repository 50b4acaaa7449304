// One collision: a set of rigid bodies in the plane, their contacts, and the jump of their velocities (Rabatel 2015,
// 1.1.2; specification of floes 1.8 to 1.10, 2.4).
//
// Two phases of Poisson's law with Coulomb friction, each a complementarity problem; control of the energy with two
// fallbacks. What always holds after mrn_impact_solve: linear and angular momentum of a set without obstacles is kept
// to rounding; the kinetic energy seen from the obstacles does not grow by more than the tolerance; |tangent impulse|
// <= friction times normal impulse.
#ifndef MRN_STEP_IMPACT_H
#define MRN_STEP_IMPACT_H

#include "base/memory.h"
#include "base/vec.h"
#include <moraine/world.h>

typedef struct MrnImpactContact {
    int body[2];    ///< among the bodies of the impact; -1: an obstacle
    MrnVec2 normal; ///< N, from body[0] to body[1]; T = (N_y, -N_x)
    MrnVec2 arm[2]; ///< from the mass centres to the contact point
    double friction, restitution;
    MrnVec2 obstacle;           ///< what obstacles add to the velocity of body[1] relative to body[0] at the point
    double impulse[2];          ///< out: normal and tangential, N s, on body[1]; body[0] gets the opposite
    double before[2], after[2]; ///< out: normal and tangential relative velocity
} MrnImpactContact;

typedef struct MrnImpact {
    size_t body_count;
    const double *inverse; ///< 1/M, 1/I per body
    double *velocity;      ///< v_x, v_y, omega per body; in: W-, out: W+
    size_t contact_count;
    MrnImpactContact *contacts;
    double slack; ///< m/s: sweeps may stop when relative velocities change by less than this; 0: solve to rounding
} MrnImpact;

/// How the law was applied.
typedef enum MrnImpactLaw {
    MRN_IMPACT_POISSON, ///< both phases
    MRN_IMPACT_NEWTON,  ///< (1 + e) W^c - e W^-, because the energy would have grown
    MRN_IMPACT_PLASTIC  ///< W^c, because Newton's law would have left contacts that approach
} MrnImpactLaw;

/// Counters, added up over calls.
typedef struct MrnImpactCount {
    int64_t solves;    ///< phases
    int64_t statuses;  ///< solved by their statuses
    int64_t lemke;     ///< solved by Lemke's method
    int64_t retries;   ///< of them after more than one try
    int64_t perturbed; ///< of them with a perturbed matrix
    int64_t replaced;  ///< handed to sweeps after Lemke's method failed in all its tries
    int64_t unswept;   ///< handed to Lemke's method after sweeps failed on a large group
    int64_t relaxed;   ///< taken for their energy alone
    int64_t failures;  ///< no acceptable solution: frictionless and plastic
    int64_t newton, plastic;
    int64_t sweeps;
    /// Of all phases: the largest relative velocity by which a contact misses its law, over the largest one at the
    /// start.
    double worst_residual;
    double momentum_defect; ///< N s: what the bodies of each impact gained less what obstacles gave them, summed up
} MrnImpactCount;

/// Phases of one impact, for tests: impulses and velocities of each.
typedef struct MrnImpactPhases {
    double *compression;   ///< normal, tangential per contact
    double *decompression; ///< total normal (e lambda^c + extra), tangential per contact
    double *velocity_c;    ///< W^c, 3 per body
} MrnImpactPhases;

/// Solve. Scratch comes from the arena. `phases` may be NULL, or its arrays are filled.
MrnImpactLaw mrn_impact_solve(MrnImpact *impact, const MrnEventDrivenSettings *settings, MrnArena *arena,
                              MrnImpactCount *count, const MrnImpactPhases *phases);

/// Normal and tangential relative velocity of a contact.
void mrn_impact_relative(const MrnImpact *impact, const double *velocity, const MrnImpactContact *contact, double u[2]);
/// Velocities change by M^-1 (J lambda + B beta) of one contact.
void mrn_impact_apply(const MrnImpact *impact, const MrnImpactContact *contact, double normal, double tangent,
                      double *velocity);
/// The matrix of the condensed problem, 4m x 4m row-major (specification of floes 2.4.2).
void mrn_impact_matrix(const MrnImpact *impact, double *matrix);

#endif
