/*
 * index.c - positions in arrays as one number, and as one number per axis.
 */
#include <blosc2.h>

void
blosc2_unidim_to_multidim(uint8_t ndim, int64_t *shape, int64_t i, int64_t *index)
{
    if (!shape || !index)
        return;
    for (int axis = ndim - 1; axis > 0; axis--) {
        index[axis] = shape[axis] > 0 ? i % shape[axis] : 0;
        i = shape[axis] > 0 ? i / shape[axis] : 0;
    }
    if (ndim > 0)
        index[0] = i;
}

void
blosc2_multidim_to_unidim(const int64_t *index, int8_t ndim, const int64_t *strides, int64_t *i)
{
    if (!i)
        return;
    *i = 0;
    for (int axis = 0; axis < ndim && index && strides; axis++)
        *i += index[axis] * strides[axis];
}
