/*
 * usage.c - how many chunks of a frame's list are stored, and how many bytes those have.
 *
 * The bytes are summed once, in the order of the file, from the headers of the chunks.
 */
#include "frame/chunks/usage.h"

#include "base/bytes.h"
#include "base/checked.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "frame/commit/current.h"
#include "frame/container.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "io/io.h"
#include "io/names/path.h"

#include <inttypes.h>

// -- the numbers, and what adjusts them

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
is_missing_entry(int64_t entry)
{
    return index_special(entry) == SPECIAL_UNINIT;
}

static void
usage_add(struct usage *t, int64_t nstored, int64_t nmissing)
{
    if (t->nstored < 0)
        return;
    t->nmissing += nmissing;
    t->nstored += nstored;
}

void
usage_put(struct usage *t, int64_t before, int64_t after, int64_t size)
{
    usage_add(t, (after >= 0) - (before >= 0), is_missing_entry(after) - is_missing_entry(before));
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
usage_resize(struct usage *t, const struct frame_index *list, int64_t nchunks,
             enum chunk_special special)
{
    const int64_t more = nchunks - list->nchunks;
    if (t->nstored < 0)
        return;
    if (more > 0 || !list->entries) {
        const enum chunk_special kind = more > 0 ? special : list->uniform;
        usage_add(t, 0, kind == SPECIAL_UNINIT ? more : 0);
        return;
    }
    for (int64_t n = nchunks; n < list->nchunks; n++)
        usage_add(t, -(list->entries[n] >= 0), -is_missing_entry(list->entries[n]));
}

void
usage_forget_counts(struct usage *t)
{
    t->nstored = -1;
}

static void
count_usage(const struct frame_index *list, int64_t *nstored, int64_t *nmissing)
{
    *nstored = *nmissing = 0;
    if (!list->entries) {
        *nmissing = list->uniform == SPECIAL_UNINIT ? list->nchunks : 0;
        return;
    }
    for (int64_t n = 0; n < list->nchunks; n++) {
        *nstored += list->entries[n] >= 0;
        *nmissing += is_missing_entry(list->entries[n]);
    }
}

void
usage_count(struct usage *t, const struct frame_index *list, int64_t *nstored, int64_t *nmissing)
{
    *nstored = t->nstored;
    *nmissing = t->nmissing;
    if (*nstored >= 0)
        return;
    count_usage(list, nstored, nmissing);
    t->nmissing = *nmissing;
    t->nstored = *nstored; // last: it says that both are there
}

int64_t
usage_stored(const struct usage *t, const struct frame_index *list)
{
    int64_t nstored = t->nstored, nmissing;
    if (nstored < 0)
        count_usage(list, &nstored, &nmissing);
    return nstored;
}

// -- from the headers of the chunks

enum {
    BATCH = 256, // headers that are read with one call
    CBYTES_AT = 12,
};

tess_status
heads_read_sizes(struct io *io, const int64_t *positions, size_t n, int32_t *sizes, tess_error *err)
{
    uint8_t heads[BATCH][CHUNK_HEADER_MIN];
    tess_range extents[BATCH];
    for (size_t i = 0; i < n; i += BATCH) {
        const size_t count = n - i < BATCH ? n - i : BATCH;
        for (size_t k = 0; k < count; k++)
            extents[k] = (tess_range){positions[i + k], heads[k], CHUNK_HEADER_MIN};
        const tess_status st = io_read_many(io, extents, count, NULL, err);
        if (st != TESS_OK)
            return st;
        for (size_t k = 0; k < count; k++)
            sizes[i + k] = get_i32le(heads[k] + CBYTES_AT);
    }
    return TESS_OK;
}

// -- asking

void
frame_count_chunks(struct frame *f, int64_t *nstored, int64_t *nmissing)
{
    usage_count(&f->usage, &f->index, nstored, nmissing);
}

int64_t
frame_known_live_bytes(const struct frame *f)
{
    return f->usage.live;
}

static tess_status
check_place_size(const struct chunk_place *place, int32_t size, tess_error *err)
{
    if (size < CHUNK_HEADER_MIN || size > place->room)
        return err_set(err, TESS_ERR_CORRUPT, place->position + 12,
                       "a chunk of %" PRId32 " stored bytes, %d to %" PRId64 " can be", size,
                       CHUNK_HEADER_MIN, place->room);
    return TESS_OK;
}

// The bytes of the first chunks of a list without duplicates; *count: how many those are.
static tess_status
measure_some(const struct frame *f, const int64_t *entries, size_t n, size_t *count, int64_t *live,
             tess_error *err)
{
    enum { ROOM = 256 };
    struct chunk_place places[ROOM];
    int64_t positions[ROOM];
    int32_t sizes[ROOM];
    tess_status st = TESS_OK;
    size_t k = 0;

    // Where they are: of a directory one at a time, as each is a file that is open meanwhile.
    do {
        st = f->container->locate(f, entries[k], NULL, &places[k], err);
        if (st != TESS_OK)
            return st;
        positions[k] = places[k].position;
        if (places[k].room < CHUNK_HEADER_MIN)
            st = err_set(err, TESS_ERR_CORRUPT, positions[k], "%" PRId64 " bytes for a chunk",
                         places[k].room);
        k++;
    } while (st == TESS_OK && !places[0].owned && k < n && k < ROOM);

    if (st == TESS_OK)
        st = heads_read_sizes(places[0].io, positions, k, sizes, err);
    if (places[0].owned)
        io_close(places[0].io);
    for (size_t i = 0; i < k && st == TESS_OK; i++) {
        st = check_place_size(&places[i], sizes[i], err);
        *live += sizes[i];
    }
    *count = k;
    return st;
}

// All different chunks of the list, in the order of the file.
static tess_status
live_measure(const struct frame *f, int64_t *live, tess_error *err)
{
    int64_t *entries = NULL;
    size_t n = 0, different = 0, count;
    tess_status st = TESS_OK;

    *live = 0;
    if (!f->index.entries)
        return TESS_OK;
    TRY(index_sorted(&f->index, &entries, &n, err));
    for (size_t i = 0; i < n; i++)
        if (i == 0 || entries[i] != entries[i - 1])
            entries[different++] = entries[i];
    for (size_t i = 0; i < different; i += count)
        TRY(measure_some(f, entries + i, different - i, &count, live, err));
out:
    mem_free(entries);
    return st;
}

tess_status
frame_live_bytes(struct frame *f, int64_t *live, tess_error *err)
{
    *live = f->usage.live;
    if (*live >= 0)
        return TESS_OK;
    tess_status st = live_measure(f, live, err);
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
    const int64_t section = f->batch.dirty ? f->space.end - f->h.header_len : f->h.cbytes;
    return max_i64(section - live, 0);
}
