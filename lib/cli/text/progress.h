/*
 * progress.h - a progress bar for work that takes long.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <tessera/array.h>
#include <tessera/context.h>

#include <stdbool.h>
#include <stdint.h>

struct progress {
    bool wanted, shown;
    double total, done;
    double next; // when it is drawn next, in seconds
};

// total: the amount of work, in any unit.
void progress_begin(struct progress *p, double total);
void progress_add(struct progress *p, double done);

// The same for calls of the library, whose context it is given to: one call after the other, of
// which each has `total` to itself. A tess_progress_fn.
bool progress_hear(int64_t done, int64_t total, void *progress);
// A bar for the calls on an array with that context.
void progress_follow(struct progress *p, tess_context *context);
// A function for the calls on an open array from here on; NULL: none.
void progress_set(tess_array *a, tess_progress_fn *progress, void *user);

// Wipes the bar.
void progress_end(struct progress *p);

#endif
