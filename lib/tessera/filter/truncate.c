/*
 * truncate.c - the filters trunc_prec and int_trunc: low bits of the mantissas of floats, or of
 * integers, become zero.
 *
 * Both lose information when compressing and have nothing to undo.
 */
#include "base/bytes.h"
#include "base/error.h"
#include "filter/filters.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

// A meta byte is a signed number: bits to keep if positive, else bits to clear.
static int
truncate_meta(uint8_t meta)
{
    return meta < 128 ? meta : meta - 256;
}

// How many low bits a meta byte asks to clear of `total`; -1 if it is out of range.
static int
truncate_nbits(int total, uint8_t meta)
{
    const int p = truncate_meta(meta);
    if (p > total)
        return -1;
    const int nbits = p >= 0 ? total - p : -p;
    return nbits < total ? nbits : -1;
}

// Clear the `nbits` lowest bits of little-endian numbers of 1, 2, 4 or 8 bytes. Bytes behind the
// last whole number are copied.
static void
truncate_bits(uint8_t *restrict dst, const uint8_t *restrict src, size_t size, int32_t typesize,
              int nbits)
{
    const size_t whole = size - size % (size_t)typesize;
    uint8_t mask[8]; // of one number, repeated
    size_t i = 0;

    put_u64le(mask, UINT64_MAX << nbits);
    for (size_t j = (size_t)typesize; j < sizeof mask; j++)
        mask[j] = mask[j - (size_t)typesize];

    for (; whole - i >= sizeof mask; i += sizeof mask)
        for (size_t j = 0; j < sizeof mask; j++)
            dst[i + j] = src[i + j] & mask[j];
    for (; i < whole; i++)
        dst[i] = src[i] & mask[i % sizeof mask];
    memcpy(dst + whole, src + whole, size - whole);
}

// -- trunc_prec

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

// -- int_trunc

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
