// From scalar sparse matrices to the block forms of a one-step problem.
#ifndef MRN_PROBLEM_REDUCE_H
#define MRN_PROBLEM_REDUCE_H

#include <moraine/solver.h>

/// A sparse matrix by its entries, in any order; equal places add up.
typedef struct MrnTriplets {
    size_t rows, columns, count;
    int *row, *column;
    double *value;
} MrnTriplets;
void mrn_triplets_free(MrnTriplets *matrix);

/// M v = H r + G l + f, G^T v + b = 0, u = H^T v + w. G is empty (count 0, columns 0) where there are no bilateral
/// constraints.
typedef struct MrnGlobalProblem {
    int dimension;
    size_t contacts;
    MrnTriplets M, H, G;
    double *f, *w, *b;
    const double *friction;
} MrnGlobalProblem;

/// Blocks of dimension x dimension; a block is kept when any of its entries is there, and every diagonal block is.
MrnBlockMatrix *mrn_blocks_from_triplets(const MrnTriplets *matrix, int dimension, size_t contacts);
/// W -= V R^-1 V^T, q -= V R^-1 s.
bool mrn_eliminate_multipliers(MrnTriplets *W, double *q, const MrnTriplets *V, const MrnTriplets *R, const double *s,
                               const char *path, MrnError *error);
/// The one-step problem of a global one; NULL with an error where M is singular.
MrnProblem *mrn_reduce_global(const MrnGlobalProblem *global, const char *path, MrnError *error);
#endif
