/*
 * spec.h - how a chunk without an array is to be made, from what the program gives.
 */
#ifndef API_CHUNK_SPEC_H
#define API_CHUNK_SPEC_H

#include "api/chunk/options.h"
#include "chunk/encode/encoder.h"

#include <tessera/params.h>

// All but the blocks. The spec refers to *o.
tess_status chunk_spec_take(const tess_params *p, const struct chunk_options *o, size_t src_size,
                            struct chunk_spec *spec, tess_error *err);

#endif
