// Cases of the kinematic layer: viability and the sweeping process (Moreau 2003, section 2).
#include "verify/cases.h"
#include "verify/check.h"

#include "base/random.h"
#include "step/sweeping.h"

#include <math.h>
#include <string.h>

/// A disc of radius 1 whose centre moves along x at speed 1.
static double moving_disc(const void *context, double t, const double *x, double *gradient, double *rate) {
    (void)context;
    double dx = x[0] - t, dy = x[1], r = sqrt(dx * dx + dy * dy);
    gradient[0] = dx / r, gradient[1] = dy / r;
    *rate = -dx / r;
    return r - 1;
}
static const MrnMovingSet disc = {2, moving_disc, NULL};

/// Position on the tractrix after time t for a boundary point at polar angle `angle` at t = 0, whose disc is then at x
/// = `centre`.
static void tractrix(double angle, double centre, double t, double *q) {
    double theta = 2 * atan(tan(0.5 * angle) * exp(t));
    q[0] = centre + t + cos(theta), q[1] = sin(theta);
}

static double catch_up_disc(double duration, int steps, double *q, double *worst) {
    for (int k = 1; k <= steps; k++) {
        double gradient[2], rate, t = duration * k / steps;
        mrn_sweep_catch_up(&disc, 1, t, q);
        *worst = fmax(*worst, moving_disc(NULL, t, q, gradient, &rate));
    }
    return *worst;
}

void mrn_case_tractrix(MrnVerifyReport *report) {
    static const struct {
        int steps;
        double implicit, explicit, violation;
    } table[] = {{10, 1.2311e-2, 1.6936e-2, 1.3073e-2},
                 {20, 6.2928e-3, 8.2929e-3, 6.3586e-3},
                 {40, 3.1822e-3, 4.1040e-3, 3.1362e-3},
                 {80, 1.6002e-3, 2.0415e-3, 1.5575e-3},
                 {320, 4.0179e-4, 5.0844e-4, 3.8739e-4}};
    double start[2] = {cos(0.75 * M_PI), sin(0.75 * M_PI)}, exact[2];
    tractrix(0.75 * M_PI, 0, 1, exact);
    mrn_check(report, 0.0453859, exact[0], 5e-8, "exact end of the swept point, x [m]");
    mrn_check(report, 0.2978454, exact[1], 5e-8, "exact end of the swept point, y [m]");
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int steps = table[i].steps;
        double q[2], worst = -INFINITY, h = 1.0 / steps, gradient[2], rate;
        memcpy(q, start, sizeof q);
        catch_up_disc(1, steps, q, &worst);
        mrn_check(report, table[i].implicit, hypot(q[0] - exact[0], q[1] - exact[1]), 5e-5 * table[i].implicit,
                  "catching-up, error after %d steps [m]", steps);
        mrn_check_at_most(report, 4e-16, worst, "catching-up, worst violation with %d steps [m]", steps);
        memcpy(q, start, sizeof q);
        worst = -INFINITY;
        for (int k = 0; k < steps; k++) {
            mrn_sweep_explicit(&disc, k * h, h, q);
            worst = fmax(worst, moving_disc(NULL, (k + 1) * h, q, gradient, &rate));
        }
        mrn_check(report, table[i].explicit, hypot(q[0] - exact[0], q[1] - exact[1]), 5e-5 * table[i].explicit,
                  "explicit scheme, error after %d steps [m]", steps);
        mrn_check(report, table[i].violation, worst, 5e-5 * table[i].violation,
                  "explicit scheme, worst violation with %d steps [m]", steps);
    }
    // A start inside the disc rests until the boundary arrives.
    double caught = sqrt(0.91) - 0.5, q[2] = {-0.5, 0.3}, worst = -INFINITY;
    mrn_check(report, 0.453939, caught, 5e-7, "inner start: time at which the boundary arrives [s]");
    tractrix(atan2(0.3, -0.5 - caught), caught, 2 - caught, exact);
    mrn_check(report, 1.0021384, exact[0], 5e-8, "inner start: exact end, x [m]");
    mrn_check(report, 0.0653627, exact[1], 5e-8, "inner start: exact end, y [m]");
    catch_up_disc(2, 1000, q, &worst);
    mrn_check(report, 1.0021449, q[0], 5e-8, "inner start: catching-up with 1000 steps, x [m]");
    mrn_check(report, 0.0654620, q[1], 5e-8, "inner start: catching-up with 1000 steps, y [m]");
}

/// A random smooth function: a quadratic in x plus waves in t and x.
typedef struct Wavy {
    double centre[3], speed[3], stretch[3], wave[3], phase, size, frequency;
} Wavy;

static double wavy(const void *context, double t, const double *x, double *gradient, double *rate) {
    const Wavy *w = context;
    double f = -w->size, phase = w->phase + w->frequency * t, r = 0;
    *rate = 0;
    for (int k = 0; k < 3; k++) {
        double d = x[k] - w->centre[k] - w->speed[k] * t;
        f += w->stretch[k] * d * d;
        gradient[k] = 2 * w->stretch[k] * d;
        *rate -= 2 * w->stretch[k] * d * w->speed[k];
        phase += w->wave[k] * x[k];
        r += d * d;
    }
    f += 0.2 * sin(phase);
    for (int k = 0; k < 3; k++) gradient[k] += 0.2 * cos(phase) * w->wave[k];
    *rate += 0.2 * cos(phase) * w->frequency;
    return f;
}

/// An element of Gamma that is not the least one: a wandering velocity, less its part that would make f grow.
static void wandering(const MrnMovingSet *set, double t, const double *x, uint64_t seed, double *v) {
    double gradient[3], rate, f = set->evaluate(set->context, t, x, gradient, &rate), along = rate, square = 0;
    for (int k = 0; k < 3; k++) {
        v[k] = sin(3 * t + 2 * M_PI * mrn_random_unit(seed, 99, (uint64_t)k)) + 0.5 * cos(5 * t + (double)k);
        along += v[k] * gradient[k];
        square += gradient[k] * gradient[k];
    }
    if (f >= 0 && along > 0)
        for (int k = 0; k < 3; k++) v[k] -= along / square * gradient[k];
}

void mrn_case_viability(MrnVerifyReport *report) {
    for (int steps = 2000; steps <= 20000; steps *= 10) {
        double h = 1.0 / steps, worst = 0, largest_growth = 0, speed = 0;
        for (uint64_t seed = 0; seed < 100; seed++) {
            Wavy w = {.size = 1,
                      .frequency = mrn_random_between(seed, 1, 0, -4, 4),
                      .phase = mrn_random_between(seed, 1, 1, 0, 6)};
            for (int k = 0; k < 3; k++) {
                w.speed[k] = mrn_random_between(seed, 2, (uint64_t)k, -1, 1);
                w.stretch[k] = mrn_random_between(seed, 3, (uint64_t)k, 0.5, 2);
                w.wave[k] = mrn_random_between(seed, 4, (uint64_t)k, -2, 2);
            }
            MrnMovingSet set = {3, wavy, &w};
            for (int outside = 0; outside <= 1; outside++) {
                double x[3], gradient[3], rate;
                for (int k = 0; k < 3; k++) x[k] = outside ? 0.9 : mrn_random_between(seed, 5, (uint64_t)k, -0.3, 0.3);
                double before = wavy(&w, 0, x, gradient, &rate);
                for (int i = 0; i < steps; i++) { // mid-point rule: the selector is evaluated twice
                    double v[3], y[3], t = i * h;
                    wandering(&set, t, x, seed, v);
                    for (int k = 0; k < 3; k++) y[k] = x[k] + 0.5 * h * v[k];
                    wandering(&set, t + 0.5 * h, y, seed, v);
                    for (int k = 0; k < 3; k++) x[k] += h * v[k];
                    double f = wavy(&w, t + h, x, gradient, &rate);
                    speed = fmax(speed, fabs(rate) + fabs(v[0] * gradient[0]) + fabs(v[1] * gradient[1]) +
                                            fabs(v[2] * gradient[2]));
                    if (before <= 0)
                        worst = fmax(worst, f);
                    else if (outside)
                        largest_growth = fmax(largest_growth, f - before), before = fmin(before, f);
                }
            }
        }
        mrn_check_at_most(report, speed * h, worst,
                          "started inside: largest f with %d steps, against h times its largest rate [m]", steps);
        mrn_check_at_most(report, speed * h, largest_growth,
                          "started outside: largest growth of the violation, %d steps [m]", steps);
    }
}

/// A half-plane that moves along its normal.
typedef struct Edge {
    double normal[2], offset, speed;
} Edge;

static double moving_edge(const void *context, double t, const double *x, double *gradient, double *rate) {
    const Edge *edge = context;
    gradient[0] = edge->normal[0], gradient[1] = edge->normal[1];
    *rate = edge->speed;
    return edge->normal[0] * x[0] + edge->normal[1] * x[1] - edge->offset + edge->speed * t;
}

void mrn_case_non_expansion(MrnVerifyReport *report) {
    double a[2] = {cos(0.75 * M_PI), sin(0.75 * M_PI)}, b[2] = {-0.5, 0.3}, distance = hypot(a[0] - b[0], a[1] - b[1]),
           growth = 0;
    for (int k = 1; k <= 1000; k++) {
        mrn_sweep_catch_up(&disc, 1, 2e-3 * k, a);
        mrn_sweep_catch_up(&disc, 1, 2e-3 * k, b);
        double next = hypot(a[0] - b[0], a[1] - b[1]);
        growth = fmax(growth, next - distance);
        distance = next;
    }
    mrn_check_at_most(report, 4e-16, growth, "largest growth of the distance of two swept points in a step [m]");
    // The same in a moving triangle: three inequalities at once, two of them active in a corner.
    static const Edge edges[3] = {
        {{0, -1}, 0.5, 0.4}, {{0.8660254037844386, 0.5}, 0.5, 0.3}, {{-0.8660254037844386, 0.5}, 0.5, -0.9}};
    MrnMovingSet triangle[3];
    for (int i = 0; i < 3; i++) triangle[i] = (MrnMovingSet){2, moving_edge, &edges[i]};
    double c[2] = {0.1, -0.3}, d[2] = {-0.2, 0.4}, worst = -INFINITY;
    double apart = hypot(c[0] - d[0], c[1] - d[1]);
    growth = 0;
    for (int k = 1; k <= 200; k++) {
        double t = 5e-3 * k, gradient[2], rate;
        mrn_sweep_catch_up(triangle, 3, t, c);
        mrn_sweep_catch_up(triangle, 3, t, d);
        for (int i = 0; i < 3; i++)
            worst = fmax(worst, fmax(moving_edge(&edges[i], t, c, gradient, &rate),
                                     moving_edge(&edges[i], t, d, gradient, &rate)));
        double next = hypot(c[0] - d[0], c[1] - d[1]);
        growth = fmax(growth, next - apart);
        apart = next;
    }
    mrn_check_at_most(report, 1e-14, growth,
                      "moving triangle, three inequalities: largest growth of the distance in a step [m]");
    mrn_check_at_most(report, 1e-14, worst, "moving triangle: worst violation [m]");
    mrn_measure(report, distance, "moving disc: distance at the end [m]");
}

static double late_disc(const void *context, double t, const double *x, double *gradient, double *rate) {
    double stretched = t * t, value = moving_disc(context, stretched, x, gradient, rate);
    *rate *= 2 * t;
    return value;
}

void mrn_case_rate_independence(MrnVerifyReport *report) {
    // Catching-up sees the sets alone: times 0, 1/100, 2/100... and their square roots label the same sequence of
    // discs.
    double a[2] = {-0.5, 0.3}, b[2] = {-0.5, 0.3};
    MrnMovingSet late = {2, late_disc, NULL};
    bool same = true;
    for (int k = 1; k <= 100; k++) {
        double t = k / 64.0; // squares of binary fractions are exact
        mrn_sweep_catch_up(&disc, 1, t * t, a);
        mrn_sweep_catch_up(&late, 1, t, b);
        same &= memcmp(a, b, sizeof a) == 0;
    }
    mrn_check_true(report, same, "catching-up with other time labels: the same bits (1 = yes)");
    double previous = 0;
    for (int steps = 10000; steps <= 100000; steps *= 10) {
        double p[2] = {cos(0.75 * M_PI), sin(0.75 * M_PI)}, q[2], worst = 0, exact[2];
        memcpy(q, p, sizeof p);
        for (int i = 0; i < steps; i++)
            mrn_sweep_explicit(&disc, i * 1.0 / steps, 1.0 / steps, p),
                mrn_sweep_explicit(&late, i * 1.0 / steps, 1.0 / steps, q);
        tractrix(0.75 * M_PI, 0, 1, exact);
        worst = hypot(p[0] - q[0], p[1] - q[1]);
        mrn_check_at_most(report, 2.0 / steps, worst, "explicit scheme, t and t^2: distance of the ends, %d steps [m]",
                          steps);
        if (previous > 0)
            mrn_check(report, 10, previous / worst, 0.2, "factor by which ten times more steps reduce that distance");
        previous = worst;
    }
}

void mrn_case_complementarity(MrnVerifyReport *report) {
    double worst = 0, violation = 0;
    for (uint64_t i = 0; i < 10000; i++) {
        Wavy w = {.size = -5}; // f > 0: the constraint is active
        double gradient[3], rate, lazy[3], u[3], x[3], fdot, lambda;
        for (int k = 0; k < 3; k++) {
            w.speed[k] = mrn_random_between(i, 2, (uint64_t)k, -1, 1);
            w.stretch[k] = mrn_random_between(i, 3, (uint64_t)k, 0.5, 2);
            w.wave[k] = mrn_random_between(i, 4, (uint64_t)k, -2, 2);
            x[k] = mrn_random_between(i, 5, (uint64_t)k, -1, 1);
        }
        MrnMovingSet set = {3, wavy, &w};
        wavy(&w, 0.3, x, gradient, &rate);
        mrn_lazy_selector(&set, 0.3, x, lazy);
        lambda = mrn_sweep_complementarity(3, rate, gradient, u);
        fdot = rate;
        for (int k = 0; k < 3; k++) fdot += u[k] * gradient[k], worst = fmax(worst, fabs(u[k] - lazy[k]));
        violation = fmax(violation, fmax(fmax(fdot, lambda), fabs(fdot * lambda)) / (1 + fabs(rate)));
    }
    mrn_check_at_most(report, 1e-14, worst,
                      "largest difference between the complementarity solution and the lazy selector [m/s]");
    mrn_check_at_most(report, 1e-14, violation, "worst of fdot <= 0, lambda <= 0, fdot lambda = 0, relative");
}

static double narrowing_disc(const void *context, double t, const double *x, double *gradient, double *rate) {
    (void)context;
    double r = sqrt(x[0] * x[0] + x[1] * x[1]);
    gradient[0] = r > 0 ? x[0] / r : 1, gradient[1] = r > 0 ? x[1] / r : 0;
    *rate = t <= 1 ? 0.5 : -1;
    return r - (t <= 1 ? 1 - 0.5 * t : 0.5 + (t - 1));
}

static double sphere_cavity(const void *context, double t, const double *x, double *gradient, double *rate) {
    (void)context;
    gradient[0] = 2 * x[0], gradient[1] = 2 * x[1];
    *rate = 2 * t;
    return t * t + x[0] * x[0] + x[1] * x[1] - 1;
}

void mrn_case_trickle(MrnVerifyReport *report) {
    MrnMovingSet narrowing = {2, narrowing_disc, NULL}, cavity = {2, sphere_cavity, NULL};
    double x[2] = {0.8, 0}, detached = NAN, on_wall = 0;
    int steps = 2000;
    for (int k = 1; k <= steps; k++) {
        double t = 2.0 * k / steps;
        mrn_sweep_catch_up(&narrowing, 1, t, x);
        if (isnan(detached) && x[0] != 0.8) detached = t;
        if (t > 0.4 + 1e-9 && t <= 1) on_wall = fmax(on_wall, fabs(hypot(x[0], x[1]) - (1 - 0.5 * t)));
    }
    mrn_check(report, 0.4, detached, 2.0 / steps + 1e-12,
              "narrowing cavity: end of the vertical fall, within a step [s]");
    mrn_check_at_most(report, 4e-16, on_wall, "narrowing cavity: distance from the wall between 0.4 s and 1 s [m]");
    mrn_check(report, 0.5, x[0], 1e-15, "narrowing cavity: the trickle falls from the lip for ever at x [m]");
    mrn_check(report, 0, x[1], 0, "narrowing cavity: y [m]");
    double y[2] = {0.3, 0}, touch = NAN;
    on_wall = 0;
    steps = 18990;
    for (int k = 1; k <= steps; k++) {
        double t = -0.9 + 1.899 * k / steps;
        mrn_sweep_catch_up(&cavity, 1, t, y);
        if (isnan(touch) && y[0] != 0.3) touch = t;
        if (t > sqrt(0.91) + 1e-9) on_wall = fmax(on_wall, fabs(hypot(y[0], y[1]) - sqrt(1 - t * t)));
    }
    mrn_check(report, sqrt(0.91), touch, 1.899 / steps, "spherical cavity: the fall ends at t, within a step [s]");
    mrn_check_at_most(report, 1e-13, on_wall, "spherical cavity: distance from the meridian sqrt(1 - t^2) [m]");
    mrn_check(report, sqrt(1 - 0.999 * 0.999), y[0], 1e-13, "spherical cavity: x at t = 0.999 [m]");
}
