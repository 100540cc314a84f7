/*
 * parts.c - the blocks or chunks of a box, decoded one after the other for a user of them.
 *
 * Blocks are handed out where they were decoded, by the sink of the engine that reads
 * (grid/read/fetch.h). Whole chunks are put together in memory of their own by the calls that serve
 * readers (array/items/box.h): a job inside a job, in which threads help that find no other chunk
 * to work on.
 */
#include "array/iterate/parts.h"

#include "array/array.h"
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
#include "grid/grid.h"
#include "grid/place.h"
#include "grid/read/fetch.h"
#include "grid/read/plain.h"
#include "grid/strided.h"
#include "ndcopy/ndcopy.h"
#include "task/gate.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

struct job {
    struct parts *p;
    const struct parts_user *user;
    int64_t left; // bytes of chunks that may still be begun
    struct watch inner; // for jobs that read whole chunks

    int64_t nwhole; // of them, so far
    struct array_ahead *ahead;
    struct walk coming; // the chunks that it has not asked for
    bool more_coming;
};

// Positions (grid/read/fetch.h): on a chunk, or on something that needs no open chunk,
struct parts_chunk {
    int64_t n;
    int64_t nconstant; // items of chunks that are zeros, which is known without them
    int64_t number; // of a whole chunk, in the job
    int64_t start[NDIM_MAX], stop[NDIM_MAX]; // of a whole chunk's part, in the array
    struct walk w; // stands on the chunk
};
// and on a block.
struct parts_block {
    int64_t chunk;
    int64_t origin[NDIM_MAX]; // of the chunk, in the array
    int64_t inside[NDIM_MAX]; // where the array ends, relative to the chunk
    struct walk w;
};

_Static_assert(sizeof(struct parts_chunk) <= FETCH_POSITION_SIZE &&
                   sizeof(struct parts_block) <= sizeof(struct parts_chunk),
               "positions must fit");

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
        mem_free(atomic_load(&p->rooms[i]));
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
    return mem_alloc((size_t)p->room_size);
}

static void
give_room(struct parts *p, uint8_t *room)
{
    for (int i = 0; i < PARTS_ROOMS && room; i++) {
        uint8_t *empty = NULL;
        if (atomic_compare_exchange_strong(&p->rooms[i], &empty, room))
            return;
    }
    mem_free(room);
}

static bool
is_stopped(const struct parts *p)
{
    return atomic_load_explicit(&p->stopped, memory_order_relaxed);
}

// -- which parts there are

static bool
parts_stopped(const void *self)
{
    return is_stopped(((const struct job *)self)->p);
}

static void
pass_chunk(struct job *job)
{
    struct parts *const p = job->p;
    p->nitems -= walk_nitems(&p->chunks);
    p->more = walk_next(&p->chunks);
    job->left -= p->a->g->chunksize;
}

// The next chunk of a plain frame that has items.
static void
take_plain(struct parts *p, struct parts_chunk *c)
{
    const int64_t size = p->a->g->typesize;
    c->n = plain_chunk_at(p->a->grid, p->at * size);
    c->start[0] = p->at;
    c->stop[0] = min_i64(p->end, plain_chunk_start(p->a->grid, c->n + 1) / size);
    p->at = c->stop[0];
    p->more = p->at < p->end;
}

static void
whole_box(const struct walk *w, int64_t *start, int64_t *stop)
{
    for (int i = 0; i < w->ndim; i++) {
        start[i] = w->start[i] + w->from[i];
        stop[i] = start[i] + w->hi[i] - w->lo[i];
    }
}

static bool
next_coming(void *arg, int64_t *start, int64_t *stop)
{
    struct job *const job = arg;
    if (!job->more_coming)
        return false;
    whole_box(&job->coming, start, stop);
    job->more_coming = walk_next(&job->coming);
    return true;
}

static void
take_whole(struct job *job, struct parts_chunk *c)
{
    const struct walk *const w = &job->p->chunks;
    c->n = w->index;
    whole_box(w, c->start, c->stop);
    c->number = job->nwhole++;
    (void)array_ahead_reach(job->ahead, c->number, NULL); // if it is cancelled, the read says so
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
take_zeros(struct job *job, struct parts_chunk *c)
{
    struct parts *const p = job->p;
    if (frame_is_uniform(p->a->grid->frame)) {
        c->nconstant = p->nitems;
        p->more = false;
        return;
    }
    for (; p->more && parts_is_zeros(p); pass_chunk(job))
        c->nconstant += walk_nitems(&p->chunks);
}

static enum fetch_next
parts_next_chunk(void *self, void *chunk, int64_t *n, bool *all)
{
    struct job *const job = self;
    struct parts *const p = job->p;
    struct parts_chunk *const c = chunk;

    if (!p->more || job->left <= 0)
        return FETCH_NOTHING;
    c->nconstant = 0;
    if (p->plain) {
        take_plain(p, c);
        return FETCH_OTHER;
    }
    if (!p->by_block) {
        take_whole(job, c);
        return FETCH_OTHER;
    }
    if (job->user->constant && cache_dirty_size(p->a->grid->cache) == 0 && parts_is_zeros(p)) {
        take_zeros(job, c);
        return FETCH_OTHER;
    }
    c->n = *n = p->chunks.index;
    c->w = p->chunks;
    *all = false;
    pass_chunk(job);
    return FETCH_CHUNK;
}

static void
parts_begin_blocks(const void *self, const void *chunk, void *block)
{
    const struct geometry *const g = ((const struct job *)self)->p->a->g;
    const struct walk *const w = &((const struct parts_chunk *)chunk)->w;
    struct parts_block *const b = block;
    b->chunk = w->index;
    for (int i = 0; i < g->ndim; i++) {
        b->origin[i] = w->at[i] * g->chunkshape[i];
        b->inside[i] = min_i64(g->chunkshape[i], g->shape[i] - b->origin[i]);
    }
    walk_begin(&b->w, g->ndim, g->blockshape, g->bgrid, w->lo, w->hi, NULL);
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
    const struct job *const job = self;
    const struct geometry *const g = job->p->a->g;
    const struct parts_block *const b = block;
    struct block_need need = {0};
    int64_t stride[NDIM_MAX];
    *whole = walk_covers(&b->w, b->inside);
    if (!job->user->whole_blocks) {
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
    const struct parts *const p = ((const struct job *)self)->p;
    const struct parts_chunk *const c = position;
    int64_t n = 1;
    if (nblocks > 0)
        return nblocks * p->a->g->block_nitems;
    if (c->nconstant > 0)
        return c->nconstant;
    if (p->by_block)
        return walk_nitems(&c->w);
    for (int i = 0; i < p->a->g->ndim; i++)
        n *= c->stop[i] - c->start[i];
    return n;
}

// -- parts are handed out

static tess_status
parts_take(void *self, void *tally, const void *block, const struct decoded *items, bool equal,
           tess_error *err)
{
    const struct job *const job = self;
    const struct geometry *const g = job->p->a->g;
    const struct parts_block *const b = block;
    const struct walk *const w = &b->w;
    tess_part part = {.ndim = g->ndim, .chunk = b->chunk, .block = w->index};
    int64_t shape[NDIM_MAX];
    int64_t offset = 0;

    if (equal && job->user->constant) {
        job->user->constant(job->user->self, tally, items->bytes, walk_nitems(w));
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
    gate_lend(&loan, job->p->a->grid->gate);
    const tess_status st = job->user->part(job->user->self, tally, &part, err);
    gate_end_loan(&loan);
    return st;
}

static tess_status
parts_take_equal(void *self, void *tally, const void *chunk, const uint8_t *item, tess_error *err)
{
    const struct job *const job = self;
    (void)err;
    job->user->constant(job->user->self, tally, item,
                        walk_nitems(&((const struct parts_chunk *)chunk)->w));
    return TESS_OK;
}

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
hand_out_whole(struct job *job, void *tally, const struct parts_chunk *c, uint8_t *room,
               tess_error *err)
{
    const tess_array *const a = job->p->a;
    tess_part part = {.ndim = a->g->ndim, .chunk = c->n, .block = -1, .items = room};
    struct strided to = {.items = room};
    int64_t shape[NDIM_MAX];
    for (int i = 0; i < part.ndim; i++) {
        part.start[i] = c->start[i];
        part.stop[i] = c->stop[i];
        shape[i] = c->stop[i] - c->start[i];
    }
    shape_strides(part.ndim, shape, a->g->typesize, part.strides);
    memcpy(to.stride, part.strides, sizeof to.stride);
    const tess_status st = array_read(a, c->start, c->stop, NULL, &to, &job->inner, err);
    if (st == TESS_OK)
        part.equal = ndconstant(part.ndim, shape, a->g->typesize, room, part.strides);
    return st == TESS_OK ? job->user->part(job->user->self, tally, &part, err) : st;
}

// A whole chunk, or zeros.
static tess_status
parts_other(void *self, void *tally, const void *chunk, tess_error *err)
{
    struct job *const job = self;
    const struct parts_chunk *const c = chunk;
    if (c->nconstant > 0) {
        uint8_t *const item = mem_zeroed(1, (size_t)job->p->a->g->typesize);
        if (!item)
            return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
        job->user->constant(job->user->self, tally, item, c->nconstant);
        mem_free(item);
        return TESS_OK;
    }
    uint8_t *const room = take_room(job->p);
    const tess_status st =
        room ? hand_out_whole(job, tally, c, room, err)
             : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a chunk of %" PRId64 " bytes",
                       job->p->room_size);
    give_room(job->p, room);
    if (!job->p->plain)
        array_ahead_leave(job->ahead, c->number);
    return st;
}

static tess_status
finish_parts(void *self, void *tally, tess_error *err)
{
    const struct job *const job = self;
    return job->user->finish(job->user->self, tally, err);
}

static void
parts_drop(void *self, void *tally)
{
    const struct job *const job = self;
    job->user->drop(job->user->self, tally);
}

// -- all

// Decoded bytes of the whole box, about.
static int64_t
nbytes_of(const struct parts *p)
{
    return p->plain ? (p->end - p->at) * p->a->g->typesize
                    : geometry_blocks_nbytes(p->a->g, p->chunks.start, p->chunks.stop, NULL);
}

// What items of this size may stand at in memory.
static size_t
alignment_of(size_t typesize)
{
    const size_t least = typesize & (~typesize + 1), most = _Alignof(max_align_t);
    return least < most ? least : most;
}

tess_status
parts_run(struct parts *p, const struct parts_user *user, int64_t most, struct watch *watch,
          tess_error *err)
{
    const struct fetch_reader reader = {
        .position_size = sizeof(struct parts_chunk),
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
        .align = user->unaligned ? 1 : alignment_of((size_t)p->a->g->typesize),
    };
    struct job job = {.p = p, .user = user, .left = most};
    const int64_t nbytes = min_i64(nbytes_of(p), most);
    const struct fetch fetch = {.grid = p->a->grid,
                                .reader = &reader,
                                .self = &job,
                                .nbytes = nbytes,
                                .weight = max_i64(nbytes / p->a->g->typesize, 1),
                                .cost = user->slow ? INT64_MAX : 0,
                                .watch = watch,
                                .outside = !p->by_block};
    if (p->by_block)
        return fetch_run(&fetch, err);
    watch_within(&job.inner, watch);
    job.coming = p->chunks;
    job.more_coming = p->more;
    tess_status st = check_room(p, err);
    if (st == TESS_OK && !p->plain)
        st = array_ahead_new(&job.ahead, p->a, next_coming, &job, &job.inner, err);
    if (st == TESS_OK)
        st = fetch_run(&fetch, err);
    array_ahead_stop(job.ahead);
    array_ahead_free(job.ahead);
    return st;
}
