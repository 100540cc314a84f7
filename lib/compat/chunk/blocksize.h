/*
 * blocksize.h - the size of blocks that c-blosc2 chooses.
 */
#ifndef COMPAT_CHUNK_BLOCKSIZE_H
#define COMPAT_CHUNK_BLOCKSIZE_H

#include <blosc2.h>

#include <stdbool.h>

// Codecs that are chosen for their ratio, and get larger blocks.
bool b2_compresses_more(int compcode);

// The bytes of a block of a chunk of nbytes: those that are asked for, or those of c-blosc2, in
// whole items; at most nbytes, at least 1.
int32_t b2_blocksize(const blosc2_cparams *c, int32_t nbytes);

#endif
