/*
 * open.h - the array that a command is about, and what the command may use for it.
 */
#ifndef TESS_DATA_OPEN_H
#define TESS_DATA_OPEN_H

#include "options.h"

#include <tessera/array.h>
#include <tessera/store.h>

#include <stdbool.h>
#include <stddef.h>

// The defaults, and as many threads as --threads says.
tess_status open_context(const struct arguments *args, tess_context *context, tess_error *err);

// Open for reading the array at `path`, as --offset and --threads say. The path may be a URL, and
// may lead through a store (.b2d, .b2z) to an array in it. What is read from a file is compared
// with its checksums, unless --unchecked is given.
tess_status open_array(const char *path, const struct arguments *args, tess_array **a,
                       tess_error *err);

// The same of a path whose attributes are wanted: that of a store, or of a group in one, too.
tess_status open_attributes(const char *path, const struct arguments *args, tess_array **a,
                            tess_error *err);

// The store of arrays at `path`, which may be the URL of a .b2z.
tess_status open_store(const char *path, const struct arguments *args, tess_store **store,
                       tess_error *err);

// Whether a path is that of a store: a zip file, or a directory that is no array, by its name.
bool open_is_store(const char *path);
bool open_is_store_name(const char *path); // or of one that is to be made

// An array for reading and writing; --offset is refused. *store: the one that it is in, a
// directory; NULL: none.
tess_status open_array_to_change(const char *path, const struct arguments *args, tess_array **a,
                                 tess_store **store, tess_error *err);

// The same of what holds attributes, of a group, too.
tess_status open_attributes_to_change(const char *path, const struct arguments *args,
                                      tess_array **a, tess_store **store, tess_error *err);

// Ends that. st TESS_OK: what is not committed yet is, and the file is shortened; otherwise the
// array stays as it was committed, and the status comes back.
tess_status open_close_changed(tess_array *a, tess_store *store, tess_status st, tess_error *err);

// Bytes of the front of a path that names a store which is a directory, with a path in it behind,
// for a new array; 0: there is none. A path with the ending of a file names that, and no array of
// the store.
size_t open_store_front(const char *path);

// Open the store at the front of such a path to be changed. make: it is made if it is not there.
tess_status open_store_to_change(const char *path, size_t front, bool make,
                                 const tess_context *context, tess_store **store, tess_error *err);

/*
 * After an array at `path` could not be opened, which *err describes: the same status, and words
 * about what stands there instead, if it is something that people take for an array. TESS_ERR_ARG
 * if it is -, as a command writes standard input.
 */
tess_status open_explain(const char *path, tess_status st, tess_error *err);

// Get the tess_info of an array, with the size of its stored chunks. If a chunk is damaged, without
// that measurement. Not for arrays at URLs: each header of a chunk would take a request.
tess_status open_measure(const tess_array *a, tess_info *info, tess_error *err);

// Where a command makes an array that is not published until it is complete: a path that is new,
// and nothing in between has to be durable. The context stays the caller's.
void open_storage_to_make(const char *path, const tess_context *context, tess_storage *storage);

#endif
