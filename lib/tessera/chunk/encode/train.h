/*
 * train.h - samples of a chunk, to make a dictionary from.
 */
#ifndef CHUNK_ENCODE_TRAIN_H
#define CHUNK_ENCODE_TRAIN_H

#include "chunk/encode/encode.h"

/*
 * Make a dictionary for a chunk whose blocks the source has; *d is empty if none would pay. x has
 * no dictionary yet; s has room for blocks of its encoder.
 */
tess_status dictionary_train(struct codec_dict *d, const struct encoding *x,
                             const struct block_source *source, struct chunk_scratch *s,
                             tess_error *err);

#endif
