// Limits of the step of explicit Euler under drag (Rabatel 2015, 2.1.2), for a point floe of mass per area rho h:
//
//   f(x) = x + dt / (rho h) (rho_a C_a |U_a| U_a + rho_w C_w |U_w - x| (U_w - x)),   fixed point V_c = Na U_a + U_w
//
// (2.1.3) keeps the approach to V_c monotone, (2.1.4) keeps speeds below K = |V_c|, (2.1.5) does so when winds and
// currents fall.
#include "force/environment.h"
#include "force/forcing.h"

#include <math.h>

double mrn_drag_map(const MrnEnvironment *e, double mass_per_area, double time_step, double wind, double current,
                    double velocity) {
    double w = current - velocity;
    return velocity +
           time_step / mass_per_area *
               (e->air_density * e->air_drag * fabs(wind) * wind + e->water_density * e->water_drag * fabs(w) * w);
}

double mrn_drag_limit_monotone(const MrnEnvironment *e, double mass_per_area, double wind) {
    return mass_per_area / (2 * fabs(wind) * sqrt(e->air_density * e->air_drag * e->water_density * e->water_drag));
}

double mrn_drag_limit_bounded(const MrnEnvironment *e, double mass_per_area, double wind, double current) {
    double driven = mrn_nansen(e) * wind, twice = driven + 2 * current;
    double rate = e->water_density * e->water_drag / mass_per_area * (driven * driven + twice * twice);
    return 2 * fabs(driven + current) / rate;
}

double mrn_drag_limit_falling(const MrnEnvironment *e, double mass_per_area, double wind, double current,
                              double velocity) {
    // Written for wind and current >= 0; other signs by oddness of the map. A velocity against the drift is brought
    // back by wind and current together, one along it by the water alone.
    if (wind < 0 || (wind == 0 && current < 0)) wind = -wind, current = -current, velocity = -velocity;
    double driven = mrn_nansen(e) * wind, slip = current - velocity,
           scale = e->water_density * e->water_drag / mass_per_area;
    double rate = scale * (velocity > 0 ? slip * slip - driven * driven : slip * slip + driven * driven);
    return rate > 0 ? 2 * fabs(velocity) / rate : INFINITY;
}

/// Largest wind and largest current that a run may meet, m/s.
static void largest_streams(const MrnEnvironment *e, double *wind, double *current) {
    *wind = mrn_forcing_largest(&e->wind), *current = mrn_forcing_largest(&e->current);
    if (!e->ocean) return;
    // The layer under the wind: twice its steady speed, as after a sudden start.
    double turning = fmax(fabs(mrn_coriolis(e, 0)), e->ocean_friction / e->ocean_depth);
    *current += 2 * e->air_density * e->air_drag * *wind * *wind / (e->water_density * e->ocean_depth * turning);
}

double mrn_environment_fastest(const MrnModel *model) {
    const MrnEnvironment *e = model->environment;
    double wind, current;
    if (!e || !(e->water_drag > 0)) return INFINITY;
    largest_streams(e, &wind, &current);
    return mrn_nansen(e) * wind + current;
}

double mrn_environment_stable_step(const MrnModel *model) {
    const MrnEnvironment *e = model->environment;
    if (!e) return INFINITY;
    double wind, current, lightest = INFINITY;
    largest_streams(e, &wind, &current);
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (body->mesh) lightest = fmin(lightest, body->mass / body->mesh->area);
    }
    double driven = mrn_nansen(e) * wind, fastest = driven + current, against = current + fastest;
    double rate = e->water_density * e->water_drag / lightest * (driven * driven + against * against);
    double limit = rate > 0 ? 0.75 * 2 * fastest / rate : INFINITY;
    if (wind > 0 && e->water_drag > 0) limit = fmin(limit, mrn_drag_limit_monotone(e, lightest, wind));
    if (e->linear_drag > 0) limit = fmin(limit, lightest / (e->water_density * e->linear_drag));
    return limit;
}
