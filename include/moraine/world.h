// The world: a model in motion. Step it, read it.
#ifndef MORAINE_WORLD_H
#define MORAINE_WORLD_H

#include <moraine/model.h>
#include <moraine/solver.h>

#ifdef __cplusplus
extern "C" {
#endif

/// When a contact is active.
typedef enum MrnActivation {
    MRN_ACTIVATION_GAP,   ///< close contacts obey u_n >= -gap/h: bodies touch without overlap (default)
    MRN_ACTIVATION_MOREAU ///< Moreau 2003: contacts with gap <= gap_tolerance at mid-step obey u_n >= 0
} MrnActivation;

/// Force of a smooth contact.
typedef enum MrnDemModel {
    MRN_DEM_LINEAR,       ///< spring and dashpot of constant stiffness (default)
    MRN_DEM_HERTZ,        ///< F_n = 4/3 E* sqrt(r*) d^(3/2), k_t = 16/3 G* sqrt(r* d)
    MRN_DEM_HERTZ_MINDLIN ///< the same with Mindlin's k_t = 8 G* sqrt(r* d)
} MrnDemModel;

typedef enum MrnDemIntegrator {
    MRN_DEM_SYMPLECTIC_EULER, ///< new velocity from the force, new position from the new velocity (default)
    MRN_DEM_VELOCITY_VERLET,
    MRN_DEM_ADAMS_BASHFORTH ///< of second order
} MrnDemIntegrator;

/// What differs for one pair of materials.
typedef struct MrnDemPair {
    int material_a, material_b;
    double normal_stiffness; ///< N/m, linear model; 0: that of all pairs
    double restitution;      ///< < 0: that of all pairs
} MrnDemPair;

/// What differs for one material.
typedef struct MrnDemMaterial {
    int material;
    double young_modulus; ///< Pa, > 0
    double poisson_ratio; ///< in [0, 0.5]
} MrnDemMaterial;

/// Smooth contacts of the stepper "dem". Friction comes from the laws of the model.
typedef struct MrnDemSettings {
    MrnDemModel model;
    MrnDemIntegrator integrator;
    double normal_stiffness;       ///< N/m, linear model; 0 (default): such that overlaps stay near 1 % of a radius
    double stiffness_ratio;        ///< k_t / k_n of the linear model, >= 0, default 2/7
    double damping_ratio;          ///< eta_t / eta_n, >= 0, default 1/2
    double young_modulus;          ///< Pa, Hertz models, > 0
    double poisson_ratio;          ///< Hertz models, in [0, 0.5], default 0.25
    double restitution;            ///< e_n in [0, 1]; < 0 (default): that of the laws
    double substeps_per_collision; ///< sub-steps in the shortest collision, >= 5, default 50
    double step;                   ///< s, largest sub-step; 0 (default): from the collision time
    double impact_speed; ///< m/s, largest expected, for automatic stiffness and Hertz collision time; 0 (default):
                         ///< estimated
    size_t pair_count;
    const MrnDemPair *pairs; ///< belong to the caller
    size_t material_count;
    const MrnDemMaterial *materials; ///< belong to the caller
} MrnDemSettings;

/// How the event-driven stepper treats the contacts of a collision (Rabatel 2015, 2.1.4).
typedef enum MrnContactMode {
    MRN_CONTACTS_ACTIVE,      ///< those that approach, again and again until none does: shocks propagate (default)
    MRN_CONTACTS_SIMULTANEOUS ///< all contacts of a connected group in one problem: symmetry is kept
} MrnContactMode;

/// Who moves how far between two looks at the contacts.
typedef enum MrnStepping {
    MRN_STEPPING_LOCAL, ///< every pair of bodies has its own time bound; forces act once per step (default)
    MRN_STEPPING_GLOBAL ///< all bodies take the same sub-step, the least over all pairs; forces act in each (the
                        ///< thesis)
} MrnStepping;

/// How long a pair of bodies may move on without another look.
typedef enum MrnStepBound {
    MRN_BOUND_FEATURES,   ///< from the motion of close edges against each other: proven, the longest (default)
    MRN_BOUND_GUARANTEED, ///< collision distance over the largest relative speed of the belts (2.5.1, 2.5.2)
    MRN_BOUND_OPTIMISED,  ///< its two optimisations: longer, not proven, so overlaps are looked for and undone
    MRN_BOUND_HALF        ///< half the separation over the largest speed of each body (Rabatel et al. 2015)
} MrnStepBound;

/// The collision distance of a pair of bodies.
typedef enum MrnPairDistance {
    MRN_PAIR_MIN,  ///< the smaller of both (default)
    MRN_PAIR_MAX,  ///< the larger of both
    MRN_PAIR_OTHER ///< a vertex of one counts within the distance of the other
} MrnPairDistance;

/// Settings of the event-driven stepper. Start from mrn_event_driven_defaults().
typedef struct MrnEventDrivenSettings {
    MrnContactMode contacts;
    MrnStepping stepping;
    MrnStepBound bound;
    MrnPairDistance pair_distance;
    double collision_distance; ///< over the square root of the area of a body, > 0, default 0.01
    double clearance;          ///< tol3 over the pair distance, 0 <= x < 1, default 0.05
    double cone_tolerance;     ///< sine by which a normal may leave the normal cone of its vertex, >= 0, default 1e-4
    bool cone_filter;          ///< frames only where the normal is in the cone of the vertex; default true
    int span;                  ///< n_p of the level-1 discs; 0: 2, or 3 for outlines of more than 32 corners (default)
    int belt_directions;       ///< of the optimised bound, >= 4, default 19
    double approach_rate; ///< 1/s: contacts that close slower than this share of their gap per second are left alone,
                          ///< >= 0, default 1e-4
    double lcp_tolerance; ///< tol1 on the LCP error, relative to |z|'|w|, > 0, default 1e-11
    double energy_tolerance; ///< tol2: largest growth of the kinetic energy over itself in one phase, >= 0, default
                             ///< 1e-4
    double relaxed_energy_tolerance; ///< tol2 of the last resort, >= energy_tolerance, default 1e-2
    int variants;                    ///< of Lemke's method, 1..3, default 3
    int perturbations;               ///< rounds with changed coefficients, >= 0, default 20
    int quick_sweeps; ///< sweeps of one-contact solutions before other methods, >= 0, default 40; 0: Lemke's at once
    int dense_limit;  ///< contacts of a component above which sweeps replace Lemke's method, >= 0, default 200
    bool friction_by_extra; ///< decompression friction bounded by the extra normal impulse only (the literal text);
                            ///< default false: by the total one
    int together_after;     ///< active mode: pairs that collided this many times in one stage are solved together from
                            ///< then on; 0: never, default 5
    int max_rounds;         ///< of the active mode, over the number of contacts, >= 1, default 50
} MrnEventDrivenSettings;

MrnEventDrivenSettings mrn_event_driven_defaults(void);

/// Breaking of floes at impact (2D, event-driven and moreau-jean). Start from mrn_breaking_defaults().
typedef struct MrnBreakingSettings {
    double energy;   ///< J per m2 of crack surface (length times thickness), > 0; 0: bodies do not break (default)
    double smallest; ///< m2, least area of a piece, > 0
    double angle;    ///< rad, 0..1.57: a crack may turn away this much from the impulse; default 30 degrees
    double memory;   ///< s, >= 0: time in which all but 1/e of the energy of earlier impacts is forgotten; default 0
    int material;    ///< only bodies of this material; < 0: of any (default)
} MrnBreakingSettings;

MrnBreakingSettings mrn_breaking_defaults(void);

/// How time is stepped. Start from mrn_scheme_defaults().
typedef struct MrnScheme {
    const char *stepper; ///< a name from mrn_stepper_at, default "moreau-jean"
    double time_step;    ///< s, > 0, default 1e-3
    double theta;        ///< 1/2 (Moreau's mid-point, default) <= theta <= 1
    MrnActivation activation;
    double gap_tolerance;  ///< over the smallest body size, >= 0, default 1e-6: contacts this close count as touching
    double recovery;       ///< share of an overlap removed per step, 0..1, default 0.2; 0 with Moreau activation
    double recovery_speed; ///< m/s, cap of the speed of that removal; 0 = size of the smallest body per 100 steps
                           ///< (default)
    bool warm_start;       ///< start from the previous impulses, default true
    bool keep_memory;      ///< keep the impulse of a lost contact for one more step, default false
    MrnSolverSettings solver; ///< default: auto to 1e-5
    int threads;              ///< >= 1, default 1; results do not depend on it
    MrnEventDrivenSettings event_driven;
    MrnDemSettings dem; ///< of the stepper "dem"
    MrnBreakingSettings breaking;
} MrnScheme;

MrnScheme mrn_scheme_defaults(void);

/// One row of the table of steppers.
typedef struct MrnStepperEntry {
    const char *name;
    const char *summary; ///< one line
} MrnStepperEntry;

size_t mrn_stepper_count(void);
MrnStepperEntry mrn_stepper_at(size_t index);

/// What one step did. Everything but the seconds is the same on every run.
#define MRN_STEP_FIELDS(X)                                                                                             \
    X(int64_t, step, "1", "number of the step, from 1")                                                                \
    X(double, time, "s", "time at the end of the step")                                                                \
    X(int64_t, contacts, "1", "contacts in the one-step problem")                                                      \
    X(int64_t, touching, "1", "contacts with an impulse")                                                              \
    X(double, normal_impulse, "N s", "sum of the normal impulses of all contacts; 0 with smooth contacts")             \
    X(int64_t, new_contacts, "1", "contacts that the previous step did not have")                                      \
    X(int64_t, status, "1", "MrnSolveStatus of the solve")                                                             \
    X(int64_t, sweeps, "1", "sweeps or iterations of the solver")                                                      \
    X(double, residual, "1", "certificate of the solution")                                                            \
    X(double, scaled_residual, "1", "certificate with scaled impulses")                                                \
    X(double, cone_violation, "1", "worst violation of the cone, relative")                                            \
    X(double, penetration, "m", "deepest overlap at mid-step, >= 0")                                                   \
    X(double, kinetic_energy, "J", "at the end of the step")                                                           \
    X(double, potential_energy, "J", "of gravity and constant forces, at the end of the step")                         \
    X(double, dissipated_energy, "J", "by contacts in this step: minus their work on the bodies")                      \
    X(double, fracture_energy, "J", "of that and of earlier impacts: spent on cracks at the end of the step")          \
    X(int64_t, broken, "1", "floes that broke at the end of the step")                                                 \
    X(double, driver_work, "J", "done on the bodies by moving obstacles in this step")                                 \
    X(double, energy_defect, "J", "defect of the discrete energy identity of this step")                               \
    X(double, elastic_energy, "J", "in the springs of smooth contacts at the end of the step")                         \
    X(double, obstacle_x, "N",                                                                                         \
      "force of the bodies on all obstacles along x, mean over the step; not smooth contacts")                         \
    X(double, obstacle_y, "N", "the same along y")                                                                     \
    X(double, obstacle_z, "N", "the same along z")                                                                     \
    X(double, max_speed, "m/s", "largest speed of a mass centre")                                                      \
    X(int64_t, substeps, "1", "shorter steps taken within this one")                                                   \
    X(double, smallest_substep, "s", "length of the shortest that a pair of bodies ended; event-driven")               \
    X(int64_t, collisions, "1", "contacts that received an impulse, counted each time; event-driven")                  \
    X(int64_t, components, "1", "groups of contacts solved together; event-driven")                                    \
    X(int64_t, largest_component, "1", "contacts in the largest of them; event-driven")                                \
    X(int64_t, lcp_solves, "1", "complementarity problems solved; event-driven")                                       \
    X(int64_t, lcp_lemke, "1", "of them solved by Lemke's method; event-driven")                                       \
    X(int64_t, lcp_retries, "1", "of these after more than one try; event-driven")                                     \
    X(int64_t, lcp_perturbed, "1", "of these with a perturbed matrix; event-driven")                                   \
    X(int64_t, lcp_replaced, "1",                                                                                      \
      "of them handed to sweeps, after Lemke's method failed in all its tries; event-driven")                          \
    X(int64_t, lcp_unswept, "1",                                                                                       \
      "of them handed to Lemke's method, after sweeps failed on a large group; event-driven")                          \
    X(int64_t, lcp_relaxed, "1", "of them taken for their energy alone; event-driven")                                 \
    X(int64_t, lcp_failures, "1", "of them without an acceptable solution: plastic, frictionless; event-driven")       \
    X(int64_t, newton_fallbacks, "1", "collisions whose energy would grow: Newton's law instead; event-driven")        \
    X(int64_t, plastic_fallbacks, "1", "of them, left at the end of compression; event-driven")                        \
    X(int64_t, rollbacks, "1", "sub-steps undone because bodies overlapped; event-driven")                             \
    X(double, smallest_gap, "m", "least gap of pairs within their collision distance; event-driven")                   \
    X(int64_t, limiting_a, "1", "body of the pair that ended the shortest sub-step, -1: none; event-driven")           \
    X(int64_t, limiting_b, "1", "the other body of that pair; event-driven")                                           \
    X(double, momentum_defect, "N s", "momentum that impacts made out of nothing: rounding; event-driven")             \
    X(double, free_drift_energy, "J", "kinetic energy if every body drifted freely in this wind and current")          \
    X(double, ocean_x, "m/s", "velocity of the ocean layer along x at the end of the step")                            \
    X(double, ocean_y, "m/s", "the same along y")                                                                      \
    X(double, seconds_detect, "s", "wall time: finding contacts")                                                      \
    X(double, seconds_assemble, "s", "wall time: building the problem; forces (event-driven)")                         \
    X(double, seconds_solve, "s", "wall time: solving it")                                                             \
    X(double, seconds_total, "s", "wall time of the whole step")

typedef struct MrnStepInfo {
#define X(type, name, unit, text) type name; ///< text [unit]
    MRN_STEP_FIELDS(X)
#undef X
} MrnStepInfo;

/// What the event-driven stepper did, counted over steps: fields of MrnStepInfo that add up.
#define MRN_COLLISION_COUNTERS(X)                                                                                      \
    X(int64_t, collisions, "contacts that received an impulse, counted each time")                                     \
    X(int64_t, components, "groups of contacts solved together")                                                       \
    X(int64_t, lcp_solves, "complementarity problems: phases of these groups")                                         \
    X(int64_t, lcp_lemke, "of them, solved by Lemke's method")                                                         \
    X(int64_t, lcp_retries, "of these, after more than one try")                                                       \
    X(int64_t, lcp_perturbed, "of these, with a perturbed matrix")                                                     \
    X(int64_t, lcp_replaced, "of them, handed to sweeps after Lemke's method failed in all its tries")                 \
    X(int64_t, lcp_unswept, "of them, handed to Lemke's method after sweeps failed on a large group")                  \
    X(int64_t, lcp_relaxed, "of them, taken for their energy alone")                                                   \
    X(int64_t, lcp_failures, "of them, without an acceptable solution: plastic, frictionless")                         \
    X(int64_t, newton_fallbacks, "groups whose energy would grow: Newton's law instead")                               \
    X(int64_t, plastic_fallbacks, "of them, left at the end of compression")                                           \
    X(int64_t, rollbacks, "sub-steps undone because bodies overlapped")

typedef struct MrnCollisionCount {
#define X(type, name, text) type name; ///< text
    MRN_COLLISION_COUNTERS(X)
#undef X
} MrnCollisionCount;

/// Add what one step did.
void mrn_collision_count_add(MrnCollisionCount *count, const MrnStepInfo *step);

/// A contact of the last step, as people want to see it.
typedef struct MrnContactView {
    int body_a, body_b;
    uint64_t feature;
    double position[3], normal[3]; ///< normal from B to A
    double gap;                    ///< m at mid-step
    double impulse[3];             ///< N s, on A, in space
    double normal_impulse;         ///< N s
    double velocity[3];            ///< m/s of A relative to B at the end of the step, in space
    int status;                    ///< 0 open, 1 stick, 2 slip
} MrnContactView;

typedef struct MrnWorld MrnWorld;

/// A world at its initial state. The model must outlive it; where bodies may break the world keeps a model of its own,
/// to which their pieces are added. Refuses bodies that overlap, with their names and
/// the depth.
MrnWorld *mrn_world_new(const MrnModel *model, const MrnScheme *scheme, MrnError *error);
void mrn_world_free(MrnWorld *world);
/// Advance by one time step. False only when the solver cannot handle the problem; a solve that did not converge is in
/// info->status.
bool mrn_world_step(MrnWorld *world, MrnStepInfo *info, MrnError *error);

double mrn_world_time(const MrnWorld *world);
/// Position of the mass centre (reference point of fixed and driven bodies): 2 or 3 numbers.
const double *mrn_world_position(const MrnWorld *world, int body);
const double *mrn_world_rotation(const MrnWorld *world,
                                 int body); ///< angle, or quaternion w x y z of the principal axes
const double *mrn_world_velocity(const MrnWorld *world, int body);
const double *mrn_world_spin(const MrnWorld *world, int body); ///< 2D: rate; 3D: angular velocity on the principal axes
void mrn_world_set_velocity(MrnWorld *world, int body, const double *velocity, const double *spin);
size_t mrn_world_contact_count(const MrnWorld *world);
MrnContactView mrn_world_contact(const MrnWorld *world, size_t index);
/// Resultant contact impulse on a body in the last step, N s, and its moment about the body position.
void mrn_world_contact_resultant(const MrnWorld *world, int body, double impulse[3], double moment[3]);
uint64_t mrn_world_hash(const MrnWorld *world); ///< of the whole state: same bits, same hash

#ifdef __cplusplus
}
#endif
#endif
