// Paths of solutions from a problem that is easy to the one that is asked for, through turns.
//
// The proximal problem, with W + s w I in place of W and q - s w a in place of q (w the mean diagonal of W, a some
// impulses), has one solution where s is large. The solutions for all s > 0 form curves in (p, s), made of smooth
// pieces on which every contact is open, sticks or slides. The one that comes from large s cannot close on itself, and
// since p^T u <= 0 bounds p by |a| + |q| / (s w) it cannot leave either: unless two borders are met at once it goes on
// until s = 0, to a solution of the problem itself if there is one within reach (the argument of Lemke 1965, with the
// shift in place of his covering vector, for round cones as well). On its way s falls and rises again, wherever sliding
// has given some mode a negative stiffness: Newton's method, sweeps and proximal steps lose the solution there, the
// path does not. Which way a piece leads follows from the sign of the determinant of its equations (Eaves and Scarf
// 1976): s falls where it is positive, as it is for large s, else it rises.
//
// With F the Alart-Curnier function (newton.c) and x = p / rho - u, a piece ends where some contact comes to a border:
// x_n = 0 between open and sliding, |x_t| = mu x_n between sliding and sticking. A step goes along the tangent to the
// first border, is corrected, and that contact takes its next status. Of the equations only those of that contact
// change, so that the factors of an earlier point serve for many steps: where K y = b is asked for, K_0 is factored and
// K has other rows R, y_0 = K_0^-1 b and Z = K_0^-1 E_R give y = y_0 - Z (K_R Z)^-1 (K_R y_0 - b_R).
#include "solve/friction/path.h"

#include "base/clock.h"
#include "problem/problem.h"
#include "solve/friction/common.h"
#include "solve/lcp/dense.h"

#include <math.h>
#include <string.h>

#define FIRST_SHIFT   1e-2 ///< of the mean diagonal
#define LARGEST_SHIFT 100  ///< of the mean diagonal
#define NEWTON_STEPS  12   ///< full steps that solve the problem at the first shift, or a larger one is tried
#define MOST_CHANGED  48   ///< equations, or the point is factored anew
#define DRIFT         1.25 ///< of the shift, up or down, likewise
#define REFINEMENTS   8    ///< of rates on old factors
#define RATES_GOOD    0.05 ///< relative
#define CHORDS        12   ///< corrections of a point on the same factors
#define WORST         0.2  ///< of the square of the defect: a contact that stands out
#define ACCURATE      1e-5 ///< defect of a point over s w |p - a|
#define NEAR          1e-4 ///< how far beyond a border, over s w |p - a|, is still on it
#define HALVINGS      20   ///< of a step that does not come back to the path
#define FARTHEST      0.5  ///< the longest step, of the smaller s

enum { OPEN, STICK, SLIP }; // statuses

static size_t numbers(const MrnPath *path) {
    return (size_t)path->job->problem->dimension * path->job->problem->contacts;
}

void mrn_path_init(MrnPath *path, const MrnSolveJob *job, double scale, MrnNewton *newton, MrnArena *arena) {
    *path = (MrnPath){.job = job, .newton = newton, .scale = scale};
    size_t count = numbers(path);
    path->status = mrn_arena_take(arena, job->problem->contacts, sizeof *path->status);
    path->next_status = mrn_arena_take(arena, job->problem->contacts, sizeof *path->status);
    double **vectors[] = {&path->anchor,       &path->rate,          &path->reach_rate,    &path->right,
                          &path->correction,   &path->here.impulse,  &path->here.velocity, &path->here.reach,
                          &path->next.impulse, &path->next.velocity, &path->next.reach};
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++)
        *vectors[k] = mrn_arena_take(arena, count + 1, sizeof(double));
    path->equation = mrn_arena_take(arena, MOST_CHANGED, sizeof *path->equation);
    path->columns = mrn_arena_take(arena, MOST_CHANGED * count, sizeof(double));
    path->small = mrn_arena_take(arena, MOST_CHANGED * MOST_CHANGED, sizeof(double));
    path->small_pivot = mrn_arena_take(arena, MOST_CHANGED, sizeof *path->small_pivot);
    path->small_scratch = mrn_arena_take(arena, 9 * MOST_CHANGED, sizeof(double));
}

// Velocity and reach that go with the impulses and the shift of a point.
static void look(const MrnPath *path, MrnPathPoint *point) {
    const MrnProblem *problem = path->job->problem;
    size_t d = (size_t)problem->dimension;
    double weight = point->shift * path->scale;
    mrn_block_matrix_times(problem->delassus, point->impulse, problem->free_velocity, point->velocity);
    for (size_t i = 0; i < problem->contacts; i++)
        for (size_t k = d * i; k < d * (i + 1); k++) {
            point->velocity[k] += weight * (point->impulse[k] - path->anchor[k]);
            point->reach[k] = path->newton->mean[i] * point->impulse[k] - point->velocity[k];
        }
}

static double tangent_norm(int d, const double *x) {
    return d == 2 ? fabs(x[1]) : sqrt(x[1] * x[1] + x[2] * x[2]);
}

static uint8_t status_at(int d, double mu, const double *x) {
    return x[0] <= 0 ? OPEN : mu > 0 && tangent_norm(d, x) <= mu * x[0] ? STICK : SLIP;
}

// The equations of one contact with its status: those of Newton's method, or p = 0.
static void contact_rows(const MrnPath *path, const MrnPathPoint *point, size_t i, MrnNewtonRows *rows) {
    int d = path->job->problem->dimension;
    double mean = path->newton->mean[i];
    const double *p = point->impulse + (size_t)d * i, *u = point->velocity + (size_t)d * i;
    if (path->status[i] != OPEN) {
        mrn_newton_rows(d, path->job->problem->friction[i], mean, path->status[i] == STICK, p, u, rows);
        return;
    }
    *rows = (MrnNewtonRows){0};
    for (int k = 0; k < d; k++) rows->F[k] = mean * p[k], rows->A[k * (d + 1)] = mean;
}

// Put -F of the rows at a point into path->right and return its norm.
static double defect(MrnPath *path, const MrnPathPoint *point) {
    size_t d = (size_t)path->job->problem->dimension;
    double sum = 0;
    for (size_t row = 0; row < path->newton->active_count; row++) {
        MrnNewtonRows rows;
        contact_rows(path, point, (size_t)path->newton->active[row], &rows);
        for (size_t k = 0; k < d; k++) path->right[d * row + k] = -rows.F[k], sum += rows.F[k] * rows.F[k];
    }
    return sqrt(sum);
}

// From the rows of the factors to all contacts; those without a row get 0.
static void scatter(const MrnPath *path, const double *rows, double *all) {
    const MrnNewton *newton = path->newton;
    size_t d = (size_t)path->job->problem->dimension;
    memset(all, 0, numbers(path) * sizeof *all);
    for (size_t row = 0; row < newton->active_count; row++)
        memcpy(all + d * (size_t)newton->active[row], rows + d * row, d * sizeof *all);
}

// Factor the derivative of F here. Impulses of open contacts must be 0.
static void factor(MrnPath *path) {
    const MrnProblem *problem = path->job->problem;
    MrnNewton *newton = path->newton;
    size_t count = 0, blocks = 0;
    for (size_t i = 0; i < problem->contacts; i++) {
        newton->slot[i] = path->status[i] == OPEN ? -1 : (int)count;
        if (path->status[i] != OPEN) newton->active[count++] = (int)i;
    }
    newton->active_count = count;
    for (size_t row = 0; row < count; row++) {
        size_t i = (size_t)newton->active[row];
        MrnNewtonRows rows;
        contact_rows(path, &path->here, i, &rows);
        blocks = mrn_newton_blocks(newton, row, blocks, problem->delassus, path->here.shift * path->scale, &rows);
    }
    newton->start[count] = blocks;
    newton->lu.sign = 1;
    if (count) mrn_newton_factor(newton);
    path->work += path->factor_work;
    path->factored_shift = path->here.shift;
    path->fresh = true;
    path->changed = 0;
}

// The equations of a contact that has a row, times a vector of the rows.
static void times_rows(const MrnPath *path, double shift, const MrnNewtonRows *rows, size_t i, const double *vector,
                       double *out) {
    const MrnBlockMatrix *W = path->job->problem->delassus;
    const MrnNewton *newton = path->newton;
    size_t d = (size_t)path->job->problem->dimension, size = d * d;
    const double *own = vector + d * (size_t)newton->slot[i];
    double u[3] = {0};
    for (size_t a = 0; a < d; a++) u[a] = shift * path->scale * own[a];
    for (size_t k = W->start[i]; k < W->start[i + 1]; k++) {
        int row = newton->slot[W->column[k]];
        if (row < 0) continue;
        const double *block = W->value + k * size, *y = vector + d * (size_t)row;
        for (size_t a = 0; a < d; a++)
            for (size_t c = 0; c < d; c++) u[a] += block[a * d + c] * y[c];
    }
    for (size_t a = 0; a < d; a++) {
        out[a] = 0;
        for (size_t c = 0; c < d; c++) out[a] += rows->A[a * d + c] * own[c] + rows->B[a * d + c] * u[c];
    }
}

// The contact that a changed equation belongs to.
static size_t changed_contact(const MrnPath *path, size_t k) {
    return (size_t)path->newton->active[path->equation[k] / path->job->problem->dimension];
}

// Factor the small system of the changed equations, as they are at a point. False where it is singular.
static bool prepare_changed(MrnPath *path, const MrnPathPoint *point) {
    size_t d = (size_t)path->job->problem->dimension, m = path->changed, width = d * path->newton->active_count;
    for (size_t k = 0; k < m; k++) {
        size_t i = changed_contact(path, k);
        if (k > 0 && changed_contact(path, k - 1) == i) continue;
        MrnNewtonRows rows;
        contact_rows(path, point, i, &rows);
        for (size_t c = 0; c < m; c++) {
            double out[3];
            times_rows(path, point->shift, &rows, i, path->columns + c * width, out);
            for (size_t l = k; l < m && changed_contact(path, l) == i; l++)
                path->small[l * m + c] = out[(size_t)path->equation[l] % d];
        }
    }
    return m == 0 || mrn_dense_factorise(path->small, m, path->small_pivot, path->small_scratch, INFINITY);
}

// right = K^-1 right at a point, with the changed equations exact (they are prepared) and the others as when they were
// factored.
static void solve(MrnPath *path, const MrnPathPoint *point, double *right) {
    size_t d = (size_t)path->job->problem->dimension, m = path->changed, width = d * path->newton->active_count;
    double *excess = path->small_scratch + 8 * MOST_CHANGED;
    path->work += path->pass_work;
    if (width == 0) return;
    for (size_t k = 0; k < m; k++) excess[k] = -right[path->equation[k]];
    mrn_block_lu_solve(&path->newton->lu, right);
    if (m == 0) return;
    for (size_t k = 0; k < m; k++) {
        size_t i = changed_contact(path, k);
        if (k > 0 && changed_contact(path, k - 1) == i) continue;
        MrnNewtonRows rows;
        double out[3];
        contact_rows(path, point, i, &rows);
        times_rows(path, point->shift, &rows, i, right, out);
        for (size_t l = k; l < m && changed_contact(path, l) == i; l++) excess[l] += out[(size_t)path->equation[l] % d];
    }
    mrn_dense_solve(path->small, m, path->small_pivot, excess);
    for (size_t k = 0; k < m; k++) {
        const double *column = path->columns + k * width;
        for (size_t l = 0; l < width; l++) right[l] -= excess[k] * column[l];
    }
}

// From now on the equations of this contact, which has a row, count as changed: all of them at a gap, else the
// tangential ones. False if there is no room.
static bool change(MrnPath *path, size_t contact, MrnBorder border) {
    size_t d = (size_t)path->job->problem->dimension, width = d * path->newton->active_count;
    for (size_t component = border == MRN_BORDER_GAP ? 0 : 1; component < d; component++) {
        int equation = (int)d * path->newton->slot[contact] + (int)component;
        size_t k = 0;
        while (k < path->changed && path->equation[k] < equation) k++;
        if (k < path->changed && path->equation[k] == equation) continue;
        if (path->changed == MOST_CHANGED) return false;
        // In ascending order, so that those of one contact stand together.
        memmove(path->equation + k + 1, path->equation + k, (path->changed - k) * sizeof *path->equation);
        memmove(path->columns + (k + 1) * width, path->columns + k * width,
                (path->changed - k) * width * sizeof(double));
        path->equation[k] = equation;
        path->changed++;
        double *column = path->columns + k * width;
        memset(column, 0, width * sizeof *column);
        column[equation] = 1;
        path->work += path->pass_work;
        mrn_block_lu_solve(&path->newton->lu, column);
    }
    return true;
}

// The contact that sliding has turned most, where corrections do not converge: count it as changed. False if there is
// none that stands out, or no room.
static bool change_worst(MrnPath *path) {
    size_t d = (size_t)path->job->problem->dimension, worst = 0, before = path->changed;
    double largest = 0, all = 0;
    for (size_t row = 0; row < path->newton->active_count; row++) {
        double square = 0;
        for (size_t k = d * row; k < d * (row + 1); k++) square += path->right[k] * path->right[k];
        all += square;
        if (square > largest) largest = square, worst = (size_t)path->newton->active[row];
    }
    return largest > WORST * all && path->status[worst] == SLIP && change(path, worst, MRN_BORDER_CONE) &&
           path->changed > before;
}

// Rates of p and x with s. On old factors they are refined; false if that does not help.
static bool find_rates(MrnPath *path) {
    const MrnProblem *problem = path->job->problem;
    const MrnNewton *newton = path->newton;
    size_t d = (size_t)problem->dimension;
    double *turn = path->next.velocity, last = INFINITY, first = 0;
    memset(path->rate, 0, numbers(path) * sizeof *path->rate);
    for (int tries = 0;; tries++) {
        if (tries > 0)
            mrn_block_matrix_times(problem->delassus, path->rate, NULL, turn);
        else
            memset(turn, 0, numbers(path) * sizeof *turn);
        for (size_t i = 0; i < problem->contacts; i++)
            for (size_t k = d * i; k < d * (i + 1); k++)
                turn[k] += path->scale * (path->here.shift * path->rate[k] + path->here.impulse[k] - path->anchor[k]);
        double sum = 0;
        for (size_t row = 0; row < newton->active_count; row++) {
            size_t i = (size_t)newton->active[row];
            MrnNewtonRows rows;
            contact_rows(path, &path->here, i, &rows);
            for (size_t a = 0; a < d; a++) {
                double left = 0;
                for (size_t c = 0; c < d; c++)
                    left += rows.A[a * d + c] * path->rate[d * i + c] + rows.B[a * d + c] * turn[d * i + c];
                path->right[d * row + a] = -left;
                sum += left * left;
            }
        }
        sum = sqrt(sum);
        if (tries == 0) first = sum;
        if ((path->fresh && tries > 0) || sum <= RATES_GOOD * first) break;
        if (tries > REFINEMENTS) return false;
        if (tries > 1 && !(sum < 0.3 * last) && !(change_worst(path) && prepare_changed(path, &path->here)))
            return false;
        last = sum;
        solve(path, &path->here, path->right);
        scatter(path, path->right, path->correction);
        for (size_t k = 0; k < numbers(path); k++) path->rate[k] += path->correction[k];
    }
    for (size_t i = 0; i < problem->contacts; i++)
        for (size_t k = d * i; k < d * (i + 1); k++) path->reach_rate[k] = newton->mean[i] * path->rate[k] - turn[k];
    return true;
}

// Length of the way along the tangent, in s, to the first border of a contact. It lies on the border `left` already.
static double way_to_border(int d, double mu, int status, const double *x, const double *rate, double sense,
                            MrnBorder left, MrnBorder *border) {
    double way = INFINITY, normal = sense * rate[0];
    *border = MRN_BORDER_NONE;
    if (status != STICK && left != MRN_BORDER_GAP) {
        double side = status == OPEN ? -1 : 1;
        if (side * normal < 0) way = fmax(side * x[0], 0) / (-side * normal), *border = MRN_BORDER_GAP;
    }
    if (status == OPEN || !(mu > 0) || left == MRN_BORDER_CONE) return way;
    double side = status == STICK ? 1 : -1, square = 0, along = 0, rates = 0, m2 = mu * mu;
    for (int k = 1; k < d; k++) square += x[k] * x[k], along += sense * x[k] * rate[k], rates += rate[k] * rate[k];
    double root = sqrt(square), distance = side * (mu * x[0] - root), to = INFINITY;
    if (distance <= 0) {
        if (side * (mu * normal - (root > 0 ? along / root : 0)) < 0) to = 0;
    } else { // |x_t + h x_t'| = mu (x_n + h x_n')
        double a = rates - m2 * normal * normal, b = along - m2 * x[0] * normal, c = square - m2 * x[0] * x[0],
               under = b * b - a * c;
        if (under >= 0) {
            double sum = b > 0 ? -b - sqrt(under) : -b + sqrt(under), first = sum / a, second = c / sum;
            if (first > 0) to = first;
            if (second > 0 && second < to) to = second;
        }
    }
    if (to < way) way = to, *border = MRN_BORDER_CONE;
    return way;
}

// s w |p - a|: what a residual of the problem itself is like, not over |q|.
static double pull(const MrnPath *path) {
    double sum = 0;
    for (size_t k = 0; k < numbers(path); k++)
        sum += (path->here.impulse[k] - path->anchor[k]) * (path->here.impulse[k] - path->anchor[k]);
    return path->here.shift * path->scale * sqrt(sum);
}

// Has every contact but one the status that its reach asks for?
static bool statuses_hold(const MrnPath *path, size_t except, double tolerance) {
    const MrnProblem *problem = path->job->problem;
    int d = problem->dimension;
    for (size_t i = 0; i < problem->contacts; i++) {
        const double *x = path->next.reach + (size_t)d * i;
        double outside = tangent_norm(d, x) - problem->friction[i] * x[0];
        bool holds = path->status[i] == OPEN    ? x[0] <= tolerance
                     : path->status[i] == STICK ? outside <= tolerance
                                                : x[0] >= -tolerance && outside >= -tolerance;
        if (!holds && i != except) return false;
    }
    return true;
}

// Change of a border's quantity, x_n or mu x_n - |x_t|, with this change of the reach.
static double border_change(int d, double mu, MrnBorder border, const double *x, const double *change) {
    if (border == MRN_BORDER_GAP) return change[0];
    double along = 0, norm = tangent_norm(d, x);
    for (int k = 1; k < d; k++) along += x[k] * change[k];
    return mu * change[0] - (norm > 0 ? along / norm : 0);
}

// How far along the rates, in s, a point must go beside path->correction to be on the border of an event.
static double way_onto_border(const MrnPath *path, MrnPathEvent event) {
    const MrnProblem *problem = path->job->problem;
    const MrnBlockMatrix *W = problem->delassus;
    size_t d = (size_t)problem->dimension, i = event.contact;
    const double *x = path->next.reach + d * i;
    double change[3] = {0}, mu = problem->friction[i];
    for (size_t a = 0; a < d; a++)
        change[a] = (path->newton->mean[i] - path->next.shift * path->scale) * path->correction[d * i + a];
    for (size_t k = W->start[i]; k < W->start[i + 1]; k++)
        for (size_t a = 0; a < d; a++)
            for (size_t c = 0; c < d; c++)
                change[a] -= W->value[k * d * d + a * d + c] * path->correction[d * (size_t)W->column[k] + c];
    double distance = event.border == MRN_BORDER_GAP ? x[0] : mu * x[0] - tangent_norm((int)d, x);
    return -(distance + border_change((int)d, mu, event.border, x, change)) /
           border_change((int)d, mu, event.border, x, path->reach_rate + d * i);
}

// The same for the point to stay beside the path, across the tangent. Relative changes of p - a and s count alike.
static double way_across(const MrnPath *path) {
    double rates = 0, product = 0, square = 0;
    for (size_t k = 0; k < numbers(path); k++) {
        double away = path->next.impulse[k] - path->anchor[k];
        rates += path->rate[k] * path->rate[k];
        product += path->correction[k] * path->rate[k];
        square += away * away;
    }
    double weight = square > 0 ? path->next.shift * path->next.shift / square : 0;
    return -weight * product / (weight * rates + 1);
}

// Bring path->next back to the path by corrections on the factors, onto the border of the event if there is one. False
// if they do not converge.
static bool correct(MrnPath *path, MrnPathEvent event, double tolerance) {
    double last = INFINITY;
    for (int chords = 0;; chords++) {
        look(path, &path->next);
        double now = defect(path, &path->next);
        if (now <= tolerance) return true;
        if (chords == CHORDS) return false;
        if (chords > 0 && !(now < 0.3 * last) && !change_worst(path) && !(now < 0.5 * last)) return false;
        if (!prepare_changed(path, &path->next)) return false;
        last = now;
        solve(path, &path->next, path->right);
        scatter(path, path->right, path->correction);
        double way = event.border == MRN_BORDER_NONE ? way_across(path) : way_onto_border(path, event);
        if (!(fabs(way) < 0.5 * path->next.shift)) return false;
        for (size_t k = 0; k < numbers(path); k++) path->next.impulse[k] += path->correction[k] + way * path->rate[k];
        path->next.shift += way;
    }
}

static void forget_open(const MrnPath *path, MrnPathPoint *point) {
    size_t d = (size_t)path->job->problem->dimension;
    for (size_t i = 0; i < path->job->problem->contacts; i++)
        if (path->status[i] == OPEN) memset(point->impulse + d * i, 0, d * sizeof(double));
}

// Step to the first border, or towards it as far as the path can be followed; the contact there takes its next status.
// On old factors only the whole way is tried.
static bool step(MrnPath *path, double way, MrnPathEvent *event) {
    size_t n = path->job->problem->contacts;
    double scale = pull(path);
    int most = path->fresh ? HALVINGS : 1;
    for (int tries = 0; tries < most; tries++, way *= 0.5) {
        if (tries > 0) *event = (MrnPathEvent){n, MRN_BORDER_NONE};
        path->next.shift = path->here.shift + path->sense * way;
        for (size_t k = 0; k < numbers(path); k++)
            path->next.impulse[k] = path->here.impulse[k] + path->sense * way * path->rate[k];
        if (!correct(path, *event, ACCURATE * scale) || !statuses_hold(path, event->contact, NEAR * scale)) continue;
        MrnPathPoint swap = path->here;
        path->here = path->next, path->next = swap;
        path->fresh = false;
        if (event->border == MRN_BORDER_NONE) return true;
        uint8_t *status = path->status + event->contact;
        *status = event->border == MRN_BORDER_CONE ? (*status == STICK ? SLIP : STICK) : *status == OPEN ? SLIP : OPEN;
        if (*status != OPEN) return true;
        forget_open(path, &path->here);
        look(path, &path->here);
        return true;
    }
    return false;
}

static bool used_up(const MrnPath *path, double most) {
    return path->work > most || mrn_wall_seconds() > path->job->deadline;
}

// The solution at a large shift by full Newton steps, with its factors.
static bool begin(MrnPath *path, double most, const double *impulse) {
    const MrnProblem *problem = path->job->problem;
    size_t n = problem->contacts, d = (size_t)problem->dimension;
    MrnPathPoint *here = &path->here;
    if (!path->newton->lu.dissect) path->newton->lu.dissect = true, path->newton->order_products = 0;
    memcpy(path->anchor, impulse, d * n * sizeof *impulse);
    mrn_project_cones(problem, path->anchor);
    for (here->shift = FIRST_SHIFT; here->shift <= LARGEST_SHIFT; here->shift *= 4) {
        memcpy(here->impulse, path->anchor, d * n * sizeof *impulse);
        memset(path->status, 255, n);
        for (int steps = 0; steps < NEWTON_STEPS && !used_up(path, most); steps++) {
            look(path, here);
            for (size_t i = 0; i < n; i++)
                path->next_status[i] = status_at((int)d, problem->friction[i], here->reach + d * i);
            bool same = !memcmp(path->status, path->next_status, n);
            memcpy(path->status, path->next_status, n);
            forget_open(path, here);
            look(path, here);
            factor(path);
            if (defect(path, here) <= ACCURATE * pull(path) && same) {
                path->sense = -1, path->turns = 0;
                path->left = (MrnPathEvent){n, MRN_BORDER_NONE};
                if (path->newton->lu.sign > 0) return true;
                break;
            }
            solve(path, here, path->right);
            scatter(path, path->right, path->correction);
            for (size_t k = 0; k < d * n; k++) here->impulse[k] += path->correction[k];
        }
    }
    return false;
}

// Residual of the problem itself here.
static double residual(MrnPath *path) {
    double weight = path->here.shift * path->scale;
    for (size_t k = 0; k < numbers(path); k++)
        path->correction[k] = path->here.velocity[k] - weight * (path->here.impulse[k] - path->anchor[k]);
    return mrn_job_residual(path->job, path->scale, path->here.impulse, path->correction);
}

// Which way s goes on from here: away from the border that the contact has crossed, or as before.
static int sense_here(const MrnPath *path) {
    const MrnProblem *problem = path->job->problem;
    size_t d = (size_t)problem->dimension, i = path->left.contact;
    if (path->left.border == MRN_BORDER_NONE) return path->sense;
    double away = border_change((int)d, problem->friction[i], path->left.border, path->here.reach + d * i,
                                path->reach_rate + d * i);
    bool above = path->left.border == MRN_BORDER_GAP ? path->status[i] != OPEN : path->status[i] == STICK;
    return (away > 0) == above ? 1 : -1;
}

int mrn_path_run(MrnPath *path, double target, double most, double *impulse) {
    const MrnProblem *problem = path->job->problem;
    size_t n = problem->contacts, d = (size_t)problem->dimension;
    path->work = 0;
    if (!begin(path, most, impulse)) return -1;
    int steps = 0;
    while (!(residual(path) <= target)) {
        steps++;
        if (used_up(path, most) || !isfinite(path->here.shift)) return -steps;
        double drift = path->here.shift / path->factored_shift;
        bool near = drift < DRIFT && drift > 1 / DRIFT;
        if (!path->fresh && (!near || !prepare_changed(path, &path->here) || !find_rates(path))) factor(path);
        for (;;) {
            if (path->fresh) find_rates(path);
            int before = path->sense;
            path->sense = path->fresh ? -path->newton->lu.sign : sense_here(path);
            path->turns += path->sense != before;
            double way = path->here.shift * (path->sense < 0 ? FARTHEST : FARTHEST / (1 - FARTHEST));
            MrnPathEvent event = {n, MRN_BORDER_NONE};
            for (size_t i = 0; i < n; i++) {
                MrnBorder border, left = i == path->left.contact ? path->left.border : MRN_BORDER_NONE;
                double to = way_to_border((int)d, problem->friction[i], path->status[i], path->here.reach + d * i,
                                          path->reach_rate + d * i, path->sense, left, &border);
                if (to < way) way = to, event = (MrnPathEvent){i, border};
            }
            bool fresh = path->fresh;
            if (step(path, way, &event)) {
                path->left = event;
                break;
            }
            if (fresh) return -steps;
            factor(path);
        }
        size_t contact = path->left.contact;
        if (contact < n && (path->newton->slot[contact] < 0 || !change(path, contact, path->left.border)))
            path->factored_shift = 0; // to be factored anew
    }
    memcpy(impulse, path->here.impulse, d * n * sizeof *impulse);
    mrn_project_cones(problem, impulse);
    return steps;
}
