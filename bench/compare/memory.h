/*
 * memory.h - how much memory does a read take, besides its destination?
 *
 * Each read happens in a process of its own, which opens the file first; what its resident memory
 * grows by at most is the figure. It is as fine as the kernel counts: some pages. The code of all
 * libraries is resident before.
 */
#ifndef COMPARE_MEMORY_H
#define COMPARE_MEMORY_H

#include "result.h"
#include "side.h"

#include <stdint.h>

void memory_header(void);

// A line for each read of the array with `array->threads` threads. *r says codec, filter, threads.
void memory_play(const struct side *const *sides, const struct side_array *array, const char *dir,
                 const void *src, uint64_t seed, const struct result *r);

#endif
