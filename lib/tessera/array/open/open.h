/*
 * open.h - an array from the frame at its home.
 *
 * The lock file, if there is one, is held shared while header, index and layers are read, so that
 * they are those of one state. The new array belongs to the calling thread until it is returned.
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

#endif
