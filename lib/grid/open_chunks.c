/*
 * open_chunks.c - the chunks that were opened last: a table in which each has one place it can be
 * in.
 *
 * When they take too much memory together, those that stand next in the table go.
 */
#include "grid/open_chunks.h"

#include "base/checked.h"
#include "cache/cache.h"
#include "frame/query.h"

#include <pthread.h>
#include <stdlib.h>

enum {
    SLOTS = 64,
    CACHE_LINE = 64,
    SIZE_LEAST = 20 << 10, // bytes that may be kept at least,
    SIZE_MOST = 256 << 10, // and at most
    CACHE_SHARE = 128, // of the cache's
};

struct slot {
    _Alignas(CACHE_LINE) pthread_mutex_t lock;
    struct open_chunk *open; // held; NULL: empty
    size_t size; // of it, open_chunk_size()
};

struct open_chunks {
    struct slot slots[SLOTS];
    size_t most; // bytes
    atomic_size_t size; // of all
    atomic_uint hand; // where to make room next
};

struct open_chunks *
open_chunks_new(int64_t cache_size)
{
    struct open_chunks *const all = aligned_alloc(CACHE_LINE, sizeof *all);
    for (int i = 0; all && i < SLOTS; i++) {
        pthread_mutex_init(&all->slots[i].lock, NULL);
        all->slots[i].open = NULL;
        all->slots[i].size = 0;
    }
    if (all) {
        all->most = cache_size == CACHE_SHARED
                        ? SIZE_MOST
                        : (size_t)max_i64(SIZE_LEAST, min_i64(SIZE_MOST, cache_size / CACHE_SHARE));
        atomic_init(&all->size, 0);
        atomic_init(&all->hand, 0);
    }
    return all;
}

void
open_chunks_free(struct open_chunks *all)
{
    for (int i = 0; all && i < SLOTS; i++) {
        open_chunk_release(all->slots[i].open);
        pthread_mutex_destroy(&all->slots[i].lock);
    }
    free(all);
}

static struct slot *
slot_of(struct open_chunks *all, int64_t n)
{
    return &all->slots[(uint64_t)n % SLOTS];
}

static struct open_chunk *
open_chunks_find(struct open_chunks *all, int64_t n, int64_t generation)
{
    struct slot *const slot = slot_of(all, n);
    struct open_chunk *found = NULL;

    pthread_mutex_lock(&slot->lock);
    if (slot->open && slot->open->n == n && slot->open->generation == generation) {
        found = slot->open;
        open_chunk_hold(found);
    }
    pthread_mutex_unlock(&slot->lock);
    return found;
}

static void
open_chunks_set(struct open_chunks *all, struct slot *slot, struct open_chunk *v, size_t size)
{
    pthread_mutex_lock(&slot->lock);
    struct open_chunk *const before = slot->open;
    atomic_fetch_add(&all->size, size - slot->size); // unsigned: also down
    slot->open = v;
    slot->size = size;
    pthread_mutex_unlock(&slot->lock);
    open_chunk_release(before);
}

static void
open_chunks_keep(struct open_chunks *all, struct open_chunk *v)
{
    const size_t size = open_chunk_size(v);
    struct slot *const slot = slot_of(all, v->n);

    if (size > all->most / 2)
        return;
    open_chunk_hold(v);
    open_chunks_set(all, slot, v, size);
    while (atomic_load(&all->size) > all->most) {
        struct slot *const other = &all->slots[atomic_fetch_add(&all->hand, 1) % SLOTS];
        if (other != slot)
            open_chunks_set(all, other, NULL, 0);
    }
}

tess_status
open_chunks_get(const struct chunk_grid *grid, int64_t n, bool all, struct open_chunk **v,
                tess_error *err)
{
    *v = open_chunks_find(grid->open_chunks, n, frame_generation(grid->frame));
    if (*v)
        return TESS_OK;
    const tess_status st = open_chunk_new(grid, n, frame_entry(grid->frame, n), all, v, err);
    // A file for each would be too many open files, and all bytes of each too much memory.
    if (st == TESS_OK && !(*v)->stored.owns_io && !(*v)->stored.whole)
        open_chunks_keep(grid->open_chunks, *v);
    return st;
}
