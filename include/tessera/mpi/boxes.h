/**
 * @file boxes.h
 * Boxes of items, and the grid of chunks that they meet. Part of tessera/mpi.h.
 */
#ifndef TESSERA_MPI_BOXES_H
#define TESSERA_MPI_BOXES_H

#include "tessera/array.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/** @cond */

typedef struct tess_mpi_box {
    int64_t start[TESS_MAX_NDIM];
    int64_t stop[TESS_MAX_NDIM];
} tess_mpi_box;

/* An array as all ranks know it. */
typedef struct tess_mpi_shape {
    int ndim;
    int32_t typesize;
    int64_t shape[TESS_MAX_NDIM];
    int64_t chunkshape[TESS_MAX_NDIM];
    int64_t grid[TESS_MAX_NDIM]; /* chunks along each axis */
} tess_mpi_shape;

/* Set `grid`. */
static inline void
tess_mpi_shape_count(tess_mpi_shape *g)
{
    for (int i = 0; i < g->ndim; i++) {
        const int64_t c = g->chunkshape[i];
        g->grid[i] = c > 0 ? g->shape[i] / c + (g->shape[i] % c != 0) : 0;
    }
}

static inline void
tess_mpi_shape_init(tess_mpi_shape *g, const tess_info *info)
{
    g->ndim = info->ndim;
    g->typesize = info->typesize;
    for (int i = 0; i < info->ndim; i++) {
        g->shape[i] = info->shape[i];
        g->chunkshape[i] = info->chunkshape[i];
    }
    tess_mpi_shape_count(g);
}

/* Items of a box; 0 if it is empty along some axis. */
static inline int64_t
tess_mpi_box_nitems(int ndim, const tess_mpi_box *b)
{
    int64_t n = 1;
    for (int i = 0; i < ndim; i++)
        n *= b->stop[i] > b->start[i] ? b->stop[i] - b->start[i] : 0;
    return n;
}

/* What two boxes share, which may be nothing. */
static inline bool
tess_mpi_box_meet(int ndim, const tess_mpi_box *a, const tess_mpi_box *b, tess_mpi_box *both)
{
    for (int i = 0; i < ndim; i++) {
        both->start[i] = a->start[i] > b->start[i] ? a->start[i] : b->start[i];
        both->stop[i] = a->stop[i] < b->stop[i] ? a->stop[i] : b->stop[i];
    }
    return tess_mpi_box_nitems(ndim, both) > 0;
}

/* A chunk, by its place along each axis, without what lies beyond the array. */
static inline void
tess_mpi_chunk_box(const tess_mpi_shape *g, const int64_t *place, tess_mpi_box *chunk)
{
    for (int i = 0; i < g->ndim; i++) {
        const int64_t start = place[i] * g->chunkshape[i];
        const int64_t stop = start + g->chunkshape[i];
        chunk->start[i] = start;
        chunk->stop[i] = stop < g->shape[i] ? stop : g->shape[i];
    }
}

/* The chunks that a box meets: the first along each axis, and the one behind the last. */
static inline void
tess_mpi_box_chunks(const tess_mpi_shape *g, const tess_mpi_box *b, tess_mpi_box *chunks)
{
    for (int i = 0; i < g->ndim; i++) {
        chunks->start[i] = b->start[i] / g->chunkshape[i];
        chunks->stop[i] = (b->stop[i] + g->chunkshape[i] - 1) / g->chunkshape[i];
    }
}

/* The chunks of which a box has all items. */
static inline bool
tess_mpi_box_whole_chunks(const tess_mpi_shape *g, const tess_mpi_box *b, tess_mpi_box *chunks)
{
    for (int i = 0; i < g->ndim; i++) {
        const int64_t c = g->chunkshape[i];
        chunks->start[i] = (b->start[i] + c - 1) / c;
        chunks->stop[i] = b->stop[i] == g->shape[i] ? g->grid[i] : b->stop[i] / c;
    }
    return tess_mpi_box_nitems(g->ndim, b) > 0 && tess_mpi_box_nitems(g->ndim, chunks) > 0;
}

static inline bool
tess_mpi_box_has(int ndim, const tess_mpi_box *b, const int64_t *place)
{
    for (int i = 0; i < ndim; i++)
        if (place[i] < b->start[i] || place[i] >= b->stop[i])
            return false;
    return true;
}

/* Go through a box in steps, in C order: place is the first one at first. False: it was the last.
 */
static inline bool
tess_mpi_box_next(int ndim, const tess_mpi_box *b, const int64_t *step, int64_t *place)
{
    for (int i = ndim - 1; i >= 0; i--) {
        place[i] += step ? step[i] : 1;
        if (place[i] < b->stop[i])
            return true;
        place[i] = b->start[i];
    }
    return false;
}

/* Bytes from one item to the next along each axis, of a box in C order without gaps. */
static inline void
tess_mpi_box_strides(const tess_mpi_shape *g, const tess_mpi_box *b, int64_t *strides)
{
    int64_t stride = g->typesize;
    for (int i = g->ndim - 1; i >= 0; i--) {
        strides[i] = stride;
        stride *= b->stop[i] - b->start[i];
    }
}

/* Bytes from the first item of a box in memory to that of a part of it. */
static inline int64_t
tess_mpi_box_offset(int ndim, const tess_mpi_box *b, const int64_t *strides,
                    const tess_mpi_box *part)
{
    int64_t offset = 0;
    for (int i = 0; i < ndim; i++)
        offset += (part->start[i] - b->start[i]) * strides[i];
    return offset;
}

/* Copy a part from a box in memory to another one that has it, too. */
static inline void
tess_mpi_box_copy(const tess_mpi_shape *g, const tess_mpi_box *part, const tess_mpi_box *from,
                  const uint8_t *src, const tess_mpi_box *to, uint8_t *dst)
{
    int64_t src_strides[TESS_MAX_NDIM], dst_strides[TESS_MAX_NDIM];
    tess_mpi_box line = *part;
    tess_mpi_box at = *part;
    const int last = g->ndim - 1;

    tess_mpi_box_strides(g, from, src_strides);
    tess_mpi_box_strides(g, to, dst_strides);
    if (g->ndim == 0) {
        memcpy(dst, src, (size_t)g->typesize);
        return;
    }
    const int64_t size = (part->stop[last] - part->start[last]) * g->typesize;
    line.stop[last] = line.start[last] + 1;
    do {
        memcpy(dst + tess_mpi_box_offset(g->ndim, to, dst_strides, &at),
               src + tess_mpi_box_offset(g->ndim, from, src_strides, &at), (size_t)size);
    } while (tess_mpi_box_next(g->ndim, &line, NULL, at.start));
}

/** @endcond */

#ifdef __cplusplus
}
#endif

#endif
