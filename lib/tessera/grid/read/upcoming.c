/*
 * upcoming.c - the chunks of a job, in order, each opened when its turn comes.
 */
#include "grid/read/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "frame/chunks/stored.h"
#include "frame/query.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "io/ahead.h"
#include "io/io.h"

#include <stddef.h>
#include <string.h>

// Bytes of a block that are never touched. Once a block of that size has been freed, malloc() of
// glibc keeps the pieces of a call for the next one (mallopt(3): M_MMAP_THRESHOLD); else the system
// takes them back, and clears them again: 1,800 page faults more in a read of 64 MB, a fifth of its
// time.
#define UNUSED ((size_t)8 << 20)

// Chunks of which the beginnings are wanted at once.
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
    u->f = f;
    u->ahead = ahead;
    u->progress = progress;
    u->more = true;
    u->after = FETCH_CHUNK;
    u->first = u->count = 0;
    u->ring = NULL;
    u->positions = NULL;
    if (ahead && frame_is_sparse(frame))
        openings_init_far(
            &u->openings, f->grid,
            frame_chunks_within(frame, f->grid->context->ahead, frame_manner(frame)->requests));
    else
        openings_init(&u->openings, f->grid, ahead ? 1 : threads);
    u->openings.progress = progress;
    const bool keeps = !f->reader->stand, far = frame_manner(frame)->far;
    u->most = u->openings.most;
    if (ahead && u->most == 0)
        u->most = keeps ? MOST_POSITIONS : far ? MOST_FAR : MOST_NEAR;
    if (u->most == 0)
        return TESS_OK;
    u->most = (int)min_i64(u->most, max_i64(f->grid->g.nchunks, 1));
    u->ring = mem_alloc((size_t)u->most * sizeof *u->ring + (far ? 0 : UNUSED));
    if (keeps)
        u->positions = mem_alloc((size_t)u->most * position_stride(u));
    return u->ring && (u->positions || !keeps)
               ? TESS_OK
               : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

void
upcoming_finish(struct upcoming *u)
{
    openings_finish(&u->openings);
    for (; u->ring && u->count > 0; u->count--, u->first = (u->first + 1) % u->most)
        io_want_release(u->ring[u->first].front);
    mem_free(u->ring);
    mem_free(u->positions);
    u->ring = NULL;
    u->positions = NULL;
}

// Want the first bytes of a chunk that is not open.
static tess_status
want_front(struct upcoming *u, struct announced *c, tess_error *err)
{
    const struct chunk_grid *const grid = u->f->grid;
    struct stored_front front;
    struct open_chunk *const open = open_chunks_find(grid, c->n);
    open_chunk_release(open);
    if (open || !stored_chunk_front(grid->frame, c->n, (int32_t)grid->g.nblocks, c->all, &front))
        return TESS_OK;
    c->front = io_want_new(u->ahead);
    if (!c->front)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
    return io_want_add(c->front, front.io, front.position, (size_t)front.size, NULL, err);
}

static void
open_ahead(void *opening, bool over)
{
    if (!over)
        opening_work(opening);
    opening_release(opening);
}

// In a directory: have a thread of the job open it, if it is not open.
static tess_status
open_part(struct upcoming *u, const struct announced *c, tess_error *err)
{
    struct opening *o;
    const tess_status st = openings_announce(&u->openings, c->n, c->all, &o, err);
    if (st != TESS_OK)
        return st;
    struct open_chunk *const open = open_chunks_find(u->f->grid, c->n);
    if (open)
        opening_skip(o, open);
    else if (!io_ahead_call(u->ahead, open_ahead, o))
        opening_leave(o); // upcoming_next() opens it
    return TESS_OK;
}

tess_status
upcoming_announce(struct upcoming *u, bool *announced, struct opening **opening, tess_error *err)
{
    *announced = false;
    *opening = NULL;
    if (u->count == u->most || !u->more || u->after == FETCH_OTHER)
        return TESS_OK;
    const int i = (u->first + u->count) % u->most;
    struct announced *const c = &u->ring[i];
    void *const at = u->positions ? position_of(u, i) : u->other;
    c->all = false;
    c->front = NULL;
    u->after = u->f->reader->next_chunk(u->f->self, at, &c->n, &c->all);
    u->more = u->after != FETCH_NOTHING;
    if (u->after == FETCH_OTHER && u->positions)
        memcpy(u->other, at, u->f->reader->position_size);
    if (u->after != FETCH_CHUNK)
        return TESS_OK;
    *announced = true;
    u->count++;
    if (!u->ahead)
        return openings_announce(&u->openings, c->n, c->all, opening, err);
    return u->openings.most > 0 ? open_part(u, c, err) : want_front(u, c, err);
}

const void *
upcoming_peek(const struct upcoming *u)
{
    return u->count > 0 && u->positions ? position_of(u, u->first) : NULL;
}

bool
upcoming_is_ready(const struct upcoming *u)
{
    if (u->count == 0)
        return true;
    const struct announced *const c = &u->ring[u->first];
    return u->openings.most > 0 ? openings_is_ready(&u->openings)
                                : !c->front || io_want_is_ready(c->front);
}

// The chunk that was announced first.
static tess_status
take_announced(struct upcoming *u, void *chunk, struct open_chunk **open, struct io_want **front,
               tess_error *err)
{
    const struct announced *const c = &u->ring[u->first];
    if (u->positions)
        memcpy(chunk, position_of(u, u->first), u->f->reader->position_size);
    else
        u->f->reader->stand(u->f->self, chunk, c->n);
    u->first = (u->first + 1) % u->most;
    u->count--;
    *front = c->front;
    return u->openings.most > 0
               ? openings_take(&u->openings, open, err)
               : open_chunks_get(u->f->grid, c->n, c->all, c->front, u->progress, open, err);
}

void
upcoming_skip(struct upcoming *u)
{
    struct open_chunk *open = NULL;
    io_want_release(u->ring[u->first].front);
    if (u->openings.most > 0)
        (void)openings_take(&u->openings, &open, NULL); // nobody needs it
    open_chunk_release(open);
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
    if (st == TESS_OK && *open && u->ahead)
        find_expected(u, *open, front);
    return st;
}
