/*
 * counter.h - items, counted in slots.
 *
 * Items of 1 and 2 bytes are counted by their bits, and what the bits mean is looked at in the end.
 * Bins of others are found a piece at a time that stays in the first cache of a core: of equal
 * width by calculating (equal.h), between given edges by a table (lookup.h), or by bisection
 * (bins.h) where neither is possible.
 *
 * Functions without state: any thread, with a counter of its own. A struct counting does not
 * change.
 */
#ifndef COMPUTE_HISTOGRAM_COUNTER_H
#define COMPUTE_HISTOGRAM_COUNTER_H

#include "compute/histogram/bins.h"
#include "compute/histogram/equal.h"
#include "compute/histogram/lookup.h"

#include <tessera/dtype.h>

#include <stdatomic.h>
#include <stddef.h>

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
