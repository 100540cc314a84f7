/*
 * orthogonal.c - all combinations of lists of indices, one per axis, as a selection.
 *
 * Along an axis, the picks of a chunk or block stand together; a part is a combination of such
 * ranges (selection.c).
 */
#include "select/selection.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "select/private.h"

#include <inttypes.h>
#include <stdlib.h>

// -- parts

static struct reach
axes_reach_of(const struct selection *s, const struct part *block)
{
    struct reach r = {.stop = 1, .npicks = 1};
    for (int i = 0; i < s->grid->g.ndim; i++) {
        const struct axis *const x = &s->axis[i];
        const struct axis_pick *const last = &x->picks[block->stop[i] - 1];
        r.first += x->picks[block->first[i]].item * x->item_step;
        r.stop += (last->item + last->length - 1) * x->item_step;
        r.npicks *= block->stop[i] - block->first[i];
    }
    return r;
}

static void
axes_begin_picks(struct picks *p)
{
    for (int i = 0; i < p->s->grid->g.ndim; i++)
        p->now[i] = p->block->first[i];
}

// The next combination of all axes but the last.
static bool
axes_turn(struct picks *p, int axis)
{
    while (--axis >= 0) {
        if (++p->now[axis] < p->block->stop[axis])
            return true;
        p->now[axis] = p->block->first[axis];
    }
    return false;
}

// Combinations of the picks along all axes.
static void
axes_next_picks(struct picks *p)
{
    const struct axis *const axis = p->s->axis;
    const int last = p->s->grid->g.ndim - 1;

    while (p->more && p->n < PICKS_MAX) {
        struct pick base = {.length = 1};
        for (int i = 0; i < last; i++) {
            const struct axis_pick *const pick = &axis[i].picks[p->now[i]];
            base.item += pick->item * axis[i].item_step;
            base.at += pick->at * axis[i].at_step;
        }
        if (last < 0) { // a single item
            p->list[p->n++] = base;
            p->more = false;
            return;
        }
        for (; p->n < PICKS_MAX && p->now[last] < p->block->stop[last]; p->now[last]++) {
            const struct axis_pick *const pick = &axis[last].picks[p->now[last]];
            p->list[p->n++] = (struct pick){base.item + pick->item,
                                            base.at + pick->at * axis[last].at_step, pick->length};
        }
        if (p->now[last] == p->block->stop[last]) {
            p->now[last] = p->block->first[last];
            p->more = axes_turn(p, last);
        }
    }
}

static void
axes_finish(struct selection *s)
{
    for (int i = 0; i < NDIM_MAX; i++)
        mem_free(s->axis[i].picks);
}

static const struct selection_kind kind = {
    .chunk = cells_chunk,
    .block = cells_block,
    .reach = axes_reach_of,
    .picks_begin = axes_begin_picks,
    .picks_next = axes_next_picks,
    .finish = axes_finish,
};

// -- from lists of indices

// An index and its place in the list.
struct entry {
    int64_t index, at;
};

static int
by_index(const void *x, const void *y)
{
    const struct entry *const a = x, *const b = y;
    if (a->index != b->index)
        return a->index < b->index ? -1 : 1;
    return (a->at > b->at) - (a->at < b->at);
}

static bool
continues(const struct axis_pick *last, const struct place *place, int64_t at)
{
    return place->chunk == last->chunk && place->block == last->block &&
           place->item == last->item + last->length && at == last->at + last->length;
}

// Sorted picks of an axis from its sorted list. Returns the number of blocks they meet.
static int64_t
pick_along(const struct selection *s, int axis, const struct entry *list, int64_t n, bool join,
           struct axis *x)
{
    struct place before = {-1, -1, -1};
    int64_t nblocks = 0;

    for (int64_t i = 0; i < n; i++) {
        const struct place place = selection_locate(s, axis, list[i].index);
        nblocks += place.chunk != before.chunk || place.block != before.block;
        before = place;
        if (join && x->n > 0 && continues(&x->picks[x->n - 1], &place, list[i].at))
            x->picks[x->n - 1].length++;
        else
            x->picks[x->n++] =
                (struct axis_pick){place.chunk, place.block, place.item, list[i].at, 1};
    }
    return nblocks;
}

// Index i of the list stands for first + i * step.
struct axis_list {
    int64_t n;
    const int64_t *indices;
    int64_t first, step;
};

static tess_status
add_axis(struct selection *s, int axis, const struct axis_list *from, tess_error *err)
{
    struct axis *const x = &s->axis[axis];
    const int64_t n = from->n;
    struct entry *list = NULL;
    size_t size;

    if (to_size(n, &size) && size <= SIZE_MAX / 2 / sizeof *x->picks) {
        list = mem_alloc(size * sizeof *list);
        x->picks = mem_alloc(size * sizeof *x->picks);
    }
    if (!list || !x->picks) {
        mem_free(list);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " indices", n);
    }
    bool sorted = true;
    for (int64_t i = 0; i < n; i++) {
        list[i] = (struct entry){from->first + from->indices[i] * from->step, i};
        sorted &= i == 0 || list[i - 1].index <= list[i].index;
    }
    if (!sorted)
        qsort(list, size, sizeof *list, by_index);
    const bool join = axis == s->grid->g.ndim - 1 && x->at_step == 1;
    const int64_t nblocks = pick_along(s, axis, list, n, join, x);
    mem_free(list);
    if (!mul_i64(s->nblocks, nblocks, &s->nblocks))
        s->nblocks = INT64_MAX;
    return TESS_OK;
}

// New axes of a view have one index, which may be chosen any number of times.
static void
add_copies(struct selection *s, int64_t count, int64_t at_step)
{
    s->copies[s->nnew] = count;
    s->copy_step[s->nnew++] = at_step;
    s->ncopies *= count;
}

static tess_status
axes_add_all(struct selection *s, const struct index_map *map, const int64_t *counts,
             const int64_t *const *indices, tess_error *err)
{
    static const int64_t zero = 0;
    struct axis_list list[NDIM_MAX];
    tess_status st = TESS_OK;

    for (int i = 0; i < map->base_ndim; i++)
        list[i] = (struct axis_list){1, &zero, map->first[i], 1};
    int64_t at_step = 1, item_step = 1;
    for (int i = map->ndim - 1; i >= 0; i--) {
        const int b = map->axis[i];
        if (b < 0) {
            add_copies(s, counts[i], at_step);
        } else {
            list[b].n = counts[i];
            list[b].indices = indices[i];
            list[b].step = map->step[b];
            s->axis[b].at_step = at_step;
        }
        at_step *= counts[i];
    }
    for (int i = map->base_ndim - 1; i >= 0 && st == TESS_OK; i--) {
        s->axis[i].item_step = item_step;
        item_step *= s->cell[i];
        st = add_axis(s, i, &list[i], err);
    }
    return st;
}

tess_status
selection_of_axes(struct selection *s, const struct chunk_grid *grid, const struct index_map *map,
                  const int64_t *counts, const int64_t *const *indices, tess_error *err)
{
    selection_begin(s, &kind, grid);
    s->nblocks = 1;
    const tess_status st = axes_add_all(s, map, counts, indices, err);
    if (st != TESS_OK)
        selection_finish(s);
    return st;
}
