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
    extents_finish(&s->bodies);
    finish_list(&s->parked);
    finish_list(&s->unsynced);
    finish_list(&s->waiting);
    finish_list(&s->settled);
    finish_list(&s->tail);
    *s = (struct space){0};
}

void
space_init(struct space *s, int64_t end, struct extent now)
{
    *s = (struct space){.end = end, .now = now};
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

// Index and trailer of a state on the disk, or held, that meet an extent: of several the first one.
// False: there are none.
static bool
first_body(const struct space *s, struct extent where, struct extent *body)
{
    const struct extent states[] = {s->now, s->before};
    bool found = extents_at(&s->bodies, where.start, body);
    if (!found)
        found = extents_next(&s->bodies, where.start, body) && space_meets(where, *body);
    for (int i = 0; i < 2; i++)
        if (space_meets(where, states[i]) && (!found || states[i].start < body->start)) {
            *body = states[i];
            found = true;
        }
    return found;
}

// Of an extent, what is no index or trailer of a state is free.
static void
add_between(struct space *s, struct extent gap)
{
    struct extent body;
    const int64_t end = gap.start + gap.size;
    while (gap.size > 0 && first_body(s, gap, &body)) {
        add_open(s, (struct extent){gap.start, body.start - gap.start});
        const int64_t next = body.start + body.size;
        gap = (struct extent){next, end - next};
    }
    add_open(s, gap);
}

void
space_add(struct space *s, struct extent e)
{
    add_between(s, e);
}

// Take space behind the end. What is jumped over is index and trailer of states on disk, which come
// back when those are gone, and gaps between them, which are free now.
static int64_t
take_at_end(struct space *s, int64_t size)
{
    const int64_t start = space_place(s, size);
    add_between(s, (struct extent){s->end, start - s->end});
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
    struct extent wanted = {s->end, size}, body;
    while (first_body(s, wanted, &body))
        wanted.start = body.start + body.size;
    return wanted.start;
}

// False: no memory. A state may be held as the one on the disk and as that of an older commit.
static bool
hold_body(struct space *s, struct extent e)
{
    struct extent there;
    if (extents_at(&s->bodies, e.start, &there) && there.start == e.start)
        return true;
    if (!extents_reserve(&s->bodies))
        return false;
    extents_insert(&s->bodies, e);
    return true;
}

// The trailer of an empty state, and of those that were held in its place: the longest one counts.
static void
hold_empty(struct space *s, struct extent e)
{
    struct extent there;
    if (extents_at(&s->bodies, e.start, &there) && there.start == e.start &&
        extents_remove(&s->bodies, e.start, &there))
        e.size = max_i64(e.size, there.size);
    if (e.size > 0 && !hold_body(s, e)) // nothing is written there, or in front of it
        s->end = max_i64(s->end, e.start + e.size);
}

// Index and trailer of a state that is gone are free if chunks lie behind them, else simply behind
// the end.
static void
space_give_back(struct space *s, struct extent e)
{
    if (s->holds && e.size > 0) {
        if (!hold_body(s, e)) // nothing is written there, or in front of it
            s->end = max_i64(s->end, e.start + e.size);
    } else if (e.start < s->end) {
        add_open(s, e);
    }
}

void
space_committed(struct space *s, struct extent placed, bool synced)
{
    const bool empty_twice = space_meets(s->now, placed); // one trailer
    space_give_back(s, s->before);
    if (empty_twice && s->holds)
        hold_empty(s, s->now);
    s->before = empty_twice ? (struct extent){0} : s->now;
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

enum { BODY_SETTLED = 1 }; // the owner of one that was let go

// What was let go is free.
static void
free_settled(struct space *s)
{
    struct extent e;
    for (int64_t i = 0; i < s->settled.count; i++)
        add_open(s, s->settled.items[i]);
    s->settled.count = 0;
    s->settled_size = 0;
    for (int64_t from = 0; extents_next(&s->bodies, from, &e); from = e.start + e.size)
        if (extents_owner(&s->bodies, e.start) == BODY_SETTLED) {
            (void)extents_remove(&s->bodies, e.start, &e);
            if (e.start >= s->known && e.start < s->end)
                add_open(s, e);
        }
}

void
space_synced(struct space *s)
{
    free_settled(s);
    space_give_back(s, s->before);
    s->before = (struct extent){0};
    for (int64_t i = 0; i < s->unsynced.count; i++)
        if (s->holds)
            add_extent(&s->waiting, s->unsynced.items[i]);
        else
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

// -- what is held

void
space_hold(struct space *s)
{
    s->holds = true;
}

void
space_hold_now(struct space *s)
{
    hold_empty(s, s->now);
}

void
space_let_go(struct space *s, bool (*needed)(const void *user, struct extent e), const void *user)
{
    struct extent e;
    int64_t kept = 0;
    for (int64_t i = 0; i < s->unsynced.count; i++)
        add_extent(&s->waiting, s->unsynced.items[i]);
    s->unsynced.count = 0;
    s->unsynced_size = 0;
    space_give_back(s, s->before);
    s->before = (struct extent){0};
    for (int64_t i = 0; i < s->waiting.count; i++) {
        if (needed(user, s->waiting.items[i])) {
            s->waiting.items[kept++] = s->waiting.items[i];
        } else {
            add_extent(&s->settled, s->waiting.items[i]);
            s->settled_size += s->waiting.items[i].size;
        }
    }
    s->waiting.count = kept;
    for (int64_t from = 0; extents_next(&s->bodies, from, &e); from = e.start + e.size)
        if (!needed(user, e) && extents_remove(&s->bodies, e.start, &e))
            extents_insert_of(&s->bodies, e, BODY_SETTLED); // in the place of the one removed
    s->holds = false;
}

tess_status
space_hold_chunk(struct space *s, struct extent e, tess_error *err)
{
    if (!space_reserve(&s->waiting))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an extent");
    add_extent(&s->waiting, e);
    return TESS_OK;
}

tess_status
space_hold_body(struct space *s, struct extent e, tess_error *err)
{
    return hold_body(s, e) ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for an extent");
}

int64_t
space_held_end(const struct space *s)
{
    struct extent e;
    int64_t end = s->end;
    for (int64_t from = 0; extents_next(&s->bodies, from, &e); from = e.start + e.size)
        end = max_i64(end, e.start + e.size);
    return end;
}
