// Nineb's solver library: unit tests of the complementarity solvers (specification of solvers 5.8) and the granular
// samples T7 to T9 (5.3): one step of discs at rest in a box, solved by Gauss-Seidel (GSNL), LATIN and conjugate
// projected gradient (GCP).
#include "verify/cases.h"
#include "verify/check.h"

#include "base/memory.h"
#include "base/random.h"

#include <math.h>
#include <moraine/lcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// ------------------------------------------------------------------------------------------------ unit tests

/// Solve and give the status; z is the guess and the result.
static MrnLcpInfo lcp_solve(MrnVerifyReport *report, const MrnLcp *lcp, const char *solver, double tolerance, double *z,
                            double *w) {
    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.solver = solver;
    settings.tolerance = tolerance;
    MrnLcpInfo info = {.status = MRN_BAD_PROBLEM};
    MrnError error = {0};
    MrnLcpSolution solution = {z, w};
    if (!mrn_lcp_solve(lcp, &settings, &solution, &info, &error)) mrn_check_failed(report, error.message);
    return info;
}

static const char *const four[] = {"lemke", "gsnl", "gcp", "latin"};

/// Largest difference between the results of the four solvers, of z or of w, over the largest of the first.
static double disagreement(MrnVerifyReport *report, const MrnLcp *lcp, bool of_w) {
    size_t n = lcp->size;
    double *z = mrn_alloc_zero(4 * n, sizeof *z), *w = mrn_alloc_zero(4 * n, sizeof *w), *x = of_w ? w : z;
    double worst = 0, largest = 0;
    for (size_t s = 0; s < 4; s++) {
        MrnLcpInfo info = lcp_solve(report, lcp, four[s], 1e-11, z + s * n, w + s * n);
        if (info.status != MRN_SOLVED) mrn_check_failed(report, mrn_solve_status_name(info.status));
        for (size_t i = 0; i < n; i++)
            worst = fmax(worst, fabs(x[s * n + i] - x[i])), largest = fmax(largest, fabs(x[i]));
    }
    free(z);
    free(w);
    return worst / largest;
}

void mrn_case_lcp_units(MrnVerifyReport *report) {
    MrnLcp *lcp = mrn_lcp_new_dense(2);
    memcpy(lcp->dense, (double[]){2, 1, 1, 2}, 4 * sizeof(double));
    for (size_t s = 0; s < 4; s++) {
        double z[2] = {0, 0}, w[2];
        memcpy(lcp->vector, (double[]){-5, -6}, 2 * sizeof(double));
        lcp_solve(report, lcp, four[s], 1e-12, z, w);
        mrn_check(report, 4.0 / 3, z[0], 1e-10, "%s, M = [2 1; 1 2], q = (-5, -6): z1", four[s]);
        mrn_check(report, 7.0 / 3, z[1], 1e-10, "%s: z2", four[s]);
        mrn_check(report, 0, fabs(w[0]) + fabs(w[1]), 1e-10, "%s: |w|", four[s]);
        memcpy(lcp->vector, (double[]){1, 2}, 2 * sizeof(double));
        lcp_solve(report, lcp, four[s], 1e-12, z, w);
        mrn_check(report, 0, fabs(z[0]) + fabs(z[1]), 1e-12, "%s, q = (1, 2): |z|", four[s]);
    }
    memset(lcp->dense, 0, 4 * sizeof(double));
    memcpy(lcp->vector, (double[]){-1, -2}, 2 * sizeof(double));
    double z[2] = {0, 0}, w[2];
    mrn_check_true(report, lcp_solve(report, lcp, "lemke", 1e-12, z, w).status == MRN_INFEASIBLE,
                   "M = 0, q < 0: Lemke ends on a ray and proves that there is no solution");
    mrn_lcp_free(lcp);
    static const size_t sizes[] = {50, 200};
    for (size_t k = 0; k < 2; k++) {
        lcp = mrn_lcp_random_psd(sizes[k], sizes[k], 0.1, 7 + k, NULL, NULL);
        mrn_check_at_most(report, 1e-8, disagreement(report, lcp, false),
                          "random positive definite M of order %zu: four solvers, difference of z", sizes[k]);
        mrn_lcp_free(lcp);
        lcp = mrn_lcp_random_psd(sizes[k], sizes[k] / 2, 0, 17 + k, NULL, NULL);
        mrn_check_at_most(report, 1e-8, disagreement(report, lcp, true),
                          "random M of order %zu and half rank: four solvers, difference of w", sizes[k]);
        mrn_lcp_free(lcp);
    }
}

// ------------------------------------------------------------------------------------------------ granular samples

/// Discs of radii 1 cm +- 20 % dropped into a box `columns` wide, stepped until they are at rest.
static MrnSmall deposit(MrnVerifyReport *report, int count, int columns, uint64_t seed) {
    const double radius = 0.01, cell = 2.5 * radius;
    MrnScheme scheme = mrn_scheme_defaults();
    scheme.time_step = 5e-4;
    MrnModel *model = mrn_small_model(2, 9.81, mrn_law(0.3, 0, 0));
    mrn_add_wall(model, (double[]){0, 0}, (double[]){0, 1});
    mrn_add_wall(model, (double[]){0, 0}, (double[]){1, 0});
    mrn_add_wall(model, (double[]){columns * cell, 0}, (double[]){-1, 0});
    for (int i = 0; i < count; i++) {
        double r = radius * mrn_random_between(seed, (uint64_t)i, 0, 0.8, 1.2);
        double shift = mrn_random_between(seed, (uint64_t)i, 1, -0.04, 0.04) * radius;
        mrn_add_disc(model, r, 2500 * M_PI * r * r, (i % columns + 0.5) * cell + shift, (i / columns + 0.5) * cell);
    }
    MrnSmall small = mrn_small_start(report, model, &scheme);
    MrnStepInfo info = {0};
    for (int s = 0; s < 6000 && mrn_small_step(report, &small, &info); s++)
        if (s > 500 && info.kinetic_energy < 1e-12 * fabs(info.potential_energy)) break;
    return small;
}

typedef struct Solve {
    MrnSolveInfo info;
    double difference;                                ///< of the velocities from the reference, over |q|
    double equilibrium;                               ///< |W p - u + q| / |q|
    double smallest_impulse, smallest_velocity, work; ///< over the normal components
} Solve;

static Solve solve_sample(MrnVerifyReport *report, MrnProblem *problem, const char *solver, const char *options,
                          double tolerance, const double *reference, double *velocity) {
    size_t n = 2 * problem->contacts;
    double *p = mrn_alloc_zero(n, sizeof *p), norm = 0;
    MrnSolverSettings settings = mrn_solver_defaults();
    settings.solver = solver, settings.options = options, settings.tolerance = tolerance;
    settings.max_iterations = 60000;
    Solve solve = {.smallest_impulse = INFINITY, .smallest_velocity = INFINITY};
    MrnError error = {0};
    if (!mrn_solve(problem, &settings, p, velocity, &solve.info, &error)) mrn_check_failed(report, error.message);
    for (size_t i = 0; i < n; i++) {
        norm += problem->free_velocity[i] * problem->free_velocity[i];
        if (reference) solve.difference += (velocity[i] - reference[i]) * (velocity[i] - reference[i]);
        if (i % 2) continue;
        solve.smallest_impulse = fmin(solve.smallest_impulse, p[i]);
        solve.smallest_velocity = fmin(solve.smallest_velocity, velocity[i]);
        solve.work += p[i] * velocity[i];
    }
    solve.difference = sqrt(solve.difference / norm);
    free(p);
    return solve;
}

static void check_samples(MrnVerifyReport *report, size_t first, size_t end) {
    static const struct {
        const char *name;
        int beads, columns, contacts;
    } samples[] = {{"T7", 20, 5, 39}, {"T8", 84, 9, 157}, {"T9", 330, 18, 683}};
    for (size_t s = first; s < end; s++) {
        MrnSmall small = deposit(report, samples[s].beads, samples[s].columns, 30 + s);
        MrnProblem *problem = small.world ? mrn_world_problem(small.world, NULL, NULL) : NULL;
        if (!problem) return;
        const char *name = samples[s].name;
        size_t n = 2 * problem->contacts;
        double *reference = mrn_alloc(n, sizeof *reference), *u = mrn_alloc(n, sizeof *u);
        Solve exact = solve_sample(report, problem, "auto", NULL, 1e-12, NULL, reference);
        mrn_measure(report, (double)problem->contacts, "%s, %d beads: contacts (published sample: %d)", name,
                    samples[s].beads, samples[s].contacts);
        mrn_check_at_most(report, 1e-12, exact.info.scaled_residual, "%s: residual of the reference", name);
        static const struct {
            const char *title, *solver, *options;
        } runs[] = {{"GSNL", "nlgs-assembled", "check=1,stall=100000"}, {"GCP", "conjugate-gradient", NULL}};
        int gauss_seidel = 0;
        for (size_t r = 0; r < 2; r++) {
            Solve solve = solve_sample(report, problem, runs[r].solver, runs[r].options, 1e-6, reference, u);
            if (r == 0) gauss_seidel = solve.info.iterations;
            if (r == 0)
                mrn_check_at_most(report, 1e-4, solve.difference, "%s, %s: velocities against the reference, over |q|",
                                  name, runs[r].title);
            else
                mrn_measure(report, solve.difference, "%s, %s: velocities against the reference, over |q|", name,
                            runs[r].title);
            mrn_measure(report, solve.info.iterations, "%s, %s: iterations to 1e-6 (%s)", name, runs[r].title,
                        mrn_solve_status_name(solve.info.status));
        }
        static const double directions[] = {0.5, 3, 10, 50};
        int fewest = 1 << 30;
        double best = 0;
        for (size_t k = 0; k < 4; k++) {
            char options[40];
            snprintf(options, sizeof options, "k=%g", directions[k]);
            Solve solve = solve_sample(report, problem, "latin", options, 1e-6, reference, u);
            if (solve.info.status == MRN_SOLVED && solve.info.iterations < fewest)
                fewest = solve.info.iterations, best = directions[k];
            if (s == 2) {
                mrn_measure(report, solve.smallest_impulse, "T9, LATIN k = %g: least normal impulse [N s]",
                            directions[k]);
                mrn_measure(report, solve.smallest_velocity, "T9, LATIN k = %g: least normal velocity [m/s]",
                            directions[k]);
                mrn_measure(report, solve.work, "T9, LATIN k = %g: work of the normal impulses [J]", directions[k]);
            }
        }
        mrn_check_at_least(report, 1, (double)gauss_seidel / fewest,
                           "%s: iterations of Gauss-Seidel over those of LATIN with its best k", name);
        mrn_measure(report, fewest, "%s, LATIN with its best k = %g: iterations to 1e-6", name, best);
        free(reference);
        free(u);
        mrn_small_free(&small);
    }
}

void mrn_case_samples(MrnVerifyReport *report) {
    check_samples(report, 0, 2);
}

void mrn_case_large_sample(MrnVerifyReport *report) {
    check_samples(report, 2, 3);
}
