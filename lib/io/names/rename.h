/*
 * rename.h - names of files and directories, changed in one step.
 *
 * Names are looked up from an open directory, or from AT_FDCWD. Failures leave errno. Some systems,
 * C libraries and file systems cannot rename without replacing, or exchange names; this is the one
 * place that knows.
 *
 * Needs nothing else of the library: the command has this unit, too.
 */
#ifndef IO_NAMES_RENAME_H
#define IO_NAMES_RENAME_H

#include <stdbool.h>

// Rename to what nothing is called; errno EEXIST if something is. Where no kind of renaming that
// refuses to replace is known, a file has two names for a moment, or the name is reserved first.
bool rename_new(int folder, const char *from, const char *to);

// Each of two things gets the name of the other.
bool rename_exchange(int folder, const char *from, const char *to);

// Of the errno of rename_exchange(): it is not known here, whatever the names.
bool rename_is_unknown(int error);

#endif
