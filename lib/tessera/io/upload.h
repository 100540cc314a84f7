/*
 * upload.h - an io (io.h) for a new object of a source, written once from start to end.
 *
 * The first bytes (tess_source.head), which contain the header of the frame, stay in memory and are
 * written last. After them, each write must begin at or after the end of the one before; gaps
 * become zeros. What was written there cannot be read or changed. Frames see this in io.once: they
 * commit only at the end, and reuse no space.
 *
 * Threads: as io.h says; no lock.
 */
#ifndef IO_UPLOAD_H
#define IO_UPLOAD_H

#include "base/error.h"

#include <tessera/source.h>

#include <stdbool.h>

struct io;

// The source is not closed with the io. replace: publishing replaces an existing object; else it
// fails with TESS_ERR_IO, EEXIST.
tess_status io_upload_create(const tess_source *source, bool replace, struct io **io,
                             tess_error *err);

#endif
