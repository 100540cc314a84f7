/*
 * sparse.h - a frame in a directory.
 */
#ifndef FRAME_SPARSE_SPARSE_H
#define FRAME_SPARSE_SPARSE_H

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

// The next index, which was written and not renamed.
void sparse_remove_next(const struct folder *folder);

extern const struct container container_sparse;

#endif
