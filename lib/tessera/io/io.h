/*
 * io.h - where the bytes of a frame are stored: a file, memory, a source of the program.
 *
 * An interface. file.c, memory.c, source.c and upload.c implement it; so do gather.c, and storage.c
 * for a part of a file, on top of another io.
 *
 * Offsets are bytes from the start of the file, buffer or object. An io does not interpret the
 * bytes. io_gather() and sources keep some of them in memory. Any number of threads may read at
 * once; reading takes no lock, except to open a descriptor again (open_files.h). Everything else
 * requires exclusive access.
 */
#ifndef IO_IO_H
#define IO_IO_H

#include "base/error.h"
#include "io/names/path.h"

#include <tessera/source.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct io;

// Changes when a file is replaced or written to; but two writes within one step of the system's
// clock, some milliseconds, may leave the same stamp. Zeros: the io has none.
struct io_stamp {
    int64_t device, file, size, seconds, nanoseconds;
};

// How an io is best read.
struct io_manner {
    int64_t gap; // coalesce ranges across gaps of up to so many bytes
    int64_t piece; // longest coalesced request in bytes; 0: do not read ahead
    int requests; // to keep under way at once
    bool far; // requests have a high latency: prefetch
};

// The rule for coalescing: whether the range of `next_size` bytes at `next` is read together with
// the `size` bytes at `offset`. io_read_many() uses it with bounds of its own.
static inline bool
io_manner_joins(const struct io_manner *m, int64_t offset, size_t size, int64_t next,
                size_t next_size)
{
    const int64_t gap = next - offset - (int64_t)size;
    return gap >= 0 && gap <= m->gap && (int64_t)next_size <= m->piece - gap - (int64_t)size;
}

// Callbacks of a running read; any thread may call them. Where a pointer to it is NULL, arrivals
// are not reported, and the read cannot be cancelled.
struct io_progress {
    void (*arrived)(const struct io_progress *p, size_t i); // range i, once; may be NULL
    bool (*cancelled)(const struct io_progress *p); // true: stop reading
};

struct io_ops {
    // Exactly `size` bytes; the end of the file inside of them is TESS_ERR_IO.
    tess_status (*read)(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err);
    // The same for n ascending ranges, which may be read in any order, or concurrently. p: may be
    // NULL. Optional: io_read_many() uses `read` instead.
    tess_status (*read_many)(struct io *io, const tess_range *ranges, size_t n,
                             const struct io_progress *p, tess_error *err);
    // The file grows as needed.
    tess_status (*write)(struct io *io, int64_t offset, const void *src, size_t size,
                         tess_error *err);
    // The bytes without a copy, valid until the next write or truncation, of a source until
    // io_opened(); NULL: not supported, not in memory, or the range exceeds the file.
    const uint8_t *(*view)(struct io *io, int64_t offset, size_t size);
    tess_status (*size)(struct io *io, int64_t *size, tess_error *err);
    tess_status (*truncate)(struct io *io, int64_t size, tess_error *err);
    // When this returns, all earlier writes are on the disk.
    tess_status (*sync)(struct io *io, tess_error *err);
    // Give a new file its name, replacing a file of that name. durable: the name is on the disk
    // when this succeeds (naming_publish()).
    tess_status (*publish)(struct io *io, bool durable, tess_error *err);
    // Optional.
    tess_status (*stamp)(struct io *io, struct io_stamp *stamp, tess_error *err);
    // Identity of the file that contains the bytes; memory and sources: zeros.
    tess_status (*identify)(struct io *io, struct io_identity *identity, tess_error *err);
    // Optional, for an io that keeps some bytes in memory: like `read`, but from the storage.
    tess_status (*read_again)(struct io *io, int64_t offset, void *dst, size_t size,
                              tess_error *err);
    // Optional. Others may lock it, and nothing is written any more (lock.h).
    void (*unlock)(struct io *io);
    // Optional. The array is open: release bytes that were kept for opening it.
    void (*opened)(struct io *io);
    // Close and free. A file that was not published is removed.
    void (*close)(struct io *io);
};

struct io {
    const struct io_ops *ops;
    bool writable;
    bool in_memory; // no other program can change it
    bool guarded; // reading returns TESS_ERR_STALE if another program has changed it
    bool once; // it is written from start to end, and published once (upload.c)
    bool locked; // it is written, and its lock (lock.h) is held, also that of what it replaces
    int lock_error; // errno of the failed attempt to lock it
    bool eager; // start to write large writes to the disk before the sync; set by the owner
    bool short_lived; // it may be closed while a job reads others; set by the owner
    int64_t expected; // the size it may grow to, an estimate; set by the owner; 0: unknown
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

static inline void
io_unlock(struct io *io)
{
    if (io->ops->unlock)
        io->ops->unlock(io);
    io->locked = false;
}

static inline tess_status
io_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    return io->ops->read(io, offset, dst, size, err);
}

// Read ranges whose starts and ends ascend, for callers to which it does not matter which one is
// read first. Those that lie close together cost about as much as one. p: may be NULL.
tess_status io_read_many(struct io *io, const tess_range *ranges, size_t n,
                         const struct io_progress *p, tess_error *err);

typedef tess_status joined_read_fn(void *arg, const tess_range *ranges, size_t n,
                                   const struct io_progress *p, tess_error *err);

/*
 * Read n ascending ranges, n >= 1: calls `read` once, with the ranges coalesced as the manner says
 * (io_manner_joins()). p: may be NULL; its indices are those of the n ranges, and `arrived`
 * runs on any thread, once for each.
 */
tess_status joined_read(const struct io_manner *manner, const tess_range *ranges, size_t n,
                        const struct io_progress *p, joined_read_fn *read, void *arg,
                        tess_error *err);

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
