/*
 * home.h - where an array lives: what a tess_storage means, with its locks.
 *
 * A home owns what it points to until it is handed to array_create(), array_open() or the like,
 * whether these succeed or not. One thread; no lock.
 */
#ifndef ARRAY_OPEN_HOME_H
#define ARRAY_OPEN_HOME_H

#include "base/error.h"
#include "frame/frame.h"
#include "io/storage.h"

#include <tessera/params.h>
#include <tessera/storage.h>

struct io_path;
struct lock_file;

struct home {
    struct storage_opened at;
    struct lock_file *lock_file; // NULL: none
    struct io_path *path; // of what is written, or the name of what is read; NULL: none
};

// A new and empty home, or one that exists, for a storage that was checked. Waits for programs that
// write there, as the storage says.
tess_status home_create(const tess_storage *storage, tess_layout layout, struct home *home,
                        tess_error *err);
tess_status home_open(const tess_storage *storage, struct home *home, tess_error *err);

// For an array that was not made.
void home_close(const struct home *home);

// How its frame is handled; of an array, array_take_options() says more.
struct frame_options home_frame_options(const struct home *home, const tess_storage *storage);

#endif
