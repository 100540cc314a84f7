/*
 * int_trunc.c - the filter int_trunc: low bits of integers become zero.
 */
#include "filter/filters.h"

#include "base/error.h"
#include "filter/truncate.h"

#include <inttypes.h>

// The number of bits to clear; -1: the filter does not work like that.
static int
int_trunc_cleared_bits(int32_t typesize, uint8_t meta)
{
    switch (typesize) {
    case 1:
    case 2:
    case 4:
    case 8:
        return truncate_nbits(8 * typesize, meta);
    default:
        return -1;
    }
}

static tess_status
int_trunc_check_encode(const struct filter_blocks *blocks, const struct filter_step *step,
                       tess_error *err)
{
    if (int_trunc_cleared_bits(blocks->typesize, step->meta) >= 0)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1,
                   "int_trunc with meta %d on items of %" PRId32 " bytes; fewer bits "
                   "than an item of 1, 2, 4 or 8 bytes has can be cleared",
                   truncate_meta(step->meta), blocks->typesize);
}

static tess_status
int_trunc_forward(const struct filter_call *call, uint8_t *restrict dst,
                  const uint8_t *restrict src, size_t size, tess_error *err)
{
    const int32_t typesize = call->blocks->typesize;

    (void)err;
    truncate_bits(dst, src, size, typesize, int_trunc_cleared_bits(typesize, call->step->meta));
    return TESS_OK;
}

const struct filter filter_int_trunc = {
    .id = TESS_FILTER_INT_TRUNC,
    .name = "int_trunc",
    .lossy = true,
    .keeps_items = true,
    .check_encode = int_trunc_check_encode,
    .forward = int_trunc_forward,
};
