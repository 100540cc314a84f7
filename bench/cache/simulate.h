/*
 * simulate.h - what caches of different policies make of a trace. Nothing is decoded.
 *
 * All but the optimum and Tessera load each block they miss. Those two may pass one by: it is then
 * decoded in part only, which is cheaper.
 */
#ifndef CACHE_SIMULATE_H
#define CACHE_SIMULATE_H

#include "trace.h"

// Of the second half of a trace.
struct outcome {
    int64_t hits;
    int64_t loads; // blocks that were let in
};

// All of a cache of so many blocks.

// optimum.c: Belady's, who knows the future: the block leaves that is asked for last, and one that
// would leave at once is not let in.
struct outcome simulate_optimum(const struct trace *t, int32_t nblocks);

// queues.c
struct outcome simulate_lru(const struct trace *t, int32_t nblocks);
struct outcome simulate_clock(const struct trace *t, int32_t nblocks);
struct outcome simulate_2q(const struct trace *t, int32_t nblocks);
struct outcome simulate_s3fifo(const struct trace *t, int32_t nblocks);
struct outcome simulate_wtinylfu(const struct trace *t, int32_t nblocks);

// ours.c: lib/tessera/cache itself.
struct outcome simulate_tessera(const struct trace *t, int32_t nblocks);

#endif
