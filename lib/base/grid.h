/*
 * grid.h - the shape of an array's blocks, for filters and codecs that look at neighbours.
 *
 * It always comes from a geometry that was checked, never from a chunk.
 */
#ifndef BASE_GRID_H
#define BASE_GRID_H

#include <stdint.h>

#define GRID_NDIM_MAX 16

struct block_grid {
    int ndim;
    int32_t typesize; // bytes of an item, of the frame
    int32_t shape[GRID_NDIM_MAX]; // items of a block along each axis
};

#endif
