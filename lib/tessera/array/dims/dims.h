/*
 * dims.h - the names of the axes of an array (names.c), the coordinates that they name, which are
 * arrays beside it, and searching in a coordinate (coord.c).
 *
 * The attribute names the axes of the base; those of a view follow from its map. Numbers are
 * compared without loss, integers with floats, too.
 *
 * Names come from files of strangers: one that could lead out of the folder names nothing. Nothing
 * is kept; any number of threads.
 *
 * To search: the coordinate is a one-dimensional array, or a view, whose values rise or fall. Items
 * are read as integers or doubles of 8 bytes. Of the array as a whole only single items are read,
 * at the beginning of runs of about a block; then one run. Whatever was read is compared with its
 * neighbours, so that values out of order are noticed there.
 *
 * A struct coord belongs to one call and its thread; what it reads is read by jobs. No lock.
 */
#ifndef ARRAY_DIMS_DIMS_H
#define ARRAY_DIMS_DIMS_H

#include "array/array.h"
#include "array/convert.h"
#include "base/error.h"
#include "base/limits.h"

#include <tessera/array.h>
#include <tessera/attr.h>
#include <tessera/dims.h>
#include <tessera/iterate.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- names.c

struct layer;

// For each axis; they point into the value. "": it has none.
struct names {
    const char *of[NDIM_MAX];
};

// TESS_ERR_TYPE: no list of names of all axes; TESS_ERR_LIMIT: a name is too long.
tess_status names_take(const tess_array *a, const tess_value *value, struct names *names,
                       tess_error *err);

// All of them in one allocation, with a NULL behind.
tess_status names_copy(const struct names *names, int ndim, const char ***out, tess_error *err);

// The attribute for so many names; NULL: none. TESS_ERR_LIMIT: one is too long.
tess_status names_pack(const char *const *names, int ndim, uint8_t **content, size_t *size,
                       tess_error *err);

// The attribute of a copy of a view, as a stored layer, allocated; NULL: as it is stored of the
// base, since it is another attribute, or holds no names.
tess_status names_of_copy(const tess_array *view, const struct layer *layer, uint8_t **chunk,
                          int32_t *cbytes, tess_error *err);

// < 0, 0 or > 0, as x is less than y, equal, or greater. Neither is NaN.
int order_compare(const tess_number *x, const tess_number *y);

// Whether y is nearer to a value than x, or as near, where x < value < y; exactly. x and y are of
// one kind. An infinite item is farther than a finite one.
bool order_is_nearer(const tess_number *x, const tess_number *value, const tess_number *y);

bool order_is_nan(const tess_number *x);

// -- names.c: the array that a name means

// Open what `name` means beside an array that has a path, for reading, as that was opened.
// context: of its calls; NULL: that of the array. TESS_ERR_NOT_FOUND: there is no such array.
tess_status beside_open(const tess_array *a, const char *name, const tess_context *context,
                        tess_array **out, tess_error *err);

// -- coord.c

struct coord {
    const tess_array *a;
    struct watch *watch;
    struct typed typed;
    tess_conversion how;
    char dtype[64]; // of items in memory
    tess_kind kind; // INT, UINT or FLOAT
    bool times; // counts, of which one stands for none
    bool falling;
    int64_t n;
    int64_t run; // items that are read at once
    tess_number first, last;
    uint8_t *items; // of a run; NULL: not needed yet
    int64_t start, stop; // which they are
};

// how: a conversion from the attributes. The struct must not be moved; end it also after a failure.
// TESS_ERR_UNSUPPORTED: no numbers or times.
tess_status coord_init(struct coord *c, const tess_array *a, const tess_conversion *how,
                       tess_error *err);
void coord_finish(struct coord *c);

// Which direction it has, by its ends: before the others below. TESS_ERR_TYPE: an end is no number.
tess_status coord_look(struct coord *c, struct watch *watch, tess_error *err);

// TESS_ERR_NOT_FOUND, TESS_ERR_TYPE.
tess_status coord_find(struct coord *c, const tess_number *value, tess_match match, int64_t *index,
                       tess_error *err);
// from, to: NULL, no bound.
tess_status coord_range(struct coord *c, const tess_number *from, const tess_number *to,
                        int64_t *start, int64_t *stop, tess_error *err);

// Reads all; not to be looked at before.
tess_status coord_order(struct coord *c, struct watch *watch, tess_order *order, tess_error *err);

#endif
