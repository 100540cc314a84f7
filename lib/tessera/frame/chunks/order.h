/*
 * order.h - which stored chunk stands behind another one in the file.
 *
 * The header of a chunk says how long it is; before that is read, the chunk that stands behind it
 * bounds its length. Mostly that is the one that is next in the list. Chunks that were written or
 * replaced in another order, and lists where few chunks are stored, need the positions, sorted.
 *
 * Part of a frame. Filled when a frame is opened for reading only, whose list does not change; then
 * any number of threads may call order_behind().
 */
#ifndef FRAME_CHUNKS_ORDER_H
#define FRAME_CHUNKS_ORDER_H

#include <stddef.h>
#include <stdint.h>

struct frame_index;

// Zeroed: nothing is known but the list.
struct order {
    int64_t *entries; // of all stored chunks, ascending; NULL: the list tells
    size_t n;
};

enum { ORDER_UNKNOWN = -2, ORDER_LAST = -1 };

void order_learn(struct order *x, const struct frame_index *list); // without memory: not known
void order_finish(struct order *x); // zeroed: fine

// The entry of the chunk behind that of place n, which is `entry` >= 0; ORDER_LAST: there is none.
int64_t order_behind(const struct order *x, const struct frame_index *list, int64_t n,
                     int64_t entry);

#endif
