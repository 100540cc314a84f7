/*
 * sparse.c - a frame in a directory: the file chunks.b2frame, and one file per chunk.
 *
 * Chunk files are written under free numbers and never changed. A commit writes a whole new
 * chunks.b2frame beside the old one and renames it, which is atomic; then the files of chunks that
 * only the old state had are removed.
 *
 * Not here: the files and their names (files.c), their numbers (numbers.c).
 */
#include "base/bytes.h"
#include "base/checked.h"
#include "base/error.h"
#include "chunk/header.h"
#include "frame/commit/current.h"
#include "frame/commit/pending.h"
#include "frame/container.h"
#include "frame/private.h"
#include "frame/sparse/files.h"
#include "frame/sparse/numbers.h"
#include "io/folder.h"
#include "io/io.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Bytes of a chunk that are read first: all that it can have, if it is compared with its checksum.
static size_t
first_of_chunk(const struct frame *f)
{
    const int64_t most = (int64_t)f->h.chunksize + CHUNK_HEADER_SIZE;
    const bool all = f->options.checksums == TESS_CHECKSUMS_VERIFY && f->h.chunksize > 0;
    return all ? (size_t)min_i64(most, f->options.limits.memory) : 0;
}

static tess_status
sparse_locate(const struct frame *f, int64_t entry, const struct io_progress *p,
              struct chunk_place *place, tess_error *err)
{
    *place = (struct chunk_place){.owned = true};
    tess_status st = sparse_open_chunk(f->folder, entry, first_of_chunk(f), p, &place->io, err);
    if (st != TESS_OK)
        return st;
    place->io->short_lived = true;
    st = io_size(place->io, &place->room, err);
    if (st != TESS_OK)
        io_close(place->io);
    return st;
}

static tess_status
keep_number(void *arg, const char *name, tess_error *err)
{
    return sparse_is_chunk_name(name) ? numbers_keep(arg, (int64_t)strtoll(name, NULL, 16), err)
                                      : TESS_OK;
}

static tess_status
sync_names(const struct frame *f, tess_durability level, tess_error *err)
{
    return pending_durability(f) < level ? TESS_OK : folder_sync(f->folder, err);
}

// Learn which numbers are taken. The name of the index may be on its way to the disk still, and the
// state before it current there: once it has arrived, the numbers of that one are free. A file
// without a chunk of this state may belong to a state that a reader has open.
static tess_status
sparse_prepare(struct frame *f, tess_error *err)
{
    tess_status st = sync_names(f, TESS_DURABILITY_ORDERED, err);
    f->directory.numbers.stored =
        f->h.nbytes > 0 ? min_i64(f->h.cbytes, INT64_MAX / 2) : 0; // a claim
    for (int64_t n = 0; f->index.entries && n < f->index.nchunks && st == TESS_OK; n++) {
        const int64_t entry = f->index.entries[n];
        if (entry >= f->options.limits.memory) // a byte for each number
            st =
                err_set(err, TESS_ERR_LIMIT, -1,
                        "a chunk file with the number %" PRId64 ", the limit of memory is %" PRId64,
                        entry, f->options.limits.memory);
        else if (entry >= 0)
            st = numbers_add(&f->directory.numbers, entry, err);
    }
    if (st == TESS_OK && f->options.never_reuse)
        st = folder_each(f->folder, keep_number, &f->directory.numbers, err);
    return st;
}

static void
sparse_expect(struct frame *f)
{
    (void)f; // all numbers are known
}

static tess_status
reclaim(struct frame *f, tess_error *err)
{
    (void)err;
    if (!f->directory.searched && f->rights.published) // once: free numbers are known
        orphans_remove(f);
    f->directory.searched = true;
    return TESS_OK;
}

static tess_status
sparse_begin(struct frame *f, struct frame_put *p, tess_error *err)
{
    char name[SPARSE_NAME_SIZE];
    tess_status st = unsynced_reserve(&f->directory.unsynced, &f->checksums, &f->disk.unsure, err);
    if (st == TESS_OK)
        st = numbers_take(&f->directory.numbers, &p->entry, err);
    if (st != TESS_OK)
        return st;
    sparse_chunk_name(p->entry, name);
    st = folder_write(f->folder, name, &p->io, err);
    if (st != TESS_OK) {
        p->io = NULL;
        (void)numbers_release(&f->directory.numbers, p->entry);
        return st;
    }
    p->io->eager = f->options.durability >= TESS_DURABILITY_ORDERED;
    return TESS_OK;
}

static tess_status
sparse_end(struct frame *f, struct frame_put *p, int32_t size, tess_error *err)
{
    (void)err;
    if (f->options.durability >= TESS_DURABILITY_ORDERED)
        unsynced_add(&f->directory.unsynced, p->entry, p->io, size);
    else
        io_close(p->io);
    p->io = NULL;
    f->directory.numbers.stored += size;
    return TESS_OK;
}

// A file that no state of ours needs. If another program has committed meanwhile, it may be one of
// its own.
static void
remove_new(const struct frame *f, int64_t entry)
{
    if (frame_check_stamp(f, NULL) == TESS_OK)
        sparse_remove_chunk(f->folder, entry);
}

static void
sparse_abandon(struct frame *f, struct frame_put *p)
{
    io_close(p->io);
    remove_new(f, p->entry);
    (void)numbers_release(&f->directory.numbers, p->entry);
}

static tess_status
sparse_put(struct frame *f, const uint8_t *chunk, int32_t size, int64_t *entry, tess_error *err)
{
    struct frame_put p = {.room = size};
    tess_status st = sparse_begin(f, &p, err);
    if (st != TESS_OK)
        return st;
    st = io_write(p.io, 0, chunk, (size_t)size, err);
    if (st == TESS_OK)
        st = sparse_end(f, &p, size, err);
    if (st != TESS_OK)
        sparse_abandon(f, &p);
    *entry = p.entry;
    return st;
}

// Bytes of a stored chunk, whose file may be longer; 0 if they cannot be learned.
static int64_t
sparse_stored_size(const struct frame *f, int64_t entry)
{
    uint8_t head[CHUNK_HEADER_MIN];
    struct chunk_place place;
    int64_t size = 0;
    if (sparse_locate(f, entry, NULL, &place, NULL) != TESS_OK)
        return 0;
    if (io_read(place.io, 0, head, sizeof head, NULL) == TESS_OK)
        size = min_i64(max_i64(get_i32le(head + 12), 0), place.room);
    io_close(place.io);
    return size;
}

static int64_t
sparse_release(struct frame *f, int64_t entry, int64_t *known)
{
    const int64_t size = sparse_stored_size(f, entry);
    if (size > 0)
        *known = size;
    unsynced_forget(&f->directory.unsynced, entry);
    f->directory.numbers.stored = max_i64(f->directory.numbers.stored - size, 0);
    if (!numbers_release(&f->directory.numbers, entry))
        return size;
    remove_new(f, entry);
    return 0;
}

static tess_status
sparse_lease(struct frame *f, int64_t size, int64_t *start, tess_error *err)
{
    return numbers_lease(&f->directory.numbers, size, start, err);
}

// Files that were written there are of no use.
static void
sparse_end_lease(struct frame *f, struct extent e)
{
    for (int64_t n = e.start; n < e.start + e.size; n++) {
        remove_new(f, n);
        numbers_end_lease(&f->directory.numbers, n);
    }
}

static tess_status
find_file(const struct frame *f, const struct lent_chunk *chunk, tess_error *err)
{
    struct chunk_place place;
    tess_error why;
    const tess_status st = sparse_locate(f, chunk->at, NULL, &place, &why);
    if (st == TESS_OK) {
        io_close(place.io);
        return place.room == chunk->size ? TESS_OK
                                         : err_set(err, TESS_ERR_NOT_FOUND, -1,
                                                   "it was not written: its file has %" PRId64
                                                   " bytes, the chunk %" PRId32,
                                                   place.room, chunk->size);
    }
    if (why.sys == ENOENT)
        return err_set(err, TESS_ERR_NOT_FOUND, -1,
                       "it was not written: there is no such file, the chunk has %" PRId32 " bytes",
                       chunk->size);
    if (err)
        *err = why;
    return st;
}

static tess_status
sparse_find_lent(const struct frame *f, const struct lent_chunk *chunks, int64_t n, int64_t *which,
                 tess_error *err)
{
    tess_status st = TESS_OK;
    for (int64_t i = 0; i < n && st == TESS_OK; i++) {
        if (chunks[i].special != SPECIAL_NONE)
            continue;
        *which = i;
        st = find_file(f, &chunks[i], err);
    }
    return st;
}

static tess_status
sparse_reserve_lent(struct frame *f, int64_t n, tess_error *err)
{
    (void)f, (void)n, (void)err;
    return TESS_OK;
}

static int64_t
sparse_adopt(struct frame *f, const struct lent_chunk *chunk)
{
    numbers_adopt(&f->directory.numbers, chunk->at);
    f->directory.numbers.stored += chunk->size;
    return chunk->at;
}

static void
sparse_remove_file(void *arg, int64_t entry)
{
    sparse_remove_chunk(((struct frame *)arg)->folder, entry);
}

// Lengths of the new index file; a gap behind the index gives it one of its own. The sum of stored
// bytes is kept above all numbers, which c-blosc2 3.x takes for positions.
static int64_t
sparse_set_lengths(const struct frame *f, struct pending *p)
{
    int64_t gap = 0;
    pending_set_frame_len(p, p->h.header_len, gap);
    while (p->index_size > 0 && pending_is_recent(f, p->h.frame_len))
        pending_set_frame_len(p, p->h.header_len, ++gap);
    const int64_t largest = numbers_largest(&f->directory.numbers);
    p->h.cbytes = f->directory.numbers.stored;
    if (largest >= 0)
        p->h.cbytes = max_i64(p->h.cbytes, largest + CHUNK_HEADER_SIZE);
    return gap;
}

static tess_status
write_index_file(struct frame *f, struct pending *p, int64_t gap, struct io *io, tess_error *err)
{
    const int64_t index_at = p->h.header_len, rest = p->body_size - p->index_size;
    tess_status st = io_write(io, 0, p->head, (size_t)p->h.header_len, err);
    if (st == TESS_OK)
        st = io_write(io, index_at, p->body, (size_t)p->index_size, err);
    if (st == TESS_OK)
        st = io_write(io, index_at + p->index_size + gap, p->body + p->index_size, (size_t)rest,
                      err);
    if (st == TESS_OK)
        st = pending_sync(f, io, TESS_DURABILITY_ORDERED, err);
    return st;
}

static tess_status
sparse_commit(struct frame *f, tess_error *err)
{
    struct pending p = {.h = f->h};
    struct io *io = NULL;
    tess_status st = TESS_OK;

    TRY(pending_encode_body(&p, f, err));
    const int64_t gap = sparse_set_lengths(f, &p);
    TRY(pending_encode_header(&p, f, err));
    TRY(unsynced_sync(&f->directory.unsynced, &f->checksums, &f->disk.unsure, err));
    TRY(sync_names(f, TESS_DURABILITY_ORDERED, err)); // of the new chunks
    TRY(folder_write(f->folder, FRAME_FOLDER_NEXT, &io, err));
    TRY(write_index_file(f, &p, gap, io, err));
    TRY(folder_rename(f->folder, FRAME_FOLDER_NEXT, FRAME_FOLDER_INDEX, err));

    // The new state is current from here on, whatever follows.
    pending_adopt(&p, f);
    io_close(f->io);
    f->io = io;
    io = NULL;
    f->disk.stamped = io_stamp(f->io, &f->disk.stamp, NULL) == TESS_OK;
    numbers_written(&f->directory.numbers);
    // Old chunks go only when the name is known to be on the disk.
    TRY(sync_names(f, TESS_DURABILITY_ORDERED, err));
    if (!f->options.never_reuse)
        numbers_committed(&f->directory.numbers, sparse_remove_file, f);
out:
    if (io) {
        io_close(io);
        sparse_remove_next(f->folder);
    }
    pending_finish(&p);
    return st;
}

// Commits end with the names on the disk, and opening with writing sees to it.
static tess_status
sparse_settle(struct frame *f, tess_error *err)
{
    const tess_status st = sync_names(f, TESS_DURABILITY_ORDERED, err);
    f->disk.unsure = st != TESS_OK;
    return st;
}

// The index as it is now. Header and trailer are read next: with one request, if what is between
// them costs less than another one.
static tess_status
open_index(const struct frame *f, struct io **io, tess_error *err)
{
    const bool at_once = f->h.frame_len <= f->io->manner.gap;
    return folder_read_ends(
        f->folder, FRAME_FOLDER_INDEX,
        at_once ? (size_t)max_i64(f->h.frame_len, 0) : f->disk.head_size,
        at_once ? 0 : f->disk.tail_size + (size_t)ledger_ref_beside(&f->disk.ref), NULL, io, err);
}

// A commit of ours is another file, also if its bytes are the same; the directory of an array that
// was replaced has none.
static tess_status
sparse_current(const struct frame *f, struct io **io, bool *owned, tess_error *err)
{
    tess_error why;
    bool same = false;
    struct io *now = NULL;
    tess_status st = open_index(f, &now, &why);
    if (st == TESS_OK)
        st = io_same(f->io, now, &same, &why);
    if (same) {
        *io = now;
        *owned = true;
        return TESS_OK;
    }
    io_close(now);
    if (st != TESS_OK && why.sys != ENOENT) {
        if (err)
            *err = why;
        return st;
    }
    return err_set(err, TESS_ERR_STALE, -1,
                   "the directory was changed by another program since it was opened");
}

static tess_status
sparse_publish(struct frame *f, tess_error *err)
{
    const tess_status st = sync_names(f, TESS_DURABILITY_ORDERED, err);
    return st == TESS_OK
               ? folder_publish(f->folder, f->options.durability >= TESS_DURABILITY_ORDERED, err)
               : st;
}

const struct container container_sparse = {
    .locate = sparse_locate,
    .prepare = sparse_prepare,
    .expect = sparse_expect,
    .reclaim = reclaim,
    .put = sparse_put,
    .begin = sparse_begin,
    .end = sparse_end,
    .abandon = sparse_abandon,
    .release = sparse_release,
    .lease = sparse_lease,
    .end_lease = sparse_end_lease,
    .find_lent = sparse_find_lent,
    .reserve_lent = sparse_reserve_lent,
    .adopt = sparse_adopt,
    .commit = sparse_commit,
    .settle = sparse_settle,
    .current = sparse_current,
    .publish = sparse_publish,
};
