// Alternating direction method of multipliers (Boyd et al. 2011) on the cone form, with over-relaxation and a balanced
// penalty.
//
// p and a copy z in the cones: (W + rho) p = -(q + mu s n) + rho (z - w), z = P_K(a p + (1 - a) z + w), w += a p + (1 -
// a) z_old - z, s = |u_t| being read off the multiplier each time (de Saxce). W + rho is factored once per penalty; the
// penalty grows or shrinks with the ratio of the primal residual p - z to the dual residual rho (z - z_old).
#include "solve/friction/block_lu.h"
#include "solve/friction/common.h"

#include "problem/problem.h"

#include <math.h>
#include <string.h>

static void factor(MrnBlockLu *lu, const MrnBlockMatrix *W, double rho, double *value) {
    size_t d = (size_t)W->block, size = d * d;
    memcpy(value, W->value, W->start[W->rows] * size * sizeof *value);
    for (size_t i = 0; i < W->rows; i++)
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
            if (W->column[k] == (int)i)
                for (size_t r = 0; r < d; r++) value[k * size + r * (d + 1)] += rho;
    mrn_block_lu_factor(lu, W->start, W->column, value, 1e-14 * rho);
}

static bool solve(MrnSolveJob *job) {
    const char *options = job->settings->options;
    if (!mrn_options_check(options, "rho,relaxation", "admm", job->error) ||
        !mrn_coulomb_only(job->problem, "admm", job->error))
        return false;
    double relaxation = mrn_option_number(options, "relaxation", 1.6);
    if (!(relaxation > 0 && relaxation < 2))
        return mrn_fail(job->error, MRN_ERROR_INPUT, "admm: 0 < relaxation < 2, got %g", relaxation);
    MrnIteration iteration;
    mrn_iteration_begin(&iteration, job, 3000);
    const MrnProblem *problem = job->problem;
    const MrnBlockMatrix *W = problem->delassus;
    size_t d = (size_t)problem->dimension, numbers = d * problem->contacts;
    double rho = mrn_option_number(options, "rho", 0.1) * iteration.scale;
    if (!(rho > 0)) rho = 1;
    double *value = mrn_arena_take(job->arena, W->start[W->rows] * d * d, sizeof(double));
    double *p = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *z = mrn_arena_take(job->arena, numbers, sizeof(double));
    double *w = mrn_arena_take(job->arena, numbers, sizeof(double)),
           *old = mrn_arena_take(job->arena, numbers, sizeof(double));
    memcpy(z, job->impulse, numbers * sizeof(double));
    mrn_project_cones(problem, z);
    memset(w, 0, numbers * sizeof(double));
    MrnBlockLu lu;
    mrn_block_lu_init(&lu);
    mrn_block_lu_analyse(&lu, W->rows, W->block, W->start, W->column, NULL, INFINITY);
    factor(&lu, W, rho, value);
    int since = 0;
    while (mrn_iteration_next(&iteration, z)) {
        for (size_t i = 0; i < problem->contacts; i++) {
            double slide = 0; // the multiplier -rho w tends to u^ and is smoother than the velocity of z
            for (size_t k = 1; k < d; k++) slide += rho * w[d * i + k] * (rho * w[d * i + k]);
            for (size_t k = 0; k < d; k++)
                p[d * i + k] = rho * (z[d * i + k] - w[d * i + k]) - problem->free_velocity[d * i + k] -
                               (k ? 0 : problem->friction[i] * sqrt(slide));
        }
        mrn_block_lu_solve(&lu, p);
        memcpy(old, z, numbers * sizeof(double));
        for (size_t k = 0; k < numbers; k++) p[k] = relaxation * p[k] + (1 - relaxation) * old[k], z[k] = p[k] + w[k];
        mrn_project_cones(problem, z);
        double primal = 0, dual = 0;
        for (size_t k = 0; k < numbers; k++) {
            w[k] += p[k] - z[k];
            primal += (p[k] - z[k]) * (p[k] - z[k]);
            dual += (z[k] - old[k]) * (z[k] - old[k]);
        }
        double ratio = dual > 0 ? sqrt(primal / dual) : 1;
        if (++since >= 30 && (ratio > 10 || ratio < 0.1)) {
            double change = ratio > 10 ? 3 : 1.0 / 3;
            rho *= change;
            for (size_t k = 0; k < numbers; k++) w[k] /= change;
            factor(&lu, W, rho, value);
            since = 0;
        }
    }
    mrn_iteration_end(&iteration);
    mrn_block_lu_free(&lu);
    return true;
}

const MrnSolverRow mrn_solver_admm = {
    .entry = {.name = "admm",
              .summary =
                  "alternating directions with a sparse factor and a balanced penalty; steady, moderate accuracy",
              .problems = "2d 3d friction",
              .options = "rho=0.1 (> 0, first penalty relative to the mean diagonal of W), relaxation=1.6 (0..2)"},
    .solve = solve};
