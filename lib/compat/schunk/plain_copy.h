/*
 * plain_copy.h - a super-chunk that is no array, again in another place.
 */
#ifndef COMPAT_SCHUNK_PLAIN_COPY_H
#define COMPAT_SCHUNK_PLAIN_COPY_H

#include <stdbool.h>
#include <tessera/array.h>

// Create a super-chunk as params say, with the chunks and variable-length metalayers of another
// one. encode: chunks are encoded again, unless their blocks differ in size; else they are copied
// as they are stored. After a failure nothing is left of it.
tess_status b2_plain_copy(const tess_array *from, const tess_storage *storage,
                          const tess_params *params, bool encode, tess_array **copy,
                          tess_error *err);

#endif
