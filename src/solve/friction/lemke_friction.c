// 2D Coulomb friction by Lemke: the LCP of four unknowns per contact (src/problem/lcp_friction.c), one for each group
// of contacts that share bodies. The method is exact up to rounding; its cost grows like the cube of the largest group.
#include "problem/lcp_friction.h"
#include "base/clock.h"
#include "solve/solver.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int root_of(int *parent, int c) {
    while (parent[c] != c) c = parent[c] = parent[parent[c]];
    return c;
}

/// Contacts of a group in a row, groups in the order of their first contact. Returns the number of groups; group g is
/// order[first[g]] to order[first[g + 1] - 1].
static size_t group_contacts(const MrnProblem *problem, int *parent, int *order, size_t *first) {
    const MrnBlockMatrix *W = problem->delassus;
    size_t m = problem->contacts, groups = 0;
    for (size_t c = 0; c < m; c++) parent[c] = (int)c;
    for (size_t c = 0; c < m; c++)
        for (size_t e = W->start[c]; e < W->start[c + 1]; e++) {
            int a = root_of(parent, (int)c), b = root_of(parent, W->column[e]);
            // The smaller index becomes the root: groups are named by their first contact.
            if (a < b)
                parent[b] = a;
            else
                parent[a] = b;
        }
    for (size_t c = 0; c < m; c++) parent[c] = root_of(parent, (int)c);
    // Count, then place: first[] is indexed by group number, kept in order[] of the root for a moment.
    for (size_t c = 0; c < m; c++)
        if (parent[c] == (int)c) order[c] = (int)groups++;
    memset(first, 0, (groups + 1) * sizeof *first);
    for (size_t c = 0; c < m; c++) parent[c] = order[parent[c]], first[parent[c] + 1]++;
    for (size_t g = 0; g < groups; g++) first[g + 1] += first[g];
    for (size_t c = 0; c < m; c++) order[first[parent[c]]++] = (int)c;
    for (size_t g = groups; g > 0; g--) first[g] = first[g - 1];
    if (groups) first[0] = 0;
    return groups;
}

static bool solve_group(MrnSolveJob *job, const MrnLcpSettings *wanted, const int *contact, size_t count,
                        const int *place, MrnLcpInfo *info) {
    MrnLcpSettings settings = *wanted;
    settings.perturbed = 3 * count; // the last rows and columns are ones and coefficients of friction: exact
    MrnLcp *lcp = mrn_lcp_friction4_part(job->problem, contact, count, place);
    double *z = mrn_arena_take(job->arena, 4 * count, sizeof *z);
    // The guess in the unknowns of the LCP; velocity holds W p + q.
    for (size_t i = 0; i < count; i++) {
        size_t c = (size_t)contact[i];
        double tangential = job->impulse[2 * c + 1];
        z[i] = fmax(0, job->impulse[2 * c]);
        z[count + 2 * i] = fmax(0, tangential);
        z[count + 2 * i + 1] = fmax(0, -tangential);
        z[3 * count + i] = z[i] > 0 ? fabs(job->velocity[2 * c + 1]) : 0;
    }
    if (isfinite(job->deadline)) settings.time_limit = fmax(1e-9, job->deadline - mrn_wall_seconds());
    MrnLcpSolution solution = {.z = z};
    bool done = mrn_lcp_solve(lcp, &settings, &solution, info, job->error);
    for (size_t i = 0; done && i < count; i++) {
        job->impulse[2 * contact[i]] = z[i];
        job->impulse[2 * contact[i] + 1] = z[count + 2 * i] - z[count + 2 * i + 1];
    }
    mrn_lcp_free(lcp);
    return done;
}

static bool solve(MrnSolveJob *job) {
    MrnProblem *problem = job->problem;
    size_t m = problem->contacts;
    if (!mrn_lcp_friction_check(problem, job->error)) return false;
    if (!mrn_options_check(job->settings->options, "perturbations,variants", "lemke", job->error)) return false;
    job->info->status = MRN_SOLVED;
    job->info->iterations = 0;
    if (m == 0) return true;
    for (size_t c = 0; c < m; c++)
        if (!(problem->friction[c] >= 0 && isfinite(problem->friction[c]))) {
            job->info->status = MRN_BAD_PROBLEM;
            return true;
        }
    mrn_problem_assemble(problem);
    mrn_problem_velocity(problem, job->impulse, job->velocity);
    for (size_t c = 0; c < 2 * m; c++)
        if (!isfinite(job->impulse[c]) || !isfinite(job->velocity[c])) job->impulse[c] = job->velocity[c] = 0;

    MrnLcpSettings settings = mrn_lcp_defaults();
    settings.solver = "lemke";
    settings.tolerance = fmin(1e-10, 0.1 * job->settings->tolerance);
    settings.perturbations = (int)mrn_option_number(job->settings->options, "perturbations", settings.perturbations);
    settings.variants = (int)mrn_option_number(job->settings->options, "variants", settings.variants);
    int *parent = mrn_arena_take(job->arena, m, sizeof *parent), *order = mrn_arena_take(job->arena, m, sizeof *order);
    int *place = mrn_arena_take(job->arena, m, sizeof *place);
    size_t *first = mrn_arena_take(job->arena, m + 2, sizeof *first);
    size_t groups = group_contacts(problem, parent, order, first);
    for (size_t g = 0; g < groups; g++) {
        size_t count = first[g + 1] - first[g];
        const int *contact = order + first[g];
        for (size_t i = 0; i < count; i++) place[contact[i]] = (int)i;
        MrnLcpInfo info;
        if (!solve_group(job, &settings, contact, count, place, &info)) return false;
        job->info->iterations += info.iterations;
        // The worst group speaks for all.
        if (info.status != MRN_SOLVED && job->info->status == MRN_SOLVED) job->info->status = info.status;
        if (info.status == MRN_TIME_LIMIT) job->info->status = MRN_TIME_LIMIT;
    }
    mrn_problem_velocity(problem, job->impulse, job->velocity);
    return true;
}

const MrnSolverRow mrn_solver_lemke = {
    .entry = {"lemke",
              "2D friction as an LCP by Lemke's pivoting, one LCP per group of touching bodies: exact, for groups "
              "below 500 contacts",
              "2d friction", "perturbations=20 (rounds after the first tries, >= 0), variants=3 (1..3)"},
    .solve = solve,
};
