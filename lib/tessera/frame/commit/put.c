/*
 * put.c - chunks that are stored: in the open change, staged for frame_install(), or by other
 * processes in space that they lease.
 *
 * Not here: what becomes of the list (change.c), where the bytes go (frame/container.h).
 */
#include "base/error.h"
#include "base/memory.h"
#include "frame/commit/change.h"
#include "frame/commit/current.h"
#include "frame/commit/lock.h"
#include "frame/container.h"
#include "frame/contiguous/extents.h"
#include "frame/format/checksums.h"
#include "frame/format/index.h"
#include "frame/load.h"
#include "frame/private.h"
#include "io/io.h"

#include <assert.h>
#include <inttypes.h>

// -- room for what is stored

static tess_status
reserve_where(const struct frame *f, struct frame_staged *staged, tess_error *err)
{
    if (!staged || !staged->again || staged->where)
        return TESS_OK;
    staged->where = mem_zeroed((size_t)f->index.nchunks, sizeof *staged->where);
    return staged->where ? TESS_OK
                         : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks",
                                   f->index.nchunks);
}

static tess_status
reserve_put(struct frame *f, struct frame_staged *staged, int64_t n, tess_error *err)
{
    tess_status st = checksums_reserve(&f->checksums, n, err);
    if (st == TESS_OK)
        st = reserve_where(f, staged, err);
    if (st != TESS_OK)
        return st;
    return staged ? change_reserve_puts(&staged->puts, &staged->capacity, staged->nputs + n, err)
                  : change_reserve(f, n, err);
}

// What is staged first makes the frame know that there are chunks that the list does not have.
static void
begin_staging(struct frame *f, struct frame_staged *staged)
{
    if (!staged || staged->begun)
        return;
    staged->begun = true;
    staged->failures = f->disk.failures;
    f->staging.ncalls++;
}

tess_status
frame_want_space(struct frame *f, tess_error *err)
{
    tess_status st = TESS_OK;
    f->container->expect(f);
    TRY(frame_check_owner(f, err));
    TRY(frame_lock_take(f, err));
    // The first bytes since the last commit: what is free must be known from the newest state.
    TRY(f->batch.written == 0 && f->staging.ncalls == 0 ? frame_check_current(f, err)
                                                        : frame_check_stamp(f, err));
    TRY(frame_need_checksums(f, err));
    if (change_is_untouched(f))
        st = f->container->reclaim(f, err);
out:
    return st;
}

static tess_status
prepare_put(struct frame *f, struct frame_staged *staged, tess_error *err)
{
    assert(staged || f->change.open);
    tess_status st = frame_want_space(f, err);
    if (st == TESS_OK)
        st = reserve_put(f, staged, 1, err);
    if (st == TESS_OK)
        begin_staging(f, staged);
    return st;
}

// -- what is stored gets its place, in the list or among what is staged

// What was staged, and never got into the list.
static void
release_staged(struct frame *f, int64_t entry)
{
    int64_t size;
    if (entry < 0)
        return;
    checksums_set(&f->checksums, entry, 0);
    (void)f->container->release(f, entry, &size);
}

static void
take_put(struct frame *f, struct frame_staged *staged, int64_t n, int64_t entry, int64_t size)
{
    if (!staged) {
        change_put(f, n, entry, size);
        return;
    }
    if (staged->again && staged->where[n] > 0) {
        struct change_put *const put = &staged->puts[staged->where[n] - 1];
        release_staged(f, put->after);
        put->after = entry;
        put->size = size;
        return;
    }
    if (staged->again)
        staged->where[n] = staged->nputs + 1;
    staged->puts[staged->nputs++] =
        (struct change_put){.n = n, .before = -1, .after = entry, .size = size};
}

tess_status
frame_stage_begin(struct frame *f, struct frame_staged *staged, int64_t n, tess_error *err)
{
    tess_status st = TESS_OK;
    TRY(frame_want_space(f, err));
    TRY(reserve_put(f, staged, n, err));
    TRY(change_reserve(f, n, err));
    begin_staging(f, staged);
out:
    return st;
}

void
frame_stage(struct frame *f, struct frame_staged *staged, int64_t n, int64_t entry, int64_t size,
            uint64_t checksum)
{
    if (entry >= 0 && f->keeps_ledger)
        checksums_set(&f->checksums, entry, checksum);
    take_put(f, staged, n, entry, size);
}

// -- storing

tess_status
frame_put(struct frame *f, struct frame_staged *staged, int64_t n, const uint8_t *chunk,
          int32_t size, tess_error *err)
{
    int64_t entry = -1;
    assert(n < f->index.nchunks);

    tess_status st = prepare_put(f, staged, err);
    if (st != TESS_OK)
        return st;
    st = f->container->put(f, chunk, size, &entry, err);
    frame_stamp_again(f);
    if (st != TESS_OK)
        return st;
    if (f->keeps_ledger)
        checksums_set(&f->checksums, entry, checksum_of(chunk, (size_t)size));
    take_put(f, staged, n, entry, size);
    return TESS_OK;
}

tess_status
frame_put_begin(struct frame *f, struct frame_staged *staged, int64_t n, int64_t room,
                struct frame_put *p, tess_error *err)
{
    *p = (struct frame_put){.staged = staged, .n = n, .room = room};
    assert(n < f->index.nchunks);

    const tess_status st = prepare_put(f, staged, err);
    return st == TESS_OK ? f->container->begin(f, p, err) : st;
}

tess_status
frame_put_piece(const struct frame_put *p, int64_t offset, const uint8_t *bytes, int64_t size,
                tess_error *err)
{
    assert(p->io && size <= p->room - offset);
    return io_write(p->io, p->position + offset, bytes, (size_t)size, err);
}

tess_status
frame_put_whole(struct frame_put *p, const uint8_t *chunk, int32_t size, tess_error *err)
{
    p->checksum = checksum_of(chunk, (size_t)size);
    p->whole = true;
    return frame_put_piece(p, 0, chunk, size, err);
}

tess_status
frame_put_end(struct frame *f, struct frame_put *p, int32_t size, tess_error *err)
{
    uint64_t checksum = p->checksum;
    tess_status st = f->keeps_ledger && !p->whole
                         ? checksum_of_stored(p->io, p->position, size, &checksum, err)
                         : TESS_OK;
    if (st == TESS_OK)
        st = f->container->end(f, p, size, err);
    frame_stamp_again(f);
    if (st != TESS_OK)
        return st;
    if (f->keeps_ledger)
        checksums_set(&f->checksums, p->entry, checksum);
    take_put(f, p->staged, p->n, p->entry, size);
    return TESS_OK;
}

void
frame_put_abandon(struct frame *f, struct frame_put *p)
{
    if (!p->io)
        return;
    f->container->abandon(f, p);
    p->io = NULL;
    frame_stamp_again(f);
}

// -- what is staged

int64_t
frame_staged_chunk(const struct frame_staged *staged, int64_t i)
{
    return staged->puts[i].n;
}

int64_t
frame_staged_put(const struct frame_staged *staged, int64_t i, int64_t *size)
{
    *size = staged->puts[i].size;
    return staged->puts[i].after;
}

bool
frame_staged_entry(const struct frame_staged *staged, int64_t n, int64_t *entry)
{
    if (!staged->where || staged->where[n] == 0)
        return false;
    *entry = staged->puts[staged->where[n] - 1].after;
    return true;
}

tess_status
frame_put_special(struct frame *f, struct frame_staged *staged, int64_t n,
                  enum chunk_special special, tess_error *err)
{
    const int64_t entry = index_entry_of(special);
    int64_t before;
    assert((staged || f->change.open) && n < f->index.nchunks);
    const bool is_staged = staged && frame_staged_entry(staged, n, &before);
    if ((is_staged ? before : index_get(&f->index, n)) == entry)
        return TESS_OK;
    tess_status st = frame_need_checksums(f, err);
    if (st == TESS_OK)
        st = reserve_put(f, staged, 1, err);
    if (st != TESS_OK)
        return st;
    begin_staging(f, staged);
    take_put(f, staged, n, entry, 0);
    return TESS_OK;
}

tess_status
frame_install_prepare(struct frame *f, const struct frame_staged *staged, tess_error *err)
{
    if (staged->begun && staged->failures != f->disk.failures)
        return err_set(err, TESS_ERR_IO, -1,
                       "the file could not be synced while the call stored its chunks");
    return change_reserve(f, staged->nputs, err);
}

tess_status
frame_install(struct frame *f, struct frame_staged *staged, tess_error *err)
{
    const bool alone = !f->change.open;
    if (alone)
        frame_begin(f);
    const tess_status st = frame_install_prepare(f, staged, err);
    for (int64_t i = 0; i < staged->nputs && st == TESS_OK; i++)
        change_put(f, staged->puts[i].n, staged->puts[i].after, staged->puts[i].size);
    if (st == TESS_OK)
        staged->nputs = 0;
    if (alone && st == TESS_OK)
        frame_keep(f);
    else if (alone)
        frame_undo(f);
    return st;
}

void
frame_drop(struct frame *f, struct frame_staged *staged)
{
    for (int64_t i = staged->nputs - 1; i >= 0; i--)
        release_staged(f, staged->puts[i].after);
    mem_free(staged->puts);
    mem_free(staged->where);
    if (staged->begun && --f->staging.ncalls == 0 && !f->batch.dirty)
        frame_lock_release(f);
    *staged = (struct frame_staged){0};
}

// -- leases

static bool
is_lent_stored(const struct lent_chunk *chunk)
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
    if (st == TESS_OK && !extents_reserve(&f->staging.leased))
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a lease");
    if (st == TESS_OK)
        st = f->container->lease(f, size, &lease->start, err);
    if (st == TESS_OK) {
        lease->size = size;
        extents_insert(&f->staging.leased, *lease);
        f->staging.nleases++;
        f->staging.ncalls++;
    } else if (!f->batch.dirty && f->staging.ncalls == 0) {
        frame_lock_release(f);
    }
    return st;
}

void
frame_lease_free(struct frame *f, struct extent left)
{
    if (extents_remove(&f->staging.leased, left.start, &left))
        f->container->end_lease(f, left);
}

void
frame_lease_end(struct frame *f)
{
    if (--f->staging.nleases == 0 && f->disk.left_behind) // frame_leave()
        io_unlock(f->io);
    if (--f->staging.ncalls == 0 && !f->batch.dirty)
        frame_lock_release(f);
}

bool
frame_is_leased(const struct frame *f, const struct lent_chunk *chunk)
{
    const struct extent e = extent_of(f, chunk);
    struct extent left;
    return extents_at(&f->staging.leased, e.start, &left) &&
           e.size <= left.start + left.size - e.start;
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
        if (is_lent_stored(&chunks[i]) && !frame_is_leased(f, &chunks[i]))
            return err_set(err, TESS_ERR_ARG, -1,
                           "chunk %" PRId64 ": its bytes are in no lease, or the lease has ended",
                           chunks[i].n);
    return TESS_OK;
}

tess_status
frame_adopt(struct frame *f, const struct lent_chunk *chunks, int64_t n, tess_error *err)
{
    struct frame_staged staged = {0};
    tess_status st = TESS_OK;
    TRY(check_leased(f, chunks, n, err));
    TRY(frame_stage_begin(f, &staged, n, err));
    if (!extents_reserve_many(&f->staging.leased, n))
        TRY(err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " extents", n));
    TRY(f->container->reserve_lent(f, n, err));
    for (int64_t i = 0; i < n; i++) {
        int64_t entry = index_entry_of(chunks[i].special);
        if (is_lent_stored(&chunks[i])) {
            extents_carve(&f->staging.leased, extent_of(f, &chunks[i]));
            entry = f->container->adopt(f, &chunks[i]);
        }
        frame_stage(f, &staged, chunks[i].n, entry, chunks[i].size, chunks[i].checksum);
    }
    st = frame_install(f, &staged, err); // there is room for all of it
out:
    frame_drop(f, &staged);
    return st;
}
