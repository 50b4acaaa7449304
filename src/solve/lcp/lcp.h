// The inside of the table of LCP solvers: a solver is one .c file with one row.
//
// A solver never sees the user's problem but a scaled copy: M' = S M S, q' = S q / 2^e with S_i the power of two
// nearest to D_i^(-1/2) and 2^e near the largest |S q|. Powers of two make the scaling exact. So diagonals lie in (1/2,
// 2], |q'| is near 1, and tolerances inside the solvers need no unit.
#ifndef MRN_SOLVE_LCP_LCP_H
#define MRN_SOLVE_LCP_LCP_H

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include <moraine/lcp.h>

/// One solve. Kernels take scratch from the arena.
typedef struct MrnLcpJob {
    const MrnLcp *lcp;      ///< scaled; dense if the row asks for it
    const double *diagonal; ///< D of the scaled problem
    double vector_norm;     ///< |D^(-1/2) q|, 1 if q = 0
    const MrnLcpSettings *settings;
    double *z;        ///< in: guess; out: the best point seen, finite
    double *ray;      ///< out: a candidate for mrn_lcp_is_infeasible, zeros if there is none
    MrnLcpInfo *info; ///< status, iterations, tries and search_direction are the solver's to fill
    MrnArena *arena;
    double deadline; ///< mrn_wall_seconds() at which to stop, INFINITY if there is no limit
} MrnLcpJob;

/// What a solver asks of a problem.
enum {
    MRN_LCP_NEEDS_DENSE = 1,
    MRN_LCP_NEEDS_SYMMETRIC = 2,
    MRN_LCP_NEEDS_POSITIVE_DIAGONAL = 4,
};

typedef struct MrnLcpSolverRow {
    MrnLcpSolverEntry entry;
    unsigned needs;
    size_t largest; ///< largest size, 0 = any
    void (*solve)(MrnLcpJob *job);
} MrnLcpSolverRow;

/// The certificate of z with w = M' z + q' already computed.
double mrn_lcp_job_residual(const MrnLcpJob *job, const double *z, const double *w);
/// y >= 0, M'y <= 0, q'y < 0 (mrn_lcp_is_infeasible) on the scaled problem; `work` holds `size` numbers.
bool mrn_lcp_job_proves(const MrnLcpJob *job, const double *y, double *work);
/// True once the deadline has passed.
static inline bool mrn_lcp_job_late(const MrnLcpJob *job) {
    return mrn_wall_seconds() >= job->deadline;
}
static inline int mrn_lcp_job_limit(const MrnLcpJob *job, int otherwise) {
    return job->settings->max_iterations ? job->settings->max_iterations : otherwise;
}

/// Solve M_AA x = -q_A on the scaled dense problem by LU with one step of refinement; `index` lists the `count` rows of
/// A, `x` receives the result. `work` holds count * (count + 8) numbers, `pivot` count. False if M_AA is singular or
/// the deadline has passed.
bool mrn_lcp_solve_subset(const MrnLcpJob *job, const int *index, size_t count, double *x, double *work, int *pivot);

extern const MrnLcpSolverRow mrn_lcp_lemke;          ///< lemke.c
extern const MrnLcpSolverRow mrn_lcp_psor;           ///< psor.c
extern const MrnLcpSolverRow mrn_lcp_gsnl;           ///< gsnl.c
extern const MrnLcpSolverRow mrn_lcp_gcp;            ///< gcp.c
extern const MrnLcpSolverRow mrn_lcp_latin;          ///< latin.c
extern const MrnLcpSolverRow mrn_lcp_active_set;     ///< active_set.c
extern const MrnLcpSolverRow mrn_lcp_newton_min;     ///< newton_min.c
extern const MrnLcpSolverRow mrn_lcp_newton_fischer; ///< newton_fischer.c
extern const MrnLcpSolverRow mrn_lcp_enumeration;    ///< enumeration.c
#endif
