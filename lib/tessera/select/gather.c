/*
 * gather.c - chosen items of an array into memory, and memory into chosen items.
 *
 * To read, this is the sink of the engine (grid/read/fetch.h) whose chunks and blocks are those
 * that a selection meets. Each block is decoded once, as far as the last item that is chosen.
 *
 * To write, it is a source of edits: blocks of which nothing is chosen are kept; the others are
 * overlaid. An item that is chosen more than once gets the value given last: the picks of a block
 * come in that order. Or items are added to those that are there (add.c).
 *
 * Not here: what is chosen (selection.c), items out of a block (block_copy.c).
 */
#include "select/gather.h"

#include "base/checked.h"
#include "chunk/content.h"
#include "chunk/decode.h"
#include "grid/grid.h"
#include "grid/read/fetch.h"
#include "grid/write/store.h"
#include "grid/write/write_back.h"
#include "select/private.h"

#include <assert.h>
#include <string.h>

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

// -- memory into chosen items of an array, as a source of edits

struct chosen_source {
    const struct selection *s;
    struct given given;
    struct part chunk; // the next one
    bool more;
};

static bool
scatter_next(void *cursor, struct edit *e)
{
    struct chosen_source *const c = cursor;
    if (!c->more)
        return false;
    e->n = c->chunk.n;
    e->whole = false;
    memcpy(e->lo, c->chunk.first, sizeof e->lo);
    memcpy(e->hi, c->chunk.stop, sizeof e->hi);
    c->more = selection_chunk(c->s, c->chunk.n + 1, &c->chunk);
    return true;
}

// The first block from `nblock` on.
static bool
scatter_find_block(const struct chosen_source *c, const struct edit *e, int32_t nblock,
                   struct part *block)
{
    struct part chunk = {.n = e->n};
    memcpy(chunk.first, e->lo, sizeof chunk.first);
    memcpy(chunk.stop, e->hi, sizeof chunk.stop);
    return selection_block(c->s, &chunk, nblock, block);
}

static int32_t
scatter_touched(const void *from, const struct edit *e, int32_t nblock, bool *replaced)
{
    const struct chosen_source *const c = from;
    struct part block;
    const bool found = scatter_find_block(c, e, nblock, &block);
    *replaced = found && selection_fills_block(c->s, &block);
    return (int32_t)(found ? block.n : c->s->grid->g.nblocks);
}

static tess_status
scatter_fill(const void *from, const struct edit *e, int32_t nblock, uint8_t *items,
             tess_error *err)
{
    const struct chosen_source *const c = from;
    struct part block;
    struct picks p;
    const bool found = scatter_find_block(c, e, nblock, &block);

    assert(found && block.n == nblock);
    (void)found;
    if (c->given.add)
        return add_picks(c->given.add, c->s, &block, items, err);
    if (c->s->kind->scatter) {
        c->s->kind->scatter(c->s, &block, items, c->given.src, c->given.same);
        return TESS_OK;
    }
    picks_begin(&p, c->s, &block);
    while (picks_next(&p))
        give_picks(items, (size_t)c->s->grid->g.typesize, p.list, p.n, c->given.src);
    return TESS_OK;
}

static void
scatter_unfill(const void *from, const struct edit *e, int32_t nblock, uint8_t *items)
{
    const struct chosen_source *const c = from;
    struct part block;
    if (scatter_find_block(c, e, nblock, &block))
        subtract_picks(c->given.add, c->s, &block, items);
}

// The item that all picks of the chunk bring.
static const uint8_t *
scatter_constant(const void *from, const struct edit *e)
{
    const struct chosen_source *const c = from;
    const struct geometry *const g = &c->s->grid->g;
    const size_t size = (size_t)g->typesize;
    const uint8_t *item = NULL;
    struct part block = {.n = -1};
    struct picks p;

    if (c->given.add)
        return NULL;
    if (c->given.same || c->s->kind->scatter) // picks of these may be very many
        return c->given.same ? c->given.src : NULL;
    while (block.n + 1 < g->nblocks && scatter_find_block(c, e, (int32_t)block.n + 1, &block)) {
        picks_begin(&p, c->s, &block);
        while (picks_next(&p))
            for (int64_t i = 0; i < p.n; i++) {
                const uint8_t *const src = c->given.src + p.list[i].at * g->typesize;
                item = item ? item : src;
                if (memcmp(item, src, size) != 0 ||
                    memcmp(src, src + size, (size_t)(p.list[i].length - 1) * size) != 0)
                    return NULL;
            }
    }
    return item;
}

static int64_t
nbytes_of_selection(const struct selection *s)
{
    int64_t nbytes;
    return mul_i64(s->nblocks, s->grid->g.blocksize, &nbytes) ? nbytes : INT64_MAX;
}

static int64_t
most_chunks(const struct selection *s)
{
    return min_i64(s->nblocks, s->grid->g.nchunks);
}

static struct edit_source
source_of_given(struct chosen_source *c, const struct selection *s, const struct given *given)
{
    *c = (struct chosen_source){.s = s, .given = *given};
    c->more = selection_chunk(s, 0, &c->chunk);
    return (struct edit_source){
        .from = c,
        .cursor = c,
        .next = scatter_next,
        .touched = scatter_touched,
        .fill = scatter_fill,
        .unfill = given->add ? scatter_unfill : NULL,
        .constant = scatter_constant,
        .nbytes = nbytes_of_selection(s),
        .nchunks = most_chunks(s),
    };
}

tess_status
selection_write(struct chunk_grid *grid, const struct selection *s, const struct given *given,
                struct frame_staged *staged, struct watch *watch, tess_error *err)
{
    struct chosen_source c;
    struct edit_source source = source_of_given(&c, s, given);
    source.watch = watch;
    source.staged = staged;
    return store_edits(grid, &source, err);
}

int64_t
selection_waiting_size(const struct selection *s, int64_t nitems)
{
    const int64_t nbytes = nbytes_of_selection(s);
    return write_back_wants_edits(s->grid, nbytes, most_chunks(s), nitems) ? nbytes : 0;
}

tess_status
selection_write_cached(struct chunk_grid *grid, const struct selection *s,
                       const struct given *given, tess_error *err)
{
    struct chosen_source c;
    const struct edit_source source = source_of_given(&c, s, given);
    return write_back_edits(grid, &source, err);
}
