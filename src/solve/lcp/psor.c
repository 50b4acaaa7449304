// Projected successive over-relaxation (Cryer 1971): symmetric sweeps, down and up again, z_i = max(0, z_i - w w_i /
// M_ii). Converges for symmetric positive definite M and 0 < w < 2, and for H-matrices with w <= 1.
#include "solve/lcp/sweep.h"

static void solve(MrnLcpJob *job) {
    mrn_lcp_sweeps(job, MRN_SWEEP_BOTH_WAYS, job->settings->relaxation);
}

const MrnLcpSolverRow mrn_lcp_psor = {
    .entry = {"psor", "projected over-relaxation, sweeps down and up: large sparse problems, low accuracy (relaxation)",
              "positive diagonal; converges for symmetric positive definite M and for H-matrices"},
    .needs = MRN_LCP_NEEDS_POSITIVE_DIAGONAL,
    .solve = solve,
};
