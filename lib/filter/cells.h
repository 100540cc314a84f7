/*
 * cells.h - the items of a block put cell by cell: the filters ndcell and ndmean.
 *
 * A block is cut into cells of `side` items along each axis, smaller ones at its upper borders.
 * Cells stand in C order, and so do the items in each.
 */
#ifndef FILTER_CELLS_H
#define FILTER_CELLS_H

#include "base/grid.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELLS_NDIM_MAX 8

// Whether blocks of `blocksize` bytes are those of the grid and can be cut; the other functions
// rely on it.
bool cells_match(const struct block_grid *grid, int32_t blocksize);

// The items of a block.
int64_t cells_nitems(const struct block_grid *grid);

// Whether side ^ ndim items, a cell that is not cut off, are no more than a block has.
bool cells_fit(const struct block_grid *grid, int32_t side);

// side > 0; dst and src hold one block each.
void cells_forward(const struct block_grid *grid, int32_t side, uint8_t *restrict dst,
                   const uint8_t *restrict src);
void cells_backward(const struct block_grid *grid, int32_t side, uint8_t *restrict dst,
                    const uint8_t *restrict src);

// Items, cell by cell, become the mean of their cell: little-endian floats of 4 or 8 bytes. In
// place.
void cells_average(const struct block_grid *grid, int32_t side, uint8_t *items);

#endif
