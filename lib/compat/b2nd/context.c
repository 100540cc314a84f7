/*
 * context.c - how arrays are created.
 *
 * As in c-blosc2, a context has copies of the structs that it is made of, but not of what they
 * point to: path, dparams, io and contents of metalayers must stay until the context is freed.
 */
#include "b2nd/context.h"

#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "blosc2/params.h"
#include "blosc2/storage.h"
#include "chunk/environment.h"

#include <blosc2/codecs-registry.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int
check_shapes(int ndim, const int64_t *shape, const int32_t *chunkshape, const int32_t *blockshape)
{
    if (ndim < 0 || ndim > B2ND_MAX_DIM)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "%d dimensions, 0 to %d can be", ndim,
                       B2ND_MAX_DIM);
    if (ndim > 0 && (!shape || !chunkshape || !blockshape))
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "shape, chunkshape or blockshape is missing");
    return nd_geometry_check(ndim, shape, chunkshape, blockshape);
}

// ZFP needs the numbers as they are.
static int
check_codec(const blosc2_cparams *cparams)
{
    const int codec = cparams->compcode;

    if (codec < BLOSC_CODEC_ZFP_FIXED_ACCURACY || codec > BLOSC_CODEC_ZFP_FIXED_RATE)
        return BLOSC2_ERROR_SUCCESS;
    for (int i = 0; i < BLOSC2_MAX_FILTERS; i++)
        if (cparams->filters[i] == BLOSC_SHUFFLE || cparams->filters[i] == BLOSC_BITSHUFFLE)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "ZFP cannot have filter %d in front of it",
                           cparams->filters[i]);
    return BLOSC2_ERROR_SUCCESS;
}

static int
set_storage(b2nd_context_t *ctx, const blosc2_storage *storage)
{
    const blosc2_storage *const from = storage ? storage : &BLOSC2_STORAGE_DEFAULTS;

    ctx->b2_storage = malloc(sizeof *ctx->b2_storage);
    if (!ctx->b2_storage)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    *ctx->b2_storage = *from;
    ctx->b2_storage->cparams = malloc(sizeof *from->cparams);
    if (!ctx->b2_storage->cparams)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    *ctx->b2_storage->cparams = from->cparams ? *from->cparams : BLOSC2_CPARAMS_DEFAULTS;
    return check_codec(ctx->b2_storage->cparams);
}

static int
set_dtype(b2nd_context_t *ctx, const char *dtype, int8_t dtype_format)
{
    char bytes[16];

    snprintf(bytes, sizeof bytes, "|S%" PRId32, ctx->b2_storage->cparams->typesize);
    ctx->dtype = strdup(dtype ? dtype : bytes);
    ctx->dtype_format = dtype_format;
    ctx->dtype_given = dtype != NULL;
    return ctx->dtype ? BLOSC2_ERROR_SUCCESS : BLOSC2_ERROR_MEMORY_ALLOC;
}

static int
set_shapes(b2nd_context_t *ctx, int8_t ndim, const int64_t *shape, const int32_t *chunkshape,
           const int32_t *blockshape)
{
    int64_t blocksize = ctx->b2_storage->cparams->typesize;

    ctx->ndim = ndim;
    for (int i = 0; i < ndim; i++) {
        ctx->shape[i] = shape[i];
        ctx->chunkshape[i] = chunkshape[i];
        ctx->blockshape[i] = blockshape[i];
        if (!nd_multiply(blocksize, blockshape[i], INT32_MAX, &blocksize))
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a block has 2^31 bytes or more");
    }
    ctx->b2_storage->cparams->blocksize = (int32_t)blocksize;
    return BLOSC2_ERROR_SUCCESS;
}

static int
set_metalayers(b2nd_context_t *ctx, const blosc2_metalayer *metalayers, int32_t count)
{
    if (count < 0 || count > B2ND_MAX_METALAYERS || (count > 0 && !metalayers))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "%" PRId32 " metalayers, at most %d can be",
                       count, B2ND_MAX_METALAYERS);
    for (int i = 0; i < count; i++)
        ctx->metalayers[i] = metalayers[i];
    ctx->nmetalayers = count;
    return BLOSC2_ERROR_SUCCESS;
}

b2nd_context_t *
b2nd_create_ctx(const blosc2_storage *b2_storage, int8_t ndim, const int64_t *shape,
                const int32_t *chunkshape, const int32_t *blockshape, const char *dtype,
                int8_t dtype_format, const blosc2_metalayer *metalayers, int32_t nmetalayers)
{
    if (check_shapes(ndim, shape, chunkshape, blockshape) < 0)
        return NULL;
    b2nd_context_t *const ctx = calloc(1, sizeof *ctx);
    if (!ctx)
        return NULL;
    if (set_storage(ctx, b2_storage) == 0 && set_dtype(ctx, dtype, dtype_format) == 0 &&
        set_shapes(ctx, ndim, shape, chunkshape, blockshape) == 0 &&
        set_metalayers(ctx, metalayers, nmetalayers) == 0)
        return ctx;
    b2nd_free_ctx(ctx);
    return NULL;
}

int
b2nd_free_ctx(b2nd_context_t *ctx)
{
    if (!ctx)
        return BLOSC2_ERROR_NULL_POINTER;
    if (ctx->b2_storage)
        free(ctx->b2_storage->cparams);
    free(ctx->b2_storage);
    free(ctx->dtype);
    free(ctx);
    return BLOSC2_ERROR_SUCCESS;
}

// Chunks as the context and the environment say, but for the sizes of items and blocks.
static int
set_chunks(tess_params *params, const blosc2_storage *storage)
{
    blosc2_cparams cparams = *storage->cparams;
    int rc = b2_params_check_array(storage);

    if (rc == 0)
        rc = b2_environment_cparams(&cparams);
    cparams.typesize = storage->cparams->typesize;
    return rc < 0 ? rc : b2_params_set(params, &cparams);
}

int
nd_context_params(const b2nd_context_t *ctx, tess_params *params, tess_metalayer *metalayers)
{
    tess_params_init(params);
    const int rc = set_chunks(params, ctx->b2_storage);
    if (rc < 0)
        return rc;
    params->dtype = ctx->dtype;
    params->dtype_format = ctx->dtype_format;
    params->layer = ctx->layer;
    params->ndim = ctx->ndim;
    for (int i = 0; i < ctx->ndim; i++) {
        const int32_t chunk = ctx->chunkshape[i], block = ctx->blockshape[i];
        params->shape[i] = ctx->shape[i];
        params->chunkshape[i] = chunk;
        params->blockshape[i] = block < chunk ? block : chunk; // a larger one holds only padding
    }
    params->layout = b2_storage_file(ctx->b2_storage) && !ctx->b2_storage->contiguous
                         ? TESS_LAYOUT_SPARSE
                         : TESS_LAYOUT_CONTIGUOUS;
    for (int i = 0; i < ctx->nmetalayers; i++) {
        const blosc2_metalayer *const m = &ctx->metalayers[i];
        if (m->content_len < 0)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "metalayer %d has %" PRId32 " bytes", i,
                           m->content_len);
        metalayers[i] = (tess_metalayer){m->name, m->content, (size_t)m->content_len};
    }
    params->metalayers = metalayers;
    params->nmetalayers = ctx->nmetalayers;
    return BLOSC2_ERROR_SUCCESS;
}
