/*
 * ahead.h - the boxes of all inputs that are read box by box, wanted before they are read.
 *
 * Threads: as grid/read/boxes_ahead.h.
 */
#ifndef COMPUTE_MAP_AHEAD_H
#define COMPUTE_MAP_AHEAD_H

#include "compute/map/divide.h"
#include "compute/map/mapping.h"

struct input_ahead;

struct inputs_ahead {
    struct input_ahead *list; // one for each input; NULL: nothing was begun
    int n;
};

// kept: for each input, whether it is in memory. boxes stay as they are until the end. To be ended
// also after a failure.
tess_status inputs_ahead_begin(struct inputs_ahead *x, const struct mapping *m, const bool *kept,
                               const struct division *boxes, struct watch *watch, tess_error *err);
void inputs_ahead_end(struct inputs_ahead *x); // zeroed: fine

tess_status inputs_ahead_reach(struct inputs_ahead *x, int64_t box, tess_error *err);
void inputs_ahead_leave(struct inputs_ahead *x, int64_t box);

#endif
