/*
 * shuffle.c - the filters shuffle and bitshuffle alone, on memory of the program.
 *
 * Plain loops: chunks are filtered inside libtessera, whose kernels are faster. Bytes behind the
 * last whole item, and items behind the last whole eight of bitshuffle, are copied.
 */
#include "blosc2/error.h"

#include <blosc2.h>

#include <string.h>

enum { TYPESIZE_MAX = 256 };

static int
check(int32_t typesize, int32_t blocksize, const void *src, const void *dest)
{
    if (typesize < 1 || typesize > TYPESIZE_MAX || blocksize < 0)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "items of %d bytes (1 to %d can be) in blocks of %d", typesize, TYPESIZE_MAX,
                       blocksize);
    if (blocksize > 0 && (!src || !dest))
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no source, or no destination");
    return 0;
}

// Byte j of item i is at [i * typesize + j], and at [j * n + i] when shuffled.
static int32_t
move_bytes(int32_t typesize, int32_t blocksize, const void *src, void *dest, bool forward)
{
    const int rc = check(typesize, blocksize, src, dest);
    if (rc < 0 || blocksize == 0)
        return rc;
    const size_t size = (size_t)typesize, n = (size_t)blocksize / size;
    const uint8_t *const from = src;
    uint8_t *const to = dest;
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < size; j++)
            if (forward)
                to[j * n + i] = from[i * size + j];
            else
                to[i * size + j] = from[j * n + i];
    memcpy(to + n * size, from + n * size, (size_t)blocksize - n * size);
    return blocksize;
}

int32_t
blosc2_shuffle(const int32_t typesize, const int32_t blocksize, const void *src, void *dest)
{
    return move_bytes(typesize, blocksize, src, dest, true);
}

int32_t
blosc2_unshuffle(const int32_t typesize, const int32_t blocksize, const void *src, void *dest)
{
    return move_bytes(typesize, blocksize, src, dest, false);
}

// Bit k of byte j of item i is bit i % 8 of byte [(8 * j + k) * n / 8 + i / 8] when shuffled; to is
// zero.
static void
move_bits(size_t size, size_t n, const uint8_t *from, uint8_t *to, bool forward)
{
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < size; j++)
            for (size_t k = 0; k < 8; k++) {
                const size_t plain = i * size + j, row = (8 * j + k) * (n / 8) + i / 8;
                if (forward)
                    to[row] |= (uint8_t)((from[plain] >> k & 1) << i % 8);
                else
                    to[plain] |= (uint8_t)((from[row] >> i % 8 & 1) << k);
            }
}

static int32_t
shuffle_bits(int32_t typesize, int32_t blocksize, const void *src, void *dest, bool forward)
{
    const int rc = check(typesize, blocksize, src, dest);
    if (rc < 0 || blocksize == 0)
        return rc;
    const size_t size = (size_t)typesize, n = (size_t)blocksize / size / 8 * 8;
    memset(dest, 0, n * size);
    move_bits(size, n, src, dest, forward);
    memcpy((uint8_t *)dest + n * size, (const uint8_t *)src + n * size,
           (size_t)blocksize - n * size);
    return blocksize;
}

int32_t
blosc2_bitshuffle(const int32_t typesize, const int32_t blocksize, const void *src, void *dest)
{
    return shuffle_bits(typesize, blocksize, src, dest, true);
}

int32_t
blosc2_bitunshuffle(const int32_t typesize, const int32_t blocksize, const void *src, void *dest)
{
    return shuffle_bits(typesize, blocksize, src, dest, false);
}
