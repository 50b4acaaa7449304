// Blocks that stand or fall: arch, wall, stack, capsule. Each limit is known in closed form; bisection finds ours.
//
// Arch: with friction enough that nothing slides, a ring of wedges stands if and only if a line of thrust lies within
// it. By symmetry the thrust at the crown is horizontal, H at height y. About the centre of the circle the part between
// the crown and a joint at angle b from the horizontal, of weight W with its centre at x, is in balance when the thrust
// meets the joint at the distance s = (H y + x W) / (W cos b + H sin b): between inner and outer radius. For a given H
// this bounds H y from both sides; the room between the bounds is concave in H.
#include "verify/cases.h"
#include "verify/granular.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/// Room for H y at a thrust H, in units of weight times mean radius: negative if there is none.
static double room_for_thrust(double thrust, int voussoirs, double inner, double outer) {
    double step = M_PI / voussoirs, low = -INFINITY, high = INFINITY, weight = 0, moment = 0;
    double area = 0.5 * sin(step) * (outer * outer - inner * inner);
    double radius =
        2.0 / 3 * cos(step / 2) * (outer * outer * outer - inner * inner * inner) / (outer * outer - inner * inner);
    bool odd = voussoirs % 2;
    // From the crown to the right; an odd number has half a keystone first.
    for (double angle = M_PI / 2; angle > 1e-9;) {
        if (odd && weight == 0) {
            // A triangle from the centre with the base r sin(step/2): its centre is at a third of the base.
            double half = 0.5 * area, third = (outer * outer * outer - inner * inner * inner) / 3 * sin(step / 2) /
                                              (outer * outer - inner * inner);
            weight += half, moment += half * third;
            angle -= step / 2;
        } else {
            double middle = angle - step / 2;
            weight += area, moment += area * radius * cos(middle);
            angle -= step;
        }
        double along = weight * cos(angle) + thrust * sin(angle);
        low = fmax(low, inner * along - moment), high = fmin(high, outer * along - moment);
    }
    if (!odd) low = fmax(low, inner * thrust), high = fmin(high, outer * thrust); // a joint at the crown
    return high - low;
}

static bool arch_has_thrust_line(int voussoirs, double ratio) {
    double inner = 1 - ratio / 2, outer = 1 + ratio / 2, low = 1e-4, high = 1;
    double weight = M_PI / 2 * ratio;
    low *= weight, high *= 2 * weight;
    for (int round = 0; round < 200; round++) { // golden section for the greatest room
        double a = high - 0.6180339887498949 * (high - low), b = low + 0.6180339887498949 * (high - low);
        if (room_for_thrust(a, voussoirs, inner, outer) < room_for_thrust(b, voussoirs, inner, outer))
            low = a;
        else
            high = b;
    }
    return room_for_thrust(0.5 * (low + high), voussoirs, inner, outer) >= 0;
}

static double least_ratio(int voussoirs) {
    double falls = 0.02, stands = 0.3;
    for (int round = 0; round < 60; round++) {
        double middle = 0.5 * (falls + stands);
        *(arch_has_thrust_line(voussoirs, middle) ? &stands : &falls) = middle;
    }
    return stands;
}

/// Largest displacement in a scene of the gallery; it is stopped when a body has moved by `enough`. NAN after
/// mrn_check_failed.
static double displacement(MrnVerifyReport *report, const char *name, const char *const *overrides, double enough) {
    MrnError error = {0};
    size_t count = 0;
    char path[80];
    while (overrides[count]) count++;
    snprintf(path, sizeof path, "gallery:%s", name);
    MrnScene *scene = mrn_scene_read(path, overrides, count, &error);
    MrnWorld *world = scene ? mrn_world_new(scene->model, &scene->scheme, &error) : NULL;
    bool fine = world != NULL;
    double moved = 0;
    while (fine && moved < enough && mrn_world_time(world) < scene->duration) {
        fine = mrn_world_step(world, NULL, &error);
        for (size_t b = 0; b < scene->model->bodies.count; b++) {
            double square = 0;
            for (int k = 0; k < scene->model->dimension; k++) {
                double change = mrn_world_position(world, (int)b)[k] - scene->model->bodies.data[b].position[k];
                square += change * change;
            }
            moved = fmax(moved, sqrt(square));
        }
    }
    if (!fine) mrn_check_failed(report, error.message);
    mrn_world_free(world);
    mrn_scene_free(scene);
    return fine ? moved : NAN;
}

void mrn_case_arch(MrnVerifyReport *report) {
    mrn_check(report, 0.1075, least_ratio(2001), 5e-5,
              "2001 voussoirs, line of thrust: least thickness over mean radius");
    int voussoirs = 31;
    double exact = least_ratio(voussoirs), falls = 0.09, stands = 0.12;
    mrn_measure(report, exact, "%d voussoirs, line of thrust: least thickness over mean radius", voussoirs);
    for (int round = 0; round < 9; round++) {
        double ratio = 0.5 * (falls + stands), thickness = 2 * ratio / (1 - ratio / 2);
        char change[80], number[80];
        snprintf(change, sizeof change, "generate.arch.arch.thickness=%.17g m", thickness);
        snprintf(number, sizeof number, "generate.arch.arch.voussoirs=%d", voussoirs);
        double moved = displacement(report, "arch",
                                    (const char *const[]){change, number, "laws.0.friction=0.8", "time.step=2 ms",
                                                          "solver.tolerance=1e-8", NULL},
                                    1e-3);
        if (isnan(moved)) return;
        *(moved < 1e-3 ? &stands : &falls) = ratio;
    }
    mrn_check(report, exact, 0.5 * (falls + stands), 0.5e-3 * exact + 0.5 * (stands - falls),
              "%d voussoirs: ratio at which the arch falls within 2 s", voussoirs);
}

void mrn_case_wall(MrnVerifyReport *report) {
    double falls = 0.24, stands = 0.16, exact = 0.1 / 0.5;
    for (int round = 0; round < 6; round++) {
        double push = 0.5 * (falls + stands);
        char change[120];
        snprintf(change, sizeof change, "gravity=[0 m/s2, %.17g m/s2, -9.81 m/s2]", 9.81 * push);
        double moved = displacement(report, "wall_out_of_plane", (const char *const[]){change, NULL}, 1e-3);
        if (isnan(moved)) return;
        *(moved < 1e-3 ? &stands : &falls) = push;
    }
    mrn_check(report, exact, 0.5 * (falls + stands), 0.005 * exact + 0.5 * (falls - stands),
              "horizontal load over weight at which the wall overturns, t/H");
}

void mrn_case_pinched_capsule(MrnVerifyReport *report) {
    static const double margin[] = {1e-1, 1e-3, 1e-6, 1e-9};
    double weight = 2 * 9.81, value;
    MrnExpect fastest = {.quantity = "speed", .of = "capsule", .reduce = MRN_REDUCE_MAX, .from = NAN, .to = NAN};
    MrnExpect last = {.quantity = "velocity.z", .of = "capsule", .reduce = MRN_REDUCE_FINAL, .from = NAN, .to = NAN};
    char change[120];
    for (int i = 0; i < 4; i++) {
        snprintf(change, sizeof change, "bodies.plate.force=[%.17g N, 0 N, 0 N]", -weight * (1 + margin[i]));
        if (!mrn_measure_scene(
                report, "pinched_capsule",
                (const char *const[]){change, "solver.tolerance=1e-14", "solver.max_iterations=1000000", NULL},
                &fastest, 1, &value))
            return;
        mrn_check_at_most(report, 1e-9, value, "pressed %g above the limit: greatest speed in 2 s [m/s]", margin[i]);
    }
    snprintf(change, sizeof change, "bodies.plate.force=[%.17g N, 0 N, 0 N]", -weight * 0.99);
    if (!mrn_measure_scene(report, "pinched_capsule", (const char *const[]){change, NULL}, &last, 1, &value)) return;
    mrn_check(report, -0.01 * 9.81 * 2, value, 1e-8,
              "pressed 0.01 below the limit: velocity after 2 s, -0.01 g t [m/s]");
}
