/*
 * compact.c - a file or directory gives back the space that its array does not need.
 */
#include "array/keep/compact.h"

#include "array/open/home.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/commit/commit.h"
#include "frame/commit/current.h"
#include "frame/commit/lock.h"
#include "frame/copy.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/options.h"
#include "frame/query.h"
#include "frame/sparse/compact.h"
#include "frame/sparse/sparse.h"
#include "io/file.h"
#include "io/io.h"
#include "io/names/leftovers.h"
#include "task/watch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

// Others open the file as long as it has its name, and may have replaced it before it was locked.
static tess_status
check_name(const struct frame *f, struct io *held, const char *path, tess_error *err)
{
    struct io *there;
    tess_error why;
    bool same = false;
    tess_status st = io_file_open(path, false, &there, &why);
    if (st == TESS_OK) {
        st = io_same(held, there, &same, &why);
        io_close(there);
    }
    if (st != TESS_OK && why.sys != ENOENT) {
        if (err)
            *err = why;
        return st;
    }
    if (!same)
        return err_set(err, TESS_ERR_STALE, -1, "another program replaced the file");
    return frame_check_unchanged(f, err);
}

// A new file beside the old one, whose name it takes if it is smaller.
static tess_status
compact_file(const struct frame *f, const char *path, struct watch *watch, tess_error *err)
{
    struct io *io;
    struct frame *copy = NULL;
    const struct frame_options options = frame_options_of_successor(f);
    struct io *const held = frame_file(f);
    int64_t old, size;
    tess_status st = check_name(f, held, path, err);
    if (st == TESS_OK)
        st = io_file_create_over(held, path, &io, err);
    if (st == TESS_OK)
        st = frame_copy(f, io, NULL, &options, NULL, &copy, watch, err);
    if (st != TESS_OK)
        return st;
    TRY(frame_stored_size(f, &old, err));
    TRY(frame_stored_size(copy, &size, err));
    TRY(check_name(f, held, path, err));
    if (size < old)
        TRY(frame_publish(copy, err));
out:
    frame_close(copy);
    return st;
}

// As arrays are opened: another program may replace it meanwhile, again and again.
static tess_status
compact_open_frame(const tess_storage *storage, struct frame **f, tess_error *err)
{
    enum { TRIES = 100 };
    tess_storage place = *storage;
    tess_status st = TESS_ERR_STALE;
    place.mode = TESS_MODE_UPDATE;
    for (int i = 0; i < TRIES && st == TESS_ERR_STALE; i++) {
        struct home home;
        st = home_open(&place, &home, err);
        if (st != TESS_OK)
            continue;
        const struct frame_options options = home_frame_options(&home, storage);
        st = home.at.folder ? frame_open_folder(home.at.folder, true, &options, f, err)
                            : frame_open(home.at.io, true, &options, f, err);
    }
    return st;
}

static tess_status
size_at(const char *path, int64_t *size, tess_error *err)
{
    struct io *io;
    tess_status st = io_file_open(path, false, &io, err);
    if (st != TESS_OK)
        return st;
    st = io_size(io, size, err);
    io_close(io);
    return st;
}

// path: where the file is, without links on the way, which are not to be replaced.
static tess_status
compact_frame(struct frame *f, const char *path, struct watch *watch, int64_t *before,
              int64_t *after, tess_error *err)
{
    tess_status st = frame_lock_take(f, err);
    if (st == TESS_OK)
        st = frame_stored_size(f, before, err);
    if (st == TESS_OK && frame_is_sparse(f)) {
        st = frame_compact_folder(f, watch, err);
        if (st == TESS_OK)
            st = frame_stored_size(f, after, err);
    } else if (st == TESS_OK) {
        st = compact_file(f, path, watch, err);
        if (st == TESS_OK)
            st = size_at(path, after, err);
    }
    return st;
}

tess_status
array_compact(const tess_storage *storage, int64_t *before, int64_t *after, tess_error *err)
{
    static const tess_context nobody = {0}; // watches
    struct frame *f = NULL;
    struct watch watch;
    tess_status st = TESS_OK;
    char *const path = mem_alloc(PATH_MAX);
    if (!path)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a path");
    if (!realpath(storage->path, path)) {
        st = err_open(err, errno, "opening the file");
        goto out;
    }
    TRY(compact_open_frame(storage, &f, err));
    leftovers_remove_all(path, &frame_folder_kind);
    watch_begin(&watch, storage->context ? storage->context : &nobody, frame_header(f)->nbytes);
    TRY(watch_end(&watch, compact_frame(f, path, &watch, before, after, err)));
out:
    frame_close(f);
    mem_free(path);
    return st;
}
