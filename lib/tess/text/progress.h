/*
 * progress.h - a progress bar for long operations, with an estimate of the remaining time.
 */
#ifndef TESS_TEXT_PROGRESS_H
#define TESS_TEXT_PROGRESS_H

#include <stdbool.h>

struct progress {
    bool wanted, shown;
    double total, done;
    double ahead; // part of the next progress_add() that progress_within() has reported
    double begun, next; // times of the start and of the next redraw, in seconds
};

// total: the amount of work, in any unit.
void progress_begin(struct progress *p, double total);
void progress_add(struct progress *p, double done);
// Report that `done` of the next progress_add() is done. The bar never moves back.
void progress_within(struct progress *p, double done);

// Wipes the bar.
void progress_end(struct progress *p);

#endif
