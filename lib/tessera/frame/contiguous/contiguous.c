/*
 * contiguous.c - all of a frame in one file or buffer: its chunks, stored and released.
 *
 * Not here: commits (commit.c), which space is free (space.c), and what is when a frame is opened
 * (free_space.c).
 */
#include "frame/contiguous/private.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "chunk/header.h"
#include "frame/chunks/usage.h"
#include "frame/commit/pending.h"
#include "frame/container.h"
#include "frame/contiguous/extents.h"
#include "frame/contiguous/space.h"
#include "frame/private.h"
#include "io/gather.h"
#include "io/io.h"

#include <inttypes.h>
#include <string.h>

enum {
    WAITING_SHARE = 8, // one part in so many of all stored bytes is worth a sync
};

#define LEASES_END (INT64_C(1) << 60) // no lease lies behind: positions stay numbers

// Where a chunk must end. In an empty frame the header's number of stored bytes may be anything.
static int64_t
section_end(const struct frame *f, int64_t position)
{
    if (position < f->old.end) // what was written since is behind it, and none of its bytes
        return f->old.end;
    return f->rights.writable ? f->space.end : f->h.header_len + f->h.cbytes;
}

static tess_status
contiguous_locate(const struct frame *f, int64_t entry, const struct io_progress *p,
                  struct chunk_place *place, tess_error *err)
{
    const int64_t position = f->h.header_len + entry;
    int64_t end = section_end(f, position), size;
    (void)p;
    if (f->staging.lends || f->staging.nputs > 0) {
        const tess_status st = io_size(f->io, &size, err);
        if (st != TESS_OK)
            return st;
        end = min_i64(end, max_i64(size, position + CHUNK_HEADER_SIZE));
    }
    *place = (struct chunk_place){.io = f->io, .position = position, .room = end - position};
    return TESS_OK;
}

// Any byte of the file may belong to a state that a reader has open.
static tess_status
keep_all(struct frame *f, int64_t section_end, tess_error *err)
{
    f->space.keeps = true;
    f->old = (struct old_chunks){.end = section_end, .forgotten = true};
    return io_size(f->io, &f->space.end, err);
}

static tess_status
contiguous_prepare(struct frame *f, tess_error *err)
{
    const int64_t end = f->h.header_len + (f->h.nbytes > 0 ? f->h.cbytes : 0);

    // The header may be on its way to the disk still, and the state before it current there.
    f->disk.unsure = f->options.durability >= TESS_DURABILITY_ORDERED && !f->io->in_memory;
    const tess_status st = free_space_check_behind(f, err);
    if (st != TESS_OK)
        return st;
    space_init(&f->space, end, (struct extent){end, contiguous_state_end(f) - end});
    if (f->options.never_reuse)
        return keep_all(f, end, err);
    free_space_init(f, end);
    return TESS_OK;
}

/*
 * Whether the header of the last commit is on the disk is not known at level ordered, so what was
 * released in it waits. If that is much, and the file would grow instead, a sync is worth it: of
 * an array that is overwritten as a whole, again and again, the file has two states, and not three.
 */
static tess_status
make_room(struct frame *f, int64_t size, tess_error *err)
{
    tess_status st = contiguous_settle(f, err);
    f->io->expected = f->h.nbytes; // stored chunks are hardly larger than their items
    if (st != TESS_OK || pending_durability(f) != TESS_DURABILITY_ORDERED ||
        f->space.unsynced_size + f->space.settled_size <
            max_i64(f->waiting_least, f->h.cbytes / WAITING_SHARE) ||
        !space_would_grow(&f->space, size))
        return st;
    st = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, err);
    if (st == TESS_OK)
        space_synced(&f->space);
    return st;
}

static tess_status
contiguous_put(struct frame *f, const uint8_t *chunk, int32_t size, int64_t *entry, tess_error *err)
{
    struct extent extent = {.size = size};
    tess_status st = make_room(f, size, err);
    if (st == TESS_OK)
        st = space_take(&f->space, size, &extent.start, err);
    if (st != TESS_OK)
        return st;
    st = f->storage.gathers ? io_gather_put(f->io, extent.start, chunk, (size_t)size, err)
                            : io_write(f->io, extent.start, chunk, (size_t)size, err);
    if (st != TESS_OK) {
        space_release(&f->space, extent);
        return st;
    }
    *entry = extent.start - f->h.header_len;
    return TESS_OK;
}

static tess_status
contiguous_begin(struct frame *f, struct frame_put *p, tess_error *err)
{
    tess_status st = make_room(f, p->room, err);
    if (st == TESS_OK)
        st = space_take(&f->space, p->room, &p->position, err);
    if (st != TESS_OK)
        return st;
    if (f->storage.gathers) // a chunk that was replaced since it was put may wait still, just there
        st = io_gather_clear(f->io, p->position, p->room, err);
    if (st != TESS_OK) {
        (void)space_release_new(&f->space, p->position);
        return st;
    }
    p->entry = p->position - f->h.header_len;
    p->io = f->storage.gathers ? io_gather_file(f->io) : f->io;
    f->staging.nputs++;
    return TESS_OK;
}

static tess_status
contiguous_end(struct frame *f, struct frame_put *p, int32_t size, tess_error *err)
{
    (void)err;
    space_shrink(&f->space, p->position, size);
    p->io = NULL;
    f->staging.nputs--;
    return TESS_OK;
}

static void
contiguous_abandon(struct frame *f, struct frame_put *p)
{
    f->staging.nputs--;
    (void)space_release_new(&f->space, p->position);
}

// What waits to be written there is of chunks that are not needed any more, and must not be written
// over what others write.
static tess_status
contiguous_lease(struct frame *f, int64_t size, int64_t *start, tess_error *err)
{
    if (size > LEASES_END - max_i64(f->space.end, f->h.frame_len))
        return err_set(err, TESS_ERR_LIMIT, -1, "a lease of %" PRId64 " bytes behind %" PRId64,
                       size, f->space.end);
    tess_status st = make_room(f, size, err);
    if (st != TESS_OK)
        return st;
    space_lease(&f->space, size, start);
    f->staging.lends = true;
    if (f->storage.gathers)
        st = io_gather_clear(f->io, *start, size, err);
    if (st != TESS_OK)
        space_end_lease(&f->space, (struct extent){*start, size});
    return st;
}

static void
contiguous_end_lease(struct frame *f, struct extent e)
{
    space_end_lease(&f->space, e);
}

static tess_status
contiguous_find_lent(const struct frame *f, const struct lent_chunk *chunks, int64_t n,
                     int64_t *which, tess_error *err)
{
    int64_t size;
    const tess_status st = io_size(f->io, &size, err);
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        const int64_t there = max_i64(size - chunks[i].at, 0);
        if (chunks[i].special != SPECIAL_NONE || chunks[i].size <= there)
            continue;
        *which = i;
        return err_set(err, TESS_ERR_NOT_FOUND, -1,
                       "it was not written: before the end of the file are %" PRId64
                       " of its %" PRId32 " bytes",
                       there, chunks[i].size);
    }
    return st;
}

static tess_status
contiguous_reserve_lent(struct frame *f, int64_t n, tess_error *err)
{
    if (!space_reserve_adopted(&f->space, n))
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " extents", n);
    return TESS_OK;
}

static int64_t
contiguous_adopt(struct frame *f, const struct lent_chunk *chunk)
{
    space_adopt(&f->space, (struct extent){chunk->at, chunk->size});
    return chunk->at - f->h.header_len;
}

// The stored bytes of a chunk, as its header says; 0: they cannot be learned.
static int64_t
contiguous_stored_size(const struct frame *f, int64_t position)
{
    uint8_t head[CHUNK_HEADER_MIN];
    if (io_read(f->io, position, head, sizeof head, NULL) != TESS_OK)
        return 0;
    const int32_t cbytes = get_i32le(head + 12);
    return cbytes < CHUNK_HEADER_MIN || cbytes > section_end(f, position) - position ? 0 : cbytes;
}

// If the size of a chunk cannot be learned, its space stays unused.
static int64_t
contiguous_release(struct frame *f, int64_t entry, int64_t *size)
{
    const int64_t position = f->h.header_len + entry;
    int64_t cbytes = frame_known_live_bytes(f) < 0 ? -1 : contiguous_stored_size(f, position);
    if (cbytes > 0)
        *size = cbytes;
    if (free_space_release_old(f, position))
        return f->old.average;
    if (space_release_new(&f->space, position))
        return 0;
    if (cbytes < 0)
        cbytes = contiguous_stored_size(f, position);
    if (cbytes > 0)
        space_release(&f->space, (struct extent){position, cbytes});
    return cbytes;
}

static tess_status
contiguous_current(const struct frame *f, struct io **io, bool *owned, tess_error *err)
{
    (void)err;
    *io = f->io;
    *owned = false;
    return TESS_OK;
}

static tess_status
contiguous_publish(struct frame *f, tess_error *err)
{
    return io_publish(f->io, f->options.durability >= TESS_DURABILITY_ORDERED, err);
}

const struct container container_contiguous = {
    .locate = contiguous_locate,
    .prepare = contiguous_prepare,
    .expect = free_space_judge,
    .reclaim = free_space_reclaim,
    .put = contiguous_put,
    .begin = contiguous_begin,
    .end = contiguous_end,
    .abandon = contiguous_abandon,
    .release = contiguous_release,
    .lease = contiguous_lease,
    .end_lease = contiguous_end_lease,
    .find_lent = contiguous_find_lent,
    .reserve_lent = contiguous_reserve_lent,
    .adopt = contiguous_adopt,
    .commit = contiguous_commit,
    .settle = contiguous_settle,
    .current = contiguous_current,
    .publish = contiguous_publish,
};
