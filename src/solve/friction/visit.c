// Local methods of nonlinear Gauss-Seidel (granular specification 1.7 and 2.5).
//
// All start from the current u = b + W p. The augmented Lagrangian (Alart and Curnier 1991) and bipotential (de Saxce
// and Feng 1998) visits are projections with a step rho. The active set visits (granular specification 2.5.6) decide
// gap, stick or slip from the old iterate, with tau_n = p_n - gamma_n u_n and s = p_t - gamma_t u_t, and solve the
// linear system of that state; in slip the new p_n sets the limit.
#include "solve/friction/local.h"
#include "solve/friction/visit.h"

#include "solve/friction/exact.h"

#include <stdbool.h>
#include <string.h>

static void velocity_of(int d, const double *W, const double *b, const double *p, double *u) {
    for (int r = 0; r < d; r++) {
        u[r] = b[r];
        for (int c = 0; c < d; c++) u[r] += W[r * d + c] * p[c];
    }
}

static double tangent_norm(int d, const double *x) {
    return d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]);
}

// A x = r for d <= 3 by elimination with row pivots; false where A is singular.
static bool solve_small(int d, double A[9], double *x) {
    for (int k = 0; k < d; k++) {
        int best = k;
        for (int i = k + 1; i < d; i++)
            if (fabs(A[i * d + k]) > fabs(A[best * d + k])) best = i;
        if (!(fabs(A[best * d + k]) > 0)) return false;
        if (best != k) {
            for (int j = 0; j < d; j++) {
                double t = A[k * d + j];
                A[k * d + j] = A[best * d + j], A[best * d + j] = t;
            }
            double t = x[k];
            x[k] = x[best], x[best] = t;
        }
        for (int i = k + 1; i < d; i++) {
            double factor = A[i * d + k] / A[k * d + k];
            for (int j = k; j < d; j++) A[i * d + j] -= factor * A[k * d + j];
            x[i] -= factor * x[k];
        }
    }
    for (int k = d - 1; k >= 0; k--) {
        for (int j = k + 1; j < d; j++) x[k] -= A[k * d + j] * x[j];
        x[k] /= A[k * d + k];
    }
    return true;
}

// Normal projection, then tangential projection on the disc that the new normal impulse sets.
static void project_parts(int d, double normal_step, double tangent_step, double mu, const double *u, double *p) {
    p[0] = fmax(p[0] - normal_step * u[0], 0);
    for (int k = 1; k < d; k++) p[k] -= tangent_step * u[k];
    double norm = tangent_norm(d, p), radius = mu * p[0];
    if (norm > radius)
        for (int k = 1; k < d; k++) p[k] *= radius / norm;
}

// Predictor tau = p - rho u^, corrector: projection on the cone.
static void bipotential(int d, double rho, double mu, const double *u, double *p) {
    p[0] -= rho * (u[0] + mu * tangent_norm(d, u));
    for (int k = 1; k < d; k++) p[k] -= rho * u[k];
    mrn_project_cone(d, mu, p);
}

// Rows of the full slip system in 3D: L* W_t. p + (I) p_t - v p_n = r* - v p_n_old - L* b_t (granular specification 2.3
// and 2.5.6). False where the matrices degenerate; the simplified slip then takes over.
static bool full_slip_rows(const double *W, const double *b, double mu, double gamma, const double *p, const double *s,
                           double norm, double A[9], double *x) {
    double limit = mu * p[0], tangent = sqrt(p[1] * p[1] + p[2] * p[2]), shrink = tangent > limit ? limit / tangent : 1;
    double pt[2] = {shrink * p[1], shrink * p[2]};
    if (pt[0] * s[1] + pt[1] * s[2] < 0 || !(norm > limit * (1 + 1e-12))) return false;
    double M[2][2], I[2][2], L[2][2], right[2], v[2];
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) M[i][j] = (pt[i] * s[1 + j] / norm - limit * (i == j)) / norm;
    double a = 1 + M[0][0], e = M[0][1], c = M[1][0], g = 1 + M[1][1], determinant = a * g - e * c;
    if (!(fabs(determinant) > 1e-12)) return false;
    I[0][0] = g / determinant, I[0][1] = -e / determinant, I[1][0] = -c / determinant, I[1][1] = a / determinant;
    for (int i = 0; i < 2; i++) {
        for (int j = 0; j < 2; j++) L[i][j] = -gamma * (I[i][0] * M[0][j] + I[i][1] * M[1][j]);
        right[i] = I[i][0] * pt[0] + I[i][1] * pt[1];
        v[i] = mu * (I[i][0] * s[1] + I[i][1] * s[2]) / norm;
    }
    for (int i = 0; i < 2; i++) {
        double *row = A + 3 * (i + 1);
        for (int j = 0; j < 3; j++)
            row[j] = L[i][0] * W[3 + j] + L[i][1] * W[6 + j] + (j == i + 1) - (j == 0 ? v[i] : 0);
        x[i + 1] = right[i] - v[i] * p[0] - L[i][0] * b[1] - L[i][1] * b[2];
    }
    return true;
}

// Stick rows of the exact active set: the tangential velocity falls with p_n^{j+1} / p_n^j (3.3.4). Row 0 of A and x
// is there.
static bool exact_stick(int d, const double *W, const double *u, const double *p, double A[9], double *x) {
    for (int r = 1; r < d; r++) {
        x[r] = 0;
        for (int c = 0; c < d; c++) A[r * d + c] = W[r * d + c], x[r] += W[r * d + c] * p[c];
        A[r * d] += u[r] / p[0];
    }
    return solve_small(d, A, x);
}

static void active_set(const MrnVisitSettings *settings, int d, const double *W, const double *b, double mu,
                       double *p) {
    double u[3] = {0, 0, 0}, s[3] = {0, 0, 0}, A[9], x[3], mean = 0;
    velocity_of(d, W, b, p, u);
    for (int k = 1; k < d; k++) mean += W[k * (d + 1)] / (d - 1);
    double gamma_normal = settings->gamma_normal > 0 ? settings->gamma_normal : 1 / W[0];
    double gamma_tangent = settings->gamma_tangent > 0 ? settings->gamma_tangent : mean > 0 ? 1 / mean : 1;
    if (p[0] - gamma_normal * u[0] <= 0) { // gap
        memset(p, 0, (size_t)d * sizeof *p);
        return;
    }
    for (int k = 1; k < d; k++) s[k] = p[k] - gamma_tangent * u[k];
    double norm = tangent_norm(d, s);
    for (int c = 0; c < d; c++) A[c] = W[c];
    x[0] = -b[0];
    bool slip = norm > mu * p[0], solved = false;
    if (!slip) {
        // The factor p_n^{j+1} / p_n^j of the exact rows explodes at contacts that hardly carried: there the iterative
        // ones.
        solved =
            settings->kind == MRN_VISIT_EPDAS && p[0] > 1e-300 && exact_stick(d, W, u, p, A, x) && x[0] <= 2 * p[0];
        if (!solved) {
            for (int k = 0; k < d * d; k++) A[k] = W[k];
            for (int r = 0; r < d; r++) x[r] = -b[r];
            solved = solve_small(d, A, x);
        }
    } else if (d == 3 && full_slip_rows(W, b, mu, gamma_tangent, p, s, norm, A, x)) {
        solved = solve_small(d, A, x);
    }
    if (!solved) { // slip along s: (W_nn + mu W_nt t) p_n = -b_n
        double t[3] = {1, 0, 0}, stiffness = W[0];
        for (int k = 1; k < d; k++) t[k] = norm > 0 ? mu * s[k] / norm : 0, stiffness += W[k] * t[k];
        double normal = stiffness > 0 ? -b[0] / stiffness : 0;
        for (int k = 0; k < d; k++) x[k] = t[k] * normal;
    }
    if (x[0] < 0) memset(x, 0, sizeof x); // an active contact that would pull opens
    memcpy(p, x, (size_t)d * sizeof *p);
}

void mrn_visit_contact(const MrnVisitSettings *settings, int d, const double *W, const double *b, double mu,
                       double *p) {
    double u[3] = {0, 0, 0}, largest = W[0];
    if (!(W[0] > 0)) {
        memset(p, 0, (size_t)d * sizeof *p);
        return;
    }
    if (settings->kind == MRN_VISIT_EXACT) {
        if (d == 3)
            mrn_exact_3d(W, b, mu, p);
        else
            mrn_exact_2d(W, b, mu, p);
        return;
    }
    if (settings->kind == MRN_VISIT_EPDAS || settings->kind == MRN_VISIT_IPDAS) {
        active_set(settings, d, W, b, mu, p);
        return;
    }
    for (int k = 1; k < d; k++) largest = fmax(largest, W[k * (d + 1)]);
    double rho = settings->rho > 0 ? settings->rho : 1 / largest;
    velocity_of(d, W, b, p, u);
    switch (settings->kind) {
    case MRN_VISIT_PROJECTION: {
        double tangent = 0;
        for (int k = 1; k < d; k++) tangent = fmax(tangent, W[k * (d + 1)]);
        project_parts(d, 1 / W[0], tangent > 0 ? 1 / tangent : 0, mu, u, p);
        break;
    }
    case MRN_VISIT_SAL: project_parts(d, rho, rho, mu, u, p); break;
    case MRN_VISIT_SBP: bipotential(d, rho, mu, u, p); break;
    default:
        for (int pass = 0; pass < 1000; pass++) {
            double old[3] = {0, 0, 0}, change = 0, size = 0;
            memcpy(old, p, (size_t)d * sizeof *old);
            velocity_of(d, W, b, p, u);
            bipotential(d, rho, mu, u, p);
            for (int k = 0; k < d; k++) change += (p[k] - old[k]) * (p[k] - old[k]), size += p[k] * p[k];
            double limit = settings->accuracy > 0 ? settings->accuracy : 1e-14 * sqrt(size);
            if (sqrt(change) <= limit) break;
        }
    }
}
