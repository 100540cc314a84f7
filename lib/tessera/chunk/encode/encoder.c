/*
 * encoder.c - how chunks are to be made, checked once for all of them.
 */
#include "chunk/encode/encoder.h"

#include "base/checked.h"
#include "base/error.h"
#include "chunk/header.h"
#include "codec/codec.h"
#include "filter/filter.h"
#include "filter/pipeline.h"

#include <string.h>

enum {
    SPLIT_TYPESIZE_MAX = 16,
    NAMES_SIZE = 100, // of filters, in a message
    NBYTES_MIN = 32, // smaller chunks are stored plainly
};

// c-blosc2's rule, but for what the codecs say. It decides the ratio; readers see its result in
// the flags.
static bool
gains_by_splitting(const struct codec *codec, int level, int32_t nitems)
{
    return codec->split_nitems_min > 0 && nitems >= codec->split_nitems_min &&
           (codec->split_level_max == 0 || level <= codec->split_level_max);
}

static bool
splits(const struct chunk_encoder *e, const struct chunk_spec *spec, int32_t typesize)
{
    if (spec->blocksize % typesize != 0 || spec->blocksize < typesize)
        return false;
    if (spec->split == SPLIT_ALWAYS || spec->split == SPLIT_NEVER)
        return spec->split == SPLIT_ALWAYS;
    return pipeline_makes_planes(&e->pipeline) && typesize <= SPLIT_TYPESIZE_MAX &&
           gains_by_splitting(e->codec, e->level, spec->blocksize / typesize);
}

static tess_status
check_pipeline(const struct chunk_spec *spec, int32_t typesize, struct pipeline *pipeline,
               tess_error *err)
{
    struct filter_spec filters = {
        .typesize = typesize,
        .frame_typesize = spec->itemsize,
        .grid = spec->grid,
        .blocksize = spec->blocksize,
        .level = spec->level,
        .from_caller = true,
        .users = spec->plugins ? spec->plugins->filters : NULL,
        .nusers = spec->plugins ? spec->plugins->nfilters : 0,
    };
    memcpy(filters.ids, spec->filters, FILTER_SLOTS);
    memcpy(filters.metas, spec->filters_meta, FILTER_SLOTS);
    const tess_status st = pipeline_init(&filters, pipeline, err);
    return st == TESS_OK ? pipeline_check_encode(pipeline, err) : st;
}

bool
chunk_encoder_is_plain(const struct chunk_encoder *e)
{
    return e->level == 0 || e->h.nbytes < NBYTES_MIN || 4 * (int64_t)e->h.nblocks > e->h.nbytes;
}

struct codec_call
chunk_encoder_call(const struct chunk_encoder *e, struct codec_state *state)
{
    return (struct codec_call){
        .codec = e->codec,
        .state = state,
        .level = e->level,
        .meta = e->h.codec_meta,
        .grid = e->grid,
        .typesize = e->h.typesize,
        .blocksize = e->h.leftover > 0 ? 0 : e->h.blocksize,
    };
}

// Whether the codec can work on what it will be given.
static tess_status
check_codec(const struct chunk_encoder *e, tess_error *err)
{
    const struct codec_call call = chunk_encoder_call(e, NULL);

    if (e->codec->needs_items && (e->h.split || !pipeline_keeps_items(&e->pipeline))) {
        char names[NAMES_SIZE];
        filter_names_keeping_items(names, sizeof names);
        return err_set(err, TESS_ERR_ARG, -1,
                       "%s works on items: of all filters only %s can stand before it, and blocks "
                       "must not be split",
                       e->codec->name, names);
    }
    if (e->codec->lossy && e->pipeline.referring)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%s before %s, which loses information: its reference is the block as "
                       "it was before",
                       e->pipeline.referring->name, e->codec->name);
    if (!e->codec->check)
        return TESS_OK;
    return e->codec->check(&call, e->h.split ? e->h.blocksize / e->h.typesize : e->h.blocksize,
                           err);
}

tess_status
chunk_encoder_init(struct chunk_encoder *e, const struct chunk_spec *spec, tess_error *err)
{
    const int32_t typesize = spec->itemsize > 255 ? 1 : spec->itemsize;

    *e = (struct chunk_encoder){
        .level = spec->level, .itemsize = spec->itemsize, .grid = spec->grid};
    if (spec->level < 0 || spec->level > 9)
        return err_set(err, TESS_ERR_ARG, -1, "compression level %d, 0 to 9 can be", spec->level);
    e->codec = codec_by_id(spec->codec);
    if (!e->codec)
        e->codec = plugins_codec(spec->plugins, spec->codec);
    if (!e->codec) {
        const char *const name = codec_name(spec->codec);
        return err_set(err, TESS_ERR_UNSUPPORTED, -1, "this build cannot write codec %s (id %d)",
                       name ? name : "without a name", spec->codec);
    }
    e->dictionary = spec->dictionary && e->codec->dict;
    e->dictionary_always = spec->dictionary_always;
    const tess_status st = check_pipeline(spec, typesize, &e->pipeline, err);
    if (st != TESS_OK)
        return st;

    e->h = (struct chunk_header){
        .header_size = CHUNK_HEADER_SIZE,
        .typesize = typesize,
        .nbytes = spec->nbytes,
        .blocksize = spec->blocksize > 0 ? spec->blocksize : 1,
        .codec_format = e->codec->format,
        .udcodec = e->codec->id,
        .codec_meta = spec->codec_meta,
        .split = splits(e, spec, typesize),
    };
    memcpy(e->h.filters, spec->filters, FILTER_SLOTS);
    memcpy(e->h.filters_meta, spec->filters_meta, FILTER_SLOTS);
    e->h.nblocks = (int32_t)ceil_div(e->h.nbytes, e->h.blocksize);
    e->h.leftover = e->h.nbytes % e->h.blocksize;
    return check_codec(e, err);
}

tess_status
block_filter(const struct encoding *x, int32_t nblock, const uint8_t *items,
             struct chunk_scratch *s, struct filtered *f, tess_error *err)
{
    const struct chunk_encoder *const e = x->e;
    const int32_t bsize = chunk_block_nbytes(&e->h, nblock);
    const bool shorter = bsize < e->h.blocksize;
    if (!pipeline_takes(&e->pipeline, items))
        items = memcpy(s->buffer[0], items, (size_t)bsize);
    uint8_t *const tmp1 = items == s->buffer[1] ? s->buffer[0] : s->buffer[1];
    uint8_t *const tmp2 = items == s->buffer[2] ? s->buffer[0] : s->buffer[2];

    f->nstreams = e->h.split && !shorter ? e->h.typesize : 1;
    f->neblock = (size_t)(bsize / f->nstreams);
    return pipeline_forward(&e->pipeline, items, nblock, x->ref, tmp1, tmp2, (size_t)bsize,
                            &f->bytes, err);
}
