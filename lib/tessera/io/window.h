/*
 * window.h - a part of an io (io.h), as an io of its own: a frame inside a file.
 *
 * Threads: as io.h says; no lock.
 */
#ifndef IO_WINDOW_H
#define IO_WINDOW_H

#include "base/error.h"

#include <stdint.h>

struct io;

/*
 * What stands in `whole` from byte `base` on; *at_end makes one behind all there is, to write
 * something new: closed without being published, it leaves the file as it was. The whole belongs to
 * the window from here on, also after a failure. TESS_ERR_ARG: no such byte.
 */
tess_status io_window(struct io *whole, int64_t base, struct io **io, tess_error *err);
tess_status io_window_at_end(struct io *whole, int64_t *base, struct io **io, tess_error *err);

#endif
