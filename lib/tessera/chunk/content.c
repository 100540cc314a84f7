/*
 * content.c - any bytes of a chunk, and chunks all of whose stored bytes stand in memory.
 */
#include "chunk/content.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/chunk.h"
#include "chunk/header.h"
#include "chunk/scratch.h"

#include <inttypes.h>
#include <string.h>

// Where the content of each block starts.
static tess_status
sum_vl_sizes(struct chunk_cursor *cur, tess_error *err)
{
    const struct chunk *const c = cur->c;

    cur->vl_start = mem_alloc(((size_t)c->h.nblocks + 1) * sizeof *cur->vl_start);
    if (!cur->vl_start)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " blocks", c->h.nblocks);
    const tess_status st = chunk_block_sizes(c, &cur->source, cur->s, cur->vl_start + 1, err);
    if (st != TESS_OK)
        return st;
    cur->vl_start[0] = 0;
    for (int32_t i = 0; i < c->h.nblocks; i++)
        cur->vl_start[i + 1] += cur->vl_start[i];
    return TESS_OK;
}

tess_status
cursor_init(struct chunk_cursor *cur, const struct chunk *c, const struct chunk_bytes *source,
            struct chunk_scratch *s, tess_error *err)
{
    tess_status st = TESS_OK;
    *cur = (struct chunk_cursor){.c = c, .source = *source, .s = s, .block = -1};
    if (c->h.vlblocks)
        st = sum_vl_sizes(cur, err);
    if (st == TESS_OK)
        st = chunk_reference(c, source, s, &cur->ref, err);
    if (st != TESS_OK)
        cursor_finish(cur);
    return st;
}

void
cursor_finish(struct chunk_cursor *cur)
{
    mem_free(cur->ref);
    mem_free(cur->vl_start);
    *cur = (struct chunk_cursor){0};
}

static int32_t
find_block(const struct chunk_cursor *cur, int32_t offset)
{
    if (!cur->vl_start)
        return offset / cur->c->h.blocksize;
    int32_t low = 0, high = cur->c->h.nblocks - 1;
    while (low < high) { // the last block that starts at or before offset
        const int32_t middle = high - (high - low) / 2;
        if (cur->vl_start[middle] <= offset)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

static tess_status
enter_block(struct chunk_cursor *cur, int32_t block, tess_error *err)
{
    static const struct block_need all = {0};
    if (block == cur->block)
        return TESS_OK;
    cur->block = -1;
    const tess_status st =
        block_load(cur->c, block, &cur->source, cur->ref, &all, cur->s, &cur->now, err);
    if (st != TESS_OK)
        return st;
    cur->block = block;
    cur->start = cur->vl_start ? cur->vl_start[block] : block * cur->c->h.blocksize;
    if (cur->vl_start && cur->now.nbytes != cur->vl_start[block + 1] - cur->start)
        return err_set(err, TESS_ERR_STALE, -1, "the chunk changed while it was read");
    return TESS_OK;
}

static tess_status
read_memcpyed(struct chunk_cursor *cur, int32_t offset, uint8_t *dst, size_t size, tess_error *err)
{
    enum { PIECE = 1 << 18 };
    while (size > 0) {
        const int32_t n = (int32_t)min_i64((int64_t)size, scratch_piece(cur->s, PIECE));
        const uint8_t *bytes;
        const tess_status st = cur->source.fetch(cur->source.from, cur->c->h.header_size + offset,
                                                 n, cur->s, &bytes, err);
        if (st != TESS_OK)
            return st;
        memcpy(dst, bytes, (size_t)n);
        dst += n;
        offset += n;
        size -= (size_t)n;
    }
    return TESS_OK;
}

// Whether all of a block is wanted that is not at hand. Sizes that blocks tell are not trusted:
// they may have changed since.
static bool
is_read_whole(const struct chunk_cursor *cur, int32_t block, int32_t offset, size_t size)
{
    const struct chunk_header *const h = &cur->c->h;
    return !cur->vl_start && block != cur->block && offset == block * h->blocksize &&
           size >= (size_t)chunk_block_nbytes(h, block);
}

// The block is decoded where it is wanted, and not kept.
static tess_status
load_into(struct chunk_cursor *cur, int32_t block, uint8_t *dst, int32_t *n, tess_error *err)
{
    const struct block_need need = {.into = dst};
    cur->block = -1; // the scratch is used again
    const tess_status st =
        block_load(cur->c, block, &cur->source, cur->ref, &need, cur->s, &cur->now, err);
    if (st != TESS_OK)
        return st;
    *n = cur->now.nbytes;
    if (cur->now.bytes != dst)
        memcpy(dst, cur->now.bytes, (size_t)*n);
    return TESS_OK;
}

static tess_status
read_block_part(struct chunk_cursor *cur, int32_t block, int32_t offset, uint8_t *dst, size_t size,
                int32_t *n, tess_error *err)
{
    const tess_status st = enter_block(cur, block, err);
    if (st != TESS_OK)
        return st;
    const int32_t at = offset - cur->start;
    *n = (int32_t)min_i64(cur->now.nbytes - at, (int64_t)size);
    memcpy(dst, cur->now.bytes + at, (size_t)*n);
    return TESS_OK;
}

tess_status
cursor_read(struct chunk_cursor *cur, int32_t offset, uint8_t *dst, size_t size, tess_error *err)
{
    const struct chunk_header *const h = &cur->c->h;
    if (h->special != SPECIAL_NONE) {
        chunk_special_bytes(cur->c, offset, dst, size);
        return TESS_OK;
    }
    if (h->memcpyed)
        return read_memcpyed(cur, offset, dst, size, err);
    while (size > 0) {
        const int32_t block = find_block(cur, offset);
        int32_t n = 0;
        const tess_status st = is_read_whole(cur, block, offset, size)
                                   ? load_into(cur, block, dst, &n, err)
                                   : read_block_part(cur, block, offset, dst, size, &n, err);
        if (st != TESS_OK)
            return st;
        dst += n;
        offset += n;
        size -= (size_t)n;
    }
    return TESS_OK;
}

tess_status
chunk_try(const struct chunk *c, const struct chunk_bytes *source, struct chunk_scratch *s,
          tess_error *err)
{
    struct chunk_cursor cur;
    tess_status st = cursor_init(&cur, c, source, s, err);
    for (int32_t i = 0; i < c->h.nblocks && st == TESS_OK; i++)
        st = enter_block(&cur, i, err);
    cursor_finish(&cur);
    return st;
}

// -- whole chunks in memory

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
