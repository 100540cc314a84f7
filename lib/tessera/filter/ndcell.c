/*
 * ndcell.c - the filter ndcell: the items of a block, cell by cell.
 *
 * Not here: how a block is cut into cells (cells.h).
 */
#include "filter/cells.h"
#include "filter/filters.h"

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
