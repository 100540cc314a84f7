/*
 * commit.c - from one whole state on disk to the next.
 *
 * The steps and their order are the protocol of "Commits" in spec 95:
 *   1. see that the file is still as we left it
 *   2. chunks are in free space already (change.c)
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
 */
#include "frame/frame.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "frame/trailer.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    COMMIT_FIRST = 16, // bytes of the header that nearly every commit changes
    BATCH_MIN = 64 << 20,
    BATCH_SHARE = 20, // of the stored data: dead space stays small
};

// What goes to the disk in one commit.
struct pending {
    uint8_t *head;
    uint8_t *body; // index and trailer
    int64_t body_size;
    uint8_t *tail; // the trailer alone
    size_t tail_size;
    struct frame_header h;
    struct extent placed;
};

static void
pending_finish(struct pending *p)
{
    free(p->head);
    free(p->body);
    free(p->tail);
}

static tess_status
compare(const struct frame *f, int64_t position, const uint8_t *known, size_t size, tess_error *err)
{
    uint8_t *const now = malloc(size);
    if (!now)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    tess_status st = io_read(f->io, position, now, size, err);
    if (st == TESS_OK && memcmp(now, known, size) != 0)
        st = err_set(err, TESS_ERR_STALE, position,
                     "the file was changed by another program since it was opened");
    free(now);
    return st;
}

// The whole header and trailer.
static tess_status
check_unchanged(const struct frame *f, tess_error *err)
{
    if (!f->head || f->io->in_memory) // the first commit of a new frame; nobody else can change it
        return TESS_OK;
    const int64_t frame_len = (int64_t)get_u64be(f->head + COMMIT_FIRST);
    const tess_status st = compare(f, 0, f->head, f->head_size, err);
    if (st != TESS_OK)
        return st;
    return compare(f, frame_len - (int64_t)f->tail_size, f->tail, f->tail_size, err);
}

static tess_status
encode_body(const struct frame *f, struct pending *p, tess_error *err)
{
    uint8_t *index = NULL;
    int32_t index_size = 0;

    tess_status st = trailer_write(&f->vlmetas, &p->tail, &p->tail_size, err);
    if (st == TESS_OK && f->index.nchunks > 0)
        st = index_write(&f->index, &index, &index_size, err);
    if (st != TESS_OK)
        goto out;
    p->body_size = index_size + (int64_t)p->tail_size;
    p->body = malloc((size_t)p->body_size);
    if (!p->body) {
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId64 " bytes",
                     p->body_size);
        goto out;
    }
    trailer_seal(p->tail, p->tail_size, index, (size_t)index_size);
    if (index)
        memcpy(p->body, index, (size_t)index_size);
    memcpy(p->body + index_size, p->tail, p->tail_size);
out:
    free(index);
    return st;
}

static bool
is_recent(const struct frame *f, int64_t frame_len)
{
    for (int i = 0; i < FRAME_LENS_KEPT; i++)
        if (f->lens[i] == frame_len)
            return true;
    return false;
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
    } while (is_recent(f, p->placed.start + p->body_size));
}

static tess_status
encode_header(const struct frame *f, struct pending *p, tess_error *err)
{
    p->h.frame_len = p->placed.start + p->placed.size;
    p->h.cbytes = p->placed.start - p->h.header_len;
    p->h.has_vlmeta = f->vlmetas.count > 0;
    p->head = malloc((size_t)p->h.header_len);
    if (!p->head)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a header of %" PRId32 " bytes",
                       p->h.header_len);
    if (f->head) { // fields that mean nothing to us stay
        memcpy(p->head, f->head, FRAME_HEADER_SIZE);
        put_u64be(p->head + 16, (uint64_t)p->h.frame_len);
        put_u64be(p->head + 30, (uint64_t)p->h.nbytes);
        put_u64be(p->head + 39, (uint64_t)p->h.cbytes);
        put_u32be(p->head + 58, (uint32_t)p->h.chunksize);
        p->head[68] = p->h.has_vlmeta ? 0xc3 : 0xc2;
    } else {
        frame_header_write(&p->h, p->head);
    }
    layers_write(&f->metas, FRAME_HEADER_SIZE, LAYERS_HEADER, p->head + FRAME_HEADER_SIZE);
    return TESS_OK;
}

// Only the bytes that differ, in one write; they lie in the first sector unless a shape or a
// metalayer changed.
static tess_status
write_header(const struct frame *f, const struct pending *p, tess_error *err)
{
    size_t first = 0, end = (size_t)p->h.header_len;
    if (f->head) {
        const size_t sector = FRAME_HEADER_SECTOR;
        if (memcmp(p->head + sector, f->head + sector, f->head_size - sector) == 0) {
            first = COMMIT_FIRST;
            end = sector;
        }
    }
    return io_write(f->io, (int64_t)first, p->head + first, end - first, err);
}

static tess_status
sync_at(struct frame *f, tess_durability level, tess_error *err)
{
    if (f->durability < level)
        return TESS_OK;
    return io_sync(f->io, err);
}

// Cut the file to what the last two states need.
static tess_status
cut(const struct frame *f, int64_t old_len, tess_error *err)
{
    int64_t size;
    const int64_t needed = max_i64(old_len, f->h.frame_len);
    const tess_status st = io_size(f->io, &size, err);
    if (st != TESS_OK || size <= needed)
        return st;
    return io_truncate(f->io, needed, err);
}

// Steps 3 to 7.
static tess_status
write_state(struct frame *f, struct pending *p, tess_error *err)
{
    tess_status st = io_write(f->io, p->placed.start, p->body, (size_t)p->body_size, err);
    if (st == TESS_OK)
        st = sync_at(f, TESS_DURABILITY_ORDERED, err);
    if (st != TESS_OK)
        return st;
    if (f->durability >= TESS_DURABILITY_ORDERED)
        space_synced(&f->space);
    st = write_header(f, p, err);
    if (st != TESS_OK)
        return st;

    // The new state is current from here on, whatever follows.
    const int64_t old_len = f->h.frame_len;
    f->h = p->h;
    free(f->head);
    free(f->tail);
    f->head = p->head;
    f->head_size = (size_t)p->h.header_len;
    f->tail = p->tail;
    f->tail_size = p->tail_size;
    p->head = p->tail = NULL;
    f->lens[f->next_len] = f->h.frame_len;
    f->next_len = (f->next_len + 1) % FRAME_LENS_KEPT;

    st = sync_at(f, TESS_DURABILITY_FSYNC, err);
    const bool known = st == TESS_OK && f->durability != TESS_DURABILITY_ORDERED;
    space_committed(&f->space, p->placed, known);
    if (st == TESS_OK)
        st = cut(f, old_len, err);
    return st;
}

static tess_status
commit_chunks(struct frame *f, tess_error *err)
{
    struct pending p = {.h = f->h};
    tess_status st = encode_body(f, &p, err);
    if (st == TESS_OK) {
        place_body(f, &p);
        st = encode_header(f, &p, err);
    }
    if (st == TESS_OK)
        st = write_state(f, &p, err);
    pending_finish(&p);
    return st;
}

// Move a chunk of the state on disk behind everything; *entry follows it.
static tess_status
move_chunk(struct frame *f, int64_t *entry, tess_error *err)
{
    uint8_t head[CHUNK_HEADER_MIN];
    uint8_t *bytes = NULL;
    int64_t start;
    const int64_t position = f->h.header_len + *entry;

    tess_status st = io_read(f->io, position, head, sizeof head, err);
    if (st != TESS_OK)
        return st;
    const int32_t cbytes = get_i32le(head + 12);
    if (cbytes < CHUNK_HEADER_MIN || cbytes > f->h.frame_len - position)
        return err_set(err, TESS_ERR_CORRUPT, position + 12, "a chunk of %" PRId32 " stored bytes",
                       cbytes);
    bytes = malloc((size_t)cbytes);
    if (!bytes)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId32 " bytes", cbytes);
    st = io_read(f->io, position, bytes, (size_t)cbytes, err);
    if (st == TESS_OK)
        st = space_take(&f->space, cbytes, &start, err);
    if (st == TESS_OK)
        st = io_write(f->io, start, bytes, (size_t)cbytes, err);
    if (st == TESS_OK)
        *entry = start - f->h.header_len;
    free(bytes);
    return st;
}

// The state on disk once more, with another list of chunks: its own header and trailer, not those
// in memory, which may have changed since.
static tess_status
encode_disk_state(struct frame *f, const struct frame_index *list, struct pending *p,
                  tess_error *err)
{
    uint8_t *index = NULL;
    int32_t index_size;

    p->h = f->h;
    tess_status st = index_write(list, &index, &index_size, err);
    if (st != TESS_OK)
        return st;
    p->body_size = index_size + (int64_t)f->tail_size;
    p->body = malloc((size_t)p->body_size);
    p->tail = malloc(f->tail_size);
    p->head = malloc(f->head_size);
    if (p->body && p->tail && p->head) {
        p->tail_size = f->tail_size;
        memcpy(p->head, f->head, f->head_size);
        memcpy(p->tail, f->tail, f->tail_size);
        trailer_seal(p->tail, p->tail_size, index, (size_t)index_size);
        memcpy(p->body, index, (size_t)index_size);
        memcpy(p->body + index_size, p->tail, p->tail_size);
    } else {
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for an index of %" PRId32 " bytes",
                     index_size);
    }
    free(index);
    return st;
}

// Commit the state on disk once more, with nothing that is needed in the first `size` bytes behind
// the header.
static tess_status
clear_head(struct frame *f, int64_t size, tess_error *err)
{
    const int64_t cbytes = (int64_t)get_u64be(f->head + 39);
    const int64_t nchunks = ceil_div((int64_t)get_u64be(f->head + 30), f->h.chunksize);
    const struct extent now = f->space.now;
    const int64_t index_size = now.size - (int64_t)f->tail_size;
    struct frame_index list = {0};
    struct pending p = {0};
    tess_status st = TESS_OK;

    uint8_t *const index = malloc((size_t)index_size);
    if (!index)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes", index_size);
    TRY(io_read(f->io, now.start, index, (size_t)index_size, err));
    TRY(index_parse(&list, index, (size_t)index_size, nchunks, cbytes, f->limits.memory, err));

    // Nothing new goes in front of what is there.
    f->space.end = max_i64(f->space.end, now.start + now.size);
    f->space.end = max_i64(f->space.end, f->h.header_len + size);
    f->space.open.count = 0;
    for (int64_t n = 0; list.entries && n < nchunks; n++)
        if (list.entries[n] >= 0 && list.entries[n] < size)
            TRY(move_chunk(f, &list.entries[n], err));

    TRY(encode_disk_state(f, &list, &p, err));
    place_body(f, &p);
    p.h.frame_len = p.placed.start + p.placed.size;
    p.h.cbytes = p.placed.start - p.h.header_len;
    put_u64be(p.head + 16, (uint64_t)p.h.frame_len);
    put_u64be(p.head + 39, (uint64_t)p.h.cbytes);
    TRY(write_state(f, &p, err));
    TRY(sync_at(f, TESS_DURABILITY_ORDERED, err));
out:
    index_finish(&list);
    pending_finish(&p);
    free(index);
    return st;
}

static tess_status
commit_empty(struct frame *f, tess_error *err)
{
    struct pending p = {0};
    tess_status st = TESS_OK;
    const bool had_chunks = f->head && get_u64be(f->head + 30) > 0;

    TRY(encode_body(f, &p, err));
    if (had_chunks)
        TRY(clear_head(f, p.body_size, err));
    p.h = f->h;
    p.placed = (struct extent){f->h.header_len, p.body_size};
    TRY(encode_header(f, &p, err));
    TRY(write_state(f, &p, err));
    TRY(sync_at(f, TESS_DURABILITY_ORDERED, err));
    // Nothing but header and trailer is needed from here on.
    space_finish(&f->space);
    space_init(&f->space, f->h.header_len, p.placed);
out:
    pending_finish(&p);
    return st;
}

tess_status
frame_commit(struct frame *f, tess_error *err)
{
    if (!f->dirty)
        return TESS_OK;
    tess_status st = check_unchanged(f, err);
    if (st == TESS_OK)
        st = f->index.nchunks > 0 ? commit_chunks(f, err) : commit_empty(f, err);
    if (st == TESS_OK) {
        f->dirty = false;
        f->written = 0;
    }
    return st;
}

tess_status
frame_commit_if_large(struct frame *f, tess_error *err)
{
    if (f->written < max_i64(BATCH_MIN, f->h.cbytes / BATCH_SHARE))
        return TESS_OK;
    return frame_commit(f, err);
}

tess_status
frame_publish(struct frame *f, tess_error *err)
{
    const tess_status st = sync_at(f, TESS_DURABILITY_ORDERED, err);
    return st == TESS_OK ? io_publish(f->io, err) : st;
}
