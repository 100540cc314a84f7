/*
 * params.c - what a description says, whether or not it is of an array.
 */
#include "array/open/params.h"

#include "base/error.h"
#include "base/limits.h"
#include "chunk/encode/encoder.h"
#include "codec/codec.h"
#include "filter/filter.h"
#include "geom/shape.h"
#include "meta/dtype.h"

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
