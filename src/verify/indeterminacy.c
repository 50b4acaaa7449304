// Cases of indeterminacy: the bar between converging walls, random starts, scan orders, history in checkpoints (Moreau
// 2003, section 8).
#include "verify/cases.h"
#include "verify/check.h"

#include "base/random.h"
#include "problem/problem.h"
#include "solve/explore.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double step = 1e-3;

/// The bar of T-I1 in its world; body 0 is the bar, 1 and 2 the left and right walls.
static MrnSmall bar_world(MrnVerifyReport *report) {
    double beta = 10 * M_PI / 180;
    MrnScheme scheme = mrn_strict_scheme(step);
    scheme.gap_tolerance = 1e-6;
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0.5, 0, 0));
    mrn_add_polygon(model, (double[]){-0.5, 0, 0, -5e-3, 0.5, 0, 0, 5e-3}, 4, 1, 1.0 / 12, 0, 0, 0);
    mrn_add_wall(model, (double[]){-0.5, 0}, (double[]){cos(beta), -sin(beta)});
    mrn_add_wall(model, (double[]){0.5, 0}, (double[]){-cos(beta), -sin(beta)});
    return mrn_small_start(report, model, &scheme);
}

/// Remember contacts as if a step before had left these impulses on the bar: forces in space at A (left) and B (right),
/// in N.
static void wedge(MrnVerifyReport *report, MrnSmall *small, const double A[2], const double B[2]) {
    // A step of another world of the same kind tells the names of the contacts.
    MrnSmall probe = bar_world(report);
    mrn_small_step(report, &probe, NULL);
    MrnState *state = mrn_world_state(small->world), *known = mrn_world_state(probe.world);
    mrn_state_reserve_memory(state, known->memory_count);
    state->memory_count = known->memory_count;
    for (size_t m = 0; m < known->memory_count; m++) {
        int wall = known->memory_body[2 * m + 1];
        const double *force = wall == 1 ? A : B;
        MrnContactView view = mrn_world_contact(probe.world, m);
        double normal = (force[0] * view.normal[0] + force[1] * view.normal[1]) * step;
        memcpy(state->memory_body + 2 * m, known->memory_body + 2 * m, 2 * sizeof(int32_t));
        state->memory_feature[m] = known->memory_feature[m];
        state->memory_normal_impulse[m] = normal;
        for (int k = 0; k < 2; k++)
            state->memory_tangent_impulse[2 * m + (size_t)k] = force[k] * step - normal * view.normal[k];
        state->memory_couple[m] = 0;
        state->memory_age[m] = 0;
    }
    mrn_world_state_changed(small->world);
    mrn_small_free(&probe);
}

/// The force of a contact of the bar on the bar, in space.
static void forces_on_bar(const MrnWorld *world, double A[2], double B[2]) {
    A[0] = A[1] = B[0] = B[1] = 0;
    for (size_t c = 0; c < mrn_world_contact_count(world); c++) {
        MrnContactView view = mrn_world_contact(world, c);
        double *force = view.body_b == 1 ? A : B;
        for (int k = 0; k < 2; k++) force[k] += view.impulse[k] / step;
    }
}

/// Start from forces (thrust, vertical) and step; gives the fall after `steps` steps, the thrust then, and the sweeps
/// of the first step.
static double release(MrnVerifyReport *report, double thrust, double vertical, int steps, double *thrust_left,
                      double *vertical_left, double *sweeps) {
    MrnSmall small = bar_world(report);
    if (!small.world) return NAN;
    if (thrust > 0) wedge(report, &small, (double[]){thrust, vertical}, (double[]){-thrust, vertical});
    MrnStepInfo info = {0};
    for (int k = 0; k < steps; k++) {
        mrn_small_step(report, &small, &info);
        if (k == 0) *sweeps = (double)info.sweeps;
    }
    double A[2], B[2], fall = -mrn_world_velocity(small.world, 0)[1];
    forces_on_bar(small.world, A, B);
    *thrust_left = A[0], *vertical_left = A[1];
    mrn_small_free(&small);
    return fall;
}

void mrn_case_bar(MrnVerifyReport *report) {
    double least = 9.81 / (2 * tan(atan(0.5) - 10 * M_PI / 180)), thrust = NAN, vertical = NAN, sweeps = NAN, speed;
    mrn_check(report, 16.49023, least, 5e-6, "least thrust that holds the bar [N]");
    speed = release(report, 20, 4.905, 1000, &thrust, &vertical, &sweeps);
    mrn_check_at_most(report, 1e-13, fabs(speed), "wedged with 20 N in equilibrium: speed after 1000 steps [m/s]");
    mrn_check(report, 20, thrust, 1e-10, "wedged with 20 N in equilibrium: thrust after 1000 steps [N]");
    mrn_check_at_most(report, 1, sweeps, "wedged with 20 N in equilibrium: sweeps of the first step");
    speed = release(report, 0.999 * least, 4.905, 100, &thrust, &vertical, &sweeps);
    mrn_check(report, 0, thrust, 1e-12, "wedged with 0.999 of the least thrust: thrust in the end, it falls [N]");
    static const double thrusts[] = {20, 30, 50, 100, 200};
    // The rest is about the process itself: sequential Gauss-Seidel from a guess, as Moreau describes it.
    MrnSmall small = bar_world(report);
    mrn_small_step(report, &small, NULL);
    MrnProblem *problem = small.world ? mrn_world_problem(small.world, NULL, NULL) : NULL;
    if (!problem || problem->contacts != 2) {
        mrn_check_failed(report, "the bar must touch both walls");
        mrn_small_free(&small);
        return;
    }
    mrn_problem_assemble(problem);
    double beta = 10 * M_PI / 180, normal[2][2] = {{cos(beta), -sin(beta)}, {-cos(beta), -sin(beta)}};
    MrnExploreSettings settings = mrn_explore_defaults();
    settings.tolerance = 1e-15;
    for (int i = -1; i < 6; i++) {
        double t = i < 0 ? 0 : i < 5 ? thrusts[i] : 10, p[4];
        for (int c = 0; c < 2; c++) { // a pure horizontal thrust
            double force[2] = {(c == 0 ? t : -t) * step, 0};
            p[2 * c] = force[0] * normal[c][0] + force[1] * normal[c][1];
            p[2 * c + 1] = -force[0] * normal[c][1] + force[1] * normal[c][0];
        }
        MrnExploreInfo info = mrn_explore_solve(problem, &settings, p);
        double x = (p[0] * normal[0][0] - p[1] * normal[0][1]) / step,
               y = (p[0] * normal[0][1] + p[1] * normal[0][0]) / step;
        bool holds = i >= 0 && i < 5;
        mrn_check(report, holds ? t : 0, x, 1e-9, "guess of a horizontal thrust of %g N: thrust after %d cycles [N]", t,
                  info.cycles);
        mrn_check(report, holds ? 4.905 : 0, y, 1e-9, "guess of a horizontal thrust of %g N: vertical force at A [N]",
                  t);
    }
    mrn_small_free(&small);
}

void mrn_case_random_starts(MrnVerifyReport *report) {
    MrnSmall small = bar_world(report);
    mrn_small_step(report, &small, NULL);
    MrnProblem *problem = small.world ? mrn_world_problem(small.world, NULL, NULL) : NULL;
    if (!problem || problem->contacts != 2) {
        mrn_check_failed(report, "the bar must touch both walls");
        mrn_small_free(&small);
        return;
    }
    mrn_problem_assemble(problem);
    enum { RUNS = 2000 };
    double beta = 10 * M_PI / 180, n[2][2] = {{cos(beta), -sin(beta)}, {-cos(beta), -sin(beta)}};
    double *p = mrn_alloc(4 * RUNS, sizeof *p), worst = 0, worst_fall = 0, lowest = INFINITY, highest = 0;
    MrnExploreSettings settings = mrn_explore_defaults();
    settings.tolerance = 1e-15;
    int fall = 0, stick = 0, other = 0, unfinished = 0;
    for (uint64_t run = 0; run < RUNS; run++) {
        double *q = p + 4 * run;
        for (int c = 0; c < 2; c++) { // uniform in space components, not projected on the cones
            double thrust = mrn_random_between(1, run, (uint64_t)(2 * c), 0, 100),
                   vertical = mrn_random_between(1, run, (uint64_t)(2 * c + 1), -20, 20);
            double force[2] = {c == 0 ? thrust * step : -thrust * step, vertical * step};
            q[2 * c] = force[0] * n[c][0] + force[1] * n[c][1];
            q[2 * c + 1] = -force[0] * n[c][1] + force[1] * n[c][0];
        }
        MrnExploreInfo info = mrn_explore_solve(problem, &settings, q);
        unfinished += !info.converged;
        double size = 0, force[2][2];
        for (int k = 0; k < 4; k++) size = fmax(size, fabs(q[k]) / step);
        for (int c = 0; c < 2; c++)
            for (int k = 0; k < 2; k++)
                force[c][k] = (q[2 * c] * n[c][k] + q[2 * c + 1] * (k == 0 ? -n[c][1] : n[c][0])) / step;
        double defect =
            fmax(fmax(fabs(force[0][1] - 4.905), fabs(force[1][1] - 4.905)), fabs(force[0][0] + force[1][0]));
        if (size < 1e-9)
            fall++, worst_fall = fmax(worst_fall, size);
        else if (defect < 1e-6) {
            stick++;
            worst = fmax(worst, defect);
            lowest = fmin(lowest, force[0][0]), highest = fmax(highest, force[0][0]);
        } else
            other++;
    }
    mrn_check(report, RUNS, fall + stick, 0, "runs that end falling or on the segment of equilibria, of 2000");
    mrn_check(report, 0, unfinished, 0, "runs that did not settle");
    mrn_check_at_most(report, 1e-9, worst, "largest defect of equilibrium of those that stick [N]");
    mrn_check_at_least(report, 16.49023 - 5e-6, lowest, "least thrust found [N]");
    mrn_check_at_most(report, 100, highest, "largest thrust found [N]");
    // The share depends on the random numbers: two counts of the same chance may differ by four deviations of their
    // difference.
    mrn_check(report, 349, fall, 4 * sqrt(2000 * 0.1745 * 0.8255) * sqrt(2),
              "runs that fall, reference 349, four deviations of the difference of two counts");
    // The same from a box of normal and tangential impulses, some of them outside the cones.
    double low[4] = {0, -30 * step, 0, -30 * step}, high[4] = {100 * step, 30 * step, 100 * step, 30 * step};
    int settled = 0;
    mrn_explore_random(problem, &settings, low, high, 500, 2, p, NULL);
    for (int run = 0; run < 500; run++) {
        const double *q = p + 4 * run;
        double size = fmax(fabs(q[0]), fabs(q[2])) / step;
        double vertical = (q[0] * n[0][1] + q[1] * n[0][0]) / step, thrust = (q[0] * n[0][0] - q[1] * n[0][1]) / step;
        settled += size < 1e-9 || (fabs(vertical - 4.905) < 1e-9 && thrust > 16.49022);
    }
    mrn_check(report, 500, settled, 0,
              "runs from a box of normal and tangential impulses that end falling or on the segment, of 500");
    free(p);
    mrn_small_free(&small);
}

void mrn_case_scan_orders(MrnVerifyReport *report) {
    static const int orders[6][3] = {{0, 1, 2}, {0, 2, 1}, {1, 0, 2}, {1, 2, 0}, {2, 0, 1}, {2, 1, 0}};
    static const double table[6][6] = {{9.81, 0, 20, 0, 20, 0},
                                       {9.81, 0, 20, 0, 20, 0},
                                       {6.259714, -1.868571, 20, 2.709429, 21.868571, -0.840857},
                                       {2.086571, 0.622857, 20.622857, 3.550286, 20, -4.173143},
                                       {6.259714, 1.868571, 21.868571, 0.840857, 20, -2.709429},
                                       {2.086571, -0.622857, 20, 4.173143, 20.622857, -3.550286}};
    static const char *const names[] = {"floor", "left wall", "right wall"};
    double h = step;
    MrnScheme scheme = mrn_strict_scheme(h);
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0.3, 0, 0));
    mrn_add_disc(model, 1, 1, 0, 0);
    mrn_add_wall(model, (double[]){0, -1}, (double[]){0, 1});
    mrn_add_wall(model, (double[]){-1, 0}, (double[]){1, 0});
    mrn_add_wall(model, (double[]){1, 0}, (double[]){-1, 0});
    MrnSmall small = mrn_small_start(report, model, &scheme);
    mrn_small_step(report, &small, NULL);
    MrnProblem *problem = small.world ? mrn_world_problem(small.world, NULL, NULL) : NULL;
    if (!problem || problem->contacts != 3) {
        mrn_check_failed(report, "the disc must touch floor and walls");
        mrn_small_free(&small);
        return;
    }
    mrn_problem_assemble(problem); // contacts are sorted by body: floor, left, right
    MrnExploreSettings settings = mrn_explore_defaults();
    settings.tolerance = 1e-16;
    double guess[6] = {0, 0, 20 * h, 0, 20 * h, 0};
    for (int i = 0; i < 6; i++) {
        double p[6];
        memcpy(p, guess, sizeof p);
        settings.order = orders[i];
        mrn_explore_solve(problem, &settings, p);
        for (int k = 0; k < 6; k++)
            mrn_check(report, table[i][k], p[k] / h, 5e-7, "order %d, %d, %d: %s, %s force [N]", orders[i][0],
                      orders[i][1], orders[i][2], names[k / 2], k % 2 ? "tangential" : "normal");
    }
    double zero[6] = {0};
    settings.order = NULL;
    mrn_explore_solve(problem, &settings, zero);
    for (int k = 0; k < 6; k++)
        mrn_check(report, k == 0 ? 9.81 : 0, zero[k] / h, 1e-12, "guess 0: %s, %s force [N]", names[k / 2],
                  k % 2 ? "tangential" : "normal");
    // Random orders mark out the same five solutions.
    enum { RUNS = 60 };
    double found[6 * RUNS];
    int unknown = 0, used[6] = {0}, distinct = 0;
    mrn_explore_orders(problem, &settings, guess, RUNS, 1, found, NULL, NULL);
    for (int run = 0; run < RUNS; run++) {
        int match = -1;
        for (int i = 0; i < 6; i++) {
            double apart = 0;
            for (int k = 0; k < 6; k++) apart = fmax(apart, fabs(found[6 * run + k] / h - table[i][k]));
            if (apart < 1e-6) match = i;
        }
        if (match < 0)
            unknown++;
        else
            used[match]++;
    }
    for (int i = 0; i < 6; i++) distinct += used[i] > 0;
    mrn_check(report, 0, unknown, 0, "60 random orders: results that are none of the table");
    mrn_check(report, 5, distinct, 0, "60 random orders: distinct results");
    mrn_small_free(&small);
}

/// A heap of discs settled in a box.
static MrnSmall settled_heap(MrnVerifyReport *report, int steps) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = 2e-3;
    scheme.solver.tolerance = 1e-10;
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0.5, 0, 0));
    mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    mrn_add_wall(model, (double[]){-0.1, 0}, (double[]){1, 0});
    mrn_add_wall(model, (double[]){1.9, 0}, (double[]){-1, 0});
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 8; j++) {
            uint64_t k = (uint64_t)(8 * i + j);
            mrn_add_disc(model, mrn_random_between(3, k, 0, 0.07, 0.1), 1,
                         0.23 * j + mrn_random_between(3, k, 1, 0, 0.02), 0.11 + 0.22 * i);
        }
    MrnSmall small = mrn_small_start(report, model, &scheme);
    for (int k = 0; k < steps && small.world; k++) mrn_small_step(report, &small, NULL);
    return small;
}

void mrn_case_history(MrnVerifyReport *report) {
    MrnSmall run = settled_heap(report, 1000);
    if (!run.world) return;
    MrnState *saved = mrn_state_new(run.model);
    mrn_state_copy(saved, mrn_world_state(run.world));
    for (int k = 0; k < 20; k++) mrn_small_step(report, &run, NULL);
    uint64_t uninterrupted = mrn_world_hash(run.world);
    double speed = 0;
    for (int forgotten = 0; forgotten <= 1; forgotten++) {
        MrnError error = {0};
        MrnSmall again = {NULL, mrn_world_new(run.model, mrn_world_scheme(run.world), &error)};
        mrn_state_copy(mrn_world_state(again.world), saved);
        if (forgotten) mrn_world_state(again.world)->memory_count = 0;
        mrn_world_state_changed(again.world);
        if (!forgotten) {
            for (int k = 0; k < 20; k++) mrn_small_step(report, &again, NULL);
            mrn_check_true(report, mrn_world_hash(again.world) == uninterrupted,
                           "restart with stored impulses: the same bits after 20 steps (1 = yes)");
        } else {
            // one step each from the same positions and velocities
            MrnSmall with = {NULL, mrn_world_new(run.model, mrn_world_scheme(run.world), &error)};
            mrn_state_copy(mrn_world_state(with.world), saved);
            mrn_world_state_changed(with.world);
            mrn_small_step(report, &with, NULL);
            mrn_small_step(report, &again, NULL);
            double change = 0, total = 0;
            size_t n = mrn_world_contact_count(with.world);
            mrn_check(report, (double)n, (double)mrn_world_contact_count(again.world), 0,
                      "restart without impulses: the same contacts");
            for (size_t c = 0; c < n; c++) {
                double a = mrn_world_contact(with.world, c).normal_impulse,
                       b = mrn_world_contact(again.world, c).normal_impulse;
                change = fmax(change, fabs(a - b)), total = fmax(total, fabs(a));
            }
            for (size_t b = 3; b < mrn_model_body_count(run.model); b++)
                speed = fmax(
                    speed, hypot(mrn_world_velocity(with.world, (int)b)[0], mrn_world_velocity(with.world, (int)b)[1]));
            mrn_check_at_least(report, 1e-3, change / total,
                               "restart without impulses: largest change of a normal impulse over the largest impulse");
            mrn_measure(report, speed, "largest speed in the settled heap [m/s]");
            mrn_world_free(with.world);
        }
        mrn_world_free(again.world);
    }
    mrn_state_free(saved);
    mrn_small_free(&run);
}
