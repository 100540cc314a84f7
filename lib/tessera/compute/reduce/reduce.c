/*
 * reduce.c - the engine of reductions and downsampling.
 */
#include "compute/reduce/reduce.h"

#include "array/items/box.h"
#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "compute/engine/engine.h"
#include "compute/reduce/private.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/box_memory.h"
#include "grid/write/write_back.h"
#include "task/task.h"
#include "task/watch.h"

#include <string.h>

struct job {
    const struct reduction *r;
    const struct geometry *g; // of the source
    tess_array *out;
    struct watch *watch;

    struct granularity d; // how the source is read

    // A tile: its cells, items, state if cells are split, and result.
    int64_t first[NDIM_MAX], last[NDIM_MAX];
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    struct state state;
    uint8_t *items;
    int64_t strides[NDIM_MAX];
    struct engine engine; // of its grains
};

_Static_assert(sizeof(struct state) <= ENGINE_TALLY_SIZE, "a state must fit in a grain");

// -- a grain

// What a piece takes, so that what follows is aligned.
static size_t
room_items(const struct job *j)
{
    return (j->d.piece_nitems * (size_t)j->g->typesize + 63) / 64 * 64;
}

static size_t
room_numbers(const struct job *j)
{
    return (j->d.piece_nitems * j->r->gathering.size + 63) / 64 * 64;
}

// Items that are all like the one given.
static void
add_constant(const struct job *j, struct state *s, const int64_t *start, const int64_t *stop,
             const uint8_t *item)
{
    _Alignas(16) uint8_t own[16], room[16];
    uint8_t mask_room[1];
    const uint8_t *mask;
    const void *number;
    memcpy(own, item, (size_t)j->g->typesize);
    gathering_prepare(&j->r->gathering, own, 1, room, mask_room, &number, &mask);
    state_add_equal(s, start, stop, number, mask);
}

static tess_status
add_piece(struct job *j, struct state *s, const int64_t *start, const int64_t *stop, uint8_t *room,
          tess_error *err)
{
    uint8_t *const numbers = room + room_items(j), *const mask_room = numbers + room_numbers(j);
    struct box_memory to = {.items = room};
    int64_t shape[NDIM_MAX];
    const uint8_t *mask;
    const void *what;
    size_t n = 1;
    for (int i = 0; i < j->g->ndim; i++) {
        shape[i] = stop[i] - start[i];
        n *= (size_t)shape[i];
    }
    shape_strides(j->g->ndim, shape, j->g->typesize, to.stride);
    const tess_status st =
        array_read(j->r->a, &(struct box){start, stop, NULL}, &to, &j->engine.inner, err);
    if (st != TESS_OK)
        return st;
    gathering_prepare(&j->r->gathering, room, n, numbers, mask_room, &what, &mask);
    return state_add(s, start, stop, what, mask, err);
}

// The part of a grain that a chunk has.
static tess_status
add_chunk(struct job *j, struct state *s, const struct walk *chunk, uint8_t *room, tess_error *err)
{
    const struct geometry *const g = j->g;
    int64_t start[NDIM_MAX], stop[NDIM_MAX], grid[NDIM_MAX];
    uint8_t item[8];
    bool constant = false;
    struct walk w;
    for (int i = 0; i < g->ndim; i++) {
        start[i] = chunk->at[i] * j->d.chunk[i] + chunk->lo[i];
        stop[i] = chunk->at[i] * j->d.chunk[i] + chunk->hi[i];
        grid[i] = ceil_div(j->d.chunk[i], j->d.piece[i]);
    }
    tess_status st = array_is_constant(j->r->a, &(struct box){start, stop, NULL}, CONSTANT_STORED,
                                       &j->engine.inner, item, &constant, err);
    if (st == TESS_OK && constant)
        add_constant(j, s, start, stop, item);
    if (st != TESS_OK || constant)
        return st;
    for (bool more =
             walk_begin(&w, g->ndim, j->d.piece, grid, &(struct box){chunk->lo, chunk->hi, NULL});
         more && st == TESS_OK; more = walk_next(&w)) {
        for (int i = 0; i < g->ndim; i++) {
            start[i] = chunk->at[i] * j->d.chunk[i] + w.at[i] * j->d.piece[i] + w.lo[i];
            stop[i] = start[i] + w.hi[i] - w.lo[i];
        }
        st = add_piece(j, s, start, stop, room, err);
    }
    return st;
}

// Into the memory of the tile, where other grains have other cells.
static tess_status
give_grain(const struct job *j, struct state *s, tess_error *err)
{
    uint8_t *to = j->items;
    for (int i = 0; i < s->cells->ndim; i++)
        to += (s->first[i] - j->first[i]) * j->strides[i];
    return result_give(&j->r->result, s, to, j->strides, err);
}

static tess_status
work_on_grain(void *self, void *tally, const struct engine_box *box, uint8_t *room, tess_error *err)
{
    struct job *const j = self;
    struct state *const s = tally;
    int64_t first[NDIM_MAX], last[NDIM_MAX], grid[NDIM_MAX];
    struct walk w;

    cells_of_items(&j->r->cells, box->start, box->stop, first, last);
    tess_status st = state_init(s, &j->r->gathering, &j->r->cells, first, last, err);
    if (st != TESS_OK)
        return st;
    for (int i = 0; i < j->g->ndim; i++)
        grid[i] = ceil_div(j->g->shape[i], j->d.chunk[i]);
    for (bool more = walk_begin(&w, j->g->ndim, j->d.chunk, grid,
                                &(struct box){box->start, box->stop, NULL});
         more && st == TESS_OK; more = walk_next(&w))
        st = add_chunk(j, s, &w, room, err);
    if (st == TESS_OK)
        state_settle(s);
    if (st == TESS_OK && !j->d.split) {
        st = give_grain(j, s, err);
        state_finish(s);
    }
    return st;
}

static tess_status
finish_grain(void *self, void *tally, tess_error *err)
{
    struct job *const j = self;
    (void)err;
    if (j->d.split)
        state_merge(&j->state, tally);
    return TESS_OK;
}

static void
reduce_drop_grain(void *self, void *tally)
{
    (void)self;
    state_finish(tally);
}

// -- a tile

static tess_status
run_grains(struct job *j, int64_t nitems, tess_error *err)
{
    const struct engine_sink sink = {
        .self = j,
        .work = work_on_grain,
        .finish = finish_grain,
        .drop = reduce_drop_grain,
        .tally_size = sizeof(struct state),
        .room_size = room_items(j) + room_numbers(j) + j->d.piece_nitems,
    };
    struct division grains;
    int64_t cost;
    if (!mul_i64(nitems, j->g->typesize, &cost)) // a nanosecond for a byte, about
        cost = INT64_MAX;
    const struct task_width width = chunk_grid_width(j->r->a->grid, cost, j->watch);
    watch_job(j->watch, nitems);
    division_of_grid(&grains, j->g->ndim, j->d.grain, j->start, j->stop);
    tess_status st = engine_begin(&j->engine, &sink, &grains, &j->r->a, 1, j->watch, err);
    if (st == TESS_OK)
        st = engine_run(&j->engine, INT64_MAX, &width, err);
    engine_end(&j->engine);
    return st;
}

// The results of a tile in memory.
static tess_status
make_tile(struct job *j, tess_error *err)
{
    const bool reads = j->r->gathering.kind != GATHER_NOTHING || j->r->gathering.missing;
    int64_t nitems = reads ? 1 : 0;
    tess_status st = TESS_OK;
    for (int i = 0; i < j->g->ndim; i++)
        nitems *= j->stop[i] - j->start[i];
    const bool direct = nitems > 0 && !j->d.split;
    if (!direct)
        st = state_init(&j->state, &j->r->gathering, &j->r->cells, j->first, j->last, err);
    if (st == TESS_OK && nitems > 0)
        st = run_grains(j, nitems, err);
    if (st == TESS_OK && !direct)
        st = result_give(&j->r->result, &j->state, j->items, j->strides, err);
    state_finish(&j->state);
    return st;
}

// Write the tile: from memory in C order, or one item again and again.
static tess_status
write_tile(const struct job *j, const uint8_t *items, const int64_t *strides, tess_error *err)
{
    struct box_memory_const src = {.items = items};
    int64_t first[NDIM_MAX], last[NDIM_MAX];
    int n = 0;
    for (int i = 0; i < j->g->ndim; i++)
        if (!j->r->drop[i]) {
            src.stride[n] = strides ? strides[i] : 0;
            first[n] = j->first[i];
            last[n++] = j->last[i];
        }
    return array_write(j->out, &(struct box){first, last, NULL}, &src, NULL, j->watch, err);
}

// Where all items are known to be one, all cells have as many of them, or it does not matter how
// many: one result is enough, and zeros are there already. *done: that was the tile.
static tess_status
do_constant_tile(struct job *j, bool *done, tess_error *err)
{
    static const uint8_t zeros[8];
    int64_t last[NDIM_MAX], start[NDIM_MAX], stop[NDIM_MAX], strides[NDIM_MAX] = {0};
    uint8_t item[8], result[8] = {0};
    struct state s;
    *done = false;
    for (int i = 0; i < j->g->ndim; i++) {
        last[i] = j->first[i] + 1;
        if (j->start[i] == j->stop[i])
            return TESS_OK;
    }
    tess_status st = array_is_constant(j->r->a, &(struct box){j->start, j->stop, NULL},
                                       CONSTANT_LISTED, NULL, item, done, err);
    if (st == TESS_OK && *done)
        st = state_init(&s, &j->r->gathering, &j->r->cells, j->first, last, err);
    if (st != TESS_OK || !*done)
        return st;
    cells_items(&j->r->cells, j->first, last, start, stop);
    add_constant(j, &s, start, stop, item);
    st = result_give(&j->r->result, &s, result, strides, err);
    state_finish(&s);
    if (st == TESS_OK && memcmp(result, zeros, (size_t)j->r->result.size) != 0)
        st = write_tile(j, result, NULL, err);
    return st;
}

static tess_status
do_tile(struct job *j, tess_error *err)
{
    const int ndim = j->g->ndim;
    const struct watch_range range = watch_divide(j->watch);
    int64_t shape[NDIM_MAX], ncells = 1;
    bool done;
    for (int i = 0; i < ndim; i++) {
        shape[i] = j->last[i] - j->first[i];
        ncells *= shape[i];
    }
    cells_items(&j->r->cells, j->first, j->last, j->start, j->stop);
    tess_status st = do_constant_tile(j, &done, err);
    if (st != TESS_OK || done)
        return st;
    shape_strides(ndim, shape, j->r->result.size, j->strides);
    const size_t size = (size_t)ncells * (size_t)j->r->result.size;
    j->items = mem_alloc(size);
    if (!j->items)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes of a result", size);
    watch_part(j->watch, &range, 9, 10);
    st = make_tile(j, err);
    watch_part(j->watch, &range, 10, 10);
    if (st == TESS_OK)
        st = write_tile(j, j->items, j->strides, err);
    mem_free(j->items);
    return st;
}

static tess_status
do_tiles(struct job *j, tess_error *err)
{
    const struct cells *const c = &j->r->cells;
    const struct watch_range all = watch_divide(j->watch);
    const int64_t zero[NDIM_MAX] = {0};
    int64_t tile[NDIM_MAX], done = 0;
    struct division tiles;
    struct division_walk w;
    tess_status st = TESS_OK;
    bool constant = false;
    for (int i = 0; i < c->ndim; i++) { // a reduced axis without items has a cell without items
        j->first[i] = 0;
        j->last[i] = max_i64(ceil_div(c->shape[i], c->factor[i]), 1);
    }
    cells_items(c, j->first, j->last, j->start, j->stop);
    st = do_constant_tile(j, &constant, err); // all of it, whatever its size
    if (st != TESS_OK || constant)
        return st;
    divide_result(&j->d, j->out, tile);
    division_of_grid(&tiles, c->ndim, tile, zero, j->last);
    division_walk_begin(&w, &tiles);
    while (w.more && st == TESS_OK) {
        int64_t n = 1;
        division_walk_next(&w, j->first, j->last);
        for (int i = 0; i < c->ndim; i++)
            n *= j->last[i] - j->first[i];
        done += n;
        watch_part(j->watch, &all, done, j->out->g->nitems);
        st = do_tile(j, err);
    }
    return st;
}

static tess_status
make_result(void *user, tess_array *out, struct watch *watch, tess_error *err)
{
    const struct reduction *const r = user;
    struct job j = {.r = r, .g = r->a->g, .out = out, .watch = watch};
    int64_t locked = 0;
    tess_status st = TESS_OK; // chunks tell that they are constant if no newer block is cached
    if (frame_is_writable(r->a->grid->frame))
        TRY(write_back_all(r->a->grid, err));
    TRY(array_lock_shared(&r->a, 1, NULL, &locked, err));
    divide_source(&j.d, r);
    st = do_tiles(&j, err);
out:
    return array_unlock_shared(&r->a, NULL, locked, st, err);
}

tess_status
reduction_create(const struct reduction *r, const struct home *home, const tess_storage *storage,
                 const tess_params *params, tess_array **out, tess_error *err)
{
    struct reduction own = *r;
    const struct array_content content = {
        .special = SPECIAL_NONE, .make = make_result, .user = &own};
    return array_create(home, storage, params, &content, out, err);
}
