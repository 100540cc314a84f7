/*
 * upload.h - an io (io.h) for a new object of a source of the program, written once from start to
 * end.
 *
 * The first bytes, of which a frame knows some only at its end, stay in memory and are written
 * last. Behind them every write must follow the one before; what was written there cannot be read
 * or changed. io.once tells frames so: no commit before the last, no space used twice.
 *
 * Threads: as io.h says; no lock.
 */
#ifndef IO_SOURCE_UPLOAD_H
#define IO_SOURCE_UPLOAD_H

#include "base/error.h"

#include <tessera/source.h>

#include <stdbool.h>

struct io;

// The source is not closed with the io. replace: an object that exists is replaced by publishing.
tess_status io_upload_create(const tess_source *source, bool replace, struct io **io,
                             tess_error *err);

#endif
