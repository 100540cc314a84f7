/*
 * layers.h - copies metalayers and attributes to another array, unchanged.
 */
#ifndef TESS_CONVERT_LAYERS_H
#define TESS_CONVERT_LAYERS_H

#include <tessera/array.h>

struct layers {
    const tess_array *from; // must stay open: `fixed` points into it
    tess_metalayer fixed[TESS_MAX_METALAYERS];
    int nfixed;
};

// Collect the metalayers of an array, except those for its shape and fill value.
tess_status layers_load(struct layers *l, const tess_array *from, tess_error *err);

// Copy the variable-length metalayers to a new array. The fixed ones must be in the params that the
// array was created with.
tess_status layers_store(const struct layers *l, tess_array *to, tess_error *err);

#endif
