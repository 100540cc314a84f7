/*
 * copy.h - a frame to a new place, its chunks as they are stored, also of a damaged one; and a
 * directory in its place, without what its state does not need.
 *
 * A frame that is copied is only read; one thread has both. A directory that is made compact
 * requires exclusive access.
 */
#ifndef FRAME_COPY_H
#define FRAME_COPY_H

#include "base/error.h"
#include "chunk/header.h"

#include <stdint.h>

struct folder;
struct frame;
struct frame_options;
struct io;
struct watch;

// For a frame that is damaged: what becomes of chunks that cannot be read.
struct frame_rescue {
    void *user;
    // Chunk n is lost. Instead of it: *chunk, *size bytes that stay until the next call; or, if
    // that stays NULL, *special.
    tess_status (*replace)(void *user, int64_t n, const tess_error *why,
                           enum chunk_special *special, const uint8_t **chunk, int32_t *size,
                           tess_error *err);
    int64_t most; // bytes that stored chunks may have together
    int64_t nuntried; // counts those copied without a checksum, which this build cannot decode
    int64_t nunconfirmed; // and those that it can
};

/*
 * Make a frame with the state in memory of another, in an empty io or folder (the other is
 * NULL), and commit it. The copy is there to be published and closed, no more: its metalayers are
 * not kept, and one of a frame from before c-blosc2 2.0 has its bytes only. io and folder belong to
 * the copy from here on, also after a failure. rescue: NULL, a chunk that cannot be read is a
 * failure.
 */
tess_status frame_copy(const struct frame *from, struct io *io, struct folder *folder,
                       const struct frame_options *options, struct frame_rescue *rescue,
                       struct frame **copy, struct watch *watch, tess_error *err);

// The same of a frame without its chunks, and without variable-length metalayers: a list of as many
// chunks, none of which was ever written. In an empty io of memory.
tess_status frame_sketch(const struct frame *from, struct io *io,
                         const struct frame_options *options, struct frame **sketch,
                         tess_error *err);

// TESS_ERR_CORRUPT if two places of the list have one stored chunk.
tess_status frame_check_shared(const struct frame *f, tess_error *err);

// -- a directory in its place

// Remove what the directory holds and no state needs, and store chunks anew whose files
// are longer. The frame is open for writing, and has no changes.
tess_status frame_compact_folder(struct frame *f, struct watch *watch, tess_error *err);
// Bytes of all files of the frame.
tess_status frame_stored_size(const struct frame *f, int64_t *size, tess_error *err);

#endif
