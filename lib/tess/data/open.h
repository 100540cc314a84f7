/*
 * open.h - the array that a command is about, and what the command may use for it.
 */
#ifndef TESS_DATA_OPEN_H
#define TESS_DATA_OPEN_H

#include "data/store_path.h"
#include "options.h"

#include <tessera/array.h>
#include <tessera/store.h>

#include <stdbool.h>
#include <stddef.h>

// The defaults, and as many threads as --threads says.
tess_status open_context(const struct arguments *args, tess_context *context, tess_error *err);

// Open for reading the array at `path`, as --offset and --threads say. The path may be a URL, and
// may lead through a store (.b2d, .b2z) to an array in it (store_path.h). What is read from a file
// is compared with its checksums, unless --unchecked is given.
tess_status open_array(const char *path, const struct arguments *args, tess_array **a,
                       tess_error *err);

// The same of a path whose attributes are wanted: that of a store, or of a group in one, too.
tess_status open_attributes(const char *path, const struct arguments *args, tess_array **a,
                            tess_error *err);

// The store of arrays at `path`, which may be the URL of a .b2z; in a commit, if it names one.
tess_status open_store(const char *path, const struct arguments *args, tess_store **store,
                       tess_error *err);
// The one that a path leads through.
tess_status open_store_around(const char *path, const struct store_path *at,
                              const struct arguments *args, tess_store **store, tess_error *err);

// Whether a path is that of a store: a zip file, or a directory that is no array, by its name; or
// of a commit of one.
bool open_is_store(const char *path);

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

// A commit is read, and nothing is written to it: TESS_ERR_UNSUPPORTED.
tess_status open_refuse_commit(const struct store_path *at, tess_error *err);

// Of what is renamed or removed: a file of a store is not taken for its entry, as that would leave
// commits without it. TESS_ERR_ARG.
tess_status open_check_no_file(const char *path, const struct store_path *at, tess_error *err);

// Open the store that a path leads through to be changed; a commit is refused. make: it is made if
// it is not there.
tess_status open_store_to_change(const char *path, const struct store_path *at, bool make,
                                 const tess_context *context, tess_store **store, tess_error *err);

// Two paths that lead through a store.
struct open_pair {
    const char *paths[2];
    struct store_path at[2];
    const char *about; // that of the two which an error is about
};

typedef tess_status open_pair_fn(tess_store *store, const char *first, const char *second,
                                 tess_error *err);

// Call `change` with both, in their store, and commit. TESS_ERR_ARG, with the advice, if they lead
// through two.
tess_status open_change_pair(struct open_pair *pair, const struct arguments *args,
                             open_pair_fn *change, const char *advice, tess_error *err);

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
