// Parameters of smooth contacts: stiffness, damping, length of the sub-step, and what is refused.
//
// Linear: eta_n = 2 b sqrt(m_eff k_n) with b = |ln e| / sqrt(pi^2 + ln^2 e) gives restitution e exactly while the
// dashpot may pull at the end of a contact. Hertz: eta_n = sqrt(5) b sqrt(m_eff k_n), k_n = 4/3 E* sqrt(r* d), gives e
// exactly for every impact speed (Antypov and Elliott 2011); the factor 2 of the linear law would give too large an e.
//
// Collision times: pi / sqrt(k_n / m_eff - (eta_n / 2 m_eff)^2) (4.3.1), and Hertz 2.8683 (m_eff^2 / (r* E*^2
// v))^(1/5), with m_eff of two grains of the lightest kind, also where grains meet walls only: then it is on the safe
// side.
#include "step/dem.h"
#include "base/error.h"

#include <math.h>
#include <stdlib.h>

/// In a packing a grain is held by many: its fastest oscillation is at most about this many times that of a pair.
#define CROWD 3.0
/// Overlap over radius that the automatic stiffness allows at the largest speed and under the weight of all layers.
#define ALLOWED_OVERLAP 0.01

static double damping_share(double e) {
    if (!(e > 0)) return 1;
    double l = log(e);
    return fabs(l) / sqrt(M_PI * M_PI + l * l);
}

static const char *material_name(const MrnModel *model, size_t material) {
    return model->materials.data[material].name;
}

/// Lightest free grain of each material (mass INFINITY: none) and its radius.
typedef struct Lightest {
    double mass, radius;
} Lightest;

static void find_lightest(const MrnWorld *world, Lightest *lightest) {
    const MrnModel *model = world->model;
    for (size_t m = 0; m < model->materials.count; m++) lightest[m] = (Lightest){INFINITY, INFINITY};
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE) continue;
        const MrnShape *shape = &model->shapes.data[body->first_shape];
        Lightest *entry = &lightest[shape->material];
        entry->mass = fmin(entry->mass, body->mass);
        entry->radius = fmin(entry->radius, shape->radius);
    }
}

/// Largest speed to expect: what bodies have at the start, what drivers reach, and the fall through the height of the
/// scene.
static double expected_speed(const MrnWorld *world, double *height) {
    const MrnModel *model = world->model;
    const double *g = model->gravity;
    size_t dim = (size_t)model->dimension;
    double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), low = INFINITY, high = -INFINITY, speed = 0;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        const double *x = world->state->position + b * dim;
        double v2 = 0, along = 0;
        for (size_t k = 0; k < dim; k++) {
            double v = world->state->velocity[b * dim + k];
            v2 += v * v;
            along += gravity > 0 ? x[k] * g[k] / gravity : 0;
        }
        speed = fmax(speed, sqrt(v2));
        if (body->kind == MRN_BODY_DRIVEN) {
            const MrnDriver *driver = &model->drivers.data[body->driver];
            double reach = isfinite(body->reach) ? body->reach : 0, omega = 2 * M_PI * driver->frequency, a2 = 0;
            for (size_t k = 0; k < dim; k++) a2 += driver->amplitude[k] * driver->amplitude[k];
            if (driver->kind == MRN_DRIVER_CONSTANT) speed = fmax(speed, fabs(driver->angular_velocity) * reach);
            if (driver->kind == MRN_DRIVER_SINE)
                speed = fmax(speed, omega * (sqrt(a2) + fabs(driver->angular_amplitude) * reach));
        }
        if (body->kind != MRN_BODY_FREE && !isfinite(body->reach)) {
            low = fmin(low, along), high = fmax(high, along); // floors and walls
            continue;
        }
        double reach = isfinite(body->reach) ? body->reach : 0;
        low = fmin(low, along - reach), high = fmax(high, along + reach);
    }
    *height = high > low ? high - low : 0;
    return fmax(speed, sqrt(2 * gravity * *height));
}

/// Stiffness that keeps overlaps near ALLOWED_OVERLAP, for the heaviest and the smallest grain.
static double automatic_stiffness(const MrnWorld *world, double speed, double height) {
    const MrnModel *model = world->model;
    const double *g = model->gravity;
    double gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]), stiffness = 0;
    for (size_t b = 0; b < model->bodies.count; b++) {
        const MrnBody *body = &model->bodies.data[b];
        if (body->kind != MRN_BODY_FREE) continue;
        double allowed = ALLOWED_OVERLAP * body->size, layers = 1 + height / (2 * body->size);
        const double *f = body->load->force;
        double load = body->mass * gravity * layers + sqrt(f[0] * f[0] + f[1] * f[1] + f[2] * f[2]);
        stiffness = fmax(stiffness, fmax(body->mass * speed * speed / (allowed * allowed), load / allowed));
    }
    return stiffness > 0 ? stiffness : 1;
}

static bool check_settings(const MrnDemSettings *s, MrnError *error) {
    bool hertz = s->model != MRN_DEM_LINEAR;
    if (!(s->normal_stiffness >= 0) || !isfinite(s->normal_stiffness))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: normal stiffness is %g N/m, must be > 0", s->normal_stiffness);
    if (hertz && s->normal_stiffness > 0)
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "dem: found both a normal stiffness (of the linear model) and a Hertz model; give a Young "
                        "modulus and a Poisson ratio, or the linear model");
    if (!hertz && (s->young_modulus > 0 || s->material_count))
        return mrn_fail(error, MRN_ERROR_INPUT,
                        "dem: found a Young modulus with the linear model, which takes a normal stiffness; Young "
                        "modulus and Poisson ratio are of the models hertz and hertz-mindlin");
    if (!(s->young_modulus >= 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: Young modulus is %g Pa, must be > 0", s->young_modulus);
    if (!(s->poisson_ratio >= 0 && s->poisson_ratio <= 0.5))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: Poisson ratio is %g, must be in [0, 0.5]", s->poisson_ratio);
    if (!(s->stiffness_ratio >= 0 && s->stiffness_ratio <= 2))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: stiffness ratio is %g, must be in [0, 2]", s->stiffness_ratio);
    if (!(s->damping_ratio >= 0 && s->damping_ratio <= 2))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: damping ratio is %g, must be in [0, 2]", s->damping_ratio);
    if (!(s->restitution <= 1))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: restitution is %g, must be in [0, 1]", s->restitution);
    if (!(s->substeps_per_collision >= 5))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: %g sub-steps per collision, must be at least 5, usual is 50",
                        s->substeps_per_collision);
    if (!(s->step >= 0)) return mrn_fail(error, MRN_ERROR_INPUT, "dem: step is %g s, must be > 0", s->step);
    if (!(s->impact_speed >= 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: impact speed is %g m/s, must be > 0", s->impact_speed);
    for (size_t i = 0; i < s->pair_count; i++) {
        const MrnDemPair *pair = &s->pairs[i];
        if (!(pair->restitution <= 1))
            return mrn_fail(error, MRN_ERROR_INPUT, "dem: restitution of a pair is %g, must be in [0, 1]",
                            pair->restitution);
        if (!(pair->normal_stiffness >= 0) || (hertz && pair->normal_stiffness > 0))
            return mrn_fail(error, MRN_ERROR_INPUT, "dem: normal stiffness of a pair is %g N/m, must be > 0%s",
                            pair->normal_stiffness, hertz ? " and is of the linear model only" : "");
    }
    return true;
}

/// Young modulus and Poisson ratio of a material; false with the reason.
static bool elasticity(const MrnWorld *world, size_t material, double *young, double *poisson, MrnError *error) {
    const MrnDemSettings *s = &world->scheme.dem;
    *young = s->young_modulus, *poisson = s->poisson_ratio;
    for (size_t i = 0; i < s->material_count; i++)
        if (s->materials[i].material == (int)material)
            *young = s->materials[i].young_modulus, *poisson = s->materials[i].poisson_ratio;
    if (!(*young > 0) || !isfinite(*young))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: no Young modulus for material '%s', which a Hertz model needs",
                        material_name(world->model, material));
    if (!(*poisson >= 0 && *poisson <= 0.5))
        return mrn_fail(error, MRN_ERROR_INPUT, "dem: Poisson ratio of material '%s' is %g, must be in [0, 0.5]",
                        material_name(world->model, material), *poisson);
    return true;
}

/// The law of one pair of materials, and for Hertz E* in *effective.
static bool pair_law(const MrnWorld *world, size_t a, size_t b, double stiffness, MrnDemLaw *law, double *effective,
                     MrnError *error) {
    const MrnDemSettings *s = &world->scheme.dem;
    const MrnPairLaw *given = &world->laws[a * world->model->materials.count + b];
    if (given->rolling_length > 0 || (given->cross_friction >= 0 && given->cross_friction != given->friction))
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                        "dem: %s between '%s' and '%s' is not a smooth law of this stepper",
                        given->rolling_length > 0 ? "rolling resistance" : "elliptic friction",
                        material_name(world->model, a), material_name(world->model, b));
    double e = s->restitution >= 0 ? s->restitution : given->normal_restitution;
    for (size_t i = 0; i < s->pair_count; i++) {
        const MrnDemPair *pair = &s->pairs[i];
        bool same = (pair->material_a == (int)a && pair->material_b == (int)b) ||
                    (pair->material_a == (int)b && pair->material_b == (int)a);
        if (!same) continue;
        if (pair->restitution >= 0) e = pair->restitution;
        if (pair->normal_stiffness > 0) stiffness = pair->normal_stiffness;
    }
    *law = (MrnDemLaw){.tangent_damping = s->damping_ratio, .friction = given->friction, .restitution = e};
    if (s->model == MRN_DEM_LINEAR) {
        law->normal = stiffness;
        law->tangential = s->stiffness_ratio * stiffness;
        law->damping = 2 * damping_share(e);
        return true;
    }
    double E1, E2, n1, n2;
    if (!elasticity(world, a, &E1, &n1, error) || !elasticity(world, b, &E2, &n2, error)) return false;
    double G1 = E1 / (2 * (1 + n1)), G2 = E2 / (2 * (1 + n2));
    *effective = E1 * E2 / (E1 * (1 - n2 * n2) + E2 * (1 - n1 * n1));
    law->normal = 4.0 / 3 * *effective; // (4.1.23)
    law->tangential =
        (s->model == MRN_DEM_HERTZ ? 16.0 / 3 : 8.0) * G1 * G2 / (G1 * (2 - n2) + G2 * (2 - n1)); // (4.1.24)
    law->damping = sqrt(5) * damping_share(e);
    return true;
}

bool mrn_dem_parameters(const MrnWorld *world, MrnDem *dem, MrnError *error) {
    const MrnDemSettings *s = &world->scheme.dem;
    size_t materials = world->model->materials.count;
    if (!check_settings(s, error)) return false;
    double height, speed = expected_speed(world, &height);
    if (s->impact_speed > 0) speed = s->impact_speed;
    double stiffness = s->normal_stiffness > 0 ? s->normal_stiffness : automatic_stiffness(world, speed, height);
    Lightest *lightest = mrn_alloc(materials + 1, sizeof *lightest);
    find_lightest(world, lightest);
    dem->hertz = s->model != MRN_DEM_LINEAR;
    dem->materials = materials;
    dem->laws = mrn_alloc_aligned(materials * materials + 1, sizeof *dem->laws);
    double collision = INFINITY, limit = INFINITY, overlap_scale = INFINITY;
    size_t worst_a = 0, worst_b = 0;
    bool good = true;
    for (size_t a = 0; a < materials && good; a++)
        for (size_t b = 0; b < materials && good; b++) {
            MrnDemLaw *law = &dem->laws[a * materials + b];
            double effective = 0;
            if (!isfinite(lightest[a].mass) && !isfinite(lightest[b].mass)) {
                *law = (MrnDemLaw){0}; // obstacles do not meet
                continue;
            }
            good = pair_law(world, a, b, stiffness, law, &effective, error);
            if (!good) break;
            // Against a wall the lightest grain counts as if it met its like.
            const Lightest *first = isfinite(lightest[a].mass) ? &lightest[a] : &lightest[b],
                           *second = isfinite(lightest[b].mass) ? &lightest[b] : &lightest[a];
            double mass = first->mass * second->mass / (first->mass + second->mass),
                   share = damping_share(law->restitution);
            double time, omega;
            if (dem->hertz) {
                double radius = first->radius * second->radius / (first->radius + second->radius);
                double fast = speed > 0 ? 2 * speed : 1e-3;
                time = 2.8683 * pow(mass * mass / (radius * effective * effective * fast), 0.2);
                omega = M_PI / time * 1.2; // the tangent stiffness at the largest overlap is above the mean
            } else {
                omega = sqrt(law->normal / mass);
                time = M_PI / (omega * fmax(0.5, sqrt(1 - share * share)));
            }
            // Explicit step of the fastest oscillation in a packing, whose damping ratio grows with its frequency.
            double wide = CROWD * share, bound = 2 / (CROWD * omega) * (sqrt(1 + wide * wide) - wide);
            if (s->integrator == MRN_DEM_ADAMS_BASHFORTH) bound *= 0.5;
            if (dem->hertz) { // the bound falls as the fourth root of the overlap
                double radius = first->radius * second->radius / (first->radius + second->radius);
                double fast = speed > 0 ? 2 * speed : 1e-3;
                double deepest = pow(15 * mass * fast * fast / (16 * effective * sqrt(radius)), 0.4);
                overlap_scale = fmin(overlap_scale, deepest * pow(bound, 4));
            }
            if (time < collision) collision = time;
            if (bound < limit) limit = bound, worst_a = a, worst_b = b;
        }
    free(lightest);
    if (!good) return false;
    double usual = fmin(collision / s->substeps_per_collision, limit);
    if (s->step > limit * (1 + 1e-9))
        return mrn_fail(
            error, MRN_ERROR_INPUT,
            "dem: a step of %.4g s is above the stability limit of %.4g s: the shortest collision (material "
            "'%s' with '%s') takes %.4g s; give at most the limit, or nothing for %.4g s",
            s->step, limit, material_name(world->model, worst_a), material_name(world->model, worst_b), collision,
            usual);
    dem->step = s->step > 0 ? s->step : usual;
    if (!isfinite(dem->step)) dem->step = world->scheme.time_step; // nothing is free
    dem->overlap_limit = dem->hertz ? overlap_scale / pow(dem->step, 4) : INFINITY;
    return true;
}
