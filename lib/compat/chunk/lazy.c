/*
 * lazy.c - lazy chunks whose blocks differ in size.
 *
 * A trailer may come from anywhere: it has to say what the table says.
 */
#include "chunk/lazy.h"

#include "blosc2/error.h"
#include "chunk/header.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    LAZY = 0x08, // in the last byte of the header
    NUMBER = sizeof(int32_t), // of an entry of the table, and of a size
    PLACE = sizeof(int32_t) + sizeof(int64_t), // in front of the sizes
};

// The sizes of a lazy chunk, in bytes: header with table, trailer, and what is behind it.
struct parts {
    int32_t head, trailer, rest;
    int32_t nblocks;
};

bool
b2_lazy_is(const uint8_t *chunk, int32_t size)
{
    struct b2_header h;
    return size >= BLOSC_EXTENDED_HEADER_LENGTH && b2_header_read(chunk, size, &h) == 0 &&
           h.vl_blocks && (chunk[BLOSC2_CHUNK_BLOSC2_FLAGS] & LAZY);
}

static int
divide(const struct b2_header *h, struct parts *p)
{
    if (h->blocksize > (h->cbytes - BLOSC_EXTENDED_HEADER_LENGTH) / NUMBER ||
        h->blocksize > (INT32_MAX - h->cbytes - PLACE) / NUMBER)
        return b2_fail(BLOSC2_ERROR_INVALID_HEADER,
                       "%" PRId32 " blocks in a chunk of %" PRId32 " bytes", h->blocksize,
                       h->cbytes);
    p->nblocks = h->blocksize;
    p->head = BLOSC_EXTENDED_HEADER_LENGTH + p->nblocks * NUMBER;
    p->trailer = PLACE + p->nblocks * NUMBER;
    p->rest = h->cbytes - p->head;
    return 0;
}

static int64_t
start_of(const uint8_t *chunk, const struct parts *p, int32_t n)
{
    const uint8_t *const b = chunk + BLOSC_EXTENDED_HEADER_LENGTH + n * NUMBER;
    return n == p->nblocks ? p->head + (int64_t)p->rest
                           : (int64_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
                                       (uint32_t)b[3] << 24);
}

// Stored bytes of block n; below 1 or not as many as there are: the blocks are not in order.
static int64_t
size_of(const uint8_t *chunk, const struct parts *p, int32_t n)
{
    return start_of(chunk, p, n + 1) - start_of(chunk, p, n);
}

static bool
in_order(const uint8_t *chunk, const struct parts *p)
{
    bool ordered = start_of(chunk, p, 0) >= p->head;
    for (int32_t i = 0; i < p->nblocks && ordered; i++)
        ordered = size_of(chunk, p, i) > 0;
    return ordered;
}

int
b2_lazy_make(const uint8_t *chunk, int32_t size, int64_t nchunk, uint8_t **lazy)
{
    const int32_t number = (int32_t)nchunk;
    const int64_t place = -1;
    struct b2_header h;
    struct parts p = {0};
    int rc = b2_header_read(chunk, size, &h);

    *lazy = NULL;
    if (rc < 0 || !h.vl_blocks || h.special != BLOSC2_NO_SPECIAL || nchunk > INT32_MAX)
        return rc;
    rc = h.cbytes == size ? divide(&h, &p) : 0;
    if (rc < 0 || h.cbytes != size || !in_order(chunk, &p))
        return rc;
    uint8_t *const made = malloc((size_t)size + (size_t)p.trailer);
    if (!made)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    memcpy(made, chunk, (size_t)p.head);
    made[BLOSC2_CHUNK_BLOSC2_FLAGS] |= LAZY;
    memcpy(made + p.head, &number, sizeof number);
    memcpy(made + p.head + sizeof number, &place, sizeof place);
    for (int32_t i = 0; i < p.nblocks; i++) {
        const int32_t bytes = (int32_t)size_of(chunk, &p, i);
        memcpy(made + p.head + PLACE + i * NUMBER, &bytes, sizeof bytes);
    }
    memcpy(made + p.head + p.trailer, chunk + p.head, (size_t)p.rest);
    *lazy = made;
    return size + p.trailer;
}

static int
check_sizes(const uint8_t *lazy, const struct parts *p)
{
    for (int32_t i = 0; i < p->nblocks; i++) {
        int32_t bytes;
        memcpy(&bytes, lazy + p->head + PLACE + i * NUMBER, sizeof bytes);
        if (bytes != size_of(lazy, p, i))
            return b2_fail(BLOSC2_ERROR_INVALID_HEADER,
                           "block %" PRId32 " has %" PRId32
                           " bytes in the trailer of a lazy chunk, "
                           "%" PRId64 " in its table",
                           i, bytes, size_of(lazy, p, i));
    }
    return 0;
}

int
b2_lazy_open(const uint8_t *lazy, int32_t size, uint8_t **whole)
{
    struct b2_header h;
    struct parts p = {0};
    int rc = b2_header_read(lazy, size, &h);

    *whole = NULL;
    if (rc == 0)
        rc = divide(&h, &p);
    if (rc == 0 && size < h.cbytes + p.trailer)
        rc = b2_fail(BLOSC2_ERROR_READ_BUFFER, "%" PRId32 " bytes of a lazy chunk of %" PRId32,
                     size, h.cbytes + p.trailer);
    if (rc == 0)
        rc = check_sizes(lazy, &p);
    if (rc < 0)
        return rc;
    *whole = malloc((size_t)h.cbytes);
    if (!*whole)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    memcpy(*whole, lazy, (size_t)p.head);
    (*whole)[BLOSC2_CHUNK_BLOSC2_FLAGS] &= (uint8_t)~LAZY;
    memcpy(*whole + p.head, lazy + p.head + p.trailer, (size_t)p.rest);
    return h.cbytes;
}
