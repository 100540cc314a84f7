/*
 * joined.h - coalescing: ranges that lie close together are read as one.
 *
 * Threads: no state; `arrived` of p runs on any thread, once for each range.
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
 * Read n ascending ranges, n >= 1: calls `read` once, with the ranges coalesced as the manner says
 * (io_manner_joins()). p: may be NULL; its indices are those of the n ranges.
 */
tess_status joined_read(const struct io_manner *manner, const tess_range *ranges, size_t n,
                        const struct io_progress *p, joined_read_fn *read, void *arg,
                        tess_error *err);

#endif
