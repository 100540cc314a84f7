/*
 * dirty.h - blocks that were written and are stored nowhere else, and which of them go together.
 *
 * A call that writes touches several blocks. Where some of them were stored and others not, a
 * commit would have a part of the call. So blocks that a call touched are in one *set*, and sets
 * that a later call touches both of become one. If a part of a set is stored, the rest is *urgent*:
 * it has to be stored before the next commit. A set is urgent as a whole, or not.
 *
 * A set is a circle of blocks. Joining two costs as much as the smaller one has blocks.
 *
 * Requires exclusive access, but for `size`, `urgent` and promises, which are atomic.
 */
#ifndef CACHE_DIRTY_H
#define CACHE_DIRTY_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cached;

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

int64_t dirty_total(const struct dirty *d); // bytes that are dirty, or promised

void dirty_begin(struct dirty *d); // a call; its blocks are marked next
void dirty_mark(struct dirty *d, struct cached *b);
void dirty_hurry(struct dirty *d); // something else of the call is stored: its blocks are urgent
void dirty_clean(struct dirty *d, struct cached *const *blocks, size_t n); // not dirty: fine

// Promise that so many bytes may become dirty, if `most` in all may. dirty_keep(): they are, or
// will not be.
bool dirty_promise(struct dirty *d, int64_t size, int64_t most);
void dirty_keep(struct dirty *d, int64_t size);

#endif
