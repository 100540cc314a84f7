/*
 * free_space.c - what of a file is free when a contiguous frame is opened to be changed.
 *
 * Between the chunks: what none of them takes. Behind the frame: everything, since a writer that
 * was interrupted leaves bytes there, unless another frame stands among them.
 *
 * Not here: taking and giving back (space.c).
 */
#include "frame/free_space.h"

#include "base/bytes.h"
#include "base/checked.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { PIECE = 1 << 16 };

// The bytes of a stored chunk; they must not reach into the next one's.
static tess_status
chunk_end(const struct frame *f, int64_t position, int64_t room, int64_t *end, tess_error *err)
{
    uint8_t head[CHUNK_HEADER_MIN];
    const tess_status st = io_read(f->io, position, head, sizeof head, err);
    if (st != TESS_OK)
        return st;
    const int32_t cbytes = get_i32le(head + 12);
    if (cbytes < CHUNK_HEADER_SIZE || cbytes > room) // smaller ones no index can refer to
        return err_set(err, TESS_ERR_CORRUPT, position + 12,
                       "a chunk of %" PRId32 " stored bytes, %" PRId64
                       " before the next; the file can only be read",
                       cbytes, room);
    *end = position + cbytes;
    return TESS_OK;
}

// Find what is free between the chunks. Chunks that share bytes are refused: their space would be
// released while it is still needed.
tess_status
free_space_map(struct frame *f, int64_t section_end, tess_error *err)
{
    int64_t end = f->h.header_len;
    int64_t *sorted;
    size_t n;
    tess_status st = index_sorted(&f->index, &sorted, &n, err);
    if (st != TESS_OK)
        return st;
    sorted[n] = section_end - f->h.header_len;
    for (size_t i = 0; i < n && st == TESS_OK; i++) {
        const int64_t position = f->h.header_len + sorted[i];
        space_add(&f->space, (struct extent){end, position - end});
        st = chunk_end(f, position, sorted[i + 1] - sorted[i], &end, err);
    }
    f->space.end = end;
    free(sorted);
    return st;
}

// Position of a frame's first bytes in [from, size) of the file; -1 if there is none.
static tess_status
find_frame(struct io *io, int64_t from, int64_t size, int64_t *found, tess_error *err)
{
    static const char magic[] = "\xa8" FRAME_MAGIC; // byte 1 and on, the NUL included
    tess_status st = TESS_OK;
    uint8_t *const piece = malloc(PIECE);
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d bytes", PIECE);
    *found = -1;
    for (int64_t at = from; *found < 0 && size - at > (int64_t)sizeof magic;
         at += PIECE - (int64_t)sizeof magic) {
        const size_t n = (size_t)min_i64(size - at, PIECE);
        st = io_read(io, at, piece, n, err);
        if (st != TESS_OK)
            break;
        const uint8_t *const hit = memmem(piece + 1, n - 1, magic, sizeof magic);
        if (hit)
            *found = at + (hit - piece) - 1;
    }
    free(piece);
    return st;
}

tess_status
free_space_check_behind(const struct frame *f, tess_error *err)
{
    int64_t size, found = -1;
    tess_status st = io_size(f->io, &size, err);
    if (st == TESS_OK)
        st = find_frame(f->io, f->h.frame_len, size, &found, err);
    if (st == TESS_OK && found >= 0)
        st = err_set(err, TESS_ERR_UNSUPPORTED, found,
                     "another frame stands behind this one, at byte %" PRId64
                     ", in the way of changes; the file can only be read",
                     found);
    return st;
}
