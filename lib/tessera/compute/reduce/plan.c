/*
 * plan.c - what a reduction gathers of which items, and the array that it gives.
 */
#include "compute/reduce/plan.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/swap.h"
#include "compute/reduce/prepare.h"
#include "meta/dtype.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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
check_numbers(const tess_array *a, const struct gathering *g, bool known, tess_error *err)
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
choose_cells(struct reduction *r, const tess_array *a, const int64_t *factors, tess_params *params,
             tess_error *err)
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
    tess_status st = check_numbers(a, &r->gathering, known, err);
    if (st == TESS_OK)
        st = choose_cells(r, a, factors, params, err);
    return st == TESS_OK ? choose_dtype(r, (char)from.kind, from.size, params, dtype, err) : st;
}

// An extreme of no items is nothing.
static tess_status
check_items(const struct reduction *r, const bool *reduced, tess_reduction op, tess_error *err)
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

    *r = (struct reduction){.a = a};
    r->result.value = operations[op].value;
    r->result.ddof = options->ddof;
    const bool known = gathering_init(&r->gathering,
                                      is_float        ? operations[op].real
                                      : from.size > 4 ? operations[op].wide
                                                      : operations[op].whole,
                                      &from, operations[op].truth, options->skip_nan != 0);
    tess_status st = check_numbers(a, &r->gathering, known, err);
    if (kind == 0) {
        kind = (char)from.kind;
        size = from.size;
    }
    if (op == TESS_REDUCE_SUM && !is_float)
        kind = from.kind == TESS_KIND_UINT ? 'u' : 'i';
    if (st == TESS_OK)
        st = choose_shape(r, a, reduced, options->keep_axes != 0, params, err);
    if (st == TESS_OK)
        st = choose_dtype(r, kind, size, params, dtype, err);
    return st == TESS_OK ? check_items(r, reduced, op, err) : st;
}
