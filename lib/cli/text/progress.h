/*
 * progress.h - a progress bar for work that takes long, with an estimate of the time that is left.
 */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool wanted, shown;
    double total, done;
    double ahead; // of the next progress_add(), what progress_within() told
    double begun, next; // when it began, and when it is drawn next, in seconds
};

// total: the amount of work, in any unit.
void progress_begin(struct progress *p, double total);
void progress_add(struct progress *p, double done);
// Of what progress_add() will add next, so much is done. Never goes back.
void progress_within(struct progress *p, double done);

// Wipes the bar.
void progress_end(struct progress *p);

#endif
