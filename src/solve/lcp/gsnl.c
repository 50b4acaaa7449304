// Nonlinear Gauss-Seidel (Nineb 2007, eq. 2.24): row by row, the others frozen at their newest values, the scalar
// problem w_i - max(0, w_i - rho z_i) = 0 is solved exactly; its solution z_i = max(0, -s_i / M_ii) does not depend on
// rho.
#include "solve/lcp/sweep.h"

static void solve(MrnLcpJob *job) {
    mrn_lcp_sweeps(job, MRN_SWEEP_FORWARD, 1);
}

const MrnLcpSolverRow mrn_lcp_gsnl = {
    .entry = {"gsnl", "nonlinear Gauss-Seidel of Nineb: robust on semi-definite and mildly non-symmetric problems",
              "positive diagonal; converges for symmetric positive semi-definite M with a solution"},
    .needs = MRN_LCP_NEEDS_POSITIVE_DIAGONAL,
    .solve = solve,
};
