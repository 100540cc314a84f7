/*
 * items.c - items of a super-chunk, counted over all chunks: read and written.
 *
 * Of a super-chunk that is not of an array, items are an array of one dimension. Of an array, they
 * are in the order of its chunks and blocks, so chunks are decoded one by one.
 */
#include "blosc2/error.h"
#include "schunk/calls.h"
#include "schunk/content.h"
#include "schunk/list.h"
#include "schunk/schunk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <tessera/array.h>
#include <tessera/chunk.h>
#include <tessera/select.h>

// Where chunks meet a range of bytes, chunk after chunk.
struct walk {
    const struct b2_schunk *s;
    int64_t n; // the chunk
    int64_t at; // its first byte
    int32_t nbytes; // its bytes
    uint8_t *room; // for its content
    int32_t room_size;
};

static int
walk_open(struct walk *w)
{
    const int rc = b2_chunk_nbytes(w->s, w->n, &w->nbytes);

    if (rc < 0 || w->nbytes <= w->room_size)
        return rc;
    free(w->room);
    w->room = malloc((size_t)w->nbytes);
    w->room_size = w->room ? w->nbytes : 0;
    return w->room ? rc : BLOSC2_ERROR_MEMORY_ALLOC;
}

// Stand on the chunk that has a byte, at or behind the one at hand.
static int
walk_to(struct walk *w, int64_t byte)
{
    const int32_t size = w->s->of.chunksize;
    int rc;

    if (size > 0 && w->n < byte / size) {
        w->n = byte / size;
        w->at = w->n * size;
    }
    while ((rc = walk_open(w)) == 0 && byte >= w->at + w->nbytes) {
        w->at += w->nbytes;
        w->n++;
    }
    return rc;
}

static int
check_range(const struct b2_schunk *s, int64_t start, int64_t stop)
{
    const int64_t n = s->of.nbytes / s->of.typesize;

    if (start < 0 || start > stop || stop > n)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "items %" PRId64 " to %" PRId64 " of %" PRId64,
                       start, stop, n);
    return BLOSC2_ERROR_SUCCESS;
}

// -- read

static int
read_chunks(const struct b2_schunk *s, int64_t from, int64_t to, uint8_t *dst)
{
    struct walk w = {.s = s};
    int rc = BLOSC2_ERROR_SUCCESS;

    while (from < to && rc == 0) {
        rc = walk_to(&w, from);
        if (rc == 0)
            rc = b2_chunk_read(s, w.n, w.room, w.nbytes);
        if (rc < 0)
            break;
        const int64_t end = w.at + w.nbytes < to ? w.at + w.nbytes : to;
        memcpy(dst, w.room + (from - w.at), (size_t)(end - from));
        dst += end - from;
        from = end;
    }
    free(w.room);
    return rc;
}

static int
read_range(struct b2_schunk *s, int64_t start, int64_t stop, void *buffer)
{
    tess_info info;
    tess_error err = {0};
    int rc = b2_schunk_read_begin(s);

    if (rc < 0)
        return rc;
    rc = check_range(s, start, stop);
    tess_array_info(s->a, &info);
    const int64_t size = s->of.typesize, from = start * size, to = stop * size;
    if (rc == 0 && info.plain && !b2_decodes_by_context(s)) {
        const int64_t first = from / info.typesize, last = to / info.typesize;
        rc = b2_code(tess_array_read(s->a, &first, &last, buffer, (size_t)(to - from), &err), &err);
    } else if (rc == 0) {
        rc = read_chunks(s, from, to, buffer);
    }
    if (rc == 0 && from < to && s->of.chunksize > 0)
        b2_schunk_set_current(s, (to - 1) / s->of.chunksize);
    b2_schunk_end(s);
    return rc;
}

int
blosc2_schunk_get_slice_buffer(blosc2_schunk *schunk, int64_t start, int64_t stop, void *buffer)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    int tries = 0, rc;

    if (!s || (!buffer && start < stop))
        return BLOSC2_ERROR_NULL_POINTER;
    do
        rc = read_range(s, start, stop, buffer);
    while (b2_schunk_try_again(s, rc, &tries));
    return rc;
}

static int
read_points(const struct b2_schunk *s, int64_t n, const int64_t *coords, uint8_t *dst)
{
    struct walk w = {.s = s};
    int rc = BLOSC2_ERROR_SUCCESS;
    int64_t decoded = -1;
    const int64_t size = s->of.typesize;

    for (int64_t i = 0; i < n && rc == 0; i++) {
        const int64_t byte = coords[i] * size;
        if (byte < w.at)
            w.n = w.at = 0;
        rc = walk_to(&w, byte);
        if (rc == 0 && w.n != decoded)
            rc = b2_chunk_read(s, w.n, w.room, w.nbytes);
        decoded = w.n;
        if (rc == 0)
            memcpy(dst + i * size, w.room + (byte - w.at), (size_t)size);
    }
    free(w.room);
    return rc;
}

static int
read_sparse(struct b2_schunk *s, int64_t n, const int64_t *coords, void *buffer)
{
    tess_info info;
    tess_error err = {0};
    int rc = b2_schunk_read_begin(s);

    if (rc < 0)
        return rc;
    for (int64_t i = 0; i < n && rc == 0; i++)
        rc = coords[i] < 0 ? BLOSC2_ERROR_INVALID_PARAM : check_range(s, coords[i], coords[i] + 1);
    tess_array_info(s->a, &info);
    const bool direct = info.plain && info.typesize == s->of.typesize && !b2_decodes_by_context(s);
    if (rc == 0 && direct)
        rc = b2_code(
            tess_array_get_points(s->a, n, coords, buffer, (size_t)n * (size_t)info.typesize, &err),
            &err);
    else if (rc == 0)
        rc = read_points(s, n, coords, buffer);
    b2_schunk_end(s);
    return rc;
}

int
blosc2_schunk_get_sparse_buffer(blosc2_schunk *schunk, int64_t ncoords, const int64_t *coords,
                                void *buffer)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    int tries = 0, rc;

    if (!s || ncoords < 0 || (ncoords > 0 && (!coords || !buffer)))
        return s && ncoords < 0 ? BLOSC2_ERROR_INVALID_PARAM : BLOSC2_ERROR_NULL_POINTER;
    do
        rc = read_sparse(s, ncoords, coords, buffer);
    while (b2_schunk_try_again(s, rc, &tries));
    return rc;
}

// -- write

static int
write_chunks(struct b2_schunk *s, int64_t from, int64_t to, const uint8_t *src)
{
    struct walk w = {.s = s};
    int rc = BLOSC2_ERROR_SUCCESS;

    while (from < to && rc == 0) {
        rc = walk_to(&w, from);
        if (rc < 0)
            break;
        const int64_t end = w.at + w.nbytes < to ? w.at + w.nbytes : to;
        const bool whole = from == w.at && end == w.at + w.nbytes;
        if (!whole)
            rc = b2_chunk_read(s, w.n, w.room, w.nbytes);
        if (rc == 0 && !whole)
            memcpy(w.room + (from - w.at), src, (size_t)(end - from));
        if (rc == 0) {
            b2_schunk_set_current(s, w.n);
            rc = b2_chunk_rewrite(s, w.n, whole ? src : w.room, w.nbytes);
        }
        b2_list_forget(s, w.n, w.n + 1);
        src += end - from;
        from = end;
    }
    free(w.room);
    return rc;
}

int
blosc2_schunk_set_slice_buffer(blosc2_schunk *schunk, int64_t start, int64_t stop, void *buffer)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);

    if (!s || (!buffer && start < stop))
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    rc = check_range(s, start, stop);
    if (rc == 0)
        rc = write_chunks(s, start * s->of.typesize, stop * s->of.typesize, buffer);
    const int counted = b2_schunk_end_change(s); // also after a failure: some chunks were written
    return rc < 0 ? rc : counted;
}
