/*
 * keep.h - files of arrays are kept: what a path leads to, all chunks verified, copies, what is
 * left of a damaged array, and space given back.
 *
 * To look opens nothing as an array, and locks and changes nothing: any number of threads. Removal
 * is done by one thread, which holds the lock of a writer meanwhile.
 *
 * To verify: a chunk is a grain. Workers open, compare and decode it with a scratch of their own,
 * without a lock; they write to their grain only. In the job, fn and the verdict are touched in
 * finish, by one thread at a time and in the order of the chunks; before and after it, by the
 * calling thread.
 *
 * To repair: one thread, but for workers that read the source.
 *
 * To copy, the calling thread has the turns of all chunks (grid/write/turns.h), so that writes of
 * other threads wait until the copy is made; reads go on.
 *
 * To compact, the array is opened for writing, so its lock is held meanwhile. One thread.
 */
#ifndef ARRAY_KEEP_KEEP_H
#define ARRAY_KEEP_KEEP_H

#include "array/array.h"
#include "base/error.h"

#include <tessera/files.h>
#include <tessera/repair.h>
#include <tessera/storage.h>
#include <tessera/verify.h>

#include <stdint.h>

// -- files.c

struct io;
struct watch;

// The storage was checked.
tess_status frames_probe(const tess_storage *storage, tess_frame_info *frame, tess_error *err);

// All of them, from storage->offset on. *frames: allocated; NULL: there are none.
tess_status frames_list(const tess_storage *storage, tess_frame_info **frames, int64_t *count,
                        tess_error *err);

// What begins at a byte of an io; kind NONE: no frame.
tess_status frames_look(struct io *io, int64_t offset, int64_t size, const tess_limits *limits,
                        tess_frame_info *frame, tess_error *err);

// What is at storage->path, a path of the file system.
tess_status array_remove(const tess_storage *storage, tess_error *err);

// -- verify.c

// a is no view. What waits in the cache is written back before.
tess_status array_verify(const tess_array *a, tess_damage_fn *fn, void *user, tess_verdict *verdict,
                         tess_error *err);

// -- repair.c

struct watch;

// From source to target, a path that is not in the source: TESS_ERR_ARG. The watch is counted in
// two halves, finding and copying. *report is filled also after a failure, as far as it got.
tess_status array_repair(const tess_storage *source, const tess_storage *target,
                         const tess_repair_options *options, tess_repair_report *report,
                         struct watch *watch, tess_error *err);

// -- copy.c

// Where a copy of an array may go: not to the place of the array itself while it is written, nor
// inside its directory. The storage has a path.
tess_status array_check_target(const tess_array *a, const tess_storage *storage, tess_error *err);

// A copy at a storage, which was checked; or in memory, which is the caller's to free. a is no
// view. It is that of one state: what is written meanwhile is not in it.
tess_status array_save(const tess_array *a, const tess_storage *storage, tess_layout layout,
                       tess_error *err);
tess_status array_to_image(const tess_array *a, void **image, size_t *size, tess_error *err);

// Of an array in memory, which is committed: *image is its frame, and stays until the next change.
// No view.
tess_status array_image(tess_array *a, const void **image, size_t *size, tess_error *err);

// The array at storage->path. Its stored bytes before and after, which are set if it succeeds.
tess_status array_compact(const tess_storage *storage, int64_t *before, int64_t *after,
                          tess_error *err);

#endif
