/*
 * combine.h - an array made of several.
 */
#ifndef TESS_SEVERAL_COMBINE_H
#define TESS_SEVERAL_COMBINE_H

#include "options.h"

#include <tessera/array.h>

// One of the functions of the library: arrays along an axis.
typedef tess_status combine_fn(tess_array *const *arrays, int64_t n, int axis,
                               const tess_storage *storage, const tess_params *params,
                               tess_array **out, tess_error *err);

/*
 * The command that makes OUT, the last word, of the arrays that the others name. new_axes: by how
 * many axes OUT has more than they; chunks and blocks are chosen for it then. Returns the exit
 * status.
 */
int combine_run(const struct arguments *args, combine_fn *combine, int new_axes);

#endif
