/*
 * real.c - shortest texts of floating-point numbers.
 *
 * printf is asked for more and more digits until the text reads back as the same number. Normal
 * numbers start at the digits that any text keeps (FLT_DIG and friends), where trailing zeros
 * drop away; subnormal ones have less precision and start at one digit.
 */
#include "text/items/real.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct precision {
    int size, kept_digits, enough_digits;
    double smallest_normal;
};

static const struct precision precisions[] = {
    {2, 3, 5, 0x1p-14},
    {4, FLT_DIG, FLT_DECIMAL_DIG, FLT_MIN},
    {8, DBL_DIG, DBL_DECIMAL_DIG, DBL_MIN},
};

double
real_from_half(unsigned bits)
{
    const int exponent = bits >> 10 & 31;
    const int mantissa = bits & 1023;
    double v;

    if (exponent == 31)
        v = mantissa ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        v = ldexp(mantissa, -24);
    else
        v = ldexp(1024 + mantissa, exponent - 25);
    return bits >> 15 & 1 ? -v : v;
}

// The half nearest to v, for v in the range of normal and subnormal halves.
static double
round_to_half(double v)
{
    const int exponent = v == 0 || fabs(v) < 0x1p-14 ? -14 : ilogb(v);
    return ldexp(nearbyint(ldexp(v, 10 - exponent)), exponent - 10);
}

double
real_round(double v, int size)
{
    if (size == 2 && fabs(v) < 65520)
        return round_to_half(v);
    return size == 4 ? (double)(float)v : v;
}

static bool
reads_back(const char *text, double v, int size)
{
    switch (size) {
    case 2:
        return round_to_half(strtod(text, NULL)) == v;
    case 4:
        return (double)strtof(text, NULL) == v;
    default:
        return strtod(text, NULL) == v;
    }
}

// d.dddde+XX with as few digits as will do
static void
shortest_exponential(double v, int size, char *text)
{
    const struct precision *p = precisions;
    while (p->size != size)
        p++;

    int digits = fabs(v) < p->smallest_normal ? 1 : p->kept_digits;
    do
        (void)snprintf(text, REAL_TEXT_SIZE, "%.*e", digits - 1, v);
    while (digits++ < p->enough_digits && !reads_back(text, v, size));
}

void
real_format(double v, int size, char text[REAL_TEXT_SIZE])
{
    char exponential[REAL_TEXT_SIZE];
    char digits[20];
    int n = 0;

    if (!isfinite(v)) {
        strcpy(text, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    shortest_exponential(fabs(v), size, exponential);
    const int exponent = atoi(strchr(exponential, 'e') + 1);
    for (const char *p = exponential; *p != 'e'; p++)
        if (*p != '.')
            digits[n++] = *p;
    while (n > 1 && digits[n - 1] == '0')
        n--;

    char *q = text;
    if (signbit(v))
        *q++ = '-';
    if (exponent < -4 || exponent >= 16) {
        (void)sprintf(q, n > 1 ? "%c.%.*se%+03d" : "%c%.*se%+03d", digits[0], n - 1, digits + 1,
                      exponent);
    } else if (exponent < 0) {
        (void)sprintf(q, "0.%.*s%.*s", -exponent - 1, "000", n, digits);
    } else if (n <= exponent + 1) {
        (void)sprintf(q, "%.*s%.*s.0", n, digits, exponent + 1 - n, "000000000000000");
    } else {
        (void)sprintf(q, "%.*s.%.*s", exponent + 1, digits, n - exponent - 1,
                      digits + exponent + 1);
    }
}
