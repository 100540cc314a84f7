/*
 * private.h - what the units of the cache share: policy.c, memory.c, dirty.c and cache.c.
 *
 * Which lock guards what stands with the members. `lock` is that of struct cache: callers of the
 * policy and of the memory hold it, but for policy_earn() and clock_use().
 */
#ifndef CACHE_PRIVATE_H
#define CACHE_PRIVATE_H

#include "cache/account.h"
#include "cache/cache.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- keys of blocks that were missed lately (policy.c)

#define GHOST_UNKNOWN UINT32_MAX

struct ghost {
    uint32_t key; // of a hash
    uint32_t when; // 0: no key
};

struct ghosts {
    uint32_t nsets, nsets_most; // powers of two
    uint32_t now; // misses so far
    struct ghost *table; // NULL: nothing missed so far, or no memory
};

// For at least `most` keys, or as many as make sense.
void ghosts_init(struct ghosts *g, int64_t most);
void ghosts_finish(struct ghosts *g);

// A block is missed: how many misses ago it was missed before, or GHOST_UNKNOWN.
uint32_t ghosts_miss(struct ghosts *g, uint64_t hash);

// The block is kept from here on.
void ghosts_remove(struct ghosts *g, uint64_t hash);

// -- which blocks enter (policy.c)

enum {
    POLICY_GROUPS = 4,
    POLICY_CREDIT = 8, // hits of a block that are paid into the account of its group
};

struct policy {
    int64_t nblocks; // that the budget holds
    struct ghosts ghosts;
    _Atomic int64_t accounts[POLICY_GROUPS];
    unsigned refused[POLICY_GROUPS];
};

// For a budget that holds so many blocks.
void policy_init(struct policy *p, int64_t nblocks);
void policy_finish(struct policy *p);

// A block is missed. Whether it should enter; then *group is the one it belongs to. room: no other
// block has to leave. holds: blocks that there can be memory for at present, at most nblocks.
bool policy_admits(struct policy *p, uint64_t hash, bool room, int64_t holds, uint8_t *group);

// A hit of a block of that group which had credit left. Any thread.
void policy_earn(struct policy *p, uint8_t group);

// -- the memory of blocks, and which leave (memory.c)

struct memory {
    size_t blocksize;
    size_t slot_size; // with what belongs to a block
    struct account_member *account; // of the cache, which takes its bytes from there; NULL: it does
                                    // not
    int64_t most; // slots in the budget
    struct cached **slots; // all that were allocated
    int64_t n, capacity; // of slots
    struct cached *free; // those without a block
};

void memory_init(struct memory *m, int32_t blocksize, int64_t budget,
                 struct account_member *account);
void memory_finish(struct memory *m);

// Whether a block can get in without another one leaving.
bool memory_has_room(const struct memory *m);

// A slot, pinned; NULL: all are in use, or the account has no bytes, or the system no memory.
// force: whether the account has bytes or not.
struct cached *memory_take(struct memory *m, bool force);
void memory_give(struct memory *m, struct cached *b);

// Free the memory of a slot that was taken; or that of one without a block: whether there was one.
void memory_free(struct memory *m, struct cached *b);
bool memory_free_idle(struct memory *m);

struct clock {
    int64_t hand; // slot
};

// A block was found. With the shard's lock held, or none: a use may get lost.
void clock_use(struct cached *b);

// A block that may be evicted, unless it is pinned at this moment; NULL: all are pinned or dirty.
// With the lock of the memory held.
struct cached *clock_victim(struct clock *k, const struct memory *m);

// -- blocks that are stored nowhere else (dirty.c)

struct dirty {
    int64_t blocksize;
    void (*count)(int64_t size); // bytes that are dirty, or may become so; NULL: no one does
    _Atomic int64_t size; // bytes of dirty blocks
    _Atomic int64_t promised; // bytes that may become dirty
    _Atomic int64_t urgent; // blocks
    int64_t writes; // calls so far
    int64_t sets; // names given so far
    struct cached *first; // block of the present call; NULL: none yet
};

void dirty_init(struct dirty *d, int64_t blocksize, void (*count)(int64_t size));
void dirty_finish(struct dirty *d);
void dirty_clean(struct dirty *d, struct cached *const *blocks, size_t n); // not dirty: fine

// -- the cache

struct shard;

struct cache {
    int64_t budget;
    size_t blocksize;
    bool shared; // the budget is that of the process, and `account` its part of it
    struct account_member account;
    _Atomic int64_t used;
    struct dirty dirty;
    _Atomic int64_t hits, misses; // that no shard has counted
    pthread_mutex_t lock; // guards policy, clock and memory; before any shard's
    struct policy policy;
    struct clock clock;
    struct memory memory;
    _Atomic int64_t evictions; // counted with `lock` held
    // NULL: no block so far. An array that is read little needs none.
    _Atomic(struct shard *) shards;
};

#endif
