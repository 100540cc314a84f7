/*
 * select.h - slice expressions in NumPy's notation: `0:10,5,...,::-2`.
 */
#ifndef TESS_DATA_PICKED_SELECT_H
#define TESS_DATA_PICKED_SELECT_H

#include <tessera/params.h>

#include <stdbool.h>

// Along each axis `count` items: start, start + step, start + 2 * step, ... all inside the array.
// An axis with fewer than two items has step 1.
struct slice_range {
    int ndim;
    int64_t start[TESS_MAX_NDIM];
    int64_t step[TESS_MAX_NDIM]; // never 0
    int64_t count[TESS_MAX_NDIM];
    bool dropped[TESS_MAX_NDIM]; // given as an integer

    // What comes out: axes that are dropped are gone.
    int out_ndim;
    int64_t out_shape[TESS_MAX_NDIM];
};

/*
 * Parse an expression for an array of that shape: integers, start:stop:step with parts left out,
 * one `...`; axes not mentioned are whole. Positions beyond the ends are cut as NumPy does;
 * integers beyond them are refused with TESS_ERR_ARG.
 */
tess_status select_parse(const char *expr, int ndim, const int64_t *shape, struct slice_range *sel,
                         tess_error *err);

// Of a whole array, which no axis is dropped from, the first `count` items along an axis.
void select_first(struct slice_range *sel, int axis, int64_t count);

// The end of each axis as the library takes it together with start and step.
void select_stop(const struct slice_range *sel, int64_t *stop);

#endif
