/*
 * next.h - the chunks that have items in a box, from a number on.
 *
 * What the list of chunks says is taken from there. A stored chunk is opened for its kind alone,
 * beside the chunks that readers share (grid/open_chunks.h), which stay.
 *
 * Any number of threads at once, inside the gate of the grid.
 */
#ifndef ARRAY_CHUNKS_NEXT_H
#define ARRAY_CHUNKS_NEXT_H

#include "array/array.h"

#include <tessera/chunk.h>

/*
 * Fill in a run, but for what its program sets; number and last are -1 if there is none. The box
 * is inside the shape, the array no view, nothing waits in the cache; run->item has room.
 */
tess_status array_next_chunk(const tess_array *a, const int64_t *start, const int64_t *stop,
                             int64_t from, unsigned wanted, tess_chunk_run *run,
                             struct watch *watch, tess_error *err);

#endif
