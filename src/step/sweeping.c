// The sweeping process (Moreau 2003, section 2): a point stays at rest until the boundary of a moving set pushes it
// along the inward normal.
//
// Catching-up projects on the set at the end of the step. The projection is a sequence of quadratic programmes: with
// the constraints linearised at the iterate y, x = q - sum lambda_a grad f_a(y), 0 <= lambda _|_ f_a(y) + grad f_a . (x
// - y) <= 0, whose dual is solved by Gauss-Seidel. A fixed point satisfies q - x in the normal cone at x, which is the
// projection where the set is convex.
#include "step/sweeping.h"

#include <math.h>
#include <string.h>

static double dot(int n, const double *a, const double *b) {
    double sum = 0;
    for (int k = 0; k < n; k++) sum += a[k] * b[k];
    return sum;
}

void mrn_lazy_selector(const MrnMovingSet *set, double time, const double *x, double *velocity) {
    double gradient[MRN_SWEEPING_MAX], rate;
    double f = set->evaluate(set->context, time, x, gradient, &rate);
    double scale = f >= 0 && rate > 0 ? -rate / dot(set->dimension, gradient, gradient) : 0;
    for (int k = 0; k < set->dimension; k++) velocity[k] = scale * gradient[k];
}

void mrn_sweep_explicit(const MrnMovingSet *set, double time, double step, double *x) {
    double velocity[MRN_SWEEPING_MAX];
    mrn_lazy_selector(set, time, x, velocity);
    for (int k = 0; k < set->dimension; k++) x[k] += step * velocity[k];
}

bool mrn_sweep_catch_up(const MrnMovingSet *sets, int count, double time_end, double *x) {
    int n = sets[0].dimension;
    double start[MRN_SWEEPING_MAX], gradient[MRN_SWEEPING_MAX][MRN_SWEEPING_MAX], f[MRN_SWEEPING_MAX],
        lambda[MRN_SWEEPING_MAX] = {0}, rate;
    memcpy(start, x, (size_t)n * sizeof *x);
    for (int turn = 0; turn < 500; turn++) {
        double next[MRN_SWEEPING_MAX], worst = 0, moved = 0, size = 0;
        for (int a = 0; a < count; a++) {
            f[a] = sets[a].evaluate(sets[a].context, time_end, x, gradient[a], &rate);
            worst = fmax(worst, f[a]);
        }
        if (turn == 0 && worst <= 0) return true; // inside: it stays at rest
        for (int sweep = 0; sweep < 10000; sweep++) {
            double change = 0;
            for (int k = 0; k < n; k++) {
                next[k] = start[k];
                for (int a = 0; a < count; a++) next[k] -= lambda[a] * gradient[a][k];
            }
            for (int a = 0; a < count; a++) {
                double square = dot(n, gradient[a], gradient[a]), old = lambda[a], linear = f[a];
                for (int k = 0; k < n; k++) linear += gradient[a][k] * (next[k] - x[k]);
                lambda[a] = fmax(0, old + linear / square);
                for (int k = 0; k < n; k++) next[k] -= (lambda[a] - old) * gradient[a][k];
                change = fmax(change, fabs(lambda[a] - old) * sqrt(square));
            }
            if (change <= 1e-16 * (1 + sqrt(dot(n, next, next))) || count == 1) break;
        }
        for (int k = 0; k < n; k++) moved += (next[k] - x[k]) * (next[k] - x[k]), size += next[k] * next[k];
        memcpy(x, next, (size_t)n * sizeof *x);
        if (moved <= 1e-30 * (1 + size)) return true;
    }
    return false;
}

double mrn_sweep_complementarity(int dimension, double rate, const double *gradient, double *velocity) {
    // fdot = rate + lambda |grad f|^2 is increasing in lambda: either lambda = 0 and fdot = rate <= 0, or fdot = 0.
    double square = dot(dimension, gradient, gradient), lambda = rate <= 0 ? 0 : -rate / square;
    for (int k = 0; k < dimension; k++) velocity[k] = lambda * gradient[k];
    return lambda;
}
