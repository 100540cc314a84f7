/*
 * path.h - what stands at a path: a file, or a directory with files in it.
 */
#ifndef TESS_DATA_PATH_H
#define TESS_DATA_PATH_H

#include <tessera/error.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Bytes of the part of a path that names its folder, up to the last '/'; slashes at the end do
// not count. 0: the current directory.
size_t path_folder_size(const char *path);

/*
 * Whether --force may remove what stands there: nothing, a file, an empty directory, or one that
 * holds a sparse array and nothing else. TESS_ERR_IO says what it is instead.
 */
tess_status path_check_replaceable(const char *path, tess_error *err);

// Likewise of a tree: a directory that holds arrays with names in .b2nd, files group.json, and such
// directories in turn, and nothing else.
tess_status path_check_tree(const char *path, tess_error *err);

// Whether it is a directory with files of a sparse array, perhaps a damaged one without its index.
bool path_is_sparse(const char *path);

// Bytes of the file, or of all files of the directory, but not of directories in it; -1: unknown.
int64_t path_size(const char *path);

// Copies the bytes of a file to a new one, `to`, which nothing has as its name yet.
tess_status path_copy(const char *from, const char *to, tess_error *err);

// The file, or the directory with all its files, is on the disk when this returns true; else errno
// says why.
bool path_sync(const char *path);

// The same for the name of what stands at the path.
bool path_sync_name(const char *path);

// Removes a file, or a directory with all that is in it. Of symbolic links the link goes, never
// what it leads to; only links before the last part of the path are followed. False, and errno, if
// something is left or there was nothing. Signal handlers may call it.
bool path_remove(const char *path);

// Removes it, and all files and directories beside it whose names begin with its name: the library
// writes to such before it gives them the name. Signal handlers may call it.
void path_remove_family(const char *path);

#endif
