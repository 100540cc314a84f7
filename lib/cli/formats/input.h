/*
 * input.h - where a command gets items from: an array, or what can be imported.
 */
#ifndef CLI_FORMATS_INPUT_H
#define CLI_FORMATS_INPUT_H

#include "cli/formats/source.h"
#include "cli/options.h"

#include <tessera/array.h>

struct input {
    // One of these.
    tess_array *array;
    struct source *source;

    bool borrowed; // the array belongs to the caller
    const char *dtype; // NULL: not known
    int32_t typesize;
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    enum walk_order order; // in which it is to be read
};

// With --dtype, --shape, --offset and --threads. End with input_close(), also after a failure.
tess_status input_open(struct input *in, const char *name, const struct arguments *args,
                       tess_error *err);

// An array that is open, and stays open.
void input_borrow(struct input *in, tess_array *a);

void input_close(struct input *in);

// The box [start, stop), which has items, into dst in C order.
tess_status input_read(struct input *in, const int64_t *start, const int64_t *stop, void *dst,
                       size_t size, tess_error *err);

#endif
