/*
 * cached_read.c - a box whose blocks are all in the cache.
 */
#include "grid/read/cached_read.h"

#include "cache/cache.h"
#include "chunk/decode.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/converted.h"
#include "grid/place.h"
#include "task/gate.h"

enum { BLOCKS_MAX = 64 };

static uint8_t *
cached_read_at(const struct strided *dst, int ndim, const int64_t *chunk, const int64_t *block)
{
    int64_t offset = 0;
    for (int i = 0; i < ndim; i++)
        offset += (chunk[i] + block[i]) * dst->stride[i];
    return dst->items + offset;
}

// false: an item does not fit, about which the engine says more.
static bool
cached_read_place(const struct geometry *g, const struct decoded *block, const struct walk *w,
                  const struct strided *dst, uint8_t *at)
{
    if (dst->as)
        return place_converted(g, block, w, dst->as->how, at, dst->stride) == walk_nitems(w);
    place_block(g, block, w, at, dst->stride);
    return true;
}

// The part of the box in one chunk; *n counts blocks.
static bool
cached_read_read_chunk(const struct chunk_grid *grid, const struct walk *chunk,
                       const struct strided *dst, int64_t *n)
{
    const struct geometry *const g = &grid->g;
    struct walk w;
    for (bool more =
             walk_begin(&w, g->ndim, g->blockshape, g->bgrid, chunk->lo, chunk->hi, chunk->step);
         more; more = walk_next(&w)) {
        struct cached *const found = cache_find(grid->cache, chunk->index, (int32_t)w.index);
        if (!found)
            return false;
        const struct decoded block = {.bytes = found->items, .nbytes = g->blocksize};
        const bool fits =
            cached_read_place(g, &block, &w, dst, cached_read_at(dst, g->ndim, chunk->from, w.from));
        cache_unpin(found);
        if (!fits)
            return false;
        ++*n;
    }
    return true;
}

bool
grid_read_cached(const struct chunk_grid *grid, const int64_t *start, const int64_t *stop,
                 const int64_t *step, const struct strided *dst)
{
    const struct geometry *const g = &grid->g;
    int64_t n = 0;
    struct walk w;

    if (!cache_has_blocks(grid->cache) ||
        geometry_blocks_nbytes(g, start, stop, step) > (int64_t)BLOCKS_MAX * g->blocksize ||
        !gate_try_enter(grid->gate))
        return false;
    bool found = true;
    for (bool more = walk_begin(&w, g->ndim, g->chunkshape, g->grid, start, stop, step);
         more && found; more = walk_next(&w))
        found = cached_read_read_chunk(grid, &w, dst, &n);
    gate_leave(grid->gate);
    if (found)
        cache_count_hits(grid->cache, n);
    return found;
}
