/*
 * file.c - a frame in a file, through pread and pwrite.
 *
 * Interrupted and short calls are continued. A file that is created has a temporary name until
 * publish (names/naming.h).
 */
#include "io/file.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "io/io.h"
#include "io/lock.h"
#include "io/names/naming.h"
#include "io/names/path.h"
#include "io/open_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    EAGER_MIN = 128 << 10, // of a write that is worth a call of its own
    GAP = 4 << 10,
    PIECE = 1 << 20,
};

struct file {
    struct io io;
    struct open_file open; // of a reader it may be closed between calls
    struct naming naming; // of a new one
    struct io_lock lock;
    uint8_t *map; // the file as it was when it was opened; NULL if it is not mapped
    size_t map_size;
};

static struct file *
file_of(struct io *io)
{
    return (struct file *)io;
}

static tess_status
read_bytes(int fd, int64_t offset, void *dst, size_t size, tess_error *err)
{
    uint8_t *to = dst;
    while (size > 0) {
        const ssize_t n = pread(fd, to, size, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return err_sys(err, errno, "reading %zu bytes at %" PRId64, size, offset);
        if (n == 0)
            return err_set(err, TESS_ERR_IO, -1,
                           "the file ends at %" PRId64 ", %zu bytes more wanted", offset, size);
        to += n;
        offset += n;
        size -= (size_t)n;
    }
    return TESS_OK;
}

static tess_status
file_read(struct io *io, int64_t offset, void *dst, size_t size, tess_error *err)
{
    struct file *const f = file_of(io);
    int fd;
    tess_status st = open_file_pin(&f->open, &fd, err);
    if (st == TESS_OK) {
        st = read_bytes(fd, offset, dst, size, err);
        open_file_unpin(&f->open);
    }
    return st;
}

// Let the system begin to write. No more than a hint: a sync tells what becomes of it.
static void
start_write_back(const struct file *f, int64_t offset, size_t size)
{
#ifdef SYNC_FILE_RANGE_WRITE
    if (f->io.eager && size >= EAGER_MIN)
        (void)sync_file_range(f->open.fd, offset, (off_t)size, SYNC_FILE_RANGE_WRITE);
#else
    (void)f, (void)offset, (void)size;
#endif
}

static tess_status
file_write(struct io *io, int64_t offset, const void *src, size_t size, tess_error *err)
{
    const struct file *const f = file_of(io);
    const uint8_t *from = src;
    const int64_t start = offset;
    const size_t all = size;
    while (size > 0) {
        const ssize_t n = pwrite(f->open.fd, from, size, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return err_sys(err, n < 0 ? errno : ENOSPC, "writing %zu bytes at %" PRId64, size,
                           offset);
        from += n;
        offset += n;
        size -= (size_t)n;
    }
    start_write_back(f, start, all);
    return TESS_OK;
}

static tess_status
file_stat(struct file *f, struct stat *info, const char *what, tess_error *err)
{
    int fd;
    tess_status st = open_file_pin(&f->open, &fd, err);
    if (st == TESS_OK) {
        if (fstat(fd, info) != 0)
            st = err_sys(err, errno, "asking for the %s of the file", what);
        open_file_unpin(&f->open);
    }
    return st;
}

static tess_status
file_size(struct io *io, int64_t *size, tess_error *err)
{
    struct stat info;
    const tess_status st = file_stat(file_of(io), &info, "size", err);
    if (st == TESS_OK)
        *size = info.st_size;
    return st;
}

// The file may be shorter than its map by now: what is gone must not be touched.
static const uint8_t *
file_view(struct io *io, int64_t offset, size_t size)
{
    const struct file *const f = file_of(io);
    int64_t now;
    if (!f->map || offset < 0 || (uint64_t)offset > f->map_size ||
        size > f->map_size - (size_t)offset)
        return NULL;
    if (file_size(io, &now, NULL) != TESS_OK || (int64_t)size > now - offset)
        return NULL;
    return f->map + offset;
}

static tess_status
file_truncate(struct io *io, int64_t size, tess_error *err)
{
    const struct file *const f = file_of(io);
    int result;
    do
        result = ftruncate(f->open.fd, size);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return err_sys(err, errno, "setting the size of the file to %" PRId64, size);
    return TESS_OK;
}

static tess_status
file_sync(struct io *io, tess_error *err)
{
    const struct file *const f = file_of(io);
    int result;
    do
        result = fdatasync(f->open.fd);
    while (result != 0 && errno == EINTR);
    if (result != 0)
        return err_sys(err, errno, "bringing the file to the disk");
    return TESS_OK;
}

static tess_status
file_publish(struct io *io, bool durable, tess_error *err)
{
    struct file *const f = file_of(io);
    return naming_publish(&f->naming, f->open.fd, durable, err);
}

static tess_status
file_stamp(struct io *io, struct io_stamp *stamp, tess_error *err)
{
    struct stat info;
    const tess_status st = file_stat(file_of(io), &info, "time", err);
    if (st != TESS_OK)
        return st;
    *stamp = (struct io_stamp){
        .device = (int64_t)info.st_dev,
        .file = (int64_t)info.st_ino,
        .size = info.st_size,
        .seconds = info.st_mtim.tv_sec,
        .nanoseconds = info.st_mtim.tv_nsec,
    };
    return TESS_OK;
}

static tess_status
file_identify(struct io *io, struct io_identity *identity, tess_error *err)
{
    struct file *const f = file_of(io);
    int fd;
    tess_status st = open_file_pin(&f->open, &fd, err);
    if (st == TESS_OK) {
        st = io_identity_of(fd, identity, err);
        open_file_unpin(&f->open);
    }
    return st;
}

static void
file_unlock(struct io *io)
{
    struct file *const f = file_of(io);
    io_lock_release(&f->lock, f->open.fd);
}

static void
file_close(struct io *io)
{
    struct file *const f = file_of(io);
    if (f->map)
        munmap(f->map, f->map_size);
    naming_finish(&f->naming, f->open.fd); // before its lock is free
    file_unlock(io);
    open_file_close(&f->open);
    mem_free(f);
}

static const struct io_ops file_ops = {
    .read = file_read,
    .write = file_write,
    .view = file_view,
    .size = file_size,
    .truncate = file_truncate,
    .sync = file_sync,
    .publish = file_publish,
    .stamp = file_stamp,
    .identify = file_identify,
    .unlock = file_unlock,
    .close = file_close,
};

static struct file *
file_new(bool writable)
{
    struct file *const f = mem_zeroed(1, sizeof *f);
    if (!f)
        return NULL;
    f->io.ops = &file_ops;
    f->io.writable = writable;
    f->io.manner = (struct io_manner){.gap = GAP, .piece = PIECE, .requests = 1};
    open_file_init(&f->open);
    return f;
}

// A file that cannot be mapped is read instead.
static void
map_file(struct file *f, int64_t size)
{
    if (size <= 0 || (uint64_t)size > SIZE_MAX)
        return;
    void *const map = mmap(NULL, (size_t)size, PROT_READ, MAP_SHARED, f->open.fd, 0);
    if (map == MAP_FAILED)
        return;
    f->map = map;
    f->map_size = (size_t)size;
    f->io.manner = (struct io_manner){0}; // nothing is read
}

// Only a regular file has a size and keeps what is written where it is written.
static tess_status
adopt_descriptor(struct file *f, int fd, bool mapped, tess_error *err)
{
    struct stat info;
    open_file_borrow(&f->open, fd);
    if (fstat(fd, &info) != 0)
        return err_sys(err, errno, "asking what the file is");
    if (!S_ISREG(info.st_mode))
        return err_set(err, TESS_ERR_IO, -1, "is not a regular file");
    if (mapped)
        map_file(f, info.st_size);
    return TESS_OK;
}

tess_status
io_file_adopt(int fd, bool writable, bool mapped, struct io **io, tess_error *err)
{
    struct file *const f = file_new(writable);
    if (!f) {
        close(fd);
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a file");
    }
    const tess_status st = adopt_descriptor(f, fd, mapped, err);
    if (st != TESS_OK) {
        file_close(&f->io);
        return st;
    }
    *io = &f->io;
    return TESS_OK;
}

static void
set_locked(struct file *f, int error)
{
    f->io.lock_error = error;
    f->io.locked = error == 0;
}

tess_status
io_file_share(struct io *io, struct open_file *parent, const char *path, int flags, tess_error *err)
{
    return open_file_share(&file_of(io)->open, parent, path, flags, err);
}

// What was opened for writing: no other writer has it, and it is what the path leads to.
static tess_status
claim_file(struct file *f, const char *path, tess_error *err)
{
    struct io_identity identity;
    tess_status st = open_file_keep(&f->open, err);
    if (st != TESS_OK)
        return st;
    st = io_lock_acquire(&f->lock, f->open.fd, err);
    set_locked(f, f->lock.error);
    if (st == TESS_OK)
        st = io_identity_of(f->open.fd, &identity, err);
    if (st == TESS_OK && !io_identity_is_at(&identity, path))
        st = err_set(err, TESS_ERR_STALE, -1, "was replaced while it was opened");
    return st;
}

bool
io_file_is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

// O_NONBLOCK: a fifo must not hang the open.
static tess_status
file_open_file(const char *path, bool writable, bool mapped, struct io **io, tess_error *err)
{
    const int flags = (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK;
    const int fd = open_files_at(AT_FDCWD, path, flags, 0);
    if (fd < 0)
        return err_open(err, errno, "opening the file");
    struct io *opened;
    tess_status st = io_file_adopt(fd, writable, mapped, &opened, err);
    if (st != TESS_OK)
        return st;
    st = writable ? claim_file(file_of(opened), path, err)
                  : io_file_share(opened, NULL, path, flags, err);
    if (st != TESS_OK) {
        io_close(opened);
        return st;
    }
    *io = opened;
    return TESS_OK;
}

tess_status
io_file_open(const char *path, bool writable, struct io **io, tess_error *err)
{
    return file_open_file(path, writable, false, io, err);
}

tess_status
io_file_open_lent(const char *path, struct io **io, tess_error *err)
{
    const int fd = open_files_at(AT_FDCWD, path, O_RDWR | O_CLOEXEC | O_NONBLOCK, 0);
    if (fd < 0)
        return err_open(err, errno, "opening the file");
    return io_file_adopt(fd, true, false, io, err);
}

tess_status
io_file_map(const char *path, struct io **io, tess_error *err)
{
    return file_open_file(path, false, true, io, err);
}

static int
make_file(int parent, const char *name)
{
    return open_files_at(parent, name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
}

// A link is replaced itself. What it leads to must be a file: that is what the path shows.
static tess_status
check_file(const struct naming *n, const char *name, tess_error *err)
{
    struct stat info;
    if (fstatat(n->parent, name, &info, 0) != 0)
        return errno == ENOENT ? TESS_OK : err_sys(err, errno, "looking at what is replaced");
    if (!S_ISREG(info.st_mode))
        return err_set(err, TESS_ERR_IO, -1, "is not a regular file");
    return TESS_OK;
}

static void
file_remove_file(const struct naming *n, int fd)
{
    (void)fd;
    (void)unlinkat(n->parent, n->temporary, 0);
}

static const struct naming_kind files = {
    .make = make_file,
    .check = check_file,
    .remove = file_remove_file,
};

// What is neither a file, nor a directory, nor a link.
static const char *
special_kind(mode_t mode)
{
    return S_ISFIFO(mode)                   ? "a FIFO"
           : S_ISSOCK(mode)                 ? "a socket"
           : S_ISCHR(mode) || S_ISBLK(mode) ? "a device"
                                            : "something else";
}

// A link is not removed, nor what it leads to.
static tess_status
check_file_removable(const struct naming *n, const char *name, tess_error *err)
{
    struct stat info;
    if (fstatat(n->parent, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return err_open(err, errno, "looking at what is to be removed");
    if (S_ISLNK(info.st_mode))
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "is a symbolic link; neither it nor what it leads to is removed");
    if (!S_ISREG(info.st_mode))
        return err_set(err, TESS_ERR_FORMAT, -1, "is %s, neither a file nor a directory",
                       special_kind(info.st_mode));
    return TESS_OK;
}

const struct naming_kind file_removal = {
    .make = make_file,
    .check = check_file_removable,
    .remove = file_remove_file,
};

// Its permissions are the process's default ones, or those of the file it will replace.
static tess_status
keep_permissions(const struct file *f, tess_error *err)
{
    struct stat info;
    if (!f->naming.replace)
        return TESS_OK;
    if (fstatat(f->naming.parent, f->naming.name, &info, 0) != 0)
        return errno == ENOENT ? TESS_OK : err_sys(err, errno, "looking at what is replaced");
    if (fchmod(f->open.fd, info.st_mode & 07777) != 0)
        return err_sys(err, errno, "setting the permissions of the new file");
    return TESS_OK;
}

// held: a descriptor of the file that is replaced, locked; or -1.
static tess_status
file_create(const char *path, bool replace, int held, struct io **io, tess_error *err)
{
    struct file *const f = file_new(true);
    int fd = -1;
    if (!f)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a file");
    tess_status st = naming_begin(&f->naming, &files, NULL, path, replace, held, err);
    if (st == TESS_OK)
        st = naming_make(&f->naming, &fd, &f->lock, err);
    if (fd >= 0) // also where it was made, but could not be locked
        open_file_borrow(&f->open, fd);
    if (st == TESS_OK)
        st = open_file_keep(&f->open, err);
    if (st == TESS_OK)
        st = keep_permissions(f, err);
    if (st != TESS_OK) {
        file_close(&f->io);
        return st;
    }
    set_locked(f, naming_lock_error(&f->naming, &f->lock));
    *io = &f->io;
    return TESS_OK;
}

tess_status
io_file_create(const char *path, bool replace, struct io **io, tess_error *err)
{
    return file_create(path, replace, -1, io, err);
}

tess_status
io_file_create_over(struct io *held, const char *path, struct io **io, tess_error *err)
{
    return file_create(path, true, file_of(held)->open.fd, io, err);
}

// -- as a kind of storage

static bool
file_has_path(const tess_storage *storage)
{
    return storage->path;
}

static tess_status
file_open_stored(const tess_storage *storage, bool writable, struct io **io, struct folder **folder,
                 tess_error *err)
{
    (void)folder;
    return file_open_file(storage->path, writable, storage->mmap && !writable, io, err);
}

static tess_status
file_create_stored(const tess_storage *storage, const struct folder_kind *parts, struct io **io,
                   struct folder **folder, tess_error *err)
{
    (void)parts, (void)folder;
    return io_file_create(storage->path, storage->mode == TESS_MODE_REPLACE, io, err);
}

const struct storage_kind storage_file = {
    .name = "file",
    .layout = TESS_LAYOUT_CONTIGUOUS,
    .in_files = true,
    .holds = file_has_path,
    .takes = file_has_path,
    .open = file_open_stored,
    .create = file_create_stored,
};
