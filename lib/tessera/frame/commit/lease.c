/*
 * lease.c - space of a frame that other processes write chunks to, and chunks that they wrote.
 */
#include "frame/commit/lease.h"

#include "frame/commit/change.h"
#include "frame/commit/lock.h"
#include "frame/contiguous/extents.h"
#include "frame/format/index.h"
#include "frame/private.h"

#include <inttypes.h>

static bool
is_stored(const struct lent_chunk *chunk)
{
    return chunk->special == SPECIAL_NONE;
}

static struct extent
extent_of(const struct frame *f, const struct lent_chunk *chunk)
{
    return (struct extent){chunk->at, f->folder ? 1 : chunk->size};
}

tess_status
frame_lease(struct frame *f, int64_t size, struct extent *lease, tess_error *err)
{
    tess_status st = frame_want_space(f, err);
    if (st == TESS_OK && !extents_reserve(&f->leased))
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a lease");
    if (st == TESS_OK)
        st = f->container->lease(f, size, &lease->start, err);
    if (st == TESS_OK) {
        lease->size = size;
        extents_insert(&f->leased, *lease);
        f->nleases++;
        f->nstaging++;
    } else if (!f->dirty && f->nstaging == 0) {
        frame_lock_release(f);
    }
    return st;
}

void
frame_lease_free(struct frame *f, struct extent left)
{
    if (extents_remove(&f->leased, left.start, &left))
        f->container->end_lease(f, left);
}

void
frame_lease_end(struct frame *f)
{
    f->nleases--;
    if (--f->nstaging == 0 && !f->dirty)
        frame_lock_release(f);
}

bool
frame_is_leased(const struct frame *f, const struct lent_chunk *chunk)
{
    const struct extent e = extent_of(f, chunk);
    struct extent left;
    return extents_at(&f->leased, e.start, &left) && e.size <= left.start + left.size - e.start;
}

tess_status
frame_find_lent(const struct frame *f, const struct lent_chunk *chunks, int64_t n, int64_t *which,
                tess_error *err)
{
    *which = -1;
    return f->container->find_lent(f, chunks, n, which, err);
}

static tess_status
check_leased(const struct frame *f, const struct lent_chunk *chunks, int64_t n, tess_error *err)
{
    for (int64_t i = 0; i < n; i++)
        if (is_stored(&chunks[i]) && !frame_is_leased(f, &chunks[i]))
            return err_set(err, TESS_ERR_ARG, -1,
                           "chunk %" PRId64 ": its bytes are in no lease, or the lease has ended",
                           chunks[i].n);
    return TESS_OK;
}

tess_status
frame_adopt(struct frame *f, const struct lent_chunk *chunks, int64_t n, tess_error *err)
{
    struct frame_staged staged = {0};
    tess_status st = check_leased(f, chunks, n, err);
    if (st == TESS_OK)
        st = frame_stage_begin(f, &staged, n, err);
    if (st == TESS_OK && !extents_reserve_many(&f->leased, n))
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " extents", n);
    if (st == TESS_OK)
        st = f->container->reserve_lent(f, n, err);
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        int64_t entry = index_entry_of(chunks[i].special);
        if (is_stored(&chunks[i])) {
            extents_carve(&f->leased, extent_of(f, &chunks[i]));
            entry = f->container->adopt(f, &chunks[i]);
        }
        frame_stage(f, &staged, chunks[i].n, entry, chunks[i].size, chunks[i].checksum);
    }
    if (st == TESS_OK)
        st = frame_install(f, &staged, err); // there is room for all of it
    frame_drop(f, &staged);
    return st;
}
