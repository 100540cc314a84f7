/*
 * move.c - stored chunks of a contiguous frame go to another place in its file, as they are.
 *
 * A chunk is not looked at: if it is damaged, its checksum, which goes with it, still says so.
 */
#include "frame/contiguous/move.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "frame/format/checksums.h"
#include "frame/private.h"
#include "io/io.h"

#include <inttypes.h>

enum { PIECE = 1 << 20 }; // bytes that are copied at once

tess_status
move_size(const struct frame *f, int64_t entry, int64_t end, int32_t *cbytes, tess_error *err)
{
    uint8_t head[CHUNK_HEADER_MIN];
    const int64_t position = f->h.header_len + entry;
    const tess_status st = io_read(f->io, position, head, sizeof head, err);
    if (st != TESS_OK)
        return st;
    *cbytes = get_i32le(head + 12);
    if (*cbytes < CHUNK_HEADER_MIN || *cbytes > end - position)
        return err_set(err, TESS_ERR_CORRUPT, position + 12,
                       "a chunk of %" PRId32 " stored bytes, %" PRId64 " at hand", *cbytes,
                       end - position);
    return TESS_OK;
}

static tess_status
move_copy_bytes(struct io *io, int64_t from, int64_t to, int64_t size, tess_error *err)
{
    tess_status st = TESS_OK;
    const int64_t most = min_i64(size, PIECE);
    uint8_t *const piece = mem_alloc((size_t)most);
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", most);
    for (int64_t at = 0; at < size && st == TESS_OK; at += most) {
        const size_t n = (size_t)min_i64(size - at, most);
        st = io_read(io, from + at, piece, n, err);
        if (st == TESS_OK)
            st = io_write(io, to + at, piece, n, err);
    }
    mem_free(piece);
    return st;
}

tess_status
move_chunk(const struct frame *f, int64_t *entry, int32_t cbytes, int64_t start,
           struct checksums *checksums, tess_error *err)
{
    const tess_status st = move_copy_bytes(f->io, f->h.header_len + *entry, start, cbytes, err);
    if (st != TESS_OK)
        return st;
    const uint64_t checksum = checksums_get(checksums, *entry);
    checksums_set(checksums, *entry, 0);
    *entry = start - f->h.header_len;
    if (checksum != 0) // in the room of the other
        checksums_set(checksums, *entry, checksum);
    return TESS_OK;
}
