/*
 * sample.h - a part of an array that stands for all of it, in memory.
 *
 * An array that is not larger than the sample may be is taken as it is. Of a larger one the longest
 * axes are shortened, and from a shortened axis pieces are taken at equal distances, so that the
 * sample has something of everywhere. Without data there is a smooth field with noise in it.
 */
#ifndef CLI_LAYOUT_SAMPLE_H
#define CLI_LAYOUT_SAMPLE_H

#include <tessera/params.h>

#include <stdbool.h>
#include <stdint.h>

// Reads the box [start, stop) of an array into dst, in C order.
typedef tess_status sample_read_fn(void *from, const int64_t *start, const int64_t *stop, void *dst,
                                   size_t size, tess_error *err);

struct sample {
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    bool whole; // it is the array
    size_t size; // bytes
    uint8_t *items; // in C order
};

// `size` bytes are as many as it may have. End it with sample_close(), also after a failure.
tess_status sample_take(struct sample *s, const tess_params *array, int64_t size,
                        sample_read_fn *read, void *from, tess_error *err);

// The same without an array.
tess_status sample_invent(struct sample *s, const tess_params *array, int64_t size,
                          tess_error *err);

void sample_close(struct sample *s);

#endif
