// Sparse LU factors of a matrix of small square blocks with a symmetric pattern.
#ifndef MRN_SOLVE_BLOCK_LU_H
#define MRN_SOLVE_BLOCK_LU_H

#include <stdbool.h>
#include <stddef.h>

/// Blocks are block x block numbers with block = 2 or 3; inside, rows are padded to `stride` numbers so that a row is
/// one vector.
typedef struct MrnBlockLu {
    int block, stride; ///< 2, 2 or 3, 4
    size_t rows;
    int *order;          ///< order[k]: the original row that is eliminated k-th
    int *place;          ///< inverse of order
    int *descent;        ///< rows from the roots of the elimination tree downwards, level by level
    size_t *lower_start; ///< rows + 1: L by rows, columns ascend
    int *lower_column;
    size_t *upper_start; ///< rows + 1: U by rows without the diagonal, columns ascend
    int *upper_column;
    double *lower, *upper, *diagonal; ///< values; the diagonal is stored inverted
    double *row;                      ///< one scattered row, or the vector that is being solved for
    double operations;                ///< block products of a factorisation
    int sign;                         ///< of the determinant, after factoring
    bool dissect;                     ///< nested dissection is worth trying: many factorisations follow
    size_t row_capacity, entry_capacity, value_capacity;
    int *scratch;
} MrnBlockLu;

void mrn_block_lu_init(MrnBlockLu *lu);
void mrn_block_lu_free(MrnBlockLu *lu);

/// Order the rows (as given, or by approximate minimum degree or nested dissection) and find the pattern of the
/// factors. The pattern (start, column) must be symmetric and hold the diagonal. Gives up and returns false, leaving
/// nothing to factor, when a factorisation would take more than `limit` block products.
int mrn_block_lu_analyse(MrnBlockLu *lu, size_t rows, int block, const size_t *start, const int *column,
                         const int *order, double limit);
/// Factor; `value` holds the blocks of the analysed pattern, row-major, block * block numbers each. Small pivots are
/// raised to `floor`.
void mrn_block_lu_factor(MrnBlockLu *lu, const size_t *start, const int *column, const double *value, double floor);
/// x = A^-1 x, block * rows numbers.
void mrn_block_lu_solve(MrnBlockLu *lu, double *x);
/// x = A^-1 b, where b is `right` in the rows of this block and zero elsewhere.
void mrn_block_lu_solve_block(MrnBlockLu *lu, size_t block, const double *right, double *x);

/// The same for a symmetric matrix, of which only the blocks on and above the diagonal of the elimination order are
/// read: half the work.
void mrn_block_lu_factor_symmetric(MrnBlockLu *lu, const size_t *start, const int *column, const double *value,
                                   double floor);
void mrn_block_lu_solve_symmetric(MrnBlockLu *lu, double *x);
#endif
