/*
 * sparse.h - a frame in a directory, and the names of its files.
 */
#ifndef FRAME_SPARSE_H
#define FRAME_SPARSE_H

#include "base/error.h"
#include "frame/container.h"

#include <stdbool.h>
#include <stdint.h>

struct folder;
struct folder_kind;
struct io;
struct io_progress;

#define FRAME_FOLDER_INDEX "chunks.b2frame" // the file that is no chunk

// What the directory of a sparse frame may hold; others are not replaced.
extern const struct folder_kind frame_folder_kind;

enum { SPARSE_NAME_SIZE = 24 };

// The name of a chunk's file, of SPARSE_NAME_SIZE bytes at most.
void sparse_chunk_name(int64_t number, char *name);
// Whether that is the name of a chunk's file, as we write it, and of which one.
bool sparse_chunk_number(const char *name, int64_t *number);

// The file of a chunk, of which the first bytes are read next (0: some). p: NULL, or what ends the
// opening. A missing one is TESS_ERR_IO with errno ENOENT.
tess_status sparse_open_chunk(const struct folder *folder, int64_t number, size_t first,
                              const struct io_progress *p, struct io **io, tess_error *err);
// Write the file of a chunk whose number was leased. sync: its bytes are on the disk afterwards.
tess_status sparse_write_chunk(const struct folder *folder, int64_t number, const uint8_t *chunk,
                               int32_t size, bool sync, tess_error *err);
void sparse_remove_chunk(const struct folder *folder, int64_t number);

// The next index, which was written and not renamed.
void sparse_remove_next(const struct folder *folder);

extern const struct container container_sparse;

#endif
