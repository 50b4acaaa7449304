// Sequential Gauss-Seidel with scan orders and variants, and exploration by random starts and orders (Moreau 2003, 7.2
// and 8.2).
//
// What always holds: the carried velocities are u = W p + q up to rounding (M39); a refresh computes them afresh.
#include "solve/explore.h"

#include "base/memory.h"
#include "base/random.h"
#include "problem/problem.h"
#include "solve/friction/local.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

MrnExploreSettings mrn_explore_defaults(void) {
    return (MrnExploreSettings){.factor = 1, .max_cycles = 100000, .tolerance = 1e-14, .refresh = 1000000};
}

/// Largest eigenvalue of a symmetric block, by power iteration from above: the trace bounds it, Rayleigh quotients
/// approach it.
static double largest_eigenvalue(int d, const double *H) {
    if (d == 2) {
        double mean = 0.5 * (H[0] + H[3]), half = 0.5 * (H[0] - H[3]);
        return mean + sqrt(half * half + H[1] * H[1]);
    }
    double x[3] = {0.61, 0.55, 0.57}, value = 0;
    for (int turn = 0; turn < 200; turn++) {
        double y[3], norm = 0;
        for (int i = 0; i < 3; i++)
            y[i] = H[3 * i] * x[0] + H[3 * i + 1] * x[1] + H[3 * i + 2] * x[2], norm += y[i] * y[i];
        norm = sqrt(norm);
        if (!(norm > 0)) break;
        value = norm;
        for (int i = 0; i < 3; i++) x[i] = y[i] / norm;
    }
    return value;
}

typedef struct Sweep {
    const MrnProblem *problem;
    const MrnExploreSettings *settings;
    double *diagonal; ///< d * d per contact
    double *scalar;   ///< per contact, scalar variant
    double *velocity; ///< carried u
} Sweep;

static void one_contact(const Sweep *s, size_t i, const double *old, double *fresh) {
    int d = s->problem->dimension;
    const double *H = s->diagonal + i * (size_t)(d * d), *u = s->velocity + i * (size_t)d;
    double mu = s->problem->friction[i];
    if (s->settings->variant == MRN_DELASSUS_SCALAR) {
        double eta = s->scalar[i], norm = 0;
        fresh[0] = fmax(0, old[0] - u[0] / eta);
        for (int k = 1; k < d; k++) fresh[k] = old[k] - u[k] / eta, norm += fresh[k] * fresh[k];
        norm = sqrt(norm);
        if (norm > mu * fresh[0])
            for (int k = 1; k < d; k++) fresh[k] *= mu * fresh[0] / norm;
        return;
    }
    double W[9], b[3];
    for (int k = 0; k < d * d; k++) W[k] = s->settings->factor * H[k];
    for (int r = 0; r < d; r++) {
        b[r] = u[r];
        for (int k = 0; k < d; k++) b[r] -= W[r * d + k] * old[k];
    }
    if (d == 2)
        mrn_local_2d((double[3]){W[0], W[1], W[3]}, b, mu, fresh);
    else
        mrn_local_3d(W, b, mu, fresh);
}

static void refresh(Sweep *s, const double *impulse, double *drift) {
    size_t n = s->problem->contacts * (size_t)s->problem->dimension;
    double *exact = mrn_alloc(n + 1, sizeof *exact);
    mrn_block_matrix_times(s->problem->delassus, impulse, s->problem->free_velocity, exact);
    for (size_t k = 0; k < n; k++) *drift = fmax(*drift, fabs(exact[k] - s->velocity[k]));
    memcpy(s->velocity, exact, n * sizeof *exact);
    free(exact);
}

static void shuffle(int *order, size_t count, uint64_t seed, uint64_t entity) {
    for (size_t i = count; i > 1; i--) {
        size_t j = (size_t)(mrn_random_unit(seed, entity, i) * (double)i);
        int swap = order[i - 1];
        order[i - 1] = order[j], order[j] = swap;
    }
}

MrnExploreInfo mrn_explore_solve(const MrnProblem *problem, const MrnExploreSettings *settings, double *impulse) {
    const MrnBlockMatrix *W = problem->delassus;
    int d = problem->dimension;
    size_t contacts = problem->contacts, block = (size_t)(d * d), adjustments = 0;
    Sweep sweep = {.problem = problem, .settings = settings};
    sweep.diagonal = mrn_alloc_zero(contacts * block + 1, sizeof(double));
    sweep.scalar = mrn_alloc_zero(contacts + 1, sizeof(double));
    sweep.velocity = mrn_alloc(contacts * (size_t)d + 1, sizeof(double));
    int *order = mrn_alloc(contacts + 1, sizeof *order);
    for (size_t i = 0; i < contacts; i++) {
        order[i] = settings->order ? settings->order[i] : (int)i;
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
            if (W->column[k] == (int)i)
                memcpy(sweep.diagonal + i * block, W->value + k * block, block * sizeof(double));
        sweep.scalar[i] = settings->factor * largest_eigenvalue(d, sweep.diagonal + i * block);
    }
    mrn_block_matrix_times(W, impulse, problem->free_velocity, sweep.velocity);
    MrnExploreInfo info = {0};
    while (info.cycles < settings->max_cycles && !info.converged) {
        info.adjustment = info.tangent_adjustment = 0;
        if (settings->shuffle) shuffle(order, contacts, settings->seed, (uint64_t)info.cycles);
        for (size_t at = 0; at < contacts; at++) {
            size_t i = (size_t)order[at];
            double fresh[3] = {0}, change[3], *p = impulse + i * (size_t)d, moved[3] = {0};
            one_contact(&sweep, i, p, fresh);
            for (int k = 0; k < d; k++) change[k] = fresh[k] - p[k], p[k] = fresh[k];
            for (size_t k = W->start[i]; k < W->start[i + 1];
                 k++) { // W is symmetric: column i is the transpose of row i
                const double *w = W->value + k * block;
                double *u = sweep.velocity + (size_t)W->column[k] * (size_t)d;
                for (int r = 0; r < d; r++)
                    for (int c = 0; c < d; c++) u[r] += w[c * d + r] * change[c];
            }
            for (int r = 0; r < d; r++)
                for (int c = 0; c < d; c++) moved[r] += sweep.diagonal[i * block + (size_t)(r * d + c)] * change[c];
            info.adjustment = fmax(info.adjustment, fabs(moved[0]));
            info.tangent_adjustment =
                fmax(info.tangent_adjustment, d == 3 ? hypot(moved[1], moved[2]) : fabs(moved[1]));
            if (settings->refresh && ++adjustments % settings->refresh == 0) refresh(&sweep, impulse, &info.drift);
        }
        info.cycles++;
        info.converged = fmax(info.adjustment, info.tangent_adjustment) <= settings->tolerance;
    }
    refresh(&sweep, impulse, &info.drift);
    free(sweep.diagonal);
    free(sweep.scalar);
    free(sweep.velocity);
    free(order);
    return info;
}

void mrn_explore_random(const MrnProblem *problem, const MrnExploreSettings *settings, const double *low,
                        const double *high, size_t runs, uint64_t seed, double *impulses, MrnExploreInfo *infos) {
    size_t n = problem->contacts * (size_t)problem->dimension;
    for (size_t run = 0; run < runs; run++) {
        for (size_t k = 0; k < n; k++) impulses[run * n + k] = mrn_random_between(seed, run, k, low[k], high[k]);
        MrnExploreInfo info = mrn_explore_solve(problem, settings, impulses + run * n);
        if (infos) infos[run] = info;
    }
}

void mrn_explore_orders(const MrnProblem *problem, const MrnExploreSettings *settings, const double *guess, size_t runs,
                        uint64_t seed, double *impulses, int *orders, MrnExploreInfo *infos) {
    size_t contacts = problem->contacts, n = contacts * (size_t)problem->dimension;
    int *order = mrn_alloc(contacts + 1, sizeof *order);
    MrnExploreSettings one = *settings;
    one.order = order;
    for (size_t run = 0; run < runs; run++) {
        for (size_t i = 0; i < contacts; i++) order[i] = (int)i;
        shuffle(order, contacts, seed, run);
        memcpy(impulses + run * n, guess, n * sizeof(double));
        MrnExploreInfo info = mrn_explore_solve(problem, &one, impulses + run * n);
        if (orders) memcpy(orders + run * contacts, order, contacts * sizeof *order);
        if (infos) infos[run] = info;
    }
    free(order);
}
