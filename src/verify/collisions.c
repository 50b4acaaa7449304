// Cases of collisions: weighted velocities, collective percussions, the rocking block, energy.
#include "verify/cases.h"
#include "verify/check.h"

#include <moraine/run.h>

#include "io/units.h"
#include "solve/friction/local.h"

#include <math.h>
#include <stdio.h>

/// Two equal bodies of mass 1 that touch at the origin, A on the side of +x; one step of a tiny length with the given
/// relative velocity. Gives the relative velocity after it, the impulse on A, and the change of energy.
static void collide(MrnVerifyReport *report, int dimension, MrnPairLaw law, double normal, double tangent, double U[2],
                    double P[2], double *energy) {
    MrnScheme scheme = mrn_strict_scheme(1e-12);
    MrnModel *model = mrn_small_model(dimension, 0, law);
    int a = dimension == 2 ? mrn_add_disc(model, 0.5, 1, 0.5, 0) : mrn_add_ball(model, 0.5, 1, 0.5, 0, 0);
    int b = dimension == 2 ? mrn_add_disc(model, 0.5, 1, -0.5, 0) : mrn_add_ball(model, 0.5, 1, -0.5, 0, 0);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return;
    mrn_world_set_velocity(small.world, a, (double[]){0.5 * normal, 0.5 * tangent, 0}, NULL);
    mrn_world_set_velocity(small.world, b, (double[]){-0.5 * normal, -0.5 * tangent, 0}, NULL);
    double before, after, potential;
    mrn_world_energy(small.world, &before, &potential);
    mrn_small_step(report, &small, NULL);
    mrn_world_energy(small.world, &after, &potential);
    *energy = after - before;
    const double *va = mrn_world_velocity(small.world, a), *vb = mrn_world_velocity(small.world, b);
    double spin = dimension == 2 ? mrn_world_spin(small.world, a)[0] + mrn_world_spin(small.world, b)[0]
                                 : mrn_world_spin(small.world, a)[2] + mrn_world_spin(small.world, b)[2];
    U[0] = va[0] - vb[0], U[1] = va[1] - vb[1] - 0.5 * spin;
    double moment[3], impulse[3];
    mrn_world_contact_resultant(small.world, a, impulse, moment);
    P[0] = impulse[0], P[1] = impulse[1];
    mrn_small_free(&small);
}

void mrn_case_newton_limit(MrnVerifyReport *report) {
    static const double restitution[] = {0, 0.25, 0.5, 0.75, 1};
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int i = 0; i < 5; i++) {
            double U[2], P[2], energy;
            collide(report, dimension, mrn_law(0, restitution[i], 0), -1, 0, U, P, &energy);
            mrn_check(report, restitution[i], U[0], 1e-12, "%s, rho = %g: normal velocity after over before",
                      dimension == 2 ? "discs" : "spheres", restitution[i]);
        }
}

void mrn_case_three_parameters(MrnVerifyReport *report) {
    double U[2], P[2], energy, rho = 0.9, mu = 0.1, tau = 0.3;
    MrnPairLaw law = mrn_law(mu, rho, tau);
    collide(report, 3, law, -1, 0.4, U, P, &energy);
    mrn_check(report, 0.9, U[0], 1e-11, "spheres A (0.4, sticks): normal velocity after [m/s]");
    mrn_check(report, -0.12, U[1], 1e-11, "spheres A: tangential velocity after [m/s]");
    mrn_check(report, 0.95, P[0], 1e-11, "spheres A: normal impulse [N s]");
    mrn_check(report, -0.0742857, P[1], 5e-8, "spheres A: tangential impulse [N s]");
    mrn_check(report, -0.0579, energy, 5e-5, "spheres A: change of energy [J]");
    collide(report, 3, law, -1, 2, U, P, &energy);
    mrn_check(report, 0.95, P[0], 1e-11, "spheres B (2, slips): normal impulse [N s]");
    mrn_check(report, -0.095, P[1], 1e-11, "spheres B: tangential impulse [N s]");
    mrn_check(report, 1.335, U[1], 1e-11, "spheres B: tangential velocity after [m/s]");
    for (int dimension = 2; dimension <= 3; dimension++) {
        double k = dimension == 2 ? 3 : 3.5, limit = k * mu * (1 + rho) / (1 + tau);
        if (dimension == 3) mrn_check(report, 0.511538, limit, 5e-7, "spheres: limit of sticking [m/s]");
        for (int side = -1; side <= 1; side += 2) {
            double psi = limit * (1 + 1e-3 * side);
            collide(report, dimension, law, -1, psi, U, P, &energy);
            mrn_check(report, side < 0 ? -tau * psi : psi - k * mu * (1 + rho), U[1], 1e-11,
                      "%s just %s the limit: tangential velocity after [m/s]", dimension == 2 ? "discs" : "spheres",
                      side < 0 ? "below" : "above");
        }
    }
}

void mrn_case_collective(MrnVerifyReport *report) {
    static const double restitution[] = {1, 0.5, 0},
                        velocity[3][3] = {{-1.0 / 3, 2.0 / 3, 2.0 / 3}, {0, 0.5, 0.5}, {1.0 / 3, 1.0 / 3, 1.0 / 3}};
    static const char *const names[] = {"striker", "middle", "last"};
    for (int i = 0; i < 3; i++) {
        char change[60];
        snprintf(change, sizeof change, "laws.0.restitution=%g", restitution[i]);
        MrnExpect wanted[6];
        double values[6];
        for (int k = 0; k < 6; k++)
            wanted[k] = (MrnExpect){.quantity = k < 3 ? "velocity.x" : "contact_impulse.x",
                                    .of = (char *)(k < 3 ? names[k] : names[k - 3]),
                                    .reduce = k < 3    ? MRN_REDUCE_FINAL
                                              : k == 3 ? MRN_REDUCE_MIN
                                                       : MRN_REDUCE_MAX,
                                    .from = NAN,
                                    .to = NAN};
        if (!mrn_measure_scene(report, "three_balls", (const char *const[]){change, NULL}, wanted, 6, values)) return;
        for (int k = 0; k < 3; k++)
            mrn_check(report, velocity[i][k], values[k], 1e-12, "rho = %g: velocity of the %s ball [m/s]",
                      restitution[i], names[k]);
        mrn_check(report, 2.0 / 3 * (1 + restitution[i]), -values[3], 1e-12,
                  "rho = %g: impulse between balls 1 and 2 [N s]", restitution[i]);
        mrn_check(report, (1 + restitution[i]) / 3, values[5], 1e-12, "rho = %g: impulse between balls 2 and 3 [N s]",
                  restitution[i]);
    }
}

void mrn_case_bounces(MrnVerifyReport *report) {
    static const struct {
        const char *step;
        double h, apex1, apex2, rest, d1, d2, d3;
    } table[] = {{"time.step=1 ms", 1e-3, 0.2473, 0.0605, 1.379, 5e-5, 5e-5, 5e-4},
                 {"time.step=0.1 ms", 1e-4, 0.24997, 0.06243, 1.3561, 5e-6, 5e-6, 5e-5}};
    for (int i = 0; i < 2; i++) {
        // At rest with restitution 1/2 the velocity turns and halves in every step: rest begins where the reference
        // calls it zero, 1e-12 m/s.
        MrnQuantity still = {1e-12, mrn_dimension_of(MRN_DIMENSION_SPEED)};
        MrnExpect wanted[] = {
            {.quantity = "position.y", .of = "ball", .reduce = MRN_REDUCE_PEAK, .peak = 1, .from = NAN, .to = NAN},
            {.quantity = "position.y", .of = "ball", .reduce = MRN_REDUCE_PEAK, .peak = 2, .from = NAN, .to = NAN},
            {.quantity = "speed",
             .of = "ball",
             .reduce = MRN_REDUCE_FIRST_TIME_BELOW,
             .level = still,
             .from = 1.2,
             .to = NAN},
            {.quantity = "speed", .of = "ball", .reduce = MRN_REDUCE_MAX, .from = table[i].rest, .to = NAN},
            {.quantity = "position.y", .of = "ball", .reduce = MRN_REDUCE_FINAL, .from = NAN, .to = NAN},
            {.quantity = "speed", .of = "ball", .reduce = MRN_REDUCE_MAX, .from = NAN, .to = 0.5}};
        double values[6];
        if (!mrn_measure_scene(report, "bouncing_ball", (const char *const[]){table[i].step, NULL}, wanted, 5, values))
            return;
        mrn_check(report, table[i].apex1, values[0] - 0.1, table[i].d1, "h = %g s: first apex (exact 0.25) [m]",
                  table[i].h);
        mrn_check(report, table[i].apex2, values[1] - 0.1, table[i].d2, "h = %g s: second apex (exact 0.0625) [m]",
                  table[i].h);
        mrn_check(report, table[i].rest, values[2], table[i].d3, "h = %g s: at rest from (exact 1.354571) [s]",
                  table[i].h);
        mrn_check_at_most(report, 1e-12, values[3], "h = %g s: speed ever after [m/s]", table[i].h);
        if (!mrn_measure_scene(report, "bouncing_ball",
                               (const char *const[]){table[i].step, "laws.0.restitution=0", NULL}, wanted, 5, values))
            return;
        double overlap = 0.1 - values[4];
        mrn_check_at_most(report, table[i].h * sqrt(2 * 9.81), overlap,
                          "rho = 0, h = %g s: overlap frozen at the stop, at most h |u| [m]", table[i].h);
        mrn_check_at_least(report, 0, overlap, "rho = 0, h = %g s: overlap frozen at the stop, at least 0 [m]",
                           table[i].h);
    }
    mrn_check(report, 1.354571, sqrt(2 / 9.81) * 3, 5e-7, "closed form of the end of bouncing [s]");
}

/// One impact of a block of half-width b and half-height a, mass 1, that turns about its corner A (left) at unit rate
/// while corner B lands.
static void block_impact(MrnVerifyReport *report, double b, double a, double mu, double *spin, double *PA, double *PB) {
    double h = 1e-10;
    MrnScheme scheme = mrn_strict_scheme(h);
    scheme.gap_tolerance = 1e-8;
    MrnModel *model = mrn_small_model(2, 0, mrn_law(mu, 0, 0));
    int block = mrn_add_polygon(model, (double[]){-b, -a, b, -a, b, a, -b, a}, 4, 1, 0, 0, a, 0);
    mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return;
    // clockwise about A = (-b, 0): the velocity of the centre is spin x (b, a)
    mrn_world_set_velocity(small.world, block, (double[]){a, -b}, (double[]){-1});
    mrn_small_step(report, &small, NULL);
    *spin = -mrn_world_spin(small.world, block)[0];
    PA[0] = PA[1] = PB[0] = PB[1] = 0;
    for (size_t c = 0; c < mrn_world_contact_count(small.world); c++) {
        MrnContactView view = mrn_world_contact(small.world, c);
        double sign = view.body_a == block ? 1 : -1, *P = view.position[0] < 0 ? PA : PB;
        P[0] += sign * view.impulse[1], P[1] += sign * view.impulse[0];
    }
    mrn_small_free(&small);
}

/// Peaks against the exact motion. Between impacts energy is kept, E = m g R (cos(alpha - theta) - cos alpha); each
/// impact multiplies it by r^2.
static void rocking_peaks(MrnVerifyReport *report) {
    double b = 0.1, a = 0.4, R = hypot(a, b), alpha = atan(b / a), r = (2 * a * a - b * b) / (2 * (a * a + b * b));
    double h = 1e-5, energy = cos(0.5 * alpha) - cos(alpha), allowed = 0, values[6];
    MrnExpect wanted[6];
    for (int n = 0; n < 6; n++)
        wanted[n] = (MrnExpect){
            .quantity = "|angle|", .of = "block", .reduce = MRN_REDUCE_PEAK, .peak = n + 1, .from = NAN, .to = NAN};
    if (!mrn_measure_scene(report, "rocking_block", (const char *const[]){"time.step=0.01 ms", "time.end=2.5 s", NULL},
                           wanted, 6, values))
        return;
    for (int n = 0; n < 6; n++) {
        // An impact is found up to a step late: the work of gravity in a step, m g b omega h, may be added or lost.
        allowed = allowed * r * r + b / R * sqrt(1.5 * 9.81 / R * energy) * h;
        energy *= r * r;
        double exact = alpha - acos(cos(alpha) + energy);
        mrn_check(report, exact / alpha, values[n] / alpha, allowed / sin(alpha - exact) / alpha,
                  "h = 1e-5 s: peak %d over the critical angle, against the exact motion", n + 1);
    }
}

void mrn_case_rocking(MrnVerifyReport *report) {
    rocking_peaks(report);
    double spin = NAN, PA[2] = {NAN, NAN}, PB[2] = {NAN, NAN};
    block_impact(report, 0.25, 1, 0.5, &spin, PA, PB);
    mrn_check(report, 0.911765, spin, 5e-7, "slender block: spin after over before");
    mrn_check(report, 1 - 1.5 * 0.0625 / 1.0625, spin, 1e-8, "slender block: the same against 1 - 3/2 sin^2 alpha");
    mrn_check(report, 0, hypot(PA[0], PA[1]), 1e-9, "slender block: impulse at the corner that takes off [N s]");
    mrn_check(report, 0.477941, PB[0], 5e-7, "slender block: normal impulse at the landing corner [N s]");
    mrn_check(report, 0.088235, fabs(PB[1]), 5e-7, "slender block: tangential impulse at the landing corner [N s]");
    block_impact(report, 1, 0.5, 0.9, &spin, PA, PB);
    mrn_check(report, 0, spin, 1e-8, "squat block: it stops dead, spin after");
    mrn_check(report, 0.166667, PA[0], 5e-7, "squat block: normal impulse at A [N s]");
    mrn_check(report, 0.833333, PB[0], 5e-7, "squat block: normal impulse at B [N s]");
}

/// Micro-time integration of one contact: the normal impulse grows, the tangential one obeys Coulomb along the way,
/// until u_n = 0.
static void micro_time(const double H[2], const double before[2], double mu, int steps, double P[2]) {
    double u[2] = {before[0], before[1]}, dp = -before[0] / H[0] / steps;
    P[0] = P[1] = 0;
    for (int k = 0; k < steps; k++) {
        double t = -u[1] / H[1];
        if (fabs(t) > mu * dp) t = copysign(mu * dp, t);
        P[0] += dp, P[1] += t;
        u[0] += H[0] * dp, u[1] += H[1] * t;
    }
}

void mrn_case_darboux(MrnVerifyReport *report) {
    static const struct {
        const char *name;
        double before[2];
    } table[] = {{"slips throughout", {-1, 2}}, {"slips the other way", {-1, -2}}, {"comes to stick", {-1, 0.3}}};
    double H[2] = {2, 7}, mu = 0.1;
    for (int i = 0; i < 3; i++) {
        double micro[2], P[2];
        micro_time(H, table[i].before, mu, 100000, micro);
        mrn_local_2d((double[]){H[0], 0, H[1]}, table[i].before, mu, P);
        mrn_check(report, micro[0], P[0], 1e-11, "%s: normal impulse, algebraic against micro-time [N s]",
                  table[i].name);
        mrn_check(report, micro[1], P[1], 1e-11, "%s: tangential impulse, algebraic against micro-time [N s]",
                  table[i].name);
    }
}

/// What a run of the scene says of energy that collisions created.
static double energy_gained(MrnVerifyReport *report, const char *change) {
    MrnError error = {0};
    MrnScene *scene = mrn_scene_read("gallery:rod_impact", &change, change ? 1 : 0, &error);
    MrnRunSummary summary = {0};
    if (!scene || !mrn_run(scene, NULL, &summary, &error)) mrn_check_failed(report, error.message);
    mrn_scene_free(scene);
    return summary.energy_gained;
}

void mrn_case_rod_impact(MrnVerifyReport *report) {
    mrn_check_at_least(report, 0.1146, energy_gained(report, NULL),
                       "rho = 1, tau = 0: energy gained, of which a run warns [J]");
    mrn_check(report, 0, energy_gained(report, "laws.0.tangential_restitution=1"), 0,
              "rho = tau = 1: energy gained in a run [J]");
    static const struct {
        double rho, tau, energy, digit;
    } table[] = {{1, 0, 0.739666, 5e-7},
                 {1, 0.5, 0.664837, 5e-7},
                 {1, 1, 0.625, 1e-9},
                 {0.9, 0.9, 0.581225, 5e-7},
                 {0, 0, 0.394607, 5e-7}};
    double angle = 50 * M_PI / 180;
    for (int i = 0; i < 5; i++) {
        MrnScheme scheme = mrn_strict_scheme(1e-10);
        scheme.gap_tolerance = 1e-6;
        MrnModel *model = mrn_small_model(2, 0, mrn_law(0.5, table[i].rho, table[i].tau));
        int rod = mrn_add_rod(model, 1, 1, 0, sin(angle), angle);
        mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        mrn_world_set_velocity(small.world, rod, (double[]){0.5, -1}, (double[]){0});
        MrnStepInfo info = {0};
        mrn_small_step(report, &small, &info);
        mrn_check(report, table[i].energy, info.kinetic_energy, table[i].digit,
                  "rho = %g, tau = %g: energy after, 0.625 before [J]", table[i].rho, table[i].tau);
        if (i == 0) {
            double impulse[3], moment[3];
            mrn_world_contact_resultant(small.world, rod, impulse, moment);
            mrn_check(report, 1.195585, impulse[1], 5e-7, "rho = 1, tau = 0: normal impulse [N s]");
            mrn_check(report, 0.458665, fabs(impulse[0]), 5e-7, "rho = 1, tau = 0: tangential impulse [N s]");
            mrn_check(report, 0.625 - 0.739666, info.dissipated_energy, 5e-7,
                      "rho = 1, tau = 0: the step reports a negative dissipated energy [J]");
        }
        mrn_small_free(&small);
    }
}
