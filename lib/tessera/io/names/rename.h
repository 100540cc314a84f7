/*
 * rename.h - renames files and directories in one step: without replacing, or exchanging names.
 *
 * Names are relative to an open directory, or to AT_FDCWD. Failures leave errno. Some kernels, C
 * libraries and file systems have no renameat2(); only this unit deals with that.
 *
 * Uses nothing else of the library: the command links this unit, too.
 */
#ifndef IO_NAMES_RENAME_H
#define IO_NAMES_RENAME_H

#include <stdbool.h>

// Rename to a name that does not exist; errno EEXIST if it exists. Without RENAME_NOREPLACE a file
// gets the new name as a hard link, before the old name is removed; without hard links, and for
// directories, an empty file or directory reserves the new name first.
bool rename_new(int folder, const char *from, const char *to);

// Exchange the names of two files or directories.
bool rename_exchange(int folder, const char *from, const char *to);

// Whether an errno of rename_exchange() means that kernel or file system cannot exchange names.
bool rename_is_unknown(int error);

#endif
