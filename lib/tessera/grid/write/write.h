/*
 * write.h - memory into a box of an array.
 *
 * The caller has the turn of the chunks (turns.h), or exclusive access. Workers read `src` without
 * a lock, so that it stays as it is until the call returns. Blocks of a changed chunk leave the
 * block cache; dirty ones would be lost, so the caller writes them back before.
 */
#ifndef GRID_WRITE_WRITE_H
#define GRID_WRITE_WRITE_H

#include "grid/box_memory.h"
#include "grid/grid.h"

struct frame_staged;

// staged: where the chunks go, for the caller to install (install.h). NULL: to the open change of
// the frame, which the caller ends; that requires exclusive access.
tess_status grid_write(struct chunk_grid *grid, const struct box *box,
                       const struct box_memory_const *src, struct frame_staged *staged,
                       struct watch *watch, tess_error *err);

// Into the open change. One item to parts of a box: those in the chunks, counted in C order, that
// are wanted.
tess_status grid_write_some(struct chunk_grid *grid, const struct box *box, const uint8_t *item,
                            const bool *wanted, struct watch *watch, tess_error *err);
// The same with zeros, where no item will be any more. Chunks that are one item again and again
// stay.
tess_status grid_write_padding(struct chunk_grid *grid, const struct box *box, struct watch *watch,
                               tess_error *err);

#endif
