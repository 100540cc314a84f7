/*
 * plugin.h - the shape of an array's blocks, for filters and codecs that look at neighbours; what
 * those of the program are told of it, and what they say.
 *
 * The shape always comes from a geometry that was checked, never from a chunk.
 */
#ifndef BASE_PLUGIN_H
#define BASE_PLUGIN_H

#include "base/limits.h"

#include <tessera/plugin.h>

#include <stdbool.h>
#include <stdint.h>

struct block_grid {
    int ndim;
    int32_t typesize; // bytes of an item, of the frame
    int32_t shape[NDIM_MAX]; // items of a block along each axis
};

// Whether blocks of `blocksize` bytes have this shape, and hold items at all.
bool grid_matches(const struct block_grid *grid, int32_t blocksize);

// Blocks of `blocksize` bytes; grid may be NULL. typesize: of the chunk.
tess_block plugin_block(const struct block_grid *grid, int32_t blocksize, int32_t typesize);

// A status that a plugin gave back; TESS_ERR_CORRUPT for what is none.
tess_status plugin_status(tess_status st);

#endif
