/*
 * kernels.h - the inner loops of conversions: runs of items that follow each other, in the byte
 * order of the machine, at any alignment.
 *
 * There are kernels between all pairs of the numbers that machines calculate with; the others
 * (floats of 2 bytes, complex ones, dates) are made of these in steps (steps.h). Kernels do not
 * allocate or fail, and touch exactly the bytes they were given; source and destination do not
 * overlap.
 *
 * All loops are in loops.h, once, and are compiled for each set of instructions.
 */
#ifndef NDCOPY_CONVERT_KERNELS_H
#define NDCOPY_CONVERT_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum number_id {
    NUMBER_B1, // a byte: not 0 is true. Written as 0 or 1
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
    NUMBER_COUNT,
};

// What becomes of an item that does not fit.
enum misfit {
    MISFIT_STOP, // the conversion stops in front of it
    MISFIT_SATURATE,
    MISFIT_WRAP,
};

/*
 * Convert n items. Returns how many were: less than n only with MISFIT_STOP, the next one does not
 * fit then, and what is behind it in dst may be anything.
 */
typedef size_t convert_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n,
                          enum misfit misfit);

// The same for src * scale + offset, in doubles.
typedef size_t convert_scaled_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n,
                                 enum misfit misfit, double scale, double offset);

typedef void convert_unscale_fn(uint8_t *restrict dst, const uint8_t *restrict src, size_t n,
                                double scale, double offset);

// Stored values that stand for none, as items of the type that they are compared with.
enum { MISSING_MOST = 8 };
struct convert_missing {
    int count;
    uint8_t values[MISSING_MOST][8];
    bool bounded; // items below `least` and above `most` are missing, too
    uint8_t least[8], most[8];
};

// mask[i]: whether src[i] is missing. Returns whether any is; if not, mask is as it was.
typedef bool convert_mark_fn(uint8_t *restrict mask, const uint8_t *restrict src, size_t n,
                             const struct convert_missing *missing);

struct convert_kernels {
    convert_fn *pairs[NUMBER_COUNT][NUMBER_COUNT]; // from, to
    convert_scaled_fn *scaled[NUMBER_COUNT][2]; // from, to f4 and f8
    convert_mark_fn *mark[NUMBER_COUNT];
    // Floats of 4 and 8 bytes become NaN where the mask is 1.
    void (*blank[2])(uint8_t *restrict dst, const uint8_t *restrict mask, size_t n);
    convert_fn *widen[2]; // IEEE floats of 2 bytes and bfloat16, to f4
    convert_fn *narrow[2]; // f4 to these
    // dst[i] = src[i] to the nearest integer, of two the even one: doubles.
    void (*round)(uint8_t *restrict dst, const uint8_t *restrict src, size_t n);
    // dst[i] = (src[i] - offset) / scale: doubles; [1]: to the nearest integer, as round.
    convert_unscale_fn *unscale[2];
    // Whether one of n floats of 4 and 8 bytes is NaN.
    bool (*any_nan[2])(const uint8_t *src, size_t n);
    // Words of 2, 4 and 8 bytes in the other byte order.
    void (*turn2)(uint8_t *restrict dst, const uint8_t *restrict src, size_t n);
    void (*turn4)(uint8_t *restrict dst, const uint8_t *restrict src, size_t n);
    void (*turn8)(uint8_t *restrict dst, const uint8_t *restrict src, size_t n);
};

extern const struct convert_kernels convert_kernels_c;
extern const struct convert_kernels convert_kernels_avx2; // where the build has it

// Those for this machine, and for one with these features (base/cpu.h).
const struct convert_kernels *convert_kernels(void);
const struct convert_kernels *convert_kernels_for(unsigned cpu);

#endif
