/*
 * remove.c - the file or directory of an array goes, with what belongs to it.
 *
 * The order: the lock of a writer, a look at what it is, the lock file that other implementations
 * know, what killed programs left, the array itself, the lock file. So a program that dies leaves
 * the array whole, or a lock file that locks nothing.
 */
#include "array/files/remove.h"

#include "array/files/frames.h"
#include "base/error.h"
#include "frame/commit/lock.h"
#include "frame/format/found.h"
#include "frame/frame.h"
#include "frame/options.h"
#include "frame/sparse/sparse.h"
#include "io/directory.h"
#include "io/folder.h"
#include "io/io.h"
#include "io/lock_file.h"
#include "io/names/leftovers.h"
#include "io/names/path.h"
#include "io/names/removal.h"
#include "io/storage.h"
#include "task/retry.h"

#include <errno.h>
#include <inttypes.h>

// What is to be removed, in one try.
struct removing {
    const tess_storage *storage;
    struct removal removal;
    struct folder *folder; // NULL: a file
    struct io *io; // of the file, or of the index
    struct frame_options options;
};

static void
removing_end(struct removing *r)
{
    lock_file_close(r->options.lock_file);
    io_path_close(r->options.path);
    io_close(r->io);
    folder_close(r->folder);
    removal_end(&r->removal);
}

// The bytes behind a frame count as unused, unless another one is among them. Where a damaged frame
// ends is not sure.
static tess_status
check_alone(struct io *io, const tess_frame_info *first, int64_t size, tess_error *err)
{
    const int64_t behind = first->kind == TESS_FRAME_DAMAGED ? 1 : first->size;
    int64_t next = -1;
    const tess_status st = found_search(io, behind, size, NULL, &next, err);
    if (st != TESS_OK || next < 0)
        return st;
    return err_set(err, TESS_ERR_UNSUPPORTED, next,
                   "another frame stands behind the array, at byte %" PRId64
                   "; the file is not removed",
                   next);
}

// Whether it is an array, and nothing else. A directory was looked through by removal_begin().
static tess_status
check_array(const struct removing *r, tess_error *err)
{
    tess_frame_info frame;
    int64_t size;
    tess_limits limits = r->storage->limits;
    frame_complete_limits(&limits);
    tess_status st = io_size(r->io, &size, err);
    if (st == TESS_OK)
        st = frames_look(r->io, 0, size, &limits, &frame, err);
    if (st != TESS_OK)
        return st;
    if (frame.kind == TESS_FRAME_NONE)
        return err_set(err, TESS_ERR_FORMAT, 0,
                       r->folder ? "a directory without an array: " FRAME_FOLDER_INDEX
                                   " is not the header of one"
                                 : "not a Blosc2 frame; it is not removed");
    if (r->folder)
        return TESS_OK;
    if (!frame.contiguous)
        return err_set(err, TESS_ERR_FORMAT, 0,
                       "the index of a sparse array, whose directory is to be removed instead");
    return check_alone(r->io, &frame, size, err);
}

// Once.
static tess_status
removing_begin(struct removing *r, const tess_storage *storage, tess_error *err)
{
    const struct storage_kind *const kind = storage_find(storage);
    const bool sparse = kind && kind->layout == TESS_LAYOUT_SPARSE;
    *r = (struct removing){
        .storage = storage,
        .options =
            {
                .context = storage->context,
                .path = io_path_of_name(storage->path), // NULL, no memory: the log has none
                .wait = storage->wait,
            },
    };
    tess_status st =
        removal_begin(&r->removal, storage->path, sparse ? &frame_folder_kind : NULL, err);
    if (st == TESS_OK && storage->require_lock && removal_lock_error(&r->removal) != 0)
        st = err_sys(err, removal_lock_error(&r->removal), "locking it, which is required");
    if (st == TESS_OK && sparse)
        st = directory_open(r->removal.path, false, false, &r->folder, err);
    if (st == TESS_OK)
        st = sparse ? folder_read(r->folder, FRAME_FOLDER_INDEX, false, &r->io, err)
                    : removal_open_file(&r->removal, &r->io, err);
    if (st == TESS_OK)
        st = check_array(r, err);
    if (st == TESS_OK)
        st = lock_file_open(r->folder ? NULL : r->removal.path, r->folder, true, false,
                            storage->require_lock, &r->options.lock_file, err);
    if (st == TESS_OK)
        st = frame_lock_take_early(&r->options, err);
    return st;
}

static tess_status
remove_once(const tess_storage *storage, tess_error *err)
{
    struct removing r;
    tess_status st = removing_begin(&r, storage, err);
    if (st == TESS_OK) {
        leftovers_remove_all(storage->path, &frame_folder_kind);
        st = removal_finish(&r.removal, storage->durability != TESS_DURABILITY_NONE, err);
    }
    if (st == TESS_OK && !r.folder)
        lock_file_remove(r.options.lock_file);
    removing_end(&r);
    if (st == TESS_ERR_NOT_FOUND) // another process may have died removing it
        leftovers_remove_all(storage->path, &frame_folder_kind);
    return st;
}

tess_status
array_remove(const tess_storage *storage, tess_error *err)
{
    enum { TRIES = 100 };
    struct retry p;
    tess_error why;
    tess_status st;
    int replaced = 0;
    retry_begin(&p, storage->context, storage->path, storage->wait);
    do
        st = remove_once(storage, &why);
    while ((st == TESS_ERR_STALE && ++replaced < TRIES) ||
           (st == TESS_ERR_IO && why.sys == EWOULDBLOCK && retry_again(&p, &st, &why)));
    if (st != TESS_OK && err)
        *err = why;
    return st;
}
