/*
 * pool.c - slots of the process, each holding a scratch that is not in use.
 *
 * Taking and giving are single atomic exchanges: readers do not wait for each other. Threads are
 * spread over groups of slots, a cache line each, so that calls on different arrays do not meet.
 * What was given back last is taken first: a scratch that a call holds to its end stays the one for
 * that, and does not grow as those for blocks do.
 */
#include "grid/pool.h"

#include "base/memory.h"

#include <pthread.h>
#include <stdatomic.h>

enum { GROUPS = 8, SLOTS = 8, CACHE_LINE = 64 };

struct pool {
    int64_t limit;
};

struct group {
    _Alignas(CACHE_LINE) _Atomic(struct chunk_scratch *) slots[SLOTS];
};

static struct group groups[GROUPS];
static _Atomic int64_t npools; // that are not freed yet

static struct group *
group_of_thread(void)
{
    const uint64_t h = (uint64_t)(uintptr_t)pthread_self() * UINT64_C(0x9e3779b97f4a7c15);
    return &groups[h >> 61];
}

struct pool *
pool_new(int64_t limit)
{
    struct pool *const p = mem_zeroed(1, sizeof *p);
    if (p) {
        p->limit = limit;
        atomic_fetch_add(&npools, 1);
    }
    return p;
}

static void
scratch_free(struct chunk_scratch *s)
{
    if (s)
        scratch_finish(s);
    mem_free(s);
}

void
pool_free(struct pool *p)
{
    if (!p)
        return;
    mem_free(p);
    if (atomic_fetch_sub(&npools, 1) > 1)
        return;
    for (int i = 0; i < GROUPS * SLOTS; i++)
        scratch_free(atomic_exchange(&groups[i / SLOTS].slots[i % SLOTS], NULL));
}

struct chunk_scratch *
pool_take(struct pool *p)
{
    struct group *const g = group_of_thread();
    struct chunk_scratch *s = NULL;
    for (int i = SLOTS - 1; i >= 0 && !s; i--)
        s = atomic_load(&g->slots[i]) ? atomic_exchange(&g->slots[i], NULL) : NULL;
    if (!s)
        s = mem_zeroed(1, sizeof *s);
    if (s)
        s->limit = p->limit;
    return s;
}

void
pool_give(struct pool *p, struct chunk_scratch *s)
{
    struct group *const g = group_of_thread();
    (void)p;
    if (s) {
        s->want = NULL;
        s->place = NULL;
        s->progress = NULL;
    }
    for (int i = 0; i < SLOTS && s; i++) {
        struct chunk_scratch *empty = NULL;
        if (atomic_compare_exchange_strong(&g->slots[i], &empty, s))
            return;
    }
    scratch_free(s);
}
