/*
 * hand.h - what programs have without the operations that are timed: reads and writes of boxes.
 */
#ifndef SELECTIONS_HAND_H
#define SELECTIONS_HAND_H

#include "job.h"

#include <tessera.h>

// End the program unless a call of Tessera was fine.
void must(tess_status status, const tess_error *err);

void hand_read(const void *a, const int64_t *start, const int64_t *stop, float *dst);
void hand_read_item(const void *a, int64_t i, int64_t k, int64_t m, float *dst);
void hand_write(void *a, const int64_t *start, const int64_t *stop, const float *src);

// All items of an array of the job's shape.
void hand_read_all(const struct turn *t, float *dst);
void hand_write_all(const struct turn *t, const float *src);

// A new array like the job's, of another shape.
void *hand_new(const struct turn *t, const int64_t *shape);

// The box of a chunk; false behind the last one.
bool hand_chunk(const struct side_array *array, int64_t number, int64_t *start, int64_t *stop);

// Copy the items of a box [start, stop) to another array, whose index is larger by shift; in pieces
// that each lie in one chunk there.
void hand_move(const struct turn *t, const void *from, const int64_t *start, const int64_t *stop,
               void *to, const int64_t *shift);

// t->made becomes a new array with that of the turn twice, along an axis.
void hand_twice(struct turn *t, int axis);

// Items of a box [start, stop).
int64_t hand_count(const int64_t *start, const int64_t *stop);

#endif
