/*
 * chunk.c - the public functions on chunks and blocks of an array as they are stored.
 */
#include "api/check.h"
#include "api/chunk/private.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/chunks/chunks.h"
#include "array/plain/plain.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sized.h"
#include "task/watch.h"

#include <tessera/chunk.h>

#include <inttypes.h>
#include <string.h>

TESS_API tess_status
tess_array_chunk_sized(const tess_array *a, int64_t n, tess_chunk_info *info, size_t info_size,
                       tess_error *err)
{
    UNCANCELLED;
    tess_chunk_info own;
    if (!a || !info)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for a chunk is given");
    a = view_of_chunks(a);
    tess_status st = check_number(a, n, err);
    if (st == TESS_OK)
        st = chunks_begin(a, err);
    if (st != TESS_OK)
        return st;
    st = chunk_describe(a, n, &own, err);
    if (st == TESS_OK)
        sized_give(info, info_size, &own, sizeof own);
    return array_chunks_end(a, st, err);
}

TESS_API tess_status
tess_array_chunk_blocks(const tess_array *a, int64_t n, int32_t *sizes, size_t count,
                        tess_error *err)
{
    UNCANCELLED;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    a = view_of_chunks(a);
    tess_status st = check_number(a, n, err);
    if (st == TESS_OK)
        st = chunks_begin(a, err);
    return st == TESS_OK ? array_chunks_end(a, chunk_blocks(a, n, sizes, count, err), err) : st;
}

TESS_API void
tess_chunk_run_init_sized(tess_chunk_run *run, size_t struct_size)
{
    const tess_chunk_run own = {.struct_size = struct_size, .number = -1, .last = -1};
    sized_give(run, struct_size, &own, sizeof own);
}

static tess_status
check_run(const tess_array *a, int64_t from, unsigned kinds, const tess_chunk_run *run,
          tess_error *err)
{
    if (from < 0)
        return err_set(err, TESS_ERR_ARG, -1, "from chunk %" PRId64, from);
    if (kinds == 0 || kinds & ~TESS_KINDS_ALL)
        return err_set(err, TESS_ERR_ARG, -1, "kinds of chunks 0x%x, 0x1 to 0x%x can be", kinds,
                       TESS_KINDS_ALL);
    if (run->item && run->item_size < (size_t)a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for an item of %" PRId32,
                       run->item_size, a->g->typesize);
    return TESS_OK;
}

TESS_API tess_status
tess_array_next_chunk(const tess_array *a, const int64_t *start, const int64_t *stop, int64_t from,
                      unsigned kinds, tess_chunk_run *run, tess_error *err)
{
    UNCANCELLED;
    int64_t nitems = 0;
    struct box box = {start, stop, NULL};
    tess_chunk_run own;
    struct watch watch;
    tess_status st = check_box_or_all(a, &box, &nitems, err);
    tess_chunk_run_init(&own);
    if (st == TESS_OK)
        st = sized_take(&own, sizeof own, SIZED_UP_TO(tess_chunk_run, item_size), run, "chunk_run",
                        err);
    if (st == TESS_OK)
        st = check_run(a, from, kinds, &own, err);
    if (st == TESS_OK)
        st = chunks_begin(a, err);
    if (st != TESS_OK)
        return st;
    array_watch(&watch, a, nitems);
    st = array_next_chunk(a, &box, from, kinds, &own, &watch, err);
    st = array_chunks_end(a, watch_end(&watch, st), err);
    own.struct_size = run->struct_size;
    sized_give(run, run->struct_size, &own, sizeof own);
    return st;
}

// Where the bytes of a chunk go: to the program's memory, or to new memory.
struct room {
    void *bytes;
    size_t size;
    bool fresh;
};

static tess_status
room_fill(struct room *room, const struct chunk_loan *loan, tess_error *err)
{
    const size_t size = (size_t)loan->size;
    if (room->fresh) {
        room->bytes = mem_alloc(size);
        room->size = size;
    }
    if (room->fresh && !room->bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    if (size > room->size)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory for a chunk of %zu", room->size,
                       size);
    memcpy(room->bytes, loan->bytes, size);
    return TESS_OK;
}

// *size: of the chunk, once it was found to be right.
static tess_status
take_chunk(const tess_array *a, int64_t n, struct room *room, size_t *size, tess_error *err)
{
    struct chunk_loan loan;
    *size = 0;
    tess_status st = check_number(a, n, err);
    if (st == TESS_OK)
        st = chunks_begin(a, err);
    if (st != TESS_OK)
        return st;
    st = chunk_borrow(&loan, a, n, err);
    if (st == TESS_OK) {
        st = room_fill(room, &loan, err);
        *size = (size_t)loan.size;
        chunk_give_back(&loan, a);
    }
    st = array_chunks_end(a, st, err);
    if (st != TESS_OK && st != TESS_ERR_ARG) // that is what too little memory is
        *size = 0;
    return st;
}

TESS_API tess_status
tess_array_get_chunk(const tess_array *a, int64_t n, void **chunk, size_t *chunk_size,
                     tess_error *err)
{
    UNCANCELLED;
    struct room room = {.fresh = true};
    if (chunk)
        *chunk = NULL;
    if (!a || !chunk || !chunk_size)
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for a chunk is given");
    const tess_status st = take_chunk(view_of_chunks(a), n, &room, chunk_size, err);
    if (st == TESS_OK)
        *chunk = room.bytes;
    else
        mem_free(room.bytes);
    return st;
}

TESS_API tess_status
tess_array_copy_chunk(const tess_array *a, int64_t n, void *dst, size_t dst_size,
                      size_t *chunk_size, tess_error *err)
{
    UNCANCELLED;
    struct room room = {.bytes = dst, .size = dst_size};
    if (!a || !chunk_size || (!dst && dst_size > 0))
        return err_set(err, TESS_ERR_ARG, -1, "no array, or no place for a chunk is given");
    return take_chunk(view_of_chunks(a), n, &room, chunk_size, err);
}

TESS_API tess_status
tess_array_set_chunk(tess_array *a, int64_t n, const void *chunk, size_t chunk_size,
                     tess_chunk_trust trust, tess_error *err)
{
    UNCANCELLED;
    tess_status st = check_writable(a, err);
    if (st == TESS_OK)
        st = check_no_view(a, err);
    if (st == TESS_OK)
        st = check_number(a, n, err);
    if (st != TESS_OK)
        return st;
    if (!chunk)
        return err_set(err, TESS_ERR_ARG, -1, "no chunk is given");
    st = check_trust(trust, err);
    if (st != TESS_OK)
        return st;
    return a->grid->plain
               ? plain_put_chunk(a, n, chunk, chunk_size, trust == TESS_CHUNK_TRUSTED, err)
               : array_put_chunk(a, n, chunk, chunk_size, trust == TESS_CHUNK_TRUSTED, err);
}
