/*
 * found.h - frames in the bytes of a file, found by their headers, without being opened.
 *
 * A header tells what the frame is and how long; metalayers and the last bytes tell whether that
 * holds. Nothing else of the frame is read: it may be damaged where this does not look.
 *
 * Any number of threads; nothing is kept.
 */
#ifndef FRAME_FORMAT_FOUND_H
#define FRAME_FORMAT_FOUND_H

#include "base/error.h"
#include "frame/format/header.h"
#include "meta/ndlayer.h"

#include <stdbool.h>
#include <stdint.h>

struct io;
struct watch;

struct found {
    int64_t offset;
    int64_t size; // as the header says, but not behind the end of the file
    bool whole; // header, metalayers, trailer and the end of the file agree
    bool is_array; // nd is known
    bool caterva; // its layer is of that name
    struct frame_header h;
    struct ndlayer nd;
};

void found_finish(struct found *x); // zeroed: fine

/*
 * What begins at a byte of an io that has `size` bytes. TESS_ERR_FORMAT: no frame;
 * TESS_ERR_CORRUPT, TESS_ERR_UNSUPPORTED: a frame by its first bytes, of which no more is known;
 * TESS_ERR_LIMIT: metalayers need more than `memory` bytes. If a writer changes the header
 * meanwhile, it is read again.
 */
tess_status found_read(struct io *io, int64_t offset, int64_t size, int64_t memory, struct found *x,
                       tess_error *err);

// The first place in [from, size) where found_read() finds a frame, damaged or not; -1: there is
// none. The watch counts bytes; NULL: none.
tess_status found_search(struct io *io, int64_t from, int64_t size, struct watch *watch,
                         int64_t *at, tess_error *err);

#endif
