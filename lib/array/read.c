/*
 * read.c - a box of an array into memory.
 *
 * The list of work is the blocks that the box meets, over all chunks. A grain is a run of them in
 * one chunk, or a chunk that has no blocks to be decoded. Each block is decoded in scratch memory
 * that fits in a core's cache, and its items go straight to their place; blocks that are read in
 * part may come from the array's cache, and get into it.
 *
 * Not here: what a chunk is (visit.c), the last step of an item (place.c).
 */
#include "array/array.h"

#include "array/cache.h"
#include "array/cost.h"
#include "array/place.h"
#include "array/recall.h"
#include "array/visit.h"
#include "base/checked.h"
#include "chunk/cursor.h"
#include "geom/walk.h"
#include "ndcopy/ndcopy.h"
#include "task/task.h"

#include <stdlib.h>
#include <string.h>

enum {
    GRAIN_SIZE = 256 << 10, // decoded
    GRAINS_MIN = 8, // of a request, where it has as many blocks
    WINDOW_SIZE = 256 << 10, // stored bytes read at once, if it is more than one block
    GAP_MAX = 4 << 10, // stored bytes read for nothing to save a call
};

struct read_job {
    const tess_array *a;
    const struct strided *dst;
    struct chunk_scratch *listing; // for reading what chunks say of themselves
    int32_t run; // blocks of a grain
    struct walk chunks;
    struct walk blocks;
    bool more_chunks, more_blocks;
    struct visit *visit; // of the chunk the walk stands on
    uint8_t *chunk_dst; // where the chunk's part of the box starts
    int64_t limit[NDIM_MAX]; // where the array ends, relative to the chunk
};

struct grain {
    struct visit *visit; // held
    int32_t nblocks; // 0: the whole chunk
    uint8_t *dst; // where the part of the box starts in which the walk goes
    int64_t limit[NDIM_MAX];
    struct walk w; // stands on the first block, or on the chunk
};

_Static_assert(sizeof(struct grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

static uint8_t *
at(const struct read_job *job, uint8_t *base, const int64_t *from)
{
    int64_t offset = 0;
    for (int i = 0; i < job->a->g.ndim; i++)
        offset += from[i] * job->dst->stride[i];
    return base + offset;
}

// The next run of blocks of the chunk.
static void
take_blocks(struct read_job *job, struct grain *g)
{
    g->dst = job->chunk_dst;
    g->w = job->blocks;
    memcpy(g->limit, job->limit, sizeof g->limit);
    for (g->nblocks = 0; job->more_blocks && g->nblocks < job->run; g->nblocks++)
        job->more_blocks = walk_next(&job->blocks);
}

static void
take_chunk(struct read_job *job, struct grain *g)
{
    g->dst = job->dst->items;
    g->w = job->chunks;
    g->nblocks = 0;
    job->more_blocks = false;
}

// Open the chunk the walk stands on, and begin the walk over its blocks.
static tess_status
enter_chunk(struct read_job *job, tess_error *err)
{
    const struct geometry *const g = &job->a->g;
    visit_release(job->visit);
    job->visit = NULL;
    const tess_status st = visit_open(job->a, job->chunks.index, job->listing, &job->visit, err);
    if (st != TESS_OK)
        return st;
    job->chunk_dst = at(job, job->dst->items, job->chunks.from);
    for (int i = 0; i < g->ndim; i++)
        job->limit[i] =
            min_i64(g->chunkshape[i], g->shape[i] - job->chunks.at[i] * g->chunkshape[i]);
    job->more_blocks =
        walk_begin(&job->blocks, g->ndim, g->blockshape, g->bgrid, job->chunks.lo, job->chunks.hi);
    return TESS_OK;
}

// Whether a chunk has no blocks to be decoded one by one. Where blocks wait to be written back,
// some of them may be its.
static bool
is_whole(const struct read_job *job)
{
    const enum visit_kind kind = job->visit->kind;
    return (kind == VISIT_SPECIAL || kind == VISIT_BYTES) && cache_dirty_size(job->a->cache) == 0;
}

static tess_status
next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct read_job *const job = arg;
    struct grain *const g = grain;
    if (!job->more_blocks) {
        if (!job->more_chunks) {
            *more = false;
            return TESS_OK;
        }
        const tess_status st = enter_chunk(job, err);
        if (st != TESS_OK)
            return st;
        if (is_whole(job))
            take_chunk(job, g);
        else
            take_blocks(job, g);
        job->more_chunks = walk_next(&job->chunks);
    } else {
        take_blocks(job, g);
    }
    g->visit = job->visit;
    visit_hold(g->visit);
    return TESS_OK;
}

// The part of a chunk, or of a block, that a walk stands on.
static tess_status
fill_special(const struct read_job *job, const struct grain *g, const struct walk *w,
             tess_error *err)
{
    const struct geometry *const geo = &job->a->g;
    int64_t extent[NDIM_MAX];
    uint8_t small[64];
    uint8_t *const item =
        geo->typesize <= (int32_t)sizeof small ? small : malloc((size_t)geo->typesize);
    if (!item)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    const tess_status st = visit_item(job->a, g->visit, item, err);
    if (st == TESS_OK) {
        for (int i = 0; i < geo->ndim; i++)
            extent[i] = w->hi[i] - w->lo[i];
        ndfill(geo->ndim, extent, geo->typesize, at(job, g->dst, w->from), job->dst->stride, item);
    }
    if (item != small)
        free(item);
    return st;
}

// Stored bytes that are at hand, of some neighbouring blocks.
struct window {
    struct span span;
    const uint8_t *bytes;
};

// Read the stored bytes of the block that the walk stands on, and of those that follow without
// much between them: `left` blocks are to come, with this one.
static tess_status
move_window(const tess_array *a, const struct visit *v, const struct walk *from, int32_t left,
            struct chunk_scratch *s, struct window *win, tess_error *err)
{
    struct walk w = *from;
    struct span span = visit_span(a, v, (int32_t)w.index);

    while (--left > 0 && walk_next(&w)) {
        const struct span ahead = visit_span(a, v, (int32_t)w.index);
        if (ahead.start < span.stop || ahead.start - span.stop > GAP_MAX ||
            ahead.stop - span.start > WINDOW_SIZE)
            break;
        span.stop = ahead.stop;
    }
    win->span = span;
    return v->stored.bytes.fetch(v->stored.bytes.from, span.start, span.stop - span.start, s,
                                 &win->bytes, err);
}

// Decode the block the walk stands on from its stored bytes.
static tess_status
decode(const struct visit *v, int32_t nblock, const uint8_t *stored, int32_t size,
       const struct block_need *need, struct chunk_scratch *s, struct decoded *block,
       tess_error *err)
{
    if (v->kind == VISIT_BLOCKS)
        return block_decode(&v->stored.chunk, nblock, stored, v->ref, need, s, block, err);
    *block = (struct decoded){.bytes = stored, .nbytes = size};
    return TESS_OK;
}

// The blocks of a grain, one after the other.
struct run {
    const struct read_job *job;
    const struct grain *g;
    struct chunk_scratch *s;
    struct window window;
    struct walk w;
    int32_t left; // blocks, with the one the walk stands on
};

// Place the block the walk stands on from its stored bytes; keep it if it is worth it.
static tess_status
read_stored(struct run *r, bool keep, tess_error *err)
{
    static const struct block_need all = {0};
    const tess_array *const a = r->job->a;
    const struct visit *const v = r->g->visit;
    const int64_t *const stride = r->job->dst->stride;
    const int32_t nblock = (int32_t)r->w.index;
    const struct span span = visit_span(a, v, nblock);
    const struct block_need part = place_need(&a->g, r->w.lo, r->w.hi, stride);
    struct cached *entry = keep ? cache_reserve(a->cache, v->n, nblock) : NULL;
    struct decoded block;
    tess_status st = TESS_OK;

    if (!r->window.bytes || span.start < r->window.span.start || span.stop > r->window.span.stop)
        st = move_window(a, v, &r->w, r->left, r->s, &r->window, err);
    if (st == TESS_OK)
        st = decode(v, nblock, r->window.bytes + (span.start - r->window.span.start),
                    span.stop - span.start, entry ? &all : &part, r->s, &block, err);
    if (st == TESS_OK)
        place_block(&a->g, &block, r->w.lo, r->w.hi, at(r->job, r->g->dst, r->w.from), stride);
    if (entry && st == TESS_OK) {
        memcpy(entry->items, block.bytes, (size_t)block.nbytes);
        cache_unpin(a->cache, cache_add(a->cache, entry));
    } else if (entry) {
        cache_drop(a->cache, entry);
    }
    return st;
}

// Place the block the walk stands on from its items.
static void
place_items(const struct run *r, const uint8_t *items)
{
    const struct geometry *const g = &r->job->a->g;
    const struct decoded block = {.bytes = items, .nbytes = g->blocksize};
    place_block(g, &block, r->w.lo, r->w.hi, at(r->job, r->g->dst, r->w.from), r->job->dst->stride);
}

// Memory for a block, of the size that a file says.
static tess_status
new_block(const tess_array *a, const struct chunk_scratch *s, uint8_t **items, tess_error *err)
{
    const tess_status st = scratch_check(s, a->g.blocksize, err);
    *items = st == TESS_OK ? malloc((size_t)a->g.blocksize) : NULL;
    if (st == TESS_OK && !*items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %d bytes",
                       a->g.blocksize);
    return st;
}

// A block of a chunk of another layout.
static tess_status
read_foreign(struct run *r, tess_error *err)
{
    uint8_t *items;
    tess_status st = new_block(r->job->a, r->s, &items, err);
    if (st == TESS_OK)
        st = visit_block(r->job->a, r->g->visit, (int32_t)r->w.index, items, r->s, err);
    if (st == TESS_OK)
        place_items(r, items);
    free(items);
    return st;
}

// Place the block the walk stands on, from the frame.
static tess_status
read_frame(struct run *r, bool keep, tess_error *err)
{
    switch (r->g->visit->kind) {
    case VISIT_SPECIAL:
        return fill_special(r->job, r->g, &r->w, err);
    case VISIT_BYTES:
        return read_foreign(r, err);
    default:
        return read_stored(r, keep, err);
    }
}

static tess_status
read_block(struct run *r, tess_error *err)
{
    const tess_array *const a = r->job->a;
    const int64_t n = r->g->visit->n;
    const int32_t nblock = (int32_t)r->w.index;
    bool keep = false;
    struct cached *const found = walk_covers(&r->w, r->g->limit)
                                     ? cache_find(a->cache, n, nblock)
                                     : cache_find_part(a->cache, n, nblock, &keep);
    if (!found)
        return read_frame(r, keep, err);
    place_items(r, found->items);
    cache_unpin(a->cache, found);
    return TESS_OK;
}

static tess_status
read_blocks(const struct read_job *job, const struct grain *g, struct chunk_scratch *s,
            tess_error *err)
{
    struct run r = {.job = job, .g = g, .s = s, .w = g->w, .left = g->nblocks};
    for (; r.left > 0; r.left--) {
        const tess_status st = read_block(&r, err);
        if (st != TESS_OK)
            return st;
        walk_next(&r.w);
    }
    return TESS_OK;
}

// A chunk whose items stand in C order: row after row, each block decoded once.
static tess_status
read_linear(const struct read_job *job, const struct grain *g, struct chunk_cursor *cur,
            tess_error *err)
{
    const struct geometry *const geo = &job->a->g;
    int64_t extent[NDIM_MAX], src_stride[NDIM_MAX];
    int64_t src = 0;
    struct ndrows r;
    uint8_t *const dst = at(job, g->dst, g->w.from);

    shape_strides(geo->ndim, geo->chunkshape, geo->typesize, src_stride);
    for (int i = 0; i < geo->ndim; i++) {
        extent[i] = g->w.hi[i] - g->w.lo[i];
        src += g->w.lo[i] * src_stride[i];
    }
    for (bool more =
             ndrows_begin(&r, geo->ndim, extent, geo->typesize, job->dst->stride, src_stride);
         more; more = ndrows_next(&r)) {
        const int64_t run = r.packed ? r.row_nitems : 1; // items in one piece
        for (int64_t i = 0; i < r.rows; i++)
            for (int64_t j = 0; j < r.row_nitems; j += run) {
                const int64_t from = src + r.src + i * r.row_src + j * r.item_src;
                const int64_t to = r.dst + i * r.row_dst + j * r.item_dst;
                const tess_status st =
                    cursor_read(cur, (int32_t)from, dst + to, (size_t)(run * geo->typesize), err);
                if (st != TESS_OK)
                    return st;
            }
    }
    return TESS_OK;
}

// Blocks of the grid that are not the chunk's: each is put together from those.
static tess_status
read_foreign_blocks(const struct read_job *job, const struct grain *g, struct chunk_cursor *cur,
                    const struct chunk_scratch *s, tess_error *err)
{
    const struct geometry *const geo = &job->a->g;
    struct walk w;
    uint8_t *items;
    tess_status st = new_block(job->a, s, &items, err);
    if (st != TESS_OK)
        return st;
    uint8_t *const dst = at(job, g->dst, g->w.from);
    const struct decoded block = {.bytes = items, .nbytes = geo->blocksize};
    for (bool more = walk_begin(&w, geo->ndim, geo->blockshape, geo->bgrid, g->w.lo, g->w.hi);
         more && st == TESS_OK; more = walk_next(&w)) {
        st = cursor_read(cur, (int32_t)(w.index * geo->blocksize), items, (size_t)geo->blocksize,
                         err);
        if (st == TESS_OK)
            place_block(geo, &block, w.lo, w.hi, at(job, dst, w.from), job->dst->stride);
    }
    free(items);
    return st;
}

static tess_status
read_bytes(const struct read_job *job, const struct grain *g, struct chunk_scratch *s,
           tess_error *err)
{
    struct chunk_cursor cur;
    const struct stored_chunk *const sc = &g->visit->stored;
    tess_status st = cursor_init(&cur, &sc->chunk, &sc->bytes, s, err);
    if (st == TESS_OK)
        st = job->a->linear ? read_linear(job, g, &cur, err)
                            : read_foreign_blocks(job, g, &cur, s, err);
    cursor_finish(&cur);
    return st;
}

static tess_status
read_grain(const struct read_job *job, const struct grain *g, struct chunk_scratch *s,
           tess_error *err)
{
    tess_status st;
    if (g->nblocks > 0)
        st = read_blocks(job, g, s, err);
    else if (g->visit->kind == VISIT_SPECIAL)
        return fill_special(job, g, &g->w, err);
    else
        st = read_bytes(job, g, s, err);
    return st == TESS_OK ? st : stored_chunk_blame(&g->visit->stored, g->visit->n, st, err);
}

static tess_status
work(void *arg, void *grain, tess_error *err)
{
    const struct read_job *const job = arg;
    const struct grain *const g = grain;
    struct chunk_scratch *const s = pool_take(job->a->pool);
    const tess_status st =
        s ? read_grain(job, g, s, err) : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(job->a->pool, s);
    return st;
}

static void
drop(void *arg, void *grain)
{
    (void)arg;
    visit_release(((struct grain *)grain)->visit);
}

// Many enough for the threads, large enough to be worth handing out.
static int32_t
run_length(int64_t nbytes, int32_t blocksize)
{
    return (int32_t)max_i64(min_i64(GRAIN_SIZE, nbytes / GRAINS_MIN) / blocksize, 1);
}

tess_status
array_read(const tess_array *a, const int64_t *start, const int64_t *stop,
           const struct strided *dst, tess_error *err)
{
    static const struct task task = {
        .next = next, .work = work, .drop = drop, .grain_size = sizeof(struct grain)};
    struct read_job job = {.a = a, .dst = dst};

    if (array_recall(a, start, stop, dst))
        return TESS_OK;
    job.more_chunks = walk_begin(&job.chunks, a->g.ndim, a->g.chunkshape, a->g.grid, start, stop);
    if (!job.more_chunks)
        return TESS_OK;
    job.listing = pool_take(a->pool);
    if (!job.listing)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    const int64_t nbytes = geometry_blocks_nbytes(&a->g, start, stop);
    const struct task_width width = {
        .threads = a->context.threads,
        .cost = cost_decode(codec_by_id(a->frame->h.codec), nbytes),
    };
    job.run = run_length(nbytes, a->g.blocksize);
    const tess_status st = task_run(&task, &job, &width, err);
    visit_release(job.visit);
    pool_give(a->pool, job.listing);
    return st;
}
