// The model as the library sees it: plain arrays, one entry per body, constant during a run.
//
// The frame of a free body has its origin at the mass centre and its axes along the principal axes of inertia (Moreau
// 2003, 3.4), so that its mass matrix is constant and diagonal. Fixed and driven bodies keep the frame they were given
// in.
#ifndef MRN_MODEL_MODEL_H
#define MRN_MODEL_MODEL_H

#include "base/memory.h"
#include "geom/shape.h"
#include "model/environment.h"
#include "model/floe_mesh.h"
#include <moraine/model.h>
#include <math.h>

typedef struct MrnMaterial {
    char *name;
    double density;        ///< kg/m3, 2D kg/m2
    double volume_density; ///< kg/m3, 2D: of bodies with a thickness; 0: none
} MrnMaterial;

/// How a body is turned and moves at the start, as in MrnState (rotation[0] = angle in 2D, spin[2] in 2D).
typedef struct MrnStart {
    double rotation[4], velocity[3], spin[3];
} MrnStart;

/// What acts on a body beside gravity, all the time.
typedef struct MrnLoad {
    double force[3], torque[3];
} MrnLoad;

/// One body. No step looks at it but for forces, obstacles and what is not round.
typedef struct MrnBody {
    MrnBodyKind kind;
    int group;
    int first_shape, shape_count; ///< in MrnModel.shapes; equal bodies may have the same
    double mass;                  ///< kg; 0 for fixed and driven bodies
    double inertia[3];            ///< principal moments, kg m2; 2D uses [2]
    const MrnLoad *load;          ///< set by mrn_body_set_load; bodies without one share it
    double reach;                 ///< m, radius about the origin that holds all shapes; INFINITY if unbounded
    double size;                  ///< m, smallest mrn_shape_size of its shapes
    double birth;                 ///< s
    double collision_distance;    ///< m, of the event-driven stepper; 0: from the area
    int driver;                   ///< in MrnModel.drivers, or -1
    char *name;                   ///< NULL for bodies of a generator: then "body N"
    double position[3];           ///< m, at the start
    const MrnStart *start;        ///< set by mrn_body_set_start; bodies that are not turned and at rest share it
    double thickness;             ///< m, 2D: mean; 0: none given
    MrnFloeMesh *mesh;            ///< 2D: of free bodies with an environment or with a thickness that varies; else NULL
} MrnBody;

/// A law given for a pair of materials.
typedef struct MrnLawEntry {
    int material_a, material_b;
    MrnPairLaw law;
} MrnLawEntry;

/// What ends and brings bodies during a run.
typedef enum MrnLifeKind { MRN_LIFE_BREAKING = 1 } MrnLifeKind;

/// Some bodies were replaced by others, between two steps. See model/life.h.
typedef struct MrnLifeEvent {
    int64_t step;                     ///< steps done
    double time;                      ///< s
    int32_t kind;                     ///< MrnLifeKind
    double position[2];               ///< m, where: of a break, where the crack begins
    double energy;                    ///< J, spent
    int32_t first_ended, ended_count; ///< in MrnModel.ended
    int32_t first_born, born_count;   ///< bodies
} MrnLifeEvent;

struct MrnModel {
    int dimension;
    double gravity[3];
    MRN_ARRAY(MrnMaterial) materials;
    MRN_ARRAY(MrnLawEntry) laws; ///< the pairs that were given
    MrnPairLaw default_law;      ///< all the other pairs
    MRN_ARRAY(MrnBody) bodies;
    MRN_ARRAY(MrnShape) shapes; ///< in the frame of their body, prepared
    MRN_ARRAY(MrnDriver) drivers;
    MRN_ARRAY(MrnPush) pushes;            ///< in the order of their bodies
    bool periodic;                        ///< 2D: the plane repeats with this cell; positions tell whole trajectories
    double period_low[2], period_high[2]; ///< m
    MrnEnvironment *environment;          ///< 2D: wind, current, Coriolis; NULL: none. See mrn_environment_attach
    MRN_ARRAY(MrnSource) sources;
    MRN_ARRAY(int) late;            ///< bodies born after time 0 that come from no source and no event
    MRN_ARRAY(MrnLifeEvent) events; ///< of the run so far, in order; their bodies are the last ones
    MRN_ARRAY(int32_t) ended;       ///< bodies that events ended
    bool shares_environment;        ///< it belongs to the model that this one was copied from
};

/// 1/m and 1/I; 0 for fixed and driven bodies.
static inline double mrn_body_inverse_mass(const MrnBody *body) {
    return body->mass > 0 ? 1 / body->mass : 0;
}
static inline double mrn_body_inverse_inertia(const MrnBody *body, int axis) {
    return body->inertia[axis] > 0 ? 1 / body->inertia[axis] : 0;
}

/// How far from a body, whose mass centre is given, its image nearest to a point is, m. That is the one that touches
/// there, because no body reaches half a period. 0 where the plane does not repeat.
static inline void mrn_model_image(const MrnModel *model, const double *point, const double *centre, double shift[2]) {
    for (int k = 0; k < 2; k++) {
        double period = model->period_high[k] - model->period_low[k];
        shift[k] = model->periodic ? period * rint((point[k] - centre[k]) / period) : 0;
    }
}

/// Replace what a body starts with or what acts on it; `body` may be new and zero.
void mrn_body_set_start(MrnBody *body, int dimension, const MrnStart *start);
void mrn_body_set_load(MrnBody *body, const MrnLoad *load);
void mrn_body_free(MrnBody *body); ///< what belongs to it alone; not its shapes

/// The law between two materials.
MrnPairLaw mrn_model_law(const MrnModel *model, int material_a, int material_b);

/// Radius of a body that is one ball (2D: disc) about its origin; 0 for any other.
double mrn_model_ball_radius(const MrnModel *model, int body);

/// Pose (2D: rotation[0] angle, position x y; 3D: quaternion) and velocity of a driven body at time t. spin in space
/// axes; 2D uses spin[2].
void mrn_driver_state(const MrnModel *model, int body, double time, double position[3], double rotation[4],
                      double velocity[3], double spin[3]);

/// Hash of everything that changes the motion, as the scene gave it: without the bodies that events have brought.
uint64_t mrn_model_hash(const MrnModel *model);

#endif
