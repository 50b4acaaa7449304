// FCLIB files: frictional contact problems in HDF5 (Acary, Bremond, Huber 2014), local and global form, with guesses
// and solutions.
#ifndef MRN_PROBLEM_FCLIB_H
#define MRN_PROBLEM_FCLIB_H

#include <moraine/solver.h>

/// Read a problem. Local form gives the assembled matrix; global form (M, H, G, f, w) the factored form where M is
/// block-diagonal by bodies, otherwise the reduced W = H^T M^-1 H. `guess` (may be NULL) receives the first guess of
/// the file, or zeros; free() it.
bool mrn_fclib_read(const char *path, MrnProblem **problem, double **guess, MrnError *error);
/// Read the impulses of the stored solution; false if the file has none. free() them.
bool mrn_fclib_read_solution(const char *path, const MrnProblem *problem, double **impulse, MrnError *error);

/// Write a problem in local form, in place of what `path` held. `guess` may be NULL. Laws other than Coulomb's go to a
/// group that other readers do not see.
bool mrn_fclib_write(const char *path, MrnProblem *problem, const double *guess, const char *title, MrnError *error);
/// The same in global form: unit mass, scaled Jacobians; needs the factored form.
bool mrn_fclib_write_global(const char *path, MrnProblem *problem, const double *guess, const char *title,
                            MrnError *error);
/// Write a solution into `path`. A file that is not there yet gets the problem too, so that it can be checked alone.
bool mrn_fclib_write_solution(const char *path, MrnProblem *problem, const double *impulse, const double *velocity,
                              MrnError *error);
#endif
