/*
 * grains.c - the parts of a job that a thread works on, made in order.
 */
#include "grid/read/grains.h"

#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "grid/blocks.h"
#include "grid/open_chunk.h"
#include "grid/read/prefetch.h"
#include "io/ahead.h"
#include "task/gate.h"
#include "task/task.h"

#include <string.h>

_Static_assert(sizeof(struct grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

tess_status
grain_maker_init(struct grain_maker *m, const struct fetch *f, int threads, struct io_ahead *ahead,
                 const struct io_progress *progress, tess_error *err)
{
    m->f = f;
    m->run = blocks_run_length(f->nbytes, (int32_t)max_i64(f->grid->g.blocksize, 1));
    m->gate = f->outside ? NULL : f->grid->gate;
    m->begun = m->more_blocks = false;
    m->open = NULL;
    m->front = NULL;
    return upcoming_init(&m->upcoming, f, threads, ahead, progress, err);
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
grain_maker_finish(struct grain_maker *m)
{
    grain_maker_leave_chunk(m);
    upcoming_finish(&m->upcoming);
}

void
grain_init(struct grain *g)
{
    g->open = NULL;
    g->want = NULL;
    g->kept = 0;
    g->nblocks = 0;
    memset(g->tally, 0, sizeof g->tally);
}

void
grain_drop(const struct grain_maker *m, struct grain *g)
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
    grain_maker_leave_chunk(m);
    m->begun = true;
    return upcoming_next(&m->upcoming, m->chunk, next, &m->open, &m->front, err);
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
hand_out_chunk(const struct grain_maker *m, struct grain *g, enum grain_kind kind)
{
    g->kind = kind;
    g->open = m->open;
    if (g->open)
        open_chunk_hold(g->open);
    memcpy(g->at, m->chunk, m->f->reader->position_size);
}

static void
hand_out_blocks(struct grain_maker *m, struct grain *g)
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
grain_make(struct grain_maker *m, struct grain *g, bool *more, tess_error *err)
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
    return gate_is_wanted(m->gate) && m->begun && !m->more_blocks && m->upcoming.count == 0;
}
