/*
 * verdict.h - whether the best layout that was measured is better than the present one at all.
 */
#ifndef TESS_LAYOUT_VERDICT_H
#define TESS_LAYOUT_VERDICT_H

#include <tessera/layout.h>

enum verdict {
    VERDICT_BETTER, // it gains more than noise can be, or the array gets smaller
    VERDICT_SAME, // what it gains is within the noise
    VERDICT_PRESENT // it is the present one
};

/*
 * How far apart the times of two equal layouts may be, as a part of the larger one: less the more
 * often they were measured.
 */
double verdict_noise(int rounds);

// `present` has the role STORED, or where nothing is stored AUTOMATIC.
enum verdict verdict_of(const tess_layout_result *best, const tess_layout_result *present);

#endif
