/*
 * contiguous.c - all of a frame in one file or buffer.
 *
 * The steps of a commit and their order are the protocol of "Commits" in spec 95:
 *   1. see that the file is still as we left it (current.c)
 *   2. chunks are in free space already
 *   3. index and trailer are written behind all chunks, where no state on disk has anything
 *   4. all this is synced
 *   5. one write of the header makes it current
 *   6. that is synced (durability fsync)
 *   7. space that only the old state used is free
 * A commit gives the frame a length that none of the last 32 had, since readers of other
 * implementations notice changes by it.
 *
 * The empty state is an exception of the format: its trailer stands at the end of the header, so
 * what stands there is moved away first, with a commit of its own.
 *
 * Not here: which space is free (space.c).
 */
#include "frame/container.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "frame/chunks/live.h"
#include "frame/chunks/stored.h"
#include "frame/commit/pending.h"
#include "frame/contiguous/extents.h"
#include "frame/contiguous/free_space.h"
#include "frame/contiguous/move.h"
#include "frame/contiguous/space.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/load.h"
#include "frame/private.h"
#include "io/gather.h"
#include "io/io.h"
#include "meta/layers.h"

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
    return f->writable ? f->space.end : f->h.header_len + f->h.cbytes;
}

static tess_status
contiguous_locate(const struct frame *f, int64_t entry, const struct io_progress *p,
                  struct chunk_place *place, tess_error *err)
{
    const int64_t position = f->h.header_len + entry;
    int64_t end = section_end(f, position), size;
    (void)p;
    if (f->lends || f->nputs > 0) {
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

// Where the state on disk ends: the ledger of an empty frame stands behind its trailer.
static int64_t
state_end(const struct frame *f)
{
    const bool empty = f->head && frame_header_get_nbytes(f->head) == 0;
    return f->h.frame_len + (empty && f->ledger_known ? ledger_ref_extent(&f->ref) : 0);
}

static tess_status
contiguous_prepare(struct frame *f, tess_error *err)
{
    const int64_t end = f->h.header_len + (f->h.nbytes > 0 ? f->h.cbytes : 0);

    // The header may be on its way to the disk still, and the state before it current there.
    f->unsure = f->options.durability >= TESS_DURABILITY_ORDERED && !f->io->in_memory;
    const tess_status st = free_space_check_behind(f, err);
    if (st != TESS_OK)
        return st;
    space_init(&f->space, end, (struct extent){end, state_end(f) - end});
    if (f->options.never_reuse)
        return keep_all(f, end, err);
    free_space_init(f, end);
    return TESS_OK;
}

// The header of the state that is known, over one that was perhaps written in part.
static tess_status
restore_header(struct frame *f, tess_error *err)
{
    const tess_status st = io_write(f->io, 0, f->head, f->head_size, err);
    if (st == TESS_OK) {
        mem_free(f->attempted);
        f->attempted = NULL;
    }
    return st;
}

static tess_status
contiguous_write_again(struct frame *f, int64_t n, struct chunk_scratch *s, tess_error *err)
{
    struct stored_chunk sc;
    const uint8_t *bytes;
    int32_t size;
    tess_status st = stored_chunk_load(&sc, f, n, &f->checksums, s, &bytes, &size, err);
    if (st == TESS_OK)
        st = io_write(f->io, sc.position, bytes, (size_t)size, err);
    stored_chunk_close(&sc);
    return st;
}

/*
 * After a failed sync the system may treat pages as written that it could not write; so may a
 * program that opens the file afterwards. All that no other sync has brought to the disk is written
 * once more: the header, and the chunks of this batch as the system still has them, of which
 * checksums tell whether it has. Until this is synced, the state before may be current on the disk,
 * and nothing that it has is written over.
 */
static tess_status
make_sure(struct frame *f, tess_error *err)
{
    struct chunk_scratch s = {.limit = f->options.limits.memory};
    tess_status st = TESS_OK;
    if (!f->unsure)
        return TESS_OK;
    if (f->head)
        st = restore_header(f, err);
    for (int64_t n = 0; f->index.entries && n < f->index.nchunks && st == TESS_OK; n++) {
        const int64_t entry = f->index.entries[n];
        if (entry >= 0 && space_is_new(&f->space, f->h.header_len + entry))
            st = contiguous_write_again(f, n, &s, err);
    }
    scratch_finish(&s);
    if (st == TESS_OK)
        st = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, err);
    if (st == TESS_OK)
        f->unsure = false;
    return st;
}

/*
 * Whether the header of the last commit is on the disk is not known at level ordered, so what was
 * released in it waits. If that is much, and the file would grow instead, a sync is worth it: of
 * an array that is overwritten as a whole, again and again, the file has two states, and not three.
 */
static tess_status
make_room(struct frame *f, int64_t size, tess_error *err)
{
    tess_status st = make_sure(f, err);
    if (st != TESS_OK || f->options.durability != TESS_DURABILITY_ORDERED ||
        f->space.unsynced_size < max_i64(f->waiting_least, f->h.cbytes / WAITING_SHARE) ||
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
    st = f->gathers ? io_gather_put(f->io, extent.start, chunk, (size_t)size, err)
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
    if (f->gathers) // a chunk that was replaced since it was put may wait still, just there
        st = io_gather_clear(f->io, p->position, p->room, err);
    if (st != TESS_OK) {
        (void)space_release_new(&f->space, p->position);
        return st;
    }
    p->entry = p->position - f->h.header_len;
    p->io = f->gathers ? io_gather_file(f->io) : f->io;
    f->nputs++;
    return TESS_OK;
}

static tess_status
contiguous_end(struct frame *f, struct frame_put *p, int32_t size, tess_error *err)
{
    (void)err;
    space_shrink(&f->space, p->position, size);
    p->io = NULL;
    f->nputs--;
    return TESS_OK;
}

static void
contiguous_abandon(struct frame *f, struct frame_put *p)
{
    f->nputs--;
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
    f->lends = true;
    if (f->gathers)
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

static void
contiguous_set_lengths(struct pending *p)
{
    pending_set_frame_len(p, p->placed.start, 0);
    p->h.cbytes = p->placed.start - p->h.header_len;
}

// Behind all chunks, at a place that gives the frame a length of its own.
static void
place_body(const struct frame *f, struct pending *p)
{
    int64_t pad = 0;
    do {
        p->placed.start = space_place(&f->space, p->body_size + pad) + pad;
        p->placed.size = p->body_size;
        pad++;
    } while (pending_is_recent(f, p->placed.start + p->body_size));
    contiguous_set_lengths(p);
}

// Only the bytes that differ, in one write; they lie in the first sector unless a shape or a
// metalayer changed.
static tess_status
write_header(const struct frame *f, const struct pending *p, tess_error *err)
{
    size_t first = 0, end = (size_t)p->h.header_len;
    if (!f->head) {
        end = (size_t)min_i64((int64_t)end, LEDGER_SECTOR);
    } else {
        const size_t sector = FRAME_HEADER_SECTOR;
        if (memcmp(p->head + sector, f->head + sector, f->head_size - sector) == 0) {
            first = FRAME_HEADER_COMMIT_FIRST;
            end = sector;
        }
    }
    return io_write(f->io, (int64_t)first, p->head + first, end - first, err);
}

// Cut the file to what the last two states need.
static tess_status
contiguous_cut(const struct frame *f, int64_t old_end, tess_error *err)
{
    int64_t size;
    if (f->options.never_reuse)
        return TESS_OK;
    const int64_t needed = max_i64(old_end, state_end(f));
    const tess_status st = io_size(f->io, &size, err);
    if (st != TESS_OK || size <= needed)
        return st;
    return io_truncate(f->io, needed, err);
}

// A header was not written, or not all of it. Until the old one is there again and on the disk,
// that may lead to either state: the bytes of both stay.
static void
take_header_back(struct frame *f, struct pending *p)
{
    if (!f->head)
        return;
    mem_free(f->attempted);
    f->attempted = p->head;
    p->head = NULL;
    f->unsure = true;
    f->failures++;
    f->space.end = max_i64(f->space.end, p->placed.start + p->placed.size);
    if (restore_header(f, NULL) == TESS_OK)
        f->unsure = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, NULL) != TESS_OK;
}

// Of a header that makes the first state, all but its first sector: nothing leads to it yet.
static tess_status
write_header_end(const struct frame *f, const struct pending *p, tess_error *err)
{
    const size_t size = (size_t)p->h.header_len;
    if (f->head || size <= LEDGER_SECTOR)
        return TESS_OK;
    return io_write(f->io, LEDGER_SECTOR, p->head + LEDGER_SECTOR, size - LEDGER_SECTOR, err);
}

// Steps 3 to 7.
static tess_status
write_state(struct frame *f, struct pending *p, tess_error *err)
{
    tess_status st = io_write(f->io, p->placed.start, p->body, (size_t)p->body_size, err);
    if (st == TESS_OK)
        st = write_header_end(f, p, err);
    if (st == TESS_OK)
        st = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, err);
    if (st != TESS_OK)
        return st;
    if (f->options.durability >= TESS_DURABILITY_ORDERED)
        space_synced(&f->space);
    st = write_header(f, p, err);
    if (st != TESS_OK) {
        take_header_back(f, p);
        return st;
    }

    // The new state is current from here on, whatever follows.
    const int64_t old_end = state_end(f);
    pending_adopt(p, f);

    st = pending_sync(f, f->io, TESS_DURABILITY_FSYNC, err);
    const bool known = st == TESS_OK && f->options.durability != TESS_DURABILITY_ORDERED;
    space_committed(&f->space, p->placed, known);
    f->lends = f->nleases > 0;
    if (st == TESS_OK)
        st = contiguous_cut(f, old_end, err);
    return st;
}

// Move a chunk of the state on disk behind everything; *entry and its checksum follow it.
static tess_status
move_behind(struct frame *f, int64_t *entry, struct checksums *checksums, tess_error *err)
{
    int64_t start;
    int32_t cbytes;
    tess_status st = move_size(f, *entry, f->h.frame_len, &cbytes, err);
    if (st == TESS_OK)
        st = space_take(&f->space, cbytes, &start, err);
    return st == TESS_OK ? move_chunk(f, entry, cbytes, start, checksums, err) : st;
}

// The list of chunks of the state on disk; the one in memory may be another.
static tess_status
load_disk_list(const struct frame *f, struct frame_index *list, tess_error *err)
{
    const int64_t nbytes = frame_header_get_nbytes(f->head);
    const int64_t cbytes = frame_header_get_cbytes(f->head);
    const int32_t chunksize = frame_header_get_chunksize(f->head);
    const struct extent now = f->space.now;
    const int64_t ledger_size = f->ledger_known ? ledger_ref_extent(&f->ref) : 0;
    const int64_t index_size = now.size - ledger_size - (int64_t)f->tail_size;

    if (nbytes == 0)
        return TESS_OK;
    uint8_t *const index = mem_alloc((size_t)index_size);
    if (!index)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", index_size);
    tess_status st = io_read(f->io, now.start, index, (size_t)index_size, err);
    if (st == TESS_OK)
        st = index_parse(list, index, (size_t)index_size,
                         chunksize > 0 ? ceil_div(nbytes, chunksize) : -1,
                         cbytes - CHUNK_HEADER_SIZE, f->options.limits.memory, err);
    mem_free(index);
    return st;
}

// Commit the state on disk once more, with another list of the same chunks.
static tess_status
contiguous_commit_again(struct frame *f, const struct frame_index *list,
                        const struct checksums *checksums, const uint8_t *announced,
                        tess_error *err)
{
    const struct extent now = f->space.now;
    const struct extent_list parked = f->space.parked; // this state needs them still
    struct pending p = {.announced = announced};

    f->space.parked = (struct extent_list){0};
    // Nothing new goes in front of what is there.
    f->space.end = max_i64(f->space.end, now.start + now.size);
    tess_status st = pending_encode_disk(&p, f, list, checksums, err);
    if (st == TESS_OK) {
        place_body(f, &p);
        frame_header_set_lengths(p.head, p.h.frame_len, p.h.cbytes);
        pending_seal(&p, f);
        st = write_state(f, &p, err);
    }
    f->space.parked = parked;
    pending_finish(&p);
    return st;
}

// Commit the state on disk once more, with nothing that is needed in the first `size` bytes behind
// the header. Of an empty state, that is the trailer once more, at the end: we find it there.
static tess_status
clear_head(struct frame *f, int64_t size, tess_error *err)
{
    struct frame_index list = {0};
    struct checksums checksums = {0};
    tess_status st = TESS_OK;

    f->old.forgotten = true;
    TRY(load_disk_list(f, &list, err));
    TRY(frame_load_checksums(f, &list, NULL, &checksums, err));
    f->space.end = max_i64(f->space.end, f->space.now.start + f->space.now.size);
    f->space.end = max_i64(f->space.end, f->h.header_len + size);
    space_forget(&f->space);
    for (int64_t n = 0; list.entries && n < list.nchunks; n++)
        if (list.entries[n] >= 0 && list.entries[n] < size)
            TRY(move_behind(f, &list.entries[n], &checksums, err));
    st = contiguous_commit_again(f, &list, &checksums, NULL, err);
out:
    index_finish(&list);
    checksums_finish(&checksums);
    return st;
}

/*
 * A header of more than one sector can be torn by a crash. If all that differs from the one on disk
 * is in the first sector, it cannot. Else the state on disk is committed once more, and its ledger
 * knows the other sectors that come: a mixture is seen in both states then.
 */
static tess_status
announce_header(struct frame *f, tess_error *err)
{
    const size_t size = f->head_size;
    struct frame_index list = {0};
    struct checksums checksums = {0};
    uint8_t *next = NULL;
    tess_status st = TESS_OK;

    if (!f->head || size <= LEDGER_SECTOR || !f->keeps_ledger)
        return TESS_OK;
    next = mem_alloc(size);
    if (!next)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %zu bytes", size);
    memcpy(next, f->head, FRAME_HEADER_SIZE);
    layers_write(&f->metas, FRAME_HEADER_SIZE, LAYERS_HEADER, next + FRAME_HEADER_SIZE);
    if (memcmp(next + LEDGER_SECTOR, f->head + LEDGER_SECTOR, size - LEDGER_SECTOR) != 0) {
        TRY(load_disk_list(f, &list, err));
        TRY(frame_load_checksums(f, &list, NULL, &checksums, err));
        TRY(contiguous_commit_again(f, &list, &checksums, next, err));
    }
out:
    mem_free(next);
    index_finish(&list);
    checksums_finish(&checksums);
    return st;
}

static tess_status
commit_chunks(struct frame *f, tess_error *err)
{
    struct pending p = {.h = f->h};
    tess_status st = announce_header(f, err);
    if (st == TESS_OK)
        st = pending_encode_body(&p, f, err);
    if (st == TESS_OK) {
        place_body(f, &p);
        st = pending_encode_header(&p, f, err);
    }
    if (st == TESS_OK)
        st = write_state(f, &p, err);
    pending_finish(&p);
    return st;
}

// Whether a new trailer can stand right behind the header while the state on disk is current.
static bool
head_is_clear(const struct frame *f, const struct pending *p)
{
    if (!f->head)
        return true;
    const int64_t tail_at = f->h.frame_len - (int64_t)f->tail_size;
    if (frame_header_get_nbytes(f->head) > 0)
        return false;
    return tail_at >= f->h.header_len + p->body_size;
}

static tess_status
commit_empty(struct frame *f, tess_error *err)
{
    struct pending p = {0};
    tess_status st = TESS_OK;

    TRY(pending_encode_body(&p, f, err));
    if (!head_is_clear(f, &p))
        TRY(clear_head(f, p.body_size, err));
    TRY(announce_header(f, err));
    // Before that is on the disk, the head is not clear.
    TRY(pending_sync(f, f->io, TESS_DURABILITY_ORDERED, err));
    p.h = f->h;
    p.placed = (struct extent){f->h.header_len, p.body_size};
    contiguous_set_lengths(&p);
    TRY(pending_encode_header(&p, f, err));
    st = write_state(f, &p, err);
    f->old.forgotten = true;
    space_forget(&f->space); // the trailer took some of it, also if what followed failed
    if (st != TESS_OK)
        goto out;
    TRY(pending_sync(f, f->io, TESS_DURABILITY_ORDERED, err));
    if (f->options.never_reuse)
        goto out;
    // Nothing but header and trailer is needed from here on.
    space_finish(&f->space);
    space_init(&f->space, f->h.header_len, p.placed);
    f->old = (struct old_chunks){0};
out:
    pending_finish(&p);
    return st;
}

static tess_status
contiguous_commit(struct frame *f, tess_error *err)
{
    const tess_status st = make_sure(f, err);
    if (st != TESS_OK)
        return st;
    return f->index.nchunks > 0 ? commit_chunks(f, err) : commit_empty(f, err);
}

static tess_status
contiguous_current(const struct frame *f, struct io **io, bool *owned, tess_error *err)
{
    (void)err;
    *io = f->io;
    *owned = false;
    return TESS_OK;
}

// A sync that failed before, in a try to publish, may have lost what it was to bring to the disk.
static tess_status
contiguous_publish(struct frame *f, tess_error *err)
{
    tess_status st = make_sure(f, err);
    if (st == TESS_OK)
        st = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, err);
    return st == TESS_OK ? io_publish(f->io, f->options.durability >= TESS_DURABILITY_ORDERED, err)
                         : st;
}

const struct container container_contiguous = {
    .locate = contiguous_locate,
    .prepare = contiguous_prepare,
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
    .settle = make_sure,
    .current = contiguous_current,
    .publish = contiguous_publish,
};
