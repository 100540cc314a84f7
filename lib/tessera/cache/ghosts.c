/*
 * ghosts.c - keys of blocks that were missed lately, and how long ago.
 */
#include "cache/ghosts.h"

#include "base/memory.h"

#include <stddef.h>

enum {
    WAYS = 8, // a set is 64 bytes
    NSETS_MIN = 16, // at first: 1 KiB
    NSETS_MAX = 1 << 17, // 8 MiB
};

void
ghosts_init(struct ghosts *g, int64_t most)
{
    *g = (struct ghosts){.nsets_most = NSETS_MIN};
    while (g->nsets_most < NSETS_MAX && (int64_t)g->nsets_most * WAYS < most)
        g->nsets_most *= 2;
}

void
ghosts_finish(struct ghosts *g)
{
    mem_free(g->table);
}

static struct ghost *
set_of(const struct ghosts *g, uint32_t key)
{
    return g->table + (size_t)(key & (g->nsets - 1)) * WAYS;
}

static uint32_t
ghosts_key_of(uint64_t hash)
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

// Another table, of so many sets, with the same keys. false: no memory.
static bool
ghosts_resize(struct ghosts *g, uint32_t nsets)
{
    struct ghost *const before = g->table;
    const size_t n = (size_t)g->nsets * WAYS; // 0 at first
    struct ghost *const table = mem_zeroed((size_t)nsets * WAYS, sizeof *table);
    if (!table)
        return false;
    g->table = table;
    g->nsets = nsets;
    for (size_t i = 0; i < n; i++)
        if (before[i].when != 0)
            *place_of(g, before[i].key) = before[i];
    mem_free(before);
    return true;
}

uint32_t
ghosts_miss(struct ghosts *g, uint64_t hash)
{
    const uint32_t key = ghosts_key_of(hash);
    uint32_t age = GHOST_UNKNOWN;

    if (!g->table && !ghosts_resize(g, NSETS_MIN))
        return GHOST_UNKNOWN;
    if (g->nsets < g->nsets_most && g->now >= g->nsets * (WAYS / 4)) // a quarter full, at most
        (void)ghosts_resize(g, g->nsets * 2); // else a few keys get lost
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
    const uint32_t key = ghosts_key_of(hash);
    struct ghost *const place = g->table ? place_of(g, key) : NULL;
    if (place && place->key == key)
        place->when = 0;
}
