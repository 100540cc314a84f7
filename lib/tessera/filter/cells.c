/*
 * cells.c - the filters ndcell, the items of a block put cell by cell, and ndmean, each the mean of
 * its cell.
 *
 * The permutation is a walk over the rows of all cells: what is a row of a cell (along the last
 * axis) stands together on both sides. Its bounds are those of the array's geometry, which
 * cells_match() has compared with the size of the blocks.
 *
 * What ndmean undoes is the order of the items; the means stay.
 */
#include "filter/cells.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "filter/filters.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// One cell, cut off at the border of the block.
struct cell {
    const struct block_grid *grid;
    int32_t side;
    int64_t stride[CELLS_NDIM_MAX]; // bytes in the block
    int64_t start[CELLS_NDIM_MAX]; // items
    int64_t size[CELLS_NDIM_MAX];
};

// A row of a cell, and where it is in the block.
struct row {
    int64_t at[CELLS_NDIM_MAX]; // in the cell; 0 along the last axis
    int64_t offset; // bytes
};

bool
cells_match(const struct block_grid *grid, int32_t blocksize)
{
    return grid->ndim >= 1 && grid->ndim <= CELLS_NDIM_MAX && grid_matches(grid, blocksize);
}

static int64_t
count_items(const struct block_grid *grid)
{
    int64_t n = 1;
    for (int i = 0; i < grid->ndim; i++)
        n *= grid->shape[i];
    return n;
}

bool
cells_fit(const struct block_grid *grid, int32_t side)
{
    const int64_t limit = count_items(grid);
    int64_t n = 1;
    for (int i = 0; i < grid->ndim && n <= limit; i++) // below 2^31 before each product
        n *= side;
    return n <= limit;
}

static tess_status
refusal(const struct filter_spec *spec)
{
    return spec->from_caller ? TESS_ERR_ARG : TESS_ERR_CORRUPT;
}

tess_status
cells_check(const struct filter_spec *spec, const struct filter *filter, tess_error *err)
{
    if (cells_match(spec->grid, spec->blocksize))
        return TESS_OK;
    return err_set(err, refusal(spec), -1,
                   "%s needs blocks of 1 to %d dimensions, none empty; these have %d, and %" PRId32
                   " bytes",
                   filter->name, CELLS_NDIM_MAX, spec->grid->ndim, spec->blocksize);
}

tess_status
cells_refuse_side(const struct filter_spec *spec, const struct filter_step *step, tess_error *err)
{
    return err_set(err, refusal(spec), -1,
                   "%s with cells of side %" PRId32 " in blocks of %" PRId64 " items",
                   step->filter->name, step->width, count_items(spec->grid));
}

tess_status
cells_check_encode(const struct block_grid *grid, int32_t side, int32_t side_max, tess_error *err)
{
    if (grid->typesize <= CELL_ITEM_MAX && side <= side_max)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1,
                   "cells of side %" PRId32 " of items of %" PRId32 " bytes, in blocks "
                   "of %" PRId32 " rows: the side can be %d, for ndmean the rows, and "
                   "items can have %d bytes",
                   side, grid->typesize, grid->shape[0], CELL_SIDE_MAX, CELL_ITEM_MAX);
}

static void
place_cell(struct cell *c, int axis, int64_t start)
{
    c->start[axis] = start;
    c->size[axis] = min_i64(c->side, c->grid->shape[axis] - start);
}

static struct cell
first_cell(const struct block_grid *grid, int32_t side)
{
    struct cell c = {.grid = grid, .side = side};
    int64_t stride = grid->typesize;
    for (int i = grid->ndim - 1; i >= 0; i--) {
        c.stride[i] = stride;
        stride *= grid->shape[i];
        place_cell(&c, i, 0);
    }
    return c;
}

static bool
next_cell(struct cell *c)
{
    for (int i = c->grid->ndim - 1; i >= 0; i--) {
        if (c->start[i] + c->side < c->grid->shape[i]) {
            place_cell(c, i, c->start[i] + c->side);
            return true;
        }
        place_cell(c, i, 0);
    }
    return false;
}

static struct row
first_row(const struct cell *c)
{
    struct row r = {0};
    for (int i = 0; i < c->grid->ndim; i++)
        r.offset += c->start[i] * c->stride[i];
    return r;
}

static bool
next_row(const struct cell *c, struct row *r)
{
    for (int i = c->grid->ndim - 2; i >= 0; i--) {
        r->offset += c->stride[i];
        if (++r->at[i] < c->size[i])
            return true;
        r->offset -= c->size[i] * c->stride[i];
        r->at[i] = 0;
    }
    return false;
}

static size_t
row_size(const struct cell *c)
{
    const int last = c->grid->ndim - 1;
    return (size_t)(c->size[last] * c->stride[last]);
}

void
cells_forward(const struct block_grid *grid, int32_t side, uint8_t *restrict dst,
              const uint8_t *restrict src)
{
    struct cell c = first_cell(grid, side);
    do {
        const size_t size = row_size(&c);
        struct row r = first_row(&c);
        do {
            memcpy(dst, src + r.offset, size);
            dst += size;
        } while (next_row(&c, &r));
    } while (next_cell(&c));
}

void
cells_backward(const struct block_grid *grid, int32_t side, uint8_t *restrict dst,
               const uint8_t *restrict src)
{
    struct cell c = first_cell(grid, side);
    do {
        const size_t size = row_size(&c);
        struct row r = first_row(&c);
        do {
            memcpy(dst + r.offset, src, size);
            src += size;
        } while (next_row(&c, &r));
    } while (next_cell(&c));
}

// The filter is not told the type of the items: as for c-blosc2, which takes them as they stand in
// memory, they are little-endian numbers.
static void
average4(uint8_t *items, int64_t n)
{
    float sum = 0;
    uint8_t mean[4];
    for (int64_t i = 0; i < n; i++)
        sum += get_f32le(items + i * 4);
    sum /= (float)n;
    put_f32le(mean, sum);
    for (int64_t i = 0; i < n; i++)
        memcpy(items + i * 4, mean, sizeof mean);
}

static void
average8(uint8_t *items, int64_t n)
{
    double sum = 0;
    uint8_t mean[8];
    for (int64_t i = 0; i < n; i++)
        sum += get_f64le(items + i * 8);
    sum /= (double)n;
    put_f64le(mean, sum);
    for (int64_t i = 0; i < n; i++)
        memcpy(items + i * 8, mean, sizeof mean);
}

void
cells_average(const struct block_grid *grid, int32_t side, uint8_t *items)
{
    assert(grid->typesize == 4 || grid->typesize == 8);
    struct cell c = first_cell(grid, side);
    do {
        int64_t n = 1;
        for (int i = 0; i < grid->ndim; i++)
            n *= c.size[i];
        if (grid->typesize == 4)
            average4(items, n);
        else
            average8(items, n);
        items += n * grid->typesize;
    } while (next_cell(&c));
}

// -- ndcell

static tess_status
ndcell_prepare(const struct filter_spec *spec, int slot, struct filter_step *step, tess_error *err)
{
    (void)slot;
    const tess_status st = cells_check(spec, step->filter, err);
    if (st != TESS_OK)
        return st;
    step->width = step->meta;
    if (step->width < 1 || !cells_fit(spec->grid, step->width))
        return cells_refuse_side(spec, step, err);
    return TESS_OK;
}

static tess_status
ndcell_check_encode(const struct filter_blocks *blocks, const struct filter_step *step,
                    tess_error *err)
{
    return cells_check_encode(&blocks->grid, step->width, CELL_SIDE_MAX, err);
}

static tess_status
ndcell_forward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
               size_t size, tess_error *err)
{
    (void)size;
    (void)err;
    cells_forward(&call->blocks->grid, call->step->width, dst, src);
    return TESS_OK;
}

static tess_status
ndcell_backward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
                size_t size, tess_error *err)
{
    (void)size;
    (void)err;
    cells_backward(&call->blocks->grid, call->step->width, dst, src);
    return TESS_OK;
}

const struct filter filter_ndcell = {
    .id = TESS_FILTER_NDCELL,
    .name = "ndcell",
    .keeps_items = true,
    .needs_grid = true,
    .prepare = ndcell_prepare,
    .check_encode = ndcell_check_encode,
    .forward = ndcell_forward,
    .backward = ndcell_backward,
};

// -- ndmean

static tess_status
ndmean_prepare(const struct filter_spec *spec, int slot, struct filter_step *step, tess_error *err)
{
    (void)slot;
    const tess_status st = cells_check(spec, step->filter, err);
    if (st != TESS_OK)
        return st;
    if (spec->grid->typesize != 4 && spec->grid->typesize != 8)
        return err_set(err, spec->from_caller ? TESS_ERR_ARG : TESS_ERR_CORRUPT, -1,
                       "ndmean on items of %" PRId32 " bytes, floats have 4 or 8",
                       spec->grid->typesize);
    step->width = step->meta;
    if (step->width < 1 || step->width > CELL_SIDE_MAX)
        return cells_refuse_side(spec, step, err);
    return TESS_OK;
}

static tess_status
ndmean_check_encode(const struct filter_blocks *blocks, const struct filter_step *step,
                    tess_error *err)
{
    const int32_t rows = blocks->grid.shape[0];
    return cells_check_encode(&blocks->grid, step->width,
                              rows < CELL_SIDE_MAX ? rows : CELL_SIDE_MAX, err);
}

static tess_status
ndmean_forward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
               size_t size, tess_error *err)
{
    (void)size;
    (void)err;
    cells_forward(&call->blocks->grid, call->step->width, dst, src);
    cells_average(&call->blocks->grid, call->step->width, dst);
    return TESS_OK;
}

static tess_status
ndmean_backward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
                size_t size, tess_error *err)
{
    (void)size;
    (void)err;
    cells_backward(&call->blocks->grid, call->step->width, dst, src);
    return TESS_OK;
}

const struct filter filter_ndmean = {
    .id = TESS_FILTER_NDMEAN,
    .name = "ndmean",
    .lossy = true,
    .keeps_items = true,
    .needs_grid = true,
    .prepare = ndmean_prepare,
    .check_encode = ndmean_check_encode,
    .forward = ndmean_forward,
    .backward = ndmean_backward,
};
