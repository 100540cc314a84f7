/*
 * operand.h - the items of one side of a comparison, as numbers of the machine.
 */
#ifndef COMPUTE_COMPARE_OPERAND_H
#define COMPUTE_COMPARE_OPERAND_H

#include "array/array.h"
#include "compute/compare/kernels.h"
#include "ndcopy/convert/times.h"

#include <tessera/dtype.h>

enum { OPERAND_PIECE = 1024 }; // items that are loaded at once

// What the items of an array are.
struct operand {
    const tess_array *a;
    tess_dtype dtype;
    enum comparable type; // COMPARABLE_COUNT: no numbers, nor times
    bool turned; // not in the byte order of the machine
    bool half, truth, time;
    struct time_unit unit; // of time
};

void operand_init(struct operand *o, const tess_array *a);

// Types to which items may be widened: those of 8 bytes.
enum comparable operand_widest(const struct operand *o);

union operand_room {
    uint8_t bytes[8 * OPERAND_PIECE];
    _Alignas(64) double f8[OPERAND_PIECE];
    float f4[OPERAND_PIECE];
    int64_t i8[OPERAND_PIECE];
    uint64_t u8[OPERAND_PIECE];
};

// n items, `stride` bytes apart, as the type itself, or, if `widen` is set, as operand_widest():
// where they are, if they can be left there, else in the room. n <= OPERAND_PIECE.
const void *operand_load(const struct operand *o, const uint8_t *items, int64_t stride, size_t n,
                         bool widen, union operand_room *own, union operand_room *wide);

#endif
