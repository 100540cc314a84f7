/*
 * special.h - chunks of a super-chunk in memory that are known to be special, and have no bytes.
 *
 * Reading one needs neither the handle nor its lock: a run of such chunks is remembered, until the
 * super-chunk changes. Not of arrays, whose chunks may have items in a cache.
 */
#ifndef COMPAT_SCHUNK_SPECIAL_H
#define COMPAT_SCHUNK_SPECIAL_H

#include "schunk/schunk.h"

#include <tessera/chunk.h>

// Decompress chunk n, and set current_nchunk. Returns the bytes of its content; 0: it is not known
// what the chunk is, or does not fit.
int b2_special_decompress(struct b2_schunk *s, int64_t n, void *dest, int32_t nbytes);

// The stored form of chunk n, 32 bytes from malloc(); NULL: it is not known, or there is no memory.
uint8_t *b2_special_chunk(struct b2_schunk *s, int64_t n);

// Whether decompressing a chunk leaves the memory of the program as it is.
bool b2_special_leaves(const struct b2_schunk *s, const tess_chunk_info *info);

// Chunk n was read: if it is special, remember the run that it is in. s is locked for reading.
void b2_special_learn(struct b2_schunk *s, int64_t n);

// The last chunk of the run that begins with chunk `first`, of which `most` are looked at; chunks
// of full size only. first - 1: that one is no such special chunk. s is locked.
int64_t b2_special_run(const struct b2_schunk *s, const tess_info *info, int64_t first,
                       int64_t most);

// The super-chunk changed. s is locked exclusively. The second form: `counts` is locked, too.
void b2_special_forget(struct b2_schunk *s);
void b2_special_forget_locked(struct b2_schunk *s);

#endif
