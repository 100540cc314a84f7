/*
 * content.c - the content of chunks of a super-chunk: decoded, and encoded again.
 *
 * Postfilters and prefilters are of the contexts of the super-chunk, and so are parameters that the
 * program or the environment changed: chunks go through the contexts then.
 */
#include "schunk/content.h"

#include "blosc2/error.h"
#include "blosc2/params.h"
#include "chunk/context.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/chunk.h>
#include <tessera/schunk.h>

int
b2_check_chunk(const struct b2_schunk *s, int64_t n)
{
    tess_info info;

    tess_array_info(s->a, &info);
    if (n < 0 || n >= info.nchunks)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "chunk %" PRId64 " of %" PRId64, n,
                       info.nchunks);
    return BLOSC2_ERROR_SUCCESS;
}

int
b2_chunk_look(const struct b2_schunk *s, int64_t n, tess_chunk_info *info)
{
    tess_error err = {0};

    return b2_code(tess_array_chunk(s->a, n, info, &err), &err);
}

int
b2_chunk_nbytes(const struct b2_schunk *s, int64_t n, int32_t *nbytes)
{
    tess_chunk_info info;
    const int rc = b2_chunk_look(s, n, &info);

    if (rc == 0)
        *nbytes = (int32_t)info.nbytes;
    return rc;
}

// -- contexts, which programs may replace

// Filters whose parameters matter in chunks only that are filtered.
static bool
has_trunc_prec(const blosc2_cparams *cparams)
{
    return memchr(cparams->filters, BLOSC_TRUNC_PREC, sizeof cparams->filters) != NULL;
}

bool
b2_encodes_by_context(const struct b2_schunk *s)
{
    blosc2_cparams own;

    if (!s->of.cctx || blosc2_ctx_get_cparams(s->of.cctx, &own) < 0)
        return false;
    if (own.prefilter || !b2_params_same(&own, &s->encodes))
        return true;
    if (!s->plain)
        return false; // an array chooses where a dictionary pays, and has blocks of its own
    return own.use_dict || has_trunc_prec(&own) || own.blocksize != s->encodes.blocksize ||
           own.blocksize == 0;
}

bool
b2_decodes_by_context(const struct b2_schunk *s)
{
    blosc2_dparams own;

    return s->of.dctx && blosc2_ctx_get_dparams(s->of.dctx, &own) == 0 && own.postfilter;
}

// -- decoded, and encoded

static int
read_by_context(const struct b2_schunk *s, int64_t n, void *dst, int32_t nbytes)
{
    uint8_t *chunk = NULL;
    const int size = b2_chunk_bytes(s, n, &chunk);
    blosc2_context *const own = s->of.dctx->maskout ? NULL : b2_context_copy(s->of.dctx);
    blosc2_context *const context = own ? own : s->of.dctx;
    context->nchunk = n;
    const int rc = size < 0 ? size : blosc2_decompress_ctx(context, chunk, size, dst, nbytes);
    context->nchunk = -1;
    blosc2_free_ctx(own);
    free(chunk);
    return rc < 0 ? rc : BLOSC2_ERROR_SUCCESS;
}

int
b2_chunk_read(const struct b2_schunk *s, int64_t n, void *dst, int32_t nbytes)
{
    tess_error err = {0};

    if (b2_decodes_by_context(s))
        return read_by_context(s, n, dst, nbytes);
    return b2_code(tess_schunk_decode(s->a, n, dst, (size_t)nbytes, &err), &err);
}

static int
rewrite_by_context(struct b2_schunk *s, int64_t n, const void *src, int32_t nbytes)
{
    const size_t room = (size_t)nbytes + BLOSC2_MAX_OVERHEAD;
    uint8_t *const chunk = room <= INT32_MAX ? malloc(room) : NULL;
    tess_error err = {0};

    if (!chunk)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    if (!s->of.cctx) {
        free(chunk);
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "the program has taken the context away");
    }
    s->of.cctx->nchunk = n;
    const int size = blosc2_compress_ctx(s->of.cctx, src, nbytes, chunk, (int32_t)room);
    s->of.cctx->nchunk = -1;
    int rc = size == 0 ? BLOSC2_ERROR_CHUNK_UPDATE : size;
    if (size > 0)
        rc =
            b2_code_io(tess_array_set_chunk(s->a, n, chunk, (size_t)size, TESS_CHUNK_TRUSTED, &err),
                       &err, BLOSC2_ERROR_FILE_WRITE);
    free(chunk);
    return rc;
}

int
b2_chunk_rewrite(struct b2_schunk *s, int64_t n, const void *src, int32_t nbytes)
{
    tess_info info;
    tess_error err = {0};

    tess_array_info(s->a, &info);
    if (!info.plain || b2_encodes_by_context(s))
        return rewrite_by_context(s, n, src, nbytes);
    return b2_code_io(tess_schunk_update(s->a, n, src, (size_t)nbytes, &err), &err,
                      BLOSC2_ERROR_FILE_WRITE);
}

int
b2_chunk_bytes(const struct b2_schunk *s, int64_t n, uint8_t **chunk)
{
    void *own = NULL;
    size_t size = 0;
    tess_error err = {0};
    const int rc = b2_code(tess_array_get_chunk(s->a, n, &own, &size, &err), &err);

    *chunk = NULL;
    if (rc < 0) // a chunk that is not where the file has it: too few bytes were read
        return err.status == TESS_ERR_CORRUPT && s->path ? BLOSC2_ERROR_FILE_READ : rc;
    *chunk = malloc(size); // the program calls free(), which may not be that of the library
    if (*chunk)
        memcpy(*chunk, own, size);
    tess_free(own);
    return *chunk ? (int)size : BLOSC2_ERROR_MEMORY_ALLOC;
}
