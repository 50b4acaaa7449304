// Cases of frictionless dynamics: free flight, edges, curvature, complementarity, the quadratic programme, Jacobians.
#include "verify/cases.h"
#include "verify/check.h"

#include "base/random.h"
#include "geom/narrow.h"
#include "problem/problem.h"
#include "solve/explore.h"
#include <moraine/lcp.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

void mrn_case_free_fall(MrnVerifyReport *report) {
    static const double steps[] = {1e-3, 0.0137, 0.1};
    for (size_t i = 0; i < 3; i++) {
        double h = steps[i];
        MrnScheme scheme = mrn_strict_scheme(h);
        MrnModel *model = mrn_small_model(3, 9.81, mrn_law(0, 0, 0));
        int ball = mrn_add_ball(model, 0.1, 2, 1, 2, 3);
        MrnSmall small = mrn_small_start(report, model, &scheme);
        mrn_world_set_velocity(small.world, ball, (double[]){0.3, -0.4, 5}, NULL);
        int count = (int)(1 / h);
        for (int k = 0; k < count; k++) mrn_small_step(report, &small, NULL);
        double t = count * h, exact[3] = {1 + 0.3 * t, 2 - 0.4 * t, 3 + 5 * t - 0.5 * 9.81 * t * t}, error = 0;
        for (int k = 0; k < 3; k++) error = fmax(error, fabs(mrn_world_position(small.world, ball)[k] - exact[k]));
        mrn_check_at_most(report, 2e-16 * 10 * count, error,
                          "h = %g s: distance from the parabola after %d steps; rounding allows 1e-15 a step [m]", h,
                          count);
        mrn_small_free(&small);
    }
}

void mrn_case_groove(MrnVerifyReport *report) {
    double h = 1e-3, s = sqrt(0.5);
    MrnScheme scheme = mrn_strict_scheme(h);
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0, 0, 0));
    int disc = mrn_add_disc(model, 0.1, 1, 0, 0.1 * sqrt(2));
    mrn_add_wall(model, (double[]){0, 0}, (double[]){s, s});
    mrn_add_wall(model, (double[]){0, 0}, (double[]){-s, s});
    MrnSmall small = mrn_small_start(report, model, &scheme);
    for (int k = 0; k < 100; k++) mrn_small_step(report, &small, NULL);
    mrn_check(report, 2, (double)mrn_world_contact_count(small.world), 0, "faces that touch");
    double sum[2] = {0, 0}, least = INFINITY;
    for (size_t c = 0; c < mrn_world_contact_count(small.world); c++) {
        MrnContactView view = mrn_world_contact(small.world, c);
        mrn_check(report, 6.93672, view.normal_impulse / h, 5e-6, "normal impulse over the step on face %zu [N]",
                  c + 1);
        mrn_check(report, 9.81 / sqrt(2), view.normal_impulse / h, 1e-12, "the same against m g / sqrt(2) [N]");
        least = fmin(least, view.normal_impulse);
        sum[0] += view.impulse[0], sum[1] += view.impulse[1];
    }
    mrn_check_at_least(report, 0, least, "least multiplier: the reaction is in the cone of the normals [N s]");
    mrn_check(report, 0, sum[0] / h, 1e-12, "horizontal reaction [N]");
    mrn_check(report, 9.81, fabs(sum[1]) / h, 1e-12, "vertical reaction [N]");
    mrn_check_at_most(report, 1e-15,
                      hypot(mrn_world_velocity(small.world, disc)[0], mrn_world_velocity(small.world, disc)[1]),
                      "speed after 100 steps [m/s]");
    mrn_small_free(&small);
}

void mrn_case_ring(MrnVerifyReport *report) {
    static const struct {
        double h, speed, reaction, overlap, s1, s2, s3;
    } table[] = {{1e-1, 0.95828, 0.89368, 4.4633e-2, 5e-6, 5e-6, 5e-7},
                 {1e-2, 0.995098, 0.98772, 4.9385e-3, 5e-7, 5e-6, 5e-8},
                 {1e-3, 0.999501, 0.998752, 4.9938e-4, 5e-7, 5e-7, 5e-9}};
    for (size_t i = 0; i < 3; i++) {
        double h = table[i].h, reaction = 0, overlap = 0, defect = 0, radius = 1, speed = 1, momentum = 1,
               worst_momentum = 0;
        MrnScheme scheme = mrn_strict_scheme(h);
        scheme.gap_tolerance = 0;
        MrnModel *model = mrn_small_model(2, 0, mrn_law(0, 0, 0));
        int bead = mrn_add_disc(model, 0.5, 1, 1, 0);
        MrnBodyDef def = mrn_body_defaults(2);
        MrnShape shape = mrn_shape_defaults(MRN_SHAPE_RING);
        shape.radius = 1.5; // the centre of the bead moves in a circle of radius 1
        def.kind = MRN_BODY_FIXED, def.shapes = &shape, def.shape_count = 1;
        mrn_model_add_body(model, &def, NULL);
        MrnSmall small = mrn_small_start(report, model, &scheme);
        mrn_world_set_velocity(small.world, bead, (double[]){0, 1}, NULL);
        int steps = (int)(1 / h + 0.5);
        for (int k = 0; k < steps; k++) {
            const double *x = mrn_world_position(small.world, bead), *v = mrn_world_velocity(small.world, bead);
            double middle = hypot(x[0] + 0.5 * h * v[0], x[1] + 0.5 * h * v[1]);
            // r at mid-steps: r_(k+1)^2 = r_k^2 + h^2 v_k^2, with v_k the speed after step k; the first from r = 1 by
            // half a step
            double predicted = k == 0 ? sqrt(1 + 0.25 * h * h) : sqrt(radius * radius + h * h * speed * speed);
            defect = fmax(defect, fabs(middle - predicted));
            radius = middle;
            mrn_small_step(report, &small, NULL);
            v = mrn_world_velocity(small.world, bead);
            speed = hypot(v[0], v[1]);
            worst_momentum = fmax(worst_momentum, fabs(radius * speed - momentum));
            for (size_t c = 0; c < mrn_world_contact_count(small.world); c++) {
                MrnContactView view = mrn_world_contact(small.world, c);
                reaction += view.normal_impulse;
            }
            x = mrn_world_position(small.world, bead);
            overlap = fmax(overlap, hypot(x[0], x[1]) - 1);
        }
        mrn_check(report, table[i].speed, speed, table[i].s1, "h = %g s: speed at 1 s [m/s]", h);
        mrn_check(report, table[i].reaction, reaction / (steps * h), table[i].s2,
                  "h = %g s: mean reaction (exact 1) [N]", h);
        mrn_check(report, table[i].overlap, overlap, table[i].s3, "h = %g s: largest overlap at the end of a step [m]",
                  h);
        mrn_check_at_most(report, 1e-12, worst_momentum, "h = %g s: change of v r, which the scheme keeps [m2/s]", h);
        mrn_check_at_most(report, 1e-13, defect, "h = %g s: defect of r' ^2 = r^2 + h^2 v^2 [m]", h);
        mrn_small_free(&small);
    }
}

void mrn_case_delassus(MrnVerifyReport *report) {
    static const double M[9] = {3, 1, 1, 1, 1, 0, 1, 0, 1}, q[3] = {0, -1, 4},
                        gradients[3][3] = {{1, 1, 1}, {1, 0, 0}, {0, 1, 0}};
    static const double bilateral[3] = {3, -2, -7}, reactions[3] = {0, 1, 0}, gaps[3] = {1, 0, 4},
                        acceleration[3] = {0, 4, -3};
    // All contacts bilateral: M r = -q, by Cramer's rule (det M = 1).
    double minor = M[4] * M[8] - M[5] * M[7],
           det = M[0] * minor - M[1] * (M[3] * M[8] - M[5] * M[6]) + M[2] * (M[3] * M[7] - M[4] * M[6]);
    for (int i = 0; i < 3; i++) {
        double A[9];
        memcpy(A, M, sizeof A);
        for (int r = 0; r < 3; r++) A[3 * r + i] = -q[r];
        double d = A[0] * (A[4] * A[8] - A[5] * A[7]) - A[1] * (A[3] * A[8] - A[5] * A[6]) +
                   A[2] * (A[3] * A[7] - A[4] * A[6]);
        mrn_check(report, bilateral[i], d / det, 1e-14, "all contacts held: reaction %d [N]", i + 1);
    }
    MrnLcp *lcp = mrn_lcp_new_dense(3);
    memcpy(lcp->dense, M, sizeof M);
    memcpy(lcp->vector, q, sizeof q);
    MrnLcpSettings settings = mrn_lcp_defaults();
    double z[3] = {0}, w[3] = {0};
    MrnLcpSolution solution = {z, w};
    MrnLcpInfo info;
    MrnError error = {0};
    if (!mrn_lcp_solve(lcp, &settings, &solution, &info, &error)) mrn_check_failed(report, error.message);
    for (int i = 0; i < 3; i++) mrn_check(report, reactions[i], z[i], 1e-14, "complementarity: reaction %d [N]", i + 1);
    for (int i = 0; i < 3; i++)
        mrn_check(report, gaps[i], w[i], 1e-14, "complementarity: acceleration of gap %d [m/s2]", i + 1);
    mrn_lcp_free(lcp);
    // One step of the scheme: a ball of mass 1 in the corner of three planes. Normals have unit length: P = |gradient|
    // times the multiplier.
    static const char *const solvers[] = {"nlgs", "nlgs-assembled"};
    for (int s = 0; s < 2; s++) {
        double h = 1e-3, r = 0.1;
        MrnScheme scheme = mrn_strict_scheme(h);
        scheme.solver.solver = solvers[s];
        MrnModel *model = mrn_small_model(3, 0, mrn_law(0, 0, 0));
        mrn_model_set_gravity(model, (double[]){-1, 4, -3});
        for (int i = 0; i < 3; i++) mrn_add_wall(model, (double[]){0, 0, 0}, gradients[i]);
        int ball = mrn_add_ball(model, r, 1, r, r, (sqrt(3) - 2) * r);
        MrnSmall small = mrn_small_start(report, model, &scheme);
        mrn_small_step(report, &small, NULL);
        double found[3] = {0};
        for (size_t c = 0; c < mrn_world_contact_count(small.world); c++) {
            MrnContactView view = mrn_world_contact(small.world, c);
            int wall = view.body_a == ball ? view.body_b : view.body_a;
            found[wall] = view.normal_impulse / (wall == 0 ? sqrt(3) : 1) / h;
        }
        mrn_check(report, 3, (double)mrn_world_contact_count(small.world), 0, "%s: contacts in the step", solvers[s]);
        for (int i = 0; i < 3; i++)
            mrn_check(report, reactions[i], found[i], 1e-12, "%s: P/h at contact %d [N]", solvers[s], i + 1);
        for (int i = 0; i < 3; i++)
            mrn_check(report, acceleration[i], mrn_world_velocity(small.world, ball)[i] / h, 1e-12,
                      "%s: u_f/h, component %d [m/s2]", solvers[s], i + 1);
        mrn_small_free(&small);
    }
}

/// A heap of discs and squares that has fallen into a box.
static MrnSmall random_heap(MrnVerifyReport *report, uint64_t seed, int rows, int columns, MrnPairLaw law,
                            const char *solver) {
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = 2e-3;
    scheme.solver.solver = solver;
    scheme.solver.tolerance = 1e-8;
    MrnModel *model = mrn_small_model(2, 9.81, law);
    mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    mrn_add_wall(model, (double[]){-0.1, 0}, (double[]){1, 0});
    mrn_add_wall(model, (double[]){0.25 * columns, 0}, (double[]){-1, 0});
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) {
            uint64_t k = (uint64_t)(i * columns + j);
            double size = mrn_random_between(seed, k, 0, 0.06, 0.1),
                   x = 0.25 * j + mrn_random_between(seed, k, 1, 0.09, 0.11);
            double angle = mrn_random_between(seed, k, 2, 0, 3), s = 0.7 * size, y = 0.12 + 0.23 * i;
            if (k % 2)
                mrn_add_disc(model, size, size * size, x, y);
            else
                mrn_add_polygon(model, (double[]){-s, -s, s, -s, s, s, -s, s}, 4, size * size, 0, x, y, angle);
        }
    MrnSmall small = mrn_small_start(report, model, &scheme);
    for (int k = 0; k < 200 && small.world; k++) mrn_small_step(report, &small, NULL);
    return small;
}

void mrn_case_quadratic_programme(MrnVerifyReport *report) {
    static const char *const methods[] = {"lemke", "active_set"};
    double worst[2] = {0, 0}, contacts = 0;
    for (uint64_t seed = 1; seed <= 5; seed++) {
        MrnSmall small = random_heap(report, seed, 4, 4, mrn_law(0, 0, 0), "nlgs");
        if (!small.world) return;
        MrnProblem *problem = mrn_world_problem(small.world, NULL, NULL);
        contacts += (double)problem->contacts;
        size_t n = problem->contacts * 2, bodies = problem->body_count * 3;
        MrnError error = {0};
        MrnSolverSettings settings = mrn_solver_defaults();
        settings.solver = "nlgs", settings.tolerance = 1e-14, settings.max_iterations = 200000;
        MrnSolveInfo info;
        double *p = mrn_alloc_zero(n + 1, sizeof *p), *v = mrn_alloc(bodies + 1, sizeof *v),
               *other = mrn_alloc(bodies + 1, sizeof *v);
        if (!mrn_solve(problem, &settings, p, NULL, &info, &error)) mrn_check_failed(report, error.message);
        mrn_problem_body_velocity(problem, p, v, NULL);
        double scale = 0;
        for (size_t k = 0; k < bodies; k++) scale = fmax(scale, fabs(v[k]));
        for (int m = 0; m < 2; m++) {
            MrnLcp *lcp = mrn_lcp_frictionless(problem, &error);
            MrnLcpSettings choice = mrn_lcp_defaults();
            choice.solver = methods[m], choice.tolerance = 1e-12;
            double *z = mrn_alloc_zero(lcp->size + 1, sizeof *z);
            MrnLcpSolution solution = {z, NULL};
            MrnLcpInfo how;
            if (!mrn_lcp_solve(lcp, &choice, &solution, &how, &error)) mrn_check_failed(report, error.message);
            memset(p, 0, n * sizeof *p);
            mrn_lcp_frictionless_impulse(problem, z, p);
            mrn_problem_body_velocity(problem, p, other, NULL);
            for (size_t k = 0; k < bodies; k++) worst[m] = fmax(worst[m], fabs(other[k] - v[k]) / scale);
            free(z);
            mrn_lcp_free(lcp);
        }
        free(p), free(v), free(other);
        mrn_small_free(&small);
    }
    for (int m = 0; m < 2; m++)
        mrn_check_at_most(report, 1e-10, worst[m],
                          "largest difference of velocities between Gauss-Seidel and %s over five heaps, relative",
                          methods[m]);
    mrn_measure(report, contacts / 5, "mean number of contacts of these problems");
    // A block on three aligned points: velocities are unique, impulses are not.
    double h = 1e-3;
    MrnScheme scheme = mrn_strict_scheme(h);
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0, 0, 0));
    mrn_add_polygon(model, (double[]){-1, -0.2, 1, -0.2, 1, 0.2, -1, 0.2}, 4, 1, 0, 0, 0.2, 0);
    for (int k = -1; k <= 1; k++) {
        MrnBodyDef def = mrn_body_defaults(2);
        MrnShape shape = mrn_shape_defaults(MRN_SHAPE_DISC);
        shape.radius = 0.1;
        def.kind = MRN_BODY_FIXED, def.shapes = &shape, def.shape_count = 1;
        def.position[0] = 0.8 * k, def.position[1] = -0.1;
        mrn_model_add_body(model, &def, NULL);
    }
    MrnSmall small = mrn_small_start(report, model, &scheme);
    mrn_small_step(report, &small, NULL);
    MrnProblem *problem = mrn_world_problem(small.world, NULL, NULL);
    mrn_check(report, 3, problem ? (double)problem->contacts : NAN, 0, "block on three points: contacts");
    if (problem && problem->contacts == 3) {
        mrn_problem_assemble(problem);
        double even[6] = {9.81 * h / 3, 0, 9.81 * h / 3, 0, 9.81 * h / 3, 0}, middle[6] = {0, 0, 9.81 * h, 0, 0, 0},
               v1[3], v2[3], apart = 0, differ = 0;
        MrnExploreSettings settings = mrn_explore_defaults();
        mrn_explore_solve(problem, &settings, even);
        mrn_explore_solve(problem, &settings, middle);
        mrn_problem_body_velocity(problem, even, v1, NULL);
        mrn_problem_body_velocity(problem, middle, v2, NULL);
        for (int k = 0; k < 3; k++) apart = fmax(apart, fabs(v1[k] - v2[k]));
        for (int k = 0; k < 6; k++) differ = fmax(differ, fabs(even[k] - middle[k]) / h);
        mrn_check_at_most(report, 1e-15, apart,
                          "block on three points: difference of velocities from two guesses [m/s]");
        mrn_check(report, 6.54, differ, 1e-12,
                  "block on three points: largest difference of impulses over h (2/3 of the weight) [N]");
    }
    mrn_small_free(&small);
}

// ---- Jacobians: the gradient of the gap is G* n ----

static MrnShape shape_of(MrnShapeKind kind) {
    MrnShape shape = mrn_shape_defaults(kind);
    static const double square[] = {-0.4, -0.3, 0.4, -0.3, 0.5, 0.3, 0, 0.45, -0.4, 0.3},
                        line[] = {-3, 0.1, 0, 0, 3, 0.2};
    static const double solid[] = {-0.4, -0.3, -0.3, 0.4, -0.3, -0.3, 0, 0.5, -0.3, 0.05, 0, 0.5};
    static const double ground[] = {-9, -9, 0.1, 9, -9, 0, 9, 9, 0.2, -9, 9, 0};
    static const int faces[] = {0, 1, 2, 0, 2, 3};
    const double *vertices = NULL;
    switch (kind) {
    case MRN_SHAPE_POLYGON: vertices = square, shape.vertex_count = 5; break;
    case MRN_SHAPE_CHAIN: vertices = line, shape.vertex_count = 3; break;
    case MRN_SHAPE_POLYHEDRON: vertices = solid, shape.vertex_count = 4; break;
    case MRN_SHAPE_MESH:
        vertices = ground, shape.vertex_count = 4, shape.face_count = 2;
        shape.face_vertex = mrn_alloc(6, sizeof(int));
        memcpy(shape.face_vertex, faces, sizeof faces);
        break;
    case MRN_SHAPE_RING: shape.radius = 1.2; break;
    case MRN_SHAPE_BOX: shape.half[0] = 0.3, shape.half[1] = 0.4, shape.half[2] = 0.25; break;
    case MRN_SHAPE_CAPSULE:
    case MRN_SHAPE_CYLINDER: shape.radius = 0.25, shape.half[2] = 0.35; break;
    case MRN_SHAPE_TUBE: shape.radius = 1.3, shape.half[2] = 4; break;
    case MRN_SHAPE_FUNNEL: shape.radius = 0.9, shape.top_radius = 1.6, shape.half[2] = 1; break;
    default: shape.radius = 0.35; break;
    }
    if (vertices) {
        size_t n = shape.vertex_count * (size_t)mrn_shape_dimension(kind);
        shape.vertices = mrn_alloc(n, sizeof(double));
        memcpy(shape.vertices, vertices, n * sizeof(double));
    }
    mrn_shape_prepare(&shape, NULL);
    return shape;
}

static MrnPose moved_pose(int dimension, const double *x, const double *turn, const MrnPose *about) {
    MrnPose pose = *about;
    pose.position = mrn_add3(pose.position, mrn_load3(x));
    if (dimension == 2) {
        double angle = atan2(about->rotation.m[1][0], about->rotation.m[0][0]) + turn[2];
        pose.rotation.m[0][0] = cos(angle), pose.rotation.m[1][0] = sin(angle);
    } else {
        MrnQuat q = mrn_quat_exp(mrn_scale3(0.5, mrn_load3(turn)));
        MrnMat3 r = mrn_quat_matrix(q), out = {{{0}}};
        for (int i = 0; i < 3; i++)
            for (int j = 0; j < 3; j++)
                for (int k = 0; k < 3; k++) out.m[i][j] += r.m[i][k] * about->rotation.m[k][j];
        pose.rotation = out;
    }
    return pose;
}

static void find_touches(int dimension, const MrnShape *a, const MrnPose *pa, const MrnShape *b, const MrnPose *pb,
                         MrnTouches *touches) {
    touches->count = 0;
    if (dimension == 2)
        mrn_touch_2d(a, pa, b, pb, 0.05, touches);
    else
        mrn_touch_3d(a, pa, b, pb, 0.05, touches);
}

/// Largest defect of grad g = G* n over random poses of A near B, and how many points were compared.
static double gradient_defect(MrnShapeKind kind_a, MrnShapeKind kind_b, int *compared) {
    int dimension = mrn_shape_dimension(kind_a);
    MrnShape a = shape_of(kind_a), b = shape_of(kind_b);
    MrnTouches here = {0}, plus = {0}, minus = {0};
    double worst = 0, eps = 1e-6;
    bool inside = kind_b == MRN_SHAPE_RING || kind_b == MRN_SHAPE_TUBE || kind_b == MRN_SHAPE_FUNNEL;
    *compared = 0;
    for (uint64_t seed = 0; seed < 3000 && *compared < 40; seed++) {
        MrnPose origin = {0};
        for (int k = 0; k < 3; k++) origin.rotation.m[k][k] = 1;
        double x[3] = {0}, turn[3] = {0};
        double direction = mrn_random_between(seed, 0, 0, 0, 2 * M_PI),
               distance = mrn_random_between(seed, 0, 1, 0.2, 1.1);
        x[0] = distance * cos(direction), x[1] = distance * sin(direction);
        if (dimension == 3)
            x[2] = mrn_random_between(seed, 0, 2, inside ? -0.3 : 0.2, inside ? 0.3 : 0.9);
        else if (!inside)
            x[1] = fabs(x[1]);
        for (int k = dimension == 2 ? 2 : 0; k < 3; k++) turn[k] = mrn_random_between(seed, 1, (uint64_t)k, -3, 3);
        MrnPose pa = moved_pose(dimension, x, turn, &origin), pb = origin;
        find_touches(dimension, &a, &pa, &b, &pb, &here);
        for (size_t t = 0; t < here.count && *compared < 40; t++) {
            MrnTouch *touch = &here.data[t];
            if (touch->gap < -0.03) continue;
            double defect = 0;
            bool same = true;
            for (int k = 0; k < 6 && same; k++) {
                if (dimension == 2 && (k == 2 || k == 3 || k == 4)) continue;
                double shift[3] = {0}, spin[3] = {0}, gaps[2] = {NAN, NAN};
                for (int side = 0; side < 2; side++) {
                    (k < 3 ? shift : spin)[k % 3] = side ? -eps : eps;
                    MrnPose moved = moved_pose(dimension, shift, spin, &pa);
                    MrnTouches *list = side ? &minus : &plus;
                    find_touches(dimension, &a, &moved, &b, &pb, list);
                    for (size_t i = 0; i < list->count; i++)
                        if (list->data[i].feature == touch->feature) gaps[side] = list->data[i].gap;
                }
                same = isfinite(gaps[0]) && isfinite(gaps[1]);
                MrnVec3 lever = mrn_cross3(mrn_sub3(touch->position, pa.position), touch->normal);
                double n[3], l[3];
                mrn_store3(n, touch->normal), mrn_store3(l, lever);
                defect = fmax(defect, fabs((gaps[0] - gaps[1]) / (2 * eps) - (k < 3 ? n[k] : l[k - 3])));
            }
            if (!same) continue;
            worst = fmax(worst, defect);
            ++*compared;
        }
    }
    mrn_array_free(&here);
    mrn_array_free(&plus);
    mrn_array_free(&minus);
    mrn_shape_free(&a);
    mrn_shape_free(&b);
    return worst;
}

void mrn_case_jacobian(MrnVerifyReport *report) {
    // Every solid on every shape of its dimension that it can meet; solids among each other once.
    for (int a = 0; a < MRN_SHAPE_COUNT; a++)
        for (int b = 0; b < MRN_SHAPE_COUNT; b++) {
            if (!mrn_shape_is_solid((MrnShapeKind)a) ||
                mrn_shape_dimension((MrnShapeKind)a) != mrn_shape_dimension((MrnShapeKind)b))
                continue;
            if (mrn_shape_is_solid((MrnShapeKind)b) && b < a) continue;
            int compared;
            double worst = gradient_defect((MrnShapeKind)a, (MrnShapeKind)b, &compared);
            // Rounding of the differences is 1e-10; the closest point of a cylinder in a funnel is found by iteration.
            double bound = a == MRN_SHAPE_CYLINDER && b == MRN_SHAPE_FUNNEL ? 2e-7 : 1e-9;
            mrn_check_at_most(report, compared ? bound : -1, worst,
                              "%s on %s: |G* n - grad g| by differences, %d points", mrn_shape_name((MrnShapeKind)a),
                              mrn_shape_name((MrnShapeKind)b), compared);
        }
    double asymmetry = 0, least = INFINITY;
    MrnSmall small = random_heap(report, 7, 5, 5, mrn_law(0.4, 0, 0), "nlgs");
    MrnProblem *problem = small.world ? mrn_world_problem(small.world, NULL, NULL) : NULL;
    for (size_t c = 0; problem && c < problem->contacts; c++) {
        double H[4];
        mrn_problem_diagonal(problem, c, H);
        asymmetry = fmax(asymmetry, fabs(H[1] - H[2]) / (H[0] + H[3]));
        least = fmin(least, (H[0] * H[3] - H[1] * H[2]) / (H[0] * H[3]));
    }
    mrn_check_at_most(report, 1e-15, asymmetry, "heap: asymmetry of the Delassus blocks, relative");
    mrn_check_at_least(report, 1e-12, least, "heap: least determinant of a Delassus block over its diagonal");
    mrn_small_free(&small);
}
