/*
 * pool.c - a few slots, each holding a scratch that is not in use.
 *
 * Taking and giving are single atomic exchanges: readers do not wait for each other. What was given
 * back last is taken first: a scratch that a call holds to its end stays the one for that, and does
 * not grow as those for blocks do.
 */
#include "grid/pool.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { SLOTS = 8 };

struct pool {
    int64_t limit;
    _Atomic(struct chunk_scratch *) slots[SLOTS];
};

struct pool *
pool_new(int64_t limit)
{
    struct pool *const p = calloc(1, sizeof *p);
    if (p)
        p->limit = limit;
    return p;
}

static void
scratch_free(struct chunk_scratch *s)
{
    if (s)
        scratch_finish(s);
    free(s);
}

void
pool_free(struct pool *p)
{
    if (!p)
        return;
    for (int i = 0; i < SLOTS; i++)
        scratch_free(atomic_load(&p->slots[i]));
    free(p);
}

struct chunk_scratch *
pool_take(struct pool *p)
{
    for (int i = SLOTS - 1; i >= 0; i--) {
        struct chunk_scratch *const s =
            atomic_load(&p->slots[i]) ? atomic_exchange(&p->slots[i], NULL) : NULL;
        if (s)
            return s;
    }
    struct chunk_scratch *const s = calloc(1, sizeof *s);
    if (s)
        s->limit = p->limit;
    return s;
}

void
pool_give(struct pool *p, struct chunk_scratch *s)
{
    for (int i = 0; i < SLOTS && s; i++) {
        struct chunk_scratch *empty = NULL;
        if (atomic_compare_exchange_strong(&p->slots[i], &empty, s))
            return;
    }
    scratch_free(s);
}
