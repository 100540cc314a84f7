/*
 * parts.c - the blocks or chunks of a box, decoded one after the other for a user of them.
 *
 * Blocks are handed out where they were decoded, by the sink of the engine that reads
 * (grid/read/fetch.h). Whole chunks are boxes of compute/engine, which are put together in rooms of
 * their own by the calls that serve readers (array/items/box.h): a job inside a job, in which
 * threads help that find no other chunk to work on.
 */
#include "compute/parts/parts.h"

#include "array/items/box.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "chunk/decode.h"
#include "chunk/header.h"
#include "frame/format/index.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "grid/grid.h"
#include "grid/place.h"
#include "grid/read/plain.h"
#include "ndcopy/ndcopy.h"
#include "task/gate.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

// Positions (grid/read/fetch.h): on a chunk, or on something that needs no open chunk,
struct parts_chunk {
    int64_t nconstant; // items of chunks that are zeros, which is known without them
    struct walk w; // stands on the chunk
};
// and on a block.
struct parts_block {
    int64_t chunk;
    int64_t origin[NDIM_MAX]; // of the chunk, in the array
    int64_t inside[NDIM_MAX]; // where the array ends, relative to the chunk
    struct walk w;
};

_Static_assert(sizeof(struct parts_block) <= FETCH_POSITION_SIZE &&
                   sizeof(struct parts_chunk) <= sizeof(struct parts_block),
               "positions must fit");

void
parts_begin(struct parts *p, const struct parts_user *user, const tess_array *a, tess_unit unit,
            const int64_t *start, const int64_t *stop)
{
    const struct geometry *const g = a->g;
    *p = (struct parts){.user = user, .a = a, .more = true, .nitems = 1};
    p->plain = a->grid->plain && !a->view;
    p->by_block = unit == TESS_BLOCKS && !a->grid->plain && !a->grid->linear && !a->view;
    for (int i = 0; i < g->ndim; i++)
        p->nitems *= stop[i] - start[i];
    if (p->by_block)
        p->more = walk_chunks(&p->chunks, g, &(struct box){start, stop, NULL});
    else if (p->plain)
        p->boxes = (struct division){.ndim = 1, .start[0] = start[0], .stop[0] = stop[0]};
    else
        division_of_grid(&p->boxes, g->ndim, g->chunkshape, start, stop);
}

void
parts_finish(struct parts *p)
{
    engine_end(&p->engine);
    division_finish(&p->boxes);
}

static bool
parts_is_stopped(const struct parts *p)
{
    return atomic_load_explicit(&p->stopped, memory_order_relaxed);
}

// -- which blocks there are

static bool
parts_stopped(const void *self)
{
    return parts_is_stopped(self);
}

static void
pass_chunk(struct parts *p)
{
    p->nitems -= walk_nitems(&p->chunks);
    p->more = walk_next(&p->chunks);
    p->left -= p->a->g->chunksize;
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
take_zeros(struct parts *p, struct parts_chunk *c)
{
    if (frame_is_uniform(p->a->grid->frame)) {
        c->nconstant = p->nitems;
        p->more = false;
        return;
    }
    for (; p->more && parts_is_zeros(p); pass_chunk(p))
        c->nconstant += walk_nitems(&p->chunks);
}

static enum fetch_next
parts_next_chunk(void *self, void *chunk, int64_t *n, bool *all)
{
    struct parts *const p = self;
    struct parts_chunk *const c = chunk;

    if (!p->more || p->left <= 0)
        return FETCH_NOTHING;
    c->nconstant = 0;
    if (p->user->constant && cache_dirty_size(p->a->grid->cache) == 0 && parts_is_zeros(p)) {
        take_zeros(p, c);
        return FETCH_OTHER;
    }
    *n = p->chunks.index;
    c->w = p->chunks;
    *all = false;
    pass_chunk(p);
    return FETCH_CHUNK;
}

static void
parts_begin_blocks(const void *self, const void *chunk, void *block)
{
    const struct geometry *const g = ((const struct parts *)self)->a->g;
    const struct walk *const w = &((const struct parts_chunk *)chunk)->w;
    struct parts_block *const b = block;
    b->chunk = w->index;
    for (int i = 0; i < g->ndim; i++) {
        b->origin[i] = w->at[i] * g->chunkshape[i];
        b->inside[i] = min_i64(g->chunkshape[i], g->shape[i] - b->origin[i]);
    }
    walk_blocks(&b->w, g, w);
}

static bool
parts_next_block(const void *self, void *block)
{
    (void)self;
    return walk_next(&((struct parts_block *)block)->w);
}

static int32_t
parts_number(const void *block)
{
    return (int32_t)((const struct parts_block *)block)->w.index;
}

static struct block_need
parts_need(const void *self, const void *block, bool *whole)
{
    const struct parts *const p = self;
    const struct geometry *const g = p->a->g;
    const struct parts_block *const b = block;
    struct block_need need = {0};
    int64_t stride[NDIM_MAX];
    *whole = walk_covers(&b->w, b->inside);
    if (!p->user->whole_blocks) {
        shape_strides(g->ndim, g->blockshape, g->typesize, stride);
        need = place_need(g, &b->w, stride);
        need.planes = false;
    }
    return need;
}

// Items of a grain, about: of a whole block where the box has some of them.
static int64_t
parts_weight(const void *self, const void *position, int32_t nblocks)
{
    const struct parts *const p = self;
    const struct parts_chunk *const c = position;
    if (nblocks > 0)
        return nblocks * p->a->g->block_nitems;
    return c->nconstant > 0 ? c->nconstant : walk_nitems(&c->w);
}

// -- blocks are handed out

static tess_status
parts_take(void *self, void *tally, const void *block, const struct decoded *items, bool equal,
           tess_error *err)
{
    const struct parts *const p = self;
    const struct geometry *const g = p->a->g;
    const struct parts_block *const b = block;
    const struct walk *const w = &b->w;
    tess_part part = {.ndim = g->ndim, .chunk = b->chunk, .block = w->index};
    int64_t shape[NDIM_MAX];
    int64_t offset = 0;

    if (equal && p->user->constant) {
        p->user->constant(p->user->self, tally, items->bytes, walk_nitems(w));
        return TESS_OK;
    }
    shape_strides(g->ndim, g->blockshape, g->typesize, part.strides);
    for (int i = 0; i < g->ndim; i++) {
        part.start[i] = b->origin[i] + w->at[i] * g->blockshape[i] + w->lo[i];
        part.stop[i] = part.start[i] + w->hi[i] - w->lo[i];
        shape[i] = w->hi[i] - w->lo[i];
        offset += w->lo[i] * part.strides[i];
    }
    part.items = items->bytes + offset;
    part.equal = equal || ndconstant(g->ndim, shape, g->typesize, part.items, part.strides);
    struct gate_loan loan; // the program's function may read the array
    gate_lend(&loan, p->a->grid->gate);
    const tess_status st = p->user->part(p->user->self, tally, &part, err);
    gate_end_loan(&loan);
    return st;
}

static tess_status
parts_take_equal(void *self, void *tally, const void *chunk, const uint8_t *item, tess_error *err)
{
    const struct parts_user *const user = ((const struct parts *)self)->user;
    (void)err;
    user->constant(user->self, tally, item, walk_nitems(&((const struct parts_chunk *)chunk)->w));
    return TESS_OK;
}

// Zeros.
static tess_status
parts_other(void *self, void *tally, const void *chunk, tess_error *err)
{
    const struct parts *const p = self;
    const struct parts_chunk *const c = chunk;
    uint8_t *const item = mem_zeroed(1, (size_t)p->a->g->typesize);
    if (!item)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    p->user->constant(p->user->self, tally, item, c->nconstant);
    mem_free(item);
    return TESS_OK;
}

static tess_status
finish_parts(void *self, void *tally, tess_error *err)
{
    const struct parts_user *const user = ((const struct parts *)self)->user;
    return user->finish(user->self, tally, err);
}

static void
parts_drop(void *self, void *tally)
{
    const struct parts_user *const user = ((const struct parts *)self)->user;
    user->drop(user->self, tally);
}

// What items of this size may stand at in memory.
static size_t
alignment_of(size_t typesize)
{
    const size_t least = typesize & (~typesize + 1), most = _Alignof(max_align_t);
    return least < most ? least : most;
}

static tess_status
run_blocks(struct parts *p, int64_t most, struct watch *watch, tess_error *err)
{
    const struct parts_user *const user = p->user;
    const struct geometry *const g = p->a->g;
    const struct fetch_reader reader = {
        .position_size = sizeof(struct parts_block),
        .next_chunk = parts_next_chunk,
        .begin_blocks = parts_begin_blocks,
        .next_block = parts_next_block,
        .number = parts_number,
        .need = parts_need,
        .take = parts_take,
        .take_equal = user->constant ? parts_take_equal : NULL,
        .other = parts_other,
        .weight = parts_weight,
        .finish = user->finish ? finish_parts : NULL,
        .stopped = parts_stopped,
        .drop = user->drop ? parts_drop : NULL,
        .align = user->unaligned ? 1 : alignment_of((size_t)g->typesize),
    };
    const int64_t nbytes = min_i64(
        geometry_blocks_nbytes(g, &(struct box){p->chunks.start, p->chunks.stop, NULL}), most);
    const struct fetch fetch = {.grid = p->a->grid,
                                .reader = &reader,
                                .self = p,
                                .nbytes = nbytes,
                                .weight = max_i64(nbytes / g->typesize, 1),
                                .cost = user->slow ? INT64_MAX : 0,
                                .watch = watch};
    p->left = most;
    return fetch_run(&fetch, err);
}

// -- whole chunks

// The ordinal of the chunk that an item is in.
static int64_t
chunk_of(const struct parts *p, const int64_t *at)
{
    const struct geometry *const g = p->a->g;
    int64_t n = 0;
    if (p->plain)
        return plain_chunk_at(p->a->grid, at[0] * g->typesize);
    for (int i = 0; i < g->ndim; i++)
        n = n * g->grid[i] + at[i] / g->chunkshape[i];
    return n;
}

static tess_status
hand_out_whole(void *self, void *tally, const struct engine_box *box, uint8_t *room,
               tess_error *err)
{
    struct parts *const p = self;
    const tess_array *const a = p->a;
    tess_part part = {
        .ndim = a->g->ndim, .chunk = chunk_of(p, box->start), .block = -1, .items = room};
    struct box_memory to = {.items = room};
    int64_t shape[NDIM_MAX];
    for (int i = 0; i < part.ndim; i++) {
        part.start[i] = box->start[i];
        part.stop[i] = box->stop[i];
        shape[i] = box->stop[i] - box->start[i];
    }
    shape_strides(part.ndim, shape, a->g->typesize, part.strides);
    memcpy(to.stride, part.strides, sizeof to.stride);
    const tess_status st =
        array_read(a, &(struct box){box->start, box->stop, NULL}, &to, &p->engine.inner, err);
    if (st == TESS_OK)
        part.equal = ndconstant(part.ndim, shape, a->g->typesize, room, part.strides);
    return st == TESS_OK ? p->user->part(p->user->self, tally, &part, err) : st;
}

// The chunks of a plain frame that have items; they may differ in size.
static tess_status
divide_plain(struct parts *p, tess_error *err)
{
    const int64_t size = p->a->g->typesize, end = p->boxes.stop[0];
    int64_t at = p->boxes.start[0];
    tess_status st = division_begin(&p->boxes, 0, at, err);
    while (at < end && st == TESS_OK) {
        const int64_t next = plain_chunk_at(p->a->grid, at * size) + 1;
        at = min_i64(end, plain_chunk_start(p->a->grid, next) / size);
        st = division_append(&p->boxes, 0, at, err);
    }
    return st;
}

static tess_status
begin_whole(struct parts *p, struct watch *watch, tess_error *err)
{
    const int64_t limit = frame_limits(p->a->grid->frame)->memory;
    int64_t room_size = p->a->g->typesize;
    const tess_status st = p->plain ? divide_plain(p, err) : TESS_OK;
    if (st != TESS_OK)
        return st;
    for (int i = 0; i < p->boxes.ndim; i++)
        room_size *= p->boxes.longest[i];
    if (limit > 0 && room_size > limit)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "a chunk of %" PRId64 " bytes, the limit is %" PRId64, room_size, limit);
    p->sink = (struct engine_sink){.self = p,
                                   .work = hand_out_whole,
                                   .finish = p->user->finish ? finish_parts : NULL,
                                   .drop = p->user->drop ? parts_drop : NULL,
                                   .stopped = &p->stopped,
                                   .tally_size = PARTS_TALLY_SIZE,
                                   .room_size = (size_t)room_size};
    const tess_array *const ahead = p->plain ? NULL : p->a;
    return engine_begin(&p->engine, &p->sink, &p->boxes, &ahead, 1, watch, err);
}

static tess_status
run_whole(struct parts *p, int64_t most, struct watch *watch, tess_error *err)
{
    const struct geometry *const g = p->a->g;
    const int64_t done = p->engine.nitems, nitems = min_i64(p->nitems, most / g->typesize);
    const int64_t cost =
        p->user->slow ? INT64_MAX : chunk_grid_decode_cost(p->a->grid, nitems * g->typesize);
    const struct task_width width = chunk_grid_width(p->a->grid, cost, watch);
    tess_status st = TESS_OK;
    if (!p->sink.work)
        st = begin_whole(p, watch, err);
    if (st != TESS_OK)
        return st;
    watch_job(watch, max_i64(nitems, 1));
    st = engine_run(&p->engine, p->plain ? INT64_MAX : (most - 1) / g->chunksize + 1, &width, err);
    p->nitems -= p->engine.nitems - done;
    p->more = engine_has_more(&p->engine);
    return st;
}

tess_status
parts_run(struct parts *p, int64_t most, struct watch *watch, tess_error *err)
{
    return p->by_block ? run_blocks(p, most, watch, err) : run_whole(p, most, watch, err);
}
