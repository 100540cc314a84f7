/*
 * scatter.c - memory into chosen items of an array, as a source of edits.
 *
 * Blocks of which nothing is chosen are kept; the others are overlaid. An item that is chosen more
 * than once gets the value given last: the picks of a block come in that order. Or items are added
 * to those that are there (add.h).
 */
#include "select/scatter.h"

#include "base/checked.h"
#include "grid/write/store.h"
#include "grid/write/write_back.h"
#include "select/add.h"
#include "select/mask_copy.h"
#include "select/orthogonal.h"
#include "select/pick_copy.h"
#include "select/points.h"
#include "select/selection.h"

#include <assert.h>
#include <string.h>

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
nbytes_of(const struct selection *s)
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
source_of(struct chosen_source *c, const struct selection *s, const struct given *given)
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
        .nbytes = nbytes_of(s),
        .nchunks = most_chunks(s),
    };
}

tess_status
selection_write(struct chunk_grid *grid, const struct selection *s, const struct given *given,
                struct frame_staged *staged, struct watch *watch, tess_error *err)
{
    struct chosen_source c;
    struct edit_source source = source_of(&c, s, given);
    source.watch = watch;
    source.staged = staged;
    return store_edits(grid, &source, err);
}

int64_t
selection_waiting_size(const struct selection *s, int64_t nitems)
{
    const int64_t nbytes = nbytes_of(s);
    return write_back_wants_edits(s->grid, nbytes, most_chunks(s), nitems) ? nbytes : 0;
}

tess_status
selection_write_cached(struct chunk_grid *grid, const struct selection *s,
                       const struct given *given, tess_error *err)
{
    struct chosen_source c;
    const struct edit_source source = source_of(&c, s, given);
    return write_back_edits(grid, &source, err);
}
