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
            unit->attoseconds =
                int128_mul(int128_of(units[i].count * multiple), int128_of(units[i].each));
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

static int128
common_divisor(int128 x, int128 y)
{
    while (!int128_is_equal(y, int128_of(0))) {
        const int128 rest = int128_rest(x, y);
        x = y;
        y = rest;
    }
    return x;
}

static bool
is_bare(const struct time_unit *unit)
{
    return unit->months == 0 && int128_is_equal(unit->attoseconds, int128_of(0));
}

bool
time_ratio_init(struct time_ratio *ratio, const struct time_unit *from, const struct time_unit *to)
{
    const int128 one = int128_of(1);
    const int128 day = int128_mul(int128_of(86400), int128_of(1000000000000000000));
    *ratio = (struct time_ratio){.multiply = one, .divide = one};
    if (from->date != to->date || is_bare(from) != is_bare(to))
        return false;
    if (is_bare(from))
        return true;
    if (from->months > 0 && to->months > 0) {
        ratio->multiply = int128_of(from->months);
        ratio->divide = int128_of(to->months);
    } else if (from->months > 0 || to->months > 0) {
        ratio->months_from = from->months;
        ratio->months_to = to->months;
        ratio->multiply = from->months > 0 ? day : from->attoseconds;
        ratio->divide = to->months > 0 ? day : to->attoseconds;
    } else {
        ratio->multiply = from->attoseconds;
        ratio->divide = to->attoseconds;
    }
    const int128 common = common_divisor(ratio->multiply, ratio->divide);
    ratio->multiply = int128_div(ratio->multiply, common);
    ratio->divide = int128_div(ratio->divide, common);
    return from->date || (ratio->months_from == 0 && ratio->months_to == 0);
}

bool
time_ratio_is_one(const struct time_ratio *ratio)
{
    return ratio->months_from == 0 && ratio->months_to == 0 &&
           int128_is_equal(ratio->multiply, int128_of(1)) &&
           int128_is_equal(ratio->divide, int128_of(1));
}

// *rest, from 0 to y - 1, is what is left.
static int128
floor_div(int128 x, int128 y, int128 *rest)
{
    const int128 zero = int128_of(0);
    int128 quotient = int128_div(x, y);
    *rest = int128_sub(x, int128_mul(quotient, y));
    if (int128_is_less(*rest, zero)) {
        quotient = int128_sub(quotient, int128_of(1));
        *rest = int128_add(*rest, y);
    }
    return quotient;
}

// Eras have the same days and months, so the calendar is that of one, in 64 bits.
static int128
times_sum(int128 eras, int64_t each, int64_t more)
{
    return int128_add(int128_mul(eras, int128_of(each)), int128_of(more));
}

// Of the first day of a month. Years begin in March, so that a leap day is the last one.
static int128
days_of_months(int128 months)
{
    int128 rest;
    const int128 since = int128_add(months, int128_of(1970 * 12 - 2)); // from March of year 0
    const int128 era = floor_div(since, int128_of(MONTHS_PER_ERA), &rest);
    const int64_t year = (int64_t)int128_low(rest) / 12, month = (int64_t)int128_low(rest) % 12;
    const int64_t leap = year / 4 - year / 100;
    return times_sum(era, DAYS_PER_ERA, year * 365 + leap + (153 * month + 2) / 5 - EPOCH);
}

// The month that a day lies in.
static int128
months_of_days(int128 days)
{
    int128 left;
    const int128 since = int128_add(days, int128_of(EPOCH));
    const int128 era = floor_div(since, int128_of(DAYS_PER_ERA), &left);
    const int64_t day = (int64_t)int128_low(left);
    const int64_t year = (day - day / 1460 + day / 36524 - day / 146096) / 365;
    const int64_t rest = day - (365 * year + year / 4 - year / 100);
    return times_sum(era, MONTHS_PER_ERA, year * 12 + (5 * rest + 2) / 153 + 2 - 1970 * 12);
}

// false: more than 128 bits, of which *y has the low ones. Months and days of 64 bits are fewer.
static bool
convert_time(int64_t x, const struct time_ratio *ratio, int128 *y)
{
    int128 rest, count = int128_of(x);
    if (ratio->months_from > 0)
        count = days_of_months(int128_mul(count, int128_of(ratio->months_from)));
    if (!int128_mul_fits(count, ratio->multiply, y))
        return false;
    count = floor_div(*y, ratio->divide, &rest);
    if (ratio->months_to > 0)
        count = floor_div(months_of_days(count), int128_of(ratio->months_to), &rest);
    *y = count;
    return true;
}

size_t
times_convert(uint8_t *restrict dst, const uint8_t *restrict src, size_t n, enum misfit misfit,
              const struct time_ratio *ratio)
{
    for (size_t k = 0; k < n; k++) {
        int128 wide = int128_of(0);
        int64_t x, y;
        memcpy(&x, src + k * sizeof x, sizeof x);
        const bool known = x == NOT_A_TIME || convert_time(x, ratio, &wide);
        if (x == NOT_A_TIME)
            y = x;
        else if (known && int128_fits_i64(wide) && (int64_t)int128_low(wide) != NOT_A_TIME)
            y = (int64_t)int128_low(wide);
        else if (misfit == MISFIT_STOP)
            return k;
        else if (misfit == MISFIT_SATURATE)
            y = x < 0 ? NOT_A_TIME + 1 : INT64_MAX;
        else
            y = (int64_t)int128_low(wide);
        memcpy(dst + k * sizeof y, &y, sizeof y);
    }
    return n;
}
