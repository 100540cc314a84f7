/*
 * cache.h - decoded blocks, kept because they are likely to be asked for again.
 *
 * A block is a key, chunk and number, and `blocksize` bytes; what arrays, chunks and files are is
 * not known here. Blocks enter that were read in part and are expected back (policy.c), or that
 * were written in part. Written ones are *dirty*: their items are nowhere else. They stay until the
 * caller has encoded them. Of the others, those that are used least leave when the budget is used
 * up; their memory is used again (memory.c).
 *
 * Threads: any number may find, add and unpin at once, and promise. Marking blocks dirty or clean
 * and forgetting them requires exclusive access; listing dirty ones, that this does not happen
 * meanwhile. Inside, a lock per shard guards the table that finds blocks, and one lock guards
 * policy, clock and memory. A hit takes the former for a moment; a miss, which costs a decode
 * anyway, takes both. Order of locks: the registry of the account, the lock of the policy, then a
 * shard's; never those of two caches.
 *
 * With a shared budget, a call on another array may free the memory of a block that is neither
 * pinned nor dirty at any time, exclusive access or not; it does so with the lock of the policy
 * held. In the child of a fork() these locks may stay taken by threads that the child has not: so
 * for other arrays they are only tried.
 */
#ifndef CACHE_CACHE_H
#define CACHE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cache;

// A decoded block. It stays where it is while it is pinned.
struct cached {
    int64_t chunk;
    int32_t block;
    uint8_t *items; // in order; all of the block
    // The cache's own:
    // Grows with the shard's lock held. 0: may be evicted, if it is not dirty. A free slot has one,
    // so that nobody takes it.
    atomic_int pins;
    atomic_uchar uses; // since the clock's hand passed; more than a few are not counted
    uint8_t group, credit; // policy.c; with the shard's lock held
    bool listed; // the table finds it; changes with the shard's lock held
    atomic_bool dirty; // the rest but next and slot: by callers with exclusive access (dirty.c)
    bool urgent;
    int64_t written; // the write that touched it last
    int64_t set; // its name, of a dirty block
    struct cached *ring; // the next of the set
    struct cached *next; // of its bucket, or free
    int64_t slot; // memory.c; with the cache's lock held
};

struct cache_stats {
    int64_t used; // bytes of decoded blocks
    int64_t dirty; // of these
    int64_t hits, misses; // of blocks that were asked for in part
    int64_t evictions;
};

// For blocks of `blocksize` bytes, `budget` bytes in all; CACHE_SHARED: those of the process
// (account.h). NULL: no memory.
#define CACHE_SHARED (-1)
struct cache *cache_new(int64_t budget, int32_t blocksize);
void cache_free(struct cache *c); // dirty blocks are lost; NULL: fine

// Whether the budget admits any block.
bool cache_is_on(const struct cache *c);

bool cache_has_blocks(const struct cache *c);

// A block, pinned for the caller, who calls cache_unpin(): until then it is neither evicted nor
// moved. NULL if it is not there.
struct cached *cache_find(struct cache *c, int64_t chunk, int32_t block);

// The same for a block that is wanted in part. If it is not there but worth keeping, *place is
// memory for it, as from cache_reserve(): decode all of it, and add it. Else *place is NULL. place
// may be NULL: this block cannot be kept.
struct cached *cache_find_part(struct cache *c, int64_t chunk, int32_t block,
                               struct cached **place);

// What cache_find_part() does with a block that was not found with cache_find(): memory for it, if
// it is worth keeping and can be kept.
struct cached *cache_miss_part(struct cache *c, int64_t chunk, int32_t block, bool can_be_kept);

// So many blocks were found with cache_find() that were wanted in part.
void cache_count_hits(struct cache *c, int64_t n);

// Memory for a block, pinned, not found by others before cache_add(); NULL if there is none.
struct cached *cache_reserve(struct cache *c, int64_t chunk, int32_t block);

// Let others find the block, whose items are set now. If another thread was faster, *b is dropped
// and the other one returned, pinned.
struct cached *cache_add(struct cache *c, struct cached *b);

void cache_drop(struct cache *c, struct cached *b); // reserved, not added
void cache_unpin(struct cached *b); // NULL: fine

// Bytes that could be dirty and still leave readers some room.
int64_t cache_dirty_max(const struct cache *c);
int64_t cache_dirty_room(const struct cache *c); // the same at present, with what other arrays have

// Promise that so many bytes may become dirty. False: they would be too many with what is dirty or
// promised. cache_keep_promise(): they are, or will not be.
bool cache_promise(struct cache *c, int64_t size);
void cache_keep_promise(struct cache *c, int64_t size);

// A write begins; its blocks are then marked. Blocks that a write touches belong together: where
// some of them become clean, the others are urgent, to be stored before the next commit.
void cache_begin_write(struct cache *c);
void cache_mark_dirty(struct cache *c, struct cached *b);
void cache_hurry_write(struct cache *c); // what else the write brings is stored: they are urgent
bool cache_has_urgent(const struct cache *c);

// The `wanted` dirty blocks (all, if there are fewer) that were not written to for the longest
// time, and those that belong together with one of them, ordered by chunk and block; allocated for
// the caller. false: no memory.
bool cache_list_dirty(struct cache *c, int64_t wanted, struct cached ***blocks, size_t *n);
bool cache_list_urgent(struct cache *c, struct cached ***blocks, size_t *n); // all of them
int64_t cache_dirty_size(const struct cache *c); // bytes
// While the shared budget is exceeded, since it was lowered, blocks of this cache leave then.
void cache_mark_clean(struct cache *c, struct cached *const *blocks, size_t n);

// The chunk has another content than its blocks here, of which there may be `nblocks`.
void cache_forget_chunk(struct cache *c, int64_t chunk, int64_t nblocks);
void cache_forget_range(struct cache *c, int64_t first, int64_t last); // chunks, both inclusive
void cache_forget_chunks(struct cache *c, const int64_t *chunks, size_t n); // ascending
void cache_forget_from(struct cache *c, int64_t chunk); // this chunk, and all behind it

void cache_stats(struct cache *c, struct cache_stats *stats);

#endif
