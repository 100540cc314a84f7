/*
 * resample.c - an array of fewer items, each of which is one that the source has.
 *
 * For the most frequent one, items are put into a table by their bytes, with how often they came
 * and which was the first: so the work follows the number of items, however many are different.
 */
#include "compute/reduce/reduce.h"

#include "array/array.h"
#include "array/items/box.h"
#include "array/open/open.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "compute/engine/engine.h"
#include "geom/rechunk.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "task/task.h"
#include "task/watch.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum {
    TILE_SIZE = 64 << 20, // bytes of the array, enough for all threads
    SOME_CELLS = 1024, // that a thread takes at once
};

struct resampling {
    const tess_array *a;
    bool mode;
    struct cells cells;
};

// A tile: its cells, and their items in memory.
struct tile {
    const struct resampling *r;
    struct watch *watch;
    int64_t first[NDIM_MAX], last[NDIM_MAX];
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    uint8_t *items, *result;
    int64_t strides[NDIM_MAX]; // of items
    int64_t ncells;
};

// -- the most frequent items

struct entry {
    const uint8_t *item; // NULL: free
    size_t count, order;
};

static uint64_t
hash_of_item(const uint8_t *item, size_t size)
{
    uint64_t h = 0xcbf29ce484222325;
    for (size_t k = 0; k < size; k++)
        h = (h ^ item[k]) * 0x100000001b3;
    return h ^ h >> 29;
}

// Entries of a table for the items of a box: twice as many, a power of two.
static size_t
table_length(int ndim, const int64_t *shape)
{
    size_t nitems = 1, places = 4;
    for (int i = 0; i < ndim; i++)
        nitems *= (size_t)shape[i];
    while (places < 2 * nitems)
        places *= 2;
    return places;
}

// *mode receives the item; of several that are as frequent, the first in C order. The box has
// items; the table has room for them.
static void
find_mode(struct entry *table, int ndim, const int64_t *shape, const int64_t *strides,
          const uint8_t *items, size_t size, uint8_t *mode)
{
    const size_t places = table_length(ndim, shape);
    int64_t at[NDIM_MAX] = {0};
    size_t order = 0;
    const struct entry *best = NULL;
    memset(table, 0, places * sizeof *table);
    for (int i = 0; i >= 0;) {
        const uint8_t *item = items;
        for (int k = 0; k < ndim; k++)
            item += at[k] * strides[k];
        size_t place = (size_t)hash_of_item(item, size) & (places - 1);
        while (table[place].item && memcmp(table[place].item, item, size) != 0)
            place = (place + 1) & (places - 1);
        struct entry *const e = &table[place];
        if (!e->item)
            *e = (struct entry){.item = item, .order = order};
        e->count++;
        order++;
        if (!best || e->count > best->count || (e->count == best->count && e->order < best->order))
            best = e;
        for (i = ndim - 1; i >= 0 && ++at[i] == shape[i]; i--)
            at[i] = 0;
    }
    memcpy(mode, best->item, size);
}

// Cells of the tile that follow each other in C order: the box has their numbers.
static tess_status
find_modes(void *self, void *tally, const struct engine_box *box, uint8_t *room, tess_error *err)
{
    const struct tile *const t = self;
    const struct cells *const c = &t->r->cells;
    const int32_t size = t->r->a->g->typesize;
    (void)tally;
    (void)err;
    for (int64_t n = box->start[0]; n < box->stop[0]; n++) {
        int64_t at[NDIM_MAX], shape[NDIM_MAX], rest = n;
        const uint8_t *items = t->items;
        for (int i = c->ndim - 1; i >= 0; i--) {
            const int64_t width = t->last[i] - t->first[i];
            at[i] = t->first[i] + rest % width;
            shape[i] = cells_length(c, i, at[i]);
            items += (at[i] - t->first[i]) * c->factor[i] * t->strides[i];
            rest /= width;
        }
        find_mode((void *)room, c->ndim, shape, t->strides, items, (size_t)size,
                  t->result + n * size);
    }
    return TESS_OK;
}

static tess_status
make_modes(struct tile *t, size_t size, tess_error *err)
{
    static const int64_t none = 0, some = SOME_CELLS;
    const struct cells *const c = &t->r->cells;
    const struct engine_sink sink = {.self = t,
                                     .work = find_modes,
                                     .room_size =
                                         table_length(c->ndim, c->factor) * sizeof(struct entry)};
    const struct task_width width = chunk_grid_width(t->r->a->grid, (int64_t)size, t->watch);
    struct division boxes;
    struct engine engine;
    division_of_grid(&boxes, 1, &some, &none, &t->ncells);
    watch_job(t->watch, t->ncells);
    tess_status st = engine_begin(&engine, &sink, &boxes, NULL, 0, t->watch, err);
    if (st == TESS_OK)
        st = engine_run(&engine, INT64_MAX, &width, err);
    engine_end(&engine);
    return st;
}

// -- tiles

static tess_status
fill_tile(struct tile *t, size_t size, tess_error *err)
{
    const struct cells *const c = &t->r->cells;
    const struct watch_range range = watch_divide(t->watch);
    int64_t shape[NDIM_MAX], stop[NDIM_MAX];
    struct box_memory to = {.items = t->items};
    for (int i = 0; i < c->ndim; i++) { // the last item of a slice with steps is one of it
        shape[i] = t->r->mode ? t->stop[i] - t->start[i] : t->last[i] - t->first[i];
        stop[i] = t->r->mode ? t->stop[i] : (t->last[i] - 1) * c->factor[i] + 1;
    }
    shape_strides(c->ndim, shape, t->r->a->g->typesize, t->strides);
    memcpy(to.stride, t->strides, sizeof to.stride);
    watch_part(t->watch, &range, 1, 2);
    const tess_status st = array_read(
        t->r->a, &(struct box){t->start, stop, t->r->mode ? NULL : c->factor}, &to, t->watch, err);
    watch_part(t->watch, &range, 2, 2);
    return st == TESS_OK && t->r->mode ? make_modes(t, size, err) : st;
}

static tess_status
resample_tile(struct tile *t, tess_array *out, tess_error *err)
{
    const struct cells *const c = &t->r->cells;
    const int64_t typesize = t->r->a->g->typesize;
    const struct watch_range range = watch_divide(t->watch);
    struct box_memory_const src = {0};
    int64_t shape[NDIM_MAX];
    size_t size = (size_t)typesize;
    t->ncells = 1;
    cells_items(c, t->first, t->last, t->start, t->stop);
    for (int i = 0; i < c->ndim; i++) {
        shape[i] = t->last[i] - t->first[i];
        t->ncells *= shape[i];
        size *= (size_t)(t->r->mode ? t->stop[i] - t->start[i] : shape[i]);
    }
    t->items = mem_alloc(size);
    t->result = t->r->mode ? mem_alloc((size_t)(t->ncells * typesize)) : t->items;
    tess_status st = t->items && t->result
                         ? TESS_OK
                         : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %zu bytes", size);
    watch_part(t->watch, &range, 8, 10);
    if (st == TESS_OK)
        st = fill_tile(t, size, err);
    src.items = t->result;
    shape_strides(c->ndim, shape, typesize, src.stride);
    watch_part(t->watch, &range, 10, 10);
    if (st == TESS_OK)
        st = array_write(out, &(struct box){t->first, t->last, NULL}, &src, NULL, t->watch, err);
    if (t->result != t->items)
        mem_free(t->result);
    mem_free(t->items);
    return st;
}

// As many cells as memory holds with what they are made of.
static tess_status
choose_tile(const struct resampling *r, const tess_array *out, int64_t *tile, tess_error *err)
{
    const struct geometry *const g = r->a->g;
    const int64_t memory = r->a->context.memory / 2;
    struct rechunk wish = {.ndim = g->ndim};
    int64_t cell = g->typesize;
    for (int i = 0; i < g->ndim; i++) {
        const int64_t f = min_i64(r->cells.factor[i], g->shape[i]);
        if (r->mode && !mul_i64(cell, f, &cell))
            cell = INT64_MAX;
        wish.shape[i] = out->g->shape[i];
        wish.unit[i] = max_i64((r->a->view ? 1 : g->blockshape[i]) / f, 1);
        wish.chunk[i] = out->g->chunkshape[i];
        wish.block[i] = out->g->blockshape[i];
    }
    if (r->mode && cell > max_i64(memory, g->typesize))
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "a cell of %" PRId64 " bytes, there is memory for %" PRId64, cell, memory);
    if (g->ndim > 0)
        rechunk_piece(&wish, max_i64(memory / cell, 1), max_i64(TILE_SIZE / cell, 1), tile);
    for (int i = 0; i < g->ndim; i++) // a block of the new array may be more than memory holds
        for (int64_t n = 1; r->mode && tile[i] > 1; tile[i] = ceil_div(tile[i], 2)) {
            n = 1;
            for (int k = 0; k < g->ndim; k++)
                n *= tile[k];
            if (n <= max_i64(memory / cell, 1))
                break;
        }
    return TESS_OK;
}

static tess_status
resample_tiles(const struct resampling *r, tess_array *out, struct watch *watch, tess_error *err)
{
    const int64_t zeros[NDIM_MAX] = {0};
    const struct watch_range all = watch_divide(watch);
    const int ndim = out->g->ndim;
    int64_t size[NDIM_MAX], done = 0;
    struct tile t = {.r = r, .watch = watch};
    struct division tiles;
    struct division_walk w;
    tess_status st = choose_tile(r, out, size, err);
    if (st != TESS_OK || out->g->nitems == 0)
        return st;
    division_of_grid(&tiles, ndim, size, zeros, out->g->shape);
    division_walk_begin(&w, &tiles);
    while (w.more && st == TESS_OK) {
        int64_t n = 1;
        division_walk_next(&w, t.first, t.last);
        for (int i = 0; i < ndim; i++)
            n *= t.last[i] - t.first[i];
        done += n;
        watch_part(watch, &all, done, out->g->nitems);
        st = resample_tile(&t, out, err);
    }
    return st;
}

static tess_status
resample_make(void *user, tess_array *out, struct watch *watch, tess_error *err)
{
    const struct resampling *const r = user;
    int64_t locked = 0;
    tess_status st = array_lock_shared(&r->a, 1, NULL, &locked, err);
    if (st == TESS_OK)
        st = resample_tiles(r, out, watch, err);
    return array_unlock_shared(&r->a, NULL, locked, st, err);
}

tess_status
resample_plan(const tess_array *a, const int64_t *factors, tess_params *params, tess_error *err)
{
    const struct geometry *const g = a->g;
    if (params->ndim != 0 && params->ndim != g->ndim)
        return err_set(err, TESS_ERR_ARG, -1, "params for %d dimensions, the result has %d",
                       params->ndim, g->ndim);
    if (params->dtype && (!a->nd.dtype || strcmp(params->dtype, a->nd.dtype) != 0))
        return err_set(err, TESS_ERR_ARG, -1, "items of type \"%.64s\" stay as they are",
                       a->nd.dtype ? a->nd.dtype : "unknown");
    params->dtype = a->nd.dtype;
    params->typesize = g->typesize;
    params->ndim = g->ndim;
    for (int i = 0; i < g->ndim; i++)
        params->shape[i] = ceil_div(g->shape[i], factors[i]);
    return TESS_OK;
}

tess_status
resample_create(const tess_array *a, bool mode, const int64_t *factors, const struct home *home,
                const tess_storage *storage, const tess_params *params, tess_array **out,
                tess_error *err)
{
    struct resampling r = {.a = a, .mode = mode, .cells = {.ndim = a->g->ndim}};
    const struct array_content content = {
        .special = SPECIAL_NONE, .make = resample_make, .user = &r};
    for (int i = 0; i < a->g->ndim; i++) {
        r.cells.shape[i] = a->g->shape[i];
        r.cells.factor[i] = min_i64(factors[i], max_i64(a->g->shape[i], 1));
    }
    return array_create(home, storage, params, &content, out, err);
}
