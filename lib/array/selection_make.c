/*
 * selection_make.c - from what a caller chose to sorted picks.
 */
#include "array/selection.h"

#include "array/view.h"
#include "base/checked.h"

#include <inttypes.h>
#include <stdlib.h>

// Where along an axis an index is.
struct place {
    int64_t chunk, block, item;
};

void
selection_begin(struct selection *s, const tess_array *a)
{
    const struct geometry *const g = &a->g;
    const bool whole = a->plain || a->linear;
    *s = (struct selection){.a = a, .ncopies = 1};
    for (int i = 0; i < g->ndim; i++) {
        s->cell[i] = whole ? g->chunkshape[i] : g->blockshape[i];
        s->cells[i] = whole ? 1 : g->bgrid[i];
    }
}

static struct place
locate(const struct selection *s, int axis, int64_t index)
{
    const tess_array *const a = s->a;
    if (a->plain) { // chunks may be of any size
        const int64_t chunk = plain_chunk_at(a, index * a->g.typesize);
        return (struct place){chunk, 0, index - plain_chunk_start(a, chunk) / a->g.typesize};
    }
    const int64_t chunk = index / a->g.chunkshape[axis];
    const int64_t rest = index - chunk * a->g.chunkshape[axis];
    const int64_t block = rest / s->cell[axis];
    return (struct place){chunk, block, rest - block * s->cell[axis]};
}

// `a` is the array that the coordinates are of, or a view of it.
static struct point
point_at(const struct selection *s, const tess_array *a, const int64_t *coords, int64_t at)
{
    const int64_t *const index = coords + at * a->g.ndim;
    struct point p = {.at = at};
    for (int i = 0; i < s->a->g.ndim; i++) {
        const struct place place =
            locate(s, i, a->view ? view_index(a->view, a->g.ndim, i, index) : index[i]);
        p.chunk = p.chunk * s->a->g.grid[i] + place.chunk;
        p.block = (int32_t)(p.block * s->cells[i] + place.block);
        p.item = (int32_t)(p.item * s->cell[i] + place.item);
    }
    return p;
}

enum key { KEY_ITEM, KEY_BLOCK, KEY_CHUNK };

static int64_t
key_of(const struct point *p, enum key key)
{
    return key == KEY_CHUNK ? p->chunk : key == KEY_BLOCK ? p->block : p->item;
}

// Sort by one byte of a key. Points that are equal in it keep their order.
static void
sort_by_byte(const struct point *from, struct point *to, int64_t n, enum key key, int shift)
{
    int64_t start[256] = {0}, sum = 0;

    for (int64_t i = 0; i < n; i++)
        start[key_of(&from[i], key) >> shift & 0xff]++;
    for (int i = 0; i < 256; i++) {
        const int64_t count = start[i];
        start[i] = sum;
        sum += count;
    }
    for (int64_t i = 0; i < n; i++)
        to[start[key_of(&from[i], key) >> shift & 0xff]++] = from[i];
}

// Sort by one key, byte after byte from the lowest. *points and *spare may change places.
static void
sort_by(struct point **points, struct point **spare, int64_t n, enum key key)
{
    int64_t bits = 0; // that are set in any
    for (int64_t i = 0; i < n; i++)
        bits |= key_of(&(*points)[i], key);
    for (int shift = 0; bits >> shift > 0; shift += 8) {
        sort_by_byte(*points, *spare, n, key, shift);
        struct point *const sorted = *spare;
        *spare = *points;
        *points = sorted;
        if (shift == 56)
            return;
    }
}

static bool
before(const struct point *p, const struct point *q)
{
    return p->chunk < q->chunk || (p->chunk == q->chunk && p->block < q->block);
}

static int64_t
count_blocks(const struct point *points, int64_t n)
{
    int64_t count = 1;
    for (int64_t i = 1; i < n; i++)
        count += before(&points[i - 1], &points[i]);
    return count;
}

tess_status
selection_of_points(struct selection *s, const tess_array *a, int64_t npoints,
                    const int64_t *coords, tess_error *err)
{
    const tess_array *const base = view_base_const(a);
    const bool by_item = base->plain || base->linear; // read in order
    struct point *points = NULL, *spare = NULL;
    size_t size;

    *s = (struct selection){0};
    const tess_status st = view_check(a, err);
    if (st != TESS_OK)
        return st;
    selection_begin(s, base);
    if (to_size(npoints, &size) && size <= SIZE_MAX / 2 / sizeof *points) {
        points = malloc(size * sizeof *points);
        spare = malloc(size * sizeof *spare);
    }
    if (!points || !spare) {
        free(points);
        free(spare);
        *s = (struct selection){0};
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " points", npoints);
    }
    for (int64_t i = 0; i < npoints; i++)
        points[i] = point_at(s, a, coords, i);
    if (by_item)
        sort_by(&points, &spare, npoints, KEY_ITEM);
    sort_by(&points, &spare, npoints, KEY_BLOCK);
    sort_by(&points, &spare, npoints, KEY_CHUNK);
    free(spare);
    s->points = points;
    s->npoints = npoints;
    s->nblocks = count_blocks(points, npoints);
    return TESS_OK;
}

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
        const struct place place = locate(s, axis, list[i].index);
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
        list = malloc(size * sizeof *list);
        x->picks = malloc(size * sizeof *x->picks);
    }
    if (!list || !x->picks) {
        free(list);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " indices", n);
    }
    bool sorted = true;
    for (int64_t i = 0; i < n; i++) {
        list[i] = (struct entry){from->first + from->indices[i] * from->step, i};
        sorted &= i == 0 || list[i - 1].index <= list[i].index;
    }
    if (!sorted)
        qsort(list, size, sizeof *list, by_index);
    const bool join = axis == s->a->g.ndim - 1 && x->at_step == 1;
    const int64_t nblocks = pick_along(s, axis, list, n, join, x);
    free(list);
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
add_axes(struct selection *s, const tess_array *a, const int64_t *counts,
         const int64_t *const *indices, tess_error *err)
{
    static const int64_t zero = 0;
    const tess_array *const base = s->a;
    struct axis_list list[NDIM_MAX];
    tess_status st = TESS_OK;

    for (int i = 0; i < base->g.ndim; i++)
        list[i] = (struct axis_list){1, &zero, a->view ? a->view->first[i] : 0, 1};
    int64_t at_step = 1, item_step = 1;
    for (int i = a->g.ndim - 1; i >= 0; i--) {
        const int b = a->view ? a->view->axis[i] : i;
        if (b < 0) {
            add_copies(s, counts[i], at_step);
        } else {
            list[b].n = counts[i];
            list[b].indices = indices[i];
            list[b].step = a->view ? a->view->step[b] : 1;
            s->axis[b].at_step = at_step;
        }
        at_step *= counts[i];
    }
    for (int i = base->g.ndim - 1; i >= 0 && st == TESS_OK; i--) {
        s->axis[i].item_step = item_step;
        item_step *= s->cell[i];
        st = add_axis(s, i, &list[i], err);
    }
    return st;
}

tess_status
selection_of_axes(struct selection *s, const tess_array *a, const int64_t *counts,
                  const int64_t *const *indices, tess_error *err)
{
    *s = (struct selection){0};
    tess_status st = view_check(a, err);
    if (st != TESS_OK)
        return st;
    selection_begin(s, view_base_const(a));
    s->nblocks = 1;
    st = add_axes(s, a, counts, indices, err);
    if (st != TESS_OK)
        selection_finish(s);
    return st;
}

int64_t
selection_copy(const struct selection *s, int64_t n)
{
    int64_t at = 0;
    for (int i = 0; i < s->nnew; i++) {
        at += n % s->copies[i] * s->copy_step[i];
        n /= s->copies[i];
    }
    return at;
}
