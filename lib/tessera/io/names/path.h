/*
 * path.h - paths, and the files and directories that they lead to.
 *
 * An *identity* says which file or directory something is, by device and inode: while a file is
 * open, no other file has the same. So two identities are compared only while one of the files is
 * open.
 *
 * A *struct io_path* knows whether a path still leads to what was opened by it. The path is looked
 * up as it was then: an absolute one from the root directory, a relative one from the working
 * directory of that time, since programs change both (open_files.h). Directories on the way may be
 * renamed, too.
 *
 * Any number of threads may call all of it; no lock but that of the directory of an io_path, which
 * may be opened again (open_files.h).
 */
#ifndef IO_NAMES_PATH_H
#define IO_NAMES_PATH_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

struct io_path;

// A path without the slashes at its end, so that names can be made beside it; allocated, NULL: no
// memory.
char *io_trim(const char *path);

// The directory that a path without a slash at its end stands in; allocated, NULL: no memory.
char *io_parent(const char *path);

// Zeros for what is in memory, which is never the same as a file.
struct io_identity {
    dev_t device;
    ino_t inode;
    bool removed; // it has no name any more
};

static inline bool
io_identity_equal(const struct io_identity *a, const struct io_identity *b)
{
    return a->device == b->device && a->inode == b->inode;
}

// Of what a descriptor is open for.
tess_status io_identity_of(int fd, struct io_identity *identity, tess_error *err);

// Whether a path leads to it now. What cannot be looked up does not.
bool io_identity_is_at(const struct io_identity *identity, const char *path);

// Whether a path is the name of something in that directory, whether it exists or not.
bool io_identity_contains(const struct io_identity *directory, const char *path);

// For a file or directory that is open, and has the path or will have it.
tess_status io_path_open(const char *path, const struct io_identity *identity, struct io_path **out,
                         tess_error *err);
// For what is only read: a name for messages, which is not checked. NULL: no memory.
struct io_path *io_path_of_name(const char *path);
void io_path_close(struct io_path *p); // NULL: fine

// The path as it was given; of NULL: NULL.
const char *io_path_name(const struct io_path *p);

// TESS_ERR_STALE: the path leads to something else, or to nothing. One system call. A path that the
// process may not look up any more counts as unchanged.
tess_status io_path_check(struct io_path *p, tess_error *err);

#endif
