/*
 * reshape.c - items inserted and removed anywhere, and arrays behind each other.
 *
 * Where the amount is a multiple of the chunk, chunks move in the list; if the position is none,
 * the chunk row that holds it is split, or put together from two. Else all items behind the
 * position move (resize.c): before an axis gets shorter, after it got longer.
 */
#include "array/shape/shape.h"

#include "array/copy/copy.h"
#include "array/update.h"
#include "base/checked.h"
#include "cache/cache.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "grid/write/write.h"
#include "grid/write/write_back.h"
#include "task/watch.h"

#include <stdlib.h>
#include <string.h>

static void
shape_with(const struct geometry *g, int axis, int64_t n, int64_t *shape)
{
    memcpy(shape, g->shape, sizeof g->shape);
    shape[axis] = n;
}

// Blocks that were read on the way have other chunks now.
static tess_status
reshape(tess_array *a, const int64_t *shape, const struct row_move *move, tess_error *err)
{
    const tess_status st = array_reshape(a, shape, move, err);
    if (st == TESS_OK)
        cache_forget_from(a->grid->cache, 0);
    return st;
}

// The items [first, stop) along an axis, from where they are `by` items before.
static tess_status
shift_to(tess_array *a, int axis, int64_t first, int64_t stop, int64_t by, struct watch *watch,
         tess_error *err)
{
    const struct shift shift = {.axis = axis, .by = by};
    int64_t lo[NDIM_MAX] = {0}, hi[NDIM_MAX];

    if (frame_is_uniform(a->grid->frame) &&
        frame_entry(a->grid->frame, 0) < 0) // one item, everywhere
        return TESS_OK;
    shape_with(a->g, axis, stop, hi);
    lo[axis] = first;
    return array_shift(a, &(struct box){lo, hi, NULL}, &shift, watch, err);
}

// New rows of chunks show a fill value that is stored before a part of them does: so a row that
// gets the same value from two sides does not become blocks on the way.
static tess_status
fill_rows(tess_array *a, int axis, int64_t first, int64_t last, struct watch *watch,
          tess_error *err)
{
    const int64_t c = a->g->chunkshape[axis];
    int64_t start[NDIM_MAX] = {0}, stop[NDIM_MAX];

    start[axis] = first * c;
    shape_with(a->g, axis, min_i64(last * c, a->g->shape[axis]), stop);
    if (!a->fill || array_fill_special(a) != SPECIAL_ZEROS || a->g->nitems == 0 ||
        start[axis] >= stop[axis])
        return TESS_OK;
    return array_fill_box(a, &(struct box){start, stop, NULL}, watch, err);
}

// Make room, and leave in it what there is; or the fill value, as far as that costs nothing.
static tess_status
open_gap(tess_array *a, int axis, int64_t position, int64_t count, bool filled, struct watch *watch,
         tess_error *err)
{
    const int64_t c = a->g->chunkshape[axis];
    const int64_t before = a->g->shape[axis];
    const int64_t grid = a->g->grid[axis];
    const struct row_move move = {.axis = axis, .first = ceil_div(position, c), .by = count / c};
    const bool rows = count % c == 0;
    int64_t shape[NDIM_MAX], stop = before;

    shape_with(a->g, axis, before + count, shape);
    tess_status st = reshape(a, shape, rows ? &move : NULL, err);
    if (rows) // only the rest of the row that is split
        stop = min_i64(before, move.first * c);
    if (st == TESS_OK && filled)
        st = rows ? fill_rows(a, axis, move.first, move.first + move.by, watch, err)
                  : fill_rows(a, axis, grid, a->g->grid[axis], watch, err);
    return st == TESS_OK ? shift_to(a, axis, position + count, stop + count, count, watch, err)
                         : st;
}

static tess_status
reshape_insert(tess_array *a, int axis, int64_t position, int64_t count,
               const struct box_memory_const *src, struct watch *watch, tess_error *err)
{
    int64_t start[NDIM_MAX] = {0}, stop[NDIM_MAX];
    const struct box box = {start, stop, NULL};
    const struct watch_range all = watch_divide(watch);
    watch_part(watch, &all, a->g->shape[axis] - position, a->g->shape[axis] - position + count);
    const tess_status st = open_gap(a, axis, position, count, !src, watch, err);
    watch_part(watch, &all, 1, 1);
    if (st != TESS_OK || a->g->nitems == 0)
        return st;
    start[axis] = position;
    shape_with(a->g, axis, position + count, stop);
    return src ? grid_write(a->grid, &box, src, NULL, watch, err)
               : array_fill_box(a, &box, watch, err);
}

static tess_status
reshape_cut(tess_array *a, int axis, int64_t position, int64_t count, struct watch *watch,
            tess_error *err)
{
    const int64_t c = a->g->chunkshape[axis];
    const int64_t after = a->g->shape[axis] - count;
    const struct row_move move = {
        .axis = axis, .first = ceil_div(position, c), .gone = count / c, .by = -(count / c)};
    const bool rows = count % c == 0;
    int64_t shape[NDIM_MAX];

    // With rows, only the rest of the row that is put together.
    const int64_t stop = rows ? min_i64(after, move.first * c) : after;
    tess_status st = shift_to(a, axis, position, stop, -count, watch, err);
    if (st == TESS_OK && stop == after) // the last row is not one that goes on with its padding
        st = padding_clear(a, axis, after, min_i64(a->g->shape[axis], ceil_div(after, c) * c),
                           watch, err);
    shape_with(a->g, axis, after, shape);
    return st == TESS_OK ? reshape(a, shape, rows ? &move : NULL, err) : st;
}

static tess_status
reshape_begin(tess_array *a, struct saved_shape *saved, tess_error *err)
{
    const tess_status st = write_back_all(a->grid, err);
    if (st != TESS_OK)
        return st;
    cache_forget_from(a->grid->cache,
                      0); // the padding of blocks may be another than what is stored
    return array_change_begin(a, saved, err);
}

// Whether an axis changes at its end, if at all.
static bool
at_end(const struct geometry *g, const int64_t *shape, const int64_t *start, int axis)
{
    return start[axis] == min_i64(shape[axis], g->shape[axis]);
}

// Ends first, as that is what may save most; an axis gets longer when all others are short.
static tess_status
reshape_shrink(tess_array *a, const int64_t *shape, const int64_t *start,
               const struct geometry *before, struct watch *watch, tess_error *err)
{
    int64_t next[NDIM_MAX];
    for (int i = 0; i < before->ndim; i++)
        next[i] = at_end(before, shape, start, i) ? min_i64(shape[i], before->shape[i])
                                                  : before->shape[i];
    const struct watch_range all = watch_divide(watch);
    watch_part(watch, &all, 1, before->ndim + 1);
    tess_status st = padding_cut(a, next, watch, err);
    if (st == TESS_OK)
        st = reshape(a, next, NULL, err);
    for (int i = 0; i < before->ndim && st == TESS_OK; i++) {
        watch_part(watch, &all, i + 2, before->ndim + 1);
        if (shape[i] < a->g->shape[i])
            st = reshape_cut(a, i, start[i], a->g->shape[i] - shape[i], watch, err);
    }
    return st;
}

static tess_status
reshape_grow(tess_array *a, const int64_t *shape, const int64_t *start,
             const struct geometry *before, struct watch *watch, tess_error *err)
{
    const struct watch_range all = watch_divide(watch);
    tess_status st = TESS_OK;
    for (int i = 0; i < before->ndim && st == TESS_OK; i++) {
        watch_part(watch, &all, i + 1, before->ndim + 1);
        if (shape[i] > before->shape[i] && !at_end(before, shape, start, i))
            st = reshape_insert(a, i, start[i], shape[i] - before->shape[i], NULL, watch, err);
    }
    watch_part(watch, &all, 1, 1);
    if (st != TESS_OK)
        return st;
    const struct geometry inner = *a->g;
    st = reshape(a, shape, NULL, err);
    return st == TESS_OK ? array_fill_grown(a, &inner, watch, err) : st;
}

tess_status
array_resize_at(tess_array *a, const int64_t *shape, const int64_t *start, struct watch *watch,
                tess_error *err)
{
    struct saved_shape saved = {0};
    bool ends = true;
    for (int i = 0; i < a->g->ndim; i++)
        ends &= shape[i] == a->g->shape[i] || at_end(a->g, shape, start, i);
    if (ends)
        return array_update_shape(a, shape, NULL, NULL, watch, err);

    tess_status st = reshape_begin(a, &saved, err);
    if (st != TESS_OK)
        return st;
    const struct watch_range both = watch_divide(watch);
    watch_part(watch, &both, 1, 2);
    st = reshape_shrink(a, shape, start, &saved.g, watch, err);
    watch_part(watch, &both, 2, 2);
    if (st == TESS_OK)
        st = reshape_grow(a, shape, start, &saved.g, watch, err);
    return array_change_end(a, &saved, true, st, err);
}

tess_status
array_insert(tess_array *a, int axis, int64_t position, int64_t count,
             const struct box_memory_const *src, struct watch *watch, tess_error *err)
{
    struct saved_shape saved = {0};
    if (position == a->g->shape[axis]) {
        int64_t start[NDIM_MAX] = {0}, shape[NDIM_MAX];
        start[axis] = position;
        shape_with(a->g, axis, position + count, shape);
        return array_update_shape(a, shape, &(struct box){start, shape, NULL}, src, watch, err);
    }
    tess_status st = reshape_begin(a, &saved, err);
    if (st != TESS_OK)
        return st;
    st = reshape_insert(a, axis, position, count, src, watch, err);
    return array_change_end(a, &saved, true, st, err);
}

tess_status
array_delete(tess_array *a, int axis, int64_t position, int64_t count, struct watch *watch,
             tess_error *err)
{
    struct saved_shape saved = {0};
    tess_status st = reshape_begin(a, &saved, err);
    if (st != TESS_OK)
        return st;
    st = reshape_cut(a, axis, position, count, watch, err);
    return array_change_end(a, &saved, true, st, err);
}

tess_status
array_append_array(tess_array *a, int axis, const tess_array *other, struct watch *watch,
                   tess_error *err)
{
    const int64_t position = a->g->shape[axis];
    const int64_t starts[] = {position, position + other->g->shape[axis]};
    const struct copy_sources sources = {.arrays = &other, .n = 1, .axis = axis, .starts = starts};
    struct saved_shape saved = {0};
    int64_t shape[NDIM_MAX];

    shape_with(a->g, axis, starts[1], shape);
    tess_status st = reshape_begin(a, &saved, err);
    if (st != TESS_OK)
        return st;
    st = reshape(a, shape, NULL, err);
    if (st == TESS_OK)
        st = array_copy_items(a, &sources, watch, err);
    return array_change_end(a, &saved, false, st, err);
}
