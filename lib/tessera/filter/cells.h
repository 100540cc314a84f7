/*
 * cells.h - the items of a block put cell by cell, for the filters ndcell and ndmean.
 *
 * A block is cut into cells of `side` items along each axis, smaller ones at its upper borders.
 * Cells stand in C order, and so do the items in each.
 */
#ifndef FILTER_CELLS_H
#define FILTER_CELLS_H

#include "base/error.h"
#include "base/plugin.h"
#include "filter/filter.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CELLS_NDIM_MAX 8

enum {
    CELL_SIDE_MAX = 127, // written cells: every reader takes those
    CELL_ITEM_MAX = 255, // the same
};

// Whether blocks of `blocksize` bytes are those of the grid and can be cut; the other functions
// rely on it.
bool cells_match(const struct block_grid *grid, int32_t blocksize);

// Whether side ^ ndim items, a cell that is not cut off, are no more than a block has.
bool cells_fit(const struct block_grid *grid, int32_t side);

// Whether the blocks of a spec, which has a grid, can be cut: for prepare() of a filter.
tess_status cells_check(const struct filter_spec *spec, const struct filter *filter,
                        tess_error *err);
// The failure of prepare() for a step whose side, its width, does not go with the blocks.
tess_status cells_refuse_side(const struct filter_spec *spec, const struct filter_step *step,
                              tess_error *err);

// TESS_ERR_ARG for cells that other readers would refuse, or of a side above side_max.
tess_status cells_check_encode(const struct block_grid *grid, int32_t side, int32_t side_max,
                               tess_error *err);

// side > 0; dst and src hold one block each.
void cells_forward(const struct block_grid *grid, int32_t side, uint8_t *restrict dst,
                   const uint8_t *restrict src);
void cells_backward(const struct block_grid *grid, int32_t side, uint8_t *restrict dst,
                    const uint8_t *restrict src);

// Items, cell by cell, become the mean of their cell: little-endian floats of 4 or 8 bytes. In
// place.
void cells_average(const struct block_grid *grid, int32_t side, uint8_t *items);

#endif
