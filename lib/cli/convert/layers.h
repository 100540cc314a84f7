/*
 * layers.h - metalayers and attributes that go with the items to another array, as they are.
 */
#ifndef CLI_LAYERS_H
#define CLI_LAYERS_H

#include <tessera/array.h>

struct layers {
    const tess_array *from; // open as long as they are used
    tess_metalayer fixed[TESS_MAX_METALAYERS];
    int nfixed;
};

// Those of an array, but for the ones that its shape and fill value are in.
tess_status layers_load(struct layers *l, const tess_array *from, tess_error *err);

// Those of variable length, to a new array. The fixed ones are for the params that make it.
tess_status layers_store(const struct layers *l, tess_array *to, tess_error *err);

#endif
