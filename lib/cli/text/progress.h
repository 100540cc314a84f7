/*
 * progress.h - a progress bar for work that takes long.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool wanted, shown;
    double total, done;
    double next; // when it is drawn next, in seconds
};

// total: the amount of work, in any unit.
void progress_begin(struct progress *p, double total);
void progress_add(struct progress *p, double done);

// Wipes the bar.
void progress_end(struct progress *p);

#endif
