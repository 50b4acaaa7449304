// T-X2, second part: the event-driven method in generalised coordinates (step/episodes.h) on motions with known events.
#include "step/episodes.h"
#include "verify/cases.h"
#include "verify/check.h"

#include <math.h>
#include <string.h>

static const double g = 9.81;

/// A point or a body with constant diagonal inertia under a constant force.
typedef struct Simple {
    int n;
    double mass[3], force[3];
    double friction, restitution, parameter;
} Simple;

static void simple_inertia(const void *context, const double *q, double *A) {
    const Simple *s = context;
    (void)q;
    for (int i = 0; i < s->n; i++)
        for (int j = 0; j < s->n; j++) A[i * s->n + j] = i == j ? s->mass[i] : 0;
}

static void simple_force(const void *context, double t, const double *q, const double *v, double *F) {
    const Simple *s = context;
    (void)t, (void)q, (void)v;
    memcpy(F, s->force, sizeof s->force);
}

/// A point beside a circle of radius 1: outside (parameter 1) or inside (-1).
static void circle(const void *context, int c, double t, const double *q, const double *v, MrnEpisodeContact *out) {
    const Simple *s = context;
    double r = hypot(q[0], q[1]), n[2] = {q[0] / r, q[1] / r}, along = v[0] * n[1] - v[1] * n[0];
    (void)c, (void)t;
    out->gap = s->parameter * (r - 1);
    out->bend[0] = s->parameter * along * along / r; // the curvature of the constraint
    for (int k = 0; k < 2; k++) out->row[0][k] = s->parameter * n[k];
    out->row[1][0] = n[1], out->row[1][1] = -n[0];
    out->friction = s->friction;
}

/// A block on a belt that moves to and fro along x with velocity `parameter` sin(4 t).
static void belt(const void *context, int c, double t, const double *q, const double *v, MrnEpisodeContact *out) {
    const Simple *s = context;
    (void)c, (void)v;
    out->gap = q[1];
    out->row[0][1] = 1, out->row[1][0] = 1;
    out->offset[1] = -s->parameter * sin(4 * t);
    out->bend[1] = -4 * s->parameter * cos(4 * t);
    out->friction = s->friction;
    out->normal_restitution = s->restitution;
}

static void corner(const void *context, int c, double t, const double *q, const double *v, MrnEpisodeContact *out) {
    static const double gradient[3][3] = {{1, 1, 1}, {1, 0, 0}, {0, 1, 0}};
    (void)context, (void)t, (void)v;
    for (int k = 0; k < 3; k++) out->row[0][k] = gradient[c][k], out->gap += gradient[c][k] * q[k];
}

/// A point of a body with coordinates (x, y, angle), over the floor. `at` is in axes of the body.
static void body_point(const double *q, const double *v, double ax, double ay, MrnEpisodeContact *out) {
    double rx = cos(q[2]) * ax - sin(q[2]) * ay, ry = sin(q[2]) * ax + cos(q[2]) * ay;
    out->gap = q[1] + ry;
    out->row[0][1] = 1, out->row[0][2] = rx, out->bend[0] = -v[2] * v[2] * ry;
    out->row[1][0] = 1, out->row[1][2] = -ry, out->bend[1] = -v[2] * v[2] * rx;
}

static void block_corners(const void *context, int c, double t, const double *q, const double *v,
                          MrnEpisodeContact *out) {
    const Simple *s = context;
    (void)t;
    body_point(q, v, c ? 0.1 : -0.1, -0.4, out);
    out->friction = s->friction;
}

static void rod_tip(const void *context, int c, double t, const double *q, const double *v, MrnEpisodeContact *out) {
    const Simple *s = context;
    (void)c, (void)t;
    body_point(q, v, -1, 0, out);
    out->friction = s->friction;
}

/// A pendulum by its angle alone: the bar is a bilateral constraint that the coordinate eliminates. A stop at angle 0.
static void pendulum_force(const void *context, double t, const double *q, const double *v, double *F) {
    (void)context, (void)t, (void)v;
    F[0] = -g * sin(q[0]);
}

static void pendulum_stop(const void *context, int c, double t, const double *q, const double *v,
                          MrnEpisodeContact *out) {
    const Simple *s = context;
    (void)c, (void)t, (void)v;
    out->gap = q[0], out->row[0][0] = 1;
    out->normal_restitution = s->restitution;
}

/// Go on until an event of this kind, or time is over.
static bool find_event(MrnVerifyReport *report, MrnEpisodes *e, MrnEventKind kind, double until) {
    MrnError error = {0};
    while (e->time < until) {
        if (!mrn_episodes_advance(e, until, 2e-3, &error)) {
            mrn_check_failed(report, error.message);
            return false;
        }
        if (e->event == kind) return true;
    }
    return kind == MRN_EVENT_NONE;
}

static bool begin(MrnVerifyReport *report, MrnEpisodes *e, const MrnEpisodeSystem *system, const double *q,
                  const double *v) {
    MrnError error = {0};
    if (mrn_episodes_start(e, system, q, v, &error)) return true;
    mrn_check_failed(report, error.message);
    return false;
}

static void check_circles(MrnVerifyReport *report) {
    MrnEpisodes e;
    Simple outside = {.n = 2, .mass = {1, 1}, .force = {0, -g}, .parameter = 1};
    MrnEpisodeSystem system = {2, 1, simple_inertia, simple_force, circle, &outside};
    double angle = 0.1;
    if (begin(report, &e, &system, (double[]){sin(angle), cos(angle)}, (double[]){0, 0}) &&
        find_event(report, &e, MRN_EVENT_RELEASE, 5))
        mrn_check(report, 2 * cos(angle) / 3, e.q[1], 1e-8, "bead on a sphere: height at which it leaves, 2/3 [m]");
    Simple inside = {.n = 2, .mass = {1, 1}, .parameter = -1};
    system.context = &inside;
    if (begin(report, &e, &system, (double[]){1, 0}, (double[]){0, 1}) && find_event(report, &e, MRN_EVENT_NONE, 1)) {
        mrn_check(report, 1, hypot(e.v[0], e.v[1]), 1e-10, "point inside a circle: speed after 1 s [m/s]");
        mrn_check(report, 1, e.reaction[0][0], 1e-9, "point inside a circle: reaction, from the curvature [N]");
        mrn_check_at_most(report, 1e-10, fabs(hypot(e.q[0], e.q[1]) - 1), "point inside a circle: overlap [m]");
    }
}

static void check_friction(MrnVerifyReport *report) {
    MrnEpisodes e;
    Simple block = {.n = 2, .mass = {1, 1}, .force = {0, -g}, .friction = 0.3};
    MrnEpisodeSystem system = {2, 1, simple_inertia, simple_force, belt, &block};
    if (begin(report, &e, &system, (double[]){0, 0}, (double[]){2, 0}) && find_event(report, &e, MRN_EVENT_STICK, 5)) {
        mrn_check(report, 2 / (0.3 * g), e.time, 1e-10, "sliding block: time of the stop, v/(mu g) [s]");
        mrn_check(report, 4 / (2 * 0.3 * g), e.q[0], 1e-10, "sliding block: way of the stop [m]");
        find_event(report, &e, MRN_EVENT_NONE, 2);
        mrn_check_at_most(report, 1e-12, fabs(e.v[0]), "sliding block: it stays [m/s]");
    }
    // Carried by a belt with velocity V sin(4t), V = 1: it sticks once 4 V cos(4t) is below mu g, and lets go after.
    block.parameter = 1;
    if (begin(report, &e, &system, (double[]){0, 0}, (double[]){0, 0})) {
        find_event(report, &e, MRN_EVENT_STICK, 5);
        // From rest it slips at once and gains mu g t until the belt is as slow: sin(4t) = mu g t.
        double low = 0.1, high = 0.7;
        for (int k = 0; k < 100; k++) {
            double middle = 0.5 * (low + high);
            if (sin(4 * middle) > 0.3 * g * middle)
                low = middle;
            else
                high = middle;
        }
        mrn_check(report, low, e.time, 1e-9, "block on a shaken belt: it is caught when sin(4t) = mu g t [s]");
        double caught = e.time, late = acos(-0.3 * g / 4) / 4;
        if (find_event(report, &e, MRN_EVENT_SLIP, 5))
            mrn_check(report, fmax(caught, late), e.time, 1e-8,
                      "block on a shaken belt: it slips when the belt slows down at mu g [s]");
    }
    // A ball: parabolas and Newton's formula.
    Simple ball = {.n = 2, .mass = {1, 1}, .force = {0, -g}, .restitution = 0.5};
    system.context = &ball;
    double fall = sqrt(2 / g), times[4] = {fall, 2 * fall, 2.5 * fall, 2.75 * fall};
    if (begin(report, &e, &system, (double[]){0, 1}, (double[]){0, 0}))
        for (int k = 0; k < 4; k++)
            if (find_event(report, &e, MRN_EVENT_IMPACT, 5))
                mrn_check(report, times[k], e.time, 1e-9, "bouncing ball: impact %d [s]", k + 1);
}

static void check_bodies(MrnVerifyReport *report) {
    MrnEpisodes e;
    Simple point = {.n = 3, .mass = {1, 1, 1}, .force = {-1, 4, -3}};
    MrnEpisodeSystem system = {3, 3, simple_inertia, simple_force, corner, &point};
    if (begin(report, &e, &system, (double[]){0, 0, 0}, (double[]){0, 0, 0})) {
        mrn_check(report, 1, e.reaction[1][0], 1e-12, "corner of three planes: the contact that stays [N]");
        mrn_check_true(report,
                       e.status[0] == MRN_EPISODE_OPEN && e.status[1] != MRN_EPISODE_OPEN &&
                           e.status[2] == MRN_EPISODE_OPEN,
                       "corner of three planes: contacts 1 and 3 open, 2 stays");
        mrn_check(report, 4, e.acceleration[1], 1e-12, "corner of three planes: acceleration [m/s2]");
    }
    double b = 0.1, a = 0.4, angle = 0.5 * atan(b / a), R2 = a * a + b * b;
    Simple block = {.n = 3, .mass = {1, 1, R2 / 3}, .force = {0, -g}, .friction = 0.6};
    system = (MrnEpisodeSystem){3, 2, simple_inertia, simple_force, block_corners, &block};
    double c = cos(angle), s = sin(angle), last = 0;
    if (begin(report, &e, &system, (double[]){-b + c * b - s * a, s * b + c * a, angle}, (double[]){0, 0, 0}))
        for (int k = 0; k < 3; k++) {
            if (!find_event(report, &e, MRN_EVENT_IMPACT, 5)) break;
            if (k == 0) mrn_check(report, 0.3123, e.time, 5e-5, "rocking block of two corners: first impact [s]");
            // The rate is kept between impacts, and angular momentum about the corner that lands gives the loss.
            if (k > 0)
                mrn_check(report, fabs(last) * (4 * a * a - 2 * b * b) / (4 * R2), fabs(e.v[2]), 1e-6,
                          "rocking block of two corners: rate after impact %d [1/s]", k + 1);
            last = e.v[2];
        }
    // Painleve's rod: no acceleration solves the laws, and the velocity jumps without an impact.
    double tilt = atan(2);
    Simple rod = {.n = 3, .mass = {1, 1, 1.0 / 3}, .force = {0, -g}, .friction = 2};
    system = (MrnEpisodeSystem){3, 1, simple_inertia, simple_force, rod_tip, &rod};
    if (begin(report, &e, &system, (double[]){0, sin(tilt), tilt}, (double[]){-1, 0, 0})) {
        mrn_check_true(report, e.event == MRN_EVENT_PAROXYSM, "Painleve's rod: the begin is a paroxysm");
        mrn_check(report, 0.3, e.percussion[0][0], 1e-6, "Painleve's rod: normal percussion [N s]");
        mrn_check(report, 0.4, fabs(e.percussion[0][1]), 1e-6, "Painleve's rod: tangential percussion [N s]");
        mrn_check(report, -0.6, e.v[0], 1e-6, "Painleve's rod: velocity after the jump, x [m/s]");
    }
    Simple pendulum = {.n = 1, .mass = {1}, .restitution = 0.5};
    system = (MrnEpisodeSystem){1, 1, simple_inertia, pendulum_force, pendulum_stop, &pendulum};
    double start = acos(-1.0) / 3, after = acos(1 - 0.25 * (1 - cos(start)));
    if (begin(report, &e, &system, (double[]){start}, (double[]){0}) && find_event(report, &e, MRN_EVENT_IMPACT, 5)) {
        mrn_check(report, 0.5 * sqrt(2 * g * (1 - cos(start))), e.v[0], 1e-8,
                  "pendulum and stop, bar eliminated by the angle: rate after the impact [1/s]");
        double highest = 0, until = e.time + 0.8;
        while (e.time < until && e.v[0] > 0 && find_event(report, &e, MRN_EVENT_NONE, e.time + 1e-3))
            highest = fmax(highest, e.q[0]);
        mrn_check(report, after, highest, 1e-5, "pendulum and stop: angle to which it rebounds [rad]");
    }
}

void mrn_check_episodes(MrnVerifyReport *report) {
    check_circles(report);
    check_friction(report);
    check_bodies(report);
}
