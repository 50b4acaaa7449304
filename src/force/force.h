// Applied forces: what acts on the bodies besides contact.
#ifndef MRN_FORCE_FORCE_H
#define MRN_FORCE_FORCE_H

#include "model/model.h"
#include "model/state.h"

/// Velocity after a step of length `time_step` without contact: u + h A^-1 F(t_m, q_m, u) (Moreau 2003, 4.3), for one
/// free body. `pose` is the mid-step pose; velocity: dimension numbers; spin: 1 or 3 numbers on the principal axes.
/// Gravity, constant force and couple, gyroscopic term.
void mrn_free_velocity(const MrnModel *model, const MrnBody *body, const MrnPose *pose, double time_step,
                       const double *velocity, const double *spin, double *free_velocity, double *free_spin);

/// Add what the pushes of a body give it from `time` to `time + h`.
void mrn_add_pushes(const MrnModel *model, size_t body, const MrnPose *pose, double time, double h,
                    double *free_velocity, double *free_spin);

/// Potential energy of gravity and of the constant force of one body at `position`, J.
double mrn_potential_energy(const MrnModel *model, const MrnBody *body, const double *position);

#endif
