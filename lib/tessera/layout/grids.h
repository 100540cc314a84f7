/*
 * grids.h - the shapes of chunks and blocks that a search considers, and their neighbours.
 */
#ifndef LAYOUT_GRIDS_H
#define LAYOUT_GRIDS_H

#include "geom/model.h"

#include <tessera/params.h>

#include <stdbool.h>
#include <stdint.h>

// The array, and the bounds of its grids.
struct grid_space {
    int ndim;
    int64_t shape[TESS_MAX_NDIM]; // no axis is empty
    int32_t typesize;
    int64_t chunk_most; // bytes
    // Bytes; a block of one item is never too large, all of an array or of a fixed chunk never too
    // small.
    int64_t block_most, block_least;
    bool fixed_chunks, fixed_blocks; // as the caller gave them
};

// The product of the lengths; INT64_MAX if it is larger.
int64_t grids_items(int ndim, const int64_t *lengths);

bool grids_equal(int ndim, const struct grid *a, const struct grid *b);

// Whether the sizes are within bounds, blocks lie inside chunks, and there are not too many of
// either.
bool grids_is_valid(const struct grid_space *space, const struct grid *g);

/*
 * The neighbours: along one axis, or shorter along one and longer along another, chunks or blocks
 * or both have half or twice the length. Lengths are such that an axis is divided evenly.
 */
struct grid_step {
    int number;
};

// The next neighbour of g, from step.number 0 on; false when there are no more. It may be g itself,
// and it may not be valid.
bool grids_next(const struct grid_space *space, const struct grid *g, struct grid_step *step,
                struct grid *neighbour);

// The shapes of an array, from and to its description.
struct grid grids_of(const tess_params *params);
void grids_put(const struct grid *g, tess_params *params);

// The shapes that the library chooses for an array, where *params has none, and bytes of its items.
// Fails if no array can be made with *params.
tess_status grids_automatic(const tess_params *params, struct grid *g, int32_t *typesize,
                            tess_error *err);

#endif
