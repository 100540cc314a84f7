/*
 * hold.c - blocks that a small write touches, decoded in the cache and pinned until their items are
 * copied.
 */
#include "grid/write/private.h"

#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "grid/cost.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "task/task.h"

#include <inttypes.h>
#include <string.h>

struct hold_grain {
    struct open_chunk *open; // held
    struct held_block *block;
};

// The block the step stands on, which is not in the cache.
static tess_status
hold_reserve(const struct hold *h, struct held_block *held, tess_error *err)
{
    const struct chunk_grid *const grid = h->grid;
    held->b = cache_reserve(grid->cache, h->chunk, h->block);
    if (!held->b)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                       grid->g.blocksize);
    return TESS_OK;
}

// Open the chunk the step stands on.
static tess_status
hold_enter_chunk(struct hold *h, tess_error *err)
{
    if (h->open && h->open->n == h->chunk)
        return TESS_OK;
    open_chunk_release(h->open);
    h->open = NULL;
    return open_chunks_get(h->grid, h->chunk, false, NULL, NULL, &h->open, err);
}

// Blocks that are at hand need no work.
static tess_status
hold_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct hold *const h = arg;
    while (h->step(h)) {
        struct held_block *const held = &h->blocks[h->n++];
        held->b = cache_find(h->grid->cache, h->chunk, h->block);
        held->found = held->b != NULL;
        tess_status st =
            held->found ? TESS_OK : hold_enter_chunk(h, err); // also one that is not decoded
        if (st == TESS_OK && !held->found)
            st = hold_reserve(h, held, err);
        if (st != TESS_OK)
            return st;
        if (!held->found && !h->replaced) {
            *(struct hold_grain *)grain = (struct hold_grain){h->open, held};
            open_chunk_hold(h->open);
            return TESS_OK;
        }
    }
    *more = false;
    return TESS_OK;
}

static tess_status
hold_work(void *arg, void *grain, tess_error *err)
{
    const struct hold *const h = arg;
    const struct hold_grain *const g = grain;
    struct chunk_scratch *const s = pool_take(h->grid->pool);
    const tess_status st =
        s ? open_chunk_block(h->grid, g->open, g->block->b->block, g->block->b->items, s, err)
          : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(h->grid->pool, s);
    if (st == TESS_OK) {
        g->block->b = cache_add(h->grid->cache, g->block->b);
        g->block->found = true;
    }
    return st;
}

static void
hold_drop(void *arg, void *grain)
{
    (void)arg;
    open_chunk_release(((struct hold_grain *)grain)->open);
}

tess_status
hold_blocks(struct hold *h, int64_t nbytes, tess_error *err)
{
    static const struct task task = {.next = hold_next,
                                     .work = hold_work,
                                     .drop = hold_drop,
                                     .grain_size = sizeof(struct hold_grain)};
    const struct chunk_grid *const grid = h->grid;
    const struct task_width width =
        chunk_grid_width(grid, cost_decode(grid->encoder.codec, nbytes), NULL);

    h->blocks = mem_zeroed((size_t)(nbytes / grid->g.blocksize), sizeof *h->blocks);
    const tess_status st = h->blocks ? task_run(&task, h, &width, err)
                                     : err_set(err, TESS_ERR_NOMEM, -1, "no memory for blocks");
    open_chunk_release(h->open);
    h->open = NULL;
    return st;
}

void
hold_release(struct hold *h)
{
    for (size_t i = 0; i < h->n; i++) {
        if (h->blocks[i].found)
            cache_unpin(h->blocks[i].b);
        else if (h->blocks[i].b)
            cache_drop(h->grid->cache, h->blocks[i].b);
    }
    mem_free(h->blocks);
    h->blocks = NULL;
    h->n = 0;
}

void
hold_show(const struct chunk_grid *grid, struct held_block *held)
{
    struct cached *const own = held->b;
    struct cached *const other = cache_find(grid->cache, own->chunk, own->block);
    if (other) {
        memcpy(other->items, own->items, (size_t)grid->g.blocksize);
        cache_drop(grid->cache, own);
    }
    held->b = other ? other : cache_add(grid->cache, own);
    held->found = true;
}
