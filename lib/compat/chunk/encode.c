/*
 * encode.c - chunks are compressed: blosc2_compress_ctx().
 *
 * A prefilter makes the blocks, on the threads of the context; what it made is then
 * compressed like any content.
 */
#include "chunk/encode.h"

#include "blosc2/error.h"
#include "blosc2/params.h"
#include "chunk/blocks.h"
#include "chunk/blocksize.h"
#include "chunk/call.h"
#include "chunk/context.h"

#include <tessera/chunk.h>

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

int
b2_check_encode(const blosc2_cparams *c, int64_t nbytes, int64_t destsize)
{
    if (nbytes < 0 || nbytes > BLOSC2_MAX_BUFFERSIZE)
        return b2_fail(nbytes < 0 ? BLOSC2_ERROR_INVALID_PARAM : BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED,
                       "%" PRId64 " bytes, a chunk has 0 to %d", nbytes, BLOSC2_MAX_BUFFERSIZE);
    if (destsize < BLOSC2_MAX_OVERHEAD)
        return b2_fail(BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED,
                       "%" PRId64 " bytes of memory for a chunk, which has %d at least", destsize,
                       BLOSC2_MAX_OVERHEAD);
    if (c->clevel > 9)
        return b2_fail(BLOSC2_ERROR_CODEC_PARAM, "compression level %d, 0 to 9 can be", c->clevel);
    if (c->typesize < 1 || c->typesize > BLOSC2_MAXTYPESIZE)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items of %d bytes, 1 to %d can be", c->typesize,
                       BLOSC2_MAXTYPESIZE);
    if (c->blocksize < 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "blocks of %d bytes", c->blocksize);
    return 0;
}

void
b2_params(const blosc2_cparams *c, tess_params *p)
{
    tess_params_init(p);
    p->typesize = c->typesize;
    p->codec = c->compcode;
    p->codec_meta = c->compcode_meta;
    p->clevel = c->clevel;
    p->dictionary = p->dictionary_always = c->use_dict != 0;
    memcpy(p->filters, c->filters, sizeof p->filters);
    memcpy(p->filters_meta, c->filters_meta, sizeof p->filters_meta);
    p->split = c->splitmode == BLOSC_ALWAYS_SPLIT || c->splitmode == BLOSC_NEVER_SPLIT
                   ? c->splitmode
                   : TESS_SPLIT_AUTO;
}

// The shape that the blocks of the super-chunk have, if this chunk consists of such blocks.
static bool
set_shape(const tess_chunk_options *options, int32_t nbytes, tess_params *p)
{
    int64_t size = options->typesize;
    if (options->ndim == 0 || options->typesize != p->typesize)
        return false;
    for (int i = 0; i < options->ndim; i++) {
        if (options->blockshape[i] < 1 || options->blockshape[i] > nbytes / size)
            return false;
        size *= options->blockshape[i];
    }
    if (nbytes % size != 0)
        return false;
    p->ndim = options->ndim;
    memcpy(p->blockshape, options->blockshape, sizeof p->blockshape);
    return true;
}

static void
set_blocks(const blosc2_cparams *c, const tess_chunk_options *options, int32_t nbytes,
           tess_params *p)
{
    if (set_shape(options, nbytes, p))
        return;
    p->ndim = 1;
    p->blockshape[0] = b2_blocksize(c, nbytes) / c->typesize;
    if (p->blockshape[0] == 0) // part of an item
        p->blockshape[0] = 1;
}

struct encode {
    tess_params params;
    const void *src;
    int32_t srcsize;
    void *dest;
    int32_t destsize;
    size_t cbytes;
};

static tess_status
encode_step(struct b2_call *call, void *arg)
{
    struct encode *const e = arg;
    return tess_chunk_encode_with(&e->params, &call->options, e->src, (size_t)e->srcsize, e->dest,
                                  (size_t)e->destsize, &e->cbytes, &call->err);
}

static int
encode(blosc2_context *context, const void *src, int32_t srcsize, void *dest, int32_t destsize)
{
    struct b2_call call;
    struct encode e = {.src = src, .srcsize = srcsize, .dest = dest, .destsize = destsize};
    int rc = b2_call_init(&call, context, src);
    if (rc == 0) {
        b2_params(&context->cparams, &e.params);
        set_blocks(&context->cparams, &call.options, srcsize, &e.params);
        call.options.partial_item = e.params.ndim <= 1;
        tess_status st = b2_call_run(&call, encode_step, &e);
        if (st == TESS_ERR_ARG && !b2_is_encoded(&context->cparams, srcsize)) {
            memset(e.params.filters, 0, sizeof e.params.filters); // none runs
            st = b2_call_run(&call, encode_step, &e);
        }
        if (st == TESS_OK)
            rc = (int)e.cbytes;
        else if (e.cbytes == 0) // else the chunk does not fit: 0
            rc = b2_code(st, &call.err);
    }
    b2_call_finish(&call);
    return rc;
}

// -- prefilters

// What is made of a chunk.
struct making {
    blosc2_context *context;
    const uint8_t *src; // NULL: nothing
    uint8_t *made;
    int32_t size, blocksize;
};

static int
make_block(void *arg, int32_t nblock, int tid, uint8_t *temporary)
{
    const struct making *const m = arg;
    blosc2_context *const context = m->context;
    const int32_t offset = nblock * m->blocksize, left = m->size - offset;
    blosc2_prefilter_params p = context->preparams;
    p.input = m->src ? m->src + offset : NULL;
    p.output = m->made + offset;
    p.output_typesize = p.output_typesize > 0 ? p.output_typesize : context->cparams.typesize;
    p.output_size =
        (m->blocksize < left ? m->blocksize : left) / context->cparams.typesize * p.output_typesize;
    p.output_offset = offset;
    p.nchunk = b2_context_nchunk(context);
    p.nblock = nblock;
    p.tid = tid;
    p.ttmp = temporary;
    p.ttmp_nbytes = b2_blocks_room(m->blocksize);
    p.ctx = context;
    const int code = context->cparams.prefilter(&p);
    if (code == 0 || context->preparams.output_is_disposable)
        return 0;
    return b2_fail(BLOSC2_ERROR_FILTER_PIPELINE, "the prefilter returned %d for block %d", code,
                   nblock);
}

// Memory of the context, which the next call uses again: new pages cost more than what is made.
static uint8_t *
room_to_make(blosc2_context *context, int32_t size)
{
    if (context->made_size < size) {
        free(context->made);
        context->made = malloc((size_t)size + 1);
        context->made_size = context->made ? size : 0;
    }
    if (context->made)
        memset(context->made, 0, (size_t)size);
    return context->made;
}

static int
encode_made(blosc2_context *context, const void *src, int32_t srcsize, void *dest, int32_t destsize)
{
    struct making m = {context, src, NULL, srcsize, b2_blocksize(&context->cparams, srcsize)};
    if (context->preparams.output_typesize > context->cparams.typesize)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a prefilter makes items of %d bytes out of %d",
                       context->preparams.output_typesize, context->cparams.typesize);
    m.made = room_to_make(context, srcsize);
    if (!m.made)
        return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for %d bytes", srcsize);
    const int32_t nblocks =
        srcsize > 0 ? (int32_t)(((int64_t)srcsize + m.blocksize - 1) / m.blocksize) : 0;
    const int rc =
        b2_blocks_run(context->cparams.nthreads, 0, nblocks, m.blocksize, make_block, &m);
    return rc == 0 ? encode(context, m.made, srcsize, dest, destsize) : rc;
}

int
blosc2_compress_ctx(blosc2_context *context, const void *src, int32_t srcsize, void *dest,
                    int32_t destsize)
{
    if (!context || !dest || (!src && srcsize > 0 && !context->cparams.prefilter))
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context, source or destination");
    if (!context->compresses)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "the context is for decompressing");
    const blosc2_cparams *const c = &context->cparams;
    const int rc = b2_check_encode(c, srcsize, destsize);
    if (rc < 0)
        return rc;
    if (c->use_dict && !b2_takes_dictionary(c->compcode))
        return b2_fail(BLOSC2_ERROR_CODEC_PARAM, "codec %d takes no dictionaries", c->compcode);
    return c->prefilter ? encode_made(context, src, srcsize, dest, destsize)
                        : encode(context, src, srcsize, dest, destsize);
}
