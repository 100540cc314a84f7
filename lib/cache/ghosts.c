/*
 * ghosts.c - keys of blocks that were missed lately, and how long ago.
 */
#include "cache/ghosts.h"

#include <stddef.h>
#include <stdlib.h>

enum {
    WAYS = 8, // a set is 64 bytes
    NSETS_MAX = 1 << 17, // 8 MiB; pages of it are there once they are touched
};

void
ghosts_init(struct ghosts *g, int64_t most)
{
    *g = (struct ghosts){.nsets = 1};
    while (g->nsets < NSETS_MAX && (int64_t)g->nsets * WAYS < most)
        g->nsets *= 2;
}

void
ghosts_finish(struct ghosts *g)
{
    free(g->table);
}

static struct ghost *
set_of(const struct ghosts *g, uint32_t key)
{
    return g->table + (size_t)(key & (g->nsets - 1)) * WAYS;
}

static uint32_t
key_of(uint64_t hash)
{
    return (uint32_t)(hash >> 16);
}

// The key's place; else that of the oldest key that it can have.
static struct ghost *
place_of(const struct ghosts *g, uint32_t key)
{
    struct ghost *const set = set_of(g, key), *oldest = set;
    for (int i = 0; i < WAYS; i++) {
        if (set[i].key == key && set[i].when != 0)
            return &set[i];
        if (set[i].when == 0 || (oldest->when != 0 && g->now - set[i].when > g->now - oldest->when))
            oldest = &set[i];
    }
    return oldest;
}

uint32_t
ghosts_miss(struct ghosts *g, uint64_t hash)
{
    const uint32_t key = key_of(hash);
    uint32_t age = GHOST_UNKNOWN;

    if (!g->table && !(g->table = calloc((size_t)g->nsets * WAYS, sizeof *g->table)))
        return GHOST_UNKNOWN;
    if (++g->now == 0) // once in 2^32 misses
        g->now = 1;
    struct ghost *const place = place_of(g, key);
    if (place->key == key && place->when != 0)
        age = g->now - place->when;
    *place = (struct ghost){key, g->now};
    return age;
}

void
ghosts_remove(struct ghosts *g, uint64_t hash)
{
    const uint32_t key = key_of(hash);
    struct ghost *const place = g->table ? place_of(g, key) : NULL;
    if (place && place->key == key)
        place->when = 0;
}
