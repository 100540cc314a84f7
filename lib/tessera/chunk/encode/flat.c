/*
 * flat.c - a chunk out of bytes that stand in memory.
 */
#include "chunk/encode/flat.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/encode/assemble.h"
#include "chunk/encode/encode.h"
#include "chunk/encode/encoder.h"
#include "chunk/header.h"
#include "chunk/scratch.h"

#include <string.h>

enum { LEVEL = 5 };

struct flat {
    const uint8_t *bytes;
    const struct chunk_encoder *e;
};

static const uint8_t *
flat_bytes(void *from, int32_t nblock)
{
    const struct flat *const flat = from;
    return flat->bytes + (int64_t)nblock * flat->e->h.blocksize;
}

static tess_status
flat_items(void *from, int32_t nblock, uint8_t *dst, tess_error *err)
{
    const struct flat *const flat = from;
    (void)err;
    memcpy(dst, flat_bytes(from, nblock), (size_t)chunk_block_nbytes(&flat->e->h, nblock));
    return TESS_OK;
}

tess_status
chunk_encode_flat(const struct chunk_encoder *e, const uint8_t *src, struct chunk_scratch *s,
                  uint8_t *dst, int32_t *cbytes, tess_error *err)
{
    enum chunk_special special;
    struct flat flat = {src, e};
    const struct block_source source = {.from = &flat, .items = flat_items, .bytes = flat_bytes};
    return chunk_encode(e, &source, s, dst, cbytes, &special, err);
}

static tess_status
flat_prepare(size_t size, int32_t blocksize, int level, struct chunk_encoder *e, uint8_t **chunk,
             tess_error *err)
{
    *chunk = NULL;
    if (size > CHUNK_NBYTES_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes, a chunk has at most %d", size,
                       CHUNK_NBYTES_MAX);
    const int32_t block = (int32_t)min_i64(blocksize, (int64_t)size);
    const struct chunk_spec spec = {
        .itemsize = 8,
        .nbytes = (int32_t)size,
        .blocksize = block > 8 ? block - block % 8 : block,
        .codec = TESS_CODEC_BLOSCLZ,
        .level = level,
        .filters = {0, 0, 0, 0, 0, TESS_FILTER_SHUFFLE},
        .split = SPLIT_NEVER,
    };
    const tess_status st = chunk_encoder_init(e, &spec, err);
    if (st != TESS_OK)
        return st;
    *chunk = mem_alloc((size_t)chunk_bound(e));
    return *chunk ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
}

tess_status
chunk_of_bytes(const void *src, size_t size, int32_t blocksize, uint8_t **chunk, int32_t *cbytes,
               tess_error *err)
{
    struct chunk_encoder e;
    tess_status st = flat_prepare(size, blocksize, LEVEL, &e, chunk, err);
    if (st != TESS_OK)
        return st;
    struct chunk_scratch scratch = {0};
    st = chunk_encode_flat(&e, src, &scratch, *chunk, cbytes, err);
    scratch_finish(&scratch);
    if (st != TESS_OK) {
        mem_free(*chunk);
        *chunk = NULL;
    }
    return st;
}

tess_status
chunk_of_room(size_t size, int32_t blocksize, uint8_t **chunk, int32_t *cbytes, uint8_t **room,
              tess_error *err)
{
    struct chunk_encoder e;
    const tess_status st = flat_prepare(size, blocksize, 0, &e, chunk, err);
    if (st != TESS_OK)
        return st;
    *cbytes = chunk_begin_plain(&e, *chunk);
    *room = *chunk + CHUNK_HEADER_SIZE;
    return TESS_OK;
}
