/*
 * io.h - where the bytes of a frame live: a file, memory.
 *
 * All positions are bytes from the start of the file or buffer. An io does not know what the bytes
 * mean, and does not buffer, but for io_gather(). Reading is safe from any number of threads at
 * once; everything else needs the io for itself.
 */
#ifndef IO_IO_H
#define IO_IO_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct io;

// What tells that a file was replaced or written to. Systems count time in steps of some
// milliseconds: two writes within one step leave the same time. Zeros where there is none.
struct io_stamp {
    int64_t device, file, size, seconds, nanoseconds;
};

// One file of those that exist.
struct io_identity {
    dev_t device;
    ino_t inode;
    bool removed; // it has no name any more
};

// Bytes to be read, and where to.
struct io_extent {
    int64_t offset;
    size_t size;
    void *dst;
};

struct io_ops {
    // Exactly `size` bytes; the end of the file inside of them is TESS_ERR_IO.
    tess_status (*read)(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err);
    // The same for many extents, in any order, or at once. NULL: through read (extents.c).
    tess_status (*read_many)(struct io *io, const struct io_extent *extents, size_t n,
                             tess_error *err);
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
    // Whether that is the file, or part of the file, that a path leads to now.
    bool (*is_at)(const struct io *io, const char *path);
    // NULL: there is none.
    tess_status (*stamp)(const struct io *io, struct io_stamp *stamp, tess_error *err);
    // Which file that is; memory: zeros.
    tess_status (*identify)(const struct io *io, struct io_identity *identity, tess_error *err);
    // A file that was not published disappears.
    void (*close)(struct io *io);
};

struct io {
    const struct io_ops *ops;
    bool writable;
    bool in_memory; // no other program can change it
    bool locked; // it is written, and its lock (lock.h) is held, also that of what it replaces
    int lock_error; // errno: why it is not, though the lock was asked for
    bool eager; // large writes are to be on their way to the disk when it is synced; set by the
                // owner
};

// Open a file that exists: a regular file, else TESS_ERR_IO. A file that is open for writing
// already, here or in another process, is refused to a second writer (TESS_ERR_IO, EWOULDBLOCK); so
// is one that was replaced while it was opened (TESS_ERR_STALE).
tess_status io_file_open(const char *path, bool writable, struct io **io, tess_error *err);

// Open a file for reading through a memory map: views cost no copy. A map is only safe while
// no program makes the file shorter.
tess_status io_file_map(const char *path, struct io **io, tess_error *err);

/*
 * Create a file, under a temporary name beside `path` until publish (naming.h). With `replace` a
 * file of that name stays whole until then; else what exists, now or then, is refused (TESS_ERR_IO
 * with errno EEXIST). What a program has open for writing is not replaced (EWOULDBLOCK).
 */
tess_status io_file_create(const char *path, bool replace, struct io **io, tess_error *err);

// The same in the place of a file that is open for writing here, as `held`: its lock goes on until
// both are closed.
tess_status io_file_create_over(struct io *held, const char *path, struct io **io, tess_error *err);

// Whether two ios of files are of the same one. While one is open, no other file can be taken for
// it.
tess_status io_file_same(const struct io *a, const struct io *b, bool *same, tess_error *err);

// Read the caller's bytes, which must stay.
tess_status io_memory_view(const void *image, size_t size, struct io **io, tess_error *err);

// Memory that grows, starting with a copy of the caller's bytes.
tess_status io_memory_new(const void *image, size_t size, struct io **io, tess_error *err);

// Take the bytes out of such memory: allocated, and nothing is left in the io.
void io_memory_take(struct io *io, void **bytes, size_t *size);

/*
 * What stands in `whole` from byte `base` on, as an io of its own; *at_end makes one behind all
 * there is, to write something new: closed without being published, it leaves the file as it was.
 * The whole belongs to the window from here on, also after a failure. TESS_ERR_ARG: no such byte.
 */
tess_status io_window(struct io *whole, int64_t base, struct io **io, tess_error *err);
tess_status io_window_at_end(struct io *whole, int64_t *base, struct io **io, tess_error *err);

/*
 * A file whose small pieces, put one behind the other, are written together (gather.c). Everything
 * but io_gather_put() is as with the file itself, which belongs to this io from here on, also after
 * a failure. A piece that could not be written makes a later call fail, and waits on.
 */
tess_status io_gather(struct io *file, struct io **io, tess_error *err);
tess_status io_gather_put(struct io *io, int64_t offset, const void *src, size_t size,
                          tess_error *err);
struct io *io_gather_file(struct io *io); // the file itself

// Extents whose starts and ends ascend, for callers to which it does not matter which one is read
// first (extents.c). Those that lie close together cost about as much as one.
tess_status io_read_many(struct io *io, const struct io_extent *extents, size_t n, tess_error *err);

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

static inline bool
io_is_at(const struct io *io, const char *path)
{
    return io->ops->is_at(io, path);
}

static inline tess_status
io_stamp(const struct io *io, struct io_stamp *stamp, tess_error *err)
{
    *stamp = (struct io_stamp){0};
    return io->ops->stamp ? io->ops->stamp(io, stamp, err) : TESS_OK;
}

static inline tess_status
io_identify(const struct io *io, struct io_identity *identity, tess_error *err)
{
    return io->ops->identify(io, identity, err);
}

static inline void
io_close(struct io *io)
{
    if (io)
        io->ops->close(io);
}

#endif
