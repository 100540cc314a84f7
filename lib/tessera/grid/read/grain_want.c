/*
 * grain_want.c - the stored bytes of a grain, wanted before it is worked on.
 */
#include "grid/read/grain_want.h"

#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "grid/open_chunk.h"
#include "io/ahead.h"

#include <string.h>

// The ranges of a grain: of blocks one after the other, or of the whole chunk.
struct ranges {
    const struct fetch *f;
    const struct grain *g;
    int32_t left;
    bool of_blocks;
    _Alignas(max_align_t) fetch_position at;
};

static void
ranges_begin(struct ranges *r, const struct fetch *f, const struct grain *g)
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
has_all(const struct io_want *w, const struct fetch *f, const struct grain *g)
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
want_range(struct grain *g, struct io_ahead *ahead, const struct io_want *front, int64_t position,
           size_t size, tess_error *err)
{
    if (!g->want)
        g->want = io_want_new(ahead);
    return g->want ? io_want_add(g->want, g->open->stored.io, position, size, front, err)
                   : err_set(err, TESS_ERR_NOMEM, -1, "no memory to read ahead");
}

tess_status
grain_want(struct grain *g, const struct fetch *f, struct io_ahead *ahead, struct io_want *front,
           tess_error *err)
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
