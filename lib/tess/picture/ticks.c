/*
 * ticks.c - round numbers in a range.
 */
#include "picture/ticks.h"

#include <math.h>
#include <stdio.h>

void
ticks_label(double v, double step, char text[TICKS_TEXT_SIZE])
{
    const double digits = v != 0 && step > 0 ? ceil(log10(fabs(v) / step)) + 1 : 0;
    const int precision = digits > 15 ? 15 : digits > 6 ? (int)digits : 6;

    (void)snprintf(text, TICKS_TEXT_SIZE, "%.*g", precision, v);
}

// The smallest round step that is not below `least`.
static double
round_step(double least)
{
    static const double rounds[] = {1, 2, 5};
    const double power = pow(10, floor(log10(least)));

    for (int i = 0; i < 3; i++)
        if (rounds[i] * power >= least)
            return rounds[i] * power;
    return 10 * power;
}

void
ticks_make(struct ticks *t, double low, double high, int most)
{
    if (most > TICKS_MAX)
        most = TICKS_MAX;
    t->count = 0;
    if (!(low < high) || !isfinite(high - low) || most < 1)
        return;
    // k steps fit k + 1 ticks.
    const double step = round_step((high - low) / (most > 1 ? most - 1 : 1));
    if (!(step > 0) || fabs(low / step) > 0x1p52) // numbers too close to each other
        return;
    for (double n = ceil(low / step); n * step <= high && t->count < most; n++) {
        const double v = n == 0 ? 0 : n * step; // no -0

        t->values[t->count] = v;
        ticks_label(v, step, t->labels[t->count++]);
    }
}
