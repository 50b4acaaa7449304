// Enumeration: all 2^n choices of which z_i may be positive, each a linear system. The only method that needs nothing
// of M, and the judge of the others on small problems. If every system is regular and none gives a solution, there is
// none (Cottle, Pang, Stone 1992, section 1.3: no complementary cone contains q).
#include "solve/lcp/lcp.h"

#include <math.h>
#include <string.h>

enum { LARGEST = 24 };

static void solve(MrnLcpJob *job) {
    const MrnLcp *lcp = job->lcp;
    size_t n = lcp->size;
    double *z = mrn_arena_take(job->arena, n, sizeof *z), *w = mrn_arena_take(job->arena, n, sizeof *w);
    double *x = mrn_arena_take(job->arena, n, sizeof *x), *work = mrn_arena_take(job->arena, n * (n + 8), sizeof *work);
    int *index = mrn_arena_take(job->arena, n, sizeof *index), *pivot = mrn_arena_take(job->arena, n, sizeof *pivot);
    mrn_lcp_slack(lcp, job->z, w);
    double best = mrn_lcp_job_residual(job, job->z, w);
    uint64_t all = (uint64_t)1 << n;
    int limit = mrn_lcp_job_limit(job, 1 << (LARGEST + 1)), iteration = 0;
    bool regular = true;
    job->info->status = MRN_STALLED;
    for (uint64_t set = 0; set < all && best > job->settings->tolerance; set++) {
        if (iteration >= limit || mrn_lcp_job_late(job)) {
            job->info->status = iteration >= limit ? MRN_MAX_ITERATIONS : MRN_TIME_LIMIT;
            regular = false;
            break;
        }
        iteration++;
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            if (set >> i & 1) index[count++] = (int)i;
        if (!mrn_lcp_solve_subset(job, index, count, x, work, pivot)) {
            regular = false;
            continue;
        }
        memset(z, 0, n * sizeof *z);
        bool hopeless = false;
        for (size_t k = 0; k < count; k++) {
            // A huge solution is what an almost singular system gives: no proof rests on it.
            if (fabs(x[k]) > 1e12) regular = false;
            if (x[k] < -1e-6) hopeless = true;
            z[index[k]] = fmax(0, x[k]);
        }
        if (hopeless) continue;
        mrn_lcp_slack(lcp, z, w);
        double residual = mrn_lcp_job_residual(job, z, w);
        if (residual < best) {
            best = residual;
            memcpy(job->z, z, n * sizeof *z);
        }
    }
    // A near miss is no proof either.
    if (regular && best > fmax(1e-6, job->settings->tolerance)) job->info->status = MRN_INFEASIBLE;
    job->info->iterations = iteration;
}

const MrnLcpSolverRow mrn_lcp_enumeration = {
    .entry = {"enumeration", "all choices of positive unknowns: the judge on problems of at most 24 unknowns", "any M"},
    .needs = MRN_LCP_NEEDS_DENSE,
    .largest = LARGEST,
    .solve = solve,
};
