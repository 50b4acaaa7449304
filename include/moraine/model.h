// The model: everything a scene says that the run does not change. Materials, pair laws, bodies and their shapes,
// prescribed motions, gravity.
#ifndef MORAINE_MODEL_H
#define MORAINE_MODEL_H

#include <moraine/shape.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct MrnModel MrnModel;

/// How two materials behave in contact.
typedef struct MrnPairLaw {
    double friction;               ///< Coulomb coefficient mu >= 0, default 0
    double normal_restitution;     ///< rho in [0, 1], default 0
    double tangential_restitution; ///< tau in [0, 1], default 0
    double cross_friction;   ///< second coefficient of an elliptic cone, along the second tangent (3D); < 0: same as
                             ///< friction (default)
    double friction_axis[3]; ///< direction in space of the first tangent of an elliptic cone; ignored when isotropic
    double rolling_length;   ///< m: couple bound mu_r l of rolling resistance, default 0
} MrnPairLaw;

MrnPairLaw mrn_pair_law_defaults(void);

/// Prescribed motion of a driven body about its reference position: displacement(t) and turning angle(t) about an axis.
typedef enum MrnDriverKind {
    MRN_DRIVER_CONSTANT, ///< velocity * t, angular_velocity * t
    MRN_DRIVER_SINE,     ///< amplitude * sin(2 pi frequency t + phase), for the translation and the angle
    MRN_DRIVER_TABLE     ///< piecewise linear in time, clamped at the ends (rest there)
} MrnDriverKind;

typedef struct MrnDriver {
    MrnDriverKind kind;
    double velocity[3];       ///< m/s, constant
    double angular_velocity;  ///< rad/s, constant, about `axis` (2D: about +z)
    double amplitude[3];      ///< m, sine
    double angular_amplitude; ///< rad, sine
    double frequency;         ///< Hz, sine
    double phase;             ///< rad, sine
    double axis[3];           ///< unit axis of rotation through the body origin, default z
    size_t table_count;
    double *table; ///< rows time, x, y, z, angle
} MrnDriver;

typedef enum MrnBodyKind { MRN_BODY_FREE, MRN_BODY_FIXED, MRN_BODY_DRIVEN } MrnBodyKind;

/// What is needed to add a body. Start from mrn_body_defaults().
typedef struct MrnBodyDef {
    const char *name;   ///< unique or NULL; copied
    MrnBodyKind kind;   ///< default free
    double position[3]; ///< m, of the frame in which the shapes are given
    double
        rotation[4]; ///< unit quaternion w, x, y, z, default identity; 2D: rotation[0] is the angle in rad, default 0
    double velocity[3];         ///< m/s, of the mass centre
    double angular_velocity[3]; ///< rad/s in space; 2D uses [2]
    size_t shape_count;
    const MrnShape *shapes;    ///< copied
    double mass;               ///< kg; > 0 replaces the mass that densities give, and scales the inertia; default 0
    double inertia[3];         ///< kg m2; > 0 replaces the principal moments (2D uses [2]); default 0
    double force[3];           ///< N, constant applied force at the mass centre
    double torque[3];          ///< N m, constant applied couple in space (2D uses [2])
    MrnDriver driver;          ///< for driven bodies
    double birth;              ///< s; the body appears at this time; default 0
    int group;                 ///< bodies of the same group > 0 do not collide; default 0
    double collision_distance; ///< m; > 0 replaces the one the event-driven stepper takes from the area; default 0
    double thickness;          ///< m, 2D: mass is volume density times thickness; 0: densities are per area (default)
    size_t thickness_sample_count;
    const double *thickness_samples; ///< rows x, y, thickness in m, in the frame of the shapes: each triangle of the
                                     ///< mesh takes the nearest; instead of `thickness`
} MrnBodyDef;

MrnBodyDef mrn_body_defaults(int dimension);

MrnModel *mrn_model_new(int dimension); ///< 2 or 3
void mrn_model_free(MrnModel *model);
int mrn_model_dimension(const MrnModel *model);

/// The plane repeats itself with this cell (event-driven stepper, 2D): bodies meet the images of others. high > low.
void mrn_model_set_period(MrnModel *model, const double low[2], const double high[2]);
void mrn_model_set_gravity(MrnModel *model, const double gravity[3]); ///< m/s2, default 0
/// Add a material; density in kg/m3 (2D: kg/m2). Returns its index. Name is copied.
int mrn_model_add_material(MrnModel *model, const char *name, double density);
/// Mass per volume of a material, kg/m3, for plane bodies with a thickness.
void mrn_model_set_volume_density(MrnModel *model, int material, double density);
/// Law between two materials; both orders. Pairs never set use the law set for (-1, -1), the default law.
void mrn_model_set_law(MrnModel *model, int material_a, int material_b, MrnPairLaw law);
/// Add a body. Returns its index or -1 with an error that names the body and the field.
int mrn_model_add_body(MrnModel *model, const MrnBodyDef *def, MrnError *error);

/// A force that acts on a free body for a while. Over a step that it does not fill it gives the impulse of its share.
typedef struct MrnPush {
    int body;
    double force[3];    ///< N, at the mass centre
    double torque[3];   ///< N m in space (2D uses [2])
    double from, until; ///< s, from < until; until may be INFINITY
} MrnPush;

/// Add a push; several may act on one body. False with an error that names the body.
bool mrn_model_add_push(MrnModel *model, const MrnPush *push, MrnError *error);

/// A place from which bodies come into the world, each at its birth time. A body is laid at rest on what lies below:
/// of some random verticals the one is taken on which it lies lowest. Up is y in 2D and z in 3D.
typedef struct MrnSource {
    size_t first, count; ///< its bodies: free, one disc or ball each, born after time 0
    double position[3];  ///< m, middle of the source; no body is laid with its centre below
    double spread;       ///< m, >= 0: verticals are within this distance from the middle, equally dense everywhere
    int verticals;       ///< drawn per body, >= 1
    double drop;         ///< m, >= 0: bodies appear this much above the place where they would lie
    double highest;      ///< m above position: a body whose place would be higher waits; INFINITY: none waits
    double
        lost_beyond; ///< m from the vertical through position (and below it): bodies there are removed; INFINITY: none
    uint64_t seed;
} MrnSource;

MrnSource mrn_source_defaults(void); ///< no bodies, one vertical through the origin
/// Add a source for bodies that are in the model already. Returns its index or -1 with an error.
int mrn_model_add_source(MrnModel *model, const MrnSource *source, MrnError *error);

size_t mrn_model_body_count(const MrnModel *model);
const char *mrn_model_body_name(const MrnModel *model, int body); ///< never NULL
int mrn_model_find_body(const MrnModel *model, const char *name); ///< -1 if there is none
double mrn_model_body_mass(const MrnModel *model, int body);      ///< kg, 0 for fixed and driven bodies

#ifdef __cplusplus
}
#endif
#endif
