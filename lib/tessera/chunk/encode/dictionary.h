/*
 * dictionary.h - whether a new chunk gets a dictionary, and which.
 */
#ifndef CHUNK_ENCODE_DICTIONARY_H
#define CHUNK_ENCODE_DICTIONARY_H

#include "chunk/encode/encode.h"
#include "codec/dict.h"

// Most bytes that a dictionary of a chunk may take; 0: the chunk is too small for one.
size_t dictionary_capacity(int64_t nbytes);

// Bytes of samples that are enough for a dictionary of this capacity.
size_t dictionary_samples_size(size_t capacity);

/*
 * Make a dictionary for streams like the samples, `nstreams` of them in the chunk that are no runs;
 * *d is empty if it would not save more than it takes, or, if there is to be one always, only where
 * the samples have nothing to learn from. call: how the streams will be encoded. tmp has room for
 * the longest sample. TESS_ERR_NOMEM.
 */
tess_status dictionary_make(struct codec_dict *d, const struct codec_call *call,
                            const struct samples *samples, size_t capacity, int64_t nstreams,
                            bool always, uint8_t *tmp, tess_error *err);

/*
 * Make a dictionary for a chunk whose blocks the source has; *d is empty if none would pay. x has
 * no dictionary yet; s has room for blocks of its encoder.
 */
tess_status dictionary_train(struct codec_dict *d, const struct encoding *x,
                             const struct block_source *source, struct chunk_scratch *s,
                             tess_error *err);

#endif
