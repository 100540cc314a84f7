/*
 * shape.h - the geometry of an array: items in blocks in chunks.
 *
 * Per axis, with s, c, b the entries of shape, chunkshape and blockshape:
 *     grid     = ceil(s / c)        chunks along the axis
 *     extchunk = ceil(c / b) * b    a chunk, padded to whole blocks
 *     bgrid    = extchunk / b       blocks of a chunk along the axis
 * Chunks, blocks of a chunk, and items of a block all stand in C order.
 *
 * geometry_init() is the one place that checks shapes; all products in struct geometry fit, and
 * the rest of the library multiplies within them without asking again.
 */
#ifndef GEOM_SHAPE_H
#define GEOM_SHAPE_H

#include "base/error.h"
#include "base/limits.h"
#include "geom/box.h"

#include <stdbool.h>
#include <stdint.h>

struct geometry {
    int ndim;
    int32_t typesize;
    int64_t shape[NDIM_MAX];
    int64_t chunkshape[NDIM_MAX];
    int64_t blockshape[NDIM_MAX];

    int64_t grid[NDIM_MAX];
    int64_t extchunk[NDIM_MAX];
    int64_t bgrid[NDIM_MAX];

    int64_t nitems; // of the array
    int64_t nchunks; // prod(grid)
    int64_t chunk_nitems; // prod(extchunk)
    int64_t block_nitems; // prod(blockshape)
    int64_t nblocks; // of a chunk
    int32_t chunksize; // bytes
    int32_t blocksize; // bytes
};

/*
 * Compute and check. `blame` is the status for shapes that make no sense: TESS_ERR_ARG when they
 * come from a caller, TESS_ERR_CORRUPT when from a file. What is only too large is
 * TESS_ERR_LIMIT for a caller, `blame` for a file.
 */
tess_status geometry_init(struct geometry *g, int ndim, const int64_t *shape,
                          const int64_t *chunkshape, const int64_t *blockshape, int32_t typesize,
                          tess_status blame, tess_error *err);

// The same array with another shape; *out may be g.
tess_status geometry_reshape(const struct geometry *g, const int64_t *shape, struct geometry *out,
                             tess_error *err);

// Whether a box of a caller, without steps, is given and lies inside the shape; TESS_ERR_ARG with a
// sentence otherwise. *nitems receives its items.
tess_status geometry_check_box(const struct geometry *g, const struct box *box, int64_t *nitems,
                               tess_error *err);

// Bytes of all blocks that a box inside the shape meets, or more, if it has steps; INT64_MAX if
// they are more.
int64_t geometry_blocks_nbytes(const struct geometry *g, const struct box *box);

// Strides of a C-order array of that shape, in bytes.
void shape_strides(int ndim, const int64_t *shape, int64_t itemsize, int64_t *stride);

#endif
