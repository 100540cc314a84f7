/*
 * vlblocks.c - chunks whose blocks differ in size: blosc2_vlcompress_ctx() and the like.
 *
 * The bytes of such a chunk may come from anywhere: the table of blocks is checked before it is
 * used, and what blocks hold is found out by libtessera.
 */
#include "blosc2/error.h"
#include "chunk/call.h"
#include "chunk/context.h"
#include "chunk/encode.h"
#include "chunk/header.h"
#include "chunk/lazy.h"

#include <tessera/chunk.h>

#include <stdlib.h>
#include <string.h>

enum { SIZE_SIZE = 4 }; // of a size, and of a place in the table

// -- compress

static int
check_sources(const void *const *srcs, const int32_t *srcsizes, int32_t nblocks, int64_t *sum)
{
    *sum = 0;
    if (!srcs || !srcsizes || nblocks < 1)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "no blocks are given");
    for (int32_t i = 0; i < nblocks; i++) {
        if (!srcs[i] || srcsizes[i] < 1)
            return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "block %d of %d bytes", i, srcsizes[i]);
        *sum += srcsizes[i];
    }
    return 0;
}

static int
encode(blosc2_context *context, const uint8_t *src, int32_t srcsize, const int32_t *sizes,
       int32_t nblocks, void *dest, int32_t destsize)
{
    struct b2_call call;
    tess_params params;
    size_t cbytes = 0;
    int rc = b2_call_init(&call, context, src);
    if (rc == 0) {
        b2_params(&context->cparams, &params);
        const tess_status st =
            tess_chunk_encode_blocks(&params, &call.options, src, (size_t)srcsize, sizes, nblocks,
                                     dest, (size_t)destsize, &cbytes, &call.err);
        if (st == TESS_OK)
            rc = (int)cbytes;
        else if (cbytes == 0) // else the chunk does not fit: 0
            rc = b2_code(st, &call.err);
    }
    b2_call_finish(&call);
    return rc;
}

int
blosc2_vlcompress_ctx(blosc2_context *context, const void *const *srcs, const int32_t *srcsizes,
                      int32_t nblocks, void *dest, int32_t destsize)
{
    int64_t sum;
    if (!context || !dest)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context, or no destination");
    if (!context->compresses || context->cparams.prefilter)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "the context is for decompressing, or has a prefilter");
    int rc = check_sources(srcs, srcsizes, nblocks, &sum);
    if (rc == 0)
        rc = b2_check_encode(&context->cparams, sum, destsize);
    if (rc < 0)
        return rc;
    uint8_t *const all = malloc((size_t)sum);
    if (!all)
        return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for %d blocks", nblocks);
    uint8_t *at = all;
    for (int32_t i = 0; i < nblocks; i++) {
        memcpy(at, srcs[i], (size_t)srcsizes[i]);
        at += srcsizes[i];
    }
    rc = encode(context, all, (int32_t)sum, srcsizes, nblocks, dest, destsize);
    free(all);
    return rc;
}

// -- decompress

struct table {
    const uint8_t *chunk;
    int32_t size; // at hand
    struct b2_header h;
    int32_t nblocks;
    uint8_t *whole; // of a lazy chunk, to be freed
};

static int
open_lazy(struct table *t)
{
    const int size = b2_lazy_is(t->chunk, t->size) ? b2_lazy_open(t->chunk, t->size, &t->whole) : 0;
    if (size <= 0)
        return size;
    t->chunk = t->whole;
    t->size = size;
    return 0;
}

static int
read_table(struct table *t)
{
    const int rc = b2_header_read(t->chunk, t->size, &t->h);
    if (rc < 0)
        return rc;
    if (!t->h.vl_blocks)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "all blocks of the chunk have one size");
    t->nblocks = t->h.blocksize;
    if (t->h.cbytes > t->size ||
        t->nblocks > (t->h.cbytes - BLOSC_EXTENDED_HEADER_LENGTH) / SIZE_SIZE)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER,
                       "%d blocks in a chunk of %d bytes, of which %d "
                       "are given",
                       t->nblocks, t->h.cbytes, t->size);
    return 0;
}

// free() t->whole, also after a failure.
static int
open_table(const void *src, int32_t srcsize, struct table *t)
{
    *t = (struct table){.chunk = src, .size = srcsize};
    const int rc = open_lazy(t);
    return rc < 0 ? rc : read_table(t);
}

static int64_t
number(const struct table *t, int64_t at)
{
    const uint8_t *const b = t->chunk + at;
    return (int64_t)b[0] | (int64_t)b[1] << 8 | (int64_t)b[2] << 16 | (int64_t)b[3] << 24;
}

// The size of block n, whose content begins at `start` in that of the chunk.
static int
size_of_block(const struct table *t, int32_t n, int32_t start, int32_t *size)
{
    const int64_t at = number(t, BLOSC_EXTENDED_HEADER_LENGTH + SIZE_SIZE * (int64_t)n);
    if (at < BLOSC_EXTENDED_HEADER_LENGTH || at > t->h.cbytes - SIZE_SIZE)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER, "block %d is outside of its chunk", n);
    const int64_t bytes = number(t, at);
    if (bytes < 1 || bytes > t->h.nbytes - start)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER, "block %d is larger than its chunk", n);
    *size = (int32_t)bytes;
    return 0;
}

// Where the content of block n begins in that of the chunk, and its size.
static int
find_block(const struct table *t, int32_t n, int32_t *start, int32_t *size)
{
    int rc = 0;
    *start = *size = 0;
    for (int32_t i = 0; i <= n && rc == 0; i++) {
        *start += *size;
        rc = size_of_block(t, i, *start, size);
    }
    return rc;
}

static int
check_context(const blosc2_context *context)
{
    if (!context)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no context is given");
    if (context->compresses || context->dparams.postfilter)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "the context is for compressing, or has a postfilter");
    return 0;
}

// Bytes [start, start + size) of the content, in memory of their own.
static int
decode(blosc2_context *context, const struct table *t, int32_t start, int32_t size,
       uint8_t **content)
{
    struct b2_call call;
    uint8_t *const to = malloc((size_t)size + 1);
    *content = NULL;
    if (!to)
        return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for %d bytes", size);
    int rc = b2_call_init(&call, context, t->chunk);
    if (rc == 0)
        rc = b2_code(tess_chunk_decode_items_with(t->chunk, (size_t)t->size, &call.options, 1,
                                                  start, start + (int64_t)size, to, (size_t)size,
                                                  &call.err),
                     &call.err);
    b2_call_finish(&call);
    if (rc < 0) {
        free(to);
        return rc;
    }
    *content = to;
    return 0;
}

static int
hand_out(const struct table *t, const uint8_t *content, void **dests, int32_t *destsizes)
{
    int32_t start = 0, n = 0;
    for (; n < t->nblocks; n++) {
        const int rc = size_of_block(t, n, start, &destsizes[n]);
        dests[n] = rc == 0 ? malloc((size_t)destsizes[n]) : NULL;
        if (!dests[n])
            break;
        memcpy(dests[n], content + start, (size_t)destsizes[n]);
        start += destsizes[n];
    }
    if (n == t->nblocks)
        return n;
    while (n > 0) {
        free(dests[--n]);
        dests[n] = NULL;
    }
    return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "no memory for %d blocks", t->nblocks);
}

static int
decompress_all(blosc2_context *context, const struct table *t, void **dests, int32_t *destsizes,
               int32_t maxblocks)
{
    uint8_t *content;
    if (t->nblocks > maxblocks)
        return b2_fail(BLOSC2_ERROR_WRITE_BUFFER, "place for %d blocks of %d", maxblocks,
                       t->nblocks);
    int rc = decode(context, t, 0, t->h.nbytes, &content);
    if (rc < 0)
        return rc;
    rc = hand_out(t, content, dests, destsizes);
    free(content);
    return rc;
}

int
blosc2_vldecompress_ctx(blosc2_context *context, const void *src, int32_t srcsize, void **dests,
                        int32_t *destsizes, int32_t maxblocks)
{
    struct table t = {0};
    int rc = check_context(context);
    if (rc == 0 && (!dests || !destsizes || maxblocks < 1))
        rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM, "no place for blocks is given");
    if (rc == 0)
        rc = open_table(src, srcsize, &t);
    if (rc == 0)
        rc = decompress_all(context, &t, dests, destsizes, maxblocks);
    free(t.whole);
    return rc;
}

int
blosc2_vlchunk_get_nblocks(const void *src, int32_t srcsize, int32_t *nblocks)
{
    struct b2_header h;
    if (!src || !nblocks)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "no chunk, or no place for a number");
    const int rc = b2_header_read(src, srcsize, &h);
    if (rc < 0)
        return rc;
    if (!h.vl_blocks)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "all blocks of the chunk have one size");
    *nblocks = h.blocksize;
    return 0;
}

int
blosc2_vldecompress_block_ctx(blosc2_context *context, const void *src, int32_t srcsize,
                              int32_t nblock, uint8_t **dest, int32_t *destsize)
{
    struct table t = {0};
    int32_t start, size = 0;
    int rc = check_context(context);
    if (rc == 0 && (!dest || !destsize))
        rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM, "no place for a block is given");
    if (rc == 0)
        rc = open_table(src, srcsize, &t);
    if (rc == 0 && (nblock < 0 || nblock >= t.nblocks))
        rc = b2_fail(BLOSC2_ERROR_INVALID_PARAM, "block %d, the chunk has %d", nblock, t.nblocks);
    if (rc == 0)
        rc = find_block(&t, nblock, &start, &size);
    if (rc == 0)
        rc = decode(context, &t, start, size, dest);
    free(t.whole);
    if (rc < 0)
        return rc;
    *destsize = size;
    return size;
}
