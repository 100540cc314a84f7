/*
 * heads.h - the sizes of stored chunks, from their headers, many at a time.
 */
#ifndef FRAME_CHUNKS_HEADS_H
#define FRAME_CHUNKS_HEADS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct io;

// The stored bytes of the chunks at ascending positions, as their headers claim: sizes[i] of
// positions[i]. At each of them the io has the bytes of a header.
tess_status heads_read_sizes(struct io *io, const int64_t *positions, size_t n, int32_t *sizes,
                             tess_error *err);

#endif
