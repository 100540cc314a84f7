/*
 * info.c - what the library tells of an open array.
 *
 * Nothing here reads the file: what is told is known since the array was opened or changed.
 */
#include "array/info.h"

#include "array/open/params.h"
#include "array/shape/fill.h"
#include "array/view.h"
#include "base/checked.h"
#include "cache/cache.h"
#include "chunk/plugins.h"
#include "codec/codec.h"
#include "frame/chunks/usage.h"
#include "frame/commit/current.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "task/gate.h"

#include <string.h>

static bool
has_fill_layer(const tess_array *a)
{
    const struct layer *const layer = layers_find(frame_metas(a->grid->frame), FILL_LAYER);
    return layer && array_is_fill_layer(a, layer);
}

// What the chunks take, as far as it is known.
static void
tell_stored(const tess_array *a, tess_info *info)
{
    struct frame *const f = a->grid->frame;
    const int64_t nchunks = frame_nchunks(f); // a view has others
    const tess_array *const base = view_base_const(a);
    const double nbytes = base->grid->plain ? (double)frame_header(f)->nbytes
                                            : (double)base->g->nitems * base->g->typesize;
    frame_count_chunks(f, &info->nstored, &info->nmissing);
    info->nspecial = nchunks - info->nstored - info->nmissing;
    info->live = frame_known_live_bytes(f);
    info->holes = info->live < 0 ? -1 : frame_holes(f, info->live);
    info->ratio = info->live > 0 ? nbytes / (double)info->live : (double)info->live;
}

// A sparse frame has its chunks in files of their own, whose sizes the header sums.
static int64_t
info_file_size(const struct frame_header *h)
{
    int64_t size;
    return h->sparse && add_i64(h->frame_len, h->cbytes, &size) ? size : h->frame_len;
}

void
array_info(const tess_array *a, tess_info *info)
{
    static const char *const unknown = "unknown";
    const struct frame_header *const h = frame_header(a->grid->frame);
    const struct geometry *const g = a->g;
    const tess_array *const base = view_base_const(a);
    struct cache_stats cache;
    gate_enter(a->grid->gate);
    const struct codec *const user = plugins_codec(&base->grid->plugins, h->codec);
    const char *const name = user ? user->name : codec_name(h->codec);

    cache_stats(base->grid->cache, &cache);
    *info = (tess_info){
        .ndim = g->ndim,
        .dtype = a->nd.dtype,
        .dtype_format = a->nd.dtype_format,
        .typesize = g->typesize,
        .fill = a->fill,
        .codec = h->codec,
        .codec_name = name ? name : unknown,
        .codec_meta = h->codec_meta,
        .clevel = h->clevel,
        .split = h->split,
        .dictionary = h->use_dict,
        .nitems = g->nitems,
        .nchunks = g->nchunks,
        .nbytes = h->nbytes,
        .cbytes = h->cbytes,
        .file_size = info_file_size(h),
        .chunksize = g->chunksize,
        .blocksize = base->grid->linear ? h->blocksize : g->blocksize,
        .layer = a->layer,
        .plain = base->grid->plain,
        .view = a->view != NULL,
        .contiguous = !h->sparse,
        .writable = frame_is_writable(a->grid->frame) &&
                    frame_check_forked(a->grid->frame, NULL) == TESS_OK &&
                    !(a->view && a->view->read_only),
        .vlblocks = h->vlblocks,
        .locked = frame_is_locked(a->grid->frame),
        .frame_version = h->version,
        .offset = a->offset,
        .cache_used = cache.used,
        .cache_dirty = cache.dirty,
        .cache_hits = cache.hits,
        .cache_misses = cache.misses,
        .cache_evictions = cache.evictions,
        .nmetalayers = frame_metas(a->grid->frame)->count - has_fill_layer(a),
        .nvlmetalayers = frame_vlmetas(a->grid->frame)->count,
    };
    memcpy(info->shape, g->shape, sizeof info->shape);
    memcpy(info->chunkshape, g->chunkshape, sizeof info->chunkshape);
    memcpy(info->blockshape, g->blockshape, sizeof info->blockshape);
    memcpy(info->filters, h->filters, sizeof info->filters);
    memcpy(info->filters_meta, h->filters_meta, sizeof info->filters_meta);
    tell_stored(a, info);
    gate_leave(a->grid->gate);
}

void
array_params(const tess_array *a, tess_params *params)
{
    const struct frame_header *const h = frame_header(a->grid->frame);

    tess_params_init(params);
    gate_enter(a->grid->gate);
    params->dtype = a->nd.dtype;
    params->dtype_format = a->nd.dtype_format;
    params->typesize = a->g->typesize;
    params->ndim = a->g->ndim;
    memcpy(params->shape, a->g->shape, sizeof params->shape);
    memcpy(params->chunkshape, a->g->chunkshape, sizeof params->chunkshape);
    memcpy(params->blockshape, a->g->blockshape, sizeof params->blockshape);
    params->codec = (tess_codec)h->codec;
    params->codec_meta = (uint8_t)h->codec_meta;
    params->clevel = h->clevel;
    memcpy(params->filters, h->filters, sizeof params->filters);
    memcpy(params->filters_meta, h->filters_meta, sizeof params->filters_meta);
    if (h->split >= TESS_SPLIT_ALWAYS && h->split <= TESS_SPLIT_AUTO)
        params->split = (tess_split)h->split;
    params->dictionary = h->use_dict;
    params->fill = a->fill;
    params->fill_size = a->fill ? (size_t)a->g->typesize : 0;
    params->layout = h->sparse ? TESS_LAYOUT_SPARSE : TESS_LAYOUT_CONTIGUOUS;
    if (a->layer && strcmp(a->layer, "caterva") == 0)
        params->layer = TESS_LAYER_CATERVA;
    if (a->view) // whose blocks are others
        params_fit(params, a->g, &a->grid->plugins);
    gate_leave(a->grid->gate);
}
