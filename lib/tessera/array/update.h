/*
 * update.h - changes as callers make them, each as one.
 *
 * Items, chunks and commits: any number of threads at once, beside readers. A call that writes
 * acquires the turns of its chunks (grid/write/turns.h), a commit those of all chunks, and the gate
 * of the grid is closed while the list of chunks or the cache changes. Another shape, array_lock()
 * and array_close() require exclusive access. Workers run below, in the jobs of store.h and
 * write_back.h.
 *
 * Invariant: no change of the frame is begun while blocks are dirty, as it would not know of them.
 * The one exception is a growth at the end, where chunks keep their numbers.
 */
#ifndef ARRAY_UPDATE_H
#define ARRAY_UPDATE_H

#include "array/array.h"
#include "array/shape/shape.h"
#include "grid/box_memory.h"

struct addition;
struct boxes;

// What a caller does as one; arrays may be views. Small writes may wait in the cache;
// write_back_all() brings them to the frame, array_commit() does that, too.
tess_status array_update_box(tess_array *a, const struct box *box,
                             const struct box_memory_const *src, struct watch *watch,
                             tess_error *err);
// Another shape, and then src: the items of a box of it. NULL: none. Other new items are the fill
// value.
tess_status array_update_shape(tess_array *a, const int64_t *shape, const struct box *box,
                               const struct box_memory_const *src, struct watch *watch,
                               tess_error *err);
tess_status array_update_points(tess_array *a, int64_t npoints, const int64_t *coords,
                                const uint8_t *src, struct watch *watch, tess_error *err);
// Numbers are added to points (select/gather.h).
tess_status array_update_add(tess_array *a, int64_t npoints, const int64_t *coords,
                             const struct addition *add, struct watch *watch, tess_error *err);
tess_status array_update_orthogonal(tess_array *a, const int64_t *counts,
                                    const int64_t *const *indices, const uint8_t *src,
                                    struct watch *watch, tess_error *err);
tess_status array_update_boxes(tess_array *a, const struct boxes *boxes, const uint8_t *src,
                               struct watch *watch, tess_error *err);
tess_status array_update_mask(tess_array *a, struct mask *mask, const uint8_t *src, bool same,
                              struct watch *watch, tess_error *err);
// Chunk n becomes these stored bytes; or, if it is one that needs none, a special chunk.
tess_status array_update_chunk(tess_array *a, int64_t n, const uint8_t *chunk, int32_t size,
                               enum chunk_special special, tess_error *err);
// A new array gets its name with it, if it has none yet.
tess_status array_commit(tess_array *a, tess_error *err);
// The same of one that has a name and is no view; its state on the disk is sealed afterwards. After
// a failure there is no more to commit than before.
tess_status array_commit_sealed(tess_array *a, tess_error *err);
// Hold the lock file until array_commit(); not of a view.
tess_status array_lock(tess_array *a, tess_error *err);

// Commit, make the file shorter if that is worth it and no view needs it, and free the array, also
// after a failure. What a process inherited from the one that it was forked from is only freed.
tess_status array_close(tess_array *a, tess_error *err);

// The same around a change of the frame that gives an array another shape. Nothing waits
// in the cache, or the change is a growth at the end. `moves`: it is none. End undoes the change if
// st is no success, and returns it.
tess_status array_change_begin(tess_array *a, struct saved_shape *saved, tess_error *err);
tess_status array_change_end(tess_array *a, struct saved_shape *saved, bool moves, tess_status st,
                             tess_error *err);

#endif
