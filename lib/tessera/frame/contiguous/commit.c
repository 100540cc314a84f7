/*
 * commit.c - how a state of a contiguous frame gets to the disk.
 *
 * The steps of a commit and their order are the protocol of "Commits" in spec 95:
 *   1. see that the file is still as we left it (frame/commit/current.c)
 *   2. chunks are in free space already
 *   3. index, ledger and trailer are written at once (frame/commit/pending.c), behind all chunks,
 *      where no state on disk has anything
 *   4. all this is synced
 *   5. one write of the header makes it current
 *   6. that is synced (durability fsync)
 *   7. space that only the old state used is free
 * Steps 4 and 6 are left out until the frame is published (pending_durability()). A commit gives
 * the frame a length that none of the last 32 had, since readers of other implementations notice
 * changes by it.
 *
 * The empty state is an exception of the format: its trailer stands at the end of the header, so
 * what stands there is moved away first, with a commit of its own.
 *
 * Not here: when a state is committed (frame/commit/commit.c), which space is free (space.c).
 */
#include "frame/contiguous/private.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "frame/chunks/stored.h"
#include "frame/commit/pending.h"
#include "frame/contiguous/extents.h"
#include "frame/contiguous/space.h"
#include "frame/format/checksums.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/format/ledger.h"
#include "frame/load.h"
#include "frame/private.h"
#include "io/io.h"
#include "meta/layers.h"

#include <inttypes.h>
#include <string.h>

enum { PIECE = 1 << 20 }; // bytes of a chunk that are copied at once

// -- the state that is on the disk

// Where the state on disk ends: the ledger of an empty frame stands behind its trailer.
int64_t
contiguous_state_end(const struct frame *f)
{
    const bool empty = f->disk.head && frame_header_get_nbytes(f->disk.head) == 0;
    return f->h.frame_len + (empty && f->disk.ledger_known ? ledger_ref_extent(&f->disk.ref) : 0);
}

// The header of the state that is known, over one that was perhaps written in part.
static tess_status
restore_header(struct frame *f, tess_error *err)
{
    const tess_status st = io_write(f->io, 0, f->disk.head, f->disk.head_size, err);
    if (st == TESS_OK) {
        mem_free(f->disk.attempted);
        f->disk.attempted = NULL;
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
 * once more: the header, and the chunks of this batch, or of all batches where publishing failed,
 * as the system still has them, of which checksums tell whether it has. Until this is synced, the
 * state before may be current on the disk, and nothing that it has is written over.
 */
tess_status
contiguous_settle(struct frame *f, tess_error *err)
{
    struct chunk_scratch s = {.limit = f->options.limits.memory};
    tess_status st = TESS_OK;
    if (!f->disk.unsure)
        return TESS_OK;
    if (f->disk.head)
        st = restore_header(f, err);
    for (int64_t n = 0; f->index.entries && n < f->index.nchunks && st == TESS_OK; n++) {
        const int64_t entry = f->index.entries[n];
        if (entry >= 0 &&
            (!f->rights.published || space_is_new(&f->space, f->h.header_len + entry)))
            st = contiguous_write_again(f, n, &s, err);
    }
    scratch_finish(&s);
    if (st == TESS_OK)
        st = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, err);
    if (st == TESS_OK)
        f->disk.unsure = false;
    return st;
}

// -- from the state in memory to the disk

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
    if (!f->disk.head) {
        end = (size_t)min_i64((int64_t)end, LEDGER_SECTOR);
    } else {
        const size_t sector = FRAME_HEADER_SECTOR;
        if (memcmp(p->head + sector, f->disk.head + sector, f->disk.head_size - sector) == 0) {
            first = FRAME_HEADER_COMMIT_FIRST;
            end = sector;
        }
    }
    return io_write(f->io, (int64_t)first, p->head + first, end - first, err);
}

// Cut the file to what the last two states need, and those that are held.
static tess_status
contiguous_cut(const struct frame *f, int64_t old_end, tess_error *err)
{
    int64_t size;
    if (f->options.never_reuse)
        return TESS_OK;
    const int64_t needed =
        max_i64(space_held_end(&f->space), max_i64(old_end, contiguous_state_end(f)));
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
    if (!f->disk.head)
        return;
    mem_free(f->disk.attempted);
    f->disk.attempted = p->head;
    p->head = NULL;
    f->disk.unsure = true;
    f->disk.failures++;
    f->space.end = max_i64(f->space.end, p->placed.start + p->placed.size);
    if (restore_header(f, NULL) == TESS_OK)
        f->disk.unsure = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, NULL) != TESS_OK;
}

// Of a header that makes the first state, all but its first sector: nothing leads to it yet.
static tess_status
write_header_end(const struct frame *f, const struct pending *p, tess_error *err)
{
    const size_t size = (size_t)p->h.header_len;
    if (f->disk.head || size <= LEDGER_SECTOR)
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
    if (pending_durability(f) >= TESS_DURABILITY_ORDERED)
        space_synced(&f->space);
    st = write_header(f, p, err);
    if (st != TESS_OK) {
        take_header_back(f, p);
        return st;
    }

    // The new state is current from here on, whatever follows.
    const int64_t old_end = contiguous_state_end(f);
    pending_adopt(p, f);

    st = pending_sync(f, f->io, TESS_DURABILITY_FSYNC, err);
    const bool known = st == TESS_OK && pending_durability(f) != TESS_DURABILITY_ORDERED;
    space_committed(&f->space, p->placed, known);
    f->staging.lends = f->staging.nleases > 0;
    if (st == TESS_OK)
        st = contiguous_cut(f, old_end, err);
    return st;
}

// -- chunks that go to another place
//
// A chunk is not looked at: if it is damaged, its checksum, which goes with it, still says so.

tess_status
move_size(const struct frame *f, int64_t entry, int64_t end, int32_t *cbytes, tess_error *err)
{
    uint8_t head[CHUNK_HEADER_MIN];
    const int64_t position = f->h.header_len + entry;
    const tess_status st = io_read(f->io, position, head, sizeof head, err);
    if (st != TESS_OK)
        return st;
    *cbytes = get_i32le(head + 12);
    if (*cbytes < CHUNK_HEADER_MIN || *cbytes > end - position)
        return err_set(err, TESS_ERR_CORRUPT, position + 12,
                       "a chunk of %" PRId32 " stored bytes, %" PRId64 " at hand", *cbytes,
                       end - position);
    return TESS_OK;
}

static tess_status
move_copy_bytes(struct io *io, int64_t from, int64_t to, int64_t size, tess_error *err)
{
    tess_status st = TESS_OK;
    const int64_t most = min_i64(size, PIECE);
    uint8_t *const piece = mem_alloc((size_t)most);
    if (!piece)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", most);
    for (int64_t at = 0; at < size && st == TESS_OK; at += most) {
        const size_t n = (size_t)min_i64(size - at, most);
        st = io_read(io, from + at, piece, n, err);
        if (st == TESS_OK)
            st = io_write(io, to + at, piece, n, err);
    }
    mem_free(piece);
    return st;
}

tess_status
move_chunk(const struct frame *f, int64_t *entry, int32_t cbytes, int64_t start,
           struct checksums *checksums, tess_error *err)
{
    const tess_status st = move_copy_bytes(f->io, f->h.header_len + *entry, start, cbytes, err);
    if (st != TESS_OK)
        return st;
    const uint64_t checksum = checksums_get(checksums, *entry);
    checksums_set(checksums, *entry, 0);
    *entry = start - f->h.header_len;
    if (checksum != 0) // in the room of the other
        checksums_set(checksums, *entry, checksum);
    return TESS_OK;
}

// -- commits

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
    const int64_t nbytes = frame_header_get_nbytes(f->disk.head);
    const int64_t cbytes = frame_header_get_cbytes(f->disk.head);
    const int32_t chunksize = frame_header_get_chunksize(f->disk.head);
    const struct extent now = f->space.now;
    const int64_t ledger_size = f->disk.ledger_known ? ledger_ref_extent(&f->disk.ref) : 0;
    const int64_t index_size = now.size - ledger_size - (int64_t)f->disk.tail_size;

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
 * knows the other sectors that come: a mixture is seen in both states then. While states are held,
 * whoever holds them has their headers.
 */
static tess_status
announce_header(struct frame *f, tess_error *err)
{
    const size_t size = f->disk.head_size;
    struct frame_index list = {0};
    struct checksums checksums = {0};
    uint8_t *next = NULL;
    tess_status st = TESS_OK;

    if (!f->disk.head || size <= LEDGER_SECTOR || !f->keeps_ledger || f->space.holds)
        return TESS_OK;
    next = mem_alloc(size);
    if (!next)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %zu bytes", size);
    memcpy(next, f->disk.head, FRAME_HEADER_SIZE);
    layers_write(&f->metas, FRAME_HEADER_SIZE, LAYERS_HEADER, next + FRAME_HEADER_SIZE);
    if (memcmp(next + LEDGER_SECTOR, f->disk.head + LEDGER_SECTOR, size - LEDGER_SECTOR) != 0) {
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
    if (!f->disk.head || f->space.holds) // held: they are kept apart from the file (io/front.h)
        return true;
    const int64_t tail_at = f->h.frame_len - (int64_t)f->disk.tail_size;
    if (frame_header_get_nbytes(f->disk.head) > 0)
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
    if (f->options.never_reuse || f->space.holds)
        goto out;
    // Nothing but header and trailer is needed from here on.
    space_finish(&f->space);
    space_init(&f->space, f->h.header_len, p.placed);
    f->old = (struct old_chunks){0};
out:
    pending_finish(&p);
    return st;
}

tess_status
contiguous_commit(struct frame *f, tess_error *err)
{
    const tess_status st = contiguous_settle(f, err);
    if (st != TESS_OK)
        return st;
    return f->index.nchunks > 0 ? commit_chunks(f, err) : commit_empty(f, err);
}
