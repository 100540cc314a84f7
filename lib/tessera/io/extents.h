/*
 * extents.h - many short reads of one io, in few calls.
 *
 * Threads: as reading (io.h).
 */
#ifndef IO_EXTENTS_H
#define IO_EXTENTS_H

#include "base/error.h"

#include <tessera/source.h>

#include <stddef.h>

struct io;
struct io_progress;

// Extents whose starts and ends ascend, for callers to which it does not matter which one is read
// first. Those that lie close together cost about as much as one. p: NULL, or what wants to know
// (io.h).
tess_status io_read_many(struct io *io, const tess_range *extents, size_t n,
                         const struct io_progress *p, tess_error *err);

#endif
