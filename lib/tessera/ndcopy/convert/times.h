/*
 * times.h - dates and durations: counts of one unit to counts of another.
 *
 * Functions without state. Dates are of the proleptic Gregorian calendar, like NumPy's.
 */
#ifndef NDCOPY_CONVERT_TIMES_H
#define NDCOPY_CONVERT_TIMES_H

#include "base/int128.h"
#include "ndcopy/convert/kernels.h"

// What one count is: months, of years and months; else attoseconds. Both 0: no unit.
struct time_unit {
    bool date; // counts from 1970; else a duration
    int64_t months;
    int128 attoseconds;
};

struct time_ratio {
    int128 multiply, divide; // no common divisor
    // Of dates, the calendar comes first, or last: the counts between are days.
    int64_t months_from, months_to; // per count; 0: not that side
};

// The unit of `M8[...]` or `m8[...]` behind an optional byte order; false: not understood.
bool time_unit_parse(const char *dtype, struct time_unit *unit);

// false: these do not convert.
bool time_ratio_init(struct time_ratio *ratio, const struct time_unit *from,
                     const struct time_unit *to);

bool time_ratio_is_one(const struct time_ratio *ratio);

// As convert_fn: n counts of 8 bytes.
size_t times_convert(uint8_t *restrict dst, const uint8_t *restrict src, size_t n,
                     enum misfit misfit, const struct time_ratio *ratio);

#endif
