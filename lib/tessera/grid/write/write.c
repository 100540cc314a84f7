/*
 * write.c - memory into a box of an array, as a source of edits.
 *
 * A chunk that the box covers (but for what the array's edge cuts off) is made from the caller's
 * memory alone; if all its items are equal, without blocks. Of a chunk that is covered in part,
 * blocks inside the box are replaced and those at its border overlaid.
 *
 * One item for all of the box (no strides) goes to the chunks that it covers first, one by one or
 * all at once: nothing of them is encoded more than once. The others are edited then.
 *
 * Padding is zeros.
 */
#include "grid/write/write.h"

#include "base/checked.h"
#include "base/error.h"
#include "base/memory.h"
#include "cache/cache.h"
#include "frame/commit/change.h"
#include "geom/shape.h"
#include "geom/walk.h"
#include "grid/box_memory.h"
#include "grid/write/constant.h"
#include "grid/write/store.h"
#include "ndcopy/convert/convert.h"
#include "ndcopy/ndcopy.h"
#include "task/gate.h"
#include "task/watch.h"

struct box_source {
    const struct chunk_grid *grid;
    const struct box_memory_const *src;
    struct walk chunks;
    bool more;
    bool only_parts; // chunks that are covered are done
    const bool *wanted; // of the chunk the walk stands on, and all behind it; NULL: all are
};

enum {
    MANY = 64, // chunks, for which the cache is searched once
    LOOK = 1024, // chunks between two looks at the watch
};

static int64_t
offset_of(const struct box_memory_const *src, int ndim, const int64_t *from)
{
    int64_t offset = 0;
    for (int i = 0; i < ndim; i++)
        offset += from[i] * src->stride[i];
    return offset;
}

// The item that the chunk's part of the box is again and again.
static const uint8_t *
box_constant(const void *from, const struct edit *e)
{
    const struct box_source *const box = from;
    const struct geometry *const g = &box->grid->g;
    int64_t count[NDIM_MAX];
    for (int i = 0; i < g->ndim; i++)
        count[i] =
            box->src->stride[i] == 0 ? 1 : ceil_div(e->hi[i] - e->lo[i], box->chunks.step[i]);
    const struct converter *const as = box->src->as;
    if (!ndconstant(g->ndim, count, as ? as->from_size : g->typesize, e->items, box->src->stride))
        return NULL;
    return as ? e->item : e->items;
}

static bool
box_is_wanted(const struct box_source *box)
{
    if (box->wanted && !*box->wanted)
        return false;
    return !box->only_parts || !walk_covers(&box->chunks, box->grid->g.shape);
}

static void
box_step(struct box_source *box)
{
    box->more = walk_next(&box->chunks);
    if (box->wanted)
        box->wanted++;
}

static bool
next_edit_box(void *cursor, struct edit *e)
{
    struct box_source *const box = cursor;
    const struct geometry *const g = &box->grid->g;
    const struct walk *const w = &box->chunks;
    while (box->more && !box_is_wanted(box))
        box_step(box);
    if (!box->more)
        return false;

    e->n = w->index;
    e->items = box->src->items + offset_of(box->src, g->ndim, w->from);
    e->full = true;
    for (int i = 0; i < g->ndim; i++) {
        e->lo[i] = w->lo[i];
        e->hi[i] = w->hi[i];
        e->full &= w->count[i] == g->bgrid[i] * g->blockshape[i];
    }
    e->whole = walk_covers(w, g->shape);
    if (box->src->as) // the first one, in case that all are
        convert_box(box->src->as, 0, NULL, e->item, NULL, e->items, NULL);
    box_step(box);
    return true;
}

// The blocks of an edit's chunk that the box meets.
static bool
blocks_of_edit(const struct box_source *box, const struct edit *e, struct walk *w)
{
    const struct geometry *const g = &box->grid->g;
    return walk_begin(w, g->ndim, g->blockshape, g->bgrid,
                      &(struct box){e->lo, e->hi, box->chunks.step});
}

static int32_t
box_touched(const void *from, const struct edit *e, int32_t nblock, bool *replaced)
{
    const struct box_source *const box = from;
    const struct geometry *const g = &box->grid->g;
    struct walk w;
    *replaced = true;
    if (e->full)
        return nblock;
    if (!blocks_of_edit(box, e, &w) || !walk_seek(&w, nblock))
        return (int32_t)g->nblocks;
    for (int i = 0; i < g->ndim; i++)
        *replaced &= w.count[i] == g->blockshape[i];
    return (int32_t)w.index;
}

static tess_status
box_fill(const void *from, const struct edit *e, int32_t nblock, uint8_t *items, tess_error *err)
{
    const struct box_source *const box = from;
    const struct geometry *const g = &box->grid->g;
    int64_t stride[NDIM_MAX];
    int64_t dst = 0;
    struct walk w;

    (void)err;
    blocks_of_edit(box, e, &w);
    walk_stand(&w, nblock);
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    for (int i = 0; i < g->ndim; i++) {
        dst += w.lo[i] * stride[i];
        stride[i] *= w.step[i];
    }
    converted_put(box->src, g->ndim, w.count, g->typesize, items + dst, stride,
                  e->items + offset_of(box->src, g->ndim, w.from));
    return TESS_OK;
}

// Chunks that a box meets, or more, if it has steps.
static int64_t
chunks_of(const struct geometry *g, const struct box *box)
{
    int64_t n = 1; // fits: it is at most the array's
    for (int i = 0; i < g->ndim; i++)
        n *= (box->stop[i] - 1) / g->chunkshape[i] - box->start[i] / g->chunkshape[i] + 1;
    return n;
}

static tess_status
write_edits(struct box_source *box, struct chunk_grid *grid, const struct box *where,
            struct watch *watch, struct edit_source *source, tess_error *err)
{
    source->from = box;
    source->cursor = box;
    source->next = next_edit_box;
    source->touched = box_touched;
    source->fill = box_fill;
    source->constant = box_constant;
    source->watch = watch;
    source->nchunks = chunks_of(&grid->g, where);
    box->grid = grid;
    box->more = walk_chunks(&box->chunks, &grid->g, where);
    return store_edits(grid, source, err);
}

// Whether memory without strides stands for more than one item.
static bool
is_one_item(int ndim, const struct box *box, const int64_t *stride)
{
    bool many = false;
    for (int i = 0; i < ndim; i++) {
        const int64_t n = box->stop[i] - box->start[i];
        if (n <= 0 || (n > 1 && stride[i] != 0))
            return false;
        many |= n > 1;
    }
    return many;
}

// Of many chunks, the cache forgets all blocks at once.
static void
forget_many(struct chunk_grid *grid, const struct box *box, struct edit_source *source)
{
    const struct geometry *const g = &grid->g;
    int64_t first = 0, last = 0;
    if (source->staged || chunks_of(g, box) <= MANY)
        return;
    for (int i = 0; i < g->ndim; i++) {
        first = first * g->grid[i] + box->start[i] / g->chunkshape[i];
        last = last * g->grid[i] + (box->stop[i] - 1) / g->chunkshape[i];
    }
    cache_forget_range(grid->cache, first, last);
    source->from_cache = true; // which has none of them
}

// Bytes of the blocks that the box has in the chunk on which the walk stands, or more.
static int64_t
part_nbytes(const struct geometry *g, const struct walk *w)
{
    int64_t n = g->blocksize;
    for (int i = 0; i < g->ndim; i++)
        n *= (w->hi[i] - 1) / g->blockshape[i] - w->lo[i] / g->blockshape[i] + 1;
    return n;
}

static tess_status
put_constant(struct chunk_grid *grid, int64_t n, const struct constant *c,
             const struct edit_source *source, tess_error *err)
{
    gate_close(grid->gate);
    const tess_status st = constant_put(grid, source->staged, n, c, err);
    if (st == TESS_OK && !source->staged && !source->from_cache)
        cache_forget_chunk(grid->cache, n, grid->g.nblocks);
    gate_open(grid->gate);
    return st;
}

// Put the chunks that the box covers. source->nbytes: of the blocks of those that it does not.
static tess_status
put_covered(struct chunk_grid *grid, const struct box *box, const uint8_t *item,
            struct watch *watch, struct edit_source *source, tess_error *err)
{
    const struct geometry *const g = &grid->g;
    struct constant c;
    struct walk w;
    int64_t n = 0;
    tess_status st = constant_init(&c, grid, item, err);

    for (bool more = walk_chunks(&w, g, box); more && st == TESS_OK; more = walk_next(&w)) {
        if (walk_covers(&w, g->shape))
            st = put_constant(grid, w.index, &c, source, err);
        else if (!add_i64(source->nbytes, part_nbytes(g, &w), &source->nbytes))
            source->nbytes = INT64_MAX;
        if (st == TESS_OK && ++n % LOOK == 0)
            st = watch_look(watch, err);
    }
    constant_finish(&c);
    return st;
}

// All of the array, if that is one step; a change of its own where no other is open.
static tess_status
set_all(struct chunk_grid *grid, const struct box *box, const uint8_t *item, bool *done,
        tess_error *err)
{
    gate_close(grid->gate);
    const bool own = !frame_is_changing(grid->frame);
    if (own)
        frame_begin(grid->frame);
    const tess_status st = constant_set_all(grid, box, item, done, err);
    if (own && st == TESS_OK)
        frame_keep(grid->frame);
    else if (own)
        frame_undo(grid->frame);
    gate_open(grid->gate);
    return st;
}

static tess_status
box_write_item(struct chunk_grid *grid, const struct box *where, const struct box_memory_const *src,
               struct watch *watch, struct edit_source *source, tess_error *err)
{
    struct box_source box = {.src = src, .only_parts = true};
    const bool apart = source->staged && source->staged->apart;
    bool done = false;
    tess_status st = apart ? TESS_OK : set_all(grid, where, src->items, &done, err);
    if (st != TESS_OK || done)
        return st;
    forget_many(grid, where, source);
    st = put_covered(grid, where, src->items, watch, source, err);
    return st == TESS_OK && source->nbytes > 0 ? write_edits(&box, grid, where, watch, source, err)
                                               : st;
}

tess_status
grid_write(struct chunk_grid *grid, const struct box *where, const struct box_memory_const *src,
           struct frame_staged *staged, struct watch *watch, tess_error *err)
{
    struct box_source box = {.src = src};
    struct edit_source source = {.staged = staged};

    if (!src->as && is_one_item(grid->g.ndim, where, src->stride) &&
        constant_pays(src->items, &grid->g))
        return box_write_item(grid, where, src, watch, &source, err);
    source.nbytes = geometry_blocks_nbytes(&grid->g, where);
    forget_many(grid, where, &source);
    return write_edits(&box, grid, where, watch, &source, err);
}

tess_status
grid_write_some(struct chunk_grid *grid, const struct box *where, const uint8_t *item,
                const bool *wanted, struct watch *watch, tess_error *err)
{
    const struct box_memory_const src = {.items = item}; // strides 0: the same item everywhere
    struct box_source box = {.src = &src, .wanted = wanted};
    struct edit_source source = {.nbytes = geometry_blocks_nbytes(&grid->g, where)};
    return write_edits(&box, grid, where, watch, &source, err);
}

tess_status
grid_write_padding(struct chunk_grid *grid, const struct box *where, struct watch *watch,
                   tess_error *err)
{
    struct box_memory_const zeros = {0}; // strides 0: the same item everywhere
    struct box_source box = {.src = &zeros};
    struct edit_source source = {.padding = true};
    uint8_t *const item = mem_zeroed(1, (size_t)grid->g.typesize);

    if (!item)
        return err_set(err, TESS_ERR_NOMEM, -1, "no memory for an item");
    zeros.items = item;
    source.nbytes = geometry_blocks_nbytes(&grid->g, where);
    const tess_status st = write_edits(&box, grid, where, watch, &source, err);
    mem_free(item);
    return st;
}
