/*
 * chunks.c - chunks of a super-chunk: added, replaced, deleted, put into another order, copied out.
 *
 * The chunks of an array are those of its grid. Programs may delete the last ones all the same, to
 * append others: those are zeros meanwhile.
 */
#include "blosc2/error.h"
#include "chunk/context.h"
#include "chunk/lazy.h"
#include "schunk/calls.h"
#include "schunk/content.h"
#include "schunk/list.h"
#include "schunk/schunk.h"
#include "schunk/special.h"

#include <inttypes.h>
#include <stdlib.h>
#include <tessera/chunk.h>
#include <tessera/schunk.h>

// After a change of chunks first .. behind: the number of chunks, or a code.
static int64_t
end_change(struct b2_schunk *s, int64_t first, int64_t behind, int rc)
{
    if (rc < 0) {
        b2_special_forget(s); // only a commit may have failed
        b2_schunk_end(s);
        return rc;
    }
    b2_list_forget(s, first, behind);
    b2_schunk_count(s);
    const int64_t nchunks = s->of.nchunks; // other threads may change it from the end on
    rc = b2_schunk_end_counted(s);
    return rc < 0 ? rc : nchunks;
}

// -- encoded chunks

// Bytes of a chunk of the program, or a code.
static int
size_of_chunk(const uint8_t *chunk)
{
    int32_t cbytes = 0;

    if (!chunk)
        return BLOSC2_ERROR_NULL_POINTER;
    const int rc = blosc2_cbuffer_sizes(chunk, NULL, &cbytes, NULL);
    if (rc == 0 && b2_lazy_is(chunk, cbytes))
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a lazy chunk, where a whole one is needed");
    return rc < 0 ? rc : cbytes;
}

// Whether the chunk has the short header of Blosc 1, which frames of this library do not have.
static bool
is_of_blosc1(const uint8_t *chunk)
{
    return (chunk[BLOSC2_CHUNK_FLAGS] & (BLOSC_DOSHUFFLE | BLOSC_DOBITSHUFFLE)) !=
           (BLOSC_DOSHUFFLE | BLOSC_DOBITSHUFFLE);
}

// The content of such a chunk is encoded again.
static int
put_blosc1(struct b2_schunk *s, int64_t n, const uint8_t *chunk, int32_t size, bool insert)
{
    int32_t nbytes = 0;
    tess_error err = {0};
    int rc = blosc2_cbuffer_sizes(chunk, &nbytes, NULL, NULL);
    uint8_t *const items = rc < 0 ? NULL : malloc((size_t)nbytes + 1);

    if (!items)
        return rc < 0 ? rc : BLOSC2_ERROR_MEMORY_ALLOC;
    rc = blosc2_decompress(chunk, size, items, nbytes);
    if (rc >= 0)
        rc = b2_code_io(insert ? tess_schunk_insert(s->a, n, items, (size_t)nbytes, &err)
                               : tess_schunk_update(s->a, n, items, (size_t)nbytes, &err),
                        &err, BLOSC2_ERROR_FILE_WRITE);
    free(items);
    return rc;
}

// Chunk n of an array that lacks its last chunks comes back. insert: where it is not there.
static tess_status
put_in_array(struct b2_schunk *s, int64_t n, const uint8_t *chunk, size_t size, bool insert,
             tess_error *err)
{
    if (insert && (s->missing == 0 || n != s->of.nchunks))
        return tess_schunk_insert_chunk(s->a, n, chunk, size, TESS_CHUNK_TRUSTED, err); // refused
    const tess_status st = tess_array_set_chunk(s->a, n, chunk, size, TESS_CHUNK_TRUSTED, err);
    if (st == TESS_OK && insert)
        s->missing--;
    return st;
}

// The size of chunks that the program set is the most, as in c-blosc2.
static int
check_first(const struct b2_schunk *s, int32_t nbytes)
{
    if (s->of.nchunks == 0 && s->of.chunksize > 0 && nbytes > s->of.chunksize)
        return b2_fail(BLOSC2_ERROR_CHUNK_APPEND,
                       "a chunk of %" PRId32 " bytes, chunksize is %" PRId32, nbytes,
                       s->of.chunksize);
    return BLOSC2_ERROR_SUCCESS;
}

// The super-chunk is locked for a change.
static int
put_chunk_at(struct b2_schunk *s, int64_t n, const uint8_t *chunk, int32_t size, bool insert)
{
    tess_error err = {0};
    int32_t nbytes = 0;
    int rc = blosc2_cbuffer_sizes(chunk, &nbytes, NULL, NULL);

    if (rc == 0)
        rc = check_first(s, nbytes);
    if (rc < 0)
        return rc;
    if (s->plain && is_of_blosc1(chunk))
        return put_blosc1(s, n, chunk, size, insert);
    if (insert && s->plain) {
        rc = b2_code_io(
            tess_schunk_insert_chunk(s->a, n, chunk, (size_t)size, TESS_CHUNK_TRUSTED, &err), &err,
            BLOSC2_ERROR_FILE_WRITE);
        if (rc == 0 && size > BLOSC_EXTENDED_HEADER_LENGTH) // else the library makes the header
            b2_list_give(s, n, chunk, size);
        return rc;
    }
    return b2_code_io(put_in_array(s, n, chunk, (size_t)size, insert, &err), &err,
                      BLOSC2_ERROR_FILE_WRITE);
}

// n < 0: behind the last one.
static int64_t
put_chunk(struct b2_schunk *s, int64_t n, uint8_t *chunk, bool insert, bool copy)
{
    const int size = size_of_chunk(chunk);
    int rc = size < 0 ? size : b2_schunk_change_begin(s);

    if (rc < 0)
        return rc;
    if (n < 0)
        n = s->of.nchunks;
    b2_schunk_set_current(s, n);
    rc = put_chunk_at(s, n, chunk, size, insert);
    const int64_t nchunks = end_change(s, n, insert || n == INT64_MAX ? INT64_MAX : n + 1, rc);
    if (nchunks >= 0 && !copy)
        free(chunk); // it was handed over
    return nchunks;
}

int64_t
blosc2_schunk_append_chunk(blosc2_schunk *schunk, uint8_t *chunk, bool copy)
{
    return schunk ? put_chunk(b2_schunk_of(schunk), -1, chunk, true, copy)
                  : BLOSC2_ERROR_NULL_POINTER;
}

int64_t
blosc2_schunk_insert_chunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t *chunk, bool copy)
{
    if (!schunk)
        return BLOSC2_ERROR_NULL_POINTER;
    return nchunk < 0 ? BLOSC2_ERROR_INVALID_PARAM
                      : put_chunk(b2_schunk_of(schunk), nchunk, chunk, true, copy);
}

int64_t
blosc2_schunk_update_chunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t *chunk, bool copy)
{
    if (!schunk)
        return BLOSC2_ERROR_NULL_POINTER;
    return nchunk < 0 ? BLOSC2_ERROR_INVALID_PARAM
                      : put_chunk(b2_schunk_of(schunk), nchunk, chunk, false, copy);
}

// -- items

static int64_t
append_by_context(struct b2_schunk *s, const void *src, int32_t nbytes)
{
    const int32_t room = nbytes + BLOSC2_MAX_OVERHEAD;
    uint8_t *const chunk = malloc((size_t)room);

    if (!chunk)
        return BLOSC2_ERROR_MEMORY_ALLOC;
    b2_schunk_alone_begin(s); // with the context
    s->of.cctx->nchunk = s->of.nchunks;
    const int size = blosc2_compress_ctx(s->of.cctx, src, nbytes, chunk, room);
    s->of.cctx->nchunk = -1;
    b2_schunk_end(s);
    const int64_t n = size > 0    ? put_chunk(s, -1, chunk, true, true)
                      : size == 0 ? BLOSC2_ERROR_CHUNK_APPEND
                                  : size;
    free(chunk);
    return n;
}

int64_t
blosc2_schunk_append_buffer(blosc2_schunk *schunk, const void *src, int32_t nbytes)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_info info;
    tess_error err = {0};

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    if (nbytes < 0 || nbytes > BLOSC2_MAX_BUFFERSIZE)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "a chunk of %" PRId32 " bytes", nbytes);
    int rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    if (nbytes > 0 && src && (s->missing > 0 || b2_encodes_by_context(s))) {
        b2_schunk_end(s);
        return append_by_context(s, src, nbytes);
    }
    tess_array_info(s->a, &info);
    b2_schunk_set_current(s, s->of.nchunks);
    rc = check_first(s, nbytes);
    if (rc == 0)
        rc = b2_code_io(tess_schunk_insert(s->a, info.nchunks, src, (size_t)nbytes, &err), &err,
                        BLOSC2_ERROR_FILE_WRITE);
    return end_change(s, INT64_MAX, INT64_MAX, rc); // none that was there
}

// -- the list

// The last chunk of an array becomes zeros.
static int
delete_of_array(struct b2_schunk *s, int64_t nchunk)
{
    uint8_t zeros[BLOSC_EXTENDED_HEADER_LENGTH];
    tess_error err = {0};

    if (nchunk != s->of.nchunks - 1)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM,
                       "chunk %" PRId64 " of an array, only the last of %" PRId64 " can be deleted",
                       nchunk, s->of.nchunks);
    const int size =
        blosc2_chunk_zeros(*s->of.storage->cparams, s->of.chunksize, zeros, sizeof zeros);
    if (size < 0)
        return size;
    const tess_status st =
        tess_array_set_chunk(s->a, nchunk, zeros, (size_t)size, TESS_CHUNK_TRUSTED, &err);
    if (st == TESS_OK)
        s->missing++;
    return b2_code_io(st, &err, BLOSC2_ERROR_FILE_WRITE);
}

int64_t
blosc2_schunk_delete_chunk(blosc2_schunk *schunk, int64_t nchunk)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_info info;
    tess_error err = {0};

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    tess_array_info(s->a, &info);
    rc = b2_check_chunk(s, nchunk);
    if (rc == 0)
        b2_schunk_set_current(s, nchunk);
    if (rc == 0 && info.plain)
        rc = b2_code_io(tess_schunk_remove(s->a, nchunk, 1, &err), &err, BLOSC2_ERROR_FILE_WRITE);
    else if (rc == 0)
        rc = delete_of_array(s, nchunk);
    return end_change(s, nchunk, INT64_MAX, rc);
}

int
blosc2_schunk_reorder_offsets(blosc2_schunk *schunk, int64_t *offsets_order)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_info info;
    tess_error err = {0};

    if (!s || !offsets_order)
        return BLOSC2_ERROR_NULL_POINTER;
    int rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    tess_array_info(s->a, &info);
    rc = b2_code_io(tess_schunk_reorder(s->a, offsets_order, info.nchunks, &err), &err,
                    BLOSC2_ERROR_FILE_WRITE);
    if (err.status == TESS_ERR_ARG)
        rc = BLOSC2_ERROR_DATA;
    const int64_t n = end_change(s, 0, INT64_MAX, rc);
    return n < 0 ? (int)n : BLOSC2_ERROR_SUCCESS;
}

static int
special_kind(int special_value, tess_chunk_kind *kind)
{
    *kind = special_value == BLOSC2_SPECIAL_NAN      ? TESS_CHUNK_NANS
            : special_value == BLOSC2_SPECIAL_UNINIT ? TESS_CHUNK_UNINIT
                                                     : TESS_CHUNK_ZEROS;
    return special_value == BLOSC2_SPECIAL_ZERO || *kind != TESS_CHUNK_ZEROS
               ? BLOSC2_ERROR_SUCCESS
               : b2_fail(BLOSC2_ERROR_SCHUNK_SPECIAL, "%d is no special value to fill with",
                         special_value);
}

int64_t
blosc2_schunk_fill_special(blosc2_schunk *schunk, int64_t nitems, int special_value,
                           int32_t chunksize)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    tess_chunk_kind kind = TESS_CHUNK_ZEROS;
    tess_error err = {0};
    tess_status st = TESS_OK;

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    const int32_t typesize = s->of.typesize;
    if (nitems < 0 || chunksize < typesize)
        return b2_fail(BLOSC2_ERROR_SCHUNK_SPECIAL,
                       "%" PRId64 " items of %" PRId32 " bytes in chunks of %" PRId32, nitems,
                       typesize, chunksize);
    if (nitems == 0)
        return 0;
    const int64_t in_chunk = chunksize / typesize, whole = nitems / in_chunk;
    const size_t rest = (size_t)(nitems % in_chunk) * (size_t)typesize;
    int rc = special_kind(special_value, &kind);
    if (rc == 0)
        rc = b2_schunk_change_begin(s);
    if (rc < 0)
        return rc;
    if (s->of.nbytes > 0) {
        b2_schunk_end(s);
        return b2_fail(BLOSC2_ERROR_FRAME_SPECIAL, "a super-chunk that has chunks");
    }
    const size_t size = (size_t)(in_chunk * typesize);
    st = tess_schunk_set_chunksize(s->a, (int64_t)size, &err);
    if (st == TESS_OK)
        st = tess_schunk_insert_special(s->a, 0, whole, kind, whole > 0 ? size : 1, &err);
    if (st == TESS_OK && rest > 0)
        st = tess_schunk_insert_special(s->a, whole, 1, kind, rest, &err);
    return end_change(s, 0, INT64_MAX, b2_code_io(st, &err, BLOSC2_ERROR_FRAME_SPECIAL));
}

// -- out of it

// The size of a chunk of a file where all have one size, but for the last. Decoding fails if the
// chunk has another, so that its header need not be read before. 0: the chunk has to be looked at.
static int32_t
size_by_place(const struct b2_schunk *s, int64_t n)
{
    tess_info info;

    if (!s->path || s->of.view)
        return 0;
    tess_array_info(s->a, &info);
    if (n < 0 || n >= info.nchunks || info.chunksize <= 0)
        return 0;
    const int64_t left = info.plain ? info.nbytes - n * info.chunksize : info.chunksize;
    return (int32_t)(left < info.chunksize ? left : info.chunksize);
}

// The super-chunk is locked for reading. Bytes of the content, or a code.
static int
decompress_locked(struct b2_schunk *s, int64_t nchunk, void *dest, int32_t nbytes)
{
    tess_chunk_info info = {.stored = true};
    int32_t size = size_by_place(s, nchunk);

    if (size <= 0) {
        const int rc = b2_chunk_look(s, nchunk, &info);
        if (rc < 0)
            return rc;
        size = (int32_t)info.nbytes;
    }
    if (nbytes < size)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "%" PRId32 " bytes for a chunk of %" PRId32,
                       nbytes, size);
    if (!dest)
        return BLOSC2_ERROR_NULL_POINTER;
    const int rc = b2_special_leaves(s, &info) ? 0 : b2_chunk_read(s, nchunk, dest, size);
    if (rc == 0 && !info.stored)
        b2_special_learn(s, nchunk);
    return rc < 0 ? rc : size;
}

static int
decompress(struct b2_schunk *s, int64_t nchunk, void *dest, int32_t nbytes)
{
    int rc = b2_schunk_read_begin(s);

    if (rc < 0)
        return rc;
    rc = decompress_locked(s, nchunk, dest, nbytes);
    b2_schunk_end(s);
    return rc;
}

int
blosc2_schunk_decompress_chunk(blosc2_schunk *schunk, int64_t nchunk, void *dest, int32_t nbytes)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    int tries = 0, rc;

    if (!s)
        return BLOSC2_ERROR_NULL_POINTER;
    rc = b2_special_decompress(s, nchunk, dest, nbytes);
    if (rc > 0)
        return rc;
    do
        rc = decompress(s, nchunk, dest, nbytes);
    while (b2_schunk_try_again(s, rc, &tries));
    if (rc < 0)
        return rc;
    b2_schunk_set_current(s, nchunk);
    return rc;
}

// Bytes of the chunk, or a code.
static int
copy_out(struct b2_schunk *s, int64_t nchunk, uint8_t **chunk)
{
    int rc = b2_schunk_read_begin(s);

    if (rc < 0)
        return rc;
    rc = b2_chunk_bytes(s, nchunk, chunk);
    if (rc == BLOSC_EXTENDED_HEADER_LENGTH) // special
        b2_special_learn(s, nchunk);
    b2_schunk_end(s);
    return rc;
}

int
blosc2_schunk_get_chunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t **chunk, bool *needs_free)
{
    struct b2_schunk *const s = b2_schunk_of(schunk);
    int tries = 0, rc;

    if (!s || !chunk || !needs_free)
        return BLOSC2_ERROR_NULL_POINTER;
    *chunk = b2_special_chunk(s, nchunk);
    if (*chunk) {
        *needs_free = true;
        return BLOSC_EXTENDED_HEADER_LENGTH;
    }
    do
        rc = copy_out(s, nchunk, chunk);
    while (b2_schunk_try_again(s, rc, &tries));
    if (rc > 0)
        b2_schunk_set_current(s, nchunk);
    *needs_free = rc > 0;
    return rc;
}

// All of it: nothing is left to be read later.
int
blosc2_schunk_get_lazychunk(blosc2_schunk *schunk, int64_t nchunk, uint8_t **chunk,
                            bool *needs_free)
{
    uint8_t *lazy = NULL;
    const int size = blosc2_schunk_get_chunk(schunk, nchunk, chunk, needs_free);

    if (size <= 0 || !b2_schunk_of(schunk)->path)
        return size;
    const int rc = b2_lazy_make(*chunk, size, nchunk, &lazy);
    if (rc == 0)
        return size;
    free(*chunk);
    *chunk = lazy;
    *needs_free = rc > 0;
    return rc;
}

int
blosc2_schunk_get_vlblock(blosc2_schunk *schunk, int64_t nchunk, int32_t nblock, uint8_t **dest,
                          int32_t *destsize)
{
    uint8_t *chunk = NULL;
    bool needs_free = false;

    if (!schunk || !dest || !destsize)
        return BLOSC2_ERROR_NULL_POINTER;
    *dest = NULL;
    *destsize = 0;
    int rc = blosc2_schunk_get_chunk(schunk, nchunk, &chunk, &needs_free);
    if (rc < 0)
        return rc;
    blosc2_context *const own = b2_context_copy(schunk->dctx); // several threads may read
    rc = own ? blosc2_vldecompress_block_ctx(own, chunk, rc, nblock, dest, destsize)
             : BLOSC2_ERROR_MEMORY_ALLOC;
    blosc2_free_ctx(own);
    if (needs_free)
        free(chunk);
    return rc;
}
