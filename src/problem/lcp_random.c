// Linear complementarity problems of known kind: random P and positive semi-definite matrices, and the hard cases of
// Murty (1978) and Fathi (1979).
#include "base/memory.h"
#include "base/random.h"
#include <moraine/lcp.h>

#include <math.h>
#include <stdlib.h>

/// M += A'A / n with A rows x n, uniform in (-1, 1).
static void add_gram(MrnLcp *lcp, size_t rows, uint64_t seed) {
    size_t n = lcp->size;
    double *row = mrn_alloc(n, sizeof *row);
    for (size_t k = 0; k < rows; k++) {
        for (size_t j = 0; j < n; j++) row[j] = mrn_random_between(seed, k, j, -1, 1);
        for (size_t i = 0; i < n; i++) {
            double x = row[i] / (double)n;
            for (size_t j = 0; j < n; j++) lcp->dense[i * n + j] += x * row[j];
        }
    }
    free(row);
}

MrnLcp *mrn_lcp_random_p(size_t size, uint64_t seed) {
    MrnLcp *lcp = mrn_lcp_new_dense(size);
    size_t n = size;
    add_gram(lcp, n, seed);
    for (size_t i = 0; i < n; i++) {
        lcp->dense[i * n + i] += 1;
        lcp->vector[i] = mrn_random_between(seed, n, i, -1, 1);
        for (size_t j = 0; j < i; j++) {
            // A skew part of any size leaves the matrix positive definite; an upper part below 1/n of the shift does
            // too.
            double skew = mrn_random_between(seed, n + 1 + i, j, -0.5, 0.5);
            lcp->dense[i * n + j] += skew;
            lcp->dense[j * n + i] += mrn_random_between(seed, 2 * n + 1 + i, j, -0.5, 0.5) / (double)n - skew;
        }
    }
    return lcp;
}

MrnLcp *mrn_lcp_random_psd(size_t size, size_t rank, double shift, uint64_t seed, double *z, double *w) {
    MrnLcp *lcp = mrn_lcp_new_dense(size);
    size_t n = size;
    double *pair = mrn_alloc_zero(n, sizeof *pair), *slack = mrn_alloc_zero(n, sizeof *slack);
    add_gram(lcp, rank, seed);
    for (size_t i = 0; i < n; i++) {
        lcp->dense[i * n + i] += shift;
        double x = mrn_random_between(seed, rank, i, -1, 1);
        if (x > 0)
            pair[i] = x;
        else
            lcp->vector[i] = -x;
    }
    mrn_lcp_slack(lcp, pair, slack);
    for (size_t i = 0; i < n; i++) {
        double wanted = lcp->vector[i];
        lcp->vector[i] = 2 * wanted - slack[i]; // q = w - M z; slack is M z + w
        if (z) z[i] = pair[i];
        if (w) w[i] = wanted;
    }
    free(pair);
    free(slack);
    return lcp;
}

MrnLcp *mrn_lcp_murty(size_t size) {
    MrnLcp *lcp = mrn_lcp_new_dense(size);
    for (size_t i = 0; i < size; i++) {
        for (size_t j = 0; j < i; j++) lcp->dense[i * size + j] = 2;
        lcp->dense[i * size + i] = 1;
        lcp->vector[i] = -1;
    }
    return lcp;
}

MrnLcp *mrn_lcp_fathi(size_t size) {
    MrnLcp *lcp = mrn_lcp_new_dense(size);
    for (size_t i = 0; i < size; i++) {
        lcp->vector[i] = -1;
        for (size_t j = 0; j < size; j++) {
            // Row i of L times row j of L: 4 for each column before both diagonals, 2 on the diagonal of the shorter, 1
            // on a common one.
            size_t shorter = i < j ? i : j;
            lcp->dense[i * size + j] = 4.0 * (double)shorter + (i == j ? 1 : 2);
        }
    }
    return lcp;
}
