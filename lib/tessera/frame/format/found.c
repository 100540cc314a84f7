/*
 * found.c - frames in the bytes of a file, found by their headers, without being opened.
 */
#include "frame/format/found.h"

#include "base/checked.h"
#include "base/memory.h"
#include "frame/format/header.h"
#include "frame/format/trailer.h"
#include "io/io.h"
#include "meta/layers.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

enum { PIECE = 1 << 16 }; // bytes that are searched at once

void
found_finish(struct found *x)
{
    ndlayer_finish(&x->nd);
    *x = (struct found){0};
}

// The fixed part of a header.
struct found_front {
    size_t size;
    uint8_t bytes[FRAME_HEADER_SIZE];
};

static tess_status
found_read_front(struct io *io, int64_t offset, int64_t size, struct found_front *front,
                 tess_error *err)
{
    *front = (struct found_front){.size = (size_t)min_i64(size - offset, FRAME_HEADER_SIZE)};
    return io_read(io, offset, front->bytes, front->size, err);
}

// The N-dimensional layer. A layer that contradicts itself makes no array of the frame.
static tess_status
found_take_layer(struct found *x, const struct layers *layers, tess_error *err)
{
    const struct layer *layer = layers_find(layers, "b2nd");
    x->caterva = !layer;
    if (!layer)
        layer = layers_find(layers, "caterva");
    if (!layer)
        return TESS_OK;
    const tess_status st = ndlayer_parse(layer->content, layer->size, x->caterva, &x->nd, err);
    x->is_array = st == TESS_OK;
    return st;
}

static tess_status
found_read_layers(struct io *io, int64_t memory, struct found *x, tess_error *err)
{
    const size_t fixed = (size_t)x->h.fixed_size, size = (size_t)x->h.header_len - fixed;
    struct layers layers = {0};
    if (!x->h.has_layers)
        return TESS_OK;
    if ((int64_t)size > memory)
        return err_set(err, TESS_ERR_LIMIT, x->offset,
                       "metalayers of %zu bytes, the limit is %" PRId64, size, memory);
    uint8_t *const bytes = mem_alloc(size + 1);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for metalayers of %zu bytes", size);
    tess_status st = io_read(io, x->offset + x->h.fixed_size, bytes, size, err);
    if (st == TESS_OK)
        st = layers_parse(bytes, size, fixed, LAYERS_HEADER, &layers, err);
    if (st == TESS_OK)
        st = found_take_layer(x, &layers, err);
    layers_finish(&layers);
    mem_free(bytes);
    return st;
}

// Whether the last bytes are those of a trailer that fits in.
static tess_status
found_check_end(struct io *io, const struct found *x, tess_error *err)
{
    uint8_t end[TRAILER_FIXED_END];
    int64_t length;
    if (!x->h.has_trailer)
        return TESS_OK;
    const tess_status st =
        io_read(io, x->offset + x->h.frame_len - TRAILER_FIXED_END, end, sizeof end, err);
    return st == TESS_OK ? trailer_length(end, x->h.frame_len - x->h.header_len, &length, err) : st;
}

// From the fixed part on. What contradicts itself is no failure: the frame is not whole then.
static tess_status
found_examine(struct io *io, int64_t size, int64_t memory, struct found *x, tess_error *err)
{
    const int64_t room = size - x->offset;
    x->size = min_i64(x->h.frame_len, room);
    if (x->h.frame_len > room)
        return TESS_OK;
    tess_status st = found_read_layers(io, memory, x, err);
    if (st == TESS_OK)
        st = found_check_end(io, x, err);
    x->whole = st == TESS_OK;
    return st == TESS_ERR_CORRUPT || st == TESS_ERR_UNSUPPORTED ? TESS_OK : st;
}

tess_status
found_read(struct io *io, int64_t offset, int64_t size, int64_t memory, struct found *x,
           tess_error *err)
{
    enum { TRIES = 10 };
    struct found_front front, again;
    tess_status st;
    *x = (struct found){0};
    for (int i = 0; i < TRIES; i++) {
        found_finish(x);
        x->offset = offset;
        st = found_read_front(io, offset, size, &front, err);
        if (st == TESS_OK)
            st = frame_header_parse(front.bytes, front.size, INT64_MAX, &x->h, err);
        if (st == TESS_OK)
            st = found_examine(io, size, memory, x, err);
        const bool sure = (st == TESS_OK && x->whole) || io->in_memory;
        if (sure || found_read_front(io, offset, size, &again, NULL) != TESS_OK ||
            memcmp(front.bytes, again.bytes, sizeof front.bytes) == 0)
            break;
    }
    if (st != TESS_OK)
        found_finish(x);
    return st;
}

// The first place in some bytes where a frame begins; -1: there is none.
static int64_t
search_piece(const uint8_t *piece, size_t n)
{
    static const char magic[] = FRAME_MAGIC; // byte 2 and on, the NUL included
    struct frame_header h;
    for (size_t at = 0; n - at >= FRAME_HEADER_MIN; at++) {
        const uint8_t *const hit = memmem(piece + at + 2, n - at - 2, magic, sizeof magic);
        if (!hit)
            return -1;
        at = (size_t)(hit - piece) - 2;
        if (frame_header_parse(piece + at, n - at, INT64_MAX, &h, NULL) != TESS_ERR_FORMAT)
            return (int64_t)at;
    }
    return -1;
}

tess_status
found_search(struct io *io, int64_t from, int64_t size, struct watch *watch, int64_t *at,
             tess_error *err)
{
    const int64_t step = PIECE - (FRAME_HEADER_MIN - 1);
    tess_status st = TESS_OK;
    *at = -1;
    if (size - from < FRAME_HEADER_MIN)
        return TESS_OK;
    uint8_t *const piece = mem_alloc(PIECE);
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d bytes", PIECE);
    for (int64_t start = from; *at < 0 && size - start >= FRAME_HEADER_MIN && st == TESS_OK;
         start += step) {
        const size_t n = (size_t)min_i64(size - start, PIECE);
        st = io_read(io, start, piece, n, err);
        const int64_t hit = st == TESS_OK ? search_piece(piece, n) : -1;
        if (hit >= 0)
            *at = start + hit;
        watch_add(watch, (int64_t)n);
        if (st == TESS_OK)
            st = watch_look(watch, err);
    }
    mem_free(piece);
    return st;
}
