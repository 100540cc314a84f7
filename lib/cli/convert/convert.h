/*
 * convert.h - a copy of an array with items of another type, or scaled.
 */
#ifndef CLI_CONVERT_H
#define CLI_CONVERT_H

#include "cli/options.h"

#include <tessera/array.h>
#include <tessera/convert.h>

struct convert {
    tess_conversion read, write; // of the array into memory, and from there to the copy
    const char *memory; // type of items in memory
    bool has_missing; // missing values of the array become another one
    char left[300]; // attributes that the copy cannot have
};

/*
 * What --dtype, --misfit, --unpack, --pack and --missing ask for. *wanted: whether items become
 * others; if they do, *dtype is the type of the copy.
 */
tess_status convert_parse(struct convert *c, const tess_array *a, const struct arguments *args,
                          const char **dtype, bool *wanted, tess_error *err);

/*
 * Make the array that params describe, of the items of `a`, box by box: memory does not grow with
 * the array. Attributes, metalayers and fill value come along, as the items become; c->left has
 * those that do not. *out is open, or NULL on failure.
 */
tess_status convert_copy(struct convert *c, const tess_array *a, const tess_storage *storage,
                         const tess_params *params, tess_array **out, tess_error *err);

#endif
