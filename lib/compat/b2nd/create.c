/*
 * create.c - new arrays: as a context describes them.
 */
#include "b2nd/create.h"

#include "b2nd/array.h"
#include "b2nd/geometry.h"
#include "blosc2/error.h"
#include "blosc2/params.h"
#include "blosc2/storage.h"
#include "schunk/access.h"
#include "schunk/schunk.h"
#include "schunk/wrap.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/slice.h>

// *nbytes receives the size of a chunk.
static int
check_sizes(const b2nd_context_t *ctx, int64_t *nbytes)
{
    const int32_t typesize = ctx->b2_storage->cparams->typesize;
    b2nd_array_t shapes;
    const int rc =
        nd_geometry_set(&shapes, ctx->ndim, ctx->shape, ctx->chunkshape, ctx->blockshape);

    if (rc < 0)
        return rc;
    if (typesize <= 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items of %" PRId32 " bytes", typesize);
    if (!nd_multiply(shapes.extchunknitems, typesize, BLOSC2_MAX_BUFFERSIZE, nbytes))
        return b2_fail(BLOSC2_ERROR_MAX_BUFSIZE_EXCEEDED,
                       "chunks of %" PRId64 " items of %" PRId32 " bytes, a chunk has at most %d",
                       shapes.extchunknitems, typesize, BLOSC2_MAX_BUFFERSIZE);
    return BLOSC2_ERROR_SUCCESS;
}

int
nd_wrap_new(tess_array *a, struct b2_access *access, const b2nd_context_t *ctx,
            b2nd_array_t **array)
{
    const char *const path = b2_storage_file(ctx->b2_storage);
    struct b2_schunk *const s = b2_schunk_wrap(a, ctx->b2_storage, path, access, false);

    if (!s) {
        b2_schunk_undo(a, access, path);
        return BLOSC2_ERROR_MEMORY_ALLOC;
    }
    s->of.change_tick = s->of.nmetalayers; // each was added
    const int rc = nd_new(s, array);
    if (rc < 0) {
        blosc2_schunk_free(&s->of);
        b2_schunk_undo(NULL, NULL, path);
    }
    return rc;
}

// c-blosc2 makes arrays of any codec and filters, and says that a chunk cannot be encoded like that
// when there is one: without them, there is an array, too.
static void
drop_coding(tess_params *params)
{
    memset(params->filters, 0, sizeof params->filters);
    memset(params->filters_meta, 0, sizeof params->filters_meta);
    params->codec = TESS_CODEC_BLOSCLZ;
    params->codec_meta = 0;
    params->dictionary = false;
}

int
nd_create(const b2nd_context_t *ctx, nd_make_fn *make, const void *items, int64_t size,
          b2nd_array_t **array)
{
    tess_metalayer metalayers[B2ND_MAX_METALAYERS];
    tess_params params;
    struct b2_access *access = NULL;
    struct b2_place place;
    tess_array *a = NULL;
    tess_error err = {0};

    if (!array)
        return BLOSC2_ERROR_NULL_POINTER;
    *array = NULL;
    if (!ctx)
        return BLOSC2_ERROR_NULL_POINTER;
    const char *const path = b2_storage_file(ctx->b2_storage);
    int64_t nbytes = 0;
    int rc = check_sizes(ctx, &nbytes);
    if (rc == 0)
        rc = nd_context_params(ctx, &params, metalayers);
    if (rc == 0)
        rc = b2_access_new(ctx->b2_storage, &access);
    if (rc == 0)
        rc = b2_access_place(access, &place, ctx->b2_storage, path, TESS_MODE_NEW);
    if (rc == 0) {
        const bool encodes = b2_is_encoded(ctx->b2_storage->cparams, nbytes);
        tess_status st = make(&place.storage, &params, items, (size_t)size, &a, &err);
        if ((st == TESS_ERR_ARG || st == TESS_ERR_UNSUPPORTED) &&
            (make != tess_array_from || !encodes)) {
            drop_coding(&params);
            access->unfit = true;
            st = make(&place.storage, &params, items, (size_t)size, &a, &err);
        }
        rc = b2_code_io(st, &err, BLOSC2_ERROR_FILE_OPEN);
    }
    if (rc == 0)
        return nd_wrap_new(a, access, ctx, array);
    b2_access_drop(access);
    return rc;
}

static tess_status
make_uninit(const tess_storage *storage, const tess_params *params, const void *items, size_t size,
            tess_array **a, tess_error *err)
{
    (void)items;
    (void)size;
    return tess_array_uninit(storage, params, a, err);
}

static tess_status
make_zeros(const tess_storage *storage, const tess_params *params, const void *items, size_t size,
           tess_array **a, tess_error *err)
{
    (void)items;
    (void)size;
    return tess_array_zeros(storage, params, a, err);
}

// Chunks with padding become the item as a whole, as by c-blosc2.
static tess_status
fill_padding(tess_array *a, const void *item, tess_error *err)
{
    blosc2_cparams cparams = BLOSC2_CPARAMS_DEFAULTS;
    tess_chunk_run run;
    tess_info info;

    tess_array_info(a, &info);
    cparams.typesize = info.typesize;
    cparams.blocksize = info.blocksize;
    const int32_t room = BLOSC_EXTENDED_HEADER_LENGTH + info.typesize;
    uint8_t *const chunk = malloc((size_t)room);
    const int size =
        chunk ? blosc2_chunk_repeatval(cparams, info.chunksize, chunk, room, item) : -1;
    tess_status st = size > 0 ? TESS_OK : TESS_ERR_NOMEM;
    tess_chunk_run_init(&run);
    while (st == TESS_OK) {
        st = tess_array_next_chunk(a, NULL, NULL, run.last + 1, TESS_KINDS_ITEMS, &run, err);
        if (run.number < 0)
            break;
        for (int64_t n = run.number; n <= run.last && st == TESS_OK; n++)
            st = tess_array_set_chunk(a, n, chunk, (size_t)size, TESS_CHUNK_TRUSTED, err);
    }
    free(chunk);
    return st;
}

// Growth shows zeros, not the item: it is no fill value of the array.
static tess_status
make_full(const tess_storage *storage, const tess_params *params, const void *items, size_t size,
          tess_array **a, tess_error *err)
{
    const int64_t start[TESS_MAX_NDIM] = {0};
    tess_status st = tess_array_zeros(storage, params, a, err);

    if (st != TESS_OK)
        return st;
    st = tess_array_fill(*a, start, params->shape, NULL, items, size, err);
    if (st == TESS_OK)
        st = fill_padding(*a, items, err);
    if (st != TESS_OK) {
        tess_array_discard(*a);
        b2_storage_remove(storage->path);
    }
    return st;
}

int
b2nd_uninit(b2nd_context_t *ctx, b2nd_array_t **array)
{
    return nd_create(ctx, make_uninit, NULL, 0, array);
}

int
b2nd_empty(b2nd_context_t *ctx, b2nd_array_t **array)
{
    return nd_create(ctx, make_zeros, NULL, 0, array);
}

int
b2nd_zeros(b2nd_context_t *ctx, b2nd_array_t **array)
{
    return nd_create(ctx, make_zeros, NULL, 0, array);
}

int
b2nd_nans(b2nd_context_t *ctx, b2nd_array_t **array)
{
    static const uint8_t nan4[] = {0, 0, 0xc0, 0x7f}, nan8[] = {0, 0, 0, 0, 0, 0, 0xf8, 0x7f};

    if (!ctx || !array)
        return BLOSC2_ERROR_NULL_POINTER;
    const int32_t typesize = ctx->b2_storage->cparams->typesize;
    *array = NULL;
    if (typesize != sizeof nan4 && typesize != sizeof nan8)
        return b2_fail(BLOSC2_ERROR_DATA, "NaNs have 4 or 8 bytes, the items %" PRId32, typesize);
    return nd_create(ctx, make_full, typesize == sizeof nan4 ? nan4 : nan8, typesize, array);
}

int
b2nd_full(b2nd_context_t *ctx, b2nd_array_t **array, const void *fill_value)
{
    if (!ctx || !array || !fill_value)
        return BLOSC2_ERROR_NULL_POINTER;
    return nd_create(ctx, make_full, fill_value, ctx->b2_storage->cparams->typesize, array);
}

int
b2nd_from_cbuffer(b2nd_context_t *ctx, b2nd_array_t **array, const void *buffer, int64_t buffersize)
{
    if (!ctx || !array || !buffer)
        return BLOSC2_ERROR_NULL_POINTER;
    *array = NULL;
    if (buffersize < 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a buffer of %" PRId64 " bytes", buffersize);
    return nd_create(ctx, tess_array_from, buffer, buffersize, array);
}
