/*
 * joined.h - ranges that lie close together, read as one.
 *
 * Threads: nothing is kept; `arrived` runs on any thread, once for each range.
 */
#ifndef IO_SOURCE_JOINED_H
#define IO_SOURCE_JOINED_H

#include "base/error.h"

#include <tessera/source.h>

#include <stddef.h>

struct io_manner;
struct io_progress;

typedef tess_status joined_read_fn(void *arg, const tess_range *ranges, size_t n,
                                   const struct io_progress *p, tess_error *err);

/*
 * Read n ascending ranges, n >= 1, with `read`, which gets fewer and longer ones: gaps up to that
 * of the manner are read with what is around them, up to its piece. p: NULL, or told of the ranges.
 */
tess_status joined_read(const struct io_manner *manner, const tess_range *ranges, size_t n,
                        const struct io_progress *p, joined_read_fn *read, void *arg,
                        tess_error *err);

#endif
