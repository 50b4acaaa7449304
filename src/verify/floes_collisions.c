// Cases of floe collisions (specification of floes 4.1, 4.2, 4.5): impacts whose outcome is known in closed form, run
// by the event-driven stepper or by one impact alone.
#include "base/random.h"
#include "step/impact.h"
#include "verify/cases.h"
#include "verify/check.h"
#include "verify/floes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846

MrnScheme mrn_floe_scheme(double time_step, MrnContactMode contacts) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.stepper = "event-driven";
    scheme.time_step = time_step;
    scheme.event_driven.contacts = contacts;
    scheme.event_driven.approach_rate = 0;
    return scheme;
}

int mrn_add_regular(MrnModel *model, int sides, double radius, double corner, double mass, double x, double y) {
    double vertices[2 * 64];
    for (int k = 0; k < sides; k++) {
        vertices[2 * k] = radius * cos(corner + 2 * PI * k / sides);
        vertices[2 * k + 1] = radius * sin(corner + 2 * PI * k / sides);
    }
    return mrn_add_polygon(model, vertices, (size_t)sides, mass, 0, x, y, 0);
}

int mrn_add_block(MrnModel *model, double width, double height, double x, double y) {
    double w = width / 2, h = height / 2, vertices[8] = {-w, -h, w, -h, w, h, -w, h};
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_POLYGON);
    shape.vertex_count = 4;
    shape.vertices = vertices;
    MrnBodyDef def = mrn_body_defaults(2);
    def.kind = MRN_BODY_FIXED;
    def.position[0] = x, def.position[1] = y;
    def.shape_count = 1, def.shapes = &shape;
    return mrn_model_add_body(model, &def, NULL);
}

static void set_velocity(MrnWorld *world, int body, double x, double y, double spin) {
    mrn_world_set_velocity(world, body, (double[]){x, y}, &spin);
}

// ---- V-01 ----

#define SYMMETRY_GAP 0.001 ///< m, between the bodies at the start

typedef struct SymmetryRow {
    int parts; ///< theta = pi / parts
    int sides_1, sides_2;
    double radius_2;
} SymmetryRow;

/// The impact of V-01 with friction: velocities (x, y, spin) of the three bodies after it. `turned` puts edges, not
/// corners, on the lines of centres.
static bool frictional_symmetry(MrnVerifyReport *report, const SymmetryRow *row, double mu, bool turned,
                                double after[3][3]) {
    double theta = PI / row->parts, away = 1 + row->radius_2 + SYMMETRY_GAP;
    double turn_1 = turned ? PI / row->sides_1 : 0, turn_2 = turned ? PI / row->sides_2 : 0;
    double shrink_1 = turned ? cos(turn_1) : 1, shrink_2 = turned ? cos(turn_2) : 1; // edges at the distance of corners
    MrnModel *model = mrn_small_model(2, 0, mrn_law(mu, 1, 0));
    mrn_add_regular(model, row->sides_1, 1 / shrink_1, theta + turn_1, 1, 0, 0);
    for (int side = 1; side >= -1; side -= 2)
        mrn_add_regular(model, row->sides_2, row->radius_2 / shrink_2, side * (theta + turn_2) + PI, 1,
                        away * cos(theta), side * away * sin(theta));
    MrnScheme scheme = mrn_floe_scheme(0.01, MRN_CONTACTS_SIMULTANEOUS);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return false;
    set_velocity(small.world, 0, 1, 0, 0);
    bool fine = true;
    for (int step = 0; step < 10 && fine; step++) fine = mrn_small_step(report, &small, NULL);
    for (int b = 0; b < 3; b++) {
        memcpy(after[b], mrn_world_velocity(small.world, b), 2 * sizeof(double));
        after[b][2] = mrn_world_spin(small.world, b)[0];
    }
    mrn_small_free(&small);
    return fine;
}

/// Closed form of that impact with corners on the lines of centres: all bodies of 1 kg, B2 of inertia I, its contact at
/// the distance R. Along x, y and spin of B2; B3 mirrors it.
///
/// Compression slides (tan theta > mu K, K = 1 + R^2 / I) and ends with the normal impulse p = c / (1 + 2 c^2 + 2 mu s
/// c); decompression doubles it. B1 slows down meanwhile, so that sliding may end: the tangential impulse is the one
/// that leaves no sliding, or what the cone allows: from -2 mu p, sliding to the end, to 0, sliding back all the time.
static void symmetric_closed_form(double theta, double mu, double R, double I, double after[2][3]) {
    double c = cos(theta), s = sin(theta), K = 1 + R * R / I, p = c / (1 + 2 * c * c + 2 * mu * s * c);
    double stick = -s * (1 - 4 * p * c) / (K + 2 * s * s), tangential = fmin(0, fmax(-2 * mu * p, stick));
    after[0][0] = 1 - 2 * (2 * p * c - tangential * s), after[0][1] = after[0][2] = 0;
    after[1][0] = 2 * p * c - tangential * s, after[1][1] = 2 * p * s + tangential * c;
    after[1][2] = R * fabs(tangential) / I;
}

/// Largest difference of B3 from the mirror image of B2.
static double not_symmetric(double after[3][3]) {
    return fmax(fabs(after[1][0] - after[2][0]),
                fmax(fabs(after[1][1] + after[2][1]), fabs(after[1][2] + after[2][2])));
}

static void check_frictional_symmetry(MrnVerifyReport *report, const SymmetryRow *row) {
    // The contact is at the corner of B1, a gap away from that of B2.
    double mu = 0.1, R = row->radius_2, I = R * R / 6 * (2 + cos(2 * PI / row->sides_2)), found[3][3], want[2][3];
    int parts = row->parts;
    symmetric_closed_form(PI / parts, mu, R + SYMMETRY_GAP, I, want);
    if (!frictional_symmetry(report, row, mu, false, found)) return;
    mrn_check(report, want[0][0], found[0][0], 1e-10, "pi/%d, friction %g: velocity of B1 along x [m/s]", parts, mu);
    mrn_check(report, want[1][0], found[1][0], 1e-10, "pi/%d, friction %g: velocity of B2 along x [m/s]", parts, mu);
    mrn_check(report, want[1][1], found[1][1], 1e-10, "pi/%d, friction %g: velocity of B2 along y [m/s]", parts, mu);
    mrn_check(report, want[1][2], found[1][2], 1e-10, "pi/%d, friction %g: spin of B2 [rad/s]", parts, mu);
    mrn_check_at_most(report, 1e-10, not_symmetric(found), "pi/%d, friction %g: what is not symmetric", parts, mu);
    // Flush edges touch at their ends, off the line of centres.
    if (!frictional_symmetry(report, row, mu, true, found)) return;
    mrn_measure(report, found[1][0] - want[1][0], "pi/%d, friction %g, flush edges: change of B2 along x [m/s]", parts,
                mu);
    mrn_measure(report, found[1][1] - want[1][1], "pi/%d, friction %g, flush edges: change of B2 along y [m/s]", parts,
                mu);
    mrn_measure(report, found[1][2] - want[1][2], "pi/%d, friction %g, flush edges: change of the spin of B2 [rad/s]",
                parts, mu);
    mrn_check_at_most(report, SYMMETRY_GAP, not_symmetric(found),
                      "pi/%d, friction %g, flush edges: what is not symmetric", parts, mu);
}

void mrn_case_floe_symmetry(MrnVerifyReport *report) {
    static const SymmetryRow rows[] = {{8, 48, 48, 0.5}, {6, 48, 24, 0.5}, {4, 32, 32, 1}, {3, 24, 24, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        double theta = PI / rows[i].parts, away = 1 + rows[i].radius_2 + SYMMETRY_GAP;
        for (int elastic = 1; elastic >= 0; elastic--) {
            MrnModel *model = mrn_small_model(2, 0, mrn_law(0, elastic ? 1 : 0.6, 0));
            int b1 = mrn_add_regular(model, rows[i].sides_1, 1, theta, 1, 0, 0);
            int b2 = mrn_add_regular(model, rows[i].sides_2, rows[i].radius_2, theta + PI, 1, away * cos(theta),
                                     away * sin(theta));
            int b3 = mrn_add_regular(model, rows[i].sides_2, rows[i].radius_2, PI - theta, 1, away * cos(theta),
                                     -away * sin(theta));
            MrnScheme scheme = mrn_floe_scheme(0.01, MRN_CONTACTS_SIMULTANEOUS);
            MrnSmall small = mrn_small_start(report, model, &scheme);
            if (!small.world) return;
            set_velocity(small.world, b1, 1, 0, 0);
            for (int step = 0; step < 10; step++) mrn_small_step(report, &small, NULL);
            const double *v1 = mrn_world_velocity(small.world, b1), *v2 = mrn_world_velocity(small.world, b2),
                         *v3 = mrn_world_velocity(small.world, b3);
            if (elastic) {
                double c = cos(theta), s = sin(theta), d = 1 + 2 * c * c;
                mrn_check(report, (1 - 2 * c * c) / d, v1[0], 1e-10, "pi/%d: velocity of B1 along x [m/s]",
                          rows[i].parts);
                mrn_check(report, 0, v1[1], 1e-10, "pi/%d: velocity of B1 along y [m/s]", rows[i].parts);
                mrn_check(report, 2 * c * c / d, v2[0], 1e-10, "pi/%d: velocity of B2 along x [m/s]", rows[i].parts);
                mrn_check(report, 2 * s * c / d, v2[1], 1e-10, "pi/%d: velocity of B2 along y [m/s]", rows[i].parts);
                mrn_check(report, 2 * c * c / d, v3[0], 1e-10, "pi/%d: velocity of B3 along x [m/s]", rows[i].parts);
                mrn_check(report, -2 * s * c / d, v3[1], 1e-10, "pi/%d: velocity of B3 along y [m/s]", rows[i].parts);
                double spin =
                    fmax(fabs(mrn_world_spin(small.world, b1)[0]),
                         fmax(fabs(mrn_world_spin(small.world, b2)[0]), fabs(mrn_world_spin(small.world, b3)[0])));
                mrn_check_at_most(report, 1e-11, spin, "pi/%d: largest angular velocity [rad/s]", rows[i].parts);
            } else
                mrn_check_at_most(report, 1e-12, fmax(fabs(v2[0] - v3[0]), fabs(v2[1] + v3[1])),
                                  "pi/%d, restitution 0.6: what is not symmetric [m/s]", rows[i].parts);
            mrn_small_free(&small);
        }
        check_frictional_symmetry(report, &rows[i]);
    }
}

// ---- V-02 ----

/// The box after 7 s: position and velocity at 5 s and 7 s.
static bool slide(MrnVerifyReport *report, double mu, MrnStepping stepping, double step, double out[3], double *moved) {
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(mu, 0, 0));
    mrn_add_block(model, 60, 1, 8, -0.5);
    double vertices[8] = {-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5};
    int box = mrn_add_polygon(model, vertices, 4, 1, 0, 0, 0.51, 0);
    mrn_model_add_push(model, &(MrnPush){.body = box, .force = {1, 0}, .from = 1, .until = 5}, NULL);
    MrnScheme scheme = mrn_floe_scheme(step, MRN_CONTACTS_SIMULTANEOUS);
    scheme.event_driven.stepping = stepping;
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return false;
    *moved = 0;
    for (long k = 0; k < lround(7 / step); k++) {
        double t = (double)k * step;
        if (fabs(t - 5) < step / 2) {
            out[0] = mrn_world_velocity(small.world, box)[0];
            out[1] = mrn_world_position(small.world, box)[0];
        }
        if (!mrn_small_step(report, &small, NULL)) return false;
        *moved = fmax(*moved, fabs(mrn_world_position(small.world, box)[0]));
    }
    out[2] = mrn_world_position(small.world, box)[0];
    mrn_small_free(&small);
    return true;
}

void mrn_case_floe_box(MrnVerifyReport *report) {
    static const double mu[] = {0, 0.02, 0.05, 0.08, 0.1};
    double step = 0.002, out[3], moved;
    for (size_t i = 0; i < sizeof mu / sizeof *mu; i++) {
        double pull = 1 - mu[i] * 9.81, brake = mu[i] * 9.81;
        if (!slide(report, mu[i], MRN_STEPPING_LOCAL, step, out, &moved)) return;
        double v5 = 4 * pull, x5 = 8 * pull, stop = brake > 0 ? fmin(2, v5 / brake) : 2;
        mrn_check(report, v5, out[0], 4 * step, "friction %g: speed at 5 s [m/s]", mu[i]);
        mrn_check(report, x5, out[1], 4 * step, "friction %g: place at 5 s [m]", mu[i]);
        mrn_check(report, x5 + v5 * stop - 0.5 * brake * stop * stop, out[2], 8 * step, "friction %g: place at 7 s [m]",
                  mu[i]);
    }
    for (int k = 0; k < 2; k++) {
        if (!slide(report, k ? 0.11 : 0.103, MRN_STEPPING_LOCAL, step, out, &moved)) return;
        mrn_check_at_most(report, 1e-9, moved, "friction %g, above 1/g: largest displacement [m]", k ? 0.11 : 0.103);
    }
    if (!slide(report, 0.05, MRN_STEPPING_GLOBAL, step, out, &moved)) return;
    mrn_check(report, 7.171, out[2], 8 * step, "friction 0.05, global stepping: place at 7 s [m]");
}

// ---- V-03, V-07 ----

/// A row of unit discs, the first one at 1 m/s; velocities after the impact.
static bool cradle(MrnVerifyReport *report, int count, MrnContactMode mode, double *x, double *aside,
                   int64_t *components) {
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 1, 0));
    for (int k = 0; k < count; k++) mrn_add_regular(model, 32, 1, 0, 1, 2.001 * k, 0);
    MrnScheme scheme = mrn_floe_scheme(1e-3, mode);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return false;
    set_velocity(small.world, 0, 1, 0, 0);
    MrnStepInfo info;
    if (!mrn_small_step(report, &small, &info)) return false;
    *components = info.components;
    *aside = 0;
    for (int k = 0; k < count; k++) {
        x[k] = mrn_world_velocity(small.world, k)[0];
        *aside =
            fmax(*aside, fmax(fabs(mrn_world_velocity(small.world, k)[1]), fabs(mrn_world_spin(small.world, k)[0])));
    }
    mrn_small_free(&small);
    return true;
}

void mrn_case_floe_cradle(MrnVerifyReport *report) {
    double x[3], aside;
    int64_t components;
    static const double together[3] = {-1.0 / 3, 2.0 / 3, 2.0 / 3}, in_turn[3] = {0, 0, 1};
    if (!cradle(report, 3, MRN_CONTACTS_SIMULTANEOUS, x, &aside, &components)) return;
    for (int k = 0; k < 3; k++)
        mrn_check(report, together[k], x[k], 1e-12, "simultaneous: velocity of ball %d [m/s]", k + 1);
    if (!cradle(report, 3, MRN_CONTACTS_ACTIVE, x, &aside, &components)) return;
    for (int k = 0; k < 3; k++) mrn_check(report, in_turn[k], x[k], 1e-12, "active: velocity of ball %d [m/s]", k + 1);
    mrn_check(report, 2, (double)components, 0, "active: impacts one after the other");
}

void mrn_case_floe_long_cradle(MrnVerifyReport *report) {
    static const int counts[] = {3, 10, 100, 1000};
    double *x = mrn_alloc(1000, sizeof *x), aside;
    int64_t components;
    for (size_t i = 0; i < 4; i++) {
        if (!cradle(report, counts[i], MRN_CONTACTS_ACTIVE, x, &aside, &components)) break;
        mrn_check(report, 1, x[counts[i] - 1], 1.1e-16 * counts[i], "%d balls: velocity of the last [m/s]", counts[i]);
        mrn_check_at_most(report, 1e-12, aside, "%d balls: largest transverse and angular velocity", counts[i]);
    }
    free(x);
}

// ---- V-04 ----

void mrn_case_floe_cannon(MrnVerifyReport *report) {
    static const double radius[] = {1, 0.5, 0.1, 0.01, 0.001}, expected[] = {4.4294, 9.7448, 13.1129, 13.2866, 13.2883};
    for (int i = 0; i < 5; i++) {
        double r = radius[i], mass_1 = PI, mass_2 = PI * r * r, gap = fmin(5e-4, 2e-3 * r);
        MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0, 1, 0));
        mrn_add_block(model, 10, 1, 0, -0.5);
        int b1 = mrn_add_regular(model, 32, 1, PI / 2, mass_1, 0, 2);
        int b2 = mrn_add_regular(model, 32, r, PI / 2, mass_2, 0, 3 + gap + r);
        model->bodies.data[b1].collision_distance = 1e-3; // the fall is 1 m to the floor, not to its zone
        MrnScheme scheme = mrn_floe_scheme(1e-4, MRN_CONTACTS_ACTIVE);
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        double before = 0;
        for (int k = 0; k < 6000; k++) {
            double v1 = mrn_world_velocity(small.world, b1)[1];
            MrnStepInfo info;
            if (!mrn_small_step(report, &small, &info)) return;
            if (info.collisions) {
                before = -v1;
                break;
            }
        }
        double m = mass_1 + mass_2, v2 = mrn_world_velocity(small.world, b2)[1] + 9.81 * scheme.time_step;
        mrn_check(report, (2 * mass_1 * before + (mass_2 - mass_1) * -before) / m, v2, 1e-9 * before,
                  "radius %g m: velocity of the upper ball from that of the impact [m/s]", r);
        mrn_check(report, expected[i], v2, 2e-3 * expected[i], "radius %g m: velocity of the upper ball [m/s]", r);
        mrn_small_free(&small);
    }
}

// ---- V-05, V-06 ----

/// A ball above a floor; returns false after a failure. Times and speeds of the first impacts, tops of the flights.
typedef struct Bounces {
    int count;
    double time[400], speed[400], impulse[400], top[400];
    double smallest_gap, largest_gap_late; ///< m
    int64_t most_impacts;                  ///< in one step
} Bounces;

static bool bounce(MrnVerifyReport *report, double restitution, MrnStepping stepping, double step, double end,
                   Bounces *out) {
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0, restitution, 0));
    int floor = mrn_add_block(model, 10, 1, 0, -0.5);
    // On an edge: a body that bounces on a corner is an inverted pendulum, and rounding makes it turn over.
    double below = 0.5 * cos(PI / 32);
    int ball = mrn_add_regular(model, 32, 0.5, PI / 2 + PI / 32, 1, 0, 1 + below);
    model->bodies.data[ball].collision_distance = model->bodies.data[floor].collision_distance = 1e-3;
    MrnScheme scheme = mrn_floe_scheme(step, MRN_CONTACTS_ACTIVE);
    scheme.event_driven.stepping = stepping;
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return false;
    *out = (Bounces){.smallest_gap = INFINITY};
    for (long k = 0; k < lround(end / step); k++) {
        double v = mrn_world_velocity(small.world, ball)[1];
        MrnStepInfo info;
        if (!mrn_small_step(report, &small, &info)) return false;
        double gap = mrn_world_position(small.world, ball)[1] - below;
        out->smallest_gap = fmin(out->smallest_gap, gap);
        if (mrn_world_time(small.world) > 4) out->largest_gap_late = fmax(out->largest_gap_late, gap);
        if (info.components > out->most_impacts) out->most_impacts = info.components;
        if (info.collisions && out->count < 400) {
            out->time[out->count] = mrn_world_time(small.world);
            out->speed[out->count] = -v;
            double impulse[3], moment[3];
            mrn_world_contact_resultant(small.world, ball, impulse, moment);
            out->impulse[out->count] = impulse[1];
            out->count++;
        }
        if (out->count) out->top[out->count - 1] = fmax(out->top[out->count - 1], gap);
    }
    mrn_small_free(&small);
    return true;
}

void mrn_case_floe_bounces(MrnVerifyReport *report) {
    Bounces out;
    double step = 5e-4, e = 0.75, speed = sqrt(2 * 9.81), time = speed / 9.81;
    if (!bounce(report, e, MRN_STEPPING_LOCAL, step, 5, &out)) return;
    for (int k = 0; k < 8 && k < out.count; k++) {
        // An impact may be off by what gravity does in a step before and after it; restitution damps the older ones.
        double off = 0.005 * speed + 2 * 9.81 * step * (1 - pow(e, k + 1)) / (1 - e);
        mrn_check(report, time, out.time[k], 4e-3 * (k + 1), "impact %d: time [s]", k + 1);
        mrn_check(report, speed, out.speed[k], off, "impact %d: speed before [m/s]", k + 1);
        mrn_check(report, (1 + e) * speed, out.impulse[k], (1 + e) * off, "impact %d: impulse [N s]", k + 1);
        time += 2 * e * speed / 9.81;
        speed *= e;
        mrn_check(report, speed * speed / 2 / 9.81, out.top[k], 3e-3, "flight %d: top [m]", k + 1);
    }
    mrn_check_at_least(report, 0, out.smallest_gap, "smallest gap in 5 s, past the accumulation at 3.16 s [m]");
    mrn_check_at_most(report, 2e-3, out.largest_gap_late, "largest gap after 4 s [m]");
    mrn_check_at_most(report, 1, (double)out.most_impacts, "impacts in one step");
}

void mrn_case_floe_elastic_ball(MrnVerifyReport *report) {
    static const struct {
        MrnStepping stepping;
        double step;
    } runs[] = {{MRN_STEPPING_GLOBAL, 5e-4},
                {MRN_STEPPING_GLOBAL, 2.5e-4},
                {MRN_STEPPING_GLOBAL, 2e-4},
                {MRN_STEPPING_LOCAL, 5e-4}};
    double drift[4];
    for (int k = 0; k < 4; k++) {
        Bounces out;
        if (!bounce(report, 1, runs[k].stepping, runs[k].step, 10, &out)) return;
        int last = out.count - 2; // the flight after the last impact is not complete
        drift[k] = (out.top[last] - 1) / (last + 1);
    }
    mrn_check_at_least(report, 0.8e-3, drift[0], "growth of the top per rebound, step 5e-4 s [m]");
    mrn_check_at_most(report, 2.5e-3, drift[0], "growth of the top per rebound, step 5e-4 s, at most [m]");
    mrn_check(report, 2, drift[0] / drift[1], 0.2, "the same over that with half the step");
    mrn_check(report, 9e-4, drift[2], 0.5e-4, "growth of the top per rebound, step 2e-4 s [m]");
    mrn_check_at_most(report, 2.5e-3, fabs(drift[3]), "change of the top per rebound, local stepping [m]");
}

// ---- V-09, V-10 ----

/// A body against an obstacle below at the origin, one contact.
static void one_impact(double mass, double inertia, double x, double y, const double before[3], double mu, double e,
                       bool extra, double after[3], double c[3], MrnImpactLaw *law) {
    double inverse[2] = {1 / mass, 1 / inertia}, compression[2], decompression[2];
    MrnImpactContact contact = {
        .body = {-1, 0}, .normal = {0, 1}, .arm = {{0, 0}, {-x, -y}}, .friction = mu, .restitution = e};
    memcpy(after, before, 3 * sizeof(double));
    MrnImpact impact = {1, inverse, after, 1, &contact, 0};
    MrnEventDrivenSettings settings = mrn_event_driven_defaults();
    settings.friction_by_extra = extra;
    MrnArena arena = {0};
    MrnImpactCount count = {0};
    MrnImpactPhases phases = {compression, decompression, c};
    *law = mrn_impact_solve(&impact, &settings, &arena, &count, &phases);
    mrn_arena_free(&arena);
}

static void check_velocity(MrnVerifyReport *report, const double expected[3], const double v[3], double tolerance,
                           const char *name) {
    static const char *const parts[3] = {"x [m/s]", "y [m/s]", "spin [rad/s]"};
    for (int k = 0; k < 3; k++) mrn_check(report, expected[k], v[k], tolerance, "%s: %s", name, parts[k]);
}

void mrn_case_floe_friction(MrnVerifyReport *report) {
    double before[3] = {1, -1, 0}, after[3], c[3];
    MrnImpactLaw law;
    one_impact(1, 0.5, 0, 1, before, 0, 0.5, false, after, c, &law);
    check_velocity(report, (double[]){1, 0.5, 0}, after, 1e-12, "friction 0");
    one_impact(1, 0.5, 0, 1, before, 0.1, 0.5, false, after, c, &law);
    check_velocity(report, (double[]){0.85, 0.5, -0.3}, after, 1e-12, "friction 0.1");
    one_impact(1, 0.5, 0, 1, before, 0.1, 0.5, true, after, c, &law);
    check_velocity(report, (double[]){0.9, 0.5, -0.2}, after, 1e-12, "friction 0.1 of the extra impulse");
    one_impact(1, 0.5, 0, 1, before, 0.7, 0.5, false, after, c, &law);
    check_velocity(report, (double[]){2.0 / 3, 0.5, -2.0 / 3}, after, 1e-12, "friction 0.7, sticks");
}

void mrn_case_floe_energy_fallback(MrnVerifyReport *report) {
    double before[3] = {-0.5, -0.5, 0.4}, after[3], c[3], start = 0.254;
    MrnImpactLaw law;
    one_impact(1, 0.05, 0.7, 1, before, 0.7, 1, false, after, c, &law);
    check_velocity(report, (double[]){-0.110390, 0.077273, 0.110390}, c, 1e-6, "end of compression");
    check_velocity(report, (double[]){0.274459, 0.654545, -0.274459}, after, 1e-6, "total");
    double energy = 0.5 * (after[0] * after[0] + after[1] * after[1] + 0.05 * after[2] * after[2]);
    mrn_check(report, 0.99906, energy / start, 1e-5, "total: energy after over before");
    mrn_check_true(report, law == MRN_IMPACT_POISSON, "total: no fallback");
    one_impact(1, 0.05, 0.7, 1, before, 0.7, 1, true, after, c, &law);
    check_velocity(report, (double[]){0.279221, 0.654545, -0.179221}, after, 1e-6, "extra only, Newton's law instead");
    energy = 0.5 * (after[0] * after[0] + after[1] * after[1] + 0.05 * after[2] * after[2]);
    mrn_check(report, 1, energy / start, 1e-12, "extra only: energy after over before");
    mrn_check_true(report, law == MRN_IMPACT_NEWTON,
                   "extra only: the energy would have grown, and the fallback was taken");
}

// ---- V-15 ----

void mrn_case_floe_basin(MrnVerifyReport *report) {
    // cm/s: before u1 v1 u2 v2, simulated after u1 v1 u2 v2, measured after; angle of the normal, restitution implied.
    static const double rows[7][14] = {
        {-0.84, -21.72, -0.62, -0.44, -1.19, -7.06, -0.26, -15.10, -0.46, -7.07, 0.00, -14.34, -1.37, 0.379},
        {-1.65, -27.65, -0.19, -0.64, -2.05, -8.26, 0.21, -20.03, -0.72, -8.16, -0.14, -19.65, -1.18, 0.438},
        {-0.41, -20.06, -0.91, 1.25, 0.29, -3.86, -1.60, -14.96, 0.48, -3.86, 0.32, -13.17, 2.47, 0.525},
        {3.33, -25.14, 0.41, 2.78, -4.41, -8.14, 8.15, -14.22, -2.23, -6.60, 7.34, -14.01, -24.48, 0.403},
        {-1.46, -22.60, 0.49, -0.43, -5.70, -8.45, 4.73, -14.58, -5.67, -6.56, 4.43, -14.61, -16.68, 0.429},
        {0.30, -19.95, 0.35, -0.29, 3.53, -7.51, -2.89, -12.73, 3.57, -7.53, -4.09, -13.92, 14.56, 0.350},
        {-7.38, -27.28, 2.00, 0.26, -12.46, -11.08, 7.08, -15.94, -11.94, -11.01, 6.73, -16.73, -17.41, 0.447}};
    double squares = 0;
    for (int i = 0; i < 7; i++) {
        const double *row = rows[i];
        double phi = row[12] * PI / 180, n[2] = {sin(phi), cos(phi)}; // of the impulse on D1
        double angle = atan2(n[1], n[0]), away = 0.99 + 1e-3;
        MrnModel *model = mrn_small_model(2, 0, mrn_law(0, row[13], 0));
        int d1 = mrn_add_regular(model, 32, 0.495, angle + PI, 14, 0, 0);
        int d2 = mrn_add_regular(model, 32, 0.495, angle, 14, -away * n[0], -away * n[1]);
        MrnScheme scheme = mrn_floe_scheme(1e-3, MRN_CONTACTS_ACTIVE);
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        set_velocity(small.world, d1, row[0] / 100, row[1] / 100, 0);
        set_velocity(small.world, d2, row[2] / 100, row[3] / 100, 0);
        if (!mrn_small_step(report, &small, NULL)) return;
        const double *v1 = mrn_world_velocity(small.world, d1), *v2 = mrn_world_velocity(small.world, d2);
        double after[4] = {100 * v1[0], 100 * v1[1], 100 * v2[0], 100 * v2[1]}, worst = 0;
        for (int k = 0; k < 4; k++) {
            worst = fmax(worst, fabs(after[k] - row[4 + k]));
            squares += (after[k] - row[8 + k]) * (after[k] - row[8 + k]);
        }
        mrn_check_at_most(report, 0.02, worst, "collision %d: largest difference from the table [cm/s]", i + 1);
        mrn_small_free(&small);
    }
    mrn_check(report, 0.95, sqrt(squares / 28), 0.02, "rms difference from the measured velocities [cm/s]");
}
