/*
 * input.h - where a command gets items from: an array, or what can be imported.
 */
#ifndef TESS_FORMATS_INPUT_H
#define TESS_FORMATS_INPUT_H

#include "formats/source.h"
#include "options.h"

#include <tessera/array.h>
#include <tessera/convert.h>

struct input {
    // One of these.
    tess_array *array;
    struct source *source;

    bool borrowed; // the array belongs to the caller
    const char *dtype; // NULL: not known
    int32_t typesize;
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    enum box_walk_order order; // in which it is to be read
    int32_t swapped; // bytes of the words whose bytes change places; 0: none do

    // Set by input_adapt(): items are read as doubles, and encoded for the array when written.
    bool converted;
    tess_conversion read, write;
    bool rounds; // the array has integers
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

/*
 * Compare the attributes of input and array that are about items: missing values, bounds, scale and
 * offset. If they differ, items that are read from now on are converted: dtype and typesize become
 * those of doubles, and `misfit` applies to items that do not fit. TESS_ERR_ARG if they cannot be
 * converted: the message names the attribute. `info` describes the items of the array that are
 * written. Call it before the first box is read.
 */
tess_status input_adapt(struct input *in, const tess_array *a, const tess_info *info, int misfit,
                        tess_error *err);

// TESS_ERR_ARG if input_adapt() would convert or refuse the items of `from` for `to`.
tess_status input_compare(tess_array *from, const tess_array *to, const tess_info *info,
                          tess_error *err);

// Read the box [start, stop), which is not empty, into dst in C order.
tess_status input_read(struct input *in, const int64_t *start, const int64_t *stop, void *dst,
                       size_t size, tess_error *err);
// Write items of the type of the input to a box of an array. strides NULL: in C order.
tess_status input_write(const struct input *in, tess_array *a, const int64_t *start,
                        const int64_t *stop, const void *items, size_t size, const int64_t *strides,
                        tess_error *err);

// Part of input_read(): reads from an input whose items are converted.
tess_status input_read_converted(const struct input *in, const int64_t *start, const int64_t *stop,
                                 void *dst, size_t size, tess_error *err);

#endif
