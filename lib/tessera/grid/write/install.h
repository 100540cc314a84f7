/*
 * install.h - the chunks of a call: staged one by one, then installed all at once.
 *
 * Staged is what a chunk will be: its stored bytes, or what it is without bytes. Any thread of a
 * call that has the turn of the chunk; outside the gate, which is closed where the frame changes,
 * but not while a large chunk is written.
 *
 * Installed, what was staged becomes the content of the chunks. That closes the gate of the grid:
 * the calling thread is outside, and has the turn of the chunks.
 */
#ifndef GRID_WRITE_INSTALL_H
#define GRID_WRITE_INSTALL_H

#include "base/error.h"
#include "chunk/header.h"

#include <stddef.h>
#include <stdint.h>

struct cached;
struct chunk_grid;
struct frame_staged;
struct lent_chunk;

tess_status stage_chunk(struct chunk_grid *grid, struct frame_staged *staged, int64_t n,
                        const uint8_t *bytes, int32_t cbytes, tess_error *err);
tess_status stage_special(struct chunk_grid *grid, struct frame_staged *staged, int64_t n,
                          enum chunk_special special, tess_error *err);

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

// Chunks that another process wrote to leased space (frame/commit/change.h) become the content of
// their places, all or none; numbers: of the places.
tess_status grid_adopt(struct chunk_grid *grid, const struct lent_chunk *chunks,
                       const int64_t *numbers, size_t n, tess_error *err);

#endif
