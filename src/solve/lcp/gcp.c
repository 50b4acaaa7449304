// Projected conjugate gradient for symmetric positive semi-definite M (Nineb 2007, eq. 2.26; Renouf, Alart 2005):
// z = arg min of z'Mz/2 + q'z over z >= 0. The tangent cone at z: component i is free if z_i > 0, else >= 0.
//
// The conjugate step crosses bounds that its length does not know of, so it may raise the energy. Where it does, a
// projected gradient step with the Barzilai-Borwein length, halved until the energy falls, replaces it and the
// directions start anew: the energy never grows.
#include "solve/lcp/lcp.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_ITERATIONS = 100000, WITHOUT_PROGRESS = 2000 };

static double dot(size_t n, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
    return sum;
}

/// Energy of b less energy of a: (b - a)'(w_a + w_b) / 2 for symmetric M, without the cancellation of two energies.
static double energy_change(size_t n, const double *a, const double *w_a, const double *b, const double *w_b) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += (b[i] - a[i]) * (w_a[i] + w_b[i]);
    return 0.5 * sum;
}

static double on_tangent_cone(double x, double z) {
    return z > 0 ? x : fmax(0, x);
}

static void solve(MrnLcpJob *job) {
    const MrnLcp *lcp = job->lcp;
    size_t n = lcp->size;
    double *z = mrn_arena_take(job->arena, n, sizeof *z), *w = mrn_arena_take(job->arena, n, sizeof *w);
    double *trial = mrn_arena_take(job->arena, n, sizeof *trial),
           *trial_w = mrn_arena_take(job->arena, n, sizeof *trial_w);
    double *p = mrn_arena_take(job->arena, n, sizeof *p), *Mp = mrn_arena_take(job->arena, n, sizeof *Mp);
    memcpy(z, job->z, n * sizeof *z);
    mrn_lcp_slack(lcp, z, w);
    double best = INFINITY, milestone = INFINITY;
    for (size_t i = 0; i < n; i++) p[i] = on_tangent_cone(-w[i], z[i]);
    int limit = mrn_lcp_job_limit(job, DEFAULT_ITERATIONS), iteration = 0, idle = 0;
    MrnSolveStatus status = MRN_MAX_ITERATIONS;
    while (1) {
        double residual = mrn_lcp_job_residual(job, z, w);
        if (residual < best) {
            best = residual;
            memcpy(job->z, z, n * sizeof *z);
        }
        if (best <= job->settings->tolerance) {
            status = MRN_SOLVED;
            break;
        }
        if (best < 0.999 * milestone)
            milestone = best, idle = 0;
        else if (++idle > WITHOUT_PROGRESS) {
            status = MRN_STALLED;
            break;
        }
        if (iteration >= limit) break;
        if (mrn_lcp_job_late(job)) {
            status = MRN_TIME_LIMIT;
            break;
        }
        iteration++;

        mrn_lcp_slack(lcp, p, Mp); // M p + q
        for (size_t i = 0; i < n; i++) Mp[i] -= lcp->vector[i];
        double curvature = dot(n, p, Mp), slope = -dot(n, w, p), square = dot(n, p, p);
        bool flat = curvature <= 1e-15 * square;
        if (flat && slope > 0) {
            // No curvature along a direction of descent: a ray, if nothing bounds it.
            bool bounded = false;
            for (size_t i = 0; i < n; i++) bounded |= p[i] < -1e-12 * sqrt(square);
            for (size_t i = 0; i < n; i++) job->ray[i] = fmax(0, p[i]);
            if (!bounded && mrn_lcp_job_proves(job, job->ray, trial)) {
                status = MRN_STALLED;
                break;
            }
        }
        double length = flat ? 1 : slope / curvature;
        bool crossed = iteration % 32 == 0; // a fresh product now and then, against rounding
        for (size_t i = 0; i < n; i++) {
            double x = z[i] + length * p[i];
            crossed |= x < 0;
            trial[i] = fmax(0, x);
        }
        // As long as no bound is crossed w moves along M p, and a product is saved.
        if (crossed)
            mrn_lcp_slack(lcp, trial, trial_w);
        else
            for (size_t i = 0; i < n; i++) trial_w[i] = w[i] + length * Mp[i];
        double change = energy_change(n, z, w, trial, trial_w);
        bool restart = !(change <= 0) || !(slope > 0);
        if (restart) {
            // Projected gradient; for the first length, the curvature along the gradient itself.
            double gradient = 0;
            for (size_t i = 0; i < n; i++) p[i] = on_tangent_cone(-w[i], z[i]), gradient += p[i] * p[i];
            mrn_lcp_slack(lcp, p, Mp);
            for (size_t i = 0; i < n; i++) Mp[i] -= lcp->vector[i];
            curvature = dot(n, p, Mp);
            length = curvature > 1e-15 * gradient ? gradient / curvature : 1;
            for (int halving = 0; halving < 60; halving++, length *= 0.5) {
                for (size_t i = 0; i < n; i++) trial[i] = fmax(0, z[i] + length * p[i]);
                mrn_lcp_slack(lcp, trial, trial_w);
                change = energy_change(n, z, w, trial, trial_w);
                if (change <= 0 || mrn_lcp_job_late(job)) break;
            }
            if (!(change < 0)) idle += WITHOUT_PROGRESS / 20; // rounding rules here
        }
        if (!isfinite(change)) {
            status = MRN_STALLED;
            break;
        }
        double conjugate = 0;
        for (size_t i = 0; i < n; i++) conjugate += on_tangent_cone(-trial_w[i], trial[i]) * Mp[i];
        double beta = restart || flat || curvature <= 0 ? 0 : -conjugate / curvature;
        for (size_t i = 0; i < n; i++)
            p[i] = on_tangent_cone(-trial_w[i], trial[i]) + beta * on_tangent_cone(p[i], trial[i]);
        memcpy(z, trial, n * sizeof *z);
        memcpy(w, trial_w, n * sizeof *w);
    }
    job->info->iterations = iteration;
    job->info->status = status;
}

const MrnLcpSolverRow mrn_lcp_gcp = {
    .entry = {"gcp", "projected conjugate gradient: large symmetric problems, dense or sparse",
              "symmetric positive semi-definite M"},
    .needs = MRN_LCP_NEEDS_SYMMETRIC,
    .solve = solve,
};
