/*
 * truncate.c - clearing low bits of numbers: the filters trunc_prec and int_trunc.
 *
 * Both lose information when compressing and have nothing to undo.
 */
#include "filter/truncate.h"

#include "base/bytes.h"

#include <string.h>

// A meta is a signed byte: bits to keep of `total` if positive, else bits to clear.
static int
nbits_of(int total, uint8_t meta)
{
    const int p = meta < 128 ? meta : meta - 256;
    if (p > total)
        return -1;
    const int nbits = p >= 0 ? total - p : -p;
    return nbits < total ? nbits : -1;
}

int
trunc_prec_nbits(int32_t typesize, uint8_t meta)
{
    switch (typesize) {
    case 4:
        return nbits_of(23, meta); // bits of mantissa
    case 8:
        return nbits_of(52, meta);
    default:
        return -1;
    }
}

int
int_trunc_nbits(int32_t typesize, uint8_t meta)
{
    switch (typesize) {
    case 1:
    case 2:
    case 4:
    case 8:
        return nbits_of(8 * typesize, meta);
    default:
        return -1;
    }
}

void
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
