/*
 * beside.h - another array in the folder of an array, by its name: a coordinate.
 *
 * Names come from files of strangers: one that could lead out of the folder names nothing. Nothing
 * is kept; any number of threads.
 */
#ifndef ARRAY_DIMS_BESIDE_H
#define ARRAY_DIMS_BESIDE_H

#include "array/array.h"

// Open what `name` means beside an array that has a path, for reading, as that was opened.
// context: of its calls; NULL: that of the array. TESS_ERR_NOT_FOUND: there is no such array.
tess_status beside_open(const tess_array *a, const char *name, const tess_context *context,
                        tess_array **out, tess_error *err);

#endif
