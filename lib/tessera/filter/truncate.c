/*
 * truncate.c - clearing low bits of numbers, for the filters trunc_prec and int_trunc.
 *
 * Both lose information when compressing and have nothing to undo.
 */
#include "filter/truncate.h"

#include "base/bytes.h"

#include <string.h>

int
truncate_meta(uint8_t meta)
{
    return meta < 128 ? meta : meta - 256;
}

int
truncate_nbits(int total, uint8_t meta)
{
    const int p = truncate_meta(meta);
    if (p > total)
        return -1;
    const int nbits = p >= 0 ? total - p : -p;
    return nbits < total ? nbits : -1;
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
