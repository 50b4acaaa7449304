// Drag by quadrature over the mesh of each body, Coriolis, and the slab ocean (Rabatel 2015, 1.2.1, 1.2.2, 2.2).
//
//   air    tau_a = rho_a C_a |U_a| U_a                    water  tau_w = rho_w (C_w |w| + c) w,  w = U_w - (v + omega
//   r^perp) force  M f (v_y, -v_x) + integral of tau_a + tau_w     moment  integral of r x (tau_a + tau_w), r from the
//   mass centre
//
// What always holds: sums over points are made in a fixed order, so results do not depend on threads or on the width of
// vector registers.
#include "force/environment.h"
#include "base/error.h"
#include "base/simd.h"
#include "force/forcing.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

double mrn_coriolis(const MrnEnvironment *environment, double y) {
    double latitude = environment->latitude;
    if (environment->follow_latitude) latitude += y / environment->earth_radius;
    return 2 * environment->rotation_rate * sin(latitude);
}

double mrn_nansen(const MrnEnvironment *environment) {
    return sqrt(environment->air_density * environment->air_drag /
                (environment->water_density * environment->water_drag));
}

static bool check(const MrnModel *model, const MrnEnvironment *e, MrnError *error) {
    const struct {
        const char *name, *unit;
        double value;
        bool may_be_zero;
    } numbers[] = {{"air density", "kg/m3", e->air_density, true},
                   {"air drag", "", e->air_drag, true},
                   {"water density", "kg/m3", e->water_density, !e->ocean},
                   {"water drag", "", e->water_drag, true},
                   {"linear drag", "m/s", e->linear_drag, true},
                   {"radius of the Earth", "m", e->earth_radius, false},
                   {"depth of the ocean layer", "m", e->ocean_depth, !e->ocean},
                   {"area of the ocean cell", "m2", e->ocean_area, !e->ocean},
                   {"friction of the ocean layer", "m/s", e->ocean_friction, true}};
    if (model->dimension != 2) return mrn_fail(error, MRN_ERROR_INPUT, "an environment needs a plane scene");
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (!isfinite(numbers[i].value) || numbers[i].value < 0 || (numbers[i].value == 0 && !numbers[i].may_be_zero))
            return mrn_fail(error, MRN_ERROR_INPUT, "environment: %s is %g %s, must be %s 0", numbers[i].name,
                            numbers[i].value, numbers[i].unit, numbers[i].may_be_zero ? ">=" : ">");
    if (!isfinite(e->latitude) || !isfinite(e->rotation_rate))
        return mrn_fail(error, MRN_ERROR_INPUT, "environment: latitude and rotation rate must be finite");
    return true;
}

/// The data of wind and current reach a body.
static bool is_served(const MrnModel *model, const MrnEnvironment *e, size_t body, const double place[2], double time,
                      MrnError *error) {
    for (int k = 0; k < 2; k++) {
        const MrnForcing *forcing = k ? &e->current : &e->wind;
        const char *what = k ? "current" : "wind";
        if (forcing->kind != MRN_FORCING_GRID) continue;
        if (!mrn_forcing_reaches(forcing, place))
            return mrn_fail(
                error, MRN_ERROR_INPUT,
                "%s is outside the grid of the %s, at (%.6g, %.6g) m, time %.6g s; the grid goes from (%.6g, "
                "%.6g) m to (%.6g, %.6g) m",
                mrn_model_body_name(model, (int)body), what, place[0], place[1], time, forcing->x[0], forcing->y[0],
                forcing->x[forcing->x_count - 1], forcing->y[forcing->y_count - 1]);
        if (!mrn_forcing_is_known(forcing, time, place))
            return mrn_fail(error, MRN_ERROR_INPUT,
                            "the %s has a gap (missing values) at %s, (%.6g, %.6g) m, time %.6g s", what,
                            mrn_model_body_name(model, (int)body), place[0], place[1], time);
    }
    return true;
}

bool mrn_environment_attach(MrnModel *model, MrnEnvironment *given, MrnError *error) {
    assert(!model->environment);
    MrnEnvironment *environment = mrn_alloc(1, sizeof *environment);
    *environment = *given;
    bool good = check(model, environment, error);
    double mass = 0, centre[2] = {0};
    for (size_t b = 0; good && b < model->bodies.count; b++) {
        MrnBody *body = &model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE) continue;
        if (!body->mesh) {
            const double origin[2] = {0, 0};
            body->mesh = mrn_floe_mesh_new(model->shapes.data + body->first_shape, (size_t)body->shape_count,
                                           environment->elements);
            if (!body->mesh)
                good = mrn_fail(error, MRN_ERROR_INPUT, "%s: the outline cannot be cut into triangles",
                                mrn_model_body_name(model, (int)b));
            else
                mrn_floe_mesh_settle(body->mesh, origin);
        }
        for (int k = 0; k < 2; k++) {
            if (k == 0) mass += body->mass;
            centre[k] += body->mass * body->position[k];
        }
        good = good && is_served(model, environment, b, body->position, 0, error);
    }
    if (!good) {
        mrn_environment_free(environment);
        return false;
    }
    for (int k = 0; k < 2; k++) environment->ocean_point[k] = mass > 0 ? centre[k] / mass : 0;
    mrn_forcing_at(&environment->current, 0, environment->ocean_point, environment->ocean_start);
    model->environment = environment;
    return true;
}

MrnWeather mrn_weather_at(const MrnModel *model, const MrnState *state, double time) {
    const MrnEnvironment *e = model->environment;
    MrnWeather weather = {.time = time,
                          .wind_uniform = mrn_forcing_is_uniform(&e->wind),
                          .current_uniform = mrn_forcing_is_uniform(&e->current)};
    if (weather.wind_uniform) mrn_forcing_at(&e->wind, time, e->ocean_point, weather.wind);
    if (e->ocean) {
        memcpy(weather.current, state->ocean_velocity, sizeof weather.current);
        if (!weather.current_uniform) {
            double data[2];
            mrn_forcing_at(&e->current, time, e->ocean_point, data);
            for (int k = 0; k < 2; k++) weather.ocean_shift[k] = weather.current[k] - data[k];
        }
    } else if (weather.current_uniform)
        mrn_forcing_at(&e->current, time, e->ocean_point, weather.current);
    return weather;
}

/// Integrals of (q |w| + l) w and of r x the same over the points, w = relative + omega (y, -x), all in the body frame.
MRN_KERNEL static void integrate_drag(const MrnFloeMesh *mesh, double relative_x, double relative_y, double spin,
                                      double quadratic, double linear, double sum[3]) {
    MrnLanes fx = mrn_lanes(0), fy = mrn_lanes(0), moment = mrn_lanes(0);
    MrnLanes ux = mrn_lanes(relative_x), uy = mrn_lanes(relative_y), omega = mrn_lanes(spin), q = mrn_lanes(quadratic),
             l = mrn_lanes(linear);
    for (size_t i = 0; i < mesh->point_count; i += MRN_LANES) {
        MrnLanes x = *(const MrnLanes *)(mesh->x + i), y = *(const MrnLanes *)(mesh->y + i),
                 weight = *(const MrnLanes *)(mesh->weight + i);
        MrnLanes wx = ux + omega * y, wy = uy - omega * x;
        MrnLanes factor = weight * (q * mrn_lanes_sqrt(wx * wx + wy * wy) + l);
        wx *= factor, wy *= factor;
        fx += wx;
        fy += wy;
        moment += x * wy - y * wx;
    }
    sum[0] = mrn_lanes_sum(fx);
    sum[1] = mrn_lanes_sum(fy);
    sum[2] = mrn_lanes_sum(moment);
}

/// A body in motion: what the integrals over it need.
typedef struct Moving {
    const MrnFloeMesh *mesh;
    const double *position, *velocity;
    double cosine, sine, spin;
} Moving;

static Moving moving(const MrnModel *model, const MrnState *state, size_t body) {
    double angle = state->rotation[body];
    assert(model->bodies.data[body].mesh);
    return (Moving){model->bodies.data[body].mesh,
                    state->position + 2 * body,
                    state->velocity + 2 * body,
                    cos(angle),
                    sin(angle),
                    state->spin[body]};
}

/// Add the drag of a uniform stream `flow` to force and moment.
static void uniform_drag(const Moving *m, const double flow[2], double quadratic, double linear, double force[2],
                         double *moment) {
    double x = flow[0] - m->velocity[0], y = flow[1] - m->velocity[1], sum[3];
    integrate_drag(m->mesh, m->cosine * x + m->sine * y, m->cosine * y - m->sine * x, m->spin, quadratic, linear, sum);
    force[0] += m->cosine * sum[0] - m->sine * sum[1];
    force[1] += m->sine * sum[0] + m->cosine * sum[1];
    *moment += sum[2];
}

/// Add the derivative of a drag (q |w| + l) w by velocity and spin, at one point: - weight (q (|w| I + w w^T / |w|) + l
/// I) carried to (v, omega).
static void add_derivative(double wx, double wy, double rx, double ry, double weight, double quadratic, double linear,
                           double *d) {
    double norm = hypot(wx, wy), over = norm > 0 ? 1 / norm : 0;
    double xx = weight * (quadratic * (norm + wx * wx * over) + linear), xy = weight * quadratic * wx * wy * over,
           yy = weight * (quadratic * (norm + wy * wy * over) + linear);
    double x_spin = -xx * ry + xy * rx, y_spin = -xy * ry + yy * rx;
    d[0] -= xx, d[1] -= xy, d[2] -= x_spin;
    d[3] -= xy, d[4] -= yy, d[5] -= y_spin;
    d[6] -= x_spin, d[7] -= y_spin, d[8] -= -ry * x_spin + rx * y_spin;
}

/// Add the drag of a field, point by point, to force, moment and derivative (may be NULL). `own` is false when the
/// motion of the body does not count.
static void field_drag(const Moving *m, const MrnForcing *field, const MrnWeather *weather, const double *uniform,
                       const double shift[2], bool own, double quadratic, double linear, double force[2],
                       double *moment, double *derivative) {
    for (size_t i = 0; i < 3 * m->mesh->triangle_count; i++) {
        double x = m->mesh->x[i], y = m->mesh->y[i], weight = m->mesh->weight[i], flow[2];
        double rx = m->cosine * x - m->sine * y, ry = m->sine * x + m->cosine * y;
        const double place[2] = {m->position[0] + rx, m->position[1] + ry};
        if (uniform)
            flow[0] = uniform[0], flow[1] = uniform[1];
        else {
            mrn_forcing_at(field, weather->time, place, flow);
            flow[0] += shift[0], flow[1] += shift[1];
        }
        double wx = flow[0], wy = flow[1];
        if (own) {
            wx -= m->velocity[0] - m->spin * ry;
            wy -= m->velocity[1] + m->spin * rx;
        }
        double factor = weight * (quadratic * hypot(wx, wy) + linear);
        force[0] += factor * wx;
        force[1] += factor * wy;
        *moment += factor * (rx * wy - ry * wx);
        if (derivative && own) add_derivative(wx, wy, rx, ry, weight, quadratic, linear, derivative);
    }
}

static void water_drag(const MrnEnvironment *e, const Moving *m, const MrnWeather *weather, double force[2],
                       double *moment, double *derivative) {
    double quadratic = e->water_density * e->water_drag, linear = e->water_density * e->linear_drag;
    if (weather->current_uniform && !derivative)
        uniform_drag(m, weather->current, quadratic, linear, force, moment);
    else
        field_drag(m, &e->current, weather, weather->current_uniform ? weather->current : NULL, weather->ocean_shift,
                   true, quadratic, linear, force, moment, derivative);
}

static void air_drag(const MrnEnvironment *e, const Moving *m, const MrnWeather *weather, double force[2],
                     double *moment, double *derivative) {
    static const double no_shift[2] = {0, 0};
    double quadratic = e->air_density * e->air_drag;
    if (e->relative_wind || !weather->wind_uniform) {
        field_drag(m, &e->wind, weather, weather->wind_uniform ? weather->wind : NULL, no_shift, e->relative_wind,
                   quadratic, 0, force, moment, derivative);
        return;
    }
    // The stress is the same everywhere: it acts at the centre of the area, which is the mass centre unless the
    // thickness varies.
    double factor = quadratic * hypot(weather->wind[0], weather->wind[1]) * m->mesh->area;
    double fx = factor * weather->wind[0], fy = factor * weather->wind[1], x = m->mesh->centre[0],
           y = m->mesh->centre[1];
    force[0] += fx;
    force[1] += fy;
    *moment += (m->cosine * x - m->sine * y) * fy - (m->sine * x + m->cosine * y) * fx;
}

void mrn_weather_force(const MrnModel *model, const MrnState *state, size_t index, const MrnWeather *weather,
                       double force[2], double *moment, double *derivative) {
    const MrnEnvironment *e = model->environment;
    const MrnBody *body = &model->bodies.data[index];
    Moving m = moving(model, state, index);
    double f = body->mass * mrn_coriolis(e, m.position[1]);
    force[0] = f * m.velocity[1];
    force[1] = -f * m.velocity[0];
    *moment = 0;
    if (derivative) {
        memset(derivative, 0, 9 * sizeof(double));
        derivative[1] = f, derivative[3] = -f;
    }
    air_drag(e, &m, weather, force, moment, derivative);
    water_drag(e, &m, weather, force, moment, derivative);
}

void mrn_environment_force(const MrnModel *model, const MrnState *state, size_t body, double time, double force[2],
                           double *moment) {
    MrnWeather weather = mrn_weather_at(model, state, time);
    mrn_weather_force(model, state, body, &weather, force, moment, NULL);
}

/// Solve a 3 x 3 system by elimination; the diagonal dominates enough to need no pivots.
static void solve3(double a[9], double b[3]) {
    for (int k = 0; k < 3; k++)
        for (int i = k + 1; i < 3; i++) {
            double factor = a[3 * i + k] / a[4 * k];
            for (int j = k; j < 3; j++) a[3 * i + j] -= factor * a[3 * k + j];
            b[i] -= factor * b[k];
        }
    for (int k = 2; k >= 0; k--) {
        for (int j = k + 1; j < 3; j++) b[k] -= a[3 * k + j] * b[j];
        b[k] /= a[4 * k];
    }
}

void mrn_environment_free_velocity(const MrnModel *model, const MrnState *state, size_t index,
                                   const MrnWeather *weather, double time_step, double theta, double *free_velocity,
                                   double *free_spin) {
    const MrnBody *body = &model->bodies.data[index];
    double change[3], matrix[9];
    mrn_weather_force(model, state, index, weather, change, &change[2], matrix);
    // In momenta over the square root of the inertia all three components are of the same size.
    double root[3] = {sqrt(mrn_body_inverse_mass(body)), sqrt(mrn_body_inverse_mass(body)),
                      sqrt(mrn_body_inverse_inertia(body, 2))};
    for (int i = 0; i < 3; i++) {
        change[i] *= time_step * root[i];
        for (int j = 0; j < 3; j++) matrix[3 * i + j] *= -theta * time_step * root[i] * root[j];
        matrix[4 * i] += 1;
    }
    solve3(matrix, change);
    free_velocity[0] += root[0] * change[0];
    free_velocity[1] += root[1] * change[1];
    free_spin[0] += root[2] * change[2];
}

void mrn_environment_step_from(const MrnModel *model, MrnState *state, double time, double time_step) {
    const MrnEnvironment *e = model->environment;
    if (!e || !e->ocean) return;
    MrnWeather weather = mrn_weather_at(model, state, time);
    double from_ice[2] = {0, 0}, covered = 0, mass = 0, height = 0;
    for (size_t b = 0; b < model->bodies.count; b++) {
        if (model->bodies.data[b].kind != MRN_BODY_FREE || !state->active[b]) continue;
        Moving m = moving(model, state, b);
        double force[2] = {0, 0}, moment = 0;
        water_drag(e, &m, &weather, force, &moment, NULL);
        from_ice[0] -= force[0], from_ice[1] -= force[1];
        covered += m.mesh->area;
        mass += model->bodies.data[b].mass;
        height += model->bodies.data[b].mass * m.position[1];
    }
    double layer = e->water_density * e->ocean_depth * e->ocean_area, f = mrn_coriolis(e, mass > 0 ? height / mass : 0);
    double wind[2], before[2], after[2], *u = state->ocean_velocity;
    mrn_forcing_at(&e->wind, time, e->ocean_point, wind);
    mrn_forcing_at(&e->current, time, e->ocean_point, before);
    mrn_forcing_at(&e->current, time + time_step, e->ocean_point, after);
    double open = fmax(0, e->ocean_area - covered) * e->air_density * e->air_drag * hypot(wind[0], wind[1]);
    const double coriolis[2] = {f * u[1], -f * u[0]};
    for (int k = 0; k < 2; k++)
        u[k] += time_step *
                    ((from_ice[k] + open * wind[k]) / layer + coriolis[k] - e->ocean_friction / e->ocean_depth * u[k]) +
                (after[k] - before[k]);
}

double mrn_free_drift_energy(const MrnModel *model, const MrnState *state, double time) {
    const MrnEnvironment *e = model->environment;
    if (!e || !(e->water_drag > 0)) return 0;
    MrnWeather weather = mrn_weather_at(model, state, time);
    double nansen = mrn_nansen(e), energy = 0;
    for (size_t b = 0; b < model->bodies.count; b++) {
        if (model->bodies.data[b].kind != MRN_BODY_FREE || !state->active[b]) continue;
        double wind[2], current[2], square = 0;
        memcpy(wind, weather.wind, sizeof wind), memcpy(current, weather.current, sizeof current);
        if (!weather.wind_uniform) mrn_forcing_at(&e->wind, time, state->position + 2 * b, wind);
        if (!weather.current_uniform) mrn_forcing_at(&e->current, time, state->position + 2 * b, current);
        for (int k = 0; k < 2; k++) {
            double drift = nansen * wind[k] + current[k] + (weather.current_uniform ? 0 : weather.ocean_shift[k]);
            square += drift * drift;
        }
        energy += 0.5 * model->bodies.data[b].mass * square;
    }
    return energy;
}

void mrn_environment_step(const MrnModel *model, MrnState *state, double time_step) {
    mrn_environment_step_from(model, state, state->time[0], time_step);
}

bool mrn_environment_check(const MrnModel *model, const MrnState *state, MrnError *error) {
    const MrnEnvironment *e = model->environment;
    if (!e || (e->wind.kind != MRN_FORCING_GRID && e->current.kind != MRN_FORCING_GRID)) return true;
    for (size_t b = 0; b < model->bodies.count; b++) {
        if (model->bodies.data[b].kind != MRN_BODY_FREE || !state->active[b]) continue;
        if (!is_served(model, e, b, state->position + 2 * b, state->time[0], error)) return false;
    }
    return true;
}
