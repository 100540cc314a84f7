/*
 * array.c - the life of an array, apart from where it comes from.
 */
#include "array/array.h"

#include "array/store.h"
#include "array/view.h"
#include "array/visits.h"
#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "chunk/encoder.h"
#include "chunk/plugins.h"
#include "frame/frame.h"
#include "frame/header.h"
#include "frame/query.h"

#include <stdlib.h>
#include <string.h>

tess_status
array_take_options(tess_array *a, const tess_storage *storage, struct frame_options *options,
                   tess_error *err)
{
    a->context = storage->context
                     ? *storage->context
                     : (tess_context){.cache = TESS_CACHE_DEFAULT,
                                      .memory = TESS_MEMORY_DEFAULT,
                                      .progress_interval = TESS_PROGRESS_INTERVAL_DEFAULT};
    *options = (struct frame_options){
        .limits = storage->limits,
        .durability = storage->durability,
        .checksums = storage->checksums,
        .plugins = &a->plugins,
        .context = &a->context,
        .never_reuse = storage->never_reuse,
        .wait = storage->wait,
    };
    return plugins_init(&a->plugins, storage->plugins, err);
}

void
array_watch(struct watch *w, const tess_array *a, int64_t nitems)
{
    int64_t nbytes;
    if (!mul_i64(nitems, a->g.typesize, &nbytes))
        nbytes = INT64_MAX;
    watch_begin(w, &a->context, nbytes);
}

tess_array *
array_new(void)
{
    tess_array *const a = calloc(1, sizeof *a);
    if (a)
        atomic_init(&a->users, 1);
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
        ndlayer_finish(&a->nd);
        free(a->fill);
        free(a->view);
        free(a);
        return;
    }
    visits_free(a->visits);
    frame_close(a->frame);
    ndlayer_finish(&a->nd);
    cache_free(a->cache);
    free(a->fill);
    free(a->chunk_starts);
    pool_free(a->pool);
    store_free(a->store);
    plugins_finish(&a->plugins);
    free(a->path);
    free(a);
}

tess_status
array_prepare_memory(tess_array *a, tess_error *err)
{
    a->pool = pool_new(frame_limits(a->frame)->memory);
    a->visits = visits_new(a->context.cache);
    return a->pool && a->visits ? TESS_OK
                                : err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array");
}

tess_status
array_prepare_cache(tess_array *a, tess_error *err)
{
    // Without a grid of blocks there is nothing to keep them by. A file may not ask for memory
    // beyond the limit here, too.
    const bool off = a->plain || a->linear || a->g.blocksize > frame_limits(a->frame)->memory;
    a->cache = cache_new(off ? 0 : a->context.cache, a->g.blocksize);
    return a->cache ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array");
}

void
array_set_grid(tess_array *a)
{
    a->grid.ndim = a->g.ndim;
    a->grid.typesize = a->g.typesize;
    for (int i = 0; i < a->g.ndim; i++)
        a->grid.shape[i] = (int32_t)a->g.blockshape[i];
    if (a->frame)
        frame_set_grid(a->frame, &a->grid);
}

tess_status
array_prepare_encoder(tess_array *a, const struct frame_header *h, tess_error *err)
{
    struct chunk_spec spec = {
        .itemsize = h->typesize,
        .nbytes = a->g.chunksize,
        .blocksize = a->g.blocksize,
        .codec = h->codec,
        .level = h->clevel,
        .codec_meta = h->codec_meta,
        .split = h->split,
        .dictionary = h->use_dict,
        .grid = &a->grid,
        .plugins = &a->plugins,
    };
    memcpy(spec.filters, h->filters, FILTER_SLOTS);
    memcpy(spec.filters_meta, h->filters_meta, FILTER_SLOTS);
    return chunk_encoder_init(&a->encoder, &spec, err);
}
