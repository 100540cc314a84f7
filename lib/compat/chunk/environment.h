/*
 * environment.h - variables of the environment that change how chunks are compressed.
 *
 * BLOSC_CLEVEL, BLOSC_SHUFFLE, BLOSC_DELTA, BLOSC_TYPESIZE, BLOSC_COMPRESSOR, BLOSC_BLOCKSIZE,
 * BLOSC_NTHREADS and BLOSC_SPLITMODE. A value that makes no sense is left out of account.
 */
#ifndef COMPAT_CHUNK_ENVIRONMENT_H
#define COMPAT_CHUNK_ENVIRONMENT_H

#include <blosc2.h>

// Change parameters as the environment says. BLOSC2_ERROR_CODEC_SUPPORT: BLOSC_COMPRESSOR is a
// codec that was registered.
int b2_environment_cparams(blosc2_cparams *c);

// BLOSC_NTHREADS; else the given number, 1 at least.
int16_t b2_environment_nthreads(int16_t nthreads);

// BLOSC2_ERROR_INVALID_PARAM: BLOSC_NTHREADS is set, but no number of threads. Global calls fail
// then.
int b2_environment_check(void);

// The last two filters of the global calls: doshuffle is BLOSC_NOSHUFFLE, BLOSC_SHUFFLE or
// BLOSC_BITSHUFFLE; others change nothing.
void b2_set_shuffle(uint8_t *filters, int doshuffle, int32_t typesize);

#endif
