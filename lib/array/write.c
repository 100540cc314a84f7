/*
 * write.c - memory into a box of an array, as a source of edits.
 *
 * A chunk that the box covers (but for what the array's edge cuts off) is made from the caller's
 * memory alone; if all its items are equal, without blocks. Of a chunk that is covered in part,
 * blocks inside the box are replaced and those at its border overlaid.
 *
 * Padding is zeros.
 */
#include "array/store.h"

#include "array/view.h"
#include "base/checked.h"
#include "geom/walk.h"
#include "ndcopy/ndcopy.h"

struct box_source {
    const tess_array *a;
    const struct strided_const *src;
    struct walk chunks;
    bool more;
};

static int64_t
offset_of(const struct strided_const *src, int ndim, const int64_t *from)
{
    int64_t offset = 0;
    for (int i = 0; i < ndim; i++)
        offset += from[i] * src->stride[i];
    return offset;
}

// Whether the chunk's part of the box is one item again and again.
static bool
is_constant(const struct box_source *box, const struct edit *e)
{
    const struct geometry *const g = &box->a->g;
    int64_t count[NDIM_MAX];
    for (int i = 0; i < g->ndim; i++)
        count[i] = box->src->stride[i] == 0 ? 1 : box->chunks.count[i];
    return ndconstant(g->ndim, count, g->typesize, e->items, box->src->stride);
}

static bool
next(void *cursor, struct edit *e)
{
    struct box_source *const box = cursor;
    const struct geometry *const g = &box->a->g;
    const struct walk *const w = &box->chunks;
    if (!box->more)
        return false;

    e->n = w->index;
    e->items = box->src->items + offset_of(box->src, g->ndim, w->from);
    for (int i = 0; i < g->ndim; i++) {
        e->lo[i] = w->lo[i];
        e->hi[i] = w->hi[i];
        e->first[i] = w->lo[i] / g->blockshape[i];
        e->last[i] = (w->hi[i] - 1) / g->blockshape[i];
    }
    e->whole = walk_covers(w, g->shape);
    e->item = e->whole && is_constant(box, e) ? e->items : NULL;
    box->more = walk_next(&box->chunks);
    return true;
}

static void
block_at(const struct geometry *g, int32_t nblock, int64_t *at)
{
    int64_t rest = nblock;
    for (int i = g->ndim - 1; i >= 0; i--) {
        at[i] = rest % g->bgrid[i];
        rest /= g->bgrid[i];
    }
}

// The first block from `at` on along an axis that has items of the box; -1 if there is none.
static int64_t
next_along(const struct box_source *box, const struct edit *e, int axis, int64_t at)
{
    const int64_t step = box->chunks.step[axis];
    if (at > e->last[axis])
        return -1;
    if (at <= e->first[axis])
        return e->first[axis];
    if (step == 1)
        return at;
    const int64_t blockshape = box->a->g.blockshape[axis];
    const int64_t skipped = ceil_div(at * blockshape - e->lo[axis], step);
    return (e->lo[axis] + skipped * step) / blockshape;
}

// Move on to the next block, in C order, that has items of the box; false if there is none.
static bool
move_into(const struct box_source *box, const struct edit *e, int64_t *at)
{
    const int ndim = box->a->g.ndim;
    for (int axis = 0; axis < ndim;) {
        const int64_t next = next_along(box, e, axis, at[axis]);
        if (next == at[axis]) {
            axis++;
            continue;
        }
        if (next >= 0)
            at[axis] = next;
        else if (axis > 0)
            at[--axis]++;
        else
            return false;
        for (int i = axis + 1; i < ndim; i++)
            at[i] = e->first[i];
    }
    return true;
}

// Whether all items of a block along an axis are in the box.
static bool
covers_along(const struct box_source *box, const struct edit *e, int axis, int64_t at)
{
    const int64_t blockshape = box->a->g.blockshape[axis];
    if (box->chunks.step[axis] != 1)
        return blockshape == 1;
    return e->lo[axis] <= at * blockshape && (at + 1) * blockshape <= e->hi[axis];
}

static int32_t
touched(const void *from, const struct edit *e, int32_t nblock, bool *replaced)
{
    const struct box_source *const box = from;
    const struct geometry *const g = &box->a->g;
    int64_t at[NDIM_MAX] = {0};
    int64_t found = 0;

    block_at(g, nblock, at);
    if (!move_into(box, e, at))
        return (int32_t)g->nblocks;
    *replaced = true;
    for (int i = 0; i < g->ndim; i++) {
        *replaced &= covers_along(box, e, i, at[i]);
        found = found * g->bgrid[i] + at[i];
    }
    return (int32_t)found;
}

static void
fill(const void *from, const struct edit *e, int32_t nblock, uint8_t *items)
{
    const struct box_source *const box = from;
    const struct geometry *const g = &box->a->g;
    int64_t at[NDIM_MAX], count[NDIM_MAX], stride[NDIM_MAX], start[NDIM_MAX];
    int64_t dst = 0;

    block_at(g, nblock, at);
    shape_strides(g->ndim, g->blockshape, g->typesize, stride);
    for (int i = 0; i < g->ndim; i++) {
        const int64_t origin = at[i] * g->blockshape[i];
        const int64_t step = box->chunks.step[i];
        start[i] = origin > e->lo[i] ? ceil_div(origin - e->lo[i], step) : 0;
        const int64_t lo = e->lo[i] + start[i] * step;
        count[i] = ceil_div(min_i64(e->hi[i], origin + g->blockshape[i]) - lo, step);
        dst += (lo - origin) * stride[i];
        stride[i] *= step;
    }
    ndcopy(g->ndim, count, g->typesize, items + dst, stride,
           e->items + offset_of(box->src, g->ndim, start), box->src->stride);
}

static tess_status
write_view(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
           const struct strided_const *src, struct watch *watch, tess_error *err)
{
    struct view_box box;
    struct strided_const from;
    const tess_status st = view_box(a, start, stop, step, src, &box, &from, err);
    return st == TESS_OK
               ? array_write(a->view->base, box.start, box.stop, box.step, &from, watch, err)
               : st;
}

tess_status
array_write(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
            const struct strided_const *src, struct watch *watch, tess_error *err)
{
    if (a->view)
        return write_view(a, start, stop, step, src, watch, err);
    struct box_source box = {.a = a, .src = src};
    const struct edit_source source = {
        .from = &box,
        .cursor = &box,
        .next = next,
        .touched = touched,
        .fill = fill,
        .nbytes = geometry_blocks_nbytes(&a->g, start, stop, step),
        .watch = watch,
    };
    box.more = walk_begin(&box.chunks, a->g.ndim, a->g.chunkshape, a->g.grid, start, stop, step);
    return store_edits(a, &source, err);
}
