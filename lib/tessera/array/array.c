/*
 * array.c - the life of an array, apart from where it comes from.
 */
#include "array/array.h"

#include "array/chunks/stored.h"
#include "array/view.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "chunk/encode/encoder.h"
#include "chunk/plugins.h"
#include "frame/commit/current.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "grid/open_chunks.h"
#include "grid/write/store.h"
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

static _Atomic int64_t count;

int64_t
array_count(void)
{
    return atomic_load(&count);
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
    atomic_fetch_add(&count, 1);
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
        atomic_fetch_sub(&count, 1);
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
