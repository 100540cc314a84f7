/*
 * put.c - stored bytes of the program become a chunk of an array.
 */
#include "array/chunks/chunks.h"

#include "array/update.h"
#include "base/error.h"
#include "chunk/chunk.h"
#include "chunk/content.h"
#include "chunk/header.h"
#include "frame/format/header.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "grid/grid.h"
#include "grid/open_chunk.h"
#include "grid/pool.h"

#include <inttypes.h>

enum {
    VERSION_LEAST = 4, // older ones have no place for all that a frame of Blosc2 needs
};

tess_status
chunk_check_format(const struct chunk_header *h, tess_error *err)
{
    if (h->header_size != CHUNK_HEADER_SIZE || h->version < VERSION_LEAST)
        return err_set(err, TESS_ERR_UNSUPPORTED, 0,
                       "a chunk of format version %d with a header of %d bytes; arrays have %d "
                       "or later and %d",
                       h->version, h->header_size, VERSION_LEAST, CHUNK_HEADER_SIZE);
    return TESS_OK;
}

// Whether a chunk is one that the array could have.
static tess_status
check_fits(const struct chunk_grid *grid, const struct chunk *c, int64_t n, tess_error *err)
{
    const struct geometry *const g = &grid->g;
    const struct chunk_header *const h = &c->h;
    const int32_t typesize = g->typesize > UINT8_MAX ? 1 : g->typesize;

    if (h->vlblocks)
        return err_set(err, TESS_ERR_UNSUPPORTED, 30,
                       "a chunk of blocks of different sizes, which arrays do not have");
    if (h->typesize != typesize)
        return err_set(err, TESS_ERR_ARG, 3,
                       "a chunk of items of %" PRId32 " bytes, chunks of the array record %" PRId32,
                       h->typesize, typesize);
    if (h->nbytes != g->chunksize)
        return err_set(err, TESS_ERR_ARG, 4,
                       "a chunk of %" PRId32 " bytes, chunks of the array have %" PRId32, h->nbytes,
                       g->chunksize);
    if (h->special != SPECIAL_NONE)
        return open_chunk_check_special(grid, c, n, err);
    if (h->blocksize != g->blocksize)
        return err_set(err, TESS_ERR_ARG, 8,
                       "blocks of %" PRId32 " bytes, those of the array have %" PRId32,
                       h->blocksize, g->blocksize);
    return TESS_OK;
}

tess_status
chunk_check_blocks(const struct chunk_grid *grid, const struct whole_chunk *w, tess_error *err)
{
    struct chunk_scratch *const s = pool_take(grid->pool);
    const tess_status st = s ? chunk_try(&w->chunk, &w->bytes, s, err)
                             : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk");
    pool_give(grid->pool, s);
    return st;
}

static struct chunk_surroundings
surroundings(const struct chunk_grid *grid)
{
    return (struct chunk_surroundings){.typesize = grid->g.typesize,
                                       .codec = frame_header(grid->frame)->codec,
                                       .grid = &grid->block_grid,
                                       .plugins = &grid->plugins};
}

tess_status
chunk_check_put(const struct chunk_grid *grid, int64_t n, const uint8_t *chunk, size_t size,
                bool trusted, enum chunk_special *special, tess_error *err)
{
    const struct chunk_surroundings around = surroundings(grid);
    struct whole_chunk w;
    tess_status st = whole_chunk_open(&w, chunk, size, INT32_MAX, &around, err);
    if (st == TESS_OK)
        st = chunk_check_format(&w.chunk.h, err);
    if (st == TESS_OK)
        st = check_fits(grid, &w.chunk, n, err);
    if (st == TESS_OK && !trusted)
        st = chunk_check_blocks(grid, &w, err);
    *special = w.chunk.h.special;
    whole_chunk_close(&w);
    return st;
}

tess_status
chunk_check_header(const struct chunk_grid *grid, int64_t n, const uint8_t *header, int32_t cbytes,
                   enum chunk_special *special, tess_error *err)
{
    const struct chunk_surroundings around = surroundings(grid);
    struct chunk c = {.grid = around.grid};
    tess_status st =
        chunk_header_parse(header, CHUNK_HEADER_SIZE, cbytes, around.typesize, &c.h, err);
    if (st == TESS_OK)
        st = chunk_check_format(&c.h, err);
    if (st != TESS_OK)
        return st;
    c.item_size = c.h.special == SPECIAL_VALUE ? c.h.cbytes - c.h.header_size : 0;
    st = check_fits(grid, &c, n, err);
    *special = c.h.special;
    return st == TESS_OK ? chunk_check_coding(&c.h, &around, err) : st;
}

tess_status
array_put_chunk(tess_array *a, int64_t n, const uint8_t *chunk, size_t size, bool trusted,
                tess_error *err)
{
    enum chunk_special special;
    size = whole_chunk_size(chunk, size);
    const tess_status st = chunk_check_put(a->grid, n, chunk, size, trusted, &special, err);
    if (st != TESS_OK)
        return st;
    return array_update_chunk(a, n, chunk, (int32_t)size, special, err);
}
