/*
 * open.c - from a frame to an array: the N-dimensional layer against the frame's own numbers.
 *
 * What is refused here cannot trouble a read: shapes and their products are within limits, and the
 * number and size of the frame's chunks are those of the grid.
 */
#include "array/open/open.h"

#include "array/array.h"
#include "array/chunks/chunks.h"
#include "array/shape/shape.h"
#include "base/error.h"
#include "base/log.h"
#include "cache/cache.h"
#include "frame/commit/current.h"
#include "frame/commit/lock.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "grid/grid.h"
#include "grid/read/plain.h"
#include "io/source.h"
#include "io/storage.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "salvage/salvage.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static tess_status
parse_layer(tess_array *a, const struct layer *layer, tess_error *err)
{
    const bool caterva = strcmp(layer->name, "caterva") == 0;
    int64_t chunkshape[NDIM_MAX], blockshape[NDIM_MAX];

    tess_status st = ndlayer_parse(layer->content, layer->size, caterva, &a->nd, err);
    if (st != TESS_OK)
        return err_prefix(err, st, "metalayer %s", layer->name);
    if (a->nd.ndim > frame_limits(a->grid->frame)->ndim)
        return err_set(err, TESS_ERR_LIMIT, -1, "%d dimensions, the limit is %d", a->nd.ndim,
                       frame_limits(a->grid->frame)->ndim);
    for (int i = 0; i < a->nd.ndim; i++) {
        chunkshape[i] = a->nd.chunkshape[i];
        blockshape[i] = a->nd.blockshape[i];
    }
    a->layer = caterva ? "caterva" : "b2nd";
    a->grid->linear = a->nd.linear;
    st = geometry_init(&a->grid->g, a->nd.ndim, a->nd.shape, chunkshape, blockshape,
                       frame_header(a->grid->frame)->typesize, TESS_ERR_CORRUPT, err);
    return st == TESS_OK ? st : err_prefix(err, st, "metalayer %s", layer->name);
}

static tess_status
open_check_frame(const tess_array *a, tess_error *err)
{
    const struct frame_header *const h = frame_header(a->grid->frame);
    const struct geometry *const g = a->g;

    if (h->vlblocks)
        return err_set(err, TESS_ERR_CORRUPT, 25, "an array with blocks of different sizes");
    if (frame_nchunks(a->grid->frame) != g->nchunks)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_NBYTES,
                       "%" PRId64 " chunks in the frame, %" PRId64 " in the grid of the array",
                       frame_nchunks(a->grid->frame), g->nchunks);
    if (g->nchunks > 0 && h->chunksize != g->chunksize)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_CHUNKSIZE,
                       "chunks of %" PRId32 " bytes in the frame, %" PRId32 " in the array",
                       h->chunksize, g->chunksize);
    if (h->nbytes != g->nchunks * g->chunksize)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_NBYTES,
                       "%" PRId64 " bytes in the frame, %" PRId64 " chunks of %" PRId32
                       " in the array",
                       h->nbytes, g->nchunks, g->chunksize);
    return TESS_OK;
}

// A layer under another name that describes just this frame: an array whose layer lost its name.
// Taken for a plain frame its items would come out in the order of the blocks.
static bool
describes_frame(const struct tess_array *a, const struct layer *layer)
{
    struct chunk_grid grid = {.frame = a->grid->frame};
    tess_array as = {.grid = &grid, .g = &grid.g};
    struct layer named = *layer;
    strcpy(named.name, "b2nd");
    const bool fits =
        parse_layer(&as, &named, NULL) == TESS_OK && open_check_frame(&as, NULL) == TESS_OK;
    ndlayer_finish(&as.nd);
    return fits;
}

static tess_status
open_plain(tess_array *a, tess_error *err)
{
    const struct layers *const metas = frame_metas(a->grid->frame);
    for (int i = 0; i < metas->count && !a->as_plain; i++)
        if (describes_frame(a, &metas->items[i]))
            return err_set(err, TESS_ERR_CORRUPT, -1,
                           "the metalayer \"%s\" describes the array, but is not called b2nd",
                           metas->items[i].name);
    const tess_status st = plain_open(a->grid, err); // may read chunks
    return frame_check_current(a->grid->frame, NULL) == TESS_ERR_STALE
               ? frame_check_current(a->grid->frame, err)
               : st;
}

static tess_status
open_prepare_writing(tess_array *a, tess_error *err)
{
    if (a->grid->plain) // its chunks are encoded one by one, by what the frame says
        return TESS_OK;
    if (a->grid->linear)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "an array of Caterva before 0.4, which can only be read");
    if (frame_header(a->grid->frame)->chunksize != a->g->chunksize &&
        frame_header(a->grid->frame)->chunksize > 0)
        return err_set(err, TESS_ERR_CORRUPT, FRAME_HEADER_AT_CHUNKSIZE,
                       "chunks of %" PRId32 " bytes in the frame, %" PRId32 " in the array",
                       frame_header(a->grid->frame)->chunksize, a->g->chunksize);
    frame_set_chunksize(a->grid->frame, a->g->chunksize);
    const tess_status st = chunk_grid_prepare_encoder(a->grid, frame_header(a->grid->frame), err);
    if (st == TESS_ERR_ARG) // no argument of the caller's: it stands in the file
        return err_prefix(err, TESS_ERR_UNSUPPORTED, "the array can only be read");
    return st;
}

static tess_status
open_frame(const struct home *home, bool writable, const struct frame_options *options,
           struct salvage *salvage, struct watch *watch, struct frame **frame, tess_error *err)
{
    if (salvage)
        return frame_salvage(home->at.io, home->at.folder, options, salvage, watch, frame, err);
    if (home->at.folder)
        return frame_open_folder(home->at.folder, writable, options, frame, err);
    return frame_open(home->at.io, writable, options, frame, err);
}

// What makes the frame an array. NULL: nothing, or it is not wanted.
static const struct layer *
find_layer(const tess_array *a)
{
    const struct layers *const metas = frame_metas(a->grid->frame);
    const struct layer *const layer = a->as_plain ? NULL : layers_find(metas, "b2nd");
    return layer || a->as_plain ? layer : layers_find(metas, "caterva");
}

// The fill value becomes zeros; a copy with a layer that contradicts the array could not be opened.
static void
lose_fill(struct tess_array *a, struct salvage *salvage)
{
    struct layers *const metas = frame_edit_metas(a->grid->frame);
    layers_remove(metas, layers_find(metas, FILL_LAYER));
    salvage->nlayers_lost++;
}

// salvage: NULL, the frame must be whole.
static tess_status
open_array(const struct home *home, const tess_storage *storage, struct salvage *salvage,
           struct watch *watch, tess_array **out, tess_error *err)
{
    const bool writable = storage->mode == TESS_MODE_UPDATE;
    struct frame_options options;
    tess_status st = TESS_OK;
    tess_array *a = array_new();
    if (!a) {
        home_close(home);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array");
    }
    a->offset = home->at.offset;
    st = array_take_options(a, storage, &options, err);
    options.lock_file = home->lock_file;
    options.path = home->path;
    if (st == TESS_OK)
        st = frame_lock_share_early(&options, err); // what is read below is one state
    if (st != TESS_OK) {
        home_close(home);
        goto out;
    }
    TRY(open_frame(home, writable, &options, salvage, watch, &a->grid->frame, err));
    TRY(chunk_grid_prepare_memory(a->grid, err));

    const struct layer *const layer = find_layer(a);
    if (layer) {
        TRY(parse_layer(a, layer, err));
        TRY(open_check_frame(a, err));
        chunk_grid_tell_frame(a->grid);
        st = array_load_fill(a, err);
        if (salvage && st == TESS_ERR_CORRUPT)
            lose_fill(a, salvage);
        else if (st != TESS_OK)
            goto out;
    } else {
        TRY(open_plain(a, err));
    }
    TRY(chunk_grid_prepare_cache(a->grid, err));
    if (writable)
        TRY(open_prepare_writing(a, err));
    frame_lock_unshare_early(&options);
    frame_opened(a->grid->frame);
    if (storage_in_source(storage) && !salvage)
        a->source = *storage->source;
    *out = a;
    a = NULL; // now the caller's
out:
    array_free(a);
    return st;
}

tess_status
array_open(const struct home *home, const tess_storage *storage, tess_array **a, tess_error *err)
{
    return open_array(home, storage, NULL, NULL, a, err);
}

tess_status
array_salvage(const struct home *home, const tess_storage *storage, struct salvage *salvage,
              struct watch *watch, tess_array **a, tess_error *err)
{
    return open_array(home, storage, salvage, watch, a, err);
}

// What is the newest state now. A writer may commit while it is read, again and again.
tess_status
array_open_newest(const tess_storage *storage, tess_array **a, tess_error *err)
{
    enum { TRIES = 100 };
    tess_status st = TESS_ERR_STALE;
    *a = NULL;
    for (int i = 0; i < TRIES && st == TESS_ERR_STALE; i++) {
        struct home home;
        st = home_open(storage, &home, err);
        if (st == TESS_OK)
            st = array_open(&home, storage, a, err);
    }
    return st;
}

// -- an array that is open for reading becomes the newest state at its path

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
