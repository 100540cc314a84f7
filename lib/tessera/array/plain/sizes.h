/*
 * sizes.h - the sizes of the chunks of a plain frame, before and after a change of its list.
 *
 * No state. Requires that nothing changes the grid meanwhile.
 */
#ifndef ARRAY_PLAIN_SIZES_H
#define ARRAY_PLAIN_SIZES_H

#include "array/plain/edit.h"

struct chunk_grid;

struct plain_sizes {
    int32_t chunksize; // of the frame (frame_header)
    int64_t nchunks, nbytes;
    // chunk_starts of the grid; NULL: the frame's chunks have the same size. `appended`: the grid's
    // own, longer, with nothing changed in front.
    int64_t *starts;
    bool appended;
    bool vlblocks; // of the frame
    bool whole; // all have whole items of the frame's typesize
};

tess_status plain_sizes_after(struct plain_sizes *x, struct chunk_grid *grid,
                              const struct plain_splice *s, tess_error *err);
tess_status plain_sizes_reordered(struct plain_sizes *x, const struct chunk_grid *grid,
                                  const int64_t *order, tess_error *err);
void plain_sizes_drop(struct plain_sizes *x); // not taken over

// The grid gets them.
void plain_sizes_install(struct plain_sizes *x, struct chunk_grid *grid);

#endif
