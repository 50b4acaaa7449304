// LCP forms of a part of a contact problem.
#ifndef MRN_PROBLEM_LCP_FRICTION_H
#define MRN_PROBLEM_LCP_FRICTION_H

#include <moraine/lcp.h>

/// True if the problem is 2D with Coulomb's law at every contact; else false with `error`.
bool mrn_lcp_friction_check(const MrnProblem *problem, MrnError *error);
/// The form of mrn_lcp_friction4 for `count` contacts, listed ascending in `contact`, that touch no other. `place[c]`
/// is the position of contact c in the list. The problem must be assembled.
MrnLcp *mrn_lcp_friction4_part(const MrnProblem *problem, const int *contact, size_t count, const int *place);
#endif
