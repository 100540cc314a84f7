/*
 * directory.h - a folder (folder.h) that is a directory of the file system.
 *
 * A new one has a temporary name until it is published (names/naming.h). The lock of the
 * descriptor (lock.h) keeps other writers away until the folder is closed. Threads: as folder.h
 * says.
 */
#ifndef IO_DIRECTORY_H
#define IO_DIRECTORY_H

#include "base/error.h"
#include "io/storage.h"

#include <stdbool.h>

struct folder;
struct folder_kind;
struct naming_kind;
struct open_file;

extern const struct storage_kind storage_directory;

// Directories that are removed (names/removal.h); naming.user is their folder_kind.
extern const struct naming_kind directory_removal;

// Open a directory. mapped: files are read through memory maps. Links in it are not followed.
// TESS_ERR_STALE: to write, and it was replaced meanwhile.
tess_status directory_open(const char *path, bool writable, bool mapped, struct folder **folder,
                           tess_error *err);

/*
 * Make a directory, beside `path`, whose place it takes at publish. With `replace` a file and a
 * directory of the same kind can be replaced, now and then, unless a program has them open for
 * writing (EWOULDBLOCK). Else anything that exists, now or then, is refused (errno EEXIST).
 */
tess_status directory_create(const char *path, bool replace, const struct folder_kind *kind,
                             struct folder **folder, tess_error *err);

// Of a folder that is a directory: to look up names from, until the folder is closed.
struct open_file *directory_open_file(const struct folder *folder);

// Remove a directory, open as `fd`, with its files: the index first, and nothing else if that
// fails. With something else in it, or another name, it stays, without them.
void directory_remove_at(int parent, const char *name, int fd, const struct folder_kind *kind);

#endif
