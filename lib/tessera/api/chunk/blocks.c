/*
 * blocks.c - the public function that encodes a chunk of blocks that differ in size.
 */
#include "api/chunk/options.h"
#include "api/chunk/spec.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "chunk/encode/vl_encode.h"

#include <tessera/chunk.h>

#include <inttypes.h>
#include <string.h>

static tess_status
check_blocks(size_t src_size, const int32_t *sizes, int32_t nblocks, tess_error *err)
{
    uint64_t sum = 0;
    if (nblocks < 1 || !sizes)
        return err_set(err, TESS_ERR_ARG, -1, "%" PRId32 " blocks", sizes ? nblocks : 0);
    for (int32_t i = 0; i < nblocks; i++) {
        if (sizes[i] < 1 || sizes[i] > BLOCK_NBYTES_MAX)
            return err_set(err, TESS_ERR_ARG, -1, "block %" PRId32 " of %" PRId32 " bytes", i,
                           sizes[i]);
        sum += (uint64_t)sizes[i];
    }
    if (sum != src_size)
        return err_set(err, TESS_ERR_ARG, -1, "blocks of %" PRIu64 " bytes in all, %zu are given",
                       sum, src_size);
    return TESS_OK;
}

static tess_status
encode(const tess_params *p, struct chunk_options *o, const void *src, size_t src_size,
       const int32_t *sizes, int32_t nblocks, uint8_t **chunk, int32_t *cbytes, tess_error *err)
{
    struct chunk_spec spec;
    tess_status st = check_blocks(src_size, sizes, nblocks, err);
    if (st == TESS_OK)
        st = chunk_spec_take(p, o, src_size, &spec, err);
    if (st != TESS_OK)
        return st;
    const int64_t bound = chunk_vl_bound(&spec, nblocks);
    if (bound > INT32_MAX)
        return err_set(err, TESS_ERR_LIMIT, -1, "a chunk of %" PRId64 " bytes", bound);
    *chunk = mem_alloc((size_t)bound);
    if (!*chunk)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", bound);
    return chunk_encode_vl(&spec, src, sizes, nblocks, chunk_options_scratch(o, 0), *chunk, cbytes,
                           err);
}

TESS_API tess_status
tess_chunk_encode_blocks(const tess_params *params, const tess_chunk_options *options,
                         const void *src, size_t src_size, const int32_t *sizes, int32_t nblocks,
                         void *dst, size_t dst_size, size_t *cbytes, tess_error *err)
{
    UNCANCELLED;
    tess_params own;
    struct chunk_options taken = {0};
    uint8_t *chunk = NULL;
    int32_t size = 0;
    if (cbytes)
        *cbytes = 0;
    if (!cbytes || !src || (!dst && dst_size > 0))
        return err_set(err, TESS_ERR_ARG, -1, "no blocks, or no place for a chunk are given");
    tess_status st = chunk_options_take(&taken, options, err);
    if (st == TESS_OK)
        st = take_params(&own, params, err);
    if (st == TESS_OK)
        st = encode(&own, &taken, src, src_size, sizes, nblocks, &chunk, &size, err);
    chunk_options_finish(&taken);
    if (st == TESS_OK) {
        *cbytes = (size_t)size;
        if (*cbytes <= dst_size)
            memcpy(dst, chunk, *cbytes);
        else
            st = err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for a chunk of %zu", dst_size,
                         *cbytes);
    }
    mem_free(chunk);
    return st;
}
