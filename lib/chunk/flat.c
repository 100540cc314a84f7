/*
 * flat.c - a chunk out of bytes that stand in memory: an index or a metalayer.
 */
#include "chunk/encode.h"

#include "base/checked.h"

#include <stdlib.h>
#include <string.h>

struct flat {
    const uint8_t *bytes;
    const struct chunk_encoder *e;
};

static tess_status
flat_items(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct flat *const flat = from;
    (void)err;
    memcpy(dst, flat->bytes + (int64_t)nblock * flat->e->h.blocksize,
           (size_t)chunk_block_nbytes(&flat->e->h, nblock));
    return TESS_OK;
}

tess_status
chunk_of_bytes(const void *src, size_t size, int32_t blocksize, uint8_t **chunk, int32_t *cbytes,
               tess_error *err)
{
    struct chunk_scratch scratch = {0};
    struct chunk_encoder e;
    enum chunk_special special;
    struct flat flat = {src, &e};
    const struct block_source source = {.from = &flat, .items = flat_items};
    tess_status st = TESS_OK;

    *chunk = NULL;
    if (size > CHUNK_NBYTES_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes, a chunk has at most %d", size,
                       CHUNK_NBYTES_MAX);
    const int32_t block = (int32_t)min_i64(blocksize, (int64_t)size);
    const struct chunk_spec spec = {
        .itemsize = 8,
        .nbytes = (int32_t)size,
        .blocksize = block > 8 ? block - block % 8 : block,
        .codec = CODEC_BLOSCLZ,
        .level = 5,
        .filters = {0, 0, 0, 0, 0, FILTER_SHUFFLE},
        .split = SPLIT_NEVER,
    };
    TRY(chunk_encoder_init(&e, &spec, err));
    *chunk = malloc((size_t)chunk_bound(&e));
    if (!*chunk)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    TRY(chunk_encode(&e, &source, &scratch, *chunk, cbytes, &special, err));
out:
    scratch_finish(&scratch);
    if (st != TESS_OK) {
        free(*chunk);
        *chunk = NULL;
    }
    return st;
}
