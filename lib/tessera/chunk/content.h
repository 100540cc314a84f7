/*
 * content.h - any bytes of a chunk, whatever its blocks are.
 *
 * A *cursor* is for chunks whose blocks are not the blocks of the array's grid: old layouts, plain
 * frames, blocks of different sizes, indexes and metalayers. One decoded block is kept, so that
 * reading forward decodes each block once.
 *
 * A *whole chunk* is one all of whose stored bytes stand in memory. Nothing is copied: the bytes
 * stay the caller's, and stay as they are until the chunk is closed. Any number of structs may
 * share the bytes.
 *
 * One thread per struct.
 */
#ifndef CHUNK_CONTENT_H
#define CHUNK_CONTENT_H

#include "chunk/chunk.h"
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

struct whole_chunk {
    struct chunk chunk;
    const uint8_t *stored;
    struct chunk_bytes bytes; // .from is this struct: it must not move
};

// How many of `size` bytes a chunk says that it has; `size` if it says more, or nothing.
size_t whole_chunk_size(const uint8_t *src, size_t size);

// Check header, tables and dictionary of a chunk of `size` bytes exactly, whose content has at most
// `limit` bytes (TESS_ERR_LIMIT). On failure *w is empty.
tess_status whole_chunk_open(struct whole_chunk *w, const uint8_t *src, size_t size, int64_t limit,
                             const struct chunk_surroundings *around, tess_error *err);
void whole_chunk_close(struct whole_chunk *w); // zeroed: fine

// Instead of opening it: whether it is a special chunk of `size` bytes exactly, without faults, in
// a frame with that typesize (struct chunk_surroundings). *h is its header then, and what it
// repeats follows the header.
bool whole_chunk_special(const uint8_t *src, size_t size, int32_t typesize, struct chunk_header *h);

// Bytes [offset, offset + size) of the content, which has them. TESS_ERR_LIMIT: a block of more
// bytes than the scratch allows would have to be decoded.
tess_status whole_chunk_read(const struct whole_chunk *w, int32_t offset, uint8_t *dst, size_t size,
                             struct chunk_scratch *s, tess_error *err);

// The content of one whole chunk that stands in memory, `size` bytes exactly; allocated for the
// caller (NULL if it has none). At most `limit` bytes are allocated for it.
tess_status chunk_content(const uint8_t *src, size_t size, int64_t limit, uint8_t **content,
                          size_t *content_size, tess_error *err);

#endif
