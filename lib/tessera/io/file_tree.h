/*
 * file_tree.h - all files below a directory of the file system.
 *
 * Called by one thread; nothing is kept; no lock. What comes or goes during the walk may be there
 * or not.
 */
#ifndef IO_FILE_TREE_H
#define IO_FILE_TREE_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

enum file_tree_kind {
    FILE_TREE_FILE, // or a link to one
    FILE_TREE_FOLDER, // a directory with the file `index` in it; it is not entered
    FILE_TREE_LINK, // that leads to no file; links to directories are not followed
    FILE_TREE_OTHER, // a pipe, a device
    FILE_TREE_CLOSED, // that this process may not look at; a directory that it may not read
    FILE_TREE_BEYOND, // deeper than 64 directories, or with a name of more than 4 KiB
};

struct file_tree_found {
    enum file_tree_kind kind;
    const char *name; // from the directory on, which is walked; until the function returns
    size_t name_size;
    int64_t size; // of a file
};

// Another status than TESS_OK ends the walk, and is its status.
typedef tess_status file_tree_fn(void *user, const struct file_tree_found *found, tess_error *err);

// TESS_ERR_FORMAT: the directory itself has the file `index`. TESS_ERR_IO also if reading a
// directory below it fails.
tess_status file_tree_walk(const char *path, const char *index, file_tree_fn *fn, void *user,
                           tess_error *err);

#endif
