/*
 * read.c - a box of a grid into memory.
 *
 * The sink of the engine (fetch.h) that puts the items of each block straight to their place. Where
 * the box meets few blocks, those that are cached are placed when the turn of their chunk comes, by
 * the thread that makes the grains: the engine gets the others, and nothing if there are none.
 *
 * Not here: how a block is had (fetch.c, blocks.c), the last step of an item (place.c), plain
 * arrays (plain_read.c).
 */
#include "grid/read/read.h"

#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "chunk/content.h"
#include "chunk/decode.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/box_memory.h"
#include "grid/grid.h"
#include "grid/place.h"
#include "grid/read/fetch.h"
#include "grid/read/plain.h"
#include "ndcopy/convert/convert.h"
#include "ndcopy/ndcopy.h"
#include "task/gate.h"
#include "task/watch.h"

#include <string.h>

enum { PIECE_SIZE = 4096 }; // bytes of items on their way through a conversion

// A position on a chunk is:
struct read_chunk {
    struct walk w; // over the chunks
    uint64_t placed; // of its wanted blocks: bit i for the i-th one
};
// And on a block:
struct read_block {
    struct walk w; // over the blocks of the chunk
    uint64_t placed; // bit 0 for this block, bit 1 for the next one
    int64_t from[NDIM_MAX]; // items of the box before the chunk's part
    int64_t limit[NDIM_MAX]; // where the array ends, relative to the chunk
};

_Static_assert(sizeof(struct read_block) <= FETCH_POSITION_SIZE &&
                   sizeof(struct read_chunk) <= sizeof(struct read_block),
               "a position must fit");

// Where the item goes that comes behind so many of the box along each axis.
static uint8_t *
read_at(const struct grid_reading *r, const int64_t *from)
{
    int64_t offset = 0;
    for (int i = 0; i < r->grid->g.ndim; i++)
        offset += from[i] * r->dst->stride[i];
    return r->dst->items + offset;
}

// Put the wanted items of a block to their place. Returns how many fit into the type of dst.
static int64_t
read_place(const struct grid_reading *r, const struct decoded *items, const struct walk *w,
           const int64_t *from)
{
    const struct geometry *const g = &r->grid->g;
    uint8_t *const dst = read_at(r, from);
    if (r->dst->as)
        return place_converted(g, items, w, r->dst->as->how, dst, r->dst->stride);
    place_block(g, items, w, dst, r->dst->stride);
    return walk_nitems(w);
}

// -- what is cached

// Place the wanted blocks of the chunk at hand that are cached. Whether these are all. A block with
// an item that does not fit is left to the engine, which says which one.
static bool
place_cached(struct grid_reading *r)
{
    const struct geometry *const g = &r->grid->g;
    int64_t from[NDIM_MAX];
    struct walk w;
    int64_t hits = 0, n = 0;
    r->placed = 0;
    for (bool more = walk_blocks(&w, g, &r->chunks); more; more = walk_next(&w), n++) {
        struct cached *const found = cache_find(r->grid->cache, r->chunks.index, (int32_t)w.index);
        if (!found)
            continue;
        for (int i = 0; i < g->ndim; i++)
            from[i] = r->chunks.from[i] + w.from[i];
        const struct decoded items = {.bytes = found->items, .nbytes = g->blocksize};
        if (read_place(r, &items, &w, from) == walk_nitems(&w)) {
            r->placed |= (uint64_t)1 << n;
            hits++;
        }
        cache_unpin(found);
    }
    if (hits > 0) {
        cache_count_hits(r->grid->cache, hits);
        r->hit_nbytes += hits * g->blocksize;
        watch_add(r->watch, hits * g->blocksize);
    }
    return hits == n;
}

// Go on to the next chunk of which something is missing. False: there is none.
static bool
find_missing(struct grid_reading *r)
{
    while (r->more && r->few && !r->asked && place_cached(r))
        r->more = walk_next(&r->chunks);
    r->asked = r->few;
    return r->more;
}

static uint64_t
placed_of(const struct grid_reading *r, int64_t n)
{
    for (int i = 0; i < r->nbegun; i++)
        if (r->begun[i].n == n)
            return r->begun[i].placed;
    return 0;
}

// -- the sink

static enum fetch_next
read_next_chunk(void *self, void *chunk, int64_t *n, bool *all)
{
    struct grid_reading *const r = self;
    struct read_chunk *const c = chunk;
    if (!find_missing(r))
        return FETCH_NOTHING;
    memcpy(&c->w, &r->chunks, sizeof r->chunks);
    c->placed = r->placed;
    *n = r->chunks.index;
    *all = r->placed == 0 && walk_covers(&r->chunks, r->grid->g.shape);
    if (r->few)
        r->begun[r->nbegun++] = (struct chunk_begun){*n, r->placed};
    r->more = walk_next(&r->chunks);
    r->asked = false;
    return FETCH_CHUNK;
}

static void
read_stand(const void *self, void *chunk, int64_t n)
{
    const struct grid_reading *const r = self;
    struct read_chunk *const c = chunk;
    memcpy(&c->w, &r->chunks, sizeof r->chunks);
    walk_stand(&c->w, n);
    c->placed = placed_of(r, n);
}

static bool
read_next_block(const void *self, void *block)
{
    struct read_block *const b = block;
    (void)self;
    do {
        if (!walk_next(&b->w))
            return false;
        b->placed >>= 1;
    } while (b->placed & 1);
    return true;
}

static void
read_begin_blocks(const void *self, const void *chunk, void *block)
{
    const struct grid_reading *const r = self;
    const struct geometry *const g = &r->grid->g;
    const struct read_chunk *const c = chunk;
    struct read_block *const b = block;
    memcpy(b->from, c->w.from, sizeof b->from);
    for (int i = 0; i < g->ndim; i++)
        b->limit[i] = min_i64(g->chunkshape[i], g->shape[i] - c->w.at[i] * g->chunkshape[i]);
    walk_blocks(&b->w, g, &c->w);
    b->placed = c->placed;
    if (b->placed & 1)
        read_next_block(self, block);
}

static int32_t
read_number(const void *block)
{
    return (int32_t)((const struct read_block *)block)->w.index;
}

static struct block_need
read_need(const void *self, const void *block, bool *whole)
{
    const struct grid_reading *const r = self;
    const struct read_block *const b = block;
    *whole = walk_covers(&b->w, b->limit);
    struct block_need need = place_need(&r->grid->g, &b->w, r->dst->stride);
    need.planes = need.planes && !r->dst->as;
    return need;
}

static tess_status
read_take(void *self, void *tally, const void *block, const struct decoded *items, bool equal,
          tess_error *err)
{
    const struct grid_reading *const r = self;
    const struct read_block *const b = block;
    const int ndim = r->grid->g.ndim;
    int64_t from[NDIM_MAX];
    (void)tally;
    (void)equal;
    for (int i = 0; i < ndim; i++)
        from[i] = b->from[i] + b->w.from[i];
    const int64_t done = read_place(r, items, &b->w, from);
    return done == walk_nitems(&b->w)
               ? TESS_OK
               : converted_misfit(r->dst->as, ndim, from, b->w.count, done, err);
}

static tess_status
read_take_equal(void *self, void *tally, const void *chunk, const uint8_t *item, tess_error *err)
{
    const struct grid_reading *const r = self;
    const struct geometry *const g = &r->grid->g;
    const struct walk *const w = chunk;
    (void)tally;
    if (r->dst->as)
        return converted_fill(r->dst->as, g->ndim, w->from, w->count, read_at(r, w->from),
                              r->dst->stride, item, err);
    ndfill(g->ndim, w->count, g->typesize, read_at(r, w->from), r->dst->stride, item);
    return TESS_OK;
}

// The tile of rows that `rows` stands on, of a chunk whose first wanted item is `src` bytes behind
// its start; *done counts the items of the chunk.
static tess_status
read_converted_rows(const struct grid_reading *r, const struct walk *w, const struct ndrows *rows,
                    int64_t src, int64_t *done, struct chunk_cursor *items, tess_error *err)
{
    const struct geometry *const g = &r->grid->g;
    const struct converter *const how = r->dst->as->how;
    uint8_t piece[PIECE_SIZE];
    const int64_t run = rows->item_src == g->typesize ? PIECE_SIZE / g->typesize : 1;
    for (int64_t i = 0; i < rows->rows; i++)
        for (int64_t j = 0, n; j < rows->row_nitems; j += n) {
            const int64_t from = src + rows->src + i * rows->row_src + j * rows->item_src;
            const int64_t to = rows->dst + i * rows->row_dst + j * rows->item_dst;
            n = min_i64(run, rows->row_nitems - j);
            const tess_status st =
                cursor_read(items, (int32_t)from, piece, (size_t)(n * g->typesize), err);
            if (st != TESS_OK)
                return st;
            const int64_t now = convert_box(how, 1, &n, read_at(r, w->from) + to, &rows->item_dst,
                                            piece, &how->from_size);
            *done += now;
            if (now < n)
                return converted_misfit(r->dst->as, g->ndim, w->from, w->count, *done, err);
        }
    return TESS_OK;
}

// Row after row, each stored block decoded once.
static tess_status
read_take_in_order(void *self, const void *chunk, struct chunk_cursor *items, tess_error *err)
{
    const struct grid_reading *const r = self;
    const struct geometry *const g = &r->grid->g;
    const struct walk *const w = chunk;
    int64_t src_stride[NDIM_MAX];
    int64_t src = 0;
    struct ndrows rows;
    uint8_t *const dst = read_at(r, w->from);
    int64_t done = 0;

    shape_strides(g->ndim, g->chunkshape, g->typesize, src_stride);
    for (int i = 0; i < g->ndim; i++) {
        src += w->lo[i] * src_stride[i];
        src_stride[i] *= w->step[i];
    }
    for (bool more =
             ndrows_begin(&rows, g->ndim, w->count, g->typesize, r->dst->stride, src_stride);
         more; more = ndrows_next(&rows)) {
        const int64_t run = rows.packed ? rows.row_nitems : 1; // items in one piece
        if (r->dst->as) {
            const tess_status st = read_converted_rows(r, w, &rows, src, &done, items, err);
            if (st != TESS_OK)
                return st;
            continue;
        }
        for (int64_t i = 0; i < rows.rows; i++)
            for (int64_t j = 0; j < rows.row_nitems; j += run) {
                const int64_t from = src + rows.src + i * rows.row_src + j * rows.item_src;
                const int64_t to = rows.dst + i * rows.row_dst + j * rows.item_dst;
                const tess_status st =
                    cursor_read(items, (int32_t)from, dst + to, (size_t)(run * g->typesize), err);
                if (st != TESS_OK)
                    return st;
            }
    }
    return TESS_OK;
}

// Bytes of blocks.
static int64_t
read_weight(const void *self, const void *position, int32_t nblocks)
{
    const struct geometry *const g = &((const struct grid_reading *)self)->grid->g;
    const struct walk *const w = position; // of a whole chunk
    int64_t n = nblocks > 0 ? nblocks : 1;
    for (int i = 0; nblocks == 0 && i < g->ndim; i++)
        n *= ceil_div(w->hi[i], g->blockshape[i]) - w->lo[i] / g->blockshape[i];
    return n * g->blocksize;
}

static const struct fetch_reader box_reader = {
    .position_size = sizeof(struct read_block),
    .next_chunk = read_next_chunk,
    .stand = read_stand,
    .begin_blocks = read_begin_blocks,
    .next_block = read_next_block,
    .number = read_number,
    .need = read_need,
    .take = read_take,
    .take_equal = read_take_equal,
    .take_in_order = read_take_in_order,
    .weight = read_weight,
};

// Bytes of all blocks that the box meets.
static int64_t
box_nbytes(const struct grid_reading *r)
{
    const struct walk *const w = &r->chunks;
    return geometry_blocks_nbytes(&r->grid->g, &(struct box){w->start, w->stop, w->step});
}

// Whether the box meets few blocks: for one of a small chunk, without counting them.
static bool
meets_few(const struct grid_reading *r)
{
    const struct geometry *const g = &r->grid->g;
    bool is_one = g->nblocks <= READ_FEW;
    for (int i = 0; is_one && i < g->ndim; i++)
        is_one = r->chunks.first[i] == r->chunks.last[i];
    return is_one || box_nbytes(r) <= (int64_t)READ_FEW * g->blocksize;
}

bool
grid_read_begin(struct grid_reading *r, const struct chunk_grid *grid, const struct box *box,
                const struct box_memory *dst)
{
    const struct geometry *const g = &grid->g;
    r->grid = grid;
    r->dst = dst;
    r->watch = NULL;
    r->hit_nbytes = 0;
    r->asked = false;
    r->nbegun = 0;
    r->placed = 0;
    r->inside = false;
    r->more = walk_chunks(&r->chunks, g, box);
    if (!r->more)
        return true;
    r->few = cache_has_blocks(grid->cache) && meets_few(r);
    if (!r->few || !gate_try_enter(grid->gate))
        return false;
    r->inside = find_missing(r);
    if (!r->inside)
        gate_leave(grid->gate);
    return !r->inside;
}

tess_status
grid_read_rest(struct grid_reading *r, struct watch *watch, tess_error *err)
{
    r->watch = watch;
    const int64_t nbytes = box_nbytes(r) - r->hit_nbytes;
    const struct fetch fetch = {.grid = r->grid,
                                .reader = &box_reader,
                                .self = r,
                                .nbytes = nbytes,
                                .weight = nbytes,
                                .watch = watch,
                                .inside = r->inside,
                                // An item that does not fit may be in a cached block.
                                .missing = r->few && !r->dst->as};
    return fetch_run(&fetch, err);
}

tess_status
grid_read(const struct chunk_grid *grid, const struct box *box, const struct box_memory *dst,
          struct watch *watch, tess_error *err)
{
    struct grid_reading r;
    if (grid->plain)
        return plain_read(grid, box->start[0], box->stop[0], box->step ? box->step[0] : 1, dst,
                          watch, err);
    return grid_read_begin(&r, grid, box, dst) ? TESS_OK : grid_read_rest(&r, watch, err);
}
