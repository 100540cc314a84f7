/*
 * source.h - an io (io.h) whose bytes come from functions of the program (tessera/source.h).
 *
 * Threads: as io.h says, no lock. The struct of the program is copied, and does not change; the
 * size that it tells is asked for once. So a source of an object that grows shows what it had when
 * it was opened, as a file does to a reader that has its header.
 */
#ifndef IO_SOURCE_SOURCE_H
#define IO_SOURCE_SOURCE_H

#include "base/error.h"
#include "io/storage_kind.h"

#include <tessera/source.h>

#include <stdbool.h>
#include <stddef.h>

struct io;
struct io_progress;

// Objects, which can be read, and made (upload.h); and directories of them (directory.c).
extern const struct storage_kind storage_source;
extern const struct storage_kind storage_source_directory;

/*
 * Open an object for reading. `first` and `last` are bytes of its ends that are read at once if
 * requests take long, and kept until the array is open (io_opened()), or, where they are all of the
 * object, until it is closed. owned: the source is closed with the io, also after a failure. p:
 * NULL, or what ends reading the ends, but not `ends` of the source, which is not told.
 */
tess_status io_source_open(const tess_source *source, size_t first, size_t last, bool owned,
                           const struct io_progress *p, struct io **io, tess_error *err);

#endif
