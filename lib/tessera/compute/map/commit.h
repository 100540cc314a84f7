/*
 * commit.h - a mapping whose outputs are arrays that others may use: all of them change at its end,
 * or none.
 *
 * Calls that change chunks of one of the outputs, or write to them, wait for each other
 * (grid/write/turns.h). Inputs are read as any reader does; an array that is input and output shows
 * what it had before, since what is staged is in no list of chunks.
 */
#ifndef COMPUTE_MAP_COMMIT_H
#define COMPUTE_MAP_COMMIT_H

#include "compute/map/mapping.h"

// The box of the mapping has items; no two outputs have the same grid. Their `staged` is set here.
tess_status map_commit(struct mapping *m, struct watch *watch, tess_error *err);

#endif
