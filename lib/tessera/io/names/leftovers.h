/*
 * leftovers.h - what programs that were killed left under temporary names (naming.h).
 *
 * Whatever has the lock of it is at work; so only that is removed whose lock could be got, and
 * nothing where the file system has no locks. Files go, and directories of a kind (folder.h) with
 * the files that belong to it. Any thread: nothing is kept.
 */
#ifndef IO_NAMES_LEFTOVERS_H
#define IO_NAMES_LEFTOVERS_H

struct folder_kind;

// Beside `path`, under the temporary names that programs take first: a few calls, however many
// files there are.
void leftovers_remove(const char *path, const struct folder_kind *kind);

// Under any temporary name of `path`: the directory is listed.
void leftovers_remove_all(const char *path, const struct folder_kind *kind);

#endif
