/*
 * lookup.h - bins between given edges, found by a table and a short bisection.
 *
 * The range of the edges is cut in cells of equal width. Which cell a number is in is calculated
 * in a way that never decreases as numbers grow. So edges in cells before that of a number are less
 * than it, and edges in cells behind are greater, however results are rounded: only those in the
 * same cell are compared with it.
 *
 * Threads: made once per call, then only read.
 */
#ifndef COMPUTE_HISTOGRAM_LOOKUP_H
#define COMPUTE_HISTOGRAM_LOOKUP_H

#include "compute/histogram/bins.h"
#include "compute/histogram/kernels.h"

struct lookup {
    struct calculation calculation; // of cells
    calculate_fn *doubles, *keys;
    int32_t *before; // of each cell, and one more: the bin of a number less than the edges in it,
                     // -1 below all
    bool single; // the edges in a cell are all equal
    int32_t room; // a power of 2, more than a cell has edges
};

// false: no memory, or edges for which there is no such table; bins are to be found by bisection.
bool lookup_init(struct lookup *l, const struct bins *b);
void lookup_finish(struct lookup *l);

// The bins of n numbers; what is returned is as that of a kernel (kernels.h).
int lookup_bins(const struct lookup *l, const struct bins *b, const double *x, int64_t n,
                int32_t *bin);
int lookup_bins_of_keys(const struct lookup *l, const struct bins *b, const uint64_t *keys,
                        int64_t n, int32_t *bin);

#endif
