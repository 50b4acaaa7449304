// Cases of body models and special situations: rotation, elasticity, rolling resistance, corners, singular Jacobians,
// elliptic friction.
#include "verify/cases.h"
#include "verify/check.h"

#include "problem/problem.h"
#include "solve/friction/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mrn_case_pile_numbers(MrnVerifyReport *report) {
    double cube = (pow(0.5, 4) - pow(0.25, 4)) / (4 * 0.25), volume = M_PI / 6 * cube, solid = 14000 * volume,
           bulk = solid / 0.615;
    double slope = tan(26 * M_PI / 180), height = cbrt(3 * bulk * slope * slope / M_PI), radius = height / slope;
    mrn_check(report, 0.0585938, cube, 5.01e-8, "mean cube of the diameter [cm3]");
    mrn_check(report, 0.0306796, volume, 5e-8, "mean volume of a grain [cm3]");
    mrn_check(report, 429.5, solid, 0.05, "solid volume of 14 000 grains [cm3]");
    mrn_check(report, 698.4, bulk, 0.05, "bulk volume at 0.615 g/cm3 [cm3]");
    mrn_check(report, 5.41, height, 5e-3, "height of a cone of 26 degrees (stated 5.5) [cm]");
    mrn_check(report, 11.1, radius, 0.05, "base radius of that cone [cm]");
    mrn_check(report, 4.2135e5, solid * 981, 5, "weight [dyn]");
    mrn_check(report, 1089, 0.615 * 981 * height / 3, 0.5, "mean pressure on the ground [dPa]");
    mrn_check(report, 3320, 0.615 * 981 * 5.5, 5, "hydrostatic pressure under the top [dPa]");
    mrn_check(report, 70, 14000 / 200.0, 0, "duration of the deposition [s]");
    mrn_check(report, 360000, 72 / 2e-4, 1e-6, "number of steps");
    mrn_check(report, 0.284, 23.6 * 23.6 / (2 * 981), 5e-4, "free fall that gives 23.6 cm/s [cm]");
}

/// A ball with given principal moments that turns freely.
static MrnSmall free_top(MrnVerifyReport *report, double h, const double inertia[3], const double spin[3]) {
    MrnScheme scheme = mrn_strict_scheme(h);
    MrnModel *model = mrn_small_model(3, 0, mrn_law(0, 0, 0));
    MrnBodyDef def = mrn_body_defaults(3);
    MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
    shape.radius = 1;
    def.mass = 1, def.shapes = &shape, def.shape_count = 1;
    memcpy(def.inertia, inertia, sizeof def.inertia);
    mrn_model_add_body(model, &def, NULL);
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (small.world) mrn_world_set_velocity(small.world, 0, NULL, spin);
    return small;
}

void mrn_case_top(MrnVerifyReport *report) {
    double h = 1e-3;
    int steps = 10000;
    MrnSmall top = free_top(report, h, (double[]){1, 1, 2}, (double[]){0.1, 0, 1});
    if (!top.world) return;
    for (int k = 0; k < steps; k++) mrn_small_step(report, &top, NULL);
    const double *w = mrn_world_spin(top.world, 0);
    double angle = fmod(steps * atan(h), 2 * M_PI), found = atan2(w[1], w[0]);
    if (found < 0) found += 2 * M_PI;
    mrn_check(report, 1, w[2], 0, "spin about the axis of symmetry after 10 s [rad/s]");
    mrn_check(report, 1.0050, hypot(w[0], w[1]) / 0.1, 5e-5, "growth of the transverse spin in 10 s at h = 1e-3 s");
    mrn_check(report, pow(1 + h * h, 0.5 * steps), hypot(w[0], w[1]) / 0.1, 1e-11, "the same against (1 + h^2)^(n/2)");
    mrn_check(report, angle, found, 1e-10, "angle by which the transverse spin has turned, n atan h [rad]");
    mrn_small_free(&top);
    MrnSmall ball = free_top(report, h, (double[]){0.4, 0.4, 0.4}, (double[]){0.1, -0.7, 1});
    if (!ball.world) return;
    for (int k = 0; k < 1000; k++) mrn_small_step(report, &ball, NULL);
    w = mrn_world_spin(ball.world, 0);
    mrn_check_true(report, w[0] == 0.1 && w[1] == -0.7 && w[2] == 1, "a ball keeps its spin to the last bit (1 = yes)");
    mrn_small_free(&ball);
}

void mrn_case_orientation(MrnVerifyReport *report) {
    static const int steps[] = {1, 7, 100, 2000};
    for (int i = 0; i < 4; i++) {
        MrnSmall small = free_top(report, 2.0 / steps[i], (double[]){1, 1, 1}, (double[]){0, 0, M_PI});
        if (!small.world) return;
        double norm = 0;
        for (int k = 0; k < steps[i]; k++) {
            mrn_small_step(report, &small, NULL);
            const double *q = mrn_world_rotation(small.world, 0);
            norm = fmax(norm, fabs(sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]) - 1));
        }
        const double *q = mrn_world_rotation(small.world, 0);
        mrn_check(report, 1, fabs(q[0]), 1e-12, "a full turn in %d steps: |w| of the quaternion", steps[i]);
        mrn_check_at_most(report, 1e-15 * (5 + steps[i]), fmax(fabs(q[1]), fmax(fabs(q[2]), fabs(q[3]))),
                          "a full turn in %d steps: largest of |x|, |y|, |z|", steps[i]);
        mrn_check_at_most(report, 4e-16, norm, "a full turn in %d steps: defect of the unit norm", steps[i]);
        mrn_small_free(&small);
    }
}

// ---- A 1D elastic bar against a wall: one contact, a mass operator that is not a rigid body's ----

/// The tridiagonal matrix of n + 1 nodes, factored: A = M + theta^2 h^2 K.
typedef struct Chain {
    int n;
    double *diagonal, *below; ///< of the factor L D L^T
} Chain;

static void chain_factor(Chain *chain, const double *mass, double stiffness, double factor) {
    for (int i = 0; i <= chain->n; i++) {
        double ends = (i == 0 || i == chain->n) ? 1 : 2;
        chain->diagonal[i] = mass[i] + factor * stiffness * ends;
        if (i) {
            chain->below[i] = -factor * stiffness / chain->diagonal[i - 1];
            chain->diagonal[i] -= chain->below[i] * chain->below[i] * chain->diagonal[i - 1];
        }
    }
}

static void chain_solve(const Chain *chain, double *x) {
    for (int i = 1; i <= chain->n; i++) x[i] -= chain->below[i] * x[i - 1];
    for (int i = 0; i <= chain->n; i++) x[i] /= chain->diagonal[i];
    for (int i = chain->n - 1; i >= 0; i--) x[i] -= chain->below[i + 1] * x[i + 1];
}

/// Bar of length, wave speed and mass 1 with n elements, thrown at a wall at x = 0 with speed V; theta = 1/2, step
/// `courant` times n^-1.
static void throw_bar(MrnVerifyReport *report, int n, double courant, double V, double *duration, double *impulse,
                      double *rebound) {
    double h = courant / n, theta = 0.5, stiffness = n; // E A / element length, with E A = m c^2 / L = 1
    size_t nodes = (size_t)n + 1;
    double *mass = mrn_alloc(nodes, sizeof *mass), *q = mrn_alloc_zero(nodes, sizeof *q),
           *u = mrn_alloc(nodes, sizeof *u), *f = mrn_alloc(nodes, sizeof *f);
    double *unit = mrn_alloc_zero(nodes, sizeof *unit);
    Chain chain = {n, mrn_alloc(nodes, sizeof(double)), mrn_alloc(nodes, sizeof(double))};
    for (int i = 0; i <= n; i++) mass[i] = (i == 0 || i == n ? 0.5 : 1) / n, u[i] = -V;
    chain_factor(&chain, mass, stiffness, theta * theta * h * h);
    unit[0] = 1;
    chain_solve(&chain, unit); // column of the inverse: what a unit impulse at the contact gives
    MrnProblem *problem = mrn_problem_new(2, 1);
    MrnBlockMatrix *W = mrn_block_matrix_new(1, 2, 1);
    W->start[1] = 1, W->column[0] = 0;
    W->value[0] = W->value[3] = unit[0], W->value[1] = W->value[2] = 0;
    problem->delassus = W;
    problem->friction[0] = 0;
    MrnSolverSettings settings = mrn_solver_defaults();
    settings.solver = "nlgs-assembled", settings.tolerance = 1e-14;
    MrnError error = {0};
    double first = NAN, last = NAN;
    *impulse = 0;
    for (int k = 0; k * h < 4; k++) {
        for (int i = 0; i <= n; i++) { // u_r = u_i + A^-1 h (-K q_i - theta h K u_i)
            double left = i ? stiffness * ((q[i] - q[i - 1]) + theta * h * (u[i] - u[i - 1])) : 0;
            double right = i < n ? stiffness * ((q[i] - q[i + 1]) + theta * h * (u[i] - u[i + 1])) : 0;
            f[i] = -h * (left + right);
        }
        chain_solve(&chain, f);
        double p[2] = {0, 0}, old = u[0];
        if (q[0] + (1 - theta) * h * old <= 0) { // gap at mid-step
            MrnSolveInfo info;
            problem->free_velocity[0] = u[0] + f[0], problem->free_velocity[1] = 0;
            if (!mrn_solve(problem, &settings, p, NULL, &info, &error)) mrn_check_failed(report, error.message);
        }
        if (p[0] > 0) first = isnan(first) ? k * h : first, last = (k + 1) * h;
        *impulse += p[0];
        for (int i = 0; i <= n; i++) {
            double fresh = u[i] + f[i] + unit[i] * p[0];
            q[i] += h * (theta * fresh + (1 - theta) * u[i]);
            u[i] = fresh;
        }
    }
    *duration = last - first;
    *rebound = 0;
    for (int i = 0; i <= n; i++) *rebound += mass[i] * u[i];
    mrn_problem_free(problem);
    free(mass), free(q), free(u), free(f), free(unit), free(chain.diagonal), free(chain.below);
}

void mrn_case_elastic_bar(MrnVerifyReport *report) {
    double V = 0.1, error[3][3];
    static const int meshes[] = {50, 200, 800};
    for (int i = 0; i < 3; i++) {
        double duration, impulse, rebound;
        throw_bar(report, meshes[i], 0.5, V, &duration, &impulse, &rebound);
        error[i][0] = fabs(duration - 2), error[i][1] = fabs(impulse - 2 * V), error[i][2] = fabs(rebound - V);
        mrn_measure(report, duration, "%d elements: duration of the contact (exact 2 L/c = 2) [s]", meshes[i]);
        mrn_measure(report, impulse, "%d elements: impulse (exact 2 m V = 0.2) [N s]", meshes[i]);
        mrn_measure(report, rebound, "%d elements: speed of rebound (exact V = 0.1) [m/s]", meshes[i]);
    }
    static const char *const names[] = {"duration", "impulse", "rebound"};
    for (int k = 0; k < 3; k++)
        mrn_check_at_most(report, 0.5 * error[0][k], error[2][k],
                          "error of the %s with 800 elements, against half of that with 50", names[k]);
    // The rigid model with the same restitution stops dead.
    MrnScheme scheme = mrn_strict_scheme(1e-3);
    MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
    int block = mrn_add_polygon(model, (double[]){-0.5, -0.1, 0.5, -0.1, 0.5, 0.1, -0.5, 0.1}, 4, 1, 0, 0.501, 0, 0);
    mrn_add_wall(model, (double[]){0, 0}, (double[]){1, 0});
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return;
    mrn_world_set_velocity(small.world, block, (double[]){-V, 0}, NULL);
    double total = 0;
    for (int k = 0; k < 100; k++) {
        double impulse[3], moment[3];
        mrn_small_step(report, &small, NULL);
        mrn_world_contact_resultant(small.world, block, impulse, moment);
        total += impulse[0];
    }
    mrn_check(report, V, total, 1e-14, "rigid bar: impulse m V [N s]");
    mrn_check(report, 0, mrn_world_velocity(small.world, block)[0], 1e-14, "rigid bar: speed after [m/s]");
    mrn_small_free(&small);
}

void mrn_case_rolling(MrnVerifyReport *report) {
    // In space: a ball, 7/5 in the place of 3/2.
    double h = 1e-3, R = 0.1, v = 1, length = 0.01;
    MrnScheme scheme = mrn_strict_scheme(h);
    scheme.solver.solver = "nlgs-assembled";
    MrnPairLaw law = mrn_law(0.5, 0, 0);
    law.rolling_length = length;
    MrnModel *model = mrn_small_model(3, 9.81, law);
    int ball = mrn_add_ball(model, R, 1, 0, 0, R);
    mrn_add_wall(model, (double[]){0, 0, 0}, (double[]){0, 0, 1});
    MrnSmall small = mrn_small_start(report, model, &scheme);
    if (!small.world) return;
    mrn_world_set_velocity(small.world, ball, (double[]){v, 0, 0}, (double[]){0, v / R, 0});
    double stop = 1.4 * R * v / (length * 9.81), found = NAN, worst = 0;
    for (int k = 1; k <= 2000; k++) {
        mrn_small_step(report, &small, NULL);
        double speed = mrn_world_velocity(small.world, ball)[0];
        if (k == 500)
            mrn_check(report, v - 0.5 * length * 9.81 / (1.4 * R), speed, 1e-11,
                      "ball: speed after 0.5 s of uniform deceleration mu_r l g/(1.4 R) [m/s]");
        if (isnan(found) && fabs(speed) < 1e-12) found = k * h;
        if (!isnan(found)) worst = fmax(worst, fabs(speed));
    }
    mrn_check(report, stop, found, h, "ball: it stops at 1.4 R v/(mu_r l g), within one step [s]");
    mrn_check_at_most(report, 1e-13, worst, "ball: largest speed after the stop [m/s]");
    mrn_small_free(&small);
}

void mrn_case_corners(MrnVerifyReport *report) {
    static const double offsets[] = {0, 1e-12, -1e-12, 1e-3, -1e-3};
    for (int activation = 0; activation < 2; activation++)
        for (int i = 0; i < 5; i++) {
            double h = 1e-3, s = 0.5, v = 1, half = s * sqrt(2);
            MrnScheme scheme = mrn_strict_scheme(h);
            if (activation == 0) scheme.activation = MRN_ACTIVATION_GAP, scheme.recovery = 0.2;
            MrnModel *model = mrn_small_model(2, 0, mrn_law(0.3, 0, 0));
            double square[] = {-s, -s, s, -s, s, s, -s, s};
            int left = mrn_add_polygon(model, square, 4, 1, 0, -half - 0.0105, 0, M_PI / 4);
            int right = mrn_add_polygon(model, square, 4, 1, 0, half + 0.0105, offsets[i], M_PI / 4);
            MrnSmall small = mrn_small_start(report, model, &scheme);
            if (!small.world) return;
            mrn_world_set_velocity(small.world, left, (double[]){v, 0}, NULL);
            mrn_world_set_velocity(small.world, right, (double[]){-v, 0}, NULL);
            double energy = 1, gain = 0, unit = 0, deepest = 0, touched = 0;
            for (int k = 0; k < 300; k++) {
                MrnStepInfo info;
                mrn_small_step(report, &small, &info);
                gain = fmax(gain, info.kinetic_energy - energy);
                energy = info.kinetic_energy;
                deepest = fmax(deepest, info.penetration);
                for (size_t c = 0; c < mrn_world_contact_count(small.world); c++) {
                    MrnContactView view = mrn_world_contact(small.world, c);
                    double defect = fabs(hypot(view.normal[0], view.normal[1]) - 1);
                    unit = isfinite(defect) ? fmax(unit, defect) : INFINITY;
                    touched += view.normal_impulse > 0;
                }
            }
            const char *rule = activation ? "Moreau's rule" : "gap rule";
            mrn_check_at_least(report, 1, touched, "%s, offset %g: steps with an impulse", rule, offsets[i]);
            mrn_check_at_most(report, 1e-14, unit, "%s, offset %g: defect of unit normals", rule, offsets[i]);
            // Moreau's rule takes a contact up to a step late, at a closing speed of 2 m/s. The gap rule is exact to
            // first order: what is left is the curvature of the paths of the corners, (2 v h)^2 over their distance
            // from the centres.
            mrn_check_at_most(report, activation ? 2 * v * h : 4 * v * v * h * h * 2 / half, deepest,
                              "%s, offset %g: deepest overlap [m]", rule, offsets[i]);
            mrn_check_at_most(report, 1e-13, gain, "%s, offset %g: largest gain of energy in a step [J]", rule,
                              offsets[i]);
            mrn_small_free(&small);
        }
}

void mrn_case_singular(MrnVerifyReport *report) {
    // The slider moves along x only; the walls are above and below: a normal impulse moves nothing.
    for (int regularised = 0; regularised <= 1; regularised++) {
        double epsilon = regularised ? 1e-8 : 0;
        MrnProblem *problem = mrn_problem_new(2, 2);
        MrnBlockMatrix *W = mrn_block_matrix_new(2, 2, 4);
        for (int i = 0; i < 2; i++)
            for (int j = 0; j < 2; j++) {
                double *block = W->value + 4 * (2 * i + j), sign = i == j ? 1 : -1; // the tangents are opposed
                W->column[2 * i + j] = j;
                block[0] = i == j ? epsilon : 0, block[1] = block[2] = 0, block[3] = sign + (i == j ? epsilon : 0);
            }
        W->start[1] = 2, W->start[2] = 4;
        problem->delassus = W;
        for (int i = 0; i < 2; i++)
            problem->friction[i] = 0.5, problem->free_velocity[2 * i] = -1e-3,
            problem->free_velocity[2 * i + 1] = i ? -0.2 : 0.2;
        MrnSolverSettings settings = mrn_solver_defaults();
        settings.solver = "nlgs-assembled";
        settings.max_iterations = 1000;
        double p[4] = {0}, u[4], H[4];
        MrnSolveInfo info;
        MrnError error = {0};
        if (!mrn_solve(problem, &settings, p, u, &info, &error)) mrn_check_failed(report, error.message);
        mrn_problem_diagonal(problem, 0, H);
        double largest = 0;
        for (int k = 0; k < 4; k++) largest = isfinite(p[k]) ? fmax(largest, fabs(p[k])) : INFINITY;
        const char *name = regularised ? "H + 1e-8 Id" : "singular H";
        if (!regularised) {
            mrn_check(report, 0, H[0] * H[3] - H[1] * H[2], 0, "%s: determinant of the block", name);
            mrn_check(report, MRN_INFEASIBLE, info.status, 0, "%s: status of the solve is 'infeasible'", name);
        } else {
            mrn_check(report, MRN_SOLVED, info.status, 0, "%s: status of the solve is 'solved'", name);
            mrn_check(report, 1e5, p[0], 1e-6 * 1e5, "%s: normal impulse, 1e-3 / 1e-8 [N s]", name);
        }
        mrn_check_at_most(report, 1e300, largest, "%s: largest impulse is finite [N s]", name);
        mrn_problem_free(problem);
    }
    double p[3];
    mrn_local_3d((double[]){0, 0, 0, 0, 1, 0, 0, 0, 1}, (double[]){-1, 0.1, 0}, 0.5, p);
    mrn_check_at_most(report, 1e300, fmax(fabs(p[0]), fmax(fabs(p[1]), fabs(p[2]))),
                      "one contact in space with singular H: largest impulse is finite [N s]");
}

void mrn_case_elliptic(MrnVerifyReport *report) {
    double mu1 = 0.2, mu2 = 0.6, s = sqrt(0.5), scale = 9.81 / sqrt(mu1 * mu1 + mu2 * mu2);
    mrn_check(report, 0.6204, scale * mu1 * mu1, 5e-5, "deceleration along axis 1, closed form [m/s2]");
    mrn_check(report, 5.5839, scale * mu2 * mu2, 5e-5, "deceleration along axis 2, closed form [m/s2]");
    double previous = NAN;
    for (int level = 0; level < 2; level++) {
        double h = level ? 1e-5 : 1e-4, size = 0.5;
        MrnScheme scheme = mrn_strict_scheme(h);
        scheme.solver.solver = "nlgs-assembled";
        MrnPairLaw law = mrn_law(mu1, 0, 0);
        law.cross_friction = mu2;
        law.friction_axis[0] = 1, law.friction_axis[1] = law.friction_axis[2] = 0;
        MrnModel *model = mrn_small_model(3, 9.81, law);
        // A ball that hardly turns is a block that cannot tip: its centre is the only thing that moves.
        MrnBodyDef def = mrn_body_defaults(3);
        MrnShape shape = mrn_shape_defaults(MRN_SHAPE_SPHERE);
        shape.radius = size;
        def.mass = 1, def.shapes = &shape, def.shape_count = 1, def.position[2] = size;
        for (int k = 0; k < 3; k++) def.inertia[k] = 1e12;
        mrn_model_add_body(model, &def, NULL);
        mrn_add_wall(model, (double[]){0, 0, 0}, (double[]){0, 0, 1});
        MrnSmall small = mrn_small_start(report, model, &scheme);
        if (!small.world) return;
        mrn_world_set_velocity(small.world, 0, (double[]){s, s, 0}, NULL);
        mrn_small_step(report, &small, NULL);
        const double *v = mrn_world_velocity(small.world, 0);
        if (level) {
            // friction is taken at the end of the step: the direction has turned by O(h)
            mrn_check(report, 0.6204, (s - v[0]) / h, 3e-4, "first step of 1e-5 s: deceleration along axis 1 [m/s2]");
            mrn_check(report, 5.5839, (s - v[1]) / h, 3e-4, "first step of 1e-5 s: deceleration along axis 2 [m/s2]");
        }
        for (int k = 1; k * h < 0.2; k++) mrn_small_step(report, &small, NULL);
        // dv2/v2 = (mu2/mu1)^2 dv1/v1: v2 goes as the ninth power of v1, the path bends toward axis 1
        v = mrn_world_velocity(small.world, 0);
        double defect = fabs(v[1] / s - pow(v[0] / s, 9));
        mrn_check_at_most(report, 20 * h, defect, "h = %g s: defect of v2 = v1^9 (unit start) after 0.2 s", h);
        if (level) mrn_check(report, 10, previous / defect, 1, "factor by which a ten times smaller step reduces it");
        previous = defect;
        mrn_measure(report, atan2(v[1], v[0]) * 180 / M_PI, "h = %g s: direction after 0.2 s, 45 at the start [deg]",
                    h);
        mrn_small_free(&small);
    }
}
