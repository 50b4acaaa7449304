// The certificate of a solution.
//
// With u^ = u + mu |u_t| n (de Saxce and Feng 1998) Coulomb's law is: p in K, u^ in K*, p . u^ = 0, which holds exactly
// when p = P_K(p - u^). The residual is the 2-norm of that natural map over all contacts, over |q| (over 1 if q = 0).
// It is zero only at a solution, whatever the scale of p; the scaled variant multiplies p by the mean diagonal of W, so
// that both terms are velocities. Bilateral: the map is u. Elliptic: the same with |.| the ellipse's norm. Rolling
// couple: p - P_disc(p - u), radius mu p_n of the parent.
#include "solve/solver.h"

#include "problem/problem.h"
#include "solve/certify.h"

#include <math.h>
#include <string.h>

static double tangent_norm(int dimension, const double *x) {
    return dimension == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]);
}

double mrn_coulomb_residual2(int dimension, double mu, const double *p, const double *u) {
    double x[3] = {0, 0, 0}, y[3] = {0, 0, 0}, sum = 0;
    x[0] = p[0] - (u[0] + mu * tangent_norm(dimension, u));
    for (int k = 1; k < dimension; k++) x[k] = p[k] - u[k];
    double norm = tangent_norm(dimension, x);
    if (x[0] >= 0 && norm <= mu * x[0]) {
        for (int k = 0; k < dimension; k++) y[k] = x[k];
    } else if (mu * norm > -x[0]) {
        double scale = (mu * norm + x[0]) / (1 + mu * mu);
        y[0] = scale;
        for (int k = 1; k < dimension; k++) y[k] = mu * scale * x[k] / norm;
    }
    for (int k = 0; k < dimension; k++) sum += (p[k] - y[k]) * (p[k] - y[k]);
    return sum;
}

// Projection on the cone (x1/mu1)^2 + (x2/mu2)^2 <= x0^2, x0 >= 0: the multiplier is the one root of a decreasing
// function.
static void project_elliptic(double mu1, double mu2, const double *x, double *y) {
    double a = mu1 * mu1, b = mu2 * mu2;
    y[0] = y[1] = y[2] = 0;
    if (a == 0 || b == 0) { // degenerate ellipse: the flat directions vanish
        double z[3] = {x[0], a == 0 ? x[2] : x[1], 0}, mu = a == 0 ? mu2 : mu1;
        double norm = fabs(z[1]);
        if (z[0] >= 0 && norm <= mu * z[0])
            y[0] = z[0], y[a == 0 ? 2 : 1] = mu > 0 ? z[1] : 0;
        else if (mu * norm > -z[0]) {
            double scale = (mu * norm + z[0]) / (1 + mu * mu);
            y[0] = scale, y[a == 0 ? 2 : 1] = mu * copysign(scale, z[1]);
        }
        return;
    }
    if (x[0] >= 0 && x[1] * x[1] / a + x[2] * x[2] / b <= x[0] * x[0]) {
        memcpy(y, x, 3 * sizeof *y);
        return;
    }
    if (x[0] <= 0 && a * x[1] * x[1] + b * x[2] * x[2] <= x[0] * x[0]) return; // polar cone
    // y0 = x0/(1 - s), y1 = x1 a/(a + s), y2 = x2 b/(b + s); the cone condition g(s) = 0 has its root in (0, 1) if x0 >
    // 0, beyond 1 if x0 < 0.
    double low = 0, high = 1;
    if (x[0] < 0) {
        low = 1, high = 2;
        for (int k = 0; k < 2000; k++, high *= 2) {
            double t1 = x[1] * mu1 / (a + high), t2 = x[2] * mu2 / (b + high), n = x[0] / (1 - high);
            if (t1 * t1 + t2 * t2 >= n * n) break;
        }
    }
    for (int k = 0; k < 200; k++) {
        double s = 0.5 * (low + high);
        if (s <= low || s >= high) break;
        double t1 = x[1] * mu1 / (a + s), t2 = x[2] * mu2 / (b + s), n = x[0] / (1 - s);
        bool outside = t1 * t1 + t2 * t2 > n * n; // tangent too long: s must grow if x0 > 0, shrink if x0 < 0
        if (outside == (x[0] >= 0))
            low = s;
        else
            high = s;
    }
    double s = 0.5 * (low + high);
    y[1] = x[1] * a / (a + s), y[2] = x[2] * b / (b + s);
    y[0] = sqrt(y[1] * y[1] / a + y[2] * y[2] / b);
}

static double elliptic_residual2(double mu1, double mu2, const double *p, const double *u) {
    double x[3] = {p[0] - (u[0] + sqrt(mu1 * mu1 * u[1] * u[1] + mu2 * mu2 * u[2] * u[2])), p[1] - u[1], p[2] - u[2]},
           y[3], sum = 0;
    project_elliptic(mu1, mu2, x, y);
    for (int k = 0; k < 3; k++) sum += (p[k] - y[k]) * (p[k] - y[k]);
    return sum;
}

static double rolling_residual2(int dimension, double radius, const double *p, const double *u) {
    double x[3], norm = 0, sum = 0;
    for (int k = 0; k < dimension; k++) x[k] = p[k] - u[k], norm += x[k] * x[k];
    norm = sqrt(norm);
    double scale = norm > radius ? radius / norm : 1;
    for (int k = 0; k < dimension; k++) sum += (p[k] - scale * x[k]) * (p[k] - scale * x[k]);
    return sum;
}

double mrn_contact_residual2(const MrnProblem *problem, size_t i, double scale, const double *impulse,
                             const double *u) {
    int d = problem->dimension;
    const double *own = impulse + (size_t)d * i;
    double p[3], mu = problem->friction[i], sum = 0;
    for (int k = 0; k < d; k++) p[k] = scale * own[k];
    switch (problem->law ? problem->law[i] : MRN_LAW_COULOMB) {
    case MRN_LAW_BILATERAL:
        for (int k = 0; k < d; k++) sum += u[k] * u[k];
        return sum;
    case MRN_LAW_ELLIPTIC:
        if (d == 3) return elliptic_residual2(mu, problem->friction2 ? problem->friction2[i] : mu, p, u);
        break;
    case MRN_LAW_ROLLING: {
        double normal = problem->parent ? impulse[(size_t)d * (size_t)problem->parent[i]] : 0;
        return rolling_residual2(d, mu * scale * fmax(normal, 0), p, u);
    }
    default: break;
    }
    return mrn_coulomb_residual2(d, mu, p, u);
}

double mrn_residual(const MrnProblem *problem, double scale, const double *impulse, const double *velocity) {
    int d = problem->dimension;
    double sum = 0, q2 = 0;
    for (size_t i = 0; i < problem->contacts; i++)
        sum += mrn_contact_residual2(problem, i, scale, impulse, velocity + (size_t)d * i);
    for (size_t i = 0; i < (size_t)d * problem->contacts; i++)
        q2 += problem->free_velocity[i] * problem->free_velocity[i];
    return sqrt(sum) / (q2 > 0 ? sqrt(q2) : 1);
}

void mrn_certify(MrnProblem *problem, const double *impulse, const double *velocity, MrnSolveInfo *info) {
    int d = problem->dimension;
    info->residual = mrn_residual(problem, 1, impulse, velocity);
    info->scaled_residual = mrn_residual(problem, mrn_problem_mean_diagonal(problem), impulse, velocity);
    double worst = 0, largest = 0;
    for (size_t i = 0; i < problem->contacts; i++) {
        const double *p = impulse + (size_t)d * i;
        double mu = problem->friction[i], violation = 0, norm = 0;
        for (int k = 0; k < d; k++) norm += p[k] * p[k];
        largest = fmax(largest, sqrt(norm));
        switch (problem->law ? problem->law[i] : MRN_LAW_COULOMB) {
        case MRN_LAW_BILATERAL: break;
        case MRN_LAW_ROLLING:
            violation =
                sqrt(norm) - mu * (problem->parent ? fmax(impulse[(size_t)d * (size_t)problem->parent[i]], 0) : 0);
            break;
        case MRN_LAW_ELLIPTIC:
            if (d == 3 && problem->friction2) {
                double mu2 = problem->friction2[i];
                double r1 = mu > 0      ? p[1] / mu
                            : p[1] == 0 ? 0
                                        : INFINITY,
                       r2 = mu2 > 0     ? p[2] / mu2
                            : p[2] == 0 ? 0
                                        : INFINITY;
                double excess = (sqrt(r1 * r1 + r2 * r2) - p[0]) * fmax(mu, mu2);
                violation = fmax(isfinite(excess) ? excess : tangent_norm(d, p), -p[0]);
                break;
            }
            // fall through
        default: violation = fmax(tangent_norm(d, p) - mu * p[0], -p[0]);
        }
        worst = fmax(worst, violation);
    }
    info->cone_violation = largest > 0 ? worst / largest : worst;
}
