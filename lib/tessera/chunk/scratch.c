/*
 * scratch.c - memory that one thread needs to encode and decode blocks.
 *
 * Buffers only grow. Their content is not kept when they do.
 */
#include "chunk/scratch.h"

#include "base/checked.h"
#include "base/memory.h"
#include "codec/codec.h"

#include <inttypes.h>

enum {
    SLACK = 64, // behind every buffer: for decoders and kernels that work in whole vectors
    STORED_MIN = 32 << 10, // of the buffer for stored bytes: untouched pages cost nothing
};

static tess_status
scratch_grow(uint8_t **buffer, int64_t size, tess_error *err)
{
    mem_free(*buffer);
    *buffer = mem_alloc((size_t)size + SLACK);
    if (!*buffer)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId64 " bytes", size);
    return TESS_OK;
}

tess_status
scratch_check(const struct chunk_scratch *s, int64_t size, tess_error *err)
{
    if (s->limit > 0 && size > s->limit)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "a block of %" PRId64 " bytes, the limit is %" PRId64, size, s->limit);
    return TESS_OK;
}

tess_status
scratch_reserve(struct chunk_scratch *s, int64_t size, tess_error *err)
{
    const tess_status allowed = scratch_check(s, size, err);
    if (allowed != TESS_OK)
        return allowed;
    if (!s->codec && !(s->codec = codec_state_new()))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a codec");
    if ((uint64_t)size <= s->size && s->buffer[0])
        return TESS_OK;
    s->size = 0;
    for (int i = 0; i < 3; i++) {
        const tess_status st = scratch_grow(&s->buffer[i], size, err);
        if (st != TESS_OK)
            return st;
    }
    s->size = (size_t)size;
    return TESS_OK;
}

int32_t
scratch_piece(const struct chunk_scratch *s, int32_t most)
{
    return s->limit > 0 && s->limit < most ? (int32_t)s->limit : most;
}

tess_status
scratch_reserve_stored(struct chunk_scratch *s, int64_t size, tess_error *err)
{
    if (s->limit > 0 && size > s->limit)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "%" PRId64 " stored bytes in one piece, the limit is %" PRId64, size,
                       s->limit);
    return scratch_reserve_chunk(s, size, err);
}

tess_status
scratch_reserve_chunk(struct chunk_scratch *s, int64_t size, tess_error *err)
{
    if ((uint64_t)size <= s->stored_size && s->stored)
        return TESS_OK;
    const int64_t room = max_i64(size, STORED_MIN);
    s->stored_size = 0;
    const tess_status st = scratch_grow(&s->stored, room, err);
    if (st == TESS_OK)
        s->stored_size = (size_t)room;
    return st;
}

void
scratch_finish(struct chunk_scratch *s)
{
    codec_state_free(s->codec);
    for (int i = 0; i < 3; i++)
        mem_free(s->buffer[i]);
    mem_free(s->stored);
    *s = (struct chunk_scratch){0};
}
