/*
 * slice.c - the public functions on slices: arguments are checked here, once.
 */
#include "api/select/slice.h"

#include "api/check.h"
#include "api/select/strides.h"
#include "api/uncancelled.h"
#include "array/items/box.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "grid/read/read.h"
#include "grid/strided.h"
#include "task/watch.h"

#include <tessera/slice.h>

#include <inttypes.h>

TESS_API int64_t
tess_slice_length(int64_t start, int64_t stop, int64_t step)
{
    uint64_t n = 0;
    if (step > 0 && start < stop)
        n = ((uint64_t)stop - (uint64_t)start - 1) / (uint64_t)step + 1;
    if (step < 0 && start > stop)
        n = ((uint64_t)start - (uint64_t)stop - 1) / (0 - (uint64_t)step) + 1;
    return n < INT64_MAX ? (int64_t)n : INT64_MAX;
}

static tess_status
slice_check_axis(const tess_array *a, int axis, int64_t start, int64_t stop, int64_t step,
                 tess_error *err)
{
    const int64_t length = a->g->shape[axis];
    if (step == 0)
        return err_set(err, TESS_ERR_ARG, -1, "the step along axis %d is 0", axis);
    if (step > 0 ? start < 0 || stop > length : start >= length || stop < -1)
        return err_set(err, TESS_ERR_ARG, -1,
                       "the slice %" PRId64 ":%" PRId64 ":%" PRId64
                       " leaves axis %d, which has %" PRId64 " items",
                       start, stop, step, axis, length);
    return TESS_OK;
}

tess_status
slice_check(const tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
            struct slice *s, tess_error *err)
{
    if (a->g->ndim > 0 && (!start || !stop))
        return err_set(err, TESS_ERR_ARG, -1, "no slice is given");
    s->nitems = 1;
    for (int i = 0; i < a->g->ndim; i++) {
        const int64_t by = step ? step[i] : 1;
        const tess_status st = slice_check_axis(a, i, start[i], stop[i], by, err);
        if (st != TESS_OK)
            return st;
        s->first[i] = start[i];
        s->count[i] = tess_slice_length(start[i], stop[i], by);
        s->step[i] = s->count[i] > 1 ? by : 1;
        if (s->count[i] == 0 || !mul_i64(s->nitems, s->count[i], &s->nitems))
            s->nitems = 0; // nothing overflows unless a shape has a zero
    }
    return TESS_OK;
}

// A slice upwards, as the rest of the library knows it (array/array.h).
struct box {
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX];
};

// Axes that run downwards are turned around, in memory, too. Returns how many bytes the first item
// of the box is behind the caller's first one.
static int64_t
turn_around(const tess_array *a, const struct slice *s, struct box *box, int64_t *strides)
{
    int64_t offset = 0;
    for (int i = 0; i < a->g->ndim; i++) {
        const int64_t length = (s->count[i] - 1) * s->step[i];
        if (length < 0) {
            offset += (s->count[i] - 1) * strides[i];
            strides[i] = -strides[i];
        }
        box->start[i] = s->first[i] + min_i64(length, 0);
        box->stop[i] = s->first[i] + max_i64(length, 0) + 1;
        box->step[i] = length < 0 ? -s->step[i] : s->step[i];
    }
    return offset;
}

TESS_API tess_status
tess_array_get_slice(const tess_array *a, const int64_t *start, const int64_t *stop,
                     const int64_t *step, void *dst, size_t dst_size, const int64_t *strides,
                     tess_error *err)
{
    UNCANCELLED;
    struct slice s;
    struct box box;
    struct strided to = {0};
    struct reading r;
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = slice_check(a, start, stop, step, &s, err);
    if (st != TESS_OK || s.nitems == 0)
        return st;
    st = strides_choose(a->g->ndim, s.count, a->g->typesize, strides, to.stride, err);
    if (st == TESS_OK)
        st = strides_check_memory(a->g->ndim, s.count, a->g->typesize, to.stride, dst, dst_size,
                                  err);
    if (st == TESS_OK)
        st = strides_check_disjoint(a->g->ndim, s.count, a->g->typesize, to.stride, err);
    if (st != TESS_OK)
        return st;
    to.items = (uint8_t *)dst + turn_around(a, &s, &box, to.stride);
    st = reading_begin(&r, a, s.nitems, err);
    if (st == TESS_OK)
        st = array_read(a, box.start, box.stop, box.step, &to, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_set_slice(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
                     const void *src, size_t src_size, const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    struct slice s;
    struct box box;
    struct strided_const from = {0};
    struct watch watch;
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = slice_check(a, start, stop, step, &s, err);
    if (st != TESS_OK || s.nitems == 0)
        return st;
    st = strides_choose(a->g->ndim, s.count, a->g->typesize, strides, from.stride, err);
    if (st == TESS_OK)
        st = strides_check_memory(a->g->ndim, s.count, a->g->typesize, from.stride, src, src_size,
                                  err);
    if (st != TESS_OK)
        return st;
    from.items = (const uint8_t *)src + turn_around(a, &s, &box, from.stride);
    array_watch(&watch, a, s.nitems);
    return watch_end(&watch,
                     array_update_box(a, box.start, box.stop, box.step, &from, &watch, err));
}

TESS_API tess_status
tess_array_fill(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
                const void *item, size_t item_size, tess_error *err)
{
    UNCANCELLED;
    static const int64_t same[NDIM_MAX] = {0};
    if (a && (uint64_t)item_size < (uint64_t)a->g->typesize)
        return err_set(err, TESS_ERR_ARG, -1,
                       "an item of %zu bytes, items of the array have %" PRId32, item_size,
                       a->g->typesize);
    return tess_array_set_slice(a, start, stop, step, item, item_size, same, err);
}
