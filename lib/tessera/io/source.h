/*
 * source.h - an io (io.h) on a source of the program (tessera/source.h): on an object that exists,
 * or on a new one.
 *
 * Threads: as io.h says; no lock. The struct of the program is copied, and the copy is constant.
 * The state of an object is read once, when it is opened: bytes that are appended later are not
 * read.
 *
 * A new object (upload.c) is written once, from start to end. The first bytes (tess_source.head),
 * which contain the header of the frame, stay in memory and are written last. After them, each
 * write must begin at or after the end of the one before; gaps become zeros. What was written there
 * cannot be read or changed. Frames see this in io.once: they commit only at the end, and reuse no
 * space.
 */
#ifndef IO_SOURCE_H
#define IO_SOURCE_H

#include "base/error.h"
#include "io/storage.h"

#include <tessera/source.h>

#include <stdbool.h>
#include <stddef.h>

struct io;
struct io_progress;

// A running read of a source.
struct tess_reading {
    const struct io_progress *progress; // may be NULL
    size_t nranges; // bound of the index that a source reports
};

// Objects, which are read, or created; and directories of them: source_kinds.c.
extern const struct storage_kind storage_source;
extern const struct storage_kind storage_source_directory;

/*
 * Open an object for reading. If the source is far, or has no `state`, its `first` first and `last`
 * last bytes are read, too, and kept: until io_opened(), or, if one end is all of the object, until
 * io_close(). owned: the source is closed with the io, also after a failure. p: may cancel the
 * reads; may be NULL. `state` and `ends` of the source cannot be cancelled.
 */
tess_status io_source_open(const tess_source *source, size_t first, size_t last, bool owned,
                           const struct io_progress *p, struct io **io, tess_error *err);

// st, or TESS_ERR_IO if it is not a tess_status. On failure err gets status, offset -1, and a
// message if the function left none; *err was zeroed before the function was called. name: of the
// function.
tess_status source_status(tess_status st, const char *name, tess_error *err);

// -- new objects

// The source is not closed with the io. replace: publishing replaces an existing object; else it
// fails with TESS_ERR_IO, EEXIST.
tess_status io_upload_create(const tess_source *source, bool replace, struct io **io,
                             tess_error *err);

#endif
