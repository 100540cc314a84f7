/*
 * slice.c - the public functions on slices, and on memory with strides or of another type:
 * arguments are checked here, once.
 */

#include "api/check.h"
#include "api/uncancelled.h"
#include "array/array.h"
#include "array/convert.h"
#include "array/items/box.h"
#include "array/update.h"
#include "base/checked.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/memory.h"
#include "base/sized.h"
#include "geom/shape.h"
#include "grid/box_memory.h"
#include "task/watch.h"

#include <tessera/attr.h>
#include <tessera/convert.h>
#include <tessera/slice.h>

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

// -- memory with strides

tess_status
strides_choose(int ndim, const int64_t *count, int64_t itemsize, const int64_t *strides,
               int64_t *chosen, tess_error *err)
{
    int64_t size = itemsize, reach = itemsize;

    for (int i = ndim - 1; i >= 0; i--) {
        chosen[i] = strides ? count[i] > 1 ? strides[i] : 0 : size;
        if (!strides && !mul_i64(size, count[i], &size))
            return err_set(err, TESS_ERR_ARG, -1, "the items do not fit in memory");
    }
    for (int i = 0; i < ndim; i++) {
        const int64_t stride = chosen[i];
        int64_t far;
        if (stride == INT64_MIN || !mul_i64(count[i] - 1, stride < 0 ? -stride : stride, &far) ||
            !add_i64(reach, far, &reach) || (uint64_t)reach > PTRDIFF_MAX)
            return err_set(err, TESS_ERR_ARG, -1, "the strides lead out of memory");
    }
    return TESS_OK;
}

tess_status
strides_check_memory(int ndim, const int64_t *count, int64_t itemsize, const int64_t *chosen,
                     const void *memory, size_t size, tess_error *err)
{
    int64_t needed = itemsize;
    for (int i = 0; i < ndim; i++)
        needed += max_i64(chosen[i], 0) * (count[i] - 1); // fits: strides_choose() looked
    if (!memory)
        return err_set(err, TESS_ERR_ARG, -1, "no memory is given");
    if ((uint64_t)needed > size)
        return err_set(err, TESS_ERR_ARG, -1, "%zu bytes of memory, the items take %" PRId64, size,
                       needed);
    return TESS_OK;
}

static int64_t
distance(int64_t stride)
{
    return max_i64(stride, -stride);
}

// Taken from the smallest stride to the largest, each axis steps over all that the ones before it
// take.
tess_status
strides_check_disjoint(int ndim, const int64_t *count, int64_t itemsize, const int64_t *chosen,
                       tess_error *err)
{
    int64_t taken = itemsize;
    bool used[NDIM_MAX] = {false};

    for (int n = 0; n < ndim; n++) {
        int least = -1;
        for (int i = 0; i < ndim; i++)
            if (!used[i] && (least < 0 || distance(chosen[i]) < distance(chosen[least])))
                least = i;
        used[least] = true;
        if (count[least] == 1)
            continue;
        if (distance(chosen[least]) < taken)
            return err_set(err, TESS_ERR_ARG, -1, "with these strides, items overlap in memory");
        taken += (count[least] - 1) * distance(chosen[least]);
    }
    return TESS_OK;
}

// -- slices

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

// A slice upwards, as the rest of the library knows it (geom/box.h).
struct slice_box {
    struct box box; // of the arrays below: the struct must not be moved
    int64_t start[NDIM_MAX], stop[NDIM_MAX], step[NDIM_MAX];
};

// Axes that run downwards are turned around, in memory, too. Returns how many bytes the first item
// of the box is behind the caller's first one.
static int64_t
turn_around(const tess_array *a, const struct slice *s, struct slice_box *box, int64_t *strides)
{
    int64_t offset = 0;
    box->box = (struct box){box->start, box->stop, box->step};
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
    struct slice_box up;
    struct box_memory to = {0};
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
    to.items = (uint8_t *)dst + turn_around(a, &s, &up, to.stride);
    st = reading_begin(&r, a, s.nitems, err);
    if (st == TESS_OK)
        st = array_read(a, &up.box, &to, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_set_slice(tess_array *a, const int64_t *start, const int64_t *stop, const int64_t *step,
                     const void *src, size_t src_size, const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    struct slice s;
    struct slice_box up;
    struct box_memory_const from = {0};
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
    from.items = (const uint8_t *)src + turn_around(a, &s, &up, from.stride);
    array_watch(&watch, a, s.nitems);
    return watch_end(&watch, array_update_box(a, &up.box, &from, &watch, err));
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

// -- memory of another type

TESS_API void
tess_conversion_init_sized(tess_conversion *how, size_t struct_size)
{
    tess_conversion own = {.struct_size = struct_size, .misfit = TESS_MISFIT_ERROR, .scale = 1};
    sized_give(how, struct_size, &own, sizeof own);
}

static tess_status
check_slice_number(const tess_number *x, const char *what, tess_error *err)
{
    if (x->kind == TESS_KIND_INT || x->kind == TESS_KIND_UINT || x->kind == TESS_KIND_FLOAT)
        return TESS_OK;
    return err_set(err, TESS_ERR_ARG, -1, "%s of kind %d", what, (int)x->kind);
}

static tess_status
check_bound(const tess_number *x, const char *what, tess_error *err)
{
    if ((int)x->kind == 0)
        return TESS_OK;
    if (x->kind == TESS_KIND_FLOAT && isnan(x->f))
        return err_set(err, TESS_ERR_ARG, -1, "NaN as the %s valid value", what);
    return check_slice_number(x, what, err);
}

static tess_status
check_conversion(const tess_conversion *how, tess_error *err)
{
    tess_status st = TESS_OK;
    if (how->misfit < TESS_MISFIT_ERROR || how->misfit > TESS_MISFIT_WRAP)
        return err_set(err, TESS_ERR_ARG, -1, "misfit %d", how->misfit);
    if (!isfinite(how->scale) || how->scale == 0 || !isfinite(how->offset))
        return err_set(err, TESS_ERR_ARG, -1, "a scale of %g, an offset of %g", how->scale,
                       how->offset);
    if (how->nmissing < 0 || how->nmissing > TESS_MISSING_MAX)
        return err_set(err, TESS_ERR_ARG, -1, "%d missing values, at most %d", how->nmissing,
                       TESS_MISSING_MAX);
    for (int i = 0; i < how->nmissing && st == TESS_OK; i++)
        st = check_slice_number(&how->missing[i], "a missing value", err);
    if (st == TESS_OK)
        st = check_bound(&how->least, "least", err);
    return st == TESS_OK ? check_bound(&how->most, "greatest", err) : st;
}

// given NULL: the defaults.
static tess_status
take_conversion(tess_conversion *own, const tess_conversion *given, tess_error *err)
{
    tess_conversion_init(own);
    const tess_status st = given ? sized_take(own, sizeof *own, SIZED_UP_TO(tess_conversion, most),
                                              given, "conversion", err)
                                 : TESS_OK;
    return st == TESS_OK ? check_conversion(own, err) : st;
}

// A box in memory of another type.
struct typed_box {
    struct typed typed;
    tess_conversion how;
    struct box box;
    int64_t nitems; // 0: nothing is to be done
    int64_t count[NDIM_MAX], stride[NDIM_MAX];
};

static tess_status
check_typed(struct typed_box *b, const tess_array *a, const char *dtype, const tess_conversion *how,
            bool writing, tess_error *err)
{
    if (!dtype)
        return err_set(err, TESS_ERR_ARG, -1, "no type of items in memory is given");
    tess_status st = take_conversion(&b->how, how, err);
    if (st == TESS_OK)
        st = geometry_check_box(a->g, &b->box, &b->nitems, err);
    for (int i = 0; st == TESS_OK && i < a->g->ndim; i++)
        b->count[i] = b->box.stop[i] - b->box.start[i];
    return st == TESS_OK ? typed_init(&b->typed, a, dtype, &b->how, writing, err) : st;
}

static tess_status
check_slice_memory(struct typed_box *b, const tess_array *a, const void *memory, size_t size,
                   const int64_t *strides, tess_error *err)
{
    const int ndim = a->g->ndim;
    const int64_t itemsize = b->typed.itemsize;
    const tess_status st = strides_choose(ndim, b->count, itemsize, strides, b->stride, err);
    return st == TESS_OK
               ? strides_check_memory(ndim, b->count, itemsize, b->stride, memory, size, err)
               : st;
}

TESS_API tess_status
tess_array_read_as(const tess_array *a, const int64_t *start, const int64_t *stop,
                   const char *dtype, const tess_conversion *how, void *dst, size_t dst_size,
                   const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    struct typed_box b;
    struct box_memory to = {.items = dst};
    struct reading r;
    b.box = (struct box){start, stop, NULL};
    if (!a)
        return err_set(err, TESS_ERR_ARG, -1, "no array is given");
    tess_status st = check_typed(&b, a, dtype, how, false, err);
    if (st != TESS_OK || b.nitems == 0)
        return st;
    st = check_slice_memory(&b, a, dst, dst_size, strides, err);
    if (st == TESS_OK)
        st = strides_check_disjoint(a->g->ndim, b.count, b.typed.itemsize, b.stride, err);
    if (st != TESS_OK)
        return st;
    memcpy(to.stride, b.stride, sizeof to.stride);
    st = reading_begin(&r, a, b.nitems, err);
    if (st == TESS_OK)
        st = typed_read(&b.typed, a, &b.box, &to, &r.watch, err);
    return reading_end(&r, st, err);
}

TESS_API tess_status
tess_array_write_as(tess_array *a, const int64_t *start, const int64_t *stop, const char *dtype,
                    const tess_conversion *how, const void *src, size_t src_size,
                    const int64_t *strides, tess_error *err)
{
    UNCANCELLED;
    struct typed_box b;
    struct box_memory_const from = {.items = src};
    struct watch watch;
    b.box = (struct box){start, stop, NULL};
    tess_status st = check_items_writable(a, err);
    if (st == TESS_OK)
        st = check_typed(&b, a, dtype, how, true, err);
    if (st != TESS_OK || b.nitems == 0)
        return st;
    st = check_slice_memory(&b, a, src, src_size, strides, err);
    if (st != TESS_OK)
        return st;
    memcpy(from.stride, b.stride, sizeof from.stride);
    array_watch(&watch, a, b.nitems);
    return watch_end(&watch, typed_write(&b.typed, a, &b.box, &from, &watch, err));
}

TESS_API tess_status
tess_conversion_from_attributes_sized(const tess_array *a, tess_conversion *how, size_t how_size,
                                      tess_error *err)
{
    UNCANCELLED;
    tess_conversion own;
    tess_status st = TESS_OK;
    if (!how)
        return err_set(err, TESS_ERR_ARG, -1, "no place for a conversion is given");
    tess_conversion_init_sized(how, how_size);
    tess_conversion_init(&own);
    for (int n = 0; n < PACKING_NAMES; n++) {
        tess_value *value;
        st = tess_attr_get(a, packing_names[n], &value, err);
        if (st == TESS_ERR_NOT_FOUND)
            continue;
        if (st == TESS_OK)
            st = packing_take(&own, n, value, err);
        mem_free(value);
        if (st != TESS_OK)
            return err_prefix(err, st, "attribute %s", packing_names[n]);
    }
    own.struct_size = how_size;
    sized_give(how, how_size, &own, sizeof own);
    return TESS_OK;
}
