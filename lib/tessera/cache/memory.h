/*
 * memory.h - the memory of decoded blocks: slots that are used again and again.
 *
 * A slot is allocated when the first block needs it, as long as the budget allows, and freed with
 * the cache, or when other arrays need its bytes (account.h). So a cache that is full allocates
 * nothing, asks the system for nothing and faults in no page: a block that enters gets the pages of
 * the one that left. A cache that was never used has no memory. What was tried before, malloc and
 * free for each block, costs an mmap, an munmap and a page fault per 4 KiB for blocks above glibc's
 * threshold of 128 KiB.
 *
 * The caller has a lock around all calls.
 *
 * That lock is `lock` of struct cache, also for cache_reserve() and cache_drop(). The bytes of a
 * slot need no lock: they belong to the thread that has the block reserved; afterwards threads that
 * have it pinned read them, and they are written with exclusive access to the cache only.
 */
#ifndef CACHE_MEMORY_H
#define CACHE_MEMORY_H

#include "cache/cache.h"

struct account_member;

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

#endif
