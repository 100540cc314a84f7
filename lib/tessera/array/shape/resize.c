/*
 * resize.c - another shape: the list of chunks for another grid, and items that move.
 *
 * The frame's list of chunks always is the grid in C order. Where only the slowest axis changes at
 * its end, the list gets longer or shorter at its end; else a new one is made.
 *
 * Boxes of any number of pieces that are one item again and again are written without being read.
 */
#include "array/shape/shape.h"

#include "array/array.h"
#include "array/items/box.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "frame/commit/change.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/box_memory.h"
#include "grid/read/read.h"
#include "grid/write/constant.h"
#include "grid/write/write.h"
#include "meta/layers.h"
#include "task/watch.h"

#include <inttypes.h>
#include <string.h>

// Coordinates of the next cell in C order; `n` counts them, so there is no end to be told.
static void
resize_step(int64_t *at, const int64_t *grid, int ndim)
{
    for (int i = ndim - 1; i >= 0; i--) {
        if (++at[i] < grid[i])
            return;
        at[i] = 0;
    }
}

// Where a chunk goes along an axis; false: nowhere.
static bool
move_row(const struct row_move *move, int axis, int64_t *row)
{
    if (!move || axis != move->axis || *row < move->first)
        return true;
    const bool stays = *row >= move->first + move->gone;
    *row += move->by;
    return stays;
}

// The new list: chunks that are in both grids keep their entries.
static tess_status
build_list(const struct frame *f, const struct geometry *old, const struct geometry *new,
           const struct row_move *move, enum chunk_special special, struct frame_index *list,
           bool *kept, tess_error *err)
{
    int64_t at[NDIM_MAX] = {0};

    index_init_uniform(list, 0, special);
    tess_status st = index_resize(list, new->nchunks, special, err);
    for (int64_t n = 0; n < old->nchunks && st == TESS_OK; n++) {
        int64_t to = 0;
        bool inside = true;
        for (int i = 0; i < old->ndim; i++) {
            int64_t row = at[i];
            inside &= move_row(move, i, &row) && row < new->grid[i];
            to = to * new->grid[i] + row;
        }
        if (inside)
            st = index_set(list, to, frame_entry(f, n), err);
        kept[n] = inside;
        resize_step(at, old->grid, old->ndim);
    }
    return st;
}

static bool
same_but_for_first(const struct geometry *old, const struct geometry *new)
{
    for (int i = 1; i < old->ndim; i++)
        if (old->grid[i] != new->grid[i])
            return false;
    return true;
}

bool
array_grows_at_end(const tess_array *a, const int64_t *shape)
{
    const struct geometry *const g = a->g;
    if (g->nchunks == 0)
        return false;
    for (int i = 0; i < g->ndim; i++)
        if (shape[i] < g->shape[i] || (i > 0 && ceil_div(shape[i], g->chunkshape[i]) != g->grid[i]))
            return false;
    return true;
}

// Whether the list gets longer or shorter at its end.
static bool
changes_at_end(const struct frame *f, const struct geometry *old, const struct geometry *new,
               const struct row_move *move, enum chunk_special special)
{
    if (old->nchunks == 0 || new->nchunks == 0)
        return true;
    if (frame_is_uniform(f) &&
        frame_entry(f, 0) == index_entry_of(special)) // and is one entry again and again
        return true;
    return !move && same_but_for_first(old, new);
}

static tess_status
change_list(tess_array *a, const struct geometry *new, const struct row_move *move, tess_error *err)
{
    struct frame *const f = a->grid->frame;
    const struct geometry *const old = a->g;
    const enum chunk_special special = array_fill_special(a);
    struct frame_index list = {0};

    if (changes_at_end(f, old, new, move, special))
        return frame_set_length(f, new->nchunks, special, err);
    bool *const kept = mem_zeroed((size_t)old->nchunks, sizeof *kept);
    if (!kept)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", old->nchunks);
    tess_status st = build_list(f, old, new, move, special, &list, kept, err);
    if (st == TESS_OK)
        st = frame_rearrange(f, &list, kept, err);
    index_finish(&list);
    mem_free(kept);
    return st;
}

static struct layer *
layer_of(const tess_array *a)
{
    return layers_find(frame_metas(a->grid->frame), a->layer);
}

// The N-dimensional layer with another shape: the same bytes but for the shape, which stands
// behind four bytes, each entry behind a marker, in all layouts we write to.
static void
patch_shape(const struct layer *layer, const struct geometry *g)
{
    enum { SHAPE_AT = 4, ENTRY_SIZE = 9 };
    for (int i = 0; i < g->ndim; i++)
        for (int byte = 0; byte < 8; byte++)
            layer->content[SHAPE_AT + i * ENTRY_SIZE + 1 + byte] =
                (uint8_t)((uint64_t)g->shape[i] >> (8 * (7 - byte)));
}

tess_status
array_reshape(tess_array *a, const int64_t *shape, const struct row_move *move, tess_error *err)
{
    struct geometry next;
    tess_status st = geometry_reshape(a->g, shape, &next, err);
    if (st == TESS_OK)
        st = change_list(a, &next, move, err);
    if (st != TESS_OK)
        return st;
    patch_shape(layer_of(a), &next);
    a->grid->g = next;
    return TESS_OK;
}

tess_status
array_shape_save(const tess_array *a, struct saved_shape *saved, tess_error *err)
{
    const struct layer *const layer = layer_of(a);
    saved->g = *a->g;
    saved->layer = mem_alloc(layer->size);
    if (!saved->layer)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a metalayer");
    memcpy(saved->layer, layer->content, layer->size);
    return TESS_OK;
}

void
array_shape_undo(tess_array *a, struct saved_shape *saved)
{
    const struct layer *const layer = layer_of(a);
    if (!saved->layer)
        return;
    // With dirty blocks, the change was a growth at the end.
    cache_forget_from(a->grid->cache, cache_dirty_size(a->grid->cache) > 0 ? saved->g.nchunks : 0);
    a->grid->g = saved->g;
    memcpy(layer->content, saved->layer, layer->size);
    mem_free(saved->layer);
    saved->layer = NULL;
}

// -- items of a box from elsewhere, in bounded memory

// Pieces are the cells of a grid that begins with the first chunk of the box.
struct pieces {
    tess_array *a;
    const struct box *box;
    const struct shift *shift;
    int64_t extent[NDIM_MAX]; // items of a piece, if it is not cut off
    int64_t origin[NDIM_MAX]; // of the grid
    int64_t count[NDIM_MAX];
    uint8_t *items; // of a piece; NULL: not needed yet
    uint8_t *item; // one, of pieces that are one item again and again
    struct watch *watch;
    struct watch_range range; // of all pieces
    int64_t done, all; // items
};

// Chunks of the box along an axis.
static int64_t
chunks_along(const struct pieces *p, int axis)
{
    return ceil_div(p->box->stop[axis] - p->origin[axis], p->a->g->chunkshape[axis]);
}

// Let pieces be longer along an axis, up to `most` bytes, of *nbytes with what a chunk has there.
static void
extend(struct pieces *p, int axis, int64_t most, int64_t *nbytes)
{
    const int64_t n = min_i64(most / *nbytes, chunks_along(p, axis));
    if (n <= 1)
        return;
    p->extent[axis] *= n;
    *nbytes *= n;
}

static void
choose_pieces(struct pieces *p)
{
    const struct geometry *const g = p->a->g;
    int64_t nbytes = g->typesize;

    p->all = 1;
    for (int i = 0; i < g->ndim; i++) {
        p->origin[i] = p->box->start[i] - p->box->start[i] % g->chunkshape[i];
        p->extent[i] = g->chunkshape[i];
        p->all *= p->box->stop[i] - p->box->start[i];
        nbytes *= g->chunkshape[i]; // fits: a chunk does
    }
    extend(p, p->shift->axis, SHIFT_PIECE, &nbytes);
    for (int i = g->ndim - 1; i >= 0; i--)
        if (i != p->shift->axis)
            extend(p, i, SHIFT_ENOUGH, &nbytes);
    for (int i = 0; i < g->ndim; i++)
        p->count[i] = ceil_div(p->box->stop[i] - p->origin[i], p->extent[i]);
}

// Memory for the items of a piece.
static tess_status
reserve_items(struct pieces *p, tess_error *err)
{
    const struct geometry *const g = p->a->g;
    const int64_t limit = frame_limits(p->a->grid->frame)->memory;
    int64_t chunk = g->typesize, size = g->typesize;

    if (p->items)
        return TESS_OK;
    for (int i = 0; i < g->ndim; i++) {
        chunk *= g->chunkshape[i];
        size *= min_i64(p->extent[i], p->box->stop[i] - p->box->start[i]);
    }
    if (chunk > limit)
        return err_set(err, TESS_ERR_LIMIT, -1,
                       "moving items takes a chunk of %" PRId64 " bytes, the limit is %" PRId64,
                       chunk, limit);
    p->items = mem_alloc((size_t)size);
    return p->items
               ? TESS_OK
               : err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " bytes of items", size);
}

// A box of pieces, and where it comes from.
struct moved {
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    int64_t from_start[NDIM_MAX], from_stop[NDIM_MAX];
    struct box to, from; // of these arrays: the struct must not be moved
};

static void
find_box(const struct pieces *p, const int64_t *first, const int64_t *last, struct moved *m)
{
    for (int i = 0; i < p->a->g->ndim; i++) {
        const int64_t by = i == p->shift->axis ? p->shift->by : 0;
        m->start[i] = max_i64(p->box->start[i], p->origin[i] + first[i] * p->extent[i]);
        m->stop[i] =
            last[i] < p->count[i] ? p->origin[i] + last[i] * p->extent[i] : p->box->stop[i];
        m->from_start[i] = m->start[i] - by;
        m->from_stop[i] = m->stop[i] - by;
    }
    m->to = (struct box){m->start, m->stop, NULL};
    m->from = (struct box){m->from_start, m->from_stop, NULL};
}

static void
shift_count_items(struct pieces *p, const struct moved *m)
{
    p->done += box_nitems(p->a->g->ndim, &m->to);
    watch_part(p->watch, &p->range, p->done, p->all);
}

// Move a box that is one item again and again.
static tess_status
move_constant(struct pieces *p, const struct moved *m, enum constant_look look, bool *done,
              tess_error *err)
{
    const struct box_memory_const src = {.items = p->item}; // strides 0: the same item everywhere
    const tess_status st = constant_box(p->a->grid, &m->from, look, p->watch, p->item, done, err);
    if (st != TESS_OK || !*done)
        return st;
    shift_count_items(p, m);
    return grid_write(p->a->grid, &m->to, &src, NULL, p->watch, err);
}

static tess_status
shift_move_box(void *user, const int64_t *first, const int64_t *last, bool *done, tess_error *err)
{
    struct pieces *const p = user;
    struct moved m;
    find_box(p, first, last, &m);
    return move_constant(p, &m, CONSTANT_LISTED, done, err);
}

static tess_status
move_piece(void *user, const int64_t *at, tess_error *err)
{
    struct pieces *const p = user;
    const struct geometry *const g = p->a->g;
    int64_t next[NDIM_MAX];
    struct moved m;
    bool done;

    for (int i = 0; i < g->ndim; i++)
        next[i] = at[i] + 1;
    find_box(p, at, next, &m);
    tess_status st = move_constant(p, &m, CONSTANT_STORED, &done, err);
    if (st == TESS_OK && !done)
        st = reserve_items(p, err);
    if (st != TESS_OK || done)
        return st;
    struct box_memory dst = {.items = p->items};
    struct box_memory_const src = {.items = p->items};
    box_strides(g->ndim, &m.to, g->typesize, dst.stride);
    box_strides(g->ndim, &m.to, g->typesize, src.stride);
    shift_count_items(p, &m);
    const struct watch_range both = watch_divide(p->watch);
    watch_part(p->watch, &both, 1, 2);
    st = array_read(p->a, &m.from, &dst, p->watch, err);
    watch_part(p->watch, &both, 2, 2);
    return st == TESS_OK ? grid_write(p->a->grid, &m.to, &src, NULL, p->watch, err) : st;
}

tess_status
array_shift(tess_array *a, const struct box *box, const struct shift *shift, struct watch *watch,
            tess_error *err)
{
    struct pieces p = {.a = a, .box = box, .shift = shift, .watch = watch};
    const struct halves halves = {
        .ndim = a->g->ndim,
        .backwards = shift->by > 0 ? shift->axis : -1,
        .user = &p,
        .box = shift_move_box,
        .cell = move_piece,
    };
    const int64_t first[NDIM_MAX] = {0};

    if (box_is_empty(a->g->ndim, box))
        return TESS_OK;
    choose_pieces(&p);
    p.range = watch_divide(watch);
    p.item = mem_alloc((size_t)a->g->typesize);
    const tess_status st = p.item ? halves_do(&halves, first, p.count, err)
                                  : err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    mem_free(p.item);
    mem_free(p.items);
    return st;
}
