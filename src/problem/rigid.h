// From contacts between rigid bodies to the one-step problem, for each dimension.
#ifndef MRN_PROBLEM_RIGID_H
#define MRN_PROBLEM_RIGID_H

#include "base/memory.h"
#include "base/threads.h"
#include "collide/contact.h"
#include <moraine/world.h>
#include <stdbool.h>

/// Everything that the problem of one step depends on. Velocities: dof = 3 or 6 numbers per body, linear, then spin on
/// body axes.
typedef struct MrnRigidInput {
    const MrnModel *model;
    const MrnScheme *scheme;
    const MrnPairLaw *laws; ///< material_count squared
    const MrnPose *poses;   ///< mid-step
    const int *rank;        ///< per body: its number among the bodies with mass, or -1
    size_t free_count;
    const double *velocity,
        *spin;             ///< at the start of the step, dimension and 1 or 3 per body; of obstacles: at mid-step
    const double *free;    ///< at its end if there were no contact, dof per body; of obstacles: the same
    const double *scaling; ///< M^(-1/2) per body: 1/sqrt(m), then 1/sqrt(I) of each axis; 0 for obstacles
    size_t scales;         ///< numbers per body of it; 2: one moment of inertia for all axes
    const int32_t *ranked; ///< the bodies with mass by their numbers; NULL: ask `rank` of all
    bool round;            ///< all bodies with mass are balls
    const MrnContact *contacts;
    size_t contact_count;
    double gap_tolerance;  ///< m: contacts this close count as touching
    double recovery_speed; ///< m/s
    MrnThreads *threads;
} MrnRigidInput;

/// Fill `problem` (arrays from the arena; do not free it). `*rolling` receives, per contact, the index of its rolling
/// couple in the problem or -1; NULL where there are none.
void mrn_rigid_problem_2d(const MrnRigidInput *input, MrnArena *arena, MrnProblem *problem, int **rolling);
void mrn_rigid_problem_3d(const MrnRigidInput *input, MrnArena *arena, MrnProblem *problem, int **rolling);

/// Rows n, t1, t2 of a contact in space; 2D uses the first two rows and columns, the rest is zero.
void mrn_contact_frame_2d(const MrnContact *contact, const MrnPairLaw *law, double frame[3][3]);
void mrn_contact_frame_3d(const MrnContact *contact, const MrnPairLaw *law, double frame[3][3]);
/// Velocity in space of the point of a body at `position`; `spin` on body axes.
static inline MrnVec3 mrn_point_velocity_2d(const MrnPose *pose, const double *velocity, const double *spin,
                                            const double *position) {
    double rx = position[0] - pose->position.x, ry = position[1] - pose->position.y;
    return mrn_vec3(velocity[0] - spin[0] * ry, velocity[1] + spin[0] * rx, 0);
}
static inline MrnVec3 mrn_point_velocity_3d(const MrnPose *pose, const double *velocity, const double *spin,
                                            const double *position) {
    MrnVec3 turning = mrn_mat3_times(&pose->rotation, mrn_load3(spin));
    return mrn_add3(mrn_load3(velocity), mrn_cross3(turning, mrn_sub3(mrn_load3(position), pose->position)));
}

#endif
