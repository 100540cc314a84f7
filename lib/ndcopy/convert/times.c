/*
 * times.c - dates and durations: counts of one unit to counts of another.
 *
 * Calculated in 128 bits, one by one: 2^63 years are fewer days than that. A unit has fewer than
 * 2^80 attoseconds times a multiple, which has 31 bits.
 */
#include "ndcopy/convert/times.h"

#include <string.h>

#define NOT_A_TIME INT64_MIN
#define MULTIPLE_MOST INT32_MAX
#define DAYS_PER_ERA 146097 // 400 years
#define MONTHS_PER_ERA 4800
#define EPOCH 719468 // days from the first of March of year 0 to 1970

static const struct {
    const char *name;
    int64_t months;
    int64_t count, each; // attoseconds: the product
} units[] = {
    {"Y", 12, 0, 0},
    {"M", 1, 0, 0},
    {"W", 0, 604800, 1000000000000000000},
    {"D", 0, 86400, 1000000000000000000},
    {"h", 0, 3600, 1000000000000000000},
    {"m", 0, 60, 1000000000000000000},
    {"s", 0, 1, 1000000000000000000},
    {"ms", 0, 1, 1000000000000000},
    {"us", 0, 1, 1000000000000},
    {"ns", 0, 1, 1000000000},
    {"ps", 0, 1, 1000000},
    {"fs", 0, 1, 1000},
    {"as", 0, 1, 1},
};

// "25us]"
static bool
parse_unit(const char *text, struct time_unit *unit)
{
    const char *const end = strchr(text, ']');
    int64_t multiple = 0;
    const char *at = text;
    for (; *at >= '0' && *at <= '9' && multiple <= MULTIPLE_MOST; at++)
        multiple = multiple * 10 + (*at - '0');
    if (at == text)
        multiple = 1;
    if (!end || end[1] != '\0' || multiple < 1 || multiple > MULTIPLE_MOST)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strlen(units[i].name) == (size_t)(end - at) &&
            memcmp(units[i].name, at, (size_t)(end - at)) == 0) {
            unit->months = units[i].months * multiple;
            unit->attoseconds = (wide_int)units[i].count * units[i].each * multiple;
            return true;
        }
    return strcmp(at, "generic]") == 0 && at == text;
}

bool
time_unit_parse(const char *dtype, struct time_unit *unit)
{
    const char *const kind = strpbrk(dtype, "Mm");
    *unit = (struct time_unit){0};
    if (!kind || kind[1] != '8')
        return false;
    unit->date = *kind == 'M';
    return kind[2] == '\0' || (kind[2] == '[' && parse_unit(kind + 3, unit));
}

static wide_int
divisor(wide_int x, wide_int y)
{
    while (y != 0) {
        const wide_int rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

bool
time_ratio_init(struct time_ratio *ratio, const struct time_unit *from, const struct time_unit *to)
{
    const wide_int day = (wide_int)86400 * 1000000000000000000;
    const bool bare = from->months == 0 && from->attoseconds == 0;
    *ratio = (struct time_ratio){.multiply = 1, .divide = 1};
    if (from->date != to->date || bare != (to->months == 0 && to->attoseconds == 0))
        return false;
    if (bare)
        return true;
    if (from->months > 0 && to->months > 0) {
        ratio->multiply = from->months;
        ratio->divide = to->months;
    } else if (from->months > 0 || to->months > 0) {
        ratio->months_from = from->months;
        ratio->months_to = to->months;
        ratio->multiply = from->months > 0 ? day : from->attoseconds;
        ratio->divide = to->months > 0 ? day : to->attoseconds;
    } else {
        ratio->multiply = from->attoseconds;
        ratio->divide = to->attoseconds;
    }
    const wide_int common = divisor(ratio->multiply, ratio->divide);
    ratio->multiply /= common;
    ratio->divide /= common;
    return from->date || (ratio->months_from == 0 && ratio->months_to == 0);
}

static wide_int
floor_div(wide_int x, wide_int y)
{
    return x / y - (x % y < 0);
}

// Of the first day of a month. Years begin in March, so that a leap day is the last one.
static wide_int
days_of_months(wide_int months)
{
    const wide_int since = months + 1970 * 12 - 2; // from March of year 0
    const wide_int era = floor_div(since, MONTHS_PER_ERA);
    const wide_int year = (since - era * MONTHS_PER_ERA) / 12;
    const wide_int month = (since - era * MONTHS_PER_ERA) % 12;
    const wide_int leap = year / 4 - year / 100;
    return era * DAYS_PER_ERA + year * 365 + leap + (153 * month + 2) / 5 - EPOCH;
}

// The month that a day lies in.
static wide_int
months_of_days(wide_int days)
{
    const wide_int since = days + EPOCH;
    const wide_int era = floor_div(since, DAYS_PER_ERA);
    const wide_int day = since - era * DAYS_PER_ERA;
    const wide_int year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const wide_int rest = day - (365 * year + year / 4 - year / 100);
    return era * MONTHS_PER_ERA + year * 12 + (5 * rest + 2) / 153 + 2 - 1970 * 12;
}

// false: more than 128 bits, of which *y has the low ones. Months and days of 64 bits are fewer.
static bool
convert_time(int64_t x, const struct time_ratio *ratio, wide_int *y)
{
    wide_int count = x;
    if (ratio->months_from > 0)
        count = days_of_months(count * ratio->months_from);
    if (__builtin_mul_overflow(count, ratio->multiply, y))
        return false;
    count = floor_div(*y, ratio->divide);
    if (ratio->months_to > 0)
        count = floor_div(months_of_days(count), ratio->months_to);
    *y = count;
    return true;
}

size_t
times_convert(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, enum misfit misfit,
              const struct time_ratio *ratio)
{
    for (size_t k = 0; k < n; k++) {
        wide_int wide = 0;
        int64_t x, y;
        memcpy(&x, src + k * sizeof x, sizeof x);
        const bool known = x == NOT_A_TIME || convert_time(x, ratio, &wide);
        if (x == NOT_A_TIME)
            y = x;
        else if (known && wide > NOT_A_TIME && wide <= INT64_MAX)
            y = (int64_t)wide;
        else if (misfit == MISFIT_STOP)
            return k;
        else if (misfit == MISFIT_SATURATE)
            y = x < 0 ? NOT_A_TIME + 1 : INT64_MAX;
        else
            y = (int64_t)(uint64_t)wide;
        memcpy(dst + k * sizeof y, &y, sizeof y);
    }
    return n;
}
