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

struct geometry;
struct plugins;

// Bytes of an item, 1 to TYPESIZE_MAX.
tess_status params_typesize(const tess_params *p, int32_t *typesize, tess_error *err);

// Codec, splitting and dictionary. What a codec or filter makes of the rest, chunk_encoder_init()
// finds out.
tess_status params_check_coding(const tess_params *p, tess_error *err);

// Codec and filters of another array, for one of that geometry: what cannot work on its blocks
// goes. Filters that need the shape of a block are left out; if that does not suffice, the codec
// becomes the default one. Where nothing helps, all stays, and creating the array says why.
void params_fit(tess_params *p, const struct geometry *g, const struct plugins *plugins);

#endif
