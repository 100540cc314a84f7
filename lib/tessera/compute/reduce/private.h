/*
 * private.h - what the units of reductions share, in the order in which items go through them:
 * parts of an array, numbers, states of cells, results.
 *
 * What makes a grain depends on the array and the reduction alone, not on threads or memory. A
 * state belongs to one thread at a time. Which pieces go into one state, and in which order states
 * are merged, decides how sums of floats are rounded: the caller makes both independent of threads.
 * All else are functions without state; memory belongs to the caller. No I/O, no lock.
 */
#ifndef COMPUTE_REDUCE_PRIVATE_H
#define COMPUTE_REDUCE_PRIVATE_H

#include "base/error.h"
#include "base/int128.h"
#include "compute/reduce/kernels.h"
#include "compute/reduce/reduce.h"

#include <tessera/dtype.h>

#include <float.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// -- in which parts an array is reduced: tiles of the result, grains of a tile, pieces of a grain

struct granularity {
    const struct reduction *r;
    int64_t chunk[NDIM_MAX]; // of the source
    int64_t piece[NDIM_MAX]; // blocks of a chunk that are read at once
    int64_t grain[NDIM_MAX]; // of the array; work of one thread
    bool split; // a cell may be in several grains
    size_t piece_nitems;
};

void divide_source(struct granularity *d, const struct reduction *r);

// Cells of a tile: as many as half of tess_context.memory holds; whole chunks of the new array if
// possible, and small ones are joined, up to 64 MiB of the source.
void divide_result(const struct granularity *d, const tess_array *out, int64_t *tile);

// -- items as they are stored, made into numbers that kernels reduce

// false: items are no numbers, or of a size that is not known. truth: as bool.
bool gathering_init(struct gathering *g, enum gather_kind kind, const tess_dtype *dtype, bool truth,
                    bool skip_nan);

/*
 * Make n items into numbers; *numbers receives where they are: in `items`, which may change, or in
 * `room`, of n * size bytes. NULL: there is nothing to reduce. *mask: NULL, or n bytes of
 * `mask_room`: 1 for each NaN.
 */
void gathering_prepare(const struct gathering *g, uint8_t *items, size_t n, uint8_t *room,
                       uint8_t *mask_room, const void **numbers, const uint8_t **mask);

// A number of an extreme of floats as an item again: in the byte order of the machine, in place.
void gathering_unorder(const struct gathering *g, uint8_t *numbers, size_t n);

/*
 * The variance of the items of a cell, from their sum and the sum of their squares.
 *
 * For floats, both sums are of (item - shift). The shift is a number near the mean: then one pass
 * over the items loses no more digits than two. Nothing is divided before the end, so the variance
 * of small whole numbers is exact, in whatever order they are added.
 */

struct squares {
    double weight; // items
    double shift; // finite
    double sum, squares; // of (item - shift)
};

// A shift is replaced when the mean is more standard deviations away from it than this. Rounding
// errors grow with the square of that distance. With 1, the shift of a ramp was replaced again and
// again, and the variance of f4 along axis 0 took twice as long.
enum { SQUARES_FAR = 4 };

// Whether the mean is that far from the shift. False for infinite sums and NaNs.
static inline bool
squares_are_far(double weight, double sum, double squares)
{
    const double product = sum * sum, near = SQUARES_FAR * SQUARES_FAR;
    return ((near + 1) * product > near * weight * squares) & (product <= DBL_MAX);
}

// What is to be added to a shift that is far from the mean.
double squares_distance(const struct squares *a);

// Replace the shift if the mean is far from it.
void squares_center(struct squares *a);

// Add the items of b to a.
void squares_join(struct squares *a, const struct squares *b);

// The squares are divided by the number of items - ddof. NaN if an item was NaN or infinite, or if
// there are at most ddof items.
double squares_variance(const struct squares *a, int64_t ddof);

// The same for n integers of at most 32 bits. For n < 2^31, and if the squares of (item - mean)
// have a sum below 2^63, the result is the quotient of two exact integers.
double squares_whole_variance(int128 sum, int128 squares, int64_t n, int64_t ddof);

// -- what is known so far of the items of a box of cells

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

// -- of a state, for the units that take in items

// Call the kernel for all numbers of a box, which stand in C order without gaps, in runs. base: the
// first cell of the state; `best` has numbers of that size.
void state_run(const struct state *s, const int64_t *start, const int64_t *stop, reduce_fn *fn,
               const struct cell_row *base, const void *numbers, size_t size);

// Cells that follow each other and have as many items of the box.
struct cell_run {
    int64_t at; // the first, in the state
    int64_t other; // and in the box
    int64_t n;
    int64_t nitems; // of each
};

typedef void state_cell_fn(struct state *s, const struct cell_run *run, const void *what);

// Call the function for all cells of a box of items.
void state_each_cell(struct state *s, const int64_t *start, const int64_t *stop, state_cell_fn *fn,
                     const void *what);

// The squares of a cell of GATHER_SQUARES.
static inline struct squares
state_squares(const struct state *s, int64_t at)
{
    return (struct squares){s->weight[at], s->shift[at], s->sum[at], s->squares[at]};
}

void state_join_squares(struct state *s, int64_t at, const struct squares *other);
// state_add() of GATHER_SQUARES.
tess_status state_add_squares(struct state *s, const int64_t *start, const int64_t *stop,
                              const void *numbers, const uint8_t *mask, tess_error *err);

// -- from a state to the items of a new array

// The items of all cells, in C order with these strides of bytes. TESS_ERR_LIMIT: a sum needs more
// than 64 bits.
tess_status result_give(const struct result *r, struct state *s, uint8_t *items,
                        const int64_t *strides, tess_error *err);

#endif
