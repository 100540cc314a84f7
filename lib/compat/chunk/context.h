/*
 * context.h - contexts: the parameters of calls that compress, or decompress, chunks.
 *
 * One thread uses a context at a time.
 */
#ifndef COMPAT_CHUNK_CONTEXT_H
#define COMPAT_CHUNK_CONTEXT_H

#include <blosc2.h>
#include <tessera/chunk.h>

struct blosc2_context_s {
    bool compresses;
    blosc2_cparams cparams; // if it compresses; preparams are those below, or NULL
    blosc2_dparams dparams; // else; postparams are those below, or NULL
    blosc2_prefilter_params preparams;
    blosc2_postfilter_params postparams;
    bool *maskout; // of the next call; NULL: none
    int nmaskout;
    int64_t nchunk; // of the super-chunk: the one at hand; -1: which one is not known
    tess_chunk_scratch *scratch; // what calls leave for later ones; NULL: none yet
    uint8_t *made; // the same, for what a prefilter makes
    int32_t made_size;
};

// A context with the same parameters, for one call while other threads may use this one; no mask.
// NULL: no memory.
blosc2_context *b2_context_copy(const blosc2_context *context);

// The super-chunk that a context is for; NULL: none.
const blosc2_schunk *b2_context_schunk(const blosc2_context *context);
// The number that functions for blocks get; -1: there is none.
int64_t b2_context_nchunk(const blosc2_context *context);

#endif
