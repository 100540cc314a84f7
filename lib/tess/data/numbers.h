/*
 * numbers.h - items as numbers of one type, whatever theirs.
 */
#ifndef TESS_DATA_NUMBERS_H
#define TESS_DATA_NUMBERS_H

#include <tessera/dtype.h>

#include <stdbool.h>

struct numbers {
    tess_kind kind;
    int size; // bytes of a number; a complex item has two of them
    bool swapped; // not in the byte order of this machine
};

// False if items of that type are no numbers, or too wide for a double.
bool numbers_init(struct numbers *n, const char *dtype, int32_t typesize);

// `count` items become doubles; their bytes are no longer what they were. Booleans are 0 and 1,
// times are counts of their unit, NaT is NaN, and of complex numbers the magnitude is taken.
void numbers_read(const struct numbers *n, uint8_t *items, int64_t count, double *out);

// What v becomes when an item holds it: of floats the nearest one.
double numbers_round(const struct numbers *n, double v);

#endif
