/*
 * open_chunks.c - the chunks of a grid that are open.
 *
 * Those opened last are in a table in which each has one place it can be in. When they take too
 * much memory together, those that stand next in the table go.
 */
#include "grid/open_chunks.h"

#include "base/checked.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "io/ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

enum {
    SLOTS_NEAR = 64,
    SLOTS_FAR = 4096,
    CACHE_LINE = 64,
    SIZE_LEAST = 20 << 10, // bytes that may be kept at least,
    SIZE_MOST = 256 << 10, // and at most
    CACHE_SHARE = 128, // of the cache's
    SIZE_FAR = 8 << 20, // where it takes long to read one again
};

struct slot {
    _Alignas(CACHE_LINE) pthread_mutex_t lock;
    struct open_chunk *open; // held; NULL: empty
    size_t size; // of it, open_chunk_size()
};

struct open_chunks {
    _Atomic(struct slot *) slots; // NULL: no chunk so far
    int nslots;
    size_t most; // bytes
    atomic_size_t size; // of all
    atomic_uint hand; // where to make room next
};

struct open_chunks *
open_chunks_new(int64_t cache_size, bool far)
{
    struct open_chunks *const all = mem_alloc(sizeof *all);
    if (all) {
        all->nslots = far ? SLOTS_FAR : SLOTS_NEAR;
        all->most = far ? SIZE_FAR
                    : cache_size == CACHE_SHARED
                        ? SIZE_MOST
                        : (size_t)max_i64(SIZE_LEAST, min_i64(SIZE_MOST, cache_size / CACHE_SHARE));
        atomic_init(&all->slots, NULL);
        atomic_init(&all->size, 0);
        atomic_init(&all->hand, 0);
    }
    return all;
}

static void
slots_free(struct slot *slots, int n)
{
    for (int i = 0; slots && i < n; i++) {
        open_chunk_release(slots[i].open);
        pthread_mutex_destroy(&slots[i].lock);
    }
    mem_free(slots);
}

void
open_chunks_free(struct open_chunks *all)
{
    if (all)
        slots_free(atomic_load(&all->slots), all->nslots);
    mem_free(all);
}

// The slots, made by the thread that is first to keep a chunk; NULL: no memory.
static struct slot *
have_slots(struct open_chunks *all)
{
    struct slot *before = atomic_load(&all->slots);
    if (before)
        return before;
    struct slot *const slots = mem_aligned(CACHE_LINE, (size_t)all->nslots * sizeof *slots);
    for (int i = 0; slots && i < all->nslots; i++) {
        pthread_mutex_init(&slots[i].lock, NULL);
        slots[i].open = NULL;
        slots[i].size = 0;
    }
    if (!slots || atomic_compare_exchange_strong(&all->slots, &before, slots))
        return slots;
    slots_free(slots, all->nslots);
    return before;
}

static struct open_chunk *
find_kept(struct open_chunks *all, int64_t n, int64_t generation)
{
    struct slot *const slots = atomic_load_explicit(&all->slots, memory_order_acquire);
    struct slot *const slot = slots ? &slots[(uint64_t)n % (unsigned)all->nslots] : NULL;
    struct open_chunk *found = NULL;

    if (!slot)
        return NULL;
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
    struct slot *const slots = size <= all->most / 2 ? have_slots(all) : NULL;
    if (!slots)
        return;
    struct slot *const slot = &slots[(uint64_t)v->n % (unsigned)all->nslots];
    open_chunk_hold(v);
    open_chunks_set(all, slot, v, size);
    while (atomic_load(&all->size) > all->most) {
        struct slot *const other = &slots[atomic_fetch_add(&all->hand, 1) % (unsigned)all->nslots];
        if (other != slot)
            open_chunks_set(all, other, NULL, 0);
    }
}

struct open_chunk *
open_chunks_find(const struct chunk_grid *grid, int64_t n)
{
    const int64_t generation = frame_generation(grid->frame);
    struct open_chunk *const v = expected_chunks_find(grid->expected, n, generation);
    return v ? v : find_kept(grid->open_chunks, n, generation);
}

tess_status
open_chunks_get(const struct chunk_grid *grid, int64_t n, bool all, struct chunk_ahead *early,
                const struct io_progress *progress, struct open_chunk **v, tess_error *err)
{
    *v = open_chunks_find(grid, n);
    if (*v)
        return TESS_OK;
    const tess_status st = open_chunk_new(grid, n, all, early, progress, v, err);
    // A file for each would be too many open files, and all bytes of each too much memory.
    if (st == TESS_OK && !(*v)->stored.owns_io && !(*v)->stored.whole)
        open_chunks_keep(grid->open_chunks, *v);
    return st;
}

// -- chunks of a grid that were opened, and whose bytes were wanted, for reads to

enum { PLACES = 256 };

struct expected_chunks {
    pthread_mutex_t lock;
    struct expecting_call *calls;
    atomic_int ncalls;
    struct expected_chunk *places[PLACES]; // by number
};

struct expected_chunks *
expected_chunks_new(void)
{
    struct expected_chunks *const all = mem_zeroed(1, sizeof *all);
    if (all) {
        pthread_mutex_init(&all->lock, NULL);
        atomic_init(&all->ncalls, 0);
    }
    return all;
}

void
expected_chunks_free(struct expected_chunks *all)
{
    if (!all)
        return;
    pthread_mutex_destroy(&all->lock);
    mem_free(all);
}

void
expected_chunks_begin(struct expected_chunks *all, struct expecting_call *c)
{
    pthread_mutex_lock(&all->lock);
    c->after = all->calls;
    all->calls = c;
    atomic_fetch_add(&all->ncalls, 1);
    pthread_mutex_unlock(&all->lock);
}

void
expected_chunks_end(struct expected_chunks *all, struct expecting_call *c)
{
    struct expecting_call **at = &all->calls;
    pthread_mutex_lock(&all->lock);
    while (*at != c)
        at = &(*at)->after;
    *at = c->after;
    atomic_fetch_sub(&all->ncalls, 1);
    pthread_mutex_unlock(&all->lock);
}

struct io_ahead *
expected_chunks_ahead(struct expected_chunks *all, const struct watch *watch)
{
    if (!all || atomic_load(&all->ncalls) == 0)
        return NULL;
    pthread_mutex_lock(&all->lock);
    const struct expecting_call *c = all->calls;
    while (c && c->watch != watch)
        c = c->after;
    struct io_ahead *const ahead = c ? c->ahead : NULL;
    pthread_mutex_unlock(&all->lock);
    return ahead;
}

static struct expected_chunk **
place_of(struct expected_chunks *all, int64_t n)
{
    return &all->places[(uint64_t)n % PLACES];
}

void
expected_chunks_add(struct expected_chunks *all, struct expected_chunk *e)
{
    struct expected_chunk **const place = place_of(all, e->open->n);
    pthread_mutex_lock(&all->lock);
    e->after = *place;
    *place = e;
    pthread_mutex_unlock(&all->lock);
}

void
expected_chunks_remove(struct expected_chunks *all, struct expected_chunk *e)
{
    struct expected_chunk **at = place_of(all, e->open->n);
    pthread_mutex_lock(&all->lock);
    while (*at != e)
        at = &(*at)->after;
    *at = e->after;
    pthread_mutex_unlock(&all->lock);
}

struct expected_chunk *
expected_chunks_of(struct expected_chunks *all, const void *owner, int64_t n)
{
    pthread_mutex_lock(&all->lock);
    struct expected_chunk *e = *place_of(all, n);
    while (e && (e->owner != owner || e->open->n != n))
        e = e->after;
    pthread_mutex_unlock(&all->lock);
    return e;
}

struct open_chunk *
expected_chunks_find(struct expected_chunks *all, int64_t n, int64_t generation)
{
    struct open_chunk *open = NULL;
    if (!all || atomic_load(&all->ncalls) == 0)
        return NULL;
    pthread_mutex_lock(&all->lock);
    for (const struct expected_chunk *e = *place_of(all, n); e && !open; e = e->after)
        if (e->open->n == n && e->open->generation == generation)
            open = e->open;
    if (open)
        open_chunk_hold(open);
    pthread_mutex_unlock(&all->lock);
    return open;
}

struct io_want *
expected_chunks_want(struct expected_chunks *all, const struct open_chunk *open,
                     const struct watch *watch)
{
    struct io_want *want = NULL;
    if (!all || atomic_load(&all->ncalls) == 0)
        return NULL;
    pthread_mutex_lock(&all->lock);
    for (const struct expected_chunk *e = *place_of(all, open->n); e && !want; e = e->after)
        if (e->open == open && e->watch == watch)
            want = e->want;
    if (want)
        io_want_hold(want);
    pthread_mutex_unlock(&all->lock);
    return want;
}
