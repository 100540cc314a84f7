/*
 * kernels.h - rows of numbers, reduced into cells.
 *
 * A kernel gets rows of n items, `stride` items apart, in the byte order of the machine, a group
 * size f and a width w, whose product divides n: item k of each row belongs to cell
 * k / (f * w) * w + k % w. With w = 1 that is k / f, so f = 1 adds rows to each other, and f = n
 * makes one number of them. A larger w is the length of trailing axes of factor 1, as of colours.
 *
 * Functions without state: any thread, with cells of its own. Plain C, in loops that compilers make
 * vectors of. All are in loops.h, once, and are compiled for each set of instructions.
 */
#ifndef COMPUTE_REDUCE_KERNELS_H
#define COMPUTE_REDUCE_KERNELS_H

#include <tessera/dtype.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum numeric {
    NUMERIC_I1,
    NUMERIC_I2,
    NUMERIC_I4,
    NUMERIC_I8,
    NUMERIC_U1,
    NUMERIC_U2,
    NUMERIC_U4,
    NUMERIC_U8,
    NUMERIC_F4,
    NUMERIC_F8,
    NUMERIC_NONE,
};

// The first of the cells that a kernel works on; which of the members, it says.
struct cell_row {
    int64_t *low, *high;
    uint64_t *square_low, *square_high;
    double *sum, *lost;
    double *squares, *shift;
    uint8_t *best;
};

enum { RUN_GROUP_MAX = 128 }; // f * w, unless w = 1

typedef void reduce_fn(const struct cell_row *to, const void *src, int64_t nrows, int64_t stride,
                       int64_t n, int64_t f, int64_t w);

// low += items; of those of 8 bytes, low += the low 32 bits, and high += the others, with sign. No
// overflow as long as a cell gets less than 2^31 items. Not of floats.
reduce_fn *kernel_sum_whole(enum numeric number);
// sum + lost += items of floats. At most 8 items are added without keeping what that loses.
reduce_fn *kernel_sum_float(enum numeric number);
// best = the least or greatest; best has items of the type. Not of floats (prepare.c).
reduce_fn *kernel_extreme(enum numeric number, bool greatest);
// low += items; of their squares, square_low += all 64 bits, without carry, and square_high += the
// high 32 bits. Of integers of at most 4 bytes; items of at most 2 leave square_high as it is, and
// their sums of squares need no carry. No overflow as long as a cell gets less than 2^31 items.
reduce_fn *kernel_squares_whole(enum numeric number);
// sum += item - shift, squares += (item - shift)^2 of floats, with plain additions; skip_nan: NaNs
// count as the shift.
reduce_fn *kernel_squares_float(enum numeric number, bool skip_nan);
// shift = an item of floats, unless that is NaN, infinite or huge.
reduce_fn *kernel_shift(enum numeric number);

// Whether there is a NaN among n floats of 2, 4 or 8 bytes; if so, mask tells for each.
typedef bool nans_fn(const void *items, size_t n, uint8_t *mask);
nans_fn *kernel_nans(int32_t size);
// Bits of floats to integers in the same order, or back, in place.
typedef void order_fn(void *items, size_t n);
order_fn *kernel_order(int32_t size);

// All of them, for a set of instructions; the functions above choose for this machine.
struct reduce_kernels {
    reduce_fn *sum_whole[NUMERIC_F4], *least[NUMERIC_F4], *greatest[NUMERIC_F4];
    reduce_fn *squares_whole[NUMERIC_F4]; // NULL for those of 8 bytes
    reduce_fn *sum_float[2], *squares_float[2], *squares_present[2], *shift[2]; // f4, f8
    nans_fn *nans[3]; // of 2, 4 and 8 bytes
    order_fn *order[3];
};

extern const struct reduce_kernels reduce_kernels_c;
extern const struct reduce_kernels reduce_kernels_avx2; // where the build has it

// For a machine with these features (base/cpu.h).
const struct reduce_kernels *reduce_kernels_for(unsigned cpu);

#endif
