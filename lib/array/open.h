/*
 * open.h - an array from the frame at its home.
 *
 * The lock file, if there is one, is held shared while header, index and layers are read, so that
 * they are those of one state. The new array belongs to the calling thread until it is returned.
 */
#ifndef ARRAY_OPEN_H
#define ARRAY_OPEN_H

#include "array/array.h"
#include "array/home.h"

// The home belongs to the array from here on, also after a failure.
tess_status array_open(const struct home *home, const tess_storage *storage, tess_array **a,
                       tess_error *err);

#endif
