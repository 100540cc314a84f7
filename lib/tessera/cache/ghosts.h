/*
 * ghosts.h - keys of blocks that were missed lately, and how long ago.
 *
 * A table of sets: a key has a few places it can be in, and takes that of the oldest one there.
 * Time is counted in misses, so the age of a key is how many blocks were missed since, a bound on
 * how many others were asked for: what a budget can hold is a matter of this number. The keys
 * themselves are 32 bits of a hash. Two that agree make a block enter early, which does no harm.
 *
 * The table grows with the misses there are: a program that reads little has a small one, whatever
 * the budget.
 *
 * The caller has a lock around all calls.
 *
 * That lock is `lock` of struct cache.
 */
#ifndef CACHE_GHOSTS_H
#define CACHE_GHOSTS_H

#include <stdbool.h>
#include <stdint.h>

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

#endif
