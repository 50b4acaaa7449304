// The dictionary of a pivoting method: basic variables as affine functions of the nonbasic ones,
//     x_basic[i] = value[i] + sum_j T[i][j] x_nonbasic[j].
//
// Variables of an LCP of order n: w_i is i, z_i is n + i, the artificial variable z_0 is 2n. At the start w is basic
// and T = [M | cover]. Only the n + 1 nonbasic columns are kept: basic columns are unit vectors.
//
// Pivots are not applied at once. The last ones wait as T = base + left * right, and are applied together, which turns
// a memory-bound rank-one update into a compute-bound product. A column or a row of T costs O(n * waiting).
#ifndef MRN_SOLVE_LCP_TABLEAU_H
#define MRN_SOLVE_LCP_TABLEAU_H

#include "base/memory.h"
#include <stdbool.h>

enum { MRN_TABLEAU_WAITING = 32 }; ///< most pivots that wait; a multiple of 8

typedef struct MrnTableau {
    int size;       ///< n
    int columns;    ///< n + 1
    int stride;     ///< numbers per row of `base`, a multiple of 8
    int waiting;    ///< pivots not yet applied
    int together;   ///< how many are applied together: few in a small tableau, where rows and columns dominate
    double *base;   ///< n rows
    double *left;   ///< n rows of MRN_TABLEAU_WAITING
    double *right;  ///< MRN_TABLEAU_WAITING rows of `stride`
    double *value;  ///< n: the basic variables
    int *basic;     ///< n: variable of each row
    int *nonbasic;  ///< n + 1: variable of each column
    int *place;     ///< 2n + 1: row r of a basic variable as r, column c of a nonbasic one as -1 - c
    double *row;    ///< scratch, `stride`
    double *column; ///< n: the column of the last mrn_tableau_column
} MrnTableau;

/// Take the arrays from the arena.
void mrn_tableau_take(MrnTableau *t, int size, MrnArena *arena);
/// w basic, T = [matrix | cover], value = vector.
void mrn_tableau_start(MrnTableau *t, const double *matrix, const double *vector, const double *cover);
/// Write column `variable` (nonbasic) to t->column.
void mrn_tableau_column(MrnTableau *t, int variable);
/// One entry.
double mrn_tableau_entry(const MrnTableau *t, int row, int column);
/// `variable`, whose column is in t->column, enters at row r. The variable that leaves is returned.
int mrn_tableau_pivot(MrnTableau *t, int r, int variable);
#endif
