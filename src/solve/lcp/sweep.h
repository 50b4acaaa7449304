// Relaxation sweeps over the rows of an LCP, and the loop with its stopping tests.
#ifndef MRN_SOLVE_LCP_SWEEP_H
#define MRN_SOLVE_LCP_SWEEP_H

#include "solve/lcp/lcp.h"

/// How the rows are visited.
typedef enum MrnSweepOrder { MRN_SWEEP_FORWARD, MRN_SWEEP_BOTH_WAYS } MrnSweepOrder;

/// Sweep z_i = max(0, z_i - relaxation w_i / M_ii) until the residual is below the tolerance, progress ends, or a limit
/// is met.
void mrn_lcp_sweeps(MrnLcpJob *job, MrnSweepOrder order, double relaxation);
#endif
