/*
 * io.h - where the bytes of a frame live: a file, memory.
 *
 * An interface: file.c, memory.c, and window.c and gather.c on top of others, implement it.
 *
 * All positions are bytes from the start of the file or buffer. An io does not know what the bytes
 * mean, and does not buffer, but for io_gather(). Reading is safe from any number of threads at
 * once, and takes no lock but that of a descriptor that is opened again (open_files.h); everything
 * else requires exclusive access.
 */
#ifndef IO_IO_H
#define IO_IO_H

#include "base/error.h"
#include "io/identity.h"

#include <tessera/source.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io;

// What tells that a file was replaced or written to. Systems count time in steps of some
// milliseconds: two writes within one step leave the same time. Zeros where there is none.
struct io_stamp {
    int64_t device, file, size, seconds, nanoseconds;
};

// How bytes are best read: what is wanted together is better read together.
struct io_manner {
    int64_t gap; // bytes between two ranges that cost less than another request
    int64_t piece; // bytes of one request, at most, if it takes in more than one range
    int requests; // worth being under way at once
    bool far; // a request takes so long that what will be needed is asked for ahead of time
};

// Whether a range is better read with the `size` bytes at `offset` that it follows. It is the rule
// for all that is read together; extents.c has bounds of its own.
static inline bool
io_manner_joins(const struct io_manner *m, int64_t offset, size_t size, int64_t next,
                size_t next_size)
{
    const int64_t gap = next - offset - (int64_t)size;
    return gap >= 0 && gap <= m->gap && (int64_t)next_size <= m->piece - gap - (int64_t)size;
}

// Of a read of many ranges while it runs. Any thread may call the functions; NULL: nothing is told
// and nothing ends it.
struct io_progress {
    void (*arrived)(const struct io_progress *p, size_t i); // range i, once; NULL: nobody asks
    bool (*cancelled)(const struct io_progress *p);
};

struct io_ops {
    // Exactly `size` bytes; the end of the file inside of them is TESS_ERR_IO.
    tess_status (*read)(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err);
    // The same for many ranges that ascend, in any order, or at once. p: NULL, or what wants to
    // know. NULL: through `read` (extents.h).
    tess_status (*read_many)(struct io *io, const tess_range *ranges, size_t n,
                             const struct io_progress *p, tess_error *err);
    // The file grows as needed.
    tess_status (*write)(struct io *io, int64_t offset, const void *src, size_t size,
                         tess_error *err);
    // The bytes themselves, without a copy, until the next write or truncation; NULL where the io
    // cannot, or where the range leaves the file.
    const uint8_t *(*view)(struct io *io, int64_t offset, size_t size);
    tess_status (*size)(struct io *io, int64_t *size, tess_error *err);
    tess_status (*truncate)(struct io *io, int64_t size, tess_error *err);
    // What was written before is on the disk when this returns.
    tess_status (*sync)(struct io *io, tess_error *err);
    // A new file gets its name, replacing one that has it; durable: the name is on the disk then,
    // or the call fails (naming_publish()).
    tess_status (*publish)(struct io *io, bool durable, tess_error *err);
    // NULL: there is none.
    tess_status (*stamp)(struct io *io, struct io_stamp *stamp, tess_error *err);
    // Which file that is, or is part of; memory: zeros.
    tess_status (*identify)(struct io *io, struct io_identity *identity, tess_error *err);
    // Optional, for an io that keeps some of its bytes: as `read`, but from where they live.
    tess_status (*read_again)(struct io *io, int64_t offset, void *dst, size_t size,
                              tess_error *err);
    // Optional: what opening an array reads has been read.
    void (*opened)(struct io *io);
    // A file that was not published disappears.
    void (*close)(struct io *io);
};

struct io {
    const struct io_ops *ops;
    bool writable;
    bool in_memory; // no other program can change it
    bool guarded; // if another program changes it, reading is TESS_ERR_STALE
    bool once; // it is written from start to end, and published once (source/upload.h)
    bool locked; // it is written, and its lock (lock.h) is held, also that of what it replaces
    int lock_error; // errno: why it is not, though the lock was asked for
    bool eager; // large writes are to be on their way to the disk when it is synced; set by the
                // owner
    bool short_lived; // it may be closed while a job reads others; set by the owner
    struct io_manner manner;
};

// Tell that range i was read, if it was; returns st.
static inline tess_status
io_arrive(const struct io_progress *p, size_t i, tess_status st)
{
    if (p && p->arrived && st == TESS_OK)
        p->arrived(p, i);
    return st;
}

static inline tess_status
io_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    return io->ops->read(io, offset, dst, size, err);
}

static inline tess_status
io_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    return io->ops->write(io, offset, src, size, err);
}

static inline const uint8_t *
io_view(struct io *io, int64_t offset, size_t size)
{
    return io->ops->view(io, offset, size);
}

static inline tess_status
io_size(struct io *io, int64_t *size, tess_error *err)
{
    return io->ops->size(io, size, err);
}

static inline tess_status
io_truncate(struct io *io, int64_t size, tess_error *err)
{
    return io->ops->truncate(io, size, err);
}

static inline tess_status
io_sync(struct io *io, tess_error *err)
{
    return io->ops->sync(io, err);
}

static inline tess_status
io_publish(struct io *io, bool durable, tess_error *err)
{
    return io->ops->publish(io, durable, err);
}

static inline tess_status
io_stamp(struct io *io, struct io_stamp *stamp, tess_error *err)
{
    *stamp = (struct io_stamp){0};
    return io->ops->stamp ? io->ops->stamp(io, stamp, err) : TESS_OK;
}

static inline tess_status
io_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    return io->ops->identify(io, identity, err);
}

// Whether two are of the same file.
static inline tess_status
io_same(struct io *a, struct io *b, bool *same, tess_error *err)
{
    struct io_identity x, y;
    tess_status st = io_identify(a, &x, err);
    if (st == TESS_OK)
        st = io_identify(b, &y, err);
    *same = st == TESS_OK && io_identity_equal(&x, &y);
    return st;
}

static inline tess_status
io_read_again(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    return (io->ops->read_again ? io->ops->read_again : io->ops->read)(io, offset, dst, size, err);
}

static inline void
io_opened(struct io *io)
{
    if (io->ops->opened)
        io->ops->opened(io);
}

static inline void
io_close(struct io *io)
{
    if (io)
        io->ops->close(io);
}

#endif
