/*
 * below.h - files below a directory get other names, with the directories that these need.
 *
 * Names are relative to the open directory, with slashes; the caller has checked that they have no
 * "..". A symbolic link in front of a name leads elsewhere, and is TESS_ERR_CORRUPT; a file that is
 * one is none. Any thread may call all of it; nothing is kept, and there is no lock.
 */
#ifndef IO_NAMES_BELOW_H
#define IO_NAMES_BELOW_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

// Whether a name is that of a file, and no link to one.
tess_status below_find(int root, const char *name, bool *is_file, tess_error *err);
bool below_is_link(int root, const char *name);
bool below_is_directory(int root, const char *name);

// Whether below_move() can give a file a name: in front of it are directories, or nothing; the name
// is that of a file, or of nothing; and the file system takes one as long. TESS_ERR_IO: it cannot.
tess_status below_check_new(int root, const char *name, tess_error *err);

// Rename a file, replacing one; directories that are missing are made, and with `durable` are on
// the disk before. TESS_ERR_NOT_FOUND: there is no such file.
tess_status below_move(int root, const char *from, const char *to, bool durable, tess_error *err);

// Remove a file. Nothing there: fine.
tess_status below_remove(int root, const char *name, tess_error *err);

// Overwrite the first bytes of a file with zeros, so that nobody takes it for what it is.
tess_status below_hide(int root, const char *name, size_t size, tess_error *err);

// Remove the directories in front of a name, as far as they are empty.
void below_remove_directories(int root, const char *name);

// Remove all files in a directory, but not in directories of it. Failures to remove one are passed
// over. No such directory: fine.
tess_status below_clear(int root, const char *directory, tess_error *err);

// Make a directory; there already: fine.
tess_status below_make_directory(int root, const char *name, tess_error *err);

// Names in a directory, if there is one, are on the disk when this returns.
tess_status below_sync(int root, const char *directory, tess_error *err);

// The name of a file, and those of the directories in front of it, are on the disk when this
// returns. done: a name of which this was called before, or "": directories that have both are left
// out.
tess_status below_sync_parents(int root, const char *name, const char *done, tess_error *err);

#endif
