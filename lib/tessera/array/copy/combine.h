/*
 * combine.h - the description of an array that is made of others: a copy, a concatenation, a stack.
 *
 *     st = combination_init(&c, arrays, n, axis, params, to_path, err);
 *     if (st == TESS_OK)
 *         st = array_create(&home, storage, &c.params, &c.content, &made, err);
 *     combination_finish(&c);
 *
 * Belongs to one call, and to its thread; no lock. Of an array with dirty blocks it requires
 * exclusive access, as they are written back.
 */
#ifndef ARRAY_COPY_COMBINE_H
#define ARRAY_COPY_COMBINE_H

#include "array/array.h"
#include "array/copy/copy_items.h"
#include "array/open/create.h"
#include "meta/layers.h"

#include <stdbool.h>

struct combination {
    tess_params params; // of the new array; refer to what follows, to the caller's, to the first
    struct array_content content;
    struct copy_sources sources;
    tess_metalayer metalayers[LAYERS_FIXED_MAX];
    int64_t *starts; // of each source along the axis
    uint8_t *fill; // the fill value of the first array in the other byte order; NULL: not needed
};

// Whether arrays can stand side by side along an axis, or be stacked (-1): TESS_ERR_ARG.
tess_status combine_check_alike(const tess_array *a, const tess_array *b, int axis,
                                tess_error *err);

/*
 * n >= 1 arrays that are alike, side by side along an axis. params NULL: as the first array is;
 * what they leave open comes from it, too. Blocks that wait in the caches of the arrays are written
 * back. End it with combination_finish(), also after a failure.
 */
tess_status combination_init(struct combination *c, const tess_array *const *arrays, int64_t n,
                             int axis, const tess_params *params, bool to_path, tess_error *err);
void combination_finish(struct combination *c);

#endif
