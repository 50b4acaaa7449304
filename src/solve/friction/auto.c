// The solver that chooses by itself.
#include "solve/solver.h"

#include "base/clock.h"
#include "problem/problem.h"
#include "solve/certify.h"
#include "solve/friction/newton.h"
#include "solve/friction/sweep.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Auto {
    MrnSolveJob *job;
    MrnProblem *problem;
    MrnSweep sweep;
    MrnNewton newton;
    bool newton_ready, coulomb;
    size_t numbers;
    double *point, *swept, *previous, *best, *velocity; 
    double theta, change_best, change_previous;
    double residual, best_residual, q_norm;
    int sweeps, newton_steps, attempts, successes;
    int trace;
} Auto;

static double measure(Auto *a, const double *impulse) {
    mrn_block_matrix_times(a->problem->delassus, impulse, a->problem->free_velocity, a->velocity);
    double scaled = mrn_residual(a->problem, a->sweep.scale, impulse, a->velocity);
    double plain = mrn_residual(a->problem, 1, impulse, a->velocity);
    double p2 = 0;
    for (size_t k = 0; k < a->numbers; k++) p2 += impulse[k] * impulse[k];
    double floor = 1e-15 * sqrt(p2) / a->q_norm;
    a->residual = fmax(scaled, plain > floor ? plain : 0);
    if (a->residual < a->best_residual) {
        a->best_residual = a->residual;
        memcpy(a->best, impulse, a->numbers * sizeof *a->best);
    }
    return a->residual;
}

static void project(const MrnProblem *problem, double *p) {
    size_t d = (size_t)problem->dimension;
    for (size_t i = 0; i < problem->contacts; i++, p += d) {
        double mu = problem->friction[i], norm = d == 3 ? sqrt(p[1] * p[1] + p[2] * p[2]) : fabs(p[1]);
        if (norm <= mu * p[0]) continue;
        double scale = fmax((mu * norm + p[0]) / (1 + mu * mu), 0);
        p[0] = scale;
        for (size_t k = 1; k < d; k++) p[k] *= norm > 0 ? mu * scale / norm : 0;
    }
}

static bool attempt(Auto *a, double shift, int max_steps) {
    double before = a->residual, merit = 0;
    if (!a->newton_ready) mrn_newton_init(&a->newton, a->problem, a->job->arena), a->newton_ready = true;
    MrnNewtonSettings settings = {.shift = shift, .max_steps = max_steps, .target = 0.1 * a->job->settings->tolerance * a->q_norm, .limit = INFINITY, .deadline = a->job->deadline};
    memcpy(a->swept, a->point, a->numbers * sizeof(double));
    a->attempts++;
    int steps = mrn_newton_run(&a->newton, &settings, NULL, a->swept, &merit);
    a->newton_steps += steps;
    project(a->problem, a->swept);
    double after = measure(a, a->swept);
    if (a->trace) fprintf(stderr, "  newton shift %.0e steps %d sweeps %d: %.2e -> %.2e (merit %.1e)\n", shift, steps, a->sweeps, before, after, merit);
    if (after < before) {
        memcpy(a->point, a->swept, a->numbers * sizeof(double));
        memcpy(a->previous, a->swept, a->numbers * sizeof(double));
        a->theta = 1, a->change_best = INFINITY;
        return true;
    }
    a->residual = before;
    return false;
}

static bool solve(MrnSolveJob *job) {
    const MrnSolverSettings *settings = job->settings;
    MrnProblem *problem = job->problem;
    mrn_problem_assemble(problem);
    Auto a = {.job = job, .problem = problem, .best_residual = INFINITY, .trace = getenv("TRACE") != NULL};
    a.numbers = (size_t)problem->dimension * problem->contacts;
    a.coulomb = true;
    if (problem->law)
        for (size_t i = 0; i < problem->contacts; i++) a.coulomb = a.coulomb && problem->law[i] == MRN_LAW_COULOMB;
    mrn_sweep_init(&a.sweep, problem, job->arena);
    a.point = mrn_arena_take(job->arena, a.numbers, sizeof(double));
    a.swept = mrn_arena_take(job->arena, a.numbers, sizeof(double));
    a.previous = mrn_arena_take(job->arena, a.numbers, sizeof(double));
    a.best = mrn_arena_take(job->arena, a.numbers, sizeof(double));
    a.velocity = job->velocity;
    double q2 = 0;
    for (size_t k = 0; k < a.numbers; k++) q2 += problem->free_velocity[k] * problem->free_velocity[k];
    a.q_norm = q2 > 0 ? sqrt(q2) : 1;
    memcpy(a.point, job->impulse, a.numbers * sizeof(double));
    memcpy(a.previous, job->impulse, a.numbers * sizeof(double));
    a.theta = 1, a.change_best = INFINITY;
    measure(&a, a.point);
    int next_attempt = (int)mrn_option_number(settings->options, "first", 20), gap = next_attempt;
    double ratio = 0; // residual over change of the last check
    int since = 0;
    job->info->status = MRN_SOLVED;
    const double shifts[] = {1e-8, 1e-4, 1e-6, 1e-2};
    while (a.residual > settings->tolerance) {
        if (a.sweeps >= settings->max_iterations) {
            job->info->status = MRN_MAX_ITERATIONS;
            break;
        }
        memcpy(a.swept, a.point, a.numbers * sizeof(double));
        mrn_sweep_forward(&a.sweep, 1, a.swept);
        a.sweeps++, since++;
        double change = 0, along = 0;
        for (size_t k = 0; k < a.numbers; k++) {
            double f = a.swept[k] - a.point[k];
            change += f * f, along += f * (a.swept[k] - a.previous[k]);
        }
        change = sqrt(change);
        if (since >= 10 || ratio * change <= settings->tolerance || a.sweeps <= 2) {
            measure(&a, a.swept);
            ratio = change > 0 ? a.residual / change : 0;
            since = 0;
            if (a.residual <= settings->tolerance) break;
            if (mrn_wall_seconds() > job->deadline) {
                job->info->status = MRN_TIME_LIMIT;
                break;
            }
            if (a.coulomb && a.sweeps >= next_attempt) {
                memcpy(a.point, a.swept, a.numbers * sizeof(double));
                bool good = attempt(&a, shifts[a.attempts % 4], 12);
                if (a.residual <= settings->tolerance) break;
                a.successes += good;
                gap = good ? gap : 2 * gap;
                next_attempt = a.sweeps + gap;
                if (good) continue;
            }
        }
        if (along < 0 || change > 1.5 * a.change_best) a.theta = 1, a.change_best = change;
        a.change_best = fmin(a.change_best, change);
        double theta = 0.5 * (1 + sqrt(1 + 4 * a.theta * a.theta)), momentum = (a.theta - 1) / theta;
        a.theta = theta;
        for (size_t k = 0; k < a.numbers; k++) {
            double s = a.swept[k];
            a.point[k] = s + momentum * (s - a.previous[k]);
            a.previous[k] = s;
        }
        if (momentum > 0) project(problem, a.point);
    }
    memcpy(job->impulse, a.best, a.numbers * sizeof(double));
    job->info->iterations = a.sweeps + a.newton_steps;
    snprintf(job->info->method, sizeof job->info->method, "%d sweeps, %d newton steps in %d attempts (%d good)", a.sweeps, a.newton_steps, a.attempts, a.successes);
    if (a.newton_ready) mrn_newton_free(&a.newton);
    return true;
}

const MrnSolverRow mrn_solver_auto = {
    .entry = {.name = "auto", .summary = "chooses and combines: accelerated Gauss-Seidel, then Newton with sparse factors where that stalls", .problems = "2d 3d friction, all laws", .options = ""},
    .solve = solve};
