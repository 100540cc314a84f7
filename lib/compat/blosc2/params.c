/*
 * params.c - parameters of chunks: blosc2_cparams and tess_params.
 *
 * Codecs, filters and split modes have the same numbers on both sides, as they are those of the
 * format. BLOSC_FORWARD_COMPAT_SPLIT is the exception: for new chunks it means BLOSC_AUTO_SPLIT.
 */
#include "blosc2/params.h"

#include "blosc2/error.h"

#include <string.h>

static int
split_of(const blosc2_cparams *cparams)
{
    return cparams->splitmode == BLOSC_FORWARD_COMPAT_SPLIT ? BLOSC_AUTO_SPLIT : cparams->splitmode;
}

bool
b2_takes_dictionary(int codec)
{
    return codec == BLOSC_ZSTD || codec == BLOSC_LZ4 || codec == BLOSC_LZ4HC;
}

bool
b2_is_encoded(const blosc2_cparams *cparams, int64_t nbytes)
{
    return cparams->clevel > 0 && nbytes >= BLOSC_MIN_BUFFERSIZE;
}

int
b2_params_set(tess_params *p, const blosc2_cparams *cparams)
{
    if (cparams->instr_codec)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "instrumented codecs are not supported");
    if (cparams->tuner_id > 0)
        return b2_fail(BLOSC2_ERROR_TUNER, "tuner %d: tuners do not exist here", cparams->tuner_id);
    p->codec = cparams->compcode;
    p->codec_meta = cparams->compcode_meta;
    p->clevel = cparams->clevel;
    p->split = split_of(cparams);
    p->dictionary =
        cparams->use_dict && b2_takes_dictionary(cparams->compcode); // else: without one
    memcpy(p->filters, cparams->filters, sizeof p->filters);
    memcpy(p->filters_meta, cparams->filters_meta, sizeof p->filters_meta);
    p->typesize = cparams->typesize;
    return BLOSC2_ERROR_SUCCESS;
}

int
b2_params_check_array(const blosc2_storage *storage)
{
    if (storage->cparams && storage->cparams->prefilter)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "arrays cannot have a prefilter");
    if (storage->dparams && storage->dparams->postfilter)
        return b2_fail(BLOSC2_ERROR_POSTFILTER, "arrays cannot have a postfilter");
    return BLOSC2_ERROR_SUCCESS;
}

void
b2_params_get(const tess_info *info, blosc2_cparams *cparams)
{
    cparams->compcode = (uint8_t)info->codec;
    cparams->compcode_meta = (uint8_t)info->codec_meta;
    cparams->clevel = (uint8_t)info->clevel;
    cparams->use_dict = info->dictionary;
    cparams->typesize = info->typesize;
    cparams->blocksize = info->blocksize;
    cparams->splitmode = info->split;
    memcpy(cparams->filters, info->filters, sizeof cparams->filters);
    memcpy(cparams->filters_meta, info->filters_meta, sizeof cparams->filters_meta);
}

bool
b2_params_same(const blosc2_cparams *a, const blosc2_cparams *b)
{
    return a->compcode == b->compcode && a->compcode_meta == b->compcode_meta &&
           a->clevel == b->clevel && !a->use_dict == !b->use_dict && a->typesize == b->typesize &&
           split_of(a) == split_of(b) && memcmp(a->filters, b->filters, sizeof a->filters) == 0 &&
           memcmp(a->filters_meta, b->filters_meta, sizeof a->filters_meta) == 0;
}

bool
b2_params_equal(const tess_info *info, const blosc2_cparams *cparams)
{
    blosc2_cparams own = *cparams;

    b2_params_get(info, &own);
    return b2_params_same(&own, cparams);
}
