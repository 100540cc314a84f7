/*
 * plain.h - frames without an N-dimensional layer: arrays of one dimension.
 *
 * Its chunks may differ in size: `chunk_starts` is made by plain_open(), and changes with the list
 * of chunks (array/plain/plain.h), with exclusive access. The block cache is off, as there is no
 * grid to keep blocks by. Any number of threads may call the functions at once, but for
 * plain_open() and plain_set_geometry(). There is no lock.
 */
#ifndef GRID_READ_PLAIN_H
#define GRID_READ_PLAIN_H

#include "grid/box_memory.h"
#include "grid/grid.h"

tess_status plain_open(struct chunk_grid *grid, tess_error *err);
// Geometry by the header of the frame. whole_items: all chunks have whole items; else items are
// bytes.
void plain_set_geometry(struct chunk_grid *grid, bool whole_items);
int64_t plain_chunk_start(const struct chunk_grid *grid,
                          int64_t n); // in bytes; n = nchunks: the end
int64_t plain_chunk_at(const struct chunk_grid *grid, int64_t at); // the one that holds that byte

// The items start, start + step, ... before stop. Each thread that decodes has a scratch of its
// own, and is inside of the gate of the grid while it has a chunk.
tess_status plain_read(const struct chunk_grid *grid, int64_t start, int64_t stop, int64_t step,
                       const struct box_memory *dst, struct watch *watch, tess_error *err);

#endif
