/*
 * storage.h - from what a program says of a place to bytes, or files that belong together.
 *
 * A *kind* of places that arrays live in is one table of functions, beside its io or folder. The
 * one place that decides which kind a tess_storage means is the table of all kinds in storage.c.
 * Nothing here has a state: any thread may call all of it, and what open and create return belongs
 * to that thread at first. No lock.
 */
#ifndef IO_STORAGE_H
#define IO_STORAGE_H

#include "base/error.h"

#include <tessera/params.h>
#include <tessera/storage.h>

#include <stdbool.h>
#include <stdint.h>

struct folder;
struct folder_kind;
struct io;

struct storage_kind {
    const char *name;
    tess_layout layout; // of arrays that are created there: sparse ones have a folder, not an io
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

// An open one: an io, or a folder; the other is NULL.
struct storage_opened {
    const struct storage_kind *kind;
    struct io *io;
    struct folder *folder;
    int64_t offset; // of the frame in its file; the io starts there
};

// The kind of the storage of an array that exists, or of one that is created; NULL: there is none.
const struct storage_kind *storage_find(const tess_storage *storage);
const struct storage_kind *storage_find_new(const tess_storage *storage, tess_layout layout);

// Whether an array that exists is in a source of the program.
bool storage_in_source(const tess_storage *storage);

// Once; see storage_kind.open for what is worth another try. writable: mode UPDATE.
tess_status storage_open(const tess_storage *storage, struct storage_opened *opened,
                         tess_error *err);

// New and empty, or behind what a file holds (mode APPEND). parts: what a folder may replace.
tess_status storage_create(const tess_storage *storage, tess_layout layout,
                           const struct folder_kind *parts, struct storage_opened *opened,
                           tess_error *err);

/*
 * A part of an io (io.h), as an io of its own: a frame inside a file.
 *
 * What stands in `whole` from byte `base` on; *at_end makes one behind all there is, to write
 * something new: closed without being published, it leaves the file as it was. The whole belongs to
 * the window from here on, also after a failure. TESS_ERR_ARG: no such byte.
 */
tess_status io_window(struct io *whole, int64_t base, struct io **io, tess_error *err);
tess_status io_window_at_end(struct io *whole, int64_t *base, struct io **io, tess_error *err);

#endif
