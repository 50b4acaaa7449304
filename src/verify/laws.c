// Cases of contact laws: prospective type, bipotential, the table of one-contact solutions, variants of Gauss-Seidel.
#include "verify/cases.h"
#include "verify/check.h"

#include "base/random.h"
#include "problem/problem.h"
#include "solve/explore.h"
#include "solve/friction/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/// A random symmetric positive definite matrix with condition number up to some hundreds.
static void random_matrix(int n, uint64_t seed, double *H) {
    double A[9];
    for (int i = 0; i < n * n; i++) A[i] = mrn_random_between(seed, 11, (uint64_t)i, -1, 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            H[i * n + j] = i == j ? 0.02 : 0;
            for (int k = 0; k < n; k++) H[i * n + j] += A[i * n + k] * A[j * n + k];
        }
}

/// Solve one contact: law 0 frictionless, 1 isotropic, 2 elliptic (3D). Gives P, U and the two coefficients.
static void solve_one(int n, int law, uint64_t seed, double *P, double *U, double mu[2]) {
    double H[9], b[3];
    random_matrix(n, seed, H);
    for (int k = 0; k < n; k++) b[k] = mrn_random_between(seed, 12, (uint64_t)k, -1, 1);
    mu[0] = law == 0 ? 0 : mrn_random_between(seed, 13, 0, 0.01, 1.5);
    mu[1] = law == 2 ? mrn_random_between(seed, 13, 1, 0.01, 1.5) : mu[0];
    if (n == 2)
        mrn_local_2d((double[]){H[0], H[1], H[3]}, b, mu[0], P);
    else if (law == 2)
        mrn_local_elliptic(H, b, mu[0], mu[1], P);
    else
        mrn_local_3d(H, b, mu[0], P);
    for (int i = 0; i < n; i++) {
        U[i] = b[i];
        for (int k = 0; k < n; k++) U[i] += H[i * n + k] * P[k];
    }
}

static double dissipation(int n, const double mu[2], const double *U) {
    return n == 2 ? mu[0] * fabs(U[1]) : sqrt(mu[0] * mu[0] * U[1] * U[1] + mu[1] * mu[1] * U[2] * U[2]);
}

static const char *const law_names[] = {"frictionless", "isotropic", "elliptic"};

void mrn_case_prospective(MrnVerifyReport *report) {
    for (int n = 2; n <= 3; n++)
        for (int law = 0; law <= (n == 2 ? 1 : 2); law++) {
            double approach = 0, pull = 0;
            for (uint64_t seed = 0; seed < 20000; seed++) {
                double P[3] = {0}, U[3], mu[2];
                solve_one(n, law, seed, P, U, mu);
                approach = fmax(approach, -U[0]);
                if (U[0] > 1e-12) pull = fmax(pull, fmax(fabs(P[0]), fabs(P[1])));
            }
            mrn_check_at_most(report, 1e-12, approach,
                              "%dD %s: largest approach u_n < 0 over 20000 random contacts [m/s]", n, law_names[law]);
            mrn_check_at_most(report, 0, pull, "%dD %s: largest impulse with u_n > 0 [N s]", n, law_names[law]);
        }
}

void mrn_case_bipotential(MrnVerifyReport *report) {
    for (int n = 2; n <= 3; n++)
        for (int law = 1; law <= (n == 2 ? 1 : 2); law++) {
            double least = INFINITY, worst = 0, outside = 0;
            for (uint64_t seed = 0; seed < 20000; seed++) {
                double P[3] = {0}, U[3], mu[2], V[3] = {0}, S[3] = {0}, beta = 0;
                solve_one(n, law, seed, P, U, mu);
                for (int k = 0; k < n; k++) beta += U[k] * P[k];
                worst = fmax(worst, fabs(beta + dissipation(n, mu, U) * P[0]) / fmax(1, P[0]));
                double x = P[1] / mu[0], y = n == 3 ? P[2] / mu[1] : 0;
                outside = fmax(outside, (sqrt(x * x + y * y) - P[0]) / fmax(1, P[0]));
                // any pair in K x C
                double angle = mrn_random_between(seed, 14, 0, 0, 2 * M_PI), length = mrn_random_unit(seed, 14, 1);
                V[0] = mrn_random_between(seed, 14, 2, 0, 1), V[1] = mrn_random_between(seed, 14, 3, -1, 1),
                V[2] = mrn_random_between(seed, 14, 4, -1, 1);
                S[0] = mrn_random_between(seed, 14, 5, 0, 1);
                S[1] = mu[0] * S[0] * length * (n == 2 ? copysign(1, cos(angle)) : cos(angle)),
                S[2] = n == 2 ? 0 : mu[1] * S[0] * length * sin(angle);
                if (n == 2) V[2] = 0;
                beta = V[0] * S[0] + V[1] * S[1] + V[2] * S[2] + dissipation(n, mu, V) * S[0];
                least = fmin(least, beta);
            }
            mrn_check_at_least(report, -1e-15, least, "%dD %s: least bipotential over 20000 pairs of K x C [J]", n,
                               law_names[law]);
            mrn_check_at_most(report, 1e-12, worst,
                              "%dD %s: largest |bipotential| of a solution (per unit impulse above 1) [J]", n,
                              law_names[law]);
            mrn_check_at_most(report, 1e-14, outside,
                              "%dD %s: largest distance of an impulse outside its cone, relative", n, law_names[law]);
        }
}

void mrn_case_local_table(MrnVerifyReport *report) {
    static const struct {
        int n;
        double H[9], b[3], mu;
        MrnContactStatus status;
        double P[3], U[3];
    } table[] = {{2, {2, .3, .3, 5}, {-1, 0.5}, 0.4, MRN_STICK, {0.5196770938, -0.1311806256}, {0, 0}},
                 {2, {2, .3, .3, 5}, {-1, 3}, 0.4, MRN_SLIP, {0.5319148936, -0.2127659574}, {0, 2.0957446809}},
                 {2, {2, .3, .3, 5}, {-1, -3}, 0.4, MRN_SLIP, {0.4716981132, 0.1886792453}, {0, -1.9150943396}},
                 {2, {2, .3, .3, 5}, {0.5, 1}, 0.4, MRN_OPEN, {0, 0}, {0.5, 1}},
                 {3,
                  {2, .3, -.2, .3, 5, .4, -.2, .4, 4},
                  {-1, .5, -.2},
                  0.4,
                  MRN_STICK,
                  {0.5298935299, -0.1390253890, 0.0903972154},
                  {0, 0, 0}},
                 {3,
                  {2, .3, -.2, .3, 5, .4, -.2, .4, 4},
                  {-1, 3, -2},
                  0.4,
                  MRN_SLIP,
                  {0.5388331619, -0.1751483773, 0.1256090528},
                  {0, 2.3361516830, -1.6753897723}},
                 {3, {2, .3, -.2, .3, 5, .4, -.2, .4, 4}, {-1, 3, -2}, 0, MRN_SLIP, {0.5, 0, 0}, {0, 3.15, -2.1}}};
    static const char *const components[] = {"N", "T1", "T2"};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        int n = table[i].n;
        double P[3] = {0};
        MrnContactStatus status =
            n == 2 ? mrn_local_2d((double[]){table[i].H[0], table[i].H[1], table[i].H[3]}, table[i].b, table[i].mu, P)
                   : mrn_local_3d(table[i].H, table[i].b, table[i].mu, P);
        mrn_check(report, table[i].status, status, 0, "row %zu: status (0 open, 1 stick, 2 slip)", i + 1);
        for (int k = 0; k < n; k++)
            mrn_check(report, table[i].P[k], P[k], 5.1e-11, "row %zu: impulse %s [N s]", i + 1, components[k]);
        for (int k = 0; k < n; k++) {
            double u = table[i].b[k];
            for (int j = 0; j < n; j++) u += table[i].H[k * n + j] * P[j];
            mrn_check(report, table[i].U[k], u, 5.1e-11, "row %zu: velocity %s [m/s]", i + 1, components[k]);
        }
    }
}

/// Contacts coupled by a random matrix close to the identity: small friction leaves one solution.
static MrnProblem *random_problem(int d, size_t contacts, double mu, uint64_t seed) {
    size_t n = contacts * (size_t)d, block = (size_t)(d * d);
    MrnProblem *problem = mrn_problem_new(d, contacts);
    MrnBlockMatrix *W = mrn_block_matrix_new(contacts, d, contacts * contacts);
    double *A = mrn_alloc(n * n, sizeof *A);
    for (size_t i = 0; i < n * n; i++) A[i] = mrn_random_between(seed, 21, i, -1, 1);
    for (size_t i = 0; i < contacts; i++) {
        W->start[i + 1] = (i + 1) * contacts;
        problem->friction[i] = mu;
        for (int k = 0; k < d; k++)
            problem->free_velocity[i * (size_t)d + (size_t)k] =
                mrn_random_between(seed, 22, i * 3 + (uint64_t)k, k ? -1 : -1.5, k ? 1 : 0.5);
        for (size_t j = 0; j < contacts; j++) {
            W->column[i * contacts + j] = (int)j;
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++) {
                    size_t row = i * (size_t)d + (size_t)r, column = j * (size_t)d + (size_t)c;
                    double sum = row == column ? 1 : 0;
                    for (size_t k = 0; k < n; k++) sum += A[row * n + k] * A[column * n + k] / (double)n;
                    W->value[(i * contacts + j) * block + (size_t)(r * d + c)] = sum;
                }
        }
    }
    problem->delassus = W;
    free(A);
    return problem;
}

void mrn_case_variants(MrnVerifyReport *report) {
    static const struct {
        const char *name;
        MrnDelassusVariant variant;
        double factor;
        bool shuffle;
    } variants[] = {{"full block", MRN_DELASSUS_FULL, 1, false},
                    {"block times 1.5", MRN_DELASSUS_FULL, 1.5, false},
                    {"block times 0.9", MRN_DELASSUS_FULL, 0.9, false},
                    {"scalar", MRN_DELASSUS_SCALAR, 1, false},
                    {"full block, random order", MRN_DELASSUS_FULL, 1, true}};
    for (int d = 2; d <= 3; d++) {
        MrnProblem *problem = random_problem(d, 8, 0.1, 5);
        size_t n = problem->contacts * (size_t)d;
        double first[24], p[24], u[24];
        for (size_t v = 0; v < sizeof variants / sizeof *variants; v++) {
            MrnExploreSettings settings = mrn_explore_defaults();
            settings.variant = variants[v].variant, settings.factor = variants[v].factor,
            settings.shuffle = variants[v].shuffle;
            memset(p, 0, sizeof p);
            MrnExploreInfo info = mrn_explore_solve(problem, &settings, p);
            MrnSolveInfo how = {0};
            double apart = 0;
            mrn_problem_velocity(problem, p, u);
            mrn_certify(problem, p, u, &how);
            if (v == 0) memcpy(first, p, sizeof p);
            for (size_t k = 0; k < n; k++) apart = fmax(apart, fabs(p[k] - first[k]));
            mrn_check_at_most(report, 1e-12, how.residual, "%dD, %s: residual after %d cycles", d, variants[v].name,
                              info.cycles);
            if (v)
                mrn_check_at_most(report, 1e-12, apart, "%dD, %s: distance from the first solution [N s]", d,
                                  variants[v].name);
        }
        mrn_problem_free(problem);
    }
}
