/*
 * accesses.h - what is done with an array: accesses with weights, as the model counts them.
 */
#ifndef LAYOUT_ACCESSES_H
#define LAYOUT_ACCESSES_H

#include "geom/model.h"
#include "layout/grids.h"

#include <tessera/layout.h>

#include <stdint.h>

struct mix {
    int count;
    tess_access items[TESS_MAX_ACCESSES]; // as the caller gave them
    struct access accesses[TESS_MAX_ACCESSES]; // the same, boxes cut to the shape
};

// Checks the accesses of the caller; items NULL: the default mix.
tess_status mix_init(struct mix *mix, const tess_access *items, int count, int ndim,
                     const int64_t *shape, tess_error *err);

// Seconds of all accesses, each as often as its weight says.
double mix_predict(const struct mix *mix, const struct model *m, const struct grid_space *space,
                   const struct grid *g);

#endif
