// Breaking of floes at impact.
//
// Steppers report the blows that bodies receive in a step: where, with which impulse, and how much energy was lost
// there. After the step a floe whose blows (and what it still remembers of earlier ones) have lost at least the energy
// of the crack that the hardest of them would open is replaced by two pieces. docs/floes.md has the equations.
//
// What always holds: mass, momentum, angular momentum about any point and kinetic energy stay the same; the pieces lie
// within the floe that broke, so nothing new overlaps; the fracture energy of a step is part of what its contacts have
// dissipated, or of what earlier ones had.
#ifndef MRN_STEP_BREAKING_H
#define MRN_STEP_BREAKING_H

#include "step/world.h"

/// Blows of one body by another in a step, added up.
struct MrnBlow {
    int32_t body, other;
    size_t order;    ///< in which it was reported
    MrnVec2 point;   ///< m, body frame; weighted by the size of the impulse
    MrnVec2 impulse; ///< N s, on the body, body frame
    double weight;   ///< N s
    double energy;   ///< J
};

/// A contact as both of its bodies see it.
typedef struct MrnBlowPair {
    int32_t body[2];
    MrnVec2 arm[2];    ///< m, from the mass centre to the contact, on the axes of space
    double turn[2][2]; ///< cosine and sine of the angle of each body
    MrnVec2 impulse;   ///< N s, on the second body, in space
    double energy;     ///< J, lost in the contact
} MrnBlowPair;

/// Settings and model must fit; called when a world is made.
bool mrn_breaking_check(const MrnBreakingSettings *settings, const MrnModel *model, const char *stepper,
                        MrnError *error);
/// A contact has received an impulse. Does nothing in worlds whose bodies do not break.
void mrn_breaking_report(MrnWorld *world, const MrnBlowPair *pair);
/// Break what must break. After the step; the stepper learns of new bodies before the next one.
void mrn_breaking_apply(MrnWorld *world, MrnStepInfo *info);

#endif
