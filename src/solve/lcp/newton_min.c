// Newton's method on min(z, w) = 0, that is: guess which z_i are positive, solve M_AA z_A = -q_A, change the guess for
// every sign that came out wrong (Kostreva 1978; Portugal, Judice, Vicente 1994).
//
// The plain method may cycle. While the number of wrong signs does not fall, at most GRACE full exchanges are allowed;
// then only the wrong sign of largest index is exchanged (Murty 1974) until the number is below its record. For a
// P-matrix this ends in finitely many steps.
#include "solve/lcp/lcp.h"

#include <math.h>
#include <string.h>

enum { GRACE = 8 };

static void solve(MrnLcpJob *job) {
    const MrnLcp *lcp = job->lcp;
    size_t n = lcp->size;
    double *z = mrn_arena_take(job->arena, n, sizeof *z), *w = mrn_arena_take(job->arena, n, sizeof *w);
    double *x = mrn_arena_take(job->arena, n, sizeof *x), *work = mrn_arena_take(job->arena, n * (n + 8), sizeof *work);
    int *index = mrn_arena_take(job->arena, n, sizeof *index), *pivot = mrn_arena_take(job->arena, n, sizeof *pivot);
    bool *active = mrn_arena_take(job->arena, n, sizeof *active);
    mrn_lcp_slack(lcp, job->z, w);
    double best = mrn_lcp_job_residual(job, job->z, w);
    // z_i - w_i > 0: the branch of min that the guess is on.
    for (size_t i = 0; i < n; i++) active[i] = job->diagonal[i] * job->z[i] > w[i];
    size_t record = n + 1, grace = GRACE;
    int limit = mrn_lcp_job_limit(job, n < 100 ? 10000 : n > 1000000 ? 100000000 : (int)(100 * n)), iteration = 0;
    MrnSolveStatus status = best <= job->settings->tolerance ? MRN_SOLVED : MRN_MAX_ITERATIONS;
    bool singular_before = false;
    while (status != MRN_SOLVED && iteration < limit) {
        if (mrn_lcp_job_late(job)) {
            status = MRN_TIME_LIMIT;
            break;
        }
        iteration++;
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (active[i]) index[count++] = (int)i;
        if (!mrn_lcp_solve_subset(job, index, count, x, work, pivot)) {
            if (mrn_lcp_job_late(job)) continue;
            // Not a P-matrix. Drop the rows that are satisfied at the best point once; if that is singular too, it
            // cannot go on.
            mrn_lcp_slack(lcp, job->z, w);
            bool changed = false;
            for (size_t i = 0; i < n; i++)
                if (active[i] && w[i] >= 0 && job->z[i] == 0) active[i] = false, changed = true;
            if (singular_before || !changed) {
                status = MRN_STALLED;
                break;
            }
            singular_before = true;
            continue;
        }
        memset(z, 0, n * sizeof *z);
        for (size_t k = 0; k < count; k++) z[index[k]] = x[k];
        mrn_lcp_slack(lcp, z, w);
        // Where z is basic w is zero up to rounding, and must not be read as a wrong sign.
        size_t wrong = 0, last = 0;
        for (size_t i = 0; i < n; i++) {
            double value = active[i] ? z[i] : w[i];
            if (value < -1e-14 * job->vector_norm) wrong++, last = i;
            x[i] = value;
            z[i] = fmax(z[i], 0);
        }
        mrn_lcp_slack(lcp, z, w);
        double residual = mrn_lcp_job_residual(job, z, w);
        if (residual < best) {
            best = residual;
            memcpy(job->z, z, n * sizeof *z);
        }
        if (best <= job->settings->tolerance) {
            status = MRN_SOLVED;
            break;
        }
        if (wrong == 0) {
            status = MRN_STALLED; // every sign is right, rounding is the limit
            break;
        }
        bool all = true;
        if (wrong < record)
            record = wrong, grace = GRACE;
        else if (grace > 0)
            grace--;
        else
            all = false;
        for (size_t i = 0; i < n; i++)
            if (x[i] < -1e-14 * job->vector_norm && (all || i == last)) active[i] = !active[i];
    }
    job->info->iterations = iteration;
    job->info->status = status;
}

const MrnLcpSolverRow mrn_lcp_newton_min = {
    .entry = {"newton_min", "Newton on min(z, w), safeguarded by single exchanges: very few steps on P-matrices",
              "P-matrices; others with luck"},
    .needs = MRN_LCP_NEEDS_DENSE,
    .solve = solve,
};
