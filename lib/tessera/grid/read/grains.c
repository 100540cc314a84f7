/*
 * grains.c - the parts of a job that a thread works on, made in order, and the stored bytes of
 * each.
 */
#include "grid/read/private.h"

#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "grid/blocks.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "io/ahead.h"
#include "task/gate.h"
#include "task/task.h"

#include <string.h>

_Static_assert(sizeof(struct fetch_grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

void
grain_maker_init(struct grain_maker *m, const struct fetch *f, struct upcoming *upcoming,
                 const struct io_progress *progress)
{
    m->f = f;
    m->run = blocks_run_length(f->nbytes, (int32_t)max_i64(f->grid->g.blocksize, 1));
    m->upcoming = upcoming;
    m->progress = progress;
    m->gate = f->outside ? NULL : f->grid->gate;
    m->begun = m->more_blocks = false;
    m->open = NULL;
    m->front = NULL;
}

void
grain_maker_leave_chunk(struct grain_maker *m)
{
    io_want_release(m->front); // its io may be that of the chunk
    open_chunk_release(m->open);
    m->front = NULL;
    m->open = NULL;
}

void
grain_init(struct fetch_grain *g)
{
    g->open = NULL;
    g->want = NULL;
    g->kept = 0;
    g->nblocks = 0;
    memset(g->tally, 0, sizeof g->tally);
}

void
grain_drop(const struct grain_maker *m, struct fetch_grain *g)
{
    if (g->kind == GRAIN_READING)
        return;
    if (g->kind == GRAIN_OPENING) {
        opening_release(g->opening);
        return;
    }
    io_want_release(g->want);
    open_chunk_release(g->open);
    if (m->f->reader->drop)
        m->f->reader->drop(m->f->self, g->tally);
}

// Stand on the next chunk and open it.
static tess_status
enter_next_chunk(struct grain_maker *m, enum fetch_next *next, tess_error *err)
{
    const struct fetch *const f = m->f;
    int64_t n;
    bool all;
    grain_maker_leave_chunk(m);
    m->begun = true;
    if (m->upcoming)
        return upcoming_next(m->upcoming, m->chunk, next, &m->open, &m->front, err);
    *next = f->reader->next_chunk(f->self, m->chunk, &n, &all);
    return *next == FETCH_CHUNK ? open_chunks_get(f->grid, n, all, NULL, m->progress, &m->open, err)
                                : TESS_OK;
}

static enum grain_kind
kind_of_chunk(const struct grain_maker *m)
{
    const struct chunk_grid *const grid = m->f->grid;
    const bool special = m->open->kind == OPEN_SPECIAL && !grid->plain;
    if (special && m->f->reader->take_equal && cache_dirty_size(grid->cache) == 0)
        return GRAIN_EQUAL;
    return grid->plain || grid->linear ? GRAIN_IN_ORDER : GRAIN_BLOCKS;
}

static void
hand_out_chunk(const struct grain_maker *m, struct fetch_grain *g, enum grain_kind kind)
{
    g->kind = kind;
    g->open = m->open;
    if (g->open)
        open_chunk_hold(g->open);
    memcpy(g->at, m->chunk, m->f->reader->position_size);
}

static void
hand_out_blocks(struct grain_maker *m, struct fetch_grain *g)
{
    const struct fetch_reader *const r = m->f->reader;
    const enum open_kind kind = m->open->kind;
    const bool at_once = kind == OPEN_BYTES || (kind == OPEN_SPECIAL && r->take_equal);
    const int32_t most = at_once ? INT32_MAX : m->run;
    g->kind = GRAIN_BLOCKS;
    g->open = m->open;
    open_chunk_hold(g->open);
    memcpy(g->at, m->block, r->position_size);
    for (g->nblocks = 0; m->more_blocks && g->nblocks < most; g->nblocks++)
        m->more_blocks = r->next_block(m->f->self, m->block);
}

tess_status
grain_make(struct grain_maker *m, struct fetch_grain *g, bool *more, tess_error *err)
{
    const struct fetch_reader *const r = m->f->reader;
    enum fetch_next next;
    const bool is_first = !m->more_blocks;
    if (is_first) {
        const tess_status st = enter_next_chunk(m, &next, err);
        if (st != TESS_OK)
            return st;
        *more = next != FETCH_NOTHING;
        if (next == FETCH_OTHER)
            hand_out_chunk(m, g, GRAIN_OTHER);
        if (next != FETCH_CHUNK)
            return TESS_OK;
        const enum grain_kind kind = kind_of_chunk(m);
        if (kind != GRAIN_BLOCKS) {
            hand_out_chunk(m, g, kind);
            g->kept = open_chunk_kept(g->open);
            return TESS_OK;
        }
        r->begin_blocks(m->f->self, m->chunk, m->block);
        m->more_blocks = true;
    }
    hand_out_blocks(m, g);
    g->kept = is_first ? open_chunk_kept(g->open) : 0;
    return TESS_OK;
}

bool
grain_maker_has_to_pause(const struct grain_maker *m)
{
    return gate_is_wanted(m->gate) && m->begun && !m->more_blocks &&
           !(m->upcoming && m->upcoming->count > 0);
}

// -- the stored bytes of a grain

// The ranges of a grain: of blocks one after the other, or of the whole chunk.
struct ranges {
    const struct fetch *f;
    const struct fetch_grain *g;
    int32_t left;
    bool of_blocks;
    _Alignas(max_align_t) fetch_position at;
};

static void
ranges_begin(struct ranges *r, const struct fetch *f, const struct fetch_grain *g)
{
    r->f = f;
    r->g = g;
    r->of_blocks = g->kind == GRAIN_BLOCKS && g->open->kind != OPEN_BYTES;
    r->left = r->of_blocks ? g->nblocks : 1;
    memcpy(r->at, g->at, f->reader->position_size);
}

// The range of the next block that is not in the cache. False: there is none.
static bool
next_block_range(struct ranges *r, struct span *span)
{
    const struct fetch_reader *const reader = r->f->reader;
    bool found = false;
    while (r->left > 0 && !found) {
        const int32_t nblock = reader->number(r->at);
        struct cached *const cached =
            r->f->missing ? NULL : cache_find(r->f->grid->cache, r->g->open->n, nblock);
        found = !cached;
        cache_unpin(cached);
        if (found)
            *span = open_chunk_span(r->f->grid, r->g->open, nblock);
        if (--r->left > 0)
            reader->next_block(r->f->self, r->at);
    }
    return found;
}

static bool
ranges_next(struct ranges *r, int64_t *position, size_t *size)
{
    const struct stored_chunk *const sc = &r->g->open->stored;
    struct span span = {0, sc->chunk.h.cbytes};
    if (r->of_blocks ? !next_block_range(r, &span) : r->left-- == 0)
        return false;
    *position = sc->position + span.start;
    *size = (size_t)max_i64(span.stop - span.start, 0);
    return true;
}

// Whether all of them are part of a want.
static bool
has_all(const struct io_want *w, const struct fetch *f, const struct fetch_grain *g)
{
    struct ranges r;
    int64_t position;
    size_t size;
    bool has = true;
    for (ranges_begin(&r, f, g); has && ranges_next(&r, &position, &size);)
        has = io_want_reach(w, g->open->stored.io, position) >= size;
    return has;
}

static tess_status
want_range(struct fetch_grain *g, struct io_ahead *ahead, const struct io_want *front,
           int64_t position, size_t size, tess_error *err)
{
    if (!g->want)
        g->want = io_want_new(ahead);
    return g->want ? io_want_add(g->want, g->open->stored.io, position, size, front, err)
                   : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

tess_status
grain_want(struct fetch_grain *g, const struct fetch *f, struct io_ahead *ahead,
           struct io_want *front, tess_error *err)
{
    const struct open_chunk *const v = g->open;
    const bool stored = v && v->kind != OPEN_SPECIAL && !v->stored.whole;
    struct ranges r;
    int64_t position;
    size_t size;
    if (!stored || (g->kind != GRAIN_BLOCKS && g->kind != GRAIN_IN_ORDER))
        return TESS_OK;
    if (!g->want && front && has_all(front, f, g)) {
        io_want_hold(front);
        g->want = front;
        return TESS_OK;
    }
    tess_status st = TESS_OK;
    for (ranges_begin(&r, f, g); st == TESS_OK && ranges_next(&r, &position, &size);)
        st = want_range(g, ahead, front, position, size, err);
    return st;
}
