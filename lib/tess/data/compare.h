/*
 * compare.h - items of two arrays, as values.
 */
#ifndef TESS_DATA_COMPARE_H
#define TESS_DATA_COMPARE_H

#include "text/items/item.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Items of two arrays, and how far apart numbers may be to count as equal.
struct comparison {
    struct item_format a, b;
    double tolerance; // absolute
    double relative; // times the larger of the two magnitudes
    double largest; // difference so far that is a number; -1: none
};

/*
 * False if items of these types cannot be equal: byte orders may differ, kinds and sizes not, nor
 * the units of times. Of items whose type one of the arrays does not record only the size counts.
 */
bool compare_init(struct comparison *c, const char *a_dtype, int32_t a_typesize,
                  const char *b_dtype, int32_t b_typesize);

void compare_finish(struct comparison *c); // zeroed is fine

// Whether differences are numbers.
bool compare_has_numbers(const struct comparison *c);

/*
 * Index of the first of n items, from `from` on, of which a and b have different values; n if there
 * is none. NaN equals NaN, NaT equals NaT, 0.0 equals -0.0. Notes the largest difference.
 */
int64_t compare_next(struct comparison *c, const uint8_t *a, const uint8_t *b, int64_t from,
                     int64_t n);

#endif
