// Proximal point iterations with exact inner solutions (Rockafellar 1976).
//
// A packing that slides somewhere can have modes along which the impulses move far and hardly any velocity changes, and
// since Coulomb's law is not associated the little stiffness that they have may be negative. Newton's direction then
// points away from the solution, and sweeps creep. The problem with W + s w I and q - s w p_k has the same solutions
// where p = p_k, and for s above that negative stiffness none of its modes is soft: Newton solves it in a few steps.
// From step to step the impulses walk along the soft mode at the speed u / (s w), downhill or not, until a contact
// changes its status and gives the mode stiffness; there the walk ends in a solution.
#include "solve/friction/proximal.h"

#include "base/clock.h"
#include "problem/problem.h"
#include "solve/friction/common.h"

#include <math.h>
#include <string.h>

#define FIRST_SHIFT   40 ///< times the stiffness that a walk is begun with
#define FIRST_PIVOTS  10 ///< the same by pivots
#define LEAST_SHIFT   1e-10
#define LARGEST_SHIFT 10
#define CHECK_SWEEPS  20
#define NEWTON_STEPS  7   ///< full steps that solve a shifted problem, or a larger shift is tried
#define MOST_PIVOTS   100 ///< pivots that do
#define SMALL_STEP    10  ///< pivots of a small step

void mrn_proximal_init(MrnProximal *proximal, const MrnProblem *problem, MrnArena *arena) {
    const MrnBlockMatrix *W = problem->delassus;
    size_t n = problem->contacts, d = (size_t)problem->dimension, numbers = W->start[n] * d * d;
    *proximal = (MrnProximal){.problem = problem, .shifted = *problem, .matrix = *W, .arena = arena};
    proximal->matrix.value = mrn_arena_take(arena, numbers, sizeof(double));
    memcpy(proximal->matrix.value, W->value, numbers * sizeof(double));
    proximal->shifted.delassus = &proximal->matrix;
    proximal->shifted.free_velocity = mrn_arena_take(arena, d * n, sizeof(double));
    proximal->trial = mrn_arena_take(arena, d * n + 1, sizeof(double));
    proximal->previous = mrn_arena_take(arena, d * n, sizeof(double));
    mrn_newton_init(&proximal->newton, &proximal->shifted, arena);
    mrn_sweep_init(&proximal->sweep, &proximal->shifted, arena);
    // Where steps through the bodies are cheap, Newton's are.
    proximal->by_pivots = d == 2 || !proximal->newton.through_bodies;
    if (proximal->by_pivots) mrn_pivots_kind((int)d)->init(&proximal->pivots, problem, &proximal->sweep, arena);
}

void mrn_proximal_free(MrnProximal *proximal) {
    mrn_newton_free(&proximal->newton);
    mrn_pivots_free(&proximal->pivots);
}

bool mrn_proximal_cost(MrnProximal *proximal, const double *impulse, double limit, double *products, double *passes) {
    if (proximal->by_pivots) {
        *products = mrn_pivots_kind(proximal->problem->dimension)->cost(&proximal->pivots, impulse, SMALL_STEP, limit);
        *passes = 0;
    } else {
        *products = mrn_newton_step_cost(&proximal->newton, limit);
        *passes = mrn_newton_step_passes(&proximal->newton);
    }
    return *products > 0;
}

void mrn_proximal_spent(const MrnProximal *proximal, double *products, double *passes) {
    *products = proximal->newton.products + proximal->pivots.products;
    *passes = proximal->newton.passes;
}

static void shift_around(MrnProximal *proximal, double relative, const double *impulse) {
    const MrnProblem *problem = proximal->problem;
    size_t n = problem->contacts, d = (size_t)problem->dimension;
    double shift = relative * proximal->sweep.scale;
    proximal->newton.included = shift;
    for (size_t i = 0; i < n; i++) {
        size_t own = proximal->sweep.diagonal[i] * d * d;
        for (size_t k = 0; k < d * d; k += d + 1)
            proximal->matrix.value[own + k] = problem->delassus->value[own + k] + shift;
    }
    for (size_t k = 0; k < d * n; k++)
        proximal->shifted.free_velocity[k] = problem->free_velocity[k] - shift * impulse[k];
}

void mrn_proximal_begin(MrnProximal *proximal, double stiffness) {
    double times = proximal->by_pivots ? FIRST_PIVOTS : FIRST_SHIFT;
    proximal->shift = fmin(fmax(times * stiffness / proximal->sweep.scale, 1e-9), LARGEST_SHIFT);
    proximal->failed = 0;
}

// A shift failed: how many times larger the next one is.
static void grow(MrnProximal *proximal, double times) {
    proximal->failed = 2 * proximal->shift;
    proximal->shift = fmin(times * proximal->shift, LARGEST_SHIFT);
}

// It did not: how many times smaller the next one may be.
static void shrink(MrnProximal *proximal, double times) {
    proximal->shift = fmax(proximal->shift / times, fmax(proximal->failed, LEAST_SHIFT));
    proximal->failed *= 0.7;
}

static int step_by_pivots(MrnProximal *proximal, double deadline, double *impulse) {
    int count;
    double shift = proximal->shift * proximal->sweep.scale;
    const MrnPivotsKind *kind = mrn_pivots_kind(proximal->problem->dimension);
    MrnPivotsEnd end = kind->step(&proximal->pivots, shift, MOST_PIVOTS, deadline, impulse, &count);
    if (end == MRN_PIVOTS_SOLVED)
        shrink(proximal, count < 5 ? 10 : count < 20 ? 3 : count < 50 ? 1.7 : 1);
    else
        grow(proximal, end == MRN_PIVOTS_CLOSER ? 4 : 3);
    if (end == MRN_PIVOTS_LOST) proximal->failed = 0; // elsewhere, after some sweeps, a smaller shift may do
    return end == MRN_PIVOTS_LOST ? -count : count;
}

int mrn_proximal_step(MrnProximal *proximal, double target, double deadline, double *impulse) {
    if (proximal->by_pivots) return step_by_pivots(proximal, deadline, impulse);
    const MrnProblem *problem = proximal->problem;
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    shift_around(proximal, proximal->shift, impulse);
    memcpy(proximal->trial, impulse, numbers * sizeof(double));
    int steps =
        mrn_newton_run(&proximal->newton, 1e-3 * proximal->shift, target, NEWTON_STEPS, deadline, proximal->trial);
    if (steps < 0) {
        grow(proximal, 4);
        return steps;
    }
    shrink(proximal, steps <= 3 ? 4 : steps <= 5 ? 2.5 : 1.5);
    mrn_project_cones(problem, proximal->trial);
    memcpy(impulse, proximal->trial, numbers * sizeof(double));
    return steps;
}

int mrn_proximal_sweep(MrnProximal *proximal, double shift, double target, int most, double deadline, double *impulse) {
    const MrnProblem *problem = &proximal->shifted;
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    double *point = proximal->trial, *previous = proximal->previous, *velocity = proximal->newton.velocity;
    shift_around(proximal, shift, impulse);
    mrn_sweep_prepare(&proximal->sweep, proximal->arena);
    memcpy(point, impulse, numbers * sizeof(double));
    memcpy(previous, impulse, numbers * sizeof(double));
    MrnMomentum momentum;
    mrn_momentum_restart(&momentum);
    for (int sweeps = 1; sweeps <= most; sweeps++) {
        double along, change = sqrt(mrn_sweep_measured(&proximal->sweep, previous, point, &along));
        mrn_momentum_extrapolate(&momentum, problem, change, along, previous, point);
        if (sweeps % CHECK_SWEEPS) continue;
        mrn_block_matrix_times(problem->delassus, previous, problem->free_velocity, velocity);
        if (mrn_newton_merit(&proximal->newton, previous, velocity) <= target) {
            memcpy(impulse, previous, numbers * sizeof(double));
            return sweeps;
        }
        if (mrn_wall_seconds() > deadline) return -sweeps;
    }
    return -most;
}
