/*
 * expected_chunks.c - chunks of a grid that were opened, and whose bytes were wanted, for reads to
 * come.
 */
#include "grid/expected_chunks.h"

#include "base/memory.h"
#include "grid/open_chunk.h"
#include "io/ahead.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

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
