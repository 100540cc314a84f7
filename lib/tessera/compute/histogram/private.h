/*
 * private.h - what the units of histograms share: bins and their edges, ways to find the bin of an
 * item, and counters.
 *
 * Items are numbers of one of two kinds: doubles, which all but integers of 8 bytes fit in; or
 * keys, which are the latter as unsigned integers in the same order. An edge becomes the least
 * number of the kind that is not less than it, and the last one, as the upper end, also the
 * greatest that is not greater: so that comparing items with these is exact, whatever kinds the
 * edges have.
 *
 * A *slot* is where an item is counted: 0 below the first edge, 1 + i in bin i, then one for items
 * above, one for NaNs. Items of 1 and 2 bytes are counted by their bits, and what the bits mean is
 * looked at in the end. Bins of others are found a piece at a time that stays in the first cache of
 * a core: of equal width by calculating, between given edges by a table, or by bisection where
 * neither is possible.
 *
 * Threads: bins and ways to find them are made once per call, then only read; a counter belongs to
 * one thread at a time. Functions without state.
 */
#ifndef COMPUTE_HISTOGRAM_PRIVATE_H
#define COMPUTE_HISTOGRAM_PRIVATE_H

#include "base/error.h"

#include <tessera/dtype.h>
#include <tessera/histogram.h>

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- bins

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

/*
 * Kernels: in which of bins of equal width items are, by calculating.
 *
 * A bin is the whole part of (x - base) * scale. This never decreases as x grows, so whether it is
 * the right bin for all numbers of a type shows at the edges alone: equal_init() chooses base such
 * that no number comes out below its bin, and finds `doubt`, how far above a whole number the
 * result for a number of the bin before may be.
 *
 * Plain C, in loops that compilers make vectors of; all are in loops.h, once, and are compiled for
 * each set of instructions.
 */

enum {
    CALCULATE_I4,
    CALCULATE_U4,
    CALCULATE_F4,
    CALCULATE_F8,
    CALCULATE_KEYS, // integers of 8 bytes as above
    CALCULATE_COUNT,
};

// What a kernel returns: some items need a second look.
enum {
    CALCULATED_DOUBT = 1, // may be in the bin before
    CALCULATED_OUTSIDE = 2, // below, above, or NaN; their bins are any of 0 to n - 1
};

// About 0.5 there is no doubt. Loops take it from the struct: with a constant, gcc makes jumps.
#define CALCULATE_LEAST 0.5

struct calculation {
    double base, scale;
    double least; // CALCULATE_LEAST: results that are less become this
    double last; // a little less than the number of bins; results that are greater become this
    double doubt; // less than 0: bins are right
    double low, top; // inside are low <= x <= top; not of keys
    uint64_t low_key, top_key; // the same of keys
    double offset; // of keys: calculation_offset()
};

// What makes signed or unsigned numbers of keys.
static inline double
calculation_offset(bool is_signed)
{
    return 0x1p84 + 0x1p52 + (is_signed ? 0x1p63 : 0);
}

// bin[i] of n items, in the byte order of the machine, at any address.
typedef int calculate_fn(const struct calculation *c, const void *items, int64_t n, int32_t *bin);

struct histogram_kernels {
    calculate_fn *calculate[CALCULATE_COUNT];
};

extern const struct histogram_kernels histogram_kernels_c;
extern const struct histogram_kernels histogram_kernels_avx2; // where the build has it

// For a machine with these features (base/cpu.h).
const struct histogram_kernels *histogram_kernels_for(unsigned cpu);

// -- bins of equal width, found by calculating, for all numbers of a type

struct equal {
    struct calculation calculation;
    calculate_fn *doubles, *keys; // of items made doubles, or keys
    calculate_fn *items; // NULL: they must be made numbers first
};

// For numbers of 4 or 8 bytes; turned: not in the byte order of the machine. false: the bins are to
// be found otherwise.
bool equal_init(struct equal *e, const struct bins *b, const tess_dtype *dtype, bool turned);

/*
 * Bins between given edges, found by a table and a short bisection.
 *
 * The range of the edges is cut in cells of equal width. Which cell a number is in is calculated
 * in a way that never decreases as numbers grow. So edges in cells before that of a number are less
 * than it, and edges in cells behind are greater, however results are rounded: only those in the
 * same cell are compared with it.
 */

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

// The bins of n numbers; what is returned is as that of a kernel.
int lookup_bins(const struct lookup *l, const struct bins *b, const double *x, int64_t n,
                int32_t *bin);
int lookup_bins_of_keys(const struct lookup *l, const struct bins *b, const uint64_t *keys,
                        int64_t n, int32_t *bin);

// -- counters

// What items are, and where they are counted.
struct counting {
    struct bins bins;
    tess_dtype dtype;
    bool turned; // not in the byte order of the machine
    enum { BY_VALUE, BY_CALCULATING, BY_LOOKUP, BY_BISECTION } way; // how bins are found
    struct equal equal;
    struct lookup lookup;
};

// false: items are no numbers, or of a size that is not known.
bool counting_type(struct counting *c, const tess_dtype *dtype);
// Once type and bins are there.
void counting_begin(struct counting *c);
void counting_finish(struct counting *c); // also of zeros

enum { COUNTER_LANES = 8 };

struct counter {
    struct counter *next;
    atomic_flag busy;
    int64_t nvalues; // items counted by bits since these were last moved to slots
    uint32_t *values; // of items of 1 and 2 bytes: a count for each bit pattern
    // Several rows of counts, some of which may be the same: items next to each other, which often
    // are in one slot, add to different rows, as adding to a number that was just stored waits.
    int64_t *slots[COUNTER_LANES];
    int nrows;
};

struct counter *counter_new(const struct counting *c); // NULL: no memory
void counter_free(struct counter *k); // NULL: fine

// Items that follow each other, at any address.
void counter_add(struct counter *k, const struct counting *c, const uint8_t *items, int64_t n);
// Add what was counted to slots, of which there are bins.n + BINS_SLOTS.
void counter_move(struct counter *k, const struct counting *c, int64_t *slots);

// The slot of an item.
int64_t counting_slot(const struct counting *c, const uint8_t *item);

#endif
