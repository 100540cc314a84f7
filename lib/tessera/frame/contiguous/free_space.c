/*
 * free_space.c - what of a file is free when a contiguous frame is opened to be changed.
 *
 * Between the chunks: what none of them takes, once they were looked at. Behind the frame:
 * everything, since a writer that was interrupted leaves bytes there, unless another frame stands
 * among them.
 *
 * When a frame is opened nothing is looked at, not even its list, which takes longer than the rest:
 * a program may change nothing. Before the first change it is the list. With the first chunk that
 * is stored, all of a few hundred chunks are looked at. The rule for more, from then on:
 *   1. the last chunks in the file are looked at, whose number has a bound: what index and trailer
 *      of earlier states left among them is used again, and what a shorter list left behind them;
 *   2. if chunks were replaced or dropped since the frame was opened, or its list shows that some
 *      were before (far from the order of the file, special, nothing at the front), a few hundred
 *      random bytes tell how much is unused, or will be when the next commit is synced;
 *   3. if that is worth it, all chunks are looked at.
 * So a frame that is only appended to stays with the first step, whatever its size; one whose
 * chunks are overwritten, in few sessions or many, keeps little dead space.
 *
 * Not here: taking and giving back (space.c).
 */
#include "frame/contiguous/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "chunk/header.h"
#include "frame/chunks/usage.h"
#include "frame/commit/current.h"
#include "frame/contiguous/extents.h"
#include "frame/contiguous/space.h"
#include "frame/format/found.h"
#include "frame/format/index.h"
#include "frame/private.h"
#include "io/io.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    FEW = 256, // chunks that are looked at without asking
    TAIL = 64, // of many, those that the last bytes of the file hold
    SAMPLES = 256,
    WORTH_MIN = 1 << 20, // unused bytes that are worth looking for
    WORTH_SHARE = 16, // one part in so many of all is, too
};

static tess_status
check_stored_room(int64_t position, int64_t room, tess_error *err)
{
    if (room < CHUNK_HEADER_SIZE)
        return err_set(err, TESS_ERR_CORRUPT, position,
                       "%" PRId64 " bytes for a chunk before the next; the file can only be read",
                       room);
    return TESS_OK;
}

// Where a stored chunk ends, as its header says; it must not reach into the next one.
static tess_status
chunk_end(int64_t position, int64_t room, int32_t cbytes, int64_t *end, tess_error *err)
{
    if (cbytes < CHUNK_HEADER_SIZE || cbytes > room) // smaller ones no index can refer to
        return err_set(err, TESS_ERR_CORRUPT, position + 12,
                       "a chunk of %" PRId32 " stored bytes, %" PRId64
                       " before the next; the file can only be read",
                       cbytes, room);
    *end = position + cbytes;
    return TESS_OK;
}

// The old chunks from `from` on that the list in memory, or a state on disk, leads to, in ascending
// order. Behind the last: where they end.
static tess_status
old_positions(const struct frame *f, int64_t from, int64_t **positions, size_t *n, tess_error *err)
{
    const struct extent_list *const waiting[] = {&f->space.parked, &f->space.unsynced,
                                                 &f->space.waiting, &f->space.settled};
    const int64_t first = from - f->h.header_len, end = f->old.end - f->h.header_len;
    const int64_t listed = f->index.entries ? f->index.nchunks : 0;
    struct frame_index all = {0};
    tess_status st = TESS_OK;

    int64_t count = listed;
    for (size_t list = 0; list < sizeof waiting / sizeof *waiting; list++)
        count += waiting[list]->count;
    TRY(index_reserve(&all, count, err));
    for (int64_t i = 0; i < listed; i++)
        if (f->index.entries[i] >= first && f->index.entries[i] < end)
            all.entries[all.nchunks++] = f->index.entries[i];
    for (size_t list = 0; list < sizeof waiting / sizeof *waiting; list++)
        for (int64_t i = 0; i < waiting[list]->count; i++) {
            const int64_t start = waiting[list]->items[i].start;
            if (start >= from && start < f->old.end)
                all.entries[all.nchunks++] = start - f->h.header_len;
        }
    TRY(index_sorted(&all, positions, n, err));
    for (size_t i = 0; i < *n; i++)
        (*positions)[i] += f->h.header_len;
    (*positions)[*n] = f->old.end;
out:
    index_finish(&all);
    return st;
}

static int
compare_positions(const void *a, const void *b)
{
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

// What waits for a commit has a size from here on; how much it is together.
static int64_t
tell_sizes(const struct frame *f, const struct extent_list *list, const int64_t *positions,
           const int64_t *ends, size_t n)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < list->count; i++) {
        struct extent *const e = &list->items[i];
        if (n > 0 && e->start >= positions[0] && e->start < f->old.end) {
            const int64_t *const at =
                bsearch(&e->start, positions, n, sizeof *at, compare_positions);
            e->size = ends[at - positions] - e->start;
        }
        sum += e->size;
    }
    return sum;
}

// Tell f->space what is free from `end` on, between these old chunks: the last n of them. Chunks
// that share bytes are refused: their space would be released while it is still needed.
static tess_status
free_space_look(struct frame *f, int64_t end, const int64_t *positions, size_t n, tess_error *err)
{
    tess_status st = TESS_OK;
    int64_t *const ends = mem_alloc((n + 1) * sizeof *ends);
    int32_t *const sizes = mem_alloc((n + 1) * sizeof *sizes);

    if (!ends || !sizes) {
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu chunks", n);
        goto out;
    }
    for (size_t i = 0; i < n; i++)
        TRY(check_stored_room(positions[i], positions[i + 1] - positions[i], err));
    TRY(heads_read_sizes(f->io, positions, n, sizes, err));
    for (size_t i = 0; i < n; i++)
        TRY(chunk_end(positions[i], positions[i + 1] - positions[i], sizes[i], &ends[i], err));

    for (size_t i = 0; i < n; i++) {
        space_add(&f->space, (struct extent){end, positions[i] - end});
        end = ends[i];
    }
    if (f->space.end == f->old.end)
        f->space.end = end;
    else
        space_add(&f->space, (struct extent){end, f->old.end - end});
    (void)tell_sizes(f, &f->space.parked, positions, ends, n);
    (void)tell_sizes(f, &f->space.waiting, positions, ends, n);
    f->space.settled_size = tell_sizes(f, &f->space.settled, positions, ends, n);
    f->space.unsynced_size = tell_sizes(f, &f->space.unsynced, positions, ends, n);
out:
    mem_free(ends);
    mem_free(sizes);
    return st;
}

// Look at all old chunks; none is old from here on.
static tess_status
map(struct frame *f, tess_error *err)
{
    int64_t *positions = NULL;
    size_t n = 0;
    tess_status st = old_positions(f, f->h.header_len, &positions, &n, err);
    if (st == TESS_OK)
        st = free_space_look(f, f->h.header_len, positions, n, err);
    if (st == TESS_OK) {
        f->old = (struct old_chunks){0};
        f->space.known = 0;
    }
    mem_free(positions);
    return st;
}

// Among so many bytes at the end new chunks may find a gap: what index and trailer took before.
static int64_t
tail_size(const struct frame *f)
{
    return f->space.now.size + TAIL * f->old.average;
}

// Look at the last ones; those before them stay old.
static tess_status
map_tail(struct frame *f, tess_error *err)
{
    const int64_t from = max_i64(f->old.end - tail_size(f), f->h.header_len);
    int64_t *positions = NULL;
    size_t n = 0;
    tess_status st = old_positions(f, from, &positions, &n, err);
    const size_t skipped = n > FEW ? n - FEW : 0; // a file may have many small ones there
    if (st == TESS_OK && n > 0)
        st = free_space_look(f, positions[skipped], positions + skipped, n - skipped, err);
    if (st == TESS_OK) {
        f->old.end = n > 0 ? positions[skipped] : f->old.end;
        f->space.known = f->old.end;
        f->old.tail_known = true;
    }
    mem_free(positions);
    return st;
}

// Whether the list may be of a frame that was only appended to: every chunk near the end that the
// chunks had when it was stored. A special entry is negative.
static bool
is_in_order(const struct frame_index *x, int64_t near)
{
    int64_t end = 0, misplaced = x->nchunks > 0 && x->entries[0] > near;
    for (int64_t n = 0; n < x->nchunks; n++) {
        misplaced += x->entries[n] < max_i64(end - near, 0);
        end = max_i64(end, x->entries[n]);
    }
    return misplaced == 0;
}

void
free_space_init(struct frame *f, int64_t section_end)
{
    f->old = (struct old_chunks){.end = section_end, .unused = -1};
    f->space.known = section_end;
}

void
free_space_judge(struct frame *f)
{
    const struct frame_index *const x = &f->index;
    int64_t count = 0;
    if (f->old.end == 0 || f->old.judged)
        return;
    for (int64_t n = 0; x->entries && n < x->nchunks; n++)
        count += x->entries[n] >= 0;
    f->old.judged = true;
    f->old.few = count <= FEW;
    f->old.average = (f->old.end - f->h.header_len) / max_i64(count, 1);
    f->old.replaced = !f->old.few && !is_in_order(x, tail_size(f));
}

// A number that looks random (splitmix64).
static uint64_t
scatter(uint64_t n)
{
    uint64_t z = n * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

// The last of n > 0 ascending positions that is not behind `at`; n if all are.
static size_t
chunk_before(const int64_t *positions, size_t n, int64_t at)
{
    size_t low = 0, high = n;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (positions[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? low - 1 : n;
}

// Old chunks that only a state on the disk needs: what they take is free soon, if they are looked
// at.
static int64_t
count_waiting(const struct frame *f)
{
    const struct extent_list *const waiting[] = {&f->space.parked, &f->space.unsynced};
    int64_t n = 0;
    for (int list = 0; list < 2; list++)
        for (int64_t i = 0; i < waiting[list]->count; i++)
            n += waiting[list]->items[i].start < f->old.end;
    return n;
}

// Of some bytes between header and index, one in each of as many parts of equal size, how many
// belong to no chunk? Other bytes for every length of the frame, so that an unlucky choice is not
// made again.
static tess_status
free_space_estimate(struct frame *f, tess_error *err)
{
    const int64_t first = f->h.header_len, part = (f->old.end - first) / SAMPLES;
    int64_t *positions = NULL;
    int64_t behind[SAMPLES], chunks[SAMPLES], misses = 0;
    int32_t sizes[SAMPLES];
    size_t n, hits = 0;
    tess_status st = old_positions(f, first, &positions, &n, err);
    // The chunk that starts last before each byte, if one does, and how far behind its start.
    for (int64_t i = 0; i < SAMPLES && st == TESS_OK; i++) {
        const uint64_t any = scatter((uint64_t)f->h.frame_len + (uint64_t)i);
        const int64_t at = first + i * part + (int64_t)(any % (uint64_t)max_i64(part, 1));
        const size_t k = chunk_before(positions, n, at);
        misses += k == n;
        if (k < n) {
            chunks[hits] = positions[k];
            behind[hits++] = at - positions[k];
        }
    }
    if (st == TESS_OK)
        st = heads_read_sizes(f->io, chunks, hits, sizes, err);
    for (size_t i = 0; i < hits && st == TESS_OK; i++)
        misses += behind[i] >= sizes[i];
    if (st == TESS_OK)
        f->old.unused = misses * part + count_waiting(f) * f->old.average;
    mem_free(positions);
    return st;
}

// All of them, once it is sure that they are those of the newest state.
static tess_status
map_current(struct frame *f, tess_error *err)
{
    const tess_status st = frame_check_current(f, err);
    return st == TESS_OK ? map(f, err) : st;
}

tess_status
free_space_reclaim(struct frame *f, tess_error *err)
{
    if (f->old.end == 0 || f->old.forgotten)
        return TESS_OK;
    free_space_judge(f);
    if (f->old.few)
        return map_current(f, err);
    tess_status st = f->old.tail_known ? TESS_OK : map_tail(f, err);
    if (st != TESS_OK || !f->old.replaced)
        return st;
    if (f->old.unused < 0)
        st = free_space_estimate(f, err);
    if (st != TESS_OK || f->old.unused < max_i64(WORTH_MIN, f->old.end / WORTH_SHARE))
        return st;
    return map_current(f, err);
}

bool
free_space_release_old(struct frame *f, int64_t position)
{
    if (position >= f->old.end)
        return false;
    space_release(&f->space, (struct extent){.start = position});
    f->old.replaced = true;
    if (f->old.unused >= 0)
        f->old.unused += f->old.average;
    return true;
}

tess_status
free_space_check_behind(const struct frame *f, tess_error *err)
{
    int64_t size, found = -1;
    tess_status st = io_size(f->io, &size, err);
    if (st == TESS_OK)
        st = found_search(f->io, f->h.frame_len, size, NULL, &found, err);
    if (st == TESS_OK && found >= 0)
        st = err_set(err, TESS_ERR_UNSUPPORTED, found,
                     "another frame stands behind this one, at byte %" PRId64
                     ", in the way of changes; the file can only be read",
                     found);
    return st;
}
