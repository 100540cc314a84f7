/*
 * queues.c - policies that keep blocks in queues, as their papers have them.
 *
 * LRU. CLOCK: first in, first out, but who was used gets another round. 2Q: Johnson and Shasha,
 * VLDB 1994, with a quarter of the blocks in A1in and keys for half of them in A1out. S3-FIFO: Yang
 * et al., SOSP 2023, a tenth in the small queue. W-TinyLFU: Einziger, Friedman and Manes, ACM
 * Transactions on Storage 2017, a hundredth in the window, four fifths of the rest protected, and
 * exact counts instead of a sketch.
 */
#include "lists.h"
#include "simulate.h"

#include <stdbool.h>

static int32_t
share(int32_t nblocks, int percent)
{
    const int32_t n = (int32_t)((int64_t)nblocks * percent / 100);
    return n > 0 ? n : 1;
}

static bool
counts(const struct trace *t, int64_t i)
{
    return i >= t->n / 2;
}

static void
drop_last(struct lists *l, int list)
{
    lists_remove(l, lists_last(l, list));
}

struct outcome
simulate_lru(const struct trace *t, int32_t nblocks)
{
    struct outcome o = {0};
    struct lists l;

    lists_init(&l, t->nkeys);
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t key = t->keys[i];
        const bool hit = l.in[key] != IN_NONE;
        if (!hit && l.length[0] == nblocks)
            drop_last(&l, 0);
        lists_push(&l, 0, key);
        if (counts(t, i))
            *(hit ? &o.hits : &o.loads) += 1;
    }
    lists_finish(&l);
    return o;
}

// The last of a list leaves, if it was not used; those that were go to its front.
static void
drop_unused(struct lists *l, int list)
{
    int32_t key;
    while (l->count[key = lists_last(l, list)] > 0) {
        l->count[key]--;
        lists_push(l, list, key);
    }
    lists_remove(l, key);
}

struct outcome
simulate_clock(const struct trace *t, int32_t nblocks)
{
    struct outcome o = {0};
    struct lists l;

    lists_init(&l, t->nkeys);
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t key = t->keys[i];
        if (l.in[key] != IN_NONE) {
            l.count[key] = 1;
            o.hits += counts(t, i);
            continue;
        }
        if (l.length[0] == nblocks)
            drop_unused(&l, 0);
        lists_push(&l, 0, key);
        o.loads += counts(t, i);
    }
    lists_finish(&l);
    return o;
}

struct outcome
simulate_2q(const struct trace *t, int32_t nblocks)
{
    enum { MAIN, IN, OUT };
    const int32_t in_most = share(nblocks, 25), out_most = share(nblocks, 50);
    struct outcome o = {0};
    struct lists l;

    lists_init(&l, t->nkeys);
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t key = t->keys[i];
        if (l.in[key] == MAIN)
            lists_push(&l, MAIN, key);
        if (l.in[key] == MAIN || l.in[key] == IN) {
            o.hits += counts(t, i);
            continue;
        }
        o.loads += counts(t, i);
        const int to = l.in[key] == OUT ? MAIN : IN;
        lists_remove(&l, key);
        if (l.length[MAIN] + l.length[IN] == nblocks) {
            if (l.length[IN] > in_most || l.length[MAIN] == 0) {
                lists_push(&l, OUT, lists_last(&l, IN));
                if (l.length[OUT] > out_most)
                    drop_last(&l, OUT);
            } else {
                drop_last(&l, MAIN);
            }
        }
        lists_push(&l, to, key);
    }
    lists_finish(&l);
    return o;
}

enum { S3_MAIN, S3_SMALL, S3_GHOSTS };

// One block leaves, from the small queue if that is full: used ones go on to the main queue.
static void
s3_make_room(struct lists *l, int32_t small_most, int32_t ghosts_most)
{
    while (l->length[S3_SMALL] >= small_most || l->length[S3_MAIN] == 0) {
        const int32_t key = lists_last(l, S3_SMALL);
        const bool used = l->count[key] > 1;
        l->count[key] = 0;
        if (used) {
            lists_push(l, S3_MAIN, key);
            continue;
        }
        lists_push(l, S3_GHOSTS, key);
        if (l->length[S3_GHOSTS] > ghosts_most)
            drop_last(l, S3_GHOSTS);
        return;
    }
    drop_unused(l, S3_MAIN);
}

struct outcome
simulate_s3fifo(const struct trace *t, int32_t nblocks)
{
    enum { USES_MAX = 3 };
    const int32_t small_most = share(nblocks, 10);
    struct outcome o = {0};
    struct lists l;

    lists_init(&l, t->nkeys);
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t key = t->keys[i];
        if (l.in[key] == S3_MAIN || l.in[key] == S3_SMALL) {
            if (l.count[key] < USES_MAX)
                l.count[key]++;
            o.hits += counts(t, i);
            continue;
        }
        o.loads += counts(t, i);
        const int to = l.in[key] == S3_GHOSTS ? S3_MAIN : S3_SMALL;
        lists_remove(&l, key);
        while (l.length[S3_MAIN] + l.length[S3_SMALL] >= nblocks)
            s3_make_room(&l, small_most, nblocks - small_most);
        l.count[key] = 0;
        lists_push(&l, to, key);
    }
    lists_finish(&l);
    return o;
}

enum { LFU_WINDOW, LFU_TRIAL, LFU_PROTECTED };

// The oldest of the window goes on to the main part, if it was asked for more often than what would
// have to leave there.
static void
lfu_leave_window(struct lists *l, int32_t main_most)
{
    const int32_t key = lists_last(l, LFU_WINDOW);
    if (l->length[LFU_TRIAL] + l->length[LFU_PROTECTED] < main_most) {
        lists_push(l, LFU_TRIAL, key);
        return;
    }
    const int32_t victim = lists_last(l, l->length[LFU_TRIAL] > 0 ? LFU_TRIAL : LFU_PROTECTED);
    if (l->count[key] > l->count[victim]) {
        lists_remove(l, victim);
        lists_push(l, LFU_TRIAL, key);
    } else {
        lists_remove(l, key);
    }
}

static void
lfu_hit(struct lists *l, int32_t key, int32_t protected_most)
{
    if (l->in[key] == LFU_WINDOW) {
        lists_push(l, LFU_WINDOW, key);
        return;
    }
    lists_push(l, LFU_PROTECTED, key);
    if (l->length[LFU_PROTECTED] > protected_most)
        lists_push(l, LFU_TRIAL, lists_last(l, LFU_PROTECTED));
}

struct outcome
simulate_wtinylfu(const struct trace *t, int32_t nblocks)
{
    enum { COUNT_MAX = 15, SAMPLE = 10 }; // counts are halved after so many budgets of accesses
    const int32_t window_most = share(nblocks, 1), main_most = nblocks - window_most;
    struct outcome o = {0};
    int64_t age = 0;
    struct lists l;

    lists_init(&l, t->nkeys);
    for (int64_t i = 0; i < t->n; i++) {
        const int32_t key = t->keys[i];
        if (l.count[key] < COUNT_MAX)
            l.count[key]++;
        if (++age == (int64_t)SAMPLE * nblocks) {
            age /= 2;
            for (int32_t k = 0; k < t->nkeys; k++)
                l.count[k] /= 2;
        }
        if (l.in[key] != IN_NONE) {
            lfu_hit(&l, key, share(main_most, 80));
            o.hits += counts(t, i);
            continue;
        }
        o.loads += counts(t, i);
        lists_push(&l, LFU_WINDOW, key);
        if (l.length[LFU_WINDOW] > window_most)
            lfu_leave_window(&l, main_most);
    }
    lists_finish(&l);
    return o;
}
