/*
 * params.h - parameters of chunks: blosc2_cparams and tess_params.
 */
#ifndef COMPAT_BLOSC2_PARAMS_H
#define COMPAT_BLOSC2_PARAMS_H

#include <blosc2.h>
#include <tessera/array.h>

// Whether chunks of a codec can have dictionaries.
bool b2_takes_dictionary(int codec);

// Whether a chunk of nbytes bytes is filtered and compressed; else it is stored as it is, whatever
// codec and filters are.
bool b2_is_encoded(const blosc2_cparams *cparams, int64_t nbytes);

// Set the members of *p that say how chunks are encoded; the others stay. Returns a code.
int b2_params_set(tess_params *p, const blosc2_cparams *cparams);

// Whether an array can be made of that: functions before and behind blocks are for contexts.
// Returns a code.
int b2_params_check_array(const blosc2_storage *storage);

// What an array says of its new chunks. Members that an array does not record stay.
void b2_params_get(const tess_info *info, blosc2_cparams *cparams);

// Whether both encode chunks alike, apart from the size of blocks.
bool b2_params_same(const blosc2_cparams *a, const blosc2_cparams *b);

// Whether new chunks of the array are encoded as cparams say.
bool b2_params_equal(const tess_info *info, const blosc2_cparams *cparams);

#endif
