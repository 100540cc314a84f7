/*
 * many.h - many small chunks: does the next one cost what the first cost?
 *
 * A file of float32, chunks of 4 KiB, one block each, grows by one chunk at a time; then it is
 * opened and one item is read.
 */
#ifndef COMPARE_MANY_H
#define COMPARE_MANY_H

#include "result.h"
#include "side.h"

#include <stdint.h>

// The cells; print() gets each of them. *r says codec, filter and threads.
enum { MANY_EARLY, MANY_LATE, MANY_ALL, MANY_OPEN, MANY_CELLS };

// Fills cells[MANY_CELLS], of at least 2,000 appends per side. Sides may be NULL.
void many_play(const struct side *const *sides, const struct side_array *array, const char *dir,
               int64_t appends, const struct result *r, struct result *cells);

// The array, before its first append.
void many_array(struct side_array *array);

#endif
