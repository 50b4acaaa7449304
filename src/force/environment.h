// Wind and water drag, Coriolis, and the ocean layer (Rabatel 2015, 1.2 and 2.2).
#ifndef MRN_FORCE_ENVIRONMENT_H
#define MRN_FORCE_ENVIRONMENT_H

#include "model/model.h"
#include "model/state.h"

/// Give a plane model its surroundings, after its bodies: checks the numbers, meshes the free bodies, sets the start of
/// the ocean layer. Takes over what `environment` points to, also when it fails.
bool mrn_environment_attach(MrnModel *model, MrnEnvironment *environment, MrnError *error);

/// What is the same for all bodies at one moment.
typedef struct MrnWeather {
    double time;
    bool wind_uniform, current_uniform;
    double wind[2], current[2]; ///< m/s, where uniform
    double ocean_shift[2];      ///< m/s, added to a current that varies in space: velocity of the layer less its data
} MrnWeather;

MrnWeather mrn_weather_at(const MrnModel *model, const MrnState *state, double time);

/// Resultant of drag and Coriolis on one free body at its present position and velocity, N, and moment about the mass
/// centre, N m. `derivative` (9 numbers, symmetric but for Coriolis; may be NULL): by velocity x, y and spin.
void mrn_weather_force(const MrnModel *model, const MrnState *state, size_t body, const MrnWeather *weather,
                       double force[2], double *moment, double *derivative);

/// The same at any time, for one body.
void mrn_environment_force(const MrnModel *model, const MrnState *state, size_t body, double time, double force[2],
                           double *moment);

/// Advance the ocean layer from state->time[0] by a step, after the velocities of the bodies (specification 2.6.3): new
/// velocities of bodies, old current and wind. Nothing to do without a layer.
void mrn_environment_step(const MrnModel *model, MrnState *state, double time_step);
/// The same from any time.
void mrn_environment_step_from(const MrnModel *model, MrnState *state, double time, double time_step);

/// Add what drag and Coriolis do within a step to the free velocity of one body: the linear-implicit theta rule
/// (M - theta h F') change = h F, stable for any step. `weather` is that of mid-step.
void mrn_environment_free_velocity(const MrnModel *model, const MrnState *state, size_t body, const MrnWeather *weather,
                                   double time_step, double theta, double *free_velocity, double *free_spin);

/// False with an error when a free body has left the grid of the wind or the current.
bool mrn_environment_check(const MrnModel *model, const MrnState *state, MrnError *error);

/// Coriolis parameter at height y of the plane, 1/s.
double mrn_coriolis(const MrnEnvironment *environment, double y);
/// Nansen number: speed of free drift over wind speed without Coriolis.
double mrn_nansen(const MrnEnvironment *environment);

// Explicit steps (environment_stability.c): one floe of `mass_per_area` (density times thickness, kg/m2) on a line.
/// Velocity after one explicit step.
double mrn_drag_map(const MrnEnvironment *environment, double mass_per_area, double time_step, double wind,
                    double current, double velocity);
/// Step below which the approach to free drift is monotone, s (2.1.3).
double mrn_drag_limit_monotone(const MrnEnvironment *environment, double mass_per_area, double wind);
/// Step below which speeds stay below that of free drift, s (2.1.4).
double mrn_drag_limit_bounded(const MrnEnvironment *environment, double mass_per_area, double wind, double current);
/// Step below which a velocity larger than that of free drift falls, s (2.1.5), without the factor 3/4.
double mrn_drag_limit_falling(const MrnEnvironment *environment, double mass_per_area, double wind, double current,
                              double velocity);
/// A safe explicit step for the whole run, s: over all winds and currents and the lightest floe. INFINITY without drag.
double mrn_environment_stable_step(const MrnModel *model);

/// Largest speed of free drift that wind and current allow, max K_t, m/s; INFINITY without drag of water.
double mrn_environment_fastest(const MrnModel *model);
/// Kinetic energy if every free body had the velocity of free drift, Nansen number times wind plus current, J.
double mrn_free_drift_energy(const MrnModel *model, const MrnState *state, double time);

#endif
