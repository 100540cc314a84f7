/*
 * place.c - from a decoded block to where its items belong.
 *
 * A kernel is called once per tile of rows, never per row: choosing it costs more than a short row.
 */
#include "array/place.h"

#include "filter/kernels.h"
#include "ndcopy/ndcopy.h"

struct block_need
place_need(const struct geometry *g, const int64_t *lo, const int64_t *hi,
           const int64_t *dst_stride)
{
    int64_t first = 0, last = 0;
    for (int i = 0; i < g->ndim; i++) {
        first = first * g->blockshape[i] + lo[i];
        last = last * g->blockshape[i] + hi[i] - 1;
    }
    return (struct block_need){
        .itemsize = g->typesize,
        .first = (int32_t)first,
        .stop = (int32_t)last + 1,
        .planes = g->ndim == 0 || dst_stride[g->ndim - 1] == g->typesize,
    };
}

// One tile of items out of planes. Rows whose items do not follow each other are turned around:
// each item is a row then.
static void
unshuffle_tile(const struct ndrows *r, const struct decoded *block, int64_t first, uint8_t *dst)
{
    const size_t width = (size_t)block->planes;
    const size_t n = (size_t)block->nbytes / width;
    unshuffle_rows_fn *const unshuffle_rows = filter_kernels()->unshuffle_rows;

    if (r->packed) {
        unshuffle_rows(dst + r->dst, r->row_dst, block->bytes, n, width, (size_t)first,
                       (size_t)r->rows, (size_t)r->row_src / width, (size_t)r->row_nitems);
        return;
    }
    for (int64_t i = 0; i < r->rows; i++)
        unshuffle_rows(dst + r->dst + i * r->row_dst, r->item_dst, block->bytes, n, width,
                       (size_t)first + (size_t)(i * r->row_src) / width, (size_t)r->row_nitems,
                       (size_t)r->item_src / width, 1);
}

void
place_block(const struct geometry *g, const struct decoded *block, const int64_t *lo,
            const int64_t *hi, uint8_t *dst, const int64_t *dst_stride)
{
    int64_t extent[NDIM_MAX], src_stride[NDIM_MAX];
    int64_t src = 0;

    shape_strides(g->ndim, g->blockshape, g->typesize, src_stride);
    for (int i = 0; i < g->ndim; i++) {
        extent[i] = hi[i] - lo[i];
        src += lo[i] * src_stride[i];
    }
    if (block->planes == 0) {
        ndcopy(g->ndim, extent, g->typesize, dst, dst_stride, block->bytes + src, src_stride);
        return;
    }
    struct ndrows r;
    for (bool more = ndrows_begin(&r, g->ndim, extent, g->typesize, dst_stride, src_stride); more;
         more = ndrows_next(&r))
        unshuffle_tile(&r, block, (src + r.src) / g->typesize, dst);
}
