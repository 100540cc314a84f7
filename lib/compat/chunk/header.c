/*
 * header.c - the header of a chunk, as the functions of blosc2.h show it.
 */
#include "chunk/header.h"

#include "blosc2/error.h"

enum {
    EXTENDED = BLOSC_DOSHUFFLE | BLOSC_DOBITSHUFFLE, // both: the header has 32 bytes
    FORMAT_SHIFT = 5, // of the codec, in the flags
    SPECIAL_SHIFT = 4, // in the last byte of the header
};

static int32_t
number(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
                     (uint32_t)at[3] << 24);
}

static int
check(const struct b2_header *h)
{
    if (h->cbytes < BLOSC_MIN_HEADER_LENGTH || h->nbytes < 0)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER, "a chunk of %d bytes with %d bytes of content",
                       h->cbytes, h->nbytes);
    if (h->blocksize <= 0 || h->blocksize > BLOSC2_MAXBLOCKSIZE)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER, "a chunk with blocks of %d bytes",
                       h->blocksize);
    if (h->typesize == 0)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER, "a chunk with items of 0 bytes");
    return 0;
}

static int
read_extended(const uint8_t *bytes, int32_t size, struct b2_header *h)
{
    if ((h->flags & EXTENDED) != EXTENDED || size == BLOSC_MIN_HEADER_LENGTH)
        return 0;
    if (h->cbytes < BLOSC_EXTENDED_HEADER_LENGTH)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER, "a chunk of %d bytes with a header of 32",
                       h->cbytes);
    if (size < BLOSC_EXTENDED_HEADER_LENGTH)
        return b2_fail(BLOSC2_ERROR_READ_BUFFER, "%d bytes of a header of 32", size);
    h->special = bytes[BLOSC2_CHUNK_BLOSC2_FLAGS] >> SPECIAL_SHIFT & BLOSC2_SPECIAL_MASK;
    h->vl_blocks = bytes[BLOSC2_CHUNK_BLOSC2_FLAGS2] & BLOSC2_VL_BLOCKS;
    if (h->version > BLOSC2_VERSION_FORMAT &&
        (bytes[BLOSC2_CHUNK_BLOSC2_FLAGS2] & ~BLOSC2_VL_BLOCKS) != 0)
        return b2_fail(BLOSC2_ERROR_VERSION_SUPPORT,
                       "a chunk of version %d, %d is the latest known", h->version,
                       BLOSC2_VERSION_FORMAT);
    return 0;
}

static int
read_header(const uint8_t *bytes, int32_t size, struct b2_header *h)
{
    if (!bytes)
        return b2_fail(BLOSC2_ERROR_NULL_POINTER, "no chunk is given");
    if (size < BLOSC_MIN_HEADER_LENGTH)
        return b2_fail(BLOSC2_ERROR_READ_BUFFER, "%d bytes, a header has 16 at least", size);
    *h = (struct b2_header){
        .version = bytes[BLOSC2_CHUNK_VERSION],
        .versionlz = bytes[BLOSC2_CHUNK_VERSIONLZ],
        .flags = bytes[BLOSC2_CHUNK_FLAGS],
        .typesize = bytes[BLOSC2_CHUNK_TYPESIZE],
        .nbytes = number(bytes + BLOSC2_CHUNK_NBYTES),
        .blocksize = number(bytes + BLOSC2_CHUNK_BLOCKSIZE),
        .cbytes = number(bytes + BLOSC2_CHUNK_CBYTES),
    };
    int rc = check(h);
    if (rc == 0)
        rc = read_extended(bytes, size, h);
    if (rc == 0 && !h->vl_blocks && h->nbytes > 0 && h->blocksize > h->nbytes)
        h->blocksize = h->nbytes;
    return rc;
}

int
b2_header_read(const void *chunk, int32_t size, struct b2_header *h)
{
    *h = (struct b2_header){0};
    const int rc = read_header(chunk, size, h);
    if (rc < 0)
        *h = (struct b2_header){0};
    return rc;
}

int
blosc2_cbuffer_sizes(const void *cbuffer, int32_t *nbytes, int32_t *cbytes, int32_t *blocksize)
{
    struct b2_header h;
    const int rc = b2_header_read(cbuffer, BLOSC_MIN_HEADER_LENGTH, &h);
    if (nbytes)
        *nbytes = h.nbytes;
    if (cbytes)
        *cbytes = h.cbytes;
    if (blocksize)
        *blocksize = h.blocksize;
    return rc;
}

void
blosc1_cbuffer_sizes(const void *cbuffer, size_t *nbytes, size_t *cbytes, size_t *blocksize)
{
    struct b2_header h;
    (void)b2_header_read(cbuffer, BLOSC_MIN_HEADER_LENGTH, &h);
    if (nbytes)
        *nbytes = (size_t)h.nbytes;
    if (cbytes)
        *cbytes = (size_t)h.cbytes;
    if (blocksize)
        *blocksize = (size_t)h.blocksize;
}

static int
validate(const void *cbuffer, size_t cbytes, struct b2_header *h)
{
    if (cbytes < BLOSC_MIN_HEADER_LENGTH)
        return b2_fail(BLOSC2_ERROR_WRITE_BUFFER, "%zu bytes, a header has 16 at least", cbytes);
    const int rc = b2_header_read(cbuffer, BLOSC_MIN_HEADER_LENGTH, h);
    if (rc < 0)
        return rc;
    if ((size_t)h->cbytes != cbytes)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER, "a chunk of %d bytes in %zu", h->cbytes,
                       cbytes);
    if (h->nbytes > BLOSC2_MAX_BUFFERSIZE)
        return b2_fail(BLOSC2_ERROR_MEMORY_ALLOC, "%d bytes of content, %d at most", h->nbytes,
                       BLOSC2_MAX_BUFFERSIZE);
    return 0;
}

int
blosc1_cbuffer_validate(const void *cbuffer, size_t cbytes, size_t *nbytes)
{
    struct b2_header h = {0};
    const int rc = validate(cbuffer, cbytes, &h);
    if (nbytes)
        *nbytes = rc < 0 ? 0 : (size_t)h.nbytes;
    return rc;
}

void
blosc1_cbuffer_metainfo(const void *cbuffer, size_t *typesize, int *flags)
{
    struct b2_header h;
    (void)b2_header_read(cbuffer, BLOSC_MIN_HEADER_LENGTH, &h);
    if (typesize)
        *typesize = (size_t)h.typesize;
    if (flags)
        *flags = h.flags;
}

void
blosc2_cbuffer_versions(const void *cbuffer, int *version, int *versionlz)
{
    struct b2_header h;
    (void)b2_header_read(cbuffer, BLOSC_MIN_HEADER_LENGTH, &h);
    if (version)
        *version = h.version;
    if (versionlz)
        *versionlz = h.versionlz;
}

const char *
blosc2_cbuffer_complib(const void *cbuffer)
{
    static const char *const libraries[] = {
        [BLOSC_BLOSCLZ_FORMAT] = BLOSC_BLOSCLZ_LIBNAME,
        [BLOSC_LZ4_FORMAT] = BLOSC_LZ4_LIBNAME,
        [BLOSC_ZLIB_FORMAT] = BLOSC_ZLIB_LIBNAME,
        [BLOSC_ZSTD_FORMAT] = BLOSC_ZSTD_LIBNAME,
        [BLOSC_SCHUNK_LIB] = NULL,
    };
    struct b2_header h;
    const int rc = b2_header_read(cbuffer, BLOSC_MIN_HEADER_LENGTH, &h);
    return rc < 0 ? NULL : libraries[h.flags >> FORMAT_SHIFT & 7];
}
