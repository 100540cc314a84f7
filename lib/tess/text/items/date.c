/*
 * date.c - dates of the Gregorian calendar, extended in both directions.
 *
 * Years are counted from March here, so that the leap day is the last of its year. Day 0 is
 * 1 March of the year 0; 400 years always have 146097 days.
 */
#include "text/items/date.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
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

// -- the reverse

// What a text says; what it leaves out is the earliest possible.
struct moment {
    int64_t year, month, day; // from 1 on
    int64_t seconds, nanoseconds; // of the day
};

// Exactly `digits` digits.
static bool
take_digits(const char **p, int digits, int64_t *value)
{
    *value = 0;
    for (int i = 0; i < digits; i++, (*p)++) {
        if (!isdigit((unsigned char)**p))
            return false;
        *value = 10 * *value + (**p - '0');
    }
    return true;
}

// 4 digits or more, and a sign.
static bool
take_year(const char **p, int64_t *year)
{
    const char *const digits = **p == '-' || **p == '+' ? *p + 1 : *p;
    char *end = NULL;

    if (strspn(digits, "0123456789") < 4)
        return false;
    errno = 0;
    *year = strtoll(*p, &end, 10);
    *p = end;
    return errno == 0;
}

static bool
take_char(const char **p, const char *chars)
{
    if (**p == '\0' || !strchr(chars, **p))
        return false;
    (*p)++;
    return true;
}

// Up to 9 digits.
static bool
take_fraction(const char **p, int64_t *nanoseconds)
{
    const int digits = (int)strspn(*p, "0123456789");

    if (digits < 1 || digits > 9 || !take_digits(p, digits, nanoseconds))
        return false;
    for (int i = digits; i < 9; i++)
        *nanoseconds *= 10;
    return true;
}

static bool
take_time(const char **p, struct moment *m)
{
    int64_t hours = 0, minutes = 0, seconds = 0;

    if (!take_digits(p, 2, &hours))
        return false;
    if (take_char(p, ":")) {
        if (!take_digits(p, 2, &minutes))
            return false;
        if (take_char(p, ":") && (!take_digits(p, 2, &seconds) ||
                                  (take_char(p, ".") && !take_fraction(p, &m->nanoseconds))))
            return false;
    }
    m->seconds = 3600 * hours + 60 * minutes + seconds;
    return hours < 24 && minutes < 60 && seconds < 60;
}

static int
days_of_month(int64_t year, int64_t month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

    return days[month - 1] + (month == 2 && leap);
}

static bool
take_moment(const char *p, struct moment *m)
{
    *m = (struct moment){.month = 1, .day = 1};
    if (!take_year(&p, &m->year))
        return false;
    if (take_char(&p, "-")) {
        if (!take_digits(&p, 2, &m->month) || m->month < 1 || m->month > 12)
            return false;
        if (take_char(&p, "-")) {
            if (!take_digits(&p, 2, &m->day) || m->day < 1 ||
                m->day > days_of_month(m->year, m->month))
                return false;
            if (take_char(&p, "T ") && !take_time(&p, m))
                return false;
        }
    }
    return *p == '\0';
}

// Days since 1970; false if they do not fit.
static bool
count_days(const struct moment *m, int64_t *days)
{
    static const int before[] = {0, 31, 61, 92, 122, 153, 184, 214, 245, 275, 306, 337};
    const int64_t month = (m->month + 9) % 12; // from March on
    int64_t years = m->year, rest = 0, days_of_years;

    if (m->month < 3 && __builtin_sub_overflow(years, 1, &years))
        return false;
    const int64_t cycles = floor_div(years, 400, &rest);
    if (__builtin_mul_overflow(cycles, 146097, &days_of_years))
        return false;
    const int64_t in_cycle =
        365 * rest + rest / 4 - rest / 100 + before[month] + m->day - 1 - DAYS_TO_1970;
    return !__builtin_add_overflow(days_of_years, in_cycle, days);
}

static enum date_outcome
count_months(const struct moment *m, const char *unit, int64_t *count)
{
    const bool whole_month = m->day == 1 && m->seconds == 0 && m->nanoseconds == 0;

    if (!whole_month || (strcmp(unit, "Y") == 0 && m->month > 1))
        return DATE_NOT_WHOLE;
    if (__builtin_sub_overflow(m->year, 1970, count))
        return DATE_TOO_FAR;
    if (strcmp(unit, "M") == 0 && (__builtin_mul_overflow(*count, 12, count) ||
                                   __builtin_add_overflow(*count, m->month - 1, count)))
        return DATE_TOO_FAR;
    return DATE_FINE;
}

// days: how many a unit has
static enum date_outcome
count_in_days(const struct moment *m, int64_t days, int64_t *count)
{
    int64_t rest = 0;

    if (!count_days(m, count))
        return DATE_TOO_FAR;
    *count = floor_div(*count, days, &rest);
    return rest > 0 || m->seconds > 0 || m->nanoseconds > 0 ? DATE_NOT_WHOLE : DATE_FINE;
}

static enum date_outcome
count_in_parts(const struct moment *m, const struct unit *unit, int64_t *count)
{
    const int64_t per_second = unit->per_day > 86400 ? unit->per_day / 86400 : 1;
    const int64_t seconds = 86400 * per_second / unit->per_day; // that a unit has
    const int64_t nanoseconds = 1000000000 / per_second;
    int64_t days = 0;

    if (m->seconds % seconds > 0 || m->nanoseconds % nanoseconds > 0 ||
        (seconds > 1 && m->nanoseconds > 0))
        return DATE_NOT_WHOLE;
    if (!count_days(m, &days))
        return DATE_TOO_FAR;
    const int64_t part = m->seconds / seconds * per_second + m->nanoseconds / nanoseconds;
    const bool before = days < 0; // then the day after it is counted back from
    if (__builtin_mul_overflow(days + before, unit->per_day, count) ||
        __builtin_add_overflow(*count, before ? part - unit->per_day : part, count) ||
        *count == INT64_MIN) // that is NaT
        return DATE_TOO_FAR;
    return DATE_FINE;
}

enum date_outcome
date_parse(const char *text, const char *unit, int64_t *count)
{
    struct moment m;

    if (!take_moment(text, &m))
        return DATE_NO_DATE;
    if (strcmp(unit, "Y") == 0 || strcmp(unit, "M") == 0)
        return count_months(&m, unit, count);
    if (strcmp(unit, "D") == 0 || strcmp(unit, "W") == 0)
        return count_in_days(&m, strcmp(unit, "W") == 0 ? 7 : 1, count);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0)
            return count_in_parts(&m, &units[i], count);
    return DATE_NO_UNIT;
}
