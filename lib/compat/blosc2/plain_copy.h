/*
 * plain_copy.h - a super-chunk that is no array, again in another place.
 */
#ifndef COMPAT_BLOSC2_PLAIN_COPY_H
#define COMPAT_BLOSC2_PLAIN_COPY_H

#include <tessera/array.h>

// Create a super-chunk as params say, with the chunks and variable-length metalayers of another
// one. After a failure nothing is left of it.
tess_status b2_plain_copy(const tess_array *from, const tess_storage *storage,
                          const tess_params *params, tess_array **copy, tess_error *err);

#endif
