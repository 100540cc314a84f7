/*
 * extents.c - many short reads of one io, in few calls.
 *
 * Extents that lie close together come with one read, through a buffer. preadv() to their places,
 * with the gaps to one that is thrown away, took up to four times as long: the system copies each
 * piece by itself.
 */
#include "io/extents.h"

#include "base/memory.h"
#include "io/io.h"

#include <string.h>

enum { SPAN_MAX = 1 << 16 }; // bytes that are read together

// Not the io's own: its gap and piece are for bytes of blocks that go to their places, these, which
// were measured, for headers of chunks that are copied out of a buffer.
static const struct io_manner extents_manner = {.gap = 8 << 10, .piece = SPAN_MAX};

// How many of the extents are read together, and the bytes from the first to the last of them.
static size_t
count_together(const tess_range *extents, size_t n, size_t *span)
{
    const int64_t start = extents[0].offset;
    size_t k = 1;
    *span = extents[0].dst_size;
    for (; k < n &&
           io_manner_joins(&extents_manner, start, *span, extents[k].offset, extents[k].dst_size);
         k++)
        *span = (size_t)(extents[k].offset - start) + extents[k].dst_size;
    return k;
}

static tess_status
read_together(struct io *io, const tess_range *extents, size_t n, size_t span, uint8_t *buffer,
              tess_error *err)
{
    const tess_status st = io_read(io, extents[0].offset, buffer, span, err);
    for (size_t i = 0; i < n && st == TESS_OK; i++)
        memcpy(extents[i].dst, buffer + (extents[i].offset - extents[0].offset),
               extents[i].dst_size);
    return st;
}

tess_status
io_read_many(struct io *io, const tess_range *extents, size_t n, const struct io_progress *p,
             tess_error *err)
{
    tess_status st = TESS_OK;
    uint8_t *buffer = NULL;
    size_t together, span;
    if (io->ops->read_many)
        return io->ops->read_many(io, extents, n, p, err);
    for (size_t i = 0; i < n && st == TESS_OK; i += together) {
        together = count_together(&extents[i], n - i, &span);
        if (together > 1 && !buffer)
            buffer = mem_alloc(SPAN_MAX);
        if (together > 1 && buffer) {
            st = read_together(io, &extents[i], together, span, buffer, err);
        } else { // also without memory
            together = 1;
            st = io_read(io, extents[i].offset, extents[i].dst, extents[i].dst_size, err);
        }
        for (size_t k = 0; k < together && st == TESS_OK; k++)
            st = io_arrive(p, i + k, st);
    }
    mem_free(buffer);
    return st;
}
