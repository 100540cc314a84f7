/*
 * place.c - from a decoded block to where its items belong.
 *
 * A kernel is called once per tile of rows, never per row: choosing it costs more than a short row.
 */
#include "grid/place.h"

#include "filter/kernels.h"
#include "geom/shape.h"
#include "ndcopy/convert/convert.h"
#include "ndcopy/ndcopy.h"

#include <assert.h>

struct block_need
place_need(const struct geometry *g, const struct walk *w, const int64_t *dst_stride)
{
    const int inner = g->ndim - 1;
    const bool alone = g->ndim == 0 || w->count[inner] == 1; // its step and stride mean nothing
    int64_t first = 0, last = 0;
    for (int i = 0; i < g->ndim; i++) {
        first = first * g->blockshape[i] + w->lo[i];
        last = last * g->blockshape[i] + w->hi[i] - 1;
    }
    return (struct block_need){
        .itemsize = g->typesize,
        .first = (int32_t)first,
        .stop = (int32_t)last + 1,
        .planes = alone || (dst_stride[inner] == g->typesize && w->step[inner] == 1),
    };
}

/*
 * The tile that starts at dst, out of planes that start at an item; `next` as for the kernel. Rows
 * whose items do not follow each other are turned around: each item is a row then.
 */
static void
unshuffle_tile(const struct ndrows *r, const struct decoded *block, int64_t first, uint8_t *dst,
               const uint8_t *next)
{
    const size_t width = (size_t)block->planes;
    unshuffle_rows_fn *const unshuffle_rows = filter_kernels()->unshuffle_rows;
    struct plane_rows p = {
        .n = (size_t)block->nbytes / width,
        .w = width,
        .first = (size_t)first,
        .rows = (size_t)r->rows,
        .row_nitems = (size_t)r->row_nitems,
        .src_step = (size_t)r->row_src / width,
        .dst_stride = (ptrdiff_t)r->row_dst,
        .next = next,
    };

    if (r->packed) {
        unshuffle_rows(dst, block->bytes, &p);
        return;
    }
    p.rows = (size_t)r->row_nitems;
    p.row_nitems = 1;
    p.src_step = (size_t)r->item_src / width;
    p.dst_stride = (ptrdiff_t)r->item_dst;
    p.next = NULL;
    for (int64_t i = 0; i < r->rows; i++) {
        unshuffle_rows(dst + i * r->row_dst, block->bytes, &p);
        p.first += (size_t)r->row_src / width;
    }
}

// Where the next block of the walk goes, if that is the one behind this along the last axis.
static const uint8_t *
neighbour(const struct walk *w, const uint8_t *dst, const int64_t *dst_stride)
{
    const int inner = w->ndim - 1;

    if (w->ndim == 0 || w->at[inner] == w->last[inner])
        return NULL;
    return dst + w->count[inner] * dst_stride[inner];
}

// While the last tile is written, the first one at `next` is asked for; NULL: none.
static void
unshuffle_block(const struct geometry *g, const struct decoded *block, const int64_t *count,
                int64_t src, const int64_t *src_stride, uint8_t *dst, const int64_t *dst_stride,
                const uint8_t *next)
{
    struct ndrows r;
    bool more = ndrows_begin(&r, g->ndim, count, g->typesize, dst_stride, src_stride);
    while (more) {
        const int64_t first = (src + r.src) / g->typesize;
        uint8_t *const tile = dst + r.dst;
        more = ndrows_next(&r);
        unshuffle_tile(&r, block, first, tile, more ? dst + r.dst : next);
    }
}

// Where the first item of a block that the walk stands on is, and the strides of the others.
static int64_t
place_from(const struct geometry *g, const struct walk *w, int64_t *src_stride)
{
    int64_t src = 0;

    shape_strides(g->ndim, g->blockshape, g->typesize, src_stride);
    for (int i = 0; i < g->ndim; i++) {
        src += w->lo[i] * src_stride[i];
        src_stride[i] *= w->step[i];
    }
    return src;
}

int64_t
place_converted(const struct geometry *g, const struct decoded *block, const struct walk *w,
                const struct converter *how, uint8_t *dst, const int64_t *dst_stride)
{
    int64_t src_stride[NDIM_MAX];
    const int64_t src = place_from(g, w, src_stride);

    assert(block->planes == 0);
    return convert_box(how, g->ndim, w->count, dst, dst_stride, block->bytes + src, src_stride);
}

void
place_block(const struct geometry *g, const struct decoded *block, const struct walk *w,
            uint8_t *dst, const int64_t *dst_stride)
{
    int64_t src_stride[NDIM_MAX];
    const int64_t src = place_from(g, w, src_stride);

    if (block->planes == 0) {
        ndcopy(g->ndim, w->count, g->typesize, dst, dst_stride, block->bytes + src, src_stride);
        return;
    }
    unshuffle_block(g, block, w->count, src, src_stride, dst, dst_stride,
                    neighbour(w, dst, dst_stride));
}
