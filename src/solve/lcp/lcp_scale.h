// The scale of an LCP: D of the certificate (moraine/lcp.h) and checks on M.
#ifndef MRN_SOLVE_LCP_SCALE_H
#define MRN_SOLVE_LCP_SCALE_H

#include <moraine/lcp.h>

/// M_ij by search: O(1) dense, O(log) compressed.
double mrn_lcp_entry(const MrnLcp *lcp, size_t i, size_t j);
/// D, `size` numbers, all positive and finite.
void mrn_lcp_diagonal(const MrnLcp *lcp, double *diagonal);
/// |M_ij - M_ji| <= 1e-12 sqrt(D_i D_j) everywhere.
bool mrn_lcp_is_symmetric(const MrnLcp *lcp, const double *diagonal);
/// A reason why the arrays make no problem (NaN, columns out of order), or NULL.
const char *mrn_lcp_fault(const MrnLcp *lcp);
#endif
