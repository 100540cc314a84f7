/*
 * resize.c - axes grow or shrink at their ends.
 *
 * The frame's list of chunks always is the grid in C order. Where only the slowest axis changes,
 * the list gets longer or shorter at its end; else a new one is made.
 *
 * Chunks at the old border hold padding, which may be anything in files of other writers; what of
 * it comes into sight is made zero.
 */
#include "array/array.h"

#include "array/cache.h"
#include "array/visit.h"
#include "base/checked.h"
#include "geom/walk.h"
#include "ndcopy/ndcopy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

// Coordinates of the next cell in C order; `n` counts them, so there is no end to be told.
static void
step(int64_t *at, const int64_t *grid, int ndim)
{
    for (int i = ndim - 1; i >= 0; i--) {
        if (++at[i] < grid[i])
            return;
        at[i] = 0;
    }
}

// The new list: chunks that are in both grids keep their entries.
static tess_status
build_list(const struct frame *f, const struct geometry *old, const struct geometry *new,
           struct frame_index *list, bool *kept, tess_error *err)
{
    int64_t at[NDIM_MAX] = {0};

    index_init_uniform(list, 0, index_entry_of(SPECIAL_ZEROS));
    tess_status st = index_resize(list, new->nchunks, index_entry_of(SPECIAL_ZEROS), err);
    for (int64_t n = 0; n < old->nchunks && st == TESS_OK; n++) {
        int64_t to = 0;
        bool inside = true;
        for (int i = 0; i < old->ndim; i++) {
            to = to * new->grid[i] + at[i];
            inside &= at[i] < new->grid[i];
        }
        if (inside)
            st = index_set(list, to, index_get(&f->index, n), err);
        kept[n] = inside;
        step(at, old->grid, old->ndim);
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
    const struct geometry *const g = &a->g;
    if (g->nchunks == 0)
        return false;
    for (int i = 0; i < g->ndim; i++)
        if (shape[i] < g->shape[i] || (i > 0 && ceil_div(shape[i], g->chunkshape[i]) != g->grid[i]))
            return false;
    return true;
}

static tess_status
change_list(struct frame *f, const struct geometry *old, const struct geometry *new,
            tess_error *err)
{
    if (old->nchunks == 0 || new->nchunks == 0 || same_but_for_first(old, new))
        return frame_set_length(f, new->nchunks, index_entry_of(SPECIAL_ZEROS), err);

    struct frame_index list = {0};
    bool *const kept = calloc((size_t)old->nchunks, sizeof *kept);
    if (!kept)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for %" PRId64 " chunks", old->nchunks);
    tess_status st = build_list(f, old, new, &list, kept, err);
    if (st == TESS_OK)
        st = frame_rearrange(f, &list, kept, err);
    index_finish(&list);
    free(kept);
    return st;
}

static struct layer *
layer_of(const tess_array *a)
{
    return layers_find(&a->frame->metas, a->layer);
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
array_reshape(tess_array *a, const int64_t *shape, struct saved_shape *saved, tess_error *err)
{
    struct geometry next;
    const struct layer *const layer = layer_of(a);

    tess_status st = geometry_reshape(&a->g, shape, &next, err);
    if (st != TESS_OK)
        return st;
    saved->g = a->g;
    saved->layer = malloc(layer->size);
    if (!saved->layer)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a metalayer");
    memcpy(saved->layer, layer->content, layer->size);
    st = change_list(a->frame, &a->g, &next, err);
    if (st != TESS_OK) {
        free(saved->layer);
        saved->layer = NULL;
        return st;
    }
    patch_shape(layer, &next);
    a->g = next;
    return TESS_OK;
}

void
array_shape_undo(tess_array *a, struct saved_shape *saved)
{
    const struct layer *const layer = layer_of(a);
    if (!saved->layer)
        return;
    // With dirty blocks, the change was a growth at the end.
    cache_forget_from(a->cache, cache_dirty_size(a->cache) > 0 ? saved->g.nchunks : 0);
    a->g = saved->g;
    memcpy(layer->content, saved->layer, layer->size);
    free(saved->layer);
    saved->layer = NULL;
}

// Whether a part of a chunk is zero already. lo and hi are relative to the chunk.
static tess_status
is_clear(const tess_array *a, struct visit *v, const struct walk *chunk, uint8_t *block,
         struct chunk_scratch *s, bool *clear, tess_error *err)
{
    const struct geometry *const g = &a->g;
    int64_t extent[NDIM_MAX], stride[NDIM_MAX];
    struct walk w;

    *clear = true;
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    for (bool more = walk_begin(&w, g->ndim, g->blockshape, g->bgrid, chunk->lo, chunk->hi, NULL);
         more && *clear; more = walk_next(&w)) {
        const tess_status st = visit_block(a, v, (int32_t)w.index, block, s, err);
        if (st != TESS_OK)
            return st;
        int64_t at = 0;
        for (int i = 0; i < g->ndim; i++) {
            extent[i] = w.hi[i] - w.lo[i];
            at += w.lo[i] * stride[i];
        }
        *clear = ndconstant(g->ndim, extent, g->typesize, block + at, stride);
        for (int32_t i = 0; i < g->typesize && *clear; i++)
            *clear = block[at + i] == 0;
    }
    return TESS_OK;
}

// Memory for a block, of the size that the file says, when it is needed for the first time.
static tess_status
reserve_block(const tess_array *a, const struct chunk_scratch *s, uint8_t **block, tess_error *err)
{
    if (*block)
        return TESS_OK;
    const tess_status st = scratch_check(s, a->g.blocksize, err);
    if (st != TESS_OK)
        return st;
    *block = malloc((size_t)a->g.blocksize);
    return *block ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
}

static tess_status
clear_chunk(tess_array *a, const struct walk *chunk, uint8_t **block, struct chunk_scratch *s,
            tess_error *err)
{
    const enum chunk_special special = index_special(index_get(&a->frame->index, chunk->index));
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    struct visit *v = NULL;
    bool clear = false;

    if (special == SPECIAL_ZEROS || special == SPECIAL_UNINIT)
        return TESS_OK;
    tess_status st = reserve_block(a, s, block, err);
    if (st == TESS_OK)
        st = visit_open(a, chunk->index, &v, err);
    if (st == TESS_OK)
        st = is_clear(a, v, chunk, *block, s, &clear, err);
    visit_release(v);
    if (st != TESS_OK || clear)
        return st;
    for (int i = 0; i < a->g.ndim; i++) {
        const int64_t origin = chunk->at[i] * a->g.chunkshape[i];
        start[i] = origin + chunk->lo[i];
        stop[i] = origin + chunk->hi[i];
    }
    memset(*block, 0, (size_t)a->g.typesize);
    const struct strided_const zero = {.items = *block}; // strides 0: the same item everywhere
    return array_write(a, start, stop, NULL, &zero, err);
}

static tess_status
clear_box(tess_array *a, const int64_t *start, const int64_t *stop, tess_error *err)
{
    struct walk w;
    tess_status st = TESS_OK;
    uint8_t *block = NULL;
    struct chunk_scratch *const s = pool_take(a->pool);

    if (!s)
        st = err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
    else
        for (bool more = walk_begin(&w, a->g.ndim, a->g.chunkshape, a->g.grid, start, stop, NULL);
             more && st == TESS_OK; more = walk_next(&w))
            st = clear_chunk(a, &w, &block, s, err);
    free(block);
    pool_give(a->pool, s);
    return st;
}

// The padding of chunks that were there before, as far as it is inside the shape now.
tess_status
array_clear_exposed(tess_array *a, const struct geometry *before, tess_error *err)
{
    int64_t start[NDIM_MAX], stop[NDIM_MAX], covered[NDIM_MAX];

    for (int i = 0; i < a->g.ndim; i++)
        covered[i] = min_i64(a->g.shape[i], before->grid[i] * before->chunkshape[i]);
    for (int axis = 0; axis < a->g.ndim; axis++) {
        for (int i = 0; i < a->g.ndim; i++) {
            start[i] = i == axis ? min_i64(before->shape[i], covered[i]) : 0;
            stop[i] = covered[i];
        }
        const tess_status st = clear_box(a, start, stop, err);
        if (st != TESS_OK)
            return st;
    }
    return TESS_OK;
}
