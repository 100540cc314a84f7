/*
 * seen.h - random access to random arrays through any view, against the slow reference.
 *
 * An array, or a view of it, is mirrored by a table: for each of its items, where in the array
 * behind it that item is. What is read must be what the reference has there; what is written is
 * written there.
 */
#ifndef SUPPORT_SEEN_H
#define SUPPORT_SEEN_H

#include "support/trial.h"

#include <tessera.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SEEN_MAX_NDIM 6

// An array and where its items are: reference.typesize is 8, an item is a position in code.
struct seen {
    tess_array *a;
    struct reference places;
};

struct seen_slice {
    int64_t start[TESS_MAX_NDIM], stop[TESS_MAX_NDIM], step[TESS_MAX_NDIM];
    int64_t count[TESS_MAX_NDIM]; // items along each axis
};

// An array of any kind, open for writing, seen by itself.
void seen_begin(struct trial *t, struct seen *v);
// Longer and shorter at its ends, in a random way; *cut: items are gone. False: not at all.
bool seen_resize(struct trial *t, bool shrinking, bool *cut);

// A slice of an array of this shape, empty at times, with steps of any size.
void seen_draw_slice(struct trial *t, int ndim, const int64_t *shape, struct seen_slice *slice);

// The array as it is, seen by itself.
void seen_whole(const struct trial *t, struct seen *v);
void seen_finish(struct seen *v); // the table, not the array
// All items are right.
void seen_check(struct trial *t, const struct seen *v);

// One read or write: a box, a slice, one value, points or indices per axis. The test fails if it
// fails or what is read is not what the reference has.
void seen_read(struct trial *t, const struct seen *v);
void seen_write(struct trial *t, const struct seen *v);
// The same for get_slice, and for set_slice and fill.
void seen_get_slice(struct trial *t, const struct seen *v);
void seen_set_slice(struct trial *t, const struct seen *v);
void seen_fill(struct trial *t, const struct seen *v);

#endif
