/*
 * chunks.h - arrays in compressed chunks: those of b2nd.h.
 */
#ifndef COMPAT_CATERVA_CHUNKS_H
#define COMPAT_CATERVA_CHUNKS_H

#include "caterva/array.h"

extern const struct cat_backend cat_in_chunks;

// The array over one of b2nd.h, which then belongs to it; after a failure it is the caller's.
// Returns a code of Caterva.
int cat_wrap(const caterva_config_t *cfg, b2nd_array_t *nd, struct cat_array **array);

#endif
