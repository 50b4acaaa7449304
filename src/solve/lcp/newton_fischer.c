// Newton's method on the function of Fischer and Burmeister, phi(a, b) = a + b - sqrt(a^2 + b^2), whose zeros are the
// complementary pairs (De Luca, Facchinei, Kanzow 1996). With a = D z and b = w, the merit |phi|^2 / 2 is smooth; a
// direction that does not descend is replaced by a Levenberg-Marquardt one, and an Armijo search against the worst of
// the last merits sets the length.
#include "solve/lcp/dense.h"
#include "solve/lcp/lcp.h"

#include <math.h>
#include <string.h>

enum { DEFAULT_ITERATIONS = 300, MEMORY = 4, HALVINGS = 40, WITHOUT_PROGRESS = 60 };

typedef struct Fischer {
    MrnLcpJob *job;
    double *z, *w, *phi, *gradient, *direction, *jacobian, *factor, *trial, *trial_w;
    int *pivot;
} Fischer;

static double evaluate(const Fischer *f, const double *z, double *w, double *phi) {
    size_t n = f->job->lcp->size;
    double sum = 0;
    mrn_lcp_slack(f->job->lcp, z, w);
    for (size_t i = 0; i < n; i++) {
        double a = f->job->diagonal[i] * z[i], b = w[i], r = hypot(a, b);
        // For a, b > 0 the difference cancels: ab / (...) is the same number without that.
        phi[i] = a > 0 && b > 0 ? 2 * a * b / (a + b + r) : a + b - r;
        sum += phi[i] * phi[i];
    }
    return 0.5 * sum;
}

/// An element of the generalised Jacobian, and the gradient of the merit.
static void linearise(Fischer *f) {
    size_t n = f->job->lcp->size;
    const double *M = f->job->lcp->dense, *D = f->job->diagonal;
    memset(f->gradient, 0, n * sizeof *f->gradient);
    for (size_t i = 0; i < n; i++) {
        double a = D[i] * f->z[i], b = f->w[i], r = hypot(a, b);
        double da = r > 0 ? 1 - a / r : 1 - M_SQRT1_2, db = r > 0 ? 1 - b / r : 1 - M_SQRT1_2;
        double *row = f->jacobian + i * n;
        for (size_t j = 0; j < n; j++) row[j] = db * M[i * n + j];
        row[i] += da * D[i];
        for (size_t j = 0; j < n; j++) f->gradient[j] += row[j] * f->phi[i];
    }
}

/// Newton direction; false if the Jacobian is singular or the direction does not descend.
static bool newton_direction(Fischer *f) {
    size_t n = f->job->lcp->size;
    memcpy(f->factor, f->jacobian, n * n * sizeof *f->factor);
    for (size_t i = 0; i < n; i++) f->direction[i] = -f->phi[i];
    if (!mrn_dense_factorise(f->factor, n, f->pivot, f->factor + n * n, f->job->deadline)) return false;
    mrn_dense_solve(f->factor, n, f->pivot, f->direction);
    double slope = 0, length = 0;
    for (size_t i = 0; i < n; i++)
        slope += f->gradient[i] * f->direction[i], length += f->direction[i] * f->direction[i];
    return isfinite(slope) && slope <= -1e-10 * length;
}

/// (J'J + s I) d = -gradient, with s of the size of the merit; the plain gradient if that fails.
static void regularised_direction(Fischer *f, double merit) {
    size_t n = f->job->lcp->size;
    memset(f->factor, 0, n * n * sizeof *f->factor);
    for (size_t k = 0; k < n; k++) {
        const double *row = f->jacobian + k * n;
        if (mrn_lcp_job_late(f->job)) break;
        for (size_t i = 0; i < n; i++)
            if (row[i] != 0) mrn_dense_add_rows(f->factor + i * n, row + i, row, n, 1, n);
    }
    double shift = fmin(1e-2, sqrt(2 * merit));
    for (size_t i = 0; i < n; i++) {
        f->factor[i * n + i] += shift;
        f->direction[i] = -f->gradient[i];
    }
    if (!mrn_dense_factorise(f->factor, n, f->pivot, f->factor + n * n, f->job->deadline)) return;
    mrn_dense_solve(f->factor, n, f->pivot, f->direction);
    double slope = 0;
    for (size_t i = 0; i < n; i++) slope += f->gradient[i] * f->direction[i];
    if (isfinite(slope) && slope < 0) return;
    for (size_t i = 0; i < n; i++) f->direction[i] = -f->gradient[i];
}

static void solve(MrnLcpJob *job) {
    size_t n = job->lcp->size;
    Fischer f = {.job = job};
    double **vectors[] = {&f.z, &f.w, &f.phi, &f.gradient, &f.direction, &f.trial, &f.trial_w};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(job->arena, n, sizeof(double));
    f.jacobian = mrn_arena_take(job->arena, n * n, sizeof *f.jacobian);
    f.factor = mrn_arena_take(job->arena, n * (n + 8), sizeof *f.factor);
    f.pivot = mrn_arena_take(job->arena, n, sizeof *f.pivot);
    int *index = mrn_arena_take(job->arena, n, sizeof *index);
    double *clipped = mrn_arena_take(job->arena, n, sizeof *clipped);
    memcpy(f.z, job->z, n * sizeof *f.z);
    double merit = evaluate(&f, f.z, f.w, f.phi), recent[MEMORY], best = INFINITY, milestone = INFINITY;
    for (int k = 0; k < MEMORY; k++) recent[k] = merit;
    int limit = mrn_lcp_job_limit(job, DEFAULT_ITERATIONS), iteration = 0, idle = 0;
    MrnSolveStatus status = MRN_MAX_ITERATIONS;
    while (1) {
        for (size_t i = 0; i < n; i++) clipped[i] = fmax(f.z[i], 0);
        mrn_lcp_slack(job->lcp, clipped, f.trial_w);
        double residual = mrn_lcp_job_residual(job, clipped, f.trial_w);
        if (residual < best) {
            best = residual;
            memcpy(job->z, clipped, n * sizeof *clipped);
        }
        // Near the end the signs are right: the exact point is one linear solve away.
        if (best > 1e-14 && residual < 1e-3) {
            size_t count = 0;
            for (size_t i = 0; i < n; i++)
                if (job->diagonal[i] * f.z[i] > f.w[i]) index[count++] = (int)i;
            if (mrn_lcp_solve_subset(job, index, count, f.trial, f.factor, f.pivot)) {
                memset(clipped, 0, n * sizeof *clipped);
                for (size_t k = 0; k < count; k++) clipped[index[k]] = fmax(f.trial[k], 0);
                mrn_lcp_slack(job->lcp, clipped, f.trial_w);
                residual = mrn_lcp_job_residual(job, clipped, f.trial_w);
                if (residual < best) {
                    best = residual;
                    memcpy(job->z, clipped, n * sizeof *clipped);
                }
            }
        }
        if (best <= job->settings->tolerance) {
            status = MRN_SOLVED;
            break;
        }
        if (best < 0.99 * milestone)
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
        linearise(&f);
        if (!newton_direction(&f)) {
            if (mrn_lcp_job_late(job)) continue;
            regularised_direction(&f, merit);
        }
        double slope = 0, reference = merit, length = 1, next = INFINITY;
        for (size_t i = 0; i < n; i++) slope += f.gradient[i] * f.direction[i];
        for (int k = 0; k < MEMORY; k++) reference = fmax(reference, recent[k]);
        int halving = 0;
        for (; halving < HALVINGS; halving++, length *= 0.5) {
            for (size_t i = 0; i < n; i++) f.trial[i] = f.z[i] + length * f.direction[i];
            next = evaluate(&f, f.trial, f.trial_w, f.phi);
            if (next <= reference + 1e-4 * length * slope || mrn_lcp_job_late(job)) break;
        }
        if (halving == HALVINGS || !isfinite(next)) {
            status = MRN_STALLED; // a local minimum of the merit, or rounding
            break;
        }
        memcpy(f.z, f.trial, n * sizeof *f.z);
        memcpy(f.w, f.trial_w, n * sizeof *f.w);
        merit = next;
        recent[iteration % MEMORY] = merit;
    }
    job->info->iterations = iteration;
    job->info->status = status;
}

const MrnLcpSolverRow mrn_lcp_newton_fischer = {
    .entry = {"newton_fischer",
              "Newton on the Fischer-Burmeister function with line search: few steps, one dense factorisation each",
              "P0-matrices; others may end in a local minimum"},
    .needs = MRN_LCP_NEEDS_DENSE,
    .solve = solve,
};
