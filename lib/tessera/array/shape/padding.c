/*
 * padding.c - items that are cut off do not stay in the padding of chunks.
 */
#include "array/shape/padding.h"

#include "base/checked.h"
#include "chunk/encode/encoder.h"
#include "filter/pipeline.h"
#include "grid/write/write.h"
#include "task/watch.h"

#include <string.h>

// Whether blocks that are decoded and encoded again hold the items that they held.
static bool
brings_back(const tess_array *a)
{
    const struct chunk_encoder *const e = &a->grid->encoder;
    return chunk_encoder_is_plain(e) ||
           (pipeline_brings_back(&e->pipeline) && !(e->codec && e->codec->lossy));
}

// Zeros from the index `first` on along an axis, up to stop[axis]; in one row of chunks.
static tess_status
clear(tess_array *a, int axis, int64_t first, const int64_t *stop, struct watch *watch,
      tess_error *err)
{
    const int64_t chunkshape = a->g->chunkshape[axis], blockshape = a->g->blockshape[axis];
    const int64_t origin = first - first % chunkshape;
    int64_t start[NDIM_MAX] = {0};

    start[axis] = first;
    if (!brings_back(a))
        start[axis] = origin + ceil_div(first - origin, blockshape) * blockshape;
    for (int i = 0; i < a->g->ndim; i++)
        if (start[i] >= stop[i])
            return TESS_OK;
    return grid_write_padding(a->grid, start, stop, watch, err);
}

tess_status
padding_clear(tess_array *a, int axis, int64_t first, int64_t stop, struct watch *watch,
              tess_error *err)
{
    int64_t to[NDIM_MAX];
    memcpy(to, a->g->shape, sizeof to);
    to[axis] = stop;
    return clear(a, axis, first, to, watch, err);
}

tess_status
padding_cut(tess_array *a, const int64_t *shape, struct watch *watch, tess_error *err)
{
    const struct geometry *const g = a->g;
    int64_t stop[NDIM_MAX]; // of the chunks that stay
    tess_status st = TESS_OK;

    for (int i = 0; i < g->ndim; i++)
        stop[i] =
            shape[i] < g->shape[i]
                ? min_i64(g->shape[i], ceil_div(shape[i], g->chunkshape[i]) * g->chunkshape[i])
                : g->shape[i];
    const struct watch_range all = watch_divide(watch);
    for (int axis = 0; axis < g->ndim && st == TESS_OK; axis++) {
        watch_part(watch, &all, axis + 1, g->ndim);
        if (shape[axis] < stop[axis])
            st = clear(a, axis, shape[axis], stop, watch, err);
        stop[axis] = min_i64(stop[axis], shape[axis]); // what is behind is done
    }
    return st;
}
