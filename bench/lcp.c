// Linear complementarity: how fast, how reliable.
//
//   lcp speed [LIMIT_SECONDS]    every solver on the standard problems, one line each
//   lcp campaign COUNT [SEED]    Lemke on COUNT random frictional assemblies: success with one variant, three variants,
//   perturbations lcp one KIND SIZE [SOLVER]   one problem: spd psd tri murty fathi frc
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
            if (v > 0)
                x[i] = v;
            else
                lcp->vector[i] = -v;
        }
        for (size_t i = 0; i < n; i++)
            for (size_t j = 0; j < n; j++) lcp->vector[i] -= M[i * n + j] * x[j];
        free(x);
    }
    free(A);
    return lcp;
}

/// Least processor time of several solves: at least three, and 50 ms in all; one if it takes more than a second.
static void measure(const char *label, const MrnLcp *lcp, const char *solver, double limit) {
    MrnLcpSettings settings = mrn_lcp_defaults();
    MrnLcpInfo info = {0};
    MrnError error = {0};
    settings.solver = solver;
    settings.time_limit = limit;
    double *z = malloc((lcp->size + 1) * sizeof *z), best = INFINITY, begin = mrn_cpu_seconds();
    MrnLcpSolution solution = {.z = z};
    bool possible = true;
    for (int run = 0; possible && (run < 3 || mrn_cpu_seconds() - begin < 0.05) && mrn_cpu_seconds() - begin < 1;
         run++) {
        double start = mrn_cpu_seconds();
        memset(z, 0, lcp->size * sizeof *z);
        possible = mrn_lcp_solve(lcp, &settings, &solution, &info, &error);
        best = fmin(best, mrn_cpu_seconds() - start);
    }
    if (possible)
        printf("%-8s %6zu  %-15s %-14s %7d it  residual %.1e  %10.6f s\n", label, lcp->size, solver,
               mrn_solve_status_name(info.status), info.iterations, info.residual, best);
    else
        printf("%-8s %6zu  %-15s %s\n", label, lcp->size, solver, error.message);
    fflush(stdout);
    free(z);
}

static int run_speed(double limit) {
    static const struct {
        const char *kind;
        size_t size;
    } CASES[] = {
        {"spd", 10},   {"spd", 100}, {"spd", 300},  {"spd", 1000}, {"psd", 100},   {"psd", 1000}, {"frc", 100},
        {"frc", 1000}, {"tri", 100}, {"tri", 1000}, {"murty", 16}, {"murty", 100}, {"fathi", 12}, {"fathi", 100},
    };
    for (size_t c = 0; c < sizeof CASES / sizeof *CASES; c++) {
        MrnLcp *lcp = standard(CASES[c].kind, CASES[c].size, 12345);
        for (size_t s = 0; s < mrn_lcp_solver_count(); s++)
            measure(CASES[c].kind, lcp, mrn_lcp_solver_at(s)->name, limit);
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
    s.bodies = 2 + (int)(b * b * 30);
    s.contacts = s.bodies - 1 + (int)(c * 1.5 * s.bodies);
    s.friction = d < 0.1 ? 0 : d < 0.9 ? d : 3 * d;
    s.mass_ratio = pow(10, 4 * fabs(uniform()));
    return s;
}

/// What a campaign counts, over compressions and decompressions alike.
typedef struct Campaign {
    long problems, by_first, by_variant, by_perturbation, failed, contacts, largest, pivots;
    double seconds, worst, worst_law, largest_gain;
} Campaign;

static bool solve_one(Campaign *sum, const MrnLcp *lcp, double *z) {
    MrnLcpSolution solution = {.z = z};
    MrnLcpInfo info;
    MrnError error = {0};
    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.tolerance = 1e-11;
    settings.time_limit = 10;
    settings.perturbations = 100;
    settings.perturbed = lcp->size / 4 * 3; // ones and coefficients of friction stay exact
    memset(z, 0, lcp->size * sizeof *z);
    if (!mrn_lcp_solve(lcp, &settings, &solution, &info, &error)) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    // The tries are nested, so one run tells how far each stage of the strategy gets.
    sum->problems++;
    if (info.status != MRN_SOLVED)
        sum->failed++;
    else if (info.tries <= 1)
        sum->by_first++;
    else if (info.tries <= 3)
        sum->by_variant++;
    else
        sum->by_perturbation++;
    sum->pivots += info.iterations;
    sum->seconds += info.seconds;
    if (info.status == MRN_SOLVED)
        sum->worst = fmax(sum->worst, info.residual);
    else
        printf("  not solved: %s, residual %.2e, %d tries\n", mrn_solve_status_name(info.status), info.residual,
               info.tries);
    return info.status == MRN_SOLVED;
}

static int run_campaign(long count, uint64_t seed) {
    Campaign sum = {0};
    for (long k = 0; k < count; k++) {
        MrnAssembly s = draw(k, seed);
        MrnProblem *problem = mrn_assembly_problem(&s);
        MrnError error = {0};
        MrnLcp *lcp = mrn_lcp_friction4(problem, &error);
        size_t m = problem->contacts;
        double *z = calloc(4 * m + 1, sizeof *z), *p = calloc(2 * m + 1, sizeof *p), *u = calloc(2 * m + 1, sizeof *u);
        // Without restitution a jammed assembly is at rest after compression, and decompression would solve for
        // rounding noise.
        double restitution = (double)(1 + k % 4) / 4;
        sum.contacts += (long)m;
        sum.largest = (long)m > sum.largest ? (long)m : sum.largest;
        if (solve_one(&sum, lcp, z)) {
            MrnSolveInfo law = {0};
            mrn_lcp_friction4_impulse(problem, z, p);
            mrn_problem_velocity(problem, p, u);
            mrn_certify(problem, p, u, &law);
            sum.worst_law = fmax(sum.worst_law, law.scaled_residual);
            double before = 0;
            for (size_t i = 0; i < 2 * m; i++) before += 0.5 * p[i] * (u[i] + problem->free_velocity[i]);
            // Decompression (Poisson): the normal impulses come back in part, friction is bounded by the whole of them.
            double *back = calloc(2 * m + 1, sizeof *back), *start = calloc(2 * m + 1, sizeof *start);
            for (size_t i = 0; i < m; i++)
                back[2 * i] = p[2 * i] + restitution * p[2 * i], back[2 * i + 1] = p[2 * i + 1];
            mrn_problem_velocity(problem, back, start);
            for (size_t i = 0; i < m; i++) {
                lcp->vector[i] = start[2 * i];
                lcp->vector[m + 2 * i] = start[2 * i + 1];
                lcp->vector[m + 2 * i + 1] = -start[2 * i + 1];
                lcp->vector[3 * m + i] = problem->friction[i] * restitution * p[2 * i];
            }
            if (solve_one(&sum, lcp, z)) {
                double after = 0;
                for (size_t i = 0; i < m; i++) back[2 * i] += z[i], back[2 * i + 1] += z[m + 2 * i] - z[m + 2 * i + 1];
                mrn_problem_velocity(problem, back, start);
                for (size_t i = 0; i < 2 * m; i++) after += 0.5 * back[i] * (start[i] + problem->free_velocity[i]);
                if (before < 0) sum.largest_gain = fmax(sum.largest_gain, after / -before);
            }
            free(back);
            free(start);
        }
        free(z);
        free(p);
        free(u);
        mrn_lcp_free(lcp);
        mrn_problem_free(problem);
    }
    double all = (double)sum.problems, first = (double)sum.by_first, variant = first + (double)sum.by_variant;
    printf("%ld LCPs (compression and decompression), %.1f contacts on average, %ld at most; residual below 1e-11 "
           "required\n",
           sum.problems, (double)sum.contacts / (double)count, sum.largest);
    printf("  one variant    %9.5f %%\n  three variants %9.5f %%\n  perturbations  %9.5f %%\n", 100 * first / all,
           100 * variant / all, 100 * (variant + (double)sum.by_perturbation) / all);
    printf("  by the first try %ld, by a variant %ld, by perturbation %ld, not at all %ld\n", sum.by_first,
           sum.by_variant, sum.by_perturbation, sum.failed);
    printf("  worst residual %.2e, of Coulomb's law %.2e; largest energy gain over what compression lost %.2e\n",
           sum.worst, sum.worst_law, sum.largest_gain);
    printf("  %.1f pivots and %.1f us each\n", (double)sum.pivots / all, 1e6 * sum.seconds / all);
    return sum.failed == 0 ? 0 : 3;
}

int main(int count, char **word) {
    const char *what = count > 1 ? word[1] : "speed";
    if (!strcmp(what, "speed")) return run_speed(count > 2 ? atof(word[2]) : 5);
    if (!strcmp(what, "campaign"))
        return run_campaign(count > 2 ? atol(word[2]) : 10000, count > 3 ? strtoull(word[3], NULL, 10) : 1);
    if (!strcmp(what, "one") && count > 3) {
        MrnLcp *lcp = standard(word[2], (size_t)atol(word[3]), 12345);
        for (size_t s = 0; s < mrn_lcp_solver_count(); s++)
            if (count < 5 || !strcmp(word[4], mrn_lcp_solver_at(s)->name))
                measure(word[2], lcp, mrn_lcp_solver_at(s)->name, 20);
        mrn_lcp_free(lcp);
        return 0;
    }
    fprintf(stderr, "usage: lcp speed [LIMIT_SECONDS] | lcp campaign COUNT [SEED] | lcp one KIND SIZE [SOLVER]\n");
    return 2;
}
