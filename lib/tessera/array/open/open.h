/*
 * open.h - an array from the frame at its home, and an open one as a newer state of itself.
 *
 * The lock file, if there is one, is held shared while header, index and layers are read, so that
 * they are those of one state. The new array belongs to the calling thread until it is returned.
 *
 * A refresh requires exclusive access to the array and to its views. The struct of the array, its
 * grid and its frame stay where they are in memory, as views point to them; what they hold is
 * exchanged. No mutex.
 */
#ifndef ARRAY_OPEN_OPEN_H
#define ARRAY_OPEN_OPEN_H

#include "array/array.h"
#include "array/open/home.h"

struct salvage;
struct watch;

// The home belongs to the array from here on, also after a failure.
tess_status array_open(const struct home *home, const tess_storage *storage, tess_array **a,
                       tess_error *err);

// The same of a damaged one: what is left of it, for array_repair().
tess_status array_salvage(const struct home *home, const tess_storage *storage,
                          struct salvage *salvage, struct watch *watch, tess_array **a,
                          tess_error *err);

// The newest state at its home, for a storage that was checked.
tess_status array_open_newest(const tess_storage *storage, tess_array **a, tess_error *err);

// An array that is no view becomes the newest state at its path; *changed: it was another one. Of
// a writer, and of memory: only whether another program changed or moved it (TESS_ERR_STALE).
tess_status array_refresh(tess_array *a, bool *changed, tess_error *err);

// a, open for reading, becomes what another one is, which ends. Its views stay what they
// are if that has all their items, in the same layout; else they may not be used any more.
void array_replace_state(tess_array *a, tess_array *newest);

#endif
