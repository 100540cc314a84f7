/*
 * missing.h - the values that stand for no value.
 */
#ifndef TESS_PICTURE_MISSING_H
#define TESS_PICTURE_MISSING_H

#include "data/numbers.h"
#include "data/picked/picked.h"

#include <math.h>
#include <stdbool.h>

#define MISSING_MAX 16

// NaN is missing always; these are others.
struct missing {
    int count;
    double values[MISSING_MAX];
    double least, most; // what is outside is missing, too
};

/*
 * What --missing says: numbers with commas between, or `none`. With NULL what the array says: its
 * attributes _FillValue and missing_value, a number or a list of them, its fill value unless that
 * is 0, and what is outside of valid_range, or valid_min and valid_max.
 */
tess_status missing_find(struct missing *m, const struct picked *p, const struct numbers *numbers,
                         const char *option, tess_error *err);

static inline bool
missing_has(const struct missing *m, double v)
{
    for (int i = 0; i < m->count; i++)
        if (v == m->values[i])
            return true;
    return isnan(v) || v < m->least || v > m->most;
}

#endif
