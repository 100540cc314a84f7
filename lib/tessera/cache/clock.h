/*
 * clock.h - which block leaves: the hand of a clock over all slots.
 *
 * Each use of a block is counted, up to 3; the hand takes one off where it passes, and stops at a
 * block that has none left (generalized CLOCK, as the main queue of S3-FIFO: Yang et al., "FIFO
 * queues are all you need for cache eviction", SOSP 2023). A hit moves nothing and needs no lock of
 * its own, which LRU does not offer. Uses up to 7 or 15 gain nothing with Zipf's distribution and
 * keep dead blocks for longer (bench/cache).
 *
 * A block that enters is behind the hand and has no uses: it has one round to be used.
 *
 * `hand` is guarded by the lock of the memory (`lock` of struct cache). `uses` of a block is an
 * atomic that is read and written in two steps: a lost use is cheaper than a locked instruction per
 * hit.
 */
#ifndef CACHE_CLOCK_H
#define CACHE_CLOCK_H

#include "cache/memory.h"

struct clock {
    int64_t hand; // slot
};

// A block was found. With the shard's lock held, or none: a use may get lost.
void clock_use(struct cached *b);

// A block that may be evicted, unless it is pinned at this moment; NULL: all are pinned or dirty.
// With the lock of the memory held.
struct cached *clock_victim(struct clock *k, const struct memory *m);

#endif
