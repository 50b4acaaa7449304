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
#include <stdlib.h>
#include <string.h>

static double tangent_norm(int dimension, const double *x) {
    return dimension == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]);
}

/// Compiled for each dimension.
static inline __attribute__((always_inline)) double coulomb_residual2(int dimension, double mu, const double *p,
                                                                      const double *u) {
    double x[3] = {0, 0, 0}, y[3] = {0, 0, 0}, sum = 0, opening = u[0] + mu * tangent_norm(dimension, u);
    x[0] = p[0] - opening;
    for (int k = 1; k < dimension; k++) x[k] = p[k] - u[k];
    double norm = tangent_norm(dimension, x);
    if (x[0] >= 0 && norm <= mu * x[0]) { // p - y is u^, also where p is so large that it would swallow it
        for (int k = 1; k < dimension; k++) sum += u[k] * u[k];
        return sum + opening * opening;
    }
    if (mu * norm > -x[0]) {
        double scale = (mu * norm + x[0]) / (1 + mu * mu);
        y[0] = scale;
        for (int k = 1; k < dimension; k++) y[k] = mu * scale * x[k] / norm;
    }
    for (int k = 0; k < dimension; k++) sum += (p[k] - y[k]) * (p[k] - y[k]);
    return sum;
}

double mrn_coulomb_residual2(int dimension, double mu, const double *p, const double *u) {
    return dimension == 2 ? coulomb_residual2(2, mu, p, u) : coulomb_residual2(3, mu, p, u);
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

/// Contacts per block of a sum: blocks are added in their order, whichever thread made them.
#define BLOCK 256

/// Sums over one block of contacts.
typedef struct Sums {
    double plain, scaled; ///< squared residuals, of p as it is and of p times the scale
    double q2;            ///< |q|^2
    double worst;         ///< violation of the cone
    double largest;       ///< impulse
} Sums;

typedef struct Job {
    const MrnProblem *problem;
    const double *impulse, *velocity;
    double scale;
    Sums *sums;
} Job;

/// How far the impulse of a contact is outside its cone.
static double cone_violation(const MrnProblem *problem, size_t i, const double *impulse) {
    int d = problem->dimension;
    const double *p = impulse + (size_t)d * i;
    double mu = problem->friction[i], norm = 0;
    for (int k = 0; k < d; k++) norm += p[k] * p[k];
    switch (problem->law ? problem->law[i] : MRN_LAW_COULOMB) {
    case MRN_LAW_BILATERAL: return 0;
    case MRN_LAW_ROLLING:
        return sqrt(norm) - mu * (problem->parent ? fmax(impulse[(size_t)d * (size_t)problem->parent[i]], 0) : 0);
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
            return fmax(isfinite(excess) ? excess : tangent_norm(d, p), -p[0]);
        }
        break;
    default: break;
    }
    return fmax(tangent_norm(d, p) - mu * p[0], -p[0]);
}

static void residual_blocks(void *context, size_t begin, size_t end, int thread) {
    (void)thread;
    const Job *job = context;
    const MrnProblem *problem = job->problem;
    size_t d = (size_t)problem->dimension;
    for (size_t block = begin; block < end; block++) {
        Sums sums = {0};
        for (size_t i = block * BLOCK; i < (block + 1) * BLOCK && i < problem->contacts; i++) {
            sums.scaled += mrn_contact_residual2(problem, i, job->scale, job->impulse, job->velocity + d * i);
            for (size_t k = d * i; k < d * (i + 1); k++)
                sums.q2 += problem->free_velocity[k] * problem->free_velocity[k];
        }
        job->sums[block] = sums;
    }
}

static void certify_blocks(void *context, size_t begin, size_t end, int thread) {
    const Job *job = context;
    const MrnProblem *problem = job->problem;
    size_t d = (size_t)problem->dimension;
    residual_blocks(context, begin, end, thread);
    for (size_t block = begin; block < end; block++) {
        Sums *sums = &job->sums[block];
        for (size_t i = block * BLOCK; i < (block + 1) * BLOCK && i < problem->contacts; i++) {
            double norm = 0;
            sums->plain += mrn_contact_residual2(problem, i, 1, job->impulse, job->velocity + d * i);
            for (size_t k = d * i; k < d * (i + 1); k++) norm += job->impulse[k] * job->impulse[k];
            sums->largest = fmax(sums->largest, norm);
            sums->worst = fmax(sums->worst, cone_violation(problem, i, job->impulse));
        }
    }
}

/// Sums over all contacts, the same for any number of threads.
static Sums sum_up(Job *job, MrnRangeTask *task, MrnThreads *threads) {
    Sums all = {0};
    size_t blocks = (job->problem->contacts + BLOCK - 1) / BLOCK;
    job->sums = mrn_alloc(blocks + 1, sizeof *job->sums);
    mrn_threads_for(threads, blocks, 2, task, job);
    for (size_t k = 0; k < blocks; k++) {
        const Sums *sums = &job->sums[k];
        all.plain += sums->plain, all.scaled += sums->scaled, all.q2 += sums->q2;
        all.worst = fmax(all.worst, sums->worst), all.largest = fmax(all.largest, sums->largest);
    }
    free(job->sums);
    return all;
}

static double relative(double square, double q2) {
    return sqrt(square) / (q2 > 0 ? sqrt(q2) : 1);
}

double mrn_residual(const MrnProblem *problem, double scale, const double *impulse, const double *velocity,
                    MrnThreads *threads) {
    Job job = {.problem = problem, .impulse = impulse, .velocity = velocity, .scale = scale};
    Sums sums = sum_up(&job, residual_blocks, threads);
    return relative(sums.scaled, sums.q2);
}

void mrn_certify_on(const MrnProblem *problem, double scale, const double *impulse, const double *velocity,
                    MrnSolveInfo *info, MrnThreads *threads) {
    Job job = {.problem = problem, .impulse = impulse, .velocity = velocity, .scale = scale};
    Sums sums = sum_up(&job, certify_blocks, threads);
    info->residual = relative(sums.plain, sums.q2);
    info->scaled_residual = relative(sums.scaled, sums.q2);
    info->cone_violation = sums.largest > 0 ? sums.worst / sqrt(sums.largest) : sums.worst;
}

void mrn_certify(MrnProblem *problem, const double *impulse, const double *velocity, MrnSolveInfo *info) {
    mrn_certify_on(problem, mrn_problem_mean_diagonal(problem, NULL), impulse, velocity, info, NULL);
}
