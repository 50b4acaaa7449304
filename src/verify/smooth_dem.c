// T-X1: a smooth discrete element method beside Contact Dynamics (specification 12.3), in the plane: contacts are stiff
// springs with dashpots, friction is a spring with a slider. Velocity Verlet with a step of a twentieth of the contact
// time.
//
// As the stiffness grows its motions tend to those of Contact Dynamics where these are unique, at the price of more
// steps.
#include "verify/cases.h"
#include "verify/check.h"

#include "base/random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Grain {
    double x[3], v[3], f[3]; ///< position and angle, velocity and spin, force and couple
    double mass, inertia;
    double radius;  ///< disc; 0: a block that touches walls with its corners
    double half[2]; ///< of a block
} Grain;

typedef struct Wall {
    double point[2], normal[2], load; ///< load: normal force on it now
} Wall;

typedef struct Smooth {
    int count, walls;
    Grain *grains;
    Wall wall[4];
    double *spring; ///< tangential springs: count x (count + 4 walls x 4 corners)
    double stiffness, damping, tangent_stiffness, tangent_damping, friction, gravity[2], step;
} Smooth;

static Smooth smooth_new(int count, double stiffness, double mass) {
    Smooth s = {.count = count, .stiffness = stiffness, .tangent_stiffness = stiffness};
    s.grains = mrn_alloc_zero((size_t)count, sizeof *s.grains);
    s.spring = mrn_alloc_zero((size_t)count * (size_t)(count + 16), sizeof *s.spring);
    s.step = M_PI / 20 * sqrt(mass / stiffness);
    return s;
}
static void smooth_free(Smooth *s) {
    free(s->grains);
    free(s->spring);
}

/// The force of one contact on A (and the opposite on B, if any) at point p; n points to A, depth > 0.
static double contact(Smooth *s, Grain *a, Grain *b, const double p[2], const double n[2], double depth,
                      double *spring) {
    double t[2] = {-n[1], n[0]}, ra[2] = {p[0] - a->x[0], p[1] - a->x[1]},
           u[2] = {a->v[0] - ra[1] * a->v[2], a->v[1] + ra[0] * a->v[2]};
    double rb[2] = {0, 0};
    if (b) {
        rb[0] = p[0] - b->x[0], rb[1] = p[1] - b->x[1];
        u[0] -= b->v[0] - rb[1] * b->v[2], u[1] -= b->v[1] + rb[0] * b->v[2];
    }
    double un = u[0] * n[0] + u[1] * n[1], ut = u[0] * t[0] + u[1] * t[1];
    double normal = fmax(0, s->stiffness * depth - s->damping * un);
    *spring += ut * s->step;
    double trial = s->tangent_stiffness * *spring + s->tangent_damping * ut, limit = s->friction * normal;
    if (fabs(trial) > limit)
        trial = copysign(limit, trial), *spring = (trial - s->tangent_damping * ut) / s->tangent_stiffness;
    double f[2] = {normal * n[0] - trial * t[0], normal * n[1] - trial * t[1]};
    a->f[0] += f[0], a->f[1] += f[1], a->f[2] += ra[0] * f[1] - ra[1] * f[0];
    if (b) b->f[0] -= f[0], b->f[1] -= f[1], b->f[2] -= rb[0] * f[1] - rb[1] * f[0];
    return normal;
}

static void forces(Smooth *s) {
    size_t width = (size_t)s->count + 16;
    for (int w = 0; w < s->walls; w++) s->wall[w].load = 0;
    for (int i = 0; i < s->count; i++) {
        Grain *a = &s->grains[i];
        a->f[0] += a->mass * s->gravity[0], a->f[1] += a->mass * s->gravity[1];
        for (int w = 0; w < s->walls; w++) {
            Wall *wall = &s->wall[w];
            int points = a->radius > 0 ? 1 : 4;
            for (int c = 0; c < points; c++) {
                double p[2], *spring = &s->spring[(size_t)i * width + (size_t)s->count + (size_t)(4 * w + c)];
                if (a->radius > 0)
                    p[0] = a->x[0] - a->radius * wall->normal[0], p[1] = a->x[1] - a->radius * wall->normal[1];
                else {
                    double lx = c == 0 || c == 3 ? -a->half[0] : a->half[0], ly = c < 2 ? -a->half[1] : a->half[1];
                    p[0] = a->x[0] + cos(a->x[2]) * lx - sin(a->x[2]) * ly,
                    p[1] = a->x[1] + sin(a->x[2]) * lx + cos(a->x[2]) * ly;
                }
                double depth = (wall->point[0] - p[0]) * wall->normal[0] + (wall->point[1] - p[1]) * wall->normal[1];
                if (depth > 0)
                    wall->load += contact(s, a, NULL, p, wall->normal, depth, spring);
                else
                    *spring = 0;
            }
        }
        for (int j = i + 1; j < s->count; j++) {
            Grain *b = &s->grains[j];
            double dx = a->x[0] - b->x[0], dy = a->x[1] - b->x[1], reach = a->radius + b->radius,
                   *spring = &s->spring[(size_t)i * width + (size_t)j];
            if (dx * dx + dy * dy >= reach * reach) {
                *spring = 0;
                continue;
            }
            double d = sqrt(dx * dx + dy * dy), n[2] = {dx / d, dy / d},
                   p[2] = {b->x[0] + (b->radius + 0.5 * (d - reach)) * n[0],
                           b->x[1] + (b->radius + 0.5 * (d - reach)) * n[1]};
            contact(s, a, b, p, n, reach - d, spring);
        }
    }
}

static void smooth_run(Smooth *s, double duration, long *steps) {
    long count = (long)ceil(duration / s->step);
    double h = duration / (double)count;
    s->step = h;
    for (long k = 0; k < count; k++) {
        for (int i = 0; i < s->count; i++) {
            Grain *a = &s->grains[i];
            for (int c = 0; c < 3; c++) {
                a->v[c] += 0.5 * h * a->f[c] / (c < 2 ? a->mass : a->inertia);
                a->x[c] += h * a->v[c];
                a->f[c] = 0;
            }
        }
        forces(s);
        for (int i = 0; i < s->count; i++)
            for (int c = 0; c < 3; c++)
                s->grains[i].v[c] += 0.5 * h * s->grains[i].f[c] / (c < 2 ? s->grains[i].mass : s->grains[i].inertia);
    }
    *steps += count;
}

static void incline(MrnVerifyReport *report) {
    static const double friction[] = {0.3, 0.1};
    double slope = M_PI / 6, R = 0.1;
    for (int i = 0; i < 2; i++) {
        double exact = i == 0 ? 3.27 : 9.81 * (0.5 - 0.1 * cos(slope)), error[2];
        for (int level = 0; level < 2; level++) {
            double stiffness = level ? 1e7 : 1e5;
            long steps = 0;
            Smooth s = smooth_new(1, stiffness, 1);
            s.friction = friction[i];
            s.damping = 2 * 0.5 * sqrt(stiffness), s.tangent_damping = s.damping;
            s.gravity[0] = 9.81 * sin(slope), s.gravity[1] = -9.81 * cos(slope); // x down the slope
            s.walls = 1, s.wall[0] = (Wall){{0, 0}, {0, 1}, 0};
            s.grains[0] =
                (Grain){.mass = 1, .inertia = 0.5 * R * R, .radius = R, .x = {0, R - 9.81 * cos(slope) / stiffness, 0}};
            smooth_run(&s, 1, &steps);
            error[level] = fabs(s.grains[0].v[0] - exact);
            mrn_check(report, exact, s.grains[0].v[0], 1 / sqrt(stiffness),
                      "disc on a slope, friction %g, stiffness %g N/m, %ld steps (Contact Dynamics 1000): speed [m/s]",
                      friction[i], stiffness, steps);
            smooth_free(&s);
        }
        mrn_check_at_most(
            report, 0.5 * error[0], error[1],
            "disc on a slope, friction %g: error at the higher stiffness, against half of the other [m/s]",
            friction[i]);
    }
}

/// Damping ratio of a linear spring and dashpot without tension that gives restitution e (Schwager and Poschel 2007).
static double damping_ratio(double e) {
    double low = 0, high = 0.7;
    for (int k = 0; k < 100; k++) {
        double g = 0.5 * (low + high), w = sqrt(1 - g * g), angle = M_PI - atan(2 * g * w / (w * w - g * g));
        if (exp(-g / w * angle) > e)
            low = g;
        else
            high = g;
    }
    return 0.5 * (low + high);
}

static void collision(MrnVerifyReport *report) {
    static const double restitution[] = {1, 0.75, 0.5};
    for (int i = 0; i < 3; i++) {
        double stiffness = 1e6, reduced = 0.5;
        long steps = 0;
        Smooth s = smooth_new(2, stiffness, reduced / 100); // ten times finer steps than stability asks for
        s.damping = restitution[i] < 1 ? 2 * damping_ratio(restitution[i]) * sqrt(stiffness * reduced) : 0;
        for (int g = 0; g < 2; g++)
            s.grains[g] = (Grain){
                .mass = 1, .inertia = 0.1, .radius = 0.5, .x = {g ? 0.501 : -0.501, 0, 0}, .v = {g ? -0.5 : 0.5, 0, 0}};
        smooth_run(&s, 0.02, &steps);
        mrn_check(report, restitution[i], s.grains[1].v[0] - s.grains[0].v[0], 2e-3,
                  "two discs, restitution %g: relative velocity after, %ld steps (Contact Dynamics 1) [m/s]",
                  restitution[i], steps);
        smooth_free(&s);
    }
}

static void rocking(MrnVerifyReport *report) {
    double b = 0.1, a = 0.4, alpha = atan(b / a), angle = 0.5 * alpha, c = cos(angle), sn = sin(angle), error[2];
    double r = (2 * a * a - b * b) / (2 * (a * a + b * b)),
           exact = (alpha - acos(cos(alpha) + r * r * (cos(alpha - angle) - cos(alpha)))) / alpha;
    for (int level = 0; level < 2; level++) {
        double stiffness = level ? 1e8 : 1e6, peak = 0;
        long steps = 0;
        Smooth s = smooth_new(1, stiffness, 0.1);
        s.friction = 0.6;
        s.damping = 6 * sqrt(stiffness),
        s.tangent_damping = sqrt(stiffness); // more than three times critical: no rebound
        s.gravity[1] = -9.81;
        s.walls = 1, s.wall[0] = (Wall){{0, 0}, {0, 1}, 0};
        s.grains[0] = (Grain){.mass = 1,
                              .inertia = (a * a + b * b) / 3,
                              .half = {b, a},
                              .x = {-b + c * b - sn * a, sn * b + c * a - 9.81 / stiffness, angle}};
        while (s.grains[0].x[2] > 0 && steps < 10000000) smooth_run(&s, 2e-3, &steps);
        for (double last = 0; - s.grains[0].x[2] >= last && steps < 10000000;) {
            last = -s.grains[0].x[2], peak = last;
            smooth_run(&s, 1e-3, &steps);
        }
        error[level] = fabs(peak / alpha - exact);
        mrn_measure(report, peak / alpha,
                    "rocking block, stiffness %g N/m, %ld steps: first peak over the critical angle (exact %.6f)",
                    stiffness, steps, exact);
    }
    mrn_check_at_most(report, 1e-3, error[1], "rocking block: error of the first peak at the higher stiffness");
    mrn_check_at_most(report, error[0], error[1], "rocking block: the higher stiffness is not worse");
}

/// 200 discs fall into a box and come to rest; both methods must carry the weight and fill the box to the same height.
static void pile(MrnVerifyReport *report) {
    enum { N = 200 };
    double radius[N], x[N], y[N], total = 0, low = -0.12, high = 2.3;
    for (uint64_t i = 0; i < N; i++) {
        radius[i] = mrn_random_between(4, i, 0, 0.07, 0.1);
        x[i] = 0.23 * (double)(i % 10) + mrn_random_between(4, i, 1, 0, 0.02), y[i] = 0.11 + 0.21 * (double)(i / 10);
        total += M_PI * radius[i] * radius[i];
    }
    double height[2] = {0, 0}, load[2] = {0, 0};
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = 1e-3;
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0.4, 0, 0));
    int floor = mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    mrn_add_wall(model, (double[]){low, 0}, (double[]){1, 0});
    mrn_add_wall(model, (double[]){high, 0}, (double[]){-1, 0});
    for (int i = 0; i < N; i++) mrn_add_disc(model, radius[i], M_PI * radius[i] * radius[i], x[i], y[i]);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    MrnStepInfo info = {0};
    for (int k = 0; k < 3000 && small.world; k++) mrn_small_step(report, &small, &info);
    if (!small.world) return;
    double impulse[3], moment[3];
    mrn_world_contact_resultant(small.world, floor, impulse, moment);
    load[0] = -impulse[1] / scheme.time_step;
    double carried = 0;
    for (int w = 0; w < 3; w++) {
        mrn_world_contact_resultant(small.world, floor + w, impulse, moment);
        carried -= impulse[1] / scheme.time_step;
    }
    mrn_check(report, 1, carried / (9.81 * total), 1e-4,
              "pile of 200 discs, Contact Dynamics: weight carried by floor and walls over the weight");
    for (int i = 0; i < N; i++)
        height[0] += M_PI * radius[i] * radius[i] * mrn_world_position(small.world, 3 + i)[1] / total;
    mrn_small_free(&small);
    double stiffness = 1e5, lightest = M_PI * 0.07 * 0.07;
    long steps = 0;
    Smooth s = smooth_new(N, stiffness, 0.5 * lightest);
    s.friction = 0.4;
    s.damping = 2 * 0.7 * sqrt(stiffness * 0.5 * lightest), s.tangent_damping = 0.5 * s.damping;
    s.tangent_stiffness = 0.8 * stiffness;
    s.gravity[1] = -9.81;
    s.walls = 3;
    s.wall[0] = (Wall){{0, 0}, {0, 1}, 0}, s.wall[1] = (Wall){{low, 0}, {1, 0}, 0},
    s.wall[2] = (Wall){{high, 0}, {-1, 0}, 0};
    for (int i = 0; i < N; i++) {
        double m = M_PI * radius[i] * radius[i];
        s.grains[i] =
            (Grain){.mass = m, .inertia = 0.5 * m * radius[i] * radius[i], .radius = radius[i], .x = {x[i], y[i], 0}};
    }
    smooth_run(&s, 3, &steps);
    load[1] = s.wall[0].load;
    double kinetic = 0;
    for (int i = 0; i < N; i++) {
        height[1] += s.grains[i].mass * s.grains[i].x[1] / total;
        kinetic += 0.5 * s.grains[i].mass * (s.grains[i].v[0] * s.grains[i].v[0] + s.grains[i].v[1] * s.grains[i].v[1]);
    }
    mrn_measure(report, load[0] / (9.81 * total),
                "pile of 200 discs, Contact Dynamics: share of the weight that the floor carries");
    mrn_measure(report, load[1] / (9.81 * total),
                "pile of 200 discs, springs: share of the weight that the floor carries (walls carry the rest)");
    mrn_check(report, height[0], height[1], 0.05 * height[0],
              "pile: height of the mass centre, springs against Contact Dynamics, 5 %% apart at most [m]");
    mrn_measure(report, kinetic, "pile, springs: kinetic energy left after 3 s [J]");
    mrn_measure(report, (double)steps / 3000, "pile: steps of the spring method over steps of Contact Dynamics");
    smooth_free(&s);
}

void mrn_case_smooth_dem(MrnVerifyReport *report) {
    incline(report);
    collision(report);
    rocking(report);
    pile(report);
}
