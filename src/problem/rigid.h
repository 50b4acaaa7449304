// From contacts between rigid bodies to the one-step problem, for each dimension.
#ifndef MRN_PROBLEM_RIGID_H
#define MRN_PROBLEM_RIGID_H

#include "base/memory.h"
#include "base/threads.h"
#include "collide/contact.h"
#include <moraine/world.h>

/// Everything that the problem of one step depends on. Velocities have dof = 3 or 6 numbers per body: linear, then spin
/// on body axes.
typedef struct MrnRigidInput {
    const MrnModel *model;
    const MrnScheme *scheme;
    const MrnPairLaw *laws; ///< material_count squared
    const MrnPose *poses;   ///< mid-step
    const int *rank;        ///< per body: its number among the bodies with mass, or -1
    size_t free_count;
    const double *start;   ///< velocity at the start of the step; of obstacles: their velocity at mid-step
    const double *free;    ///< velocity at its end if there were no contact; of obstacles: the same as start
    const double *scaling; ///< M^(-1/2): dof numbers per body, 0 for obstacles
    const MrnContact *contacts;
    size_t contact_count;
    double gap_tolerance;  ///< m: contacts this close count as touching
    double recovery_speed; ///< m/s
    MrnThreads *threads;
} MrnRigidInput;

/// What the stepper needs to know of each contact besides the problem.
typedef struct MrnRigidContact {
    double frame[3][3]; ///< rows n, t1, t2 in space
    double start[3];    ///< relative velocity at the start of the step, in the frame
    double free_normal; ///< normal relative velocity that would be without contact: q_n less restitution, gap and
                        ///< recovery terms
    double obstacle[3]; ///< part of the relative velocity that comes from obstacles (W of Moreau 2003), in the frame
    int rolling;        ///< index of the rolling couple in the problem, or -1
} MrnRigidContact;

/// Fill `problem` (arrays from the arena; do not free it) and `details`, contact_count entries.
void mrn_rigid_problem_2d(const MrnRigidInput *input, MrnArena *arena, MrnProblem *problem, MrnRigidContact *details);
void mrn_rigid_problem_3d(const MrnRigidInput *input, MrnArena *arena, MrnProblem *problem, MrnRigidContact *details);

#endif
