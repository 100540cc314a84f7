/*
 * bins.h - edges, made into what items are compared with.
 *
 * Items are numbers of one of two kinds: doubles, which all but integers of 8 bytes fit in; or
 * keys, which are the latter as unsigned integers in the same order. An edge becomes the least
 * number of the kind that is not less than it, and the last one, as the upper end, also the
 * greatest that is not greater: so that comparing items with these is exact, whatever kinds the
 * edges have.
 *
 * A *slot* is where an item is counted: 0 below the first edge, 1 + i in bin i, then one for items
 * above, one for NaNs.
 *
 * Threads: made once per call, then only read.
 */
#ifndef COMPUTE_HISTOGRAM_BINS_H
#define COMPUTE_HISTOGRAM_BINS_H

#include "base/error.h"

#include <tessera/histogram.h>

#include <stdbool.h>
#include <stdint.h>

enum { BINS_SLOTS = 3 }; // besides the bins

struct bins {
    int64_t n;
    bool whole, is_signed; // keys
    int64_t nlow; // lower edges that a number of the kind may reach: the first ones
    int32_t padded; // a power of 2, more than n
    double *low; // 2 `padded`: lower edges, those behind the last one infinite; doubles
    uint64_t *low_key; // the same of keys, those behind the last one the greatest
    double top; // the upper end
    uint64_t top_key;
    bool any_top; // keys: some are not above it
    // Where bins have the same width, a number is in bin (x - lo) * scale, or in one beside it.
    bool equal;
    double lo, scale;
};

// whole: items are integers of 8 bytes. On failure nothing is left.
tess_status bins_init(struct bins *b, const tess_bins *given, bool whole, bool is_signed,
                      tess_error *err);
// For doubles that are all integers: lower edges that differ only in between become equal.
void bins_round(struct bins *b);
void bins_finish(struct bins *b);

static inline uint64_t
bins_key(const struct bins *b, uint64_t bits)
{
    return b->is_signed ? bits ^ (UINT64_C(1) << 63) : bits;
}

// The slots of n numbers, by bisection.
void bins_slots(const struct bins *b, const double *x, int64_t n, int32_t *slots);
void bins_slots_of_keys(const struct bins *b, const uint64_t *keys, int64_t n, int32_t *slots);

#endif
