/*
 * home.c - where an array lives: what a tess_storage means, with its locks.
 */
#include "array/open/open.h"

#include "base/error.h"
#include "base/log.h"
#include "frame/sparse/files.h"
#include "io/folder.h"
#include "io/front.h"
#include "io/io.h"
#include "io/lock_file.h"
#include "io/names/path.h"
#include "io/names/removal.h"
#include "io/storage.h"
#include "task/watch.h"

#include <errno.h>
#include <string.h>

void
home_close(const struct home *home)
{
    io_close(home->at.io);
    folder_close(home->at.folder);
    lock_file_close(home->lock_file);
    io_path_close(home->path);
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
    const struct io *const io = home->at.io;
    const struct folder *const folder = home->at.folder;
    if (folder ? folder->locked : io->locked)
        return TESS_OK;
    return err_sys(err, folder ? folder->lock_error : io->lock_error,
                   "locking it, which is required");
}

static void
tell_unlocked(const tess_storage *storage, const struct home *home)
{
    tess_error why;
    if (log_wants(TESS_LOG_WARNING) && check_locked(home, &why) != TESS_OK)
        log_event(TESS_LOG_WARNING, TESS_EVENT_UNLOCKED, storage->path,
                  "opened for writing without a lock: %s", strerror(why.sys));
}

// What belongs to a path of the file system, beside the file or directory.
static tess_status
home_complete(const tess_storage *storage, bool writable, struct home *home, tess_error *err)
{
    struct folder *const folder = home->at.folder;
    struct io_identity identity;
    tess_status st = TESS_OK;
    if (writable && storage->require_lock)
        st = check_locked(home, err);
    if (st == TESS_OK)
        st = lock_file_open(folder ? NULL : storage->path, folder, writable, storage->lock_file,
                            storage->require_lock, &home->lock_file, err);
    if (st == TESS_OK && writable)
        st = folder ? folder_identify(folder, &identity, err)
                    : io_identify(home->at.io, &identity, err);
    if (st == TESS_OK && writable)
        st = io_path_open(storage->path, &identity, &home->path, err);
    else if (st == TESS_OK)
        home->path = io_path_of_name(storage->path);
    if (st == TESS_OK && writable)
        tell_unlocked(storage, home);
    return st;
}

// Whether a path is to get a new file or directory.
static bool
makes_name(const tess_storage *storage, const tess_layout *layout)
{
    const struct storage_kind *const kind = layout ? storage_find_new(storage, *layout) : NULL;
    return kind && kind->in_files && storage->mode != TESS_MODE_APPEND;
}

// layout NULL: open.
static tess_status
home_get(const tess_storage *storage, const tess_layout *layout, struct home *home, tess_error *err)
{
    struct retry p;
    tess_error why;
    tess_status st;
    int replaced = 0;
    *home = (struct home){0};
    retry_begin(&p, storage->context, storage->path, storage->wait);
    if (makes_name(storage, layout))
        leftovers_remove(storage->path, &frame_folder_kind);
    do
        st = layout ? storage_create(storage, *layout, &frame_folder_kind, &home->at, &why)
                    : storage_open(storage, &home->at, &why);
    while (try_again(&p, &replaced, &st, &why));
    if (st == TESS_OK && home->at.kind->in_files) {
        const bool writable = layout || storage->mode == TESS_MODE_UPDATE;
        if (writable && !layout)
            leftovers_remove(storage->path, &frame_folder_kind);
        st = home_complete(storage, writable, home, &why);
        if (st != TESS_OK)
            home_close(home);
    }
    if (st == TESS_OK && storage_in_source(storage) && storage->source->name)
        home->path = io_path_of_name(storage->source->name);
    if (st != TESS_OK && err)
        *err = why;
    return st;
}

tess_status
home_stage(struct home *home, const char *path, tess_error *err)
{
    struct io_path *const name = io_path_of_name(path);
    tess_status st = name ? io_front_staged(home->at.io, &home->at.io, err)
                          : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    if (st != TESS_OK) {
        if (name) // what failed has closed it
            home->at.io = NULL;
        io_path_close(name);
        home_close(home);
        return st;
    }
    io_path_close(home->path);
    home->path = name;
    return TESS_OK;
}

tess_status
home_create(const tess_storage *storage, tess_layout layout, struct home *home, tess_error *err)
{
    if (storage->store && layout != TESS_LAYOUT_CONTIGUOUS)
        return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                       "a sparse array, which cannot be part of a store's commit");
    const tess_status st = home_get(storage, &layout, home, err);
    return st == TESS_OK && storage->store ? home_stage(home, storage->path, err) : st;
}

tess_status
home_open(const tess_storage *storage, struct home *home, tess_error *err)
{
    return home_get(storage, NULL, home, err);
}

struct frame_options
home_frame_options(const struct home *home, const tess_storage *storage)
{
    return (struct frame_options){
        .limits = storage->limits,
        .durability = storage->durability,
        .checksums = storage->checksums,
        .lock_file = home->lock_file,
        .path = home->path,
        .context = storage->context,
        .wait = storage->wait,
    };
}
