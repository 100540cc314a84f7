/*
 * read.c - a box of an array into memory.
 *
 * The list of work is the blocks that the box meets, over all chunks; a chunk that has no blocks
 * to be decoded is one piece of work. Each block is decoded in scratch memory that fits in a
 * core's cache, and its items go straight to their place.
 */
#include "array/array.h"

#include "array/place.h"
#include "array/visit.h"
#include "chunk/cursor.h"
#include "geom/walk.h"
#include "ndcopy/ndcopy.h"
#include "task/task.h"

#include <stdlib.h>

struct read_job {
    const tess_array *a;
    const struct strided *dst;
    struct chunk_scratch *listing; // for reading what chunks say of themselves
    struct walk chunks;
    struct walk blocks;
    bool more_chunks, more_blocks;
    struct visit *visit; // of the chunk the walk stands on
    uint8_t *chunk_dst; // where the chunk's part of the box starts
};

struct grain {
    struct visit *visit; // held
    uint8_t *dst; // where the overlap starts
    int32_t nblock; // -1: the whole chunk
    int64_t lo[NDIM_MAX], hi[NDIM_MAX]; // the overlap, relative to block or chunk
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

static void
fill_grain(const struct read_job *job, const struct walk *w, int32_t nblock, uint8_t *base,
           struct grain *g)
{
    g->visit = job->visit;
    visit_hold(g->visit);
    g->nblock = nblock;
    g->dst = at(job, base, w->from);
    for (int i = 0; i < w->ndim; i++) {
        g->lo[i] = w->lo[i];
        g->hi[i] = w->hi[i];
    }
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
    job->more_blocks =
        walk_begin(&job->blocks, g->ndim, g->blockshape, g->bgrid, job->chunks.lo, job->chunks.hi);
    return TESS_OK;
}

static tess_status
next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct read_job *const job = arg;
    if (job->more_blocks) {
        fill_grain(job, &job->blocks, (int32_t)job->blocks.index, job->chunk_dst, grain);
        job->more_blocks = walk_next(&job->blocks);
        return TESS_OK;
    }
    if (!job->more_chunks) {
        *more = false;
        return TESS_OK;
    }
    const tess_status st = enter_chunk(job, err);
    if (st != TESS_OK)
        return st;
    if (job->visit->kind == VISIT_SPECIAL || job->visit->kind == VISIT_BYTES) {
        fill_grain(job, &job->chunks, -1, job->dst->items, grain);
        job->more_blocks = false;
    } else {
        fill_grain(job, &job->blocks, (int32_t)job->blocks.index, job->chunk_dst, grain);
        job->more_blocks = walk_next(&job->blocks);
    }
    job->more_chunks = walk_next(&job->chunks);
    return TESS_OK;
}

static tess_status
fill_special(const struct read_job *job, const struct grain *g, tess_error *err)
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
            extent[i] = g->hi[i] - g->lo[i];
        ndfill(geo->ndim, extent, geo->typesize, g->dst, job->dst->stride, item);
    }
    if (item != small)
        free(item);
    return st;
}

static tess_status
read_memcpyed(const struct read_job *job, const struct grain *g, struct chunk_scratch *s,
              tess_error *err)
{
    const struct geometry *const geo = &job->a->g;
    const struct stored_chunk *const sc = &g->visit->stored;
    struct decoded block = {.nbytes = geo->blocksize};
    const tess_status st =
        sc->bytes.fetch(sc->bytes.from, sc->chunk.h.header_size + g->nblock * geo->blocksize,
                        geo->blocksize, s, &block.bytes, err);
    if (st == TESS_OK)
        place_block(geo, &block, g->lo, g->hi, g->dst, job->dst->stride);
    return st;
}

static tess_status
read_block(const struct read_job *job, const struct grain *g, struct chunk_scratch *s,
           tess_error *err)
{
    const struct geometry *const geo = &job->a->g;
    const struct stored_chunk *const sc = &g->visit->stored;
    struct decoded block;
    const struct block_need need = place_need(geo, g->lo, g->hi, job->dst->stride);
    const tess_status st =
        block_load(&sc->chunk, g->nblock, &sc->bytes, g->visit->ref, &need, s, &block, err);
    if (st == TESS_OK)
        place_block(geo, &block, g->lo, g->hi, g->dst, job->dst->stride);
    return st;
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

    shape_strides(geo->ndim, geo->chunkshape, geo->typesize, src_stride);
    for (int i = 0; i < geo->ndim; i++) {
        extent[i] = g->hi[i] - g->lo[i];
        src += g->lo[i] * src_stride[i];
    }
    for (bool more =
             ndrows_begin(&r, geo->ndim, extent, geo->typesize, job->dst->stride, src_stride);
         more; more = ndrows_next(&r)) {
        const int64_t run = r.packed ? r.row_nitems : 1; // items in one piece
        for (int64_t i = 0; i < r.rows; i++)
            for (int64_t j = 0; j < r.row_nitems; j += run) {
                const int64_t from = src + r.src + i * r.row_src + j * r.item_src;
                const int64_t to = r.dst + i * r.row_dst + j * r.item_dst;
                const tess_status st = cursor_read(cur, (int32_t)from, g->dst + to,
                                                   (size_t)(run * geo->typesize), err);
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
    tess_status st = scratch_check(s, geo->blocksize, err);
    if (st != TESS_OK)
        return st;
    uint8_t *const items = malloc((size_t)geo->blocksize);
    if (!items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %d bytes",
                       geo->blocksize);
    const struct decoded block = {.bytes = items, .nbytes = geo->blocksize};
    for (bool more = walk_begin(&w, geo->ndim, geo->blockshape, geo->bgrid, g->lo, g->hi);
         more && st == TESS_OK; more = walk_next(&w)) {
        st = cursor_read(cur, (int32_t)(w.index * geo->blocksize), items, (size_t)geo->blocksize,
                         err);
        if (st == TESS_OK)
            place_block(geo, &block, w.lo, w.hi, at(job, g->dst, w.from), job->dst->stride);
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
    tess_status st = TESS_OK;
    switch (g->visit->kind) {
    case VISIT_SPECIAL:
        return fill_special(job, g, err);
    case VISIT_MEMCPYED:
        st = read_memcpyed(job, g, s, err);
        break;
    case VISIT_BLOCKS:
        st = read_block(job, g, s, err);
        break;
    case VISIT_BYTES:
        st = read_bytes(job, g, s, err);
        break;
    }
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
    visit_release(g->visit);
    return st;
}

tess_status
array_read(const tess_array *a, const int64_t *start, const int64_t *stop,
           const struct strided *dst, tess_error *err)
{
    static const struct task task = {
        .next = next, .work = work, .grain_size = sizeof(struct grain)};
    struct read_job job = {.a = a, .dst = dst};

    job.more_chunks = walk_begin(&job.chunks, a->g.ndim, a->g.chunkshape, a->g.grid, start, stop);
    if (!job.more_chunks)
        return TESS_OK;
    job.listing = pool_take(a->pool);
    if (!job.listing)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    const tess_status st = task_run(&task, &job, &(struct task_width){.threads = 1}, err);
    visit_release(job.visit);
    pool_give(a->pool, job.listing);
    return st;
}
