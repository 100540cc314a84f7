/*
 * schunk.c - the public functions on super-chunks, which are plain frames.
 */
#include "api/check.h"
#include "api/chunk/private.h"
#include "api/take.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/open/open.h"
#include "array/plain/plain.h"
#include "base/error.h"
#include "base/memory.h"
#include "task/watch.h"

#include <tessera/schunk.h>

#include <inttypes.h>

TESS_API tess_status
tess_schunk_create(const tess_storage *storage, const tess_params *params, tess_array **a,
                   tess_error *err)
{
    UNCANCELLED;
    const struct array_content content = {.plain = true, .special = SPECIAL_ZEROS};
    struct taken_storage at;
    tess_params own;
    struct home home;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no place for the super-chunk is given");
    *a = NULL;
    tess_status st = take_target(&at, storage, true, err);
    if (st == TESS_OK)
        st = take_params(&own, params, err);
    if (st == TESS_OK)
        st = home_create(&at.storage, own.layout, &home, err);
    return st == TESS_OK ? array_create(&home, &at.storage, &own, &content, a, err) : st;
}

// The list of a super-chunk is to change, from place n on, where `most` is the last there is.
static tess_status
check_chunk_list(const tess_array *a, int64_t n, int64_t most, tess_error *err)
{
    if (!a->grid->plain)
        return err_set(err, TESS_ERR_ARG, -1,
                       "an array, whose chunks belong to its grid, and no super-chunk");
    if (n < 0 || n > most)
        return err_set(err, TESS_ERR_ARG, -1,
                       "place %" PRId64 " in a super-chunk of %" PRId64 " chunks", n,
                       a->grid->g.nchunks);
    return TESS_OK;
}

// more: one place behind the last chunk is possible, too.
static tess_status
schunk_check(const tess_array *a, int64_t n, bool more, tess_error *err)
{
    tess_status st = check_writable(a, err);
    if (st == TESS_OK)
        st = check_no_view(a, err);
    return st == TESS_OK ? check_chunk_list(a, n, a->grid->g.nchunks - !more, err) : st;
}

TESS_API tess_status
tess_schunk_set_chunksize(tess_array *a, int64_t chunksize, tess_error *err)
{
    UNCANCELLED;
    tess_status st = schunk_check(a, 0, true, err);
    if (st != TESS_OK)
        return st;
    if (a->grid->g.nchunks > 0)
        return err_set(err, TESS_ERR_ARG, -1,
                       "a super-chunk of %" PRId64 " chunks, whose sizes are known",
                       a->grid->g.nchunks);
    if (chunksize < 1 || chunksize > CHUNK_NBYTES_MAX)
        return err_set(err, chunksize < 1 ? TESS_ERR_ARG : TESS_ERR_LIMIT, -1,
                       "chunks of %" PRId64 " bytes, 1 to %d can be", chunksize, CHUNK_NBYTES_MAX);
    return plain_set_chunksize(a, (int32_t)chunksize, err);
}

// A chunk of items comes to place n, where `removed` go.
static tess_status
put_items(tess_array *a, int64_t n, int64_t removed, const void *items, size_t items_size,
          tess_error *err)
{
    struct plain_splice s = {.at = n, .removed = removed, .added = 1};
    struct watch watch;
    uint8_t *room;
    tess_status st = schunk_check(a, n, removed == 0, err);
    if (st != TESS_OK)
        return st;
    if (!items)
        return err_set(err, TESS_ERR_ARG, -1, "no items are given");
    array_watch(&watch, a, (int64_t)(items_size / (size_t)a->g->typesize));
    st = watch_end(&watch, plain_chunk_encode(a, items, items_size, &watch, &s.chunk, &room, err));
    if (st == TESS_OK)
        st = plain_edit(a, &s, err);
    mem_free(room);
    return st;
}

TESS_API tess_status
tess_schunk_insert(tess_array *a, int64_t n, const void *items, size_t items_size, tess_error *err)
{
    UNCANCELLED;
    return put_items(a, n, 0, items, items_size, err);
}

TESS_API tess_status
tess_schunk_update(tess_array *a, int64_t n, const void *items, size_t items_size, tess_error *err)
{
    UNCANCELLED;
    return put_items(a, n, 1, items, items_size, err);
}

TESS_API tess_status
tess_schunk_insert_chunk(tess_array *a, int64_t n, const void *chunk, size_t chunk_size,
                         tess_chunk_trust trust, tess_error *err)
{
    UNCANCELLED;
    struct plain_splice s = {.at = n, .added = 1};
    tess_status st = schunk_check(a, n, true, err);
    if (st == TESS_OK)
        st = check_trust(trust, err);
    if (st != TESS_OK)
        return st;
    if (!chunk)
        return err_set(err, TESS_ERR_ARG, -1, "no chunk is given");
    st = plain_chunk_check(a, chunk, chunk_size, trust == TESS_CHUNK_TRUSTED, &s.chunk, err);
    return st == TESS_OK ? plain_edit(a, &s, err) : st;
}

static tess_status
special_of(tess_chunk_kind kind, enum chunk_special *special, tess_error *err)
{
    if (kind != TESS_CHUNK_ZEROS && kind != TESS_CHUNK_NANS && kind != TESS_CHUNK_UNINIT)
        return err_set(err, TESS_ERR_ARG, -1, "chunks of kind %d, which need items", (int)kind);
    *special = kind == TESS_CHUNK_ZEROS  ? SPECIAL_ZEROS
               : kind == TESS_CHUNK_NANS ? SPECIAL_NANS
                                         : SPECIAL_UNINIT;
    return TESS_OK;
}

TESS_API tess_status
tess_schunk_insert_special(tess_array *a, int64_t n, int64_t count, tess_chunk_kind kind,
                           size_t size, tess_error *err)
{
    UNCANCELLED;
    struct plain_splice s = {.at = n, .added = count};
    enum chunk_special special = SPECIAL_NONE;
    tess_status st = schunk_check(a, n, true, err);
    if (st == TESS_OK)
        st = special_of(kind, &special, err);
    if (st == TESS_OK && count < 0)
        st = err_set(err, TESS_ERR_ARG, -1, "%" PRId64 " chunks", count);
    if (st == TESS_OK)
        st = plain_chunk_special(a, special, size > SIZE_MAX / 2 ? INT64_MAX : (int64_t)size,
                                 &s.chunk, err);
    return st == TESS_OK && count > 0 ? plain_edit(a, &s, err) : st;
}

TESS_API tess_status
tess_schunk_remove(tess_array *a, int64_t n, int64_t count, tess_error *err)
{
    UNCANCELLED;
    const struct plain_splice s = {.at = n, .removed = count};
    const tess_status st = schunk_check(a, n, true, err);
    if (st != TESS_OK)
        return st;
    if (count < 0 || count > a->grid->g.nchunks - n)
        return err_set(err, TESS_ERR_ARG, -1,
                       "%" PRId64 " chunks from place %" PRId64 " on, of %" PRId64, count, n,
                       a->grid->g.nchunks);
    return count > 0 ? plain_edit(a, &s, err) : TESS_OK;
}

TESS_API tess_status
tess_schunk_reorder(tess_array *a, const int64_t *order, int64_t count, tess_error *err)
{
    UNCANCELLED;
    const tess_status st = schunk_check(a, 0, true, err);
    if (st != TESS_OK)
        return st;
    if (count != a->grid->g.nchunks || (!order && count > 0))
        return err_set(err, TESS_ERR_ARG, -1, "an order of %" PRId64 " chunks, there are %" PRId64,
                       count, a->grid->g.nchunks);
    return plain_reorder(a, order, err);
}

TESS_API tess_status
tess_schunk_decode(const tess_array *a, int64_t n, void *dst, size_t dst_size, tess_error *err)
{
    UNCANCELLED;
    struct watch watch;
    if (!a || (!dst && dst_size > 0))
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no memory is given");
    a = view_of_chunks(a);
    tess_status st = check_number(a, n, err);
    if (st == TESS_OK)
        st = chunks_begin(a, err);
    if (st != TESS_OK)
        return st;
    array_watch(&watch, a, 1);
    st = chunk_content_read(a, n, dst, dst_size, &watch, err);
    return array_chunks_end(a, watch_end(&watch, st), err);
}
