/*
 * heads.c - the sizes of stored chunks, from their headers, many at a time.
 */
#include "frame/chunks/heads.h"

#include "base/bytes.h"
#include "chunk/header.h"
#include "io/extents.h"
#include "io/io.h"

enum {
    BATCH = 256, // headers that are read with one call
    CBYTES_AT = 12,
};

tess_status
heads_read_sizes(struct io *io, const int64_t *positions, size_t n, int32_t *sizes, tess_error *err)
{
    uint8_t heads[BATCH][CHUNK_HEADER_MIN];
    tess_range extents[BATCH];
    for (size_t i = 0; i < n; i += BATCH) {
        const size_t count = n - i < BATCH ? n - i : BATCH;
        for (size_t k = 0; k < count; k++)
            extents[k] = (tess_range){positions[i + k], heads[k], CHUNK_HEADER_MIN};
        const tess_status st = io_read_many(io, extents, count, NULL, err);
        if (st != TESS_OK)
            return st;
        for (size_t k = 0; k < count; k++)
            sizes[i + k] = get_i32le(heads[k] + CBYTES_AT);
    }
    return TESS_OK;
}
