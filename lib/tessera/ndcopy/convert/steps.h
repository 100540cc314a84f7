/*
 * steps.h - what a conversion consists of: one loop after the other over a piece of items.
 *
 * The items of a piece follow each other. A step takes them from one place to another, or changes
 * them where they are, or only looks. Which steps a conversion has is decided once (convert.c);
 * then each piece goes through all of them, in memory that stays in a core's first cache.
 *
 * Functions without state: `mask` belongs to the caller's piece.
 */
#ifndef NDCOPY_CONVERT_STEPS_H
#define NDCOPY_CONVERT_STEPS_H

#include "ndcopy/convert/kernels.h"
#include "ndcopy/convert/times.h"

enum { STEP_ITEMS = 512 }; // of a piece, at most

// Which items are missing, from the step that finds them to the one that needs it.
struct step_mask {
    bool any;
    uint8_t of[STEP_ITEMS];
};

enum step_place {
    STEP_MOVE, // from src to dst
    STEP_CHANGE, // src is dst
    STEP_LOOK, // dst is not written
};

struct step;

// Returns how many items were done, as convert_fn.
typedef size_t step_fn(const struct step *s, struct step_mask *mask, uint8_t *dst,
                       const uint8_t *src, size_t n);

struct step {
    step_fn *run;
    enum step_place place;
    enum misfit misfit;
    size_t parts; // 2: an item is two numbers, which are done alike
    convert_fn *kernel;
    convert_scaled_fn *scaled;
    convert_unscale_fn *unscale;
    convert_mark_fn *mark;
    void (*turn)(uint8_t *restrict dst, const uint8_t *restrict src, size_t n);
    double scale, offset;
    const struct convert_missing *missing;
    const struct time_ratio *ratio;
};

step_fn step_kernel; // numbers to numbers, or a copy
step_fn step_scaled; // to src * scale + offset
step_fn step_unscaled; // doubles: to (src - offset) / scale, or the nearest integer
step_fn step_turned; // the other byte order
step_fn step_times;

// doubles: to the nearest integer
step_fn step_rounded;

// Doubles to floats of 2 bytes. (Kernels convert these from and to float32.)
step_fn step_narrow_f2, step_narrow_bf16;
// 64-bit integers to doubles that a shorter float is rounded from as if from the integer.
step_fn step_odd_i8, step_odd_u8;

// Complex numbers of two floats or two doubles: to the real part, to truth values, and back.
step_fn step_real_f4, step_real_f8, step_truth_f4, step_truth_f8, step_join_f4, step_join_f8;

// Which items are missing; NaN where one is.
step_fn step_mark, step_blank_f4, step_blank_f8;
// The same backwards: which items are NaN, which become 0; and the first missing value there.
// step_zero_f8: doubles that were calculated of what became 0 are 0 again.
step_fn step_unblank_f4, step_unblank_f8, step_zero_f8, step_put_1, step_put_2, step_put_4,
    step_put_8;

#endif
