/*
 * compact.h - the directory of a sparse frame without what its state does not need.
 *
 * Requires exclusive access, but for asking how large it is.
 */
#ifndef FRAME_SPARSE_COMPACT_H
#define FRAME_SPARSE_COMPACT_H

#include "base/error.h"

#include <stdint.h>

struct frame;
struct watch;

// Remove what the directory holds and no state needs, and store chunks anew whose files
// are longer. The frame is open for writing, and has no changes.
tess_status frame_compact_folder(struct frame *f, struct watch *watch, tess_error *err);
// Bytes of all files of the frame.
tess_status frame_stored_size(const struct frame *f, int64_t *size, tess_error *err);

#endif
