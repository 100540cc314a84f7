/*
 * decode.c - chunks are decompressed: blosc2_decompress_ctx(), blosc2_getitem_ctx().
 *
 * Blocks that a mask leaves out are not decoded: runs of the others are. A postfilter gets the
 * decoded blocks, one after the other, on the calling thread.
 */
#include "blosc2/error.h"
#include "chunk/blocks.h"
#include "chunk/call.h"
#include "chunk/context.h"
#include "chunk/header.h"
#include "chunk/lazy.h"

#include <tessera/chunk.h>

#include <stdlib.h>
#include <string.h>

struct decode {
    const void *chunk;
    int32_t size;
    struct b2_header h;
    uint8_t *dest;
};

// A lazy chunk becomes *copy.
static int
open_lazy(struct decode *d, uint8_t **copy)
{
    const int size = b2_lazy_open(d->chunk, d->size, copy);
    if (size < 0)
        return size;
    d->chunk = *copy;
    d->size = size;
    return b2_header_read(d->chunk, d->size, &d->h);
}

// Read the header. A chunk of a later version whose flags are all known is taken for one of the
// latest known version, as c-blosc2 does; *copy is that chunk, to be freed, or NULL.
static int
open_chunk(struct decode *d, uint8_t **copy)
{
    *copy = NULL;
    if (b2_lazy_is(d->chunk, d->size))
        return open_lazy(d, copy);
    const int rc = b2_header_read(d->chunk, d->size, &d->h);
    if (rc < 0 || d->h.version <= BLOSC2_VERSION_FORMAT || d->h.cbytes > d->size)
        return rc;
    *copy = malloc((size_t)d->h.cbytes);
    if (!*copy)
        return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for a chunk");
    memcpy(*copy, d->chunk, (size_t)d->h.cbytes);
    (*copy)[BLOSC2_CHUNK_VERSION] = BLOSC2_VERSION_FORMAT;
    d->chunk = *copy;
    d->size = d->h.cbytes;
    return 0;
}

static int32_t
nblocks_of(const struct b2_header *h)
{
    return h->vl_blocks ? h->blocksize : h->nbytes / h->blocksize + (h->nbytes % h->blocksize > 0);
}

static tess_status
decode_all(struct b2_call *call, void *arg)
{
    const struct decode *const d = arg;
    return tess_chunk_decode_with(d->chunk, (size_t)d->size, &call->options, d->dest,
                                  (size_t)d->h.nbytes, &call->err);
}

// Bytes [start, stop) of the content, to their places in dest or to its begin.
static tess_status
decode_bytes(struct b2_call *call, const struct decode *d, int32_t start, int32_t stop, void *to)
{
    return tess_chunk_decode_items_with(d->chunk, (size_t)d->size, &call->options, 1, start, stop,
                                        to, (size_t)(stop - start), &call->err);
}

static tess_status
decode_unmasked(struct b2_call *call, const struct decode *d, const bool *maskout, int32_t nblocks)
{
    tess_status st = TESS_OK;
    for (int32_t first = 0, stop; first < nblocks && st == TESS_OK; first = stop) {
        for (stop = first + 1; stop < nblocks && maskout[stop] == maskout[first]; stop++)
            ;
        const int32_t from = first * d->h.blocksize;
        const int32_t to = stop < nblocks ? stop * d->h.blocksize : d->h.nbytes;
        if (!maskout[first])
            st = decode_bytes(call, d, from, to, d->dest + from);
    }
    return st;
}

// -- postfilters

// What is made of blocks of a chunk, from `first` on; input and output begin there.
struct filtering {
    blosc2_context *context;
    const struct decode *d;
    int32_t first;
    const uint8_t *input;
    uint8_t *output;
    const bool *maskout;
};

static int
filter_block(void *arg, int32_t n, int tid, uint8_t *temporary)
{
    const struct filtering *const f = arg;
    const struct decode *const d = f->d;
    const int32_t offset = n * d->h.blocksize, at = offset - f->first * d->h.blocksize;
    const int32_t left = d->h.nbytes - offset;
    blosc2_postfilter_params p = f->context->postparams;
    if (f->maskout && f->maskout[n])
        return 0;
    p.input = f->input + at;
    p.output = f->output + at;
    p.size = left < d->h.blocksize ? left : d->h.blocksize;
    p.typesize = d->h.typesize;
    p.offset = offset;
    p.nchunk = b2_context_nchunk(f->context);
    p.nblock = n;
    p.tid = tid;
    p.ttmp = temporary;
    p.ttmp_nbytes = b2_blocks_room(d->h.blocksize);
    p.ctx = f->context;
    const int code = f->context->dparams.postfilter(&p);
    if (code == 0)
        return 0;
    return b2_fail(BLOSC2_ERROR_POSTFILTER, "the postfilter returned %d for block %d", code, n);
}

// Blocks [first, stop) of the content of a chunk, from `input` to `output`, which hold them alone.
static int
filter_blocks(blosc2_context *context, const struct decode *d, int32_t first, int32_t stop,
              const uint8_t *input, uint8_t *output, const bool *maskout)
{
    struct filtering f = {context, d, first, input, output, maskout};
    return b2_blocks_run(context->dparams.nthreads, first, stop, d->h.blocksize, filter_block, &f);
}

// -- all of a chunk

static int
check_all(const blosc2_context *context, const struct decode *d, int32_t destsize)
{
    if (d->h.nbytes > destsize)
        return b2_fail(BLOSC2_ERROR_WRITE_BUFFER, "%d bytes of memory for the %d of a chunk",
                       destsize, d->h.nbytes);
    if (d->h.nbytes > 0 && !d->dest)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no place for the content of a chunk");
    if (context->maskout && context->nmaskout != nblocks_of(&d->h))
        return b2_fail(BLOSC2_ERROR_DATA, "a mask of %d blocks for a chunk of %d",
                       context->nmaskout, nblocks_of(&d->h));
    if (d->h.vl_blocks && (context->maskout || context->dparams.postfilter))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "blocks that differ in size, with a mask or a postfilter");
    return 0;
}

static int
decode_into(blosc2_context *context, struct decode *d)
{
    struct b2_call call;
    int rc = b2_call_init(&call, context, d->chunk);
    if (rc == 0) {
        const tess_status st = context->maskout
                                   ? decode_unmasked(&call, d, context->maskout, context->nmaskout)
                                   : b2_call_run(&call, decode_all, d);
        rc = b2_code(st, &call.err);
    }
    b2_call_finish(&call);
    return rc;
}

static int
decode_and_filter(blosc2_context *context, struct decode *d)
{
    uint8_t *const dest = d->dest;
    d->dest = malloc((size_t)d->h.nbytes);
    if (!d->dest)
        return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for %d bytes", d->h.nbytes);
    int rc = decode_into(context, d);
    if (rc == 0)
        rc = filter_blocks(context, d, 0, nblocks_of(&d->h), d->dest, dest, context->maskout);
    free(d->dest);
    d->dest = dest;
    return rc;
}

static int
decompress(blosc2_context *context, const void *src, int32_t srcsize, void *dest, int32_t destsize)
{
    struct decode d = {.chunk = src, .size = srcsize, .dest = dest};
    uint8_t *copy;
    int rc = open_chunk(&d, &copy);
    if (rc == 0)
        rc = check_all(context, &d, destsize);
    if (rc == 0)
        rc = context->dparams.postfilter && d.h.nbytes > 0 ? decode_and_filter(context, &d)
                                                           : decode_into(context, &d);
    free(copy);
    return rc == 0 ? d.h.nbytes : rc;
}

int
blosc2_decompress_ctx(blosc2_context *context, const void *src, int32_t srcsize, void *dest,
                      int32_t destsize)
{
    if (!context)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context is given");
    if (context->compresses)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "the context is for compressing");
    const int rc = decompress(context, src, srcsize, dest, destsize);
    free(context->maskout); // was for this call
    context->maskout = NULL;
    return rc;
}

// -- some items

static int
check_items(const struct b2_header *h, int64_t start, int64_t nitems, const void *dest,
            int32_t destsize)
{
    if (h->vl_blocks)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items of a chunk whose blocks differ in size");
    if (nitems < 0 || start < 0 || (start + nitems) * h->typesize > h->nbytes)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "%d items from %d on, the chunk has %d of %d bytes", (int)nitems, (int)start,
                       h->nbytes / h->typesize, h->typesize);
    if (nitems * h->typesize > destsize)
        return b2_fail(BLOSC2_ERROR_WRITE_BUFFER, "%d bytes of memory for %d items of %d", destsize,
                       (int)nitems, h->typesize);
    if (nitems > 0 && !dest)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no place for items");
    return 0;
}

// Bytes [start, stop) of what a postfilter makes.
static int
filtered_bytes(blosc2_context *context, struct b2_call *call, const struct decode *d, int32_t start,
               int32_t stop)
{
    const int32_t first = start / d->h.blocksize;
    const int32_t last = (stop - 1) / d->h.blocksize;
    const int32_t from = first * d->h.blocksize;
    const int32_t to = d->h.nbytes - from > (last - first + 1) * (int64_t)d->h.blocksize
                           ? (last + 1) * d->h.blocksize
                           : d->h.nbytes;
    uint8_t *const input = malloc((size_t)(to - from)), *const output = malloc((size_t)(to - from));
    int rc = input && output ? b2_code(decode_bytes(call, d, from, to, input), &call->err)
                             : b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for blocks");
    if (rc == 0)
        rc = filter_blocks(context, d, first, last + 1, input, output, NULL);
    if (rc == 0)
        memcpy(d->dest, output + (start - from), (size_t)(stop - start));
    free(input);
    free(output);
    return rc;
}

// All items are equal: neither threads nor codecs are needed.
static int
special_bytes(const struct decode *d, int32_t start, int32_t stop)
{
    tess_error err = {0};
    return b2_code(tess_chunk_decode_items(d->chunk, (size_t)d->size, 1, start, stop, d->dest,
                                           (size_t)(stop - start), &err),
                   &err);
}

static int
get_bytes(blosc2_context *context, const struct decode *d, int32_t start, int32_t stop)
{
    struct b2_call call;
    if (d->h.special && !context->dparams.postfilter)
        return special_bytes(d, start, stop);
    int rc = b2_call_init(&call, context, d->chunk);
    if (rc == 0)
        rc = context->dparams.postfilter
                 ? filtered_bytes(context, &call, d, start, stop)
                 : b2_code(decode_bytes(&call, d, start, stop, d->dest), &call.err);
    b2_call_finish(&call);
    return rc;
}

static int
get_items(blosc2_context *context, struct decode *d, int start, int nitems, int32_t destsize)
{
    int rc = check_items(&d->h, start, nitems, d->dest, destsize);
    if (rc < 0 || nitems == 0)
        return rc;
    const int32_t size = d->h.typesize;
    rc = get_bytes(context, d, start * size, (start + nitems) * size);
    return rc < 0 ? rc : nitems * size;
}

int
blosc2_getitem_ctx(blosc2_context *context, const void *src, int32_t srcsize, int start, int nitems,
                   void *dest, int32_t destsize)
{
    struct decode d = {.chunk = src, .size = srcsize, .dest = dest};
    if (!context)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context is given");
    uint8_t *copy;
    int rc = open_chunk(&d, &copy);
    if (rc == 0)
        rc = get_items(context, &d, start, nitems, destsize);
    free(copy);
    return rc;
}

int
blosc2_getitem_bytes_ctx(blosc2_context *context, const void *src, int32_t srcsize, int32_t start,
                         int32_t nbytes, void *dest, int32_t destsize)
{
    struct decode d = {.chunk = src, .size = srcsize, .dest = dest};
    if (!context)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context is given");
    uint8_t *copy;
    int rc = open_chunk(&d, &copy);
    if (rc == 0 && (start < 0 || nbytes < 0 || start % d.h.typesize || nbytes % d.h.typesize))
        rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                     "%d bytes from %d on, which are no whole items of %d", nbytes, start,
                     d.h.typesize);
    if (rc == 0)
        rc = get_items(context, &d, start / d.h.typesize, nbytes / d.h.typesize, destsize);
    free(copy);
    return rc;
}
