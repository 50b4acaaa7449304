// LATIN (Ladeveze 1985) for an LCP (Nineb 2007, table 2.2): alternate between the linear equations and complementarity
// along conjugate search directions +-K, K = k D with D the diagonal of M.
//     linear stage: (M + K) z = v - q, w = v - K z      with v = w^ + K z^ of the local stage
//     local stage:  s = w - K z, w^ = max(0, s), K z^ = max(0, -s), hence v = |s|
// One factorisation per k. For M positive semi-definite the map is non-expansive for every k > 0; k decides how fast.
//
// Automatic k: windows of iterations with k, then with k multiplied or divided by a factor; the best rate of the
// residual wins, the factor shrinks, and k is kept after a few windows without gain. If a fixed k stagnates, the map is
// averaged (relaxation 0.8).
#include "solve/lcp/dense.h"
#include "solve/lcp/lcp.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_ITERATIONS = 20000, WINDOW = 12, LARGEST_SEARCHES = 40 };

typedef struct Latin {
    MrnLcpJob *job;
    double k;
    double *K, *v, *z, *w, *what, *zhat;
    double *factor;
    int *pivot;
} Latin;

/// Factorise M + K for a new k, and put v on it.
static bool set_direction(Latin *l, double k) {
    size_t n = l->job->lcp->size;
    l->k = k;
    for (size_t i = 0; i < n; i++) {
        l->K[i] = k * l->job->diagonal[i];
        l->v[i] = l->what[i] + l->K[i] * l->zhat[i];
    }
    memcpy(l->factor, l->job->lcp->dense, n * n * sizeof *l->factor);
    for (size_t i = 0; i < n; i++) l->factor[i * n + i] += l->K[i];
    return mrn_dense_factorise(l->factor, n, l->pivot, l->factor + n * n, l->job->deadline);
}

static void iterate(Latin *l, double relaxation) {
    size_t n = l->job->lcp->size;
    for (size_t i = 0; i < n; i++) l->z[i] = l->v[i] - l->job->lcp->vector[i];
    mrn_dense_solve(l->factor, n, l->pivot, l->z);
    for (size_t i = 0; i < n; i++) {
        l->w[i] = l->v[i] - l->K[i] * l->z[i];
        double s = l->w[i] - l->K[i] * l->z[i];
        l->v[i] = relaxation * fabs(s) + (1 - relaxation) * l->v[i];
        l->what[i] = fmax(0, s);
        l->zhat[i] = fmax(0, -s) / l->K[i];
    }
}

static void solve(MrnLcpJob *job) {
    size_t n = job->lcp->size;
    Latin l = {.job = job};
    double **vectors[] = {&l.K, &l.v, &l.z, &l.w, &l.what, &l.zhat};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(job->arena, n, sizeof(double));
    double *keep = mrn_arena_take(job->arena, 2 * n, sizeof *keep);
    l.factor = mrn_arena_take(job->arena, n * (n + 8), sizeof *l.factor);
    l.pivot = mrn_arena_take(job->arena, n, sizeof *l.pivot);
    memcpy(l.zhat, job->z, n * sizeof *l.zhat);
    mrn_lcp_slack(job->lcp, l.zhat, l.what);
    double best = mrn_lcp_job_residual(job, l.zhat, l.what);
    for (size_t i = 0; i < n; i++) l.what[i] = fmax(0, l.what[i]);

    bool automatic = job->settings->search_direction == 0;
    double k = automatic ? 0.3 : job->settings->search_direction, best_k = k, best_rate = INFINITY, factor = 3;
    double relaxation = fmin(1, job->settings->relaxation);
    int limit = mrn_lcp_job_limit(job, DEFAULT_ITERATIONS), iteration = 0, searches = 0, idle = 0;
    int direction = 0; // 0: k itself was measured; +1, -1: a trial above or below
    MrnSolveStatus status = best <= job->settings->tolerance ? MRN_SOLVED : MRN_MAX_ITERATIONS;
    if (status != MRN_SOLVED && !set_direction(&l, k)) status = mrn_lcp_job_late(job) ? MRN_TIME_LIMIT : MRN_STALLED;
    double window_start = INFINITY, milestone = INFINITY;
    while (status == MRN_MAX_ITERATIONS && iteration < limit) {
        if (mrn_lcp_job_late(job)) {
            status = MRN_TIME_LIMIT;
            break;
        }
        iteration++;
        iterate(&l, relaxation);
        // The linear iterate satisfies w = M z + q, so its residual is free; negative z counts.
        double residual = mrn_lcp_job_residual(job, l.z, l.w);
        if (!isfinite(residual)) {
            status = MRN_STALLED;
            break;
        }
        if (residual < best) {
            best = residual;
            memcpy(job->z, l.z, n * sizeof *l.z);
            if (best <= 0.5 * job->settings->tolerance) { // clipping below may cost something
                status = MRN_SOLVED;
                break;
            }
        }
        if (iteration % WINDOW) continue;
        double rate = window_start < INFINITY ? pow(residual / window_start, 1.0 / WINDOW) : INFINITY;
        window_start = residual;
        if (best < 0.999 * milestone)
            milestone = best, idle = 0;
        else if (++idle >= 60) {
            status = MRN_STALLED;
            break;
        }
        if (idle == 20 && job->settings->relaxation == 1) relaxation = 0.8;
        if (!automatic || searches >= LARGEST_SEARCHES || rate == INFINITY) continue;
        // A measured window: keep the better k, then try its neighbours, above first.
        bool better = rate < best_rate - 1e-3;
        if (direction == 0 || better) {
            if (better && direction != 0) best_k = l.k;
            best_rate = rate;
            direction = direction == 0 ? 1 : direction;
        } else {
            direction = direction == 1 ? -1 : 0;
            if (direction == 0) factor = sqrt(factor);
        }
        double next = direction == 0 ? best_k : direction == 1 ? best_k * factor : best_k / factor;
        if (factor < 1.15) { // found: stay
            searches = LARGEST_SEARCHES;
            next = best_k;
        }
        searches++;
        if (next != l.k) {
            if (!set_direction(&l, next)) {
                status = mrn_lcp_job_late(job) ? MRN_TIME_LIMIT : MRN_STALLED;
                break;
            }
            window_start = INFINITY; // the first window after a change is not typical of k
        }
    }
    // z >= 0 is better than a small negative part, where it costs nothing.
    for (size_t i = 0; i < n; i++) keep[i] = fmax(0, job->z[i]);
    mrn_lcp_slack(job->lcp, keep, keep + n);
    double residual = mrn_lcp_job_residual(job, keep, keep + n);
    if (residual <= fmax(best, job->settings->tolerance)) memcpy(job->z, keep, n * sizeof *keep);
    job->info->iterations = iteration;
    job->info->status = status;
    job->info->search_direction = l.k;
}

const MrnLcpSolverRow mrn_lcp_latin = {
    .entry = {"latin",
              "LATIN with its search direction, chosen automatically if not given: cheap steps "
              "after one factorisation (search_direction, relaxation)",
              "positive semi-definite M, symmetric or not"},
    .needs = MRN_LCP_NEEDS_DENSE,
    .solve = solve,
};
