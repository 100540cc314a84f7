/*
 * array.c - the life of an array, apart from where it comes from; what calls on it begin and end
 * with: may it be changed, the lock files of readers, the state of the file; and views of it.
 */
#include "array/array.h"

#include "array/chunks/chunks.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "chunk/encode/encoder.h"
#include "chunk/plugins.h"
#include "frame/chunks/usage.h"
#include "frame/commit/current.h"
#include "frame/commit/lock.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "grid/grid.h"
#include "grid/open_chunks.h"
#include "grid/write/store.h"
#include "grid/write/write_back.h"
#include "meta/ndlayer.h"
#include "task/gate.h"

#include <string.h>

tess_status
array_take_options(tess_array *a, const tess_storage *storage, struct frame_options *options,
                   tess_error *err)
{
    a->context = storage->context
                     ? *storage->context
                     : (tess_context){.cache = TESS_CACHE_SHARED,
                                      .memory = TESS_MEMORY_DEFAULT,
                                      .progress_interval = TESS_PROGRESS_INTERVAL_DEFAULT,
                                      .ahead = TESS_AHEAD_DEFAULT};
    if (a->context.executor) {
        a->executor = *a->context.executor;
        a->context.executor = &a->executor;
    }
    *options = (struct frame_options){
        .limits = storage->limits,
        .durability = storage->durability,
        .checksums = storage->checksums,
        .plugins = &a->grid->plugins,
        .context = &a->context,
        .never_reuse = storage->never_reuse,
        .explicit_commits = storage->explicit_commits,
        .wait = storage->wait,
    };
    a->grid->zero_padding = storage->zero_padding;
    a->mapped = storage->mmap;
    a->as_plain = storage->plain;
    a->path = storage->path ? mem_string(storage->path) : NULL;
    if (storage->path && !a->path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    return plugins_init(&a->grid->plugins, storage->plugins, err);
}

void
array_watch(struct watch *w, const tess_array *a, int64_t nitems)
{
    int64_t nbytes;
    if (!mul_i64(nitems, a->g->typesize, &nbytes))
        nbytes = INT64_MAX;
    watch_begin(w, &a->context, nbytes);
}

tess_status
array_check_writable(const tess_array *a, tess_error *err)
{
    if (!frame_is_writable(a->grid->frame))
        return err_set(err, TESS_ERR_ARG, -1, "the array was opened for reading only");
    if (a->view && a->view->read_only)
        return err_set(err, TESS_ERR_ARG, -1, "the view is for reading only");
    if (a->discarded)
        return err_set(err, TESS_ERR_STALE, -1, "the array was discarded");
    if (frame_is_left_behind(a->grid->frame))
        return err_set(err, TESS_ERR_STALE, -1,
                       "the array is not part of its store any more: changes of that were "
                       "forgotten, or it was removed, or the store was closed");
    const tess_status st = frame_check_forked(a->grid->frame, err);
    return st == TESS_OK ? view_check(a, err) : st;
}

tess_status
array_set_cache(tess_array *a, int64_t budget, tess_error *err)
{
    if (budget == a->context.cache)
        return TESS_OK;
    const tess_status st = write_back_all(a->grid, err);
    return st == TESS_OK ? chunk_grid_set_cache(a->grid, budget, err) : st;
}

static _Atomic int64_t open_arrays;

int64_t
array_count(void)
{
    return atomic_load(&open_arrays);
}

tess_array *
array_new(void)
{
    tess_array *const a = mem_zeroed(1, sizeof *a);
    struct chunk_grid *const grid = a ? chunk_grid_new() : NULL;
    struct sums *const sums = grid ? sums_new() : NULL;
    if (!sums) {
        chunk_grid_free(grid);
        mem_free(a);
        return NULL;
    }
    a->sums = sums;
    a->grid = grid;
    a->g = &grid->g;
    grid->context = &a->context;
    atomic_init(&a->users, 1);
    atomic_fetch_add(&open_arrays, 1);
    return a;
}

void
array_hold(tess_array *a)
{
    atomic_fetch_add(&a->users, 1);
}

void
array_free(tess_array *a)
{
    if (!a || atomic_fetch_sub(&a->users, 1) > 1)
        return;
    if (a->view) {
        array_free(a->view->base);
        mem_free(a->view);
    } else {
        sums_free(a->sums);
        chunk_grid_free(a->grid);
        if (a->source.close)
            a->source.close(a->source.user);
        atomic_fetch_sub(&open_arrays, 1);
    }
    ndlayer_finish(&a->nd);
    mem_free(a->fill);
    mem_free(a->path);
    mem_free(a);
}

// -- whether what a call has read counts

tess_status
array_check_current(const tess_array *a, tess_status st, tess_error *err)
{
    tess_error why;
    // Whatever it read; or memory, which no other program changes.
    if (st == TESS_ERR_CANCELLED || frame_in_memory(a->grid->frame))
        return st;
    gate_enter(a->grid->gate);
    const tess_status now = frame_check_current(a->grid->frame, &why);
    gate_leave(a->grid->gate);
    if (now == TESS_OK || (st != TESS_OK && now != TESS_ERR_STALE))
        return st;
    if (err)
        *err = why;
    return now;
}

static bool
is_locked_otherwise(const tess_array *a, const struct frame *written)
{
    return !a || a->grid->frame == written;
}

tess_status
array_lock_shared(const tess_array *const *arrays, int64_t n, const struct frame *written,
                  int64_t *locked, tess_error *err)
{
    tess_status st = TESS_OK;
    for (*locked = 0; *locked < n && st == TESS_OK; *locked += st == TESS_OK)
        if (!is_locked_otherwise(arrays[*locked], written))
            st = frame_lock_share(arrays[*locked]->grid->frame, err);
    return st;
}

tess_status
array_unlock_shared(const tess_array *const *arrays, const struct frame *written, int64_t locked,
                    tess_status st, tess_error *err)
{
    for (int64_t k = 0; k < locked; k++) {
        if (is_locked_otherwise(arrays[k], written))
            continue;
        st = array_check_current(arrays[k], st, err);
        frame_lock_unshare(arrays[k]->grid->frame);
    }
    return st;
}

// The file stays, and the list of chunks does. Ended by array_chunks_end().
static tess_status
hold_list(const tess_array *a, tess_error *err)
{
    const tess_status st = frame_lock_share(a->grid->frame, err);
    if (st == TESS_OK)
        gate_enter(a->grid->gate);
    return st;
}

tess_status
array_chunks_begin(const tess_array *a, tess_error *err)
{
    const tess_status st = write_back_all(a->grid, err);
    return st == TESS_OK ? hold_list(a, err) : st;
}

tess_status
array_chunks_end(const tess_array *a, tess_status st, tess_error *err)
{
    gate_leave(a->grid->gate);
    st = array_check_current(a, st, err);
    frame_lock_unshare(a->grid->frame);
    return st;
}

tess_status
array_measure(const tess_array *a, tess_error *err)
{
    int64_t live;
    const tess_status st = hold_list(a, err);
    return st == TESS_OK ? array_chunks_end(a, frame_live_bytes(a->grid->frame, &live, err), err)
                         : st;
}

// -- views

tess_array *
view_base(tess_array *a)
{
    return a->view ? a->view->base : a;
}

const tess_array *
view_base_const(const tess_array *a)
{
    return a->view ? a->view->base : a;
}

tess_status
view_check(const tess_array *a, tess_error *err)
{
    if (!a->view)
        return TESS_OK;
    if (a->view->base->discarded)
        return err_set(err, TESS_ERR_STALE, -1, "the array of this view was discarded");
    if (a->view->moved != a->view->base->moved)
        return err_set(err, TESS_ERR_STALE, -1,
                       "the array of this view has got another shape since the view was made");
    return TESS_OK;
}

const tess_array *
view_of_chunks(const tess_array *a)
{
    if (!a->view || view_check(a, NULL) != TESS_OK)
        return a;
    const struct index_map *const map = &a->view->map;
    const tess_array *const base = a->view->base;
    int behind = -1; // the axis of the view that has the last of more than one item
    for (int i = 0; i < map->base_ndim; i++) {
        const int axis = map->view_axis[i];
        const int64_t length = base->g->shape[i];
        if (map->first[i] != 0 || map->step[i] != 1 ||
            length != (axis < 0 ? 1 : a->g->shape[axis]) || (length != 1 && axis <= behind))
            return a;
        if (length != 1)
            behind = axis;
    }
    return base;
}

static void
map_of(const tess_array *a, struct index_map *map)
{
    if (a->view)
        *map = a->view->map;
    else
        index_map_identity(map, a->g->ndim);
}

tess_status
view_map(const tess_array *a, struct index_map *map, tess_error *err)
{
    const tess_status st = view_check(a, err);
    if (st == TESS_OK)
        map_of(a, map);
    return st;
}

// What the base's chunks and blocks are through the view, about.
static tess_status
choose_geometry(const tess_array *base, const struct index_map *map, const int64_t *shape,
                struct geometry *g, tess_error *err)
{
    int64_t chunkshape[NDIM_MAX], blockshape[NDIM_MAX];
    for (int i = 0; i < map->ndim; i++) {
        const int b = map->axis[i];
        const int64_t step = b < 0 ? 1 : max_i64(map->step[b], -map->step[b]);
        int64_t chunk = 1, block = 1;
        if (b >= 0) {
            chunk = base->g->chunkshape[b];
            block = base->g->blockshape[b];
        }
        if (base->grid->plain) { // 0: they differ
            chunk = chunk > 0 ? chunk : ceil_div(base->g->shape[0], max_i64(base->g->nchunks, 1));
            chunk = max_i64(chunk, 1);
            block = min_i64(max_i64(block, 1), chunk);
        }
        chunkshape[i] = ceil_div(chunk, step);
        blockshape[i] = ceil_div(block, step);
    }
    return geometry_init(g, map->ndim, shape, chunkshape, blockshape, base->g->typesize,
                         TESS_ERR_ARG, err);
}

// What tess_array_info() tells of the items; the base may get others (array/open/open.c).
static tess_status
copy_type(const tess_array *base, tess_array *a, tess_error *err)
{
    const size_t typesize = (size_t)base->g->typesize;
    a->nd = base->nd;
    a->nd.dtype = base->nd.dtype ? mem_string(base->nd.dtype) : NULL;
    a->fill = base->fill ? mem_alloc(typesize) : NULL;
    if (a->fill)
        memcpy(a->fill, base->fill, typesize);
    return !a->nd.dtype == !base->nd.dtype && !a->fill == !base->fill
               ? TESS_OK
               : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a view");
}

static tess_status
new_view(tess_array *base, bool read_only, const struct index_map *map, const int64_t *shape,
         tess_array **out, tess_error *err)
{
    tess_array *const a = mem_zeroed(1, sizeof *a);
    struct view *const view = mem_zeroed(1, sizeof *view);
    tess_status st = a && view ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a view");

    if (st == TESS_OK)
        st = choose_geometry(base, map, shape, &view->g, err);
    if (st == TESS_OK)
        st = copy_type(base, a, err);
    if (st != TESS_OK) {
        if (a) {
            ndlayer_finish(&a->nd);
            mem_free(a->fill);
        }
        mem_free(view);
        mem_free(a);
        return st;
    }
    array_hold(base);
    view->base = base;
    view->read_only = read_only;
    view->moved = base->moved;
    view->map = *map;
    atomic_init(&a->users, 1);
    a->view = view;
    a->grid = base->grid;
    a->g = &view->g;
    a->offset = base->offset;
    a->layer = base->layer;
    a->context = base->context;
    a->context.executor = NULL; // that of the grid counts
    *out = a;
    return TESS_OK;
}

static bool
is_read_only(const tess_array *a)
{
    return a->view && a->view->read_only;
}

tess_status
view_slice(tess_array *a, const int64_t *first, const int64_t *count, const int64_t *step,
           tess_array **view, tess_error *err)
{
    struct index_map map;
    map_of(a, &map);
    index_map_slice(&map, first, count, step);
    return new_view(view_base(a), is_read_only(a), &map, count, view, err);
}

tess_status
view_axes(tess_array *a, int ndim, const int *axes, tess_array **view, tess_error *err)
{
    struct index_map map;
    int64_t shape[NDIM_MAX];
    map_of(a, &map);
    index_map_axes(&map, ndim, axes);
    for (int i = 0; i < ndim; i++)
        shape[i] = axes[i] < 0 ? 1 : a->g->shape[axes[i]];
    return new_view(view_base(a), is_read_only(a), &map, shape, view, err);
}

tess_status
view_read_only(const tess_array *a, tess_array **view, tess_error *err)
{
    struct index_map map;
    map_of(a, &map);
    tess_array *const base = (tess_array *)view_base_const(a); // nothing but `users` changes
    return new_view(base, true, &map, a->g->shape, view, err);
}
