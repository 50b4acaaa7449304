// Active-set method for the quadratic program min z'Mz/2 + q'z, z >= 0, M symmetric positive semi-definite: its
// optimality conditions are the LCP (van de Panne, Whinston 1964; Cottle, Pang, Stone 1992, section 4.2).
//
// The free set P keeps w_P = 0. The most negative w_i is driven to zero along d: d_i = 1, M_PP d_P = -M_Pi. A z_j that
// reaches zero on the way leaves P and the drive goes on. Without curvature and without a z_j in the way, d is a ray
// that proves infeasibility. The Cholesky factor of M_PP gains a row or loses one by rotations, O(|P|^2) each.
#include "solve/lcp/lcp.h"

#include <math.h>
#include <string.h>

typedef struct ActiveSet {
    MrnLcpJob *job;
    size_t n, count;
    int *member;   ///< P in the order of the factor
    double *L;     ///< lower triangle by rows, stride n
    double *l, *d; ///< new row of the factor; direction on P
    double *z, *w, *slope;
} ActiveSet;

/// L l = M_Pi; L' d = -l. Returns the curvature M_ii - l'l along the direction.
static double direction(ActiveSet *s, int i) {
    const double *row = s->job->lcp->dense + (size_t)i * s->n;
    double own = row[i];
    for (size_t a = 0; a < s->count; a++) {
        double sum = row[s->member[a]];
        const double *La = s->L + a * s->n;
        for (size_t b = 0; b < a; b++) sum -= La[b] * s->l[b];
        s->l[a] = sum / La[a];
        own -= s->l[a] * s->l[a];
        s->d[a] = -s->l[a];
    }
    for (size_t a = s->count; a-- > 0;) {
        const double *La = s->L + a * s->n;
        s->d[a] /= La[a];
        for (size_t b = 0; b < a; b++) s->d[b] -= La[b] * s->d[a];
    }
    return own;
}

/// Take member `a` out of the factor: rotations restore the triangle below it.
static void drop(ActiveSet *s, size_t a) {
    size_t n = s->n;
    for (size_t k = a; k + 1 < s->count; k++) {
        s->member[k] = s->member[k + 1];
        memcpy(s->L + k * n, s->L + (k + 1) * n, (k + 2) * sizeof *s->L);
    }
    s->count--;
    for (size_t k = a; k < s->count; k++) {
        double x = s->L[k * n + k], y = s->L[k * n + k + 1], r = hypot(x, y), c = x / r, e = y / r;
        s->L[k * n + k] = r;
        for (size_t i = k + 1; i < s->count; i++) {
            double *row = s->L + i * n, p = row[k], q = row[k + 1];
            row[k] = c * p + e * q;
            row[k + 1] = c * q - e * p;
        }
    }
}

static void advance(ActiveSet *s, int i, double step) {
    const double *M = s->job->lcp->dense;
    memcpy(s->slope, M + (size_t)i * s->n, s->n * sizeof *s->slope);
    for (size_t a = 0; a < s->count; a++) {
        const double *row = M + (size_t)s->member[a] * s->n; // symmetric: a row is a column
        for (size_t j = 0; j < s->n; j++) s->slope[j] += row[j] * s->d[a];
        s->z[s->member[a]] = fmax(0, s->z[s->member[a]] + step * s->d[a]);
    }
    s->z[i] += step;
    for (size_t j = 0; j < s->n; j++) s->w[j] += step * s->slope[j];
}

/// The best of the guess, of z and of the exact solution on P goes to job->z.
static void finish(ActiveSet *s) {
    MrnLcpJob *job = s->job;
    size_t n = s->n;
    double *work = mrn_arena_take(job->arena, n * (n + 8), sizeof *work);
    int *pivot = mrn_arena_take(job->arena, n, sizeof *pivot);
    // A point on the way may be far worse than the guess.
    mrn_lcp_slack(job->lcp, job->z, s->w);
    double best = mrn_lcp_job_residual(job, job->z, s->w);
    mrn_lcp_slack(job->lcp, s->z, s->w);
    double reached = mrn_lcp_job_residual(job, s->z, s->w);
    if (reached < best) {
        best = reached;
        memcpy(job->z, s->z, n * sizeof *s->z);
    }
    if (best > 1e-15 && mrn_lcp_solve_subset(job, s->member, s->count, s->d, work, pivot)) {
        memset(s->z, 0, n * sizeof *s->z);
        for (size_t a = 0; a < s->count; a++) s->z[s->member[a]] = fmax(0, s->d[a]);
        mrn_lcp_slack(job->lcp, s->z, s->w);
        double residual = mrn_lcp_job_residual(job, s->z, s->w);
        if (residual < best) memcpy(job->z, s->z, n * sizeof *s->z);
    }
}

static void solve(MrnLcpJob *job) {
    size_t n = job->lcp->size;
    ActiveSet s = {.job = job, .n = n};
    s.member = mrn_arena_take(job->arena, n, sizeof *s.member);
    s.L = mrn_arena_take(job->arena, n * n, sizeof *s.L);
    double **vectors[] = {&s.l, &s.d, &s.z, &s.w, &s.slope};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(job->arena, n, sizeof(double));
    bool *free_set = mrn_arena_take(job->arena, n, sizeof *free_set);
    memset(free_set, 0, n * sizeof *free_set);
    memset(s.z, 0, n * sizeof *s.z);
    memcpy(s.w, job->lcp->vector, n * sizeof *s.w);
    int limit = mrn_lcp_job_limit(job, n < 20        ? 1000
                                       : n > 1000000 ? 50000000
                                                     : (int)(50 * n)),
        iteration = 0, degenerate = 0;
    MrnSolveStatus status = MRN_MAX_ITERATIONS;
    // Rounding leaves w_i of this size; below, a row counts as satisfied.
    double threshold = fmin(1e-13, 1e-3 * job->settings->tolerance / sqrt((double)n)) * job->vector_norm;
    int driven = -1;
    while (iteration < limit) {
        if (mrn_lcp_job_late(job)) {
            status = MRN_TIME_LIMIT;
            break;
        }
        iteration++;
        if (driven < 0) {
            if (iteration % 32 == 0) mrn_lcp_slack(job->lcp, s.z, s.w);
            // Most negative first; after many steps of length zero, the least index, which cannot cycle (Bland).
            for (size_t i = 0; i < n; i++) {
                if (free_set[i] || s.w[i] >= -threshold) continue;
                if (driven < 0 || s.w[i] < s.w[driven]) driven = (int)i;
                if (degenerate > 50) break;
            }
            if (driven < 0) {
                status = MRN_SOLVED;
                break;
            }
        }
        double own = job->lcp->dense[(size_t)driven * n + (size_t)driven], curvature = direction(&s, driven);
        bool flat = curvature <= 1e-13 * own;
        double full = flat ? INFINITY : -s.w[driven] / curvature, step = full;
        size_t blocking = s.count;
        for (size_t a = 0; a < s.count; a++) {
            if (s.d[a] >= -1e-14) continue;
            double room = s.z[s.member[a]] / -s.d[a];
            if (room < step) step = room, blocking = a;
        }
        if (isinf(step)) {
            for (size_t a = 0; a < s.count; a++) job->ray[s.member[a]] = fmax(0, s.d[a]);
            job->ray[driven] = 1;
            status = MRN_STALLED;
            break;
        }
        degenerate = step * job->diagonal[driven] <= 1e-15 ? degenerate + 1 : 0;
        advance(&s, driven, step);
        if (blocking < s.count) {
            int leaves = s.member[blocking];
            s.z[leaves] = 0;
            free_set[leaves] = false;
            drop(&s, blocking);
            continue;
        }
        memcpy(s.L + s.count * n, s.l, s.count * sizeof *s.l);
        s.L[s.count * n + s.count] = sqrt(curvature);
        s.member[s.count++] = driven;
        free_set[driven] = true;
        s.w[driven] = 0;
        driven = -1;
    }
    finish(&s);
    job->info->iterations = iteration;
    job->info->status = status;
}

const MrnLcpSolverRow mrn_lcp_active_set = {
    .entry = {"active_set",
              "active-set quadratic programming with an updated Cholesky factor: exact, proves infeasibility",
              "symmetric positive semi-definite M"},
    .needs = MRN_LCP_NEEDS_DENSE | MRN_LCP_NEEDS_SYMMETRIC,
    .solve = solve,
};
