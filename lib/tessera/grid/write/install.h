/*
 * install.h - what a call has stored becomes the content of its chunks, all at once.
 *
 * Closes the gate of the grid: the calling thread is outside. The caller has the turn of the
 * chunks.
 */
#ifndef GRID_WRITE_INSTALL_H
#define GRID_WRITE_INSTALL_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

struct cached;
struct chunk_grid;
struct frame_staged;
struct lent_chunk;

/*
 * End a call: st is what became of it so far. If that is a success, everything staged gets into the
 * list of chunks, and the cache forgets the old blocks; else, or if this fails, it is given up.
 * Then nothing is staged. A failure that another program's changes explain is TESS_ERR_STALE.
 */
tess_status grid_install(struct chunk_grid *grid, struct frame_staged *staged, tess_status st,
                         tess_error *err);

// The same for dirty blocks of the cache that were stored: they become clean instead.
tess_status grid_install_clean(struct chunk_grid *grid, struct frame_staged *staged,
                               struct cached *const *blocks, size_t n, tess_status st,
                               tess_error *err);

// Chunks that another process wrote to leased space (frame/commit/lease.h) become the content of their
// places, all or none; numbers: of the places.
tess_status grid_adopt(struct chunk_grid *grid, const struct lent_chunk *chunks,
                       const int64_t *numbers, size_t n, tess_error *err);

#endif
