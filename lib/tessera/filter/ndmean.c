/*
 * ndmean.c - the filter ndmean: the items of a block, cell by cell, each the mean of its cell.
 *
 * What is undone is the order of the items; the means stay.
 *
 * Not here: how a block is cut into cells (cells.h).
 */
#include "filter/cells.h"

#include "base/error.h"
#include "filter/filters.h"

#include <inttypes.h>

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
