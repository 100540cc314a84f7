/*
 * gather.c - a file whose small pieces are written together.
 *
 * Pieces that io_gather_put() gets one behind the other wait in a buffer and go to the file in one
 * write: when the buffer is full, when a piece goes elsewhere, and before anything else is written,
 * cut or synced. Reading sees them where they belong. What waits when the file is closed is lost.
 */
#include "io/gather.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"
#include "io/names/path.h"

#include <inttypes.h>
#include <string.h>

enum {
    ROOM = 1 << 20,
    PIECE_MOST = ROOM / 4, // larger ones gain nothing
};

struct gather {
    struct io io;
    struct io *file;
    uint8_t *buffer; // NULL before the first piece
    int64_t start; // of what waits, in the file
    int64_t size; // of it
    int64_t end; // of the file, once there is a buffer; what waits never starts behind it
};

static struct gather *
gather_of(struct io *io)
{
    return (struct gather *)io;
}

static tess_status
flush(struct gather *g, tess_error *err)
{
    if (g->size == 0)
        return TESS_OK;
    const tess_status st = io_write(g->file, g->start, g->buffer, (size_t)g->size, err);
    if (st != TESS_OK)
        return st;
    g->end = max_i64(g->end, g->start + g->size);
    g->size = 0;
    return TESS_OK;
}

// Whether some of [start, stop) waits.
static bool
gather_meets(const struct gather *g, int64_t start, int64_t stop)
{
    return g->size > 0 && start < g->start + g->size && g->start < stop;
}

static tess_status
gather_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    const struct gather *const g = gather_of(io);
    uint8_t *const to = dst;
    int64_t stop;
    if (!add_i64(offset, (int64_t)size, &stop) || !gather_meets(g, offset, stop))
        return io_read(g->file, offset, dst, size, err);

    const int64_t from = max_i64(offset, g->start);
    const int64_t until = min_i64(stop, g->start + g->size);
    tess_status st = TESS_OK;
    if (offset < from)
        st = io_read(g->file, offset, to, (size_t)(from - offset), err);
    memcpy(to + (from - offset), g->buffer + (from - g->start), (size_t)(until - from));
    if (st == TESS_OK && until < stop)
        st = io_read(g->file, until, to + (until - offset), (size_t)(stop - until), err);
    return st;
}

// What waits is one range, so one question tells for all extents.
static tess_status
gather_read_many(struct io *io, const tess_range *extents, size_t n, const struct io_progress *p,
                 tess_error *err)
{
    const struct gather *const g = gather_of(io);
    tess_status st = TESS_OK;
    int64_t stop;
    if (n == 0)
        return TESS_OK;
    const tess_range *const last = &extents[n - 1];
    if (add_i64(last->offset, (int64_t)last->dst_size, &stop) &&
        !gather_meets(g, extents[0].offset, stop))
        return io_read_many(g->file, extents, n, p, err);
    for (size_t i = 0; i < n && st == TESS_OK; i++)
        st = io_arrive(
            p, i, gather_read(io, extents[i].offset, extents[i].dst, extents[i].dst_size, err));
    return st;
}

static const uint8_t *
gather_view(struct io *io, int64_t offset, size_t size)
{
    const struct gather *const g = gather_of(io);
    int64_t stop;
    if (!add_i64(offset, (int64_t)size, &stop))
        return NULL;
    if (!gather_meets(g, offset, stop))
        return io_view(g->file, offset, size);
    if (offset < g->start || stop > g->start + g->size)
        return NULL;
    return g->buffer + (offset - g->start);
}

static tess_status
gather_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    struct gather *const g = gather_of(io);
    tess_status st = flush(g, err);
    if (st == TESS_OK)
        st = io_write(g->file, offset, src, size, err);
    if (st == TESS_OK && size > 0)
        g->end = max_i64(g->end, offset + (int64_t)size);
    return st;
}

static tess_status
make_buffer(struct gather *g, tess_error *err)
{
    const tess_status st = io_size(g->file, &g->end, err);
    if (st != TESS_OK)
        return st;
    g->buffer = mem_alloc(ROOM);
    return g->buffer ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %d bytes", ROOM);
}

struct io *
io_gather_file(struct io *io)
{
    return gather_of(io)->file;
}

tess_status
io_gather_clear(struct io *io, int64_t offset, int64_t size, tess_error *err)
{
    struct gather *const g = gather_of(io);
    return gather_meets(g, offset, offset + size) ? flush(g, err) : TESS_OK;
}

tess_status
io_gather_put(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    struct gather *const g = gather_of(io);
    const int64_t at = offset - g->start;
    const bool behind = g->size > 0 && at >= 0 && at <= min_i64(g->size, ROOM - PIECE_MOST);
    tess_status st = TESS_OK;

    if (!g->buffer)
        st = make_buffer(g, err);
    if (st == TESS_OK && !behind)
        st = flush(g, err);
    if (st != TESS_OK)
        return st;
    if (size > PIECE_MOST || (!behind && offset > g->end))
        return gather_write(io, offset, src, size, err);
    if (g->size == 0)
        g->start = offset;
    memcpy(g->buffer + (offset - g->start), src, size);
    g->size = max_i64(g->size, offset - g->start + (int64_t)size);
    return TESS_OK;
}

static tess_status
gather_size(struct io *io, int64_t *size, tess_error *err)
{
    const struct gather *const g = gather_of(io);
    const tess_status st = io_size(g->file, size, err);
    if (st == TESS_OK && g->size > 0)
        *size = max_i64(*size, g->start + g->size);
    return st;
}

static tess_status
gather_truncate(struct io *io, int64_t size, tess_error *err)
{
    struct gather *const g = gather_of(io);
    tess_status st = flush(g, err);
    if (st == TESS_OK)
        st = io_truncate(g->file, size, err);
    if (st == TESS_OK)
        g->end = size;
    return st;
}

static tess_status
gather_sync(struct io *io, tess_error *err)
{
    struct gather *const g = gather_of(io);
    const tess_status st = flush(g, err);
    return st == TESS_OK ? io_sync(g->file, err) : st;
}

static tess_status
gather_publish(struct io *io, bool durable, tess_error *err)
{
    struct gather *const g = gather_of(io);
    const tess_status st = flush(g, err);
    return st == TESS_OK ? io_publish(g->file, durable, err) : st;
}

static tess_status
gather_stamp(struct io *io, struct io_stamp *stamp, tess_error *err)
{
    return io_stamp(gather_of(io)->file, stamp, err);
}

static tess_status
gather_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    return io_identify(gather_of(io)->file, identity, err);
}

// Nothing is written any more, what was coalesced included.
static void
gather_unlock(struct io *io)
{
    struct gather *const g = gather_of(io);
    g->size = 0;
    io_unlock(g->file);
}

static void
gather_close(struct io *io)
{
    struct gather *const g = gather_of(io);
    io_close(g->file);
    mem_free(g->buffer);
    mem_free(g);
}

static const struct io_ops gather_ops = {
    .read = gather_read,
    .read_many = gather_read_many,
    .write = gather_write,
    .view = gather_view,
    .size = gather_size,
    .truncate = gather_truncate,
    .sync = gather_sync,
    .publish = gather_publish,
    .stamp = gather_stamp,
    .identify = gather_identify,
    .unlock = gather_unlock,
    .close = gather_close,
};

tess_status
io_gather(struct io *file, struct io **io, tess_error *err)
{
    struct gather *const g = mem_alloc(sizeof *g);
    if (!g) {
        io_close(file);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an io");
    }
    *g = (struct gather){
        .io = *file,
        .file = file,
    };
    g->io.ops = &gather_ops;
    *io = &g->io;
    return TESS_OK;
}
