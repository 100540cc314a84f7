/*
 * plugin.c - what codecs and filters of the program are told, and what they say.
 */
#include "base/plugin.h"

#include <string.h>

tess_block
plugin_block(const struct block_grid *grid, int32_t blocksize, int32_t typesize)
{
    tess_block block = {.typesize = typesize, .ndim = -1};
    if (!grid || !grid_matches(grid, blocksize))
        return block;
    block.typesize = grid->typesize;
    block.ndim = grid->ndim;
    memcpy(block.shape, grid->shape, (size_t)grid->ndim * sizeof *grid->shape);
    return block;
}

tess_status
plugin_status(tess_status st)
{
    return st >= TESS_OK && st <= TESS_ERR_STALE ? st : TESS_ERR_CORRUPT;
}
