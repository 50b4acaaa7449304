// Solving an LCP: checks, exact scaling, the table of solvers, and the certificate computed afresh from z.
#include "solve/lcp/lcp.h"
#include "solve/lcp/dense.h"
#include "solve/lcp/lcp_scale.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const MrnLcpSolverRow *const TABLE[] = {
    &mrn_lcp_lemke,      &mrn_lcp_psor,       &mrn_lcp_gsnl,           &mrn_lcp_gcp,         &mrn_lcp_latin,
    &mrn_lcp_active_set, &mrn_lcp_newton_min, &mrn_lcp_newton_fischer, &mrn_lcp_enumeration,
};
enum { TABLE_SIZE = sizeof TABLE / sizeof *TABLE };

/// Largest order for solvers that hold dense copies: 512 MiB each, at most four of them.
enum { LARGEST_DENSE = 8192 };

size_t mrn_lcp_solver_count(void) {
    return TABLE_SIZE;
}

const MrnLcpSolverEntry *mrn_lcp_solver_at(size_t index) {
    return index < TABLE_SIZE ? &TABLE[index]->entry : NULL;
}

MrnLcpSettings mrn_lcp_defaults(void) {
    return (MrnLcpSettings){
        .solver = "lemke",
        .tolerance = 1e-8,
        .max_iterations = 0,
        .time_limit = 0,
        .relaxation = 1,
        .search_direction = 0,
        .perturbations = 20,
        .perturbed = 0,
        .variants = 3,
        .seed = 1,
    };
}

static double natural_residual(size_t n, const double *diagonal, const double *z, const double *w) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        double m = fmin(diagonal[i] * z[i], w[i]);
        sum += m / diagonal[i] * m;
    }
    return sqrt(sum);
}

static double scaled_norm(size_t n, const double *diagonal, const double *q) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) sum += q[i] / diagonal[i] * q[i];
    return sum > 0 ? sqrt(sum) : 1;
}

double mrn_lcp_job_residual(const MrnLcpJob *job, const double *z, const double *w) {
    return natural_residual(job->lcp->size, job->diagonal, z, w) / job->vector_norm;
}

bool mrn_lcp_solve_subset(const MrnLcpJob *job, const int *index, size_t count, double *x, double *work, int *pivot) {
    const MrnLcp *lcp = job->lcp;
    size_t n = lcp->size;
    double *matrix = work, *scratch = work + count * count, *correction = scratch;
    for (size_t a = 0; a < count; a++) {
        const double *row = lcp->dense + (size_t)index[a] * n;
        for (size_t b = 0; b < count; b++) matrix[a * count + b] = row[index[b]];
        x[a] = -lcp->vector[index[a]];
    }
    if (!mrn_dense_factorise(matrix, count, pivot, scratch, job->deadline)) return false;
    mrn_dense_solve(matrix, count, pivot, x);
    for (size_t a = 0; a < count; a++) {
        const double *row = lcp->dense + (size_t)index[a] * n;
        double sum = -lcp->vector[index[a]];
        for (size_t b = 0; b < count; b++) sum -= row[index[b]] * x[b];
        correction[a] = sum;
    }
    mrn_dense_solve(matrix, count, pivot, correction);
    for (size_t a = 0; a < count; a++) {
        x[a] += correction[a];
        if (!isfinite(x[a])) return false;
    }
    return true;
}

/// A scaled problem with what is needed to go back.
typedef struct Scaled {
    MrnLcp *lcp;
    double *diagonal; ///< D of the user's problem
    double *reduced;  ///< D of the scaled problem
    int *exponent;    ///< S_i = 2^exponent_i
    int vector_exponent;
} Scaled;

static int half_exponent(double d) {
    int e;
    double mantissa = frexp(d, &e); // d = mantissa 2^e, 1/2 <= mantissa < 1
    if (mantissa < M_SQRT1_2) e--;  // nearest power of two
    return e >= 0 ? -((e + 1) / 2) : (-e) / 2;
}

static void scale_problem(const MrnLcp *lcp, bool dense, Scaled *s) {
    size_t n = lcp->size;
    s->diagonal = mrn_alloc(n, sizeof *s->diagonal);
    s->reduced = mrn_alloc(n, sizeof *s->reduced);
    s->exponent = mrn_alloc(n, sizeof *s->exponent);
    mrn_lcp_diagonal(lcp, s->diagonal);
    double *factor = mrn_alloc(n, sizeof *factor), largest = 0;
    for (size_t i = 0; i < n; i++) {
        s->exponent[i] = half_exponent(s->diagonal[i]);
        factor[i] = ldexp(1, s->exponent[i]);
        s->reduced[i] = s->diagonal[i] * factor[i] * factor[i];
        largest = fmax(largest, fabs(lcp->vector[i] * factor[i]));
    }
    s->vector_exponent = 0;
    if (largest > 0 && isfinite(largest)) frexp(largest, &s->vector_exponent);
    s->lcp = dense ? mrn_lcp_to_dense(lcp) : mrn_lcp_to_sparse(lcp);
    for (size_t i = 0; i < n; i++) {
        s->lcp->vector[i] = ldexp(lcp->vector[i], s->exponent[i] - s->vector_exponent);
        if (dense)
            for (size_t j = 0; j < n; j++) s->lcp->dense[i * n + j] *= factor[i] * factor[j];
        else
            for (size_t e = s->lcp->start[i]; e < s->lcp->start[i + 1]; e++)
                s->lcp->value[e] *= factor[i] * factor[s->lcp->column[e]];
    }
    free(factor);
}

static void scaled_free(Scaled *s) {
    mrn_lcp_free(s->lcp);
    free(s->diagonal);
    free(s->reduced);
    free(s->exponent);
}

/// y >= 0, M'y <= 0, q'y < 0 on a scaled problem; `work` holds `size` numbers.
static bool proves_infeasible(const MrnLcp *lcp, double vector_norm, const double *y, double *work) {
    size_t n = lcp->size;
    double sum = 0, product = 0, worst = 0;
    for (size_t i = 0; i < n; i++) {
        if (!(y[i] >= 0) || !isfinite(y[i])) return false;
        sum += y[i];
        product += lcp->vector[i] * y[i];
    }
    // q'y must be negative beyond rounding.
    if (!(sum > 0) || !(product < -1e-9 * sum * vector_norm)) return false;
    memset(work, 0, n * sizeof *work);
    for (size_t i = 0; i < n; i++) {
        if (y[i] == 0) continue;
        if (lcp->dense) {
            for (size_t j = 0; j < n; j++) work[j] += lcp->dense[i * n + j] * y[i];
        } else {
            for (size_t e = lcp->start[i]; e < lcp->start[i + 1]; e++) work[lcp->column[e]] += lcp->value[e] * y[i];
        }
    }
    for (size_t j = 0; j < n; j++) worst = fmax(worst, work[j]);
    return worst <= 1e-10 * -product / vector_norm;
}

bool mrn_lcp_job_proves(const MrnLcpJob *job, const double *y, double *work) {
    return proves_infeasible(job->lcp, job->vector_norm, y, work);
}

bool mrn_lcp_is_infeasible(const MrnLcp *lcp, const double *y) {
    size_t n = lcp->size;
    if (n == 0 || mrn_lcp_fault(lcp)) return false;
    Scaled s;
    scale_problem(lcp, lcp->dense != NULL, &s);
    double *scaled = mrn_alloc(n, sizeof *scaled), *work = mrn_alloc(n, sizeof *work);
    for (size_t i = 0; i < n; i++) scaled[i] = ldexp(y[i], -s.exponent[i]);
    bool proven = proves_infeasible(s.lcp, scaled_norm(n, s.reduced, s.lcp->vector), scaled, work);
    free(scaled);
    free(work);
    scaled_free(&s);
    return proven;
}

static void certify(const MrnLcp *lcp, const double *diagonal, const double *z, const double *w, MrnLcpInfo *info) {
    size_t n = lcp->size;
    double negative_z = 0, negative_w = 0, product = 0;
    info->smallest_z = info->smallest_w = n ? INFINITY : 0;
    for (size_t i = 0; i < n; i++) {
        info->smallest_z = fmin(info->smallest_z, z[i]);
        info->smallest_w = fmin(info->smallest_w, w[i]);
        negative_z += fmin(z[i], 0);
        negative_w += fmin(w[i], 0);
        product += z[i] * w[i];
    }
    info->error_sum = fabs(negative_z) + fabs(negative_w) + fabs(product);
    info->residual = natural_residual(n, diagonal, z, w) / scaled_norm(n, diagonal, lcp->vector);
}

void mrn_lcp_certify(const MrnLcp *lcp, const double *z, MrnLcpInfo *info) {
    size_t n = lcp->size;
    double *diagonal = mrn_alloc(n, sizeof *diagonal), *w = mrn_alloc(n, sizeof *w);
    mrn_lcp_diagonal(lcp, diagonal);
    mrn_lcp_slack(lcp, z, w);
    certify(lcp, diagonal, z, w, info);
    free(diagonal);
    free(w);
}

/// The first row with q_i < 0 and no positive entry (its w_i can never reach 0), or `size`.
static size_t hopeless_row(const MrnLcp *lcp) {
    for (size_t i = 0; i < lcp->size; i++) {
        if (lcp->vector[i] >= 0) continue;
        bool positive = false;
        if (lcp->dense) {
            for (size_t j = 0; j < lcp->size && !positive; j++) positive = lcp->dense[i * lcp->size + j] > 0;
        } else {
            for (size_t e = lcp->start[i]; e < lcp->start[i + 1] && !positive; e++) positive = lcp->value[e] > 0;
        }
        if (!positive) return i;
    }
    return lcp->size;
}

static const MrnLcpSolverRow *find_row(const char *name, MrnError *error) {
    for (size_t k = 0; k < TABLE_SIZE; k++)
        if (!strcmp(TABLE[k]->entry.name, name)) return TABLE[k];
    char names[256] = "";
    for (size_t k = 0; k < TABLE_SIZE; k++) {
        if (k) strncat(names, ", ", sizeof names - strlen(names) - 1);
        strncat(names, TABLE[k]->entry.name, sizeof names - strlen(names) - 1);
    }
    mrn_fail(error, MRN_ERROR_INPUT, "no LCP solver '%s'; there are: %s", name, names);
    return NULL;
}

static bool check_settings(const MrnLcpSettings *s, MrnError *error) {
    if (!s->solver) return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: no solver named");
    if (!(s->tolerance > 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: tolerance %g is not positive", s->tolerance);
    if (s->max_iterations < 0)
        return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: max_iterations %d is negative", s->max_iterations);
    if (!(s->time_limit >= 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: time_limit %g s is negative", s->time_limit);
    if (!(s->relaxation > 0 && s->relaxation < 2))
        return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: relaxation %g is not between 0 and 2", s->relaxation);
    if (!(s->search_direction >= 0))
        return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: search_direction %g is negative", s->search_direction);
    if (s->perturbations < 0)
        return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: perturbations %d is negative", s->perturbations);
    if (s->variants < 1 || s->variants > 3)
        return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: variants %d is not 1, 2 or 3", s->variants);
    return true;
}

static bool check_needs(const MrnLcpSolverRow *row, const MrnLcp *lcp, const Scaled *s, MrnError *error) {
    const char *name = row->entry.name;
    if (row->largest && lcp->size > row->largest)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "LCP solver %s takes at most %zu unknowns, not %zu", name,
                        row->largest, lcp->size);
    if ((row->needs & MRN_LCP_NEEDS_SYMMETRIC) && !mrn_lcp_is_symmetric(lcp, s->diagonal))
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "LCP solver %s needs a symmetric matrix", name);
    if (row->needs & MRN_LCP_NEEDS_POSITIVE_DIAGONAL)
        for (size_t i = 0; i < lcp->size; i++)
            if (!(mrn_lcp_entry(lcp, i, i) >= 1e-12 * s->diagonal[i]))
                return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "LCP solver %s needs a positive diagonal; row %zu has %g",
                                name, i, mrn_lcp_entry(lcp, i, i));
    return true;
}

bool mrn_lcp_solve(const MrnLcp *lcp, const MrnLcpSettings *settings, MrnLcpSolution *solution, MrnLcpInfo *info,
                   MrnError *error) {
    double begin = mrn_wall_seconds();
    size_t n = lcp->size;
    *info = (MrnLcpInfo){.status = MRN_SOLVED, .tries = 1};
    if (!check_settings(settings, error)) return false;
    if (settings->perturbed > n)
        return mrn_fail(error, MRN_ERROR_INPUT, "LCP settings: perturbed %zu is more than the %zu unknowns",
                        settings->perturbed, n);
    const MrnLcpSolverRow *row = find_row(settings->solver, error);
    if (!row) return false;
    bool dense = row->needs & MRN_LCP_NEEDS_DENSE;
    if (dense && n > LARGEST_DENSE)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "LCP solver %s keeps M dense: at most %d unknowns, not %zu",
                        settings->solver, LARGEST_DENSE, n);
    const char *fault = mrn_lcp_fault(lcp);
    for (size_t i = 0; i < n && !fault; i++)
        if (!isfinite(solution->z[i])) fault = "the guess is not finite";
    if (fault) {
        memset(solution->z, 0, n * sizeof *solution->z);
        if (solution->w) memset(solution->w, 0, n * sizeof *solution->w);
        info->status = MRN_BAD_PROBLEM;
        info->residual = info->error_sum = INFINITY;
        info->seconds = mrn_wall_seconds() - begin;
        return true;
    }

    Scaled s;
    scale_problem(lcp, dense || lcp->dense, &s);
    if (n && !check_needs(row, lcp, &s, error)) {
        scaled_free(&s);
        return false;
    }
    MrnArena arena = {0};
    MrnLcpJob job = {
        .lcp = s.lcp,
        .diagonal = s.reduced,
        .vector_norm = scaled_norm(n, s.reduced, s.lcp->vector),
        .settings = settings,
        .z = mrn_arena_take(&arena, n, sizeof(double)),
        .ray = mrn_arena_take(&arena, n, sizeof(double)),
        .info = info,
        .arena = &arena,
        .deadline = settings->time_limit > 0 ? begin + settings->time_limit : INFINITY,
    };
    double *w = mrn_arena_take(&arena, n, sizeof *w);
    bool trivial = true;
    for (size_t i = 0; i < n; i++) {
        job.z[i] = ldexp(solution->z[i], -s.exponent[i] - s.vector_exponent);
        if (!isfinite(job.z[i]) || job.z[i] < 0) job.z[i] = 0;
        job.ray[i] = 0;
        trivial &= s.lcp->vector[i] >= 0;
    }
    size_t hopeless = hopeless_row(s.lcp);
    if (trivial) {
        memset(job.z, 0, n * sizeof *job.z);
    } else if (hopeless < n) {
        memset(job.z, 0, n * sizeof *job.z);
        job.ray[hopeless] = 1;
        info->status = MRN_STALLED;
    } else {
        row->solve(&job);
    }

    // From here on only z counts: w, the certificate and the status are made from it.
    for (size_t i = 0; i < n; i++) {
        double z = ldexp(job.z[i], s.exponent[i] + s.vector_exponent);
        solution->z[i] = isfinite(z) ? z : 0;
    }
    double *slack = solution->w ? solution->w : w;
    mrn_lcp_slack(lcp, solution->z, slack);
    certify(lcp, s.diagonal, solution->z, slack, info);
    if (info->residual <= settings->tolerance) {
        info->status = MRN_SOLVED;
    } else {
        if (info->status == MRN_SOLVED) info->status = MRN_STALLED;
        if (proves_infeasible(s.lcp, job.vector_norm, job.ray, w) ||
            proves_infeasible(s.lcp, job.vector_norm, job.z, w))
            info->status = MRN_INFEASIBLE;
    }
    mrn_arena_free(&arena);
    scaled_free(&s);
    info->seconds = mrn_wall_seconds() - begin;
    return true;
}
