// The inside of one-step problems: parts of the operator W = H~ H~^T, and block-sparse matrices.
#ifndef MRN_PROBLEM_PROBLEM_H
#define MRN_PROBLEM_PROBLEM_H

#include "base/memory.h"
#include "base/threads.h"
#include <moraine/solver.h>

/// A matrix with room for `blocks` blocks; `start` is zero, the rest uninitialised.
MrnBlockMatrix *mrn_block_matrix_new(size_t rows, int block, size_t blocks);
void mrn_block_matrix_free(MrnBlockMatrix *matrix);
/// y = add + matrix x; `add` may be NULL.
void mrn_block_matrix_times(const MrnBlockMatrix *matrix, const double *x, const double *add, double *y);

/// The sides of contacts (2 contact + side) that each body with mass takes part in, ascending.
typedef struct MrnBodyContacts {
    size_t *start; ///< body_count + 1
    int *side;
} MrnBodyContacts;
MrnBodyContacts mrn_body_contacts(const MrnProblem *problem);
void mrn_body_contacts_free(MrnBodyContacts *list);

/// H~ of one side of a contact (2 contact + side), dimension x dof, of a body with mass: where it is stored, or in
/// `buffer` (18 numbers).
const double *mrn_problem_rows(const MrnProblem *problem, size_t side, double *buffer);
/// Frame of a contact in the round form: rows n, t1(, t2), dimension x dimension. With it, impulses in space are
/// frame^T p.
void mrn_problem_frame(const MrnProblem *problem, size_t contact, double *frame);

/// Scaled velocities of the bodies, v~ = H~^T p (factored form only); dof numbers per body. `threads` may be NULL.
void mrn_problem_body_velocity(const MrnProblem *problem, const double *impulse, double *body_velocity,
                               MrnThreads *threads);
/// u = H~ v~ + add (factored form only); `add` may be NULL.
void mrn_problem_contact_velocity(const MrnProblem *problem, const double *body_velocity, const double *add,
                                  double *velocity, MrnThreads *threads);
/// u = W p + q on several threads: the same bits as mrn_problem_velocity. Scratch comes from the arena and goes back.
void mrn_problem_velocity_on(const MrnProblem *problem, const double *impulse, double *velocity, MrnThreads *threads,
                             MrnArena *arena);

/// Diagonal block of W, dimension x dimension, row-major.
void mrn_problem_diagonal(const MrnProblem *problem, size_t contact, double *block);
/// Mean of the diagonal of W over all components; 0 for an empty problem.
double mrn_problem_mean_diagonal(const MrnProblem *problem, MrnThreads *threads);
#endif
