/*
 * resize.c - another shape: the list of chunks for another grid.
 *
 * The frame's list of chunks always is the grid in C order. Where only the slowest axis changes at
 * its end, the list gets longer or shorter at its end; else a new one is made.
 */
#include "array/shape/resize.h"

#include "array/array.h"
#include "array/shape/fill.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "frame/commit/change.h"
#include "frame/format/index.h"
#include "frame/frame.h"
#include "frame/metas.h"
#include "frame/query.h"
#include "geom/shape.h"
#include "meta/layers.h"

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
