/*
 * coord.h - searching in a coordinate: a one-dimensional array, or a view, whose values rise or
 * fall.
 *
 * Items are read as integers or doubles of 8 bytes. Of the array as a whole only single items are
 * read, at the beginning of runs of about a block; then one run. Whatever was read is compared with
 * its neighbours, so that values out of order are noticed there.
 *
 * A struct coord belongs to one call and its thread; what it reads is read by jobs. No lock.
 */
#ifndef ARRAY_DIMS_COORD_H
#define ARRAY_DIMS_COORD_H

#include "array/array.h"
#include "array/convert.h"

#include <tessera/dims.h>

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
