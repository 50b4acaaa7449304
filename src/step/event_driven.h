// The event-driven stepper of rigid floes (Rabatel 2015, chapter 2; specification of floes 2.2, 2.4, 2.5, 2.7): what
// its files share.
//
// Within one step of length h bodies move at constant velocity and spin; every pair of bodies carries the time until
// which it is known to stay apart. When that time comes the pair is looked at again; contacts that approach are a
// collision. Times are counted from the start of the step. Everything here is made anew from the state at the start of
// every step, so a resumed run goes on bit for bit.
#ifndef MRN_STEP_EVENT_DRIVEN_H
#define MRN_STEP_EVENT_DRIVEN_H

#include "collide/broad.h"
#include "collide/floe_bound.h"
#include "step/impact.h"
#include "step/world.h"

/// A body in flight.
typedef struct MrnEventBody {
    MrnVec2 position; ///< at `clock`; the whole trajectory, also where the plane is periodic
    double angle;
    MrnFloeMotion motion;
    double clock;
    MrnFloePose pose; ///< at `pose_time`
    double pose_time;
    double inverse[2];   ///< 1/M, 1/I; 0 for obstacles
    double travel;       ///< m, how far any of its points has gone in the frame of the pack, over all steps
    double found_travel; ///< that, when the near pairs were found, and
    double allowance;    ///< how far it may go from there before they must be found again
    double built_travel; ///< the same for the candidates, and
    double skin;         ///< the room that they leave it
    int32_t first_pair;  ///< of the list of its pairs, linked by MrnEventPair.next; -1: none
    int32_t mark;        ///< scratch of the collision stage: number among the bodies of a component
    int32_t root;        ///< scratch: union-find
    bool active, mobile, changed;
} MrnEventBody;

/// Two bodies that may meet before long; b may be an image. Kept from step to step.
typedef struct MrnEventCandidate {
    int32_t a, b;              ///< a < b
    int32_t cell_x, cell_y;    ///< translation of b, in periods, from its trajectory
    double clear;              ///< m, they were at least this far apart
    double travel_a, travel_b; ///< when the bodies had travelled this far
    int32_t pair;              ///< in this step, or -1: cannot meet in it
} MrnEventCandidate;

/// Two bodies that may meet in this step; b may be an image. Their place in the list means nothing: where order matters
/// it is that of mrn_event_before.
typedef struct MrnEventPair {
    int32_t a, b;   ///< a < b
    MrnVec2 offset; ///< translation of b
    double distance_a, distance_b, zeta;
    double expiry;               ///< when to look again; INFINITY: not in this step
    double stamp;                ///< when its contacts were found; < 0: not yet
    double separation;           ///< then
    int32_t heap;                ///< place in the heap, or -1
    uint32_t first, count, room; ///< its contacts in the pool
    int32_t candidate;
    int32_t next[2];     ///< next pair of a, of b; -1: none
    int32_t stage, hits; ///< scratch of the collision stage: its number, and the impacts of this pair in it
    bool queued;         ///< scratch of the collision stage
} MrnEventPair;

/// A contact that received an impulse in this step.
typedef struct MrnEventRecord {
    int32_t a, b;
    uint64_t feature;
    size_t order;             ///< of the collision in the step
    MrnVec2 position, normal; ///< normal from a to b
    double gap;
    MrnVec2 impulse; ///< on b
    double normal_impulse;
    MrnVec2 velocity; ///< of b relative to a, after
    bool sliding;
} MrnEventRecord;

/// A contact that takes part in an impact.
typedef struct MrnEventActive {
    int32_t pair;
    uint32_t touch;
    int32_t root;
    const MrnEventPair *sort_by; ///< scratch: the pair
} MrnEventActive;

typedef struct MrnEventDriven {
    MrnWorld *world;
    MrnFloeSet *floes;
    MrnBroad *broad;
    MrnProxy *proxies; ///< bodies, then four images of each where the plane is periodic
    size_t proxy_count;
    MrnVec2 period; ///< m, 0: not periodic
    double longest; ///< m, largest belt of a body

    MrnEventBody *bodies;
    MRN_ARRAY(MrnEventCandidate) candidates; ///< sorted
    bool candidates_valid;
    MRN_ARRAY(MrnEventPair) pairs;
    MRN_ARRAY(MrnFloeTouch) pool;
    MRN_ARRAY(int32_t) heap;
    size_t *near_start;      ///< per body, into
    MRN_ARRAY(int32_t) near; ///< its candidates
    MrnVec2 drift;           ///< mean velocity of the pack at the start of the step
    double usual_speed;      ///< m/s, root mean square of what differs from it
    MrnFloeProbe probe;

    MRN_ARRAY(int32_t) dirty, changed, queue;
    MRN_ARRAY(MrnEventActive) actives, approaching;
    MRN_ARRAY(MrnImpactContact) contacts;
    MRN_ARRAY(int32_t) members;
    MRN_ARRAY(double) velocities, inverses;
    MRN_ARRAY(MrnEventRecord) records;
    MrnArena arena;
    MrnImpactCount count;
    MrnStepInfo *info;
    double *kick;          ///< change of velocity by the forces of this step, 3 per body
    double force_work;     ///< J, of this step
    double *saved;         ///< positions, angles and velocities before a sub-step that may be undone, 6 per body
    double last_collision; ///< time in the step of the last collision
    int32_t stage;         ///< collision stages of this step
} MrnEventDriven;

bool mrn_event_driven_open(MrnWorld *world, MrnError *error);
void mrn_event_driven_close(MrnWorld *world);
void mrn_event_driven_state_changed(MrnWorld *world);
bool mrn_event_driven_step(MrnWorld *world, MrnStepInfo *info, MrnError *error);
size_t mrn_event_driven_contact_count(const MrnWorld *world);
MrnContactView mrn_event_driven_contact(const MrnWorld *world, size_t index);

// ---- event_driven_pairs.c ----
/// List the pairs that may come within their collision distance between `now` and the end of the step.
void mrn_event_find_pairs(MrnEventDriven *ed, double now);
/// A body whose velocity has changed may go farther than the pairs were found for: add what it may meet until the end
/// of the step. False if the candidates do not reach that far.
bool mrn_event_widen(MrnEventDriven *ed, int body, double now);
/// Order of pairs that does not depend on when they were found.
bool mrn_event_before(const MrnEventPair *p, const MrnEventPair *q);
/// A sub-step of this length ended because of a pair (-1: because the step ended; that says nothing of a limit).
void mrn_event_limit(MrnEventDriven *ed, int32_t pair, double length);
/// The pair of a body that follows in its list (see MrnEventBody.first_pair), or -1.
static inline int32_t mrn_event_next(const MrnEventDriven *ed, int32_t pair, int32_t body) {
    return ed->pairs.data[pair].next[ed->pairs.data[pair].b == body];
}
/// Pose of a body at a time of the step, not before its clock.
const MrnFloePose *mrn_event_pose(MrnEventDriven *ed, int body, double time);
/// Move a body on to a time of the step.
void mrn_event_advance(MrnEventDriven *ed, int body, double time);
/// Contacts and separation of a pair now, unless they are known; edges within `reach` are in ed->probe if it was
/// looked at (true).
bool mrn_event_look(MrnEventDriven *ed, int pair, double time, double reach);
/// The pair in motion from now to the end of the step.
MrnFloeFlight mrn_event_flight(MrnEventDriven *ed, const MrnEventPair *pair, double time);

/// How far a look should reach: what is needed now, and enough to leave the pair alone for some steps.
double mrn_event_reach(const MrnEventDriven *ed, const MrnEventPair *pair, double needed);
/// The level-0 discs alone show that the pair is out of that reach.
bool mrn_event_is_far(MrnEventDriven *ed, const MrnEventPair *pair, const MrnFloeFlight *flight, double time);

// ---- event_driven_collision.c ----
/// Normal velocity of a contact, and the velocity below which it counts as approaching.
double mrn_event_rate(const MrnEventDriven *ed, const MrnEventPair *pair, const MrnFloeTouch *touch, double *limit);
/// Treat the collisions that begin in the pairs listed in ed->dirty. Bodies whose velocity changed are in ed->changed.
void mrn_event_collide(MrnEventDriven *ed, double time);

// ---- event_driven_local.c, event_driven_global.c ----
void mrn_event_step_local(MrnEventDriven *ed);
void mrn_event_step_global(MrnEventDriven *ed);

// ---- event_driven.c ----
/// From the state to bodies in flight. A driven body moves along the chord of its motion in this step, so that bounds
/// hold and it arrives where it should.
void mrn_event_load(MrnEventDriven *ed);
/// Change of velocity of every free body by the forces in `length`, from the present state, into ed->kick.
void mrn_event_forces(MrnEventDriven *ed, double now, double length);
/// Apply it at the end of a step from `now`; then the ocean layer.
void mrn_event_kick(MrnEventDriven *ed, double now, double length);

#endif
