/*
 * update.c - what a caller does as one: a write, another shape, a commit.
 *
 * Each is a change of the frame, undone if it fails, or a write that waits in the cache. What waits
 * is written back before anything happens that does not know of it.
 */
#include "array/update.h"

#include "array/array.h"
#include "array/box.h"
#include "array/chosen.h"
#include "array/mask.h"
#include "array/shape/fill.h"
#include "array/shape/padding.h"
#include "array/view.h"
#include "cache/cache.h"
#include "frame/change.h"
#include "frame/commit.h"
#include "frame/contiguous/shorten.h"
#include "frame/frame.h"
#include "frame/lock.h"
#include "frame/metas.h"
#include "frame/query.h"
#include "geom/index_map.h"
#include "grid/write/write.h"
#include "grid/write/write_back.h"
#include "task/watch.h"

#include <stdlib.h>

enum { SHORTEN_LEAST = 1 << 20 }; // bytes that a file is made shorter by

// Begin a change of the frame. It knows nothing of blocks that wait in the cache.
static tess_status
begin_change(tess_array *a, tess_error *err)
{
    const tess_status st = write_back_all(a->grid, err);
    if (st == TESS_OK)
        frame_begin(a->grid->frame);
    return st;
}

// End it: all of it, or nothing.
static tess_status
update_end_change(tess_array *a, tess_status st, tess_error *err)
{
    if (st != TESS_OK) {
        frame_undo(a->grid->frame);
        return frame_lock_blame(a->grid->frame, st, err);
    }
    frame_keep(a->grid->frame);
    return frame_commit_if_large(a->grid->frame, err);
}

static tess_status
write_at_once(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
              const struct strided_const *src, struct watch *watch, tess_error *err)
{
    const tess_status st = begin_change(a, err);
    return st == TESS_OK
               ? update_end_change(a, grid_write(a->grid, start, stop, step, src, watch, err), err)
               : st;
}

static tess_status
update_view(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
            const struct strided_const *src, struct watch *watch, tess_error *err)
{
    struct index_box box;
    struct strided_const from;
    const tess_status st = array_base_box(a, start, stop, step, src, &box, &from, err);
    return st == TESS_OK
               ? array_update_box(a->view->base, box.start, box.stop, box.step, &from, watch, err)
               : st;
}

tess_status
array_update_box(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
                 const struct strided_const *src, struct watch *watch, tess_error *err)
{
    tess_status st;
    if (a->view)
        return update_view(a, start, stop, step, src, watch, err);
    if (write_back_wants(a->grid, start, stop, step)) {
        st = write_back_make_room(a->grid, start, stop, step, err);
        if (st == TESS_OK)
            st = write_back_box(a->grid, start, stop, step, src, err);
        if (st == TESS_OK)
            return frame_commit_if_large(a->grid->frame, err);
    } // else, or with a chunk that cannot be opened, of which perhaps nothing is kept:
    return write_at_once(a, start, stop, step, src, watch, err);
}

tess_status
array_change_begin(tess_array *a, struct saved_shape *saved, tess_error *err)
{
    const tess_status st = array_shape_save(a, saved, err);
    if (st == TESS_OK)
        frame_begin(a->grid->frame);
    return st;
}

tess_status
array_change_end(tess_array *a, struct saved_shape *saved, bool moves, tess_status st,
                 tess_error *err)
{
    if (st != TESS_OK) {
        frame_undo(a->grid->frame);
        array_shape_undo(a, saved);
        return frame_lock_blame(a->grid->frame, st, err);
    }
    free(saved->layer);
    saved->layer = NULL;
    frame_keep(a->grid->frame);
    frame_mark_changed(a->grid->frame);
    a->moved += moves;
    return frame_commit_if_large(a->grid->frame, err);
}

static bool
shrinks(const struct geometry *g, const int64_t *shape)
{
    for (int i = 0; i < g->ndim; i++)
        if (shape[i] < g->shape[i])
            return true;
    return false;
}

tess_status
array_update_shape(tess_array *a, const int64_t *shape, const int64_t *start,
                   const struct strided_const *src, struct watch *watch, tess_error *err)
{
    struct saved_shape saved = {0};
    const bool appends = src && array_grows_at_end(a, shape);
    const bool held = appends && write_back_wants(a->grid, start, shape, NULL);
    const bool moves = shrinks(a->g, shape);
    tess_status st = held ? write_back_make_room(a->grid, start, shape, NULL, err)
                          : write_back_all(a->grid, err);
    if (st != TESS_OK)
        return st;
    // Blocks would get other chunks, or their padding come into sight, which may differ from what
    // is stored. Nothing waits.
    if (!appends)
        cache_forget_from(a->grid->cache, 0);

    st = array_change_begin(a, &saved, err);
    if (st != TESS_OK)
        return st;
    const struct watch_range both = watch_divide(watch);
    watch_part(watch, &both, moves, 2);
    if (moves)
        st = padding_cut(a, shape, watch, err);
    watch_part(watch, &both, 2, 2);
    if (st == TESS_OK)
        st = array_reshape(a, shape, NULL, err);
    if (st == TESS_OK && !src)
        st = array_fill_grown(a, &saved.g, watch, err);
    else if (st == TESS_OK)
        st = held ? write_back_box(a->grid, start, shape, NULL, src, err)
                  : grid_write(a->grid, start, shape, NULL, src, watch, err);
    return array_change_end(a, &saved, moves, st, err);
}

tess_status
array_update_points(tess_array *a, int64_t npoints, const int64_t *coords, const uint8_t *src,
                    struct watch *watch, tess_error *err)
{
    tess_array *const base = view_base(a);
    const tess_status st = begin_change(base, err);
    return st == TESS_OK
               ? update_end_change(base, array_set_points(a, npoints, coords, src, watch, err), err)
               : st;
}

tess_status
array_update_orthogonal(tess_array *a, const int64_t *counts, const int64_t *const *indices,
                        const uint8_t *src, struct watch *watch, tess_error *err)
{
    tess_array *const base = view_base(a);
    const tess_status st = begin_change(base, err);
    return st == TESS_OK ? update_end_change(
                               base, array_set_orthogonal(a, counts, indices, src, watch, err), err)
                         : st;
}

tess_status
array_update_mask(tess_array *a, struct mask *mask, const uint8_t *src, bool same,
                  struct watch *watch, tess_error *err)
{
    tess_array *const base = view_base(a);
    const tess_status st = begin_change(base, err);
    return st == TESS_OK ? update_end_change(base, mask_set(mask, a, src, same, watch, err), err)
                         : st;
}

tess_status
array_commit(tess_array *a, tess_error *err)
{
    if (a->view)
        return a->view->base->discarded ? TESS_OK : array_commit(a->view->base, err);
    tess_status st = write_back_all(a->grid, err);
    if (st == TESS_OK)
        st = frame_commit(a->grid->frame, err);
    return st == TESS_OK && frame_is_writable(a->grid->frame) ? frame_publish(a->grid->frame, err)
                                                              : st;
}

void
array_shorten(tess_array *a)
{
    if (a->view) {
        array_shorten(a->view->base);
        return;
    }
    if (atomic_load(&a->users) == 1 && !a->discarded)
        frame_shorten(a->grid->frame, SHORTEN_LEAST);
}
