/*
 * parts.c - the blocks or chunks of a box, decoded one after the other for whoever works on them.
 *
 * A grain is a run of blocks of one chunk, or a whole chunk; of blocks that have to be put together
 * from those of another layout, all that the chunk has, so that each of these is decoded once.
 *
 * Chunks that are put together are read by the calls that serve readers (read.c, plain.c): a job
 * inside a job, in which threads help that find no other chunk to work on.
 */
#include "array/iterate/parts.h"
#include "array/box.h"

#include "base/checked.h"
#include "base/error.h"
#include "cache/cache.h"
#include "chunk/cursor.h"
#include "chunk/decode.h"
#include "chunk/header.h"
#include "chunk/scratch.h"
#include "codec/codec.h"
#include "frame/format/header.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "frame/stored.h"
#include "geom/shape.h"
#include "grid/blocks.h"
#include "grid/cost.h"
#include "grid/open_chunk.h"
#include "grid/open_chunks.h"
#include "grid/place.h"
#include "grid/plain.h"
#include "grid/pool.h"
#include "grid/read.h"
#include "grid/strided.h"
#include "ndcopy/ndcopy.h"
#include "task/task.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct job {
    struct parts *p;
    const struct parts_user *user;
    struct watch *watch;
    int64_t left; // bytes of chunks that may still be begun
    int32_t run; // blocks of a grain
    bool more_blocks;
    struct walk blocks; // stands on the next block
    struct open_chunk *visit; // of its chunk
    int64_t origin[NDIM_MAX]; // of the chunk, in the array
    int64_t inside[NDIM_MAX]; // where the array ends, relative to the chunk
};

struct grain {
    struct open_chunk *visit; // held; NULL: none is needed
    int64_t chunk;
    int64_t nconstant; // items of special chunks; 0: there is another thing to do
    int32_t nblocks; // 0: the whole chunk
    int64_t origin[NDIM_MAX], inside[NDIM_MAX];
    struct walk blocks;
    int64_t start[NDIM_MAX], stop[NDIM_MAX]; // of the whole chunk's part, in the array
    _Alignas(max_align_t) unsigned char tally[PARTS_TALLY_SIZE];
};

_Static_assert(sizeof(struct grain) <= TASK_GRAIN_SIZE_MAX, "a grain must fit");

static int64_t
walk_nitems(const struct walk *w)
{
    int64_t n = 1;
    for (int i = 0; i < w->ndim; i++)
        n *= w->hi[i] - w->lo[i];
    return n;
}

// Bytes of the largest part of a plain frame.
static int64_t
plain_room(const tess_array *a, int64_t start, int64_t stop)
{
    const int64_t last = plain_chunk_at(a->grid, stop * a->g->typesize - 1);
    int64_t most = 0;
    if (!a->grid->chunk_starts)
        return a->g->chunksize;
    for (int64_t n = plain_chunk_at(a->grid, start * a->g->typesize); n <= last; n++)
        most = max_i64(most, plain_chunk_start(a->grid, n + 1) - plain_chunk_start(a->grid, n));
    return most;
}

void
parts_begin(struct parts *p, const tess_array *a, tess_unit unit, const int64_t *start,
            const int64_t *stop)
{
    const struct geometry *const g = a->g;
    *p = (struct parts){.a = a, .more = true, .nitems = 1};
    p->plain = a->grid->plain && !a->view;
    p->by_block = unit == TESS_BLOCKS && !a->grid->plain && !a->grid->linear && !a->view;
    for (int i = 0; i < g->ndim; i++)
        p->nitems *= stop[i] - start[i];
    if (p->plain) {
        p->at = start[0];
        p->end = stop[0];
        p->room_size = plain_room(a, p->at, p->end);
        return;
    }
    p->more = walk_begin(&p->chunks, g->ndim, g->chunkshape, g->grid, start, stop, NULL);
    p->room_size = g->typesize;
    for (int i = 0; i < g->ndim; i++)
        p->room_size *= min_i64(g->chunkshape[i], stop[i] - start[i]);
}

void
parts_finish(struct parts *p)
{
    for (int i = 0; i < PARTS_ROOMS; i++)
        free(atomic_load(&p->rooms[i]));
}

static uint8_t *
take_room(struct parts *p)
{
    for (int i = 0; i < PARTS_ROOMS; i++) {
        uint8_t *const room =
            atomic_load(&p->rooms[i]) ? atomic_exchange(&p->rooms[i], NULL) : NULL;
        if (room)
            return room;
    }
    return malloc((size_t)p->room_size);
}

static void
give_room(struct parts *p, uint8_t *room)
{
    for (int i = 0; i < PARTS_ROOMS && room; i++) {
        uint8_t *empty = NULL;
        if (atomic_compare_exchange_strong(&p->rooms[i], &empty, room))
            return;
    }
    free(room);
}

static bool
is_stopped(const struct parts *p)
{
    return atomic_load_explicit(&p->stopped, memory_order_relaxed);
}

// -- which parts a grain has

// The next chunk of a plain frame that has items.
static void
take_plain(struct job *job, struct grain *g)
{
    struct parts *const p = job->p;
    const int64_t size = p->a->g->typesize;
    g->chunk = plain_chunk_at(p->a->grid, p->at * size);
    g->start[0] = p->at;
    g->stop[0] = min_i64(p->end, plain_chunk_start(p->a->grid, g->chunk + 1) / size);
    p->at = g->stop[0];
    p->more = p->at < p->end;
}

static void
pass_chunk(struct job *job)
{
    struct parts *const p = job->p;
    p->nitems -= walk_nitems(&p->chunks);
    p->more = walk_next(&p->chunks);
    job->left -= p->a->g->chunksize;
}

static void
parts_take_chunk(struct job *job, struct grain *g)
{
    const struct walk *const w = &job->p->chunks;
    g->chunk = w->index;
    for (int i = 0; i < w->ndim; i++) {
        g->start[i] = w->start[i] + w->from[i];
        g->stop[i] = g->start[i] + w->hi[i] - w->lo[i];
    }
    pass_chunk(job);
}

// Whether the next chunk is zeros, and nothing but the list of chunks knows of it.
static bool
parts_is_zeros(const struct parts *p)
{
    const enum chunk_special special = frame_special(p->a->grid->frame, p->chunks.index);
    return special == SPECIAL_ZEROS || special == SPECIAL_UNINIT;
}

// All chunks of zeros from here on; without a look at each if there are no others.
static void
take_zeros(struct job *job, struct grain *g)
{
    struct parts *const p = job->p;
    if (frame_is_uniform(p->a->grid->frame)) {
        g->nconstant = p->nitems;
        p->more = false;
        return;
    }
    for (; p->more && parts_is_zeros(p); pass_chunk(job))
        g->nconstant += walk_nitems(&p->chunks);
}

// Open the next chunk, and begin the walk over its blocks.
static tess_status
parts_enter_chunk(struct job *job, tess_error *err)
{
    const struct geometry *const g = job->p->a->g;
    const struct walk *const w = &job->p->chunks;
    open_chunk_release(job->visit);
    job->visit = NULL;
    const tess_status st = open_chunks_get(job->p->a->grid, w->index, false, &job->visit, err);
    if (st != TESS_OK)
        return st;
    for (int i = 0; i < g->ndim; i++) {
        job->origin[i] = w->at[i] * g->chunkshape[i];
        job->inside[i] = min_i64(g->chunkshape[i], g->shape[i] - job->origin[i]);
    }
    job->more_blocks =
        walk_begin(&job->blocks, g->ndim, g->blockshape, g->bgrid, w->lo, w->hi, NULL);
    return TESS_OK;
}

// How many blocks a grain may have.
static int32_t
parts_run_length(const struct job *job)
{
    const enum open_kind kind = job->visit->kind;
    const bool at_once = kind == OPEN_BYTES || (kind == OPEN_SPECIAL && job->user->constant);
    return at_once ? INT32_MAX : job->run;
}

static void
parts_take_blocks(struct job *job, struct grain *g)
{
    const int32_t most = parts_run_length(job);
    g->visit = job->visit;
    open_chunk_hold(g->visit);
    g->chunk = g->visit->n;
    g->blocks = job->blocks;
    memcpy(g->origin, job->origin, sizeof g->origin);
    memcpy(g->inside, job->inside, sizeof g->inside);
    for (; job->more_blocks && g->nblocks < most; g->nblocks++)
        job->more_blocks = walk_next(&job->blocks);
}

static tess_status
next_by_block(struct job *job, struct grain *g, tess_error *err)
{
    const bool special = job->user->constant && cache_dirty_size(job->p->a->grid->cache) == 0;
    if (!job->more_blocks) {
        if (special && parts_is_zeros(job->p)) {
            take_zeros(job, g);
            return TESS_OK;
        }
        const tess_status st = parts_enter_chunk(job, err);
        if (st != TESS_OK)
            return st;
        if (special && job->visit->kind == OPEN_SPECIAL) {
            g->nconstant = walk_nitems(&job->p->chunks);
            job->more_blocks = false;
            g->visit = job->visit;
            open_chunk_hold(g->visit);
            g->chunk = g->visit->n;
        }
        pass_chunk(job);
    }
    if (g->nconstant == 0)
        parts_take_blocks(job, g);
    return TESS_OK;
}

static tess_status
parts_next(void *arg, void *grain, bool *more, tess_error *err)
{
    struct job *const job = arg;
    struct grain *const g = grain;
    const struct parts *const p = job->p;

    *more = !is_stopped(p) && (job->more_blocks || (p->more && job->left > 0));
    if (!*more)
        return TESS_OK;
    g->visit = NULL;
    g->nconstant = 0;
    g->nblocks = 0;
    memset(g->tally, 0, sizeof g->tally);
    if (p->by_block)
        return next_by_block(job, g, err);
    if (p->plain)
        take_plain(job, g);
    else
        parts_take_chunk(job, g);
    return TESS_OK;
}

// -- blocks

// The blocks of a grain, one after the other.
struct run {
    const struct job *job;
    struct grain *g;
    struct chunk_scratch *s;
    struct walk w;
    int32_t left; // blocks, with the one the walk stands on
    struct cached *held; // the block in use, if it is the cache's
    uint8_t *items; // of one that is put together or moved; of a special chunk they are set once
    struct chunk_cursor cursor; // of a chunk of another layout
};

static void
parts_look_ahead(const void *reader, struct span *span, int32_t most)
{
    const struct run *const r = reader;
    struct walk w = r->w;
    for (int32_t left = r->left - 1; left > 0 && walk_next(&w); left--)
        if (!blocks_join(span, open_chunk_span(r->job->p->a->grid, r->g->visit, (int32_t)w.index),
                         most))
            return;
}

static tess_status
allocate_items(struct run *r, tess_error *err)
{
    const int32_t blocksize = r->job->p->a->g->blocksize;
    const tess_status st = scratch_check(r->s, blocksize, err);
    if (st != TESS_OK)
        return st;
    r->items = malloc((size_t)blocksize);
    return r->items ? TESS_OK
                    : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block of %" PRId32 " bytes",
                              blocksize);
}

// A block of equal items; of those that are not asked for more than the item itself, that.
static tess_status
make_special(struct run *r, tess_error *err)
{
    const struct geometry *const g = r->job->p->a->g;
    const int64_t stride = g->typesize, rest = g->block_nitems - 1;
    if (r->items)
        return TESS_OK;
    tess_status st = allocate_items(r, err);
    if (st == TESS_OK)
        st = open_chunk_item(r->job->p->a->grid, r->g->visit, r->items, err);
    if (st == TESS_OK && rest > 0 && !r->job->user->constant)
        ndfill(1, &rest, stride, r->items + stride, &stride, r->items);
    return st;
}

// A block of the grid that is none of the chunk's.
static tess_status
make_foreign(struct run *r, tess_error *err)
{
    const struct stored_chunk *const sc = &r->g->visit->stored;
    const int32_t blocksize = r->job->p->a->g->blocksize;
    tess_status st = TESS_OK;
    if (!r->items)
        st = allocate_items(r, err);
    if (st == TESS_OK && !r->cursor.c)
        st = cursor_init(&r->cursor, &sc->chunk, &sc->bytes, r->s, err);
    if (st == TESS_OK)
        st = cursor_read(&r->cursor, (int32_t)(r->w.index * blocksize), r->items, (size_t)blocksize,
                         err);
    return st;
}

// The block the run stands on, if it is not decoded as such. *constant: all its items are the first
// one, and there are no others.
static tess_status
parts_make_block(struct run *r, struct decoded *out, bool *constant, tess_error *err)
{
    const tess_array *const a = r->job->p->a;
    *out = (struct decoded){.nbytes = a->g->blocksize};
    r->held = cache_find(a->grid->cache, r->g->chunk, (int32_t)r->w.index);
    if (r->held) {
        out->bytes = r->held->items;
        return TESS_OK;
    }
    *constant = r->g->visit->kind == OPEN_SPECIAL && r->job->user->constant;
    const tess_status st =
        r->g->visit->kind == OPEN_SPECIAL ? make_special(r, err) : make_foreign(r, err);
    out->bytes = r->items;
    return st;
}

// Stored bytes that are used where they are may stand anywhere.
static tess_status
align(struct run *r, struct decoded *block, tess_error *err)
{
    const uintptr_t size = (uintptr_t)r->job->p->a->g->typesize;
    const uintptr_t least = size & (~size + 1), most = _Alignof(max_align_t);
    if (r->job->user->unaligned ||
        ((uintptr_t)block->bytes & ((least < most ? least : most) - 1)) == 0)
        return TESS_OK;
    const tess_status st = r->items ? TESS_OK : allocate_items(r, err);
    if (st == TESS_OK) {
        memcpy(r->items, block->bytes, (size_t)block->nbytes);
        block->bytes = r->items;
    }
    return st;
}

static tess_status
parts_hand_out(struct run *r, const struct decoded *block, tess_error *err)
{
    const struct geometry *const g = r->job->p->a->g;
    const struct walk *const w = &r->w;
    tess_part part = {.ndim = g->ndim, .chunk = r->g->chunk, .block = w->index};
    int64_t offset = 0;

    shape_strides(g->ndim, g->blockshape, g->typesize, part.strides);
    for (int i = 0; i < g->ndim; i++) {
        part.start[i] = r->g->origin[i] + w->at[i] * g->blockshape[i] + w->lo[i];
        part.shape[i] = w->hi[i] - w->lo[i];
        offset += w->lo[i] * part.strides[i];
    }
    part.items = block->bytes + offset;
    return r->job->user->part(r->job->user->self, r->g->tally, &part, err);
}

static struct block_need
need_of(const struct run *r)
{
    const struct geometry *const g = r->job->p->a->g;
    struct block_need need = {0};
    int64_t stride[NDIM_MAX];
    if (!r->job->user->whole_blocks) {
        shape_strides(g->ndim, g->blockshape, g->typesize, stride);
        need = place_need(g, &r->w, stride);
        need.planes = false;
    }
    return need;
}

static tess_status
do_block(struct run *r, struct blocks *blocks, tess_error *err)
{
    const struct parts_user *const user = r->job->user;
    const bool covers = walk_covers(&r->w, r->g->inside);
    const enum open_kind kind = r->g->visit->kind;
    bool constant = false;
    struct decoded block;
    tess_status st;

    if (kind == OPEN_SPECIAL || kind == OPEN_BYTES) {
        st = parts_make_block(r, &block, &constant, err);
    } else {
        const struct block_need need = need_of(r);
        st = blocks_get(blocks, (int32_t)r->w.index, covers, &need, &block, err);
        if (st == TESS_OK)
            st = align(r, &block, err);
    }
    if (st != TESS_OK)
        st = stored_chunk_blame(&r->g->visit->stored, r->g->chunk, st, err);
    else if (constant)
        user->constant(user->self, r->g->tally, block.bytes, walk_nitems(&r->w));
    else
        st = parts_hand_out(r, &block, err);
    blocks_done(blocks);
    cache_unpin(r->held);
    r->held = NULL;
    return st;
}

static tess_status
do_blocks(const struct job *job, struct grain *g, struct chunk_scratch *s, tess_error *err)
{
    tess_status st = TESS_OK;
    struct run r = {.job = job, .g = g, .s = s, .w = g->blocks, .left = g->nblocks};
    struct blocks blocks = {.grid = job->p->a->grid,
                            .v = g->visit,
                            .s = s,
                            .look_ahead = parts_look_ahead,
                            .reader = &r};
    for (; r.left > 0 && st == TESS_OK && !is_stopped(job->p); r.left--) {
        st = do_block(&r, &blocks, err);
        walk_next(&r.w);
    }
    blocks_finish(&blocks);
    cursor_finish(&r.cursor);
    free(r.items);
    return st;
}

// -- whole chunks

static tess_status
check_room(const struct parts *p, tess_error *err)
{
    const int64_t limit = frame_limits(p->a->grid->frame)->memory;
    if (limit > 0 && p->room_size > limit)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "a chunk of %" PRId64 " bytes, the limit is %" PRId64, p->room_size, limit);
    return TESS_OK;
}

static tess_status
do_chunk(const struct job *job, struct grain *g, uint8_t *room, tess_error *err)
{
    const tess_array *const a = job->p->a;
    tess_part part = {.ndim = a->g->ndim, .chunk = g->chunk, .block = -1, .items = room};
    struct strided to = {.items = room};
    for (int i = 0; i < part.ndim; i++) {
        part.start[i] = g->start[i];
        part.shape[i] = g->stop[i] - g->start[i];
    }
    shape_strides(part.ndim, part.shape, a->g->typesize, part.strides);
    memcpy(to.stride, part.strides, sizeof to.stride);
    const tess_status st = array_read(a, g->start, g->stop, NULL, &to, NULL, err);
    if (st != TESS_OK)
        return st;
    return job->user->part(job->user->self, g->tally, &part, err);
}

static tess_status
do_whole(const struct job *job, struct grain *g, tess_error *err)
{
    uint8_t *const room = take_room(job->p);
    const tess_status st =
        room ? do_chunk(job, g, room, err)
             : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk of %" PRId64 " bytes",
                       job->p->room_size);
    give_room(job->p, room);
    return st;
}

// -- work

// Items that are the same all over. Without a chunk: zeros.
static tess_status
do_constant(const struct job *job, struct grain *g, tess_error *err)
{
    const tess_array *const a = job->p->a;
    tess_status st = TESS_OK;
    uint8_t *const item = calloc(1, (size_t)a->g->typesize);
    if (!item)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    if (g->visit)
        st = open_chunk_item(a->grid, g->visit, item, err);
    if (st == TESS_OK)
        job->user->constant(job->user->self, g->tally, item, g->nconstant);
    free(item);
    return st;
}

// Items of a grain, about: of a whole block where the box has some of them.
static int64_t
grain_nitems(const struct job *job, const struct grain *g)
{
    const struct geometry *const geo = job->p->a->g;
    int64_t n = 1;
    if (g->nconstant > 0)
        return g->nconstant;
    if (g->nblocks > 0)
        return g->nblocks * geo->block_nitems;
    for (int i = 0; i < geo->ndim; i++)
        n *= g->stop[i] - g->start[i];
    return n;
}

static tess_status
do_grain(const struct job *job, struct grain *g, tess_error *err)
{
    struct pool *const pool = job->p->a->grid->pool;
    if (g->nconstant > 0)
        return do_constant(job, g, err);
    if (g->nblocks == 0)
        return do_whole(job, g, err);

    struct chunk_scratch *const s = pool_take(pool);
    const tess_status st =
        s ? do_blocks(job, g, s, err) : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    pool_give(pool, s);
    return st;
}

static tess_status
parts_work(void *arg, void *grain, tess_error *err)
{
    const struct job *const job = arg;
    const tess_status st = is_stopped(job->p) ? TESS_OK : do_grain(job, grain, err);
    watch_add(job->watch, grain_nitems(job, grain));
    return st;
}

static tess_status
finish_parts(void *arg, void *grain, tess_error *err)
{
    const struct job *const job = arg;
    return job->user->finish(job->user->self, ((struct grain *)grain)->tally, err);
}

static void
parts_drop(void *arg, void *grain)
{
    const struct job *const job = arg;
    struct grain *const g = grain;
    open_chunk_release(g->visit);
    if (job->user->drop)
        job->user->drop(job->user->self, g->tally);
}

// Decoded bytes of the whole box, about.
static int64_t
nbytes_of(const struct parts *p)
{
    return p->plain ? (p->end - p->at) * p->a->g->typesize
                    : geometry_blocks_nbytes(p->a->g, p->chunks.start, p->chunks.stop, NULL);
}

tess_status
parts_run(struct parts *p, const struct parts_user *user, int64_t most, struct watch *watch,
          tess_error *err)
{
    const struct task task = {
        .next = parts_next,
        .work = parts_work,
        .finish = user->finish ? finish_parts : NULL,
        .drop = parts_drop,
        .grain_size = sizeof(struct grain),
    };
    const int64_t nbytes = min_i64(nbytes_of(p), most);
    const struct task_width width = {
        .threads = p->a->context.threads,
        .cost = user->slow
                    ? INT64_MAX
                    : cost_decode(codec_by_id(frame_header(p->a->grid->frame)->codec), nbytes),
        .watch = watch,
    };
    struct job job = {.p = p, .user = user, .watch = watch, .left = most};

    tess_status st = p->by_block ? TESS_OK : check_room(p, err);
    if (st != TESS_OK)
        return st;
    if (p->by_block)
        job.run = blocks_run_length(nbytes, p->a->g->blocksize);
    watch_job(watch, max_i64(nbytes / p->a->g->typesize, 1));
    st = task_run(&task, &job, &width, err);
    open_chunk_release(job.visit);
    return st;
}
