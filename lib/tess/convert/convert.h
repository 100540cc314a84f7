/*
 * convert.h - a copy of an array with items of another type, or scaled.
 */
#ifndef TESS_CONVERT_CONVERT_H
#define TESS_CONVERT_CONVERT_H

#include "options.h"

#include <tessera/array.h>
#include <tessera/convert.h>

struct convert {
    tess_conversion read, write; // from the array to memory; from memory to the copy
    const char *memory; // type of the items in memory
    bool has_missing; // missing values are replaced (--missing)
    char left[300]; // names of attributes that were not copied
};

/*
 * Parse --dtype, --misfit, --unpack, --pack and --missing. *wanted: whether items are converted; if
 * so, *dtype is the type of the copy.
 */
tess_status convert_parse(struct convert *c, const tess_array *a, const struct arguments *args,
                          const char **dtype, bool *wanted, tess_error *err);

/*
 * Make an array by params, and copy the converted items of `a` to it box by box: memory does not
 * grow with the array. Metalayers are copied; attributes and fill value are converted like the
 * items. c->left: the names of attributes that cannot be converted. *out is open; NULL on failure.
 */
tess_status convert_copy(struct convert *c, const tess_array *a, const tess_storage *storage,
                         const tess_params *params, tess_array **out, tess_error *err);

#endif
