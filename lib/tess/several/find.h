/*
 * find.h - files and directories that may be arrays.
 */
#ifndef TESS_SEVERAL_FIND_H
#define TESS_SEVERAL_FIND_H

#include <tessera/store.h>

#include <stdbool.h>
#include <stdint.h>

struct arguments;

struct found {
    const char *path; // valid until the function returns
    tess_store *store; // that it is in, to be opened from there; NULL: it is a file
    const char *inside; // its path in the store
    bool is_link; // of a store: it leads to another entry
    int64_t size; // bytes of the file, or of all files of the directory
    bool is_folder; // with the index of a sparse array in it
    bool named; // by the user
};

typedef void find_fn(const struct found *found, void *user);

/*
 * Call `fn` with the path itself, if it is a file or the directory of a sparse array; else with all
 * of these in that folder, in the order of their names; and in the folders in it, if recursive.
 * NULL: the current folder, which does not stand before the names. Hidden names and unfinished
 * outputs are left out. A store, .b2d or .b2z, also at a URL or at a commit, is such a folder, and
 * so is a group in one; it is opened as args say. TESS_ERR_IO if the path leads to nothing, or a
 * folder cannot be read.
 */
tess_status find_arrays(const char *path, const struct arguments *args, bool recursive, find_fn *fn,
                        void *user, tess_error *err);

#endif
