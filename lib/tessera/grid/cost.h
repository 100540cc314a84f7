/*
 * cost.h - how long requests take, roughly: whether threads are worth waking, and which blocks an
 * array gets whose creator names none.
 *
 * Nanoseconds of one thread on a machine of 2021. Half or twice as much is as good.
 *
 * Functions without state: any thread may ask.
 */
#ifndef GRID_COST_H
#define GRID_COST_H

#include "chunk/encode/encoder.h"
#include "codec/codec.h"
#include "geom/model.h"

#include <stdint.h>

// Encoding or decoding so many bytes of items; codec NULL: they are only copied.
int64_t cost_encode(const struct codec *codec, int level, int64_t nbytes);
int64_t cost_decode(const struct codec *codec, int64_t nbytes);

// The same as prices of a layout. They decide what is in a file: to change one is to change the
// automatic layout.
struct model cost_model(const struct codec *codec, int level);

// The size of blocks that is chosen for a chunk of spec->nbytes bytes of no shape.
int32_t cost_blocksize(const struct chunk_spec *spec);

#endif
