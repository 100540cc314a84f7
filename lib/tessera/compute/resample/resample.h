/*
 * resample.h - an array of fewer items, each of which is one that the source has.
 *
 * Nothing is computed with the items, so that they may be of any type. The new array is made tile
 * by tile: the items that a tile needs are read into memory, by all threads, and one of each cell
 * is taken.
 *
 * One call, and its thread; rows of cells are shared among workers, each with memory of its own. No
 * lock.
 */
#ifndef COMPUTE_RESAMPLE_RESAMPLE_H
#define COMPUTE_RESAMPLE_RESAMPLE_H

#include "array/array.h"
#include "compute/reduce/cells.h"

#include <tessera/params.h>
#include <tessera/reduce.h>

struct home;

// As tess_array_downsample() of TESS_DOWNSAMPLE_NEAREST or TESS_DOWNSAMPLE_MODE. params: of the new
// array, whose type and shape are set; home and storage as for array_create().
tess_status resample_create(const tess_array *a, bool mode, const int64_t *factors,
                            const struct home *home, const tess_storage *storage,
                            const tess_params *params, tess_array **out, tess_error *err);

// What params bring is checked, and completed by the type and shape of the result.
tess_status resample_plan(const tess_array *a, const int64_t *factors, tess_params *params,
                          tess_error *err);

#endif
