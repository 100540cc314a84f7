/*
 * refresh.c - an array that is open for reading becomes the newest state at its path.
 *
 * A second array is opened there, and what it holds goes over: the frame
 */
#include "array/open/refresh.h"

#include "array/array.h"
#include "array/chunks/sums.h"
#include "array/open/open.h"
#include "base/error.h"
#include "base/log.h"
#include "cache/cache.h"
#include "frame/commit/current.h"
#include "frame/frame.h"
#include "frame/options.h"
#include "frame/query.h"
#include "grid/grid.h"
#include "io/source/status.h"

#include <stdlib.h>
#include <string.h>

static bool
same_bytes(const void *x, const void *y, size_t size)
{
    return !x == !y && (!x || memcmp(x, y, size) == 0);
}

static bool
refresh_same_text(const char *x, const char *y)
{
    return !x == !y && (!x || strcmp(x, y) == 0);
}

// Whether what a view of `before` knows holds of `now`: all items are there, under the same
// indices.
static bool
keeps_views(const tess_array *before, const tess_array *now)
{
    const struct geometry *const g = before->g, *const h = now->g;
    if (g->ndim != h->ndim || g->typesize != h->typesize ||
        before->grid->plain != now->grid->plain || before->grid->linear != now->grid->linear ||
        before->nd.dtype_format != now->nd.dtype_format ||
        !refresh_same_text(before->layer, now->layer) ||
        !refresh_same_text(before->nd.dtype, now->nd.dtype) ||
        !same_bytes(before->fill, now->fill, (size_t)g->typesize))
        return false;
    for (int i = 0; i < g->ndim; i++)
        if (h->shape[i] < g->shape[i] || h->chunkshape[i] != g->chunkshape[i] ||
            h->blockshape[i] != g->blockshape[i])
            return false;
    return true;
}

#define EXCHANGE(type, x, y) \
    do {                     \
        type x_ = (x);       \
        (x) = (y);           \
        (y) = x_;            \
    } while (0)

void
array_replace_state(tess_array *a, tess_array *newest)
{
    a->moved += !keeps_views(a, newest);
    newest->source = (tess_source){0}; // that of a, which goes on
    sums_forget(a->sums);
    chunk_grid_exchange(a->grid, newest->grid);
    EXCHANGE(struct ndlayer, a->nd, newest->nd);
    EXCHANGE(const char *, a->layer, newest->layer);
    EXCHANGE(uint8_t *, a->fill, newest->fill);
    array_free(newest);
}

// The storage that a was opened with, and what was set since.
static void
storage_again(const tess_array *a, tess_plugins *plugins, tess_storage *storage)
{
    const struct frame_options *const options = frame_options(a->grid->frame);
    const struct plugins *const p = &a->grid->plugins;
    *plugins = (tess_plugins){p->user_codecs, p->ncodecs, p->user_filters, p->nfilters};
    *storage = (tess_storage){
        .struct_size = sizeof *storage,
        .path = a->path,
        .offset = a->offset,
        .mmap = a->mapped,
        .source = &a->source,
        .durability = options->durability,
        .checksums = options->checksums,
        .wait = options->wait,
        .limits = options->limits,
        .plugins = plugins,
        .context = &a->context,
        .plain = a->as_plain,
    };
}

static bool
is_newest(const tess_array *a)
{
    const struct frame *const f = a->grid->frame;
    return frame_is_at(f, a->path) && frame_is_sealed(f) &&
           frame_check_unchanged(f, NULL) == TESS_OK;
}

// From here on the source shows another object, if there is one: if it cannot be opened, nothing
// can be read until the next refresh.
static tess_status
refresh_source(tess_array *a, bool *changed, tess_error *err)
{
    tess_plugins plugins;
    tess_storage storage;
    tess_array *newest;
    tess_error why = {.sys = 0};
    tess_status st = source_status(a->source.refresh(a->source.user, &why), "refresh", &why);
    storage_again(a, &plugins, &storage);
    if (st == TESS_OK) {
        st = array_open_newest(&storage, &newest, &why);
        frame_set_left_behind(a->grid->frame, st != TESS_OK);
    }
    if (st != TESS_OK) {
        if (err)
            *err = why;
        return st;
    }
    *changed = !frame_is_same_state(a->grid->frame, newest->grid->frame);
    array_replace_state(a, newest);
    return TESS_OK;
}

tess_status
array_refresh(tess_array *a, bool *changed, tess_error *err)
{
    tess_plugins plugins;
    tess_storage storage;
    tess_array *newest;
    *changed = false;
    if (a->source.refresh)
        return refresh_source(a, changed, err);
    if (!a->path || frame_is_writable(a->grid->frame)) { // memory, or the writer
        const tess_status st = frame_check_path(a->grid->frame, err);
        return st == TESS_OK ? frame_check_unchanged(a->grid->frame, err) : st;
    }
    if (is_newest(a))
        return TESS_OK;
    storage_again(a, &plugins, &storage);
    const tess_status st = array_open_newest(&storage, &newest, err);
    if (st != TESS_OK)
        return st;
    array_replace_state(a, newest);
    LOG(TESS_LOG_INFO, TESS_EVENT_REFRESH, a->path, "moved to a newer state");
    *changed = true;
    return TESS_OK;
}
