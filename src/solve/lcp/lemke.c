// Lemke's complementary pivoting (Lemke 1965; Cottle, Pang, Stone 1992, section 4.4) with a lexicographic ratio test,
// tried again in other ways where rounding led astray (Rabatel 2015, section 2.1.4).
//
// The artificial variable z_0 covers the negative q: w = M z + q + d z_0. Complementary pivots follow a path along
// which z_0 changes; at z_0 = 0 the problem is solved. A try is one path: its ratio test, its covering vector d, and M
// itself or M with a few coefficients changed in the tenth digit. A path may also start from another complementary
// basis, with roles of some w_i and z_i exchanged: that is Lemke on an equivalent problem (a principal transform),
// which may be copositive where M is not. What counts is the residual with the original M: the last basis is solved
// again by LU.
//
// No pivot: the path ends on a ray. For copositive-plus M the ray proves that there is no solution; the proof is
// checked as such (mrn_lcp_is_infeasible), whatever M is, and without it the outcome is MRN_STALLED.
#include "base/random.h"
#include "solve/lcp/lcp.h"
#include "solve/lcp/tableau.h"

#include <math.h>
#include <string.h>

static const double PIVOT_THRESHOLD = 1e-11; ///< smallest pivot over the largest entry of its column
static const double TIE = 1e-12;             ///< basic values this close to zero (|q| is near 1) count as tied
static const double DRIFT = 1e-9;            ///< error of the tableau that asks for a new one
enum { CHECK_EVERY = 64 };                   ///< pivots between two checks for drift

typedef enum Variant {
    LEXICOGRAPHIC, ///< d = 1, lexicographic ratio test: cannot cycle
    LARGEST_PIVOT, ///< d = 1, the largest of the tied pivots: most stable
    RANDOM_COVER,  ///< d random in [1, 2), lexicographic: another path
    RANDOM_START,  ///< the path starts from a random complementary basis instead of w; takes turns with RANDOM_COVER
} Variant;

typedef enum Outcome { FOUND, RAY, TOO_MANY_PIVOTS, LATE, BROKEN } Outcome;

typedef struct Lemke {
    MrnLcpJob *job;
    MrnTableau tableau;
    const double *matrix; ///< of this try
    bool *exchanged;      ///< rows whose z_i is basic at the start
    double *cover;        ///< d
    int *tied;            ///< rows tied in the ratio test
    double *z, *w, *best; ///< candidate and best so far
    double best_residual;
    int *index, *pivot; ///< for the last solve by LU
    double *work;
} Lemke;

/// Entry (row i, initial variable w_j) of the inverse of the basis.
static double inverse_entry(const MrnTableau *t, int i, int j) {
    int place = t->place[j];
    if (place >= 0) return place == i ? 1 : 0;
    return -mrn_tableau_entry(t, i, -1 - place);
}

/// Row whose vector (value, row of the inverse basis) / |pivot| is lexicographically smallest among `count` tied rows.
static int lexicographic_row(const Lemke *l, int count) {
    const MrnTableau *t = &l->tableau;
    int *tied = l->tied;
    for (int j = 0; j < t->size && count > 1; j++) {
        double smallest = INFINITY, scale = 0;
        for (int k = 0; k < count; k++) {
            double ratio = inverse_entry(t, tied[k], j) / -t->column[tied[k]];
            smallest = fmin(smallest, ratio);
            scale = fmax(scale, fabs(ratio));
        }
        int kept = 0;
        for (int k = 0; k < count; k++)
            if (inverse_entry(t, tied[k], j) / -t->column[tied[k]] <= smallest + 1e-11 * scale) tied[kept++] = tied[k];
        count = kept;
    }
    return tied[0];
}

/// Row of the variable that reaches zero first as the entering one grows, or -1 if none does.
static int ratio_test(Lemke *l, Variant variant) {
    MrnTableau *t = &l->tableau;
    int n = t->size, artificial = 2 * n, count = 0;
    double largest = 0, bound = INFINITY, pivot = 0;
    for (int i = 0; i < n; i++) largest = fmax(largest, fabs(t->column[i]));
    double threshold = PIVOT_THRESHOLD * largest;
    for (int i = 0; i < n; i++)
        if (-t->column[i] > threshold) bound = fmin(bound, (fmax(t->value[i], 0) + TIE) / -t->column[i]);
    if (isinf(bound)) return -1;
    for (int i = 0; i < n; i++) {
        if (!(-t->column[i] > threshold) || fmax(t->value[i], 0) > bound * -t->column[i]) continue;
        l->tied[count++] = i;
        pivot = fmax(pivot, -t->column[i]);
    }
    // Among ties: the artificial variable ends the path; a pivot far below the others would spoil the tableau.
    int kept = 0, best = -1;
    for (int k = 0; k < count; k++) {
        int i = l->tied[k];
        if (-t->column[i] < 1e-6 * pivot) continue;
        if (t->basic[i] == artificial) return i;
        if (best < 0 || -t->column[i] > -t->column[best]) best = i;
        l->tied[kept++] = i;
    }
    return variant == LARGEST_PIVOT || kept == 1 ? best : lexicographic_row(l, kept);
}

/// The basic z of the tableau.
static void read_point(Lemke *l) {
    const MrnTableau *t = &l->tableau;
    int n = t->size;
    for (int i = 0; i < n; i++) l->z[i] = 0;
    for (int i = 0; i < n; i++)
        if (t->basic[i] >= n && t->basic[i] < 2 * n) l->z[t->basic[i] - n] = t->value[i];
}

static int complement(int variable, int n) {
    return variable < n ? variable + n : variable - n;
}

/// Largest error of the basic w against M z + q + d z_0.
static double drift(Lemke *l) {
    MrnTableau *t = &l->tableau;
    int n = t->size;
    double artificial = 0, error = 0, scale = 1;
    read_point(l);
    if (t->place[2 * n] >= 0) artificial = t->value[t->place[2 * n]];
    int count = 0;
    for (int j = 0; j < n; j++)
        if (l->z[j] != 0) l->index[count++] = j;
    for (int i = 0; i < n; i++) {
        const double *row = l->matrix + (size_t)i * (size_t)n;
        double w = l->job->lcp->vector[i] + l->cover[i] * artificial;
        for (int k = 0; k < count; k++) w += row[l->index[k]] * l->z[l->index[k]];
        double have = t->place[i] >= 0 ? t->value[t->place[i]] : 0;
        error = fmax(error, fabs(w - have));
        scale = fmax(scale, fabs(have));
    }
    return isfinite(error) ? error / scale : INFINITY;
}

/// The tableau of the present basis from the original numbers, with the largest pivots first in each column.
static bool rebuild(Lemke *l) {
    MrnTableau *t = &l->tableau;
    int n = t->size, count = 0;
    int *wanted = l->index; // n rows at most hold z or z_0
    bool *stays = (bool *)l->pivot;
    for (int i = 0; i < n; i++) {
        stays[i] = t->place[i] >= 0;
        if (t->basic[i] >= n) wanted[count++] = t->basic[i];
    }
    mrn_tableau_start(t, l->matrix, l->job->lcp->vector, l->cover);
    for (int k = 0; k < count; k++) {
        mrn_tableau_column(t, wanted[k]);
        int best = -1;
        for (int i = 0; i < n; i++)
            if (t->basic[i] < n && !stays[t->basic[i]] && (best < 0 || fabs(t->column[i]) > fabs(t->column[best])))
                best = i;
        if (best < 0 || !(fabs(t->column[best]) > 1e-14)) return false;
        mrn_tableau_pivot(t, best, wanted[k]);
    }
    return true;
}

/// w basic, then z_i for the exchanged rows where the pivot is not small. The cover is made so that it is 1 in this
/// dictionary.
static void start_exchanged(Lemke *l) {
    MrnTableau *t = &l->tableau;
    int n = t->size;
    const double *q = l->job->lcp->vector;
    mrn_tableau_start(t, l->matrix, q, l->cover);
    for (int i = 0; i < n; i++) {
        if (!l->exchanged[i]) continue;
        mrn_tableau_column(t, n + i);
        int r = t->place[i]; // w_i has not moved
        double largest = 0;
        for (int k = 0; k < n; k++) largest = fmax(largest, fabs(t->column[k]));
        if (fabs(t->column[r]) > 1e-3 * largest)
            mrn_tableau_pivot(t, r, n + i);
        else
            l->exchanged[i] = false;
    }
    for (int i = 0; i < n; i++) {
        l->cover[i] = l->exchanged[i] ? 0 : 1;
        for (int j = 0; j < n; j++)
            if (l->exchanged[j]) l->cover[i] -= l->matrix[(size_t)i * (size_t)n + (size_t)j];
    }
    mrn_tableau_start(t, l->matrix, q, l->cover);
    for (int i = 0; i < n; i++) {
        if (!l->exchanged[i]) continue;
        mrn_tableau_column(t, n + i);
        mrn_tableau_pivot(t, t->place[i], n + i);
    }
}

/// One path. On FOUND l->z holds the basic z of the tableau; on RAY it holds the z part of the ray.
static Outcome follow_path(Lemke *l, Variant variant, int *pivots, int limit) {
    MrnTableau *t = &l->tableau;
    int n = t->size, r = 0;
    if (variant == RANDOM_START)
        start_exchanged(l);
    else
        mrn_tableau_start(t, l->matrix, l->job->lcp->vector, l->cover);
    mrn_tableau_column(t, 2 * n);
    // The last of the tied rows: the lexicographically smallest.
    for (int i = 1; i < n; i++)
        if (t->value[i] / t->column[i] <= t->value[r] / t->column[r]) r = i;
    if (t->value[r] >= -TIE) { // the start is a solution
        read_point(l);
        return FOUND;
    }
    int entering = complement(mrn_tableau_pivot(t, r, 2 * n), n);
    for (int own = 1; own <= limit; own++) {
        ++*pivots;
        if (mrn_lcp_job_late(l->job)) return LATE;
        mrn_tableau_column(t, entering);
        r = ratio_test(l, variant);
        if (r < 0) {
            for (int i = 0; i < n; i++) l->z[i] = 0;
            for (int i = 0; i < n; i++)
                if (t->basic[i] >= n && t->basic[i] < 2 * n) l->z[t->basic[i] - n] = fmax(t->column[i], 0);
            if (entering >= n) l->z[entering - n] = 1;
            return RAY;
        }
        int leaving = mrn_tableau_pivot(t, r, entering);
        for (int i = 0; i < n; i++)
            if (t->value[i] < 0 && t->value[i] > -1e3 * TIE) t->value[i] = 0;
        if (leaving == 2 * n) {
            read_point(l);
            return FOUND;
        }
        if (own % CHECK_EVERY == 0 && drift(l) > DRIFT && !rebuild(l)) return BROKEN;
        entering = complement(leaving, n);
    }
    return TOO_MANY_PIVOTS;
}

/// Keep l->z if it is the best so far.
static void consider(Lemke *l) {
    size_t n = l->job->lcp->size;
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(l->z[i])) return;
        l->z[i] = fmax(l->z[i], 0);
    }
    mrn_lcp_slack(l->job->lcp, l->z, l->w);
    double residual = mrn_lcp_job_residual(l->job, l->z, l->w);
    if (residual < l->best_residual) {
        l->best_residual = residual;
        memcpy(l->best, l->z, n * sizeof *l->best);
    }
}

/// The z of the last basis, first as the tableau has it, then, if that is not exact, solved again from the original
/// numbers.
static void consider_basis(Lemke *l) {
    int n = l->tableau.size;
    size_t count = 0;
    for (int i = 0; i < n; i++)
        if (l->tableau.place[n + i] >= 0) l->index[count++] = i;
    consider(l);
    if (l->best_residual < 1e-14) return;
    double *x = l->w;
    if (!mrn_lcp_solve_subset(l->job, l->index, count, x, l->work, l->pivot)) return;
    memset(l->z, 0, (size_t)n * sizeof *l->z);
    for (size_t k = 0; k < count; k++) l->z[l->index[k]] = x[k];
    consider(l);
}

static void solve(MrnLcpJob *job) {
    size_t n = job->lcp->size;
    Lemke l = {.job = job, .matrix = job->lcp->dense, .best_residual = INFINITY};
    mrn_tableau_take(&l.tableau, (int)n, job->arena);
    l.cover = mrn_arena_take(job->arena, n, sizeof *l.cover);
    l.exchanged = mrn_arena_take(job->arena, n, sizeof *l.exchanged);
    l.tied = mrn_arena_take(job->arena, n, sizeof *l.tied);
    l.index = mrn_arena_take(job->arena, n, sizeof *l.index);
    l.pivot = mrn_arena_take(job->arena, n, sizeof *l.pivot);
    l.z = mrn_arena_take(job->arena, n, sizeof *l.z);
    l.w = mrn_arena_take(job->arena, n, sizeof *l.w);
    l.best = mrn_arena_take(job->arena, n, sizeof *l.best);
    l.work = mrn_arena_take(job->arena, n * (n + 8), sizeof *l.work);
    double *changed = NULL;
    int pivots = 0, limit = mrn_lcp_job_limit(job, 20000 + 400 * (int)n);
    uint64_t seed = job->settings->seed, draw = 0;
    size_t block = job->settings->perturbed ? job->settings->perturbed : n;

    // The guess may be the solution already, and it is the point to return if every path fails.
    memcpy(l.z, job->z, n * sizeof *l.z);
    consider(&l);
    job->info->tries = 0;
    job->info->status = l.best_residual <= fmin(job->settings->tolerance, 1e-12) ? MRN_SOLVED : MRN_STALLED;
    bool give_up = job->info->status == MRN_SOLVED;
    for (int round = 0; round <= job->settings->perturbations && !give_up; round++) {
        if (round == 1) {
            changed = mrn_arena_take(job->arena, n * n, sizeof *changed);
            memcpy(changed, job->lcp->dense, n * n * sizeof *changed);
            l.matrix = changed;
        }
        if (round > 0)
            for (size_t k = 0; k < 1 + block / 8; k++) {
                size_t entry = mrn_random_bits(seed, 1, draw) % (block * block);
                changed[entry / block * n + entry % block] *= 1 + mrn_random_between(seed, 2, draw++, -1e-10, 1e-10);
            }
        for (int variant = 0; variant < job->settings->variants && !give_up; variant++) {
            for (size_t i = 0; i < n; i++)
                l.cover[i] = variant == RANDOM_COVER ? 1 + mrn_random_unit(seed, 3 + (uint64_t)round, i) : 1;
            Variant path = variant == RANDOM_COVER && round % 2 ? RANDOM_START : (Variant)variant;
            // The first exchange takes every row it can: a maximal regular block of M. Later ones take half of the
            // rows.
            for (size_t i = 0; i < n; i++)
                l.exchanged[i] =
                    path == RANDOM_START && (round == 1 || mrn_random_bits(seed, 1000 + (uint64_t)round, i) & 1);
            job->info->tries++;
            // A path may be exponentially long where another one is short: do not spend everything on the first.
            int own_limit = (100 + 2 * (int)n) << (round < 10 ? round : 10);
            bool last = round == job->settings->perturbations && variant + 1 == job->settings->variants;
            if (last || own_limit > limit - pivots) own_limit = limit - pivots;
            Outcome outcome = follow_path(&l, path, &pivots, own_limit);
            if (outcome == FOUND) {
                consider_basis(&l);
            } else if (outcome == RAY) {
                memcpy(job->ray, l.z, n * sizeof *job->ray);
                give_up = mrn_lcp_job_proves(job, job->ray, l.w);
                // On degenerate data z_0 may be basic at zero: then the foot of the ray is a solution.
                read_point(&l);
                consider_basis(&l);
            } else if (outcome == LATE) {
                job->info->status = MRN_TIME_LIMIT;
                give_up = true;
            }
            give_up |= l.best_residual <= job->settings->tolerance;
            if (!give_up && pivots >= limit) {
                job->info->status = MRN_MAX_ITERATIONS;
                give_up = true;
            }
        }
    }
    job->info->iterations = pivots;
    if (l.best_residual < INFINITY) memcpy(job->z, l.best, n * sizeof *job->z);
}

const MrnLcpSolverRow mrn_lcp_lemke = {
    .entry = {"lemke",
              "Lemke's pivoting, lexicographic, with retries: the exact one, to a few thousand unknowns (variants, "
              "perturbations, seed)",
              "any M that Lemke processes: P, copositive-plus, the friction forms"},
    .needs = MRN_LCP_NEEDS_DENSE,
    .solve = solve,
};
