/*
 * content.h - the content of chunks of a super-chunk: decoded, and encoded again.
 */
#ifndef COMPAT_SCHUNK_CONTENT_H
#define COMPAT_SCHUNK_CONTENT_H

#include "schunk/schunk.h"

// The functions below run inside b2_schunk_..._begin() and b2_schunk_end(); those that return int,
// return a code.

// Whether new chunks, and chunks that are read, go through the contexts of the super-chunk: these
// have functions of the program, or encode otherwise than the library would. A dictionary for each
// chunk, which the library makes where it pays, is such; and so are blocks of automatic sizes:
// those of c-blosc2 are larger than the library's, and compress more.
bool b2_encodes_by_context(const struct b2_schunk *s);
bool b2_decodes_by_context(const struct b2_schunk *s);

// Whether there is a chunk n.
int b2_check_chunk(const struct b2_schunk *s, int64_t n);

// What chunk n is, and its uncompressed bytes.
int b2_chunk_look(const struct b2_schunk *s, int64_t n, tess_chunk_info *info);
int b2_chunk_nbytes(const struct b2_schunk *s, int64_t n, int32_t *nbytes);

// Decode chunk n into memory that has room for it.
int b2_chunk_read(const struct b2_schunk *s, int64_t n, void *dst, int32_t nbytes);

// All of chunk n becomes other content of the same size. The super-chunk is to be changed.
int b2_chunk_rewrite(struct b2_schunk *s, int64_t n, const void *src, int32_t nbytes);

// The stored bytes of chunk n; free() them. Returns their number, or a code.
int b2_chunk_bytes(const struct b2_schunk *s, int64_t n, uint8_t **chunk);

#endif
