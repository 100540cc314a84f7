/*
 * params.h - checks and adapts tess_params, for arrays and for single chunks.
 *
 * The functions have no state: any thread may call them.
 */
#ifndef ARRAY_OPEN_PARAMS_H
#define ARRAY_OPEN_PARAMS_H

#include "base/error.h"

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

#endif
