// Properties of floe collisions on random input (specification of floes 4.1): what the theorems say of every impact, of
// the discs and of the bounds; the contact frames; how often Lemke's method needs help.
#include "base/random.h"
#include "collide/floe_bound.h"
#include "problem/problem.h"
#include "solve/lcp/lcp.h"
#include "step/impact.h"
#include "verify/cases.h"
#include "verify/check.h"
#include "verify/floes.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI         3.14159265358979323846
#define MAX_BODIES 24
#define MAX_POINTS 60

/// A random impact: bodies scattered in a unit square, contacts between some of them, some against obstacles.
typedef struct RandomImpact {
    MrnImpact impact;
    MrnImpactContact contacts[MAX_POINTS];
    double inverse[2 * MAX_BODIES], start[3 * MAX_BODIES], velocity[3 * MAX_BODIES], place[2 * MAX_BODIES];
    double compression[2 * MAX_POINTS], decompression[2 * MAX_POINTS], velocity_c[3 * MAX_BODIES];
    MrnImpactCount count;
    MrnImpactLaw law;
} RandomImpact;

/// How the impacts are made.
typedef struct Kind {
    int bodies, contacts;
    bool obstacles, same_restitution, frontal, approaching;
} Kind;

static void draw_impact(RandomImpact *r, const Kind *kind, uint64_t seed) {
    uint64_t k = 0;
#define DRAW(low, high) mrn_random_between(seed, 7, k++, low, high)
    memset(r, 0, sizeof *r);
    for (int b = 0; b < kind->bodies; b++) {
        double mass = pow(10, DRAW(0, 4)), gyration = DRAW(0.3, 1); // contacts lie within the bodies' size
        r->inverse[2 * b] = 1 / mass;
        r->inverse[2 * b + 1] = 1 / (mass * gyration * gyration);
        r->place[2 * b] = DRAW(-1, 1), r->place[2 * b + 1] = DRAW(-1, 1);
        for (int i = 0; i < 3; i++) r->start[3 * b + i] = DRAW(-1, 1);
    }
    double e = DRAW(0, 1);
    for (int c = 0; c < kind->contacts; c++) {
        MrnImpactContact *contact = &r->contacts[c];
        int a = (int)(DRAW(0, 1) * kind->bodies), b = (int)(DRAW(0, 1) * (kind->bodies - 1));
        if (b >= a) b++;
        if (kind->obstacles && DRAW(0, 1) < 0.2) b = -1;
        double angle = DRAW(0, 2 * PI), x = DRAW(-1, 1), y = DRAW(-1, 1);
        contact->body[0] = b < a ? b : a, contact->body[1] = b < a ? a : b;
        contact->normal = mrn_vec2(cos(angle), sin(angle));
        for (int side = 0; side < 2; side++)
            if (contact->body[side] >= 0)
                contact->arm[side] =
                    mrn_vec2(x - r->place[2 * contact->body[side]], y - r->place[2 * contact->body[side] + 1]);
        contact->friction = DRAW(0, 1);
        contact->restitution = kind->same_restitution ? e : DRAW(0, 1);
    }
#undef DRAW
    r->impact = (MrnImpact){(size_t)kind->bodies, r->inverse, r->velocity, (size_t)kind->contacts, r->contacts, 0};
    if (kind->approaching) // a normal that points the other way turns separation into approach
        for (int c = 0; c < kind->contacts; c++) {
            double u[2];
            mrn_impact_relative(&r->impact, r->start, &r->contacts[c], u);
            if (u[0] > 0) r->contacts[c].normal = mrn_scale2(-1, r->contacts[c].normal);
        }
    memcpy(r->velocity, r->start, sizeof r->velocity);
}

static void solve_impact(RandomImpact *r, const MrnEventDrivenSettings *settings) {
    MrnArena arena = {0};
    MrnImpactPhases phases = {r->compression, r->decompression, r->velocity_c};
    r->law = mrn_impact_solve(&r->impact, settings, &arena, &r->count, &phases);
    mrn_arena_free(&arena);
}

static double energy_of(const RandomImpact *r, const double *v) {
    double energy = 0;
    for (size_t b = 0; b < r->impact.body_count; b++)
        energy += 0.5 * (v[3 * b] * v[3 * b] + v[3 * b + 1] * v[3 * b + 1]) / r->inverse[2 * b] +
                  0.5 * v[3 * b + 2] * v[3 * b + 2] / r->inverse[2 * b + 1];
    return energy;
}

/// Momentum: x, y and about the origin.
static void momentum_of(const RandomImpact *r, const double *v, double sum[3]) {
    sum[0] = sum[1] = sum[2] = 0;
    for (size_t b = 0; b < r->impact.body_count; b++) {
        double mass = 1 / r->inverse[2 * b], x = r->place[2 * b], y = r->place[2 * b + 1];
        sum[0] += mass * v[3 * b], sum[1] += mass * v[3 * b + 1];
        sum[2] += mass * (x * v[3 * b + 1] - y * v[3 * b]) + v[3 * b + 2] / r->inverse[2 * b + 1];
    }
}

void mrn_case_floe_impact_properties(MrnVerifyReport *report) {
    MrnEventDrivenSettings settings = mrn_event_driven_defaults();
    RandomImpact *r = mrn_alloc_zero(1, sizeof *r);
    double columns = 0, momentum = 0, identity = 0, compression = -1, cone = 0, sticking = 0, newton = -1, after = -1;
    double approach = 0, copositive = 0, definite = 0, residual = 0, defect = 0;
    long impacts = 0, fallbacks = 0, failures = 0;
    for (int round = 0; round < 3000; round++) {
        Kind kind = {.bodies = 2 + round % 3, .contacts = 1 + round % 12, .obstacles = round % 2};
        kind.same_restitution = round % 3 == 0;
        kind.approaching = round % 5 == 0;
        draw_impact(r, &kind, (uint64_t)round);
        size_t m = r->impact.contact_count, n = 4 * m;
        // PT-1: J'W and B'W are the projected relative velocities, also from the columns that the impulses use.
        for (size_t j = 0; j < m; j++) {
            const MrnImpactContact *contact = &r->contacts[j];
            double u[2], unit[3 * MAX_BODIES] = {0}, dual[2] = {0, 0};
            mrn_impact_relative(&r->impact, r->start, contact, u);
            for (int part = 0; part < 2; part++) {
                memset(unit, 0, sizeof unit);
                mrn_impact_apply(&r->impact, contact, part == 0, part == 1, unit);
                double sum[2] = {0, 0};
                for (size_t b = 0; b < r->impact.body_count; b++)
                    for (int i = 0; i < 3; i++) {
                        double mass = 1 / r->inverse[2 * b + (i == 2)];
                        dual[part] += unit[3 * b + (size_t)i] * mass * r->start[3 * b + (size_t)i];
                        if (i < 2) sum[i] += mass * unit[3 * b + (size_t)i];
                    }
                if (contact->body[0] >= 0) columns = fmax(columns, fmax(fabs(sum[0]), fabs(sum[1])));
                columns = fmax(columns, fabs(dual[part] - u[part]));
            }
        }
        // PT-3: x'Nx = sum mu lambda alpha and x'Gx >= 0 for random x >= 0.
        double *A = mrn_alloc(n * n, sizeof *A), *x = mrn_alloc(n, sizeof *x), quadratic = 0, friction = 0, size = 0;
        mrn_impact_matrix(&r->impact, A);
        for (size_t i = 0; i < n; i++) x[i] = mrn_random_unit((uint64_t)round, 9, i);
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < n; k++)
                if (i >= 3 * m || k >= 3 * m)
                    friction += x[i] * A[i * n + k] * x[k];
                else
                    quadratic += x[i] * A[i * n + k] * x[k], size += fabs(x[i] * A[i * n + k] * x[k]);
        for (size_t j = 0; j < m; j++) friction -= r->contacts[j].friction * x[j] * x[3 * m + j];
        copositive = fmax(copositive, fabs(friction));
        definite = fmax(definite, -quadratic / size);
        free(A), free(x);

        double before = energy_of(r, r->start);
        settings.quick_sweeps = round % 7 == 0 ? 40 : 0;
        solve_impact(r, &settings);
        impacts++, fallbacks += r->law != MRN_IMPACT_POISSON, failures += r->count.failures;
        residual = fmax(residual, r->count.worst_residual);
        double moving = 0;
        for (size_t b = 0; b < r->impact.body_count; b++)
            moving += hypot(r->start[3 * b], r->start[3 * b + 1]) / r->inverse[2 * b];
        defect = fmax(defect, r->count.momentum_defect / moving);
        // PT-2
        double p0[3], p1[3];
        momentum_of(r, r->start, p0), momentum_of(r, r->velocity, p1);
        for (int i = 0; i < 3 && !kind.obstacles; i++)
            momentum = fmax(momentum, fabs(p1[i] - p0[i]) / (sqrt(2 * before / r->inverse[0]) + fabs(p0[i])));
        // PT-4: W^c' M (W^c - W^-) = - sum alpha mu lambda; alpha is the sliding speed.
        double work = 0, slide = 0, scale = 1e-6 * before; // impulses of rounding are no impulses
        for (size_t j = 0; j < m; j++) {
            const MrnImpactContact *contact = &r->contacts[j];
            double u[2];
            const double *p = r->compression + 2 * j;
            mrn_impact_relative(&r->impact, r->velocity_c, contact, u);
            work += p[0] * u[0] + p[1] * u[1];
            slide += contact->friction * p[0] * fabs(u[1]);
            scale += fabs(p[0] * contact->before[0]) + fabs(p[1] * contact->before[1]);
            // PT-6
            double largest = 1e-5 * sqrt(2 * before);
            for (size_t i = 0; i < m; i++) largest = fmax(largest, r->compression[2 * i]);
            cone = fmax(cone, (fabs(p[1]) - contact->friction * p[0]) / largest);
            if (p[0] > 1e-9 * largest && fabs(p[1]) < contact->friction * p[0] * (1 - 1e-6))
                sticking = fmax(sticking, fabs(u[1]));
            if (fabs(u[1]) > 1e-7) sticking = fmax(sticking, p[1] * u[1] > 1e-9 * largest ? 1 : 0);
            const double *d = r->decompression + 2 * j;
            cone = fmax(cone, (fabs(d[1]) - contact->friction * d[0]) / largest);
            approach = fmax(approach, -contact->after[0]);
        }
        identity = fmax(identity, fabs(work + slide) / scale);
        compression = fmax(compression, (energy_of(r, r->velocity_c) - before) / before);
        after = fmax(after, (energy_of(r, r->velocity) - before) / before);
        // PT-5
        double e = mrn_random_unit((uint64_t)round, 11, 0), v[3 * MAX_BODIES];
        for (size_t i = 0; i < 3 * r->impact.body_count; i++) v[i] = (1 + e) * r->velocity_c[i] - e * r->start[i];
        newton = fmax(newton, (energy_of(r, v) - before) / before);
        if (kind.approaching)
            for (size_t j = 0; j < m; j++) {
                double u[2];
                mrn_impact_relative(&r->impact, v, &r->contacts[j], u);
                approach = fmax(approach, -u[0]);
            }
    }
    mrn_check_at_most(report, 1e-9, columns, "PT-1: columns sum to 0 and give relative velocities");
    mrn_check_at_most(report, 1e-9, momentum, "PT-2: change of linear and angular momentum, relative");
    mrn_check_at_most(report, 1e-12, copositive, "PT-3: x'Nx less the sum of mu lambda alpha");
    mrn_check_at_most(report, 1e-12, definite, "PT-3: least x'Gx, below 0, relative");
    mrn_check_at_most(report, 1e-8, identity, "PT-4: energy identity of compression, relative");
    mrn_check_at_most(report, 1e-12, compression, "PT-4: largest growth of energy in compression, relative");
    mrn_check_at_most(report, 1e-12, newton, "PT-5: largest growth of energy by Newton's law, relative");
    mrn_check_at_most(report, 1e-8, approach, "PT-5: largest speed of approach left [m/s]");
    mrn_check_at_most(report, 1e-9, cone, "PT-6: friction above its bound, relative");
    mrn_check_at_most(report, 1e-7, sticking, "PT-6: slip of sticking contacts [m/s], 1 if friction drives");
    mrn_check_at_most(report, 1e-9, after, "largest growth of energy by both phases, relative");
    mrn_check_at_most(report, 1e-7, residual, "PT-3: worst certificate of a complementarity problem");
    mrn_check_at_most(report, 1e-13, defect, "PT-2: momentum_defect over the momenta, obstacles included");
    mrn_check_at_most(report, 0, (double)failures, "impacts left without an acceptable solution");
    mrn_measure(report, (double)fallbacks / (double)impacts, "share of impacts with an energy fallback");
    free(r);
}

/// PT-7: frontal shocks obey Newton's complementarity with (1 + e) W^c - e W^-.
void mrn_case_floe_frontal(MrnVerifyReport *report) {
    MrnEventDrivenSettings settings = mrn_event_driven_defaults();
    RandomImpact *r = mrn_alloc_zero(1, sizeof *r);
    double worst = 0, tangent = 0;
    for (int round = 0; round < 500; round++) {
        Kind kind = {.bodies = 2, .contacts = 1 + round % 2, .same_restitution = true};
        draw_impact(r, &kind, 5000 + (uint64_t)round);
        // Velocities that leave no tangential relative velocity: take the wanted normal approach of the first contact
        // only and no rotation, contacts facing the line of centres.
        double angle = mrn_random_between((uint64_t)round, 12, 0, 0, 2 * PI);
        for (size_t j = 0; j < r->impact.contact_count; j++) r->contacts[j].normal = mrn_vec2(cos(angle), sin(angle));
        for (int b = 0; b < 2; b++) {
            double speed = b ? -1 : 1 + mrn_random_unit((uint64_t)round, 12, 1);
            r->start[3 * b] = speed * cos(angle), r->start[3 * b + 1] = speed * sin(angle), r->start[3 * b + 2] = 0;
        }
        memcpy(r->velocity, r->start, sizeof r->velocity);
        solve_impact(r, &settings);
        double e = r->contacts[0].restitution, v[6];
        for (int i = 0; i < 6; i++) v[i] = (1 + e) * r->velocity_c[i] - e * r->start[i];
        for (size_t j = 0; j < r->impact.contact_count; j++) {
            const MrnImpactContact *contact = &r->contacts[j];
            double u[2];
            mrn_impact_relative(&r->impact, v, contact, u);
            double slack = u[0] + e * contact->before[0], impulse = e * r->compression[2 * j];
            tangent = fmax(tangent, fabs(contact->before[1]));
            worst = fmax(worst, fmax(-slack, impulse > 1e-9 ? fabs(slack) : 0));
        }
    }
    mrn_check_at_most(report, 1e-13, tangent, "tangential velocity before [m/s]");
    mrn_check_at_most(report, 1e-9, worst,
                      "violation of u_n + e u_n(before) >= 0, zero where there is an impulse [m/s]");
    free(r);
}

// ---- V-11 ----

void mrn_case_floe_lcp(MrnVerifyReport *report) {
    RandomImpact *r = mrn_alloc_zero(1, sizeof *r);
    static const struct {
        int variants, perturbations;
        const char *name;
    } levels[] = {{1, 0, "one variant"}, {3, 0, "three variants"}, {3, 20, "with perturbations"}};
    int rounds = 400;
    for (int level = 0; level < 3; level++) {
        MrnEventDrivenSettings settings = mrn_event_driven_defaults();
        settings.variants = levels[level].variants;
        settings.perturbations = levels[level].perturbations;
        settings.quick_sweeps = 0;
        int64_t solves = 0, replaced = 0, relaxed = 0, failures = 0;
        for (int round = 0; round < rounds; round++) {
            Kind kind = {.bodies = 8 + round % 9, .contacts = 10 + round % 15, .obstacles = true};
            draw_impact(r, &kind, 20000 + (uint64_t)round);
            solve_impact(r, &settings);
            solves += r->count.solves, replaced += r->count.replaced, relaxed += r->count.relaxed;
            failures += r->count.failures;
        }
        mrn_measure(report, 1 - (double)replaced / (double)solves, "%s: share solved by Lemke's method alone",
                    levels[level].name);
        if (level < 2) continue;
        mrn_check_at_least(report, 0.99, 1 - (double)replaced / (double)solves, "%s: share solved, at least",
                           levels[level].name);
        mrn_measure(report, (double)relaxed / (double)solves, "share taken for their energy alone");
        mrn_check_at_most(report, 0, (double)failures, "left without an acceptable solution");
    }
    free(r);
}

// ---- PT-8, PT-9, PT-10 ----

/// A model of `count` star-shaped outlines of up to 40 corners.
static MrnModel *random_floes(int count, uint64_t seed) {
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
    for (int f = 0; f < count; f++) {
        double vertices[80], size = pow(10, mrn_random_between(seed, 1, (uint64_t)f, -0.5, 1));
        int corners = 3 + (int)(mrn_random_unit(seed, 2, (uint64_t)f) * 37);
        for (int k = 0; k < corners; k++) {
            double radius = size * mrn_random_between(seed, 100 + (uint64_t)f, (uint64_t)k, 0.5, 1);
            vertices[2 * k] = radius * cos(2 * PI * k / corners),
                         vertices[2 * k + 1] = radius * sin(2 * PI * k / corners);
        }
        mrn_add_polygon(model, vertices, (size_t)corners, 1, 0, 100.0 * f, 0, 0);
    }
    return model;
}

static double segment_distance(MrnVec2 p, const MrnFloeCorner *edge) {
    MrnVec2 d = mrn_sub2(edge->end, edge->point);
    double t = fmax(0, fmin(1, mrn_dot2(mrn_sub2(p, edge->point), d) / mrn_dot2(d, d)));
    return mrn_norm2(mrn_sub2(p, mrn_add2(edge->point, mrn_scale2(t, d))));
}

/// Distance of two placed outlines by all pairs of vertices and edges.
static double brute_distance(const MrnFloeSet *set, const MrnFloeQuery *q) {
    const MrnFloe *floe[2] = {&set->floes.data[q->a], &set->floes.data[q->b]};
    const MrnFloePose *pose[2] = {&q->pose_a, &q->pose_b};
    double least = INFINITY;
    for (int side = 0; side < 2; side++)
        for (int i = 0; i < floe[side]->corner_count; i++) {
            MrnVec2 p = set->corners.data[floe[side]->first_corner + i].point;
            p = mrn_add2(pose[side]->position, mrn_rotate2(pose[side]->c, pose[side]->s, p));
            p = mrn_sub2(p, pose[!side]->position);
            p = mrn_rotate2(pose[!side]->c, -pose[!side]->s, p); // in the frame of the other
            for (int k = 0; k < floe[!side]->corner_count; k++)
                least = fmin(least, segment_distance(p, &set->corners.data[floe[!side]->first_corner + k]));
        }
    return least;
}

void mrn_case_floe_discs(MrnVerifyReport *report) {
    enum { FLOES = 40 };
    MrnModel *model = random_floes(FLOES, 3);
    MrnFloeRules rules = {0.01, 0};
    MrnFloeSet *set = mrn_floe_set_new(model, &rules, NULL);
    double outside = -INFINITY, level = -INFINITY, kappa = -INFINITY, least_discs = INFINITY;
    for (size_t f = 0; f < set->floes.count; f++) {
        const MrnFloe *floe = &set->floes.data[f];
        least_discs = fmin(least_discs, floe->corner_count >= 16 ? floe->disc_count : INFINITY);
        for (int d = 0; d < floe->disc_count; d++) {
            const MrnFloeDisc *disc = &set->discs.data[floe->first_disc + d];
            double radius = mrn_floe_disc_radius(floe, disc);
            level = fmax(level, mrn_norm2(mrn_sub2(disc->centre, floe->centre)) + radius - mrn_floe_outer_radius(floe));
        }
        for (int i = 0; i < floe->corner_count; i++) {
            const MrnFloeCorner *edge = &set->corners.data[floe->first_corner + i];
            kappa =
                fmax(kappa, mrn_norm2(mrn_sub2(edge->point, floe->centre)) + floe->kappa - mrn_floe_outer_radius(floe));
            for (int k = 0; k <= 8; k++)
                for (int direction = 0; direction < 8; direction++) { // the outline, and its zone all around
                    MrnVec2 p = mrn_add2(edge->point, mrn_scale2(k / 8.0, mrn_sub2(edge->end, edge->point)));
                    if (direction)
                        p = mrn_add2(p, mrn_vec2(floe->distance * cos(direction), floe->distance * sin(direction)));
                    double least = INFINITY;
                    for (int d = 0; d < floe->disc_count; d++) {
                        const MrnFloeDisc *disc = &set->discs.data[floe->first_disc + d];
                        least = fmin(least, mrn_norm2(mrn_sub2(p, disc->centre)) - mrn_floe_disc_radius(floe, disc));
                    }
                    outside = fmax(outside, least);
                }
        }
    }
    mrn_check_at_most(report, 1e-12, outside, "PT-8: outline and collision zone outside level 1 [m]");
    mrn_check_at_most(report, 1e-12, level, "PT-8: level 1 outside level 0 [m]");
    mrn_check_at_most(report, 1e-12, kappa, "PT-8: outline closer than kappa to the border of level 0 [m]");
    mrn_check_at_least(report, 4, least_discs, "discs of an outline of 16 corners or more");

    // PT-9 and the separation: pairs from far to touching, against all pairs of vertices and edges.
    MrnFloeProbe probe = {0};
    long missed = 0, met = 0;
    double wrong = 0, above = -INFINITY, gamma = -INFINITY, early = INFINITY;
    for (int round = 0; round < 4000; round++) {
        uint64_t r = (uint64_t)round;
        MrnFloeQuery q = {
            .a = round % FLOES, .b = (round * 7 + 1) % FLOES, .cone_tolerance = 1e-3, .cone_filter = true};
        if (q.a == q.b) continue;
        const MrnFloe *a = &set->floes.data[q.a], *b = &set->floes.data[q.b];
        double angle = mrn_random_between(4, 1, r, 0, 2 * PI), zeta = fmin(a->distance, b->distance);
        q.pose_a = mrn_floe_pose(mrn_vec2(1e4, -3e3), mrn_random_between(4, 2, r, 0, 2 * PI));
        q.pose_b = mrn_floe_pose(q.pose_a.position, mrn_random_between(4, 3, r, 0, 2 * PI));
        q.distance_a = q.distance_b = zeta;
        q.reach = zeta * mrn_random_between(4, 4, r, 1, 30);
        // From far outside inwards by what is surely free, until close: no overlap on the way.
        double out = a->belt + b->belt + 1;
        double stop = zeta * mrn_random_between(4, 5, r, 0.05, 3);
        for (int step = 0; step < 60; step++) {
            q.pose_b.position = mrn_add2(q.pose_a.position, mrn_vec2(out * cos(angle), out * sin(angle)));
            double distance = brute_distance(set, &q);
            if (distance <= stop * 1.01) break;
            out -= distance - stop;
        }
        double true_distance = brute_distance(set, &q);
        mrn_floe_examine(set, &q, &probe);
        met += true_distance <= zeta;
        if (true_distance <= zeta && mrn_floe_outer_gap(a, &q.pose_a, b, &q.pose_b) > zeta) missed++;
        if (true_distance <= zeta && probe.touches.count == 0) missed++;
        if (true_distance <= q.reach)
            wrong = fmax(wrong, fabs(probe.separation - true_distance));
        else
            above = fmax(above, probe.separation - true_distance);
        // PT-10: speeds of points, and the bound in time.
        MrnFloeMotion va = {{mrn_random_between(4, 6, r, -1, 1), mrn_random_between(4, 7, r, -1, 1)},
                            mrn_random_between(4, 8, r, -0.3, 0.3)};
        MrnFloeMotion vb = {{mrn_random_between(4, 9, r, -1, 1), mrn_random_between(4, 10, r, -1, 1)},
                            mrn_random_between(4, 11, r, -0.3, 0.3)};
        MrnFloeFlight flight = {.a = a, .b = b, .pose_a = q.pose_a, .pose_b = q.pose_b, .motion_a = va, .motion_b = vb};
        flight.horizon = 5;
        mrn_floe_flight(&flight);
        for (int i = 0; i < a->corner_count; i++) {
            MrnVec2 arm = mrn_rotate2(q.pose_a.c, q.pose_a.s, set->corners.data[a->first_corner + i].point);
            MrnVec2 from_b = mrn_add2(arm, mrn_sub2(q.pose_a.position, q.pose_b.position));
            MrnVec2 v = mrn_sub2(mrn_add2(va.velocity, mrn_scale2(va.spin, mrn_perp2(arm))),
                                 mrn_add2(vb.velocity, mrn_scale2(vb.spin, mrn_perp2(from_b))));
            gamma = fmax(gamma, mrn_norm2(v) - flight.speed_b);
        }
        double least = 0.5 * fmin(zeta, true_distance), time = mrn_floe_feature_time(&flight, &probe, least);
        double outer = mrn_floe_outer_time(&flight, least);
        for (int half = 0; half < 2; half++) { // at every moment until then the outlines keep that distance
            double until = half ? fmin(outer, 5) : time;
            for (int k = 1; k <= 10; k++) {
                double s = until * k / 10;
                MrnFloeQuery later = q;
                double angle_a = atan2(q.pose_a.s, q.pose_a.c) + s * va.spin,
                       angle_b = atan2(q.pose_b.s, q.pose_b.c) + s * vb.spin;
                later.pose_a = mrn_floe_pose(mrn_add2(q.pose_a.position, mrn_scale2(s, va.velocity)), angle_a);
                later.pose_b = mrn_floe_pose(mrn_add2(q.pose_b.position, mrn_scale2(s, vb.velocity)), angle_b);
                early = fmin(early, brute_distance(set, &later) - least);
            }
        }
    }
    mrn_check_at_most(report, 0, (double)missed, "PT-9: collisions that the discs or the frames missed");
    mrn_check_at_least(report, 500, (double)met, "PT-9: collisions among the pairs");
    mrn_check_at_most(report, 1e-9, wrong, "separation against all vertices and edges, within reach [m]");
    mrn_check_at_most(report, 1e-9, above, "separation above the true distance, beyond reach [m]");
    mrn_check_at_most(report, 1e-12, gamma, "PT-10: speed of a point above the belt bound [m/s]");
    mrn_check_at_least(report, -1e-9, early, "distance kept until the bound in time, less what it promises [m]");
    mrn_floe_probe_free(&probe);
    mrn_floe_set_free(set);
    mrn_model_free(model);
}

// ---- V-08 ----

/// Contacts of two outlines, the second moved by (x, y).
static size_t frames_of(const double *first, size_t count_1, const double *second, size_t count_2, double x, double y,
                        double distance_a, double distance_b, bool filter, MrnFloeTouch *out, size_t room) {
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
    mrn_add_polygon(model, first, count_1, 1, 0, 0, 0, 0);
    mrn_add_polygon(model, second, count_2, 1, 0, x, y, 0);
    MrnFloeRules rules = {0.01, 0};
    MrnFloeSet *set = mrn_floe_set_new(model, &rules, NULL);
    MrnFloeQuery q = {.a = 0, .b = 1, .distance_a = distance_a, .distance_b = distance_b, .cone_filter = filter};
    q.reach = fmax(distance_a, distance_b);
    q.cone_tolerance = 1e-3;
    const MrnBody *body = model->bodies.data;
    q.pose_a = mrn_floe_pose(mrn_vec2(body[0].position[0], body[0].position[1]), 0);
    q.pose_b = mrn_floe_pose(mrn_vec2(body[1].position[0], body[1].position[1]), 0);
    MrnFloeProbe probe = {0};
    mrn_floe_examine(set, &q, &probe);
    size_t count = probe.touches.count;
    for (size_t k = 0; k < count && k < room; k++) out[k] = probe.touches.data[k];
    mrn_floe_probe_free(&probe);
    mrn_floe_set_free(set);
    mrn_model_free(model);
    return count;
}

void mrn_case_floe_frames(MrnVerifyReport *report) {
    static const double square[8] = {-0.5, -0.5, 0.5, -0.5, 0.5, 0.5, -0.5, 0.5};
    static const double diamond[8] = {0.5, 0, 0, 0.5, -0.5, 0, 0, -0.5};
    static const double hook[12] = {0, 0, 2, 0, 2, 1, 1, 1, 1, 2, 0, 2}; // reflex corner at (1, 1)
    MrnFloeTouch t[8];
    size_t count = frames_of(square, 4, square, 4, 1.004, 0, 0.01, 0.01, true, t, 8);
    mrn_check(report, 2, (double)count, 0, "flush edges: frames");
    if (count == 2)
        mrn_check_at_most(report, 1e-15, fabs(t[0].normal.x - 1) + fabs(t[1].normal.x - 1),
                          "flush edges: normals along x");
    count = frames_of(square, 4, square, 4, 1.004, 0.3, 0.01, 0.01, true, t, 8);
    mrn_check(report, 2, (double)count, 0, "flush edges, one shifted: frames");
    count = frames_of(square, 4, diamond, 4, 1.004, 0.1, 0.01, 0.01, true, t, 8);
    mrn_check(report, 1, (double)count, 0, "case (iii), corner to edge: frames");
    if (count) mrn_check(report, 0.004, t[0].gap, 1e-15, "case (iii): gap [m]");
    count = frames_of(diamond, 4, diamond, 4, 1.004, 0, 0.01, 0.01, true, t, 8);
    mrn_check(report, 1, (double)count, 0, "corner to corner: frames, once from both sides");
    // A corner near a reflex corner: both edges are local minima.
    static const double small[8] = {-0.1, -0.1, 0.1, -0.1, 0.1, 0.1, -0.1, 0.1};
    count = frames_of(hook, 6, small, 4, 1.104, 1.104, 0.01, 0.01, true, t, 8);
    long at_corner = 0;
    for (size_t k = 0; k < count; k++) {
        // Seen from the centroid of the hook (5/6, 5/6).
        at_corner += fabs(t[k].point.x - (1.004 - 5.0 / 6)) < 1e-12 && fabs(t[k].point.y - (1.004 - 5.0 / 6)) < 1e-12;
    }
    mrn_check(report, 2, (double)at_corner, 0, "corner in a reflex corner: frames at that point");
    // Case (i): the reflex corner itself is never a contact point. A wedge that enters it touches with its own corner.
    static const double wedge[6] = {0, 0, 1, 0.4, 0.4, 1};
    count = frames_of(hook, 6, wedge, 3, 1.002, 1.002, 0.01, 0.01, true, t, 8);
    long reflex = 0;
    for (size_t k = 0; k < count; k++)
        reflex += fabs(t[k].point.x - 1.0 / 6) < 1e-12 && fabs(t[k].point.y - 1.0 / 6) < 1e-12;
    mrn_check(report, 0, (double)reflex, 0, "case (i), reflex corner: frames at it");
    count = frames_of(hook, 6, wedge, 3, 1.002, 1.002, 0.01, 0.01, false, t, 8);
    double tilted = 0;
    for (size_t k = 0; k < count; k++) // between two corners the normal is the line through both
        tilted = fmax(tilted, fmin(fabs(t[k].normal.x), fabs(t[k].normal.y)));
    mrn_check(report, sqrt(0.5), tilted, 1e-12, "frames without cones: the wedge meets the reflex corner itself");
    // Case (iv): next to the end of an edge another vertex of the neighbouring edge is within the distance, but its
    // nearest point is not in its cone.
    static const double blunt[8] = {0, -0.5, 1, -0.5, 1, 0.5, 0.002, 0.0};
    count = frames_of(square, 4, blunt, 4, 0.5 + 0.002, 0.2, 0.01, 0.01, true, t, 8);
    long outside = 0;
    for (size_t k = 0; k < count; k++) outside += fabs(fabs(t[k].normal.x) - 1) > 2e-3;
    mrn_check(report, 0, (double)outside, 0, "case (iv): frames whose normal leaves the cone");

    // Figure 2.8: a small floe along a large one; the larger distance sees many vertices, the smaller few.
    double large[2 * 48];
    for (int k = 0; k < 48; k++) large[2 * k] = 10 * cos(2 * PI * k / 48), large[2 * k + 1] = 10 * sin(2 * PI * k / 48);
    double pebble[2 * 24];
    for (int k = 0; k < 24; k++)
        pebble[2 * k] = 0.5 * cos(2 * PI * k / 24), pebble[2 * k + 1] = 0.5 * sin(2 * PI * k / 24);
    double eta_large = sqrt(PI) * 0.1, eta_small = sqrt(PI) * 0.005;
    size_t with_min = frames_of(large, 48, pebble, 24, 10.5 + 0.5 * eta_small, 0, eta_small, eta_small, false, t, 8);
    size_t with_max = frames_of(large, 48, pebble, 24, 10.5 + 0.5 * eta_small, 0, eta_large, eta_large, false, t, 8);
    mrn_check(report, 1, (double)with_min, 0, "pebble at a large floe, smaller distance: contact points");
    mrn_check_at_least(report, 3, (double)with_max, "pebble at a large floe, larger distance: contact points");

    // The paper's notion: a vertex within the distance of the other body. The pebble's vertices see the zone of the
    // large floe, those of the large floe the zone of the pebble.
    size_t with_other = frames_of(large, 48, pebble, 24, 10.5 + 0.5 * eta_small, 0, eta_small, eta_large, false, t, 8);
    mrn_check_at_least(report, (double)with_min, (double)with_other, "pebble, distance of the other: points, at least");
    mrn_check_at_most(report, (double)with_max, (double)with_other, "pebble, distance of the other: points, at most");
    // Figure 2.18: a star in the bay of a hook, near one side of it. The larger distance sees the other side too.
    static const double star[16] = {0.4, 0, 0.1, 0.1, 0, 0.4, -0.1, 0.1, -0.4, 0, -0.1, -0.1, 0, -0.4, 0.1, -0.1};
    size_t bay_min = frames_of(hook, 6, star, 8, 1.405, 1.45, 0.01, 0.01, true, t, 8);
    size_t bay_max = frames_of(hook, 6, star, 8, 1.405, 1.45, 0.1, 0.1, true, t, 8);
    mrn_check(report, 1, (double)bay_min, 0, "a star in a bay, smaller distance: contact points");
    mrn_check(report, 2, (double)bay_max, 0, "a star in a bay, larger distance: contact points");

    // A square that slides past the corner of an obstacle is not lifted off.
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 1, 0));
    mrn_add_block(model, 2, 2, 0, -1);
    int slider = mrn_add_polygon(model, square, 4, 1, 0, -1.2, 0.504, 0);
    MrnScheme scheme = mrn_floe_scheme(0.05, MRN_CONTACTS_ACTIVE);
    MrnSmall small_world = mrn_small_start(report, model, &scheme);
    if (!small_world.world) return;
    mrn_world_set_velocity(small_world.world, slider, (double[]){1, 0}, (double[]){0});
    for (int k = 0; k < 80; k++) mrn_small_step(report, &small_world, NULL);
    mrn_check_at_most(report, 1e-12,
                      fabs(mrn_world_velocity(small_world.world, slider)[1]) +
                          fabs(mrn_world_spin(small_world.world, slider)[0]),
                      "sliding past a corner: velocity across and spin");
    mrn_check(report, 2.8, mrn_world_position(small_world.world, slider)[0], 1e-12, "sliding past a corner: place [m]");
    mrn_small_free(&small_world);
}

// ---- PT-13 ----

/// A gas of floes in a periodic cell, moved as a whole by (dx, dy); velocities after a while and what was kept.
static bool periodic_gas(MrnVerifyReport *report, double dx, double dy, double *v, double *momentum,
                         int64_t *collisions, double *shortest) {
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0.3, 0.8, 0));
    for (int k = 0; k < 16; k++)
        mrn_add_regular(model, 5 + k % 4, 0.8, 0.3 * k, 1, dx + 2.5 * (k % 4) + 1.3, dy + 2.5 * (k / 4) + 1.1);
    double low[2] = {0, 0}, high[2] = {10, 10};
    mrn_model_set_period(model, low, high);
    MrnScheme scheme = mrn_floe_scheme(0.125, MRN_CONTACTS_ACTIVE);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return false;
    double start[2] = {0, 0}, end[2] = {0, 0};
    for (int k = 0; k < 16; k++) {
        double w[2] = {mrn_random_between(9, 1, (uint64_t)k, -1, 1), mrn_random_between(9, 2, (uint64_t)k, -1, 1)};
        double spin = mrn_random_between(9, 3, (uint64_t)k, -1, 1);
        mrn_world_set_velocity(small.world, k, w, &spin);
        start[0] += w[0], start[1] += w[1];
    }
    *collisions = 0;
    *shortest = INFINITY;
    for (int k = 0; k < 64; k++) {
        MrnStepInfo info;
        if (!mrn_small_step(report, &small, &info)) return false;
        *collisions += info.collisions;
        *shortest = fmin(*shortest, info.smallest_gap);
    }
    for (int k = 0; k < 16; k++) {
        const double *w = mrn_world_velocity(small.world, k);
        end[0] += w[0], end[1] += w[1];
        v[3 * k] = w[0], v[3 * k + 1] = w[1], v[3 * k + 2] = mrn_world_spin(small.world, k)[0];
    }
    *momentum = fmax(fabs(end[0] - start[0]), fabs(end[1] - start[1]));
    mrn_small_free(&small);
    return true;
}

void mrn_case_floe_periodic(MrnVerifyReport *report) {
    double v[2][48], momentum, shortest;
    int64_t collisions;
    // The shift is a multiple of 2^-4 so that positions are the same to few bits; collisions amplify the rest.
    for (int k = 0; k < 2; k++) {
        if (!periodic_gas(report, k ? 3.5 : 0, k ? 7.25 : 0, v[k], &momentum, &collisions, &shortest)) return;
        mrn_check_at_most(report, 1e-12, momentum, "%s: change of momentum", k ? "moved" : "in place");
        mrn_check_at_least(report, 20, (double)collisions, "%s: collisions", k ? "moved" : "in place");
        mrn_check_at_least(report, 0, shortest, "%s: smallest gap, images included [m]", k ? "moved" : "in place");
    }
    double worst = 0;
    for (int k = 0; k < 48; k++) worst = fmax(worst, fabs(v[0][k] - v[1][k]));
    mrn_check_at_most(report, 1e-6, worst, "velocities of the moved run less those in place [m/s]");
}
