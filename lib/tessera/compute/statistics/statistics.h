/*
 * statistics.h - what the numbers of an array are like: how many are finite, their extremes, and
 * their sum; of all of a box, and of some items.
 *
 * Sums of integers are exact. Those of floats are pairs: what was lost in adding to the first is in
 * the second. A tally of zeros is one of no items.
 *
 * Threads: functions of tallies have no state; any thread, with a tally of its own. Which items are
 * tallied together decides how a sum of floats is rounded. Workers tally the parts of their grain
 * in order; grains are added up in finish, one at a time and in order. So the sum is the same for
 * any number of threads, and no lock is needed.
 */
#ifndef COMPUTE_STATISTICS_STATISTICS_H
#define COMPUTE_STATISTICS_STATISTICS_H

#include "array/array.h"
#include "base/int128.h"

#include <tessera/dtype.h>
#include <tessera/iterate.h>

#include <stdbool.h>
#include <stdint.h>

union number {
    int64_t i;
    uint64_t u;
    double f;
};

struct tally {
    int64_t count; // items
    int64_t nonfinite; // of these
    union number min, max; // of the others, if there are any
    union {
        int128 whole; // of integers
        double parts[2]; // of floats
    } sum;
};

union number_piece;

// How items of a type are tallied.
struct number_type {
    tess_kind kind; // INT, UINT or FLOAT: the member of union number
    int32_t size;
    bool truth; // all that is not 0 counts as 1
    bool turn; // the other byte order
    void (*piece)(struct tally *t, const union number_piece *piece, int64_t n);
};

// false: items are no numbers, or of a size that this does not know.
bool number_type_init(struct number_type *type, const tess_dtype *dtype);

// Tally a box of items; the last stride is one item.
void tally_box(struct tally *t, const struct number_type *type, int ndim, const int64_t *shape,
               const int64_t *stride, const uint8_t *items);

// Tally n items like this one, n > 0.
void tally_repeat(struct tally *t, const struct number_type *type, const uint8_t *item, int64_t n);

// Tally what was tallied elsewhere.
void tally_add(struct tally *t, const struct number_type *type, const struct tally *other);

// -- of an array

// The box is inside the shape. TESS_ERR_UNSUPPORTED: the items are no numbers.
tess_status array_statistics(const tess_array *a, const int64_t *start, const int64_t *stop,
                             int64_t nitems, tess_statistics *out, struct watch *watch,
                             tess_error *err);

#endif
