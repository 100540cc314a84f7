/*
 * gather.c - chosen items of an array into memory.
 *
 * The sink of the engine (grid/read/fetch.h) whose chunks and blocks are those that a selection
 * meets. Each block is decoded once, as far as the last item that is chosen.
 *
 * Not here: what is chosen (selection.c), items out of a block (pick_copy.c, mask_copy.c).
 */
#include "select/gather.h"

#include "base/checked.h"
#include "chunk/cursor.h"
#include "chunk/decode.h"
#include "grid/grid.h"
#include "grid/read/fetch.h"
#include "select/pick_copy.h"
#include "select/selection.h"

struct gather_job {
    const struct selection *s;
    uint8_t *dst;
    bool more;
    struct part chunk; // the next one
};

// A position on a chunk is the first of these.
struct gather_block {
    struct part chunk, block;
};

_Static_assert(sizeof(struct gather_block) <= FETCH_POSITION_SIZE, "a position must fit");

static enum fetch_next
gather_next_chunk(void *self, void *chunk, int64_t *n, bool *all)
{
    struct gather_job *const job = self;
    if (!job->more)
        return FETCH_NOTHING;
    *(struct part *)chunk = job->chunk;
    *n = job->chunk.n;
    *all = false;
    job->more = selection_chunk(job->s, job->chunk.n + 1, &job->chunk);
    return FETCH_CHUNK;
}

static void
gather_begin_blocks(const void *self, const void *chunk, void *block)
{
    const struct gather_job *const job = self;
    struct gather_block *const b = block;
    b->chunk = *(const struct part *)chunk;
    selection_block(job->s, &b->chunk, 0, &b->block);
}

static bool
gather_next_block(const void *self, void *block)
{
    const struct gather_job *const job = self;
    struct gather_block *const b = block;
    return selection_block(job->s, &b->chunk, b->block.n + 1, &b->block);
}

static int32_t
gather_number(const void *block)
{
    return (int32_t)((const struct gather_block *)block)->block.n;
}

static struct block_need
gather_need(const void *self, const void *block, bool *whole)
{
    const struct gather_job *const job = self;
    const struct part *const part = &((const struct gather_block *)block)->block;
    *whole = false;
    if (job->s->kind->need)
        return job->s->kind->need(job->s, part, whole);
    const struct reach reach = selection_reach(job->s, part);
    return take_need(&job->s->grid->g, &reach);
}

static tess_status
gather_take(void *self, void *tally, const void *block, const struct decoded *items, bool equal,
            tess_error *err)
{
    const struct gather_job *const job = self;
    const struct part *const part = &((const struct gather_block *)block)->block;
    const struct selection_kind *const kind = job->s->kind;
    struct picks p;
    (void)tally;
    (void)equal;
    (void)err;
    if (kind->gather && kind->gather(job->s, part, items, job->dst))
        return TESS_OK;
    picks_begin(&p, job->s, part);
    while (picks_next(&p))
        take_picks(items, (size_t)job->s->grid->g.typesize, p.list, p.n, job->dst);
    return TESS_OK;
}

static tess_status
gather_take_equal(void *self, void *tally, const void *chunk, const uint8_t *item, tess_error *err)
{
    const struct gather_job *const job = self;
    struct part block;
    struct picks p;
    (void)tally;
    (void)err;
    for (bool more = selection_block(job->s, chunk, 0, &block); more;
         more = selection_block(job->s, chunk, block.n + 1, &block)) {
        picks_begin(&p, job->s, &block);
        while (picks_next(&p))
            repeat_picks(item, (size_t)job->s->grid->g.typesize, p.list, p.n, job->dst);
    }
    return TESS_OK;
}

static tess_status
gather_take_in_order(void *self, const void *chunk, struct chunk_cursor *items, tess_error *err)
{
    const struct gather_job *const job = self;
    const int64_t typesize = job->s->grid->g.typesize;
    struct part block;
    struct picks p;
    selection_block(job->s, chunk, 0, &block); // the only one
    picks_begin(&p, job->s, &block);
    while (picks_next(&p))
        for (int64_t i = 0; i < p.n; i++) {
            const struct pick *const pick = &p.list[i];
            const tess_status st =
                cursor_read(items, (int32_t)(pick->item * typesize), job->dst + pick->at * typesize,
                            (size_t)(pick->length * typesize), err);
            if (st != TESS_OK)
                return st;
        }
    return TESS_OK;
}

// Blocks; a chunk that is read as a whole counts as one.
static int64_t
gather_weight(const void *self, const void *position, int32_t nblocks)
{
    (void)self;
    (void)position;
    return max_i64(nblocks, 1);
}

tess_status
selection_read(const struct selection *s, uint8_t *dst, struct watch *watch, tess_error *err)
{
    static const struct fetch_reader reader = {
        .position_size = sizeof(struct gather_block),
        .next_chunk = gather_next_chunk,
        .begin_blocks = gather_begin_blocks,
        .next_block = gather_next_block,
        .number = gather_number,
        .need = gather_need,
        .take = gather_take,
        .take_equal = gather_take_equal,
        .take_in_order = gather_take_in_order,
        .weight = gather_weight,
    };
    struct gather_job job = {.s = s, .dst = dst};
    struct fetch fetch = {
        .grid = s->grid, .reader = &reader, .self = &job, .weight = s->nblocks, .watch = watch};

    if (!mul_i64(s->nblocks, s->grid->g.blocksize, &fetch.nbytes))
        fetch.nbytes = INT64_MAX;
    job.more = selection_chunk(s, 0, &job.chunk);
    return fetch_run(&fetch, err);
}
