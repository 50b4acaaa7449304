// A contact problem as an LCP: without friction, and with Coulomb friction in 2D in the form of four unknowns per
// contact (Stewart, Trinkle 1996; Rabatel 2015, section 1.1.2) and of three (Nineb 2007, section 3.1.4), with the maps
// back to impulses.
//
// u = W p + q, normal component first.
// Four unknowns: p_n = lambda, p_t = beta+ - beta-, alpha the sliding speed;
//     u_n            >= 0  _|_  lambda >= 0
//     +-u_t + alpha  >= 0  _|_  beta+-  >= 0
//     mu lambda - beta+ - beta- >= 0  _|_  alpha >= 0
// Three unknowns, with A = W^-1, f = A q: p = A u - f, u_t = b2 - b1;
//     p_n >= 0 _|_ u_n >= 0,   a1 = mu p_n - p_t >= 0 _|_ b1 >= 0,   a2 = mu p_n + p_t >= 0 _|_ b2 >= 0
#include "problem/lcp_friction.h"
#include "base/error.h"
#include "base/memory.h"

#include <lapacke.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool check_laws(const MrnProblem *problem, MrnError *error) {
    for (size_t c = 0; problem->law && c < problem->contacts; c++)
        if (problem->law[c] != MRN_LAW_COULOMB)
            return mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                            "an LCP form needs Coulomb's law at every contact; contact %zu has another law", c);
    if (problem->contacts > INT_MAX / 4)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "%zu contacts are too many for an LCP form", problem->contacts);
    return true;
}

bool mrn_lcp_friction_check(const MrnProblem *problem, MrnError *error) {
    if (problem->dimension != 2)
        return mrn_fail(error, MRN_ERROR_UNSUPPORTED, "friction is an LCP in 2D only; this problem has dimension %d",
                        problem->dimension);
    return check_laws(problem, error);
}

MrnLcp *mrn_lcp_frictionless(MrnProblem *problem, MrnError *error) {
    if (!check_laws(problem, error)) return NULL;
    mrn_problem_assemble(problem);
    const MrnBlockMatrix *W = problem->delassus;
    size_t m = problem->contacts, block = (size_t)problem->dimension;
    MrnLcp *lcp = mrn_lcp_new_sparse(m, m ? W->start[m] : 0);
    for (size_t i = 0; i < m; i++) {
        lcp->vector[i] = problem->free_velocity[i * block];
        lcp->start[i + 1] = W->start[i + 1];
        for (size_t e = W->start[i]; e < W->start[i + 1]; e++) {
            lcp->column[e] = W->column[e];
            lcp->value[e] = W->value[e * block * block];
        }
    }
    return lcp;
}

void mrn_lcp_frictionless_impulse(const MrnProblem *problem, const double *z, double *impulse) {
    size_t block = (size_t)problem->dimension;
    memset(impulse, 0, problem->contacts * block * sizeof *impulse);
    for (size_t i = 0; i < problem->contacts; i++) impulse[i * block] = z[i];
}

static void push(MrnLcp *lcp, size_t *next, size_t column, double value) {
    lcp->column[*next] = (int)column;
    lcp->value[(*next)++] = value;
}

MrnLcp *mrn_lcp_friction4_part(const MrnProblem *problem, const int *contact, size_t count, const int *place) {
    const MrnBlockMatrix *W = problem->delassus;
    size_t m = count, blocks = 0, next = 0;
    for (size_t i = 0; i < m; i++) blocks += W->start[contact[i] + 1] - W->start[contact[i]];
    // Three entries per block in each of the rows u_n, gamma+, gamma-; one alpha in each gamma row; three in each sigma
    // row.
    MrnLcp *lcp = mrn_lcp_new_sparse(4 * m, 9 * blocks + 5 * m);
    for (size_t i = 0; i < m; i++) {
        size_t c = (size_t)contact[i];
        lcp->vector[i] = problem->free_velocity[2 * c];
        for (size_t e = W->start[c]; e < W->start[c + 1]; e++)
            push(lcp, &next, (size_t)place[W->column[e]], W->value[4 * e]);
        for (size_t e = W->start[c]; e < W->start[c + 1]; e++) {
            size_t k = m + 2 * (size_t)place[W->column[e]];
            push(lcp, &next, k, W->value[4 * e + 1]);
            push(lcp, &next, k + 1, -W->value[4 * e + 1]);
        }
        lcp->start[i + 1] = next;
    }
    for (size_t r = 0; r < 2 * m; r++) {
        size_t i = r / 2, c = (size_t)contact[i];
        double sign = r % 2 ? -1 : 1;
        lcp->vector[m + r] = sign * problem->free_velocity[2 * c + 1];
        for (size_t e = W->start[c]; e < W->start[c + 1]; e++)
            push(lcp, &next, (size_t)place[W->column[e]], sign * W->value[4 * e + 2]);
        for (size_t e = W->start[c]; e < W->start[c + 1]; e++) {
            size_t k = m + 2 * (size_t)place[W->column[e]];
            push(lcp, &next, k, sign * W->value[4 * e + 3]);
            push(lcp, &next, k + 1, -sign * W->value[4 * e + 3]);
        }
        push(lcp, &next, 3 * m + i, 1);
        lcp->start[m + r + 1] = next;
    }
    for (size_t i = 0; i < m; i++) {
        push(lcp, &next, i, problem->friction[contact[i]]);
        push(lcp, &next, m + 2 * i, -1);
        push(lcp, &next, m + 2 * i + 1, -1);
        lcp->start[3 * m + i + 1] = next;
    }
    return lcp;
}

MrnLcp *mrn_lcp_friction4(MrnProblem *problem, MrnError *error) {
    if (!mrn_lcp_friction_check(problem, error)) return NULL;
    mrn_problem_assemble(problem);
    int *all = mrn_alloc(problem->contacts, sizeof *all);
    for (size_t i = 0; i < problem->contacts; i++) all[i] = (int)i;
    MrnLcp *lcp = mrn_lcp_friction4_part(problem, all, problem->contacts, all);
    free(all);
    return lcp;
}

void mrn_lcp_friction4_impulse(const MrnProblem *problem, const double *z, double *impulse) {
    size_t m = problem->contacts;
    for (size_t i = 0; i < m; i++) {
        impulse[2 * i] = z[i];
        impulse[2 * i + 1] = z[m + 2 * i] - z[m + 2 * i + 1];
    }
}

/// A = W^-1, dense, components ordered (all normal, all tangential). NULL if W is singular to working precision.
static double *invert(const MrnProblem *problem) {
    const MrnBlockMatrix *W = problem->delassus;
    size_t m = problem->contacts, n = 2 * m;
    int order = (int)n;
    double *A = mrn_alloc_zero(n * n, sizeof *A), norm = 0, reciprocal = 0;
    for (size_t i = 0; i < m; i++)
        for (size_t e = W->start[i]; e < W->start[i + 1]; e++)
            for (size_t a = 0; a < 2; a++)
                for (size_t b = 0; b < 2; b++)
                    A[(a * m + i) * n + b * m + (size_t)W->column[e]] = W->value[4 * e + 2 * a + b];
    // Unit diagonal first, so that the condition number does not see a mixture of heavy and light bodies.
    double *scale = mrn_alloc(n, sizeof *scale);
    bool regular = true;
    for (size_t i = 0; i < n; i++) {
        regular &= A[i * n + i] > 0 && isfinite(A[i * n + i]);
        scale[i] = regular ? 1 / sqrt(A[i * n + i]) : 0;
    }
    for (size_t i = 0; regular && i < n; i++) {
        double sum = 0;
        for (size_t j = 0; j < n; j++) {
            A[i * n + j] *= scale[i] * scale[j];
            sum += fabs(A[i * n + j]);
        }
        norm = fmax(norm, sum);
    }
    regular = regular && LAPACKE_dpotrf(LAPACK_ROW_MAJOR, 'L', order, A, order) == 0 &&
              LAPACKE_dpocon(LAPACK_ROW_MAJOR, 'L', order, A, order, norm, &reciprocal) == 0 && reciprocal > 1e-10 &&
              LAPACKE_dpotri(LAPACK_ROW_MAJOR, 'L', order, A, order) == 0;
    for (size_t i = 0; regular && i < n; i++)
        for (size_t j = 0; j <= i; j++) A[i * n + j] *= scale[i] * scale[j], A[j * n + i] = A[i * n + j];
    free(scale);
    if (regular) return A;
    free(A);
    return NULL;
}

MrnLcp *mrn_lcp_friction3(MrnProblem *problem, MrnError *error) {
    if (!mrn_lcp_friction_check(problem, error)) return NULL;
    mrn_problem_assemble(problem);
    size_t m = problem->contacts, n = 3 * m;
    if (m == 0) return mrn_lcp_new_dense(0);
    double *A = invert(problem);
    if (!A) {
        mrn_fail(error, MRN_ERROR_UNSUPPORTED,
                 "the form of three unknowns per contact needs a regular W; this one is singular");
        return NULL;
    }
    MrnLcp *lcp = mrn_lcp_new_dense(n);
    double *M = lcp->dense;
    for (size_t i = 0; i < m; i++) {
        double mu = problem->friction[i], f_n = 0, f_t = 0;
        const double *normal = A + i * 2 * m, *tangential = A + (m + i) * 2 * m;
        for (size_t k = 0; k < m; k++) {
            double q_n = problem->free_velocity[2 * k], q_t = problem->free_velocity[2 * k + 1];
            f_n += normal[k] * q_n + normal[m + k] * q_t;
            f_t += tangential[k] * q_n + tangential[m + k] * q_t;
            double NN = normal[k], NT = normal[m + k], TN = tangential[k], TT = tangential[m + k];
            double *row_n = M + i * n, *row_1 = M + (m + i) * n, *row_2 = M + (2 * m + i) * n;
            row_n[k] = NN, row_n[m + k] = -NT, row_n[2 * m + k] = NT;
            row_1[k] = -TN + mu * NN, row_1[m + k] = TT - mu * NT, row_1[2 * m + k] = -TT + mu * NT;
            row_2[k] = TN + mu * NN, row_2[m + k] = -TT - mu * NT, row_2[2 * m + k] = TT + mu * NT;
        }
        lcp->vector[i] = -f_n;
        lcp->vector[m + i] = f_t - mu * f_n;
        lcp->vector[2 * m + i] = -f_t - mu * f_n;
    }
    free(A);
    return lcp;
}

void mrn_lcp_friction3_impulse(const MrnProblem *problem, const double *w, double *impulse) {
    size_t m = problem->contacts;
    for (size_t i = 0; i < m; i++) {
        impulse[2 * i] = w[i];
        impulse[2 * i + 1] = 0.5 * (w[2 * m + i] - w[m + i]);
    }
}
