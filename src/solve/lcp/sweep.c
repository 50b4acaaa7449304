// Relaxation sweeps over the rows of an LCP (Cryer 1971). z stays >= 0. The full residual costs as much as a sweep, so
// it is computed when the change of a sweep says that it may have been reached, and every few sweeps to notice that
// progress has ended.
#include "solve/lcp/sweep.h"
#include "solve/lcp/dense.h"
#include "solve/lcp/lcp_scale.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_SWEEPS = 100000, CHECK_EVERY = 20, CHECKS_WITHOUT_PROGRESS = 100 };

/// w_i = q_i + M_i z.
static double row_slack(const MrnLcp *lcp, size_t i, const double *z) {
    double sum = lcp->vector[i];
    if (lcp->dense) {
        sum += mrn_dense_dot(lcp->dense + i * lcp->size, z, lcp->size);
    } else {
        for (size_t e = lcp->start[i]; e < lcp->start[i + 1]; e++) sum += lcp->value[e] * z[lcp->column[e]];
    }
    return sum;
}

static double relax_row(const MrnLcp *lcp, size_t i, double factor, double own, double *z) {
    double updated = fmax(0, z[i] - factor * row_slack(lcp, i, z));
    double change = updated - z[i];
    z[i] = updated;
    return own * change * change;
}

void mrn_lcp_sweeps(MrnLcpJob *job, MrnSweepOrder order, double relaxation) {
    const MrnLcp *lcp = job->lcp;
    size_t n = lcp->size;
    double *z = mrn_arena_take(job->arena, n, sizeof *z), *w = mrn_arena_take(job->arena, n, sizeof *w);
    double *before = mrn_arena_take(job->arena, n, sizeof *before),
           *factor = mrn_arena_take(job->arena, n, sizeof *factor);
    for (size_t i = 0; i < n; i++) factor[i] = relaxation / mrn_lcp_entry(lcp, i, i);
    memcpy(z, job->z, n * sizeof *z);
    memcpy(before, z, n * sizeof *before);
    mrn_lcp_slack(lcp, z, w);
    double best = mrn_lcp_job_residual(job, z, w), milestone = INFINITY;
    int limit = mrn_lcp_job_limit(job, DEFAULT_SWEEPS), idle = 0, sweep = 0;
    MrnSolveStatus status = best <= job->settings->tolerance ? MRN_SOLVED : MRN_MAX_ITERATIONS;
    while (status != MRN_SOLVED && sweep < limit) {
        double change = 0;
        sweep++;
        for (size_t i = 0; i < n; i++) change += relax_row(lcp, i, factor[i], job->diagonal[i], z);
        if (order == MRN_SWEEP_BOTH_WAYS)
            for (size_t i = n; i-- > 0;) change += relax_row(lcp, i, factor[i], job->diagonal[i], z);
        if (!isfinite(change)) {
            status = MRN_STALLED;
            break;
        }
        bool late = mrn_lcp_job_late(job);
        bool regular = sweep % CHECK_EVERY == 0 || sweep == limit || late;
        if (!regular && sqrt(change) > job->settings->tolerance * job->vector_norm) continue;
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
        if (late) {
            status = MRN_TIME_LIMIT;
            break;
        }
        if (!regular) continue;
        // Without a solution z drifts along a ray: the drift over some sweeps is what could prove it.
        for (size_t i = 0; i < n; i++) {
            job->ray[i] = fmax(0, z[i] - before[i]);
            before[i] = z[i];
        }
        if (best < 0.999 * milestone)
            milestone = best, idle = 0;
        else if (++idle >= CHECKS_WITHOUT_PROGRESS) {
            status = MRN_STALLED;
            break;
        }
        if (idle > 2 && mrn_lcp_job_proves(job, job->ray, w)) {
            status = MRN_STALLED;
            break;
        }
    }
    job->info->iterations = sweep;
    job->info->status = status;
}
