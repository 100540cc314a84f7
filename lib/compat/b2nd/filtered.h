/*
 * filtered.h - items of an array whose context has a postfilter of the program.
 */
#ifndef COMPAT_B2ND_FILTERED_H
#define COMPAT_B2ND_FILTERED_H

#include <b2nd.h>

// Read the box [start, stop), which has items, to the begin of a buffer of that shape. The array is
// locked for reading (array.h), and decoded by its context (content.h). Returns a code.
int nd_read_filtered(const b2nd_array_t *array, const int64_t *start, const int64_t *stop,
                     void *buffer, const int64_t *shape);

#endif
