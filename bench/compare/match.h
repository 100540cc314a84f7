/*
 * match.h - the libraries side by side on one array: who does which cell when, and for how long.
 *
 * In a round all players do the same work on the same positions, one after the other, into the same
 * memory. The first round is not counted; what it gave is compared between the players. Cells that
 * change an array have one of their own.
 */
#ifndef COMPARE_MATCH_H
#define COMPARE_MATCH_H

#include "result.h"
#include "side.h"
#include "workloads.h"

#include <stdbool.h>

struct match_rules {
    int repeats; // at least so many rounds,
    double budget; // and so many seconds per player;
    double patience; // but a player that has spent these is not asked again
    // Seconds of this process instead of the clock on the wall: for one thread, on a machine with
    // other work. What is waited for does not count then.
    bool cpu_time;
    bool limit; // also what is possible, on one thread,
    bool liblz4; // and there LZ4 is decoded by its library
};

struct match;

// Every player has the array, made of src, in memory or in a file of the directory dir. A side that
// is NULL, or cannot, does not play. src, array and rules stay.
struct match *match_new(const struct side *const *sides, const struct side_array *array,
                        const char *dir, const void *src, const struct match_rules *rules);
void match_free(struct match *m);

// Fills numbers and remark of *r.
void match_play(struct match *m, const struct work *work, struct result *r);

#endif
