/*
 * add.h - numbers added to chosen items of a block.
 *
 * Items are added in the order of the picks, each one by itself: an item that is picked three times
 * gets three additions, and the sum of floats is rounded after each. What the rules are,
 * tessera/select.h says.
 *
 * Functions without state: any thread. A struct addition does not change once it is made.
 */
#ifndef SELECT_ADD_H
#define SELECT_ADD_H

#include "base/error.h"
#include "select/selection.h"

#include <tessera/dtype.h>

struct addition;

// Add the items of the caller to the picked ones, which have the length 1. Returns how many picks
// were done: all, or those before the first whose sum does not fit.
typedef int64_t add_fn(uint8_t *items, const struct pick *picks, int64_t n,
                       const struct addition *add);

struct addition {
    add_fn *add;
    add_fn *subtract; // undoes additions of integers that fitted; NULL: all fit
    const uint8_t *src; // of the caller
    int64_t src_step; // bytes from an item to the next; 0: one for all
    int misfit; // a tess_misfit
    tess_dtype dtype;
    const char *name; // of the type, for messages
    const int64_t *coords; // of the points, for messages
    int ndim;
};

// Set the first two, and dtype; false: items of the type, of `typesize` bytes, are no numbers.
bool addition_init(struct addition *a, const char *dtype, int32_t typesize, int misfit);

// The additions of a block. On failure its items are as they were.
tess_status add_picks(const struct addition *a, const struct selection *s, const struct part *block,
                      uint8_t *items, tess_error *err);
// Undo them, which all fitted.
void subtract_picks(const struct addition *a, const struct selection *s, const struct part *block,
                    uint8_t *items);

#endif
