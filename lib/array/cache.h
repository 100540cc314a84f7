/*
 * cache.h - decoded blocks, kept because they are likely to be asked for again.
 *
 * Blocks get in that were read in part for the second time, or written in part. Those that were
 * written are *dirty*: their items are nowhere else. They stay until they are written back
 * (held.h); the others leave when there is no room (CLOCK).
 *
 * Readers share a cache: any number of threads may find, add and unpin. What makes blocks dirty,
 * clean or forgotten needs the array alone, as all changes do.
 */
#ifndef ARRAY_CACHE_H
#define ARRAY_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache;

// A block of the grid, decoded. It stays where it is as long as it is pinned.
struct cached {
    int64_t chunk;
    int32_t block;
    uint8_t *items; // in order; all of the block
    // The cache's own:
    struct cached *next;
    int pins;
    bool used; // since the hand passed
    bool dirty;
    int64_t written; // when it was written to last; counts writes
};

struct cache_stats {
    int64_t used; // bytes of decoded blocks
    int64_t dirty; // of these
    int64_t hits, misses; // of blocks that were asked for in part
    int64_t evictions;
};

// For blocks of `blocksize` bytes, `budget` bytes in all. NULL: no memory.
struct cache *cache_new(int64_t budget, int32_t blocksize);
void cache_free(struct cache *c); // dirty blocks are lost; NULL: fine

// Whether the budget lets in any block.
bool cache_is_on(const struct cache *c);

bool cache_has_blocks(const struct cache *c);

// A block, pinned; NULL if it is not there.
struct cached *cache_find(struct cache *c, int64_t chunk, int32_t block);

// The same for a block that is wanted in part. *worth_it tells of one that is not there whether it
// was missed before, so that it should be decoded whole, and added.
struct cached *cache_find_part(struct cache *c, int64_t chunk, int32_t block, bool *worth_it);

// So many blocks were found with cache_find() that were wanted in part.
void cache_count_hits(struct cache *c, int64_t n);

// A place for a block, pinned, not found by others before cache_add(); NULL if there is no room or
// no memory.
struct cached *cache_reserve(struct cache *c, int64_t chunk, int32_t block);

// Let others find the block, whose items are set now. If another thread was faster, *b is dropped
// and the other one returned, pinned.
struct cached *cache_add(struct cache *c, struct cached *b);

void cache_drop(struct cache *c, struct cached *b); // reserved, not added
void cache_unpin(struct cache *c, struct cached *b); // NULL: fine

// Bytes that could be dirty and still leave readers some room.
int64_t cache_dirty_max(const struct cache *c);

// A write begins; its blocks are then marked.
void cache_begin_write(struct cache *c);
void cache_mark_dirty(struct cache *c, struct cached *b);

// The `wanted` dirty blocks (all, if there are fewer) that were not written to for the longest
// time, ordered by chunk and block; allocated for the caller. false: no memory.
bool cache_list_dirty(struct cache *c, int64_t wanted, struct cached ***blocks, size_t *n);
int64_t cache_dirty_size(const struct cache *c); // bytes
void cache_mark_clean(struct cache *c, struct cached *b);

// The chunk has another content than its blocks here, of which there may be `nblocks`.
void cache_forget_chunk(struct cache *c, int64_t chunk, int64_t nblocks);
void cache_forget_range(struct cache *c, int64_t first, int64_t last); // chunks, both inclusive
void cache_forget_from(struct cache *c, int64_t chunk); // this chunk, and all behind it

void cache_stats(struct cache *c, struct cache_stats *stats);

#endif
