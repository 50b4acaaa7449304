// The life of bodies during a run: events that replace some bodies by others between two steps.
//
// An event ends a set of bodies and brings another set into the world: breaking ends one and brings two; welding would
// end two and bring one; melting would end one and bring a smaller one, or none. Bodies keep their numbers for the
// whole run: those that end are marked as removed in the state, new ones are added behind the others. The model
// remembers its events, so that a run file can store them and a reader can make the same model again.
//
// What always holds: the same events in the same order give the same model; bodies that an event brings are inactive in
// the initial state (they are born after time 0); an event that cannot be done leaves the model as it was.
#ifndef MRN_MODEL_LIFE_H
#define MRN_MODEL_LIFE_H

#include "model/model.h"
#include "model/state.h"

/// A body that an event brings: a free polygon of one material, 2D.
typedef struct MrnBirth {
    int material, group;
    size_t vertex_count;
    const double *vertices;    ///< m, counter-clockwise, about its mass centre
    double mass, inertia;      ///< kg, kg m2 about the mass centre; need not be those of a uniform plate
    double thickness;          ///< m, mean; 0: none
    double collision_distance; ///< m; 0: from the area
    double force[2], torque;   ///< N, N m, constant
    double position[2], rotation, velocity[2], spin; ///< when it is born
    size_t element_count;
    const double *elements; ///< m, thickness of the triangles of its mesh; NULL: uniform
} MrnBirth;

/// Mass, mass centre and moment of inertia about it, in any frame.
typedef struct MrnLump {
    double mass, inertia;
    MrnVec2 centre;
} MrnLump;

/// Sum of bodies as one: masses, mass centre, moments by Steiner.
MrnLump mrn_lump_sum(const MrnLump *parts, size_t count);
/// Change the parts as little as needed so that they add up to the whole: masses by a common factor, centres by a
/// common shift, inertias by a common factor. With the velocity field of the whole at their centres they then carry its
/// momentum, its angular momentum about any point and its kinetic energy. False if the parts are not near the whole: a
/// factor beyond 1/2..2.
bool mrn_lump_match(const MrnLump *whole, MrnLump *parts, size_t count);

/// Add an event with its bodies to a model of two dimensions. `event` gives step, time > 0, kind, position and energy;
/// the rest of it is filled in.
bool mrn_model_add_event(MrnModel *model, const MrnLifeEvent *event, const int *ended, size_t ended_count,
                         const MrnBirth *born, size_t born_count, MrnError *error);
/// A body that an event has brought, as it was given; arrays belong to the model.
MrnBirth mrn_model_birth(const MrnModel *model, int body);
/// Wanted triangles in the mesh of a body that an event brings.
size_t mrn_life_elements(const MrnModel *model);
/// Bodies before the first event.
size_t mrn_model_first_born(const MrnModel *model);
/// The same model with its first `events` events. The surroundings (wind, current) are shared: the original must
/// outlive it.
MrnModel *mrn_model_copy(const MrnModel *model, size_t events);

/// Carry an event out: new bodies begin as they were born, ended ones leave. The state has all bodies before it.
void mrn_state_follow(MrnState *state, const MrnModel *model, const MrnLifeEvent *event);

#endif
