/*
 * work.h - calls of the library that take long: a progress bar, and signals that cancel them.
 *
 * Loops of the command's own have a bar of progress.h.
 */
#ifndef TESS_TEXT_WORK_H
#define TESS_TEXT_WORK_H

#include "text/progress.h"

#include <tessera/array.h>
#include <tessera/context.h>

enum work_kind {
    WORK_ENDS, // a bar; a signal ends the program
    WORK_CANCELS, // a bar; a signal cancels the call, which puts back what it did
    WORK_CANCELS_STEP // the same of calls that are steps of a loop, which has the bar
};

struct work {
    enum work_kind kind;
    struct progress progress;
    tess_array *array; // that is followed, or NULL
};

// The struct must not move until work_end(). Calls follow each other; each fills the bar once.
void work_begin(struct work *w, enum work_kind kind);

// Follow the calls that get this context, or the calls on an open array; at most one array.
void work_follow(struct work *w, tess_context *context);
void work_follow_array(struct work *w, tess_array *a);

// The bar is removed; calls on the array are no longer followed. A zeroed struct: nothing.
void work_end(struct work *w);

// The status of such a call, in the words of a program that was interrupted.
tess_status work_status(tess_status st, tess_error *err);

#endif
