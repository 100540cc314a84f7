/*
 * front.c - a file whose first bytes are kept in memory.
 */
#include "io/front.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

enum { SEEN = 64 }; // bytes with the lengths of a frame, which each of its states has others of

struct front {
    struct io io;
    struct io *file;
    uint8_t *bytes; // that are kept; NULL: none
    int64_t size; // of them
    int64_t limit; // writes that start before it are kept; 0: none, or the io is for reading
    struct io_front_owner owner;
    atomic_uint_fast64_t seen; // of the first bytes of the file, a hash; for reading
};

static struct front *
front_of(struct io *io)
{
    return (struct front *)io;
}

// How many of the bytes at an offset are kept.
static size_t
kept_at(const struct front *f, int64_t offset, size_t size)
{
    const int64_t kept = max_i64(f->size - offset, 0);
    return (uint64_t)kept < size ? (size_t)kept : size;
}

static tess_status
read_kept(const struct front *f, bool again, int64_t offset, void *dst, size_t size,
          tess_error *err)
{
    const size_t kept = kept_at(f, offset, size);
    uint8_t *const to = dst;
    if (kept > 0)
        memcpy(to, f->bytes + offset, kept);
    if (kept == size)
        return TESS_OK;
    const int64_t from = offset + (int64_t)kept;
    return again ? io_read_again(f->file, from, to + kept, size - kept, err)
                 : io_read(f->file, from, to + kept, size - kept, err);
}

static tess_status
front_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    return read_kept(front_of(io), false, offset, dst, size, err);
}

// FNV-1a. What cannot be read is as if it were empty: reading tells.
static uint64_t
hash_of_file(const struct front *f)
{
    uint8_t first[SEEN] = {0};
    uint64_t hash = 0xcbf29ce484222325;
    const size_t size = kept_at(f, 0, sizeof first);
    if (io_read_again(f->file, 0, first, size, NULL) != TESS_OK)
        return hash;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ first[i]) * 0x100000001b3;
    return hash;
}

// A frame asks for its header again to learn whether what it read counts.
static tess_status
check_seen(struct front *f, tess_error *err)
{
    if (!f->owner.changed)
        return TESS_OK;
    const uint64_t now = hash_of_file(f);
    if (now == atomic_load(&f->seen))
        return TESS_OK;
    const tess_status st = f->owner.changed(f->owner.user, f->file, err);
    if (st == TESS_OK)
        atomic_store(&f->seen, now);
    return st;
}

static tess_status
front_read_again(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    struct front *const f = front_of(io);
    const tess_status st = kept_at(f, offset, size) > 0 ? check_seen(f, err) : TESS_OK;
    return st == TESS_OK ? read_kept(f, true, offset, dst, size, err) : st;
}

static tess_status
front_read_many(struct io *io, const tess_range *ranges, size_t n, const struct io_progress *p,
                tess_error *err)
{
    const struct front *const f = front_of(io);
    tess_status st = TESS_OK;
    if (n == 0 || ranges[0].offset >= f->size)
        return io_read_many(f->file, ranges, n, p, err);
    for (size_t i = 0; i < n && st == TESS_OK; i++)
        st = io_arrive(p, i,
                       front_read(io, ranges[i].offset, ranges[i].dst, ranges[i].dst_size, err));
    return st;
}

static const uint8_t *
front_view(struct io *io, int64_t offset, size_t size)
{
    const struct front *const f = front_of(io);
    const size_t kept = kept_at(f, offset, size);
    if (kept == 0)
        return io_view(f->file, offset, size);
    return kept == size ? f->bytes + offset : NULL;
}

static tess_status
front_get_size(struct io *io, int64_t *size, tess_error *err)
{
    const struct front *const f = front_of(io);
    const tess_status st = io_size(f->file, size, err);
    if (st == TESS_OK)
        *size = max_i64(*size, f->size);
    return st;
}

// Keep the first `size` bytes; those that are not kept yet are read.
static tess_status
keep_first(struct front *f, int64_t size, tess_error *err)
{
    int64_t there = 0;
    if (size <= f->size)
        return TESS_OK;
    tess_status st = io_size(f->file, &there, err);
    uint8_t *const bytes = st == TESS_OK ? mem_resize(f->bytes, (size_t)size) : NULL;
    if (st != TESS_OK)
        return st;
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the first bytes of a file");
    f->bytes = bytes;
    there = min_i64(max_i64(there, f->size), size);
    st = there > f->size
             ? io_read(f->file, f->size, bytes + f->size, (size_t)(there - f->size), err)
             : TESS_OK;
    if (st != TESS_OK)
        return st;
    memset(bytes + there, 0, (size_t)(size - there));
    f->size = size;
    return TESS_OK;
}

static tess_status
front_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    struct front *const f = front_of(io);
    if (offset >= f->limit)
        return io_write(f->file, offset, src, size, err);
    const tess_status st = keep_first(f, max_i64(f->limit, offset + (int64_t)size), err);
    if (st == TESS_OK)
        memcpy(f->bytes + offset, src, size);
    return st;
}

// The bytes of the file that are kept otherwise in memory are still those of its last state.
static tess_status
front_truncate(struct io *io, int64_t size, tess_error *err)
{
    const struct front *const f = front_of(io);
    return io_truncate(f->file, max_i64(size, f->limit), err);
}

static tess_status
front_sync(struct io *io, tess_error *err)
{
    return io_sync(front_of(io)->file, err);
}

static tess_status
front_publish(struct io *io, bool durable, tess_error *err)
{
    return io_publish(front_of(io)->file, durable, err);
}

static tess_status
front_stamp(struct io *io, struct io_stamp *stamp, tess_error *err)
{
    return io_stamp(front_of(io)->file, stamp, err);
}

static tess_status
front_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    return io_identify(front_of(io)->file, identity, err);
}

static void
front_unlock(struct io *io)
{
    io_unlock(front_of(io)->file);
}

static void
front_opened(struct io *io)
{
    io_opened(front_of(io)->file);
}

static void
front_close(struct io *io)
{
    struct front *const f = front_of(io);
    io_close(f->file);
    if (f->owner.closed)
        f->owner.closed(f->owner.user);
    mem_free(f->bytes);
    mem_free(f);
}

static const struct io_ops staged_ops = {
    .read = front_read,
    .read_many = front_read_many,
    .write = front_write,
    .view = front_view,
    .size = front_get_size,
    .truncate = front_truncate,
    .sync = front_sync,
    .publish = front_publish,
    .stamp = front_stamp,
    .identify = front_identify,
    .read_again = front_read_again,
    .unlock = front_unlock,
    .opened = front_opened,
    .close = front_close,
};

// Without a time of change: others may change the file.
static const struct io_ops fixed_ops = {
    .read = front_read,
    .read_many = front_read_many,
    .write = front_write,
    .view = front_view,
    .size = front_get_size,
    .truncate = front_truncate,
    .sync = front_sync,
    .publish = front_publish,
    .identify = front_identify,
    .read_again = front_read_again,
    .opened = front_opened,
    .close = front_close,
};

static struct front *
front_new(struct io *file, const struct io_ops *ops, tess_error *err)
{
    struct front *const f = mem_alloc(sizeof *f);
    if (!f) {
        io_close(file);
        (void)err_set(err, TESS_ERR_NOMEM, -1, "no memory for an io");
        return NULL;
    }
    *f = (struct front){.io = *file, .file = file};
    atomic_init(&f->seen, 0);
    f->io.ops = ops;
    return f;
}

tess_status
io_front_fixed(struct io *file, const uint8_t *bytes, size_t size,
               const struct io_front_owner *owner, struct io **io, tess_error *err)
{
    struct front *const f = front_new(file, &fixed_ops, err);
    if (!f)
        return TESS_ERR_NOMEM;
    f->bytes = mem_alloc(size);
    if (!f->bytes) {
        front_close(&f->io);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for the first bytes of a file");
    }
    memcpy(f->bytes, bytes, size);
    f->size = (int64_t)size;
    f->io.guarded = false; // the end of the state is in the file, and is compared
    f->owner = *owner;
    atomic_init(&f->seen, hash_of_file(f));
    *io = &f->io;
    return TESS_OK;
}

tess_status
io_front_staged(struct io *file, struct io **io, tess_error *err)
{
    struct front *const f = front_new(file, &staged_ops, err);
    if (!f)
        return TESS_ERR_NOMEM;
    *io = &f->io;
    return TESS_OK;
}

tess_status
io_front_settle(struct io *io, int64_t size, tess_error *err)
{
    struct front *const f = front_of(io);
    const tess_status st =
        f->size > 0 ? io_write(f->file, 0, f->bytes, (size_t)f->size, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    mem_free(f->bytes);
    f->bytes = NULL;
    f->size = 0;
    f->limit = size;
    return TESS_OK;
}
