/*
 * move.h - stored chunks of a contiguous frame go to another place in its file, as they are.
 *
 * Requires exclusive access to the frame; there is no lock.
 */
#ifndef FRAME_CONTIGUOUS_MOVE_H
#define FRAME_CONTIGUOUS_MOVE_H

#include "base/error.h"

#include <stdint.h>

struct checksums;
struct frame;

// The stored bytes of the chunk of an entry, as its header says; they end at `end` at the latest.
tess_status move_size(const struct frame *f, int64_t entry, int64_t end, int32_t *cbytes,
                      tess_error *err);

// Copy these bytes to `start`, which nothing needs; *entry and its checksum follow. What the chunk
// took before is still to be released.
tess_status move_chunk(const struct frame *f, int64_t *entry, int32_t cbytes, int64_t start,
                       struct checksums *checksums, tess_error *err);

#endif
