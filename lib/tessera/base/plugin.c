/*
 * plugin.c - what codecs and filters are told of a block, and what those of the program say.
 */
#include "base/plugin.h"

#include "base/checked.h"

#include <string.h>

bool
grid_matches(const struct block_grid *grid, int32_t blocksize)
{
    int64_t nbytes = grid->typesize;
    for (int i = 0; i < grid->ndim; i++)
        if (grid->shape[i] < 1 || !mul_i64(nbytes, grid->shape[i], &nbytes))
            return false;
    return nbytes == blocksize;
}

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
