// T-X2: an event-driven integrator beside the time stepping scheme (specification 12.1): smooth motion with a constant
// set of contacts, located events, the collision law at impacts, and the complementarity problem of accelerations to
// choose the contacts that go on.
#include "verify/cases.h"
#include "verify/check.h"

#include <math.h>
#include <moraine/lcp.h>
#include <string.h>

/// Times of the first `count` impacts of a ball dropped from height H with restitution rho: parabolas between events.
static void ball_events(double H, double rho, double *times, int count) {
    double y = H, v = 0, t = 0, g = 9.81;
    for (int n = 0; n < count; n++) {
        double flight = (v + sqrt(v * v + 2 * g * y)) / g; // the later root of y + v s - g s^2/2
        t += flight;
        v -= g * flight;
        y = 0;
        times[n] = t;
        v = -rho * v; // one contact: Newton's formula
    }
}

/// The block on one corner: an inverted pendulum. State (angle >= 0 about the corner that carries, rate).
static void rocking_rate(double R, double alpha, const double *s, double *d) {
    d[0] = s[1];
    d[1] = -0.75 * 9.81 / R * sin(alpha - s[0]); // I = 4/3 m R^2
}

static void runge_kutta(double R, double alpha, double h, double *s) {
    double a[2], b[2], c[2], d[2], x[2];
    rocking_rate(R, alpha, s, a);
    for (int k = 0; k < 2; k++) x[k] = s[k] + 0.5 * h * a[k];
    rocking_rate(R, alpha, x, b);
    for (int k = 0; k < 2; k++) x[k] = s[k] + 0.5 * h * b[k];
    rocking_rate(R, alpha, x, c);
    for (int k = 0; k < 2; k++) x[k] = s[k] + h * c[k];
    rocking_rate(R, alpha, x, d);
    for (int k = 0; k < 2; k++) s[k] += h / 6 * (a[k] + 2 * b[k] + 2 * c[k] + d[k]);
}

/// The percussion of both corners with enough friction: the corner that carried may open, the one that lands stops.
/// Normal components of the percussion at the landing corner B and at A from the sticking of B, then the check that A
/// opens; otherwise both carry and the block stops.
static double impact_ratio(double b, double a) {
    // Angular momentum about B: (I + m (a^2 - b^2)) w before, (I + m (a^2 + b^2)) w after, I = m (a^2 + b^2)/3.
    double I = (a * a + b * b) / 3, ratio = (I + a * a - b * b) / (I + a * a + b * b);
    return ratio > 0 ? ratio : 0; // A would move down if ratio < 0
}

/// Times of impacts of the rocking block released at `angle`. With `late` > 0 every impact loses what gravity does in
/// that time, m g b w late: the most that a scheme which finds impacts that late can be wrong by.
static void rocking_events(double b, double a, double angle, double late, double *times, int count) {
    double R = hypot(a, b), alpha = atan(b / a), s[2] = {angle, 0}, t = 0, h = 1e-4, ratio = impact_ratio(b, a);
    for (int n = 0; n < count;) {
        double before[2] = {s[0], s[1]};
        runge_kutta(R, alpha, h, s);
        if (s[0] > 0) {
            t += h;
            continue;
        }
        double low = 0, high = h; // event: the angle comes to zero
        for (int k = 0; k < 60; k++) {
            double middle = 0.5 * (low + high);
            memcpy(s, before, sizeof s);
            runge_kutta(R, alpha, middle, s);
            if (s[0] > 0)
                low = middle;
            else
                high = middle;
        }
        t += high;
        times[n++] = t;
        double rate = sqrt(fmax(0, s[1] * s[1] - 1.5 * 9.81 * b * fabs(s[1]) * late / (R * R)));
        s[0] = 0, s[1] = ratio * rate; // it goes on about the other corner, with the angle counted from there
    }
}

static void check_ball(MrnVerifyReport *report, double h) {
    enum { EVENTS = 5 };
    double times[EVENTS], previous = 0;
    ball_events(1, 0.5, times, EVENTS);
    MrnScheme scheme = mrn_strict_scheme(h);
    scheme.gap_tolerance = 0;
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0, 0.5, 0));
    int ball = mrn_add_disc(model, 0.1, 1, 0, 1.1);
    mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    MrnSmall small = mrn_small_start(report, model, &scheme);
    for (int n = 0; n < EVENTS && small.world && mrn_world_time(small.world) < 2;) {
        mrn_small_step(report, &small, NULL);
        double v = mrn_world_velocity(small.world, ball)[1];
        if (v > 0 && previous < 0) {
            mrn_check(report, times[n], mrn_world_time(small.world) - 0.5 * h, (n + 1) * h,
                      "bouncing ball, h = %g s: impact %d, within %d step%s [s]", h, n + 1, n + 1, n ? "s" : "");
            n++;
        }
        previous = v;
    }
    mrn_small_free(&small);
}

static void check_rocking(MrnVerifyReport *report, double h) {
    enum { EVENTS = 6 };
    double b = 0.1, a = 0.4, alpha = atan(b / a), angle = 0.5 * alpha, times[EVENTS], worst[EVENTS], c = cos(angle),
           s = sin(angle);
    rocking_events(b, a, angle, 0, times, EVENTS);
    rocking_events(b, a, angle, h, worst, EVENTS);
    mrn_check(report, 0.3123, times[0], 5e-5, "rocking block: first impact by the event-driven method [s]");
    MrnScheme scheme = mrn_strict_scheme(h);
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0.6, 0, 0));
    int block = mrn_add_polygon(model, (double[]){-b, -a, b, -a, b, a, -b, a}, 4, 1, 0, -b + c * b - s * a,
                                s * b + c * a, angle);
    mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    MrnSmall small = mrn_small_start(report, model, &scheme);
    double last = angle;
    for (int n = 0; n < EVENTS && small.world && mrn_world_time(small.world) < 4;) {
        mrn_small_step(report, &small, NULL);
        double now = mrn_world_rotation(small.world, block)[0];
        if (now * last < 0) {
            double allowed =
                h + fabs(times[n] - worst[n]); // a step, and the energy lost to finding earlier impacts a step late
            mrn_check(report, times[n], mrn_world_time(small.world) - 0.5 * h, allowed,
                      "rocking block, h = %g s: impact %d, tolerance from impacts found a step late [s]", h, n + 1);
            n++;
        }
        if (now != 0) last = now;
    }
    mrn_small_free(&small);
}

/// The corner of three planes: which contacts go on is decided by the accelerations, then the motion is exact.
static void check_corner(MrnVerifyReport *report) {
    static const double gradients[3][3] = {{1, 1, 1}, {1, 0, 0}, {0, 1, 0}}, force[3] = {-1, 4, -3};
    MrnLcp *lcp = mrn_lcp_new_dense(3);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) {
            lcp->vector[i] += gradients[i][k] * force[k];
            for (int j = 0; j < 3; j++) lcp->dense[3 * i + j] += gradients[i][k] * gradients[j][k];
        }
    double z[3] = {0}, w[3], acceleration[3], h = 1e-3, r = 0.1, worst = 0;
    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.solver = "enumeration"; // all combinations of contacts, as Delassus did by hand
    MrnLcpInfo info;
    MrnError error = {0};
    if (!mrn_lcp_solve(lcp, &settings, &(MrnLcpSolution){z, w}, &info, &error)) mrn_check_failed(report, error.message);
    mrn_lcp_free(lcp);
    for (int k = 0; k < 3; k++) {
        acceleration[k] = force[k];
        for (int i = 0; i < 3; i++) acceleration[k] += z[i] * gradients[i][k];
    }
    MrnScheme scheme = mrn_strict_scheme(h);
    MrnModel *model = mrn_small_model(3, 0, mrn_law(0, 0, 0));
    mrn_model_set_gravity(model, force);
    for (int i = 0; i < 3; i++) mrn_add_wall(model, (double[]){0, 0, 0}, gradients[i]);
    int ball = mrn_add_ball(model, r, 1, r, r, (sqrt(3) - 2) * r);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    double start[3] = {r, r, (sqrt(3) - 2) * r};
    for (int n = 1; n <= 500 && small.world; n++) {
        mrn_small_step(report, &small, NULL);
        double t = n * h;
        for (int k = 0; k < 3; k++)
            worst =
                fmax(worst, fabs(mrn_world_position(small.world, ball)[k] - start[k] - 0.5 * acceleration[k] * t * t));
    }
    mrn_check_at_most(report, 1e-11, worst, "corner of three planes: distance of the two motions over 0.5 s [m]");
    mrn_small_free(&small);
}

void mrn_case_event_driven(MrnVerifyReport *report) {
    check_ball(report, 1e-3);
    check_ball(report, 1e-4);
    check_rocking(report, 1e-4);
    check_rocking(report, 1e-5);
    check_corner(report);
    mrn_check_episodes(report);
}
