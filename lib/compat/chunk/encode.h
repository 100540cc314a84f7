/*
 * encode.h - parameters of c-blosc2 for compressing, as those of libtessera.
 */
#ifndef COMPAT_CHUNK_ENCODE_H
#define COMPAT_CHUNK_ENCODE_H

#include <blosc2.h>
#include <tessera/params.h>

// Whether a chunk of that many bytes can be made, in destsize bytes; the codes are those of
// c-blosc2.
int b2_check_encode(const blosc2_cparams *c, int64_t nbytes, int64_t destsize);

// All but the shape of blocks.
void b2_params(const blosc2_cparams *c, tess_params *p);

#endif
