/*
 * after.h - what must hold after a step of a story that failed, with the disk in order again.
 *
 * The step says so with a status, a sentence and errno. The array in memory is as it was before,
 * and on the disk there is the last commit or the one that failed, whole; a step that makes a file
 * leaves none, and what was there as it was. A flush commits all that is in memory.
 */
#ifndef FAULT_AFTER_H
#define FAULT_AFTER_H

#include "fault/story.h"

#include <stdbool.h>

// A story, while things fail.
struct after {
    struct story s;
    int sys; // errno of the failures
    bool helpless; // what is made cannot be removed again, nor names be given back
    bool plain; // names cannot be exchanged: a file that was renamed over another stays
    const char *step; // the one that is made
    char failure[100]; // what failed, for people
    int64_t told; // steps that failed
};

// Ends the test.
void after_complain(const struct after *t, const char *what);

// The step failed with that. False: the story cannot go on, since what it left cannot be removed.
bool after_failure(struct after *t, tess_status st, const tess_error *err);

// Memory, disk, and a flush, whether a step failed or not.
void after_check(struct after *t);

// Files of this process that are open.
int after_count_open(void);

#endif
