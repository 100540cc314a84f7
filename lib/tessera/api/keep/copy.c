/*
 * copy.c - the public functions that write an array to another place.
 */
#include "api/keep/copy.h"

#include "api/check.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/open/home.h"
#include "base/error.h"
#include "frame/commit/commit.h"
#include "frame/copy.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "grid/write/turns.h"
#include "grid/write/write_back.h"
#include "io/folder.h"
#include "io/memory.h"
#include "task/gate.h"
#include "task/watch.h"

#include <tessera/copy.h>

tess_status
copy_check_target(const tess_array *a, const tess_storage *storage, tess_error *err)
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

TESS_API tess_status
tess_array_save(const tess_array *a, const tess_storage *storage, tess_layout layout,
                tess_error *err)
{
    UNCANCELLED;
    struct taken_storage at;
    struct home home;
    struct frame *copy;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = take_storage(&at, storage, err);
    if (st == TESS_OK && !at.storage.path && !at.storage.source)
        st = err_set(err, TESS_ERR_ARG, -1,
                     "no path is given; tess_array_to_image() copies to memory");
    if (st == TESS_OK && at.storage.path)
        st = copy_check_target(a, &at.storage, err);
    if (st == TESS_OK)
        st = home_create(&at.storage, layout, &home, err);
    if (st != TESS_OK)
        return st;
    const struct frame_options options = home_frame_options(&home, &at.storage);
    st = copy_current(a, &home, &options, &copy, err);
    if (st != TESS_OK)
        return st;
    st = frame_publish(copy, err);
    frame_close(copy);
    return st;
}

TESS_API tess_status
tess_array_to_image(const tess_array *a, void **image, size_t *image_size, tess_error *err)
{
    UNCANCELLED;
    const struct frame_options options = {.durability = TESS_DURABILITY_NONE};
    struct home home = {0};
    struct frame *copy;
    if (image)
        *image = NULL;
    if (image_size)
        *image_size = 0;
    if (!a || !image || !image_size)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for its image is given");
    tess_status st = check_no_view(a, err);
    if (st == TESS_OK)
        st = io_memory_new(NULL, 0, &home.at.io, err);
    if (st == TESS_OK)
        st = copy_current(a, &home, &options, &copy, err);
    if (st != TESS_OK)
        return st;
    frame_take_image(copy, image, image_size);
    frame_close(copy);
    return TESS_OK;
}
