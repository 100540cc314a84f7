/*
 * content.h - the content of chunks of a super-chunk: decoded, and encoded again.
 */
#ifndef COMPAT_SCHUNK_CONTENT_H
#define COMPAT_SCHUNK_CONTENT_H

#include "compat/schunk/schunk.h"

// The functions below run inside b2_schunk_..._begin() and b2_schunk_end(), and return a code.

// Whether there is a chunk n.
int b2_check_chunk(const struct b2_schunk *s, int64_t n);

// Uncompressed bytes of chunk n.
int b2_chunk_nbytes(const struct b2_schunk *s, int64_t n, int32_t *nbytes);

// Decode chunk n into memory that has room for it.
int b2_chunk_read(const struct b2_schunk *s, int64_t n, void *dst, int32_t nbytes);

// All of chunk n becomes other content of the same size. The super-chunk is to be changed.
int b2_chunk_rewrite(struct b2_schunk *s, int64_t n, const void *src, int32_t nbytes);

// The stored bytes of chunk n; free() them. Returns their number, or a code.
int b2_chunk_bytes(const struct b2_schunk *s, int64_t n, uint8_t **chunk);

#endif
