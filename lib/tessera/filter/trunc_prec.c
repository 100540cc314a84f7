/*
 * trunc_prec.c - the filter trunc_prec: low bits of the mantissas of floats become zero.
 */
#include "filter/filters.h"

#include "base/error.h"
#include "filter/truncate.h"

#include <inttypes.h>

// The number of bits to clear; -1: the filter does not work like that.
static int
trunc_prec_cleared_bits(int32_t typesize, uint8_t meta)
{
    switch (typesize) {
    case 4:
        return truncate_nbits(23, meta); // bits of mantissa
    case 8:
        return truncate_nbits(52, meta);
    default:
        return -1;
    }
}

static tess_status
trunc_prec_check_encode(const struct filter_blocks *blocks, const struct filter_step *step,
                        tess_error *err)
{
    if (trunc_prec_cleared_bits(blocks->typesize, step->meta) >= 0)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1,
                   "trunc_prec with meta %d on items of %" PRId32 " bytes; -22 to -1 "
                   "and 1 to 23 can be for 4, -51 to -1 and 1 to 52 for 8",
                   truncate_meta(step->meta), blocks->typesize);
}

static tess_status
trunc_prec_forward(const struct filter_call *call, uint8_t *restrict dst,
                   const uint8_t *restrict src, size_t size, tess_error *err)
{
    const int32_t typesize = call->blocks->typesize;

    (void)err;
    truncate_bits(dst, src, size, typesize, trunc_prec_cleared_bits(typesize, call->step->meta));
    return TESS_OK;
}

const struct filter filter_trunc_prec = {
    .id = TESS_FILTER_TRUNC_PREC,
    .name = "trunc_prec",
    .lossy = true,
    .keeps_items = true,
    .check_encode = trunc_prec_check_encode,
    .forward = trunc_prec_forward,
};
