/*
 * work.h - calls that change an array: a progress bar, and signals that cancel them.
 *
 * A call that is cancelled leaves the array as it was.
 */
#ifndef CLI_WORK_H
#define CLI_WORK_H

#include "cli/text/progress.h"

#include <tessera/array.h>

struct work {
    tess_array *array;
    struct progress progress;
};

// From now on, calls on the array are followed. It must not move until work_end().
void work_begin(struct work *w, tess_array *a);
void work_end(struct work *w);

// The status of such a call, in the words of a program that was interrupted.
tess_status work_status(tess_status st, tess_error *err);

#endif
