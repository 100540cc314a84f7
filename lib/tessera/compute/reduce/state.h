/*
 * state.h - what is known so far of the items of a box of cells.
 *
 * A state belongs to one thread at a time. Which pieces go into one state, and in which order
 * states are merged, decides how sums of floats are rounded: the caller makes both independent of
 * threads.
 */
#ifndef COMPUTE_REDUCE_STATE_H
#define COMPUTE_REDUCE_STATE_H

#include "base/error.h"
#include "compute/reduce/cells.h"
#include "compute/reduce/prepare.h"
#include "compute/reduce/squares.h"

struct state {
    const struct gathering *g;
    const struct cells *cells;
    int64_t first[NDIM_MAX], n[NDIM_MAX]; // the cells; C order
    int64_t ncells;
    int64_t waiting; // items in low and high

    // Each NULL unless the gathering has it.
    int128 *whole; // GATHER_WHOLE, GATHER_WHOLE_SQUARES: the sum, with
    int64_t *low, *high; // what was added since; `high` only for GATHER_WHOLE
    int128 *whole_squares; // GATHER_WHOLE_SQUARES, with
    uint64_t *square_low, *square_high; // what was added since
    double *sum, *lost; // GATHER_FLOAT
    uint8_t *best; // GATHER_LEAST, GATHER_GREATEST: numbers
    double *weight, *shift, *squares; // GATHER_SQUARES, with `sum`: as in struct squares
    int64_t *missing; // NaNs
    uint8_t *memory;
};

// Bytes that a cell takes.
int64_t state_cell_size(const struct gathering *g);

// The cells [first, last), without items yet. TESS_ERR_NOMEM.
tess_status state_init(struct state *s, const struct gathering *g, const struct cells *cells,
                       const int64_t *first, const int64_t *last, tess_error *err);
void state_finish(struct state *s); // zeroed: fine

// Take in the numbers of the box [start, stop), in C order without gaps, which the cells hold;
// mask as from gathering_prepare(). TESS_ERR_NOMEM.
tess_status state_add(struct state *s, const int64_t *start, const int64_t *stop,
                      const void *numbers, const uint8_t *mask, tess_error *err);

// The same for a box of items that are all like the one number.
void state_add_equal(struct state *s, const int64_t *start, const int64_t *stop, const void *number,
                     const uint8_t *mask);

// Take in what another one has, whose cells this one has, too.
void state_merge(struct state *s, const struct state *other);

// Add low and high to the sums that have more bits.
void state_settle(struct state *s);

#endif
