/*
 * special.c - chunks whose items are all equal, which need no compressing.
 */
#include "blosc2/error.h"
#include "chunk/blocksize.h"
#include "chunk/encode.h"

#include <blosc2.h>

#include <string.h>

static void
put_number(uint8_t *at, int32_t number)
{
    for (int i = 0; i < 4; i++)
        at[i] = (uint8_t)((uint32_t)number >> 8 * i);
}

// The header, of a chunk whose header is followed by `rest` bytes.
static int
make(const blosc2_cparams *c, int32_t nbytes, void *dest, int32_t destsize, int special,
     int32_t rest)
{
    uint8_t *const to = dest;
    if (!dest)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no place for a chunk is given");
    if (destsize < BLOSC_EXTENDED_HEADER_LENGTH + (int64_t)rest)
        return b2_fail(BLOSC2_ERROR_DATA, "%d bytes of memory for a chunk of %d + %d", destsize,
                       BLOSC_EXTENDED_HEADER_LENGTH, rest);
    const int rc = b2_check_encode(c, nbytes, destsize);
    if (rc < 0)
        return rc;
    if (nbytes % c->typesize != 0)
        return b2_fail(BLOSC2_ERROR_DATA, "%d bytes, which are no whole items of %d", nbytes,
                       c->typesize);
    memset(to, 0, BLOSC_EXTENDED_HEADER_LENGTH);
    to[BLOSC2_CHUNK_VERSION] = BLOSC2_VERSION_FORMAT_STABLE;
    to[BLOSC2_CHUNK_VERSIONLZ] = BLOSC_BLOSCLZ_VERSION_FORMAT;
    to[BLOSC2_CHUNK_FLAGS] = BLOSC_DOSHUFFLE | BLOSC_DOBITSHUFFLE;
    to[BLOSC2_CHUNK_TYPESIZE] = (uint8_t)(c->typesize > BLOSC_MAX_TYPESIZE ? 1 : c->typesize);
    put_number(to + BLOSC2_CHUNK_NBYTES, nbytes);
    put_number(to + BLOSC2_CHUNK_BLOCKSIZE, b2_blocksize(c, nbytes));
    put_number(to + BLOSC2_CHUNK_CBYTES, BLOSC_EXTENDED_HEADER_LENGTH + rest);
    to[BLOSC2_CHUNK_BLOSC2_FLAGS] = (uint8_t)(special << 4);
    return BLOSC_EXTENDED_HEADER_LENGTH + rest;
}

int
blosc2_chunk_zeros(blosc2_cparams cparams, int32_t nbytes, void *dest, int32_t destsize)
{
    return make(&cparams, nbytes, dest, destsize, BLOSC2_SPECIAL_ZERO, 0);
}

int
blosc2_chunk_uninit(blosc2_cparams cparams, int32_t nbytes, void *dest, int32_t destsize)
{
    return make(&cparams, nbytes, dest, destsize, BLOSC2_SPECIAL_UNINIT, 0);
}

int
blosc2_chunk_nans(blosc2_cparams cparams, int32_t nbytes, void *dest, int32_t destsize)
{
    if (cparams.typesize != 4 && cparams.typesize != 8)
        return b2_fail(BLOSC2_ERROR_DATA, "NaNs of %d bytes, 4 or 8 can be", cparams.typesize);
    return make(&cparams, nbytes, dest, destsize, BLOSC2_SPECIAL_NAN, 0);
}

int
blosc2_chunk_repeatval(blosc2_cparams cparams, int32_t nbytes, void *dest, int32_t destsize,
                       const void *repeatval)
{
    if (!repeatval)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no item is given");
    if (cparams.typesize < 1)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items of %d bytes", cparams.typesize);
    const int rc = make(&cparams, nbytes, dest, destsize, BLOSC2_SPECIAL_VALUE, cparams.typesize);
    if (rc > 0)
        memcpy((uint8_t *)dest + BLOSC_EXTENDED_HEADER_LENGTH, repeatval, (size_t)cparams.typesize);
    return rc;
}
