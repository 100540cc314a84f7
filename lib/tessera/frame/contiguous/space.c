/*
 * space.c - free extents of a contiguous frame: best fit, joined with their neighbours.
 *
 * Not here: how the smallest one that fits is found (extents.c).
 */
#include "frame/contiguous/space.h"

#include "base/checked.h"
#include "base/memory.h"

static bool
space_reserve(struct extent_list *list)
{
    if (list->count < list->capacity)
        return true;
    const int64_t capacity = list->capacity > 0 ? 2 * list->capacity : 16;
    struct extent *const items = mem_resize(list->items, (size_t)capacity * sizeof *items);
    if (!items)
        return false;
    list->items = items;
    list->capacity = capacity;
    return true;
}

// No memory: the space stays unused.
static void
add_extent(struct extent_list *list, struct extent e)
{
    if (space_reserve(list))
        list->items[list->count++] = e;
}

// What is free at the end lies behind it from here on.
static void
lower_end(struct space *s)
{
    struct extent e;
    if (extents_remove_before(&s->open, s->end, &e))
        s->end = e.start;
}

static void
add_open(struct space *s, struct extent e)
{
    if (s->keeps)
        return;
    (void)extents_join(&s->open, e); // no memory: the space stays unused
    lower_end(s);
}

static void
finish_list(struct extent_list *list)
{
    mem_free(list->items);
    *list = (struct extent_list){0};
}

void
space_finish(struct space *s)
{
    extents_finish(&s->open);
    extents_finish(&s->fresh);
    finish_list(&s->parked);
    finish_list(&s->unsynced);
    finish_list(&s->tail);
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
    add_open(s, e);
}

void
space_forget(struct space *s)
{
    extents_clear(&s->open);
    s->parked.count = s->unsynced.count = 0;
    s->unsynced_size = 0;
}

static bool
space_meets(struct extent a, struct extent b)
{
    return a.size > 0 && b.size > 0 && a.start < b.start + b.size && b.start < a.start + a.size;
}

// Take space behind the end. What is jumped over is index and trailer of states on disk, which come
// back when those are gone, and gaps between them, which are free now.
static int64_t
take_at_end(struct space *s, int64_t size)
{
    const int64_t start = space_place(s, size);
    struct extent gap = {s->end, start - s->end};
    const bool in_order = s->now.start <= s->before.start;
    const struct extent around[2] = {in_order ? s->now : s->before, in_order ? s->before : s->now};
    for (int i = 0; i < 2; i++) {
        if (!space_meets(gap, around[i]))
            continue;
        add_open(s, (struct extent){gap.start, around[i].start - gap.start});
        const int64_t next = around[i].start + around[i].size;
        gap = (struct extent){next, start - next};
    }
    add_open(s, gap);
    s->end = start + size;
    return start;
}

tess_status
space_take(struct space *s, int64_t size, int64_t *start, tess_error *err)
{
    if (!extents_reserve(&s->fresh) || !space_reserve(&s->tail))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an extent");
    if (extents_take(&s->open, size, start)) {
        extents_insert(&s->fresh, (struct extent){*start, size});
    } else {
        *start = take_at_end(s, size);
        add_extent(&s->tail, (struct extent){*start, size});
    }
    return TESS_OK;
}

bool
space_would_grow(const struct space *s, int64_t size)
{
    return !extents_fit(&s->open, size);
}

bool
space_take_hole(struct space *s, int64_t size, int64_t *start)
{
    if (!extents_reserve(&s->fresh) || !extents_take(&s->open, size, start))
        return false;
    extents_insert(&s->fresh, (struct extent){*start, size});
    return true;
}

void
space_park_from(struct space *s, int64_t from)
{
    struct extent e;
    while (extents_next(&s->open, from, &e) && extents_remove(&s->open, e.start, &e))
        add_extent(&s->parked, e);
}

// The extent that was taken behind the end and starts there; NULL: there is none.
static struct extent *
find_tail(const struct space *s, int64_t start)
{
    int64_t low = 0, high = s->tail.count;
    while (low < high) {
        const int64_t middle = low + (high - low) / 2;
        if (s->tail.items[middle].start < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->tail.count || s->tail.items[low].start != start || s->tail.items[low].size == 0)
        return NULL;
    return &s->tail.items[low];
}

static bool
remove_tail(struct space *s, int64_t start, struct extent *e)
{
    struct extent *const found = find_tail(s, start);
    if (!found)
        return false;
    *e = *found;
    found->size = 0;
    while (s->tail.count > 0 && s->tail.items[s->tail.count - 1].size == 0)
        s->tail.count--; // the end may come back to where it was before them
    return true;
}

bool
space_is_new(const struct space *s, int64_t start)
{
    struct extent e;
    return find_tail(s, start) || (extents_next(&s->fresh, start, &e) && e.start == start);
}

// Space at the end was perhaps never written to.
static void
release_end(struct space *s, struct extent e)
{
    if (e.start + e.size == s->end)
        s->end = e.start;
    else // no state had it
        (void)extents_join(&s->open, e);
    lower_end(s);
}

bool
space_release_new(struct space *s, int64_t start)
{
    struct extent e;
    if (!extents_remove(&s->fresh, start, &e) && !remove_tail(s, start, &e))
        return false;
    release_end(s, e);
    return true;
}

void
space_shrink(struct space *s, int64_t start, int64_t size)
{
    struct extent *const tail = find_tail(s, start);
    struct extent e;
    if (tail) {
        e = *tail;
        tail->size = size;
    } else if (extents_remove(&s->fresh, start, &e)) {
        extents_insert(&s->fresh, (struct extent){start, size}); // in the place of the one removed
    } else {
        return;
    }
    release_end(s, (struct extent){start + size, e.size - size});
}

void
space_release(struct space *s, struct extent e)
{
    if (!space_release_new(s, e.start))
        add_extent(&s->parked, e);
}

int64_t
space_place(const struct space *s, int64_t size)
{
    struct extent wanted = {s->end, size};
    for (int pass = 0; pass < 2; pass++) { // past one of them it may meet the other
        if (space_meets(wanted, s->now))
            wanted.start = s->now.start + s->now.size;
        if (space_meets(wanted, s->before))
            wanted.start = s->before.start + s->before.size;
    }
    return wanted.start;
}

// Index and trailer of a state that is gone are free if chunks lie behind them, else simply behind
// the end.
static void
space_give_back(struct space *s, struct extent e)
{
    if (e.start < s->end)
        add_open(s, e);
}

void
space_committed(struct space *s, struct extent placed, bool synced)
{
    space_give_back(s, s->before);
    s->before =
        space_meets(s->now, placed) ? (struct extent){0} : s->now; // empty twice: one trailer
    s->now = placed;
    if (s->keeps) { // nothing below is written to again
        extents_clear(&s->open);
        s->end = max_i64(s->end, placed.start + placed.size);
    }
    extents_clear(&s->fresh);
    s->tail.count = 0;
    for (int64_t i = 0; i < s->parked.count; i++) {
        add_extent(&s->unsynced, s->parked.items[i]);
        s->unsynced_size += s->parked.items[i].size;
    }
    s->parked.count = 0;
    if (synced)
        space_synced(s);
}

void
space_synced(struct space *s)
{
    space_give_back(s, s->before);
    s->before = (struct extent){0};
    for (int64_t i = 0; i < s->unsynced.count; i++)
        add_open(s, s->unsynced.items[i]);
    s->unsynced.count = 0;
    s->unsynced_size = 0;
}

void
space_lease(struct space *s, int64_t size, int64_t *start)
{
    if (!extents_take(&s->open, size, start))
        *start = take_at_end(s, size);
}

void
space_end_lease(struct space *s, struct extent e)
{
    release_end(s, e);
}

bool
space_reserve_adopted(struct space *s, int64_t n)
{
    return extents_reserve_many(&s->fresh, n);
}

void
space_adopt(struct space *s, struct extent e)
{
    extents_insert(&s->fresh, e);
}
