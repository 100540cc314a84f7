/*
 * copy.c - copies of an array as a whole, chunk by chunk as they are stored: at another place, in
 * memory, or in place of the array itself, without the space that it does not need; and the frame
 * of an array in memory, as it is.
 */
#include "array/keep/keep.h"

#include "array/open/open.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/chunks/usage.h"
#include "frame/commit/commit.h"
#include "frame/commit/current.h"
#include "frame/commit/lock.h"
#include "frame/copy.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "frame/sparse/files.h"
#include "grid/write/turns.h"
#include "grid/write/write_back.h"
#include "io/file.h"
#include "io/io.h"
#include "io/memory.h"
#include "io/names/removal.h"
#include "task/gate.h"
#include "task/watch.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>

tess_status
array_check_target(const tess_array *a, const tess_storage *storage, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    if (frame_is_at(f, storage->path) && frame_is_writable(f))
        return err_set(err, TESS_ERR_ARG, -1,
                       "that is where the array itself is, which is open for writing");
    if (frame_contains(f, storage->path))
        return err_set(err, TESS_ERR_ARG, -1, "that is inside the directory of the array itself");
    return TESS_OK;
}

// A copy counts only if the file still is in the state that was copied.
static tess_status
copy_current(const tess_array *a, const struct home *home, const struct frame_options *options,
             struct frame **copy, tess_error *err)
{
    struct reading r;
    struct frame *made = NULL;
    struct turn turn; // what is written meanwhile may wait in the cache, or a part of it
    turn_of_all(&turn, a->g);
    turns_begin(a->grid->turns, a->g, &turn);
    tess_status st = write_back_turn(a->grid, &turn, err);
    if (st == TESS_OK)
        st = reading_begin(&r, a, 0, err);
    if (st != TESS_OK) {
        turns_end(a->grid->turns, &turn);
        home_close(home);
        return st;
    }
    gate_enter(a->grid->gate);
    watch_begin(&r.watch, &a->context, frame_header(a->grid->frame)->nbytes);
    st = frame_copy(a->grid->frame, home->at.io, home->at.folder, options, NULL, &made, &r.watch,
                    err);
    gate_leave(a->grid->gate);
    st = reading_end(&r, st, err);
    turns_end(a->grid->turns, &turn);
    if (st != TESS_OK) {
        frame_close(made);
        return st;
    }
    *copy = made;
    return TESS_OK;
}

tess_status
array_save(const tess_array *a, const tess_storage *storage, tess_layout layout, tess_error *err)
{
    struct home home;
    struct frame *copy;
    tess_status st = storage->path ? array_check_target(a, storage, err) : TESS_OK;
    if (st == TESS_OK)
        st = home_create(storage, layout, &home, err);
    if (st != TESS_OK)
        return st;
    const struct frame_options options = home_frame_options(&home, storage);
    st = copy_current(a, &home, &options, &copy, err);
    if (st != TESS_OK)
        return st;
    st = frame_publish(copy, err);
    frame_close(copy);
    if (st == TESS_OK && storage->store)
        home_maker_of(storage)->made(home_maker_of(storage), storage, NULL);
    return st;
}

tess_status
array_to_image(const tess_array *a, void **image, size_t *size, tess_error *err)
{
    const struct frame_options options = {.durability = TESS_DURABILITY_NONE};
    struct home home = {0};
    struct frame *copy;
    tess_status st = io_memory_new(NULL, 0, &home.at.io, err);
    if (st == TESS_OK)
        st = copy_current(a, &home, &options, &copy, err);
    if (st != TESS_OK)
        return st;
    frame_take_image(copy, image, size);
    frame_close(copy);
    return TESS_OK;
}

tess_status
array_image(tess_array *a, const void **image, size_t *size, tess_error *err)
{
    if (!frame_in_memory(a->grid->frame)) // nothing is committed then
        return err_set(err, TESS_ERR_ARG, -1, "the array is not in memory");
    const tess_status st = array_commit(a, err);
    if (st == TESS_OK)
        *image = frame_image(a->grid->frame, size);
    return st;
}

// -- in place of itself

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
