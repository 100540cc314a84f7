/*
 * shorten.c - a contiguous frame's file becomes shorter when the frame is closed.
 *
 * Steps, each of which is a commit like any other:
 *   1. chunks behind some place, `from`, are copied into free space in front of it, and committed.
 *      Index and trailer still stand behind what the state before needs;
 *   2. once that is on the disk, the same state is committed again: index and trailer stand right
 *      behind the last chunk now;
 *   3. and again, since the file is cut to what the last two states need.
 * Without chunks to move, there are the last two, or the last.
 *
 * It is worth it if it saves a tenth of the file, and twice the bytes that are copied. Where more
 * than half of the file is unused, a little more than the bytes that are copied is enough: so a
 * file has about twice the size of its chunks at most. If they are few against what the program
 * has written since it opened the file, half of them is enough.
 *
 * Not here: directories, which need none of this; making a file as small as can be (copy.c).
 */
#include "frame/commit/commit.h"

#include "base/checked.h"
#include "base/memory.h"
#include "frame/commit/lock.h"
#include "frame/commit/pending.h"
#include "frame/container.h"
#include "frame/contiguous/extents.h"
#include "frame/contiguous/private.h"
#include "frame/contiguous/space.h"
#include "frame/load.h"
#include "frame/private.h"
#include "io/io.h"

#include <stdlib.h>

enum {
    FILE_SHARE = 10, // one part in so many of the file is worth it
    WRITTEN_SHARE = 4, // and so much of what was written is little
    COMMITS = 3, // at most, once chunks were moved
};

// A chunk to be moved, and what it takes at most.
struct move {
    int64_t n;
    struct extent from;
    int64_t to;
};

struct plan {
    struct move *moves; // from the end of the file downwards
    size_t nmoves;
    size_t nlisted; // those that stay come behind these
    int64_t end; // of all chunks, then
};

// How long the file would be if chunks ended there, after two commits.
static int64_t
length_for(const struct frame *f, int64_t end)
{
    return end + 2 * f->space.now.size;
}

// The state before the newest is not needed any more: its extents become free.
static tess_status
shorten_settle(struct frame *f)
{
    tess_status st = f->container->settle(f, NULL);
    if (st == TESS_OK && pending_durability(f) == TESS_DURABILITY_ORDERED) {
        st = pending_sync(f, f->io, TESS_DURABILITY_ORDERED, NULL);
        if (st == TESS_OK)
            space_synced(&f->space);
    }
    return st;
}

static int
by_file_position(const void *a, const void *b)
{
    const int64_t x = ((const struct move *)a)->from.start;
    const int64_t y = ((const struct move *)b)->from.start;
    return (x < y) - (x > y);
}

/*
 * The chunks that might be moved, from the last in the file on downwards: all that together fit
 * what is free, and a few more. Of old ones it is not known what lies between them. If these are
 * all, where they begin comes last, which is never moved.
 */
static tess_status
list_stored_chunks(const struct frame *f, struct plan *p)
{
    const struct space *const s = &f->space;
    const int64_t listed = f->index.entries ? f->index.nchunks : 0;
    const int64_t first = max_i64(f->h.header_len, f->old.end);
    const int64_t from = max_i64(first, s->end - 2 * s->open.total - s->now.size);
    int64_t count = 0;

    for (int64_t n = 0; n < listed; n++)
        count += f->index.entries[n] >= from - f->h.header_len;
    p->moves = mem_alloc((size_t)(count + 1) * sizeof *p->moves);
    if (!p->moves)
        return TESS_ERR_NOMEM;
    for (int64_t n = 0; n < listed; n++)
        if (f->index.entries[n] >= from - f->h.header_len)
            p->moves[p->nlisted++] =
                (struct move){.n = n, .from.start = f->h.header_len + f->index.entries[n]};
    qsort(p->moves, p->nlisted, sizeof *p->moves, by_file_position);
    if (from == first)
        p->moves[p->nlisted++].from = (struct extent){first, 0};
    return TESS_OK;
}

static int64_t
shorten_end_of(struct extent e)
{
    return e.start + e.size;
}

// Give a chunk its size: up to what is free behind it, index and trailer, or the chunk at `next`.
// What is free between it and `next`.
static int64_t
shorten_measure(const struct space *s, struct extent *chunk, int64_t next)
{
    struct extent e;
    int64_t sum = 0, end = next;
    for (int64_t at = chunk->start; extents_next(&s->open, at, &e) && e.start < next;
         at = shorten_end_of(e)) {
        end = min_i64(end, e.start);
        sum += e.size;
    }
    if (s->now.start > chunk->start)
        end = min_i64(end, s->now.start);
    chunk->size = end - chunk->start;
    return sum;
}

// What copying a byte may cost, in sixteenths of a byte that is saved.
static int64_t
price(const struct frame *f, int64_t copied)
{
    const struct space *const s = &f->space;
    const int64_t used = s->end - f->h.header_len - s->open.total;
    if (copied <= f->batch.written_before / WRITTEN_SHARE)
        return 8;
    return s->open.total > used ? 17 : 32;
}

/*
 * Choose how many of the chunks at the end are moved. Each number of them fills what is free in
 * front of the last one that stays, and then what is free behind that.
 */
static void
shorten_choose(const struct frame *f, struct plan *p)
{
    const struct space *const s = &f->space;
    int64_t below = s->open.total, copied = 0, best = 0;

    for (size_t i = 0; i < p->nlisted && copied <= below; i++) {
        struct extent *const chunk = &p->moves[i].from; // stays
        below -= shorten_measure(s, chunk, i > 0 ? p->moves[i - 1].from.start : s->end);
        const int64_t end = shorten_end_of(*chunk) + max_i64(copied - below, 0);
        const int64_t pays = s->end - end - copied / 16 * price(f, copied);
        if (pays > best) {
            best = pays;
            p->nmoves = i;
        }
        copied += chunk->size;
    }
}

// Find a place for each chunk that is moved, as long as there is one.
static void
shorten_reserve(struct space *s, struct plan *p)
{
    size_t n = 0;
    space_park_from(s, p->moves[p->nmoves - 1].from.start);
    while (n < p->nmoves && space_take_hole(s, p->moves[n].from.size, &p->moves[n].to))
        n++;
    p->nmoves = n;
    p->end = shorten_end_of(p->moves[n].from); // of one that stays
    for (size_t i = 0; i < n; i++)
        p->end = max_i64(p->end, p->moves[i].to + p->moves[i].from.size);
}

static tess_status
carry_out(struct frame *f, const struct plan *p)
{
    tess_status st = TESS_OK;
    for (size_t i = 0; i < p->nmoves && st == TESS_OK; i++) {
        const struct move *const m = &p->moves[i];
        int64_t *const entry = &f->index.entries[m->n];
        int32_t cbytes;
        st = move_size(f, *entry, m->from.start + m->from.size, &cbytes, NULL);
        if (st == TESS_OK)
            st = move_chunk(f, entry, cbytes, m->to, &f->checksums, NULL);
        if (st == TESS_OK)
            space_release(&f->space, m->from);
    }
    f->generation++;
    return st;
}

static tess_status
shorten_commit_again(struct frame *f)
{
    f->batch.dirty = true;
    const tess_status st = frame_commit(f, NULL);
    return st == TESS_OK ? shorten_settle(f) : st;
}

// Move chunks, if that saves `least` bytes.
static tess_status
move_down(struct frame *f, int64_t least)
{
    struct plan p = {0};
    tess_status st = frame_need_checksums(f, NULL);
    if (st == TESS_OK)
        st = list_stored_chunks(f, &p);
    if (st == TESS_OK)
        shorten_choose(f, &p);
    if (p.nmoves > 0)
        shorten_reserve(&f->space, &p);
    if (p.nmoves > 0 && f->space.end - p.end >= least) {
        st = carry_out(f, &p);
        if (st == TESS_OK)
            st = shorten_commit_again(f);
    }
    mem_free(p.moves);
    return st;
}

// What could be saved, whatever it takes.
static int64_t
unused(const struct frame *f, int64_t size)
{
    const struct space *const s = &f->space;
    return s->open.total + s->unsynced_size + max_i64(size - length_for(f, s->end), 0);
}

// The file is longer than the last two states ask for, once they are as short as they can be.
static bool
is_long(const struct frame *f, int64_t least)
{
    int64_t size;
    return io_size(f->io, &size, NULL) == TESS_OK && size - length_for(f, f->space.end) >= least;
}

static void
shorten_file(struct frame *f, int64_t least)
{
    if (shorten_settle(f) != TESS_OK || move_down(f, least) != TESS_OK)
        return;
    for (int i = 0; i < COMMITS && is_long(f, least); i++)
        if (shorten_commit_again(f) != TESS_OK)
            return;
}

void
frame_shorten(struct frame *f, int64_t least)
{
    const bool is_file = !f->folder && !f->io->in_memory;
    int64_t size;
    if (!is_file || !f->batch.committed || f->batch.dirty || f->options.never_reuse ||
        io_size(f->io, &size, NULL) != TESS_OK ||
        (f->old.replaced && free_space_reclaim(f, NULL) != TESS_OK))
        return;
    least = max_i64(least, size / FILE_SHARE);
    if (unused(f, size) < least || frame_lock_take(f, NULL) != TESS_OK)
        return;
    shorten_file(f, least);
    frame_lock_release(f);
}
