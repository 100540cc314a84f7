/*
 * stage.h - the stored bytes of a chunk, or what it is without bytes, staged for a call that
 * installs all of its chunks at once (install.h).
 *
 * Any thread of a call that has the turn of the chunk; outside the gate, which is closed where the
 * frame changes, but not while a large chunk is written.
 */
#ifndef GRID_WRITE_STAGE_H
#define GRID_WRITE_STAGE_H

#include "base/error.h"
#include "chunk/header.h"

#include <stdint.h>

struct chunk_grid;
struct frame_staged;

tess_status stage_chunk(struct chunk_grid *grid, struct frame_staged *staged, int64_t n,
                        const uint8_t *bytes, int32_t cbytes, tess_error *err);
tess_status stage_special(struct chunk_grid *grid, struct frame_staged *staged, int64_t n,
                          enum chunk_special special, tess_error *err);

#endif
