/*
 * gather.h - a file whose small pieces, put one behind the other, are written together.
 *
 * Everything but io_gather_put() is as with the file itself. A piece that could not be written
 * makes a later call fail, and waits on.
 *
 * Threads: as io.h says; what waits is read by any number of threads, without a lock, as putting
 * requires exclusive access.
 */
#ifndef IO_GATHER_H
#define IO_GATHER_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct io;

// The file belongs to this io from here on, also after a failure.
tess_status io_gather(struct io *file, struct io **io, tess_error *err);
tess_status io_gather_put(struct io *io, int64_t offset, const void *src, size_t size,
                          tess_error *err);
struct io *io_gather_file(struct io *io); // the file itself
// Bytes are about to be written to the file itself there, in place of what waits, if some does.
tess_status io_gather_clear(struct io *io, int64_t offset, int64_t size, tess_error *err);

#endif
