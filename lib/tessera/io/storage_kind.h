/*
 * storage_kind.h - what differs between the kinds of places that arrays live in.
 *
 * A kind is one table of functions, beside its io or folder; storage.c lists them. Any thread may
 * call them, and what open and create return belongs to that thread at first. No lock.
 */
#ifndef IO_STORAGE_KIND_H
#define IO_STORAGE_KIND_H

#include "base/error.h"

#include <tessera/params.h>
#include <tessera/storage.h>

#include <stdbool.h>

struct folder;
struct folder_kind;
struct io;

struct storage_kind {
    const char *name;
    tess_layout
        layout; // of the arrays that are created there; sparse ones have a folder, not an io
    // The path is one of the file system: new arrays have temporary names, of which some may be
    // left over; lock files stand beside; paths are looked up again before a commit.
    bool in_files;
    // Whether the array to be opened, which may not exist, would be there.
    bool (*holds)(const tess_storage *storage);
    // Whether an array to be created would be there.
    bool (*takes)(const tess_storage *storage);
    // Open what exists: the whole, whatever the offset. *io, or *folder. TESS_ERR_STALE: it was
    // replaced meanwhile; TESS_ERR_IO with errno EWOULDBLOCK: another program writes there.
    tess_status (*open)(const tess_storage *storage, bool writable, struct io **io,
                        struct folder **folder, tess_error *err);
    // Make something new and empty; of the modes, NEW or REPLACE. parts: what a folder may replace.
    tess_status (*create)(const tess_storage *storage, const struct folder_kind *parts,
                          struct io **io, struct folder **folder, tess_error *err);
};

#endif
