// The world as steppers see it.
#ifndef MRN_STEP_WORLD_H
#define MRN_STEP_WORLD_H

#include "base/threads.h"
#include "collide/contact.h"
#include "problem/rigid.h"
#include "solve/solver.h"
#include "step/stepper.h"

#define MRN_LOADED 128 ///< in MrnWorld.kinds: a force or a couple acts on the body

typedef struct MrnBlow MrnBlow; ///< see step/breaking.h

struct MrnWorld {
    const MrnModel *model;
    MrnModel *grown; ///< the same, where bodies may break: a copy that belongs to the world; else NULL
    size_t known;    ///< bodies that the arrays below, the collider and the stepper know of
    MrnScheme scheme;
    MrnState *state;
    MrnThreads *threads;
    MrnCollider *collider;
    const struct MrnStepper *stepper;
    MrnPairLaw *laws;      ///< material_count squared
    double smallest;       ///< m, size of the smallest free body (of any body if none is free)
    double gap_tolerance;  ///< m
    double recovery_speed; ///< m/s

    uint8_t *kinds;    ///< MrnBodyKind per body, and MRN_LOADED, packed: most loops ask for it
    bool fixed_placed; ///< poses and margins of fixed bodies are those of mid-step already
    uint8_t *posed;    ///< per body: its pose has its rotation, if it does not turn
    uint8_t *needs;    ///< per body: MrnNeed of this step; without MRN_NEED_ALL pose and `free` are not made
    int *rank;         ///< per body: number among the free active bodies of the problem; -1: obstacles and the others
    size_t free_count;
    bool all_ranked;           ///< all free active bodies have a number
    MRN_ARRAY(int32_t) ranked; ///< otherwise: those that have one
    MrnPose *poses;            ///< mid-step
    double *free;              ///< velocities at the end of the step, first without contact; dof per body
    size_t scales;   ///< numbers per body of `scaling` and `inertia`: 2 where all bodies turn about all axes alike
    double *scaling; ///< M^(-1/2) per body: 1/sqrt(m), then 1/sqrt(I) of each axis; 0 for obstacles
    double *inertia; ///< m, then I of each axis
    bool may_roll;   ///< a law resists rolling
    bool round;      ///< all free bodies are balls about their mass centre
    double *margins;

    MrnArena arena;     ///< holds what the last step leaves for readers, until the next step
    MrnArena scratch;   ///< of the solver
    MrnProblem problem; ///< of the last step
    const MrnContact *contacts;
    int *rolling; ///< per contact: index of its rolling couple in the problem, or -1; NULL: there are none
    size_t contact_count;
    double *impulse, *velocity; ///< solution of the last step, dimension per block of the problem
    double *guess;              ///< where the solve of the last step began, if somebody may ask; else NULL
    bool keeps_guess;           ///< somebody may
    bool has_step;              ///< the problem and contacts of the last step are there to be read

    MRN_ARRAY(MrnBlow) blows; ///< of this step

    void *own; ///< what the stepper keeps beside the state; made by MrnStepper.open
};

/// One row per stepper. A step advances the world by scheme.time_step, whatever shorter steps it takes within.
typedef struct MrnStepper {
    const char *name;
    const char *summary;
    bool (*open)(MrnWorld *world, MrnError *error); ///< check the model, make world->own; NULL: nothing to do
    void (*close)(MrnWorld *world);                 ///< release world->own; NULL: nothing to do
    void (*state_changed)(MrnWorld *world);         ///< the state was read from a checkpoint; NULL: nothing to do
    bool (*step)(MrnWorld *world, MrnStepInfo *info, MrnError *error);
    /// Contacts of the last step, for readers; NULL: those of world->problem.
    size_t (*contact_count)(const MrnWorld *world);
    MrnContactView (*contact)(const MrnWorld *world, size_t index);
} MrnStepper;

bool mrn_moreau_jean_step_2d(MrnWorld *world, MrnStepInfo *info, MrnError *error);
bool mrn_moreau_jean_step_3d(MrnWorld *world, MrnStepInfo *info, MrnError *error);

#endif
