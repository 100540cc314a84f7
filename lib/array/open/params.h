/*
 * params.h - what a description says, whether or not it is of an array.
 *
 * Functions without state: any thread may ask.
 */
#ifndef ARRAY_OPEN_PARAMS_H
#define ARRAY_OPEN_PARAMS_H

#include "base/error.h"

#include <tessera/params.h>

#include <stdint.h>

// Bytes of an item, 1 to TYPESIZE_MAX.
tess_status params_typesize(const tess_params *p, int32_t *typesize, tess_error *err);

// Codec, splitting and dictionary. What a codec or filter makes of the rest, chunk_encoder_init()
// finds out.
tess_status params_check_coding(const tess_params *p, tess_error *err);

#endif
