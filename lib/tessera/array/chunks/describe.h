/*
 * describe.h - what a chunk is, in the words of tessera/chunk.h.
 *
 * Functions without state: any thread may ask.
 */
#ifndef ARRAY_CHUNKS_DESCRIBE_H
#define ARRAY_CHUNKS_DESCRIBE_H

#include "chunk/chunk.h"

#include <tessera/chunk.h>

tess_chunk_kind describe_kind(const struct chunk_header *h);

// A special chunk that is not stored.
tess_chunk_kind describe_special(enum chunk_special special);

// A chunk that is stored, on its own: offset is 0.
void describe_chunk(const struct chunk *c, tess_chunk_info *info);

#endif
