/*
 * plain_copy.c - a super-chunk that is no array, again in another place.
 *
 * Chunks that are not stored are not stored in the copy either.
 */
#include "schunk/plain_copy.h"

#include "blosc2/storage.h"

#include <stdlib.h>
#include <tessera/chunk.h>
#include <tessera/meta.h>
#include <tessera/schunk.h>

static tess_status
encode_chunk(const tess_array *from, int64_t n, size_t size, tess_array *to, tess_error *err)
{
    void *const items = malloc(size);
    tess_status st = TESS_ERR_NOMEM;

    if (!items)
        return st;
    st = tess_schunk_decode(from, n, items, size, err);
    if (st == TESS_OK)
        st = tess_schunk_insert(to, n, items, size, err);
    free(items);
    return st;
}

static tess_status
copy_chunk(const tess_array *from, int64_t n, bool encode, tess_array *to, tess_error *err)
{
    tess_chunk_info info;
    void *chunk = NULL;
    size_t size = 0;
    tess_status st = tess_array_chunk(from, n, &info, err);

    if (st == TESS_OK && !info.stored)
        return tess_schunk_insert_special(to, n, 1, info.kind, (size_t)info.nbytes, err);
    if (st == TESS_OK && encode)
        return encode_chunk(from, n, (size_t)info.nbytes, to, err);
    if (st == TESS_OK)
        st = tess_array_get_chunk(from, n, &chunk, &size, err);
    if (st == TESS_OK)
        st = tess_schunk_insert_chunk(to, n, chunk, size, TESS_CHUNK_TRUSTED, err);
    tess_free(chunk);
    return st;
}

static tess_status
copy_metalayer(const tess_array *from, const char *name, tess_array *to, tess_error *err)
{
    void *content = NULL;
    size_t size = 0;
    tess_status st = tess_vlmeta_get(from, name, &content, &size, err);

    if (st == TESS_OK)
        st = tess_vlmeta_set(to, name, content, size, err);
    tess_free(content);
    return st;
}

tess_status
b2_plain_copy(const tess_array *from, const tess_storage *storage, const tess_params *params,
              bool encode, tess_array **copy, tess_error *err)
{
    tess_info info;
    tess_status st = tess_schunk_create(storage, params, copy, err);

    if (st != TESS_OK)
        return st;
    tess_array_info(from, &info);
    for (int64_t n = 0; n < info.nchunks && st == TESS_OK; n++)
        st = copy_chunk(from, n, encode && !info.vlblocks, *copy, err);
    for (int i = 0; i < info.nvlmetalayers && st == TESS_OK; i++)
        st = copy_metalayer(from, tess_vlmeta_name(from, i), *copy, err);
    if (st == TESS_OK)
        st = tess_array_flush(*copy, err);
    if (st != TESS_OK) {
        tess_array_discard(*copy);
        *copy = NULL;
        b2_storage_remove(storage->mode == TESS_MODE_NEW ? storage->path : NULL);
    }
    return st;
}
