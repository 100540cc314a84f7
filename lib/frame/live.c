/*
 * live.c - how many chunks of a frame's list are stored, and how many bytes those have.
 *
 * The bytes are summed once, in the order of the file: the headers of small chunks are read many at
 * a time, those of large ones one by one.
 */
#include "frame/live.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "chunk/header.h"
#include "frame/container.h"
#include "frame/current.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "frame/usage.h"
#include "io/io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 16,
    SMALL = 8192, // average of chunks of which several headers are read at once
};

void
frame_count_chunks(struct frame *f, int64_t *nstored, int64_t *nmissing)
{
    usage_count(&f->usage, &f->index, nstored, nmissing);
}

int64_t
frame_known_live_bytes(const struct frame *f)
{
    return f->usage.live;
}

// A piece of the file, for the headers in it.
struct piece {
    uint8_t *bytes; // NULL: headers are read one by one
    int64_t start, size;
};

static tess_status
read_head(const struct chunk_place *place, struct piece *p, uint8_t *head, tess_error *err)
{
    if (!p->bytes || place->owned)
        return io_read(place->io, place->position, head, CHUNK_HEADER_MIN, err);
    if (place->position < p->start || place->position - p->start > p->size - CHUNK_HEADER_MIN) {
        p->size = 0;
        p->start = place->position;
        const int64_t size = min_i64(place->room, PIECE);
        const tess_status st = io_read(place->io, p->start, p->bytes, (size_t)size, err);
        if (st != TESS_OK)
            return st;
        p->size = size;
    }
    memcpy(head, p->bytes + (place->position - p->start), CHUNK_HEADER_MIN);
    return TESS_OK;
}

static tess_status
live_stored_bytes(const struct frame *f, int64_t entry, struct piece *p, int64_t *size,
                  tess_error *err)
{
    uint8_t head[CHUNK_HEADER_MIN];
    struct chunk_place place;
    tess_status st = f->container->locate(f, entry, &place, err);
    if (st != TESS_OK)
        return st;
    if (place.room < CHUNK_HEADER_MIN)
        st = err_set(err, TESS_ERR_CORRUPT, place.position, "%" PRId64 " bytes for a chunk",
                     place.room);
    else
        st = read_head(&place, p, head, err);
    if (place.owned)
        io_close(place.io);
    if (st != TESS_OK)
        return st;
    *size = get_i32le(head + 12);
    if (*size < CHUNK_HEADER_MIN || *size > place.room)
        return err_set(err, TESS_ERR_CORRUPT, place.position + 12,
                       "a chunk of %" PRId64 " stored bytes, %d to %" PRId64 " can be", *size,
                       CHUNK_HEADER_MIN, place.room);
    return TESS_OK;
}

// All different chunks of the list, in the order of the file.
static tess_status
live_measure(const struct frame *f, int64_t *live, tess_error *err)
{
    struct piece piece = {0};
    int64_t *entries = NULL;
    size_t n = 0;
    tess_status st = TESS_OK;

    *live = 0;
    if (!f->index.entries) // one stored chunk in all places, or none
        return f->index.nchunks > 0 && f->index.uniform >= 0
                   ? live_stored_bytes(f, f->index.uniform, &piece, live, err)
                   : TESS_OK;
    TRY(index_sorted(&f->index, &entries, &n, err));
    if (!f->folder && n > 1 && f->h.cbytes / (int64_t)n < SMALL)
        piece.bytes = malloc(PIECE); // no memory: one by one
    for (size_t i = 0; i < n; i++) {
        int64_t size;
        if (i > 0 && entries[i] == entries[i - 1])
            continue;
        TRY(live_stored_bytes(f, entries[i], &piece, &size, err));
        *live += size;
    }
out:
    free(piece.bytes);
    free(entries);
    return st;
}

tess_status
frame_live_bytes(struct frame *f, int64_t *live, tess_error *err)
{
    *live = f->usage.live;
    if (*live >= 0)
        return TESS_OK;
    tess_status st = live_measure(f, live, err);
    if (st == TESS_OK)
        st = frame_check_current(f, err); // else it may be of no state
    if (st == TESS_OK)
        f->usage.live = *live;
    return st;
}

int64_t
frame_holes(const struct frame *f, int64_t live)
{
    if (f->folder || f->h.nbytes == 0)
        return 0;
    const int64_t section = f->dirty ? f->space.end - f->h.header_len : f->h.cbytes;
    return max_i64(section - live, 0);
}
