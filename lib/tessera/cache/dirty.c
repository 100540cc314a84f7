/*
 * dirty.c - blocks that were written and are stored nowhere else, and which of them go together.
 */
#include "cache/dirty.h"

#include "cache/cache.h"

void
dirty_init(struct dirty *d, int64_t blocksize, void (*count)(int64_t size))
{
    *d = (struct dirty){.blocksize = blocksize, .count = count};
}

int64_t
dirty_total(const struct dirty *d)
{
    return atomic_load(&d->size) + atomic_load(&d->promised);
}

// Bytes of *part, size or promised.
static void
add(const struct dirty *d, _Atomic int64_t *part, int64_t size)
{
    atomic_fetch_add(part, size);
    if (d->count && size != 0)
        d->count(size);
}

void
dirty_finish(struct dirty *d)
{
    add(d, &d->size, -atomic_load(&d->size));
}

void
dirty_begin(struct dirty *d)
{
    d->writes++;
    d->first = NULL;
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

void
dirty_mark(struct dirty *d, struct cached *b)
{
    b->written = d->writes;
    if (!b->dirty) {
        b->dirty = true;
        b->ring = b;
        b->set = ++d->sets;
        add(d, &d->size, d->blocksize);
    }
    if (d->first)
        join_sets(d, d->first, b);
    else
        d->first = b;
}

void
dirty_hurry(struct dirty *d)
{
    if (d->first && !d->first->urgent)
        make_set_urgent(d, d->first);
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
        add(d, &d->size, b->dirty ? -d->blocksize : 0);
        atomic_fetch_sub(&d->urgent, b->dirty && b->urgent ? 1 : 0);
        b->dirty = b->urgent = false;
    }
    for (size_t i = 0; i < n; i++)
        if (blocks[i]->ring && blocks[i]->ring != blocks[i])
            split_set(d, blocks[i]);
}

bool
dirty_promise(struct dirty *d, int64_t size, int64_t most)
{
    add(d, &d->promised, size);
    if (dirty_total(d) <= most)
        return true;
    add(d, &d->promised, -size);
    return false;
}

void
dirty_keep(struct dirty *d, int64_t size)
{
    add(d, &d->promised, -size);
}
