// Smooth discrete elements (Cundall and Strack 1979): what the files of the stepper share.
//
// Grains are discs or balls, in one set of packed rows for 2D and 3D (a disc is a ball with z = 0 that turns about z).
// Obstacles are bodies of any other shape, fixed or driven; round obstacles are grains without mobility.
//
// What always holds: the forces on a grain are added in an order given by body numbers alone, so results depend neither
// on the number of threads nor on when the neighbour lists were made; springs of touching contacts are in the state
// after every step.
#ifndef MRN_STEP_DEM_H
#define MRN_STEP_DEM_H

#include "base/simd.h"
#include "step/world.h"

/// Three components and one number that goes with them.
typedef double MrnRow __attribute__((vector_size(32), aligned(32)));

/// How two materials push and rub (specification 3.3, 3.4). One row of eight numbers, gathered lane by lane.
typedef struct MrnDemLaw {
    double normal;          ///< linear: k_n, N/m; Hertz: 4/3 E*, Pa, so that k_n = normal * contact radius
    double tangential;      ///< k_t, or k_t over the contact radius
    double damping;         ///< eta_n over sqrt(m_eff k_n)
    double tangent_damping; ///< eta_t over eta_n
    double friction;        ///< mu
    double restitution;     ///< e_n, for messages
    double unused[2];
} MrnDemLaw;

/// A pair of neighbouring grains keeps a slot while it is in the list.
typedef struct MrnDemSpring {
    MrnRow row; ///< tangential spring, m, of the first grain against the second; [3]: number of the evaluation in which
                ///< the pair last touched
} MrnDemSpring;

/// A grain that may touch a shape of an obstacle.
typedef struct MrnDemCandidate {
    int32_t grain, obstacle; ///< obstacle: in MrnDem.obstacles
    int32_t shape;           ///< of the obstacle
} MrnDemCandidate;

/// A grain that touches an obstacle.
typedef struct MrnDemWall {
    int32_t grain, obstacle, shape;
    int32_t fresh; ///< did not touch at the evaluation before
    uint64_t feature;
    double normal[3];   ///< from the obstacle to the grain
    double overlap;     ///< m, > 0
    double velocity[3]; ///< of the obstacle at the contact
    double spring[3];
    double force[3]; ///< on the grain
    double slide[3]; ///< tangential velocity of the grain against the obstacle
    int32_t slides;
} MrnDemWall;
typedef MRN_ARRAY(MrnDemWall) MrnDemWalls;

typedef struct MrnDemObstacle {
    int32_t body;
    bool moves;
    bool turns_in_place; ///< its turning does not move its surface: a drum
    MrnPose pose;
    double velocity[3], spin[3]; ///< in space
    MrnPose built;               ///< pose when the lists were made
} MrnDemObstacle;

/// Sums over a block of contacts, added in the order of blocks.
typedef struct MrnDemSums {
    double loss;    ///< W, minus the power of the contact forces on relative motion
    double driver;  ///< W, of obstacles on grains
    double overlap; ///< m, deepest
    int64_t fresh;
} MrnDemSums;

enum { MRN_DEM_BLOCK = 256, MRN_DEM_DETECT = 4096 };

typedef struct MrnDem {
    MrnDemLaw *laws; ///< material_count squared
    size_t materials;
    bool hertz;
    double step;          ///< s, wanted length of a sub-step
    double overlap_limit; ///< m: Hertz contacts deeper than this are too stiff for the step

    size_t count;              ///< grains
    int32_t *grain_of;         ///< per body: its grain, or -1
    int32_t *body;             ///< per grain
    int32_t *material;         ///< per grain
    MrnRow *x;                 ///< position; [3] radius. One more row than grains: a point at the origin without radius
    MrnRow *v;                 ///< velocity; [3] 1 / mass
    MrnRow *w;                 ///< angular velocity in space; [3] 1 / inertia
    MrnRow *f, *t;             ///< force and couple
    MrnRow *kept[5];           ///< of the integrator
    MrnRow *turned;            ///< rad, angle turned in this step
    MrnRow *load;              ///< constant force and couple, 2 rows per grain; NULL: none
    MrnRow *reference;         ///< positions when the lists were made
    MRN_ARRAY(int32_t) driven; ///< grains that follow a motion

    size_t obstacle_count;
    MrnDemObstacle *obstacles;
    int32_t *obstacle_of; ///< per body: its obstacle, or -1

    MrnBroad *broad;
    MrnProxy *proxies;
    bool started;      ///< springs of the state are in the lists
    bool listed;       ///< the lists are there
    double skin;       ///< m, of the lists
    double travel;     ///< m, bound of the way of grains since the lists were made
    double fastest;    ///< m/s, of grains at the last move
    size_t pair_count; ///< slots
    size_t pair_capacity;
    int32_t *pair_a, *pair_b; ///< grains, a < b in body number, sorted; padded to whole lanes
    MrnDemSpring *springs;
    int32_t *slot_contact; ///< per slot: number of its contact, where it touches
    MRN_ARRAY(size_t) adjacent_start;
    MRN_ARRAY(int32_t) adjacent; ///< slots of each grain, ascending; only with several threads
    MRN_ARRAY(MrnDemCandidate) candidates;
    int64_t builds;

    double now;                     ///< number of the last evaluation of forces
    int32_t *touch_block;           ///< touching slots, block by block
    MRN_ARRAY(int32_t) block_count; ///< of them
    int32_t *contact_slot;          ///< per contact: its slot
    size_t contact_count;
    MrnRow *contact_force; ///< per contact, 2 rows: force on a and arm of a; couple per arm and arm of b
    size_t contact_capacity;
    MRN_ARRAY(MrnDemSums) sums;
    MrnDemWalls walls, old_walls; ///< touching, sorted by grain, obstacle, shape, feature
    MrnTouches touches;
    MRN_ARRAY(MrnContactView) views;
    bool keep_forces; ///< of every contact of this evaluation, for readers
    double elastic;   ///< J, in the springs at the end of the last step
} MrnDem;

/// One evaluation of forces.
typedef struct MrnDemPass {
    MrnWorld *world;
    MrnDem *dem;
    double step; ///< s, by which springs advance; 0: they stay
    MrnDemSums sums;
} MrnDemPass;

/// Parameters from the scheme and the model: laws, length of a sub-step. False with the reason and the right value.
bool mrn_dem_parameters(const MrnWorld *world, MrnDem *dem, MrnError *error);

/// Make lists that hold at least for the present positions.
void mrn_dem_build_lists(MrnWorld *world, MrnDem *dem);
/// May grains or obstacles have moved too far since?
bool mrn_dem_lists_are_old(const MrnWorld *world, MrnDem *dem);

/// Place obstacles at time t; driven grains too.
void mrn_dem_place_obstacles(MrnWorld *world, MrnDem *dem, double time);
/// Touching walls and their forces, added to f and t after those of pairs.
void mrn_dem_walls(MrnDemPass *pass);
/// Touching walls at the present positions, with the springs of `old_walls`, into `walls`; no forces.
void mrn_dem_touching_walls(MrnWorld *world, MrnDem *dem);
/// Gap between a grain at `centre` and a shape, with a normal, where the shape has a closed form; false: it has none.
bool mrn_dem_flat_gap(const MrnShape *shape, const MrnPose *pose, MrnRow centre, double *gap, double normal[3]);

/// Forces and couples of all contacts at the present positions and velocities.
void mrn_dem_forces(MrnDemPass *pass);

/// Energy in the springs of the contacts of the last evaluation, at the present positions, J.
double mrn_dem_elastic_energy(MrnWorld *world, MrnDem *dem);
/// Springs between the lists and the state.
void mrn_dem_store_memory(MrnWorld *world, const MrnDem *dem);
void mrn_dem_recall_memory(MrnWorld *world, MrnDem *dem);
/// Contacts of the last evaluation, for readers.
void mrn_dem_make_views(MrnWorld *world, MrnDem *dem);

bool mrn_dem_open(MrnWorld *world, MrnError *error);
void mrn_dem_close(MrnWorld *world);
void mrn_dem_state_changed(MrnWorld *world);
bool mrn_dem_step(MrnWorld *world, MrnStepInfo *info, MrnError *error);
size_t mrn_dem_contact_count(const MrnWorld *world);
MrnContactView mrn_dem_contact(const MrnWorld *world, size_t index);

#endif
