// The table of solvers, the checks before a solve and the certificate after it.
//
// Whatever a solver says, u = W p + q is computed afresh from its p and certified; a solver that claims success without
// reaching the tolerance is reported as stalled.
#include "solve/solver.h"

#include "base/clock.h"
#include "problem/problem.h"
#include "solve/certify.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const MrnSolverRow *const solver_rows[] = {
    &mrn_solver_auto,   &mrn_solver_nlgs,       &mrn_solver_nlgs_assembled,
    &mrn_solver_newton, &mrn_solver_active_set, &mrn_solver_interior_point,
    &mrn_solver_admm,   &mrn_solver_gradient,   &mrn_solver_conjugate_gradient,
    &mrn_solver_latin,  &mrn_solver_lemke,
};

size_t mrn_solver_count(void) {
    return sizeof solver_rows / sizeof *solver_rows;
}

const MrnSolverEntry *mrn_solver_at(size_t index) {
    return index < mrn_solver_count() ? &solver_rows[index]->entry : NULL;
}

const MrnSolverRow *mrn_solver_row(const char *name) {
    for (size_t k = 0; k < mrn_solver_count(); k++)
        if (!strcmp(solver_rows[k]->entry.name, name)) return solver_rows[k];
    return NULL;
}

const char *mrn_solve_status_name(MrnSolveStatus status) {
    switch (status) {
#define X(name, text)                                                                                                  \
    case name: return text;
        MRN_SOLVE_STATUS_LIST(X)
#undef X
    }
    return "unknown status";
}

MrnSolverSettings mrn_solver_defaults(void) {
    return (MrnSolverSettings){.solver = mrn_solver_auto.entry.name, .tolerance = 1e-6, .max_iterations = 10000};
}

// The value of option `name`, as a pointer into `options` and a length; NULL if it is absent.
static const char *find_option(const char *options, const char *name, size_t *length) {
    size_t name_length = strlen(name);
    for (const char *at = options; at && *at;) {
        while (*at == ' ' || *at == ',') at++;
        size_t item = strcspn(at, ",");
        if (item > name_length && !strncmp(at, name, name_length) && at[name_length] == '=') {
            *length = item - name_length - 1;
            return at + name_length + 1;
        }
        at += item;
    }
    return NULL;
}

double mrn_option_number(const char *options, const char *name, double fallback) {
    size_t length;
    const char *text = find_option(options, name, &length);
    return text ? strtod(text, NULL) : fallback;
}

int mrn_option_choice(const char *options, const char *name, const char *choices, int fallback) {
    size_t length;
    const char *text = find_option(options, name, &length);
    if (!text) return fallback;
    int index = 0;
    for (const char *at = choices; *at; index++) {
        size_t item = strcspn(at, ",");
        if (item == length && !strncmp(at, text, length)) return index;
        at += item;
        if (*at == ',') at++;
    }
    return -1;
}

static bool in_list(const char *list, const char *name, size_t length) {
    for (const char *at = list; *at;) {
        size_t item = strcspn(at, ",");
        if (item == length && !strncmp(at, name, length)) return true;
        at += item;
        if (*at == ',') at++;
    }
    return false;
}

bool mrn_options_check(const char *options, const char *known, const char *solver, MrnError *error) {
    for (const char *at = options; at && *at;) {
        while (*at == ' ' || *at == ',') at++;
        size_t item = strcspn(at, ","), name = strcspn(at, "=,");
        if (item && (name == item || !in_list(known, at, name)))
            return mrn_fail(error, MRN_ERROR_INPUT, "solver %s: unknown option '%.*s'; options are: %s", solver,
                            (int)item, at, *known ? known : "none");
        at += item;
    }
    return true;
}

// Why the numbers of a problem make no sense, or NULL.
static const char *defect(const MrnProblem *problem) {
    size_t contacts = problem->contacts, numbers = (size_t)problem->dimension * contacts;
    int d = problem->dimension;
    // A sum is finite only if every term is; terms that cancel to NaN are themselves infinite.
    double sum = 0;
    for (size_t i = 0; i < numbers; i++) sum += fabs(problem->free_velocity[i]);
    if (!isfinite(sum)) return "the free velocity is not finite";
    for (size_t i = 0; i < contacts; i++)
        if (!(problem->friction[i] >= 0 && problem->friction[i] < INFINITY))
            return "a friction coefficient is negative or not finite";
    if (problem->friction2)
        for (size_t i = 0; i < contacts; i++)
            if (!(problem->friction2[i] >= 0 && problem->friction2[i] < INFINITY))
                return "a second friction coefficient is negative or not finite";
    if (problem->law)
        for (size_t i = 0; i < contacts; i++) {
            if (problem->law[i] > MRN_LAW_ROLLING) return "an unknown contact law";
            if (problem->law[i] == MRN_LAW_ELLIPTIC && d == 3 && !problem->friction2)
                return "an elliptic cone without its second coefficient";
            if (problem->law[i] == MRN_LAW_ROLLING &&
                (!problem->parent || problem->parent[i] < 0 || (size_t)problem->parent[i] >= contacts ||
                 problem->parent[i] == (int)i))
                return "a rolling couple without a contact that bounds it";
        }
    if (!problem->delassus && !problem->bodies) return "neither bodies nor an assembled matrix";
    if (problem->bodies) {
        for (size_t s = 0; s < 2 * contacts; s++)
            if (problem->bodies[s] < -1 ||
                (problem->bodies[s] >= 0 && (size_t)problem->bodies[s] >= problem->body_count))
                return "a contact names a body that does not exist";
        size_t half = (size_t)(d * problem->dof);
        sum = 0;
        for (size_t s = 0; s < 2 * contacts; s++)
            if (problem->bodies[s] >= 0 && problem->jacobian)
                for (size_t k = s * half; k < (s + 1) * half; k++) sum += fabs(problem->jacobian[k]);
            else if (problem->bodies[s] >= 0)
                sum += fabs(problem->lever[s]);
        for (size_t k = 0; !problem->jacobian && k < numbers; k++) sum += fabs(problem->normal[k]);
        for (size_t b = 0; !problem->jacobian && b < problem->body_count; b++) sum += problem->inverse_root_mass[b];
        if (!isfinite(sum)) return "a Jacobian is not finite";
    }
    const MrnBlockMatrix *W = problem->delassus;
    if (W) {
        if (W->rows != contacts || W->block != d) return "the matrix does not have the size of the problem";
        sum = 0;
        for (size_t k = 0; k < W->start[contacts] * (size_t)(d * d); k++) sum += fabs(W->value[k]);
        if (!isfinite(sum)) return "the matrix is not finite";
        for (size_t i = 0; i < contacts; i++) {
            bool diagonal = false;
            for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
                if (W->column[k] < 0 || (size_t)W->column[k] >= contacts ||
                    (k > W->start[i] && W->column[k] <= W->column[k - 1]))
                    return "the columns of the matrix are out of range or order";
                if (W->column[k] != (int)i) continue;
                diagonal = true;
                for (int r = 0; r < d; r++)
                    if (W->value[k * (size_t)(d * d) + (size_t)(r * (d + 1))] < 0)
                        return "a negative diagonal entry of the matrix";
            }
            if (!diagonal) return "a row of the matrix without its diagonal block";
        }
    }
    return NULL;
}

// A contact whose normal row of W vanishes cannot be pushed apart: with q_n < 0 there is no solution.
static bool immovable_and_approaching(const MrnProblem *problem) {
    int d = problem->dimension;
    double block[9];
    for (size_t i = 0; i < problem->contacts; i++) {
        if (problem->free_velocity[(size_t)d * i] >= 0 || (problem->law && problem->law[i] == MRN_LAW_ROLLING))
            continue;
        mrn_problem_diagonal(problem, i, block);
        if (block[0] <= 0) return true;
    }
    return false;
}

double mrn_job_residual(const MrnSolveJob *job, double scale, const double *impulse, const double *velocity) {
    const MrnProblem *problem = job->problem;
    double scaled = mrn_residual(problem, scale, impulse, velocity, job->threads);
    if (!job->plain || scaled > job->settings->tolerance) return scaled;
    // Impulses are known to rounding only, and so is the residual without scaling.
    double plain = mrn_residual(problem, 1, impulse, velocity, job->threads), p2 = 0, q2 = 0;
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    for (size_t k = 0; k < numbers; k++)
        p2 += impulse[k] * impulse[k], q2 += problem->free_velocity[k] * problem->free_velocity[k];
    return plain > 4e-16 * sqrt(p2) / (q2 > 0 ? sqrt(q2) : 1) ? fmax(scaled, plain) : scaled;
}

static bool run_solver(MrnProblem *problem, const MrnSolverSettings *settings, double *impulse, double *velocity,
                       MrnSolveInfo *info, MrnThreads *threads, MrnArena *arena, bool plain, MrnError *error) {
    double start = mrn_wall_seconds();
    *info = (MrnSolveInfo){.status = MRN_SOLVED};
    const MrnSolverRow *row = mrn_solver_row(settings->solver);
    if (!row)
        return mrn_fail(error, MRN_ERROR_INPUT, "there is no solver '%s'; see the list of solvers", settings->solver);
    if (!(settings->tolerance > 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "tolerance must be > 0, got %g", settings->tolerance);
    if (settings->max_iterations <= 0)
        return mrn_fail(error, MRN_ERROR_INPUT, "max_iterations must be > 0, got %d", settings->max_iterations);
    if (!(settings->time_limit >= 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "time_limit must be >= 0 s, got %g s", settings->time_limit);
    snprintf(info->method, sizeof info->method, "%s", row->entry.name);
    if (problem->contacts == 0) {
        info->seconds = mrn_wall_seconds() - start;
        return true;
    }
    const char *wrong = defect(problem);
    if (wrong) {
        info->status = MRN_BAD_PROBLEM;
        info->residual = info->scaled_residual = info->cone_violation = INFINITY;
        snprintf(info->method, sizeof info->method, "%s", wrong);
        info->seconds = mrn_wall_seconds() - start;
        return true;
    }
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    for (size_t k = 0; k < numbers; k++)
        if (!isfinite(impulse[k])) impulse[k] = 0; // a bad guess is no guess
    MrnArena own = {0};
    MrnSolveJob job = {.problem = problem,
                       .settings = settings,
                       .impulse = impulse,
                       .velocity = velocity,
                       .info = info,
                       .threads = threads,
                       .arena = arena ? arena : &own,
                       .scale = mrn_problem_mean_diagonal(problem, threads),
                       .plain = plain,
                       .error = error,
                       .deadline = settings->time_limit > 0 ? start + settings->time_limit : INFINITY};
    if (!velocity) job.velocity = mrn_arena_take(job.arena, numbers, sizeof(double));
    bool possible = row->solve(&job);
    if (possible) {
        if (!job.fresh) mrn_problem_velocity_on(problem, impulse, job.velocity, threads, job.arena);
        mrn_certify_on(problem, job.scale, impulse, job.velocity, info, threads);
        bool reached = info->scaled_residual <= settings->tolerance;
        if (reached)
            info->status = MRN_SOLVED;
        else if (info->status == MRN_SOLVED)
            info->status = MRN_STALLED;
        if (!reached && immovable_and_approaching(problem)) info->status = MRN_INFEASIBLE;
    }
    mrn_arena_free(&own);
    info->seconds = mrn_wall_seconds() - start;
    return possible;
}

bool mrn_solve(MrnProblem *problem, const MrnSolverSettings *settings, double *impulse, double *velocity,
               MrnSolveInfo *info, MrnError *error) {
    return run_solver(problem, settings, impulse, velocity, info, NULL, NULL, true, error);
}

bool mrn_solve_job(MrnProblem *problem, const MrnSolverSettings *settings, double *impulse, double *velocity,
                   MrnSolveInfo *info, MrnThreads *threads, MrnArena *arena, MrnError *error) {
    return run_solver(problem, settings, impulse, velocity, info, threads, arena, false, error);
}
