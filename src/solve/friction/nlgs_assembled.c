// Nonlinear Gauss-Seidel on the assembled Delassus matrix: contact after contact is solved with the others held (Jean
// 1999).
//
// Reference: Contact Dynamics specification section 8; the local methods are those of granular specification 1.7
// and 2.5. It takes any law and any matrix, also one that did not come from rigid bodies; laws other than Coulomb's are
// always solved exactly.
#include "solve/friction/common.h"
#include "solve/friction/sweep.h"
#include "solve/friction/visit.h"

#include "base/clock.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

static const char choices[] =
#define X(name, text) text ","
    MRN_VISIT_LIST(X);
#undef X

// One sweep with the local method asked for.
static void sweep_visits(const MrnSweep *sweep, const MrnVisitSettings *visit, double *impulse) {
    const MrnProblem *problem = sweep->problem;
    const MrnBlockMatrix *W = problem->delassus;
    size_t d = (size_t)W->block, size = d * d;
    for (size_t i = 0; i < problem->contacts; i++) {
        double b[3] = {0, 0, 0};
        for (size_t r = 0; r < d; r++) b[r] = problem->free_velocity[d * i + r];
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
            if (k == sweep->diagonal[i]) continue;
            const double *block = W->value + k * size, *p = impulse + d * (size_t)W->column[k];
            for (size_t r = 0; r < d; r++)
                for (size_t c = 0; c < d; c++) b[r] += block[r * d + c] * p[c];
        }
        mrn_visit_contact(visit, (int)d, W->value + sweep->diagonal[i] * size, b, problem->friction[i],
                          impulse + d * i);
    }
}

// max |change of p_n| + max |change of p_t| between two iterates (granular specification 2.5.4).
static double largest_change(const MrnProblem *problem, const double *before, const double *after) {
    size_t d = (size_t)problem->dimension;
    double normal = 0, tangent = 0;
    for (size_t i = 0; i < problem->contacts; i++) {
        double sum = 0;
        for (size_t k = 1; k < d; k++)
            sum += (after[d * i + k] - before[d * i + k]) * (after[d * i + k] - before[d * i + k]);
        normal = fmax(normal, fabs(after[d * i] - before[d * i]));
        tangent = fmax(tangent, sum);
    }
    return normal + sqrt(tangent);
}

static void sweep_once(const MrnSweep *sweep, const MrnVisitSettings *visit, double relaxation, double *impulse) {
    if (visit->kind == MRN_VISIT_EXACT)
        mrn_sweep_forward(sweep, relaxation, impulse);
    else
        sweep_visits(sweep, visit, impulse);
}

// Sweep until the impulses stand still, as the published counts were made; the certificate is measured afterwards.
static void sweep_until_still(MrnSolveJob *job, const MrnVisitSettings *visit, double relaxation, double still) {
    size_t numbers = (size_t)job->problem->dimension * job->problem->contacts;
    double *before = mrn_arena_take(job->arena, numbers, sizeof(double));
    mrn_problem_assemble(job->problem);
    MrnSweep sweep;
    mrn_sweep_init(&sweep, job->problem, job->arena);
    job->info->status = MRN_MAX_ITERATIONS;
    while (job->info->iterations < job->settings->max_iterations) {
        memcpy(before, job->impulse, numbers * sizeof(double));
        sweep_once(&sweep, visit, relaxation, job->impulse);
        job->info->iterations++;
        if (largest_change(job->problem, before, job->impulse) < still) {
            job->info->status = MRN_SOLVED;
            return;
        }
        if (mrn_wall_seconds() > job->deadline) {
            job->info->status = MRN_TIME_LIMIT;
            return;
        }
    }
}

static bool solve(MrnSolveJob *job) {
    const char *options = job->settings->options;
    if (!mrn_options_check(options, "relaxation,check,still,stall,local,rho,gamma_normal,gamma_tangent",
                           "nlgs-assembled", job->error))
        return false;
    double relaxation = mrn_option_number(options, "relaxation", 1);
    int check = (int)mrn_option_number(options, "check", 10),
        local = mrn_option_choice(options, "local", choices, MRN_VISIT_EXACT);
    if (!(relaxation > 0 && relaxation < 2))
        return mrn_fail(job->error, MRN_ERROR_INPUT, "nlgs-assembled: 0 < relaxation < 2, got %g", relaxation);
    if (check < 1) return mrn_fail(job->error, MRN_ERROR_INPUT, "nlgs-assembled: check >= 1, got %d", check);
    if (local < 0 || local > MRN_VISIT_IPDAS)
        return mrn_fail(job->error, MRN_ERROR_INPUT, "nlgs-assembled: local must be one of %.*s",
                        (int)strlen(choices) - 1, choices);
    MrnVisitSettings visit = {.kind = (MrnVisit)local,
                              .rho = mrn_option_number(options, "rho", 0),
                              .gamma_normal = mrn_option_number(options, "gamma_normal", 0),
                              .gamma_tangent = mrn_option_number(options, "gamma_tangent", 0)};
    if (visit.kind != MRN_VISIT_EXACT &&
        !mrn_coulomb_only(job->problem, "nlgs-assembled with this local method", job->error))
        return false;
    double still = mrn_option_number(options, "still", 0);
    if (!(still >= 0)) return mrn_fail(job->error, MRN_ERROR_INPUT, "nlgs-assembled: still >= 0, got %g", still);
    if (still > 0) {
        visit.accuracy = still;
        sweep_until_still(job, &visit, relaxation, still);
        return true;
    }
    MrnIteration iteration;
    mrn_iteration_begin(&iteration, job, (int)mrn_option_number(options, "stall", 2000));
    size_t numbers = (size_t)job->problem->dimension * job->problem->contacts;
    double *point = mrn_arena_take(job->arena, numbers, sizeof(double));
    memcpy(point, job->impulse, numbers * sizeof(double));
    MrnSweep sweep;
    mrn_sweep_init(&sweep, job->problem, job->arena);
    while (mrn_iteration_next(&iteration, point)) {
        for (int k = 0;; k++) {
            sweep_once(&sweep, &visit, relaxation, point);
            if (k + 1 >= check || iteration.count >= job->settings->max_iterations) break;
            iteration.count++;
        }
    }
    mrn_iteration_end(&iteration);
    return true;
}

const MrnSolverRow mrn_solver_nlgs_assembled = {
    .entry = {.name = "nlgs-assembled",
              .summary = "nonlinear Gauss-Seidel on the assembled matrix with a choice of local methods; simple, slow "
                         "on stiff packings",
              .problems = "2d 3d friction, all laws",
              .options =
                  "local=exact (exact, projection, sal, sbp, ibp, epdas, ipdas), relaxation=1 (0..2, exact only), "
                  "check=10 (sweeps between residuals), stall=2000 (sweeps without progress before giving up), still=0 "
                  "(N s; > 0: stop when a sweep changes p by less), "
                  "rho=0 (step of sal, sbp and ibp; 0: from the diagonal block), gamma_normal=0 (of the active "
                  "sets; 0: from the diagonal block), gamma_tangent=0 (the same)"},
    .solve = solve};
