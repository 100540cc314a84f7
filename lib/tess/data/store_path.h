/*
 * store_path.h - a path that leads through a store of arrays, taken apart.
 *
 *     climate.b2d/winds/u          an array, or a group, of a store
 *     climate.b2z/winds/u          the same of a zip file, also at a URL
 *     climate.b2d@april/winds/u    the same as it is in a commit, by its name or number
 *
 * A file or directory that has such a path itself goes first: then it leads through no store, nor
 * to a commit. This is the one place that knows of this notation.
 */
#ifndef TESS_DATA_STORE_PATH_H
#define TESS_DATA_STORE_PATH_H

#include <stdbool.h>
#include <stddef.h>

// Parts of a path.
struct store_path {
    size_t front; // bytes of the path of the store; 0: it leads through none
    const char *commit; // name or number of a commit; NULL: the newest
    size_t commit_size;
    const char *inside; // the rest: "/winds/u"; "" or slashes: the store itself
};

enum store_path_flags {
    STORE_PATH_WHOLE = 1, // that of a store itself counts, too
    STORE_PATH_GROUPS = 2, // a directory that is no array is a group
    STORE_PATH_MAKES = 4, // something is to be made: in a directory, .b2d, and what has the ending
                          // of a file is that file
};

// One that names a commit always counts.
struct store_path store_path_parse(const char *path, int flags);

// Of what is renamed or removed: a store, and all that is below one but sparse arrays, which are
// entries of none that is written.
struct store_path store_path_parse_entry(const char *path);

// Whether it is the path of a store itself.
bool store_path_is_whole(const struct store_path *p);

// Whether a path ends as those of stores do.
bool store_path_is_name(const char *path);

#endif
