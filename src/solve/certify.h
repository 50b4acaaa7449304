// Residuals of parts of a solution, for the stopping tests of solvers.
#ifndef MRN_SOLVE_CERTIFY_H
#define MRN_SOLVE_CERTIFY_H

#include "base/threads.h"
#include <moraine/solver.h>

/// Square of the natural map of contact i, its impulse multiplied by `scale`; `impulse` holds all contacts, `u` this
/// one's velocity.
double mrn_contact_residual2(const MrnProblem *problem, size_t i, double scale, const double *impulse, const double *u);
/// The residual of DESIGN 3 with p multiplied by `scale` (1: the certificate; mean diagonal of W: the stopping test).
/// `threads` may be NULL.
double mrn_residual(const MrnProblem *problem, double scale, const double *impulse, const double *velocity,
                    MrnThreads *threads);
/// mrn_certify on several threads, with the mean diagonal of W: the same bits.
void mrn_certify_on(const MrnProblem *problem, double scale, const double *impulse, const double *velocity,
                    MrnSolveInfo *info, MrnThreads *threads);
#endif
