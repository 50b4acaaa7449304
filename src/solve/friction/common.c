// Cones, best iterates and stopping, for all friction solvers.
#include "solve/friction/common.h"

#include "base/clock.h"
#include "problem/problem.h"
#include "solve/certify.h"
#include "solve/friction/local.h"

#include <math.h>
#include <string.h>

void mrn_project_cones(const MrnProblem *problem, double *p) {
    size_t d = (size_t)problem->dimension;
    for (size_t i = 0; i < problem->contacts; i++, p += d) {
        if (problem->law && problem->law[i] != MRN_LAW_COULOMB) continue;
        mrn_project_cone(problem->dimension, problem->friction[i], p);
    }
}

void mrn_project_disc(int dimension, double radius, double *tangent) {
    double norm = dimension == 3 ? sqrt(tangent[0] * tangent[0] + tangent[1] * tangent[1]) : fabs(tangent[0]);
    if (norm <= radius) return;
    for (int k = 0; k < dimension - 1; k++) tangent[k] *= radius / norm;
}

bool mrn_coulomb_only(const MrnProblem *problem, const char *solver, MrnError *error) {
    for (size_t i = 0; problem->law && i < problem->contacts; i++)
        if (problem->law[i] != MRN_LAW_COULOMB)
            return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                            "solver %s: contact %zu does not obey Coulomb's law; use auto or nlgs", solver, i);
    return true;
}

void mrn_iteration_begin(MrnIteration *iteration, MrnSolveJob *job, int patience) {
    MrnProblem *problem = job->problem;
    mrn_problem_assemble(problem);
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    *iteration = (MrnIteration){.job = job,
                                .scale = job->scale,
                                .residual = INFINITY,
                                .best_residual = INFINITY,
                                .progress_residual = INFINITY,
                                .patience = patience,
                                .best = mrn_arena_take(job->arena, numbers, sizeof(double))};
    double q2 = 0;
    for (size_t k = 0; k < numbers; k++) q2 += problem->free_velocity[k] * problem->free_velocity[k];
    iteration->q_norm = q2 > 0 ? sqrt(q2) : 1;
    memcpy(iteration->best, job->impulse, numbers * sizeof(double));
    job->info->status = MRN_SOLVED;
}

bool mrn_iteration_next(MrnIteration *iteration, const double *impulse) {
    MrnSolveJob *job = iteration->job;
    MrnProblem *problem = job->problem;
    mrn_block_matrix_times(problem->delassus, impulse, problem->free_velocity, job->velocity);
    iteration->residual = mrn_job_residual(job, iteration->scale, impulse, job->velocity);
    if (iteration->residual < iteration->best_residual) {
        iteration->best_residual = iteration->residual;
        memcpy(iteration->best, impulse, (size_t)problem->dimension * problem->contacts * sizeof(double));
    }
    if (iteration->residual < 0.9 * iteration->progress_residual)
        iteration->progress_residual = iteration->residual, iteration->progress = iteration->count;
    if (iteration->residual <= job->settings->tolerance) return false;
    if (iteration->count >= job->settings->max_iterations)
        job->info->status = MRN_MAX_ITERATIONS;
    else if (mrn_wall_seconds() > job->deadline)
        job->info->status = MRN_TIME_LIMIT;
    else if (iteration->count - iteration->progress > iteration->patience || !isfinite(iteration->residual))
        job->info->status = MRN_STALLED;
    else {
        iteration->count++;
        return true;
    }
    return false;
}

void mrn_iteration_end(MrnIteration *iteration) {
    MrnSolveJob *job = iteration->job;
    memcpy(job->impulse, iteration->best, (size_t)job->problem->dimension * job->problem->contacts * sizeof(double));
    job->info->iterations = iteration->count;
    if (iteration->best_residual <= job->settings->tolerance) job->info->status = MRN_SOLVED;
}
