/*
 * sparse.h - the names of the files of a sparse frame.
 */
#ifndef FRAME_SPARSE_H
#define FRAME_SPARSE_H

#include "base/error.h"

#include <stdbool.h>
#include <stdint.h>

struct folder;
struct io;

// Whether that is the name of a chunk's file, as we write it, and of which one.
bool sparse_chunk_number(const char *name, int64_t *number);

// The file of a chunk. A missing one is TESS_ERR_IO with errno ENOENT.
tess_status sparse_open_chunk(const struct folder *folder, int64_t number, struct io **io,
                              tess_error *err);
void sparse_remove_chunk(const struct folder *folder, int64_t number);

// The next index, which was written and not renamed.
void sparse_remove_next(const struct folder *folder);

#endif
