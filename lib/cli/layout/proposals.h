/*
 * proposals.h - the grids that are worth measuring.
 *
 * From some grids to start with, each step goes to the neighbour that the model finds cheapest,
 * until there is none cheaper. Starting points are those the caller knows (the automatic layout,
 * what others would do, what the array has) and for each access one whose blocks have the form of
 * its box. What was looked at on the way and is nearly as cheap is kept, too, since the model is
 * rough.
 */
#ifndef CLI_LAYOUT_PROPOSALS_H
#define CLI_LAYOUT_PROPOSALS_H

#include "cli/layout/grid.h"
#include "cli/layout/uses.h"

#define PROPOSALS_MAX 64

struct proposal {
    struct grid grid;
    double predicted; // seconds of the mix
};

struct proposals {
    int count;
    struct proposal items[PROPOSALS_MAX]; // the cheapest first
};

void proposals_make(struct proposals *p, const struct model *model, const struct uses *mix,
                    const struct grid_space *space, const struct grid *starts, int nstarts);

#endif
