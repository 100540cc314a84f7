/*
 * subject.h - a random array, and all that is done to it in front of NumPy.
 */
#ifndef NUMPY_SUBJECT_H
#define NUMPY_SUBJECT_H

#include "support/draw.h"
#include "support/random.h"

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SUBJECT_MAX_NDIM = 6, SUBJECT_CHOSEN_MAX = 300, SUBJECT_ITEM_MAX = 16 };

struct subject {
    struct random *random;
    const char *folder; // for files
    int64_t number; // of the case, in the names of its files
    int nfiles;
    struct draw_type type;
    tess_context context;
    tess_storage storage; // of the array
    char path[1000]; // of the array; "": in memory
    tess_array *a;
    tess_array *target; // the array, or a view of it
    int ndim; // of the target
    int64_t shape[TESS_MAX_NDIM];
};

struct slice {
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
    int64_t count[TESS_MAX_NDIM]; // items along each axis
};

// In subject.c: what all that is done has in common.

int64_t subject_below(struct subject *s, int64_t n);
bool subject_one_in(struct subject *s, int64_t n);
void *subject_memory(size_t size); // no larger, so that tools see what goes beyond
// Items to be written: numbers one would sum, or any bytes.
void subject_items(struct subject *s, uint8_t *dst, int64_t n);
// A path for another array, which may be a directory.
void subject_path(struct subject *s, char *path, size_t size);
// The target is another one, or has another shape.
void subject_look(struct subject *s, tess_array *target);
// Steps of any sign, or always 1; empty at times.
void subject_slice(struct subject *s, bool box, struct slice *slice);
void subject_tell_slice(int ndim, const struct slice *slice);

// One selection, and what came of it. What changes a shape needs the array itself as target.
void subject_read(struct subject *s); // reads.c
void subject_write(struct subject *s); // writes.c
void subject_reshape(struct subject *s);
void subject_copy(struct subject *s); // copies.c

// In memory.c: memory with strides of any sign.

struct memory {
    uint8_t *bytes; // of `size`
    size_t size;
    int64_t offset; // of the first item
    int64_t strides[TESS_MAX_NDIM];
    const int64_t *given; // the strides, or NULL
};

// Items of a source may lie over each other.
void memory_init(struct subject *s, const int64_t *count, bool source, struct memory *m);
void memory_tell(const struct subject *s, const struct memory *m);
void memory_finish(struct memory *m);

#endif
