/*
 * names.h - the names of the axes of an array, out of the attribute that has them, and into it; and
 * numbers of a coordinate in their order.
 *
 * The attribute names the axes of the base; those of a view follow from its map. Numbers are
 * compared without loss, integers with floats, too. Nothing is kept; any number of threads.
 */
#ifndef ARRAY_DIMS_NAMES_H
#define ARRAY_DIMS_NAMES_H

#include "base/error.h"
#include "base/limits.h"

#include <tessera/array.h>
#include <tessera/attr.h>
#include <tessera/iterate.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layer;

// For each axis; they point into the value. "": it has none.
struct names {
    const char *of[NDIM_MAX];
};

// TESS_ERR_TYPE: no list of names of all axes; TESS_ERR_LIMIT: a name is too long.
tess_status names_take(const tess_array *a, const tess_value *value, struct names *names,
                       tess_error *err);

// All of them in one allocation, with a NULL behind.
tess_status names_copy(const struct names *names, int ndim, const char ***out, tess_error *err);

// The attribute for so many names; NULL: none. TESS_ERR_LIMIT: one is too long.
tess_status names_pack(const char *const *names, int ndim, uint8_t **content, size_t *size,
                       tess_error *err);

// The attribute of a copy of a view, as a stored layer, allocated; NULL: as it is stored of the
// base, since it is another attribute, or holds no names.
tess_status names_of_copy(const tess_array *view, const struct layer *layer, uint8_t **chunk,
                          int32_t *cbytes, tess_error *err);

// < 0, 0 or > 0, as x is less than y, equal, or greater. Neither is NaN.
int order_compare(const tess_number *x, const tess_number *y);

// Whether y is nearer to a value than x, or as near, where x < value < y; exactly. x and y are of
// one kind. An infinite item is farther than a finite one.
bool order_is_nearer(const tess_number *x, const tess_number *value, const tess_number *y);

bool order_is_nan(const tess_number *x);

#endif
