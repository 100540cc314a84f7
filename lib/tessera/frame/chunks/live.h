/*
 * live.h - how many chunks of a frame's list are stored, and how many bytes those have.
 *
 * Any number of threads may ask.
 */
#ifndef FRAME_CHUNKS_LIVE_H
#define FRAME_CHUNKS_LIVE_H

#include "base/error.h"

#include <stdint.h>

struct frame;

// Of all places of a list: how many are stored, and how many were never written; the others are
// special. Counted now if they were not.
void frame_count_chunks(struct frame *f, int64_t *nstored, int64_t *nmissing);

// Stored bytes of the chunks that the list leads to, each counted once. frame_known_live_bytes():
// -1 if that takes a look at the chunks, which frame_live_bytes() does; TESS_ERR_STALE: they are
// not those of this state any more.
int64_t frame_known_live_bytes(const struct frame *f);
tess_status frame_live_bytes(struct frame *f, int64_t *live, tess_error *err);

// Bytes between the header and the index that no chunk of the list has; of a directory, which has
// a file for each chunk, 0. live: as is known.
int64_t frame_holes(const struct frame *f, int64_t live);

#endif
