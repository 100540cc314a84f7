/*
 * fill.c - the fill value of an array: what growth shows.
 *
 * It stands in a metalayer, unless it is zeros. Chunks that growth adds are special chunks, or hold
 * the value once. Those at the old border hold padding, which may be anything; what of it comes
 * into sight becomes the fill value.
 */
#include "array/array.h"

#include "array/constant.h"
#include "array/visit.h"
#include "base/checked.h"
#include "geom/walk.h"
#include "meta/fill_layer.h"
#include "ndcopy/ndcopy.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

tess_status
array_set_fill(tess_array *a, const uint8_t *item, tess_error *err)
{
    const size_t size = (size_t)a->g.typesize;
    if (!item || constant_special(item, a->g.typesize) == SPECIAL_ZEROS)
        return TESS_OK;
    a->fill = malloc(size);
    if (!a->fill)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for a fill value of %zu bytes", size);
    memcpy(a->fill, item, size);
    return TESS_OK;
}

tess_status
array_load_fill(tess_array *a, tess_error *err)
{
    const struct layer *const layer = layers_find(&a->frame->metas, FILL_LAYER);
    const uint8_t *item;
    if (!layer)
        return TESS_OK;
    const tess_status st = fill_layer_parse(layer, (size_t)a->g.typesize, &item, err);
    return st == TESS_OK ? array_set_fill(a, item, err) : st;
}

bool
array_is_fill_layer(const tess_array *a, const struct layer *layer)
{
    return a->layer && fill_layer_is(layer);
}

enum chunk_special
array_fill_special(const tess_array *a)
{
    const bool nans = a->fill && constant_special(a->fill, a->g.typesize) == SPECIAL_NANS;
    return nans ? SPECIAL_NANS : SPECIAL_ZEROS;
}

// What filling needs, while it lasts.
struct filler {
    tess_array *a;
    const uint8_t *item;
    uint8_t *zeros; // the item, if it is that
    uint8_t *block; // memory for one, when it is needed for the first time
    struct chunk_scratch *s;
    struct watch *watch;
};

static tess_status
begin(struct filler *f, tess_array *a, struct watch *watch, tess_error *err)
{
    *f = (struct filler){.a = a, .item = a->fill, .watch = watch};
    f->s = pool_take(a->pool);
    if (f->s && !a->fill)
        f->item = f->zeros = calloc(1, (size_t)a->g.typesize);
    return f->item && f->s ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
}

static void
end(struct filler *f)
{
    free(f->zeros);
    free(f->block);
    pool_give(f->a->pool, f->s);
}

static tess_status
write_item(struct filler *f, const int64_t *start, const int64_t *stop, tess_error *err)
{
    const struct strided_const src = {.items = f->item}; // strides 0: the same item everywhere
    for (int i = 0; i < f->a->g.ndim; i++)
        if (start[i] >= stop[i])
            return TESS_OK;
    return array_write(f->a, start, stop, NULL, &src, f->watch, err);
}

// Whether a part of a chunk shows the item already. lo and hi are relative to the chunk.
static tess_status
is_filled(struct filler *f, struct visit *v, const struct walk *chunk, bool *filled,
          tess_error *err)
{
    const struct geometry *const g = &f->a->g;
    int64_t extent[NDIM_MAX], stride[NDIM_MAX];
    struct walk w;

    *filled = constant_chunk(&v->stored.chunk, g->typesize, f->block);
    if (*filled) {
        *filled = memcmp(f->block, f->item, (size_t)g->typesize) == 0;
        return TESS_OK;
    }
    *filled = true;
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    for (bool more = walk_begin(&w, g->ndim, g->blockshape, g->bgrid, chunk->lo, chunk->hi, NULL);
         more && *filled; more = walk_next(&w)) {
        const tess_status st = visit_block(f->a, v, (int32_t)w.index, f->block, f->s, err);
        if (st != TESS_OK)
            return st;
        int64_t at = 0;
        for (int i = 0; i < g->ndim; i++) {
            extent[i] = w.hi[i] - w.lo[i];
            at += w.lo[i] * stride[i];
        }
        *filled = ndconstant(g->ndim, extent, g->typesize, f->block + at, stride) &&
                  memcmp(f->block + at, f->item, (size_t)g->typesize) == 0;
    }
    return TESS_OK;
}

// Memory for a block, of the size that the file says.
static tess_status
reserve_block(struct filler *f, tess_error *err)
{
    if (f->block)
        return TESS_OK;
    const tess_status st = scratch_check(f->s, f->a->g.blocksize, err);
    if (st != TESS_OK)
        return st;
    f->block = malloc((size_t)f->a->g.blocksize);
    return f->block ? TESS_OK : err_set(err, TESS_ERR_NOMEM, -1, "no memory for a block");
}

// Whether a chunk that is not stored shows the item.
static bool
special_is_filled(const tess_array *a, int64_t n)
{
    const enum chunk_special special = index_special(index_get(&a->frame->index, n));
    if (!a->fill)
        return special == SPECIAL_ZEROS || special == SPECIAL_UNINIT;
    return special == SPECIAL_NANS && array_fill_special(a) == SPECIAL_NANS;
}

static tess_status
fill_exposed(struct filler *f, const struct walk *chunk, tess_error *err)
{
    const struct geometry *const g = &f->a->g;
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    struct visit *v = NULL;
    bool filled = false;

    if (special_is_filled(f->a, chunk->index))
        return TESS_OK;
    tess_status st = reserve_block(f, err);
    if (st == TESS_OK)
        st = visit_open(f->a, chunk->index, false, &v, err);
    if (st == TESS_OK)
        st = is_filled(f, v, chunk, &filled, err);
    visit_release(v);
    if (st != TESS_OK || filled)
        return st;
    for (int i = 0; i < g->ndim; i++) {
        const int64_t origin = chunk->at[i] * g->chunkshape[i];
        start[i] = origin + chunk->lo[i];
        stop[i] = origin + chunk->hi[i];
    }
    return write_item(f, start, stop, err);
}

// The padding of chunks that were there before, as far as it is inside the shape now.
static tess_status
fill_padding(struct filler *f, const struct geometry *before, tess_error *err)
{
    const struct geometry *const g = &f->a->g;
    int64_t start[NDIM_MAX], stop[NDIM_MAX];
    tess_status st = TESS_OK;
    struct walk w;

    for (int i = 0; i < g->ndim; i++)
        stop[i] = min_i64(g->shape[i], before->grid[i] * before->chunkshape[i]);
    for (int axis = 0; axis < g->ndim && st == TESS_OK; axis++) {
        for (int i = 0; i < g->ndim; i++)
            start[i] = i == axis ? min_i64(before->shape[i], stop[i]) : 0;
        for (bool more = walk_begin(&w, g->ndim, g->chunkshape, g->grid, start, stop, NULL);
             more && st == TESS_OK; more = walk_next(&w)) {
            st = fill_exposed(f, &w, err);
            if (st == TESS_OK)
                st = watch_look(f->watch, err);
        }
    }
    return st;
}

// Chunks that were not there before: axis by axis those beyond the old grid, of rows that were
// inside of it along the axes before.
static tess_status
fill_chunks(struct filler *f, const struct geometry *before, tess_error *err)
{
    const struct geometry *const g = &f->a->g;
    int64_t start[NDIM_MAX] = {0}, stop[NDIM_MAX];
    const struct watch_range all = watch_divide(f->watch);
    tess_status st = TESS_OK;

    memcpy(stop, g->shape, sizeof stop);
    for (int axis = 0; axis < g->ndim && st == TESS_OK; axis++) {
        watch_part(f->watch, &all, axis + 1, g->ndim);
        const int64_t covered = before->grid[axis] * before->chunkshape[axis];
        start[axis] = covered;
        st = write_item(f, start, stop, err);
        start[axis] = 0;
        stop[axis] = min_i64(g->shape[axis], covered);
    }
    return st;
}

tess_status
array_fill_grown(tess_array *a, const struct geometry *before, struct watch *watch, tess_error *err)
{
    struct filler f;
    tess_status st = begin(&f, a, watch, err);
    if (st == TESS_OK)
        st = fill_padding(&f, before, err);
    if (st == TESS_OK && a->fill && array_fill_special(a) == SPECIAL_ZEROS)
        st = fill_chunks(&f, before, err);
    end(&f);
    return st;
}

tess_status
array_fill_box(tess_array *a, const int64_t *start, const int64_t *stop, struct watch *watch,
               tess_error *err)
{
    struct filler f;
    if (a->g.nchunks > 0 && !a->frame->index.entries && special_is_filled(a, 0))
        return TESS_OK; // all chunks are, and the list takes no memory
    tess_status st = begin(&f, a, watch, err);
    if (st == TESS_OK)
        st = write_item(&f, start, stop, err);
    end(&f);
    return st;
}
