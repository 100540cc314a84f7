/*
 * upload.c - an io for a new object of a source, written once from start to end.
 */

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"
#include "io/source.h"

#include <inttypes.h>
#include <string.h>

enum {
    HEAD_DEFAULT = 8 << 20,
    HEAD_LEAST = 64 << 10, // a header, and what belongs to it
    ZEROS = 4 << 10,
};

struct upload {
    struct io io;
    tess_source source;
    uint8_t *head; // the first bytes; grows to head_most
    int64_t head_size; // bytes of them in memory; behind what was written, zeros
    int64_t head_most;
    int64_t end; // of all
    int64_t sent; // where the next write of the source goes
    bool replace;
    bool published;
};

static struct upload *
upload_of(struct io *io)
{
    return (struct upload *)io;
}

static tess_status
head_reserve(struct upload *u, int64_t size, tess_error *err)
{
    if (size <= u->head_size)
        return TESS_OK;
    const int64_t wanted = min_i64(max_i64(size, 2 * u->head_size), u->head_most);
    uint8_t *const head = mem_resize(u->head, (size_t)wanted);
    if (!head)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the first %" PRId64 " bytes",
                       wanted);
    memset(head + u->head_size, 0, (size_t)(wanted - u->head_size));
    u->head = head;
    u->head_size = wanted;
    return TESS_OK;
}

static tess_status
upload_send(struct upload *u, int64_t offset, const void *src, size_t size, tess_error *err)
{
    tess_error why = {.sys = 0};
    const tess_status st =
        source_status(u->source.write(u->source.user, offset, src, size, &why), "write", &why);
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

static tess_status
send_zeros(struct upload *u, int64_t until, tess_error *err)
{
    static const uint8_t zeros[ZEROS];
    tess_status st = TESS_OK;
    while (u->sent < until && st == TESS_OK) {
        const int64_t size = min_i64(until - u->sent, ZEROS);
        st = upload_send(u, u->sent, zeros, (size_t)size, err);
        u->sent += size;
    }
    return st;
}

static tess_status
upload_check_new(const struct upload *u, tess_error *err)
{
    if (!u->published)
        return TESS_OK;
    return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                   "an array in a source cannot be updated; write a changed copy instead");
}

static tess_status
write_behind(struct upload *u, int64_t offset, const void *src, size_t size, tess_error *err)
{
    if (offset < u->sent)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "%zu bytes at %" PRId64 " would be written again: a source is written from "
                       "start to end",
                       size, offset);
    tess_status st = send_zeros(u, offset, err);
    if (st == TESS_OK)
        st = upload_send(u, offset, src, size, err);
    u->sent = offset + (int64_t)size;
    return st;
}

static tess_status
upload_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    struct upload *const u = upload_of(io);
    int64_t end;
    tess_status st = upload_check_new(u, err);
    if (st != TESS_OK || size == 0)
        return st;
    if (offset < 0 || !add_i64(offset, (int64_t)size, &end))
        return err_set(err, TESS_ERR_LIMIT, -1, "%zu bytes at %" PRId64, size, offset);
    const int64_t here = max_i64(min_i64(end, u->head_most) - offset, 0);
    if (here > 0)
        st = head_reserve(u, offset + here, err);
    if (st == TESS_OK && here > 0)
        memcpy(u->head + offset, src, (size_t)here);
    if (st == TESS_OK && here < (int64_t)size)
        st = write_behind(u, offset + here, (const uint8_t *)src + here, size - (size_t)here, err);
    if (st == TESS_OK)
        u->end = max_i64(u->end, end);
    return st;
}

static tess_status
upload_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    const struct upload *const u = upload_of(io);
    if (offset >= 0 && offset <= u->head_size && (int64_t)size <= u->head_size - offset) {
        if (size > 0)
            memcpy(dst, u->head + offset, size);
        return TESS_OK;
    }
    return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                   "%zu bytes at %" PRId64 " were handed to a source, which is only written", size,
                   offset);
}

static const uint8_t *
upload_view(struct io *io, int64_t offset, size_t size)
{
    (void)io, (void)offset, (void)size;
    return NULL;
}

static tess_status
upload_size(struct io *io, int64_t *size, tess_error *err)
{
    (void)err;
    *size = upload_of(io)->end;
    return TESS_OK;
}

static tess_status
upload_truncate(struct io *io, int64_t size, tess_error *err)
{
    struct upload *const u = upload_of(io);
    const tess_status st = upload_check_new(u, err);
    if (st != TESS_OK)
        return st;
    if (size < u->end)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1, "what was handed to a source stays");
    u->end = size;
    return TESS_OK;
}

static tess_status
upload_sync(struct io *io, tess_error *err)
{
    (void)io, (void)err;
    return TESS_OK; // publishing is
}

static tess_status
upload_publish(struct io *io, bool durable, tess_error *err)
{
    struct upload *const u = upload_of(io);
    tess_error why = {.sys = 0};
    (void)durable;
    if (u->published)
        return TESS_OK;
    const int64_t first = min_i64(u->end, u->head_most);
    tess_status st = head_reserve(u, first, &why);
    if (st == TESS_OK)
        st = u->end > u->head_most ? send_zeros(u, u->end, &why) : TESS_OK;
    if (st == TESS_OK && first > 0)
        st = upload_send(u, 0, u->head, (size_t)first, &why);
    if (st == TESS_OK)
        st = source_status(u->source.publish(u->source.user, u->end, u->replace, &why), "publish",
                           &why);
    u->published = st == TESS_OK;
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

static tess_status
upload_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    (void)io, (void)err;
    *identity = (struct io_identity){0};
    return TESS_OK;
}

static void
upload_close(struct io *io)
{
    mem_free(upload_of(io)->head);
    mem_free(io);
}

static const struct io_ops upload_ops = {
    .read = upload_read,
    .write = upload_write,
    .view = upload_view,
    .size = upload_size,
    .truncate = upload_truncate,
    .sync = upload_sync,
    .publish = upload_publish,
    .identify = upload_identify,
    .close = upload_close,
};

tess_status
io_upload_create(const tess_source *source, bool replace, struct io **io, tess_error *err)
{
    struct upload *const u = mem_zeroed(1, sizeof *u);
    if (!u)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an upload");
    u->io.ops = &upload_ops;
    u->io.writable = true;
    u->io.guarded = true; // no other program can change what is not published
    u->io.once = true;
    u->source = *source;
    u->head_most = source->head > 0 ? max_i64(source->head, HEAD_LEAST) : HEAD_DEFAULT;
    u->sent = u->head_most;
    u->replace = replace;
    *io = &u->io;
    return TESS_OK;
}
