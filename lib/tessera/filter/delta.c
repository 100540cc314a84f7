/*
 * delta.c - the filter delta: exclusive or with the element before, or with the first block of the
 * chunk.
 *
 * The order of bytes inside an element does not matter: the size of elements says how far back the
 * one before is, and where the tail starts.
 */
#include "filter/filters.h"
#include "filter/kernels.h"

#include <string.h>

#define INLINE static inline __attribute__((always_inline))

static size_t
element_size(int32_t typesize)
{
    switch (typesize) {
    case 1:
    case 2:
    case 4:
        return (size_t)typesize;
    default:
        return typesize % 8 == 0 ? 8 : 1;
    }
}

static tess_status
delta_forward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
              size_t size, tess_error *err)
{
    xor_fn *const exclusive_or = filter_kernels()->exclusive_or;
    const size_t e = element_size(call->blocks->typesize);
    const size_t whole = size - size % e;

    (void)err;
    if (call->ref) {
        exclusive_or(dst, src, call->ref, whole);
    } else if (whole > 0) {
        memcpy(dst, src, e);
        exclusive_or(dst + e, src + e, src, whole - e);
    }
    filter_copy_tail(dst, src, whole, size);
    return TESS_OK;
}

// The running exclusive or of elements of e bytes, e a constant up to 8.
INLINE void
accumulate(uint8_t *restrict dst, const uint8_t *restrict src, size_t size, size_t e)
{
    uint64_t sum = 0; // in its first e bytes, whichever order the machine has
    for (size_t i = 0; i < size; i += e) {
        uint64_t x = 0;
        memcpy(&x, src + i, e);
        sum ^= x;
        memcpy(dst + i, &sum, e);
    }
}

static tess_status
delta_backward(const struct filter_call *call, uint8_t *restrict dst, const uint8_t *restrict src,
               size_t size, tess_error *err)
{
    const size_t e = element_size(call->blocks->typesize);
    const size_t whole = size - size % e;

    (void)err;
    if (call->ref)
        filter_kernels()->exclusive_or(dst, src, call->ref, whole);
    else if (e == 8)
        accumulate(dst, src, whole, 8);
    else if (e == 4)
        accumulate(dst, src, whole, 4);
    else if (e == 2)
        accumulate(dst, src, whole, 2);
    else
        accumulate(dst, src, whole, 1);
    filter_copy_tail(dst, src, whole, size);
    return TESS_OK;
}

const struct filter filter_delta = {
    .id = TESS_FILTER_DELTA,
    .name = "delta",
    .needs_reference = true,
    .forward = delta_forward,
    .backward = delta_backward,
};
