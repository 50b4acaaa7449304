// Semi-smooth Newton on the Alart-Curnier equations (Alart and Curnier 1991), with a proximal shift.
//
// With rho = 1 / mean diagonal of W_ii, x = p - rho u: F_n = p_n - max(0, x_n), F_t = p_t - P_disc(mu max(0,
// x_n))(x_t). F = 0 is Coulomb's law. Contacts with x_n <= 0 are open: the step sets their p to 0 and they leave the
// linear system. Of the others,
//   stick (|x_t| inside the disc):  (W dp)_t = -u_t,
//   slip, t = x_t/|x_t|, k = mu x_n/|x_t|, P = I - t t^T:  (I - k P) dp_t - mu t dp_n + rho (k P du_t + mu t du_n) =
//   -F_t,
// both with du_n = -u_n. Rows are multiplied by 1/rho, so all are velocities. W is singular for hyperstatic packings;
// the shift, a proximal term around the current iterate, makes every step unique and does not move the solution. Steps
// are taken in full also where the merit rises, since active sets settle through such steps.
#include "solve/friction/newton.h"

#include "base/clock.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

#define RUN_AWAY 5e3 ///< times the first merit: no return from there
#define GETS_ON  0.7 ///< fall of the merit in two steps with which steps through the bodies, which are cheap,
#define GOING_ON 5   ///< may be so many times as many as asked for
#define PASSES   15  ///< over W that a step takes beside its factors: pattern, rows, products

void mrn_newton_init(MrnNewton *newton, const MrnProblem *problem, MrnArena *arena) {
    const MrnBlockMatrix *W = problem->delassus;
    size_t n = problem->contacts, d = (size_t)problem->dimension, blocks = W->start[n];
    *newton = (MrnNewton){.problem = problem};
    mrn_block_lu_init(&newton->lu);
    newton->mean = mrn_arena_take(arena, n, sizeof(double));
    newton->active = mrn_arena_take(arena, n, sizeof(int));
    newton->analysed_active = mrn_arena_take(arena, n, sizeof(int));
    newton->slot = mrn_arena_take(arena, n, sizeof(int));
    newton->start = mrn_arena_take(arena, n + 1, sizeof(size_t));
    newton->column = mrn_arena_take(arena, blocks, sizeof(int));
    newton->value = mrn_arena_take(arena, blocks * d * d, sizeof(double));
    newton->right = mrn_arena_take(arena, d * n, sizeof(double));
    newton->step = mrn_arena_take(arena, d * n, sizeof(double));
    newton->velocity = mrn_arena_take(arena, d * n, sizeof(double));
    newton->order = mrn_arena_take(arena, n, sizeof(int));
    newton->active_order = mrn_arena_take(arena, n, sizeof(int));
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
            if (W->column[k] == (int)i)
                for (size_t r = 0; r < d; r++) sum += W->value[k * d * d + r * (d + 1)];
        newton->mean[i] = sum > 0 ? sum / (double)d : 1;
    }
    newton->through_bodies = mrn_body_system_fits(problem);
    if (newton->through_bodies) mrn_body_system_init(&newton->bodies, problem, arena);
}

void mrn_newton_free(MrnNewton *newton) {
    mrn_block_lu_free(&newton->lu);
    mrn_body_system_free(&newton->bodies);
}

double mrn_newton_merit(const MrnNewton *newton, const double *impulse, const double *velocity) {
    const MrnProblem *problem = newton->problem;
    int d = problem->dimension;
    double sum = 0;
    for (size_t i = 0; i < problem->contacts; i++) {
        const double *p = impulse + (size_t)d * i, *u = velocity + (size_t)d * i;
        double mean = newton->mean[i], x[3], normal = fmax(mean * p[0] - u[0], 0), norm = 0, f = mean * p[0] - normal;
        sum += f * f;
        for (int k = 1; k < d; k++) x[k] = mean * p[k] - u[k], norm += x[k] * x[k];
        norm = sqrt(norm);
        double radius = problem->friction[i] * normal, scale = norm > radius ? radius / norm : 1;
        for (int k = 1; k < d; k++) f = mean * p[k] - scale * x[k], sum += f * f;
    }
    return sqrt(sum);
}

void mrn_newton_rows(int d, double mu, double mean, bool sticks, const double *p, const double *u,
                     MrnNewtonRows *rows) {
    *rows = (MrnNewtonRows){0};
    rows->B[0] = 1, rows->F[0] = u[0];
    if (sticks) {
        for (int k = 1; k < d; k++) rows->B[k * (d + 1)] = 1, rows->F[k] = u[k];
        return;
    }
    double x[3] = {0}, norm = 0;
    for (int k = 1; k < d; k++) x[k] = mean * p[k] - u[k], norm += x[k] * x[k];
    norm = sqrt(norm);
    double over = norm > 0 ? 1 / norm : 0, ratio = mu * fmax(mean * p[0] - u[0], 0) * over;
    for (int r = 1; r < d; r++) {
        double t = x[r] * over;
        for (int c = 1; c < d; c++) {
            double P = (r == c) - t * x[c] * over;
            rows->A[r * d + c] = mean * ((r == c) - ratio * P);
            rows->B[r * d + c] = ratio * P;
        }
        rows->A[r * d] = -mean * mu * t;
        rows->B[r * d] = mu * t;
        rows->F[r] = mean * p[r] - ratio * x[r];
    }
}

static bool sticks(int d, double mu, double mean, const double *p, const double *u) {
    double radius = mu * (mean * p[0] - u[0]), square = 0;
    for (int k = 1; k < d; k++) square += (mean * p[k] - u[k]) * (mean * p[k] - u[k]);
    return radius > 0 && square <= radius * radius;
}

size_t mrn_newton_blocks(MrnNewton *newton, size_t row, size_t blocks, const MrnBlockMatrix *W, double shift,
                         const MrnNewtonRows *rows) {
    size_t d = (size_t)W->block, size = d * d, i = (size_t)newton->active[row];
    newton->start[row] = blocks;
    for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
        size_t j = (size_t)W->column[k];
        if (newton->slot[j] < 0) continue;
        double *out = newton->value + blocks * size, own[9];
        memcpy(own, W->value + k * size, size * sizeof *own);
        if (j == i)
            for (size_t a = 0; a < d; a++) own[a * (d + 1)] += shift;
        for (size_t a = 0; a < d; a++)
            for (size_t c = 0; c < d; c++) {
                double sum = j == i ? rows->A[a * d + c] : 0;
                for (size_t e = 0; e < d; e++) sum += rows->B[a * d + e] * own[e * d + c];
                out[a * d + c] = sum;
            }
        newton->column[blocks++] = newton->slot[j];
    }
    return blocks;
}

// Collect the active contacts and their rows; the right side goes to newton->right.
static void assemble(MrnNewton *newton, double shift, const double *impulse, const double *velocity) {
    const MrnProblem *problem = newton->problem;
    const MrnBlockMatrix *W = problem->delassus;
    int d = problem->dimension;
    size_t size = (size_t)(d * d), count = 0, blocks = 0;
    for (size_t i = 0; i < problem->contacts; i++) {
        bool open = newton->mean[i] * impulse[(size_t)d * i] - velocity[(size_t)d * i] <= 0;
        newton->slot[i] = open ? -1 : (int)count;
        if (!open) newton->active[count++] = (int)i;
    }
    newton->active_count = count;
    // Open contacts lose their impulse: its effect on the others moves to the right side.
    for (size_t r = 0; r < count; r++) {
        size_t i = (size_t)newton->active[r];
        const double *p_i = impulse + (size_t)d * i, *u_i = velocity + (size_t)d * i;
        double *right = newton->right + (size_t)d * r, lost[3] = {0, 0, 0}, mu = problem->friction[i];
        MrnNewtonRows rows;
        mrn_newton_rows(d, mu, newton->mean[i], sticks(d, mu, newton->mean[i], p_i, u_i), p_i, u_i, &rows);
        blocks = mrn_newton_blocks(newton, r, blocks, W, shift * newton->mean[i], &rows);
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
            const double *block = W->value + k * size, *p = impulse + (size_t)d * (size_t)W->column[k];
            if (newton->slot[W->column[k]] >= 0) continue;
            for (int a = 0; a < d; a++)
                for (int c = 0; c < d; c++) lost[a] += block[a * d + c] * p[c];
        }
        for (int a = 0; a < d; a++) {
            right[a] = -rows.F[a];
            for (int c = 0; c < d; c++) right[a] += rows.B[a * d + c] * lost[c];
        }
    }
    newton->start[count] = blocks;
}

double mrn_newton_cost(MrnNewton *newton, double limit) {
    const MrnBlockMatrix *W = newton->problem->delassus;
    newton->analysed = 0;
    bool within = mrn_block_lu_analyse(&newton->lu, W->rows, W->block, W->start, W->column, NULL, limit);
    return within ? newton->lu.operations : 0;
}

double mrn_newton_step_cost(MrnNewton *newton, double limit) {
    return newton->through_bodies ? mrn_body_system_cost(&newton->bodies, limit) : mrn_newton_cost(newton, limit);
}

double mrn_newton_step_passes(const MrnNewton *newton) {
    return newton->through_bodies ? 0 : PASSES;
}

// Find the order and the pattern of the factors. The order of last time serves until its factors cost a tenth more.
static void analyse(MrnNewton *newton) {
    size_t n = newton->problem->contacts, count = 0;
    int d = newton->problem->dimension;
    for (size_t k = 0; newton->order_products > 0 && k < n; k++)
        if (newton->slot[newton->order[k]] >= 0) newton->active_order[count++] = newton->slot[newton->order[k]];
    if (count == 0 || !mrn_block_lu_analyse(&newton->lu, count, d, newton->start, newton->column, newton->active_order,
                                            1.1 * newton->order_products)) {
        count = newton->active_count;
        mrn_block_lu_analyse(&newton->lu, count, d, newton->start, newton->column, NULL, INFINITY);
        newton->order_products = newton->lu.operations;
        for (size_t k = 0; k < count; k++) newton->order[k] = newton->active[newton->lu.order[k]];
        for (size_t i = 0, k = count; i < n; i++)
            if (newton->slot[i] < 0) newton->order[k++] = (int)i;
    }
    memcpy(newton->analysed_active, newton->active, count * sizeof *newton->active);
    newton->analysed = count;
}

static bool same_active(const MrnNewton *newton) {
    return newton->analysed == newton->active_count && newton->active_count > 0 &&
           !memcmp(newton->analysed_active, newton->active, newton->active_count * sizeof *newton->active);
}

void mrn_newton_factor(MrnNewton *newton) {
    if (!same_active(newton)) analyse(newton);
    mrn_block_lu_factor(&newton->lu, newton->start, newton->column, newton->value,
                        1e-14 * newton->mean[newton->active[0]]);
    newton->products += newton->lu.operations;
}

// The step through the bodies. False where rounding spoils it.
static bool step_through_bodies(MrnNewton *newton, double shift, const double *impulse, const double *velocity) {
    const MrnProblem *problem = newton->problem;
    MrnBodySystem *system = &newton->bodies;
    int d = problem->dimension;
    mrn_body_system_prepare(system);
    for (size_t i = 0; i < problem->contacts; i++) {
        const double *p = impulse + (size_t)d * i, *u = velocity + (size_t)d * i;
        double mean = newton->mean[i], mu = problem->friction[i];
        system->open[i] = mean * p[0] - u[0] <= 0;
        system->shift[i] = newton->included + shift * mean;
        if (!system->open[i]) mrn_newton_rows(d, mu, mean, sticks(d, mu, mean, p, u), p, u, system->rows + i);
    }
    mrn_body_system_factor(system);
    newton->products += mrn_body_system_cost(system, INFINITY);
    return mrn_body_system_solve(system, impulse, newton->step);
}

void mrn_newton_step(MrnNewton *newton, double shift, const double *impulse, const double *velocity) {
    const MrnProblem *problem = newton->problem;
    size_t d = (size_t)problem->dimension;
    if (newton->through_bodies && step_through_bodies(newton, shift, impulse, velocity)) return;
    newton->through_bodies = false;
    newton->passes += PASSES;
    assemble(newton, shift, impulse, velocity);
    if (newton->active_count) {
        mrn_newton_factor(newton);
        mrn_block_lu_solve(&newton->lu, newton->right);
    }
    for (size_t i = 0; i < problem->contacts; i++)
        for (size_t k = 0; k < d; k++)
            newton->step[d * i + k] =
                newton->slot[i] < 0 ? -impulse[d * i + k] : newton->right[d * (size_t)newton->slot[i] + k];
}

static void find_velocity(MrnNewton *newton, const double *impulse) {
    const MrnProblem *problem = newton->problem;
    if (newton->through_bodies)
        mrn_body_system_velocity(&newton->bodies, newton->included, impulse, newton->velocity);
    else
        mrn_block_matrix_times(problem->delassus, impulse, problem->free_velocity, newton->velocity);
}

int mrn_newton_run(MrnNewton *newton, double shift, double target, int most, double deadline, double *impulse) {
    const MrnProblem *problem = newton->problem;
    size_t numbers = (size_t)problem->dimension * problem->contacts;
    find_velocity(newton, impulse);
    double first = mrn_newton_merit(newton, impulse, newton->velocity), last = first, before = INFINITY;
    double fall = 1; // of the merit in the last two steps
    for (int steps = 0;; steps++) {
        if (last <= target) return steps;
        bool enough = steps >= (newton->through_bodies && fall < GETS_ON ? GOING_ON * most : most);
        if (enough || mrn_wall_seconds() > deadline) return -steps;
        mrn_newton_step(newton, shift, impulse, newton->velocity);
        for (size_t k = 0; k < numbers; k++) impulse[k] += newton->step[k];
        find_velocity(newton, impulse);
        double merit = mrn_newton_merit(newton, impulse, newton->velocity);
        bool lost = steps > 0 && !(merit < RUN_AWAY * first), cycle = fabs(merit - before) < 0.01 * merit;
        if (lost || cycle) return -(steps + 1);
        fall = merit / before;
        before = last;
        last = merit;
    }
}
