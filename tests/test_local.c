// One contact: the tables of the Contact Dynamics specification 8.2, and Coulomb's law on random problems.
#include "core_support.h"

#include "solve/friction/exact.h"
#include "solve/friction/local.h"

typedef struct Case {
    double b[3], mu;
    MrnContactStatus status;
    double p[3], u[3];
} Case;

static void plane_contacts_follow_the_table(void **unused) {
    (void)unused;
    const double W[3] = {2, 0.3, 5};
    const Case cases[] = {
        {{-1, 0.5}, 0.4, MRN_STICK, {0.5196770938, -0.1311806256}, {0, 0}},
        {{-1, 3}, 0.4, MRN_SLIP, {0.5319148936, -0.2127659574}, {0, 2.0957446809}},
        {{-1, -3}, 0.4, MRN_SLIP, {0.4716981132, 0.1886792453}, {0, -1.9150943396}},
        {{0.5, 1}, 0.4, MRN_OPEN, {0, 0}, {0.5, 1}},
        {{-1, 3}, 0, MRN_SLIP, {0.5, 0}, {0, 3.15}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double p[2];
        assert_int_equal(mrn_local_2d(W, cases[i].b, cases[i].mu, p), cases[i].status);
        double u[2] = {W[0] * p[0] + W[1] * p[1] + cases[i].b[0], W[1] * p[0] + W[2] * p[1] + cases[i].b[1]};
        for (int k = 0; k < 2; k++)
            close_to(p[k], cases[i].p[k], 1e-10, "p"), close_to(u[k], cases[i].u[k], 1e-10, "u");
    }
}

static void contacts_in_space_follow_the_table(void **unused) {
    (void)unused;
    const double W[9] = {2, 0.3, -0.2, 0.3, 5, 0.4, -0.2, 0.4, 4};
    const Case cases[] = {
        {{-1, 0.5, -0.2}, 0.4, MRN_STICK, {0.5298935299, -0.1390253890, 0.0903972154}, {0, 0, 0}},
        {{-1, 3, -2}, 0.4, MRN_SLIP, {0.5388331619, -0.1751483773, 0.1256090528}, {0, 2.3361516830, -1.6753897723}},
        {{-1, 3, -2}, 0, MRN_SLIP, {0.5, 0, 0}, {0, 3.15, -2.1}},
        {{0.5, 1, 2}, 0.4, MRN_OPEN, {0, 0, 0}, {0.5, 1, 2}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        double p[3];
        assert_int_equal(mrn_local_3d(W, cases[i].b, cases[i].mu, p), cases[i].status);
        for (int k = 0; k < 3; k++) {
            double u = W[3 * k] * p[0] + W[3 * k + 1] * p[1] + W[3 * k + 2] * p[2] + cases[i].b[k];
            close_to(p[k], cases[i].p[k], 1e-10, "p");
            close_to(u, cases[i].u[k], 1e-10, "u");
        }
    }
}

/// A symmetric positive definite block H H^T of `dimension` rows with `columns` random columns.
static void random_block(Draws *draws, int dimension, int columns, double W[9]) {
    double H[3][6];
    for (int i = 0; i < dimension; i++)
        for (int k = 0; k < columns; k++) H[i][k] = draw(draws, -1, 1);
    for (int i = 0; i < dimension; i++)
        for (int j = 0; j < dimension; j++) {
            double sum = 0;
            for (int k = 0; k < columns; k++) sum += H[i][k] * H[j][k];
            W[dimension * i + j] = sum;
        }
}

/// Worst violation of the law, relative to |b| for velocities and to |p| for impulses. mu1 = mu2: Coulomb's circle.
static double violation(int d, const double *W, const double *b, double mu1, double mu2, const double *p) {
    double u[3] = {0}, size_b = 0, size_p = 0;
    for (int i = 0; i < d; i++) {
        double terms = fabs(b[i]);
        u[i] = b[i];
        for (int k = 0; k < d; k++) u[i] += W[d * i + k] * p[k], terms += fabs(W[d * i + k] * p[k]);
        size_b = fmax(size_b, terms);
        size_p = fmax(size_p, fabs(p[i]));
    }
    if (size_p == 0) return fmax(0, -u[0]) / size_b;
    double worst = fmax(-u[0] / size_b, -p[0] / size_p);
    worst = fmax(worst, fmin(fabs(u[0]) / size_b, fabs(p[0]) / size_p));
    double x = p[1] / mu1, y = d == 3 ? p[2] / mu2 : 0, radius = sqrt(x * x + y * y);
    worst = fmax(worst, (radius - p[0]) * fmin(mu1, mu2) / size_p);
    // Sliding: -u_t is along the outward normal (x / mu1, y / mu2) of the section, and p on its rim.
    double slide = d == 3 ? hypot(u[1], u[2]) : fabs(u[1]), n1 = x / mu1, n2 = d == 3 ? y / mu2 : 0,
           norm = hypot(n1, n2);
    if (slide > 1e-12 * size_b) {
        worst = fmax(worst, fmin(slide / size_b, fabs(radius - p[0]) * fmin(mu1, mu2) / size_p));
        if (norm > 0) {
            double e1 = u[1] / slide + n1 / norm, e2 = (d == 3 ? u[2] : 0) / slide + n2 / norm;
            worst = fmax(worst, fmin(slide / size_b, hypot(e1, e2) * slide / size_b));
        }
    }
    return worst;
}

static void random_plane_contacts_obey_coulomb(void **unused) {
    (void)unused;
    Draws draws = {10, 0};
    int seen[3] = {0};
    for (int i = 0; i < 100000; i++) {
        double W[9], b[2] = {draw(&draws, -1, 0.1), draw(&draws, -2, 2)}, mu = pow(10, draw(&draws, -2, 1)), p[2];
        random_block(&draws, 2, 3, W);
        if (W[0] * W[3] - W[1] * W[2] < 1e-3 * W[0] * W[3]) continue;
        double packed[3] = {W[0], W[1], W[3]};
        seen[mrn_local_2d(packed, b, mu, p)]++;
        below(violation(2, W, b, mu, mu, p), 1e-12, "law violation in the plane");
        mrn_exact_2d(W, b, mu, p);
        below(violation(2, W, b, mu, mu, p), 1e-12, "law violation in the plane, inlined solver");
    }
    for (int s = 0; s < 3; s++) assert_true(seen[s] > 1000);
}

static void random_contacts_in_space_obey_coulomb(void **unused) {
    (void)unused;
    Draws draws = {11, 0};
    int seen[3] = {0};
    for (int i = 0; i < 100000; i++) {
        double W[9], b[3] = {draw(&draws, -1, 0.1), draw(&draws, -2, 2), draw(&draws, -2, 2)},
                     mu = pow(10, draw(&draws, -2, 1)), p[3];
        random_block(&draws, 3, 6, W);
        seen[mrn_local_3d(W, b, mu, p)]++;
        below(violation(3, W, b, mu, mu, p), 1e-12, "law violation in space");
        mrn_exact_3d(W, b, mu, p);
        below(violation(3, W, b, mu, mu, p), 1e-12, "law violation in space, inlined solver");
    }
    for (int s = 0; s < 3; s++) assert_true(seen[s] > 1000);
}

static void elliptic_cones_slide_along_the_normal_of_their_rim(void **unused) {
    (void)unused;
    Draws draws = {12, 0};
    int seen[3] = {0};
    for (int i = 0; i < 20000; i++) {
        double W[9], b[3] = {draw(&draws, -1, 0.1), draw(&draws, -2, 2), draw(&draws, -2, 2)}, p[3];
        double mu1 = draw(&draws, 0.05, 4), mu2 = draw(&draws, 0.05, 4);
        random_block(&draws, 3, 6, W);
        seen[mrn_local_elliptic(W, b, mu1, mu2, p)]++;
        below(violation(3, W, b, mu1, mu2, p), 1e-11, "law violation of an elliptic cone");
    }
    for (int s = 0; s < 3; s++) assert_true(seen[s] > 500);
}

static void a_cone_flat_in_one_direction_gives_no_friction_there(void **unused) {
    (void)unused;
    const double W[9] = {2, 0.3, -0.2, 0.3, 5, 0.4, -0.2, 0.4, 4}, b[3] = {-1, 0.2, 3};
    double p[3];
    mrn_local_elliptic(W, b, 0.5, 0, p);
    close_to(p[2], 0, 1e-11, "friction along the smooth direction");
    close_to(W[0] * p[0] + W[1] * p[1] + W[2] * p[2] + b[0], 0, 1e-11, "normal velocity");
    close_to(W[3] * p[0] + W[4] * p[1] + W[5] * p[2] + b[1], 0, 1e-9,
             "velocity along the rough direction, which sticks");
}

static void singular_blocks_give_finite_impulses_in_the_cone(void **unused) {
    (void)unused;
    Draws draws = {13, 0};
    for (int i = 0; i < 20000; i++) {
        double W[9], b[3] = {draw(&draws, -1, 1), draw(&draws, -2, 2), draw(&draws, -2, 2)}, mu = draw(&draws, 0, 2),
                     p[3];
        random_block(&draws, 3, i % 3, W);    // rank 0, 1 or 2
        if (i % 3 == 0 && b[0] < 0) W[0] = 1; // a contact that can only be pushed
        mrn_local_3d(W, b, mu, p);
        for (int k = 0; k < 3; k++)
            if (!isfinite(p[k])) fail_msg("rank %d: p[%d] = %g", i % 3, k, p[k]);
        assert_true(p[0] >= 0);
        below(hypot(p[1], p[2]), mu * p[0] * (1 + 1e-12), "tangent in the cone");
        double packed[3] = {W[0], W[1], W[4]};
        if (packed[0] == 0 && packed[2] == 0) continue;
        mrn_local_2d(packed, b, mu, p);
        assert_true(isfinite(p[0]) && isfinite(p[1]) && p[0] >= 0);
        below(fabs(p[1]), mu * p[0] * (1 + 1e-12), "tangent in the cone, plane");
    }
}

static void projection_on_the_cone_is_the_nearest_point(void **unused) {
    (void)unused;
    Draws draws = {14, 0};
    for (int i = 0; i < 20000; i++) {
        int d = 2 + i % 2;
        double p[3] = {draw(&draws, -1, 1), draw(&draws, -1, 1), draw(&draws, -1, 1)},
               mu = i % 10 ? draw(&draws, 0, 2) : 0, x[3];
        memcpy(x, p, sizeof x);
        mrn_project_cone(d, mu, x);
        // x in K, x - p in the dual cone, and perpendicular to x (Moreau 1962).
        double tangent = d == 3 ? hypot(x[1], x[2]) : fabs(x[1]),
               y[3] = {x[0] - p[0], x[1] - p[1], d == 3 ? x[2] - p[2] : 0};
        below(tangent - mu * x[0], 1e-15, "projection in the cone");
        below((mu > 0 ? hypot(y[1], y[2]) * mu : 0) - y[0], 2e-15, "correction in the dual cone");
        close_to(x[0] * y[0] + x[1] * y[1] + (d == 3 ? x[2] * y[2] : 0), 0, 2e-15,
                 "correction perpendicular to the point");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plane_contacts_follow_the_table),
        cmocka_unit_test(contacts_in_space_follow_the_table),
        cmocka_unit_test(random_plane_contacts_obey_coulomb),
        cmocka_unit_test(random_contacts_in_space_obey_coulomb),
        cmocka_unit_test(elliptic_cones_slide_along_the_normal_of_their_rim),
        cmocka_unit_test(a_cone_flat_in_one_direction_gives_no_friction_there),
        cmocka_unit_test(singular_blocks_give_finite_impulses_in_the_cone),
        cmocka_unit_test(projection_on_the_cone_is_the_nearest_point),
    };
    return cmocka_run_group_tests_name("local", tests, NULL, NULL);
}
