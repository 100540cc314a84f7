/*
 * reduction.h - what is made of which array. Filled by plan.h; does not change afterwards.
 */
#ifndef COMPUTE_REDUCE_REDUCTION_H
#define COMPUTE_REDUCE_REDUCTION_H

#include "array/array.h"
#include "compute/reduce/cells.h"
#include "compute/reduce/prepare.h"
#include "compute/reduce/result.h"

struct reduction {
    const tess_array *a;
    struct cells cells; // of a
    struct gathering gathering;
    struct result result;
    bool drop[NDIM_MAX]; // axes of one cell that the new array does not have
};

#endif
