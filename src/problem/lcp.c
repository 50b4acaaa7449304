// Storage of a linear complementarity problem: dense rows or compressed rows, and the product w = M z + q.
#include "base/memory.h"
#include <moraine/lcp.h>

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

static MrnLcp *new_lcp(size_t size) {
    assert(size <= INT_MAX);
    MrnLcp *lcp = mrn_alloc_zero(1, sizeof *lcp);
    lcp->size = size;
    lcp->vector = mrn_alloc_zero(size + 1, sizeof *lcp->vector);
    return lcp;
}

MrnLcp *mrn_lcp_new_dense(size_t size) {
    MrnLcp *lcp = new_lcp(size);
    lcp->dense = mrn_alloc_zero(size * size + 1, sizeof *lcp->dense);
    return lcp;
}

MrnLcp *mrn_lcp_new_sparse(size_t size, size_t entries) {
    MrnLcp *lcp = new_lcp(size);
    lcp->start = mrn_alloc_zero(size + 1, sizeof *lcp->start);
    lcp->column = mrn_alloc_zero(entries + 1, sizeof *lcp->column);
    lcp->value = mrn_alloc_zero(entries + 1, sizeof *lcp->value);
    return lcp;
}

void mrn_lcp_free(MrnLcp *lcp) {
    if (!lcp) return;
    free(lcp->dense);
    free(lcp->start);
    free(lcp->column);
    free(lcp->value);
    free(lcp->vector);
    free(lcp);
}

void mrn_lcp_slack(const MrnLcp *lcp, const double *z, double *w) {
    size_t n = lcp->size;
    for (size_t i = 0; i < n; i++) {
        double sum = lcp->vector[i];
        if (lcp->dense) {
            const double *row = lcp->dense + i * n;
            double part[8] = {0, 0, 0, 0, 0, 0, 0, 0}; // a fixed order that vectorises
            size_t j = 0;
            for (; j + 8 <= n; j += 8)
                for (size_t k = 0; k < 8; k++) part[k] += row[j + k] * z[j + k];
            for (; j < n; j++) part[0] += row[j] * z[j];
            sum += ((part[0] + part[1]) + (part[2] + part[3])) + ((part[4] + part[5]) + (part[6] + part[7]));
        } else {
            for (size_t e = lcp->start[i]; e < lcp->start[i + 1]; e++) sum += lcp->value[e] * z[lcp->column[e]];
        }
        w[i] = sum;
    }
}

MrnLcp *mrn_lcp_to_dense(const MrnLcp *lcp) {
    size_t n = lcp->size;
    MrnLcp *copy = mrn_lcp_new_dense(n);
    memcpy(copy->vector, lcp->vector, n * sizeof *copy->vector);
    if (lcp->dense)
        memcpy(copy->dense, lcp->dense, n * n * sizeof *copy->dense);
    else
        for (size_t i = 0; i < n; i++)
            for (size_t e = lcp->start[i]; e < lcp->start[i + 1]; e++)
                copy->dense[i * n + (size_t)lcp->column[e]] = lcp->value[e];
    return copy;
}

MrnLcp *mrn_lcp_to_sparse(const MrnLcp *lcp) {
    size_t n = lcp->size, entries = 0;
    if (lcp->dense) {
        for (size_t k = 0; k < n * n; k++) entries += lcp->dense[k] != 0;
    } else {
        for (size_t e = 0; e < lcp->start[n]; e++) entries += lcp->value[e] != 0;
    }
    MrnLcp *copy = mrn_lcp_new_sparse(n, entries);
    memcpy(copy->vector, lcp->vector, n * sizeof *copy->vector);
    size_t next = 0;
    for (size_t i = 0; i < n; i++) {
        size_t begin = lcp->dense ? 0 : lcp->start[i], end = lcp->dense ? n : lcp->start[i + 1];
        for (size_t e = begin; e < end; e++) {
            double value = lcp->dense ? lcp->dense[i * n + e] : lcp->value[e];
            if (value == 0) continue;
            copy->column[next] = lcp->dense ? (int)e : lcp->column[e];
            copy->value[next++] = value;
        }
        copy->start[i + 1] = next;
    }
    return copy;
}
