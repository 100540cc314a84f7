/*
 * space.c - free extents of a contiguous frame: best fit, merged with their neighbours.
 */
#include "frame/space.h"

#include "base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool
grow(struct extents *list)
{
    if (list->count < list->capacity)
        return true;
    const int64_t capacity = list->capacity > 0 ? 2 * list->capacity : 16;
    struct extent *const items = realloc(list->items, (size_t)capacity * sizeof *items);
    if (!items)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

// The first extent at or behind `start`.
static int64_t
lower_bound(const struct extents *list, int64_t start)
{
    int64_t low = 0, high = list->count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (list->items[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool
insert(struct extents *list, struct extent e)
{
    if (e.size <= 0)
        return true;
    if (!grow(list))
        return false;
    const int64_t at = lower_bound(list, e.start);
    memmove(list->items + at + 1, list->items + at,
            (size_t)(list->count - at) * sizeof *list->items);
    list->items[at] = e;
    list->count++;
    return true;
}

static void
remove_at(struct extents *list, int64_t at)
{
    list->count--;
    memmove(list->items + at, list->items + at + 1,
            (size_t)(list->count - at) * sizeof *list->items);
}

static void
insert_merged(struct extents *list, struct extent e)
{
    const int64_t at = lower_bound(list, e.start);
    if (at < list->count && list->items[at].start == e.start + e.size) {
        e.size += list->items[at].size;
        remove_at(list, at);
    }
    if (at > 0 && list->items[at - 1].start + list->items[at - 1].size == e.start) {
        list->items[at - 1].size += e.size;
        return;
    }
    (void)insert(list, e); // no memory: the space stays unused
}

static void
move_all(struct extents *from, struct extents *to)
{
    for (int64_t i = 0; i < from->count; i++)
        insert_merged(to, from->items[i]);
    from->count = 0;
}

void
space_finish(struct space *s)
{
    free(s->open.items);
    free(s->parked.items);
    free(s->unsynced.items);
    free(s->fresh.items);
    *s = (struct space){0};
}

void
space_init(struct space *s, int64_t end, struct extent now)
{
    *s = (struct space){.end = end, .now = now};
}

void
space_add(struct space *s, struct extent e)
{
    insert_merged(&s->open, e);
}

void
space_forget(struct space *s)
{
    s->open.count = s->parked.count = s->unsynced.count = 0;
}

static bool
meets(struct extent a, struct extent b)
{
    return a.size > 0 && b.size > 0 && a.start < b.start + b.size && b.start < a.start + a.size;
}

static int64_t
best_fit(const struct extents *list, int64_t size)
{
    int64_t best = -1;
    for (int64_t i = 0; i < list->count; i++)
        if (list->items[i].size >= size &&
            (best < 0 || list->items[i].size < list->items[best].size))
            best = i;
    return best;
}

tess_status
space_take(struct space *s, int64_t size, int64_t *start, tess_error *err)
{
    if (!grow(&s->fresh))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an extent");

    const int64_t at = best_fit(&s->open, size);
    if (at >= 0) {
        struct extent *const e = &s->open.items[at];
        *start = e->start;
        e->start += size;
        e->size -= size;
        if (e->size == 0)
            remove_at(&s->open, at);
    } else {
        *start = space_place(s, size);
        if (*start > s->end) {
            // What was jumped over is index and trailer of states on disk, which come back when
            // those are gone, and gaps between them, which are free now.
            struct extent gap = {s->end, *start - s->end};
            const struct extent low = s->now.start <= s->before.start ? s->now : s->before;
            const struct extent high = s->now.start <= s->before.start ? s->before : s->now;
            const struct extent around[2] = {low, high};
            for (int i = 0; i < 2; i++) {
                if (!meets(gap, around[i]))
                    continue;
                insert_merged(&s->open, (struct extent){gap.start, around[i].start - gap.start});
                const int64_t next = around[i].start + around[i].size;
                gap = (struct extent){next, *start - next};
            }
            insert_merged(&s->open, gap);
        }
        s->end = *start + size;
    }
    (void)insert(&s->fresh, (struct extent){*start, size}); // has room
    return TESS_OK;
}

void
space_release(struct space *s, struct extent e)
{
    const int64_t at = lower_bound(&s->fresh, e.start);
    if (at < s->fresh.count && s->fresh.items[at].start == e.start) {
        remove_at(&s->fresh, at);
        if (e.start + e.size == s->end)
            s->end = e.start; // perhaps nothing was ever written there
        else
            insert_merged(&s->open, e);
    } else {
        insert_merged(&s->parked, e);
    }
}

int64_t
space_place(const struct space *s, int64_t size)
{
    struct extent wanted = {s->end, size};
    for (int pass = 0; pass < 2; pass++) { // past one of them it may meet the other
        if (meets(wanted, s->now))
            wanted.start = s->now.start + s->now.size;
        if (meets(wanted, s->before))
            wanted.start = s->before.start + s->before.size;
    }
    return wanted.start;
}

// Index and trailer of a state that is gone are free if chunks lie behind them, else simply behind
// the end.
static void
give_back(struct space *s, struct extent e)
{
    if (e.start < s->end)
        insert_merged(&s->open, e);
}

void
space_committed(struct space *s, struct extent placed, bool synced)
{
    give_back(s, s->before);
    s->before = meets(s->now, placed) ? (struct extent){0} : s->now; // empty twice: one trailer
    s->now = placed;
    s->fresh.count = 0;
    move_all(&s->parked, &s->unsynced);
    if (synced)
        space_synced(s);
}

void
space_synced(struct space *s)
{
    give_back(s, s->before);
    s->before = (struct extent){0};
    move_all(&s->unsynced, &s->open);
}
