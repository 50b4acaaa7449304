// Linear complementarity problems and their solvers.
//
// The problem: given M (dense or compressed rows) and q, find z >= 0 with w = M z + q >= 0 and z'w = 0.
//
// The certificate. Let D_i > 0 be the scale of the diagonal: M_ii where it is positive; else the larger of |M_ii| and
// the largest |M_ik M_ki| / M_kk (what a pivot on k would leave there, so it has the unit of M_ii); else the largest
// |M_ij| of the row; else 1. The residual is
//     | D^(-1/2) min(D z, w) |_2 / | D^(-1/2) q |_2      (divided by 1 if q = 0),
// the natural residual of the problem after the scaling M -> D^(-1/2) M D^(-1/2). It does not change when M or q change
// unit, nor under z -> S^-1 z, w -> S w with a positive diagonal S; rows of different unit (velocities and impulses in
// the friction forms) may be added. It is computed from z alone, afresh, at the end of every solve; a negative z_i
// counts like a negative w_i.
#ifndef MORAINE_LCP_H
#define MORAINE_LCP_H

#include <moraine/error.h>
#include <moraine/solver.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// The problem. Either `dense` or the compressed rows are there, never both. Arrays belong to the problem; see
/// mrn_lcp_free.
typedef struct MrnLcp {
    size_t size;    ///< number of unknowns
    double *dense;  ///< M, row-major, size * size, or NULL
    size_t *start;  ///< compressed rows: size + 1 positions, or NULL
    int *column;    ///< column of each entry, ascending in a row
    double *value;  ///< value of each entry
    double *vector; ///< q
} MrnLcp;

MrnLcp *mrn_lcp_new_dense(size_t size);                  ///< M and q are zero
MrnLcp *mrn_lcp_new_sparse(size_t size, size_t entries); ///< room for `entries`; the rows are empty
void mrn_lcp_free(MrnLcp *lcp);                          ///< NULL is allowed
/// w = M z + q.
void mrn_lcp_slack(const MrnLcp *lcp, const double *z, double *w);
/// The same problem in the other storage; entries that are exactly zero are not stored. The caller frees the result.
MrnLcp *mrn_lcp_to_dense(const MrnLcp *lcp);
MrnLcp *mrn_lcp_to_sparse(const MrnLcp *lcp);

/// Settings. Start from mrn_lcp_defaults(). A field that a solver does not name in its summary is ignored by it.
typedef struct MrnLcpSettings {
    const char *solver;      ///< a name from the table, default "lemke"
    double tolerance;        ///< on the residual, > 0, default 1e-8
    int max_iterations;      ///< pivots, sweeps or Newton steps; 0 = the solver's own choice, default 0
    double time_limit;       ///< s of wall time, 0 = none, default 0
    double relaxation;       ///< psor and latin: 0 < w < 2 (psor), 0 < w <= 1 (latin), default 1
    double search_direction; ///< latin: k as a multiple of the diagonal of M, 0 = automatic, default 0
    int perturbations; ///< lemke: rounds with slightly changed coefficients after the plain tries, >= 0, default 20
    size_t perturbed;  ///< lemke: changes are in the first `perturbed` rows and columns of M, 0 = in all, default 0
    int variants;      ///< lemke: how many of its three variants are tried in a round, 1 to 3, default 3
    uint64_t seed;     ///< of those changes, default 1
} MrnLcpSettings;

MrnLcpSettings mrn_lcp_defaults(void);

/// Where the result goes: arrays of the caller, `size` numbers each.
typedef struct MrnLcpSolution {
    double *z; ///< in: guess (finite; zeros if there is none), out: z
    double *w; ///< out: M z + q; may be NULL
} MrnLcpSolution;

/// How it went.
typedef struct MrnLcpInfo {
    MrnSolveStatus
        status;        ///< MRN_INFEASIBLE only with a proof, see mrn_lcp_is_infeasible, or after a complete enumeration
    int iterations;    ///< pivots, sweeps or Newton steps, over all tries
    int tries;         ///< lemke: tries used; 1 otherwise
    double residual;   ///< the certificate, see the head of this file
    double error_sum;  ///< |sum of negative z| + |sum of negative w| + |z'w|, in the units of M and q
    double smallest_z; ///< min z_i; 0 if there are none
    double smallest_w; ///< min w_i; 0 if there are none
    double search_direction; ///< latin: the k used last, as a multiple of the diagonal of M; 0 otherwise
    double seconds;          ///< wall time
} MrnLcpInfo;

/// Solve. Returns false with `error` when there is no such solver, a setting is out of range, or the solver cannot take
/// this kind of problem (`error` says why); otherwise true, and `info` says how well it went. `z` is always finite, and
/// the best point that was seen.
bool mrn_lcp_solve(const MrnLcp *lcp, const MrnLcpSettings *settings, MrnLcpSolution *solution, MrnLcpInfo *info,
                   MrnError *error);

/// The certificate of any z, and the other measures of MrnLcpInfo that depend on z alone.
void mrn_lcp_certify(const MrnLcp *lcp, const double *z, MrnLcpInfo *info);
/// True if y proves that no z >= 0 gives M z + q >= 0: y >= 0, M'y <= 0 and q'y < 0 (after the scaling of the
/// certificate, M'y may exceed 0 by 1e-10 of |q'y| / |q|: then a solution, if there were one, would be larger than 1e10
/// |q|).
bool mrn_lcp_is_infeasible(const MrnLcp *lcp, const double *y);

/// One row of the table of solvers.
typedef struct MrnLcpSolverEntry {
    const char *name;
    const char *summary;  ///< one line: what it is, when to use it, which settings it reads
    const char *problems; ///< what it can solve
} MrnLcpSolverEntry;

size_t mrn_lcp_solver_count(void);
const MrnLcpSolverEntry *mrn_lcp_solver_at(size_t index);

// ---- Problems of known kind. The caller frees them with mrn_lcp_free. ----

/// A = S + K + B with S symmetric positive definite, K skew and B strictly upper triangular small: a non-symmetric
/// P-matrix (positive definite), q uniform in (-1, 1).
MrnLcp *mrn_lcp_random_p(size_t size, uint64_t seed);
/// A'A / size + shift I with A of `rank` rows, uniform in (-1, 1): symmetric, positive definite if rank >= size or
/// shift > 0; q is made from a complementary pair, so a solution exists. The pair is written to z and w where they are
/// not NULL.
MrnLcp *mrn_lcp_random_psd(size_t size, size_t rank, double shift, uint64_t seed, double *z, double *w);
/// Murty's hard case: lower triangular, 1 on the diagonal and 2 below, q = -1; z = (1, 0, ..., 0). The exchange of
/// single rows and one path of Lemke with d = 1 take 2^size steps. Fathi's is its symmetric positive definite relative
/// M = L L', with the same solution, hard for exchanges of rows.
MrnLcp *mrn_lcp_murty(size_t size);
MrnLcp *mrn_lcp_fathi(size_t size);

/// Normal impulses alone: 0 <= W_nn p_n + q_n _|_ p_n >= 0, compressed rows; friction is ignored. NULL with `error` if
/// a law is not Coulomb.
MrnLcp *mrn_lcp_frictionless(MrnProblem *problem, MrnError *error);
void mrn_lcp_frictionless_impulse(const MrnProblem *problem, const double *z, double *impulse);

/// 2D Coulomb friction, four unknowns per contact (Stewart and Trinkle 1996; Rabatel 2015): z = (lambda, (beta+,
/// beta-)_j, alpha), w = (u_n, gamma, sigma). The matrix is copositive, and a solution exists for every q in the range
/// of the Jacobian. NULL with `error` if the problem is not 2D or a law is not Coulomb.
MrnLcp *mrn_lcp_friction4(MrnProblem *problem, MrnError *error);
void mrn_lcp_friction4_impulse(const MrnProblem *problem, const double *z, double *impulse);

/// 2D Coulomb friction, three unknowns per contact (Nineb 2007, section 3.1): z = (u_n, b1, b2), w = (p_n, a1, a2) with
/// A = W^-1 and f = A q. NULL with `error` if the problem is not 2D, a law is not Coulomb, or W is singular.
MrnLcp *mrn_lcp_friction3(MrnProblem *problem, MrnError *error);
/// The impulses are in w: p_n = w_N, p_t = (a2 - a1) / 2.
void mrn_lcp_friction3_impulse(const MrnProblem *problem, const double *w, double *impulse);

#ifdef __cplusplus
}
#endif
#endif
