// The surroundings of plane bodies: wind, current, Coriolis, the ocean layer. What a scene says about them; the
// mechanics is in force/environment.c.
#ifndef MRN_MODEL_ENVIRONMENT_H
#define MRN_MODEL_ENVIRONMENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum MrnForcingKind {
    MRN_FORCING_UNIFORM, ///< the same everywhere and always
    MRN_FORCING_TABLE,   ///< the same everywhere, from a table in time
    MRN_FORCING_VORTEX,  ///< turning about a centre: solid rotation inside `length`, falling as 1/r outside (Rankine)
    MRN_FORCING_RADIAL, ///< of constant magnitude away from a centre (towards it when negative), linear inside `length`
    MRN_FORCING_CHANNEL, ///< along `direction`, parabola across with half width `length`, zero outside
    MRN_FORCING_GRID     ///< from a grid in space and time
} MrnForcingKind;

/// A field of vectors in the plane, m/s. Zero is no wind or no current.
typedef struct MrnForcing {
    MrnForcingKind kind;
    double value[2];  ///< m/s, uniform
    double centre[2]; ///< m: of a vortex, a radial field; a point on the axis of a channel
    double speed;     ///< m/s: largest of a vortex (> 0: counter-clockwise), channel; outward speed of a radial field
    double length;    ///< m, > 0
    double direction; ///< rad, of a channel
    double ramp;      ///< s: the field grows from rest to its value at time 0 over this time, and its own time begins
                      ///< afterwards
    double start;     ///< s: time of the table or grid at the start (after the ramp)
    bool hold;        ///< before the first and after the last time: the nearest value; else a scene that needs them is
                      ///< refused
    size_t time_count;
    double *times;           ///< s, increasing
    size_t x_count, y_count; ///< of a grid
    double *x, *y;           ///< m, increasing
    double *magnitude;       ///< m/s, per time, row y, column x (a table has one point)
    double *angle;           ///< rad
} MrnForcing;

/// Start from mrn_environment_defaults().
typedef struct MrnEnvironment {
    double air_density;   ///< kg/m3, default 1.341
    double air_drag;      ///< coefficient, default 1.7e-3
    double water_density; ///< kg/m3, default 1024.071
    double water_drag;    ///< coefficient of quadratic drag, default 5e-3
    double linear_drag;   ///< m/s: coefficient of the linear law, added to the quadratic one, default 0
    bool relative_wind;   ///< the velocity of the floe counts in the air drag, default false
    double rotation_rate; ///< 1/s, of the Earth, default 7.292e-5
    double latitude;      ///< rad, at y = 0; default 0: no Coriolis
    bool follow_latitude; ///< latitude changes with y (northward), default false
    double earth_radius;  ///< m, default 6.371e6

    bool ocean;            ///< the ocean layer moves, default false
    double ocean_depth;    ///< m, default 15
    double ocean_area;     ///< m2, of the cell
    double ocean_friction; ///< m/s, friction velocity at its base, default 1e-5
    double ocean_point[2]; ///< m, where the current of a field stands for the layer; set by mrn_environment_attach
    double ocean_start[2]; ///< m/s, set by mrn_environment_attach

    size_t elements; ///< wanted triangles per body, default 25
    MrnForcing wind, current;
} MrnEnvironment;

MrnEnvironment mrn_environment_defaults(void);
void mrn_forcing_free(MrnForcing *forcing);             ///< what it points to
void mrn_environment_free(MrnEnvironment *environment); ///< with the block itself; NULL is fine
uint64_t mrn_environment_hash(uint64_t hash, const MrnEnvironment *environment);

#endif
