/*
 * upcoming.c - the chunks of a job, in order, each opened when its turn comes.
 */
#include "grid/read/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/chunks/ahead.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "io/ahead.h"
#include "io/io.h"

#include <stddef.h>
#include <string.h>

// Chunks that are announced at once, in a planned job.
enum {
    MOST_NEAR = 4096,
    MOST_FAR = 65536,
    MOST_POSITIONS = 4096, // where positions are kept
};

static size_t
position_stride(const struct upcoming *u)
{
    const size_t align = _Alignof(max_align_t);
    return (u->f->reader->position_size + align - 1) / align * align;
}

// The reader's position on the chunk in a place of the ring.
static void *
position_of(const struct upcoming *u, int i)
{
    return u->positions + (size_t)i * position_stride(u);
}

tess_status
upcoming_init(struct upcoming *u, const struct fetch *f, int threads, struct io_ahead *ahead,
              const struct io_progress *progress, tess_error *err)
{
    const struct frame *const frame = f->grid->frame;
    const bool keeps = !f->reader->stand, far = frame_manner(frame)->far;
    const int most = keeps ? MOST_POSITIONS : far ? MOST_FAR : MOST_NEAR;
    const int64_t nchunks = max_i64(f->grid->g.nchunks, 1);
    tess_status st = TESS_OK;
    u->f = f;
    u->progress = progress;
    u->more = true;
    u->after = FETCH_CHUNK;
    u->first = u->count = 0;
    u->positions = NULL;
    u->ahead = (struct chunks_ahead){.most = 0};
    openings_init(&u->openings, f->grid, ahead ? 1 : threads);
    u->openings.progress = progress;
    if (ahead)
        st = chunks_ahead_begin(&u->ahead, frame, ahead, (int)min_i64(most, nchunks),
                                f->grid->context->ahead, err);
    u->most = ahead ? u->ahead.most : (int)min_i64(u->openings.most, nchunks);
    if (st != TESS_OK || u->most == 0 || !keeps)
        return st;
    u->positions = mem_alloc((size_t)u->most * position_stride(u));
    return u->positions ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

void
upcoming_finish(struct upcoming *u)
{
    openings_finish(&u->openings);
    chunks_ahead_end(&u->ahead);
    mem_free(u->positions);
    u->positions = NULL;
}

// Have what opening chunk n needs read early, unless it is open.
static tess_status
announce_ahead(struct upcoming *u, int64_t n, bool all, tess_error *err)
{
    struct open_chunk *const open = open_chunks_find(u->f->grid, n);
    open_chunk_release(open);
    return chunks_ahead_announce(&u->ahead, n, all, open, err);
}

tess_status
upcoming_announce(struct upcoming *u, bool *announced, struct opening **opening, tess_error *err)
{
    int64_t n = 0;
    bool all = false;
    *announced = false;
    *opening = NULL;
    if (u->count == u->most || !u->more || u->after == FETCH_OTHER)
        return TESS_OK;
    void *const at =
        u->positions ? position_of(u, (u->first + u->count) % u->most) : (void *)u->other;
    u->after = u->f->reader->next_chunk(u->f->self, at, &n, &all);
    u->more = u->after != FETCH_NOTHING;
    if (u->after == FETCH_OTHER && u->positions)
        memcpy(u->other, at, u->f->reader->position_size);
    if (u->after != FETCH_CHUNK)
        return TESS_OK;
    const tess_status st = u->ahead.most > 0
                               ? announce_ahead(u, n, all, err)
                               : openings_announce(&u->openings, n, all, opening, err);
    *announced = st == TESS_OK;
    u->count += *announced;
    return st;
}

const void *
upcoming_peek(const struct upcoming *u)
{
    return u->count > 0 && u->positions ? position_of(u, u->first) : NULL;
}

bool
upcoming_is_ready(const struct upcoming *u)
{
    return u->count == 0 || chunks_ahead_is_ready(&u->ahead);
}

// Open the chunk that was announced first. Its file goes to the chunk, if that is not open already:
// then nothing of the file is needed.
static tess_status
open_announced(struct upcoming *u, struct open_chunk **open, struct io_want **front,
               tess_error *err)
{
    struct chunk_ahead early;
    if (u->ahead.most == 0)
        return openings_take(&u->openings, open, err);
    tess_status st = chunks_ahead_take(&u->ahead, &early, err);
    if (st == TESS_OK)
        st = open_chunks_get(u->f->grid, early.n, early.all, &early, u->progress, open, err);
    if (st != TESS_OK || early.place.io)
        chunk_ahead_release(&early);
    *front = early.want;
    return st;
}

static tess_status
take_announced(struct upcoming *u, void *chunk, struct open_chunk **open, struct io_want **front,
               tess_error *err)
{
    const void *const position = upcoming_peek(u);
    if (position)
        memcpy(chunk, position, u->f->reader->position_size);
    u->first = (u->first + 1) % u->most;
    u->count--;
    const tess_status st = open_announced(u, open, front, err);
    if (st == TESS_OK && !position)
        u->f->reader->stand(u->f->self, chunk, (*open)->n);
    return st;
}

void
upcoming_skip(struct upcoming *u)
{
    struct chunk_ahead early;
    (void)chunks_ahead_take(&u->ahead, &early, NULL); // nobody needs it
    chunk_ahead_release(&early);
    u->first = (u->first + 1) % u->most;
    u->count--;
}

static tess_status
next_unannounced(struct upcoming *u, void *chunk, enum fetch_next *next, struct open_chunk **open,
                 tess_error *err)
{
    const struct fetch *const f = u->f;
    int64_t n = 0;
    bool all = false;
    if (u->after == FETCH_OTHER) {
        memcpy(chunk, u->other, f->reader->position_size);
        u->after = FETCH_CHUNK;
        *next = FETCH_OTHER;
        return TESS_OK;
    }
    *next = u->more ? f->reader->next_chunk(f->self, chunk, &n, &all) : FETCH_NOTHING;
    u->more = *next != FETCH_NOTHING;
    return *next == FETCH_CHUNK ? open_chunks_get(f->grid, n, all, NULL, u->progress, open, err)
                                : TESS_OK;
}

// The call to which this job belongs may have wanted all that is needed (boxes_ahead.h).
static void
find_expected(const struct upcoming *u, const struct open_chunk *v, struct io_want **front)
{
    struct io_want *const want = expected_chunks_want(u->f->grid->expected, v, u->f->watch);
    if (!want)
        return;
    io_want_release(*front);
    *front = want;
}

tess_status
upcoming_next(struct upcoming *u, void *chunk, enum fetch_next *next, struct open_chunk **open,
              struct io_want **front, tess_error *err)
{
    *open = NULL;
    *front = NULL;
    *next = FETCH_CHUNK;
    const tess_status st = u->count > 0 ? take_announced(u, chunk, open, front, err)
                                        : next_unannounced(u, chunk, next, open, err);
    if (st == TESS_OK && *open && u->ahead.most > 0)
        find_expected(u, *open, front);
    return st;
}
