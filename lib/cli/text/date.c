/*
 * date.c - dates of the Gregorian calendar, extended in both directions.
 *
 * Years are counted from March here, so that the leap day is the last of its year. Day 0 is
 * 1 March of the year 0; 400 years always have 146097 days.
 */
#include "cli/text/date.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define DAYS_TO_1970 719468

struct unit {
    const char *name;
    int64_t per_day;
    int length; // of the time of day: Thh:mm:ss.nnnnnnnnn or the beginning of it
};

static const struct unit units[] = {
    {"h", 24, 3},         {"m", 1440, 6},          {"s", 86400, 9},
    {"ms", 86400000, 13}, {"us", 86400000000, 16}, {"ns", 86400000000000, 19},
};

// The quotient rounded down, and the rest, which is not negative; b > 0.
static int64_t
floor_div(int64_t a, int64_t b, int64_t *rest)
{
    const bool below = a % b < 0;

    *rest = a % b + (below ? b : 0);
    return a / b - (below ? 1 : 0);
}

static int
print_year_month(char *text, int64_t year, int month)
{
    return snprintf(text, DATE_TEXT_SIZE, year < 0 ? "-%04" PRIu64 "-%02d" : "%04" PRIu64 "-%02d",
                    year < 0 ? 0 - (uint64_t)year : (uint64_t)year, month);
}

// "YYYY-MM-DD"; days since 1970
static int
print_day(char *text, int64_t days)
{
    static const int lengths[] = {31, 30, 31, 30, 31, 31, 30, 31, 30, 31, 31, 29};
    int64_t rest = 0;
    int64_t year = 400 * floor_div(days + DAYS_TO_1970, 146097, &rest);
    int day = (int)rest, month = 0;

    const int centuries = day / 36524 < 3 ? day / 36524 : 3;
    day -= centuries * 36524;
    const int fours = day / 1461;
    day -= fours * 1461;
    const int ones = day / 365 < 3 ? day / 365 : 3;
    day -= ones * 365;
    year += 100 * centuries + 4 * fours + ones;
    for (; day >= lengths[month]; month++)
        day -= lengths[month];

    const int length = month < 10 ? print_year_month(text, year, month + 3)
                                  : print_year_month(text, year + 1, month - 9);
    return length + sprintf(text + length, "-%02d", day + 1);
}

// "Thh:mm:ss.nnnnnnnnn", cut off behind what the unit can tell; part of a day, in units
static void
print_time(char *text, size_t size, const struct unit *unit, int64_t part)
{
    // a day is 86400 times per_second units, or fewer units of some seconds
    const int64_t per_second = unit->per_day > 86400 ? unit->per_day / 86400 : 1;
    const int64_t seconds = part / per_second * (86400 * per_second / unit->per_day);
    const int64_t nanoseconds = part % per_second * (1000000000 / per_second);

    (void)snprintf(text, size, "T%02d:%02d:%02d.%09" PRId64, (int)(seconds / 3600),
                   (int)(seconds / 60 % 60), (int)(seconds % 60), nanoseconds);
    text[unit->length] = '\0';
}

bool
date_format(int64_t count, const char *unit, char text[DATE_TEXT_SIZE])
{
    int64_t beyond;

    if (strcmp(unit, "Y") == 0) {
        if (__builtin_add_overflow(count, 1970, &count))
            return false;
        text[print_year_month(text, count, 1) - 3] = '\0'; // the year alone
        return true;
    }
    if (strcmp(unit, "M") == 0) {
        int64_t month = 0;
        const int64_t years = floor_div(count, 12, &month);
        (void)print_year_month(text, 1970 + years, (int)month + 1);
        return true;
    }
    if (strcmp(unit, "W") == 0) {
        if (__builtin_mul_overflow(count, 7, &count))
            return false;
        unit = "D";
    }
    if (strcmp(unit, "D") == 0) {
        if (__builtin_add_overflow(count, DAYS_TO_1970, &beyond))
            return false;
        (void)print_day(text, count);
        return true;
    }
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0) {
            int64_t part = 0;
            const int64_t days = floor_div(count, units[i].per_day, &part);
            const int length = print_day(text, days);
            print_time(text + length, DATE_TEXT_SIZE - (size_t)length, &units[i], part);
            return true;
        }
    return false;
}
