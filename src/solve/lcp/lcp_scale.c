// The scale of an LCP: D of the certificate (moraine/lcp.h), symmetry, and what makes a matrix unusable.
#include "solve/lcp/lcp_scale.h"

#include <float.h>
#include <math.h>

double mrn_lcp_entry(const MrnLcp *lcp, size_t i, size_t j) {
    if (lcp->dense) return lcp->dense[i * lcp->size + j];
    size_t low = lcp->start[i], high = lcp->start[i + 1];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if ((size_t)lcp->column[middle] < j)
            low = middle + 1;
        else
            high = middle;
    }
    return low < lcp->start[i + 1] && (size_t)lcp->column[low] == j ? lcp->value[low] : 0;
}

/// The stored entries of a row; column NULL: all of them in order.
typedef struct Row {
    const double *value;
    const int *column;
    size_t count;
} Row;

static Row row_of(const MrnLcp *lcp, size_t i) {
    if (lcp->dense) return (Row){lcp->dense + i * lcp->size, NULL, lcp->size};
    return (Row){lcp->value + lcp->start[i], lcp->column + lcp->start[i], lcp->start[i + 1] - lcp->start[i]};
}

void mrn_lcp_diagonal(const MrnLcp *lcp, double *diagonal) {
    for (size_t i = 0; i < lcp->size; i++) {
        Row row = row_of(lcp, i);
        double own = mrn_lcp_entry(lcp, i, i), schur = 0, largest = 0;
        for (size_t e = 0; e < row.count; e++) largest = fabs(row.value[e]) > largest ? fabs(row.value[e]) : largest;
        // A diagonal that is clearly there needs no look at the others: |M_ik M_ki| / M_kk matters only where M_ii
        // vanishes.
        for (size_t e = 0; own <= 1e-8 * largest && e < row.count; e++) {
            size_t j = row.column ? (size_t)row.column[e] : e;
            if (j == i || row.value[e] == 0) continue;
            double other = mrn_lcp_entry(lcp, j, j);
            if (other > 0) schur = fmax(schur, fabs(row.value[e]) / other * fabs(mrn_lcp_entry(lcp, j, i)));
        }
        if (own <= 1e-12 * schur) own = fmax(fabs(own), schur);
        double scale = own != 0 ? fabs(own) : largest > 0 ? largest : 1;
        // Keep clear of overflow when the scale is squared or divided by.
        diagonal[i] = fmin(fmax(scale, DBL_MIN * 0x1p100), DBL_MAX * 0x1p-100);
    }
}

bool mrn_lcp_is_symmetric(const MrnLcp *lcp, const double *diagonal) {
    for (size_t i = 0; i < lcp->size; i++) {
        Row row = row_of(lcp, i);
        for (size_t e = 0; e < row.count; e++) {
            size_t j = row.column ? (size_t)row.column[e] : e;
            // Compressed rows may store one of the pair only, so both triangles count; dense ones need one.
            if (lcp->dense && j >= i) break;
            double other = mrn_lcp_entry(lcp, j, i);
            if (fabs(row.value[e] - other) > 1e-12 * sqrt(diagonal[i]) * sqrt(diagonal[j])) return false;
        }
    }
    return true;
}

const char *mrn_lcp_fault(const MrnLcp *lcp) {
    size_t n = lcp->size;
    if (n && !lcp->dense && !lcp->start) return "no matrix";
    for (size_t i = 0; i < n; i++)
        if (!isfinite(lcp->vector[i])) return "q is not finite";
    if (lcp->dense) {
        for (size_t k = 0; k < n * n; k++)
            if (!isfinite(lcp->dense[k])) return "M is not finite";
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        if (lcp->start[i + 1] < lcp->start[i]) return "row positions descend";
        for (size_t e = lcp->start[i]; e < lcp->start[i + 1]; e++) {
            if (lcp->column[e] < 0 || (size_t)lcp->column[e] >= n) return "a column is out of range";
            if (e > lcp->start[i] && lcp->column[e] <= lcp->column[e - 1]) return "columns do not ascend in a row";
            if (!isfinite(lcp->value[e])) return "M is not finite";
        }
    }
    return NULL;
}
