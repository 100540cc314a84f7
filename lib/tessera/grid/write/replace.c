/*
 * replace.c - blocks that are there decoded take the place of stored ones.
 */
#include "grid/write/store.h"

#include "base/checked.h"
#include "geom/shape.h"
#include "ndcopy/ndcopy.h"

#include <string.h>

struct new_source {
    const struct chunk_grid *grid;
    const struct new_block *blocks;
    size_t n;
    size_t at; // the first of the next chunk
};

// What of a chunk is inside the array, along each axis.
static void
chunk_inside(const struct geometry *g, int64_t chunk, int64_t *inside)
{
    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t origin = chunk % g->grid[i] * g->chunkshape[i];
        chunk /= g->grid[i];
        inside[i] = min_i64(g->chunkshape[i], g->shape[i] - origin);
    }
}

// Whether all items of a block that are inside the array equal `item`.
static bool
block_is(const struct geometry *g, const struct new_block *b, const int64_t *inside,
         const uint8_t *item)
{
    int64_t extent[NDIM_MAX], stride[NDIM_MAX];
    int64_t rest = b->block;
    for (int i = g->ndim - 1; i >= 0; i--) {
        const int64_t origin = rest % g->bgrid[i] * g->blockshape[i];
        rest /= g->bgrid[i];
        extent[i] = min_i64(g->blockshape[i], inside[i] - origin);
    }
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    return memcmp(b->items, item, (size_t)g->typesize) == 0 &&
           ndconstant(g->ndim, extent, g->typesize, b->items, stride);
}

// The item that the blocks of an edit are again and again.
static const uint8_t *
replace_constant(const void *from, const struct edit *e)
{
    const struct new_source *const d = from;
    const struct new_block *const blocks = d->blocks + e->first;
    const int64_t n = e->last - e->first;
    int64_t inside[NDIM_MAX];

    chunk_inside(&d->grid->g, e->n, inside);
    for (int64_t i = 0; i < n; i++)
        if (!block_is(&d->grid->g, &blocks[i], inside, blocks[0].items))
            return NULL;
    return blocks[0].items;
}

// Whether n blocks are all that a chunk has inside the array.
static bool
replace_is_whole(const struct geometry *g, int64_t chunk, int64_t n)
{
    int64_t inside[NDIM_MAX];
    int64_t all = 1;
    chunk_inside(g, chunk, inside);
    for (int i = 0; i < g->ndim; i++)
        all *= ceil_div(inside[i], g->blockshape[i]);
    return n == all;
}

static bool
next_edit(void *cursor, struct edit *e)
{
    struct new_source *const d = cursor;
    const size_t first = d->at;
    if (first == d->n)
        return false;
    e->n = d->blocks[first].chunk;
    while (d->at < d->n && d->blocks[d->at].chunk == e->n)
        d->at++;
    e->first = (int64_t)first;
    e->last = (int64_t)d->at;
    e->whole = replace_is_whole(&d->grid->g, e->n, (int64_t)(d->at - first));
    return true;
}

// The first of the blocks of the edit's chunk from `nblock` on, by its place in the list.
static size_t
replace_find(const struct new_source *d, const struct edit *e, int32_t nblock)
{
    size_t low = (size_t)e->first, high = (size_t)e->last;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (d->blocks[middle].block < nblock)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int32_t
replace_touched(const void *from, const struct edit *e, int32_t nblock, bool *replaced)
{
    const struct new_source *const d = from;
    const size_t i = replace_find(d, e, nblock);
    *replaced = true;
    return i < (size_t)e->last ? d->blocks[i].block : (int32_t)d->grid->g.nblocks;
}

static tess_status
replace_fill(const void *from, const struct edit *e, int32_t nblock, uint8_t *items,
             tess_error *err)
{
    const struct new_source *const d = from;
    (void)err;
    memcpy(items, d->blocks[replace_find(d, e, nblock)].items, (size_t)d->grid->g.blocksize);
    return TESS_OK;
}

tess_status
replace_blocks(struct chunk_grid *grid, const struct new_block *blocks, size_t n,
               struct frame_staged *staged, bool from_cache, struct watch *watch, tess_error *err)
{
    struct new_source d = {.grid = grid, .blocks = blocks, .n = n};
    struct edit_source source = {
        .from = &d,
        .cursor = &d,
        .next = next_edit,
        .touched = replace_touched,
        .fill = replace_fill,
        .constant = replace_constant,
        .nbytes = (int64_t)n * grid->g.blocksize,
        .watch = watch,
        .staged = staged,
        .from_cache = from_cache,
    };
    for (size_t i = 0; i < n; i++)
        source.nchunks += i == 0 || blocks[i].chunk != blocks[i - 1].chunk;
    return store_edits(grid, &source, err);
}
