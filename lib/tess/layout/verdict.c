/*
 * verdict.c - whether the best layout that was measured is better than the present one at all.
 *
 * Times are medians of `rounds` measurements, without their spread. The constants are assumptions,
 * not measured: one that shrinks with more rounds, one that does not.
 */
#include "layout/verdict.h"

#include <math.h>
#include <stdbool.h>

#define NOISE_STEADY 0.03 // however often it is measured
#define NOISE_ROUND 0.12 // of one round
#define SIZE_GAIN 0.05 // smaller by this part counts, whatever the time is

double
verdict_noise(int rounds)
{
    return NOISE_STEADY + NOISE_ROUND / sqrt(rounds > 1 ? rounds : 1);
}

enum verdict
verdict_of(const tess_layout_result *best, const tess_layout_result *present)
{
    const int rounds = best->rounds < present->rounds ? best->rounds : present->rounds;

    if (best == present)
        return VERDICT_PRESENT;
    const double gain = present->seconds > 0 ? 1 - best->seconds / present->seconds : 0;
    const bool smaller = best->ratio > 0 && present->ratio / best->ratio < 1 - SIZE_GAIN;
    return gain > verdict_noise(rounds) || smaller ? VERDICT_BETTER : VERDICT_SAME;
}
