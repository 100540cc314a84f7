/*
 * optimum.c - Belady's optimum, computed from the trace.
 *
 * A heap has the blocks that are kept, the one that is asked for last on top. Entries of blocks
 * that were asked for since, or left, stay in it until they come to the top.
 */
#include "simulate.h"

#include "../support.h"

#include <stdlib.h>

struct entry {
    int64_t next; // when the block is asked for again
    int32_t key;
};

struct heap {
    struct entry *list;
    int64_t n;
};

static void
push(struct heap *h, struct entry e)
{
    int64_t i = h->n++;
    for (; i > 0 && h->list[(i - 1) / 2].next < e.next; i = (i - 1) / 2)
        h->list[i] = h->list[(i - 1) / 2];
    h->list[i] = e;
}

static void
pop(struct heap *h)
{
    const struct entry e = h->list[--h->n];
    int64_t i = 0;
    for (int64_t child; (child = 2 * i + 1) < h->n; i = child) {
        if (child + 1 < h->n && h->list[child + 1].next > h->list[child].next)
            child++;
        if (h->list[child].next <= e.next)
            break;
        h->list[i] = h->list[child];
    }
    h->list[i] = e;
}

// When the block of each access is asked for again; t->n: never.
static int64_t *
next_uses(const struct trace *t)
{
    int64_t *const next = bench_alloc((size_t)t->n * sizeof *next);
    int64_t *const seen = bench_alloc((size_t)t->nkeys * sizeof *seen);

    for (int32_t k = 0; k < t->nkeys; k++)
        seen[k] = t->n;
    for (int64_t i = t->n - 1; i >= 0; i--) {
        next[i] = seen[t->keys[i]];
        seen[t->keys[i]] = i;
    }
    free(seen);
    return next;
}

struct outcome
simulate_optimum(const struct trace *t, int32_t nblocks)
{
    int64_t *const next = next_uses(t);
    int64_t *const kept = bench_alloc((size_t)t->nkeys * sizeof *kept); // until when; -1: not
    struct heap h = {.list = bench_alloc((size_t)t->n * sizeof *h.list)};
    struct outcome o = {0};
    int32_t n = 0;

    for (int32_t k = 0; k < t->nkeys; k++)
        kept[k] = -1;
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t key = t->keys[i];
        if (kept[key] >= 0) {
            o.hits += i >= t->n / 2;
        } else {
            while (n == nblocks && kept[h.list[0].key] != h.list[0].next)
                pop(&h);
            if (next[i] == t->n || (n == nblocks && h.list[0].next <= next[i]))
                continue;
            if (n == nblocks)
                kept[h.list[0].key] = -1;
            else
                n++;
            o.loads += i >= t->n / 2;
        }
        kept[key] = next[i];
        push(&h, (struct entry){next[i], key});
    }
    free(next);
    free(kept);
    free(h.list);
    return o;
}
