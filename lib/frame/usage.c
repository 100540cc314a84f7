/*
 * usage.c - how many chunks of a frame's list are stored, and how many bytes those have.
 */
#include "frame/usage.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "frame/container.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    PIECE = 1 << 16,
    SMALL = 8192, // average of chunks of which several headers are read at once
};

void
usage_init(struct usage *t, int64_t live)
{
    atomic_init(&t->nmissing, 0);
    atomic_init(&t->nstored, -1);
    atomic_init(&t->live, live);
}

void
usage_save(const struct usage *t, struct usage_saved *saved)
{
    *saved = (struct usage_saved){t->nmissing, t->nstored, t->live};
}

void
usage_restore(struct usage *t, const struct usage_saved *saved)
{
    t->nmissing = saved->nmissing;
    t->nstored = saved->nstored;
    t->live = saved->live;
}

static bool
is_missing(int64_t entry)
{
    return index_special(entry) == SPECIAL_UNINIT;
}

static void
add(struct usage *t, int64_t nstored, int64_t nmissing)
{
    if (t->nstored < 0)
        return;
    t->nmissing += nmissing;
    t->nstored += nstored;
}

void
usage_put(struct usage *t, int64_t before, int64_t after, int64_t size)
{
    add(t, (after >= 0) - (before >= 0), is_missing(after) - is_missing(before));
    usage_added(t, size);
}

void
usage_added(struct usage *t, int64_t size)
{
    if (t->live >= 0)
        t->live += size;
}

void
usage_release(struct usage *t, int64_t size)
{
    if (t->live >= 0)
        t->live = size < 0 || size > t->live ? -1 : t->live - size;
}

void
usage_resize(struct usage *t, const struct frame_index *list, int64_t nchunks, int64_t entry)
{
    const int64_t more = nchunks - list->nchunks;
    if (t->nstored < 0)
        return;
    if (more > 0 || !list->entries) {
        const int64_t kind = more > 0 ? entry : list->uniform;
        add(t, kind >= 0 ? more : 0, is_missing(kind) ? more : 0);
        return;
    }
    for (int64_t n = nchunks; n < list->nchunks; n++)
        add(t, -(list->entries[n] >= 0), -is_missing(list->entries[n]));
}

void
usage_forget_counts(struct usage *t)
{
    t->nstored = -1;
}

static void
count(const struct frame_index *list, int64_t *nstored, int64_t *nmissing)
{
    *nstored = *nmissing = 0;
    if (!list->entries) {
        *nstored = list->uniform >= 0 ? list->nchunks : 0;
        *nmissing = is_missing(list->uniform) ? list->nchunks : 0;
        return;
    }
    for (int64_t n = 0; n < list->nchunks; n++) {
        *nstored += list->entries[n] >= 0;
        *nmissing += is_missing(list->entries[n]);
    }
}

void
frame_count_chunks(struct frame *f, int64_t *nstored, int64_t *nmissing)
{
    struct usage *const t = &f->usage;
    *nstored = t->nstored;
    *nmissing = t->nmissing;
    if (*nstored >= 0)
        return;
    count(&f->index, nstored, nmissing);
    t->nmissing = *nmissing;
    t->nstored = *nstored; // last: it says that both are there
}

int64_t
frame_known_live_bytes(const struct frame *f)
{
    return f->usage.live;
}

// A piece of the file, for the headers in it.
struct piece {
    uint8_t *bytes; // NULL: headers are read one by one
    int64_t start, size;
};

static tess_status
read_head(const struct place *place, struct piece *p, uint8_t *head, tess_error *err)
{
    if (!p->bytes || place->owned)
        return io_read(place->io, place->position, head, CHUNK_HEADER_MIN, err);
    if (place->position < p->start || place->position - p->start > p->size - CHUNK_HEADER_MIN) {
        p->size = 0;
        p->start = place->position;
        const int64_t size = min_i64(place->room, PIECE);
        const tess_status st = io_read(place->io, p->start, p->bytes, (size_t)size, err);
        if (st != TESS_OK)
            return st;
        p->size = size;
    }
    memcpy(head, p->bytes + (place->position - p->start), CHUNK_HEADER_MIN);
    return TESS_OK;
}

static tess_status
stored_bytes(const struct frame *f, int64_t entry, struct piece *p, int64_t *size, tess_error *err)
{
    uint8_t head[CHUNK_HEADER_MIN];
    struct place place;
    tess_status st = f->container->locate(f, entry, &place, err);
    if (st != TESS_OK)
        return st;
    if (place.room < CHUNK_HEADER_MIN)
        st = err_set(err, TESS_ERR_CORRUPT, place.position, "%" PRId64 " bytes for a chunk",
                     place.room);
    else
        st = read_head(&place, p, head, err);
    if (place.owned)
        io_close(place.io);
    if (st != TESS_OK)
        return st;
    *size = get_i32le(head + 12);
    if (*size < CHUNK_HEADER_MIN || *size > place.room)
        return err_set(err, TESS_ERR_CORRUPT, place.position + 12,
                       "a chunk of %" PRId64 " stored bytes, %d to %" PRId64 " can be", *size,
                       CHUNK_HEADER_MIN, place.room);
    return TESS_OK;
}

// All different chunks of the list, in the order of the file.
static tess_status
measure(const struct frame *f, int64_t *live, tess_error *err)
{
    struct piece piece = {0};
    int64_t *entries = NULL;
    size_t n = 0;
    tess_status st = TESS_OK;

    *live = 0;
    if (!f->index.entries) // one stored chunk in all places, or none
        return f->index.nchunks > 0 && f->index.uniform >= 0
                   ? stored_bytes(f, f->index.uniform, &piece, live, err)
                   : TESS_OK;
    TRY(index_sorted(&f->index, &entries, &n, err));
    if (!f->folder && n > 1 && f->h.cbytes / (int64_t)n < SMALL)
        piece.bytes = malloc(PIECE); // no memory: one by one
    for (size_t i = 0; i < n; i++) {
        int64_t size;
        if (i > 0 && entries[i] == entries[i - 1])
            continue;
        TRY(stored_bytes(f, entries[i], &piece, &size, err));
        *live += size;
    }
out:
    free(piece.bytes);
    free(entries);
    return st;
}

tess_status
frame_live_bytes(struct frame *f, int64_t *live, tess_error *err)
{
    *live = f->usage.live;
    if (*live >= 0)
        return TESS_OK;
    tess_status st = measure(f, live, err);
    if (st == TESS_OK)
        st = frame_check_current(f, err); // else it may be of no state
    if (st == TESS_OK)
        f->usage.live = *live;
    return st;
}

int64_t
frame_holes(const struct frame *f, int64_t live)
{
    if (f->folder || f->h.nbytes == 0)
        return 0;
    const int64_t section = f->dirty ? f->space.end - f->h.header_len : f->h.cbytes;
    return max_i64(section - live, 0);
}
