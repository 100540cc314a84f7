/*
 * load.c - a chunk of an array as it is stored, all of its bytes.
 */
#include "array/chunks/load.h"

#include "array/chunks/sums.h"
#include "base/checked.h"
#include "base/error.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "grid/pool.h"

// The bytes of a chunk that is not stored: a header, which says what it is.
static tess_status
load_special(struct chunk_loan *loan, const struct frame *f, int64_t n, tess_error *err)
{
    const int32_t typesize = frame_header(f)->typesize, blocksize = frame_header(f)->blocksize;
    const tess_status st = stored_chunk_open(&loan->stored, f, n, loan->scratch, err);
    struct chunk_header h = loan->stored.chunk.h;
    if (st != TESS_OK)
        return st;
    h.typesize = typesize > UINT8_MAX ? 1 : typesize;
    h.blocksize = blocksize > 0 ? blocksize : (int32_t)max_i64(h.nbytes, 1);
    h.cbytes = CHUNK_HEADER_SIZE;
    chunk_header_write(&h, loan->special);
    loan->bytes = loan->special;
    loan->size = CHUNK_HEADER_SIZE;
    return TESS_OK;
}

static tess_status
load_stored(struct chunk_loan *loan, const tess_array *a, int64_t n, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    const struct checksums *checksums;
    const tess_status st = sums_get(a->sums, f, &checksums, err);
    if (st != TESS_OK)
        return st;
    return stored_chunk_load(&loan->stored, f, n, checksums, loan->scratch, &loan->bytes,
                             &loan->size, err);
}

tess_status
chunk_borrow(struct chunk_loan *loan, const tess_array *a, int64_t n, tess_error *err)
{
    const struct frame *const f = a->grid->frame;
    loan->scratch = pool_take(a->grid->pool); // the rest is set by what succeeds
    if (!loan->scratch)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    const tess_status st =
        frame_entry(f, n) < 0 ? load_special(loan, f, n, err) : load_stored(loan, a, n, err);
    if (st != TESS_OK)
        pool_give(a->grid->pool, loan->scratch); // the stored chunk is closed
    return st;
}

void
chunk_give_back(struct chunk_loan *loan, const tess_array *a)
{
    stored_chunk_close(&loan->stored);
    pool_give(a->grid->pool, loan->scratch);
}
