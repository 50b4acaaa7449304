// Linear complementarity: how fast, how reliable.
//
//   lcp speed [LIMIT_SECONDS]    every solver on the standard problems, one line each
//   lcp campaign COUNT [SEED]    Lemke on COUNT random frictional assemblies: success with one variant, three variants, perturbations
//   lcp one KIND SIZE [SOLVER]   one problem: spd psd tri murty fathi frc
#include "base/clock.h"
#include "problem/lcp_assembly.h"
#include <moraine/lcp.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t generator = 1;
static double uniform(void) {
    generator = generator * 6364136223846793005u + 1442695040888963407u;
    return 2 * ((double)(generator >> 11) / 9007199254740992.0) - 1;
}

/// The standard kinds, from a 64-bit linear congruential generator, so that other programs can make the same numbers.
///   spd  A'A/n + 0.1 I          psd  A'A/n, A of n/2 rows, solvable     tri  tridiag(-1, 2, -1), last 1, q = -1
///   frc  I + A'A/n + skew/2     murty, fathi  the hard cases
static MrnLcp *standard(const char *kind, size_t n, uint64_t seed) {
    if (!strcmp(kind, "murty")) return mrn_lcp_murty(n);
    if (!strcmp(kind, "fathi")) return mrn_lcp_fathi(n);
    MrnLcp *lcp = mrn_lcp_new_dense(n);
    double *M = lcp->dense;
    if (!strcmp(kind, "tri")) {
        for (size_t i = 0; i < n; i++) {
            M[i * n + i] = i == n - 1 ? 1 : 2;
            if (i) M[i * n + i - 1] = M[(i - 1) * n + i] = -1;
            lcp->vector[i] = -1;
        }
        return lcp;
    }
    size_t rows = !strcmp(kind, "psd") ? n / 2 : n;
    double *A = malloc(n * n * sizeof *A);
    generator = seed;
    for (size_t k = 0; k < rows * n; k++) A[k] = uniform();
    for (size_t k = 0; k < rows; k++)
        for (size_t a = 0; a < n; a++) {
            double x = A[k * n + a] / (double)n;
            for (size_t b = 0; b < n; b++) M[a * n + b] += x * A[k * n + b];
        }
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(kind, "spd")) M[i * n + i] += 0.1;
        if (strcmp(kind, "frc")) continue;
        M[i * n + i] += 1;
        for (size_t j = 0; j < i; j++) M[i * n + j] += 0.5 * A[i * n + j], M[j * n + i] -= 0.5 * A[i * n + j];
    }
    if (strcmp(kind, "psd")) {
        for (size_t i = 0; i < n; i++) lcp->vector[i] = uniform();
    } else {
        double *x = calloc(n, sizeof *x);
        for (size_t i = 0; i < n; i++) {
            double v = uniform();
            if (v > 0) x[i] = v;
            else lcp->vector[i] = -v;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) lcp->vector[i] -= M[i * n + j] * x[j];
        free(x);
    }
    free(A);
    return lcp;
}

/// Best of several solves, at least 50 ms in all.
static void measure(const char *label, const MrnLcp *lcp, const char *solver, double limit) {
    MrnLcpSettings settings = mrn_lcp_defaults();
    MrnLcpInfo info = {0};
    MrnError error = {0};
    settings.solver = solver;
    settings.time_limit = limit;
    double *z = malloc((lcp->size + 1) * sizeof *z), best = INFINITY, begin = mrn_wall_seconds();
    MrnLcpSolution solution = {.z = z};
    bool possible = true;
    do {
        memset(z, 0, lcp->size * sizeof *z);
        possible = mrn_lcp_solve(lcp, &settings, &solution, &info, &error);
        best = fmin(best, info.seconds);
    } while (possible && mrn_wall_seconds() - begin < 0.05);
    if (possible)
        printf("%-8s %6zu  %-15s %-14s %7d it  residual %.1e  %10.6f s\n", label, lcp->size, solver,
               mrn_solve_status_name(info.status), info.iterations, info.residual, best);
    else printf("%-8s %6zu  %-15s %s\n", label, lcp->size, solver, error.message);
    fflush(stdout);
    free(z);
}

static int run_speed(double limit) {
    static const struct { const char *kind; size_t size; } CASES[] = {
        {"spd", 10},   {"spd", 100},  {"spd", 300},  {"spd", 1000}, {"psd", 100},   {"psd", 1000},  {"frc", 100},
        {"frc", 1000}, {"tri", 100},  {"tri", 1000}, {"murty", 16}, {"murty", 100}, {"fathi", 12}, {"fathi", 100},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        MrnLcp *lcp = standard(CASES[c].kind, CASES[c].size, 12345);
        for (size_t s = 0; s < mrn_lcp_solver_count(); s++) measure(CASES[c].kind, lcp, mrn_lcp_solver_at(s)->name, limit);
        mrn_lcp_free(lcp);
    }
    return 0;
}

/// A small generator of assemblies: sizes, friction and masses over the range that ice floes show.
static MrnAssembly draw(long index, uint64_t seed) {
    generator = seed + 0x9e3779b97f4a7c15u * (uint64_t)(index + 1);
    for (int k = 0; k < 4; k++) uniform();
    double a = fabs(uniform()), b = fabs(uniform()), c = fabs(uniform()), d = fabs(uniform());
    MrnAssembly s = {.seed = seed * 1000003 + (uint64_t)index};
    s.kind = a < 0.8 ? MRN_ASSEMBLY_CLOUD : a < 0.9 ? MRN_ASSEMBLY_WALL : MRN_ASSEMBLY_DISCS;
    s.bodies = 2 + (int)(b * b * 18);
    s.contacts = s.bodies - 1 + (int)(c * 1.5 * s.bodies);
    s.friction = d < 0.1 ? 0 : d < 0.9 ? d : 3 * d;
    s.mass_ratio = pow(10, 4 * fabs(uniform()));
    return s;
}

static int run_campaign(long count, uint64_t seed) {
    long solved[3] = {0, 0, 0}, tries[4] = {0, 0, 0, 0}, contacts = 0, pivots = 0;
    double seconds = 0, worst = 0, worst_law = 0;
    for (long k = 0; k < count; k++) {
        MrnAssembly s = draw(k, seed);
        MrnProblem *problem = mrn_assembly_problem(&s);
        MrnError error = {0};
        MrnLcp *lcp = mrn_lcp_friction4(problem, &error);
        double *z = calloc(lcp->size + 1, sizeof *z), *p = calloc(2 * problem->contacts + 1, sizeof *p);
        double *u = calloc(2 * problem->contacts + 1, sizeof *u);
        MrnLcpSolution solution = {.z = z};
        MrnLcpInfo info;
        // One variant, three variants, and everything: the tries are nested, so the last run tells the two others.
        MrnLcpSettings settings = mrn_lcp_defaults();
        settings.tolerance = 1e-11;
        settings.time_limit = 10;
        settings.perturbations = 100;
        mrn_lcp_solve(lcp, &settings, &solution, &info, &error);
        bool ok = info.status == MRN_SOLVED;
        solved[0] += ok && info.tries <= 1;
        solved[1] += ok && info.tries <= 3;
        solved[2] += ok;
        tries[ok ? (info.tries <= 1 ? 0 : info.tries <= 3 ? 1 : 2) : 3]++;
        contacts += (long)problem->contacts;
        pivots += info.iterations;
        seconds += info.seconds;
        MrnSolveInfo law = {0};
        mrn_lcp_friction4_impulse(problem, z, p);
        mrn_problem_velocity(problem, p, u);
        mrn_certify(problem, p, u, &law);
        if (ok) worst = fmax(worst, info.residual), worst_law = fmax(worst_law, law.scaled_residual);
        if (!ok)
            printf("  not solved: index %ld kind %d bodies %d contacts %zu mu %.3g masses %.3g: %s, residual %.2e, %d tries\n", k, s.kind,
                   s.bodies, problem->contacts, s.friction, s.mass_ratio, mrn_solve_status_name(info.status), info.residual, info.tries);
        free(z);
        free(p);
        free(u);
        mrn_lcp_free(lcp);
        mrn_problem_free(problem);
    }
    printf("%ld problems of %.1f contacts on average, residual below 1e-11 required\n", count, (double)contacts / (double)count);
    printf("  one variant    %.4f %%\n  three variants %.4f %%\n  perturbations  %.5f %%\n", 100.0 * (double)solved[0] / (double)count,
           100.0 * (double)solved[1] / (double)count, 100.0 * (double)solved[2] / (double)count);
    printf("  by first try %ld, by a variant %ld, by perturbation %ld, not at all %ld\n", tries[0], tries[1], tries[2], tries[3]);
    printf("  worst residual %.2e, worst residual of Coulomb's law %.2e, %.1f pivots and %.1f us each\n", worst, worst_law,
           (double)pivots / (double)count, 1e6 * seconds / (double)count);
    return solved[2] == count ? 0 : 3;
}

int main(int count, char **word) {
    const char *what = count > 1 ? word[1] : "speed";
    if (!strcmp(what, "speed")) return run_speed(count > 2 ? atof(word[2]) : 5);
    if (!strcmp(what, "campaign")) return run_campaign(count > 2 ? atol(word[2]) : 10000, count > 3 ? strtoull(word[3], NULL, 10) : 1);
    if (!strcmp(what, "one") && count > 3) {
        MrnLcp *lcp = standard(word[2], (size_t)atol(word[3]), 12345);
        for (size_t s = 0; s < mrn_lcp_solver_count(); s++)
            if (count < 5 || !strcmp(word[4], mrn_lcp_solver_at(s)->name)) measure(word[2], lcp, mrn_lcp_solver_at(s)->name, 20);
        mrn_lcp_free(lcp);
        return 0;
    }
    fprintf(stderr, "usage: lcp speed [LIMIT_SECONDS] | lcp campaign COUNT [SEED] | lcp one KIND SIZE [SOLVER]\n");
    return 2;
}
