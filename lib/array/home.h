/*
 * home.h - where an array lives.
 *
 * It owns what it points to until it is handed to array_create(), array_open() or the like, whether
 * these succeed or not. One thread; no lock.
 */
#ifndef ARRAY_HOME_H
#define ARRAY_HOME_H

#include "io/folder.h"
#include "io/io.h"
#include "io/lock_file.h"
#include "io/path.h"

#include <stdint.h>

// Where an array lives: a file or memory, or the directory of a sparse frame. One is NULL.
struct home {
    struct io *io;
    struct folder *folder;
    struct lock_file *lock_file; // its lock file; NULL: none
    struct io_path *path; // of what is written; NULL: none
    int64_t offset; // of the frame in its file; the io starts there
};

// For an array that was not made.
void home_close(const struct home *home);

#endif
