/*
 * identity.h - which file or directory something is.
 *
 * Device and inode: while a file is open, no other file has the same. So two identities are
 * compared only while one of the files is open. Any number of threads; nothing is kept.
 */
#ifndef IO_NAMES_IDENTITY_H
#define IO_NAMES_IDENTITY_H

#include "base/error.h"

#include <stdbool.h>
#include <sys/types.h>

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

#endif
