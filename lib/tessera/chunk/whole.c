/*
 * whole.c - a chunk all of whose stored bytes stand in memory.
 */
#include "chunk/whole.h"

#include "base/bytes.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/cursor.h"
#include "chunk/header.h"
#include "chunk/scratch.h"

#include <inttypes.h>

enum { CBYTES_AT = 12 }; // in the header of a chunk

static tess_status
fetch_whole(void *from, int32_t offset, int32_t size, struct chunk_scratch *s,
            const uint8_t **bytes, tess_error *err)
{
    (void)size;
    (void)s;
    (void)err;
    *bytes = ((const struct whole_chunk *)from)->stored + offset;
    return TESS_OK;
}

size_t
whole_chunk_size(const uint8_t *src, size_t size)
{
    const int64_t said = size < CBYTES_AT + 4 ? 0 : get_i32le(src + CBYTES_AT);
    return said > 0 && (uint64_t)said < size ? (size_t)said : size;
}

tess_status
whole_chunk_open(struct whole_chunk *w, const uint8_t *src, size_t size, int64_t limit,
                 const struct chunk_surroundings *around, tess_error *err)
{
    struct chunk_header h;
    const size_t head = size < CHUNK_HEADER_SIZE ? size : CHUNK_HEADER_SIZE;

    *w = (struct whole_chunk){.stored = src, .bytes = {.from = w, .fetch = fetch_whole}};
    const tess_status st = chunk_header_parse(src, head, (int64_t)size, around->typesize, &h, err);
    if (st != TESS_OK)
        return st;
    if ((size_t)h.cbytes != size)
        return err_set(err, TESS_ERR_CORRUPT, 12, "a chunk of %" PRId32 " stored bytes in %zu",
                       h.cbytes, size);
    if (h.nbytes > limit)
        return err_set(err, TESS_ERR_LIMIT, 4, "%" PRId32 " bytes, the limit is %" PRId64, h.nbytes,
                       limit);
    return chunk_open(&w->chunk, &h, src, size, around, err);
}

bool
whole_chunk_special(const uint8_t *src, size_t size, int32_t typesize, struct chunk_header *h)
{
    const size_t head = size < CHUNK_HEADER_SIZE ? size : CHUNK_HEADER_SIZE;
    return chunk_header_parse(src, head, (int64_t)size, typesize, h, NULL) == TESS_OK &&
           h->special != SPECIAL_NONE && (size_t)h->cbytes == size;
}

void
whole_chunk_close(struct whole_chunk *w)
{
    chunk_close(&w->chunk);
}

tess_status
whole_chunk_read(const struct whole_chunk *w, int32_t offset, uint8_t *dst, size_t size,
                 struct chunk_scratch *s, tess_error *err)
{
    struct chunk_cursor cur;
    tess_status st = cursor_init(&cur, &w->chunk, &w->bytes, s, err);
    if (st == TESS_OK)
        st = cursor_read(&cur, offset, dst, size, err);
    cursor_finish(&cur);
    return st;
}

tess_status
chunk_content(const uint8_t *src, size_t size, int64_t limit, uint8_t **content,
              size_t *content_size, tess_error *err)
{
    const struct chunk_surroundings alone = {0};
    struct whole_chunk w;
    uint8_t *dst = NULL;

    *content = NULL;
    *content_size = 0;
    tess_status st = whole_chunk_open(&w, src, size, limit, &alone, err);
    const int32_t nbytes = w.chunk.h.nbytes;
    if (st == TESS_OK && nbytes > 0) {
        struct chunk_scratch scratch = {.limit = limit};
        dst = mem_alloc((size_t)nbytes);
        st = dst ? whole_chunk_read(&w, 0, dst, (size_t)nbytes, &scratch, err)
                 : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " bytes", nbytes);
        scratch_finish(&scratch);
    }
    whole_chunk_close(&w);
    if (st != TESS_OK) {
        mem_free(dst);
        return st;
    }
    *content = dst;
    *content_size = (size_t)nbytes;
    return TESS_OK;
}
