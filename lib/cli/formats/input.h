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
    int32_t swapped; // bytes of the words whose bytes change places; 0: none do
};

// With --dtype, --shape, --offset and --threads. End with input_close(), also after a failure.
tess_status input_open(struct input *in, const char *name, const struct arguments *args,
                       tess_error *err);

// An array that is open, and stays open.
void input_borrow(struct input *in, tess_array *a);

// Whether two paths lead to the same file or directory.
bool input_is_same_file(const char *a, const char *b);

void input_close(struct input *in);

// From now on items are read in the byte order of an array. TESS_ERR_ARG if they are not of its
// type otherwise.
tess_status input_match(struct input *in, const tess_info *info, tess_error *err);

// The box [start, stop), which has items, into dst in C order.
tess_status input_read(struct input *in, const int64_t *start, const int64_t *stop, void *dst,
                       size_t size, tess_error *err);

#endif
