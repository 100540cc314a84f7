/*
 * turns.c - calls that change the same chunk take turns; others run at the same time.
 *
 * The turns of all calls are a list in the order in which they came, few enough to look at all.
 */
#include "grid/write/turns.h"

#include "base/memory.h"
#include "base/sorted.h"
#include "task/gate.h"

#include <stdatomic.h>

struct turns {
    struct waitlock lock; // for the list
    struct turn *first;
    atomic_int count; // of them; changes with the lock held
    atomic_bool met; // there were several at the same time
};

struct turns *
turns_new(void)
{
    struct turns *const t = mem_aligned(WAITLOCK_LINE, sizeof *t);
    if (!t)
        return NULL;
    waitlock_init(&t->lock);
    t->first = NULL;
    atomic_init(&t->count, 0);
    atomic_init(&t->met, false);
    return t;
}

void
turns_free(struct turns *t)
{
    if (!t)
        return;
    waitlock_finish(&t->lock);
    mem_free(t);
}

void
turn_of_box(struct turn *turn, const struct geometry *g, const struct box *box)
{
    turn->list = NULL;
    turn->n = 0;
    for (int i = 0; i < g->ndim; i++) {
        turn->lo[i] = g->chunkshape[i] > 0 ? box->start[i] / g->chunkshape[i] : 0;
        turn->hi[i] = g->chunkshape[i] > 0 ? (box->stop[i] - 1) / g->chunkshape[i] : INT64_MAX;
    }
}

void
turn_of_all(struct turn *turn, const struct geometry *g)
{
    turn->list = NULL;
    turn->n = 0;
    for (int i = 0; i < g->ndim; i++) {
        turn->lo[i] = 0;
        turn->hi[i] = INT64_MAX;
    }
}

void
turn_of_list(struct turn *turn, const int64_t *list, size_t n)
{
    static const int64_t nothing;
    turn->list = list ? list : &nothing;
    turn->n = n;
}

static bool
box_has(const struct geometry *g, const struct turn *box, int64_t chunk)
{
    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t at = chunk % g->grid[i];
        if (at < box->lo[i] || at > box->hi[i])
            return false;
        chunk /= g->grid[i];
    }
    return true;
}

bool
turn_has(const struct turn *turn, const struct geometry *g, int64_t chunk)
{
    return turn->list ? sorted_has_i64(turn->list, turn->n, chunk) : box_has(g, turn, chunk);
}

static bool
boxes_meet(const struct geometry *g, const struct turn *x, const struct turn *y)
{
    for (int i = 0; i < g->ndim; i++)
        if (x->hi[i] < y->lo[i] || y->hi[i] < x->lo[i])
            return false;
    return true;
}

static bool
turns_meet(const struct geometry *g, const struct turn *x, const struct turn *y)
{
    if (!x->list && !y->list)
        return boxes_meet(g, x, y);
    const bool by_x = x->list && (!y->list || x->n <= y->n);
    const struct turn *const list = by_x ? x : y;
    for (size_t i = 0; i < list->n; i++)
        if (turn_has(by_x ? y : x, g, list->list[i]))
            return true;
    return false;
}

// Whether a turn that came earlier has one of its chunks.
static bool
must_wait(const struct turns *t, const struct geometry *g, const struct turn *turn)
{
    for (const struct turn *other = t->first; other != turn; other = other->next)
        if (turns_meet(g, turn, other))
            return true;
    return false;
}

static void
append(struct turns *t, struct turn *turn)
{
    struct turn **end = &t->first;
    while (*end)
        end = &(*end)->next;
    turn->next = NULL;
    *end = turn;
    if (atomic_fetch_add(&t->count, 1) > 0)
        atomic_store(&t->met, true);
}

void
turns_begin(struct turns *t, const struct geometry *g, struct turn *turn)
{
    if (!t)
        return;
    waitlock_lock(&t->lock);
    append(t, turn);
    while (must_wait(t, g, turn))
        waitlock_wait(&t->lock);
    waitlock_unlock(&t->lock);
}

static bool
is_chunk_taken(const struct turns *t, const struct geometry *g, int64_t chunk)
{
    for (const struct turn *turn = t->first; turn; turn = turn->next)
        if (turn_has(turn, g, chunk))
            return true;
    return false;
}

size_t
turns_begin_free(struct turns *t, const struct geometry *g, struct turn *turn, int64_t *list,
                 size_t n)
{
    size_t left = 0;
    waitlock_lock(&t->lock);
    for (size_t i = 0; i < n; i++)
        if (!is_chunk_taken(t, g, list[i]))
            list[left++] = list[i];
    turn_of_list(turn, list, left);
    if (left > 0)
        append(t, turn);
    waitlock_unlock(&t->lock);
    return left;
}

void
turns_end(struct turns *t, struct turn *turn)
{
    if (!t)
        return;
    waitlock_lock(&t->lock);
    struct turn **link = &t->first;
    while (*link != turn)
        link = &(*link)->next;
    *link = turn->next;
    atomic_fetch_sub(&t->count, 1);
    waitlock_changed(&t->lock);
    waitlock_wake_all(&t->lock);
    waitlock_unlock(&t->lock);
}

bool
turns_are_shared(const struct turns *t)
{
    return t && atomic_load(&t->count) > 1;
}

bool
turns_were_shared(const struct turns *t)
{
    return t && atomic_load(&t->met);
}
