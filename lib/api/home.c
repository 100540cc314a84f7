/*
 * home.c - from what the caller says of a place to a file, memory or directory.
 */
#include "api/home.h"

#include "base/error.h"
#include "frame/sparse/sparse.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/leftovers.h"
#include "io/lock_file.h"
#include "io/path.h"
#include "task/retry.h"

#include <tessera/attr.h>

#include <errno.h>
#include <inttypes.h>

tess_status
context_check(const tess_context *context, tess_error *err)
{
    if (context->struct_size != sizeof *context)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a context of %zu bytes, not %zu: call tess_context_init()",
                       context->struct_size, sizeof *context);
    if (context->threads < 0 || context->cache < 0 || context->memory < 0 ||
        context->progress_interval < 0)
        return err_set(err, TESS_ERR_ARG, -1, "a context with a negative number");
    return TESS_OK;
}

tess_status
home_check(const tess_storage *storage, tess_error *err)
{
    if (!storage)
        return err_set(err, TESS_ERR_ARG, -1, "no storage is given");
    if (storage->struct_size != sizeof *storage)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a storage of %zu bytes, not %zu: call tess_storage_init()",
                       storage->struct_size, sizeof *storage);
    if (storage->mode < TESS_MODE_READ || storage->mode > TESS_MODE_APPEND)
        return err_set(err, TESS_ERR_ARG, -1, "mode %d is not known", (int)storage->mode);
    if (storage->durability < TESS_DURABILITY_NONE || storage->durability > TESS_DURABILITY_FSYNC)
        return err_set(err, TESS_ERR_ARG, -1, "durability %d is not known",
                       (int)storage->durability);
    if (storage->checksums < TESS_CHECKSUMS_WRITE || storage->checksums > TESS_CHECKSUMS_NONE)
        return err_set(err, TESS_ERR_ARG, -1, "checksums %d are not known",
                       (int)storage->checksums);
    if (storage->limits.memory < 0 || storage->limits.nchunks < 0 || storage->limits.ndim < 0 ||
        storage->limits.nesting < 0)
        return err_set(err, TESS_ERR_ARG, -1, "a limit is negative");
    if (storage->limits.nesting > TESS_VALUE_MAX_DEPTH)
        return err_set(err, TESS_ERR_ARG, -1, "a limit of %d levels of nesting, %d at most",
                       storage->limits.nesting, TESS_VALUE_MAX_DEPTH);
    return storage->context ? context_check(storage->context, err) : TESS_OK;
}

// Behind what a file holds.
static tess_status
append_home(const char *path, bool sparse, struct home *home, tess_error *err)
{
    struct io *whole;
    if (sparse)
        return err_set(err, TESS_ERR_ARG, -1, "a sparse array is a directory, not part of a file");
    const tess_status st = io_file_open(path, true, &whole, err);
    return st == TESS_OK ? io_window_at_end(whole, &home->offset, &home->io, err) : st;
}

static tess_status
create_once(const tess_storage *storage, tess_layout layout, struct home *home, tess_error *err)
{
    const bool replace = storage->mode == TESS_MODE_REPLACE;
    const bool sparse = layout == TESS_LAYOUT_SPARSE;
    *home = (struct home){0};
    if (storage->offset != 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "offset %" PRId64 ": an array is created behind a file's end, with the mode "
                       "APPEND and offset 0",
                       storage->offset);
    if (!sparse && layout != TESS_LAYOUT_CONTIGUOUS)
        return err_set(err, TESS_ERR_ARG, -1, "layout %d is not known", (int)layout);
    if (!storage->path) {
        if (sparse)
            return err_set(err, TESS_ERR_ARG, -1, "a sparse array cannot be made in memory");
        return io_memory_new(NULL, 0, &home->io, err);
    }
    if (storage->mode == TESS_MODE_APPEND)
        return append_home(storage->path, sparse, home, err);
    if (storage->mode != TESS_MODE_NEW && !replace)
        return err_set(err, TESS_ERR_ARG, -1,
                       "creating a file needs the mode NEW, REPLACE or APPEND");
    if (sparse)
        return folder_create(storage->path, replace, &frame_folder_kind, &home->folder, err);
    return io_file_create(storage->path, replace, &home->io, err);
}

static tess_status
open_io(const tess_storage *storage, bool writable, struct io **io, tess_error *err)
{
    if (storage->mmap)
        return io_file_map(storage->path, io, err);
    if (storage->path)
        return io_file_open(storage->path, writable, io, err);
    if (!storage->image)
        return err_set(err, TESS_ERR_ARG, -1, "neither a path nor an image is given");
    if (writable)
        return io_memory_new(storage->image, storage->image_size, io, err);
    return io_memory_view(storage->image, storage->image_size, io, err);
}

static tess_status
open_once(const tess_storage *storage, struct home *home, tess_error *err)
{
    const bool writable = storage->mode == TESS_MODE_UPDATE;
    struct io *whole;
    *home = (struct home){.offset = storage->offset};
    if (storage->mmap && (writable || !storage->path))
        return err_set(err, TESS_ERR_ARG, -1, "only a file that is read can be mapped");
    if (storage->path && folder_exists(storage->path)) {
        if (storage->offset != 0)
            return err_set(err, TESS_ERR_ARG, -1, "offset %" PRId64 " in a directory",
                           storage->offset);
        return folder_open(storage->path, writable, storage->mmap, &home->folder, err);
    }
    if (storage->offset == 0)
        return open_io(storage, writable, &home->io, err);
    if (writable)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a frame inside a file, at offset %" PRId64 ", can only be read",
                       storage->offset);
    const tess_status st = open_io(storage, false, &whole, err);
    return st == TESS_OK ? io_window(whole, storage->offset, &home->io, err) : st;
}

// Once more: what was opened was replaced meanwhile; or a program writes there, and the storage
// says to wait. *st becomes TESS_ERR_CANCELLED if the program does not want to.
static bool
try_again(struct retry *p, int *replaced, tess_status *st, tess_error *why)
{
    enum { TRIES = 100 };
    if (*st == TESS_ERR_STALE)
        return ++*replaced < TRIES;
    return *st == TESS_ERR_IO && why->sys == EWOULDBLOCK && retry_again(p, st, why);
}

static tess_status
check_locked(const struct home *home, tess_error *err)
{
    int error = home->io ? home->io->lock_error : 0;
    const bool locked = home->folder ? folder_is_locked(home->folder, &error) : home->io->locked;
    return locked ? TESS_OK : err_sys(err, error, "locking it, which is required");
}

// What belongs to a path, beside the file or directory.
static tess_status
home_complete(const tess_storage *storage, bool writable, struct home *home, tess_error *err)
{
    tess_status st = TESS_OK;
    if (writable && storage->require_lock)
        st = check_locked(home, err);
    if (st == TESS_OK)
        st = lock_file_open(home->folder ? NULL : storage->path, home->folder, writable,
                            storage->lock_file, storage->require_lock, &home->lock_file, err);
    if (st == TESS_OK && writable)
        st = io_path_open(storage->path, home->io, home->folder, &home->path, err);
    return st;
}

// layout NULL: open.
static tess_status
home_get(const tess_storage *storage, const tess_layout *layout, struct home *home, tess_error *err)
{
    struct retry p;
    tess_error why;
    tess_status st;
    int replaced = 0;
    const bool makes = layout && storage->path && storage->mode != TESS_MODE_APPEND;
    retry_begin(&p, storage->context, storage->wait);
    if (makes)
        leftovers_remove(storage->path, &frame_folder_kind);
    do
        st = layout ? create_once(storage, *layout, home, &why) : open_once(storage, home, &why);
    while (try_again(&p, &replaced, &st, &why));
    if (st == TESS_OK && storage->path) {
        const bool writable = layout || storage->mode == TESS_MODE_UPDATE;
        if (writable && !layout)
            leftovers_remove(storage->path, &frame_folder_kind);
        st = home_complete(storage, writable, home, &why);
        if (st != TESS_OK)
            home_close(home);
    }
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

tess_status
home_create(const tess_storage *storage, tess_layout layout, struct home *home, tess_error *err)
{
    return home_get(storage, &layout, home, err);
}

tess_status
home_open(const tess_storage *storage, struct home *home, tess_error *err)
{
    return home_get(storage, NULL, home, err);
}
