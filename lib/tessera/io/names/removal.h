/*
 * removal.h - the removal of a file, or of a directory with the files that belong to it; and of
 * leftovers.
 *
 * Between removal_begin() and removal_finish() what is removed is locked, as by a writer, so that
 * it can be looked at. It then gets a temporary name (naming.h) before anything of it goes: what
 * dies in between leaves it whole under its name, or under a temporary one.
 *
 * *Leftovers* are what programs that were killed left under temporary names. Whatever has the lock
 * of one is at work; so only that is removed whose lock could be got, and nothing where the file
 * system has no locks. Files go, and directories of a kind (folder.h) with the files that belong to
 * it.
 *
 * A struct removal belongs to one thread; leftovers: any thread, nothing is kept.
 */
#ifndef IO_NAMES_REMOVAL_H
#define IO_NAMES_REMOVAL_H

#include "base/error.h"
#include "io/names/naming.h"

#include <stdbool.h>

struct folder_kind;
struct io;

struct removal {
    char *path; // without slashes at its end
    struct naming naming;
};

/*
 * Lock what is at a path. folder: a directory, of that kind, without anything else in it (else
 * TESS_ERR_UNSUPPORTED, or TESS_ERR_FORMAT without its index); NULL: a file (else
 * TESS_ERR_FORMAT). A path that ends with "." or ".." is TESS_ERR_ARG; a symbolic link,
 * TESS_ERR_UNSUPPORTED; what another writer has, TESS_ERR_IO with errno EWOULDBLOCK. To be ended
 * also after a failure.
 */
tess_status removal_begin(struct removal *r, const char *path, const struct folder_kind *folder,
                          tess_error *err);
void removal_end(struct removal *r); // zeroed: fine

// errno: why it could not be locked; 0: it is.
int removal_lock_error(const struct removal *r);

// The file, to be read.
tess_status removal_open_file(const struct removal *r, struct io **io, tess_error *err);

// Remove it; durable: its name is gone from the disk first.
tess_status removal_finish(struct removal *r, bool durable, tess_error *err);

// Beside `path`, under the temporary names that programs take first: a few calls, however many
// files there are.
void leftovers_remove(const char *path, const struct folder_kind *kind);

// Under any temporary name of `path`: the directory is listed.
void leftovers_remove_all(const char *path, const struct folder_kind *kind);

#endif
