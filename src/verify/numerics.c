// Cases of numerics: energy identity, momentum, rounding, warm start, cost, capture, order of accuracy, determinism,
// memory.
#include "verify/cases.h"
#include "verify/check.h"

#include "base/random.h"
#include "base/vec.h"
#include "model/model.h"
#include "problem/problem.h"
#include "solve/explore.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// A random crowd of bodies of several shapes that move fast: discs and polygons, or balls, boxes and capsules. Walls
/// only if asked for.
static MrnModel *random_crowd(int dimension, uint64_t seed, MrnPairLaw law, double gravity, bool walls, int side) {
    MrnModel *model = mrn_small_model(dimension, gravity, law);
    double width = 0.3 * side;
    if (walls) {
        static const double normals[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
        for (int i = 0; i < 2 * dimension; i++) {
            double point[3] = {0};
            point[i / 2] = i % 2 ? width : 0;
            mrn_add_wall(model, point, normals[i]);
        }
    }
    int count = dimension == 2 ? side * side : side * side * side;
    for (int i = 0; i < count; i++) {
        uint64_t k = (uint64_t)i;
        MrnBodyDef def = mrn_body_defaults(dimension);
        double size = mrn_random_between(seed, k, 0, 0.07, 0.13), s = 0.6 * size,
               square[] = {-s, -s, s, -s, 1.2 * s, s, 0, 1.3 * s, -s, s};
        static const MrnShapeKind kinds[2][3] = {{MRN_SHAPE_DISC, MRN_SHAPE_POLYGON, MRN_SHAPE_DISC},
                                                 {MRN_SHAPE_SPHERE, MRN_SHAPE_BOX, MRN_SHAPE_CAPSULE}};
        MrnShape shape = mrn_shape_defaults(kinds[dimension - 2][i % 3]);
        shape.radius = size;
        if (shape.kind == MRN_SHAPE_POLYGON) shape.radius = 0, shape.vertices = square, shape.vertex_count = 5;
        if (shape.kind == MRN_SHAPE_BOX)
            shape.radius = 0, shape.half[0] = s, shape.half[1] = 0.8 * s, shape.half[2] = 0.6 * s;
        if (shape.kind == MRN_SHAPE_CAPSULE) shape.radius = 0.5 * size, shape.half[2] = 0.4 * size;
        int cell = i;
        for (int d = 0; d < dimension; d++, cell /= side) {
            def.position[d] = 0.15 + 0.3 * (cell % side) + mrn_random_between(seed, k, (uint64_t)(1 + d), -0.01, 0.01);
            def.velocity[d] = mrn_random_between(seed, k, (uint64_t)(4 + d), -2, 2);
        }
        if (dimension == 2)
            def.rotation[0] = mrn_random_between(seed, k, 7, 0, 3),
            def.angular_velocity[2] = mrn_random_between(seed, k, 8, -3, 3);
        else
            for (int d = 0; d < 3; d++) def.angular_velocity[d] = mrn_random_between(seed, k, (uint64_t)(8 + d), -3, 3);
        def.shapes = &shape, def.shape_count = 1;
        MrnError error = {0};
        if (mrn_model_add_body(model, &def, &error) < 0) fprintf(stderr, "moraine: %s\n", error.message), abort();
    }
    return model;
}

void mrn_case_energy_identity(MrnVerifyReport *report) {
    for (int dimension = 2; dimension <= 3; dimension++)
        for (int restitution = 0; restitution <= 1; restitution++) {
            double worst = 0, gain = -INFINITY, contacts = 0, mass = 0;
            for (uint64_t seed = 1; seed <= 5; seed++) {
                MrnScheme scheme = mrn_strict_scheme(2e-3);
                scheme.solver.tolerance = 1e-10;
                scheme.solver.max_iterations = 20000;
                MrnSmall small =
                    mrn_small_start(report,
                                    random_crowd(dimension, seed, mrn_law(0.4, 0.6 * restitution, 0.3 * restitution),
                                                 9.81, true, dimension == 2 ? 6 : 3),
                                    &scheme);
                if (!small.world) return;
                double sum = 0;
                for (size_t b = 0; b < mrn_model_body_count(small.model); b++)
                    sum += mrn_model_body_mass(small.model, (int)b);
                mass = fmax(mass, sum);
                for (int k = 0; k < 100; k++) {
                    double kinetic, potential, before = 0;
                    mrn_world_energy(small.world, &kinetic, &potential);
                    before = kinetic + potential;
                    MrnStepInfo info;
                    if (!mrn_small_step(report, &small, &info)) return;
                    worst = fmax(worst, fabs(info.energy_defect) / (1 + kinetic));
                    if (!restitution) gain = fmax(gain, info.kinetic_energy + info.potential_energy - before);
                    contacts += (double)info.contacts;
                }
                mrn_small_free(&small);
            }
            mrn_check_at_most(report, 1e-12, worst,
                              "%dD, %s: largest defect of the energy identity in 500 random steps, relative", dimension,
                              restitution ? "restitution" : "no restitution");
            // E_f - E_i <= h F . u_f - |u_f - u_i|^2 / 2; the potential falls by h F . (u_i + u_f) / 2, which leaves at
            // most m (h g)^2 / 8 per body.
            if (!restitution)
                mrn_check_at_most(report, mass * 2e-3 * 9.81 * 2e-3 * 9.81 / 8, gain,
                                  "%dD, no restitution: largest gain of kinetic and potential energy in a step, bound "
                                  "m (h g)^2/8 [J]",
                                  dimension);
            mrn_measure(report, contacts / 500, "%dD, %s: mean number of contacts", dimension,
                        restitution ? "restitution" : "no restitution");
        }
}

/// Linear and angular momentum of all bodies about the origin.
static void momenta(const MrnSmall *small, double linear[3], double angular[3]) {
    int dimension = mrn_model_dimension(small->model);
    for (int k = 0; k < 3; k++) linear[k] = angular[k] = 0;
    for (size_t b = 0; b < mrn_model_body_count(small->model); b++) {
        double x[3] = {0}, v[3] = {0}, spin[3] = {0}, m = mrn_model_body_mass(small->model, (int)b);
        memcpy(x, mrn_world_position(small->world, (int)b), (size_t)dimension * sizeof(double));
        memcpy(v, mrn_world_velocity(small->world, (int)b), (size_t)dimension * sizeof(double));
        const MrnBody *body = &small->model->bodies.data[b];
        const double *w = mrn_world_spin(small->world, (int)b);
        if (dimension == 2)
            spin[2] = body->inertia[2] * w[0];
        else {
            MrnVec3 own = mrn_vec3(body->inertia[0] * w[0], body->inertia[1] * w[1], body->inertia[2] * w[2]);
            mrn_store3(spin, mrn_quat_rotate(mrn_quat_load(mrn_world_rotation(small->world, (int)b)), own));
        }
        for (int k = 0; k < 3; k++) {
            linear[k] += m * v[k];
            angular[k] += m * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]) + spin[k];
        }
    }
}

void mrn_case_momentum(MrnVerifyReport *report) {
    for (int dimension = 2; dimension <= 3; dimension++) {
        double linear_change = 0, angular_change = 0, largest = 0, collisions = 0;
        for (uint64_t seed = 1; seed <= 3; seed++) {
            MrnScheme scheme = mrn_strict_scheme(1e-3);
            scheme.solver.tolerance = 1e-10;
            MrnSmall small = mrn_small_start(
                report, random_crowd(dimension, seed, mrn_law(0.5, 0.5, 0.2), 0, false, dimension == 2 ? 7 : 4),
                &scheme);
            if (!small.world) return;
            double p0[3], l0[3], p[3], l[3];
            momenta(&small, p0, l0);
            for (int k = 0; k < 150; k++) {
                MrnStepInfo info;
                if (!mrn_small_step(report, &small, &info)) return;
                collisions += (double)info.touching;
            }
            momenta(&small, p, l);
            double kinetic, potential;
            mrn_world_energy(small.world, &kinetic, &potential);
            largest = fmax(largest, kinetic);
            for (int k = 0; k < 3; k++)
                linear_change = fmax(linear_change, fabs(p[k] - p0[k])),
                angular_change = fmax(angular_change, fabs(l[k] - l0[k]));
            mrn_small_free(&small);
        }
        mrn_check_at_most(report, 1e-13, linear_change, "%dD: change of linear momentum of a crowd in 150 steps [N s]",
                          dimension);
        // In space the gyroscopic term is taken at the start of the step: each step of a body that is not a ball
        // changes its angular momentum by O(h^2); in the plane nothing does.
        if (dimension == 2)
            mrn_check_at_most(report, 1e-13, angular_change, "2D: change of angular momentum [N m s]");
        else
            mrn_measure(report, angular_change,
                        "3D: change of angular momentum, from the explicit gyroscopic term [N m s]");
        mrn_check_at_least(report, 20, collisions, "%dD: contacts with an impulse, summed over steps", dimension);
    }
    // Balls have no gyroscopic term: contacts alone keep angular momentum exactly.
    MrnScheme scheme = mrn_strict_scheme(1e-3);
    scheme.solver.tolerance = 1e-10;
    MrnModel *model = mrn_small_model(3, 0, mrn_law(0.5, 0.5, 0.2));
    for (int i = 0; i < 64; i++)
        mrn_add_ball(model, mrn_random_between(9, (uint64_t)i, 0, 0.08, 0.14), 1 + i % 3, 0.3 * (i % 4),
                     0.3 * (i / 4 % 4), 0.3 * (i / 16));
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return;
    for (int i = 0; i < 64; i++) {
        double v[3], w[3];
        for (int k = 0; k < 3; k++)
            v[k] = mrn_random_between(9, (uint64_t)i, (uint64_t)(1 + k), -2, 2),
            w[k] = mrn_random_between(9, (uint64_t)i, (uint64_t)(4 + k), -9, 9);
        mrn_world_set_velocity(small.world, i, v, w);
    }
    double p0[3], l0[3], p[3], l[3], change = 0;
    momenta(&small, p0, l0);
    for (int k = 0; k < 150; k++) mrn_small_step(report, &small, NULL);
    momenta(&small, p, l);
    for (int k = 0; k < 3; k++) change = fmax(change, fmax(fabs(l[k] - l0[k]), fabs(p[k] - p0[k])));
    mrn_check_at_most(
        report, 1e-11, change,
        "64 spinning balls: change of linear and angular momentum in 150 steps (sum of terms of about 100) [N m s]");
    mrn_small_free(&small);
}

/// A column of n discs at rest on a floor: the slowest problem for sweeps.
static MrnSmall column(MrnVerifyReport *report, int n, double mu) {
    MrnScheme scheme = mrn_strict_scheme(1e-3);
    scheme.solver.max_iterations = 1;
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(mu, 0, 0));
    mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    for (int i = 0; i < n; i++) mrn_add_disc(model, 0.5, 1, 0, 0.5 + i);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    mrn_small_step(report, &small, NULL);
    if (small.world) mrn_problem_assemble(mrn_world_problem(small.world, NULL, NULL));
    return small;
}

void mrn_case_refresh(MrnVerifyReport *report) {
    int n = 200;
    MrnSmall small = column(report, n, 0);
    if (!small.world) return;
    MrnProblem *problem = mrn_world_problem(small.world, NULL, NULL);
    double *p = mrn_alloc_zero(2 * problem->contacts + 1, sizeof *p);
    static const size_t every[] = {1000000, 0};
    double drift[2];
    for (int i = 0; i < 2; i++) {
        MrnExploreSettings settings = mrn_explore_defaults();
        settings.tolerance = 0, settings.refresh = every[i], settings.max_cycles = (int)(10000000 / problem->contacts);
        memset(p, 0, 2 * problem->contacts * sizeof *p);
        MrnExploreInfo info = mrn_explore_solve(problem, &settings, p);
        drift[i] = info.drift;
        mrn_measure(report, info.adjustment, "%s: stopping quantity after 1e7 adjustments [m/s]",
                    every[i] ? "refresh" : "no refresh");
    }
    // Velocities are h g = 1e-2 m/s, reached as differences of impulses of up to 200 h g, 2 m/s: rounding is 2e-16 of
    // those.
    mrn_check_at_most(report, 200 * 9.81e-3 * 1e-13, drift[0],
                      "refresh every 1e6: largest distance of the carried velocities from u = W p + q [m/s]");
    mrn_measure(report, drift[1], "no refresh: the same [m/s]");
    // The solver of scenes: what it says is computed afresh from the impulses.
    MrnSolverSettings settings = mrn_solver_defaults();
    settings.solver = "nlgs", settings.tolerance = 1e-12, settings.max_iterations = 100000;
    MrnSolveInfo solved = {0};
    MrnError error = {0};
    memset(p, 0, 2 * problem->contacts * sizeof *p);
    if (!mrn_solve(problem, &settings, p, NULL, &solved, &error)) mrn_check_failed(report, error.message);
    mrn_check_at_most(report, 1e-12, solved.scaled_residual,
                      "solver nlgs after %d sweeps: scaled residual, computed afresh", solved.iterations);
    free(p);
    mrn_small_free(&small);
}

void mrn_case_warm_start(MrnVerifyReport *report) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = 1e-3;
    scheme.solver.solver = "auto";
    scheme.solver.tolerance = 1e-6;
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0.4, 0, 0));
    mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    mrn_add_wall(model, (double[]){-0.12, 0}, (double[]){1, 0});
    mrn_add_wall(model, (double[]){2.3, 0}, (double[]){-1, 0});
    for (int i = 0; i < 100; i++)
        mrn_add_disc(model, mrn_random_between(4, (uint64_t)i, 0, 0.07, 0.1), 1,
                     0.23 * (i % 10) + mrn_random_between(4, (uint64_t)i, 1, 0, 0.02), 0.11 + 0.21 * (i / 10));
    MrnSmall small = mrn_small_start(report, model, &scheme);
    for (int k = 0; k < 4000 && small.world; k++) mrn_small_step(report, &small, NULL);
    if (!small.world) return;
    scheme.solver.solver = "nlgs";
    MrnState *settled = mrn_state_new(model);
    mrn_state_copy(settled, mrn_world_state(small.world));
    double mean[2] = {0, 0}, cycles[2] = {0, 0}, contacts = 0, speed = 0, counted = 0, *before = NULL;
    for (int warm = 0; warm <= 1; warm++) {
        scheme.warm_start = warm == 1;
        MrnError error = {0};
        MrnSmall run = {NULL, mrn_world_new(model, &scheme, &error)};
        mrn_state_copy(mrn_world_state(run.world), settled);
        mrn_world_state_changed(run.world);
        size_t known = 0;
        int steps = warm ? 50 : 3; // a step from zero is slow
        for (int k = 0; k < steps; k++) {
            MrnStepInfo info;
            if (!mrn_small_step(report, &run, &info)) break;
            mean[warm] += (double)info.sweeps / steps, contacts = (double)info.contacts, speed = info.max_speed;
            const double *impulse;
            MrnProblem *problem = mrn_world_problem(run.world, &impulse, NULL);
            if (warm && k >= 40 &&
                problem->contacts ==
                    known) { // the sequential process from the impulses of the step before, and from zero
                MrnExploreSettings settings = mrn_explore_defaults();
                settings.tolerance = 1e-2 * 9.81 * scheme.time_step;
                mrn_problem_assemble(problem);
                double *zero = mrn_alloc_zero(2 * known, sizeof *zero);
                cycles[1] += mrn_explore_solve(problem, &settings, before).cycles;
                cycles[0] += mrn_explore_solve(problem, &settings, zero).cycles;
                counted++;
                free(zero);
            }
            known = problem->contacts;
            before = mrn_realloc(before, 2 * known + 1, sizeof *before);
            memcpy(before, impulse, 2 * known * sizeof *before);
        }
        mrn_world_free(run.world);
    }
    free(before);
    mrn_measure(report, contacts, "contacts of the settled pile of 100 discs");
    mrn_measure(report, speed, "largest speed in the settled pile [m/s]");
    mrn_check_at_most(
        report, 3, cycles[1] / counted,
        "sequential Gauss-Seidel to 1e-2 g h: cycles per step from the impulses before (1 to 3 expected)");
    mrn_check_at_least(report, 10, cycles[0] / counted,
                       "sequential Gauss-Seidel to 1e-2 g h: cycles per step from zero (tens to hundreds expected)");
    mrn_measure(report, mean[1], "solver nlgs to a residual of 1e-6: sweeps per step with warm start");
    mrn_measure(report, mean[0], "solver nlgs to a residual of 1e-6: sweeps per step from zero");
    mrn_state_free(settled);
    mrn_small_free(&small);
}

void mrn_case_cycles(MrnVerifyReport *report) {
    double previous = NAN;
    for (int n = 5; n <= 80; n *= 2) {
        MrnSmall small = column(report, n, 0.4);
        if (!small.world) return;
        MrnProblem *problem = mrn_world_problem(small.world, NULL, NULL);
        double *p = mrn_alloc_zero(2 * problem->contacts + 1, sizeof *p);
        MrnExploreSettings settings = mrn_explore_defaults();
        settings.tolerance = 1e-3 * 9.81e-3; // 1e-3 g h
        MrnExploreInfo info = mrn_explore_solve(problem, &settings, p);
        mrn_measure(report, info.cycles, "column of %d discs: cycles to a stopping quantity of 1e-3 g h", n);
        if (!isnan(previous) && n >= 40)
            mrn_check_at_least(
                report, 2, info.cycles / previous,
                "column of %d discs: growth of the cycles for twice as many contacts, faster than linear", n);
        previous = info.cycles;
        free(p);
        mrn_small_free(&small);
    }
}

void mrn_case_capture(MrnVerifyReport *report) {
    double most = 0, least = INFINITY;
    for (uint64_t seed = 0; seed < 500; seed++) {
        double h = 1e-3, speed = mrn_random_between(seed, 0, 0, 0.1, 5);
        MrnScheme scheme = mrn_strict_scheme(h);
        scheme.gap_tolerance = 0;
        MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
        int disc = mrn_add_disc(model, 0.1, 1, 0, 0.1 + mrn_random_between(seed, 0, 1, 0.5, 9) * speed * h);
        mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        mrn_world_set_velocity(small.world, disc, (double[]){0, -speed}, NULL);
        for (int k = 0; k < 20; k++) mrn_small_step(report, &small, NULL);
        double overlap = (0.1 - mrn_world_position(small.world, disc)[1]) / (h * speed);
        most = fmax(most, overlap), least = fmin(least, overlap);
        mrn_small_free(&small);
    }
    mrn_check_at_most(report, 1 + 1e-12, most, "500 landings: largest frozen overlap over h |u|");
    mrn_check_at_least(report, 0, least, "500 landings: least frozen overlap over h |u|");
}

/// Slope of log(error) against log(h) through the ends.
static double order(const double *h, const double *error, int n) {
    return log(error[0] / error[n - 1]) / log(h[0] / h[n - 1]);
}

void mrn_case_order_of_accuracy(MrnVerifyReport *report) {
    // Errors of events depend on where in a step they fall: each is the mean over slightly different starts.
    double steps[3] = {4e-3, 1e-3, 2.5e-4}, error[3];
    for (int i = 0; i < 3; i++) { // bouncing ball: time of the second impact
        error[i] = 0;
        for (int start = 0; start < 16; start++) {
            MrnScheme scheme = mrn_strict_scheme(steps[i]);
            scheme.gap_tolerance = 0;
            double height = 1 + 0.01 * start, fall = sqrt(2 * height / 9.81), exact = 2 * fall;
            MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0, 0.5, 0));
            int ball = mrn_add_disc(model, 0.1, 1, 0, 0.1 + height);
            mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
            MrnSmall small = mrn_small_start(report, model, &scheme);
            if (!small.world) return;
            int impacts = 0;
            double previous = 0;
            while (impacts < 2 && mrn_world_time(small.world) < 3) {
                mrn_small_step(report, &small, NULL);
                double v = mrn_world_velocity(small.world, ball)[1];
                if (v > 0 && previous < 0) impacts++;
                previous = v;
            }
            error[i] += fabs(mrn_world_time(small.world) - 0.5 * steps[i] - exact) / 16;
            mrn_small_free(&small);
        }
        mrn_measure(report, error[i], "bouncing ball, h = %g s: mean error of the second impact [s]", steps[i]);
    }
    mrn_check(report, 1, order(steps, error, 3), 0.25, "bouncing ball: order of accuracy");
    for (int i = 0; i < 3; i++) { // bead in a ring: speed after 1 s
        MrnScheme scheme = mrn_strict_scheme(steps[i]);
        scheme.gap_tolerance = 0;
        MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
        int bead = mrn_add_disc(model, 0.5, 1, 1, 0);
        MrnBodyDef def = mrn_body_defaults(2);
        MrnShape shape = mrn_shape_defaults(MRN_SHAPE_RING);
        shape.radius = 1.5;
        def.kind = MRN_BODY_FIXED, def.shapes = &shape, def.shape_count = 1;
        mrn_model_add_body(model, &def, NULL);
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        mrn_world_set_velocity(small.world, bead, (double[]){0, 1}, NULL);
        for (int k = 0; k < (int)(1 / steps[i] + 0.5); k++) mrn_small_step(report, &small, NULL);
        error[i] = 1 - hypot(mrn_world_velocity(small.world, bead)[0], mrn_world_velocity(small.world, bead)[1]);
        mrn_small_free(&small);
    }
    mrn_check(report, 1, order(steps, error, 3), 0.02, "bead in a ring: order of accuracy of the speed");
    for (int i = 0; i < 3; i++) { // rocking block: angle at the third peak, mean over starts
        double b = 0.1, a = 0.4, alpha = atan(b / a), r = (2 * a * a - b * b) / (2 * (a * a + b * b));
        error[i] = 0;
        for (int start = 0; start < 8; start++) {
            double angle = alpha * (0.5 + 0.01 * start), energy = (cos(alpha - angle) - cos(alpha)) * pow(r, 6),
                   exact = alpha - acos(cos(alpha) + energy);
            MrnScheme scheme = mrn_strict_scheme(steps[i] / 10);
            MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0.6, 0, 0));
            double c = cos(angle), s = sin(angle);
            int block = mrn_add_polygon(model, (double[]){-b, -a, b, -a, b, a, -b, a}, 4, 1, 0, -b + c * b - s * a,
                                        s * b + c * a, angle);
            mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
            MrnSmall small = mrn_small_start(report, model, &scheme);
            if (!small.world) return;
            double last = angle, peak = 0;
            bool rising = false;
            int peaks = 0;
            while (peaks < 3 && mrn_world_time(small.world) < 3) {
                mrn_small_step(report, &small, NULL);
                double now = fabs(mrn_world_rotation(small.world, block)[0]);
                if (now > last)
                    rising = true;
                else if (rising && now < last)
                    rising = false, peaks++, peak = last;
                last = now;
            }
            error[i] += fabs(peak - exact) / alpha / 8;
            mrn_small_free(&small);
        }
        mrn_measure(report, error[i], "rocking block, h = %g s: mean error of the third peak over the critical angle",
                    steps[i] / 10);
    }
    mrn_check(report, 1, order(steps, error, 3), 0.25, "rocking block: order of accuracy of the third peak");
}

void mrn_case_determinism(MrnVerifyReport *report) {
    for (int dimension = 2; dimension <= 3; dimension++) {
        uint64_t first = 0;
        int64_t contacts = 0;
        for (int run = 0; run < 4; run++) {
            static const int threads[] = {1, 1, 2, 4};
            MrnScheme scheme = mrn_scheme_defaults();
            scheme.time_step = 5e-3;
            scheme.solver.tolerance = 1e-4;
            scheme.threads = threads[run];
            MrnModel *model = random_crowd(dimension, 2, mrn_law(0.4, 0, 0), 9.81, true, dimension == 2 ? 40 : 11);
            MrnSmall small = mrn_small_start(report, model, &scheme);
            if (!small.world) return;
            for (int k = 0; k < 40; k++) {
                MrnStepInfo info;
                if (!mrn_small_step(report, &small, &info)) return;
                if (info.contacts > contacts) contacts = info.contacts;
            }
            uint64_t hash = mrn_world_hash(small.world);
            if (run == 0)
                first = hash;
            else
                mrn_check_true(report, hash == first,
                               "%dD, run %d with %d thread%s: the same bits after 40 steps (1 = yes)", dimension,
                               run + 1, threads[run], threads[run] > 1 ? "s" : "");
            mrn_small_free(&small);
        }
        mrn_check_at_least(report, 1100, (double)contacts,
                           "%dD: most contacts in a step; sweeps are shared among threads from 1024 on", dimension);
    }
}

void mrn_case_memory(MrnVerifyReport *report) {
    // Numbers of a problem per contact: two Jacobians, free velocity, friction, and two body numbers.
    for (int dimension = 2; dimension <= 3; dimension++) {
        MrnScheme scheme = mrn_scheme_defaults();
        scheme.time_step = 2e-3;
        MrnSmall small = mrn_small_start(
            report, random_crowd(dimension, 2, mrn_law(0.4, 0, 0), 9.81, true, dimension == 2 ? 8 : 4), &scheme);
        if (!small.world) return;
        for (int k = 0; k < 200; k++) mrn_small_step(report, &small, NULL);
        MrnProblem *problem = mrn_world_problem(small.world, NULL, NULL);
        int dof = dimension == 2 ? 3 : 6, bound = 2 * dof * dimension;
        mrn_check(report, dof, problem->dof, 0, "%dD: velocity components per body", dimension);
        mrn_check_at_most(report, bound, 2.0 * problem->dof * problem->dimension,
                          "%dD: Jacobian numbers per contact, against %d x %d", dimension, 2 * dof, dimension);
        mrn_check_at_most(report, bound + 8, 2.0 * problem->dof * problem->dimension + problem->dimension + 1 + 1,
                          "%dD: numbers per contact in all (8 bytes each)", dimension);
        mrn_check_true(report, problem->delassus == NULL, "%dD: no large matrix is stored (1 = yes)", dimension);
        mrn_small_free(&small);
    }
}
