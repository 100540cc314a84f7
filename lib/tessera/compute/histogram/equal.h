/*
 * equal.h - bins of equal width, found by calculating, for all numbers of a type.
 *
 * Threads: made once per call, then only read.
 */
#ifndef COMPUTE_HISTOGRAM_EQUAL_H
#define COMPUTE_HISTOGRAM_EQUAL_H

#include "compute/histogram/bins.h"
#include "compute/histogram/kernels.h"

struct equal {
    struct calculation calculation;
    calculate_fn *doubles, *keys; // of items made doubles, or keys
    calculate_fn *items; // NULL: they must be made numbers first
};

// For numbers of 4 or 8 bytes; turned: not in the byte order of the machine. false: the bins are to
// be found otherwise.
bool equal_init(struct equal *e, const struct bins *b, const tess_dtype *dtype, bool turned);

#endif
