/*
 * kernels.h - rows of numbers, reduced into cells.
 *
 * A kernel gets rows of n items, `stride` items apart, in the byte order of the machine, and a
 * group size f that divides n: item k of each row belongs to cell k / f. So f = 1 adds rows to each
 * other, and f = n makes one number of them.
 *
 * Functions without state: any thread, with cells of its own. Plain C, in loops that compilers make
 * vectors of.
 */
#ifndef COMPUTE_KERNELS_H
#define COMPUTE_KERNELS_H

#include <tessera/dtype.h>

#include <stdbool.h>
#include <stdint.h>

enum numeric {
    NUMBER_I1,
    NUMBER_I2,
    NUMBER_I4,
    NUMBER_I8,
    NUMBER_U1,
    NUMBER_U2,
    NUMBER_U4,
    NUMBER_U8,
    NUMBER_F4,
    NUMBER_F8,
    NUMBER_NONE,
};

// The first of the cells that a kernel works on; which of the members, it says.
struct cell_row {
    int64_t *low, *high;
    double *sum, *lost;
    const double *mean;
    uint8_t *best;
};

typedef void reduce_fn(const struct cell_row *to, const void *src, int64_t nrows, int64_t stride,
                       int64_t n, int64_t f);

// low += items; of those of 8 bytes, low += the low 32 bits, and high += the others, with sign. No
// overflow as long as a cell gets less than 2^31 items. NULL: floats.
reduce_fn *kernel_sum_whole(enum numeric number);
// sum + lost += items of floats. At most 8 items are added without keeping what that loses.
reduce_fn *kernel_sum_float(enum numeric number);
// best = the least or greatest; best has items of the type. NULL: floats (prepare.h).
reduce_fn *kernel_extreme(enum numeric number, bool greatest);
// sum += (item - mean)^2 of floats; NaNs count as the mean.
reduce_fn *kernel_square(enum numeric number);
// sum += item - mean, with plain additions; NaNs count as the mean.
reduce_fn *kernel_distance(enum numeric number);

#endif
