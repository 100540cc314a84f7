/*
 * cells.h - random arrays of numbers, and their items in cells, slow and obvious: for reductions
 * and downsampling.
 */
#ifndef SUPPORT_CELLS_H
#define SUPPORT_CELLS_H

#include "support/random.h"

#include <tessera.h>

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef __int128 wide;

// An item: as an integer, and as a float, which is what it is.
struct number {
    wide whole;
    long double real;
    bool is_real;
};

struct number number_of(const tess_dtype *dtype, const uint8_t *item);
long double number_real(const struct number *x);

// A random array, or a view of one, and its items.
struct subject {
    tess_array *a, *base;
    tess_context context;
    tess_dtype dtype;
    int ndim;
    int64_t shape[TESS_MAX_NDIM];
    int64_t nitems;
    uint8_t *items; // C order
};

void subject_open(struct subject *s, struct random *r);
void subject_close(struct subject *s);

// Cells of so many items along each axis, in C order; 0: one cell, which has no items.
struct cells_walk {
    int ndim;
    int64_t n[TESS_MAX_NDIM];
};

bool cells_walk_begin(struct cells_walk *w, const struct subject *s, const int64_t *factors,
                      int64_t *index);
bool cells_walk_next(const struct cells_walk *w, int64_t *index);

// The items of a cell, without NaNs if these are skipped.
struct cell {
    struct number *items;
    int64_t n;
    int64_t all; // NaNs included
    bool real, sign;
};

void cell_collect(struct cell *c, const struct subject *s, const int64_t *factors,
                  const int64_t *index, bool skip_nan);
void cell_finish(struct cell *c);

// The least or greatest; NaN if one of them is, or there is none.
struct number cell_extreme(const struct cell *c, bool greatest);

#endif
