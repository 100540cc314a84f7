/*
 * grid.c - the shape of blocks against their size.
 */
#include "base/grid.h"

#include "base/checked.h"

bool
grid_matches(const struct block_grid *grid, int32_t blocksize)
{
    int64_t nbytes = grid->typesize;
    for (int i = 0; i < grid->ndim; i++)
        if (grid->shape[i] < 1 || !mul_i64(nbytes, grid->shape[i], &nbytes))
            return false;
    return nbytes == blocksize;
}
