/*
 * cursor.h - any bytes of a chunk, whatever its blocks are.
 *
 * For chunks whose blocks are not the blocks of the array's grid: old layouts, plain frames,
 * blocks of different sizes, indexes and metalayers. One decoded block is kept, so that reading
 * forward decodes each block once.
 */
#ifndef CHUNK_CURSOR_H
#define CHUNK_CURSOR_H

#include "chunk/decode.h"

struct chunk_cursor {
    const struct chunk *c;
    struct chunk_bytes source;
    struct chunk_scratch *s;
    uint8_t *ref; // content of block 0, where the filters need it
    int32_t *vl_start; // with vlblocks: where each block's content starts; one more at the end
    int32_t block; // the decoded one, or -1
    int32_t start; // where its content starts in the chunk
    struct decoded now;
};

// The scratch serves the cursor alone until cursor_finish(). On failure *cur is finished.
tess_status cursor_init(struct chunk_cursor *cur, const struct chunk *c,
                        const struct chunk_bytes *source, struct chunk_scratch *s, tess_error *err);

// Bytes [offset, offset + size) of the chunk's content; the caller has checked that
// offset + size <= nbytes.
tess_status cursor_read(struct chunk_cursor *cur, int32_t offset, uint8_t *dst, size_t size,
                        tess_error *err);

void cursor_finish(struct chunk_cursor *cur); // zeroed: fine

// Decode all of a chunk, and forget it.
tess_status chunk_try(const struct chunk *c, const struct chunk_bytes *source,
                      struct chunk_scratch *s, tess_error *err);

#endif
