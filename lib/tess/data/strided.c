/*
 * strided.c - orders of items in memory.
 */
#include "data/strided.h"

#include "ndcopy/ndcopy.h"

#include <tessera/params.h>

void
strided_c_order(int ndim, const int64_t *shape, size_t item_size, int64_t *strides)
{
    int64_t stride = (int64_t)item_size;

    for (int i = ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= shape[i];
    }
}

void
strided_from_fortran(int ndim, const int64_t *shape, size_t item_size, uint8_t *restrict dst,
                     const uint8_t *restrict src)
{
    int64_t strides[TESS_MAX_NDIM], src_strides[TESS_MAX_NDIM];
    int64_t stride = (int64_t)item_size;

    for (int i = 0; i < ndim; i++) {
        src_strides[i] = stride;
        stride *= shape[i];
    }
    strided_c_order(ndim, shape, item_size, strides);
    ndcopy(ndim, shape, (int64_t)item_size, dst, strides, src, src_strides);
}
