/*
 * context.c - contexts: the parameters of calls that compress, or decompress, chunks.
 */
#include "chunk/context.h"

#include "blosc2/error.h"
#include "chunk/environment.h"

#include <stdlib.h>
#include <string.h>

static bool
is_defined_filter(uint8_t id)
{
    return id < BLOSC_LAST_FILTER || id >= BLOSC2_USER_REGISTERED_FILTERS_START ||
           (id >= BLOSC2_GLOBAL_REGISTERED_FILTERS_START && id <= BLOSC_LAST_REGISTERED_FILTER);
}

static bool
check_cparams(const blosc2_cparams *c)
{
    for (int i = 0; i < BLOSC2_MAX_FILTERS; i++)
        if (!is_defined_filter(c->filters[i])) {
            b2_fail(BLOSC2_ERROR_INVALID_PARAM, "filter %d is not defined", c->filters[i]);
            return false;
        }
    if (c->tuner_id > 0 || c->instr_codec) {
        b2_fail(BLOSC2_ERROR_TUNER, "tuners and instrumented codecs do not exist here");
        return false;
    }
    if (c->prefilter && !c->preparams) {
        b2_fail(BLOSC2_ERROR_NULL_POINTER, "a prefilter without parameters");
        return false;
    }
    return true;
}

blosc2_context *
blosc2_create_cctx(blosc2_cparams cparams)
{
    if (!check_cparams(&cparams) || b2_environment_cparams(&cparams) < 0)
        return NULL;
    blosc2_context *const context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->nchunk = -1;
    context->compresses = true;
    context->cparams = cparams;
    if (cparams.prefilter) {
        context->preparams = *cparams.preparams;
        context->cparams.preparams = &context->preparams;
    }
    return context;
}

blosc2_context *
blosc2_create_dctx(blosc2_dparams dparams)
{
    if (dparams.postfilter && !dparams.postparams) {
        b2_fail(BLOSC2_ERROR_NULL_POINTER, "a postfilter without parameters");
        return NULL;
    }
    blosc2_context *const context = calloc(1, sizeof *context);
    if (!context)
        return NULL;
    context->nchunk = -1;
    context->dparams = dparams;
    context->dparams.nthreads = b2_environment_nthreads(dparams.nthreads);
    if (dparams.postfilter) {
        context->postparams = *dparams.postparams;
        context->dparams.postparams = &context->postparams;
    }
    return context;
}

blosc2_context *
b2_context_copy(const blosc2_context *context)
{
    blosc2_context *const copy = malloc(sizeof *copy);

    if (!copy)
        return NULL;
    *copy = *context;
    if (copy->cparams.preparams)
        copy->cparams.preparams = &copy->preparams;
    if (copy->dparams.postparams)
        copy->dparams.postparams = &copy->postparams;
    copy->maskout = NULL;
    copy->scratch = NULL;
    copy->made = NULL;
    copy->made_size = 0;
    return copy;
}

void
blosc2_free_ctx(blosc2_context *context)
{
    if (!context)
        return;
    tess_chunk_scratch_close(context->scratch);
    free(context->made);
    free(context->maskout);
    free(context);
}

int
blosc2_ctx_get_cparams(blosc2_context *ctx, blosc2_cparams *cparams)
{
    if (!ctx || !cparams)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context, or no place for its parameters");
    *cparams = ctx->cparams;
    return 0;
}

int
blosc2_ctx_get_dparams(blosc2_context *ctx, blosc2_dparams *dparams)
{
    if (!ctx || !dparams)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context, or no place for its parameters");
    *dparams = ctx->dparams;
    return 0;
}

int
blosc2_set_maskout(blosc2_context *ctx, bool *maskout, int nblocks)
{
    if (!ctx || !maskout)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context, or no mask");
    if (nblocks < 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a mask of %d blocks", nblocks);
    bool *const copy = malloc((size_t)nblocks + 1);
    if (!copy)
        return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for a mask of %d blocks", nblocks);
    memcpy(copy, maskout, (size_t)nblocks);
    free(ctx->maskout);
    ctx->maskout = copy;
    ctx->nmaskout = nblocks;
    return 0;
}

const blosc2_schunk *
b2_context_schunk(const blosc2_context *context)
{
    return context->compresses ? context->cparams.schunk : context->dparams.schunk;
}

int64_t
b2_context_nchunk(const blosc2_context *context)
{
    const blosc2_schunk *const sc = b2_context_schunk(context);
    if (context->nchunk >= 0)
        return context->nchunk;
    return sc ? sc->current_nchunk : -1;
}

blosc2_cparams
blosc2_get_blosc2_cparams_defaults(void)
{
    return BLOSC2_CPARAMS_DEFAULTS;
}

blosc2_dparams
blosc2_get_blosc2_dparams_defaults(void)
{
    return BLOSC2_DPARAMS_DEFAULTS;
}

blosc2_storage
blosc2_get_blosc2_storage_defaults(void)
{
    return BLOSC2_STORAGE_DEFAULTS;
}

blosc2_io
blosc2_get_blosc2_io_defaults(void)
{
    return BLOSC2_IO_DEFAULTS;
}

blosc2_stdio_mmap
blosc2_get_blosc2_stdio_mmap_defaults(void)
{
    return BLOSC2_STDIO_MMAP_DEFAULTS;
}
