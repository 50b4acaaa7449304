// Paths of exact solutions in the plane, from status to status (parametric pivoting: Lemke 1965, Cottle 1972).
//
// Impulses p on their cones solve the problem with q + e in place of q, for an excess e that is as small as their
// residual. The solutions of the problems with q + t e form a path in (p, t) made of straight pieces: on each of them
// every contact is open (p = 0), sticks (u = 0) or slides one way (u_n = 0, p_t = +- mu p_n), so p and u are linear in
// t. At the end of a piece some contact reaches the border of its status and takes the next one, and the path goes on
// in the direction that leads away from that border, with t falling or rising: unlike Newton's method or sweeps it can
// go up to get down, which is what packings need whose sliding gives some mode a negative stiffness. Where t reaches 0
// is a solution. Close to one a path may need a handful of pieces, far from it many thousands.
#include "solve/friction/path.h"

#include "base/clock.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

#define SHIFT  1e-9 ///< of the mean diagonal: hyperstatic contacts share their load
#define INSIDE 1e-3 ///< of the mean excess: how far from the borders a path begins
#define AWAY   1e3  ///< times the excess: no return from there

enum { OPEN, STICK, FORWARD, BACKWARD }; // statuses; FORWARD: p_t = mu p_n
/// Quantities that must not become negative.
typedef enum Border { NONE, GAP, PRESSURE, UPPER, LOWER, DRAG } Border;

static const Border borders[][2] = {
    [OPEN] = {GAP, NONE}, [STICK] = {UPPER, LOWER}, [FORWARD] = {PRESSURE, DRAG}, [BACKWARD] = {PRESSURE, DRAG}};

void mrn_path_init(MrnPath *path, const MrnProblem *problem, MrnNewton *newton, MrnArena *arena) {
    size_t numbers = 2 * problem->contacts;
    *path = (MrnPath){.problem = problem, .newton = newton, .mean = mrn_problem_mean_diagonal(problem, NULL)};
    path->status = mrn_arena_take(arena, problem->contacts, sizeof *path->status);
    double **vectors[] = {&path->impulse, &path->velocity, &path->impulse_rate, &path->velocity_rate, &path->excess};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(arena, numbers, sizeof(double));
}

static double side(int status) {
    return status == FORWARD ? 1 : -1;
}

/// A border's quantity, or its rate of change from those of p and u.
static double distance(Border border, int status, double mu, const double *p, const double *u) {
    switch (border) {
    case GAP: return u[0];
    case PRESSURE: return p[0];
    case UPPER: return mu * p[0] - p[1];
    case LOWER: return mu * p[0] + p[1];
    case DRAG: return -side(status) * u[1];
    default: return INFINITY;
    }
}

// Statuses from the impulses; velocities that go with them, close to W p + q; the difference is the excess.
static void begin(MrnPath *path, const double *impulse) {
    const MrnProblem *problem = path->problem;
    size_t n = problem->contacts;
    memcpy(path->impulse, impulse, 2 * n * sizeof(double));
    double *actual = path->velocity_rate, square = 0;
    for (size_t i = 0; i < n; i++) {
        double *p = path->impulse + 2 * i, mu = problem->friction[i];
        path->status[i] = p[0] <= 0                                       ? OPEN
                          : mu > 0 && fabs(p[1]) < mu * p[0] * (1 - 1e-9) ? STICK
                          : p[1] > 0                                      ? FORWARD
                                                                          : BACKWARD;
        if (path->status[i] == OPEN)
            p[0] = p[1] = 0;
        else if (path->status[i] != STICK)
            p[1] = side(path->status[i]) * mu * p[0];
    }
    mrn_block_matrix_times(problem->delassus, path->impulse, problem->free_velocity, actual);
    // Twice: how far inside the borders velocities begin follows from how far they are outside.
    for (double inside = 0, turn = 0; turn < 2; turn++) {
        square = 0;
        for (size_t i = 0; i < n; i++) {
            int status = path->status[i];
            double *u = path->velocity + 2 * i, *e = path->excess + 2 * i, sign = side(status);
            u[0] = status == OPEN ? fmax(actual[2 * i], inside) : 0;
            u[1] = status == STICK ? 0 : actual[2 * i + 1];
            if (status > STICK && problem->friction[i] > 0) u[1] = -sign * fmax(-sign * u[1], inside);
            for (int k = 0; k < 2; k++) e[k] = u[k] - actual[2 * i + (size_t)k], square += e[k] * e[k];
        }
        inside = INSIDE * sqrt(square / (2 * (double)n));
    }
}

// Rates of p and u with t, from the equations of the statuses.
static void find_rates(MrnPath *path) {
    const MrnProblem *problem = path->problem;
    const MrnBlockMatrix *W = problem->delassus;
    MrnNewton *newton = path->newton;
    size_t n = problem->contacts, count = 0, blocks = 0;
    for (size_t i = 0; i < n; i++) {
        newton->slot[i] = path->status[i] == OPEN ? -1 : (int)count;
        if (path->status[i] != OPEN) newton->active[count++] = (int)i;
    }
    newton->active_count = count;
    for (size_t row = 0; row < count; row++) {
        size_t i = (size_t)newton->active[row];
        bool sticks = path->status[i] == STICK;
        newton->start[row] = blocks;
        newton->right[2 * row] = -path->excess[2 * i];
        newton->right[2 * row + 1] = sticks ? -path->excess[2 * i + 1] : 0;
        for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
            size_t j = (size_t)W->column[k];
            if (newton->slot[j] < 0) continue;
            double *block = newton->value + 4 * blocks;
            memcpy(block, W->value + 4 * k, 4 * sizeof *block);
            if (i == j) block[0] += SHIFT * path->mean, block[3] += SHIFT * path->mean;
            if (!sticks) {
                block[2] = i == j ? -side(path->status[i]) * problem->friction[i] * path->mean : 0;
                block[3] = i == j ? path->mean : 0;
            }
            newton->column[blocks++] = newton->slot[j];
        }
    }
    newton->start[count] = blocks;
    if (count) mrn_newton_solve(newton);
    memset(path->impulse_rate, 0, 2 * n * sizeof(double));
    for (size_t row = 0; row < count; row++)
        memcpy(path->impulse_rate + 2 * (size_t)newton->active[row], newton->right + 2 * row, 2 * sizeof(double));
    mrn_block_matrix_times(W, path->impulse_rate, path->excess, path->velocity_rate);
    for (size_t k = 0; k < 2 * n; k++) path->velocity_rate[k] += SHIFT * path->mean * path->impulse_rate[k];
}

// The border that a path which goes in this direction reaches first, before t has changed by *length; `left` is where
// it comes from.
static Border first_border(const MrnPath *path, double direction, size_t left_contact, Border left, double *length,
                           size_t *contact) {
    Border first = NONE;
    for (size_t i = 0; i < path->problem->contacts; i++) {
        int status = path->status[i];
        double mu = path->problem->friction[i];
        for (int k = 0; k < 2; k++) {
            Border border = borders[status][k];
            if (border == NONE || (border == DRAG && !(mu > 0)) || (i == left_contact && border == left)) continue;
            double rate =
                direction * distance(border, status, mu, path->impulse_rate + 2 * i, path->velocity_rate + 2 * i);
            if (!(rate < 0)) continue;
            double to = fmax(distance(border, status, mu, path->impulse + 2 * i, path->velocity + 2 * i), 0) / -rate;
            if (to < *length) *length = to, *contact = i, first = border;
        }
    }
    return first;
}

// The contact takes its status beyond the border. Returns the border of the new status that it comes from.
static Border cross(MrnPath *path, size_t i, Border border) {
    double *p = path->impulse + 2 * i, *u = path->velocity + 2 * i;
    int before = path->status[i];
    switch (border) {
    case GAP:
        u[0] = 0;
        path->status[i] = u[1] < 0 ? FORWARD : BACKWARD;
        return PRESSURE;
    case PRESSURE:
        p[0] = p[1] = 0;
        path->status[i] = OPEN;
        return GAP;
    case DRAG:
        u[1] = 0;
        path->status[i] = STICK;
        return before == FORWARD ? UPPER : LOWER;
    default:
        path->status[i] = border == UPPER ? FORWARD : BACKWARD;
        p[1] = side(path->status[i]) * path->problem->friction[i] * p[0];
        return DRAG;
    }
}

int mrn_path_run(MrnPath *path, int most, double deadline, double *impulse) {
    size_t n = path->problem->contacts, contact = 0;
    double t = 1;
    Border left = NONE;
    begin(path, impulse);
    int pieces = 0;
    while (pieces < most && mrn_wall_seconds() <= deadline) {
        pieces++;
        find_rates(path);
        double direction = -1;
        if (left != NONE) {
            double leads = distance(left, path->status[contact], path->problem->friction[contact],
                                    path->impulse_rate + 2 * contact, path->velocity_rate + 2 * contact);
            if (!(fabs(leads) > 0 && isfinite(leads))) return -pieces;
            direction = leads > 0 ? 1 : -1;
        }
        double length = direction < 0 ? t : AWAY;
        size_t next = contact;
        Border border = first_border(path, direction, contact, left, &length, &next);
        for (size_t k = 0; k < 2 * n; k++) {
            path->impulse[k] += direction * length * path->impulse_rate[k];
            path->velocity[k] += direction * length * path->velocity_rate[k];
        }
        t += direction * length;
        if (!(t < AWAY)) return -pieces;
        if (border == NONE) {
            for (size_t k = 0; k < 2 * n; k++)
                if (!isfinite(path->impulse[k])) return -pieces;
            memcpy(impulse, path->impulse, 2 * n * sizeof(double));
            return pieces;
        }
        contact = next;
        left = cross(path, contact, border);
    }
    return pieces > 0 ? -pieces : -1;
}
