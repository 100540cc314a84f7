/*
 * proposals.h - the grids that are worth measuring.
 *
 * From some grids to start with, each step goes to the neighbour that the model finds cheapest,
 * until there is none cheaper. Starting points are those the caller knows (the automatic layout,
 * that of python-blosc2, what the array has) and for each access one whose blocks have the form of
 * its box. Grids met on the way that are nearly as cheap are kept, too, since the model is
 * rough.
 */
#ifndef LAYOUT_PROPOSALS_H
#define LAYOUT_PROPOSALS_H

#include "layout/grids.h"
#include "layout/mix.h"

#define PROPOSALS_MAX 64

struct proposal {
    struct grid grid;
    double predicted; // seconds of the mix
};

struct proposals {
    int count;
    struct proposal items[PROPOSALS_MAX]; // the cheapest first
};

// The model has a decoding speed already; at least one grid to start with, the first of which has
// the shapes that are fixed.
void proposals_make(struct proposals *p, const struct model *model, const struct mix *mix,
                    const struct grid_space *space, const struct grid *starts, int nstarts);

#endif
