/*
 * room.h - bounds of reading ahead: a number of things, and their bytes.
 *
 * Hysteresis: refill once a quarter is free, and then to the bound. Ranges that are added one by
 * one could not be coalesced.
 */
#ifndef GRID_READ_ROOM_H
#define GRID_READ_ROOM_H

#include <stdbool.h>
#include <stdint.h>

struct room {
    int64_t most, budget; // in number, in bytes
    bool filling;
};

// Whether there is room for one more beside n of so many bytes.
static inline bool
room_is_left(struct room *r, int64_t n, int64_t size)
{
    if (n <= r->most - r->most / 4 && size <= r->budget - r->budget / 4)
        r->filling = true;
    if (n >= r->most || size >= r->budget)
        r->filling = false;
    return r->filling;
}

#endif
