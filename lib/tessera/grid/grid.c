/*
 * grid.c - the life of a grid of chunks.
 */
#include "grid/grid.h"

#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "chunk/encode/encoder.h"
#include "chunk/plugins.h"
#include "codec/codec.h"
#include "frame/format/header.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "grid/cost.h"
#include "grid/open_chunks.h"
#include "grid/pool.h"
#include "grid/write/store.h"
#include "grid/write/turns.h"
#include "io/io.h"
#include "task/gate.h"

#include <assert.h>
#include <string.h>

static_assert(CACHE_SHARED == TESS_CACHE_SHARED, "one number for a shared budget");

struct chunk_grid *
chunk_grid_new(void)
{
    return mem_zeroed(1, sizeof(struct chunk_grid));
}

void
chunk_grid_free(struct chunk_grid *grid)
{
    if (!grid)
        return;
    open_chunks_free(grid->open_chunks);
    expected_chunks_free(grid->expected);
    frame_close(grid->frame);
    cache_free(grid->cache);
    mem_free(grid->chunk_starts);
    pool_free(grid->pool);
    store_free(grid->store);
    turns_free(grid->turns);
    gate_free(grid->gate);
    plugins_finish(&grid->plugins);
    mem_free(grid);
}

tess_status
chunk_grid_prepare_memory(struct chunk_grid *grid, tess_error *err)
{
    grid->pool = pool_new(frame_limits(grid->frame)->memory);
    grid->open_chunks = open_chunks_new(grid->context->cache, frame_manner(grid->frame)->far);
    bool complete = grid->pool && grid->open_chunks;
    if (frame_manner(grid->frame)->far) {
        grid->expected = expected_chunks_new();
        complete = complete && grid->expected;
    }
    if (frame_is_writable(grid->frame)) {
        grid->gate = gate_new();
        grid->turns = turns_new();
        complete = complete && grid->gate && grid->turns;
    }
    return complete ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array");
}

tess_status
chunk_grid_set_cache(struct chunk_grid *grid, int64_t budget, tess_error *err)
{
    // Without a grid of blocks there is nothing to keep them by. A file may not ask for memory
    // beyond the limit here, too.
    const bool off =
        grid->plain || grid->linear || grid->g.blocksize > frame_limits(grid->frame)->memory;
    struct cache *const cache = cache_new(off ? 0 : budget, grid->g.blocksize);
    if (!cache)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an array");
    cache_free(grid->cache);
    grid->cache = cache;
    return TESS_OK;
}

tess_status
chunk_grid_prepare_cache(struct chunk_grid *grid, tess_error *err)
{
    return chunk_grid_set_cache(grid, grid->context->cache, err);
}

void
chunk_grid_tell_frame(struct chunk_grid *grid)
{
    grid->block_grid.ndim = grid->g.ndim;
    grid->block_grid.typesize = grid->g.typesize;
    for (int i = 0; i < grid->g.ndim; i++)
        grid->block_grid.shape[i] = (int32_t)grid->g.blockshape[i];
    if (grid->frame)
        frame_set_grid(grid->frame, &grid->block_grid);
}

tess_status
chunk_grid_prepare_encoder(struct chunk_grid *grid, const struct frame_header *h, tess_error *err)
{
    struct chunk_spec spec = {
        .itemsize = h->typesize,
        .nbytes = grid->g.chunksize,
        .blocksize = grid->g.blocksize,
        .codec = h->codec,
        .level = h->clevel,
        .codec_meta = h->codec_meta,
        .split = h->split,
        .dictionary = h->use_dict,
        .grid = &grid->block_grid,
        .plugins = &grid->plugins,
    };
    memcpy(spec.filters, h->filters, FILTER_SLOTS);
    memcpy(spec.filters_meta, h->filters_meta, FILTER_SLOTS);
    return chunk_encoder_init(&grid->encoder, &spec, err);
}

#define EXCHANGE(type, x, y) \
    do {                     \
        type x_ = (x);       \
        (x) = (y);           \
        (y) = x_;            \
    } while (0)

// What a frame knows of its grid.
static void
attach(struct chunk_grid *grid)
{
    frame_attach(grid->frame, &grid->plugins, grid->context);
    if (!grid->plain)
        chunk_grid_tell_frame(grid);
}

int64_t
chunk_grid_decode_cost(const struct chunk_grid *grid, int64_t nbytes)
{
    return cost_decode(codec_by_id(frame_header(grid->frame)->codec), nbytes);
}

void
chunk_grid_exchange(struct chunk_grid *x, struct chunk_grid *y)
{
    frame_swap(x->frame, y->frame);
    EXCHANGE(struct geometry, x->g, y->g);
    EXCHANGE(struct block_grid, x->block_grid, y->block_grid);
    EXCHANGE(bool, x->linear, y->linear);
    EXCHANGE(bool, x->plain, y->plain);
    EXCHANGE(int64_t *, x->chunk_starts, y->chunk_starts);
    EXCHANGE(struct pool *, x->pool, y->pool);
    EXCHANGE(struct open_chunks *, x->open_chunks, y->open_chunks);
    EXCHANGE(struct expected_chunks *, x->expected, y->expected);
    EXCHANGE(struct cache *, x->cache, y->cache);
    attach(x);
    attach(y);
}
