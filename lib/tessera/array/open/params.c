/*
 * params.c - what a description says, whether or not it is of an array; and what the library tells
 * of an open array.
 *
 * Nothing here reads the file: what is told is known since the array was opened or changed.
 */
#include "array/open/params.h"

#include "array/array.h"
#include "array/shape/shape.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "cache/cache.h"
#include "chunk/encode/encoder.h"
#include "chunk/plugins.h"
#include "codec/codec.h"
#include "filter/filter.h"
#include "frame/chunks/usage.h"
#include "frame/commit/current.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "meta/dtype.h"
#include "meta/layers.h"
#include "meta/ndlayer.h"
#include "task/gate.h"

#include <inttypes.h>
#include <string.h>

enum { NAMES_SIZE = 100 }; // of codecs, in a message

tess_status
params_typesize(const tess_params *p, int32_t *typesize, tess_error *err)
{
    const bool numpy = p->dtype && p->dtype_format == 0;
    const tess_dtype parsed = numpy ? dtype_parse(p->dtype) : (tess_dtype){0};

    if (p->dtype_format < 0 || p->dtype_format > INT8_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "dtype_format %d, 0 to %d can be", p->dtype_format,
                       INT8_MAX);
    *typesize = p->typesize != 0 ? p->typesize : parsed.size;
    if (p->typesize != 0 && parsed.size != 0 && parsed.size != p->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "typesize %" PRId32 ", but items of type %s have %" PRId32 " bytes",
                       p->typesize, p->dtype, parsed.size);
    if (*typesize == 0 && p->dtype)
        return err_set(err, TESS_ERR_ARG, -1,
                       "the type \"%.64s\" is not understood; give a typesize too", p->dtype);
    if (*typesize == 0)
        *typesize = 1;
    if (*typesize < 1 || *typesize > TYPESIZE_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "items of %" PRId32 " bytes, 1 to %d can be",
                       *typesize, TYPESIZE_MAX);
    return TESS_OK;
}

tess_status
params_check_coding(const tess_params *p, tess_error *err)
{
    if (p->split < TESS_SPLIT_ALWAYS || p->split > TESS_SPLIT_AUTO)
        return err_set(err, TESS_ERR_ARG, -1, "split mode %d, 1 to 3 can be", (int)p->split);
    if ((int)p->codec < 0 || (int)p->codec > 255)
        return err_set(err, TESS_ERR_ARG, -1, "codec id %d", (int)p->codec);
    const struct codec *const codec = codec_by_id((int)p->codec);
    if (p->dictionary && !(codec && codec->dict)) {
        char names[NAMES_SIZE];
        codec_names_with_dict(names, sizeof names);
        return err_set(err, TESS_ERR_ARG, -1, "dictionaries are for %s", names);
    }
    return TESS_OK;
}

// Whether chunks of that geometry can be made; another failure than TESS_ERR_ARG is not of the fit.
static bool
fits(const tess_params *p, const struct geometry *g, const struct plugins *plugins)
{
    struct block_grid blocks = {.ndim = g->ndim, .typesize = g->typesize};
    struct chunk_encoder e;
    struct chunk_spec spec = {
        .itemsize = g->typesize,
        .nbytes = g->chunksize,
        .blocksize = g->blocksize,
        .codec = (int)p->codec,
        .level = p->clevel,
        .codec_meta = p->codec_meta,
        .split = (int)p->split,
        .dictionary = p->dictionary,
        .grid = &blocks,
        .plugins = plugins,
    };
    for (int i = 0; i < g->ndim; i++)
        blocks.shape[i] = (int32_t)g->blockshape[i];
    memcpy(spec.filters, p->filters, sizeof spec.filters);
    memcpy(spec.filters_meta, p->filters_meta, sizeof spec.filters_meta);
    return chunk_encoder_init(&e, &spec, NULL) != TESS_ERR_ARG;
}

static void
drop_grid_filters(tess_params *p)
{
    for (int i = 0; i < TESS_MAX_FILTERS; i++) {
        const struct filter *const filter = filter_by_id(p->filters[i]);
        if (filter && filter->needs_grid)
            p->filters[i] = p->filters_meta[i] = 0;
    }
}

static void
take_default_codec(tess_params *p)
{
    tess_params usual;
    tess_params_init(&usual);
    p->codec = usual.codec;
    p->codec_meta = usual.codec_meta;
    p->split = usual.split;
    p->dictionary = false;
}

void
params_fit(tess_params *p, const struct geometry *g, const struct plugins *plugins)
{
    for (int tried = 0; tried < 4; tried++) {
        tess_params next = *p;
        if (tried & 1)
            drop_grid_filters(&next);
        if (tried & 2)
            take_default_codec(&next);
        if (!fits(&next, g, plugins))
            continue;
        *p = next;
        return;
    }
}

// -- of an open array

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
