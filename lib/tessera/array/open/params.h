/*
 * params.h - checks and adapts tess_params, for arrays and for single chunks; and what the library
 * tells of an open array.
 *
 * The functions have no state, and read only: any number of threads may call them at once, while
 * nothing changes the array; no lock.
 */
#ifndef ARRAY_OPEN_PARAMS_H
#define ARRAY_OPEN_PARAMS_H

#include "array/array.h"
#include "base/error.h"

#include <tessera/array.h>
#include <tessera/params.h>

#include <stdint.h>

struct geometry;
struct plugins;

// The size of an item in bytes, 1 to TYPESIZE_MAX.
tess_status params_typesize(const tess_params *p, int32_t *typesize, tess_error *err);

// Check codec, splitting and dictionary. chunk_encoder_init() checks what depends on the codec or
// filter.
tess_status params_check_coding(const tess_params *p, tess_error *err);

// Adapt codec and filters of another array to an array of the given geometry. If they do not
// support its blocks, filters that depend on the block shape are removed; if that is not enough,
// the codec is replaced by the default codec. If that fails, too, nothing is changed, and creating
// the array reports the error.
void params_fit(tess_params *p, const struct geometry *g, const struct plugins *plugins);

// -- of an open array

void array_info(const tess_array *a, tess_info *info);

// Parameters that make an array of the same kind: pointers in them belong to a.
void array_params(const tess_array *a, tess_params *params);

#endif
