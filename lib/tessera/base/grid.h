/*
 * grid.h - the shape of an array's blocks, for filters and codecs that look at neighbours.
 *
 * It always comes from a geometry that was checked, never from a chunk.
 */
#ifndef BASE_GRID_H
#define BASE_GRID_H

#include "base/limits.h"

#include <stdbool.h>
#include <stdint.h>

struct block_grid {
    int ndim;
    int32_t typesize; // bytes of an item, of the frame
    int32_t shape[NDIM_MAX]; // items of a block along each axis
};

// Whether blocks of `blocksize` bytes have this shape, and hold items at all.
bool grid_matches(const struct block_grid *grid, int32_t blocksize);

#endif
