/*
 * storage.h - from what a program says of a place to bytes, or files that belong together.
 *
 * The one place that decides which kind of storage a tess_storage means: a kind is a line in the
 * table in storage.c. Nothing here has a state: any number of threads.
 */
#ifndef IO_STORAGE_H
#define IO_STORAGE_H

#include "base/error.h"
#include "io/storage_kind.h"

#include <stdbool.h>
#include <stdint.h>

struct folder;
struct folder_kind;
struct io;

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

#endif
