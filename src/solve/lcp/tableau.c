// The dictionary of a pivoting method with delayed updates. Pivot formulas: Cottle, Pang, Stone 1992, section 2.3.
#include "solve/lcp/tableau.h"
#include "solve/lcp/dense.h"

#include <string.h>

void mrn_tableau_take(MrnTableau *t, int size, MrnArena *arena) {
    size_t n = (size_t)size;
    *t = (MrnTableau){.size = size,
                      .columns = size + 1,
                      .stride = (size + 1 + 7) & ~7,
                      .together = size < 64    ? 8
                                  : size < 400 ? 16
                                               : MRN_TABLEAU_WAITING};
    t->base = mrn_arena_take(arena, n * (size_t)t->stride, sizeof *t->base);
    t->left = mrn_arena_take(arena, n * MRN_TABLEAU_WAITING, sizeof *t->left);
    t->right = mrn_arena_take(arena, (size_t)t->stride * MRN_TABLEAU_WAITING, sizeof *t->right);
    t->value = mrn_arena_take(arena, n, sizeof *t->value);
    t->basic = mrn_arena_take(arena, n, sizeof *t->basic);
    t->nonbasic = mrn_arena_take(arena, n + 1, sizeof *t->nonbasic);
    t->place = mrn_arena_take(arena, 2 * n + 1, sizeof *t->place);
    t->row = mrn_arena_take(arena, (size_t)t->stride, sizeof *t->row);
    t->column = mrn_arena_take(arena, n, sizeof *t->column);
    // Columns past the last are never read as numbers of the problem, but they go through the kernels.
    memset(t->base, 0, n * (size_t)t->stride * sizeof *t->base);
    memset(t->right, 0, (size_t)t->stride * MRN_TABLEAU_WAITING * sizeof *t->right);
    memset(t->row, 0, (size_t)t->stride * sizeof *t->row);
}

void mrn_tableau_start(MrnTableau *t, const double *matrix, const double *vector, const double *cover) {
    int n = t->size;
    for (int i = 0; i < n; i++) {
        double *row = t->base + (size_t)i * (size_t)t->stride;
        memcpy(row, matrix + (size_t)i * (size_t)n, (size_t)n * sizeof *row);
        row[n] = cover[i];
        t->value[i] = vector[i];
        t->basic[i] = i;
        t->nonbasic[i] = n + i;
        t->place[i] = i;
        t->place[n + i] = -1 - i;
    }
    t->nonbasic[n] = 2 * n;
    t->place[2 * n] = -1 - n;
    t->waiting = 0;
}

double mrn_tableau_entry(const MrnTableau *t, int row, int column) {
    double sum = t->base[(size_t)row * (size_t)t->stride + (size_t)column];
    const double *left = t->left + (size_t)row * MRN_TABLEAU_WAITING;
    for (int k = 0; k < t->waiting; k++) sum += left[k] * t->right[(size_t)k * (size_t)t->stride + (size_t)column];
    return sum;
}

void mrn_tableau_column(MrnTableau *t, int variable) {
    int c = -1 - t->place[variable];
    double right[MRN_TABLEAU_WAITING];
    for (int k = 0; k < t->waiting; k++) right[k] = t->right[(size_t)k * (size_t)t->stride + (size_t)c];
    for (int i = 0; i < t->size; i++) {
        double sum = t->base[(size_t)i * (size_t)t->stride + (size_t)c];
        const double *left = t->left + (size_t)i * MRN_TABLEAU_WAITING;
        for (int k = 0; k < t->waiting; k++) sum += left[k] * right[k];
        t->column[i] = sum;
    }
}

/// Apply what waits, tile by tile: a tile of base stays in the cache while all batches of eight go over it.
static void apply(MrnTableau *t) {
    enum { ROWS = 16, COLUMNS = 512 };
    size_t n = (size_t)t->size, stride = (size_t)t->stride;
    for (size_t j = 0; j < stride; j += COLUMNS)
        for (size_t i = 0; i < n; i += ROWS)
            for (size_t k = 0; k < (size_t)t->waiting; k += 8)
                mrn_dense_add_eight(t->base + i * stride + j, stride, t->left + i * MRN_TABLEAU_WAITING + k,
                                    MRN_TABLEAU_WAITING, t->right + k * stride + j, stride, n - i < ROWS ? n - i : ROWS,
                                    stride - j < COLUMNS ? stride - j : COLUMNS);
    t->waiting = 0;
}

int mrn_tableau_pivot(MrnTableau *t, int r, int variable) {
    size_t stride = (size_t)t->stride;
    int c = -1 - t->place[variable];
    double pivot = t->column[r], inverse = 1 / pivot;
    double *row = t->base + (size_t)r * stride, *left = t->left + (size_t)r * MRN_TABLEAU_WAITING;

    // Row r with everything that waits, then turned round: x_entering = (x_leaving - value - sum) / pivot.
    mrn_dense_add_rows(row, left, t->right, stride, (size_t)t->waiting, stride);
    for (int k = 0; k < t->waiting; k++) left[k] = 0;
    double *right = t->right + (size_t)t->waiting * stride;
    for (size_t j = 0; j < stride; j++) row[j] = -row[j] * inverse, right[j] = row[j];
    t->value[r] = -t->value[r] * inverse;

    // Column c is replaced outright, so what waits must not touch it.
    for (int k = 0; k <= t->waiting; k++) t->right[(size_t)k * stride + (size_t)c] = 0;
    double step = t->value[r];
    for (int i = 0; i < t->size; i++) {
        double entry = t->column[i];
        t->left[(size_t)i * MRN_TABLEAU_WAITING + (size_t)t->waiting] = entry;
        t->base[(size_t)i * stride + (size_t)c] = entry * inverse;
        if (i != r) t->value[i] += entry * step;
    }
    left[t->waiting] = 0;
    row[c] = inverse;

    int leaving = t->basic[r];
    t->basic[r] = variable;
    t->nonbasic[c] = leaving;
    t->place[variable] = r;
    t->place[leaving] = -1 - c;
    if (++t->waiting == t->together) apply(t);
    return leaving;
}
