/*
 * shape.c - the geometry of an array: sums, products and their limits.
 */
#include "geom/shape.h"

#include "base/checked.h"

#include <inttypes.h>

static tess_status
check_shape_axis(int i, int64_t s, int64_t c, int64_t b, tess_status blame, tess_error *err)
{
    if (s < 0 || c < 0 || b < 0)
        return err_set(err, blame, -1,
                       "axis %d: negative shape %" PRId64 ", chunk %" PRId64 " or block %" PRId64,
                       i, s, c, b);
    if (c == 0 && s > 0)
        return err_set(err, blame, -1, "axis %d: chunks of 0 items, for %" PRId64 " items", i, s);
    if (c > 0 && b == 0)
        return err_set(err, blame, -1, "axis %d: blocks of 0 items in chunks of %" PRId64, i, c);
    return TESS_OK;
}

// Multiply all products by the lengths of axis i. Returns NULL, or the name of the product that
// overflowed: 2^63 items or more. The products include padding: item numbers also count the items
// of the last chunks that are outside the shape.
static const char *
multiply(struct geometry *g, int i, int64_t *extitems)
{
    int64_t ext;
    if (!mul_i64(g->nitems, g->shape[i], &g->nitems))
        return "the shape";
    if (!mul_i64(g->grid[i], g->chunkshape[i], &ext) || !mul_i64(*extitems, ext, extitems))
        return "the shape, filled up to whole chunks,";
    if (!mul_i64(g->chunk_nitems, g->extchunk[i], &g->chunk_nitems))
        return "a chunk, filled up to whole blocks,";
    if (!mul_i64(g->block_nitems, g->blockshape[i], &g->block_nitems))
        return "a block";
    g->nchunks *= g->grid[i]; // not above the items, nor blocks above those of a chunk
    g->nblocks *= g->bgrid[i];
    return NULL;
}

tess_status
geometry_init(struct geometry *g, int ndim, const int64_t *shape, const int64_t *chunkshape,
              const int64_t *blockshape, int32_t typesize, tess_status blame, tess_error *err)
{
    const tess_status large = blame == TESS_ERR_ARG ? TESS_ERR_LIMIT : blame;
    int64_t extitems = 1;
    bool empty = false;

    if (ndim < 0 || ndim > NDIM_MAX)
        return err_set(err, blame, -1, "%d dimensions, at most %d can be", ndim, NDIM_MAX);
    if (typesize < 1 || typesize > TYPESIZE_MAX)
        return err_set(err, blame, -1, "items of %" PRId32 " bytes, 1 to %d can be", typesize,
                       TYPESIZE_MAX);

    *g = (struct geometry){.ndim = ndim,
                           .typesize = typesize,
                           .nitems = 1,
                           .nchunks = 1,
                           .chunk_nitems = 1,
                           .block_nitems = 1,
                           .nblocks = 1};
    for (int i = 0; i < ndim; i++) {
        const int64_t s = shape[i], c = chunkshape[i], b = blockshape[i];
        const tess_status st = check_shape_axis(i, s, c, b, blame, err);
        if (st != TESS_OK)
            return st;
        if (c > CHUNK_NBYTES_MAX || b > CHUNK_NBYTES_MAX)
            return err_set(err, large, -1,
                           "axis %d: chunks of %" PRId64 " and blocks of %" PRId64
                           " items, a chunk has at most %d bytes",
                           i, c, b, CHUNK_NBYTES_MAX);
        g->shape[i] = s;
        g->chunkshape[i] = c;
        g->blockshape[i] = b;
        g->grid[i] = s > 0 ? ceil_div(s, c) : 0;
        g->bgrid[i] = c > 0 ? ceil_div(c, b) : 0;
        g->extchunk[i] = g->bgrid[i] * b;
        empty |= s == 0;
    }
    if (empty) // zero from the first factor on: the order of the axes does not matter
        g->nitems = g->nchunks = extitems = 0;

    for (int i = 0; i < ndim; i++) {
        const char *const what = multiply(g, i, &extitems);
        if (what)
            return err_set(err, large, -1, "%s has 2^63 items or more at axis %d", what, i);
    }

    int64_t chunksize, blocksize;
    if (!mul_i64(g->chunk_nitems, typesize, &chunksize) || chunksize > CHUNK_NBYTES_MAX)
        return err_set(err, large, -1,
                       "chunks of %" PRId64 " items of %" PRId32
                       " bytes, a chunk has at most %d bytes",
                       g->chunk_nitems, typesize, CHUNK_NBYTES_MAX);
    if (!mul_i64(g->block_nitems, typesize, &blocksize) || blocksize > BLOCK_NBYTES_MAX)
        return err_set(err, large, -1,
                       "blocks of %" PRId64 " items of %" PRId32
                       " bytes, a block has at most %d bytes",
                       g->block_nitems, typesize, BLOCK_NBYTES_MAX);
    g->chunksize = (int32_t)chunksize;
    g->blocksize = (int32_t)blocksize;
    return TESS_OK;
}

tess_status
geometry_reshape(const struct geometry *g, const int64_t *shape, struct geometry *out,
                 tess_error *err)
{
    struct geometry next;
    const tess_status st = geometry_init(&next, g->ndim, shape, g->chunkshape, g->blockshape,
                                         g->typesize, TESS_ERR_ARG, err);
    if (st == TESS_OK)
        *out = next;
    return st;
}

tess_status
geometry_check_box(const struct geometry *g, const struct box *box, int64_t *nitems,
                   tess_error *err)
{
    bool empty = false;
    if (g->ndim > 0 && (!box->start || !box->stop))
        return err_set(err, TESS_ERR_ARG, -1, "no box is given");
    for (int i = 0; i < g->ndim; i++) {
        if (box->start[i] < 0 || box->stop[i] < box->start[i] || box->stop[i] > g->shape[i])
            return err_set(err, TESS_ERR_ARG, -1,
                           "axis %d: box from %" PRId64 " to %" PRId64 ", the array has %" PRId64
                           " items there",
                           i, box->start[i], box->stop[i], g->shape[i]);
        empty |= box->start[i] == box->stop[i];
    }
    *nitems = empty ? 0 : 1;
    for (int i = 0; i < g->ndim && !empty; i++)
        *nitems *= box->stop[i] - box->start[i]; // at most g->nitems
    return TESS_OK;
}

void
shape_strides(int ndim, const int64_t *shape, int64_t itemsize, int64_t *stride)
{
    for (int i = ndim - 1; i >= 0; i--) {
        stride[i] = itemsize;
        itemsize *= shape[i];
    }
}

// Blocks along one axis in front of item i, counted over all chunks; with the one that holds it if
// `with` is 1.
static int64_t
blocks_before(const struct geometry *g, int axis, int64_t i, int64_t with)
{
    const int64_t chunk = i / g->chunkshape[axis];
    const int64_t rest = i % g->chunkshape[axis];
    return chunk * g->bgrid[axis] + rest / g->blockshape[axis] + with;
}

int64_t
geometry_blocks_nbytes(const struct geometry *g, const struct box *box)
{
    int64_t nbytes = g->blocksize;
    for (int i = 0; i < g->ndim; i++) {
        if (box->start[i] >= box->stop[i])
            return 0;
        int64_t n =
            blocks_before(g, i, box->stop[i] - 1, 1) - blocks_before(g, i, box->start[i], 0);
        if (box->step && box->step[i] > 1)
            n = min_i64(n, ceil_div(box->stop[i] - box->start[i], box->step[i]));
        if (!mul_i64(nbytes, n, &nbytes))
            return INT64_MAX;
    }
    return nbytes;
}
