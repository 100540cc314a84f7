/*
 * plan.c - what a reduction gathers of which items, the array that it gives, and in which parts the
 * array is reduced.
 */
#include "compute/reduce/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/swap.h"
#include "compute/reduce/reduce.h"
#include "geom/rechunk.h"
#include "geom/shape.h"
#include "grid/grid.h"
#include "meta/dtype.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    PIECE_SIZE = 128 << 10, // bytes that are worth a read
    GRAIN_SIZE = 1 << 20, // bytes that are worth a state
    GRAINS_MAX = 1 << 16, // of an array of any size, about
    MERGE_LESS = 8, // bytes that are read for one of a state that is merged
    CUTS = 4, // blocks between two cuts of blocks
    TILE_SIZE = 64 << 20, // bytes of the array, enough for all threads
    PLAIN_PIECE = 1 << 16, // items, where there are no blocks
};

// -- what is gathered, and given

// What an operation gathers, of integers of at most 4 bytes, of those of 8, and of floats, and
// gives; kind 0: that of the items.
static const struct {
    enum gather_kind whole, wide, real;
    bool truth;
    enum result_value value;
    char kind;
    int32_t size;
} operations[] = {
    [TESS_REDUCE_SUM] = {GATHER_WHOLE, GATHER_WHOLE, GATHER_FLOAT, false, RESULT_SUM, 'f', 8},
    [TESS_REDUCE_MEAN] = {GATHER_WHOLE, GATHER_WHOLE, GATHER_FLOAT, false, RESULT_MEAN, 'f', 8},
    [TESS_REDUCE_VAR] = {GATHER_WHOLE_SQUARES, GATHER_SQUARES, GATHER_SQUARES, false,
                         RESULT_VARIANCE, 'f', 8},
    [TESS_REDUCE_MIN] = {GATHER_LEAST, GATHER_LEAST, GATHER_LEAST, false, RESULT_EXTREME, 0, 0},
    [TESS_REDUCE_MAX] = {GATHER_GREATEST, GATHER_GREATEST, GATHER_GREATEST, false, RESULT_EXTREME,
                         0, 0},
    [TESS_REDUCE_COUNT] = {GATHER_NOTHING, GATHER_NOTHING, GATHER_NOTHING, false, RESULT_COUNT, 'i',
                           8},
    [TESS_REDUCE_ANY] = {GATHER_GREATEST, GATHER_GREATEST, GATHER_GREATEST, true, RESULT_EXTREME,
                         'b', 1},
    [TESS_REDUCE_ALL] = {GATHER_LEAST, GATHER_LEAST, GATHER_LEAST, true, RESULT_EXTREME, 'b', 1},
};

static tess_status
check_exact_numbers(const tess_array *a, const struct gathering *g, bool known, tess_error *err)
{
    if (known && a->nd.dtype_format == 0 && g->dtype.size == a->g->typesize)
        return TESS_OK;
    return err_set(err, TESS_ERR_UNSUPPORTED, -1,
                   "reductions are for numbers, items are of type %.100s",
                   a->nd.dtype ? a->nd.dtype : "unknown");
}

// The type of the result, unless params bring the same in their byte order.
static tess_status
choose_dtype(struct reduction *r, char kind, int32_t size, tess_params *params, char *dtype,
             tess_error *err)
{
    const char machine = machine_is_big_endian() ? '>' : '<';
    const char from = r->gathering.dtype.order;
    const char order = size == 1 ? '|' : from == '|' ? machine : from;
    snprintf(dtype, PLAN_DTYPE_SIZE, "%c%c%d", order, kind, (int)(size % 10));
    const tess_dtype given = dtype_parse(params->dtype ? params->dtype : dtype);
    if ((char)given.kind != kind || given.size != size)
        return err_set(err, TESS_ERR_ARG, -1, "items of type \"%.64s\", the result is of type %s",
                       params->dtype, dtype);
    if (!params->dtype)
        params->dtype = dtype;
    r->result.size = size;
    r->result.turn = dtype_is_turned(&given);
    return TESS_OK;
}

static tess_status
choose_shape(struct reduction *r, const tess_array *a, const bool *reduced, bool keep,
             tess_params *params, tess_error *err)
{
    const struct geometry *const g = a->g;
    int n = 0;
    r->cells.ndim = g->ndim;
    for (int i = 0; i < g->ndim; i++) {
        r->cells.shape[i] = g->shape[i];
        r->cells.factor[i] = reduced[i] ? max_i64(g->shape[i], 1) : 1;
        r->drop[i] = reduced[i] && !keep;
        if (!r->drop[i])
            params->shape[n++] = reduced[i] ? 1 : g->shape[i];
    }
    if (params->ndim != 0 && params->ndim != n)
        return err_set(err, TESS_ERR_ARG, -1, "params for %d dimensions, the result has %d",
                       params->ndim, n);
    params->ndim = n;
    return TESS_OK;
}

// Cells of `factors` items; the new array has as many axes.
static tess_status
choose_reduced_cells(struct reduction *r, const tess_array *a, const int64_t *factors,
                     tess_params *params, tess_error *err)
{
    const struct geometry *const g = a->g;
    r->cells.ndim = g->ndim;
    for (int i = 0; i < g->ndim; i++) {
        r->cells.shape[i] = g->shape[i];
        r->cells.factor[i] = min_i64(factors[i], max_i64(g->shape[i], 1));
        params->shape[i] = ceil_div(g->shape[i], factors[i]);
    }
    if (params->ndim != 0 && params->ndim != g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "params for %d dimensions, the result has %d",
                       params->ndim, g->ndim);
    params->ndim = g->ndim;
    return TESS_OK;
}

tess_status
plan_downsampling(struct reduction *r, const tess_array *a, tess_downsampling op,
                  const int64_t *factors, bool skip_nan, tess_params *params, char *dtype,
                  tess_error *err)
{
    const tess_dtype from = dtype_parse(a->nd.dtype);
    const bool mean = op == TESS_DOWNSAMPLE_MEAN;
    const enum gather_kind extreme = op == TESS_DOWNSAMPLE_MIN ? GATHER_LEAST : GATHER_GREATEST;
    const enum gather_kind sum = from.kind == TESS_KIND_FLOAT ? GATHER_FLOAT : GATHER_WHOLE;
    *r = (struct reduction){.a = a};
    r->result.value = mean ? RESULT_NEAR_MEAN : RESULT_EXTREME;
    const bool known = gathering_init(&r->gathering, mean ? sum : extreme, &from, false, skip_nan);
    tess_status st = check_exact_numbers(a, &r->gathering, known, err);
    if (st == TESS_OK)
        st = choose_reduced_cells(r, a, factors, params, err);
    return st == TESS_OK ? choose_dtype(r, (char)from.kind, from.size, params, dtype, err) : st;
}

// An extreme of no items is nothing.
static tess_status
check_item_type(const struct reduction *r, const bool *reduced, tess_reduction op, tess_error *err)
{
    bool cells = true;
    int without = -1;
    for (int i = 0; i < r->cells.ndim; i++)
        if (r->cells.shape[i] == 0) {
            cells &= reduced[i];
            without = i;
        }
    if ((op == TESS_REDUCE_MIN || op == TESS_REDUCE_MAX) && without >= 0 && cells)
        return err_set(err, TESS_ERR_ARG, -1, "axis %d has no items to take an extreme of",
                       without);
    return TESS_OK;
}

tess_status
plan_reduction(struct reduction *r, const tess_array *a, tess_reduction op, const bool *reduced,
               const tess_reduce_options *options, tess_params *params, char *dtype,
               tess_error *err)
{
    const tess_dtype from = dtype_parse(a->nd.dtype);
    const bool is_float = from.kind == TESS_KIND_FLOAT;
    char kind = operations[op].kind;
    int32_t size = operations[op].size;
    tess_status st = TESS_OK;

    *r = (struct reduction){.a = a};
    r->result.value = operations[op].value;
    r->result.ddof = options->ddof;
    const bool known = gathering_init(&r->gathering,
                                      is_float        ? operations[op].real
                                      : from.size > 4 ? operations[op].wide
                                                      : operations[op].whole,
                                      &from, operations[op].truth, options->skip_nan != 0);
    if (kind == 0) {
        kind = (char)from.kind;
        size = from.size;
    }
    if (op == TESS_REDUCE_SUM && !is_float)
        kind = from.kind == TESS_KIND_UINT ? 'u' : 'i';
    TRY(check_exact_numbers(a, &r->gathering, known, err));
    TRY(choose_shape(r, a, reduced, options->keep_axes != 0, params, err));
    TRY(choose_dtype(r, kind, size, params, dtype, err));
    st = check_item_type(r, reduced, op, err);
out:
    return st;
}

// -- parts

static int64_t
common_multiple(int64_t a, int64_t b)
{
    int64_t x = a, y = b, product;
    while (y != 0) {
        const int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return mul_i64(a / x, b, &product) ? product : INT64_MAX;
}

static int64_t
nbytes_of_piece(const struct granularity *d, const int64_t *shape)
{
    int64_t n = d->r->a->g->typesize;
    for (int i = 0; i < d->r->a->g->ndim; i++)
        if (!mul_i64(n, min_i64(shape[i], max_i64(d->r->a->g->shape[i], 1)), &n))
            return INT64_MAX;
    return n;
}

// Double the length along an axis, as long as it is below a limit.
static bool
extend_side(int64_t *shape, int axis, int64_t limit)
{
    if (shape[axis] >= limit)
        return false;
    shape[axis] *= 2;
    return true;
}

// Whole blocks of a chunk.
static void
choose_reduced_piece(struct granularity *d)
{
    const struct chunk_grid *const grid = d->r->a->grid;
    const struct geometry *const g = d->r->a->g;
    const bool whole = grid->linear && !d->r->a->view;
    const bool plain = grid->plain && !d->r->a->view;
    for (int i = 0; i < g->ndim; i++) {
        d->chunk[i] = plain ? PLAIN_PIECE : g->chunkshape[i];
        d->piece[i] = whole || plain ? d->chunk[i] : g->blockshape[i];
    }
    for (int i = g->ndim - 1; i >= 0; i--)
        while (d->piece[i] < d->chunk[i] && nbytes_of_piece(d, d->piece) < PIECE_SIZE)
            d->piece[i] = min_i64(2 * d->piece[i],
                                  ceil_div(d->chunk[i], g->blockshape[i]) * g->blockshape[i]);
    d->piece_nitems = 1;
    for (int i = 0; i < g->ndim; i++)
        d->piece_nitems *= (size_t)min_i64(d->piece[i], max_i64(g->shape[i], 1));
}

// Whether grains can have all items of a cell along an axis. If not, it is long.
static bool
choose_aligned(struct granularity *d, int i)
{
    const int64_t f = d->r->cells.factor[i], p = d->piece[i], n = d->r->a->g->shape[i];
    const int64_t common = common_multiple(p, f);
    if (f == 1)
        d->grain[i] = p;
    else if (f >= n)
        return f <= p;
    else if (common <= CUTS * p)
        d->grain[i] = common;
    else if (f <= CUTS * p)
        d->grain[i] = CUTS * p / f * f;
    else
        return false;
    return true;
}

static int64_t
grain_cells(const struct granularity *d)
{
    const struct cells *const c = &d->r->cells;
    int64_t n = 1;
    for (int i = 0; i < c->ndim; i++)
        n *= ceil_div(min_i64(d->grain[i], max_i64(c->shape[i], 1)), c->factor[i]);
    return n;
}

// Merging costs little where a grain has many more bytes than its state.
static bool
is_small_grain(const struct granularity *d, int64_t least)
{
    const int64_t nbytes = nbytes_of_piece(d, d->grain);
    return nbytes < least ||
           grain_cells(d) * state_cell_size(&d->r->gathering) > nbytes / MERGE_LESS;
}

static void
choose_grain(struct granularity *d)
{
    const struct cells *const c = &d->r->cells;
    const int64_t least = max_i64(nbytes_of_piece(d, d->r->a->g->shape) / GRAINS_MAX, GRAIN_SIZE);
    bool is_long[NDIM_MAX];
    memcpy(d->grain, d->piece, sizeof d->grain);
    for (int i = 0; i < c->ndim; i++)
        is_long[i] = !choose_aligned(d, i);
    for (int k = 2 * c->ndim - 1; k >= 0; k--) { // first to the ends of a chunk
        const int i = k % c->ndim;
        const int64_t limit =
            k >= c->ndim ? min_i64(d->chunk[i], d->r->a->g->shape[i]) : d->r->a->g->shape[i];
        while (is_long[i] && is_small_grain(d, least) && extend_side(d->grain, i, limit))
            ;
    }
    for (int i = c->ndim - 1; i >= 0; i--)
        while (nbytes_of_piece(d, d->grain) < PIECE_SIZE &&
               extend_side(d->grain, i, d->r->a->g->shape[i]))
            ;
    d->split = false;
    for (int i = 0; i < c->ndim; i++)
        d->split |= d->grain[i] < c->shape[i] && d->grain[i] % c->factor[i] != 0;
}

// As large as memory allows, of whole chunks of the new array if possible.
void
divide_result(const struct granularity *d, const tess_array *out, int64_t *tile)
{
    const struct cells *const c = &d->r->cells;
    const struct geometry *const to = out->g;
    const int64_t cell_size = state_cell_size(&d->r->gathering) + 2 * d->r->result.size;
    struct rechunk r = {.ndim = c->ndim};
    int64_t cell = d->r->a->g->typesize;
    int n = 0;
    for (int i = 0; i < c->ndim; i++) {
        r.shape[i] = ceil_div(c->shape[i], c->factor[i]);
        r.shape[i] = max_i64(r.shape[i], 1);
        r.unit[i] = max_i64(d->grain[i] / c->factor[i], 1);
        r.chunk[i] = d->r->drop[i] ? 1 : to->chunkshape[n];
        r.block[i] = d->r->drop[i] ? 1 : to->blockshape[n];
        n += !d->r->drop[i];
        if (!mul_i64(cell, min_i64(c->factor[i], max_i64(c->shape[i], 1)), &cell))
            cell = TILE_SIZE;
    }
    if (c->ndim > 0)
        rechunk_piece(&r, max_i64(d->r->a->context.memory / 2 / cell_size, 1),
                      max_i64(TILE_SIZE / cell, 1), tile);
}

void
divide_source(struct granularity *d, const struct reduction *r)
{
    *d = (struct granularity){.r = r};
    choose_reduced_piece(d);
    choose_grain(d);
}
