/*
 * info.h - what the library tells of an open array.
 *
 * Reads only. Any number of threads at once, while nothing changes the array; no lock.
 */
#ifndef ARRAY_INFO_H
#define ARRAY_INFO_H

#include "array/array.h"

#include <tessera/array.h>
#include <tessera/params.h>

void array_info(const tess_array *a, tess_info *info);

// Parameters that make an array of the same kind: pointers in them belong to a.
void array_params(const tess_array *a, tess_params *params);

#endif
