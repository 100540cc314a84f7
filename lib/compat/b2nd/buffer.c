/*
 * buffer.c - boxes between two N-dimensional buffers of the program.
 */
#include "blosc2/error.h"

#include <b2nd.h>
#include <string.h>

// Axes that are copied one by one, and the bytes that are copied at once.
struct walk {
    int ndim;
    int64_t length[B2ND_MAX_DIM];
    int64_t from[B2ND_MAX_DIM], to[B2ND_MAX_DIM]; // bytes from one index to the next
    size_t run;
};

static void
copy_axis(const struct walk *w, int axis, const uint8_t *src, uint8_t *dst)
{
    if (axis == w->ndim) {
        memcpy(dst, src, w->run);
        return;
    }
    for (int64_t i = 0; i < w->length[axis]; i++)
        copy_axis(w, axis + 1, src + i * w->from[axis], dst + i * w->to[axis]);
}

int
b2nd_copy_buffer2(int8_t ndim, int32_t itemsize, const void *src, const int64_t *src_pad_shape,
                  const int64_t *src_start, const int64_t *src_stop, void *dst,
                  const int64_t *dst_pad_shape, const int64_t *dst_start)
{
    struct walk w = {.ndim = ndim, .run = (size_t)itemsize};
    int64_t from = itemsize, to = itemsize;
    const uint8_t *source = src;
    uint8_t *target = dst;

    if (!src || !dst ||
        (ndim > 0 && (!src_pad_shape || !src_start || !src_stop || !dst_pad_shape || !dst_start)))
        return BLOSC2_ERROR_NULL_POINTER;
    if (ndim < 0 || ndim > B2ND_MAX_DIM || itemsize < 1)
        return b2_fail(BLOSC2_ERROR_INVALID_PARAM, "%d dimensions, items of %d bytes", ndim,
                       itemsize);
    for (int i = ndim - 1; i >= 0; i--) {
        const int64_t length = src_stop[i] - src_start[i];
        if (length <= 0)
            return length < 0 ? BLOSC2_ERROR_INVALID_PARAM : BLOSC2_ERROR_SUCCESS;
        w.length[i] = length;
        w.from[i] = from;
        w.to[i] = to;
        source += src_start[i] * from;
        target += dst_start[i] * to;
        from *= src_pad_shape[i];
        to *= dst_pad_shape[i];
    }
    while (w.ndim > 0 && w.from[w.ndim - 1] == (int64_t)w.run && w.to[w.ndim - 1] == (int64_t)w.run)
        w.run *= (size_t)w.length[--w.ndim];
    copy_axis(&w, 0, source, target);
    return BLOSC2_ERROR_SUCCESS;
}

int
b2nd_copy_buffer(int8_t ndim, uint8_t itemsize, const void *src, const int64_t *src_pad_shape,
                 const int64_t *src_start, const int64_t *src_stop, void *dst,
                 const int64_t *dst_pad_shape, const int64_t *dst_start)
{
    return b2nd_copy_buffer2(ndim, itemsize, src, src_pad_shape, src_start, src_stop, dst,
                             dst_pad_shape, dst_start);
}
