// Interior-point method for the convex part of the contact problem.
//
// With the sliding speeds s held, Coulomb's law in the form of de Saxce is a convex second-order cone problem (Acary,
// Cadoux, Lemarechal, Malick 2011): x = (mu p_n, p_t) and y = (u_n / mu + s, u_t) lie in the Lorentz cone and are
// orthogonal, with y = W~ x + q~ + s e. Mehrotra's predictor and corrector with Nesterov-Todd scaling P (P x = P^-1 y =
// lambda): (W~ + P^2) dx = P c - r, dy = P (c - P dx). P^2 makes the matrix positive definite also where W is singular,
// and the iterates follow the central path to the middle of the set of solutions: hyperstatic packings get impulses
// away from the boundaries of their cones.
#include "solve/friction/center.h"

#include "base/clock.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

void mrn_center_init(MrnCenter *center, const MrnProblem *problem, MrnArena *arena) {
    const MrnBlockMatrix *W = problem->delassus;
    size_t n = problem->contacts, d = (size_t)problem->dimension, size = d * d, blocks = W->start[n];
    *center = (MrnCenter){.problem = problem};
    mrn_block_lu_init(&center->lu);
    mrn_block_lu_analyse(&center->lu, n, (int)d, W->start, W->column, NULL, INFINITY);
    center->normal_scale = mrn_arena_take(arena, n, sizeof(double));
    center->matrix = mrn_arena_take(arena, blocks * size, sizeof(double));
    center->value = mrn_arena_take(arena, blocks * size, sizeof(double));
    center->diagonal = mrn_arena_take(arena, n, sizeof(size_t));
    double **vectors[] = {&center->x,      &center->y,      &center->dx,    &center->dy,  &center->residual,
                          &center->lambda, &center->target, &center->right, &center->last};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(arena, d * n, sizeof(double));
    center->scaling = mrn_arena_take(arena, size * n, sizeof(double));
    center->inverse = mrn_arena_take(arena, size * n, sizeof(double));
    center->speed = mrn_arena_take(arena, n, sizeof(double));
    for (size_t i = 0; i < n; i++) center->normal_scale[i] = fmax(problem->friction[i], 0.01);
    double sum = 0, q2 = 0;
    for (size_t i = 0; i < n; i++)
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
            size_t j = (size_t)W->column[k];
            if (j == i) center->diagonal[i] = k;
            for (size_t r = 0; r < d; r++)
                for (size_t c = 0; c < d; c++) {
                    double row = r ? 1 : 1 / center->normal_scale[i], column = c ? 1 : 1 / center->normal_scale[j];
                    center->matrix[k * size + r * d + c] = W->value[k * size + r * d + c] * row * column;
                    if (j == i && r == c) sum += center->matrix[k * size + r * d + c];
                }
        }
    center->matrix_scale = sum > 0 ? sum / (double)(d * n) : 1;
    for (size_t k = 0; k < blocks * size; k++) center->matrix[k] /= center->matrix_scale;
    for (size_t k = 0; k < d * n; k++) q2 += problem->free_velocity[k] * problem->free_velocity[k];
    center->speed_scale = q2 > 0 ? sqrt(q2 / (double)n) : 1;
}

void mrn_center_free(MrnCenter *center) {
    mrn_block_lu_free(&center->lu);
}

static inline double lorentz(size_t d, const double *x) { // x0^2 - |x_t|^2
    double tangent = d == 3 ? sqrt(x[1] * x[1] + x[2] * x[2]) : fabs(x[1]);
    return (x[0] - tangent) * (x[0] + tangent);
}

// The Nesterov-Todd scaling of one contact, P and its inverse (Vandenberghe 2010, 5.2).
static void scaling_of(size_t d, const double *x, const double *y, double *P, double *inverse) {
    double x_norm = sqrt(fmax(lorentz(d, x), 1e-300)), y_norm = sqrt(fmax(lorentz(d, y), 1e-300)), dot = 0, w[3];
    for (size_t k = 0; k < d; k++) dot += x[k] / x_norm * (y[k] / y_norm);
    double gamma = sqrt(fmax(0.5 * (1 + dot), 1e-300)), eta = sqrt(y_norm / x_norm);
    for (size_t k = 0; k < d; k++) w[k] = (y[k] / y_norm + (k ? -1 : 1) * x[k] / x_norm) / (2 * gamma);
    for (size_t r = 0; r < d; r++)
        for (size_t c = 0; c < d; c++) {
            double both = r && c ? (r == c) + w[r] * w[c] / (1 + w[0]) : r ? w[r] : w[c];
            P[r * d + c] = eta * both;
            inverse[r * d + c] = (r && c) || (!r && !c) ? both / eta : -both / eta;
        }
}

static inline void times(size_t d, const double *A, const double *x, double *y) {
    for (size_t r = 0; r < d; r++) {
        double sum = 0;
        for (size_t c = 0; c < d; c++) sum += A[r * d + c] * x[c];
        y[r] = sum;
    }
}

// The longest step along dx that stays in the cone.
static double longest_step(size_t n, size_t d, const double *x, const double *dx) {
    double worst = 0;
    for (size_t i = 0; i < n; i++, x += d, dx += d) {
        double norm = sqrt(fmax(lorentz(d, x), 1e-300)), along = x[0] / norm * (dx[0] / norm), square = 0;
        for (size_t k = 1; k < d; k++) along -= x[k] / norm * (dx[k] / norm);
        double factor = (along + dx[0] / norm) / (x[0] / norm + 1);
        for (size_t k = 1; k < d; k++) {
            double part = dx[k] / norm - factor * x[k] / norm;
            square += part * part;
        }
        worst = fmax(worst, sqrt(square) - along);
    }
    return worst > 0 ? 1 / worst : INFINITY;
}

// dx, dy of the linear system with right side `target` (c above).
static void direction(MrnCenter *center) {
    size_t n = center->problem->contacts, d = (size_t)center->problem->dimension;
    for (size_t i = 0; i < n; i++) {
        times(d, center->scaling + d * d * i, center->target + d * i, center->right + d * i);
        for (size_t k = d * i; k < d * (i + 1); k++) center->right[k] -= center->residual[k];
    }
    memcpy(center->dx, center->right, d * n * sizeof(double));
    mrn_block_lu_solve_symmetric(&center->lu, center->dx);
    for (size_t i = 0; i < n; i++) {
        double z[3];
        times(d, center->scaling + d * d * i, center->dx + d * i, z);
        for (size_t k = 0; k < d; k++) z[k] = center->target[d * i + k] - z[k];
        times(d, center->scaling + d * d * i, z, center->dy + d * i);
    }
}

int mrn_center_run(MrnCenter *center, const double *velocity, double accuracy, int max_iterations, double deadline,
                   double *impulse) {
    const MrnProblem *problem = center->problem;
    const MrnBlockMatrix *W = problem->delassus;
    size_t n = problem->contacts, d = (size_t)problem->dimension, size = d * d;
    double *x = center->x, *y = center->y;
    // Begin on the central ray, at the mean size of the impulses and velocities of the guess.
    double mean_impulse = 0, mean_velocity = 0, to_x = center->matrix_scale / center->speed_scale;
    for (size_t i = 0; i < n; i++) {
        double square = 0;
        for (size_t k = 1; k < d; k++) square += velocity[d * i + k] * velocity[d * i + k];
        center->speed[i] = sqrt(square) / center->speed_scale;
        mean_impulse += center->normal_scale[i] * fabs(impulse[d * i]) * to_x;
        mean_velocity += fabs(velocity[d * i]) / center->normal_scale[i] / center->speed_scale + center->speed[i];
    }
    mean_impulse = fmax(mean_impulse / (double)n, 1e-3);
    mean_velocity = fmax(mean_velocity / (double)n, 1e-3);
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++) x[d * i + k] = k ? 0 : mean_impulse, y[d * i + k] = k ? 0 : mean_velocity;
    MrnBlockMatrix scaled = *W;
    scaled.value = center->matrix;
    int iteration = 0, short_steps = 0;
    for (; iteration < max_iterations; iteration++) {
        mrn_block_matrix_times(&scaled, x, NULL, center->residual);
        double gap = 0, error = 0;
        for (size_t i = 0; i < n; i++)
            for (size_t k = 0; k < d; k++) {
                double q = problem->free_velocity[d * i + k] / center->speed_scale;
                double *r = center->residual + d * i + k;
                *r += (k ? q : q / center->normal_scale[i] + center->speed[i]) - y[d * i + k];
                error += *r * *r;
                gap += x[d * i + k] * y[d * i + k];
            }
        gap /= (double)n;
        error = sqrt(error / (double)n);
        if (!isfinite(gap) ||
            !isfinite(error)) { // rounding has eaten the distance to the boundary: the iterate before is the answer
            if (iteration == 0) return -1;
            memcpy(x, center->last, d * n * sizeof(double));
            break;
        }
        if ((gap < accuracy * fmax(mean_impulse, 1) && error < sqrt(accuracy)) || mrn_wall_seconds() > deadline) break;
        memcpy(center->value, center->matrix, W->start[n] * size * sizeof(double));
        for (size_t i = 0; i < n; i++) {
            double *P = center->scaling + size * i, *block = center->value + center->diagonal[i] * size;
            scaling_of(d, x + d * i, y + d * i, P, center->inverse + size * i);
            times(d, P, x + d * i, center->lambda + d * i);
            for (size_t r = 0; r < d; r++)
                for (size_t c = 0; c < d; c++)
                    for (size_t k = 0; k < d; k++) block[r * d + c] += P[r * d + k] * P[k * d + c];
            for (size_t r = 0; r < d; r++) block[r * (d + 1)] += 1e-12; // roundoff of a singular W
        }
        mrn_block_lu_factor_symmetric(&center->lu, W->start, W->column, center->value, 1e-14);
        for (size_t k = 0; k < d * n; k++) center->target[k] = -center->lambda[k];
        direction(center);
        double step = fmin(1, fmin(longest_step(n, d, x, center->dx), longest_step(n, d, y, center->dy))), ahead = 0;
        for (size_t k = 0; k < d * n; k++) ahead += (x[k] + step * center->dx[k]) * (y[k] + step * center->dy[k]);
        ahead /= (double)n;
        double sigma = ahead > 0 ? fmin(1, fmax(pow(ahead / gap, 3), 1e-8)) : 1e-8;
        // c = lambda \ (sigma gap e - lambda o lambda - (P dx) o (P^-1 dy)), o being the product of the Lorentz cone
        for (size_t i = 0; i < n; i++) {
            double a[3], b[3], c[3] = {0, 0, 0}, *l = center->lambda + d * i, *out = center->target + d * i;
            times(d, center->scaling + size * i, center->dx + d * i, a);
            times(d, center->inverse + size * i, center->dy + d * i, b);
            c[0] = sigma * gap;
            for (size_t k = 0; k < d; k++) c[0] -= l[k] * l[k] + a[k] * b[k];
            for (size_t k = 1; k < d; k++) c[k] = -2 * l[0] * l[k] - a[0] * b[k] - b[0] * a[k];
            double determinant = fmax(lorentz(d, l), 1e-300), along = 0;
            for (size_t k = 1; k < d; k++) along += l[k] * c[k];
            out[0] = (l[0] * c[0] - along) / determinant;
            for (size_t k = 1; k < d; k++) out[k] = (c[k] - out[0] * l[k]) / l[0];
        }
        direction(center);
        step = fmin(1, 0.99 * fmin(longest_step(n, d, x, center->dx), longest_step(n, d, y, center->dy)));
        memcpy(center->last, x, d * n * sizeof(double));
        for (size_t k = 0; k < d * n; k++) x[k] += step * center->dx[k], y[k] += step * center->dy[k];
        short_steps = step < 0.02 ? short_steps + 1 : 0;
        if (short_steps > 4) break;
    }
    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < d; k++)
            impulse[d * i + k] =
                x[d * i + k] * center->speed_scale / center->matrix_scale / (k ? 1 : center->normal_scale[i]);
    return iteration;
}
