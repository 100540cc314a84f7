/*
 * dirty.c - blocks that were written and are stored nowhere else, and which of them go together.
 *
 * A call that writes touches several blocks. Where some of them were stored and others not, a
 * commit would have a part of the call. So blocks that a call touched are in one *set*, and sets
 * that a later call touches both of become one. If a part of a set is stored, the rest is *urgent*:
 * it has to be stored before the next commit. A set is urgent as a whole, or not.
 *
 * A set is a circle of blocks. Joining two costs as much as the smaller one has blocks.
 *
 * Not here: when they are stored (grid/write/write_back.h).
 *
 * Requires exclusive access, but for `size`, `urgent` and promises, which are atomic.
 */
#include "cache/private.h"

#include "base/checked.h"
#include "base/memory.h"
#include "base/sorted.h"
#include "cache/account.h"

#include <stdlib.h>

// -- sets

void
dirty_init(struct dirty *d, int64_t blocksize, void (*count)(int64_t size))
{
    *d = (struct dirty){.blocksize = blocksize, .count = count};
}

// Bytes that are dirty, or promised.
static int64_t
dirty_total(const struct dirty *d)
{
    return atomic_load(&d->size) + atomic_load(&d->promised);
}

// Bytes of *part, size or promised.
static void
dirty_count(const struct dirty *d, _Atomic int64_t *part, int64_t size)
{
    atomic_fetch_add(part, size);
    if (d->count && size != 0)
        d->count(size);
}

void
dirty_finish(struct dirty *d)
{
    dirty_count(d, &d->size, -atomic_load(&d->size));
}

static void
rename_set(struct cached *b, int64_t name)
{
    struct cached *c = b;
    do {
        c->set = name;
        c = c->ring;
    } while (c != b);
}

static void
make_urgent(struct dirty *d, struct cached *b)
{
    atomic_fetch_add(&d->urgent, b->urgent ? 0 : 1);
    b->urgent = true;
}

static void
make_set_urgent(struct dirty *d, struct cached *b)
{
    struct cached *c = b;
    do {
        make_urgent(d, c);
        c = c->ring;
    } while (c != b);
}

// Two circles become one, with the name of the larger.
static void
join_sets(struct dirty *d, struct cached *a, struct cached *b)
{
    const struct cached *x = a->ring, *y = b->ring;
    if (a->set == b->set)
        return;
    if (a->urgent != b->urgent)
        make_set_urgent(d, a->urgent ? b : a);
    while (x != a && y != b) {
        x = x->ring;
        y = y->ring;
    }
    if (x == a)
        rename_set(a, b->set);
    else
        rename_set(b, a->set);
    struct cached *const after = a->ring;
    a->ring = b->ring;
    b->ring = after;
}

// Those of a block's circle that are dirty still become a circle of their own, and urgent.
static void
split_set(struct dirty *d, struct cached *b)
{
    struct cached *first = NULL, *last = NULL;
    struct cached *c = b, *next;
    do {
        next = c->ring;
        c->ring = c;
        if (c->dirty) {
            make_urgent(d, c);
            if (last)
                last->ring = c;
            else
                first = c;
            last = c;
        }
        c = next;
    } while (c != b);
    if (last)
        last->ring = first;
}

void
dirty_clean(struct dirty *d, struct cached *const *blocks, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct cached *const b = blocks[i];
        dirty_count(d, &d->size, b->dirty ? -d->blocksize : 0);
        atomic_fetch_sub(&d->urgent, b->dirty && b->urgent ? 1 : 0);
        b->dirty = b->urgent = false;
    }
    for (size_t i = 0; i < n; i++)
        if (blocks[i]->ring && blocks[i]->ring != blocks[i])
            split_set(d, blocks[i]);
}

// -- of a cache

int64_t
cache_dirty_max(const struct cache *c)
{
    return c->budget / 4 * 3;
}

// With a shared budget it is less, the more dirty blocks other arrays have.
int64_t
cache_dirty_room(const struct cache *c)
{
    const int64_t most = cache_dirty_max(c);
    return c->shared ? min_i64(most, account_dirty_room(dirty_total(&c->dirty))) : most;
}

int64_t
cache_dirty_size(const struct cache *c)
{
    return atomic_load(&c->dirty.size);
}

bool
cache_promise(struct cache *c, int64_t size)
{
    struct dirty *const d = &c->dirty;
    const int64_t most = cache_dirty_room(c);
    dirty_count(d, &d->promised, size);
    if (dirty_total(d) <= most)
        return true;
    dirty_count(d, &d->promised, -size);
    return false;
}

void
cache_keep_promise(struct cache *c, int64_t size)
{
    dirty_count(&c->dirty, &c->dirty.promised, -size);
}

void
cache_begin_write(struct cache *c)
{
    c->dirty.writes++;
    c->dirty.first = NULL;
}

void
cache_mark_dirty(struct cache *c, struct cached *b)
{
    struct dirty *const d = &c->dirty;
    b->written = d->writes;
    if (!b->dirty) {
        b->dirty = true;
        b->ring = b;
        b->set = ++d->sets;
        dirty_count(d, &d->size, d->blocksize);
    }
    if (d->first)
        join_sets(d, d->first, b);
    else
        d->first = b;
}

void
cache_hurry_write(struct cache *c)
{
    struct dirty *const d = &c->dirty;
    if (d->first && !d->first->urgent)
        make_set_urgent(d, d->first);
}

bool
cache_has_urgent(const struct cache *c)
{
    return atomic_load(&c->dirty.urgent) > 0;
}

static int
by_place(const void *x, const void *y)
{
    const struct cached *const a = *(struct cached *const *)x, *const b =
                                                                   *(struct cached *const *)y;
    if (a->chunk != b->chunk)
        return a->chunk < b->chunk ? -1 : 1;
    return (a->block > b->block) - (a->block < b->block);
}

static int
by_age(const void *x, const void *y)
{
    const struct cached *const a = *(struct cached *const *)x, *const b =
                                                                   *(struct cached *const *)y;
    return (a->written > b->written) - (a->written < b->written);
}

// Dirty blocks, or urgent ones, in no order; NULL: no memory.
static struct cached **
find_dirty(struct cache *c, bool urgent, size_t *n)
{
    const size_t count = (size_t)(atomic_load(&c->dirty.size) / (int64_t)c->blocksize);
    struct cached **const list = mem_alloc((count + 1) * sizeof *list);
    *n = 0;
    if (!list)
        return NULL;
    pthread_mutex_lock(&c->lock);
    for (int64_t i = 0; i < c->memory.n && count > 0; i++) {
        struct cached *const b = c->memory.slots[i];
        if (urgent ? b->urgent : b->dirty)
            list[(*n)++] = b;
    }
    pthread_mutex_unlock(&c->lock);
    return list;
}

static int
by_name(const void *x, const void *y)
{
    const int64_t a = *(const int64_t *)x, b = *(const int64_t *)y;
    return (a > b) - (a < b);
}

// Of n blocks, move those that are in a set with one of the first `first` next to these. How many
// there are then; without memory, no more than the first.
static size_t
complete_sets(struct cached **blocks, size_t first, size_t n)
{
    int64_t *const sets = mem_alloc(first * sizeof *sets + 1);
    size_t count = first;
    if (!sets)
        return first;
    for (size_t i = 0; i < first; i++)
        sets[i] = blocks[i]->set;
    qsort(sets, first, sizeof *sets, by_name);
    for (size_t i = first; i < n; i++)
        if (sorted_has_i64(sets, first, blocks[i]->set))
            blocks[count++] = blocks[i];
    mem_free(sets);
    return count;
}

bool
cache_list_dirty(struct cache *c, int64_t wanted, struct cached ***blocks, size_t *n)
{
    *blocks = find_dirty(c, false, n);
    if (!*blocks)
        return false;
    if (wanted < (int64_t)*n) {
        qsort(*blocks, *n, sizeof(struct cached *), by_age);
        *n = complete_sets(*blocks, (size_t)wanted, *n);
    }
    qsort(*blocks, *n, sizeof(struct cached *), by_place);
    return true;
}

bool
cache_list_urgent(struct cache *c, struct cached ***blocks, size_t *n)
{
    *blocks = find_dirty(c, true, n);
    if (*blocks)
        qsort(*blocks, *n, sizeof(struct cached *), by_place);
    return *blocks != NULL;
}
