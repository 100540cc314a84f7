/*
 * spec.c - derives the encoding of a chunk without an array from tess_params.
 */
#include "api/chunk/spec.h"

#include "array/open/params.h"
#include "base/error.h"
#include "base/limits.h"

// The width of TESS_FILTER_BYTEDELTA if none is given: the itemsize, since a chunk without an array
// has no typesize of an array. The width is stored in one byte: for larger items, the width is the
// largest divisor of the itemsize that fits.
static uint8_t
bytedelta_width(int32_t itemsize)
{
    int32_t width = itemsize < UINT8_MAX ? itemsize : UINT8_MAX;
    while (itemsize % width != 0)
        width--;
    return (uint8_t)width;
}

static void
take_filters(const tess_params *p, struct chunk_spec *spec)
{
    for (int i = 0; i < FILTER_SLOTS; i++) {
        const bool told = p->filters[i] != TESS_FILTER_BYTEDELTA || p->filters_meta[i] != 0;
        spec->filters[i] = p->filters[i];
        spec->filters_meta[i] = told ? p->filters_meta[i] : bytedelta_width(spec->itemsize);
    }
}

tess_status
chunk_spec_take(const tess_params *p, const struct chunk_options *o, size_t src_size,
                struct chunk_spec *spec, tess_error *err)
{
    *spec = (struct chunk_spec){
        .plugins = &o->plugins,
        .codec = (int)p->codec,
        .codec_meta = p->codec_meta,
        .level = p->clevel,
        .split = (int)p->split,
        .dictionary = p->dictionary,
        .dictionary_always = p->dictionary_always,
    };
    tess_status st = params_typesize(p, &spec->itemsize, err);
    if (st == TESS_OK)
        st = params_check_coding(p, err);
    if (st != TESS_OK)
        return st;
    if (src_size > CHUNK_NBYTES_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes, a chunk has at most %d", src_size,
                       CHUNK_NBYTES_MAX);
    spec->nbytes = (int32_t)src_size;
    take_filters(p, spec);
    return TESS_OK;
}
